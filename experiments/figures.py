"""Pictures of experiments as files whose bytes depend on nothing but what is drawn."""

from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["can_draw", "save"]


def can_draw() -> bool:
    """Whether matplotlib is installed: ``pip install 'arcwise[bench]'``."""
    return find_spec("matplotlib") is not None


def save(figure: "Figure", path: Path) -> None:
    """Save a figure as PNG, SVG or PDF; in an SVG without the date, with texts as texts and names that stay."""
    import matplotlib as mpl

    path.parent.mkdir(parents=True, exist_ok=True)
    with mpl.rc_context({"svg.hashsalt": "arcwise", "svg.fonttype": "none"}):
        figure.savefig(path, dpi=150, metadata={"Date": None} if path.suffix == ".svg" else None)
