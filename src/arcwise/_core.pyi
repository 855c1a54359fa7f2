"""The compiled kernels of arcwise."""

from collections.abc import Callable, Sequence
import enum
from typing import Annotated, overload

import numpy
from numpy.typing import NDArray


class StopReason(enum.Enum):
    """Why work had to stop."""

    none = 0

    time = 1

    evaluations = 2

    interrupt = 3

class Improvement:
    """A point of a search's trace."""

    @property
    def seconds(self) -> float: ...

    @property
    def evaluations(self) -> int: ...

    @property
    def score(self) -> float: ...

class Clock:
    """The machine's time, which does not follow changes of the calendar's."""

    def __init__(self) -> None: ...

class ProcessorClock(Clock):
    """What the processor has done for this process, all threads together."""

    def __init__(self) -> None: ...

class SteppedClock(Clock):
    """
    Time that passes by looks at budgets, for tests; other threads than the one that has made it wait when all looks that are allowed were taken.
    """

    def __init__(self, seconds_per_look: float = 0.0, allowed: int = 18446744073709551615) -> None: ...

    def allow(self, more: int) -> None:
        """Allow so many looks more than were taken."""

    @property
    def looks(self) -> int:
        """How often was looked, those who wait included."""

class Budget:
    """
    One deadline, evaluation limit and interrupt flag; the clock starts at once.
    """

    def __init__(self, seconds: float = float('inf'), evaluations: int = 18446744073709551615, whole: Budget | None = None, used: float = 0.0, apart: bool = False, threads: int = 1, clock: Clock | None = None) -> None: ...

    def show(self, score: float, tolerance: float, parents: Callable[[], Sequence[Sequence[int]]]) -> None:
        """Show a graph as kernels do; `parents` makes it where that is due."""

    def take_improvements(self) -> list[Improvement]:
        """What kernels have improved since the last call, in order."""

    def best_graph(self) -> tuple[list[list[int]], float] | None:
        """
        A good graph of the kernels that run, by its parents, and its score; None where there is none yet.
        """

    def forget_graphs(self) -> None:
        """Another search begins: what was shown is not its own."""

    def interrupt(self) -> None:
        """Ask all work on this budget to stop soon."""

    def charge(self, evaluations: int) -> None:
        """Count evaluations against the limit."""

    @property
    def reason(self) -> StopReason:
        """Why work must stop now."""

    @property
    def exhausted(self) -> bool:
        """Whether work must stop now."""

    @property
    def elapsed(self) -> float:
        """Seconds since the budget was made, and those used before."""

    @property
    def seconds(self) -> float:
        """The time limit; infinite when there is none."""

    @property
    def threads(self) -> int:
        """How many threads a kernel may use; one where evaluations are limited."""

    @property
    def evaluations(self) -> int:
        """Evaluations so far."""

    @property
    def evaluation_limit(self) -> int:
        """The limit; the largest integer when there is none."""

class FamilyFunction:
    """A score that is computed in Python."""

    def __init__(self, answer: Callable[[int, tuple[int, ...], NDArray[numpy.int64] | None], float], wants_counts: bool, is_equivalent: bool, rounding: float) -> None: ...

class PenalisedGaussian:
    """
    The likelihood of linear regression less so much for each free parameter, and gamma ln C(n - 1, k) for k parents.
    """

    def __init__(self, per_parameter: float, gamma: float = 0.0) -> None: ...

class BayesianGaussian:
    """The Bayesian Gaussian equivalent score."""

    def __init__(self, alpha_mu: float, alpha_w: float) -> None: ...

