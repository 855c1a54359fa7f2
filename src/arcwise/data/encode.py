"""A table becomes codes and numbers: missing values are settled first, then every column gets its states, or none."""

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NoReturn

import numpy as np
import numpy.typing as npt

from arcwise.data.codes import MAX_ARITY, Codes, Weights, checked_states, code_type, place
from arcwise.data.column import Column
from arcwise.data.columns import Coding
from arcwise.data.discretise import ColumnsToCut, Discretisation, JointDiscretiser
from arcwise.data.steps import MISSING_LABEL, DroppedRows, GroupedStates, MissingState, Step
from arcwise.data.tables import Table
from arcwise.data.values import (
    CodeArray,
    Labels,
    Numbers,
    Values,
    coded_values,
    is_continuous,
    needs_cuts,
    numbers_of_values,
    numbers_to_cut,
)
from arcwise.support.errors import ArcwiseWarning, DataError
from arcwise.support.messages import InPython, Setting, Text
from arcwise.support.quoting import listed, numbered, quoted

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
    columns = zip(table.names, table.columns, strict=True)
    absent = {name: column.absent for name, column in columns if column.absent is not None}
    steps: list[Step] = []
    stays: Mask = np.ones(table.n_rows, dtype=np.bool_)
    unsettled = [name for name in absent if not coding.missing_is_state(name)]
    if unsettled and coding.missing == "drop":
        stays = ~np.logical_or.reduce([absent[name] for name in unsettled])
        steps.append(dropped(int((~stays).sum()), stays.size, unsettled))
    elif unsettled and coding.missing != "keep":
        _refuse_missing(table, absent, unsettled, coding)
    if weights is not None:
        weights = weights[stays]
        if not weights.any():
            raise DataError(
                "Without the rows that have missing values, all weights are 0; use ", Setting("missing", "state"), "."
            )

    coding = _with_joint_cuts(table, coding, absent, stays, weights)
    codes: Codes = np.zeros((int(stays.sum()), len(table.names)), dtype=np.uint8, order="F")
    states: list[Labels] = []
    numbers: dict[str, Numbers] = {}
    crowded: dict[str, int] = {}
    for v, (name, column) in enumerate(zip(table.names, table.columns, strict=True)):
        present = stays if name not in absent else stays & ~absent[name]
        values = _present_values(name, column, present, None if weights is None else weights[present[stays]])
        lacking = np.flatnonzero(stays & ~present)
        if is_continuous(values, coding) if len(values) else coding.must_be_numbers(name):
            numbers[name] = all_numbers(values, present[stays], lacking, coding)
            states.append(())
            continue
        labels, own, new_steps = coded_column(values, present[stays], lacking, coding)
        if codes.dtype == np.uint8 and code_type([max(len(labels), int(own.max()) + 1)]) is np.uint16:
            codes = codes.astype(np.uint16, order="F")
        codes[:, v] = own
        states.append(labels)
        steps.extend(new_steps)
        if is_crowded(values, len(labels), len(codes), new_steps, coding):
            crowded[name] = len(labels)
    _warn_of_constants(codes, states, numbers, table.names, coding)
    warn_of_crowded(crowded, len(codes))
    _warn_of_copies(codes, states, table.names, coding)
    together = np.array(list(numbers.values())).T if numbers else None  # column by column in memory, as codes are
    return Coded(codes, tuple(states), together, weights, tuple(steps), stays)


def _with_joint_cuts(
    table: Table, coding: Coding, absent: dict[str, Mask], stays: Mask, weights: Weights | None
) -> Coding:
    """Coding with cuts for the columns whose method looks at others, as if they had been recorded earlier."""
    methods: dict[JointDiscretiser, list[str]] = {}
    for name, column in zip(table.names, table.columns, strict=True):
        method = coding.method(name) or coding.general_method
        if not isinstance(method, JointDiscretiser) or coding.recorded(name) or name in coding.states:
            continue
        values = _present_values(name, column, stays & ~absent[name] if name in absent else stays)
        if coding.method(name) or (len(values) and values.is_numeric and needs_cuts(values, coding)):
            methods.setdefault(method, []).append(name)
    cut = [name for names in methods.values() for name in names]
    if not cut:
        return coding
    times = np.ones(int(stays.sum())) if weights is None else weights
    plain = replace(coding, discretise=None, max_states=MAX_ARITY)
    numbers, states = {}, {}
    for name, column in zip(table.names, table.columns, strict=True):
        present = stays & ~absent[name] if name in absent else stays
        values = _present_values(name, column, present)
        if name in cut:
            numbers[name] = np.full(present[stays].size, np.nan)
            numbers[name][present[stays]] = numbers_to_cut(values)
        elif len(values) and not is_continuous(values, coding):
            states[name] = np.full(present[stays].size, -1)
            states[name][present[stays]] = coded_values(values, plain)[1]
    steps: list[Step] = []
    for method, names in methods.items():
        columns = ColumnsToCut({name: numbers[name] for name in names}, states, times, table.names[-1])
        steps += [Discretisation(name, method, cuts) for name, cuts in method.cuts_of(columns).items()]
    return replace(coding, steps=(*coding.steps, *steps))


