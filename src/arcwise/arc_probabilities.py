"""How sure edges and arcs are, whoever says it: shares of replicas, or posterior probabilities."""

from collections.abc import Set
from functools import cached_property
from html import escape
from typing import Any, ClassVar
from warnings import warn

import numpy as np
import numpy.typing as npt

from arcwise.constraints.constraints import Constraints
from arcwise.data.frames import frame_of
from arcwise.graph.cpdag import Cpdag
from arcwise.graph.dag import Dag
from arcwise.graph.growing_order import GrowingOrder
from arcwise.graph.nodes import positions
from arcwise.graph.pair_numbers import PairNumbers
from arcwise.io.strengths import COLUMNS
from arcwise.support.arguments import number, real_numbers
from arcwise.support.errors import ArcwiseWarning, ParameterError
from arcwise.support.names import index_of
from arcwise.support.notebooks import MOST_ROWS, html_table
from arcwise.support.quoting import quoted

__all__ = ["ArcProbabilities", "significance_threshold"]


class ArcProbabilities:
    """Numbers from 0 to 1 for edges and arcs, and the graphs that follow from them: a base class.

    Attributes
    ----------
    names
        The variables, in the order of the matrices.
    edges
        At [i, j] and at [j, i] how sure it is that i and j are adjacent.
    arcs
        At [i, j] how sure the arc i -> j is.
    constraints
        What graphs must and must not have.
    """

    names: tuple[str, ...]
    edges: PairNumbers
    arcs: PairNumbers
    constraints: Constraints
    called: ClassVar[str]
    """What the numbers are, for the legends of pictures."""
    measure: ClassVar[str]
    """The same with a number in it."""

    def refuse_nothing(self) -> None:
        """Raise an error where there is nothing to tell, as after a limit of no time."""

    def edge(self, one: str | int, other: str | int) -> float:
        """Share of the replicas in which two variables are adjacent."""
        self.refuse_nothing()
        return self.edges[self._index(one), self._index(other)]

    def direction(self, parent: str | int, child: str | int) -> float:
        """Share of those replicas that have the edge in which it is directed like this; 0 where none has it."""
        self.refuse_nothing()
        i, j = self._index(parent), self._index(child)
        return self.arcs[i, j] / self.edges[i, j] if self.edges[i, j] > 0 else 0.0

    def adjacent(self) -> list[tuple[str, str, float, float]]:
        """Pairs that are adjacent in some replica, each both ways round, in the order of the variables.

        With each pair come its `edge` and its `direction`: bnlearn's two numbers.
        """
        self.refuse_nothing()
        edges = self.edges
        tails, heads = edges.row.tolist(), edges.col.tolist()
        directions = (self.arcs.at(edges.row, edges.col) / edges.data).tolist()
        return [
            (self.names[i], self.names[j], strength, direction)
            for i, j, strength, direction in zip(tails, heads, edges.data.tolist(), directions, strict=True)
        ]

    def to_frame(self, backend: str | None = None) -> Any:
        """Frame ("polars", "pandas" or "pyarrow") of what `adjacent` lists, the strongest edges first.

        Its columns are those of the file that ``arcwise bootstrap`` writes and of bnlearn's ``boot.strength``: from,
        to, strength and direction.

        Examples
        --------
        >>> from arcwise import bootstrap, load_example
        >>> strengths = bootstrap(load_example("cancer").sample(2000, seed=1), m=10, seed=1)
        >>> strengths.to_frame().columns
        ['from', 'to', 'strength', 'direction']
        """
        rows = sorted(self.adjacent(), key=lambda row: (-row[2], -row[3]))
        return frame_of({name: [row[at] for row in rows] for at, name in enumerate(COLUMNS)}, backend)

    @property
    def threshold(self) -> float:
        """Edges that are found more often than this are significant; see `significance_threshold`."""
        self.refuse_nothing()
        return significance_threshold(self.edges.data)  # all other pairs have 0, which no threshold is below

    def averaged(self, threshold: float | None = None) -> Dag:
        """Graph of the edges that are found more often than the threshold, each in its more frequent direction.

        The most frequent arcs come first; one that would close a cycle is reversed. Without constraints no edge is
        lost by this; one that the constraints then do not allow is left out, with a warning.

        Parameters
        ----------
        threshold
            A share of the replicas; by default the `threshold` of these frequencies.
        """
        self.refuse_nothing()
        least = self.threshold if threshold is None else number("threshold", threshold)
        if least >= 1 and threshold is not None:
            raise ParameterError.of("threshold", "below 1", threshold, "edges are found more often than that")
        rules = self.constraints.resolve(self.names)
        parents: list[list[int]] = [[] for _ in self.names]
        order = GrowingOrder(len(self.names))
        degrees = np.zeros(len(self.names), dtype=np.int32)

        def fits(arc: tuple[int, int]) -> bool:
            i, j = arc
            room = len(parents[j]) < rules.max_parents[j] and (degrees[[i, j]] < rules.max_degree[[i, j]]).all()
            is_free = rules.is_allowed(j, i) and room and not order.reaches(j, i)
            return bool(is_free and rules.keeps_ancestors_with(order.reaches, i, j))

        first = self.constraints.required_dag(self.names).parent_indices
        required = [(i, j) for j, row in enumerate(first) for i in row]
        for i, j in (*required, *self._by_frequency(least, frozenset(map(frozenset, required)))):
            chosen = next(filter(fits, ((i, j), (j, i))), None)
            if chosen is None:
                warn(
                    f"the edge between {quoted(self.names[i])} and {quoted(self.names[j])} is left out: with those "
                    "that are more frequent, the constraints allow neither direction",
                    ArcwiseWarning,
                    stacklevel=2,
                )
                continue
            tail, head = chosen
            parents[head].append(tail)
            degrees[[tail, head]] += 1
            order.add(tail, head)
        return Dag.from_parents(self.names, parents)

    def skeleton(self, threshold: float = 0.0) -> Cpdag:
        """Graph of undirected edges that are found in at least this share of the replicas, with 0 in any of them.

        Of `tree_strengths` it has the candidate neighbours that Ammar & Leray (2011, ECSQARU) draw, and with a
        threshold the pruned ones; `plot_network` makes its edges as wide as they are frequent.
        """
        self.refuse_nothing()
        if number("threshold", threshold) > 1:
            raise ParameterError.of("threshold", "a share from 0 to 1", threshold)
        once = self.edges.upper()
        frequent = (once.data > 0) & (once.data >= threshold - 1e-9)
        pairs = zip(once.row[frequent].tolist(), once.col[frequent].tolist(), strict=True)
        return Cpdag(self.names, undirected=[(self.names[i], self.names[j]) for i, j in pairs])

    def _by_frequency(self, least: float, there: Set[frozenset[int]]) -> list[tuple[int, int]]:
        """Return arcs for the edges above a frequency that are not there yet, the most frequent ones first."""
        once = self.edges.upper()
        i, j = once.row[once.data > least], once.col[once.data > least]
        forth, back = self.arcs.at(i, j), self.arcs.at(j, i)
        tails, heads = np.where(forth >= back, i, j), np.where(forth >= back, j, i)
        order = np.argsort(-np.maximum(forth, back), kind="stable")
        arcs = zip(tails[order].tolist(), heads[order].tolist(), strict=True)
        return [arc for arc in arcs if frozenset(arc) not in there]

    def _repr_html_(self) -> str:
        pairs = [row for row in self.adjacent() if row[3] > 0.5 or (row[3] == 0.5 and row[0] < row[1])]
        pairs.sort(key=lambda row: (-row[2], -row[3]))
        rows = [
            [tail, head, f"{strength:.3f}", f"{direction:.3f}"] for tail, head, strength, direction in pairs[:MOST_ROWS]
        ]
        about = f"{self!r} Edges above {self.threshold:.3f} are significant."
        return f"<div><p>{escape(about)}</p>{html_table(COLUMNS, rows, n_rows=len(pairs))}</div>"

    def _index(self, variable: str | int) -> int:
        return index_of(variable, self._positions)

    @cached_property
    def _positions(self) -> dict[str, int]:
        return positions(self.names)


