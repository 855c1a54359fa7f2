"""Decimal numbers in files."""

from collections.abc import Callable, Iterable

from arcwise.support.errors import FormatError
from arcwise.support.quoting import quoted

__all__ = ["numbers_of"]


def numbers_of(words: Iterable[str], error: Callable[[str], FormatError]) -> list[float]:
    """Words as numbers; `error` makes the error for the first one that is none.

    Examples
    --------
    >>> numbers_of(["0.5", "1e-3"], FormatError)
    [0.5, 0.001]
    """
    listed = list(words)
    text = "".join(listed)
    try:
        if "_" not in text and text.isascii():  # float() would take 1_000, and digits of other scripts
            return list(map(float, listed))
    except ValueError:
        pass
    bad = next(word for word in listed if not is_number(word))
    raise error(f"{quoted(bad)} is not a number")


def is_number(word: str) -> bool:
    """Whether a word is a decimal number."""
    try:
        float(word)
    except ValueError:
        return False
    return "_" not in word and word.isascii()