class LocalScore:
    """A score bound to a table of codes."""

    @overload
    def __init__(self, codes: Annotated[NDArray[numpy.uint8], dict(shape=(None, None), order='F', device='cpu', writable=False)], arities: Sequence[int], weights: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, score: str | FamilyFunction, parameter: float, instructions: str, cache_bytes: int, forced: Sequence[tuple[int, Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)]]] = [], gaps: Sequence[tuple[int, Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)]]] = []) -> None: ...

    @overload
    def __init__(self, codes: Annotated[NDArray[numpy.uint16], dict(shape=(None, None), order='F', device='cpu', writable=False)], arities: Sequence[int], weights: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, score: str | FamilyFunction, parameter: float, instructions: str, cache_bytes: int, forced: Sequence[tuple[int, Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)]]] = [], gaps: Sequence[tuple[int, Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)]]] = []) -> None: ...

    @staticmethod
    def gaussian(gram: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], widths: Sequence[int], log_scales: Sequence[float], n_observations: float, score: PenalisedGaussian | BayesianGaussian, instructions: str, cache_bytes: int) -> LocalScore:
        """
        A score of continuous data: gram is the matrix of products of all columns, of which each variable has some; of columns with mean 0 and standard deviation 1 where the score is penalised, on their own scale and with that of the prior added where it is Bayesian.
        """

    @overload
    @staticmethod
    def conditional_gaussian(codes: Annotated[NDArray[numpy.uint8], dict(shape=(None, None), order='F', device='cpu', writable=False)], arities: Sequence[int], numbers: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='F', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, per_parameter: float, gamma: float, instructions: str, cache_bytes: int, forced: Sequence[tuple[int, Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)]]] = [], gaps: Sequence[tuple[int, Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)]]] = [], for_missing: float = 0.0) -> LocalScore:
        """
        The score of discrete and continuous variables; these have arity 0, and a column of numbers each.
        """

    @overload
    @staticmethod
    def conditional_gaussian(codes: Annotated[NDArray[numpy.uint16], dict(shape=(None, None), order='F', device='cpu', writable=False)], arities: Sequence[int], numbers: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='F', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, per_parameter: float, gamma: float, instructions: str, cache_bytes: int, forced: Sequence[tuple[int, Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)]]] = [], gaps: Sequence[tuple[int, Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)]]] = [], for_missing: float = 0.0) -> LocalScore:
        """The same with wider codes."""

    @overload
    @staticmethod
    def pairwise(codes: Annotated[NDArray[numpy.uint8], dict(shape=(None, None), order='F', device='cpu', writable=False)], arities: Sequence[int], weights: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, per_parameter: float, gamma: float, for_missing: float, instructions: str, cache_bytes: int, forced: Sequence[tuple[int, Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)]]], gaps: Sequence[tuple[int, Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)]]]) -> LocalScore:
        """
        The score of a table with gaps, each family on the rows that have all of it; codes are below the arities also where the value is missing.
        """

    @overload
    @staticmethod
    def pairwise(codes: Annotated[NDArray[numpy.uint16], dict(shape=(None, None), order='F', device='cpu', writable=False)], arities: Sequence[int], weights: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, per_parameter: float, gamma: float, for_missing: float, instructions: str, cache_bytes: int, forced: Sequence[tuple[int, Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)]]], gaps: Sequence[tuple[int, Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)]]]) -> LocalScore:
        """The same with wider codes."""

    def local(self, child: int, parents: Sequence[int], budget: Budget | None = None) -> float:
        """The score of a child with the given parents."""

    def additions(self, child: int, parents: Sequence[int], candidates: Sequence[int] | None = None, budget: Budget | None = None) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]:
        """
        The score with each of the candidates, or of all other variables, as one more parent; NaN where the budget ended before.
        """

    def removals(self, child: int, parents: Sequence[int]) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]:
        """The score without each of the parents."""

    def adjusted(self, penalty_factor: float, per_parent: float, has_uniform_in_degrees: bool, arcs: Sequence[tuple[int, int, float]], cache_bytes: int) -> LocalScore:
        """
        The same score with what needs no data: its penalty so many times, so much for each parent and for single arcs (parent, child, number), and -ln C(n - 1, k) for k parents where that is wanted.
        """

    @property
    def evaluations(self) -> int: ...

    @property
    def cache_hits(self) -> int: ...

    @property
    def rounding(self) -> float: ...

    @property
    def is_equivalent(self) -> bool: ...

    @property
    def is_counted(self) -> bool: ...

    @property
    def has_set_function(self) -> bool: ...

    def seconds_per_addition(self, n_parents: int) -> float:
        """
        Seconds that the score of one more parent takes within a batch, roughly.
        """

    @property
    def bytes(self) -> int: ...

    @property
    def cache_bytes(self) -> int: ...

class CountedScore:
    """A score of counts, for those who count elsewhere."""

    def __init__(self, score: str, parameter: float, n_observations: int, arities: Sequence[int]) -> None: ...

    def terms(self, states: float, configurations: float, n_parents: int, observed: int) -> tuple[NDArray[numpy.int64], NDArray[numpy.int64], float]:
        """
        The terms of families of a shape, of whose parent configurations so many occur: for each count that of a cell and that of a configuration, in whole units; and what is added to the sum of these.
        """

    def scores(self, children: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], starts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], parents: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], counts: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], ends: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]:
        """
        The scores of families from their counts, one family behind the other up to its end: rows of the child's states, for parent configurations in any order.
        """

    @property
    def nats_per_unit(self) -> float: ...

    @property
    def is_equivalent(self) -> bool: ...

    @property
    def needs_observed_configurations(self) -> bool: ...

def score_by_batches(answers: object, n_variables: int, rounding: float, is_equivalent: bool, seconds_per_addition: float, cache_bytes: int, penalties: CountedScore | None = None) -> LocalScore:
    """
    A score whose families an object in Python answers in batches: with scores, additions and improvements (batch_engine.hpp). Penalties are those of the score, where it has some.
    """

def score_with_batches(other: LocalScore, answers: object, seconds_per_batch: float, seconds_per_addition: float, cache_bytes: int, growth_per_parent: float = 2.0) -> LocalScore:
    """
    The same score, of which an object in Python answers the batches that are large enough.
    """

