"""The text of a BIF file taken apart: declared variables and probability blocks, each with its place in the text."""

import re
from dataclasses import dataclass, field

from arcwise.io.declarations import Source, Variable
from arcwise.io.numbers import is_number
from arcwise.support.errors import FormatError
from arcwise.support.quoting import quoted

WORD = re.compile(r'[^\s{}()\[\],;|"]+')
_COMMENT = re.compile(r'"[^"\n]*"|/\*.*?\*/|//[^\n]*|/\*', re.DOTALL)
_TOKEN = re.compile(r'\s*("[^"\n]*"|[{}()\[\],;|]|[^\s{}()\[\],;|"]+)')
# Most of a large file are rows of numbers, so that one match takes a whole row: (labels) numbers;
_LABELS = re.compile(r'\s*\(((?:[^"(){};]++|"[^"\n]*+")*+)\)')
_NUMBERS = re.compile(r'([^;{}()"]*);')
_PROPERTY = re.compile(r'(?:[^;"]++|"[^"\n]*+")*+;')


@dataclass(frozen=True, slots=True)
class Row:
    """Numbers, with the labels of the parents' states in front of them where there are any."""

    labels: tuple[str, ...]
    numbers: list[float]
    position: int


@dataclass(slots=True)
class Block:
    """What one probability block says about a child."""

    child: str
    parents: tuple[str, ...]
    position: int
    rows: list[Row] = field(default_factory=list)
    table: Row | None = None
    default: Row | None = None


def parse(text: str, path: str | None = None) -> tuple[Source, list[Variable], list[Block]]:
    """Variables and probability blocks of a BIF text, in their order; names are not yet looked up."""
    source = Source(_without_comments(text, path), path)
    scanner = _Scanner(source)
    variables: list[Variable] = []
    blocks: list[Block] = []
    scanner.network()
    while (word := scanner.next_or_end()) is not None:
        if word == "variable":
            variables.append(scanner.variable())
        elif word == "probability":
            blocks.append(scanner.block())
        else:
            raise scanner.unexpected("'variable' or 'probability'")
    return source, variables, blocks


def _without_comments(text: str, path: str | None) -> str:
    """Text with blanks in place of comments, so that every position stays."""
    if "//" not in text and "/*" not in text:
        return text

    def blank(match: re.Match[str]) -> str:
        found = match[0]
        if found == "/*":
            raise Source(text, path).error("the comment that begins here has no end '*/'", match.start())
        return found if found.startswith('"') else re.sub(r"[^\n]", " ", found)

    return _COMMENT.sub(blank, text)


