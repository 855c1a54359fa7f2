"""New values as states of a network: by label, by the cuts of numbers, and by the grouping of rare states."""

from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

from arcwise.data.codes import MAX_ARITY, code_type
from arcwise.data.columns import Coding
from arcwise.data.dataset import Dataset
from arcwise.data.discretise import Discretisation
from arcwise.data.steps import OTHER_LABEL, ColumnStep, GroupedStates
from arcwise.data.values import Values, coded_values
from arcwise.support.arguments import real_numbers
from arcwise.support.errors import ParameterError
from arcwise.support.names import did_you_mean
from arcwise.support.quoting import listed, quoted

__all__ = ["StepsOfColumns", "code_of_state", "codes_of_values", "in_coding", "steps_of_columns"]

#: How the columns of a network's data were read, by the name of the column.
StepsOfColumns = Mapping[str, Sequence[ColumnStep]]


def steps_of_columns(steps: Sequence[ColumnStep]) -> dict[str, list[ColumnStep]]:
    """Return the steps of each column that has some."""
    found: dict[str, list[ColumnStep]] = {}
    for step in steps:
        found.setdefault(step.column, []).append(step)
    return found


def code_of_state(
    name: str, states: Sequence[str], value: object, where: str = "", steps: Sequence[ColumnStep] = ()
) -> int:
    """Position of a state, which is given by its label, or by the number or truth value that the label shows.

    A number that is not the label of a state is in the interval of the cuts by which the column was read; a value that
    is rare or new is in the group of rare ones, where there is one.

    Raises
    ------
    ParameterError
        If the node has no such state.
    """
    plain = value.item() if isinstance(value, np.generic) else value
    label = str(int(plain)) if isinstance(plain, float) and plain.is_integer() else str(plain)
    if isinstance(plain, str | int | float) and label in states:
        return states.index(label)
    for step in steps:
        if isinstance(step, Discretisation) and isinstance(plain, int | float) and not isinstance(plain, bool):
            return states.index(step.labels[int(step.apply([plain])[0])])
        if isinstance(step, GroupedStates) and isinstance(plain, str | int | float):
            return states.index(OTHER_LABEL)
    hint = did_you_mean(plain, states) or f"; its states are {listed(states)}"
    raise ParameterError(f"{quoted(name)} has no state {quoted(plain)}{where}{hint}")


def codes_of_values(values: Values, states: Sequence[str], steps: Sequence[ColumnStep]) -> npt.NDArray[np.integer]:
    """Positions of the values of a column among the states of a node.

    Raises
    ------
    DataError
        If a value is none of them.
    """
    usable = tuple(step for step in steps if values.is_numeric or not isinstance(step, Discretisation))
    coding = Coding(max_states=MAX_ARITY, states={values.name: states}, steps=usable)
    labels, codes, _ = coded_values(values, coding)
    place_of = {label: code for code, label in enumerate(states)}
    return np.array([place_of[label] for label in labels], dtype=np.int64)[codes]


def in_coding(data: Dataset, names: Sequence[str], states: Sequence[Sequence[str]], steps: StepsOfColumns) -> Dataset:
    """Return data whose columns are cut and grouped as a network's are, where they are not yet.

    Parameters
    ----------
    data
        The data.
    names, states
        The nodes of the network, and for each the labels of its states.
    steps
        How their columns were read.
    """
    of_node = dict(zip(names, states, strict=True))
    changed = {
        v: found
        for v, name in enumerate(data.names)
        if name in steps and (found := _codes_in(data, v, of_node[name], steps[name])) is not None
    }
    if not changed:
        return data
    labels = [tuple(of_node[name]) if v in changed else data.states[v] for v, name in enumerate(data.names)]
    codes = np.asfortranarray(data.codes.astype(code_type([len(found) + 1 for found in labels])))
    for v, column in changed.items():
        codes[:, v] = column
    kept = [place for place, v in enumerate(data.continuous) if v not in changed]
    numbers = data.numbers[:, kept] if data.numbers is not None and kept else None
    return Dataset(codes, data.names, tuple(labels), data.weights, data.steps, data.interventions, numbers)


def _codes_in(
    data: Dataset, v: int, states: Sequence[str], steps: Sequence[ColumnStep]
) -> npt.NDArray[np.integer] | None:
    """Codes of a column among the states of a node, gaps after the last; None where it needs neither cuts nor group."""
    for step in steps:
        if isinstance(step, Discretisation):
            place_of = np.array([states.index(label) for label in step.labels])
            if not data.arities[v]:
                numbers = data.numbers_of(data.names[v])
                lacking = np.isnan(numbers)
                return np.where(lacking, len(states), place_of[step.apply(np.where(lacking, 0.0, numbers))])
            if set(data.states[v]) <= set(states):
                return None
            try:
                values = real_numbers([float(label) for label in data.states[v]])
            except ValueError:  # not numbers: whoever looks for the states says so
                return None
            return np.array([*place_of[step.apply(values)], len(states)])[data.codes[:, v]]
        if isinstance(step, GroupedStates) and data.arities[v] and not set(data.states[v]) <= set(states):
            place_of_label = {label: code for code, label in enumerate(states)}
            other = place_of_label[OTHER_LABEL]
            return np.array([*(place_of_label.get(label, other) for label in data.states[v]), len(states)])[
                data.codes[:, v]
            ]
    return None
