"""A table becomes codes: missing values are settled first, then every column gets its states."""

import warnings
from dataclasses import dataclass
from typing import NoReturn

import numpy as np
import numpy.typing as npt

from arcwise.data.codes import Codes, Weights, checked_states, code_type, place
from arcwise.data.columns import MISSING_LABEL, CodeArray, Coding, Labels, Values, coded_values
from arcwise.data.steps import DroppedRows, MissingState, Step
from arcwise.data.tables import Column, Table
from arcwise.support.errors import ArcwiseWarning, DataError
from arcwise.support.messages import Setting
from arcwise.support.quoting import listed, quoted

Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Coded:
    """What a Dataset is made of."""

    codes: Codes
    states: tuple[Labels, ...]
    weights: Weights | None
    steps: tuple[Step, ...]
    stays: Mask  # which rows of the table are in it


def coded_table(table: Table, coding: Coding, weights: Weights | None = None) -> Coded:
    """Codes and states of all columns, weights of the rows that stay, and the steps taken.

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
        _refuse_missing(absent, unsettled)
    if weights is not None:
        weights = weights[stays]
        if not weights.any():
            raise DataError(
                "Without the rows that have missing values, all weights are 0; use ", Setting("missing", "state"), "."
            )

    codes: Codes = np.empty((int(stays.sum()), len(table.names)), dtype=np.uint8, order="F")
    states = []
    for v, (name, series) in enumerate(zip(table.names, table.columns, strict=True)):
        labels, column, new_steps = _coded_column(name, series, absent.get(name), stays, weights, coding)
        if code_type([len(labels)]) is np.uint16 and codes.dtype == np.uint8:
            codes = codes.astype(np.uint16, order="F")
        codes[:, v] = column
        states.append(labels)
        steps.extend(new_steps)
    _warn_of_constants(codes, table.names, coding)
    return Coded(codes, tuple(states), weights, tuple(steps), stays)


def _coded_column(
    name: str, series: Column, absent: Mask | None, stays: Mask, weights: Weights | None, coding: Coding
) -> tuple[Labels, CodeArray, list[Step]]:
    """Labels of one column, a code for each row that stays, and the steps taken."""
    present = stays if absent is None else stays & ~absent
    rows = None if present.all() else np.flatnonzero(present)
    if rows is not None:
        series = series[rows]
        weights = weights if weights is None else weights[present[stays]]
    labels: Labels = ()
    codes: CodeArray = np.empty(0, dtype=np.intp)
    steps: list[Step] = []
    if len(series):
        labels, codes, step = coded_values(Values(name, series, rows, weights), coding)
        steps += [step] if step is not None else []
    lacking = ~present[stays]
    labels = _with_missing_label(name, labels, coding, np.flatnonzero(stays)[lacking])
    if lacking.any():
        whole = np.full(lacking.size, labels.index(MISSING_LABEL), dtype=np.intp)
        whole[~lacking] = codes
        codes = whole
    if lacking.any() or coding.had_missing_state(name):
        steps.append(MissingState(name, int(lacking.sum())))
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


def _refuse_missing(absent: dict[str, Mask], unsettled: list[str]) -> NoReturn:
    name, mask = unsettled[0], absent[unsettled[0]]
    others = f"; {len(unsettled) - 1} more column(s) have missing values" if len(unsettled) > 1 else ""
    raise DataError(
        f"{place(name, int(np.argmax(mask)))}: the value is missing ({int(mask.sum()):,} of {mask.size:,} in this "
        f"column{others}). Fill the values in, or use ",
        Setting("missing", "drop"),
        " to leave such rows out, or ",
        Setting("missing", "state"),
        " to make missing a state of its own.",
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


def _warn_of_constants(codes: Codes, names: tuple[str, ...], coding: Coding) -> None:
    constant = [name for v, name in enumerate(names) if name not in coding.states and np.ptp(codes[:, v]) == 0]
    if constant:
        warnings.warn(
            f"{len(constant)} column(s) hold a single value: {listed(constant)}. They are kept, but no arc can "
            "be learned for them.",
            ArcwiseWarning,
            stacklevel=5,
        )