def improvements(score: LocalScore, children: NDArray[numpy.int32], starts: NDArray[numpy.int64], parents: NDArray[numpy.int32], threads: int) -> tuple[NDArray[numpy.float64], NDArray[numpy.float64], NDArray[numpy.int32], NDArray[numpy.int64]]:
    """
    What improves each family of a batch, by more than rounding and best first, as batches are answered.
    """

def sorted_improvements(found: NDArray[numpy.uint8], n_families: int, threads: int = 1) -> tuple[NDArray[numpy.float64], NDArray[numpy.int32], NDArray[numpy.int64]]:
    """
    The improvements of each family of a batch, best first: scores, variables, and where those of each begin. They come in any order, as bytes: a score, the place of the family, and the variable.
    """

def gaussian_parts(score: LocalScore) -> tuple[NDArray[numpy.float64], NDArray[numpy.float64], bool]:
    """
    What a score of continuous data is made of: the matrix of products, what pivots are taken for where they are below, and whether the logarithms of the parents' pivots count.
    """

def gaussian_lines(score: LocalScore, children: NDArray[numpy.int32], n_parents: NDArray[numpy.int64]) -> tuple[NDArray[numpy.float64], NDArray[numpy.float64]]:
    """
    Of each family a constant and a slope: its score is constant - slope * ln(residual) - the sum of the logarithms of its parents' pivots / 2, which is 0 unless they count.
    """

class ShardCounter:
    """Counts of families in a part of a table's rows."""

    def __init__(self, arities: Sequence[int], instructions: str) -> None: ...

    @overload
    def append(self, codes: Annotated[NDArray[numpy.uint8], dict(shape=(None, None), order='F', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None) -> None:
        """Takes some rows in, of which a bit for each state stays."""

    @overload
    def append(self, codes: Annotated[NDArray[numpy.uint16], dict(shape=(None, None), order='F', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None) -> None: ...

    def add_counts(self, children: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], starts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], parents: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], counts: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu')]) -> None:
        """
        Adds how often each cell of each family occurs: all configurations of the parents, the child fastest.
        """

    def add_additions(self, children: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], starts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], parents: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], candidates: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], counts: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu')]) -> None:
        """
        Adds the same for each family with each candidate that is not in it, whose states are slowest.
        """

    def rows(self, block: int, variables: Sequence[int]) -> tuple[Annotated[NDArray[numpy.uint16], dict(shape=(None,))], Annotated[NDArray[numpy.uint32], dict(shape=(None,))] | None]:
        """
        The codes of some variables in a block, one column behind the other, and the weights of its rows.
        """

    def planes(self, block: int) -> tuple[Annotated[NDArray[numpy.uint64], dict(shape=(None,))], Annotated[NDArray[numpy.uint64], dict(shape=(None,))]]:
        """The bits of a block: of its states, and of its weights."""

    @property
    def n_blocks(self) -> int: ...

    @property
    def bytes(self) -> int: ...

class GapPosteriors:
    """The posteriors of the gaps of a table in a network."""

    def counts(self, child: int, parents: Sequence[int], most_cells: int) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]:
        """
        The expected counts of a family, flat: the first parent varies slowest, the child fastest.
        """

    def score(self, score: str, parameter: float, cache_bytes: int) -> LocalScore:
        """The score of expected counts."""

    def draw(self, seed: int) -> Annotated[NDArray[numpy.uint16], dict(shape=(None,))]:
        """All codes, column by column, with the gaps filled by one draw."""

    @property
    def is_complete(self) -> bool: ...

    @property
    def log_likelihood(self) -> float: ...

    def row_log_likelihoods(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]:
        """The logarithm of the probability of what is there in each row."""

    @property
    def most_cells(self) -> int: ...

    @property
    def n_entries(self) -> int: ...

    @property
    def n_drawn_rows(self) -> int: ...

    @property
    def bytes(self) -> int: ...

class GapTable:
    """A table of codes in which a gap has the code one past the last."""

    @overload
    def __init__(self, codes: Annotated[NDArray[numpy.uint8], dict(shape=(None, None), order='F', device='cpu', writable=False)], arities: Sequence[int], weights: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None) -> None: ...

    @overload
    def __init__(self, codes: Annotated[NDArray[numpy.uint16], dict(shape=(None, None), order='F', device='cpu', writable=False)], arities: Sequence[int], weights: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None) -> None: ...

    def posteriors(self, parents: Sequence[Sequence[int]], logarithms: Sequence[Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]], most_cells: int, most_bytes: int, seed: int, budget: Budget) -> GapPosteriors:
        """
        What is known of the gaps in a network: the parents of each variable, and the logarithms of its probabilities, flat, the first parent varying slowest.
        """

    @property
    def n_gaps(self) -> int: ...

class NodeLists:
    """
    Lists of nodes, one for each node, ascending; the arrays are kept and must not change.
    """

    def __init__(self, begin: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], nodes: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None: ...

