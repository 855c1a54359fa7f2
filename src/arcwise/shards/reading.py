"""Tables of any size: codes where these fit, and what is left of a larger table where they do not."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from arcwise.data.dataset import Dataset
from arcwise.data.missing import KEPT
from arcwise.data.parts import has_parts, is_large
from arcwise.data.row_store import TooLargeError
from arcwise.data.streamed import BYTES_OF_A_CHUNK
from arcwise.shards.dataset import ShardedDataset
from arcwise.support.errors import DataError
from arcwise.support.machine import available_memory

__all__ = ["about_shards", "table_of_any_size"]

# What a search takes of memory for each byte of codes: these, as they are counted, and bits.
_PER_CODE = 2.5


def table_of_any_size(data: Any, *, memory: int | None = None, **options: Any) -> Dataset:
    """Table of whatever `Dataset.of` takes; where its codes do not fit, in shards of this process.

    Parameters
    ----------
    data
        The data.
    memory
        Bytes that learning from it may take; nine tenths of what is available when None.
    options
        Those of `Dataset.of`.

    Raises
    ------
    ParameterError
        If the table fits neither way, with the figure.

    Examples
    --------
    >>> table_of_any_size({"a": [0, 1, 1], "b": ["x", "x", "y"]})
    Dataset(3 rows, 2 variables, 2 states each)
    """
    is_in_parts = has_parts(data) or (isinstance(data, str | Path) and is_large(Path(data)))
    if not is_in_parts:
        return Dataset.of(data, **options)
    memory = int(0.9 * available_memory()) if memory is None else memory
    try:
        return Dataset.of(data, memory=BYTES_OF_A_CHUNK + int((memory - BYTES_OF_A_CHUNK) / _PER_CODE), **options)
    except TooLargeError as error:
        if not _can_be_in_shards(options):
            raise
        try:
            return ShardedDataset.of(data, memory=memory, **options)
        except DataError:  # it has variables of both kinds
            raise error from None


def _can_be_in_shards(options: Mapping[str, Any]) -> bool:
    said = {name for name, value in options.items() if value is not None}
    return options.get("missing") not in ("keep", *KEPT) and not said & {"like", "interventions"}


def about_shards(data: ShardedDataset) -> str:
    """Words for how a table that is too large for codes is kept."""
    if data.products is not None:
        return f"{data.n_rows:,} rows do not fit into memory: only the sums of products of their numbers are kept"
    return (
        f"{data.n_rows:,} rows do not fit into memory as codes: only their bits are kept, {data.n_bytes / 1e9:.3g} GB"
    )
