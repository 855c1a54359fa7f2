"""Best forests of all pairs of variables, on a card."""

from collections.abc import Callable
from threading import Lock
from typing import Any

import numpy as np
import numpy.typing as npt

from arcwise.graph.nodes import components
from arcwise.scores.definitions import Score
from arcwise.scores.device.answers import DeviceAnswers
from arcwise.scores.device.table import DeviceTable
from arcwise.scores.device.terms import DeviceTerms

__all__ = ["DeviceTrees"]

# The gains of all pairs, and one more such matrix in parts, must fit into this share of the memory that is free.
_SHARE_OF_GAINS = 0.4
# Rows of gains that are looked at together.
_BYTES_AT_ONCE = 1 << 28


class DeviceTrees:
    """Maximum spanning forests of the gains of all pairs, of a table on a card or of a replica of it.

    Parameters
    ----------
    table
        The table.
    by
        The score that is maximised; equivalent graphs share it.
    rounding
        Pairs that gain no more than this stay apart.
    """

    def __init__(self, table: DeviceTable, by: Score, rounding: float) -> None:
        self._table, self._by, self._rounding = table, by, rounding
        self._lock = Lock()  # the gains of one replica at a time: they are large
        self._terms = DeviceTerms(by, table.n_observations, table.arities, table.card)

    @property
    def n_variables(self) -> int:
        """How many variables there are."""
        return self._table.n_variables

    @property
    def n_pairs(self) -> int:
        """How many pairs of them there are."""
        return self.n_variables * (self.n_variables - 1) // 2

    @property
    def fits(self) -> bool:
        """Whether the card has memory for the gains of all pairs."""
        return 8 * self._table.n_variables**2 <= _SHARE_OF_GAINS * self._table.card.free_bytes()

    def best(
        self, weights: npt.NDArray[np.uint32] | None, ended: Callable[[], bool]
    ) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.float64]] | None:
        """Return the parent of each variable, -1 for none, and what it gains by it; None where it was ended before.

        Trees are rooted at their first variable. Among equal gains, the pair of smaller variables comes first.
        """
        table = self._table if weights is None else self._table.reweighted(weights)
        answers = DeviceAnswers(table, self._by, self._rounding, self._terms)
        with self._lock:
            gains = answers.pair_gains(ended)
            edges = None if gains is None else self._spanning(gains, ended)
            del gains
        return None if edges is None else _rooted(table.n_variables, *edges)

    def _spanning(self, gains: Any, ended: Callable[[], bool]) -> tuple[Any, Any, Any] | None:
        """Return the forest's edges and their gains: each tree takes its best edge to another (Borůvka 1926)."""
        n = self._table.n_variables
        trees: npt.NDArray[np.integer[Any]] = np.arange(n)
        tails, heads, found = np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64), np.zeros(0)
        while not ended():
            others, best = self._best_of_each(gains, trees)
            low, high = np.minimum(np.arange(n), others), np.maximum(np.arange(n), others)
            order = np.lexsort((high, low, -best, trees))
            first = order[np.unique(trees[order], return_index=True)[1]]
            first = first[best[first] > self._rounding]
            if not len(first):
                return tails, heads, found
            _, kept = np.unique(low[first] * n + high[first], return_index=True)
            chosen = first[kept]
            tails, heads = np.append(tails, low[chosen]), np.append(heads, high[chosen])
            found = np.append(found, best[chosen])
            trees = _trees(n, tails, heads)
        return None

    def _best_of_each(self, gains: Any, trees: Any) -> tuple[Any, Any]:
        """Return for each variable the best one in another tree, and the gain; minus infinity where there is none."""
        card, n = self._table.card, len(trees)
        xp, there = card.xp, card.put(trees)
        at_once = max(1, _BYTES_AT_ONCE // (8 * n))
        others, best = [], []
        for begin in range(0, n, at_once):
            rows = slice(begin, min(n, begin + at_once))
            between = xp.where(there[rows, None] == there[None, :], -np.inf, gains[rows])
            at = between.argmax(axis=1)
            others.append(card.get(at))
            best.append(card.get(xp.take_along_axis(between, at[:, None], axis=1)[:, 0]))
        return np.concatenate(others), np.concatenate(best)


def _trees(n: int, tails: Any, heads: Any) -> npt.NDArray[np.int32]:
    """Return the number of the tree in which each variable is."""
    return np.array(components(n, zip(tails.tolist(), heads.tolist(), strict=True)), dtype=np.int32)


def _rooted(n: int, tails: Any, heads: Any, gains: Any) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.float64]]:
    """Return edges as arcs away from the first variable of each tree."""
    neighbours: list[list[int]] = [[] for _ in range(n)]
    for one, other in zip(tails.tolist(), heads.tolist(), strict=True):
        neighbours[one].append(other)
        neighbours[other].append(one)
    parents = np.full(n, -1, dtype=np.int32)
    seen = [False] * n
    for root in range(n):
        reached = [] if seen[root] else [root]
        seen[root] = True
        for node in reached:
            for other in neighbours[node]:
                if not seen[other]:
                    seen[other], parents[other] = True, node
                    reached.append(other)
    gain_of = dict(zip(zip(tails.tolist(), heads.tolist(), strict=True), gains.tolist(), strict=True))
    pairs = zip(parents.tolist(), range(n), strict=True)
    return parents, np.array([gain_of[min(p, v), max(p, v)] if p >= 0 else 0.0 for p, v in pairs])
