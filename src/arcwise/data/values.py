"""One column's values become states and codes, or stay numbers, by the type of the column and what is said about it."""

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NoReturn

import numpy as np
import numpy.typing as npt

from arcwise.data.codes import Weights, checked_states, place
from arcwise.data.column import Column, leaving_out
from arcwise.data.columns import Coding, Unknown
from arcwise.data.discretise import Cuts, Discretisation, Discretiser
from arcwise.data.steps import OTHER_LABEL, GroupedStates
from arcwise.support.errors import ArcwiseWarning, DataError
from arcwise.support.messages import InPython, Name, Setting, Text
from arcwise.support.quoting import listed, quoted

__all__ = [
    "CodeArray",
    "Labels",
    "Numbers",
    "Values",
    "coded_values",
    "is_continuous",
    "labels_of_values",
    "needs_cuts",
    "numbers_of_values",
    "numbers_to_cut",
]

Labels = tuple[str, ...]
CodeArray = npt.NDArray[np.integer]
Numbers = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Values:
    """The values of one column, none of them missing.

    Parameters
    ----------
    name
        The column's name.
    column
        The values.
    rows
        Which row of the user's data each stands in; None when they are all there.
    weights
        How often each was seen; None for once.
    """

    name: str
    column: Column
    rows: npt.NDArray[np.intp] | None = None
    weights: Weights | None = None

    def plain(self) -> "Values":
        """Equal values, if they are booleans, numbers, strings or categories.

        Raises
        ------
        DataError
            Otherwise.
        """
        return replace(self, column=self.column.used())

    def __len__(self) -> int:
        return len(self.column)

    @property
    def is_numeric(self) -> bool:
        """Whether the values are numbers, which can be discretised, or stay as they are."""
        return self.column.is_numeric

    @cached_property
    def distinct(self) -> npt.NDArray[Any] | tuple[Any, ...]:
        """States as values: the declared categories as they stand, or else the observed values sorted."""
        return self.column.distinct()

    def codes(self) -> CodeArray:
        """Place of each value among the distinct ones."""
        return self.column.codes(self.distinct)

    @cached_property
    def is_fractional(self) -> bool:
        """Whether the values are floats that are not all whole numbers."""
        if not self.column.is_float:
            return False
        numbers = self.column.values
        return bool((~np.isfinite(numbers)).any() or (numbers != np.floor(numbers)).any())

    def place(self, at: int) -> str:
        """Words for where a value stands in the user's data."""
        return place(self.name, at if self.rows is None else int(self.rows[at]))


def coded_values(values: Values, coding: Coding) -> tuple[Labels, CodeArray, Discretisation | GroupedStates | None]:
    """Labels, a code for each value, and the discretisation or the grouping when there was one.

    Raises
    ------
    DataError
        If the values are continuous, too many, of a type that has no states, or not among given states.
    """
    step = coding.recorded(values.name)
    method = coding.method(values.name)
    if step is None and method is not None:
        step = _fitted(values, method)
    if step is not None:
        return step.labels, step.apply(numbers_to_cut(values)), step

    grouping = coding.grouping(values.name)
    if grouping is not None:
        return *_grouped_like(values, grouping), grouping
    given = coding.states.get(values.name)
    if given is not None:
        return *_matched(values, checked_states(values.name, given), coding.unknown), None
    least = coding.least_count(values.name)
    if needs_cuts(values, coding):
        if not values.is_numeric and least is not None:
            return _grouped(values, least, coding.max_states)
        if coding.general_method is None or not values.is_numeric:
            _refuse(values, coding)
        step = _fitted(values, coding.general_method)
        return step.labels, step.apply(numbers_to_cut(values)), step
    if least is not None:
        return _grouped(values, least, coding.max_states)
    return labels_of_values(values.distinct), values.codes(), None


def _grouped(values: Values, least: int, most: int) -> tuple[Labels, CodeArray, GroupedStates | None]:
    """Labels and codes in which states that are seen less than `least` times, or beyond `most` states, are one."""
    labels, codes = labels_of_values(values.distinct), values.codes()
    seen = np.bincount(codes, weights=values.weights, minlength=len(labels))
    order = np.argsort(-seen, kind="stable")
    room = most if len(labels) <= most else most - 1  # of more than there may be, one is the group
    kept = np.zeros(len(labels), dtype=np.bool_)
    kept[[code for code in order[:room].tolist() if seen[code] >= least]] = True
    if (~kept).sum() < 2:  # a single one is better known by its name
        return labels, codes, None
    step = GroupedStates(
        values.name,
        tuple(label for label, stays in zip(labels, kept.tolist(), strict=True) if stays),
        int((~kept).sum()),
    )
    return *_grouped_like(values, step), step


def _grouped_like(values: Values, step: GroupedStates) -> tuple[Labels, CodeArray]:
    """Labels of a grouping, and the values' codes among them; whatever was not kept is in the group."""
    place_of = {label: code for code, label in enumerate(step.labels)}
    others = place_of[OTHER_LABEL]
    codes = np.array([place_of.get(label, others) for label in labels_of_values(values.distinct)], dtype=np.int64)
    return step.labels, codes[values.codes()]


def is_continuous(values: Values, coding: Coding) -> bool:
    """Whether the values stay numbers.

    They do where that is said of the column by name. Else they do if they are numbers about which nothing else is said,
    and either all numbers are to stay such, or these are fractional or have too many different values for states.

    Raises
    ------
    DataError
        If they must be numbers, but are not.
    """
    name = values.name
    if coding.must_be_numbers(name):
        if not values.is_numeric:
            _refuse_other_than_numbers(values, coding)
        return True
    if not values.is_numeric or not coding.may_be_numbers(name):
        return False
    return coding.continuous is True or (coding.general_method is None and needs_cuts(values, coding))


