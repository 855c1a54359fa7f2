"""Rows with all nodes known, as tables that look like those in which something was missing."""

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from arcwise.data.codes import Codes, code_type
from arcwise.data.dataset import Dataset
from arcwise.data.tables import Column, frame_of_columns
from arcwise.network.answers import Backend, frame_of
from arcwise.network.known import Known, Nodes, in_columns, table_of
from arcwise.support.later import later

if TYPE_CHECKING:
    import narwhals as nw
    import polars as pl
else:
    nw = later("narwhals")
    pl = later("polars")

__all__ = ["completed_like"]

Floats = npt.NDArray[np.float64]


def completed_like(
    nodes: Nodes, known: Known, codes: Codes, numbers: Floats, *, more: Mapping[str, Floats] | None = None
) -> Any:
    """Rows as a table like that from which it was read what is known.

    A Dataset gives a Dataset, a frame one of the same library, in which what was there is as it was; anything else
    gives a frame of polars. Nodes without a column get one, after the others.

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
        return data if not more else frame_of({**_columns_of(data.to_frame()), **more}, "polars")
    backend = known.backend
    columns: dict[str, Any] = {}
    index = None
    if nw.dependencies.is_into_dataframe(source) or isinstance(source, Mapping):
        table = table_of(source)
        index = getattr(source, "index", None) if backend == "pandas" else None
        for name, column in zip(table.names, table.columns, strict=True):
            columns[name] = _filled(nodes, nodes.dag.index(name), column, known, codes, numbers)
    plain = frame_of_columns(codes, numbers, nodes.dag.names, nodes.states, "pandas" if index is not None else "polars")
    made = _columns_of(plain)
    whole = {**columns, **{name: column for name, column in made.items() if name not in columns}, **(more or {})}
    if backend == "pyarrow":
        return _arrow(whole)
    if backend == "pandas":  # without their indices, by which pandas would match the rows
        whole = {
            name: column.to_native().array if isinstance(column, nw.Series) else column
            for name, column in whole.items()
        }
    return frame_of(whole, backend, index)


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


def _columns_of(frame: Any) -> dict[str, Column]:
    return {column.name: column for column in nw.from_native(frame, eager_only=True).iter_columns()}


def _filled(nodes: Nodes, node: int, column: Column, known: Known, codes: Codes, numbers: Floats) -> Any:
    """Column in which what was missing is filled in; its type stays, but for categories, which are the states."""
    missing = np.flatnonzero(~known.is_known(nodes, node))
    if not missing.size:
        return column
    states = nodes.states[node]
    if not states:
        return numbers[:, nodes.continuous[node]]
    values = _values(column, states)
    backend: Backend = "pandas" if column.implementation.is_pandas_like() else "polars"
    if values is None:
        labels = np.array(states, dtype=object)[codes[:, node]]
        return nw.new_series(column.name, labels, nw.Enum(states), backend=backend)
    whole = column.to_list()
    for row in missing.tolist():
        whole[row] = values[codes[row, node]]
    return nw.new_series(column.name, whole, column.dtype, backend=backend)


def _values(column: Column, states: Sequence[str]) -> list[Any] | None:
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


def _arrow(columns: Mapping[str, Any]) -> Any:
    """Table of pyarrow, which polars makes: narwhals has no categories there."""
    native = {name: found.to_native() if isinstance(found, nw.Series) else found for name, found in columns.items()}
    made = [
        pl.Series(name, found) if isinstance(found, np.ndarray | pl.Series) else pl.Series(name, pl.from_arrow(found))
        for name, found in native.items()
    ]
    return pl.DataFrame(made).to_arrow()
