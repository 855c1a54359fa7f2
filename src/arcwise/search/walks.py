"""What searches over graphs and over classes of them share: walks from several starts, and the best of their ends."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from arcwise import _core
from arcwise.constraints.constraints import Constraints, ResolvedConstraints
from arcwise.graph.dag import Dag
from arcwise.parents.neighbourhoods import Candidates, Neighbourhood, candidate_matrix
from arcwise.runs.budget import Budget
from arcwise.runs.result import STATUS_OF_REASON, Improvement, Result, Trace
from arcwise.runs.side_by_side import side_by_side
from arcwise.scores.local_score import LocalScore
from arcwise.search.ends import Ends, WalkEnd
from arcwise.search.random_graphs import ParentLists, perturbed, random_graph
from arcwise.support.arguments import count, flag, instance
from arcwise.support.errors import ParameterError
from arcwise.support.seeds import kernel_seeds, recorded_seed
from arcwise.support.workers import workers_or_default

__all__ = ["Kernel", "Starts", "WalkEnd", "Walks"]

#: Walks from a graph, given the rules, the graph, a seed and the budget.
Kernel = Callable[[ResolvedConstraints, ParentLists, int, _core.Budget], WalkEnd]


@dataclass(frozen=True)
class Starts:
    """Where the walks of a search start.

    Parameters
    ----------
    start
        The graph of the first walk, and of all others unless they are random or perturbed; by default that of the
        required arcs alone.
    random
        Whether every walk starts from a random graph.
    perturb
        If above 0, each walk but the first starts from the best graph so far after so many random changes.
    """

    start: Dag | None = None
    random: bool = False
    perturb: int = 0

    def __post_init__(self) -> None:
        count("perturb", self.perturb)
        flag("random_start", self.random)
        if self.random and (self.start is not None or self.perturb):
            raise ParameterError("random starts leave no room for start and perturb: choose one of them")


@dataclass(frozen=True)
class Walks:
    """Several walks over graphs, and all they have in common.

    Parameters
    ----------
    score
        The score to maximise, bound to its data.
    walks
        How many walks there are.
    starts
        Where they start.
    constraints
        What graphs must and must not have.
    seed
        Decides all random choices; drawn when None.
    workers
        Walks at the same time; by default one per usable core. There is one where walks start from the ends of others,
        and with a limit on evaluations, so that the same seed gives the same graph.
    budget
        When to stop early.
    on_improvement
        Called with every improvement; the search ends when it returns a true value.
    neighbourhood
        Which variables may be whose parents, besides the required arcs and those of the start.
    """

    score: LocalScore
    walks: int
    starts: Starts
    constraints: Constraints | None
    seed: int | None
    workers: int | None
    budget: Budget | None
    on_improvement: Callable[[Improvement], object] | None
    neighbourhood: Neighbourhood | Candidates | None = None

    def run(
        self,
        method: str,
        kernel: Kernel,
        settings: Mapping[str, object],
        *,
        moves: Sequence[str],
        over_classes: bool = False,
    ) -> Result:
        """Return the best end of all walks.

        Parameters
        ----------
        method
            The name of the search.
        kernel
            What walks.
        settings
            What the search was asked to do, for the result.
        moves
            The kinds of moves that the ends have counted.
        over_classes
            Whether equivalent ends are one and the same graph, so that they can be told apart as local optima.
        """
        score, walks = instance("score", self.score, LocalScore), count("climbs", self.walks, least=1)
        names = score.data.names
        constraints = instance("constraints", self.constraints, Constraints, default=Constraints)
        first = [list(parents) for parents in constraints.checked_start(names, self.starts.start).parent_indices]
        seed, budget = recorded_seed(self.seed), instance("budget", self.budget, Budget, default=Budget)
        workers = workers_or_default(self.workers)
        if self.starts.perturb or budget.evaluation_limit is not None:
            workers = 1
        trace = Trace(self.on_improvement, budget, score.rounding)
        begin, evaluations, cache_hits = budget.elapsed, score.evaluations, score.cache_hits
        free = constraints.resolve(names)
        ends = Ends(moves, keep_all=over_classes)
        ends.resume(budget.journal.earlier(method), len(names))

        def tasks() -> Iterator[tuple[int, int]]:
            for number, walk_seed in enumerate(kernel_seeds(seed, walks)):
                if number > 0 and budget.exhausted:
                    return
                if number >= ends.walked:
                    yield number, walk_seed

        def walk(rules: ResolvedConstraints, task: tuple[int, int]) -> WalkEnd | None:
            number, walk_seed = task
            if number > 0 and budget.exhausted:
                return None
            start, rng = first, np.random.default_rng(walk_seed)
            if self.starts.random:
                start = random_graph(first, rules, rng)
            elif self.starts.perturb and ends.best is not None:
                start = perturbed(ends.best.parents, self.starts.perturb, rules, rng)
            return kernel(rules, start, walk_seed, budget.core)

        def walk_repeatedly() -> None:
            rules = free if self.neighbourhood is None else self._within(self.neighbourhood, free, first, budget)
            for end in side_by_side(partial(walk, rules), tasks(), workers, budget):
                if end is not None:
                    ends.add(end)
                    trace.reach(end.score)
                    budget.note(method, ends.best, ends.state)

        budget.run(walk_repeatedly)
        best = ends.best
        assert best is not None  # the first walk has been made, whatever the budget
        return Result(
            dag=Dag.from_parents(names, best.parents),
            score=best.score,
            status=STATUS_OF_REASON[budget.core.reason],
            method=method,
            seed=seed,
            seconds=budget.elapsed - begin,
            settings={
                "score": score.score,
                **settings,
                "climbs": walks,
                "starts": self.starts,
                "constraints": constraints,
                "neighbourhood": None
                if self.neighbourhood is None
                else getattr(self.neighbourhood, "__name__", "given"),
                "budget": repr(budget),
            },
            counters={
                "evaluations": score.evaluations - evaluations,
                "cache_hits": score.cache_hits - cache_hits,
                "climbs": ends.climbs,
                **ends.moves,
            },
            trace=trace.points,
            optima=ends.optima(names) if over_classes else (),
        )

    def _within(
        self,
        neighbourhood: Neighbourhood | Candidates,
        rules: ResolvedConstraints,
        first: ParentLists,
        budget: Budget,
    ) -> ResolvedConstraints:
        """Return the rules within the neighbourhood; the start obeys them whatever the neighbourhood says."""
        candidates = candidate_matrix(self.score, neighbourhood, budget) | rules.required
        for child, parents in enumerate(first):
            candidates[child, parents] = True
        return ResolvedConstraints(rules.allowed & candidates, rules.required, rules.max_parents)
