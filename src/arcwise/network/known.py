"""What is known of the nodes of a network in some rows, read from dicts, frames, files, arrays and Datasets."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import numpy.typing as npt

from arcwise.data.codes import Codes, code_type, place
from arcwise.data.dataset import Dataset
from arcwise.data.frames import frame_library
from arcwise.data.interventions import Interventions
from arcwise.data.readers import table_of_file
from arcwise.data.steps import MISSING_LABEL, ColumnStep, LeftOut, MissingState
from arcwise.data.tables import Table, table_of_array, table_of_columns, table_of_frame
from arcwise.data.values import Values, numbers_of_values
from arcwise.graph.dag import Dag
from arcwise.network.coding import StepsOfColumns, code_of_state, codes_of_values, in_coding, steps_of_columns
from arcwise.network.tables import columns_of_nodes, in_states_of_network, numbers_of_network
from arcwise.support.arguments import real_numbers
from arcwise.support.errors import DataError, ParameterError
from arcwise.support.later import later
from arcwise.support.names import did_you_mean
from arcwise.support.quoting import listed, quoted

if TYPE_CHECKING:
    import narwhals as nw
else:
    nw = later("narwhals")

__all__ = ["Known", "Nodes", "by_state", "data_of", "in_columns", "known_of", "number_of", "table_of"]

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Nodes:
    """The nodes of a network: a graph, for each node the labels of its states, and how its columns were read.

    A continuous node has no states.
    """

    dag: Dag
    states: Sequence[Sequence[str]]
    steps: Sequence[ColumnStep] = ()

    @cached_property
    def steps_of(self) -> StepsOfColumns:
        """How the columns were read that have been cut, grouped, or given a state for missing values."""
        return steps_of_columns(self.steps)

    @cached_property
    def left_out(self) -> frozenset[str]:
        """Columns that the data had besides, and that tables may have again."""
        return frozenset(step.column for step in self.steps if isinstance(step, LeftOut))

    def code(self, name: str, value: object, where: str = "") -> int:
        """Position of the state that a value of a discrete node is; see `code_of_state`."""
        return code_of_state(name, self.states[self.dag.index(name)], value, where, self.steps_of.get(name, ()))

    @property
    def arities(self) -> tuple[int, ...]:
        """Number of states of each node; 0 for a continuous one."""
        return tuple(map(len, self.states))

    @property
    def continuous(self) -> dict[int, int]:
        """The continuous nodes, each with its column among the numbers."""
        return {node: column for column, node in enumerate(node for node, found in enumerate(self.states) if not found)}


@dataclass(frozen=True, eq=False)
class Known:
    """What is known of the nodes in each row.

    Parameters
    ----------
    codes
        Rows by nodes; a code equal to the node's number of states says that it is not known. A continuous node has 0.
    numbers
        Rows by continuous nodes; NaN says that one is not known.
    likelihoods
        Soft evidence: for some discrete nodes the likelihood of what was seen in each of their states, rows by states.
    source
        What it was read from, for answers that look like it; None for a dict, which is one row.
    interventions
        What was set by an experimenter, where the source knows of it.
    columns
        The nodes that the source says something about.
    """

    codes: Codes
    numbers: Floats
    likelihoods: Mapping[int, Floats] = field(default_factory=dict)
    source: Any = None
    interventions: Interventions | None = None
    columns: frozenset[int] = frozenset()

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return int(self.codes.shape[0])

    @property
    def backend(self) -> str:
        """The library that makes frames like the source."""
        if nw.dependencies.is_into_dataframe(self.source):
            found = nw.from_native(self.source, eager_only=True).implementation
            return "pandas" if found.is_pandas_like() else "pyarrow" if found.is_pyarrow() else "polars"
        return frame_library()

    def taken(self, rows: npt.NDArray[np.intp]) -> "Known":
        """Some of the rows."""
        soft = {node: found[rows] for node, found in self.likelihoods.items()}
        return Known(in_columns(self.codes[rows]), self.numbers[rows], soft)

    def is_known(self, nodes: Nodes, node: int) -> npt.NDArray[np.bool_]:
        """In which rows the state or number of a node is known."""
        if nodes.states[node]:
            known: npt.NDArray[np.bool_] = self.codes[:, node] < len(nodes.states[node])
            return known
        return ~np.isnan(self.numbers[:, nodes.continuous[node]])


def in_columns(codes: npt.NDArray[Any]) -> Codes:
    """Codes column by column in memory, as kernels take them."""
    return cast("Codes", np.asfortranarray(codes))


def known_of(nodes: Nodes, given: Any, *, ignored: str | None = None) -> Known:
    """What a caller says that is known.

    Parameters
    ----------
    nodes
        Those of the network.
    given
        None for nothing; a dict from nodes to states, numbers or soft evidence, which is one row; a list of such dicts,
        a frame, a dict of columns or a Dataset, which have a row each. None and NaN stand for what is not known.
    ignored
        A node whose column is not looked at.

    Raises
    ------
    GraphError, ParameterError, DataError
        If a node, a state or a column is not one of the network's, or a value cannot be one.
    """
    if given is None or (isinstance(given, Mapping) and not any(map(_is_column, given.values()))):
        return _of_rows(nodes, [given or {}], None, ignored)
    if isinstance(given, list | tuple) and given and all(isinstance(row, Mapping) for row in given):
        return _of_rows(nodes, given, given, ignored)
    if isinstance(given, Dataset):
        return _of_dataset(nodes, given, ignored)
    if isinstance(given, str | Path):
        given = table_of_file(Path(given))
    if isinstance(given, np.ndarray):
        return _of_table(nodes, _table_of_array(nodes, given, ignored), given, ignored)
    return _of_table(nodes, table_of(given), given, ignored)


def data_of(nodes: Nodes, given: Any) -> Dataset:
    """Rows with a column for every node as a Dataset, with the states of the network; what is not known is a gap.

    Parameters
    ----------
    nodes
        Those of the network.
    given
        A Dataset, or whatever else `known_of` takes that has rows.

    Raises
    ------
    DataError
        If a node has no column or a column no node, or a value is none of the network's.
    """
    if isinstance(given, Dataset):
        columns_of_nodes(nodes.dag.names, given)
        return in_coding(given, nodes.dag.names, nodes.states, nodes.steps_of)
    known = known_of(nodes, given)
    lacking = [name for node, name in enumerate(nodes.dag.names) if node not in known.columns]
    if lacking:
        raise DataError(f"the data has no column for {listed(lacking)}")
    numbers = known.numbers if nodes.continuous else None
    return Dataset(
        known.codes, nodes.dag.names, tuple(map(tuple, nodes.states)), None, tuple(nodes.steps), None, numbers
    )


def _table_of_array(nodes: Nodes, given: npt.NDArray[Any], ignored: str | None) -> Table:
    """Columns of an array, which are the nodes in their order, with or without the one that is not looked at."""
    names = nodes.dag.names
    without = [name for name in names if name != ignored]
    n_columns = given.shape[1] if given.ndim == 2 else None
    if n_columns not in (len(names), len(without)):
        raise DataError(
            f"an array must have a column for each of the {len(names)} nodes, in their order; this one has the shape "
            f"{given.shape}"
        )
    return table_of_array(given, names if n_columns == len(names) else without)


def table_of(given: Any) -> Table:
    """Columns of a frame or a dict of columns."""
    if isinstance(given, Table):
        return given
    if isinstance(given, Mapping):
        return table_of_columns({name: _values_in(column) for name, column in given.items()})
    if not nw.dependencies.is_into_dataframe(given):
        raise ParameterError.of(
            "what is given",
            "a dict from nodes to what is known of them, a list of such dicts, a frame, a file's path or a Dataset",
            given,
        )
    return table_of_frame(given)


def _is_column(value: object) -> bool:
    """Whether a value of a dict is a column of a table, not a state, a number or soft evidence."""
    return isinstance(value, list | tuple | np.ndarray | nw.Series) or nw.dependencies.is_into_series(value)


def _values_in(column: Any) -> Any:
    """Column of a dict, as a list or an array where it is a library's own."""
    if isinstance(column, list | tuple | np.ndarray):
        return column
    series = nw.from_native(column, series_only=True)
    return series.to_list() if series.null_count() or not series.dtype.is_numeric() else series.to_numpy()


