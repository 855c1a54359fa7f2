"""Two networks side by side, with every node at the same place in both."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

from arcwise.graph.cpdag import Cpdag
from arcwise.graph.dag import Dag
from arcwise.network.network import BayesianNetwork
from arcwise.pictures import style
from arcwise.pictures.arrangement import arranged
from arcwise.pictures.canvas import Key, Sheet, Stroke, text_size
from arcwise.pictures.edges import Edge, Kind, continuous_in, graph_in, reversed_words, told_apart
from arcwise.pictures.labels import one_line, shortened, width_of
from arcwise.pictures.network import KIND_COLOURS, checked_labels, checked_title, doubled
from arcwise.pictures.paper import checked_axes
from arcwise.pictures.picture import Picture
from arcwise.pictures.sizes import boxes_of, drawn
from arcwise.runs.result import Result

__all__ = ["plot_comparison"]

_BETWEEN = 30.0
"""Points between the two."""
_SMALL = 60
"""Most nodes of a network that is not folded."""


def plot_comparison(
    one: Dag | Cpdag | BayesianNetwork | Result,
    other: Dag | Cpdag | BayesianNetwork | Result,
    *,
    labels: Sequence[str] = ("one", "other"),
    title: str | None = None,
    ax: Any = None,
) -> Picture:
    """Picture of two networks over the same nodes, side by side and with the same places.

    Arcs that both have are dark; those that the other network has with another direction or none, and those that it
    does not have, have colours of their own. The arcs of the first network point downwards.

    Parameters
    ----------
    one, other
        The networks.
    labels
        What stands over each of them.
    title
        A line over the whole.
    ax
        Axes of matplotlib to draw in, in place of a figure of its own.

    Raises
    ------
    GraphError
        If the networks have different nodes.

    Examples
    --------
    >>> from arcwise import learn, load_example
    >>> truth = load_example("asia")
    >>> plot_comparison(truth, learn(truth.sample(500, seed=1), seed=1), labels=("truth", "learned"))
    <Picture: comparison of two networks of 8 nodes, ... inches>
    """
    graphs = graph_in("one", one), graph_in("other", other)
    labels = checked_labels(labels, 2, wanted="two texts")
    title, ax = checked_title(title), checked_axes(ax)
    mine, lost = told_apart(*graphs, called=("one", "other"))
    theirs, _ = told_apart(graphs[1], graphs[0], called=("other", "one"))
    reversed_word = reversed_words(*graphs)
    words = {Kind.COMMON: "in both", Kind.REVERSED: f"{reversed_word} in the other", Kind.OWN: "only in this one"}
    keys = [Key(text, Stroke(KIND_COLOURS[kind], 1.4)) for kind, text in words.items()]
    fills, keys = doubled(continuous_in(one) | continuous_in(other), {}, keys)
    counts = _counts(mine, reversed_word), _counts(theirs, reversed_word)
    with style.drawing():
        # A small network is as wide as it needs to be; a large one is folded, so that two of them fit side by side.
        names = graphs[0].names
        boxes = boxes_of(names)
        aspect = boxes.aspect(1.6 if len(names) <= _SMALL else 0.95)
        whole = drawn(arranged(names, mine, lost, aspect=aspect), boxes, panels=2)
        width, height = whole.size
        text = text_size(2 * width + _BETWEEN, height)
        room = max([width, *(width_of(line, text) for line in counts)])
        sheet = Sheet(2 * room + _BETWEEN, height, title=title, keys=keys, captions=True, ax=ax)
        for panel, (label, edges) in enumerate(zip(labels, (mine, theirs), strict=True)):
            at = panel * (room + _BETWEEN) + (room - width) / 2
            sheet.caption(at + width / 2, shortened(one_line(label), 0.8 * room, 1.1 * sheet.text), counts[panel])
            lines = sorted(edges, key=lambda edge: edge.kind is not Kind.COMMON)
            sheet.draw_edges(whole, at, lines, _stroke, panel=f"-{panel + 1}")
            sheet.draw_nodes(whole, at, fills, panel=f"-{panel + 1}")
    what = f"comparison of two networks of {len(whole.names):,} nodes"
    return Picture(sheet.figure, what=what, titles=sheet.titles, is_part=ax is not None)


def _stroke(edge: Edge) -> Stroke:
    return Stroke(KIND_COLOURS[edge.kind], style.LINE_WIDTH * (1.0 if edge.kind is Kind.COMMON else 1.4))


def _counts(edges: Sequence[Edge], reversed_word: str) -> str:
    found = Counter(edge.kind for edge in edges)
    parts = [f"{found[kind]:,} {word}" for kind, word in ((Kind.REVERSED, reversed_word), (Kind.OWN, "only here"))]
    return f"{len(edges):,} arc{'s' * (len(edges) != 1)}: {found[Kind.COMMON]:,} in both, " + ", ".join(parts)