def _present_values(name: str, column: Column, present: Mask, weights: Weights | None = None) -> Values:
    """Values of one column in the rows that have one, and the weights of these."""
    rows = None if present.all() else np.flatnonzero(present)
    values = Values(name, column if rows is None else column.take(rows), rows, weights)
    return values.plain() if len(values) else values


def all_numbers(values: Values, present: Mask, lacking: npt.NDArray[np.intp], coding: Coding) -> Numbers:
    """Numbers of a continuous column, if there is one for each row that stays, or gaps are kept (as NaN)."""
    if lacking.size and coding.missing == "keep":
        numbers = np.full(present.size, np.nan)
        if present.any():
            numbers[present] = numbers_of_values(values)
        return numbers
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


def coded_column(
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
    if len(values):
        labels, codes, step = coded_values(values, coding)
        steps += [step] if step is not None else []
    is_state = coding.missing_is_state(name)
    if is_state:
        labels = _with_missing_label(name, labels, coding, lacking)
    elif lacking.size == present.size:
        labels = _given_labels(name, coding)
    if lacking.size:
        whole = np.full(present.size, labels.index(MISSING_LABEL) if is_state else len(labels), dtype=np.intp)
        whole[present] = codes
        codes = whole
    if is_state and (lacking.size or coding.had_missing_state(name)):
        steps.append(MissingState(name, lacking.size))
    return checked_states(name, labels), codes, steps


def _given_labels(name: str, coding: Coding) -> Labels:
    """Labels of a column that has no value, of which only somebody who knows it can say the states."""
    given, step = coding.states.get(name), coding.recorded(name)
    if given is None and step is None:
        raise DataError(
            f"Column {quoted(name)} has no value in any row; leave it out",
            InPython(f", or say what its states are with states={{{quoted(name)}: […]}}"),
            ".",
        )
    return tuple(given) if given is not None else step.labels if step is not None else ()


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


def _refuse_missing(table: Table, absent: dict[str, Mask], unsettled: list[str], coding: Coding) -> NoReturn:
    name, mask = unsettled[0], absent[unsettled[0]]
    n_cells = sum(int(absent[each].sum()) for each in unsettled)
    n_lost = int(np.logical_or.reduce([absent[each] for each in unsettled]).sum())
    continuous = []
    for each in unsettled:
        values = _present_values(each, table.column(each), ~absent[each])
        if is_continuous(values, coding) if len(values) else coding.must_be_numbers(each):
            continuous.append(each)
    refuse_missing(
        place(name, int(np.argmax(mask))), (mask.size, len(table.names)), n_cells, n_lost, unsettled, continuous
    )


def refuse_missing(
    where: str, shape: tuple[int, int], n_cells: int, n_lost: int, unsettled: list[str], continuous: list[str]
) -> NoReturn:
    """Say what is missing, and what each way to deal with it would do with this very table.

    Parameters
    ----------
    where
        Words for the first cell that is missing.
    shape
        Rows and columns of the table.
    n_cells, n_lost
        How many cells are missing, and in how many rows.
    unsettled
        The columns that have such cells.
    continuous
        Those of them that are numbers.
    """
    raise DataError(
        f"{where}: this value is missing; in all, {n_cells:,} of {shape[0] * shape[1]:,} cells in {len(unsettled):,} "
        f"of {numbered(shape[1], 'column')} are missing. Fill the values in, or choose: ",
        Setting("missing", "drop"),
        f" leaves out the rows that have such cells, {n_lost:,} of {shape[0]:,}; ",
        _offered_state(unsettled, continuous),
        InPython(
            "learn can use what there is: missing='pairwise' scores each variable and its parents on the rows that "
            "have all of them, missing='em' estimates what belongs in the gaps (structural EM); "
            "Dataset.of(…, missing='keep') keeps the gaps.",
            (
                Setting("missing", "pairwise"),
                " scores each variable and its parents on the rows that have all of them; ",
                Setting("missing", "em"),
                " estimates what belongs in the gaps (structural EM).",
            ),
        ),
    )


def _offered_state(unsettled: list[str], continuous: list[str]) -> Text:
    """Words for what a state for missing values does, where there can be one: numbers have no states."""
    if len(continuous) == len(unsettled):
        return ()
    others = f" (not of the numbers in {listed(continuous)})" if continuous else ""
    return (Setting("missing", "state"), f" makes missing a state of its own{others}; ")


def dropped(n_dropped: int, n_rows: int, columns: list[str]) -> DroppedRows:
    """Record of rows that are dropped, after a warning.

    Raises
    ------
    DataError
        If none is left.
    """
    step = DroppedRows(n_dropped, n_rows, tuple(columns))
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


def _warn_of_constants(
    codes: Codes, states: list[Labels], numbers: dict[str, Numbers], names: tuple[str, ...], coding: Coding
) -> None:
    known = {*coding.states, *coding.numbers}
    columns = {
        name: column[~np.isnan(column)] if (column := numbers.get(name)) is not None else codes[codes[:, v] < arity, v]
        for v, (name, arity) in enumerate(zip(names, map(len, states), strict=True))
        if name not in known
    }
    warn_of_constants([name for name, column in columns.items() if column.size and column.min() == column.max()])


# In fewer rows columns are soon the same by chance.
_LEAST_ROWS_OF_COPIES = 20
# By which it is seen of most columns that they differ.
_FIRST_ROWS = 200


def _warn_of_copies(codes: Codes, states: list[Labels], names: tuple[str, ...], coding: Coding) -> None:
    """Warn of columns with states that say in every row what an earlier one says, maybe in other words."""
    if len(codes) < _LEAST_ROWS_OF_COPIES:
        return
    alike: dict[bytes, list[int]] = {}
    for v, (name, labels) in enumerate(zip(names, states, strict=True)):
        if len(labels) > 1 and name not in coding.states:
            alike.setdefault(_by_first_row(codes[:_FIRST_ROWS, v]), []).append(v)
    copies: list[str] = []
    for group in alike.values():
        said: set[bytes] = set()
        for v in group if len(group) > 1 else ():
            own = _by_first_row(codes[:, v])
            copies += [names[v]] if own in said else []
            said.add(own)
    if copies:
        warnings.warn(
            f"Columns that say the same as another in every row: {listed(copies)}. Arcs between them reflect only "
            "that; leave out all but one of those that say the same.",
            ArcwiseWarning,
            stacklevel=6,
        )


def _by_first_row(codes: npt.NDArray[np.integer]) -> bytes:
    """Return codes numbered by the rows in which they come first, as bytes."""
    rows = np.arange(codes.size)
    first = np.full(int(codes.max()) + 1, codes.size)
    first[codes[::-1]] = rows[::-1]  # the last one that is written stays
    renumbered: CodeArray = np.argsort(np.argsort(first))[codes]
    return renumbered.astype(np.uint16).tobytes()


# Numbers that have become so many states or more, with fewer rows for each of them, may have been meant as numbers.
_MANY_STATES = 20
_FEW_ROWS_EACH = 20


def is_crowded(values: Values, n_states: int, n_rows: int, steps: Sequence[Step], coding: Coding) -> bool:
    """Whether numbers have become many states with few rows each, though nobody has said that they are to."""
    name, said = values.name, coding.continuous
    is_said = said is not None and (isinstance(said, bool) or name in said)
    is_asked = is_said or name in coding.states or coding.method(name) or coding.recorded(name)
    is_changed = any(isinstance(step, Discretisation | GroupedStates) for step in steps)
    is_many = n_states >= _MANY_STATES and n_rows < _FEW_ROWS_EACH * n_states
    return is_many and not is_asked and not is_changed and values.is_numeric


def warn_of_crowded(n_states: Mapping[str, int], n_rows: int) -> None:
    """Warn of columns of numbers with many states, if there are some."""
    if not n_states:
        return
    first, most = next(iter(n_states.items()))
    others = listed(list(n_states)[1:])
    warnings.warn(
        ArcwiseWarning(
            f"Column {quoted(first)} has {most:,} states for {numbered(n_rows, 'row')}, few rows each",
            f" (as have {others})" if others else "",
            ". Keep its numbers with ",
            InPython(f"continuous={{{quoted(first)}: True}}", Setting("continuous", first)),
            InPython(
                f", cut them with discretise={{{quoted(first)}: 'quantile'}}",
                (", or cut them with ", Setting("max_states", _MANY_STATES), " ", Setting("discretise", "quantile")),
            ),
            InPython(", or say with continuous=False that all columns have states."),
        ),
        stacklevel=6,
    )


def warn_of_constants(constant: list[str]) -> None:
    """Warn of columns that hold a single value, if there are some."""
    if constant:
        warnings.warn(
            f"{numbered(len(constant), 'column')} with a single value: {listed(constant)}. Constant columns stay in "
            "the network but get no arcs.",
            ArcwiseWarning,
            stacklevel=6,
        )
