"""Max-min hill climbing: a skeleton from tests of independence, then a climb within it."""

from dataclasses import dataclass, replace

from arcwise.parents.independence import Independence
from arcwise.parents.mmpc import Neighbours, neighbours
from arcwise.search.dags.restricted import climbed_within
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

        def find() -> Neighbours:
            return neighbours(
                problem.score,
                tests,
                constraints=problem.constraints,
                workers=context.workers,
                budget=context.budget,
            )

        outcome = climbed_within(find, self.climbs, problem, context, counted_as="tests")
        return replace(outcome, decisions={"neighbourhood": "mmpc", "independence": tests})


mmhc = function_of(Mmhc(), "mmhc")
