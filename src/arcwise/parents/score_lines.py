"""What the text formats of local scores share: lines as fields, and sets checked with the lines they stand in."""

from array import array
from collections import defaultdict
from collections.abc import Iterable, Iterator
from itertools import count

import numpy as np
import numpy.typing as npt

from arcwise.parents.parent_sets import ParentSets
from arcwise.parents.set_arrays import MAX_VARIABLES, SetArrays
from arcwise.support.errors import FormatError, ParameterError
from arcwise.support.names import did_you_mean
from arcwise.support.quoting import quoted

# Long texts are cut into lines piece by piece: a list of all lines would take several times the text's memory.
_PIECE = 1 << 20


class ScoreLines:
    """The lines of a text of local scores, and the table that is made of them.

    A parser goes through `fields`, calls `declare` for each variable and then `add` for each of its sets; `table` gives
    the result. Parents may be declared after the sets that name them.

    Parameters
    ----------
    text
        The whole text.
    path
        Where it came from, for messages.
    """

    def __init__(self, text: str, path: str | None) -> None:
        self._text = text
        self._path = path
        self._declared: dict[str, int] = {}
        self._variable_begin = array("q")
        self._set_begin = array("q", [0])
        self._scores = array("d")
        self._lines = array("q")
        # Whatever is named as a parent gets the next number; which variable it is, the end of the text tells.
        self._codes: dict[str, int] = defaultdict(count().__next__)
        self._members = array("I")

    @property
    def n_variables(self) -> int:
        """How many variables were declared so far."""
        return len(self._declared)

    def fields(self) -> Iterator[tuple[int, list[str]]]:
        """Yield the number of each line, counted from 1, and its fields; blank lines and comments are left out."""
        number = 0
        begin = 0
        while begin < len(self._text):
            end = self._text.find("\n", begin + _PIECE)
            end = len(self._text) if end < 0 else end
            for line in self._text[begin:end].split("\n"):
                number += 1
                fields = line.split()
                if fields and fields[0][0] != "#":
                    yield number, fields
            begin = end + 1

    def error(self, message: str, line: int) -> FormatError:
        """Error to raise for something in a line."""
        return FormatError(message, path=self._path, line=line)

    def ends_early(self, message: str) -> FormatError:
        """Error to raise when the text ends where more should follow."""
        last = self._text.count("\n", 0, len(self._text.rstrip())) + 1
        return self.error(f"the text ends here, but {message}; it may have been cut short", last)

    def whole_number(self, text: str, what: str, line: int) -> int:
        """Read a number of things."""
        if not (text.isascii() and text.isdigit() and len(text) < 20):
            raise self.error(f"{quoted(text)} is not a whole number; {what} should stand here", line)
        return int(text)

    def declare(self, name: str, line: int) -> None:
        """Begin the sets of a new variable."""
        self._refuse_no_sets()
        if name in self._declared:
            raise self.error(f"variable {quoted(name)} is declared here and in line {self._declared[name]}", line)
        if len(self._declared) == MAX_VARIABLES:
            raise self.error(f"this is variable {MAX_VARIABLES + 1:,}; at most {MAX_VARIABLES:,} are possible", line)
        self._declared[name] = line
        self._variable_begin.append(len(self._scores))

    def add(self, line: int, score: str, parents: list[str]) -> None:
        """Add a set to the variable declared last."""
        try:
            if "_" in score or not score.isascii():  # Python itself reads "1_000", and digits of other scripts
                raise ValueError
            self._scores.append(float(score))
        except ValueError:
            raise self.error(f"{quoted(score)} is not a number; the score of a set should stand here", line) from None
        self._lines.append(line)
        self._members.extend(map(self._codes.__getitem__, parents))
        self._set_begin.append(len(self._members))

    def table(self) -> ParentSets:
        """All sets, checked and sorted.

        Raises
        ------
        FormatError
            With the line, for a variable without sets, an unknown, repeated or own parent, a repeated set, a score that
            is not finite (minus infinity included: a set that must not be chosen should be left out), and for costs,
            that is, scores of which some are positive and none is negative.
        """
        self._refuse_no_sets()
        names = tuple(self._declared)
        self._variable_begin.append(len(self._scores))
        arrays = SetArrays(
            np.array(self._variable_begin, dtype=np.int64),
            np.array(self._set_begin, dtype=np.int64),
            self._known_members(),
            np.array(self._scores, dtype=np.float64),
        ).with_members_ascending()
        fault = arrays.fault(names)
        if fault is not None:
            also = "" if fault.earlier is None else f" (first in line {self._lines[fault.earlier]})"
            owner = names[arrays.owner(fault.at)]
            raise self.error(f"this set of {quoted(owner)} is not right: {fault.reason}{also}", self._lines[fault.at])
        if are_costs(arrays.scores):
            raise self.error(
                "the scores, which begin here, seem to be costs: none is negative and some are positive; larger scores "
                "are better here, so put a minus before each",
                self._lines[0],
            )
        return ParentSets.of_checked(names, arrays.best_first())

    def _refuse_no_sets(self) -> None:
        if self._declared and self._variable_begin[-1] == len(self._scores):
            name, line = next(reversed(self._declared.items()))
            raise self.error(f"no parent set of {quoted(name)} follows; each variable has at least one", line)

    def _known_members(self) -> npt.NDArray[np.uint16]:
        variable = {name: index for index, name in enumerate(self._declared)}
        members = np.array(self._members, dtype=np.uint32)
        unknown = next((name for name in self._codes if name not in variable), None)
        if unknown is not None:
            position = int(np.argmax(members == self._codes[unknown]))
            line = self._lines[int(np.searchsorted(np.array(self._set_begin), position, side="right")) - 1]
            hint = did_you_mean(unknown, variable)
            raise self.error(f"the parent {quoted(unknown)} is not among the {len(variable)} variables{hint}", line)
        return np.array([variable[name] for name in self._codes], dtype=np.uint16)[members]


def are_costs(scores: npt.NDArray[np.float64]) -> bool:
    """Whether these cannot be logarithmic scores but may be their negatives."""
    return bool(scores.min() >= 0 and scores.max() > 0)


def refuse_unwritable(table: ParentSets, kind: str) -> None:
    """Raise a `ParameterError` for a table that the formats have no words for, or that could not be read again."""
    refuse_names(table.names, kind)
    if are_costs(table.scores):
        raise ParameterError(
            f"no score of the table is negative and some are positive; {kind} files hold scores of which larger ones "
            "are better, and such a file would be taken for costs"
        )


def refuse_names(names: Iterable[str], kind: str) -> None:
    """Raise a `ParameterError` for a name that the formats have no words for."""
    for name in names:
        if "#" in name or any(character.isspace() for character in name):
            raise ParameterError(
                f"the name {quoted(name)} cannot be written to a {kind} file: white space separates names there, and # "
                "begins a comment; use other names"
            )
