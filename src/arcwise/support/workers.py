"""How many threads work side by side: as many as the user says, or one per usable core."""

import os
import sys
from math import ceil
from pathlib import Path

from arcwise.support.arguments import count
from arcwise.support.control_groups import group_folders

__all__ = ["usable_cores", "workers_or_default"]


def workers_or_default(workers: int | None) -> int:
    """Return the number of threads: the given one, or one per usable core for None.

    Examples
    --------
    >>> workers_or_default(3), workers_or_default(None) == usable_cores()
    (3, True)
    """
    return usable_cores() if workers is None else count("workers", workers, least=1)


def usable_cores(root: Path = Path("/")) -> int:
    """Return how many cores this process may use, at least 1.

    That is fewer than the machine has where the process is bound to some of them (``taskset``, a batch system), and
    where it runs in a control group with a quota of processor time (a container): two and a half cores are three.

    Parameters
    ----------
    root
        The folder with ``proc`` and ``sys``.
    """
    return max(1, min([_bound_cores(), *map(ceil, _quotas(root))]))


def _bound_cores() -> int:
    if sys.version_info >= (3, 13):
        return os.process_cpu_count() or 1
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _quotas(root: Path) -> list[float]:
    """Return what the control groups of this process allow, in cores; nothing for those without a quota."""
    second, first = group_folders("cpu", root)
    quotas = [*map(_quota_v2, second), *map(_quota_v1, first)]
    return [quota for quota in quotas if quota is not None]


def _quota_v2(folder: Path) -> float | None:
    try:
        quota, period = (folder / "cpu.max").read_text(encoding="ascii").split()
        return None if quota == "max" else int(quota) / int(period)
    except (OSError, ValueError, ZeroDivisionError):
        return None


def _quota_v1(folder: Path) -> float | None:
    try:
        quota = int((folder / "cpu.cfs_quota_us").read_text(encoding="ascii"))
        period = int((folder / "cpu.cfs_period_us").read_text(encoding="ascii"))
        return None if quota < 0 else quota / period
    except (OSError, ValueError, ZeroDivisionError):
        return None
