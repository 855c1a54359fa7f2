"""Networks in the NET format of HUGIN, as far as it is about discrete variables.

Reading takes the states of the nodes and the data of the potentials, and leaves out whatever else there is, such as
labels and positions. Writing makes one distribution in a line, nested in parentheses as deep as there are parents.
"""

import os
import re
from collections.abc import Sequence

from arcwise.compression import read_text, write_text
from arcwise.errors import FormatError, ParameterError
from arcwise.io.declarations import Family, Source, Variable, family_distributions, network_of
from arcwise.io.numbers import numbers_of
from arcwise.network.network import BayesianNetwork

__all__ = ["format_net", "parse_net", "read_net", "write_net"]

_STRING = r'"(?:[^"\\]|\\.)*+"'
_COMMENT = re.compile(rf"{_STRING}|%[^\n]*", re.DOTALL)
_TOKEN = re.compile(rf'\s*({_STRING}|[{{}}()|=;]|[^\s{{}}()|=;"]+)', re.DOTALL)
_DATA = re.compile(r'\s*([^;"{}|=]*);')
_VALUE = re.compile(rf'(?:[^;"{{}}]++|{_STRING})*+;', re.DOTALL)
_IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


def read_net(path: str | os.PathLike[str]) -> BayesianNetwork:
    """Network in a NET file; .gz, .xz, .bz2 and .zst are decompressed. See `parse_net`."""
    return parse_net(read_text(path), path=os.fspath(path))


def write_net(network: BayesianNetwork, path: str | os.PathLike[str]) -> None:
    """Write a network to a NET file, compressed when the name ends in .gz, .xz, .bz2 or .zst.

    `read_net` gives back an equal network. See `format_net` for what cannot be written.
    """
    write_text(path, format_net(network))


def parse_net(text: str, *, path: str | None = None) -> BayesianNetwork:
    """Network in a NET text, with the nodes in the order of their declarations.

    The numbers of a potential are one distribution of the child for each configuration of the parents, of which the
    last one varies fastest.

    Parameters
    ----------
    text
        The whole text.
    path
        Where it came from, for messages.

    Raises
    ------
    FormatError
        With the line, if the text is cut short or does not follow the grammar, for classes, for continuous, decision
        and utility nodes, and for whatever is missing, repeated, unknown or no probability.

    Examples
    --------
    >>> parse_net('net {} node coin { states = ("heads" "tails"); } potential (coin) { data = (0.5 0.5); }')
    <BayesianNetwork: 1 node, 0 arcs, 1 parameter>
    """
    source = Source(_COMMENT.sub(_blanked, text), path)
    scanner = _Scanner(source)
    scanner.network()
    variables: list[Variable] = []
    families: list[Family] = []
    while (word := scanner.next_or_end()) is not None:
        if word in ("node", "discrete"):
            variables.append(scanner.node())
        elif word == "potential":
            families.append(scanner.potential())
        else:
            raise scanner.unexpected("'node' or 'potential', for discrete variables")
    return network_of(source, variables, families, family_distributions, called="potential")


def _blanked(match: re.Match[str]) -> str:
    """Blanks for a comment, so that every position stays; strings stay as they are."""
    found = match[0]
    return found if found.startswith('"') else " " * len(found)


