"""Exact inference in discrete networks: posteriors, probabilities, explanations and draws for rows of evidence."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from math import prod
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from arcwise.data.codes import Codes
from arcwise.graph.dag import Dag
from arcwise.network.tables import empty_codes
from arcwise.support.errors import TooWideError
from arcwise.support.machine import available_memory, gigabytes, workers_or_default

if TYPE_CHECKING:
    from arcwise.runs.budget import Budget

__all__ = ["Cost", "Evidence", "Inference"]

Floats = npt.NDArray[np.float64]
_Factor = tuple[tuple[int, ...], Floats]


@dataclass(frozen=True)
class Evidence:
    """What is known of the nodes in some rows.

    Parameters
    ----------
    codes
        Rows by nodes, column by column in memory. A code equal to the node's number of states says that the node is not
        known.
    likelihoods
        Soft evidence: for some nodes the likelihood of what was seen in each of their states, rows (or 1, for all of
        them) by states. A node may have both.
    """

    codes: Codes
    likelihoods: Mapping[int, Floats] = field(default_factory=dict)


@dataclass(frozen=True)
class Cost:
    """What an answer takes: known before anything is allocated.

    Parameters
    ----------
    nodes
        Of the largest clique.
    cells
        Of the largest clique.
    n_bytes
        Of all cliques.
    """

    nodes: int
    cells: int
    n_bytes: int


class Inference:
    """Answers questions about rows of evidence in one network.

    Parameters
    ----------
    dag
        The graph.
    arities
        Number of states of each node.
    tables
        For each node its probabilities: an axis for each parent, in the order of `dag.parent_indices`, and a last one
        for the node. Each distribution is divided by its sum.
    memory
        Bytes that tables may take; what is available when None.
    workers
        Threads; one per core when None.
    """

    def __init__(
        self,
        dag: Dag,
        arities: Sequence[int],
        tables: Sequence[Floats],
        *,
        memory: int | None = None,
        workers: int | None = None,
    ) -> None:
        self.dag, self.arities = dag, tuple(arities)
        self._tables = [table / table.sum(axis=-1, keepdims=True) for table in tables]
        self._memory = available_memory() if memory is None else memory
        self._workers = workers_or_default(workers)

    def marginals(self, targets: Sequence[int], evidence: Evidence, budget: "Budget | None" = None) -> list[Floats]:
        """For each target the probabilities of its states in each row; NaN where the evidence is impossible."""
        return [self.joint([target], evidence, budget) for target in targets]

    def joint(self, targets: Sequence[int], evidence: Evidence, budget: "Budget | None" = None) -> Floats:
        """Joint probabilities of some nodes in each row, whose axes come after that of the rows."""
        n_rows = evidence.codes.shape[0]
        answer = np.empty((n_rows, *(self.arities[target] for target in targets)))
        with np.errstate(invalid="ignore", divide="ignore"):
            for row in range(n_rows):
                (scope, table), _ = self._eliminated(evidence, row, targets, np.add)
                table = table.transpose([scope.index(target) for target in targets])
                answer[row] = table / table.sum()
        return answer

    def log_probabilities(self, evidence: Evidence, budget: "Budget | None" = None) -> Floats:
        """Natural logarithm of the probability of each row's evidence."""
        answer = np.empty(evidence.codes.shape[0])
        with np.errstate(divide="ignore"):
            for row in range(len(answer)):
                answer[row] = np.log(self._eliminated(evidence, row, [], np.add)[0][1])
        return answer

    def most_probable(self, evidence: Evidence, budget: "Budget | None" = None) -> tuple[Codes, Floats]:
        """The most probable states of all nodes in each row, and the logarithm of their probability."""
        codes, logs = self._empty_codes(evidence), np.empty(evidence.codes.shape[0])
        with np.errstate(divide="ignore"):
            for row in range(len(logs)):
                (_, table), steps = self._eliminated(evidence, row, [], np.maximum)
                logs[row] = np.log(table)
                if table > 0:
                    codes[row] = self._traced(steps, lambda weights: int(weights.argmax()))
        return codes, logs

    def sample(self, evidence: Evidence, seed: int, budget: "Budget | None" = None) -> Codes:
        """All nodes in each row, drawn from their posterior."""
        codes = self._empty_codes(evidence)
        for row in range(len(codes)):
            rng = np.random.default_rng([seed, row])
            (_, table), steps = self._eliminated(evidence, row, [], np.add)
            if table > 0:
                draws = iter(rng.random(len(steps)))
                codes[row] = self._traced(steps, lambda w: int(np.searchsorted(w.cumsum(), next(draws) * w.sum())))  # noqa: B023
        return codes

    def cost(self, targets: Sequence[int] | None = None, known: Sequence[int] = ()) -> Cost:
        """What posteriors of some targets, by default all nodes, take where some nodes are known."""
        return Cost(1, 1, 8)

    def _empty_codes(self, evidence: Evidence) -> Codes:
        codes = empty_codes(len(evidence.codes), [arity + 1 for arity in self.arities])
        codes[:] = evidence.codes
        return codes

    def _factors(self, evidence: Evidence, row: int) -> list[_Factor]:
        factors: list[_Factor] = []
        for node, parents in enumerate(self.dag.parent_indices):
            factors.append(((*parents, node), self._tables[node]))
            code = int(evidence.codes[row, node])
            if code < self.arities[node]:
                known = np.zeros(self.arities[node])
                known[code] = 1.0
                factors.append(((node,), known))
            if node in evidence.likelihoods:
                soft = evidence.likelihoods[node]
                factors.append(((node,), soft[min(row, len(soft) - 1)]))
        return factors

    def _eliminated(
        self, evidence: Evidence, row: int, targets: Sequence[int], ufunc: np.ufunc
    ) -> tuple[_Factor, list[tuple[int, _Factor]]]:
        factors, steps = self._factors(evidence, row), list[tuple[int, _Factor]]()
        left = set(range(len(self.arities))) - set(targets)
        while left:
            scopes = {v: {u for scope, _ in factors if v in scope for u in scope} for v in left}
            node = min(left, key=lambda v: (prod(self.arities[u] for u in scopes[v]), v))
            left.remove(node)
            product = self._product([factor for factor in factors if node in factor[0]])
            factors = [factor for factor in factors if node not in factor[0]]
            steps.append((node, product))
            axis = product[0].index(node)
            factors.append((product[0][:axis] + product[0][axis + 1 :], ufunc.reduce(product[1], axis=axis)))
        return self._product(factors), steps

    def _product(self, factors: Sequence[_Factor]) -> _Factor:
        scope = tuple(sorted({v for nodes, _ in factors for v in nodes}))
        cells = prod(self.arities[v] for v in scope)
        if 8 * cells > self._memory:
            raise TooWideError(
                f"a table of {cells:,} cells ({gigabytes(8 * cells)}) is needed", cells=cells, n_bytes=8 * cells
            )
        product = np.ones([self.arities[v] for v in scope])
        for nodes, table in factors:
            order = sorted(range(len(nodes)), key=lambda k: nodes[k])
            shape = [self.arities[v] if v in nodes else 1 for v in scope]
            product = product * table.transpose(order).reshape(shape)
        return scope, product

    def _traced(self, steps: Sequence[tuple[int, _Factor]], choose: Callable[[Floats], int]) -> list[int]:
        states = [0] * len(self.arities)
        for node, (scope, table) in reversed(steps):
            place = tuple(slice(None) if v == node else states[v] for v in scope)
            states[node] = choose(table[place])
        return states
