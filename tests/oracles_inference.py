"""Questions about small discrete networks by enumeration: every combination of states, with its probability."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from math import log, nan, prod

import numpy as np
import numpy.typing as npt
from hypothesis import strategies as st

from arcwise import Dag
from arcwise.network.inference import Evidence

Floats = npt.NDArray[np.float64]

__all__ = ["Case", "cases", "joint_posterior", "log_probability", "most_probable_log"]


@dataclass(frozen=True)
class Case:
    """A network and rows of evidence."""

    dag: Dag
    arities: tuple[int, ...]
    tables: list[Floats]
    evidence: Evidence


def worlds(case: Case, row: int) -> Iterator[tuple[tuple[int, ...], float]]:
    """Every combination of states with its probability, times the likelihood of the evidence."""
    codes, likelihoods = case.evidence.codes, case.evidence.likelihoods
    for states in product(*map(range, case.arities)):
        weight = 1.0
        for node, table in enumerate(case.tables):
            distribution = table[tuple(states[parent] for parent in case.dag.parent_indices[node])]
            weight *= distribution[states[node]] / distribution.sum()
            code = int(codes[row, node])
            weight *= code in (states[node], case.arities[node])
        for node, rows in likelihoods.items():
            weight *= rows[row if len(rows) > 1 else 0, states[node]]
        yield states, weight


def joint_posterior(case: Case, targets: list[int], row: int) -> Floats:
    """Joint posterior; NaN where the evidence is impossible."""
    answer = np.zeros([case.arities[target] for target in targets])
    for states, weight in worlds(case, row):
        answer[tuple(states[target] for target in targets)] += weight
    total = answer.sum()
    return answer / total if total > 0 else np.full(answer.shape, nan)


def log_probability(case: Case, row: int) -> float:
    """Logarithm of the probability of the evidence."""
    total = sum(weight for _, weight in worlds(case, row))
    return log(total) if total > 0 else -np.inf


def most_probable_log(case: Case, row: int) -> float:
    """Logarithm of the probability of the most probable combination."""
    most = max(weight for _, weight in worlds(case, row))
    return log(most) if most > 0 else -np.inf


@st.composite
def cases(draw: st.DrawFn, *, most_nodes: int = 6, most_rows: int = 12) -> Case:
    """Networks of a few nodes with up to 3 states, zeros in their tables, and any evidence."""
    n = draw(st.integers(1, most_nodes))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    order = rng.permutation(n)
    density = draw(st.sampled_from([0.2, 0.5, 0.9]))
    parents: list[list[int]] = [[] for _ in range(n)]
    for later in range(n):
        parents[order[later]] = [int(order[k]) for k in range(later) if rng.random() < density]
    dag = Dag.from_parents([f"v{node}" for node in range(n)], parents)
    arities = tuple(int(rng.integers(1, 4)) for _ in range(n))
    zeros = draw(st.sampled_from([0.0, 0.3]))
    tables = [_table([arities[v] for v in (*dag.parent_indices[node], node)], zeros, rng) for node in range(n)]
    rows = draw(st.integers(1, most_rows))
    known = draw(st.sampled_from([0.0, 0.3, 0.8, 1.0]))
    codes = np.array(
        [[rng.integers(arity) if rng.random() < known else arity for arity in arities] for _ in range(rows)]
    )
    if draw(st.booleans()):  # the same nodes are known in all rows
        missing = codes[0] == np.array(arities)
        drawn = np.array([[rng.integers(arity) for arity in arities] for _ in range(rows)])
        codes = np.where(missing, np.array(arities), drawn)
    soft = draw(st.sampled_from([0.0, 0.3]))
    likelihoods = {
        node: rng.random((int(rng.choice([1, rows])), arity)) * (rng.random(arity) < 0.9)
        for node, arity in enumerate(arities)
        if rng.random() < soft
    }
    kind = draw(st.sampled_from([np.uint8, np.uint16]))
    return Case(dag, arities, tables, Evidence(np.asfortranarray(codes.astype(kind)), likelihoods))


def _table(shape: list[int], zeros: float, rng: np.random.Generator) -> Floats:
    table = rng.random(shape) * (rng.random(shape) >= zeros)
    flat = table.reshape(prod(shape[:-1]), shape[-1])
    for row in flat:
        if not row.sum():
            row[rng.integers(len(row))] = 1.0
    flat /= flat.sum(axis=-1, keepdims=True)
    return flat.reshape(shape)