class ArcRestrictions:
    """What forbids arcs; the arrays must not change."""

    def __init__(self, forbidden: NodeLists, candidates: NodeLists | None, tiers: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], isolated: Annotated[NDArray[numpy.bool_], dict(shape=(None,), order='C', device='cpu', writable=False)], exempt: NodeLists) -> None: ...

class ArcRules:
    """Which arcs a search may use, and which it must."""

    def __init__(self, restrictions: ArcRestrictions, required: NodeLists, max_parents: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], max_degree: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], required_ancestors: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None, forbidden_ancestors: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None) -> None: ...

    @property
    def n_variables(self) -> int: ...

    @property
    def allows_all(self) -> bool:
        """Whether nothing forbids any arc."""

    @property
    def is_symmetric(self) -> bool:
        """Whether every arc is allowed if its reverse is."""

    def allowed_parents(self, child: int) -> NDArray[numpy.int64]:
        """The parents that a child may have, ascending."""

    def are_allowed(self, children: NDArray[numpy.int64], parents: NDArray[numpy.int64]) -> NDArray[numpy.bool_]:
        """Whether each arc is allowed."""

    def is_allowed(self, child: int, parent: int) -> bool: ...

    def is_required(self, child: int, parent: int) -> bool: ...

class HillClimbResult:
    """Where a climb ended, and how it got there."""

    @property
    def parents(self) -> list[list[int]]: ...

    @property
    def score(self) -> float: ...

    @property
    def stopped_by(self) -> StopReason: ...

    @property
    def additions(self) -> int: ...

    @property
    def deletions(self) -> int: ...

    @property
    def reversals(self) -> int: ...

    @property
    def swaps(self) -> int: ...

    @property
    def longer_additions(self) -> int: ...

    @property
    def longer_swaps(self) -> int: ...

    @property
    def longest_chain(self) -> int: ...

    @property
    def reinsertions(self) -> int: ...

class DagMoves(enum.Enum):
    """Which graphs are neighbours."""

    add_delete_reverse = 0

    add_delete_reverse_swap = 1

    break_cycles = 2

def hill_climb(score: LocalScore, rules: ArcRules, moves: DagMoves, start: Sequence[Sequence[int]], seed: int, budget: Budget) -> HillClimbResult:
    """
    Change the graph by a best move, drawn at random where there are several, while that improves the score.
    """

def hill_climb_forbidding(score: LocalScore, rules: ArcRules, moves: DagMoves, two_phases: bool, start: Sequence[Sequence[int]], seed: int, budget: Budget) -> HillClimbResult:
    """
    Climb without joining variables that a step has shown to be better apart; in two phases, then climb freely.
    """

def tabu_search(score: LocalScore, rules: ArcRules, moves: DagMoves, length: int, patience: int, start: Sequence[Sequence[int]], seed: int, budget: Budget) -> HillClimbResult:
    """
    Change the graph by a best move that leads to no recent graph, and return the best one on the way.
    """

def look_ahead(score: LocalScore, rules: ArcRules, steps: int, directions: int, start: Sequence[Sequence[int]], seed: int, budget: Budget) -> HillClimbResult:
    """
    Change the graph by the best sequence of moves in good directions, while that improves the score.
    """

MOST_REINSERTION_CANDIDATES: int = 64

def reinsert(score: LocalScore, rules: ArcRules, set_size: int, candidates: int, start: Sequence[Sequence[int]], seed: int, budget: Budget) -> HillClimbResult:
    """
    Cut nodes off and put them back with the best parents and children, while that improves the score.
    """

class ClassSearchResult:
    """Where a climb over classes ended, and how it got there."""

    @property
    def parents(self) -> list[list[int]]: ...

    @property
    def score(self) -> float: ...

    @property
    def stopped_by(self) -> StopReason: ...

    @property
    def insertions(self) -> int: ...

    @property
    def deletions(self) -> int: ...

    @property
    def reversals(self) -> int: ...

class ClassNeighbour:
    """A class next to another, by one of its graphs."""

    @property
    def parents(self) -> list[list[int]]: ...

    @property
    def gain(self) -> float: ...

def search_classes(score: LocalScore, rules: ArcRules, k: float, reversing: bool, start: Sequence[Sequence[int]], seed: int, budget: Budget) -> ClassSearchResult:
    """
    Move to the best of a random share of the better classes next to this one.
    """

class BoundaryDraws:
    """How a climb draws from the boundaries of classes."""

    def __init__(self, per_step: int, idle: int, reversals: int) -> None: ...

    @property
    def per_step(self) -> int: ...

    @property
    def idle(self) -> int: ...

    @property
    def reversals(self) -> int: ...

def search_classes_by_draws(score: LocalScore, rules: ArcRules, draws: BoundaryDraws, start: Sequence[Sequence[int]], seed: int, budget: Budget) -> ClassSearchResult:
    """
    Move to the best of some drawn classes next to this one if it is better.
    """

