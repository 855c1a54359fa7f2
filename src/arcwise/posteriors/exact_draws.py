"""Graphs that are drawn from the exact posterior of few variables: independent, and as often as their probability."""

from collections.abc import Iterator
from dataclasses import dataclass
from math import lgamma, log

import numpy as np
import numpy.typing as npt

from arcwise import _core
from arcwise.posteriors.chain_state import Masks
from arcwise.runs.budget import Budget, until_exhausted
from arcwise.search.search import Problem

__all__ = ["blankets_in", "can_draw", "exact_draws"]

Numbers = npt.NDArray[np.float64]
Subsets = npt.NDArray[np.int64]  # bit v: variable v is a member

#: For more variables than `auto` takes exact sums of, tables of all subsets in Python would take minutes.
_MOST_VARIABLES = 16

# Sets that are so many times less probable than one of their subsets, as a logarithm, are left out.
_LEAST = 64.0
# What is less, beside the largest of all shares, is rounding.
_ROUNDING = 1e-13
# So often a graph is begun at most.
_MOST_ROUNDS = 100
# Numbers that are made at a time.
_AT_ONCE = 1 << 20


def can_draw(n_variables: int, memory: int) -> bool:
    """Whether graphs can be drawn: for at most 16 variables, if all their parent sets fit into so many bytes.

    Examples
    --------
    >>> can_draw(16, 10**9), can_draw(17, 10**12), can_draw(16, 10**6)
    (True, False, False)
    """
    tables = n_variables * 2**n_variables * 8.0
    sets = n_variables * 2 ** (n_variables - 1) * 80.0
    return n_variables <= _MOST_VARIABLES and tables + sets + 32 * min(_AT_ONCE, 3**n_variables) <= memory


def exact_draws(problem: Problem, prior: str, draws: int, seed: int, budget: Budget) -> Masks | None:
    """Draw graphs; None when the budget ends it.

    With the prior over graphs, layer by layer: first the variables without parents, then those of which all parents
    are among them, and so on (Talvitie, Vuoksenmaa & Koivisto 2019, "Exact sampling of directed acyclic graphs from
    modular distributions", UAI). How probable a layer is follows from the sums over graphs, by inclusion and exclusion.
    With the prior over orders, an order is drawn, and then a graph along it.

    Parameters
    ----------
    problem
        The score, and what the graphs must and must not have.
    prior
        ``graphs`` or ``orders``.
    draws
        How many.
    seed
        Decides the random choices.
    budget
        When to stop.

    Returns
    -------
    Masks
        A row for each graph: bit i of entry v says whether i is a parent of v.
    """
    families = _families(problem, budget)
    if families is None:
        return None
    within = _sums_within(families)
    before, after = _sums_over_orders(within)
    shares = _shares_of_graphs(within, before, after, budget) if prior == "graphs" else None
    if budget.exhausted:
        return None
    return _Sampler(families, within, after, shares, np.random.default_rng(seed), budget).draw(draws)


def blankets_in(masks: Masks) -> Numbers:
    """Return at [i, j] in which share of some graphs i is in the Markov blanket of j.

    Parameters
    ----------
    masks
        Graphs as `exact_draws` has them.

    Examples
    --------
    >>> blankets_in(np.array([[0, 0, 0b11], [0, 0b1, 0]], dtype=np.uint32))  # 0 -> 2 <- 1, and 0 -> 1
    array([[0. , 1. , 0.5],
           [1. , 0. , 0.5],
           [0.5, 0.5, 0. ]])
    """
    n = masks.shape[1]
    found = np.zeros((n, n))
    for first in range(0, len(masks), 1000):
        arcs = (masks[first : first + 1000, None, :] >> np.arange(n, dtype=np.uint32)[:, None] & 1).astype(np.float32)
        back = arcs.transpose(0, 2, 1)
        found += ((arcs + back + arcs @ back) > 0).sum(axis=0)  # children, parents, and parents of the same child
    np.fill_diagonal(found, 0.0)
    return found / max(len(masks), 1)


@dataclass(frozen=True)
class _Family:
    """The parent sets of one variable that matter, and their scores."""

    sets: Subsets
    scores: Numbers


def _families(problem: Problem, budget: Budget) -> list[_Family] | None:
    """Return all sets but those that are nothing beside one of their subsets."""
    rules, n = problem.rules, len(problem.names)
    required = [rules.required_parents(child) for child in range(n)]
    optional = [rules.optional_parents(child).tolist() for child in range(n)]
    # The kernel leaves out sets that score no more than a subset. It gets so much for each parent that those which it
    # leaves out have no weight.
    core = problem.score.core_with(_LEAST)
    limits = rules.max_parents.tolist()
    found = _core.exhaust_parents(core, required, optional, limits, 2**n, budget.core)
    if budget.exhausted or any(result.stopped_by is not _core.StopReason.none for result in found):
        return None
    return [_family_of(*result.take()) for result in found]


