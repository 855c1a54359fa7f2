"""Tables of local scores in the text format of Jaakkola et al. 2010 that GOBNILP, BLIP and others use (.jkl, .scores).

The first line has the number of variables (some files leave it out); then each variable has a line `NAME COUNT` and
COUNT lines `SCORE K P1 … PK`, with the K parents by name. Names may be numbers: files that count the variables from 0
name them so. White space separates, larger scores are better, and blank lines are ignored. So are lines that start with
#, wherever they stand: some programs write the time for each variable after the number of variables.
"""

import os
from collections.abc import Iterator
from itertools import chain
from typing import NamedTuple

from arcwise.parents.parent_sets import ParentSets
from arcwise.parents.score_lines import ScoreLines, refuse_unwritable
from arcwise.parents.set_arrays import MAX_VARIABLES
from arcwise.support.files import read_text, write_text
from arcwise.support.quoting import quoted

_Fields = Iterator[tuple[int, list[str]]]


class _Declaration(NamedTuple):
    name: str
    n_sets: int
    line: int

    def __str__(self) -> str:
        return f"{quoted(self.name)} has {self.n_sets} by line {self.line}"


def read_jkl(path: str | os.PathLike[str]) -> ParentSets:
    """Table in a jkl file, decompressed when its name ends in .gz, .xz, .bz2 or .zst.

    See `parse_jkl` for what is read and what is refused.
    """
    return parse_jkl(read_text(path), path=os.fspath(path))


def write_jkl(table: ParentSets, path: str | os.PathLike[str]) -> None:
    """Write a table to a jkl file, compressed when the name ends in .gz, .xz, .bz2 or .zst.

    `read_jkl` gives back an equal table. See `format_jkl` for what cannot be written.
    """
    write_text(path, format_jkl(table))


def parse_jkl(text: str, *, path: str | None = None) -> ParentSets:
    """Table in a jkl text, with the variables in the order of the text; the sets may be in any order.

    Parameters
    ----------
    text
        The whole text.
    path
        Where it came from, for messages.

    Raises
    ------
    FormatError
        With the line, if the text is cut short or does not follow the format, a number of variables, sets or parents
        is not what follows, a variable is unknown or declared twice, a set is repeated or holds a parent twice or its
        own variable, a score is not a finite number, or scores look like costs (some positive, none negative).

    Examples
    --------
    >>> parse_jkl('''
    ... # by hand
    ... 2
    ... rain 1
    ... -4.5 0
    ... wet 2
    ... -7.25 0
    ... -3.5 1 rain
    ... ''').sets("wet")
    [(-3.5, ('rain',)), (-7.25, ())]
    """
    source = ScoreLines(text, path)
    n_variables, lines = _number_of_variables(source, source.fields())
    variable = None
    for line, fields in lines:
        if source.n_variables == n_variables:
            raise source.error(
                f"the text should have ended before this line, after {n_variables} variables and the sets of the last "
                f"one ({variable}); correct the number of variables or of sets, or remove what is too much",
                line,
            )
        variable = _declaration(source, line, fields, n_variables, variable)
        _add_sets(source, lines, variable)
    if n_variables is not None and source.n_variables < n_variables:
        raise source.ends_early(f"variable {source.n_variables + 1} of {n_variables} has not come yet")
    return source.table()


def _number_of_variables(source: ScoreLines, lines: _Fields) -> tuple[int | None, _Fields]:
    """Return the number of variables, None where the text begins with the first of them, and the lines that follow."""
    for line, fields in lines:
        if len(fields) == 2:
            return None, chain([(line, fields)], lines)
        if len(fields) != 1:
            raise source.error("the number of variables should stand here, alone in its line", line)
        number = source.whole_number(fields[0], "the number of variables", line)
        if not 1 <= number <= MAX_VARIABLES:
            raise source.error(f"there are {number:,} variables; possible are 1 to {MAX_VARIABLES:,}", line)
        return number, lines
    raise source.ends_early("the number of variables has not come yet")


def _declaration(
    source: ScoreLines, line: int, fields: list[str], n_variables: int | None, previous: _Declaration | None
) -> _Declaration:
    if len(fields) == 2 and fields[1].strip("0"):
        number = source.whole_number(fields[1], f"the number of sets of {quoted(fields[0])}", line)
        source.declare(fields[0], line)
        return _Declaration(fields[0], number, line)
    which = f"variable {source.n_variables + 1}" + ("" if n_variables is None else f" of {n_variables}")
    hint = f"; if this is one more set, correct the number of sets ({previous})" if previous else ""
    raise source.error(
        f"NAME COUNT should stand here, {which} and how many sets it has, at least 1, not "
        f"{quoted(' '.join(fields))}{hint}",
        line,
    )


def _add_sets(source: ScoreLines, lines: _Fields, variable: _Declaration) -> None:
    for found in range(variable.n_sets):
        line, fields = next(lines, (0, []))
        if not line:
            raise source.ends_early(f"only {found} sets of the last variable have come ({variable})")
        if len(fields) < 2 or fields[1] != str(len(fields) - 2):
            raise source.error(
                f"SCORE K P1 … PK should stand here, a set with as many parents as K says ({variable}), not "
                f"{quoted(' '.join(fields))}",
                line,
            )
        source.add(line, fields[0], fields[2:])


def format_jkl(table: ParentSets) -> str:
    """Table as a jkl text: sets best first, scores as the shortest decimals that read back as the same numbers.

    Raises
    ------
    ParameterError
        If a name contains white space or #, or the scores look like costs (some positive, none negative), since such a
        text could not be read again.

    Examples
    --------
    >>> print(format_jkl(ParentSets.from_lists(["a", "b"], [[(-0.1, [])], [(-3, []), (-1.5, ["a"])]])), end="")
    2
    a 1
    -0.1 0
    b 2
    -1.5 1 a
    -3.0 0
    """
    refuse_unwritable(table, "jkl")
    parts = [f"{table.n_variables}\n"]
    for name in table.names:
        sets = table.sets(name)
        lines = [f"{name} {len(sets)}"]
        lines += [" ".join((repr(score), str(len(parents)), *parents)) for score, parents in sets]
        parts.append("\n".join(lines) + "\n")
    return "".join(parts)
