"""Pictures: what the functions that plot give back, to be saved or shown in a notebook."""

import io
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from html import escape
from math import sqrt
from pathlib import Path
from typing import Any
from warnings import warn

from arcwise.pictures import style
from arcwise.pictures.labels import BOX, missing_signs, stand_ins
from arcwise.support.errors import ArcwiseWarning, ParameterError
from arcwise.support.files import replaced
from arcwise.support.names import did_you_mean
from arcwise.support.quoting import listed, quoted, shown_path

__all__ = ["ENDINGS", "Picture"]

ENDINGS = (".svg", ".png", ".pdf")

DOTS_PER_INCH = 160
MOST_DOTS = 60_000_000
"""Of a png: a picture that would have more gets fewer dots per inch."""
_LONGEST_SIDE = 30_000

# What a file says about itself without saying when it was written.
_METADATA: Mapping[str, dict[str, str | None]] = {
    "svg": {"Date": None, "Creator": "arcwise"},
    "png": {"Software": "arcwise"},
    "pdf": {"CreationDate": None, "Creator": "arcwise", "Producer": None},
}

# A notebook keeps what it shows; an svg of more bytes than this is shown as png.
_LARGEST_SVG = 1_000_000


class Picture:
    """A finished picture, which shows itself in notebooks, unless it was drawn in axes of your own (`ax`).

    Attributes
    ----------
    figure
        The figure of matplotlib, for changes of your own.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> from arcwise import load_example, plot_network
    >>> picture = plot_network(load_example("asia"))
    >>> with TemporaryDirectory() as folder:
    ...     picture.save(Path(folder, "asia.svg"))
    ...     "tub" in Path(folder, "asia.svg").read_text()
    True
    """

    def __init__(
        self, figure: Any, *, what: str, titles: Mapping[str, str] | None = None, is_part: bool = False
    ) -> None:
        self.figure = figure
        self._is_part = is_part  # of a figure of the caller's, who shows it
        self._what = what
        self._titles = dict(titles or {})

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the picture to a file whose name ends in .svg, .png or .pdf.

        The file appears when it is complete. The same picture makes the same file, byte for byte, as long as the
        version of matplotlib is the same. Names in an svg are text, in the fonts of whoever looks at it.

        Raises
        ------
        ParameterError
            For another ending.
        OSError
            If the file cannot be written.

        Warns
        -----
        ArcwiseWarning
            If no font on this machine has a sign that a png or pdf needs.
        """
        if not isinstance(path, str | os.PathLike):
            raise ParameterError.of("path", "a path", path)
        ending = Path(path).suffix.lower()
        if ending not in ENDINGS:
            hint = did_you_mean(ending, ENDINGS)
            allowed = ", ".join(ENDINGS[:-1])
            raise ParameterError(
                f"the name of a picture must end in {allowed} or {ENDINGS[-1]}; got "
                f"{shown_path(Path(path).name)!r}{hint}"
            )
        content = self.content(ending[1:])
        with replaced(path) as file:
            file.write(content)

    def content(self, kind: str) -> bytes:
        """Return what a file of the picture holds; the kind is svg, png or pdf."""
        if f".{kind}" not in ENDINGS:
            raise ParameterError(f"the kind of a picture must be svg, png or pdf, not {quoted(kind)}")
        file = io.BytesIO()
        with style.drawing():
            texts = self.figure.findobj(style.matplotlib("text").Text)
            missing = missing_signs("".join(text.get_text() for text in texts if text.get_visible()))
            if missing and kind != "svg":
                _warn_of(missing, kind)
            with _standing_for(missing, texts, kind) as stand_in:
                self.figure.savefig(file, format=kind, dpi=self._dots(), metadata=_METADATA[kind])
        content = file.getvalue()
        for sign, other in stand_in.items() if kind == "svg" else ():
            content = content.replace(other.encode(), sign.encode())
        return self._with_titles(content) if kind == "svg" else content

    def svg(self) -> str:
        """Return the picture as svg."""
        return self.content("svg").decode()

    def _dots(self) -> float:
        """Dots per inch of a png."""
        width, height = self.figure.get_size_inches()
        return float(min(DOTS_PER_INCH, sqrt(MOST_DOTS / (width * height)), _LONGEST_SIDE / max(width, height)))

    def _with_titles(self, content: bytes) -> bytes:
        """Give what is shortened its full text, which a browser shows under the pointer."""
        for identifier, text in self._titles.items():
            group = f'<g id="{identifier}">'
            content = content.replace(group.encode(), f"{group}<title>{escape(text)}</title>".encode(), 1)
        return content

    def _repr_svg_(self) -> str | None:
        if self._is_part:
            return None
        text = self.svg()
        return text if len(text) <= _LARGEST_SVG else None

    def _repr_png_(self) -> bytes | None:
        return None if self._is_part or self._repr_svg_() is not None else self.content("png")

    def __repr__(self) -> str:
        width, height = self.figure.get_size_inches()
        return f"<Picture: {self._what}, {width:.3g} x {height:.3g} inches>"


def _warn_of(missing: Sequence[str], kind: str) -> None:
    warn(
        f"no font of this machine has {listed(missing, most=5)}, which the {kind} shows as a box; save the picture as "
        ".svg, or install a font that has it",
        ArcwiseWarning,
        stacklevel=4,
    )


@contextmanager
def _standing_for(missing: Sequence[str], texts: Sequence[Any], kind: str) -> Iterator[Mapping[str, str]]:
    """Have signs that no font has drawn as others, and give these; afterwards the texts are what they were.

    matplotlib would warn of each, and what warnings are shown can only be changed for all threads. In an svg, where
    the viewer may have a font, each sign has a stand-in of its own that is replaced in the file.
    """
    whole = "".join(text.get_text() for text in texts)
    others = stand_ins(whole) if missing and kind == "svg" else [BOX] * len(missing)
    stand_in = dict(zip(missing, others, strict=False))
    before = [(text, text.get_text()) for text in texts if not set(stand_in).isdisjoint(text.get_text())]
    try:
        for text, content in before:
            text.set_text(content.translate(str.maketrans(stand_in)))
        yield stand_in
    finally:
        for text, content in before:
            text.set_text(content)
