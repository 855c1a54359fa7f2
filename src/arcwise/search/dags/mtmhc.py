"""Hill climbing on the skeleton that a mixture of trees leaves."""

from dataclasses import dataclass, replace

from arcwise.parents.bagged_trees import Bagging, bagged_trees
from arcwise.parents.mtmpc import checked_threshold, tree_neighbours
from arcwise.scores.definitions import Score
from arcwise.search.dags.restricted import SHARE_OF_NEIGHBOURS, climbed_within
from arcwise.search.search import Context, Outcome, Problem, Search, function_of
from arcwise.support.arguments import count

__all__ = ["Mtmhc", "mtmhc"]


@dataclass(frozen=True)
class Mtmhc(Search):
    """Climb greedily with arcs between those variables only that are neighbours in trees of bootstrap replicas.

    The algorithm MtMHC of Ammar & Leray (2011, ECSQARU, algorithm 3), for few rows and many variables: `mtmpc` finds
    the skeleton, `greedy` the graph. It is `mmhc` with trees instead of tests of independence. An arc that no tree has,
    or too few, is not found, however much it would score.

    The trees may take half of the budget; where it ends before all are learned, the skeleton is that of the trees so
    far.

    The result's counters tell how many of the evaluations were ``pairs`` that the trees looked at, and how many
    ``edges`` the skeleton has.

    Parameters
    ----------
    trees, threshold, by, tree_search
        How many trees there are, the share of them that must have an edge, the score that they maximise, and how they
        are found; see `mtmpc`.
    climbs
        How often to climb from the start; the best local optimum is returned.

    Examples
    --------
    >>> from arcwise import LocalScore, load_example
    >>> data = load_example("asia").sample(100, seed=1)
    >>> result = mtmhc(LocalScore(data), trees=50, seed=1)
    >>> result.status
    <Status.LOCAL_OPTIMUM: 'local optimum'>
    >>> result.counters["pairs"]  # 50 trees, each of the best of 28 pairs
    1400
    """

    trees: int = 100
    threshold: float = 0.0
    by: str | Score = "loglik"
    tree_search: str = "best"
    climbs: int = 10

    name = "mtmhc"
    needs_states = True
    bytes_per_pair = 0
    bytes_per_variable = 32768  # a hundred trees
    honours_degrees = True
    honours_ancestors = True

    def __post_init__(self) -> None:
        self._bagging(seed=0)
        checked_threshold(self.threshold)
        count("climbs", self.climbs, least=1)

    def _bagging(self, seed: int) -> Bagging:
        return Bagging(self.trees, self.by, self.tree_search, seed)

    def run(self, problem: Problem, context: Context) -> Outcome:
        """Find the neighbours in trees, and climb among them."""
        bagging = self._bagging(context.seed)
        before = problem.score.evaluations
        looking = context.budget.part(share=SHARE_OF_NEIGHBOURS, evaluation_share=SHARE_OF_NEIGHBOURS)
        bagged = bagged_trees(problem.score, bagging, workers=context.workers, executor=context.place, budget=looking)
        made = problem.score.evaluations - before
        skeleton = tree_neighbours(bagged, problem.rules, self.threshold).lists
        cut_by = None if bagged.is_complete else looking
        outcome = climbed_within(skeleton, self.climbs, problem, context, cut_by=cut_by)
        return replace(
            outcome,
            counters={**outcome.counters, "pairs": made},
            decisions={"neighbourhood": "mtmpc", "bagging": bagging},
        )


mtmhc = function_of(Mtmhc(), "mtmhc")
