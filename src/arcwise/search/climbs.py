"""What searches over graphs and over classes of them share: climbs from several starts, and the best of their ends."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from arcwise import _core
from arcwise.constraints.constraints import ResolvedConstraints
from arcwise.graph.dag import Dag
from arcwise.parents.neighbourhoods import CandidateParents, Neighbourhood, candidate_matrix
from arcwise.runs.side_by_side import side_by_side
from arcwise.search.ends import ClimbEnd, Ends
from arcwise.search.random_graphs import ParentLists, kicked_graph, random_graph
from arcwise.search.search import Context, Outcome, Problem
from arcwise.support.errors import ParameterError
from arcwise.support.messages import Name
from arcwise.support.seeds import kernel_seeds

__all__ = ["Climbs", "Kernel"]

#: Climbs from a graph, given the rules, the graph, a seed and the budget.
Kernel = Callable[[ResolvedConstraints, ParentLists, int, _core.Budget], ClimbEnd]


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
        budget, workers = context.budget, 1 if self.kick else context.workers
        first = [list(parents) for parents in problem.first.parent_indices]
        ends = Ends(self.moves, keep_all=self.over_classes)
        ends.resume(budget.journal.earlier(self.name), len(problem.names))

        def tasks() -> Iterator[tuple[int, int]]:
            for number, climb_seed in enumerate(kernel_seeds(context.seed, self.climbs)):
                if number > 0 and budget.exhausted:
                    return
                if number >= ends.climbed:
                    yield number, climb_seed

        def climb(rules: ResolvedConstraints, task: tuple[int, int]) -> ClimbEnd | None:
            number, climb_seed = task
            if number > 0 and budget.exhausted:
                return None
            start, rng = first, np.random.default_rng(climb_seed)
            if self.random_start:
                start = random_graph(first, rules, rng)
            elif self.kick and ends.best is not None:
                start = kicked_graph(ends.best.parents, self.kick, rules, rng)
            return self.kernel(rules, start, climb_seed, budget.core)

        rules = self._rules(problem, first, context)
        for end in side_by_side(partial(climb, rules), tasks(), workers, budget):
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
        candidates = candidate_matrix(problem.score, self.neighbourhood, context.budget) | rules.required
        for child, parents in enumerate(first):
            candidates[child, parents] = True
        return replace(rules, allowed=rules.allowed & candidates)
