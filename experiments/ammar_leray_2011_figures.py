"""Figures 1 and 2 of Ammar & Leray 2011: what trees of replicas say of the neighbours of A, and what pruning leaves.

The paper draws an example over a few variables with ten trees; its trees and data are not given. Here the variables are
those of a random network, with 50 rows.
"""

from collections.abc import Mapping
from pathlib import Path

from arcwise import ArcStrengths, Bagging, Dataset, LocalScore, Picture, plot_network, tree_strengths
from arcwise.simulation.random import random_network_of_bounded_width

__all__ = ["FIGURES", "draw_figures", "example"]

#: The file, the share of trees below which edges are pruned, and the title of each.
FIGURES: Mapping[str, tuple[float, str]] = {
    "figure_1": (0.0, "Edges in any of ten trees, and the neighbours of A"),
    "figure_2": (0.2, "The same without those in less than 20 % of the trees"),
}

LETTERS = "ABCDEFGH"


def example(seed: int = 1) -> ArcStrengths:
    """Return in how many of ten trees each edge of the example is."""
    sample = random_network_of_bounded_width(len(LETTERS), 3, max_arcs=9, seed=seed).sample(50, seed=seed)
    data = Dataset.from_codes(sample.codes, arities=sample.arities, names=list(LETTERS))
    return tree_strengths(LocalScore(data), Bagging(trees=10, seed=seed))


def draw_figures(folder: Path, seed: int = 1) -> list[Path]:
    """Draw both figures; edges are as wide as they are frequent."""
    strengths = example(seed)
    paths = []
    for name, (threshold, title) in FIGURES.items():
        path = folder / f"ammar_leray_2011_{name}.svg"
        folder.mkdir(parents=True, exist_ok=True)
        _picture(strengths, threshold, title).save(path)
        paths.append(path)
    return paths


def _picture(strengths: ArcStrengths, threshold: float, title: str) -> Picture:
    skeleton = strengths.skeleton(threshold)
    near = {end for edge in skeleton.undirected if LETTERS[0] in edge for end in edge}
    groups = {node: "A" if node == LETTERS[0] else "neighbours of A" for node in sorted(near)}
    return plot_network(skeleton, strengths=strengths, groups=groups, title=title)
