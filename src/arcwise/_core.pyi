"""The compiled kernels of arcwise."""

from collections.abc import Sequence
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

class Budget:
    """
    One deadline, evaluation limit and interrupt flag; the clock starts at once.
    """

    def __init__(self, seconds: float = float('inf'), evaluations: int = 18446744073709551615, whole: Budget | None = None) -> None: ...

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
        """Seconds since the budget was made."""

    @property
    def seconds(self) -> float:
        """The time limit; infinite when there is none."""

    @property
    def evaluations(self) -> int:
        """Evaluations so far."""

    @property
    def evaluation_limit(self) -> int:
        """The limit; the largest integer when there is none."""

class LocalScore:
    """A score bound to a table of codes."""

    @overload
    def __init__(self, codes: Annotated[NDArray[numpy.uint8], dict(shape=(None, None), order='F', device='cpu', writable=False)], arities: Sequence[int], weights: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, score: str, ess: float, instructions: str, cache_bytes: int) -> None: ...

    @overload
    def __init__(self, codes: Annotated[NDArray[numpy.uint16], dict(shape=(None, None), order='F', device='cpu', writable=False)], arities: Sequence[int], weights: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, score: str, ess: float, instructions: str, cache_bytes: int) -> None: ...

    def local(self, child: int, parents: Sequence[int]) -> float:
        """The score of a child with the given parents."""

    def additions(self, child: int, parents: Sequence[int], candidates: Sequence[int] | None = None) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]:
        """
        The score with each of the candidates, or of all other variables, as one more parent.
        """

    def removals(self, child: int, parents: Sequence[int]) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]:
        """The score without each of the parents."""

    @property
    def evaluations(self) -> int: ...

    @property
    def cache_hits(self) -> int: ...

    @property
    def rounding(self) -> float: ...

    @property
    def cache_bytes(self) -> int: ...

class Improvement:
    """A point of a search's trace."""

    @property
    def seconds(self) -> float: ...

    @property
    def evaluations(self) -> int: ...

    @property
    def score(self) -> float: ...

class HillClimbResult:
    """Where a climb ended, and how it got there."""

    @property
    def parents(self) -> list[list[int]]: ...

    @property
    def score(self) -> float: ...

    @property
    def stopped_by(self) -> StopReason: ...

    @property
    def trace(self) -> list[Improvement]: ...

    @property
    def additions(self) -> int: ...

    @property
    def deletions(self) -> int: ...

    @property
    def reversals(self) -> int: ...

def hill_climb(score: LocalScore, allowed: Annotated[NDArray[numpy.bool_], dict(shape=(None, None), order='C', device='cpu', writable=False)], required: Annotated[NDArray[numpy.bool_], dict(shape=(None, None), order='C', device='cpu', writable=False)], max_parents: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], start: Sequence[Sequence[int]], seed: int, budget: Budget) -> HillClimbResult:
    """
    Add, delete or reverse one arc at a time, always the best, while that improves the score.
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

max_lattice_configurations: float = 4.611686018427388e+18

def undominated(set_begin: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], members: Annotated[NDArray[numpy.uint16], dict(shape=(None,), order='C', device='cpu', writable=False)], scores: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.bool_], dict(shape=(None,))]:
    """Which sets of one variable score more than each of their subsets."""

def instructions() -> str:
    """The widest instructions this machine has: avx512, avx2 or plain."""

def and_popcount_rate(n_rows: int, n_masks: int, n_planes: int, seconds: float) -> float:
    """
    Words per second of AND + popcount in a bare loop: what counting by bit planes is measured against.
    """
