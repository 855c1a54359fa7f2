"""One column's values become states and codes, by the type of the column and the options of `Dataset.from_frame`."""

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, NoReturn, get_args

import narwhals as nw
import numpy as np
import numpy.typing as npt
import polars as pl

from arcwise.data.codes import MAX_ARITY, Weights, checked_states, place
from arcwise.data.discretise import Cuts, Discretisation, Discretiser, Method, discretiser
from arcwise.data.steps import MissingState, Step
from arcwise.data.tables import Column, typed_column
from arcwise.support.errors import ArcwiseWarning, DataError, ParameterError
from arcwise.support.messages import InPython, Name, Setting, Text, type_of
from arcwise.support.names import one_of
from arcwise.support.quoting import listed, quoted

__all__ = [
    "DEFAULT_MAX_STATES",
    "MISSING_LABEL",
    "OTHERS",
    "CodeArray",
    "Coding",
    "Labels",
    "Missing",
    "Values",
    "coded_values",
]

Missing = Literal["error", "drop", "state"]
MISSING_LABEL = "missing"
DEFAULT_MAX_STATES = 100

#: In a dict of methods, what stands for all columns that are not named and need one.
OTHERS = "*"


@dataclass(frozen=True)
class Coding:
    """How the columns of a table are to be coded.

    Parameters
    ----------
    missing
        What a missing value does: raise an error, drop the row, or become a state.
    discretise
        The method for all columns that need one, or methods by column, with "*" for all others that need one.
    max_states
        Most states a column may have.
    states
        State labels that are given, by column.
    steps
        Recorded steps to be repeated.
    """

    missing: Missing = "error"
    discretise: Method | Mapping[str, Method] | None = None
    max_states: int = DEFAULT_MAX_STATES
    states: Mapping[str, Sequence[str]] = field(default_factory=dict)
    steps: tuple[Step, ...] = ()

    def __post_init__(self) -> None:
        one_of("missing", self.missing, get_args(Missing))
        if isinstance(self.max_states, bool) or not isinstance(self.max_states, int):
            raise ParameterError.of("max_states", "a whole number", self.max_states)
        if not 1 <= self.max_states <= MAX_ARITY:
            raise ParameterError.of("max_states", f"between 1 and {MAX_ARITY:,}", self.max_states)
        if not isinstance(self.states, Mapping):
            raise ParameterError.of("states", "a dict from columns to labels", type_of(self.states))
        methods = self.discretise.values() if isinstance(self.discretise, Mapping) else [self.discretise]
        for method in methods:
            if method is not None:
                discretiser(method)

    def check_columns(self, names: Sequence[str]) -> None:
        """Refuse instructions for columns that are not there, and two for one column.

        Raises
        ------
        ParameterError
            With the column.
        """
        by_column = self.discretise if isinstance(self.discretise, Mapping) else {}
        for option, columns in (("discretise", list(by_column)), ("states", list(self.states))):
            unknown = [name for name in columns if name not in names and (option, name) != ("discretise", OTHERS)]
            if unknown:
                raise ParameterError(
                    Name(option), f" has an entry for {quoted(unknown[0])}, but the data has no such column."
                )
        both = [name for name in by_column if name in self.states]
        if both:
            raise ParameterError(
                f"Column {quoted(both[0])} is in ",
                Setting("discretise"),
                " and in ",
                Setting("states"),
                "; give one of the two.",
            )

    def method(self, name: str) -> Discretiser | None:
        """Discretiser asked for by the column's name."""
        if isinstance(self.discretise, Mapping) and name in self.discretise:
            return discretiser(self.discretise[name])
        return None

    @property
    def general_method(self) -> Discretiser | None:
        """The method for every column that is not named and cannot be coded as it is."""
        method = self.discretise.get(OTHERS) if isinstance(self.discretise, Mapping) else self.discretise
        return None if method is None else discretiser(method)

    def recorded(self, name: str) -> Discretisation | None:
        """Cuts that were recorded for the column earlier."""
        return next((step for step in self.steps if isinstance(step, Discretisation) and step.column == name), None)

    def missing_is_state(self, name: str) -> bool:
        """Whether missing values of the column become a state."""
        return self.missing == "state" or self.had_missing_state(name)

    def had_missing_state(self, name: str) -> bool:
        """Whether missing values of the column were recorded as a state earlier."""
        return any(isinstance(step, MissingState) and step.column == name for step in self.steps)


