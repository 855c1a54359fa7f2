"""A network as a picture: boxes in layers, arcs downwards, with strengths, groups or a reference."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from arcwise.graph.cpdag import Cpdag
from arcwise.graph.dag import Dag
from arcwise.graph.nodes import Pair
from arcwise.network.network import BayesianNetwork
from arcwise.pictures import style
from arcwise.pictures.arrangement import arranged
from arcwise.pictures.canvas import Fill, Key, Sheet, Stroke
from arcwise.pictures.edges import (
    Edge,
    Kind,
    Strengths,
    continuous_in,
    edges_of,
    graph_in,
    reversed_words,
    strengths_in,
    told_apart,
)
from arcwise.pictures.paper import checked_axes
from arcwise.pictures.picture import Picture
from arcwise.pictures.sizes import boxes_of, drawn
from arcwise.runs.result import Result
from arcwise.support.errors import ParameterError
from arcwise.support.messages import Name, type_of
from arcwise.support.names import did_you_mean
from arcwise.support.quoting import quoted

if TYPE_CHECKING:
    from arcwise.arc_probabilities import ArcProbabilities

__all__ = ["KIND_COLOURS", "checked_labels", "checked_title", "doubled", "plot_network"]

KIND_COLOURS = {
    Kind.COMMON: style.LINE,
    Kind.OWN: style.EXTRA,
    Kind.REVERSED: style.REVERSED,
    Kind.MISSING: style.MISSING,
}


def plot_network(
    graph: Dag | Cpdag | BayesianNetwork | Result,
    *,
    strengths: "ArcProbabilities | Mapping[Pair, float] | None" = None,
    groups: Mapping[str, str] | None = None,
    reference: Dag | Cpdag | BayesianNetwork | Result | None = None,
    layers: Iterable[Iterable[str]] | None = None,
    title: str | None = None,
    ax: Any = None,
) -> Picture:
    """Picture of a network, with every arc pointing downwards where there are no undirected edges.

    Parameters
    ----------
    graph
        The network. Undirected edges of a `Cpdag` are lines without a head. Boxes of continuous nodes have a second
        border, where a network has distributions or a result its data.
    strengths
        Makes arcs as wide as they are strong: what `bootstrap` or `posterior` gives; or numbers
        by (parent, child), relative to the largest, 0 for arcs that are not there. An arc below 0 is thin and dashed.
    groups
        A word for each node, or for some; nodes of a group have the same colour.
    reference
        Another network over the same nodes. Arcs are coloured by whether it has them too, and arcs that only the
        reference has are dashed.
    layers
        Nodes that are drawn above those of the next layer, whatever the arcs are: the tiers of the constraints, or
        slices of time. Nodes in none of them go where their arcs lead.
    title
        A line over the picture.
    ax
        Axes of matplotlib to draw in, in place of a figure of its own.

    Raises
    ------
    ParameterError
        For an argument of another kind, or names that the network does not have.
    GraphError
        If the reference has other nodes.
    MissingLibraryError
        If matplotlib is not installed.

    Examples
    --------
    >>> from arcwise import bootstrap, learn, load_example
    >>> truth = load_example("asia")
    >>> data = truth.sample(1000, seed=1)
    >>> picture = plot_network(learn(data, seed=1), strengths=bootstrap(data, m=10, seed=1), reference=truth)
    >>> picture.svg().count(">smoke<")
    1
    """
    shown = graph_in("graph", graph)
    title, ax = checked_title(title), checked_axes(ax)
    numbers = None if strengths is None else strengths_in(strengths, shown.names)
    bands = [] if layers is None else checked_layers(layers, shown.names)
    fills, node_keys = doubled(continuous_in(graph) | continuous_in(reference), *_fills(groups, shown.names))
    own, missing = edges_of(shown), list[Edge]()
    kinds = list[Key]()
    if reference is not None:
        other = graph_in("reference", reference)
        own, missing = told_apart(shown, other, called=("graph", "reference"))
        kinds = kind_keys([*own, *missing], reversed_word=reversed_words(shown, other))
    with style.drawing():
        boxes = boxes_of(shown.names)
        whole = drawn(arranged(shown.names, own, missing, aspect=boxes.aspect(1.6), bands=bands), boxes)
        strokes = _Strokes(numbers, own)
        keys = [*node_keys, *strokes.keys(whole.thinner), *kinds]
        sheet = Sheet(*whole.size, title=title, keys=keys, ax=ax)
        # What differs is drawn over what does not.
        lines = sorted([*own, *missing], key=lambda edge: edge.kind is not Kind.COMMON)
        sheet.draw_edges(whole, 0.0, lines, strokes.of)
        sheet.draw_nodes(whole, 0.0, fills)
    what = f"network of {len(shown.names):,} nodes"
    return Picture(sheet.figure, what=what, titles=sheet.titles, is_part=ax is not None)


def checked_title(title: object) -> str | None:
    """Return the title, or raise a `ParameterError` where it is not text."""
    if title is not None and not isinstance(title, str):
        raise ParameterError.of("title", "a text or None", title)
    return title


def checked_layers(layers: object, names: Sequence[str]) -> list[list[str]]:
    """Return the layers that have nodes, or raise a `ParameterError`: every node is in one at most."""
    if not isinstance(layers, Iterable) or isinstance(layers, str):
        raise ParameterError.of("layers", "a list of lists of nodes", layers)
    bands, known, seen = [], frozenset(names), set[str]()
    for layer in layers:
        if not isinstance(layer, Iterable) or isinstance(layer, str):
            raise ParameterError.of("layers", "a list of lists of nodes", layers)
        band = list(layer)
        for name in band:
            if name not in known:
                raise ParameterError(
                    Name("layers"), f" has {quoted(name)}, which the graph does not have{did_you_mean(name, known)}"
                )
            if name in seen:
                raise ParameterError(f"{quoted(name)} is in ", Name("layers"), " twice; a node is in one at most")
            seen.add(name)
        if band:
            bands.append(band)
    return bands


def checked_labels(labels: object, n: int, *, wanted: str) -> list[str]:
    """Return the labels, or raise a `ParameterError` where they are not so many texts."""
    found = list(labels) if isinstance(labels, Iterable) and not isinstance(labels, str) else []
    if len(found) != n or not all(isinstance(label, str) for label in found):
        raise ParameterError.of("labels", wanted, labels)
    return found


def doubled(
    continuous: Collection[str], fills: Mapping[str, Fill], keys: Sequence[Key]
) -> tuple[dict[str, Fill], list[Key]]:
    """Return the boxes and their keys with a second border around continuous nodes."""
    if not continuous:
        return dict(fills), list(keys)
    marked = {name: replace(fills.get(name, Fill()), doubled=True) for name in continuous}
    plain = Fill(style.NO_GROUP, doubled=True) if fills else Fill(doubled=True)
    return {**fills, **marked}, [*keys, Key("continuous", plain)]


def kind_keys(edges: Sequence[Edge], *, reversed_word: str) -> list[Key]:
    """Return what the colours of arcs mean, with the number of each."""
    counts = {kind: sum(edge.kind is kind for edge in edges) for kind in Kind}
    words = {kind: str(kind) for kind in Kind} | {Kind.REVERSED: reversed_word}
    return [
        Key(f"{words[kind]} ({counts[kind]:,})", Stroke(KIND_COLOURS[kind], 1.4, dashed=kind is Kind.MISSING))
        for kind in Kind
    ]


class _Strokes:
    """How the arcs of a network are drawn, by their kind and their strength."""

    def __init__(self, numbers: Strengths | None, edges: Sequence[Edge]) -> None:
        self._numbers = numbers
        self._values = [] if numbers is None else [numbers.of(edge) for edge in edges]
        largest = max(self._values, default=0.0)
        self._largest = 1.0 if (numbers is not None and numbers.are_shares) or largest <= 0 else largest

    def of(self, edge: Edge) -> Stroke:
        colour = KIND_COLOURS[edge.kind]
        if edge.kind is Kind.MISSING:
            return Stroke(colour, style.LINE_WIDTH, dashed=True)
        if self._numbers is None:
            return Stroke(colour, style.LINE_WIDTH if edge.kind is Kind.COMMON else 1.3 * style.LINE_WIDTH)
        return self._stroke(colour, self._numbers.of(edge))

    def _stroke(self, colour: str, value: float) -> Stroke:
        least, most = style.WIDTHS
        share = min(max(value / self._largest, 0.0), 1.0)
        return Stroke(colour, least + (most - least) * share, dashed=value < 0)

    def keys(self, thinner: float) -> list[Key]:
        """Return what the widths mean, with samples that are as wide as the arcs are drawn."""
        if self._numbers is None or not self._values:
            return []
        if self._numbers.are_shares:
            words = (self._numbers.measure.format("20 %"), "60 %", "100 %")
            samples = [(0.2, words[0]), (0.6, words[1]), (1.0, words[2])]
        else:
            samples = [(share * self._largest, _short(share * self._largest)) for share in (0.0, 0.5, 1.0)]
            samples[0] = (samples[0][0], f"strength {samples[0][1]}")
        if min(self._values) < 0:
            samples.append((-1.0, "below 0"))
        lines = [self._stroke(style.LINE, value) for value, _ in samples]
        return [
            Key(text, replace(line, width=thinner * line.width), headed=False)
            for line, (_, text) in zip(lines, samples, strict=True)
        ]


def _short(value: float) -> str:
    """Return a number with three digits: 0.0125, 12.5, 1,250, 1.25e+20."""
    digits = f"{value:.3g}"
    return f"{float(digits):,.0f}" if 1000 <= float(digits) < 1e12 else digits


def _fills(groups: Mapping[str, str] | None, names: Sequence[str]) -> tuple[dict[str, Fill], list[Key]]:
    """Return how the boxes are drawn, and what their colours mean."""
    if groups is None:
        return {}, []
    if not isinstance(groups, Mapping):
        raise ParameterError.of("groups", "a mapping of names to words", type_of(groups))
    known = frozenset(names)
    for name, group in groups.items():
        if name not in known:
            raise ParameterError(
                Name("groups"), f" has {quoted(name)}, which the graph does not have{did_you_mean(name, known)}"
            )
        if not isinstance(group, str):
            raise ParameterError(f"the group of {quoted(name)} must be a word, not {quoted(group)}")
    words = list(dict.fromkeys(groups.values()))
    most = len(style.GROUP_COLOURS) * len(style.GROUP_EDGES)
    if len(words) > most:
        raise ParameterError(
            Name("groups"), f" has {len(words)} words, and at most {most} can be told apart; join some of them"
        )
    fills = {}
    for place, word in enumerate(words):
        line, width = style.GROUP_EDGES[place // len(style.GROUP_COLOURS)]
        edge = style.BOX_EDGE if place < len(style.GROUP_COLOURS) else style.INK
        fills[word] = Fill(style.GROUP_COLOURS[place % len(style.GROUP_COLOURS)], edge, line, width)
    keys = [Key(word, fill) for word, fill in fills.items()]
    none = Fill(style.NO_GROUP)
    if len(groups) < len(names):
        keys.append(Key("no group", none))
    return {name: fills[groups[name]] if name in groups else none for name in names}, keys
