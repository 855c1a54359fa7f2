"""The text of a NET file taken apart: nodes and potentials, each with its place in the text."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isfinite

from arcwise.io.declarations import Family, Source, Variable
from arcwise.io.numbers import numbers_of
from arcwise.support.errors import FormatError
from arcwise.support.quoting import quoted

_STRING = r'"(?:[^"\\]|\\.)*+"'
# A string without end takes the rest of the text at once: looked at again from each quote in it, that could take hours.
_COMMENT = re.compile(rf"{_STRING}?|%[^\n]*", re.DOTALL)
_TOKEN = re.compile(rf'\s*({_STRING}|[{{}}()|=;]|[^\s{{}}()|=;"]+)', re.DOTALL)
_DATA = re.compile(r'\s*([^;"{}|=]*);')
_VALUE = re.compile(rf'(?:[^;"{{}}]++|{_STRING})*+;', re.DOTALL)
_NODE = ("node", "discrete", "continuous")  # words with which one begins
_NORMAL = re.compile(r"normal\s*+\(([^(),]*),([^(),]*)\)")
_SIGN = r"\s*+(?P<sign>[+-])?\s*+"
_NUMBER, _NAME = r"(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?", "[A-Za-z_][A-Za-z0-9_]*"
_TERM = re.compile(
    rf"{_SIGN}(?:(?P<factor>{_NUMBER})\s*+\*\s*+(?P<of>{_NAME})|(?P<number>{_NUMBER})|(?P<name>{_NAME}))\s*+"
)


@dataclass(frozen=True, slots=True)
class Normal:
    """A normal distribution whose mean is linear in other nodes."""

    intercept: float
    coefficients: Mapping[str, float]
    variance: float


@dataclass(frozen=True, slots=True)
class Normals:
    """All normal distributions of a child: one for each configuration of its discrete parents, the last one fastest."""

    child: str
    parents: tuple[str, ...]
    normals: Sequence[Normal]
    position: int


def parse(text: str, path: str | None = None) -> tuple[Source, list[Variable], list[Family | Normals]]:
    """Nodes and potentials of a NET text, in their order; names are not yet looked up."""
    source = Source(_COMMENT.sub(_blanked, text), path)
    scanner = _Scanner(source)
    in_class = scanner.network()
    variables: list[Variable] = []
    families: list[Family | Normals] = []
    while (word := scanner.next_in_class() if in_class else scanner.next_or_end()) is not None:
        if word in _NODE:
            variables.append(scanner.node())
        elif word == "potential":
            families.append(scanner.potential())
        else:
            raise scanner.unexpected("'node' or 'potential', for discrete or continuous variables")
    return source, variables, families


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
        return self._source.error(f"expected {expected}, not {quoted(self._token)}", self._start)

    def network(self) -> bool:
        """Take the net block, which must come first, or the beginning of a class; tells whether it is a class.

        Newer versions of HUGIN write a network as a class, which has everything inside its braces.
        """
        if self.next_or_end() is None:
            raise self._source.error("the file is empty; expected 'net {'", 0)
        if self._token not in ("net", "class"):
            raise self.unexpected("'net' or 'class'")
        in_class = self._token == "class"
        if in_class:
            self._name(self._next("the name of the class"))
        self._take("{")
        while not in_class and self._attribute() is not None:
            self._skip_value()
        return in_class

    def next_in_class(self) -> str | None:
        """Next word in a class that begins no attribute, or None at its end, which is that of the file too."""
        while self._next("'node', 'potential' or '}'") not in (*_NODE, "potential", "}"):
            word, start = self._token, self._start
            if self._next("'='") != "=":
                self._token, self._start = word, start
                return word
            self._skip_value()
        if self._token != "}":
            return self._token
        if self.next_or_end() is not None:
            raise self.unexpected("the end of the file after the class")
        return None

    def node(self) -> Variable:
        """Take a node, after its first word."""
        start, continuous = self._start, self._token == "continuous"
        if self._token != "node":
            self._take("node")
        name = self._name(self._next("the name of a node"))
        states: tuple[str, ...] | None = None
        self._take("{")
        while (attribute := self._attribute()) is not None:
            if attribute != "states":
                self._skip_value()
            elif continuous:
                raise self._source.error(f"node {quoted(name)} is continuous and cannot have 'states'", self._start)
            elif states is not None:
                raise self._source.error(f"node {quoted(name)} has a second 'states'; keep one", self._start)
            else:
                states = self._states()
        if continuous:
            return Variable(name, (), start, continuous)
        if states is None:
            raise self._source.error(f"node {quoted(name)} has no 'states = (…);'", start)
        return Variable(name, states, start)

    def _states(self) -> tuple[str, ...]:
        self._take("(")
        states = []
        while self._next("a state or ')'") != ")":
            states.append(self._name(self._token))
        self._take(";")
        return tuple(states)

    def potential(self) -> Family | Normals:
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
        data: list[float] | list[Normal] | None = None
        self._take("{")
        while (attribute := self._attribute()) is not None:
            if attribute != "data":
                self._skip_value()
            elif data is not None:
                raise self._source.error(f"the potential of {quoted(child)} has a second 'data'; keep one", self._start)
            else:
                data = self._data()
        if data is None:
            raise self._source.error(f"the potential of {quoted(child)} has no 'data = (…);'", start)
        normals = [item for item in data if isinstance(item, Normal)]
        if normals:
            return Normals(child, tuple(parents), normals, start)
        return Family(child, tuple(parents), [item for item in data if not isinstance(item, Normal)], start)

    def _data(self) -> list[float] | list[Normal]:
        """Take numbers in nested parentheses, or normal distributions."""
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
        if "normal" in match[1]:
            return self._normals(match.start(1), match.end(1))
        words = match[1].replace("(", " ").replace(")", " ").split()
        return numbers_of(words, lambda message: self._source.error(message, self._start))

    def _normals(self, begin: int, end: int) -> list[Normal]:
        """Normal distributions between two positions, in parentheses that pair."""
        text, normals = self._source.text, []
        while begin < end:
            match = _NORMAL.match(text, begin, end)
            if match is not None:
                intercept, coefficients = self._mean(match.start(1), match.end(1))
                variance, others = self._mean(match.start(2), match.end(2))
                if others or not variance > 0:
                    message = f"the variance must be a number above 0, not {quoted(match[2].strip())}"
                    raise self._source.error(message, match.start(2))
                normals.append(Normal(intercept, coefficients, variance))
            elif text[begin] not in "() \t\r\n":
                raise self._source.error("expected normal ( mean, variance )", begin)
            begin = begin + 1 if match is None else match.end()
        return normals

    def _mean(self, begin: int, end: int) -> tuple[float, dict[str, float]]:
        """Constant and coefficients of a sum such as 2 - 0.5 * x."""
        text, start = self._source.text, begin
        constant: float | None = None
        coefficients: dict[str, float] = {}
        while begin < end or begin == start:
            match = _TERM.match(text, begin, end)
            if match is None or (begin > start and match["sign"] is None):
                message = f"expected a sum such as 2 - 0.5 * x, not {quoted(text[start:end].strip())}"
                raise self._source.error(message, begin)
            sign, name = -1.0 if match["sign"] == "-" else 1.0, match["of"] or match["name"]
            value = sign * float(match["factor"] or match["number"] or 1.0)
            if not isfinite(value):
                raise self._source.error(f"{quoted(match[0].strip())} is not a finite number", begin)
            if (name is None and constant is not None) or name in coefficients:
                again = "constant" if name is None else f"term for {quoted(name)}"
                raise self._source.error(f"the sum has a second {again}", begin)
            if name is None:
                constant = value
            else:
                coefficients[name] = value
            begin = match.end()
        return constant or 0.0, coefficients

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
