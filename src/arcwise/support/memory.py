"""How much memory this process may use."""

import os
from pathlib import Path

from arcwise.support.control_groups import group_folders

__all__ = ["available_memory", "gigabytes"]


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


def gigabytes(n_bytes: int) -> str:
    """Bytes in words.

    Examples
    --------
    >>> gigabytes(2_500_000_000)
    '2.5 GB'
    """
    return f"{n_bytes / 1e9:.3g} GB"
