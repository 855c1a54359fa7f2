"""Networks in the format of the UAI evaluations of inference, which holds numbers only.

A file says how many states each variable has, then for each table its variables, the child last, and then the numbers,
the last variable fastest. Names of variables and states are lost: what is read has the names X0, X1, … and the states
0, 1, …. pgmpy 1.1 and pyAgrum 3.3 take the numbers in other orders than the format's definition, pyAgrum only where a
child has two parents or more: between these libraries another format is the better choice.
"""

import os
import re
import sys
import warnings

from arcwise.data.codes import MAX_ARITY, numbered_states
from arcwise.io.declarations import Family, Source, Variable, family_distributions, network_of, only_tables
from arcwise.io.numbers import numbers_of
from arcwise.network.network import BayesianNetwork
from arcwise.support.errors import ArcwiseWarning, FormatError
from arcwise.support.files import read_text, write_text
from arcwise.support.names import default_names
from arcwise.support.quoting import quoted

__all__ = ["format_uai", "parse_uai", "read_uai", "write_uai"]

_COMMENT = re.compile(r"#[^\n]*|(?:(?<=\n)|\A)c(?:[ \t][^\n]*)?(?=\n)")
_WORD = re.compile(r"\S+")


def read_uai(path: str | os.PathLike[str]) -> BayesianNetwork:
    """Network in a UAI file; .gz, .xz, .bz2 and .zst are decompressed. See `parse_uai`."""
    return parse_uai(read_text(path), path=os.fspath(path))


def write_uai(network: BayesianNetwork, path: str | os.PathLike[str]) -> None:
    """Write a network to a UAI file, compressed when the name ends in .gz, .xz, .bz2 or .zst.

    `read_uai` gives back the same graph and tables, without names. See `format_uai`.
    """
    write_text(path, format_uai(network))


def parse_uai(text: str, *, path: str | None = None) -> BayesianNetwork:
    """Network in a UAI text; variables are called X0, X1, … and states 0, 1, ….

    Lines that begin with the word c, and what follows a #, are comments.

    Parameters
    ----------
    text
        The whole text.
    path
        Where it came from, for messages.

    Warns
    -----
    ArcwiseWarning
        If pyAgrum may have written the text, which lists the tables of two parents or more in another order.

    Raises
    ------
    FormatError
        With the line, if the text is cut short or continues after its end, is of a Markov network, or a number is not
        what it should be.

    Examples
    --------
    >>> parse_uai("BAYES 2 2 3 2 1 0 2 0 1 2 0.5 0.5 6 0.2 0.3 0.5 1 0 0").table("X1")
    array([[0.2, 0.3, 0.5],
           [1. , 0. , 0. ]])
    """
    source = Source(_COMMENT.sub(lambda match: " " * len(match[0]), text), path)
    words = _Words(source)
    kind = words.next("BAYES")
    if kind.upper() != "BAYES":
        markov = " (a Markov network has no directions to read)" if kind.upper() == "MARKOV" else ""
        raise words.error(f"expected BAYES, not {quoted(kind)}{markov}")
    variables = []
    names = default_names(words.count("the number of variables", most=words.left, least=1))
    for name in names:
        arity = words.count(f"the number of states of {name}", most=MAX_ARITY, least=1)
        variables.append(Variable(name, numbered_states(arity), words.position))
    scopes = []
    for _ in range(words.count("the number of tables", most=words.left)):
        size = words.count("the number of variables of a table", most=words.left, least=1)
        members = [names[words.count("the index of a variable", most=len(names) - 1)] for _ in range(size)]
        scopes.append(members)
    families = []
    for *parents, child in scopes:
        size = words.count(f"how many numbers {child} has", most=sys.maxsize)
        start = words.position
        families.append(Family(child, tuple(parents), words.numbers(size), start))
    words.end()
    network = network_of(source, variables, families, family_distributions, called="table")
    if "#" in text and max(map(len, network.dag.parent_indices)) > 1:
        warnings.warn(
            f"{path or 'the text'} has comments after #, as pyAgrum writes them, and children of several parents. "
            "Their tables were read in the order of the format's definition, which is not that of pyAgrum: if pyAgrum "
            "wrote the file, save it there in another format, such as bifxml.",
            ArcwiseWarning,
            stacklevel=2,
        )
    return network


class _Words:
    """The words of a text, one after the other; `position` is where the last one begins."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._found = [(match[0], match.start()) for match in _WORD.finditer(source.text)]
        self._at = 0
        self.position = 0

    @property
    def left(self) -> int:
        """How many there are still: no number of things can be larger."""
        return len(self._found) - self._at

    def error(self, message: str) -> FormatError:
        return self._source.error(message, self.position)

    def next(self, expected: str) -> str:
        if not self.left:
            raise self._source.error(f"the file ends here; expected {expected}", self._source.end)
        word, self.position = self._found[self._at]
        self._at += 1
        return word

    def count(self, expected: str, *, most: int, least: int = 0) -> int:
        word = self.next(expected)
        if not (word.isascii() and word.isdigit() and len(word) < 20):
            raise self.error(f"expected {expected}, a whole number, not {quoted(word)}")
        if not least <= int(word) <= most:
            raise self.error(f"{expected} cannot be {word}; here it can be from {least} to {most}")
        return int(word)

    def numbers(self, size: int) -> list[float]:
        if size > self.left:
            message = f"the file ends here; expected {size} numbers, of which {self.left} are there"
            raise self._source.error(message, self._source.end)
        taken = self._found[self._at : self._at + size]
        self._at += size
        return numbers_of([word for word, _ in taken], self.error)

    def end(self) -> None:
        if self.left:
            word = self.next("")
            raise self.error(f"the tables are complete, but {quoted(word)} follows")


def format_uai(network: BayesianNetwork) -> str:
    r"""UAI text of a network, with the shortest decimals that read back as the same numbers.

    Warns
    -----
    ArcwiseWarning
        If there are names or states that the text does not hold.

    Raises
    ------
    ParameterError
        For continuous nodes.

    Examples
    --------
    >>> network = parse_uai("BAYES 2 2 3 2 1 0 2 0 1 2 0.5 0.5 6 0.2 0.3 0.5 1 0 0")
    >>> format_uai(network).split("\n")
    ['BAYES', '2', '2 3', '2', '1 0', '2 0 1', '', '2', '0.5 0.5', '', '6', '0.2 0.3 0.5', '1.0 0.0 0.0', '']
    """
    tables = only_tables(network, "UAI")
    numbered = tuple(map(numbered_states, network.arities))
    if network.names != default_names(len(network.names)) or network.states != numbered:
        warnings.warn(
            "UAI files hold neither names nor states: in the file the variables are 0, 1, … in the order of the "
            "network, and so are the states of each; other formats keep them",
            ArcwiseWarning,
            stacklevel=2,
        )
    lines = ["BAYES", str(len(network.names)), " ".join(map(str, network.arities)), str(len(network.names))]
    for child, parents in enumerate(network.dag.parent_indices):
        lines.append(" ".join(map(str, (len(parents) + 1, *parents, child))))
    for table in tables:
        rows = table.reshape(-1, table.shape[-1]).tolist()
        lines += ["", str(table.size), *(" ".join(map(repr, row)) for row in rows)]
    return "\n".join(lines) + "\n"
