"""States that all parts of a table agree on, made from its profile, and what codes chunks by them."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NoReturn, TypeAlias, cast

import numpy as np
import numpy.typing as npt

from arcwise.data.codes import Codes, code_type, place
from arcwise.data.column import Column, column_of_strings, column_of_values, leaving_out
from arcwise.data.columns import Coding
from arcwise.data.discretise import Cuts, Discretisation, Discretiser, EqualWidth
from arcwise.data.encode import (
    all_numbers,
    coded_column,
    dropped,
    is_crowded,
    refuse_missing,
    warn_of_constants,
    warn_of_crowded,
)
from arcwise.data.fields import Fields, Form, numbers_in
from arcwise.data.parts import Chunk
from arcwise.data.profiles import ColumnProfile, TableProfile
from arcwise.data.steps import MISSING_LABEL, GroupedStates, MissingState, Step
from arcwise.data.values import Labels, Values, is_continuous, labels_of_values
from arcwise.support.errors import DataError
from arcwise.support.messages import InPython, Setting
from arcwise.support.quoting import listed, quoted

__all__ = ["Agreement", "ColumnCoder", "Points", "agreed"]

#: The different values of a column, sorted, and how often each was seen.
Points: TypeAlias = tuple[npt.NDArray[Any], npt.NDArray[np.int64]]

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
    form
        What text is read as; None where values have types.
    step
        Its cuts, where it has some.
    values, codes
        The values that occur, sorted, and the code of each; None for strings, whose labels they are, and for numbers.
    """

    name: str
    labels: Labels
    missing: int
    form: Form | None = None
    step: Discretisation | None = None
    values: npt.NDArray[Any] | None = None
    codes: npt.NDArray[np.uint16] | None = None

    def numbers_of(self, column: Column | Fields) -> npt.NDArray[np.float64]:
        """Numbers of a continuous column, NaN where one is missing."""
        if isinstance(column, Fields):
            numbers = column.row_numbers()
            if numbers is None or (self.form == "whole" and column.form == "number"):
                self._refuse(column)
            return numbers
        numbers = column.values.astype(np.float64)
        if column.absent is not None:
            numbers[column.absent] = np.nan
        return numbers

    def codes_of(self, column: Column | Fields) -> npt.NDArray[np.integer]:
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
        if isinstance(column, Fields):
            return self._codes_of_fields(column)
        found = self._codes_of_places(column) if column.has_labels else self._looked_up(column.values, column.absent)
        return found if column.absent is None else np.where(column.absent, self.missing, found)

    def _codes_of_fields(self, column: Fields) -> npt.NDArray[np.integer]:
        if column.codes is None:
            assert column.numbers is not None
            if self.form == "label" or (self.form == "whole" and column.form == "number"):
                self._refuse(column)
            found = self._looked_up(column.numbers, column.gaps)
            return found if column.gaps is None else np.where(column.gaps, self.missing, found)
        if self.form in ("whole", "number") and column.texts:
            if column.distinct_numbers is None or (self.form == "whole" and column.form == "number"):
                self._refuse(column)
            by_text = dict(zip(column.texts, self._looked_up(column.distinct_numbers, None).tolist(), strict=True))
        else:
            by_text = dict(zip(column.texts, self._codes_of_labels(column.texts), strict=True))
        every = column.source.texts(column.place) if column.is_part else column.texts
        codes = np.array([self.missing, *(by_text.get(text, 0) for text in every)], dtype=np.uint16)
        return np.asarray(codes[column.codes])

    def _codes_of_places(self, column: Column) -> npt.NDArray[np.integer]:
        """Return the code of each string or category."""
        there = np.bincount(column.values if column.absent is None else column.values[~column.absent])
        used = np.flatnonzero(there).tolist()
        codes = np.zeros(max(1, len(column.labels)), dtype=np.uint16)
        codes[used] = self._codes_of_labels([column.labels[place] for place in used])
        return np.asarray(codes[column.values])

    def _codes_of_labels(self, labels: Sequence[Any]) -> list[int]:
        """Return the codes of different strings or categories."""
        code_of: dict[Any, int] = (
            {label: code for code, label in enumerate(self.labels)}
            if self.values is None or self.codes is None
            else dict(zip(self.values.tolist(), self.codes.tolist(), strict=True))
        )
        found = [code_of.get(label, -1) for label in labels]
        if -1 in found:
            self._refuse_value(labels[found.index(-1)])
        return found

    def _looked_up(self, values: npt.NDArray[Any], absent: npt.NDArray[np.bool_] | None) -> npt.NDArray[np.integer]:
        """Return the code of each value that is a boolean or a number; anything where it is missing."""
        assert self.values is not None
        assert self.codes is not None
        known, codes = self.values, self.codes
        if values.dtype.kind == "b" or known.dtype.kind == "b":
            values, known = values.astype(np.uint8), known.astype(np.uint8)
        if values.dtype.kind in "iu" and self._is_narrow and values.size:
            least, size = int(known[0]), int(known[-1]) - int(known[0]) + 1
            unknown = len(self.labels) + 1
            table = np.full(size + 1, unknown, dtype=code_type([unknown + 1]))
            table[known.astype(np.int64) - least] = codes
            offsets = values.astype(np.int64) - least
            found = table[np.where((offsets >= 0) & (offsets < size), offsets, size)]
            wrong = found == unknown
        else:
            at = np.searchsorted(known, values).clip(max=len(known) - 1)
            found, wrong = codes[at], known[at] != values
        if absent is not None:
            wrong &= ~absent
        if wrong.any():
            self._refuse_value(values[int(wrong.argmax())].item())
        return np.asarray(found)

    @property
    def _is_narrow(self) -> bool:
        """Whether the values are whole numbers in a range that a table of codes has room for."""
        assert self.values is not None
        if self.values.dtype.kind == "f" and (self.values != np.floor(self.values)).any():
            return False
        return float(self.values[-1]) - float(self.values[0]) < _WIDEST_RANGE

    def _refuse(self, column: Fields) -> NoReturn:
        """Say which field is not what all of them were in the first pass."""
        texts = column.texts or [str(each) for each in column.distinct_numbers[:1].tolist()]  # type: ignore[index]
        kinds = ("i",) if self.form == "whole" else ("i", "f")
        wrong = [text for text in texts if (found := numbers_in([text])) is None or found.dtype.kind not in kinds]
        self._refuse_value((wrong or texts)[0])

    def _refuse_value(self, value: Any) -> NoReturn:
        raise DataError(f"Column {quoted(self.name)} holds {quoted(value)}, which it did not before{_CHANGED}")


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

    def coded(self, chunk: Chunk) -> tuple[Codes, npt.NDArray[np.float64] | None]:
        """Codes and numbers of some rows, column by column in memory."""
        codes = np.zeros((chunk.n_rows, len(self.coders)), dtype=code_type(self.sizes), order="F")
        numbers = np.empty((chunk.n_rows, self.n_continuous), order="F") if self.n_continuous else None
        place_of_number = 0
        for v, coder in enumerate(self.coders):
            if coder.labels:
                codes[:, v] = coder.codes_of(chunk.columns[coder.name])
            else:
                assert numbers is not None
                numbers[:, place_of_number] = coder.numbers_of(chunk.columns[coder.name])
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
    crowded: dict[str, int] = {}
    for column in profile.columns:
        coder, made = _coder(column, coding, points.get(column.name))
        coders.append(coder)
        steps.extend(made)
        if is_crowded(_values(column), len(coder.labels), profile.n_kept, made, coding):
            crowded[column.name] = len(coder.labels)
    known = {*coding.states, *coding.numbers}
    warn_of_constants([column.name for column in profile.columns if column.name not in known and column.is_constant])
    warn_of_crowded(crowded, profile.n_kept)
    drops = tuple(column.name for column in profile.columns if not coding.missing_is_state(column.name))
    return Agreement(tuple(coders), tuple(steps), drops if coding.missing == "drop" else ())


