"""Batches of families, answered by a card."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from threading import Lock
from typing import Any, cast

import numpy as np
import numpy.typing as npt

from arcwise.scores.batches import Floats, Improving
from arcwise.scores.definitions import Score
from arcwise.scores.device.numpy_card import Card, Counted
from arcwise.scores.device.table import GROUP, Block, DeviceTable
from arcwise.scores.device.terms import DeviceTerms
from arcwise.support.errors import ParameterError

__all__ = ["DeviceAnswers"]

Array = Any
Variables = npt.NDArray[np.int32]
Starts = npt.NDArray[np.int64]

# Families with more cells are left to the kernels, which look at the rows that there are.
_MOST_CELLS = 1024
# Masks of one product, and what these and their counts may take of the memory that is free.
_MOST_MASKS = 1 << 14
_SHARE_OF_MASKS = 0.1
# Rows of gains that are turned at a time.
_BYTES_AT_ONCE = 1 << 28
# Improvements of a batch that have a place, at first; it grows where there are more.
_FEW_FOUND = 1 << 16
_FOUND_PER_FAMILY = 64


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
        self._lock = Lock()

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
        own, families, variables, scores = self._with_memory(lambda: self._improvements(children, starts, parents))
        order = np.lexsort((variables, -scores, families))
        ends = np.zeros(len(children) + 1, dtype=np.int64)
        np.cumsum(np.bincount(families, minlength=len(children)), out=ends[1:])
        return own, scores[order], variables[order], ends

    def pair_gains(self, ended: Callable[[], bool]) -> Array | None:
        """Return on the card what each variable gains by each other one as its only parent; None where it was ended.

        The gain of a pair is the same both ways: that of the later variable by the earlier one.
        """
        return self._with_memory(lambda: self._pair_gains(ended))

    def _pair_gains(self, ended: Callable[[], bool]) -> Array | None:
        n, card = self.table.n_variables, self.card
        gains = card.xp.full((n, n), -np.inf)
        children = np.arange(n, dtype=np.int32)
        for families in self._parts(children, np.zeros(n + 1, dtype=np.int64), children[:0]):
            if ended():
                return None
            rows = card.xp.full((len(families.places), n), -np.inf)
            own: Array = None
            for counted in self._counted(families, self.table.blocks):
                if own is None:
                    own = card.own_scores(counted, self._terms.of(families.n_states, 1, 0))
                card.addition_scores(counted, self._terms_with(families, counted.candidate_states), rows)
            rows -= own[:, None]
            gains[card.put(families.places)] = rows
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

    def _scores(self, children: Variables, starts: Starts, parents: Variables) -> Floats:
        own = np.full(len(children), np.nan)
        block = self.table.blocks[0]
        for families in self._parts(children, starts, parents):
            for counted in self._counted(families, [block]):
                terms = self._terms.of(families.n_states, families.n_configurations, len(families.arities) - 1)
                own[families.places] = self.card.get(self.card.own_scores(counted, terms))
        return own

    def _additions(self, children: Variables, starts: Starts, parents: Variables) -> Floats:
        found = np.full((len(children), self.table.n_variables), np.nan)
        for families in self._parts(children, starts, parents):
            out = self.card.matrix(len(families.places), self.table.n_variables)
            for counted in self._counted(families, self.table.blocks):
                self.card.addition_scores(counted, self._terms_with(families, counted.candidate_states), out)
            found[families.places] = self.card.get(out)
        self._fill_constants(found, children, starts, parents)
        return found

    def _fill_constants(self, found: Floats, children: Variables, starts: Starts, parents: Variables) -> None:
        """Score families with variables of one state, which no block has: they change nothing but the shape."""
        constants = np.flatnonzero(self.table.arities == 1)
        for families in self._parts(children, starts, parents) if len(constants) else ():
            terms = self._terms_with(families, 1)
            for counted in self._counted(families, self.table.blocks[:1]):
                with_one = self.card.get(self.card.own_scores(counted, terms))
                is_member = (families.members[:, :, None] == constants).any(axis=1)
                found[np.ix_(families.places, constants)] = np.where(is_member, np.nan, with_one[:, None])

    def _improvements(self, children: Variables, starts: Starts, parents: Variables) -> tuple[Any, Any, Any, Any]:
        card, most = self.card, max(_FEW_FOUND, _FOUND_PER_FAMILY * len(children))
        while True:
            own, place = np.full(len(children), np.nan), card.begin(most)
            kept = []
            for families in self._parts(children, starts, parents):
                own_there = None
                for counted in self._counted(families, self.table.blocks):
                    if own_there is None:
                        n_parents = len(families.arities) - 1
                        terms = self._terms.of(families.n_states, families.n_configurations, n_parents)
                        own_there = card.own_scores(counted, terms)
                    terms = self._terms_with(families, counted.candidate_states)
                    card.improve(place, counted, terms, own_there, self._rounding)
                kept.append((families.places, own_there))
            n_found, *found = card.end(place)
            if n_found <= most:
                break
            most = n_found
        for places, own_there in kept:
            own[places] = card.get(own_there)
        return (own, *found)

    def _terms_with(self, families: _Families, states: int) -> Any:
        """Return the terms of families with one more parent of so many states."""
        return self._terms.of(families.n_states, families.n_configurations * states, len(families.arities))

    def _parts(self, children: Variables, starts: Starts, parents: Variables) -> Iterator[_Families]:
        """Give the families of a batch by shape, as many at a time as there is memory for."""
        per_mask = self.table.n_bits * len(self.table.weights or (1,)) + 4 * max(
            len(block.rows) for block in self.table.blocks
        )
        most_masks = max(GROUP, min(_MOST_MASKS, self._mask_bytes // per_mask))
        most_states = int(self.table.arities.max())
        for families in self._by_shape(children, starts, parents):
            if families.n_cells > _MOST_CELLS or not self._terms.has(families.n_configurations * most_states):
                continue
            at_once = max(1, most_masks // families.n_cells)
            for begin in range(0, len(families.places), at_once):
                yield families.part(begin, begin + at_once)

    def _by_shape(self, children: Variables, starts: Starts, parents: Variables) -> Iterator[_Families]:
        arities, n_parents = self.table.arities, np.diff(starts)
        if len(children) == 1:  # as after most moves of a climb
            one = np.append(parents, children).astype(np.int64)[None]
            yield _Families(np.zeros(1, dtype=np.intp), one, tuple(arities[one[0]].tolist()))
            return
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

    def _counted(self, families: _Families, blocks: list[Block]) -> Iterator[Counted]:
        """Give the counts of families with the candidates of each block."""
        table = self.table
        cells = table.first_row[families.members][:, None, :] + _states(families.arities)
        members = cells.reshape(-1, len(families.arities))
        masks = table.masks(members, table.weights)
        spread = [] if table.is_by_bits(len(members), table.weights) else table.spread_masks(masks, table.weights)
        n_families = len(families.places)
        there = self.card.put(np.concatenate([families.members.reshape(-1), families.places]).astype(np.int32))
        members_there, places_there = there[:-n_families].reshape(n_families, -1), there[-n_families:]
        for block in blocks:
            yield Counted(
                counts=table.counts(masks, spread, block)[: len(members)],
                n_families=n_families,
                n_configurations=families.n_configurations,
                n_states=families.n_states,
                candidates=block.variables_there,
                n_candidates=len(block.variables),
                candidate_states=block.states,
                members=members_there,
                n_members=len(families.arities),
                places=places_there,
            )


@lru_cache(maxsize=256)
def _states(arities: tuple[int, ...]) -> npt.NDArray[np.intp]:
    """Return the states of each cell of a family: a row for each cell, the last variable's state the quickest."""
    return np.indices(arities).reshape(len(arities), -1).T
