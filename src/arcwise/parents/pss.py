"""Tables of local scores in the text format of URLearning (.pss).

Lines `META key = value` come first. Then each variable has a line `VAR NAME`, maybe more `META` lines, and lines
`SCORE P1 P2 …` with the parents by name, none for the empty set. White space separates, larger scores are better, and
blank lines and those that start with # are ignored. What `META` lines say is left out, except that `num_variables` must
be right.
"""

import os

from arcwise.parents.parent_sets import ParentSets
from arcwise.parents.score_lines import ScoreLines, refuse_unwritable
from arcwise.support.files import read_text, write_text
from arcwise.support.quoting import quoted


def read_pss(path: str | os.PathLike[str]) -> ParentSets:
    """Table in a pss file, decompressed when its name ends in .gz, .xz, .bz2 or .zst.

    See `parse_pss` for what is read and what is refused.
    """
    return parse_pss(read_text(path), path=os.fspath(path))


def write_pss(table: ParentSets, path: str | os.PathLike[str]) -> None:
    """Write a table to a pss file, compressed when the name ends in .gz, .xz, .bz2 or .zst.

    `read_pss` gives back an equal table. See `format_pss` for what cannot be written.
    """
    write_text(path, format_pss(table))


def parse_pss(text: str, *, path: str | None = None) -> ParentSets:
    """Table in a pss text, with the variables in the order of the text; the sets may be in any order.

    Parameters
    ----------
    text
        The whole text.
    path
        Where it came from, for messages.

    Raises
    ------
    FormatError
        With the line, if the text does not follow the format, has no variable or not as many as it says, a variable is
        unknown, declared twice or without sets, a set is repeated or holds a parent twice or its own variable, a score
        is not a finite number, or scores look like costs (some positive, none negative).

    Examples
    --------
    >>> parse_pss('''
    ... META pss_version = 0.1
    ... VAR rain
    ... META arity=2
    ... -4.5
    ...
    ... VAR wet
    ... -7.25
    ... -3.5 rain
    ... ''').sets("wet")
    [(-3.5, ('rain',)), (-7.25, ())]
    """
    source = ScoreLines(text, path)
    announced: int | None = None
    for line, fields in source.fields():
        first = fields[0]
        if first == "META":
            key, value = _metadata(source, line, fields)
            if key == "num_variables" and not source.n_variables:
                announced = source.whole_number(value, "the number of variables", line)
        elif first == "VAR":
            if len(fields) != 2:
                raise source.error(f"VAR NAME should stand here, with one name, not {len(fields) - 1}", line)
            if source.n_variables == announced:
                raise source.error(f"this variable is one more than num_variables says ({announced})", line)
            source.declare(fields[1], line)
        elif source.n_variables:
            source.add(line, first, fields[1:])
        else:
            raise source.error(f"META or VAR should stand here, before the first set, not {quoted(first)}", line)
    if not source.n_variables or (announced is not None and source.n_variables < announced):
        wanted = "at least one" if announced is None else str(announced)
        raise source.ends_early(f"it has {source.n_variables} variables and should have {wanted}")
    return source.table()


def _metadata(source: ScoreLines, line: int, fields: list[str]) -> tuple[str, str]:
    key, equals, value = " ".join(fields[1:]).partition("=")
    if not equals:
        raise source.error("META key = value should stand here; there is no equals sign", line)
    return key.strip(), value.strip()


def format_pss(table: ParentSets) -> str:
    """Table as a pss text: sets best first, scores as the shortest decimals that read back as the same numbers.

    Raises
    ------
    ParameterError
        If a name contains white space or #, or the scores look like costs (some positive, none negative), since such a
        text could not be read again.

    Examples
    --------
    >>> print(format_pss(ParentSets.from_lists(["a", "b"], [[(-0.1, [])], [(-3, []), (-1.5, ["a"])]])), end="")
    META pss_version = 0.1
    META num_variables = 2
    <BLANKLINE>
    VAR a
    -0.1
    <BLANKLINE>
    VAR b
    -1.5 a
    -3.0
    """
    refuse_unwritable(table, "pss")
    parts = [f"META pss_version = 0.1\nMETA num_variables = {table.n_variables}\n"]
    for name in table.names:
        lines = [f"\nVAR {name}", *(" ".join((repr(score), *parents)) for score, parents in table.sets(name))]
        parts.append("\n".join(lines) + "\n")
    return "".join(parts)