class _Scanner:
    """Reads one construct after the other; `_token` is the last token, at `_start`."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._position = self._start = 0
        self._token = ""

    def next_or_end(self) -> str | None:
        """Next token, or None where only blanks are left."""
        match = _TOKEN.match(self._source.text, self._position)
        if match is None:
            rest = self._source.text[self._position :]
            if rest.strip():
                quote = self._position + rest.index('"')
                raise self._source.error("the string that begins here has no closing '\"'", quote)
            return None
        self._start, self._position, self._token = match.start(1), match.end(), match[1]
        return self._token

    def unexpected(self, expected: str) -> FormatError:
        """Error for the last token."""
        return self._source.error(f"expected {expected}, not {self._token!r}", self._start)

    def network(self) -> None:
        """Take the net block, which must come first; what it says is left out."""
        if self.next_or_end() is None:
            raise self._source.error("the file is empty; expected 'net {'", 0)
        if self._token != "net":
            raise self.unexpected("'net'")
        self._take("{")
        while self._attribute() is not None:
            self._skip_value()

    def node(self) -> Variable:
        """Take a node, after its first word."""
        start = self._start
        if self._token == "discrete":
            self._take("node")
        name = self._name(self._next("the name of a node"))
        states: tuple[str, ...] | None = None
        self._take("{")
        while (attribute := self._attribute()) is not None:
            if attribute != "states":
                self._skip_value()
            elif states is not None:
                raise self._source.error(f"node {name!r} has a second 'states'; keep one", self._start)
            else:
                states = self._states()
        if states is None:
            raise self._source.error(f"node {name!r} has no 'states = (…);'", start)
        return Variable(name, states, start)

    def _states(self) -> tuple[str, ...]:
        self._take("(")
        states = []
        while self._next("a state or ')'") != ")":
            states.append(self._name(self._token))
        self._take(";")
        return tuple(states)

    def potential(self) -> Family:
        """Take a potential, after its first word."""
        start = self._start
        self._take("(")
        child = self._name(self._next("the name of a node"))
        parents = []
        if self._next("'|' or ')'") == "|":
            while self._next("the name of a parent or ')'") != ")":
                parents.append(self._name(self._token))
        elif self._token != ")":
            raise self.unexpected("'|' or ')'; a potential has one child")
        numbers: list[float] | None = None
        self._take("{")
        while (attribute := self._attribute()) is not None:
            if attribute != "data":
                self._skip_value()
            elif numbers is not None:
                raise self._source.error(f"the potential of {child!r} has a second 'data'; keep one", self._start)
            else:
                numbers = self._data()
        if numbers is None:
            raise self._source.error(f"the potential of {child!r} has no 'data = (…);'", start)
        return Family(child, tuple(parents), numbers, start)

    def _data(self) -> list[float]:
        """Take numbers in nested parentheses."""
        match = _DATA.match(self._source.text, self._position)
        if match is None:
            raise self._source.error("the data that begins here is not numbers in parentheses and ';'", self._start)
        self._start, self._position = match.start(1), match.end()
        depth = 0
        for sign in re.findall(r"[()]", match[1]):
            depth += 1 if sign == "(" else -1
            if depth < 0:
                break
        if depth:
            raise self._source.error("the data that begins here has parentheses without partners", self._start)
        words = match[1].replace("(", " ").replace(")", " ").split()
        return numbers_of(words, lambda message: self._source.error(message, self._start))

    def _attribute(self) -> str | None:
        """Name of the next attribute, taken with its '='; None at the end of the block."""
        if self._next("an attribute or '}'") == "}":
            return None
        attribute = self._name(self._token)
        self._take("=")
        return attribute

    def _skip_value(self) -> None:
        match = _VALUE.match(self._source.text, self._position)
        if match is None:
            raise self._source.error("the attribute that begins here has no ';' at its end", self._start)
        self._position = match.end()

    def _next(self, expected: str) -> str:
        token = self.next_or_end()
        if token is None:
            raise self._source.error(f"the file ends here; expected {expected}", self._source.end)
        return token

    def _take(self, token: str) -> None:
        if self._next(f"'{token}'") != token:
            raise self.unexpected(f"'{token}'")

    def _name(self, token: str) -> str:
        """Name that a token is, without quotes."""
        if token.startswith('"'):
            return token[1:-1]
        if token in "{}()|=;":
            raise self.unexpected("a name")
        return token


def format_net(network: BayesianNetwork) -> str:
    """NET text of a network, with the shortest decimals that read back as the same numbers.

    pgmpy and pyAgrum read it where the states are words, pyAgrum only with two states or more.

    Raises
    ------
    ParameterError
        For a node whose name is not of letters, digits and `_` with no digit first, and for a state with a double
        quote, a backslash or a line break, which the format cannot express.

    Examples
    --------
    >>> from arcwise.graph import Dag
    >>> dag = Dag(["a", "b"], [("a", "b")])
    >>> network = BayesianNetwork(dag, [["no", "yes"]] * 2, [[0.5, 0.5], [[1, 0], [0, 1]]])
    >>> print(format_net(network), end="")
    net
    {
    }
    node a
    {
      states = ("no" "yes");
    }
    node b
    {
      states = ("no" "yes");
    }
    potential (a)
    {
      data = (0.5 0.5);
    }
    potential (b | a)
    {
      data = ((1.0 0.0)
              (0.0 1.0));
    }
    """
    for name in network.names:
        if not _IDENTIFIER.fullmatch(name):
            raise ParameterError(
                f"the name {name!r} cannot be written in NET: there it must be of the letters a to z, digits and _, "
                "and not begin with a digit; rename it, or use another format such as XMLBIF"
            )
    lines = ["net", "{", "}"]
    for name, states in zip(network.names, network.states, strict=True):
        lines += [f"node {name}", "{", f"  states = ({' '.join(map(_quoted, states))});", "}"]
    for name, table in zip(network.names, network.tables, strict=True):
        parents = network.dag.parents(name)
        lines += [f"potential ({name} | {' '.join(parents)})" if parents else f"potential ({name})", "{"]
        rows = [" ".join(map(repr, row)) for row in table.reshape(-1, table.shape[-1]).tolist()]
        lines += [*_nested(rows, table.shape[:-1]), "}"]
    return "\n".join(lines) + "\n"


def _nested(rows: Sequence[str], shape: Sequence[int]) -> list[str]:
    """Lines of a data attribute: a distribution in parentheses, and around it a pair for each parent."""
    lines = []
    for index, row in enumerate(rows):
        opened, closed, block = 1, 1, 1
        for arity in reversed(shape):
            block *= arity
            opened += index % block == 0
            closed += (index + 1) % block == 0
        begin = "  data = " if index == 0 else " " * (9 + len(shape) + 1 - opened)
        lines.append(f"{begin}{'(' * opened}{row}{')' * closed}")
    lines[-1] += ";"
    return lines


def _quoted(state: str) -> str:
    if any(character in state for character in '"\\\n\r'):
        raise ParameterError(
            f"the state {state!r} cannot be written in NET: it must have no double quote, backslash or line break"
        )
    return f'"{state}"'
