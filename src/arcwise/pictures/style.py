"""How pictures look: colours, sizes in points, and the settings of matplotlib they are drawn and written with."""

from collections.abc import Iterator
from contextlib import contextmanager
from threading import RLock
from typing import Any

from arcwise.support.libraries import library

__all__ = [
    "BACKGROUND",
    "BOUND_TONE",
    "BOX",
    "BOX_EDGE",
    "EXTRA",
    "FONT",
    "GROUP_COLOURS",
    "GROUP_EDGES",
    "INK",
    "LINE",
    "LINE_WIDTH",
    "MISSING",
    "NO_GROUP",
    "REVERSED",
    "RULE",
    "SERIES",
    "SMALLEST_FONT",
    "SOFT",
    "WIDTHS",
    "WITHIN",
    "drawing",
    "matplotlib",
]

BACKGROUND = "#ffffff"
INK = "#1f2328"
"""Text."""
SOFT = "#57606a"
"""Text that comes second, and axes."""
RULE = "#d8dee4"
"""Lines of a grid."""
LINE = "#4b5560"
"""Arcs."""
BOX, BOX_EDGE = "#eef3f8", "#7b8a99"

# Of Okabe & Ito (2008), "Color universal design", which people with any colour vision tell apart.
EXTRA, REVERSED, MISSING = "#0072b2", "#d55e00", "#b8609a"
"""Arcs that only this graph has, that point the other way, and that only the reference has."""
SERIES = ("#0072b2", "#d55e00", "#009e73", "#b8609a", "#e69f00", "#56b4e9", "#1f2328")
BOUND_TONE = 0.12
"""How much of a line's colour its gap to the bound is filled with."""

# Paul Tol's light scheme (2021, "Colour schemes"), made for cells with black text; its grey is for no group.
GROUP_COLOURS = ("#77aadd", "#ee8866", "#eedd88", "#44bb99", "#ffaabb", "#99ddff", "#bbcc33", "#aaaa00")
NO_GROUP = "#ffffff"
GROUP_EDGES = (("solid", 0.7), ("solid", 2.0), ((0, (2.0, 1.2)), 1.4))
"""Styles and widths of the borders with which the colours come again."""

WITHIN = 0.22
"""How far the second border of a box is within the first, in multiples of the font's size."""

FONT, SMALLEST_FONT = 9.0, 5.0
LINE_WIDTH = 0.9
WIDTHS = (0.45, 3.2)
"""Of the arcs with the smallest and the largest strength."""

# Text of an svg stays text: it can be searched and copied, and a viewer has fonts for scripts that no picture could
# bring along; boxes are measured with DejaVu Sans, which is wider than what a viewer takes in its place. The salt makes
# the same picture the same file. In a pdf, fonts are embedded as they are.
_SETTINGS = {
    "font.family": ["sans-serif"],
    "font.sans-serif": ["DejaVu Sans", "Verdana"],  # matplotlib brings the first, a viewer of an svg may have neither
    "svg.fonttype": "none",
    "svg.hashsalt": "arcwise",
    "pdf.fonttype": 42,
    "text.color": INK,
    "axes.edgecolor": SOFT,
    "axes.labelcolor": INK,
    "xtick.color": SOFT,
    "ytick.color": SOFT,
    "axes.unicode_minus": True,
    "path.simplify": False,
}
_LOCK = RLock()


def matplotlib(module: str = "") -> Any:
    """Return matplotlib or one of its modules, or raise a `MissingLibraryError` that says how to install it."""
    name = f"matplotlib.{module}" if module else "matplotlib"
    return library(name, called="matplotlib", package="matplotlib", extra="plot")


@contextmanager
def drawing() -> Iterator[None]:
    """Draw or write with the settings of this module, whatever the user has set for pictures of their own.

    matplotlib knows settings of the whole process only, so that one picture is drawn at a time.
    """
    whole = matplotlib()
    with _LOCK, whole.rc_context():
        whole.rcdefaults()
        whole.rcParams.update(_SETTINGS)
        yield