def numbers_of_values(values: Values) -> Numbers:
    """Values of a continuous column.

    Raises
    ------
    DataError
        If one is infinite.
    """
    numbers = numbers_to_cut(values)
    if not np.isfinite(numbers).all():
        raise DataError(
            f"{values.place(int(np.argmin(np.isfinite(numbers))))}: the value is infinite, and a continuous column "
            "takes finite numbers only; replace it, or leave the row out",
            InPython(f", or cut the column into states with discretise={{{quoted(values.name)}: Cuts((…,))}}"),
            ".",
        )
    return numbers


def _refuse_other_than_numbers(values: Values, coding: Coding) -> NoReturn:
    what = f"Column {quoted(values.name)} has type {values.column.dtype}; "
    if values.name in coding.numbers:
        raise DataError(
            f"{what}it is continuous in the data of ", Setting("like"), ", so that it takes numbers: convert it."
        )
    raise DataError(
        f"{what}only numbers can be continuous. Take it out of ", Setting("continuous"), " or convert it to numbers."
    )


def needs_cuts(values: Values, coding: Coding) -> bool:
    """Whether the values are fractional, or too many to be states."""
    return values.is_fractional or len(values.distinct) > coding.max_states


def labels_of_values(distinct: npt.NDArray[Any] | Sequence[Any]) -> Labels:
    """Values as text; whole numbers without a decimal point."""
    if isinstance(distinct, np.ndarray):
        distinct = distinct.tolist()
    return tuple(str(int(v)) if isinstance(v, float) and v.is_integer() else str(v) for v in distinct)


def numbers_to_cut(values: Values) -> Numbers:
    """Values of a column that is cut.

    Raises
    ------
    DataError
        If they are not numbers.
    """
    if not values.is_numeric:
        raise DataError(
            f"Column {quoted(values.name)} has type {values.column.dtype}; only numbers can be discretised. "
            "Take it out of ",
            Setting("discretise"),
            " or convert it to numbers.",
        )
    return np.asarray(values.column.values, dtype=np.float64)


def _fitted(values: Values, method: Discretiser) -> Discretisation:
    """Discretisation of the column, its cuts chosen by the method from these values."""
    numbers = numbers_to_cut(values)
    if not np.isfinite(numbers).all() and not isinstance(method, Cuts):
        raise DataError(
            f"{values.place(int(np.argmin(np.isfinite(numbers))))}: the value is infinite, which leaves no sensible "
            "cut points; replace it",
            InPython(", or give the cut points with Cuts((…,))"),
            ".",
        )
    step = Discretisation(values.name, method, method.cuts(numbers, values.weights))
    if len(step.labels) < method.least_states:
        warnings.warn(
            f"Column {quoted(values.name)}: {method} gave {len(step.labels)} state(s) instead of "
            f"{method.least_states}, because too many values are equal.",
            ArcwiseWarning,
            stacklevel=7,
        )
    return step


def _matched(values: Values, given: Labels, unknown: Unknown) -> tuple[Labels, CodeArray]:
    """Labels as given, and the values' codes among them; a gap has the code after the last.

    Raises
    ------
    DataError
        If a value has a label that is not given, and is not to become a gap.
    """
    place_of = {label: code for code, label in enumerate(given)}
    labels, found = labels_of_values(values.distinct), values.codes()
    codes = np.array([place_of.get(label, -1) for label in labels], dtype=np.int64)[found]
    if (codes < 0).any():
        at = int(np.argmax(codes < 0))
        if unknown == "gap":
            others = f" and {int((codes < 0).sum()) - 1:,} others" if (codes < 0).sum() > 1 else ""
            warnings.warn(
                f"{values.place(at)}: the value {quoted(labels[found[at]])}{others} of this column are none of its "
                f"states ({listed(given)}); they count as not known.",
                ArcwiseWarning,
                stacklevel=7,
            )
            return given, np.where(codes < 0, len(given), codes)
        raise DataError(
            f"{values.place(at)}: the value {quoted(labels[found[at]])} is none of the given states "
            f"({listed(given)}); correct it, or leave the row out."
        )
    return given, codes


def _kept(name: str) -> Text:
    return InPython(f"continuous={{{quoted(name)}: True}}", Setting("continuous", "auto"))


def _refuse(values: Values, coding: Coding) -> NoReturn:
    """Say why a column has no states, and what can be done."""
    distinct = values.distinct
    if values.is_fractional:
        raise DataError(
            f"Column {quoted(values.name)} is continuous ({len(distinct):,} distinct values, for example "
            f"{distinct[0]}); discretise it, for instance with ",
            Setting("discretise", "quantile"),
            InPython(
                f", 'width' or 'adaptive', discretise={{{quoted(values.name)}: Cuts((…,))}}", ", width or adaptive"
            ),
            ", keep its numbers with ",
            _kept(values.name),
            ", or ",
            leaving_out(values.name),
            ".",
        )
    if values.is_numeric:
        one = f"discretise={{{quoted(values.name)}: 'quantile'}}"
        remedy: Text = (
            "discretise it, for instance with ",
            InPython(one, Setting("discretise", "quantile")),
            ", keep its numbers with ",
            _kept(values.name),
        )
    else:
        remedy = ("group its rare values, for instance with ", Setting("min_count", 10))
    raise DataError(
        f"Column {quoted(values.name)} has {len(distinct):,} states, more than ",
        Setting("max_states", coding.max_states),
        ". If it is an identifier, ",
        leaving_out(values.name),
        "; otherwise ",
        remedy,
        ", or raise ",
        Name("max_states"),
        " (to 65,535 at most).",
    )