Labels = tuple[str, ...]
CodeArray = npt.NDArray[np.integer]


@dataclass(frozen=True)
class Values:
    """The values of one column, none of them missing.

    Parameters
    ----------
    name
        The column's name.
    series
        The values.
    rows
        Which row of the user's data each stands in; None when they are all there.
    weights
        How often each was seen; None for once.
    """

    name: str
    series: Column
    rows: npt.NDArray[np.intp] | None = None
    weights: Weights | None = None

    @property
    def is_numeric(self) -> bool:
        """Whether the values are numbers, which can be discretised."""
        return self.series.dtype.is_numeric()

    def place(self, at: int) -> str:
        """Words for where a value stands in the user's data."""
        return place(self.name, at if self.rows is None else int(self.rows[at]))


def coded_values(values: Values, coding: Coding) -> tuple[Labels, CodeArray, Discretisation | None]:
    """Labels, a code for each value, and the discretisation when there was one.

    Raises
    ------
    DataError
        If the values are continuous, too many, of a type that has no states, or not among given states.
    """
    values = replace(values, series=_plain(values))
    step = coding.recorded(values.name)
    method = coding.method(values.name)
    if step is None and method is not None:
        step = _fitted(values, method)
    if step is not None:
        return step.labels, step.apply(_numbers(values)), step

    distinct = _distinct(values.series)
    given = coding.states.get(values.name)
    if given is not None:
        return *_matched(values, distinct, checked_states(values.name, given)), None
    if _is_fractional(distinct) or len(distinct) > coding.max_states:
        if coding.general_method is None or not values.is_numeric:
            _refuse(values, distinct, coding.max_states)
        step = _fitted(values, coding.general_method)
        return step.labels, step.apply(_numbers(values)), step
    return _labels(distinct), _codes(values.series, distinct), None


def _plain(values: Values) -> Column:
    """Equal values in a type that has states: boolean, number, string, or category.

    Raises
    ------
    DataError
        If there is no such type.
    """
    series, dtype = values.series, values.series.dtype
    if dtype == nw.Object or (series.implementation.is_pandas_like() and series.to_native().dtype == object):
        return typed_column(values.name, series.to_numpy(), values.rows)
    if dtype.is_decimal():
        return series.cast(nw.Float64)
    if dtype == nw.Categorical and series.implementation.is_polars():
        # Polars keeps one pool of categories for many columns: none of them is declared for this one.
        return series.cast(nw.String)
    is_large = dtype in (nw.Int128, nw.UInt128)  # numpy has no such numbers
    if dtype in (nw.Boolean, nw.String, nw.Categorical, nw.Enum) or (dtype.is_numeric() and not is_large):
        return series
    raise DataError(
        f"Column {quoted(values.name)} has type {dtype}, which has no states; allowed are booleans, numbers, strings "
        "and categories. Convert it (a date to its month or weekday, for instance) or leave the column out."
    )


def _distinct(series: Column) -> npt.NDArray[Any] | list[Any]:
    """States as values: the declared categories as they stand, or else the observed values sorted."""
    native = series.to_native()
    if series.dtype in (nw.Categorical, nw.Enum):
        if series.implementation.is_pandas_like():
            return list(native.cat.categories)
        if series.implementation.is_pyarrow():
            return list(native.unify_dictionaries().chunk(0).dictionary.to_pylist())
        return list(getattr(series.dtype, "categories"))  # noqa: B009
    if series.dtype == nw.String:
        return sorted(series.unique().to_list())
    return np.unique(series.to_numpy())


