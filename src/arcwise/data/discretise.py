"""Continuous columns become states, each by itself or several together, by what they say about each other."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from arcwise.data.codes import MAX_ARITY
from arcwise.data.hartemink import kept_levels
from arcwise.data.mdlp import mdlp_cuts
from arcwise.data.mixture import Points, adaptive_cuts
from arcwise.support.arguments import real_numbers
from arcwise.support.errors import DataError, ParameterError
from arcwise.support.messages import InPython, Shown
from arcwise.support.names import one_of
from arcwise.support.quoting import quoted


@runtime_checkable
class Discretiser(Protocol):
    """Anything that finds cut points; `Quantile`, `EqualWidth`, `Cuts` and `Adaptive` do."""

    @property
    def least_states(self) -> int:
        """Number of states that ought to come out; fewer give a warning."""

    def cuts(self, values: npt.ArrayLike, counts: npt.ArrayLike | None = None) -> tuple[float, ...]:
        """Increasing cut points for the values; `counts` says how often each was seen."""


@dataclass(frozen=True)
class Quantile:
    """States that hold about equally many observations.

    Equal values always share a state, so that ties can make the states uneven, or fewer.

    Parameters
    ----------
    n_states
        Number of states.

    Examples
    --------
    >>> Quantile(3).cuts([1.5, 2.5, 3.5, 4.5, 5.5, 6.5])
    (2.5, 4.5)
    """

    n_states: int = 3

    def __post_init__(self) -> None:
        _check_n_states("Quantile", "n_states", self.n_states)

    @property
    def least_states(self) -> int:
        """The number of states asked for."""
        return self.n_states

    def cuts(self, values: npt.ArrayLike, counts: npt.ArrayLike | None = None) -> tuple[float, ...]:
        """Values up to which the share of the observations is nearest to 1/n, 2/n, …; of two, the larger value."""
        points, times = _points(values, counts)
        if points.size == 1:
            return ()
        # Shares in whole numbers (times n, times the number of observations), so that ties are ties.
        seen = np.cumsum(times)[:-1] * self.n_states
        wanted = np.arange(1, self.n_states) * int(times.sum())
        above = np.minimum(np.searchsorted(seen, wanted), seen.size - 1)
        below = np.maximum(above - 1, 0)
        nearest = np.where(np.abs(seen[above] - wanted) <= np.abs(wanted - seen[below]), above, below)
        return _increasing(points[nearest], points)


@dataclass(frozen=True)
class EqualWidth:
    """States that are intervals of the same width between the smallest and the largest value.

    A state between two others may stay empty; it counts all the same.

    Parameters
    ----------
    n_states
        Number of states.

    Examples
    --------
    >>> EqualWidth(4).cuts([0.0, 0.1, 8.0])
    (2.0, 4.0, 6.0)
    """

    n_states: int = 3

    def __post_init__(self) -> None:
        _check_n_states("EqualWidth", "n_states", self.n_states)

    @property
    def least_states(self) -> int:
        """The number of states asked for."""
        return self.n_states

    def cuts(self, values: npt.ArrayLike, counts: npt.ArrayLike | None = None) -> tuple[float, ...]:
        """Points that divide the range of the values into equal parts."""
        points, _ = _points(values, counts)
        share = np.arange(1, self.n_states) / self.n_states
        return _increasing(points[0] * (1 - share) + points[-1] * share, points)


@dataclass(frozen=True)
class Cuts:
    """States between given cut points; a value equal to a cut belongs to the state below it.

    Parameters
    ----------
    points
        Increasing finite numbers; k of them make k + 1 states.

    Examples
    --------
    >>> Cuts((18, 65)).cuts([3.5, 40.0])
    (18.0, 65.0)
    """

    points: tuple[float, ...]

    def __post_init__(self) -> None:
        try:
            points = tuple(float(point) for point in self.points)
        except (TypeError, ValueError):
            raise ParameterError.of("points", "a sequence of numbers", self.points, owner="Cuts") from None
        if not points or not np.isfinite(points).all() or any(b <= a for a, b in pairwise(points)):
            raise ParameterError.of("points", "finite and increasing, at least one", self.points, owner="Cuts")
        if len(points) >= MAX_ARITY:
            raise ParameterError.of("points", f"at most {MAX_ARITY - 1:,}", Shown(f"{len(points):,}"), owner="Cuts")
        object.__setattr__(self, "points", points)

    @property
    def least_states(self) -> int:
        """One more than there are cut points."""
        return len(self.points) + 1

    def cuts(self, values: npt.ArrayLike, counts: npt.ArrayLike | None = None) -> tuple[float, ...]:
        """Given cut points, whatever the values."""
        return self.points


@dataclass(frozen=True)
class Adaptive:
    """As many states as the data shows groups, within limits.

    For every allowed number of states a one-dimensional Gaussian mixture is fitted (expectation maximisation, started
    from the optimal k-means clustering); BIC chooses among those in which every component has an interval of its own.
    The cuts are where neighbouring components are equally probable. When no mixture qualifies (one single hump, for
    instance), the cuts are those of k-means with `min_states`.

    Parameters
    ----------
    min_states
        Fewest states.
    max_states
        Most states.

    Notes
    -----
    Vandel, Mangin and de Givry (2012), *New local move operators for learning the structure of Bayesian networks*,
    section 4.3, discretise gene expression into 2 to 4 states with k-means and Gaussian mixtures; the details here
    (exact k-means, BIC, the rule that components own intervals) are choices of this package.

    Examples
    --------
    >>> [round(cut, 3) for cut in Adaptive().cuts([0.0, 0.1, 0.2, 5.0, 5.1, 5.2])]
    [2.6]
    """

    min_states: int = 2
    max_states: int = 4

    def __post_init__(self) -> None:
        _check_n_states("Adaptive", "min_states", self.min_states)
        _check_n_states("Adaptive", "max_states", self.max_states)
        if self.min_states > self.max_states:
            raise ParameterError.of(
                "min_states", f"at most max_states ({self.max_states})", self.min_states, owner="Adaptive"
            )

    @property
    def least_states(self) -> int:
        """The lower limit."""
        return self.min_states

    def cuts(self, values: npt.ArrayLike, counts: npt.ArrayLike | None = None) -> tuple[float, ...]:
        """Points between the groups that the values form."""
        points, times = _points(values, counts)
        return _increasing(adaptive_cuts(points, times, self.min_states, self.max_states), points)


@dataclass(frozen=True, eq=False)
class ColumnsToCut:
    """Columns that are cut together, and what else there is to go by.

    Parameters
    ----------
    numbers
        For each column that is cut its numbers, NaN where one is missing.
    states
        For each column with states the codes of these, -1 where one is missing.
    weights
        How often each row was seen.
    last
        The last column of the table.
    """

    numbers: Mapping[str, npt.NDArray[np.float64]]
    states: Mapping[str, npt.NDArray[np.integer]]
    weights: npt.NDArray[np.generic]
    last: str


class JointDiscretiser:
    """What cuts a column by what others say: `Mdlp` and `Hartemink`."""

    @property
    def least_states(self) -> int:
        """One: a column that says nothing is not cut."""
        return 1

    def cuts(self, values: npt.ArrayLike, counts: npt.ArrayLike | None = None) -> tuple[float, ...]:
        """Refuse to cut one column by itself."""
        raise ParameterError(
            f"{self} cuts columns by what others say, and needs them all in memory; take quantile, width or adaptive"
        )

    def cuts_of(self, columns: ColumnsToCut) -> dict[str, tuple[float, ...]]:
        """Increasing cut points of each column."""
        raise NotImplementedError


@dataclass(frozen=True)
class Mdlp(JointDiscretiser):
    """States that tell those of a target apart, as many as that is worth.

    Fayyad & Irani (1993, IJCAI, "Multi-interval discretization of continuous-valued attributes for classification
    learning"): a column is cut where the entropy of the target within the parts is least, and these again, as long as
    the description of the target's states by the cuts is shorter than without. A column that says nothing about the
    target has one state.

    Parameters
    ----------
    target
        A column with states; the last one when None.

    Examples
    --------
    >>> from arcwise import Dataset
    >>> rows = {"dose": [0.1, 0.2, 0.3, 0.4, 2.5, 2.6, 2.7, 2.8], "cured": ["no"] * 4 + ["yes"] * 4}
    >>> Dataset.of(rows, discretise="mdlp").states[0]
    ('<=1.45', '>1.45')
    """

    target: str | None = None

    def cuts_of(self, columns: ColumnsToCut) -> dict[str, tuple[float, ...]]:
        """Cut points of each column, on the rows that have its number and the target's state."""
        target = columns.last if self.target is None else self.target
        if target not in columns.states:
            raise ParameterError.of(
                "target", "a column with states", target, "numbers that are cut cannot say where", owner="Mdlp"
            )
        classes, found = columns.states[target], {}
        for name, numbers in columns.numbers.items():
            known = (classes >= 0) & np.isfinite(numbers)
            found[name] = mdlp_cuts(numbers[known], classes[known], columns.weights[known])
        return found


@dataclass(frozen=True)
class Hartemink(JointDiscretiser):
    """States of all columns together, which keep as much as they can of what these say about each other.

    Hartemink (2001, PhD thesis, MIT, "Principled computational methods for the validation and discovery of genetic
    regulatory networks"): each column is first cut into many states of about equally many rows; then the columns take
    turns, and each joins the two neighbouring states by which the sum of its mutual informations with all others loses
    least. Columns that have states already count among the others. Rows with missing values are not looked at.

    Parameters
    ----------
    n_states
        Number of states that are left of each column.
    initial
        Number of states that each column is cut into first.

    Examples
    --------
    What ``Dataset.of(table, discretise=Hartemink(2))`` does with a table of two columns:

    >>> rng = np.random.default_rng(1)
    >>> x = rng.uniform(0, 10, 500)
    >>> y = np.where(x > 7, 5.5, 1.5) + rng.normal(size=500)
    >>> cuts = Hartemink(2).cuts_of(ColumnsToCut({"x": x, "y": y}, {}, np.ones(500), "y"))
    >>> [round(own[0], 1) for own in cuts.values()]
    [7.1, 4.1]
    """

    n_states: int = 3
    initial: int = 60

    def __post_init__(self) -> None:
        _check_n_states("Hartemink", "n_states", self.n_states)
        _check_n_states("Hartemink", "initial", self.initial)
        if self.initial < self.n_states:
            raise ParameterError.of("initial", f"at least n_states ({self.n_states})", self.initial, owner="Hartemink")

    def cuts_of(self, columns: ColumnsToCut) -> dict[str, tuple[float, ...]]:
        """Cut points of each column, on the rows that have all values."""
        whole = np.logical_and.reduce(
            [
                *(np.isfinite(numbers) for numbers in columns.numbers.values()),
                *(c >= 0 for c in columns.states.values()),
            ]
        )
        if not whole.any():
            raise DataError("Every row has a missing value, so that columns cannot be cut jointly; fill values in.")
        weights = columns.weights[whole]
        steps = {
            name: Discretisation(name, self, Quantile(self.initial).cuts(numbers[whole], weights))
            for name, numbers in columns.numbers.items()
        }
        levels = {name: step.apply(columns.numbers[name][whole]) for name, step in steps.items()}
        others = [codes[whole] for codes in columns.states.values()]
        kept = kept_levels(levels, others, weights, self.n_states)
        return {name: tuple(steps[name].cuts[end] for end in ends[:-1]) for name, ends in kept.items()}


Method = Discretiser | str
_SHORTHANDS: Mapping[str, Callable[[], Discretiser]] = {
    "quantile": Quantile,
    "width": EqualWidth,
    "adaptive": Adaptive,
    "mdlp": Mdlp,
    "hartemink": Hartemink,
}


def discretiser(method: Method) -> Discretiser:
    """Discretiser that a name or an object stands for.

    Raises
    ------
    ParameterError
        If it is neither a known name nor a discretiser.

    Examples
    --------
    >>> discretiser("quantile")
    Quantile(n_states=3)
    """
    if isinstance(method, Discretiser) and not isinstance(method, type):
        return method
    kinds = "Quantile(k), EqualWidth(k), Cuts((…,)), Adaptive(), Mdlp(…), Hartemink(k)"
    objects = f"{kinds}, for all continuous columns or in a dict by column"
    return _SHORTHANDS[one_of("discretise", method, _SHORTHANDS, other=objects)]()


@dataclass(frozen=True)
class Discretisation:
    """A recorded step: how one column was cut, ready to be applied to new values.

    Parameters
    ----------
    column
        The column.
    method
        What chose the cuts.
    cuts
        The cut points; state i holds the values above cut i - 1 and not above cut i.

    Examples
    --------
    >>> step = Discretisation("age", Cuts((18, 65)), (18.0, 65.0))
    >>> step.labels
    ('<=18', '18..65', '>65')
    >>> step.apply([18, 18.1, 70]).tolist()
    [0, 1, 2]
    """

    column: str
    method: Discretiser
    cuts: tuple[float, ...]

    def __str__(self) -> str:
        return f"{self.column}: numbers cut into {', '.join(self.labels)} by {self.method}"

    @property
    def labels(self) -> tuple[str, ...]:
        """State labels that show the intervals, with as many digits as it takes to tell the cuts apart."""
        if not self.cuts:
            return ("all",)
        for digits in range(6, 18):
            texts = [f"{cut + 0.0:.{digits}g}" for cut in self.cuts]
            if len(set(texts)) == len(texts):
                break
        return (f"<={texts[0]}", *(f"{a}..{b}" for a, b in pairwise(texts)), f">{texts[-1]}")

    def apply(self, values: npt.ArrayLike) -> npt.NDArray[np.intp]:
        """Codes of the values under these cuts.

        Raises
        ------
        DataError
            If a value is missing or not a number.
        """
        numbers = _numbers(values)
        if np.isnan(numbers).any():
            raise DataError(
                f"Column {quoted(self.column)}: value {int(np.argmax(np.isnan(numbers)))} is missing (NaN)."
            )
        return np.searchsorted(np.array(self.cuts), numbers, side="left")


def _check_n_states(method: str, parameter: str, n_states: int) -> None:
    if isinstance(n_states, bool) or not isinstance(n_states, int) or not 2 <= n_states <= MAX_ARITY:
        raise ParameterError.of(parameter, f"a whole number from 2 to {MAX_ARITY:,}", n_states, owner=method)


def _numbers(values: npt.ArrayLike) -> npt.NDArray[np.float64]:
    try:
        numbers = real_numbers(values)
    except TypeError:
        raise DataError("Only numbers can be discretised; got values that are not.") from None
    if numbers.ndim != 1:
        raise DataError(f"Values to discretise must be one column; got an array of {numbers.ndim} dimensions.")
    return numbers


def _points(values: npt.ArrayLike, counts: npt.ArrayLike | None) -> Points:
    """Distinct values in increasing order, with how often each was seen."""
    numbers = _numbers(values)
    times = np.ones(numbers.size, dtype=np.int64) if counts is None else np.asarray(counts, dtype=np.int64)
    if counts is not None:
        numbers, times = numbers[times > 0], times[times > 0]
    if not numbers.size:
        raise DataError("There are no values to choose cut points from.")
    if not np.isfinite(numbers).all():
        wrong = numbers[~np.isfinite(numbers)]
        raise DataError(
            f"Cut points cannot be chosen from {wrong[0]} ({wrong.size} values are missing or infinite); "
            "replace such values",
            InPython(", or give the cut points with Cuts((…,))"),
            ".",
        )
    if counts is None:
        points, seen = np.unique(numbers, return_counts=True)
        return points, seen.astype(np.int64)
    points, place = np.unique(numbers, return_inverse=True)
    return points, np.bincount(place, weights=times).astype(np.int64)


def _increasing(cuts: npt.ArrayLike, points: npt.NDArray[np.float64]) -> tuple[float, ...]:
    """Distinct cuts that leave something on both sides."""
    distinct = np.unique(np.asarray(cuts, dtype=np.float64))
    inside = distinct[(distinct >= points[0]) & (distinct < points[-1])]
    return tuple(inside.tolist())
