"""Shapes of conditional probability tables, and the index of a row's parent configuration in them."""

import math
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from arcwise.support.errors import ParameterError
from arcwise.support.quoting import quoted

MAX_BYTES = 2**31
"""What the tables of one network may take together."""

_MAX_AXES = 32  # of an array in numpy 1; only parents with a single state come near it


def table_shapes(
    names: Sequence[str], arities: Sequence[int], parents: Sequence[Sequence[int]], *, most_bytes: int = MAX_BYTES
) -> list[tuple[int, ...]]:
    """Shape of each node's table: the arities of its parents, then its own.

    Raises
    ------
    ParameterError
        If the tables would not fit into so many bytes, with the node that needs most.
    """
    shapes = [(*(arities[parent] for parent in row), arities[node]) for node, row in enumerate(parents)]
    sizes = [8 * math.prod(shape) for shape in shapes]
    if sum(sizes) > most_bytes:
        node = max(range(len(sizes)), key=sizes.__getitem__)
        raise ParameterError(
            f"the probability tables would take {sum(sizes)} bytes, of which {sizes[node]} for {quoted(names[node])} "
            f"with its {len(parents[node])} parents; at most {most_bytes} are allowed: use fewer parents or fewer "
            "states"
        )
    for name, shape in zip(names, shapes, strict=True):
        if len(shape) > _MAX_AXES:
            raise ParameterError(
                f"{quoted(name)} has {len(shape) - 1} parents; a table can have at most {_MAX_AXES - 1}"
            )
    return shapes


def empty_codes(n_rows: int, arities: Sequence[int]) -> npt.NDArray[np.uint8] | npt.NDArray[np.uint16]:
    """Column-major array for the codes of variables with these arities, in the smallest type that holds them."""
    if max(arities) <= 256:
        return np.empty((n_rows, len(arities)), dtype=np.uint8, order="F")
    return np.empty((n_rows, len(arities)), dtype=np.uint16, order="F")


def configurations(
    columns: Sequence[npt.NDArray[np.unsignedinteger]], arities: Sequence[int], n_rows: int
) -> npt.NDArray[np.intp]:
    """For each row the position of its states in a table with these axes, the last one varying fastest."""
    index = np.zeros(n_rows, dtype=np.intp)
    for column, arity in zip(columns, arities, strict=True):
        index *= arity
        index += column
    return index