def _family_of(begin: npt.NDArray[np.int64], members: npt.NDArray[np.uint16], scores: Numbers) -> _Family:
    sizes = np.diff(begin)
    owner = np.repeat(np.arange(len(sizes)), sizes)
    sets = np.bincount(owner, 2.0**members, len(sizes)).astype(np.int64)
    return _Family(sets, scores - _LEAST * sizes)


def _sums_within(families: list[_Family]) -> Numbers:
    """Return at [v, U] the logarithm of the sum of exp(score) over the parent sets of v within U."""
    n = len(families)
    within = np.full((n, 1 << n), -np.inf)
    for v, family in enumerate(families):
        within[v, family.sets] = family.scores
    for bit in range(n):
        halves = within.reshape(n, -1, 2, 1 << bit)
        np.logaddexp(halves[:, :, 1], halves[:, :, 0], out=halves[:, :, 1])
    return within


def _by_size(n: int) -> list[Subsets]:
    """Return the subsets of each size."""
    sizes = np.zeros(1, dtype=np.int64)
    for _ in range(n):
        sizes = np.concatenate([sizes, sizes + 1])
    return [np.flatnonzero(sizes == size) for size in range(n + 1)]


def _sums_over_orders(within: Numbers) -> tuple[Numbers, Numbers]:
    """Return for each set the logarithms of sums over orders: of its variables, and of all others after them."""
    n = len(within)
    before, after = np.full(1 << n, -np.inf), np.full(1 << n, -np.inf)
    before[0] = after[-1] = 0.0
    for sets in _by_size(n)[1:]:
        for v in range(n):
            having = sets[sets >> v & 1 == 1]
            rest = having ^ (1 << v)
            before[having] = np.logaddexp(before[having], before[rest] + within[v, rest])
    for sets in _by_size(n)[-2::-1]:
        for v in range(n):
            without = sets[sets >> v & 1 == 0]
            after[without] = np.logaddexp(after[without], after[without | 1 << v] + within[v, without])
    return before, after


def _shares_of_graphs(within: Numbers, before: Numbers, after: Numbers, budget: Budget) -> Numbers:
    """Return for each set U the sum over graphs of all others, which may have parents in U, as a share of `after`.

    It is H(U) of ``exact_posterior.hpp``, 0 where graphs in which U has all its parents are nothing beside all others,
    and where the budget ended it.
    """
    n = len(within)
    shares = np.zeros(1 << n)
    shares[-1] = 1.0
    least = after[0] - lgamma(n + 1) - n * log(2) - 30.0
    for size, sets in reversed(list(enumerate(_by_size(n)[:-1]))):
        matter = sets[before[sets] + after[sets] >= least]
        at_once = max(1, _AT_ONCE >> (n - size))
        for first in until_exhausted(range(0, len(matter), at_once), budget):
            some = matter[first : first + at_once]
            logs, larger = _with_more(within, some)
            signs = -np.ones(1)
            for _ in range(n - size):
                signs = np.concatenate([signs, -signs])
            terms = np.exp(logs + after[larger] - after[some, None]) * shares[larger] * signs
            shares[some] = terms[:, 1:].sum(axis=1)
    return shares


def _with_more(within: Numbers, sets: Subsets) -> tuple[Numbers, Subsets]:
    """Return for each U and all sets T of others the logarithm of the product of their sums within U, and U with T.

    The sets U are of one size. Bit i of the place of T says whether it has the i-th variable outside U.
    """
    logs, larger = np.zeros((len(sets), 1)), sets[:, None]
    for v in _outside(sets, len(within)).T:
        logs = np.concatenate([logs, logs + within[v, sets][:, None]], axis=1)
        larger = np.concatenate([larger, larger | (np.int64(1) << v)[:, None]], axis=1)
    return logs, larger


def _outside(sets: Subsets, n: int) -> Subsets:
    """Return the variables outside each set, ascending; the sets are of one size."""
    _, variables = np.nonzero(sets[:, None] >> np.arange(n) & 1 == 0)
    return variables.reshape(len(sets), -1)


#: Variables that are placed, and those of them in the last layer.
_Place = tuple[int, int]


