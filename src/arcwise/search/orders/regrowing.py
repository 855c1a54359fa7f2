"""Climbs over orders whose parents are grown anew by each move: for scores that are made in a moment."""

from collections.abc import Sequence

import numpy as np

from arcwise import _core
from arcwise.constraints.resolved import ResolvedConstraints
from arcwise.data.dataset import Dataset
from arcwise.graph.dag import Dag
from arcwise.graph.nodes import Order, parents_first
from arcwise.runs.budget import Budget
from arcwise.scores.local_score import LocalScore
from arcwise.search.orders.climber import Climber, Surroundings
from arcwise.search.orders.climbs import Optimum

__all__ = ["RegrowingClimber", "perturbed_rows"]


class RegrowingClimber(Climber):
    """Climbs in which a move grows the parents of all that it passes; see `orders`."""

    def __init__(self, score: LocalScore, rules: ResolvedConstraints, surroundings: Surroundings) -> None:
        super().__init__(4 * score.rounding, surroundings)
        self._score = score
        self._rules = rules
        self._kernels: list[_core.RegrowingClimb] = []  # those at rest, for threads to take; they remember
        self._sequences: set[bytes] = set()

    @property
    def counters(self) -> dict[str, int]:
        """What else was counted."""
        return {}

    def initial(self, rng: np.random.Generator) -> Order:
        """Return a sequence to make an order of, when it is climbed from."""
        sequence = parents_first(rng.permutation(len(self._score.names)), self._rules.required_arcs)
        with self._lock:
            self._sequences.add(sequence.tobytes())
        return sequence

    def order_of(self, dag: Dag) -> Order:
        """Return an order of a graph."""
        position = {name: index for index, name in enumerate(dag.names)}
        return np.array([position[name] for name in dag.topological_order()], dtype=np.intp)

    def forget(self, kept: Sequence[Optimum]) -> None:
        """Forget nothing: what is remembered does not show in where climbs end."""

    def _share(self) -> None:
        """Share nothing, for the same reason."""

    def _climb(self, order: Order, seed: int) -> Optimum:
        budget = self._around.budget.for_kernel(self._threads)
        order = parents_first(order, self._rules.required_arcs)  # kicks and crossovers know nothing of them
        with self._lock:
            is_sequence = order.tobytes() in self._sequences
            kernel = self._kernels.pop() if self._kernels else None
        if kernel is None:
            kernel = _core.RegrowingClimb(self._score.core, self._rules.core)
        if is_sequence:
            order = kernel.inserted(order, self.tolerance, budget)
        found = kernel.run(order, self.tolerance, seed, budget)
        with self._lock:
            self._kernels.append(kernel)
        return Optimum.of(found)

    def _climb_elsewhere(self, order: Order, temperature: float, seed: int, budget: Budget) -> Order:
        data = perturbed_rows(self._score.data, temperature, np.random.default_rng(seed))
        score = LocalScore(data, self._score.score)
        kernel = _core.RegrowingClimb(score.core, self._rules.core)
        order = parents_first(order, self._rules.required_arcs)
        return kernel.run(order, self.tolerance, seed, budget.for_kernel(self._threads)).order


def perturbed_rows(data: Dataset, temperature: float, rng: np.random.Generator) -> Dataset:
    """Return the data with random weights of mean 1 and the variance `temperature`, from 0 to 1.

    Counts are whole numbers here, so each observation is left out, or counts twice, with half of that probability.
    """
    weights = np.ones(data.n_rows, dtype=np.int64) if data.weights is None else data.weights.astype(np.int64)
    out = rng.binomial(weights, temperature / 2)
    changed = weights - out + rng.binomial(weights - out, temperature / (2 - temperature))
    return data.with_weights(changed if changed.any() else weights)
