"""Batches of families, answered by a card."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from math import prod
from threading import Lock
from typing import Any, cast

import numpy as np
import numpy.typing as npt

from arcwise import _core
from arcwise.scores.batches import Floats, Found, Improving
from arcwise.scores.definitions import Score
from arcwise.scores.device.card import Array, Card, Counted, Few, listed
from arcwise.scores.device.expected import Expected
from arcwise.scores.device.table import GROUP, DeviceTable
from arcwise.scores.device.terms import DeviceTerms
from arcwise.support.errors import ParameterError

__all__ = ["DeviceAnswers"]

Variables = npt.NDArray[np.int32]
Starts = npt.NDArray[np.int64]

# Families with more cells are left to the kernels, which look at the rows that there are.
_MOST_CELLS = 1024
# Masks of one product, and what these and their counts may take of the memory that is free.
_MOST_MASKS = 1 << 14
_SHARE_OF_MASKS = 0.1
# Rows of gains that are turned at a time.
_BYTES_AT_ONCE = 1 << 28
# A batch of so few masks is counted by bits, which takes less reading than products of bytes; if families and
# candidates are no larger than the kernel for it takes.
_MOST_BY_BITS = 32
_MOST_MEMBERS = 8
_MOST_STATES = 8


@dataclass(frozen=True, eq=False)
class _Families:
    """Families of one shape: their places in the batch, their variables (the child last) and the arities of these."""

    places: npt.NDArray[np.intp]
    members: npt.NDArray[np.int64]
    arities: tuple[int, ...]

    @property
    def n_states(self) -> int:
        return self.arities[-1]

    @property
    def n_configurations(self) -> int:
        return int(np.prod(self.arities[:-1], dtype=np.int64))

    @property
    def n_cells(self) -> int:
        return self.n_states * self.n_configurations

    def part(self, begin: int, end: int) -> "_Families":
        return _Families(self.places[begin:end], self.members[begin:end], self.arities)


class DeviceAnswers:
    """A `BatchAnswers` for a score of counts on a card.

    Every score is a sum of whole units, as in the kernels, and the same to the last bit. Families of more than 1,024
    cells, and with BDs those of very many configurations, are not scored (NaN).

    Parameters
    ----------
    table
        The table on the card.
    score
        A built-in score for discrete data.
    rounding
        Up to this, a difference is none.
    terms
        The terms of the score, where they are known from another table of as many observations.
    """

    def __init__(self, table: DeviceTable, score: Score, rounding: float, terms: DeviceTerms | None = None) -> None:
        self.table, self._rounding = table, rounding
        self._terms = terms or DeviceTerms(score, table.n_observations, table.arities, table.card)
        self._mask_bytes = int(_SHARE_OF_MASKS * table.card.free_bytes())
        self._arities, self._first_rows = table.arities.tolist(), table.first_row.tolist()
        self._most_states = max(self._arities)
        self._workspace, self._expected, self._lock = table.card.workspace(), Expected(table.n_variables), Lock()

    def reweighted(self, weights: npt.NDArray[np.uint32], score: Score, rounding: float) -> "DeviceAnswers":
        """Return the same for other weights of the rows, which are on the card already."""
        table = self.table.reweighted(weights)
        terms = self._terms if table.n_observations == self.table.n_observations else None
        return DeviceAnswers(table, score, rounding, terms)

    @property
    def card(self) -> Card:
        """The card."""
        return self.table.card

    def scores(self, children: Variables, starts: Starts, parents: Variables) -> Floats:
        """Return the score of each family."""
        return cast("Floats", self._with_memory(lambda: self._scores(children, starts, parents)))

    def additions(self, children: Variables, starts: Starts, parents: Variables, candidates: Variables) -> Floats:
        """Return a row for each family: its score with each candidate as one more parent, NaN for its own variables."""
        every = cast("Floats", self._with_memory(lambda: self._additions(children, starts, parents)))
        return every[:, candidates]

    def improvements(self, children: Variables, starts: Starts, parents: Variables) -> Improving:
        """Return the score of each family, and of all variables those that improve it as one more parent."""
        own, records = self.found(children, starts, parents)
        return own, *_core.sorted_improvements(records, len(children))

    def found(self, children: Variables, starts: Starts, parents: Variables) -> Found:
        """Return the score of each family, and what improves it as the card has noted it: records in any order."""
        return cast("Found", self._with_memory(lambda: self._found(children, starts, parents)))

    def pair_gains(self, ended: Callable[[], bool]) -> Array | None:
        """Return on the card what each variable gains by each other one as its only parent; None where it was ended.

        The gain of a pair is the same both ways: that of the later variable by the earlier one.
        """
        return self._with_memory(lambda: self._pair_gains(ended))

    def _pair_gains(self, ended: Callable[[], bool]) -> Array | None:
        n, card = self.table.n_variables, self.card
        gains, own = card.xp.full((n, n), -np.inf), card.xp.zeros(n)
        children = np.arange(n, dtype=np.int32)
        for families in self._parts(children, np.zeros(n + 1, dtype=np.int64), children[:0]):
            if ended():
                return None
            rows = card.xp.full((len(families.places), n), -np.inf)
            for i, counted in enumerate(self._counted(families)):
                if i == 0:
                    card.own_scores(counted, self._terms.of(families.n_states, 1, 0), own)
                card.addition_scores(counted, self._terms_with(families, counted.block.states), rows)
            places = card.put(families.places)
            rows -= own[places][:, None]
            gains[places] = rows
        at_once = max(1, _BYTES_AT_ONCE // (8 * n))
        for begin in range(0, n, at_once):
            end = min(n, begin + at_once)
            gains[:begin, begin:end] = gains[begin:end, :begin].T
            corner = card.xp.tril(gains[begin:end, begin:end], -1)
            gains[begin:end, begin:end] = corner + corner.T
        return gains

    def _with_memory(self, work: Any) -> Any:
        """Return what work gives, in smaller parts where the card has too little memory."""
        with self._lock:
            while True:
                try:
                    return work()
                except self.card.out_of_memory:
                    if self._mask_bytes < self.table.n_bits * GROUP:
                        raise ParameterError(
                            "the card has too little memory left for this table; close what else uses it, or use the "
                            "processor"
                        ) from None
                self.table.forget_planes()
                self._mask_bytes //= 4
                self._expected = Expected(self.table.n_variables)

    def _scores(self, children: Variables, starts: Starts, parents: Variables) -> Floats:
        place = self.card.begin(self._workspace, len(children), 0)
        scored = []
        for families in self._parts(children, starts, parents):
            terms = self._terms.of(families.n_states, families.n_configurations, len(families.arities) - 1)
            self.card.own_scores(next(self._counted(families)), terms, place.own)
            scored.append(families.places)
        return _but_for(scored, self.card.end(place)[0])

    def _additions(self, children: Variables, starts: Starts, parents: Variables) -> Floats:
        found = np.full((len(children), self.table.n_variables), np.nan)
        for families in self._parts(children, starts, parents):
            out = self.card.xp.full((len(families.places), self.table.n_variables), np.nan)
            for counted in self._counted(families):
                self.card.addition_scores(counted, self._terms_with(families, counted.block.states), out)
            found[families.places] = self.card.get(out)
        self._fill_constants(found, children, starts, parents)
        return found

    def _fill_constants(self, found: Floats, children: Variables, starts: Starts, parents: Variables) -> None:
        """Score families with variables of one state, which no block has: they change nothing but the shape."""
        constants = np.flatnonzero(self.table.arities == 1)
        for families in self._parts(children, starts, parents) if len(constants) else ():
            place = self.card.begin(self._workspace, len(children), 0)
            self.card.own_scores(next(self._counted(families)), self._terms_with(families, 1), place.own)
            with_one = self.card.end(place)[0][families.places]
            is_member = (families.members[:, :, None] == constants).any(axis=1)
            found[np.ix_(families.places, constants)] = np.where(is_member, np.nan, with_one[:, None])

    def _found(self, children: Variables, starts: Starts, parents: Variables) -> Found:
        card, most = self.card, self._expected.of(len(children))
        few = self._few(children, starts, parents)
        while True:
            place = card.begin(self._workspace, len(children), most)
            scored = []
            if few is not None:
                card.improve_few(place, self.table.bits, self.table.digits, few, self.table.blocks, self._rounding)
            for families in self._parts(children, starts, parents) if few is None else ():
                n_parents = len(families.arities) - 1
                for i, counted in enumerate(self._counted(families)):
                    if i == 0:
                        terms = self._terms.of(families.n_states, families.n_configurations, n_parents)
                        card.own_scores(counted, terms, place.own)
                    card.improve(place, counted, self._terms_with(families, counted.block.states), self._rounding)
                scored.append(families.places)
            own, n_found, found = card.end(place)
            if found is not None:
                self._expected.note(len(children), n_found)
                own = own if few is not None else _but_for(scored, own)
                return own, found.view(np.uint8)
            most = n_found

    def _few(self, children: Variables, starts: Starts, parents: Variables) -> list[Few] | None:
        """Return the families of a small batch; None where products count them more quickly."""
        left = _MOST_BY_BITS // self.table.n_digits
        if len(children) > left or self._most_states > _MOST_STATES:
            return None
        found = list[Few]()
        its_starts, its_parents = starts.tolist(), parents.tolist()
        arity_of, row_of = self._arities, self._first_rows
        for i, child in enumerate(children.tolist()):
            members = [*its_parents[its_starts[i] : its_starts[i + 1]], child]
            arities = [arity_of[v] for v in members]
            n_parents, n_states, n_cells = len(members) - 1, arities[-1], prod(arities)
            left -= listed(n_cells)
            q = n_cells // n_states
            if left < 0 or n_parents >= _MOST_MEMBERS or not self._terms.has(q * self._most_states):
                return None
            own = self._terms.of(n_states, q, n_parents)
            additions = [self._terms.of(n_states, q * block.states, n_parents + 1) for block in self.table.blocks]
            found.append(Few(members, [row_of[v] for v in members], arities, q, n_states, own, additions))
        return found

    def _terms_with(self, families: _Families, states: int) -> Any:
        """Return the terms of families with one more parent of so many states."""
        return self._terms.of(families.n_states, families.n_configurations * states, len(families.arities))

    def _parts(self, children: Variables, starts: Starts, parents: Variables) -> Iterator[_Families]:
        """Give the families of a batch by shape, as many at a time as there is memory for."""
        widest = max(len(block.rows) for block in self.table.blocks)
        per_mask = self.table.n_bits * len(self.table.weights or (1,)) + 4 * widest
        most_masks = max(GROUP, min(_MOST_MASKS, self._mask_bytes // per_mask))
        for families in self._by_shape(children, starts, parents):
            if families.n_cells > _MOST_CELLS or not self._terms.has(families.n_configurations * self._most_states):
                continue
            at_once = max(1, most_masks // listed(families.n_cells))
            for begin in range(0, len(families.places), at_once):
                yield families.part(begin, begin + at_once)

    def _by_shape(self, children: Variables, starts: Starts, parents: Variables) -> Iterator[_Families]:
        arities, n_parents = self.table.arities, np.diff(starts)
        for k in np.unique(n_parents).tolist():
            places = np.flatnonzero(n_parents == k)
            members = np.empty((len(places), k + 1), dtype=np.int64)
            members[:, :k] = parents[starts[places][:, None] + np.arange(k)]
            members[:, k] = children[places]
            its = arities[members]
            if (its == its[0]).all():
                yield _Families(places, members, tuple(its[0].tolist()))
                continue
            shapes, which = np.unique(its, axis=0, return_inverse=True)
            for i, shape in enumerate(shapes.tolist()):
                chosen = which.reshape(-1) == i
                yield _Families(places[chosen], members[chosen], tuple(shape))

    def _counted(self, families: _Families) -> Iterator[Counted]:
        """Give the counts of families with the candidates of each block."""
        table, n_families = self.table, len(families.places)
        cells = table.first_row[families.members][:, None, :] + _states(families.arities)[: listed(families.n_cells)]
        rows = cells.reshape(-1, len(families.arities))
        masks = table.masks(rows)
        members = self.card.put(np.column_stack((families.members, families.places)).astype(np.int32))
        for block in table.blocks:
            counts = table.counts(masks, block)[: len(rows)]
            yield Counted(counts, block, n_families, families.n_configurations, families.n_states, members)


def _but_for(scored: list[Any], own: Floats) -> Floats:
    """Return scores with NaN for the families that were not scored."""
    is_scored = np.zeros(len(own), dtype=np.bool_)
    for places in scored:
        is_scored[places] = True
    return np.where(is_scored, own, np.nan)


@lru_cache(maxsize=256)
def _states(arities: tuple[int, ...]) -> npt.NDArray[np.intp]:
    """Return the states of each cell of a family: a row for each cell, the last variable's state the quickest."""
    return np.indices(arities).reshape(len(arities), -1).T
