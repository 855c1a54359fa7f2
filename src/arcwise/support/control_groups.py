"""The control groups of this process, by which Linux and its containers limit what it may use."""

from pathlib import Path, PurePosixPath

__all__ = ["group_folders"]


def group_folders(controller: str, root: Path = Path("/")) -> tuple[list[Path], list[Path]]:
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
