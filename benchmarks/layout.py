"""Layered layouts: arcwise's beside igraph's, by what makes a picture readable.

Run ``python -m benchmarks.layout --data ../shared/data`` (without data, on example networks only).
"""

import argparse
import time
from collections.abc import Iterator
from pathlib import Path

import igraph
import numpy as np
import numpy.typing as npt
from rich.console import Console
from rich.table import Table

from arcwise import Dag, load_example, read_network
from arcwise.pictures.layout import ROOM, layered
from benchmarks.machine import machine

EXAMPLES = ("asia", "alarm", "hailfinder", "win95pts")
LARGE = ("andes", "pigs", "link", "munin")

Points = npt.NDArray[np.float64]


def graphs(folder: Path | None) -> Iterator[tuple[str, Dag]]:
    """Yield networks with their names, small ones first."""
    for name in EXAMPLES:
        yield name, load_example(name).dag
    for name in LARGE if folder is not None else ():
        yield name, read_network(folder / "bif" / f"{name}.bif.gz").dag  # type: ignore[operator]


def igraphs_layout(n: int, arcs: npt.NDArray[np.int64]) -> Points:
    """Return positions by igraph's layout, in the units of ours."""
    graph = igraph.Graph(n=n, edges=arcs.tolist(), directed=True)
    return np.array(graph.layout_sugiyama().coords)[:n]


def crossings(begin: Points, end: Points) -> int:
    """Count the pairs of arcs that cross, drawn as straight lines."""

    def side(a: Points, b: Points, c: Points) -> Points:
        return (b[..., 0] - a[..., 0]) * (c[..., 1] - a[..., 1]) - (b[..., 1] - a[..., 1]) * (c[..., 0] - a[..., 0])

    total = 0
    for k in range(len(begin) - 1):
        a, b, c, d = begin[k], end[k], begin[k + 1 :], end[k + 1 :]
        total += int(((side(a, b, c) * side(a, b, d) < 0) & (side(c, d, a) * side(c, d, b) < 0)).sum())
    return total


def row(name: str, program: str, positions: Points, arcs: npt.NDArray[np.int64], seconds: float) -> list[str]:
    """Return what there is to say of a layout."""
    placed = positions * np.array([ROOM, 1.0])
    width, height = np.ptp(placed, axis=0) + np.array([ROOM, 1.0])
    begin, end = placed[arcs[:, 0]], placed[arcs[:, 1]]
    length = np.hypot(*(end - begin).T).mean() / np.sqrt(width * height)
    return [
        name,
        program,
        f"{seconds:.2f}",
        f"{width / height:.1f}",
        f"{width * height / ROOM / len(positions):.1f}",
        f"{length:.3f}",
        f"{crossings(begin, end):,}",
    ]


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, help="the data folder")
    folder = parser.parse_args().data
    table = Table(title="Layered layouts; length of arcs relative to the picture")
    for title in ("network", "program", "s", "width : height", "rooms per node", "mean length", "crossings"):
        table.add_column(title, justify="right")
    igraph.Graph.Tree(3, 2).layout_sugiyama()
    for name, dag in graphs(folder):
        arcs = np.array([(i, j) for j, parents in enumerate(dag.parent_indices) for i in parents])
        for program in ("igraph", "arcwise"):
            begin = time.perf_counter()
            positions = igraphs_layout(dag.n_nodes, arcs) if program == "igraph" else layered(dag).positions
            label = f"{name}, {dag.n_nodes:,}" if program == "igraph" else ""
            table.add_row(*row(label, program, positions, arcs, time.perf_counter() - begin))
    console = Console()
    console.print(machine())
    console.print(table)


if __name__ == "__main__":
    main()
