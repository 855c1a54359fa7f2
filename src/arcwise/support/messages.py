"""What messages are made of: words, and parts that Python and a command line say each in its own way."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TypeAlias

from arcwise.support.quoting import quoted

__all__ = ["AsKeys", "InPython", "Name", "Part", "Setting", "Shown", "Text", "Value", "Vocabulary", "said", "type_of"]


class Part(ABC):
    """Part of a message that is not said the same everywhere."""

    @abstractmethod
    def said(self, words: "Vocabulary") -> str:
        """Return the part in these words."""


Text: TypeAlias = "str | Part | tuple[Text, ...]"
"""A message or a piece of one."""


class Vocabulary:
    """How messages call arguments and write values; this one is Python's, and the command line has its own."""

    def name(self, parameter: str, owner: str) -> str:
        """Return what a parameter is called, where one has to be told whose it is."""
        return f"{parameter} of {owner}" if owner else parameter

    def setting(self, parameter: str, value: object) -> str:
        """Return how an argument is given, with a value unless that is `...`."""
        return f"{parameter}=" if value is ... else f"{parameter}={quoted(value)}"

    def value(self, value: object) -> str:
        """Return a value that somebody gave."""
        return quoted(value)

    def choice(self, python: Text, otherwise: Text) -> Text:
        """Return the one of two texts that this vocabulary can say."""
        return python

    def keys(self) -> "Vocabulary":
        """Return the vocabulary for the same reader and names that are keys of a file."""
        return self


PYTHON = Vocabulary()


def said(text: Text, words: Vocabulary = PYTHON) -> str:
    """Message in the words of Python, or in others.

    Examples
    --------
    >>> said(("use ", Setting("missing", "drop"), ", or raise ", Name("max_states")))
    "use missing='drop', or raise max_states"
    """
    if isinstance(text, tuple):
        return "".join(said(part, words) for part in text)
    return text.said(words) if isinstance(text, Part) else text


@dataclass(frozen=True)
class Name(Part):
    """Parameter that a message mentions: ``max_states``, or ``--max-states``.

    Parameters
    ----------
    parameter
        Its name in Python.
    owner
        What has it, where a reader would not know: the ess *of bdeu*.
    """

    parameter: str
    owner: str = ""

    def said(self, words: Vocabulary) -> str:
        """Return the part in these words."""
        return words.name(self.parameter, self.owner)


@dataclass(frozen=True)
class Setting(Part):
    """Argument as one gives it: ``missing='drop'`` and ``memory=``, or ``--missing drop`` and ``--memory``.

    Parameters
    ----------
    parameter
        Its name in Python.
    value
        What is given; `...` where that is left to the reader.
    """

    parameter: str
    value: object = ...

    def said(self, words: Vocabulary) -> str:
        """Return the part in these words."""
        return words.setting(self.parameter, self.value)


@dataclass(frozen=True)
class Value(Part):
    """Value that somebody gave: ``'x'``, ``True``, or ``true``.

    Of anything but texts, numbers, True, False and None only the description is kept, so that errors can be pickled and
    keep no table in memory.
    """

    value: object

    def __post_init__(self) -> None:
        if type(self.value) not in (str, int, float, bool, type(None)):
            object.__setattr__(self, "value", Shown(quoted(self.value)))

    def said(self, words: Vocabulary) -> str:
        """Return the part in these words."""
        return self.value.said(words) if isinstance(self.value, Part) else words.value(self.value)


@dataclass(frozen=True)
class Shown(Part):
    """Description of a value, in place of the value itself."""

    text: str

    def said(self, words: Vocabulary) -> str:
        """Return the part, which is the same in all words."""
        return self.text


@dataclass(frozen=True)
class InPython(Part):
    """What only Python can do, and what stands in its place elsewhere.

    Examples
    --------
    >>> said(("True or False", InPython(" or None")))
    'True or False or None'
    """

    text: Text
    otherwise: Text = ""

    def said(self, words: Vocabulary) -> str:
        """Return the part in these words."""
        return said(words.choice(self.text, self.otherwise), words)


@dataclass(frozen=True)
class AsKeys(Part):
    """Message about the content of a file, in which names of parameters are keys of the file."""

    text: Text

    def said(self, words: Vocabulary) -> str:
        """Return the part in these words."""
        return said(self.text, words.keys())


def type_of(value: object) -> Shown:
    """Type of a value that is too large or too odd to be shown.

    Examples
    --------
    >>> said(type_of([1, 2]))
    'list'
    """
    return Shown(type(value).__name__)