class _Scanner:
    """Reads one construct after the other; `_token` is the last token, at `_start`."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._text = source.text
        self._position = self._start = 0
        self._token = ""
        self._inside = "the file"

    def next_or_end(self) -> str | None:
        """Next token, or None where only blanks are left."""
        match = _TOKEN.match(self._text, self._position)
        if match is None:
            if self._text[self._position :].strip():
                self._start = self._text.index('"', self._position)
                raise self._source.error("the quoted name that begins here has no closing '\"'", self._start)
            return None
        self._start, self._position, self._token = match.start(1), match.end(), match[1]
        return self._token

    def unexpected(self, expected: str) -> FormatError:
        """Error for the last token."""
        return self._source.error(f"expected {expected}, not {quoted(self._token)}", self._start)

    def network(self) -> None:
        """Take the network block, which must come first; its properties are left out."""
        if self.next_or_end() != "network":
            if not self._token:
                raise self._source.error("the file is empty; expected 'network NAME {'", 0)
            raise self.unexpected("'network'")
        self._inside = "the network block"
        if self._next("a name or '{'") != "{":
            self._name("a name for the network")
            self._take("{")
        while self._next("'property' or '}'") != "}":
            self._property_or(expected="'property' or '}'")

    def variable(self) -> Variable:
        """Take a variable block, after its first word."""
        start = self._start
        self._inside = "the variable block"
        self._next("the name of a variable")
        name = self._name("the name of a variable")
        self._inside = f"the block of variable {quoted(name)}"
        states: tuple[str, ...] | None = None
        self._take("{")
        while self._next("'type', 'property' or '}'") != "}":
            if self._token != "type":
                self._property_or(expected="'type', 'property' or '}'")
            elif states is not None:
                raise self._source.error(f"variable {quoted(name)} has a second 'type'; keep one", self._start)
            else:
                states = self._states(name)
        if states is None:
            raise self._source.error(f"variable {quoted(name)} has no 'type discrete [ n ] {{ … }};'", start)
        return Variable(name, states, start)

    def _states(self, name: str) -> tuple[str, ...]:
        self._take("discrete")
        self._take("[")
        if not re.fullmatch(r"[0-9]{1,9}", self._next("the number of states")):
            raise self.unexpected("the number of states")
        declared, start = int(self._token), self._start
        self._take("]")
        self._take("{")
        states = []
        while self._next("a state or '}'") != "}":
            states.append(self._name("a state or '}'"))
            self._skip_comma()
        self._take(";")
        if len(states) != declared:
            raise self._source.error(
                f"variable {quoted(name)} declares {declared} states and lists {len(states)}", start
            )
        return tuple(states)

    def block(self) -> Block:
        """Take a probability block, after its first word."""
        start = self._start
        self._inside = "the probability block"
        self._take("(")
        self._next("the name of a variable")
        child = self._name("the name of a variable")
        self._inside = f"the probability block of {quoted(child)}"
        parents = []
        if self._next("'|' or ')'") == "|":
            self._next("the name of a parent")
        # Files of the format's first version have no bar: the first name is the child, the others are its parents.
        while self._token != ")":
            parents.append(self._name("the name of a parent or ')'"))
            self._skip_comma()
            self._next("the name of a parent or ')'")
        self._take("{")
        block = Block(child, tuple(parents), start)
        while self._statement(block):
            pass
        return block

    def _statement(self, block: Block) -> bool:
        """Take a row, a table, a default or a property; False at the end of the block."""
        match = _LABELS.match(self._text, self._position)
        if match is not None:
            self._start, self._position = match.start(1) - 1, match.end()
            block.rows.append(self._row(_split_labels(match[1])))
            return True
        word = self._next("'(', 'table', 'default', 'property' or '}'")
        if word == "}":
            return False
        if word == "(":
            raise self._source.error("the states of the parents that begin here have no ')' at their end", self._start)
        if word in ("table", "default"):
            if getattr(block, word) is not None:
                raise self._source.error(f"{self._inside} has a second {quoted(word)}; keep one", self._start)
            setattr(block, word, self._row(()))
        else:
            self._property_or(expected="'(', 'table', 'default', 'property' or '}'")
        return True

    def _row(self, labels: tuple[str, ...]) -> Row:
        match = _NUMBERS.match(self._text, self._position)
        if match is None:
            self._skip_to_bad_token()
            raise self.unexpected("';' after the numbers")
        text = match[1]
        parts = text.split(",") if "," in text else text.split()
        try:
            row = Row(labels, list(map(float, parts)), self._start)
        except ValueError:
            row = None
        if row is None or "_" in text:  # float() would take 1_000
            bad = next(part for part in parts if not is_number(part)).strip()
            raise self._source.error(
                f"{quoted(bad)} is not a number; expected numbers with commas between them", self._start
            )
        self._position = match.end()
        return row

    def _skip_to_bad_token(self) -> None:
        while self._next("';' after the numbers") == "," or is_number(self._token):
            pass

    def _property_or(self, *, expected: str) -> None:
        """Leave out a property; anything else is an error."""
        if self._token != "property":
            raise self.unexpected(expected)
        match = _PROPERTY.match(self._text, self._position)
        if match is None:
            raise self._source.error("the property that begins here has no ';' at its end", self._start)
        self._position = match.end()

    def _next(self, expected: str) -> str:
        token = self.next_or_end()
        if token is None:
            last = len(self._text.rstrip())
            raise self._source.error(f"the file ends inside {self._inside}; expected {expected}", last)
        return token

    def _take(self, token: str) -> None:
        if self._next(f"'{token}'") != token:
            raise self.unexpected(f"'{token}'")

    def _name(self, expected: str) -> str:
        """Name that the last token is, without quotes."""
        if self._token.startswith('"'):
            return self._token[1:-1]
        if not WORD.fullmatch(self._token):
            raise self.unexpected(expected)
        return self._token

    def _skip_comma(self) -> None:
        match = _TOKEN.match(self._text, self._position)
        if match is not None and match[1] == ",":
            self._position = match.end()


def _split_labels(text: str) -> tuple[str, ...]:
    if '"' in text:
        return tuple(label.strip('"') for label in re.findall(r'"[^"\n]*"|[^\s,|"]+', text))
    return tuple(map(str.strip, text.split(","))) if "," in text else tuple(text.split())
