"""How much memory a search will take, and how much there is."""

import os
from pathlib import Path

from arcwise.control_groups import group_folders
from arcwise.data.dataset import Dataset
from arcwise.errors import ParameterError

__all__ = ["CACHE_BYTES", "available_memory", "check_memory", "estimated_bytes", "gigabytes"]

#: What the memory of scores may take where there is plenty.
CACHE_BYTES = 1 << 30

# What each search keeps for every ordered pair of variables, measured on 3,000 and 5,000 of them and rounded up.
_BYTES_PER_PAIR = {
    "orders": 32,
    "greedy": 20,
    "sgs2": 20,
    "sgs3": 20,
    "tabu": 20,
    "lagd": 20,
    "mmhc": 64,
    "mtmhc": 16,
    "k2": 4,
    "ges": 8,
    "kes": 8,
    "xges": 8,
    "chow-liu": 4,
}
# What the programme takes without any data.
_BYTES_OF_THE_PROGRAMME = 200 << 20


def available_memory() -> int:
    """Bytes that can be used without making others wait: what the system, or the container, has left.

    Examples
    --------
    >>> available_memory() > 0
    True
    """
    limits = [_available_in_system(), *_left_in_container()]
    return min(limits)


def _available_in_system() -> int:
    try:
        for line in Path("/proc/meminfo").read_text(encoding="ascii").splitlines():
            name, _, value = line.partition(":")
            if name == "MemAvailable":
                return 1024 * int(value.split()[0])
    except OSError:
        pass
    if hasattr(os, "sysconf") and "SC_PHYS_PAGES" in os.sysconf_names:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return 4 << 30  # a system that does not say


# Version 1 writes the largest number of pages there can be where there is no limit; no machine has an exbibyte.
_NO_LIMIT = 1 << 60


def _left_in_container(root: Path = Path("/")) -> list[int]:
    """Return what the control groups of this process leave it; nothing for those without a limit."""
    second, first = group_folders("memory", root)
    left = [_left_in(folder, "memory.max", "memory.current", "inactive_file") for folder in second]
    left += [
        _left_in(folder, "memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file") for folder in first
    ]
    return [room for room in left if room is not None]


def _left_in(folder: Path, limit: str, usage: str, inactive: str) -> int | None:
    try:
        most = (folder / limit).read_text(encoding="ascii").strip()
        used = int((folder / usage).read_text(encoding="ascii"))
        lines = (folder / "memory.stat").read_text(encoding="ascii").splitlines()
        # Pages of files that were read count as used, but the system gives them up when memory is needed.
        files = sum(int(line.split()[1]) for line in lines if line.startswith(f"{inactive} "))
        return None if most == "max" or int(most) >= _NO_LIMIT else max(0, int(most) - max(0, used - files))
    except (OSError, ValueError, IndexError):
        return None


def estimated_bytes(method: str, data: Dataset, *, cache_bytes: int = CACHE_BYTES) -> int:
    """Bytes that a search will take at most, as far as that is known: the data as it is counted, scores, pairs.

    Parameters
    ----------
    method
        The search.
    data
        What it learns from.
    cache_bytes
        What the memory of scores may take.

    Examples
    --------
    >>> from arcwise.data.examples import load_example
    >>> data = load_example("asia").sample(100, seed=1)
    >>> estimated_bytes("orders", data, cache_bytes=0) < 1 << 30
    True
    """
    planes = sum(data.arities) * (data.n_rows // 8 + 8)
    counted = 2 * data.n_rows * data.n_variables * data.codes.itemsize + planes
    pairs = _BYTES_PER_PAIR.get(method, 32) * data.n_variables**2
    return _BYTES_OF_THE_PROGRAMME + counted + cache_bytes + pairs


def check_memory(method: str, data: Dataset, memory: int, cache_bytes: int) -> None:
    """Refuse a search that does not fit, before it begins."""
    needed = estimated_bytes(method, data, cache_bytes=cache_bytes)
    if needed <= memory:
        return
    least = estimated_bytes("chow-liu", data, cache_bytes=cache_bytes)
    other = f"use method='chow-liu', which needs about {gigabytes(least)}" if least <= memory else "use fewer variables"
    raise ParameterError(
        f"{method} needs about {gigabytes(needed)} for {data.n_variables:,} variables and {data.n_rows:,} rows, and "
        f"memory allows {gigabytes(memory)}; give more with memory=, or {other}"
    )


def gigabytes(n_bytes: int) -> str:
    """Bytes in words.

    Examples
    --------
    >>> gigabytes(2_500_000_000)
    '2.5 GB'
    """
    return f"{n_bytes / 1e9:.3g} GB"
