"""Names as pictures show them: on one line, visible, not too long, and measured."""

import unicodedata
from collections.abc import Sequence
from functools import cache, lru_cache
from typing import Any

from arcwise.pictures import style

__all__ = ["BOX", "families", "missing_signs", "one_line", "shortened", "stand_ins", "width_of"]

# The patterns of Braille and what follows them: of one width, and in nobody's way.
_FIRST_STAND_IN = 0x2801

# Signs that hold others together, as in an emoji of several.
_JOINERS = "\u200c\u200d"

BOX = "\N{WHITE SQUARE}"
"""Stands for a sign that no font has."""

# More than any label shows, so that a name of a megabyte costs nothing.
_MOST_SIGNS = 200


def one_line(name: str) -> str:
    r"""Return the name with what breaks a line, or cannot be seen, written out.

    Examples
    --------
    >>> print(one_line("two\nlines"), one_line(""), one_line("  "), one_line("a_b$c$"))
    two\nlines '' '  ' a_b$c$
    """
    text = "".join(_visible(sign) for sign in name)
    return text if text.strip(" " + _JOINERS) else repr(name)


def _visible(sign: str) -> str:
    if sign.isprintable() or sign in _JOINERS:
        return sign
    return " " if unicodedata.category(sign) == "Zs" else repr(sign)[1:-1]


def shortened(text: str, most: float, size: float) -> str:
    """Return the text, without its middle where it is wider than so many points.

    Examples
    --------
    >>> shortened("temperature_of_the_room", 60.0, 9.0)
    'temp…room'
    """
    if len(text) <= _MOST_SIGNS and width_of(text, size) <= most:
        return text
    kept = min(len(text), _MOST_SIGNS) - 1
    while kept > 2 and width_of(_without_middle(text, kept), size) > most:
        # First by what the whole is too wide, then sign by sign.
        kept = min(kept - 1, max(2, int(kept * 1.2 * most / width_of(_without_middle(text, kept), size))))
    return _without_middle(text, kept)


def _without_middle(text: str, kept: int) -> str:
    return f"{text[: kept - kept // 2]}…{text[len(text) - kept // 2 :]}"


def width_of(text: str, size: float, *, bold: bool = False) -> float:
    """Return how wide a text is, in points."""
    return _width(text, bold) * size / 10.0


@lru_cache(1 << 16)
def _width(text: str, bold: bool) -> float:
    properties = style.matplotlib("font_manager").FontProperties(
        family=["DejaVu Sans", *_others(_unknown(text))], size=10.0, weight="bold" if bold else "normal"
    )
    path = style.matplotlib("textpath").text_to_path
    # A sign that no font has is measured as the box it becomes; matplotlib would warn of it.
    drawn = text.translate(dict.fromkeys(map(ord, missing_signs(text)), BOX))
    return float(path.get_text_width_height_descent(drawn, properties, ismath=False)[0])


def families(text: str) -> list[str]:
    """Return the fonts that a text is drawn with: others of the machine's where the usual one lacks a sign."""
    return ["sans-serif", *_others(_unknown(text))]


def missing_signs(text: str) -> list[str]:
    """Return the signs of a text that no font of the machine has."""
    lacking = _unknown(text)
    fonts = {font.name: font.fname for font in _installed()}
    have = set().union(*(_signs(fonts[name]) for name in _others(lacking)))
    return [sign for sign in lacking if ord(sign) not in have]


def stand_ins(text: str) -> list[str]:
    """Return signs that the usual font has and the text has not, to stand for others while it is laid out."""
    usual = _signs(style.matplotlib("font_manager").findfont("DejaVu Sans"))
    return [chr(code) for code in sorted(usual) if code >= _FIRST_STAND_IN and chr(code) not in text]


def _unknown(text: str) -> tuple[str, ...]:
    usual = _signs(style.matplotlib("font_manager").findfont("DejaVu Sans"))
    return tuple(sign for sign in sorted(set(text)) if ord(sign) not in usual and sign not in "\n" + _JOINERS)


@lru_cache(1 << 10)
def _others(lacking: Sequence[str]) -> tuple[str, ...]:
    """Return the names of installed fonts that together have most of these signs."""
    wanted, found = set(map(ord, lacking)), []
    for font in _installed() if wanted else ():
        has = wanted & _signs(font.fname)
        if has:
            found.append(font.name)
            wanted -= has
        if not wanted:
            break
    return tuple(found)


@cache
def _installed() -> tuple[Any, ...]:
    """Upright fonts of usual weight in a fixed order, without those that draw no letters.

    matplotlib cannot draw fonts of colours; its own Last Resort has a box with a hint for every sign.
    """
    fonts = style.matplotlib("font_manager").fontManager.ttflist
    upright = [font for font in fonts if font.style == "normal" and font.weight in (400, "normal", "regular", "book")]
    return tuple(
        sorted(
            (font for font in upright if not any(word in font.name for word in ("Color", "Last Resort"))),
            key=lambda font: (font.name, font.fname),
        )
    )


@cache
def _signs(path: str) -> frozenset[int]:
    """Return the signs that a font has."""
    try:
        return frozenset(style.matplotlib("ft2font").FT2Font(path).get_charmap())
    except (OSError, RuntimeError):  # a file that is gone or broken is not a font to draw with
        return frozenset()
