"""A table becomes codes and numbers: missing values are settled first, then every column gets its states, or none."""

import warnings
from dataclasses import dataclass
from typing import NoReturn

import numpy as np
import numpy.typing as npt

from arcwise.data.codes import Codes, Weights, checked_states, code_type, place
from arcwise.data.columns import MISSING_LABEL, Coding
from arcwise.data.steps import DroppedRows, MissingState, Step
from arcwise.data.tables import Column, Table
from arcwise.data.values import CodeArray, Labels, Numbers, Values, coded_values, is_continuous, numbers_of_values
from arcwise.support.errors import ArcwiseWarning, DataError
from arcwise.support.messages import InPython, Setting, Text
from arcwise.support.quoting import listed, quoted

Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Coded:
    """What a Dataset is made of."""

    codes: Codes
    states: tuple[Labels, ...]
    numbers: Numbers | None  # of the variables that have no states
    weights: Weights | None
    steps: tuple[Step, ...]
    stays: Mask  # which rows of the table are in it


def coded_table(table: Table, coding: Coding, weights: Weights | None = None) -> Coded:
    """Codes and states or numbers of all columns, weights of the rows that stay, and the steps taken.

    Raises
    ------
    DataError
        For a column that cannot be coded; says which, where and what to do.
    """
    coding.check_columns(table.names)
    absent = {name: mask for name, mask in zip(table.names, map(_absent, table.columns), strict=True) if mask.any()}
    steps: list[Step] = []
    stays: Mask = np.ones(table.n_rows, dtype=np.bool_)
    unsettled = [name for name in absent if not coding.missing_is_state(name)]
    if unsettled and coding.missing == "drop":
        stays = ~np.logical_or.reduce([absent[name] for name in unsettled])
        steps.append(_dropped(stays, unsettled))
    elif unsettled:
        _refuse_missing(table, absent, unsettled, coding)
    if weights is not None:
        weights = weights[stays]
        if not weights.any():
            raise DataError(
                "Without the rows that have missing values, all weights are 0; use ", Setting("missing", "state"), "."
            )

    codes: Codes = np.zeros((int(stays.sum()), len(table.names)), dtype=np.uint8, order="F")
    states: list[Labels] = []
    numbers: dict[str, Numbers] = {}
    for v, (name, series) in enumerate(zip(table.names, table.columns, strict=True)):
        present = stays if name not in absent else stays & ~absent[name]
        values = _present_values(name, series, present, None if weights is None else weights[present[stays]])
        lacking = np.flatnonzero(stays & ~present)
        if is_continuous(values, coding) if len(values.series) else coding.must_be_numbers(name):
            numbers[name] = _all_numbers(values, lacking)
            states.append(())
            continue
        labels, column, new_steps = _coded_column(values, present[stays], lacking, coding)
        if code_type([len(labels)]) is np.uint16 and codes.dtype == np.uint8:
            codes = codes.astype(np.uint16, order="F")
        codes[:, v] = column
        states.append(labels)
        steps.extend(new_steps)
    _warn_of_constants(codes, numbers, table.names, coding)
    together = np.array(list(numbers.values())).T if numbers else None  # column by column in memory, as codes are
    return Coded(codes, tuple(states), together, weights, tuple(steps), stays)


def _present_values(name: str, series: Column, present: Mask, weights: Weights | None = None) -> Values:
    """Values of one column in the rows that have one, and the weights of these."""
    rows = None if present.all() else np.flatnonzero(present)
    series = series if rows is None else series[rows]
    values = Values(name, series, rows, weights)
    return values.plain() if len(series) else values


def _all_numbers(values: Values, lacking: npt.NDArray[np.intp]) -> Numbers:
    """Numbers of a continuous column, if there is one for each row that stays."""
    if lacking.size:
        raise DataError(
            f"{place(values.name, int(lacking[0]))}: the value is missing, and the column is continuous: numbers have "
            "no state for missing values. Leave such rows out with ",
            Setting("missing", "drop"),
            ", or cut the column into states, for instance with ",
            InPython(f"discretise={{{quoted(values.name)}: 'quantile'}}", Setting("discretise", "quantile")),
            ".",
        )
    return numbers_of_values(values)


