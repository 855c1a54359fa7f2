"""Rows with all nodes known, as tables that look like those in which something was missing."""

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from arcwise.data.codes import Codes, code_type
from arcwise.data.dataset import Dataset
from arcwise.data.frames import Backend, frame_library, frame_of_columns, native_frame, series_of_values
from arcwise.data.tables import Table
from arcwise.network.known import Known, Nodes, in_columns, table_of
from arcwise.support.later import later

if TYPE_CHECKING:
    import narwhals as nw
else:
    nw = later("narwhals")

__all__ = ["completed_like"]

Floats = npt.NDArray[np.float64]


def completed_like(
    nodes: Nodes, known: Known, codes: Codes, numbers: Floats, *, more: Mapping[str, Floats] | None = None
) -> Any:
    """Rows as a table like that from which it was read what is known.

    A Dataset gives a Dataset, a frame one of the same library, in which what was there is as it was; anything else
    gives a frame of the first library that is installed. Nodes without a column get one, after the others.

    Parameters
    ----------
    nodes
        Those of the network.
    known
        What was known.
    codes, numbers
        Of all nodes.
    more
        Columns to add, with which a Dataset becomes a frame.
    """
    source: Any = known.source
    if isinstance(source, Dataset):
        data = _dataset(nodes, source, codes, numbers)
        return data if not more else native_frame({**_columns_of(data.to_frame()), **more}, frame_library())
    backend, columns, index = frame_library(known.backend), dict[str, Any](), None
    if nw.dependencies.is_into_dataframe(source):
        index = getattr(source, "index", None) if backend == "pandas" else None
        for column in nw.from_native(source, eager_only=True).iter_columns():
            columns[str(column.name)] = _filled(nodes, column, known, codes, numbers, backend)
    elif isinstance(source, Mapping | Table):
        table = table_of(source)
        for name, own in zip(table.names, table.columns, strict=True):
            plain_frame = native_frame({name: series_of_values(own.to_list(), backend)}, backend)
            column = next(nw.from_native(plain_frame, eager_only=True).iter_columns())
            columns[name] = _filled(nodes, column, known, codes, numbers, backend)
    made = _columns_of(frame_of_columns(codes, numbers, nodes.dag.names, nodes.states, backend))
    whole = {**columns, **{name: column for name, column in made.items() if name not in columns}, **(more or {})}
    return native_frame(whole, backend, index)


def _dataset(nodes: Nodes, source: Dataset, codes: Codes, numbers: Floats) -> Dataset:
    names = [*source.names, *(name for name in nodes.dag.names if name not in source.names)]
    order = [nodes.dag.index(name) for name in names]
    continuous = nodes.continuous
    columns = [continuous[node] for node in order if node in continuous]
    return Dataset(
        in_columns(codes[:, order].astype(code_type(nodes.arities))),
        tuple(names),
        tuple(tuple(nodes.states[node]) for node in order),
        source.weights,
        interventions=source.interventions,
        numbers=np.asfortranarray(numbers[:, columns]) if columns else None,
    )


def _columns_of(frame: Any) -> dict[str, Any]:
    """Return the columns as their library has them; those of pandas without an index, by which it would match rows."""
    return {str(column.name): _native(column) for column in nw.from_native(frame, eager_only=True).iter_columns()}


def _native(column: "nw.Series[Any]") -> Any:
    own = column.to_native()
    return own.array if column.implementation.is_pandas_like() else own


def _filled(
    nodes: Nodes, column: "nw.Series[Any]", known: Known, codes: Codes, numbers: Floats, backend: Backend
) -> Any:
    """Column in which what was missing is filled in; its type stays, but for categories, which are the states."""
    if str(column.name) in nodes.left_out:
        return _native(column)
    node = nodes.dag.index(str(column.name))
    missing = np.flatnonzero(~known.is_known(nodes, node))
    if not missing.size:
        return _native(column)
    states = nodes.states[node]
    if not states:
        return numbers[:, nodes.continuous[node]]
    values = _values(column, states)
    if values is None:
        return series_of_values(np.array(states, dtype=object)[codes[:, node]].tolist(), backend, states)
    whole = column.to_list()
    for row in missing.tolist():
        whole[row] = values[codes[row, node]]
    return _native(nw.new_series(str(column.name), whole, column.dtype, backend=backend))


def _values(column: "nw.Series[Any]", states: Sequence[str]) -> list[Any] | None:
    """What the states are in a column of this type; None where it has no such values, and for categories."""
    dtype = column.dtype
    parse: Callable[[str], Any]
    if dtype == nw.String:
        parse = str
    elif dtype == nw.Boolean:
        parse = {"False": False, "True": True}.__getitem__
    elif dtype.is_integer():
        parse = int
    elif dtype.is_float():
        parse = float
    else:
        return None
    try:
        return [parse(state) for state in states]
    except (KeyError, ValueError):
        return None
