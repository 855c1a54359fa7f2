"""States that all parts of a table agree on, made from its profile, and what codes chunks by them."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, TypeAlias, cast

import numpy as np
import numpy.typing as npt

from arcwise.data.codes import Codes, code_type, place
from arcwise.data.columns import Coding
from arcwise.data.discretise import Cuts, Discretisation, Discretiser, EqualWidth
from arcwise.data.encode import all_numbers, coded_column, dropped, refuse_missing, warn_of_constants
from arcwise.data.profiles import ColumnProfile, TableProfile
from arcwise.data.steps import MISSING_LABEL, GroupedStates, MissingState, Step
from arcwise.data.values import Labels, Values, is_continuous
from arcwise.support.errors import DataError
from arcwise.support.later import later
from arcwise.support.messages import InPython, Setting
from arcwise.support.quoting import listed, quoted

if TYPE_CHECKING:
    import narwhals as nw
    import polars as pl
else:
    nw = later("narwhals")
    pl = later("polars")

__all__ = ["Agreement", "ColumnCoder", "Points", "agreed"]

#: The different values of a column, and how often each was seen.
Points: TypeAlias = tuple["pl.Series", npt.NDArray[np.int64]]

# Whole numbers of a wider range are looked up one by one.
_WIDEST_RANGE = 1 << 16
_CHANGED = "; the table has changed while it was read: read it again when nobody writes to it."


@dataclass(frozen=True)
class ColumnCoder:
    """What makes codes, or numbers, of one column.

    Attributes
    ----------
    name
        The column.
    labels
        Its states; none where it is continuous.
    missing
        The code of a missing value.
    text_type
        What text is read as; None where values have types.
    step
        Its cuts, where it has some.
    values, codes
        The values that occur and the code of each; None for strings, whose labels they are, and for numbers.
    """

    name: str
    labels: Labels
    missing: int
    text_type: "pl.DataType | None" = None
    step: Discretisation | None = None
    values: "pl.Series | None" = None
    codes: npt.NDArray[np.uint16] | None = None

    def numbers_of(self, column: "pl.Series") -> npt.NDArray[np.float64]:
        """Numbers of a continuous column, NaN where one is missing."""
        typed = column if self.text_type is None else self._checked(column, column.cast(self.text_type, strict=False))
        return np.asarray(typed.cast(pl.Float64).fill_null(np.nan).to_numpy(), dtype=np.float64)

    def codes_of(self, column: "pl.Series") -> npt.NDArray[np.integer]:
        """Codes of the values of a chunk.

        Raises
        ------
        DataError
            If there is a value that was not there in the first pass.
        """
        if self.step is not None:
            numbers = self.numbers_of(column)
            codes = np.searchsorted(np.array(self.step.cuts), numbers)
            return np.where(np.isnan(numbers), self.missing, codes)
        typed = column if self.text_type is None else self._checked(column, column.cast(self.text_type, strict=False))
        if self.values is None:
            strings = typed.cast(pl.String) if typed.dtype == pl.Categorical else typed
            found = strings.cast(pl.Enum(self.labels), strict=False).to_physical()
        else:
            found = self._looked_up(typed)
        self._checked(column, found)
        return np.asarray((found.fill_null(self.missing) if column.null_count() else found).to_numpy())

    def _looked_up(self, typed: "pl.Series") -> "pl.Series":
        """Return the code of each value that is a boolean, a number or a category."""
        assert self.values is not None
        assert self.codes is not None
        if typed.dtype in (pl.String, pl.Categorical):
            new = pl.Series(self.codes, dtype=pl.UInt16)
            strings = typed.cast(pl.String)
            return strings.replace_strict(self.values.cast(pl.String), new, default=None, return_dtype=pl.UInt16)
        if typed.dtype == pl.Enum:
            physical, values = typed.to_physical(), self.values.to_physical().to_numpy().astype(np.int64)
        elif typed.dtype == pl.Boolean:
            physical, values = typed.cast(pl.UInt8), self.values.cast(pl.Int64).to_numpy()
        elif self._is_narrow:
            physical, values = typed, self.values.cast(pl.Int64).to_numpy()
        else:
            new = pl.Series(self.codes, dtype=pl.UInt16)
            wide = pl.Float64 if typed.dtype.is_float() or self.values.dtype.is_float() else pl.Int64
            return typed.cast(wide).replace_strict(self.values.cast(wide), new, default=None, return_dtype=pl.UInt16)
        least = int(values.min())
        offsets = (physical.cast(pl.Int64) - least).cast(pl.UInt16, strict=False)
        unknown = len(self.labels) + 1
        table = np.full(_WIDEST_RANGE, unknown, dtype=code_type([unknown + 1]))
        table[values - least] = self.codes
        found = pl.Series(table[offsets.fill_null(0).to_numpy()])
        wrong = offsets.is_null() | (found == unknown)
        return found.to_frame().select(pl.when(~wrong).then(pl.first())).to_series() if wrong.any() else found

    @property
    def _is_narrow(self) -> bool:
        """Whether the values are whole numbers in a range that a table of codes has room for."""
        values = cast("pl.Series", self.values)
        if values.dtype.is_float() and (values != values.floor()).any():
            return False
        return float(cast(Any, values.max())) - float(cast(Any, values.min())) < _WIDEST_RANGE

    def _checked(self, before: "pl.Series", after: "pl.Series") -> "pl.Series":
        if after.null_count() != before.null_count():
            lost = before.filter(after.is_null() & before.is_not_null())
            raise DataError(f"Column {quoted(self.name)} holds {quoted(lost[0])}, which it did not before{_CHANGED}")
        return after


@dataclass(frozen=True)
class Agreement:
    """The variables of a table in parts: what they are, and how chunks of it are coded.

    Attributes
    ----------
    coders
        One for each variable.
    steps
        What was done: discretisation, missing values.
    drops
        The columns without whose values a row is left out.
    """

    coders: tuple[ColumnCoder, ...]
    steps: tuple[Step, ...] = ()
    drops: tuple[str, ...] = field(default=())

    @property
    def names(self) -> tuple[str, ...]:
        """The variables."""
        return tuple(coder.name for coder in self.coders)

    @property
    def states(self) -> tuple[Labels, ...]:
        """The labels of their states; none for a continuous one."""
        return tuple(coder.labels for coder in self.coders)

    @property
    def sizes(self) -> tuple[int, ...]:
        """How many codes each has at most: its states, and one more for a gap; 1 for a continuous one."""
        return tuple(max(len(coder.labels), coder.missing + 1, 1) for coder in self.coders)

    @property
    def n_continuous(self) -> int:
        """How many of them are continuous."""
        return sum(not coder.labels for coder in self.coders)

    @property
    def bytes_per_row(self) -> int:
        """What a row takes as codes and numbers."""
        return len(self.coders) * np.dtype(code_type(self.sizes)).itemsize + 8 * self.n_continuous

    def coded(self, chunk: "pl.DataFrame") -> tuple[Codes, npt.NDArray[np.float64] | None]:
        """Codes and numbers of some rows, column by column in memory."""
        codes = np.zeros((chunk.height, len(self.coders)), dtype=code_type(self.sizes), order="F")
        numbers = np.empty((chunk.height, self.n_continuous), order="F") if self.n_continuous else None
        place_of_number = 0
        for v, coder in enumerate(self.coders):
            if coder.labels:
                codes[:, v] = coder.codes_of(chunk[coder.name])
            else:
                assert numbers is not None
                numbers[:, place_of_number] = coder.numbers_of(chunk[coder.name])
                place_of_number += 1
        return cast("Codes", codes), numbers


def agreed(
    profile: TableProfile, coding: Coding, points_of: Callable[[Sequence[str]], Mapping[str, Points]]
) -> Agreement:
    """States of all columns, by what was found out about them and what is said about them.

    Parameters
    ----------
    profile
        What a first pass over all parts has found out.
    coding
        What callers say about columns.
    points_of
        Gives the values of columns and how often each was seen, which some ways of cutting them, and the grouping of
        rare states, need: another pass.

    Raises
    ------
    DataError
        For a column that cannot be coded, with what to do, and for missing values that nothing is said about.
    """
    coding.check_columns([column.name for column in profile.columns])
    unsettled = [column for column in profile.columns if column.n_missing and not coding.missing_is_state(column.name)]
    steps: list[Step] = []
    if unsettled and coding.missing == "error":
        _refuse(profile, unsettled, coding)
    if unsettled and coding.missing == "drop":
        steps.append(dropped(profile.n_rows - profile.n_kept, profile.n_rows, [column.name for column in unsettled]))
    fitted = [column.name for column in profile.columns if _needs_points(column, coding)]
    points = points_of(fitted) if fitted else {}
    coders = []
    for column in profile.columns:
        coder, made = _coder(column, coding, points.get(column.name))
        coders.append(coder)
        steps.extend(made)
    known = {*coding.states, *coding.numbers}
    warn_of_constants([column.name for column in profile.columns if column.name not in known and column.is_constant])
    drops = tuple(column.name for column in profile.columns if not coding.missing_is_state(column.name))
    return Agreement(tuple(coders), tuple(steps), drops if coding.missing == "drop" else ())


def _values(column: ColumnProfile) -> Values:
    return Values(column.name, nw.from_native(column.typed_values(), series_only=True))


def _is_continuous(column: ColumnProfile, coding: Coding) -> bool:
    values = _values(column)
    return is_continuous(values.plain(), coding) if len(values.series) else coding.must_be_numbers(column.name)


def _refuse(profile: TableProfile, unsettled: list[ColumnProfile], coding: Coding) -> None:
    names = [column.name for column in unsettled]
    refuse_missing(
        place(names[0], unsettled[0].first_missing or 0),
        (profile.n_rows, len(profile.columns)),
        sum(column.n_missing for column in unsettled),
        profile.n_lost,
        names,
        [column.name for column in unsettled if _is_continuous(column, coding)],
    )


def _method(column: ColumnProfile, coding: Coding) -> Discretiser | None:
    """Return what is to choose the cuts of a column, if anything is."""
    if coding.recorded(column.name) is not None or column.name in coding.states or _is_continuous(column, coding):
        return None
    by_name = coding.method(column.name)
    values = column.typed_values()
    lacks_states = column.is_fractional or column.is_many or values.n_unique() > coding.max_states
    return coding.general_method if by_name is None and values.dtype.is_numeric() and lacks_states else by_name


def _needs_points(column: ColumnProfile, coding: Coding) -> bool:
    if column.kind is None or _is_continuous(column, coding):
        return False
    method = _method(column, coding)
    if method is not None:
        return column.typed_values().dtype.is_numeric() and not isinstance(method, Cuts | EqualWidth)
    is_open = column.name not in coding.states and coding.grouping(column.name) is None
    return is_open and coding.least_count(column.name) is not None


def _coder(column: ColumnProfile, coding: Coding, points: Points | None) -> tuple[ColumnCoder, list[Step]]:
    """Return what codes a column, and the steps taken."""
    name, values = column.name, _values(column)
    n_values = len(values.series)
    n_lacking = column.n_missing if coding.missing != "drop" or coding.missing_is_state(name) else 0
    lacking = np.array([column.first_missing or 0] if n_lacking else [], dtype=np.intp)
    _check_values(column, coding)
    if n_values:
        values = values.plain()
    if points is not None:
        values = replace(values, series=nw.from_native(points[0], series_only=True), weights=cast(Any, points[1]))
        values = values.plain()
    elif isinstance(_method(column, coding), Cuts | EqualWidth) and values.is_numeric:
        values = replace(values, series=_series(name, np.array([column.least, column.most])))
    n_values = len(values.series)
    present = np.arange(n_values + lacking.size) < n_values
    if _is_continuous(column, coding):
        if lacking.size:
            all_numbers(values, present, lacking, coding)
        return ColumnCoder(name, (), 0, column.dtype), []
    labels, codes, steps = coded_column(values, present, lacking, coding)
    steps = [replace(step, n_missing=column.n_missing) if isinstance(step, MissingState) else step for step in steps]
    step = next((step for step in steps if isinstance(step, Discretisation)), None)
    missing = labels.index(MISSING_LABEL) if coding.missing_is_state(name) and n_lacking else len(labels)
    coder = ColumnCoder(name, labels, missing if n_lacking else 0, column.dtype, step)
    typed = column.typed_values() if points is None else points[0]
    is_grouped = any(isinstance(step, GroupedStates) for step in steps)
    if step is None and n_values and (is_grouped or typed.dtype not in (pl.String, pl.Categorical)):
        coder = replace(coder, values=typed, codes=np.asarray(codes[:n_values], dtype=np.uint16))
    return coder, steps


def _series(name: str, numbers: npt.NDArray[np.float64]) -> Any:
    return nw.from_native(pl.Series(name, numbers), series_only=True)


def _check_values(column: ColumnProfile, coding: Coding) -> None:
    """Refuse values for which messages would name a row, which a first pass has not kept."""
    name, given = column.name, coding.states.get(column.name)
    if np.isinf([column.least, column.most]).any() and column.least <= column.most and given is None:
        is_cut = isinstance(_method(column, coding), Cuts) or coding.recorded(name) is not None
        if not is_cut:
            raise DataError(
                f"Column {quoted(name)} holds an infinite value, and numbers must be finite; replace it, or leave the "
                "row out",
                InPython(f", or cut the column into states with discretise={{{quoted(name)}: Cuts((…,))}}"),
                ".",
            )
    if column.is_many and not column.typed_values().dtype.is_numeric():
        raise DataError(
            f"Column {quoted(name)} has more than 65,535 states. Leave the column out (an identifier carries no "
            "information), or group its values before."
        )
    if given is not None and coding.recorded(name) is None and coding.grouping(name) is None:
        labels = coded_labels(column)
        unknown = [label for label in labels if label not in set(given)]
        if unknown:
            raise DataError(
                f"Column {quoted(name)} holds {quoted(unknown[0])}, which is none of the given states "
                f"({listed(given)}); correct it, or leave the row out."
            )
    if column.is_many and not _is_continuous(column, coding) and _method(column, coding) is None:
        raise DataError(
            f"Column {quoted(name)} has more than 65,535 different values; discretise it, for instance with ",
            Setting("discretise", "quantile"),
            ", or leave the column out.",
        )


def coded_labels(column: ColumnProfile) -> list[str]:
    """Labels of the values of a column, in no order."""
    values = column.typed_values().to_list()
    return [str(int(v)) if isinstance(v, float) and v.is_integer() else str(v) for v in values]