def _nothing(nodes: Nodes, n_rows: int) -> tuple[Codes, Floats]:
    """Codes and numbers of rows in which nothing is known."""
    codes = np.empty((n_rows, len(nodes.states)), code_type([arity + 1 for arity in nodes.arities]), order="F")
    codes[:] = nodes.arities
    return in_columns(codes), np.full((n_rows, len(nodes.continuous)), np.nan, order="F")


def _of_rows(nodes: Nodes, rows: Sequence[Mapping[str, Any]], source: Any, ignored: str | None) -> Known:
    codes, numbers = _nothing(nodes, len(rows))
    soft: dict[int, Floats] = {}
    columns = nodes.continuous
    for at, row in enumerate(rows):
        where = "" if source is None else f" (row {at}, counted from 0)"
        for name, value in row.items():
            if name in nodes.left_out:
                continue
            node = nodes.dag.index(name)
            if name == ignored or _is_absent(value):
                continue
            if not nodes.states[node]:
                numbers[at, columns[node]] = number_of(name, value, where)
            elif isinstance(value, Mapping):
                likelihood = soft.setdefault(node, np.ones((len(rows), len(nodes.states[node]))))
                likelihood[at] = by_state("likelihood", name, nodes.states[node], value, where)
            else:
                codes[at, node] = nodes.code(name, value, where)
    named = frozenset(nodes.dag.index(name) for row in rows for name in row if name not in nodes.left_out)
    return Known(codes, numbers, soft, source, columns=named)