def search_classes_by_phases(score: LocalScore, rules: ArcRules, reversing: bool, start: Sequence[Sequence[int]], seed: int, budget: Budget) -> ClassSearchResult:
    """Insert edges while that improves the class, then delete edges."""

def search_classes_deleting_first(score: LocalScore, rules: ArcRules, reversing: bool, extended: bool, start: Sequence[Sequence[int]], seed: int, budget: Budget) -> ClassSearchResult:
    """
    Delete edges before others are reversed or inserted, then try what comes of each deletion.
    """

def neighbours_of_class(score: LocalScore, rules: ArcRules, reversing: bool, graph: Sequence[Sequence[int]], budget: Budget) -> list[ClassNeighbour]:
    """All classes next to that of a graph, each once."""

class Statistic(enum.Enum):
    """What a test of independence adds up."""

    g2 = 0

    chi2 = 1

class TestRules:
    """Which tests of independence are made, and what they show."""

    def __init__(self, statistic: Statistic, log_alpha: float, least_per_cell: float, max_conditions: int, permutations: int, seed: int) -> None: ...

def log_chi2_survival(statistic: float, degrees: float) -> float:
    """The logarithm of the p-value of a χ² statistic."""

def test_independence(score: LocalScore, statistic: Statistic, target: int, given: Sequence[int], candidates: Sequence[int], budget: Budget, permutations: int = 0, seed: int = 0, log_alpha: float = 0.0) -> tuple[NDArray[numpy.float64], NDArray[numpy.float64], NDArray[numpy.float64]]:
    """
    Statistics, degrees of freedom and logarithms of the p-values of the candidates, by permutations where there are some; NaN where the budget ended before.
    """

def weaken_associations(score: LocalScore, rules: TestRules, target: int, always: Sequence[int], sometimes: Sequence[int], candidates: Sequence[int], log_p: Sequence[float], budget: Budget) -> tuple[list[float], bool]:
    """
    The largest log p of each candidate over the sets of other variables with all of `always` and some of `sometimes` as conditions, and whether all tests were made.
    """

class RowEvidence:
    """What is known in some rows: codes, and likelihoods of states."""

    def __init__(self, codes: Annotated[NDArray[numpy.uint8], dict(shape=(None, None), order='F', device='cpu', writable=False)] | Annotated[NDArray[numpy.uint16], dict(shape=(None, None), order='F', device='cpu', writable=False)], likelihoods: Sequence[tuple[int, Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)]]]) -> None: ...

class Inference:
    """Exact answers about a network of tables, for rows of evidence."""

    def __init__(self, arities: Sequence[int], parents: Sequence[Sequence[int]], tables: Sequence[Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]]) -> None: ...

    def cost(self, sets: Sequence[Sequence[int]], known: Sequence[int]) -> tuple[int, float, float]:
        """
        Nodes and cells of the largest clique, and cells of all, where joint posteriors of some sets are asked for and some nodes are known.
        """

    def posteriors(self, evidence: RowEvidence, sets: Sequence[Sequence[int]], max_bytes: int, budget: Budget) -> tuple[list[NDArray[numpy.float64]], NDArray[numpy.float64], tuple[int, float, float] | None]:
        """
        Joint posteriors of each set in each row, one row after the other; the logarithm of the probability of each row's evidence, NaN where the budget ended it; and what would have been needed if that is too much.
        """

    def states(self, evidence: RowEvidence, seed: int | None, max_bytes: int, budget: Budget) -> tuple[NDArray[numpy.uint8] | NDArray[numpy.uint16], NDArray[numpy.float64], tuple[int, float, float] | None]:
        """
        The most probable states of all nodes, or with a seed some that are drawn, column by column; the logarithms of their probability, or of that of the evidence; and what would have been needed.
        """

class Selection(enum.Enum):
    """Which parent set is expanded next."""

    sequential = 0

    greedy = 1

    independence = 2

    balanced = 3

class ParentSearchResult:
    """Candidate parent sets of one variable, best first."""

    def take(self) -> tuple[NDArray[numpy.int64], NDArray[numpy.uint16], NDArray[numpy.float64]]:
        """
        Where each set's members begin and the last one's end, the members, and the scores; leaves nothing behind.
        """

    @property
    def scored(self) -> int: ...

    @property
    def stopped_by(self) -> StopReason: ...

    @property
    def is_complete(self) -> bool: ...

    @property
    def was_cut(self) -> bool: ...

def search_parents(score: LocalScore, child: int, required: Sequence[int], candidates: Sequence[int], selection: Selection, max_parents: int, max_sets: int, max_bytes: int, budget: Budget) -> ParentSearchResult:
    """Search the candidate parent sets of one variable."""