@dataclass(frozen=True)
class _Sampler:
    """Draws many graphs side by side: what comes next is found once for all that are at one place.

    Without shares it draws orders: a layer is then one variable, which needs no parent in the one before.
    """

    families: list[_Family]
    within: Numbers
    after: Numbers
    shares: Numbers | None
    random: np.random.Generator
    budget: Budget

    def draw(self, draws: int) -> Masks | None:
        n = len(self.families)
        parents = np.zeros((draws, n), dtype=np.uint32)
        left = np.arange(draws)
        for _ in range(_MOST_ROUNDS):  # rounding may lead to where nothing can follow: such a graph is drawn anew
            if not left.size:
                break
            waiting: list[dict[_Place, list[Subsets]]] = [{} for _ in range(n + 1)]
            waiting[0][0, 0] = [left]
            lost = []
            for places in waiting[:n]:
                for (placed, last), rows in sorted(places.items()):
                    if self.budget.exhausted:
                        return None
                    here = np.concatenate(rows)
                    layers = self._picked(len(here), *self._next(placed, last))
                    is_lost = (layers == 0) | ~self._add(parents, here, layers, placed, last)
                    lost.append(here[is_lost])
                    for layer in np.unique(layers[~is_lost]).tolist():
                        place = (placed | layer, 0 if self.shares is None else layer)
                        there = waiting[place[0].bit_count()].setdefault(place, [])
                        there.append(here[~is_lost & (layers == layer)])
            left = np.concatenate(lost)
        return np.delete(parents, left, axis=0)

    def _next(self, placed: int, last: int) -> tuple[Subsets, Numbers]:
        """Return what may come next, and its weights."""
        if self.shares is not None:
            return self._next_layers(placed, last, self.shares)
        outside = _outside(np.array([placed]), len(self.families))[0]
        ones = np.int64(1) << outside
        return ones, np.exp(self.after[placed | ones] + self.within[outside, placed] - self.after[placed])

    def _next_layers(self, placed: int, last: int, shares: Numbers) -> tuple[Subsets, Numbers]:
        """Return the sets that may be the next layer, all with a parent in the last one, and their weights."""
        logs, larger = (both[0] for both in _with_more(self.within, np.array([placed])))
        # The sums over graphs in which all of T, and perhaps others, have all their parents in what is placed.
        weights = np.exp(logs + self.after[larger] - self.after[placed]) * shares[larger]
        least = _ROUNDING * weights.max()
        outside = _outside(np.array([placed]), len(self.families))[0]
        for at in range(len(outside)):  # without the others
            halves = weights.reshape(-1, 2, 1 << at)
            halves[:, 0] -= halves[:, 1]
        weights[weights < least] = 0.0
        weights[0] = 0.0
        meeting = np.ones(1)
        for v in outside:
            meeting = np.concatenate([meeting, meeting * self._meeting(v, placed, last)])
        return larger ^ placed, weights * meeting

    def _meeting(self, v: int, placed: int, last: int) -> float:
        """Return the share of the sets within what is placed that have a member in the last layer."""
        if last == 0:  # nothing is placed
            return 1.0
        if self.within[v, placed] == -np.inf:
            return 0.0
        return -float(np.expm1(self.within[v, placed & ~last] - self.within[v, placed]))

    def _picked(self, n: int, choices: Subsets, weights: Numbers) -> Subsets:
        """Return some of the choices, drawn by their weights; 0 where no choice has any."""
        drawn = self.random.random(n)
        sums = np.cumsum(weights)
        if not (len(sums) and sums[-1] > 0):
            return np.zeros(n, dtype=np.int64)
        at = np.searchsorted(sums, drawn * sums[-1], side="right")
        picked: Subsets = choices[np.minimum(at, np.flatnonzero(weights)[-1])]
        return picked

    def _add(self, parents: Masks, rows: Subsets, layers: Subsets, placed: int, last: int) -> npt.NDArray[np.bool_]:
        """Draw the parents of the variables in each row's layer; says in which rows there are any for all."""
        is_there = np.ones(len(rows), dtype=np.bool_)
        for v in self._members(layers):
            family, having = self.families[v], np.flatnonzero(layers >> v & 1)
            may_be = family.sets & ~placed == 0
            if last:
                may_be &= family.sets & last != 0
            sets, scores = family.sets[may_be], family.scores[may_be]
            if not sets.size:
                is_there[having] = False
                continue
            weights = np.exp(scores - scores.max())
            parents[rows[having], v] = self._picked(len(having), sets, weights)
        return is_there

    def _members(self, layers: Subsets) -> Iterator[int]:
        """Return the variables that are in any of the layers."""
        together = int(np.bitwise_or.reduce(layers, initial=0))
        return (v for v in range(len(self.families)) if together >> v & 1)
