"""Files of local scores, in the format that the end of their name says."""

import os
from collections.abc import Callable, Mapping

from arcwise.parents.jkl import read_jkl, write_jkl
from arcwise.parents.parent_sets import ParentSets
from arcwise.parents.pss import read_pss, write_pss
from arcwise.support.compression import SUFFIXES, endings
from arcwise.support.errors import ParameterError
from arcwise.support.quoting import shown_path

_Path = str | os.PathLike[str]

_JKL = (read_jkl, write_jkl)
_FORMATS: Mapping[str, tuple[Callable[[_Path], ParentSets], Callable[[ParentSets, _Path], None]]] = {
    ".jkl": _JKL,
    ".scores": _JKL,
    ".jaa": _JKL,
    ".txt": _JKL,
    ".pss": (read_pss, write_pss),
}


def read_scores(path: _Path) -> ParentSets:
    """Table in a file whose name ends in .jkl, .scores, .jaa, .txt or .pss, maybe with a compression's ending after it.

    Raises
    ------
    ParameterError
        If the name ends in something else.
    FormatError
        If the content does not follow the format.
    """
    return _FORMATS[_ending(path)][0](path)


def write_scores(table: ParentSets, path: _Path) -> None:
    """Write a table in the format and with the compression that the end of the name says.

    Raises
    ------
    ParameterError
        If the name ends in something else, or the table cannot be written.
    """
    _FORMATS[_ending(path)][1](table, path)


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
