"""What this process may use of the machine, or of the container it runs in: memory and cores."""

import os
import sys
from math import ceil
from pathlib import Path, PurePosixPath

from arcwise.support.arguments import count

__all__ = ["available_memory", "gigabytes", "usable_cores", "workers_or_default"]


def available_memory() -> int:
    """Bytes that can be used without making others wait: what the system, or the container, has left.

    Examples
    --------
    >>> available_memory() > 0
    True
    """
    import psutil  # here, since many who import this never ask

    return min([int(psutil.virtual_memory().available), *_left_in_container()])


# Version 1 writes the largest number of pages there can be where there is no limit; no machine has an exbibyte.
_NO_LIMIT = 1 << 60


def _left_in_container(root: Path = Path("/")) -> list[int]:
    """Return what the control groups of this process leave it; nothing for those without a limit."""
    second, first = _group_folders("memory", root)
    left = [_left_in(folder, "memory.max", "memory.current", "inactive_file") for folder in second]
    left += [
        _left_in(folder, "memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file") for folder in first
    ]
    return [room for room in left if room is not None]


def _left_in(folder: Path, limit: str, usage: str, inactive: str) -> int | None:
    try:
        most = (folder / limit).read_text(encoding="ascii").strip()
        if most == "max" or int(most) >= _NO_LIMIT:
            return None
        used = int((folder / usage).read_text(encoding="ascii"))
        lines = (folder / "memory.stat").read_text(encoding="ascii").splitlines()
        # Pages of files that were read count as used, but the system gives them up when memory is needed.
        files = sum(int(line.split()[1]) for line in lines if line.startswith(f"{inactive} "))
        return max(0, int(most) - max(0, used - files))
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
    second, first = _group_folders("cpu", root)
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


def _group_folders(controller: str, root: Path = Path("/")) -> tuple[list[Path], list[Path]]:
    """Return where the limits of a controller may be: of the groups of this process, and of all that these are in.

    Parameters
    ----------
    controller
        What is limited: ``cpu`` or ``memory``.
    root
        The folder with ``proc`` and ``sys``.

    Returns
    -------
        Folders of version 2, and of version 1; not all of them have to be there.
    """
    try:
        lines = (root / "proc/self/cgroup").read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        lines = ["0::/", f"1:{controller}:/"]
    mounts, second, first = root / "sys/fs/cgroup", list[Path](), list[Path]()
    for line in lines:  # such as 0::/user.slice/app or 4:cpu,cpuacct:/docker/1f0a
        _, controllers, group = [*line.split(":", 2), "", ""][:3]
        if not controllers:
            second += [folder for mount in (".", "unified") for folder in _upwards(mounts / mount, group)]
        elif controller in controllers.split(","):
            first += [folder for mount in {controller, controllers} for folder in _upwards(mounts / mount, group)]
    return second, first


def _upwards(mount: Path, group: str) -> list[Path]:
    """Return the folders of a group and of all that it is in.

    Seen from within a container, the group's own folder may be the mounted one, whatever the group is called outside.
    """
    inner = PurePosixPath(group.lstrip("/"))
    if ".." in inner.parts:  # the process was moved out of what it sees
        return [mount]
    return [mount / part for part in (inner, *inner.parents)]