def _labels(distinct: npt.NDArray[Any] | Sequence[Any]) -> Labels:
    """Values as text; whole numbers without a decimal point."""
    if isinstance(distinct, np.ndarray):
        distinct = distinct.tolist()
    return tuple(str(int(v)) if isinstance(v, float) and v.is_integer() else str(v) for v in distinct)


def _codes(series: Column, distinct: npt.NDArray[Any] | list[Any]) -> CodeArray:
    """Each value's place among the distinct ones."""
    if isinstance(distinct, np.ndarray):
        return np.searchsorted(distinct, series.to_numpy())
    if series.implementation.is_pandas_like():
        categories = series.to_native()
        if series.dtype == nw.String:
            # Hashing once is ten times faster than looking every string up in pandas.
            categories = series.cast(nw.Categorical).to_native().cat.set_categories(distinct)
        return np.asarray(categories.cat.codes)
    if series.implementation.is_polars():
        return np.asarray(series.to_native().cast(pl.Enum(distinct)).to_physical().to_numpy())
    found = series.replace_strict(distinct, list(range(len(distinct))), return_dtype=nw.UInt32)
    return np.asarray(found.to_numpy())


def _is_fractional(distinct: npt.NDArray[Any] | list[Any]) -> bool:
    """Whether the values are floats that are not all whole numbers."""
    if not isinstance(distinct, np.ndarray) or distinct.dtype.kind != "f":
        return False
    return bool((~np.isfinite(distinct)).any() or (distinct != np.floor(distinct)).any())


def _numbers(values: Values) -> npt.NDArray[np.float64]:
    if not values.is_numeric:
        raise DataError(
            f"Column {quoted(values.name)} has type {values.series.dtype}; only numbers can be discretised. "
            "Take it out of ",
            Setting("discretise"),
            " or convert it to numbers.",
        )
    return np.asarray(values.series.to_numpy(), dtype=np.float64)


def _fitted(values: Values, method: Discretiser) -> Discretisation:
    """Discretisation of the column, its cuts chosen by the method from these values."""
    numbers = _numbers(values)
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


def _matched(values: Values, distinct: npt.NDArray[Any] | list[Any], given: Labels) -> tuple[Labels, CodeArray]:
    """Labels as given, and the values' codes among them.

    Raises
    ------
    DataError
        If a value has a label that is not given.
    """
    place_of = {label: code for code, label in enumerate(given)}
    labels, found = _labels(distinct), _codes(values.series, distinct)
    codes = np.array([place_of.get(label, -1) for label in labels], dtype=np.int64)[found]
    if (codes < 0).any():
        at = int(np.argmax(codes < 0))
        raise DataError(
            f"{values.place(at)}: the value {quoted(labels[found[at]])} is none of the given states "
            f"({listed(given)}); correct it, or leave the row out."
        )
    return given, codes


def _refuse(values: Values, distinct: npt.NDArray[Any] | list[Any], max_states: int) -> NoReturn:
    """Say why a column has no states, and what can be done."""
    if _is_fractional(distinct):
        raise DataError(
            f"Column {quoted(values.name)} is continuous ({len(distinct):,} distinct values, for example "
            f"{distinct[0]}); discretise it, for instance with ",
            Setting("discretise", "quantile"),
            InPython(
                f", 'width' or 'adaptive', discretise={{{quoted(values.name)}: Cuts((…,))}}", ", width or adaptive"
            ),
            ", or leave the column out.",
        )
    if values.is_numeric:
        one = f"discretise={{{quoted(values.name)}: 'quantile'}}"
        remedy: Text = ("discretise it, for instance with ", InPython(one, Setting("discretise", "quantile")))
    else:
        remedy = "group its values"
    raise DataError(
        f"Column {quoted(values.name)} has {len(distinct):,} states, more than ",
        Setting("max_states", max_states),
        ". Leave the column out (an identifier carries no information), ",
        remedy,
        ", or raise ",
        Name("max_states"),
        " (to 65,535 at most).",
    )
