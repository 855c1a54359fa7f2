"""Score by time of the searches of Lee & van Beek 2017, as a picture.

The paper has no such figure; its text says that MINOBS starts slowly and overtakes IINOBS later.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from experiments.figures import save
from experiments.lee_vanbeek_2017_searches import IP, ORDERS, Searched

__all__ = ["DRAWN", "below_best", "draw_curves"]

#: What is drawn, and how.
DRAWN = {
    "OBS": ("#57606a", "-"),
    "INOBS": ("#e69f00", "-"),
    "IINOBS": ("#0072b2", "-"),
    "MINOBS": ("#d55e00", "-"),
    IP: ("#1f2328", ":"),
    ORDERS: ("#009e73", "--"),
}
COLUMNS = 2
# Nats. The axis is logarithmic and ends here: what is nearer to the best, or above it, is drawn at the upper edge.
NEAREST = 1.0


def below_best(searched: Searched, seconds: Sequence[float]) -> dict[str, list[float]]:
    """Return by method, for each time, how far the median of the runs is below the best score found on the table.

    Infinite before the first score, and negative only for the search that needs no table.
    """
    best = max(curve[-1][1] for method, curves in searched.curves.items() if method != ORDERS for curve in curves)
    return {
        method: [best - searched.median_at(method, at) for at in seconds]
        for method in DRAWN
        if method in searched.curves
    }


def draw_curves(searched: Sequence[Searched], path: Path) -> None:
    """Draw one panel for each instance to a file (PNG, SVG or PDF)."""
    import matplotlib as mpl
    from matplotlib.figure import Figure

    rows = -(-len(searched) // COLUMNS)
    with mpl.rc_context({"font.size": 8}):
        figure = Figure(figsize=(7.4, 2.5 * rows + 0.4), layout="constrained")
        panels = figure.subplots(rows, min(COLUMNS, len(searched)), squeeze=False).ravel()
        for panel, line in zip(panels, searched, strict=False):
            _draw(panel, line)
        for panel in panels[len(searched) :]:
            panel.set_axis_off()
        lines = {line.get_label(): line for panel in panels for line in panel.get_lines()}
        figure.legend(lines.values(), lines.keys(), loc="outside lower center", ncols=len(DRAWN), frameon=False)
        save(figure, path)


def _draw(panel: Any, searched: Searched) -> None:
    first, last = searched.seconds / 1000, searched.seconds
    times = np.geomspace(first, last, 120).tolist()
    for method, differences in below_best(searched, times).items():
        colour, style = DRAWN[method]
        heights = [max(NEAREST, difference) if np.isfinite(difference) else np.nan for difference in differences]
        panel.step(times, heights, where="post", color=colour, linestyle=style, linewidth=1.2, label=method)
    panel.set(xscale="log", yscale="log", xlim=(first, last), xlabel="seconds", ylabel="nats below the table's best")
    panel.set_ylim(panel.get_ylim()[1], NEAREST * 0.8)
    panel.minorticks_off()  # they would be most of the file
    panel.set_title(f"{searched.instance}: {searched.n_variables} variables, {searched.n_sets:,} sets", size=8)