def exhaust_parents(score: LocalScore, required: Sequence[Sequence[int]], candidates: Sequence[Sequence[int]], max_parents: Sequence[int], max_sets: int, budget: Budget) -> list[ParentSearchResult]:
    """All parent sets of all variables, for few variables."""

max_lattice_variables: int = 24

def undominated(set_begin: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], members: Annotated[NDArray[numpy.uint16], dict(shape=(None,), order='C', device='cpu', writable=False)], scores: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.bool_], dict(shape=(None,))]:
    """Which sets of one variable score more than each of their subsets."""

def relaxed_weights(variable_begin: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], set_begin: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], members: Annotated[NDArray[numpy.uint16], dict(shape=(None,), order='C', device='cpu', writable=False)], scores: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]:
    """
    What each variable loses without each parent of its best set; infinite where the others hold no set.
    """

def dfs_order(begin: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], parents: Annotated[NDArray[numpy.uint16], dict(shape=(None,), order='C', device='cpu', writable=False)], seed: int) -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]:
    """Order of a graph that may have cycles, by in-degree and goodness."""

def fas_order(begin: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], parents: Annotated[NDArray[numpy.uint16], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], seed: int) -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]:
    """
    Order of a graph that may have cycles, in which only a light set of feedback arcs leads backward.
    """

class OrderMoves(enum.Enum):
    """Which orders are neighbours, and which of them is chosen."""

    adjacent = 0

    insert_best = 1

    insert_first = 2

    insert_hybrid = 3

class SetTable:
    """The arrays of a ParentSets, ready for order searches."""

    def __init__(self, variable_begin: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], set_begin: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], members: Annotated[NDArray[numpy.uint16], dict(shape=(None,), order='C', device='cpu', writable=False)], scores: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None: ...

    @property
    def n_variables(self) -> int: ...

class OrderClimbResult:
    """Where a climb over orders ended, and how it got there."""

    @property
    def order(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]: ...

    @property
    def parents(self) -> list[list[int]]: ...

    @property
    def score(self) -> float: ...

    @property
    def start_score(self) -> float: ...

    @property
    def is_feasible(self) -> bool: ...

    @property
    def moves(self) -> int: ...

    @property
    def stopped_by(self) -> StopReason: ...

def climb_order(table: SetTable, order: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], moves: OrderMoves, tolerance: float, max_moves: int, tabu: int, seed: int, budget: Budget) -> OrderClimbResult:
    """Move variables while that improves the best graph of the order."""

def select_acyclic(table: SetTable, order: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> OrderClimbResult:
    """The best sets that close no cycle, from the end of the order on."""

def climb_narrow(table: SetTable, order: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], width: int, tolerance: float, max_moves: int, seed: int, budget: Budget) -> OrderClimbResult:
    """
    Move variables while that improves the graph of bounded width that the order gives.
    """

class GrowingLists:
    """Parent sets of all variables, which grow while searches run."""

    def __init__(self, score: LocalScore, rules: ArcRules, budget: Budget) -> None: ...

    @property
    def n_variables(self) -> int: ...

    @property
    def n_sets(self) -> int:
        """Number of sets, all variables together."""

    @property
    def bytes(self) -> int:
        """Memory of the sets."""

    def best_arcs(self) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.uint16], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))]]:
        """
        The best sets: where each begins, their members, and what the variable loses without each of these.
        """

    def copy(self) -> GrowingLists:
        """Lists of their own, with the same sets."""

    def add_family(self, child: int, parents: Sequence[int], score: float) -> None:
        """Take one more set in."""

    def add_found(self, found: GrowthResult) -> None:
        """Take all sets in that a climb has found."""

class GrowthResult:
    """Where a growing climb ended, and what it has found."""

    @property
    def climb(self) -> OrderClimbResult: ...

    @property
    def rounds(self) -> int: ...

    @property
    def kicks(self) -> int: ...

class GrowingClimb:
    """
    Climbs on growing lists one after the other, each at the cost of what it changes.
    """

    def __init__(self, score: LocalScore, rules: ArcRules) -> None: ...

    def run(self, lists: GrowingLists, order: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], tolerance: float, kicks: int, seed: int, budget: Budget) -> GrowthResult:
        """
        Move variables and look for better parent sets of them in turn, while that improves the graph.
        """

class RegrowingClimb:
    """Climbs over orders whose parents are grown anew by each move."""

    def __init__(self, score: LocalScore, rules: ArcRules) -> None: ...

    def run(self, order: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], tolerance: float, seed: int, budget: Budget) -> OrderClimbResult:
        """Move variables to their best places, while that improves the graph."""

    def inserted(self, sequence: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], tolerance: float, budget: Budget) -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]:
        """
        The order that comes of taking in the variables of a sequence one after the other at their best places.
        """

class BestOrder:
    """An order whose best graph no other order exceeds."""

    @property
    def order(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]: ...

    @property
    def score(self) -> float: ...

    @property
    def stopped_by(self) -> StopReason: ...