def _is_absent(value: object) -> bool:
    return value is None or (isinstance(value, float | np.floating) and math.isnan(value)) or type(value).__name__ in (
        "NAType",
        "NaTType",
    )  # fmt: skip


def number_of(name: str, value: object, where: str = "") -> float:
    """Number of a continuous node.

    Raises
    ------
    ParameterError
        If it is not a finite number.
    """
    try:
        array = real_numbers(value)  # type: ignore[arg-type]
    except TypeError:
        array = np.array([math.nan])
    if array.ndim or isinstance(value, bool | np.bool_) or not math.isfinite(array):
        raise ParameterError(f"{quoted(name)} is continuous{where} and takes a finite number, not {quoted(value)}")
    return float(array)


def by_state(called: str, name: str, states: Sequence[str], given: Mapping[Any, Any], where: str = "") -> Floats:
    """Numbers of at least 0 that are given for states of a node; 0 for those that are not named.

    Parameters
    ----------
    called
        What messages call such a number.
    name
        The node.
    states
        Its labels.
    given
        The numbers.
    where
        Words for where they were given.

    Raises
    ------
    ParameterError
        If a state or a number is not one, or all numbers are 0.
    """
    numbers = np.zeros(len(states))
    for state, value in given.items():
        try:
            array = real_numbers(value)
        except TypeError:
            array = np.array(math.nan)
        if array.ndim or not (math.isfinite(array) and array >= 0):
            raise ParameterError(
                f"the {called} of {quoted(name)} = {quoted(state)}{where} must be a finite number of at least 0, not "
                f"{quoted(value)}"
            )
        numbers[code_of_state(name, states, state, where)] = array
    if not numbers.any():
        raise ParameterError(f"what is given for the states of {quoted(name)}{where} is 0 for all of them")
    return numbers


def _of_dataset(nodes: Nodes, data: Dataset, ignored: str | None) -> Known:
    _refuse_columns(nodes, data.names)
    source, data = data, in_coding(data, nodes.dag.names, nodes.states, nodes.steps_of)
    codes, numbers = _nothing(nodes, data.n_rows)
    for column, name in enumerate(data.names):
        node = nodes.dag.index(name)
        if name == ignored:
            continue
        if nodes.states[node]:
            codes[:, node] = in_states_of_network(data, column, nodes.states[node])
        else:
            numbers[:, nodes.continuous[node]] = numbers_of_network(data, column)
    return Known(codes, numbers, {}, source, data.interventions)


def _of_table(nodes: Nodes, table: Table, source: Any, ignored: str | None) -> Known:
    """What the columns of a table say; a missing value of a column in which that is a state is this state."""
    names = [name for name in table.names if name not in nodes.left_out]
    _refuse_columns(nodes, names)
    codes, numbers = _nothing(nodes, table.n_rows)
    for name, column in zip(table.names, table.columns, strict=True):
        if name == ignored or name in nodes.left_out:
            continue
        node, present = nodes.dag.index(name), ~column.is_absent()
        rows = np.flatnonzero(present)
        if any(isinstance(step, MissingState) for step in nodes.steps_of.get(name, ())):
            codes[~present, node] = nodes.states[node].index(MISSING_LABEL)
        if not rows.size:
            continue
        values = Values(name, column.take(rows), rows).plain()
        if nodes.states[node]:
            codes[rows, node] = codes_of_values(values, nodes.states[node], nodes.steps_of.get(name, ()))
        elif values.is_numeric:
            numbers[rows, nodes.continuous[node]] = numbers_of_values(values)
        else:
            held = quoted(values.column.to_list()[0])
            raise DataError(
                f"{place(name, int(rows[0]))} holds {held}, but the network takes numbers of it: {quoted(name)} is "
                "continuous there"
            )
    return Known(codes, numbers, {}, source, columns=frozenset(map(nodes.dag.index, names)))


def _refuse_columns(nodes: Nodes, names: Sequence[str]) -> None:
    known = frozenset(nodes.dag.names)
    extra = [name for name in names if name not in known]
    if extra:
        hint = did_you_mean(extra[0], nodes.dag.names)
        raise DataError(f"the columns {listed(extra)} are not nodes of the graph; leave them out of the data{hint}")
