"""Contents of reports, put together from a network by definition: what `arcwise.report.html.page` is given."""

from collections import defaultdict
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from arcwise.data.dataset import Dataset
from arcwise.graph.dag import Dag
from arcwise.network.distributions import ConditionalGaussian, Distribution
from arcwise.network.network import BayesianNetwork

ROWS_SHOWN = 200

# Names that want to be something else than text.
HOSTILE = [
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "</script>",
    "<!--",
    "${x}",
    "{{x}}",
    "'; alert(1); '",
    "javascript:alert(1)",
    "%",
    "   ",
    "\u200b",
    "a\nb",
    "\u202egnp",
    "__proto__",
    "long " * 400,
    "🦔 ünïcödé",
]


def chain(names: list[str], states: list[str]) -> BayesianNetwork:
    """A network in which each node is the parent of the next."""
    tables: list[npt.ArrayLike] = [[0.25, 0.75], *([[0.25, 0.75], [0.5, 0.5]] for _ in names[1:])]
    return BayesianNetwork(Dag(names, pairwise(names)), [states] * len(names), tables)


def positions(dag: Dag) -> tuple[list[float], list[float]]:
    """Every node one row below its lowest parent, beside the others of its row."""
    row: dict[str, int] = {}
    for node in dag.topological_order():
        row[node] = max((row[parent] + 1 for parent in dag.parents(node)), default=0)
    filled: defaultdict[int, int] = defaultdict(int)
    x = {}
    for node in dag.names:
        x[node] = float(filled[row[node]])
        filled[row[node]] += 1
    return [x[node] for node in dag.names], [float(row[node]) for node in dag.names]


def content_of(network: BayesianNetwork, sample: Dataset | None = None, **more: Any) -> dict[str, Any]:
    """Return the content of a report on a network, with the counts of a sample; ``more`` replaces or adds entries."""
    dag = network.dag
    x, y = positions(dag)
    arcs = [(i, j) for j, parents in enumerate(dag.parent_indices) for i in parents]
    counts = None
    if sample is not None:
        counts = [
            np.bincount(sample.codes[:, v], minlength=len(states)).tolist() if states else []
            for v, states in enumerate(sample.states)
        ]
    compelled = set(dag.cpdag().directed)
    content: dict[str, Any] = {
        "title": "A network",
        "summary": [["arcs", str(dag.n_arcs), f"over {dag.n_nodes} variables"], ["score", "-1,234.5", "BIC"]],
        "nodes": {
            "name": list(dag.names),
            "x": x,
            "y": y,
            "states": [list(states) for states in network.states],
            "counts": counts,
            "tables": [_table(each) for each in network.distributions],
        },
        "arcs": {
            "from": [i for i, _ in arcs],
            "to": [j for _, j in arcs],
            "gain": [10.0 + k for k in range(len(arcs))],
            "share": [1 - k / (2 * len(arcs)) for k in range(len(arcs))],
            "reversible": [(dag.names[i], dag.names[j]) not in compelled for i, j in arcs],
            "route": [None] * len(arcs),
        },
        "reference": None,
        "trace": [[0.01, -1300.0], [0.05, -1250.0], [0.6, -1240.0], [2.0, -1234.5]],
        "bounds": [[0.5, -1200.0], [1.5, -1230.0]],
        "bound": -1230.0,
        "bound_for": "all graphs",
        "score": -1234.5,
        "seconds": 2.5,
        "strengths": None,
        "data": {"rows": [["rows", "1,000"], ["variables", str(dag.n_nodes)]]},
        "warnings": [],
        "settings": [["method", "orders"], ["seed", "1"]],
        "versions": [["arcwise", "0.1.0"]],
        "command": "arcwise learn data.csv --seed 1",
    }
    return content | more


def with_numbers(content: dict[str, Any], sample: Dataset) -> dict[str, Any]:
    """Return a content with what is known of the numbers of a sample: histograms of eight bars, and all rows."""
    numbers = [
        None if states else sample.numbers_of(name) for name, states in zip(sample.names, sample.states, strict=True)
    ]
    known: dict[str, Any] = {
        "numbers": [None if each is None else f"mean {each.mean():.3f}" for each in numbers],
        "histograms": [None if each is None else _histogram(each) for each in numbers],
        "points": {
            "rows": sample.n_rows,
            "of": 10 * sample.n_rows,
            "values": [
                None if each is None else np.rint(999 * (each - each.min()) / np.ptp(each)).astype(int).tolist()
                for each in numbers
            ],
        },
    }
    return content | {"nodes": content["nodes"] | known}


def _histogram(numbers: np.ndarray[Any, np.dtype[np.float64]]) -> dict[str, Any]:
    counts = np.histogram(numbers, bins=8)[0]
    return {"from": float(numbers.min()), "to": float(numbers.max()), "counts": counts.tolist()}


def _table(distribution: Distribution) -> dict[str, Any]:
    if isinstance(distribution, ConditionalGaussian):
        n = distribution.intercepts.size
        parts = distribution.intercepts, distribution.coefficients, distribution.deviations
        numbers = np.column_stack([part.reshape(n, -1) for part in parts])[:ROWS_SHOWN]
        return {"regressions": numbers.ravel().tolist(), "rows": n, "shown": len(numbers)}
    rows = distribution.probabilities.reshape(-1, distribution.shape[-1])
    shown = min(len(rows), ROWS_SHOWN)
    return {"probabilities": rows[:shown].ravel().tolist(), "rows": len(rows), "shown": shown}
