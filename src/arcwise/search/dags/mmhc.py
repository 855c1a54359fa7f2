"""Max-min hill climbing: a skeleton from tests of independence, then a climb within it."""

from dataclasses import dataclass, replace

import numpy as np

from arcwise.constraints.constraints import Constraints
from arcwise.graph.node_lists import NodeLists
from arcwise.parents.best_trees import BestTrees
from arcwise.parents.independence import Independence
from arcwise.parents.mmpc import Neighbours, neighbours
from arcwise.scores.definitions import BIC
from arcwise.search.dags.restricted import SHARE_OF_NEIGHBOURS, climbed_within
from arcwise.search.search import Context, Outcome, Problem, Search, function_of
from arcwise.support.arguments import count, kernel_seeds

__all__ = ["Mmhc", "mmhc"]


@dataclass(frozen=True)
class Mmhc(Search):
    """Climb greedily with arcs between those variables only that tests of independence take for neighbours.

    The max-min hill climbing of Tsamardinos, Brown & Aliferis (2006, Machine Learning 65): `mmpc` finds the skeleton,
    `greedy` the graph. Where the authors climb with a list of forbidden graphs (tabu), here several climbs break their
    ties differently. An arc that the tests have ruled out is not found again, however much it would score; in return,
    few families have to be scored.

    The tests may take half of the budget. Variables whose tests are not done by then may be joined with tested ones
    that have found them, and with one another along the edges of their best forest (`chow_liu`), which may take half of
    what is left.

    The result's counters tell how many of the evaluations were ``tests``, and how many ``edges`` the skeleton has.

    Parameters
    ----------
    alpha, test, least_per_cell, max_conditions, permutations
        Which tests are made, and what they show; see `mmpc`.
    climbs
        How often to climb from the start; the best local optimum is returned.

    Examples
    --------
    >>> from arcwise import LocalScore, load_example
    >>> data = load_example("asia").sample(5000, seed=1)
    >>> result = mmhc(LocalScore(data), seed=1)
    >>> result.status
    <Status.LOCAL_OPTIMUM: 'local optimum'>
    >>> result.counters["evaluations"] > result.counters["tests"] > 0
    True
    """

    alpha: float = 0.05
    test: str = "g2"
    least_per_cell: float = 5.0
    max_conditions: int | None = None
    permutations: int = 0
    climbs: int = 10

    name = "mmhc"
    needs_states = True
    bytes_per_pair = 0
    bytes_per_variable = 8192
    honours_degrees = True
    honours_ancestors = True

    def __post_init__(self) -> None:
        self._tests(seed=0)
        count("climbs", self.climbs, least=1)

    def _tests(self, seed: int) -> Independence:
        # Without permutations the seed does not matter.
        draws = next(kernel_seeds(seed, 1)) if self.permutations else 0
        return Independence(self.alpha, self.test, self.least_per_cell, self.max_conditions, self.permutations, draws)

    def run(self, problem: Problem, context: Context) -> Outcome:
        """Find the neighbours by tests, and climb among them."""
        tests = self._tests(context.seed)
        before = problem.score.evaluations
        looking = context.budget.part(share=SHARE_OF_NEIGHBOURS, evaluation_share=SHARE_OF_NEIGHBOURS)
        found = neighbours(
            problem.score, tests, constraints=problem.constraints, workers=context.workers, budget=looking
        )
        made = problem.score.evaluations - before
        skeleton = found.lists if found.is_complete else self._skeleton_so_far(found, problem, context)
        cut_by = None if found.is_complete else looking
        outcome = climbed_within(skeleton, self.climbs, problem, context, cut_by=cut_by)
        return replace(
            outcome,
            counters={**outcome.counters, "tests": made},
            decisions={"neighbourhood": "mmpc", "independence": tests},
        )

    def _skeleton_so_far(self, found: Neighbours, problem: Problem, context: Context) -> NodeLists:
        """Return what tests have found, and the edges of the best forest of variables whose tests were not done."""
        n, is_finished = len(problem.names), np.array(found.finished)
        among_the_rest = Constraints().resolve(problem.names).isolating(is_finished, NodeLists.none(n))
        part = context.budget.part(share=SHARE_OF_NEIGHBOURS, evaluation_share=SHARE_OF_NEIGHBOURS)
        parents = BestTrees(problem.score, BIC()).within(among_the_rest.core, part.core).parents
        children = np.flatnonzero(parents >= 0)
        edges = NodeLists.from_pairs(n, np.column_stack([children, parents[children]]).astype(np.int64)).either_way
        return found.found | edges.where(problem.rules.may_join(edges.pairs))


mmhc = function_of(Mmhc(), "mmhc")
