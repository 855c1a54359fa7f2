"""A node's table with the names of its parents and the labels of their states."""

from collections.abc import Iterator, Mapping, Sequence
from html import escape
from itertools import product
from typing import TYPE_CHECKING, Any, final

import numpy as np
import numpy.typing as npt

from arcwise.data.frames import frame_of
from arcwise.network.answers import Answer, aligned, shown
from arcwise.network.distributions import ConditionalGaussian, Distribution
from arcwise.support.names import free_name
from arcwise.support.notebooks import MOST_ROWS, html_table, picture_of
from arcwise.support.quoting import listed, quoted

if TYPE_CHECKING:
    from arcwise.network.network import BayesianNetwork

__all__ = ["LabelledTable", "frame_of_distribution", "html_of_network"]


@final
class LabelledTable(Answer, Mapping[tuple[str, ...], float]):
    """Probabilities of a node's states by the states of its parents: a mapping from a state of each to a number.

    Keys have the states of the parents, in the order of the graph, and last that of the node itself.

    Parameters
    ----------
    nodes
        The parents, and last the node.
    states
        For each of them its labels.
    probabilities
        An axis for each of them.

    Examples
    --------
    >>> table = LabelledTable(["rain", "wet"], [["no", "yes"], ["no", "yes"]], [[0.9, 0.1], [0.3, 0.7]])
    >>> table
    rain  wet=no  wet=yes
    no    0.9000   0.1000
    yes   0.3000   0.7000
    >>> table["yes", "no"]
    0.3
    """

    __slots__ = ("_nodes", "_probabilities", "_states")

    def __init__(self, nodes: Sequence[str], states: Sequence[Sequence[str]], probabilities: npt.ArrayLike) -> None:
        self._nodes = tuple(nodes)
        self._states = tuple(map(tuple, states))
        values = np.asarray(probabilities, dtype=np.float64).ravel().tolist()
        self._probabilities: dict[tuple[str, ...], float] = dict(zip(product(*self._states), values, strict=True))

    def _said(self) -> tuple[object, ...]:
        return self._nodes, tuple(self._probabilities.items())

    @property
    def node(self) -> str:
        """The node."""
        return self._nodes[-1]

    @property
    def parents(self) -> tuple[str, ...]:
        """Its parents, in the order of the keys."""
        return self._nodes[:-1]

    def to_frame(self, backend: str | None = None) -> Any:
        """Frame ("polars", "pandas" or "pyarrow") with a row for each probability.

        Examples
        --------
        >>> LabelledTable(["wet"], [["no", "yes"]], [0.25, 0.75]).to_frame().rows()
        [('no', 0.25), ('yes', 0.75)]
        """
        columns: dict[str, Any] = {name: [key[at] for key in self] for at, name in enumerate(self._nodes)}
        columns[free_name("probability", self._nodes)] = list(self.values())
        return frame_of(columns, backend)

    def __getitem__(self, states: str | tuple[str, ...]) -> float:
        key = (states,) if isinstance(states, str) else states
        try:
            return self._probabilities[key]
        except (KeyError, TypeError):
            axes = listed(self._nodes)
            raise KeyError(f"there is no entry {quoted(key)}; give a state of each of {axes}, in this order") from None

    def __iter__(self) -> Iterator[tuple[str, ...]]:
        return iter(self._probabilities)

    def __len__(self) -> int:
        return len(self._probabilities)

    def _cells(self) -> tuple[list[str], list[list[str]]]:
        """Return the heading, and a row for each configuration of the parents."""
        own = self._states[-1]
        values = list(map(shown, self.values()))
        rows = [
            [*key, *values[at * len(own) : (at + 1) * len(own)]] for at, key in enumerate(product(*self._states[:-1]))
        ]
        return [*self.parents, *(f"{self.node}={state}" for state in own)], rows

    def __repr__(self) -> str:
        heading, rows = self._cells()
        return aligned([heading, *rows], numbers=len(self._states[-1]))

    def _repr_html_(self) -> str:
        heading, rows = self._cells()
        return html_table(heading, rows[:MOST_ROWS], n_rows=len(rows))


def frame_of_distribution(
    nodes: Sequence[str], states: Sequence[Sequence[str]], distribution: Distribution, backend: str | None
) -> Any:
    """Frame of a node's distribution; `nodes` and `states` are those of its parents and, last, its own.

    A table has a row for each probability. A Gaussian has one for each configuration of the discrete parents, with the
    intercept, a coefficient for each continuous parent under its name, and the deviation.
    """
    if not isinstance(distribution, ConditionalGaussian):
        return LabelledTable(nodes, states, distribution.probabilities).to_frame(backend)
    parents = list(zip(nodes[:-1], states[:-1], strict=True))
    discrete = [name for name, labels in parents if labels]
    keys = list(product(*(labels for _, labels in parents if labels)))
    columns: dict[str, Any] = {name: [key[at] for key in keys] for at, name in enumerate(discrete)}
    columns[free_name("intercept", nodes)] = distribution.intercepts.ravel().tolist()
    coefficients = distribution.coefficients.reshape(len(keys), -1)
    continuous = [name for name, labels in parents if not labels]
    columns |= {name: coefficients[:, at].tolist() for at, name in enumerate(continuous)}
    columns[free_name("deviation", nodes)] = distribution.deviations.ravel().tolist()
    return frame_of(columns, backend)


def html_of_network(network: "BayesianNetwork") -> str:
    """Return the picture of a network, and under it the distribution of each node, to unfold."""
    picture = picture_of(network) or ""
    parts = [_unfolding(network, name) for name in network.names[:MOST_ROWS]]
    more = network.dag.n_nodes - len(parts)
    note = f"<p>and {more:,} more nodes</p>" if more > 0 else ""
    svg = picture[picture.find("<svg") :] if picture else ""
    return f"<div><p>{escape(repr(network))}</p>{svg}{''.join(parts)}{note}</div>"


def _unfolding(network: "BayesianNetwork", name: str) -> str:
    parents = network.dag.parents(name)
    title = f"{name} given {', '.join(parents)}" if parents else name
    frame = network.to_frame(name)
    rows = [[cell if isinstance(cell, str) else shown(cell) for cell in row] for row in frame.head(MOST_ROWS).rows()]
    table = html_table(frame.columns, rows, n_rows=frame.height)
    if not isinstance(network.distribution(name), ConditionalGaussian):
        table = network.labelled(name)._repr_html_()
    return f"<details><summary>{escape(title)}</summary>{table}</details>"
