"""What the states of a column were before they became labels, and how that sorts them."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from arcwise.data.column import Column
from arcwise.data.dataset import Dataset
from arcwise.data.discretise import Discretisation
from arcwise.data.tables import Table

__all__ = ["sorted_states", "state_values"]


def state_values(table: Table, data: Dataset) -> dict[str, npt.NDArray[Any]]:
    """For each discrete variable the values that its states stand for, in the order of the states.

    Numbers, booleans and strings come back as such, and the categories of pandas as what they are. The states of a
    discretised column are intervals, and those of a column with a state for missing values are of two kinds: for both
    it is the labels. A continuous column has no states, and no values here.

    Parameters
    ----------
    table
        The columns.
    data
        What they were coded as.

    Examples
    --------
    >>> from arcwise.data.tables import table_of_columns
    >>> table = table_of_columns({"ward": [3, 10, 3], "bmi": [18.5, 31.0, 22.5]})
    >>> values = state_values(table, Dataset.from_table(table, discretise="quantile"))
    >>> values["ward"], values["bmi"]
    (array([ 3, 10]), array(['<=18.5', '18.5..22.5', '>22.5'], dtype='<U10'))
    """
    recorded = {getattr(step, "column", None) for step in data.steps}  # discretised, or with a state for missing values
    return {
        name: np.array(labels) if name in recorded else _values(column, labels)
        for name, column, labels in zip(table.names, table.columns, data.states, strict=True)
        if labels
    }


def sorted_states(values: Mapping[str, npt.NDArray[Any]], data: Dataset) -> dict[str, npt.NDArray[np.intp]]:
    """For each variable its states, by index, in the order in which their values are sorted.

    The intervals of a discretised column stay as they are on the line.

    Parameters
    ----------
    values
        What `state_values` returns.
    data
        What the columns were coded as.

    Examples
    --------
    >>> data = Dataset.from_codes([[0], [1]], names=["cured"], states=[["yes", "no"]])
    >>> sorted_states({"cured": np.array(["yes", "no"])}, data)["cured"]
    array([1, 0])
    """
    cut = {step.column for step in data.steps if isinstance(step, Discretisation)}
    return {name: np.arange(each.size) if name in cut else _sorting(each) for name, each in values.items()}


def _sorting(values: npt.NDArray[Any]) -> npt.NDArray[np.intp]:
    try:
        return np.argsort(values)
    except TypeError:  # categories of several types have no order but their own
        return np.arange(values.size)


def _values(column: Column, labels: Sequence[str]) -> npt.NDArray[Any]:
    """Values of one column whose states are its values."""
    if column.kind == "boolean":
        return np.array([label == "True" for label in labels])
    if column.is_numeric:  # others than whole numbers are discretised, or continuous
        # Left to itself numpy makes floats of small and of very large whole numbers together.
        kind = np.float64 if column.is_float else np.uint64 if column.values.dtype == np.uint64 else None
        return np.array([int(label) for label in labels], dtype=kind)
    if column.kind == "category":
        is_plain = len(set(map(type, column.labels))) == 1 and not isinstance(column.labels[0], str)
        return np.array(column.labels, dtype=None if is_plain else object)
    return np.array(labels)