def significance_threshold(frequencies: npt.ArrayLike) -> float:
    r"""Frequency above which an edge is significant, by the frequencies of all pairs.

    Scutari & Nagarajan (2013, doi:10.1016/j.artmed.2012.12.006): were it known which edges are there, all frequencies
    would be 0 or 1, and their distribution function would be a constant :math:`t` between. The :math:`t` that is
    nearest to the distribution function :math:`F` of the frequencies that were found,

    .. math:: \hat t = \arg\min_t \int_0^1 |F(x) - t| \,\mathrm{d}x,

    is the share of edges that are not there, and the threshold is :math:`F^{-1}(\hat t) = \inf\{x : F(x) \ge \hat t\}`.

    Notes
    -----
    As F never falls, half of the interval has values up to :math:`F(\frac12)` and half from there on, so that
    :math:`\hat t = F(\frac12)` is nearest. The threshold is the largest frequency up to one half, and the significant
    edges are those that more than half of the replicas have. Where several :math:`t` are as near, this is the largest.

    Examples
    --------
    >>> significance_threshold([0.0, 0.1, 0.45, 0.8, 1.0])
    0.45
    """
    try:
        values = real_numbers(frequencies)
    except TypeError as error:
        raise ParameterError.of("frequencies", f"a list of numbers from 0 to 1: {error}") from None
    if values.ndim != 1 or not ((values >= 0) & (values <= 1)).all():
        raise ParameterError.of("frequencies", "a list of numbers from 0 to 1")
    lower = values[values <= 0.5]
    return float(lower.max()) if lower.size else 0.0
