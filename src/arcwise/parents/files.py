"""Files of local scores, in the format that the end of their name says."""

import os
from collections.abc import Callable, Mapping

from arcwise.parents.jkl import read_jkl, write_jkl
from arcwise.parents.parent_sets import ParentSets
from arcwise.parents.pss import read_pss, write_pss
from arcwise.support.arguments import instance
from arcwise.support.errors import ParameterError
from arcwise.support.files import SUFFIXES, endings
from arcwise.support.quoting import shown_path

__all__ = ["is_score_file", "read_parent_sets", "write_parent_sets"]

_Path = str | os.PathLike[str]

_JKL = (read_jkl, write_jkl)
_FORMATS: Mapping[str, tuple[Callable[[_Path], ParentSets], Callable[[ParentSets, _Path], None]]] = {
    ".jkl": _JKL,
    ".scores": _JKL,
    ".jaa": _JKL,
    ".txt": _JKL,
    ".pss": (read_pss, write_pss),
}


def read_parent_sets(path: _Path) -> ParentSets:
    """Table in a text file: .jkl, .scores, .jaa or .txt, or .pss; with .gz, .xz, .bz2 or .zst after it, unpacked.

    See `arcwise.parents.jkl` and `arcwise.parents.pss` for the two formats and what is refused.

    Raises
    ------
    ParameterError
        If the name ends in something else.
    FormatError
        If the content does not follow the format.
    """
    return _FORMATS[_ending(path)][0](path)


def write_parent_sets(table: ParentSets, path: _Path) -> None:
    """Write a file that `read_parent_sets` reads back as an equal table; the end of the name decides the format.

    Raises
    ------
    ParameterError
        If the name ends in something else, or the table cannot be written.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> table = ParentSets.from_lists(["a", "b"], [[(-2.5, [])], [(-3.0, []), (-1.5, ["a"])]])
    >>> with TemporaryDirectory() as folder:
    ...     write_parent_sets(table, Path(folder, "table.jkl.gz"))
    ...     read_parent_sets(Path(folder, "table.jkl.gz")) == table
    True
    """
    _FORMATS[_ending(path)][1](instance("table", table, ParentSets), path)


def is_score_file(path: _Path) -> bool:
    """Whether the name is that of a file of scores.

    Examples
    --------
    >>> is_score_file("table.jkl.gz"), is_score_file("data.csv.gz")
    (True, False)
    """
    return endings(path)[0] in _FORMATS


def _ending(path: _Path) -> str:
    ending, _ = endings(path)
    if ending not in _FORMATS:
        raise ParameterError(
            f"{shown_path(path)!r} does not say the format of its scores; names end in {', '.join(_FORMATS)}, and "
            f"after that maybe in {', '.join(SUFFIXES)}"
        )
    return ending
