"""How many threads work side by side: as many as the user says, or one per usable core."""

import os
import sys
from math import ceil
from pathlib import Path, PurePosixPath

from arcwise.arguments import count

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
    try:
        lines = (root / "proc/self/cgroup").read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return []
    mounts, quotas = root / "sys/fs/cgroup", []
    for line in lines:  # such as 0::/user.slice/app or 4:cpu,cpuacct:/docker/1f0a
        _, controllers, group = [*line.split(":", 2), "", ""][:3]
        if not controllers:
            quotas += [_quota_v2(folder) for mount in (".", "unified") for folder in _folders(mounts / mount, group)]
        elif "cpu" in controllers.split(","):
            quotas += [
                _quota_v1(folder) for mount in ("cpu", controllers) for folder in _folders(mounts / mount, group)
            ]
    return [quota for quota in quotas if quota is not None]


def _folders(mount: Path, group: str) -> list[Path]:
    """Return the folders of a group and of all that it is in.

    Seen from within a container, the group's own folder may be the mounted one, whatever the group is called outside.
    """
    inner = PurePosixPath(group.lstrip("/"))
    return [] if ".." in inner.parts else [mount / part for part in (inner, *inner.parents)]


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
