"""Files that are written whole or not at all."""

import errno
import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

__all__ = ["replaced"]


@contextmanager
def replaced(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """File open for writing bytes that takes the place of `path` when the block ends without an error.

    Until then it lies under a temporary name in the same folder, so that whoever reads `path` sees the old content or
    the new one, never a part, and an error or a full disk leaves the old content as it was. So does a kill, which also
    leaves the temporary file, .arcwise-….part. After the block the new content stays, even if the power fails then.
    Permissions of a file that is there are kept and a link is followed; a device or a pipe, such as /dev/stdout, is
    written to directly.

    Raises
    ------
    OSError
        Of the usual kind, with `path` as its file, if the folder is missing, or this is a folder or not writable.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder, "note.txt")
    ...     with replaced(path) as file:
    ...         _ = file.write(b"done")
    ...     path.read_bytes(), len(os.listdir(folder))
    (b'done', 1)
    """
    target = Path(os.path.realpath(path))  # a file in the place of a link would cut the link
    if target.is_dir():
        raise OSError(errno.EISDIR, os.strerror(errno.EISDIR), os.fspath(path))
    if target.exists() and not target.is_file():
        with target.open("wb") as file:
            yield file
        return
    if target.exists() and not os.access(target, os.W_OK):  # putting another file in its place would be possible
        raise OSError(errno.EACCES, os.strerror(errno.EACCES), os.fspath(path))
    part = target.with_name(f".arcwise-{secrets.token_hex(8)}.part")
    try:
        file = part.open("xb")
    except OSError as error:  # with a name that means nothing to the user
        raise OSError(error.errno, error.strerror, os.fspath(path)) from None
    try:
        with file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        if target.exists():
            part.chmod(target.stat().st_mode)
        part.replace(target)
    except BaseException:
        part.unlink(missing_ok=True)
        raise
    _keep_name(target.parent)


def _keep_name(folder: Path) -> None:
    """Have the folder written too: after a power cut, a new name that is only in memory would be gone.

    Some systems and file systems cannot do it (Windows opens no folders); the file is complete all the same.
    """
    with suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