def _coded_column(
    values: Values, present: Mask, lacking: npt.NDArray[np.intp], coding: Coding
) -> tuple[Labels, CodeArray, list[Step]]:
    """Labels of one column, a code for each row that stays, and the steps taken.

    Parameters
    ----------
    values
        Those that are there.
    present
        In which of the rows that stay.
    lacking
        The rows of the user's data that stay and have none.
    coding
        How columns are coded.
    """
    name = values.name
    labels: Labels = ()
    codes: CodeArray = np.empty(0, dtype=np.intp)
    steps: list[Step] = []
    if len(values.series):
        labels, codes, step = coded_values(values, coding)
        steps += [step] if step is not None else []
    labels = _with_missing_label(name, labels, coding, lacking)
    if lacking.size:
        whole = np.full(present.size, labels.index(MISSING_LABEL), dtype=np.intp)
        whole[present] = codes
        codes = whole
    if lacking.size or coding.had_missing_state(name):
        steps.append(MissingState(name, lacking.size))
    return checked_states(name, labels), codes, steps


def _with_missing_label(name: str, labels: Labels, coding: Coding, lacking: npt.NDArray[np.intp]) -> Labels:
    """Labels of the column, with one for missing values if some rows lack a value; given labels are never extended."""
    given = coding.states.get(name)
    if given is not None:
        if lacking.size and MISSING_LABEL not in given:
            raise DataError(
                f"{place(name, int(lacking[0]))}: the value is missing, but the given states ({listed(given)}) have no "
                f"{MISSING_LABEL!r}; drop such rows with ",
                Setting("missing", "drop"),
                ".",
            )
        return tuple(given)
    if not lacking.size:
        return labels
    if MISSING_LABEL in labels:
        raise DataError(
            f"Column {quoted(name)} has a state {MISSING_LABEL!r} besides its {lacking.size:,} missing values; rename "
            "that state, so that the two are not confused."
        )
    return (*labels, MISSING_LABEL)


def _absent(series: Column) -> Mask:
    """Where a column has None, null or NaN."""
    if not series.dtype.is_float() and not series.null_count():  # quick to say, where there are thousands of columns
        return np.zeros(len(series), dtype=np.bool_)
    mask = np.asarray(series.is_null().to_numpy(), dtype=np.bool_)
    if series.dtype.is_float():
        mask = mask | np.isnan(np.asarray(series.to_numpy(), dtype=np.float64))
    return mask


def _refuse_missing(table: Table, absent: dict[str, Mask], unsettled: list[str], coding: Coding) -> NoReturn:
    name, mask = unsettled[0], absent[unsettled[0]]
    values = _present_values(name, table.column(name), ~mask)
    has_states = not (len(values.series) and is_continuous(values, coding))
    state: Text = (", or ", Setting("missing", "state"), " to make missing a state of its own")
    others = f"; {len(unsettled) - 1} more column(s) have missing values" if len(unsettled) > 1 else ""
    raise DataError(
        f"{place(name, int(np.argmax(mask)))}: the value is missing ({int(mask.sum()):,} of {mask.size:,} in this "
        f"column{others}). Fill the values in, or use ",
        Setting("missing", "drop"),
        " to leave such rows out",
        state if has_states else (),
        ".",
    )


def _dropped(stays: Mask, columns: list[str]) -> DroppedRows:
    """Record of rows that are dropped, after a warning."""
    step = DroppedRows(int((~stays).sum()), stays.size, tuple(columns))
    if step.n_dropped == step.n_rows:
        raise DataError(
            f"Every row has a missing value (in {listed(columns)}), so that ",
            Setting("missing", "drop"),
            " leaves none; leave out the columns that are mostly missing, or use ",
            Setting("missing", "state"),
            ".",
        )
    warnings.warn(
        f"{step.n_dropped:,} of {step.n_rows:,} rows are dropped, because values are missing in {listed(columns)}.",
        ArcwiseWarning,
        stacklevel=5,
    )
    return step


def _warn_of_constants(codes: Codes, numbers: dict[str, Numbers], names: tuple[str, ...], coding: Coding) -> None:
    known = {*coding.states, *coding.numbers}
    columns = {name: numbers.get(name, codes[:, v]) for v, name in enumerate(names) if name not in known}
    constant = [name for name, column in columns.items() if column.min() == column.max()]
    if constant:
        warnings.warn(
            f"{len(constant)} column(s) hold a single value: {listed(constant)}. They are kept, but no arc can "
            "be learned for them.",
            ArcwiseWarning,
            stacklevel=5,
        )