def _values(column: ColumnProfile) -> Values:
    return Values(column.name, column.typed_values())


def _is_continuous(column: ColumnProfile, coding: Coding) -> bool:
    values = _values(column)
    return is_continuous(values.plain(), coding) if len(values) else coding.must_be_numbers(column.name)


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
    lacks_states = column.is_fractional or column.is_many or len(values) > coding.max_states
    return coding.general_method if by_name is None and values.is_numeric and lacks_states else by_name


def _needs_points(column: ColumnProfile, coding: Coding) -> bool:
    if column.kind is None or _is_continuous(column, coding):
        return False
    method = _method(column, coding)
    if method is not None:
        return column.typed_values().is_numeric and not isinstance(method, Cuts | EqualWidth)
    is_open = column.name not in coding.states and coding.grouping(column.name) is None
    return is_open and coding.least_count(column.name) is not None


def _coder(column: ColumnProfile, coding: Coding, points: Points | None) -> tuple[ColumnCoder, list[Step]]:
    """Return what codes a column, and the steps taken."""
    name, values = column.name, _values(column)
    n_values = len(values)
    n_lacking = column.n_missing if coding.missing != "drop" or coding.missing_is_state(name) else 0
    lacking = np.array([column.first_missing or 0] if n_lacking else [], dtype=np.intp)
    _check_values(column, coding)
    if n_values:
        values = values.plain()
    if points is not None:
        values = Values(name, _column(points[0], column.categories), weights=cast(Any, points[1]))
    elif isinstance(_method(column, coding), Cuts | EqualWidth) and values.is_numeric:
        values = replace(values, column=column_of_values(np.array([column.least, column.most])))
    n_values = len(values)
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
    typed = values.column
    is_grouped = any(isinstance(step, GroupedStates) for step in steps)
    if step is None and n_values and (is_grouped or typed.kind != "string"):
        known = np.array([*typed.labels, None], dtype=object)[typed.values] if typed.has_labels else typed.values
        coder = replace(coder, values=known, codes=np.asarray(codes[:n_values], dtype=np.uint16))
    return coder, steps


def _column(points: npt.NDArray[Any], categories: tuple[Any, ...] | None) -> Column:
    """Different values as a column."""
    if categories is not None:
        place_of = {category: place for place, category in enumerate(categories)}
        return Column("category", np.array([place_of[each] for each in points], np.int64), categories, dtype="Enum")
    if points.dtype == object:
        return column_of_strings(np.arange(len(points)), points.tolist())
    return column_of_values(points)


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
    if column.is_many and not column.typed_values().is_numeric:
        raise DataError(
            f"Column {quoted(name)} has more than 65,535 states. If it is an identifier, ",
            leaving_out(name),
            "; otherwise group its values before.",
        )
    if given is not None and coding.recorded(name) is None and coding.grouping(name) is None:
        labels = labels_of_values(column.typed_values().distinct())
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
            ", or ",
            leaving_out(name),
            ".",
        )
