"""How much memory a search will take."""

from arcwise.data.dataset import Dataset
from arcwise.search.search import Search
from arcwise.search.trees.chow_liu import ChowLiu
from arcwise.support.errors import ParameterError
from arcwise.support.machine import gigabytes
from arcwise.support.messages import Setting

__all__ = ["CACHE_BYTES", "check_memory", "estimated_bytes"]

#: What the cache of scores may take where there is plenty.
CACHE_BYTES = 1 << 30

# What the process takes without any data.
_BYTES_OF_THE_PROCESS = 200 << 20


def estimated_bytes(search: Search, data: Dataset, *, cache_bytes: int = CACHE_BYTES) -> int:
    """Bytes that a search will take at most, as far as that is known: the data as it is counted, scores, pairs.

    Parameters
    ----------
    search
        The search.
    data
        What it learns from.
    cache_bytes
        What the cache of scores may take.

    Examples
    --------
    >>> from arcwise import Orders, load_example
    >>> data = load_example("asia").sample(100, seed=1)
    >>> estimated_bytes(Orders(), data, cache_bytes=0) < 1 << 30
    True
    """
    planes = sum(data.arities) * (data.n_rows // 8 + 8)
    counted = 2 * data.n_rows * data.n_variables * data.codes.itemsize + planes
    pairs = search.bytes_per_pair * data.n_variables**2
    return _BYTES_OF_THE_PROCESS + counted + cache_bytes + pairs


def check_memory(search: Search, data: Dataset, memory: int, cache_bytes: int) -> None:
    """Refuse a search that does not fit, before it begins."""
    needed = estimated_bytes(search, data, cache_bytes=cache_bytes)
    if needed <= memory:
        return
    least = estimated_bytes(ChowLiu(), data, cache_bytes=cache_bytes)
    tree = ("use ", Setting("method", "chow-liu"), f", which needs about {gigabytes(least)}")
    raise ParameterError(
        f"{search.name} needs about {gigabytes(needed)} for {data.n_variables:,} variables and {data.n_rows:,} rows, "
        f"and memory allows {gigabytes(memory)}; give more with ",
        Setting("memory"),
        ", or ",
        tree if least <= memory else "use fewer variables",
    )
