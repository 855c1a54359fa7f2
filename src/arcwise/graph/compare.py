"""How far a learned graph is from the true one."""

import math
from collections.abc import Iterable
from dataclasses import dataclass

from arcwise.graph.cpdag import Cpdag, Ends
from arcwise.graph.dag import Dag
from arcwise.graph.nodes import Pair, check_same_nodes
from arcwise.support.errors import GraphError


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    r"""What `compare` found; everything but the two directed distances is about edges, whichever way they point.

    With :math:`e` edges in the true graph, :math:`m` of them missing from the learned one, and :math:`s` extra ones
    there:

    .. math:: \text{precision} = \frac{e - m}{e - m + s}, \quad \text{recall} = \frac{e - m}{e}, \quad
              F_1 = \frac{2 (e - m)}{2 (e - m) + m + s}, \quad
              \text{euclidean} = \sqrt{\text{precision}^2 + \text{recall}^2}.

    Two graphs without edges agree: all three ratios are 1. Apart from that, 0/0 is 0: the precision of an empty graph
    when there was something to find, the recall of a graph with edges when there was nothing.

    Attributes
    ----------
    shd_skeleton
        Structural Hamming distance of the skeletons, :math:`m + s`, as in Vandel, Mangin & de Givry 2012.
    shd_dag
        Number of missing, extra and reversed arcs; None unless both graphs are DAGs.
    shd_cpdag
        Number of pairs of nodes whose edge differs in the two CPDAGs (absent, undirected, one way, the other way), as
        in Tsamardinos, Brown & Aliferis 2006, doi:10.1007/s10994-006-6889-7.
    missing
        Edges of the true graph that the learned one lacks, as they are there: (parent, child) where directed.
    extra
        Edges of the learned graph that the true one lacks, as they are there.
    reversed
        Arcs of the true graph that the learned one has the other way round; None unless both graphs are DAGs.
    precision
        Part of the learned edges that are true.
    recall
        Part of the true edges that are learned.
    f1
        Harmonic mean of precision and recall.
    euclidean
        Distance of (precision, recall) from the origin, larger is better, at most √2 (Vandel, Mangin & de Givry 2012,
        section 4.3).

    Examples
    --------
    >>> found = compare(Dag(["a", "b"], [("a", "b")]), Dag(["a", "b"]))
    >>> found.missing, found.shd_dag, found.recall
    ((('a', 'b'),), 1, 0.0)
    """

    shd_skeleton: int
    shd_dag: int | None
    shd_cpdag: int
    missing: tuple[Pair, ...]
    extra: tuple[Pair, ...]
    reversed: tuple[Pair, ...] | None
    precision: float
    recall: float
    f1: float
    euclidean: float


def compare(truth: Dag | Cpdag, learned: Dag | Cpdag) -> Comparison:
    """Differences between a learned graph and the true one, in the usual measures.

    Each graph may be a `Dag` or a `Cpdag`. For `shd_cpdag` a `Dag` stands for its class, and a `Cpdag` is taken as it
    is. What compares single arcs (`shd_dag`, `reversed`) is None unless both are a `Dag`.

    Parameters
    ----------
    truth
        The graph that was to be found.
    learned
        The graph that was found: the same names, in any order.

    Raises
    ------
    GraphError
        When the two graphs have different nodes; the message names them.

    Examples
    --------
    >>> truth = Dag(["a", "b", "c", "d"], [("a", "b"), ("b", "c"), ("c", "d")])
    >>> learned = Dag(["d", "c", "b", "a"], [("b", "a"), ("b", "c"), ("b", "d")])
    >>> found = compare(truth, learned)
    >>> found.missing, found.extra, found.reversed
    ((('c', 'd'),), (('b', 'd'),), (('a', 'b'),))
    >>> found.shd_skeleton, found.shd_dag, found.shd_cpdag
    (2, 3, 2)
    >>> round(found.precision, 3), round(found.recall, 3), round(found.f1, 3), round(found.euclidean, 3)
    (0.667, 0.667, 0.667, 0.943)
    """
    for role, graph in (("truth", truth), ("learned", learned)):
        if not isinstance(graph, Dag | Cpdag):
            raise GraphError(f"{role} must be a Dag or a Cpdag, not {type(graph).__name__}")
    check_same_nodes(truth.names, learned.names, called=("truth", "learned"))
    learned = learned.with_names_ordered(truth.names)
    true_edges, learned_edges = _edges(truth), _edges(learned)
    names = truth.names
    missing = _named(names, [edge for key, edge in true_edges.items() if key not in learned_edges])
    extra = _named(names, [edge for key, edge in learned_edges.items() if key not in true_edges])
    reversed_arcs = None
    if isinstance(truth, Dag) and isinstance(learned, Dag):
        backwards = [edge for key, edge in true_edges.items() if learned_edges.get(key, edge) != edge]
        reversed_arcs = _named(names, backwards)
    true_class, learned_class = _class_edges(truth), _class_edges(learned)
    pairs = true_class.keys() | learned_class.keys()
    n_common = len(true_edges) - len(missing)
    n_different = len(missing) + len(extra)
    alike = not true_edges and not learned_edges
    precision = 1.0 if alike else _ratio(n_common, len(learned_edges))
    recall = 1.0 if alike else _ratio(n_common, len(true_edges))
    return Comparison(
        shd_skeleton=n_different,
        shd_dag=None if reversed_arcs is None else n_different + len(reversed_arcs),
        shd_cpdag=sum(true_class.get(pair) != learned_class.get(pair) for pair in pairs),
        missing=missing,
        extra=extra,
        reversed=reversed_arcs,
        precision=precision,
        recall=recall,
        f1=1.0 if alike else _ratio(2 * n_common, 2 * n_common + n_different),
        euclidean=math.hypot(precision, recall),
    )


def _named(names: tuple[str, ...], edges: Iterable[Ends]) -> tuple[Pair, ...]:
    return tuple((names[a], names[b]) for a, b in edges)


def _edges(graph: Dag | Cpdag) -> dict[int, Ends]:
    """Edges as they are written, found by a number for their ends: sets of names take ten times the memory."""
    n = graph.n_nodes
    edges = [(parent, child) for child, row in enumerate(graph.parent_indices) for parent in row]
    if isinstance(graph, Cpdag):
        edges += _lines(graph)
    return {_key(a, b, n): (a, b) for a, b in edges}


def _class_edges(graph: Dag | Cpdag) -> dict[int, int]:
    """Edges of the class, found by their ends: the parent where directed, -1 where not."""
    cpdag = graph.cpdag() if isinstance(graph, Dag) else graph
    n = cpdag.n_nodes
    directed = {_key(parent, child, n): parent for child, row in enumerate(cpdag.parent_indices) for parent in row}
    return directed | {_key(a, b, n): -1 for a, b in _lines(cpdag)}


def _lines(cpdag: Cpdag) -> list[Ends]:
    return [(a, b) for a, row in enumerate(cpdag.neighbour_indices) for b in row if a < b]


def _key(a: int, b: int, n: int) -> int:
    return a * n + b if a < b else b * n + a


def _ratio(part: int, whole: int) -> float:
    return part / whole if whole else 0.0
