"""What searches over graphs and over classes share: climbs from several starts, random ones too, and their ends."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from threading import Lock

import numpy as np

from arcwise import _core
from arcwise.constraints.resolved import ResolvedConstraints
from arcwise.graph.dag import Dag
from arcwise.graph.node_lists import NodeLists
from arcwise.parallel.workplace import Threads, Work
from arcwise.parents.neighbourhoods import CandidateParents, Neighbourhood, candidate_lists
from arcwise.runs.budget import Budget
from arcwise.runs.journal import Found, State
from arcwise.runs.result import LocalOptimum
from arcwise.scores.local_score import LocalScore
from arcwise.search.search import Context, Outcome, Problem
from arcwise.support.arguments import kernel_seeds
from arcwise.support.errors import ParameterError
from arcwise.support.fields import Fields
from arcwise.support.messages import Name

__all__ = ["ClimbEnd", "Climbs", "Ends", "Kernel", "ParentLists", "kicked_graph", "random_graph"]

ParentLists = list[list[int]]

#: Climbs from a graph, given the score, the rules, the graph, a seed and the budget. It is a method of a search, which
#: other processes can be sent.
Kernel = Callable[
    [_core.LocalScore, _core.ArcRules, ParentLists, int, _core.Budget], _core.HillClimbResult | _core.ClassSearchResult
]

_Graph = tuple[tuple[int, ...], ...]

#: What is counted of each end, and of all of them is not the sum but the largest.
_LARGEST = ("longest_chain",)


@dataclass(frozen=True)
class ClimbEnd:
    """Where a climb ended.

    Attributes
    ----------
    parents, score
        The graph, and its score.
    is_whole
        Whether it came to its own end, and was not cut short.
    moves
        How many moves of each kind it took.
    """

    parents: ParentLists
    score: float
    is_whole: bool = True
    moves: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True)
class Climbs:
    """Several climbs over graphs, and all they have in common.

    Parameters
    ----------
    name
        Of the search, under which journals keep what it has left.
    kernel
        What climbs.
    climbs
        How many climbs there are.
    moves
        The kinds of moves that their ends have counted.
    random_start
        Whether every climb starts from a random graph.
    kick
        Random changes of a kick. If above 0, each climb but the first starts from the best graph so far after a kick.
    neighbourhood
        Which variables may be whose parents, besides the required arcs and those of the start.
    over_classes
        Whether equivalent ends are one and the same graph, so that they can be told apart as local optima.
    """

    name: str
    kernel: Kernel
    climbs: int
    moves: Sequence[str]
    random_start: bool = False
    kick: int = 0
    neighbourhood: Neighbourhood | CandidateParents | None = None
    over_classes: bool = False

    def run(self, problem: Problem, context: Context) -> Outcome:
        """Return the best end of all climbs."""
        if self.random_start and problem.start is not None:
            raise ParameterError(
                "random starts leave no room for ", Name("start"), " and ", Name("kick"), ": choose one of them"
            )
        budget = context.budget
        first = [list(parents) for parents in problem.first.parent_indices]
        ends = Ends(self.moves, keep_all=self.over_classes, rounding=problem.source.rounding)
        ends.resume(budget.journal.earlier(self.name), len(problem.names))

        rules = self._rules(problem, first, context)

        def tasks() -> Iterator[_Task]:
            for number, seed in enumerate(kernel_seeds(context.seed, self.climbs)):
                if number > 0 and budget.exhausted:
                    return
                if number < ends.climbed:
                    continue
                start = None
                if self.kick and ends.best is not None:
                    start = kicked_graph(ends.best.parents, self.kick, rules, np.random.default_rng(seed))
                yield _Task(number, seed, start)

        work = Work(
            "climb", _climbed, _Climbing(self.kernel, problem.score, rules, first, self.random_start, self.moves)
        )
        # A kick is of the best graph so far, so that one climb comes after the other.
        place = Threads() if self.kick else context.place
        n_tasks = 1 if self.kick else self.climbs - ends.climbed
        for end in place.map(work, tasks(), budget, workers=context.workers, n_tasks=n_tasks):
            if end is not None:
                ends.add(end)
                context.trace.reach(end.score)
                budget.note(self.name, ends.best, ends.state)
        best = ends.best
        assert best is not None  # the first climb has been made, whatever the budget
        return Outcome(
            Dag.from_parents(problem.names, best.parents),
            best.score,
            counters={"climbs": ends.climbs, **ends.moves},
            optima=ends.optima(problem.names) if self.over_classes else (),
        )

    def _rules(self, problem: Problem, first: ParentLists, context: Context) -> ResolvedConstraints:
        """Return the rules within the neighbourhood; the start obeys them whatever the neighbourhood says."""
        rules = problem.rules
        if self.neighbourhood is None:
            return rules
        candidates = candidate_lists(problem.score, self.neighbourhood, context.budget)
        return rules.restricted_to(candidates | NodeLists.from_lists(first))


@dataclass(frozen=True)
class _Climbing:
    """What all climbs need."""

    kernel: Kernel
    score: LocalScore
    rules: ResolvedConstraints
    first: ParentLists
    random_start: bool
    moves: Sequence[str]


@dataclass(frozen=True)
class _Task:
    """One climb: the how manieth, its seed, and its start where that is its own."""

    number: int
    seed: int
    start: ParentLists | None


def _climbed(climbing: _Climbing, task: _Task, budget: Budget, threads: int) -> ClimbEnd | None:
    """Return where one climb ends; None where it has not begun. The first one always begins."""
    if task.number > 0 and budget.exhausted:
        return None
    start = climbing.first if task.start is None else task.start
    if climbing.random_start:
        start = random_graph(climbing.first, climbing.rules, np.random.default_rng(task.seed))
    end = climbing.kernel(climbing.score.core, climbing.rules.core, start, task.seed, budget.for_kernel(threads))
    moves = {kind: getattr(end, kind) for kind in climbing.moves}
    return ClimbEnd(end.parents, end.score, end.stopped_by == _core.StopReason.none, moves)


class Ends:
    """The ends of climbs that come in one after the other, in the order of the climbs.

    Parameters
    ----------
    moves
        The kinds of moves that the ends have counted.
    keep_all
        Whether all different graphs at which climbs came to their own end are kept, and not the best alone.
    rounding
        Of scores that differ by no more than this, the first one is the best, whatever their last bits say.

    Attributes
    ----------
    best
        The best of them.
    climbs
        How many there are.
    climbed
        How many climbs an earlier run has made to their end; those need not be made again.
    moves
        How many moves of each kind they took, and the longest chain of operators in one of them.
    """

    def __init__(self, moves: Sequence[str], *, keep_all: bool = False, rounding: float = 0.0) -> None:
        self.best: Found | None = None
        self.climbs = 0
        self.climbed = 0
        self.moves = dict.fromkeys(moves, 0)
        self._keep_all = keep_all
        self._rounding = rounding
        self._met: Counter[_Graph] = Counter()
        self._score_of: dict[_Graph, float] = {}
        self._before_cut: State | None = None
        self._lock = Lock()  # whoever writes a checkpoint asks for the state, in another thread

    def add(self, end: ClimbEnd) -> None:
        """Take one more end in."""
        with self._lock:
            self._add(end)

    def _add(self, end: ClimbEnd) -> None:
        if not end.is_whole and self._before_cut is None:
            self._before_cut = self._state()
        if self.best is None or end.score > self.best.score + self._rounding:
            self.best = Found(end.parents, end.score)
        self.climbs += 1
        for kind, before in self.moves.items():
            self.moves[kind] = max(before, end.moves[kind]) if kind in _LARGEST else before + end.moves[kind]
        if end.is_whole and self._keep_all:
            graph = tuple(map(tuple, end.parents))
            self._met[graph] += 1
            self._score_of[graph] = end.score

    def optima(self, names: tuple[str, ...]) -> tuple[LocalOptimum, ...]:
        """Return the different graphs at which climbs came to their own end, best first."""
        ranked = sorted(self._score_of.items(), key=lambda found: (-found[1], found[0]))
        return tuple(LocalOptimum(Dag.from_parents(names, graph), score, self._met[graph]) for graph, score in ranked)

    def state(self) -> State:
        """Return what it takes to resume with the next climb, or with the first that was cut short; from any thread."""
        with self._lock:
            return self._state()

    def _state(self) -> State:
        if self._before_cut is not None:
            return self._before_cut
        return {
            "climbed": self.climbs,
            "moves": dict(self.moves),
            "best": None if self.best is None else _as_json(self.best),
            "optima": [
                {**_as_json(Found(graph, score)), "climbs": self._met[graph]} for graph, score in self._score_of.items()
            ],
        }

    def resume(self, state: Fields | None, n_nodes: int) -> None:
        """Begin with the ends that an earlier run has left; with none where there was none.

        Raises
        ------
        FormatError
            If the state is not one of climbs over so many nodes.
        """
        if state is None:
            return
        self.climbs = self.climbed = state.whole("climbed")
        self.moves = {kind: state.part("moves").whole(kind) for kind in self.moves}
        if "best" in state:
            self.best = _found(state.part("best"), n_nodes)
        elif self.climbed:
            raise state.wrong("the state of the search has climbs, but no graph at which one has ended")
        for optimum in state.parts("optima"):
            found = _found(optimum, n_nodes)
            graph = tuple(map(tuple, found.parents))
            self._met[graph], self._score_of[graph] = optimum.whole("climbs"), found.score


def _as_json(found: Found) -> dict[str, object]:
    return {"parents": [list(parents) for parents in found.parents], "score": found.score}


def _found(fields: Fields, n_nodes: int) -> Found:
    found = Found(fields.rows("parents", int), fields.number("score"))
    names = [str(node) for node in range(n_nodes)]
    fields.made(lambda: Dag.from_parents(names, found.parents))  # refuses cycles and other numbers of nodes
    return found


def random_graph(
    required: Sequence[Sequence[int]], rules: ResolvedConstraints, rng: np.random.Generator
) -> ParentLists:
    """Return a graph with two random parents for each node, but for those that close a cycle or break the rules.

    The random graph of Vandel, Mangin & de Givry (2012, PGM), section 4.2.

    Parameters
    ----------
    required
        Parents that every graph has, by index; they come first.
    rules
        Which others are allowed, and how many.
    rng
        Chooses the parents.

    Examples
    --------
    >>> from arcwise import Constraints
    >>> graph = random_graph([[]] * 4, Constraints().resolve(["a", "b", "c", "d"]), np.random.default_rng(1))
    >>> max(len(parents) for parents in graph)
    2
    """
    n = len(required)
    graph = _Growing(required, rules)
    for child in rng.permutation(n).tolist():
        for other in rng.choice(n - 1, size=min(2, n - 1), replace=False).tolist():
            parent = other if other < child else other + 1
            if graph.may_add(parent, child):
                graph.add(parent, child)
    return graph.lists


def kicked_graph(
    parents: Sequence[Sequence[int]], changes: int, rules: ResolvedConstraints, rng: np.random.Generator
) -> ParentLists:
    """Return the graph after random changes: an arc is added, or deleted or reversed where it is there.

    Parameters
    ----------
    parents
        The parents of each node, by index.
    changes
        How many changes to make; fewer are made where hardly any is allowed.
    rules
        Which arcs are allowed and required, and how many parents and adjacent nodes.
    rng
        Chooses the changes.

    Examples
    --------
    >>> from arcwise import Constraints
    >>> rules = Constraints().resolve(["a", "b", "c"])
    >>> kicked_graph([[], [], []], 1, rules, np.random.default_rng(1)) != [[], [], []]
    True
    """
    n = len(parents)
    graph = _Growing(parents, rules)
    made = 0
    for _ in range(100 * changes if n > 1 else 0):
        child, parent = rng.choice(n, size=2, replace=False).tolist()
        if parent not in graph.parents[child]:
            done = graph.may_add(parent, child)
            if done:
                graph.add(parent, child)
        else:
            done = not rules.is_required(child, parent)
            if done:
                graph.remove(parent, child)
                is_reversed = rng.random() < 0.5 and graph.may_add(child, parent)
                if is_reversed:
                    graph.add(child, parent)
                if not graph.has_paths():
                    if is_reversed:
                        graph.remove(child, parent)
                    graph.add(parent, child)
                    done = False
        made += done
        if made == changes:
            break
    return graph.lists


class _Growing:
    def __init__(self, parents: Sequence[Sequence[int]], rules: ResolvedConstraints) -> None:
        self.parents = [set(row) for row in parents]
        self.degrees = np.array([len(row) for row in self.parents])
        for row in self.parents:
            self.degrees[list(row)] += 1
        self.rules = rules

    @property
    def lists(self) -> ParentLists:
        return [sorted(row) for row in self.parents]

    def may_add(self, parent: int, child: int) -> bool:
        return (
            self.rules.is_allowed(child, parent)
            and parent not in self.parents[child]
            and len(self.parents[child]) < self.rules.max_parents[child]
            and all(self.degrees[node] < self.rules.max_degree[node] for node in (child, parent))
            and not self.leads(child, parent)
            and self.rules.keeps_ancestors_with(self.leads, parent, child)
        )

    def has_paths(self) -> bool:
        """Whether every required ancestor is one."""
        return all(self.leads(above, below) for above, below in self.rules.required_ancestors.tolist())

    def add(self, parent: int, child: int) -> None:
        self.parents[child].add(parent)
        self.degrees[[parent, child]] += 1

    def remove(self, parent: int, child: int) -> None:
        self.parents[child].remove(parent)
        self.degrees[[parent, child]] -= 1

    def leads(self, ancestor: int, node: int) -> bool:
        """Whether a path leads from one node to another; from any node to itself."""
        seen, todo = {node}, [node]
        while todo:
            for parent in self.parents[todo.pop()] - seen:
                seen.add(parent)
                todo.append(parent)
        return ancestor in seen
