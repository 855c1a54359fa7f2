"""Curves of the anytime table of `benchmarks.large`, from the file of its results.

Run ``python -m benchmarks.anytime_curves RESULTS PICTURE.svg --tables plants ad``. Each curve is one run with the
longest of its limits and the first of its seeds: how far its best score is below the best of all runs on the table, in
nats, by seconds of the processor.
"""

import argparse
import json
from collections import defaultdict
from pathlib import Path

import matplotlib as mpl
from matplotlib.figure import Figure

from benchmarks.large import METHODS, Points

COLOURS = ("black", "tab:blue", "tab:green", "tab:orange", "tab:red")
# What a logarithmic axis shows of a run that is the best.
_LEAST = 1.0
# Points nearer than this factor of time are one.
_STEP = 1.1


def main() -> None:
    """Draw the picture."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("results", type=Path)
    parser.add_argument("picture", type=Path)
    parser.add_argument("--tables", nargs="+", required=True, metavar="NAME")
    arguments = parser.parse_args()
    runs = runs_of(arguments.results)
    figure = Figure(figsize=(3.0 * len(arguments.tables), 3))
    panels = figure.subplots(1, len(arguments.tables), squeeze=False)
    for panel, name in zip(panels[0], arguments.tables, strict=True):
        best = max(points[-1][1] for points in runs[name].values())
        for method, colour in zip(METHODS, COLOURS, strict=True):
            times, scores = zip(*thinned(runs[name][method]), strict=True)
            below = [max(_LEAST, best - score) for score in scores]
            panel.step(times, below, where="post", color=colour, label=method, linewidth=1)
        panel.set(title=name, xscale="log", yscale="log", xlabel="seconds")
    panels[0][0].set_ylabel("nats below the best")
    panels[0][-1].legend(fontsize="small")
    figure.tight_layout()
    mpl.rcParams["svg.fonttype"] = "none"
    figure.savefig(arguments.picture, metadata={"Date": None})


def thinned(points: Points) -> Points:
    """Return as many points as a picture shows, and the last."""
    shown = [points[0]]
    for point in points:
        if point[0] > _STEP * shown[-1][0]:
            shown.append(point)
    return [*shown, points[-1]]


def runs_of(path: Path) -> dict[str, dict[str, Points]]:
    """Return the longest run of each method with the first seed, by table."""
    runs: dict[str, dict[str, Points]] = defaultdict(dict)
    lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    for line in sorted(lines, key=lambda line: (line["part"]["seconds"], -line["part"]["seed"])):
        runs[line["part"]["table"]][line["part"]["method"]] = line["found"]
    return runs


if __name__ == "__main__":
    main()