max_subset_variables: int = 32

def best_order(table: SetTable, workers: int, budget: Budget) -> BestOrder:
    """
    The best order of few variables; none where no order gives every variable a set.
    """

def best_order_bytes(table: SetTable, workers: int) -> int:
    """The memory that best_order needs."""

def priced_scores(table: SetTable, clusters: Sequence[tuple[Sequence[int], int]], prices: NDArray[numpy.float64], workers: int) -> NDArray[numpy.float64]:
    """Scores of all sets with the prices of the rows that they keep."""

def kept_rows(table: SetTable, clusters: Sequence[tuple[Sequence[int], int]], sets: NDArray[numpy.int64]) -> tuple[NDArray[numpy.int64], NDArray[numpy.int64]]:
    """
    Which of some sets keep each row: where each row begins, and the places of its sets.
    """

def short_cycles(weights: NDArray[numpy.float64], most: float) -> list[list[int]]:
    """
    For each node a cycle through it whose arcs lack less than `most` of their weight in all, if there is one.
    """

class EnumerationResult:
    """
    The parent sets of one variable above a threshold, and what bounds the others.
    """

    @property
    def found(self) -> ParentSearchResult: ...

    @property
    def rest(self) -> float: ...

    @property
    def deeper(self) -> float: ...

def enumerate_parents(score: LocalScore, child: int, required: Sequence[int], candidates: Sequence[int], clusters: Sequence[tuple[Sequence[int], int]], prices: NDArray[numpy.float64], max_parents: int, allowed_parents: int, threshold: float, max_sets: int, budget: Budget) -> EnumerationResult:
    """
    All parent sets of one variable whose score, with the prices of the rows they keep, is above a threshold.
    """

def raise_prices(table: SetTable, seed: int, budget: Budget) -> tuple[list[list[int]], NDArray[numpy.float64]]:
    """
    Clusters with prices that bring the bound down, found without a linear program.
    """

class ScoredGraph:
    """The parents of each variable, and the score."""

    @property
    def parents(self) -> list[list[int]]: ...

    @property
    def score(self) -> float: ...

class BestClasses:
    """The best graphs of different equivalence classes, best first."""

    @property
    def graphs(self) -> list[ScoredGraph]: ...

    @property
    def stopped_by(self) -> StopReason: ...

max_class_variables: int = 16

def best_classes(table: SetTable, k: int, workers: int, budget: Budget) -> BestClasses:
    """The k best equivalence classes of few variables."""

def best_classes_bytes(table: SetTable, k: int) -> float:
    """The memory that best_classes needs at most."""

class CredibleClasses:
    """All classes that are good enough, if there are not too many."""

    @property
    def graphs(self) -> list[ScoredGraph]: ...

    @property
    def n_sets(self) -> int: ...

    @property
    def is_complete(self) -> bool: ...

    @property
    def stopped_by(self) -> StopReason: ...

def credible_classes(score: LocalScore, required: Sequence[Sequence[int]], candidates: Sequence[Sequence[int]], max_parents: Sequence[int], within: float, most: int, workers: int, budget: Budget) -> CredibleClasses:
    """The classes that score at most so much less than the best."""

def credible_classes_bytes(n_variables: int, most: int) -> float:
    """What that allocates, at most."""

class GraphPrior(enum.Enum):
    """How often each graph counts."""

    graphs = 0

    orders = 1

class ExactPosterior:
    """Probabilities of arcs and ancestors, row by row."""

    @property
    def log_evidence(self) -> float: ...

    @property
    def arcs(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]: ...

    @property
    def ancestors(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]: ...

    @property
    def rounding(self) -> float: ...

    @property
    def stopped_by(self) -> StopReason: ...

def exact_posterior(score: LocalScore, required: Sequence[Sequence[int]], candidates: Sequence[Sequence[int]], max_parents: Sequence[int], prior: GraphPrior, workers: int, budget: Budget) -> ExactPosterior:
    """Sum over all graphs of few variables."""

class CandidateSums:
    """Sums over the sets of candidate parents of each variable."""

    def run_chain(self, start: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], seed: int, sweeps: int, draws: int, first_power: float, budget: Budget) -> ChainPart:
        """Draw graphs from the posterior, from a graph on."""

    def random_start(self, seed: int) -> Annotated[NDArray[numpy.uint32], dict(shape=(None,))]:
        """A graph along a random order; empty if there is none."""

    def relations(self, draws: numpy.ndarray) -> tuple[NDArray[numpy.uint32], NDArray[numpy.uint32]]:
        """
        How many graphs have each pair as ancestor and descendant, and in a Markov blanket; row by row.
        """

class ChainPart:
    """What a chain has seen in some sweeps."""

    @property
    def arcs(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]: ...

    @property
    def draws(self) -> Annotated[NDArray[numpy.uint32], dict(shape=(None,))]: ...

    @property
    def last(self) -> Annotated[NDArray[numpy.uint32], dict(shape=(None,))]: ...

    @property
    def sweeps(self) -> int: ...

    @property
    def score(self) -> float: ...

    @property
    def stopped_by(self) -> StopReason: ...

def candidate_sums(score: LocalScore, required: Sequence[Sequence[int]], candidates: Sequence[Sequence[int]], max_parents: Sequence[int], workers: int, budget: Budget) -> CandidateSums | None:
    """Sum over the sets of candidate parents; None when the budget ends it."""

def candidate_sums_bytes(n_candidates: int) -> float:
    """What those of one variable take."""

max_candidates: int = 20

def exact_posterior_bytes(n_variables: int) -> float:
    """What that allocates, at most."""

class TextTable:
    """Columns of text with separators; each can be taken out of it once."""

    def __init__(self, text: bytes, separator: str, has_names: bool, n_fields: int, most_texts: int, missing: Sequence[str]) -> None: ...

    @property
    def n_rows(self) -> int: ...

    @property
    def n_fields(self) -> int: ...

    @property
    def names(self) -> list[str]:
        """The first record, where it is not a row."""

    @property
    def fault(self) -> tuple[str, int, int, int] | None:
        """
        Why it is not a table, where in the text, and how many fields there are.
        """

    def texts(self, column: int) -> list[str]:
        """The different texts of a column, in the order in which they come."""

    def codes(self, column: int) -> NDArray[numpy.uint8] | NDArray[numpy.uint32] | None:
        """
        Of each row 1 and the place of its text, 0 for a gap; None where numbers are kept row by row.
        """

    def numbers(self, column: int) -> NDArray[numpy.int64] | NDArray[numpy.float64] | None:
        """
        Numbers of the texts behind one for gaps, or of the rows; None where not all are numbers.
        """

    def gaps(self, column: int) -> NDArray[numpy.bool_] | None:
        """Where a column whose numbers are kept row by row has gaps."""

def numbers_in(texts: Sequence[str]) -> NDArray[numpy.int64] | NDArray[numpy.float64] | None:
    """
    Numbers that all of some texts are, whole ones if all are; None if one is not a number.
    """

class TreeSearch:
    """Trees of the largest score, on a table and its replicas."""

    def __init__(self, score: LocalScore, kind: str, parameter: float, max_bytes: int) -> None: ...

    def best(self, weights: NDArray[numpy.uint32] | None, budget: Budget) -> tuple[NDArray[numpy.int32], NDArray[numpy.float64], bool]:
        """
        The best forest with the rows weighted: the parent of each variable or -1, what its arc gains, and whether all pairs were looked at.
        """

    def near(self, weights: NDArray[numpy.uint32] | None, parents: NDArray[numpy.int32], n_drawn: int, seed: int, budget: Budget) -> tuple[NDArray[numpy.int32], NDArray[numpy.float64], bool]:
        """
        The best forest of some pairs: the arcs of another forest, and so many drawn at random.
        """

    def among(self, weights: NDArray[numpy.uint32] | None, pairs: NDArray[numpy.uint32], budget: Budget) -> tuple[NDArray[numpy.int32], NDArray[numpy.float64], bool]:
        """The best forest of some pairs."""

    def within(self, rules: ArcRules, budget: Budget) -> tuple[NDArray[numpy.int32], NDArray[numpy.float64], bool]:
        """
        The best forest that the rules allow, where they do not tell the directions of an arc apart.
        """

    def counts(self, pairs: NDArray[numpy.uint32]) -> NDArray[numpy.uint32]:
        """
        How often the states of the pairs occur together, one table behind the other.
        """

def tree_log_likelihoods(codes: NDArray[numpy.uint16], arities: Sequence[int], parents: NDArray[numpy.int32], tables: NDArray[numpy.int64], log_probabilities: NDArray[numpy.float64], log_weights: NDArray[numpy.float64]) -> NDArray[numpy.float64]:
    """The logarithm of the probability of each row under a mixture of trees."""

def instructions(wanted: str = 'auto') -> str:
    """
    The instructions of a name, avx512, avx2 or plain; by default the widest that this machine has. Refuses those that it does not have.
    """

def and_popcount_rate(n_rows: int, n_masks: int, n_planes: int, seconds: float) -> float:
    """
    Words per second of AND + popcount in a bare loop: what counting by bit planes is measured against.
    """

def multiply_subtract_rate(seconds: float, instructions: str = 'auto') -> float:
    """
    Multiplications and subtractions per second in a bare loop: what scores of continuous data are measured against.
    """

def addition_rate(score: LocalScore, child: int, parents: Sequence[int], seconds: float) -> float:
    """Scores per second of all additions to a family, without the cache."""

def count_additions(score: LocalScore, child: int, parents: Sequence[int]) -> int:
    """
    Count all additions without scoring them, and return the number of cells: what scoring them is measured against.
    """
