"""The arithmetic of a card in numpy: what the tests hold against the kernels where there is no card."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from arcwise.scores.device.card import IMPROVEMENT, Array, Block, Counted, Few, GaussianMatrix, Terms
from arcwise.scores.device.numpy_elimination import scores_of_family
from arcwise.support.machine import available_memory

__all__ = ["NumpyCard"]

_ONES = np.array([bin(byte).count("1") for byte in range(256)], dtype=np.uint8)


@dataclass
class _Place:
    own: Any
    most: int
    found: list[Any]


class NumpyCard:
    """The same in numpy."""

    name = "numpy"
    xp: Any = np
    out_of_memory: type[Exception] = MemoryError

    def free_bytes(self) -> int:
        """Return the memory that may be taken."""
        return available_memory()

    def give_back(self) -> None:
        """Give memory back that is not in use."""

    def put(self, host: Any) -> Array:
        """Bring an array to the card."""
        return np.ascontiguousarray(host)

    def get(self, array: Array) -> Any:
        """Bring an array from the card."""
        return array

    def packed(self, codes: Array, n_states: int, n_bits: int) -> Array:
        """Return a row of bits for each state of each column of codes."""
        is_set = np.zeros((len(codes), n_states, n_bits), dtype=np.bool_)
        is_set[:, :, : codes.shape[1]] = codes[:, None, :] == np.arange(n_states)[:, None]
        packed = np.packbits(is_set.reshape(-1), bitorder="little").view(np.uint32)
        return packed.reshape(len(codes) * n_states, n_bits // 32)

    def mask_bytes(self, bits: Array, members: Array, weights: Array | None) -> Array:
        """Return for each row of members the bits that all of these rows of bits have, as bytes."""
        masks = np.bitwise_and.reduce(bits[members], axis=1)
        ones = np.unpackbits(masks.view(np.uint8), axis=1, bitorder="little").view(np.int8)
        return ones if weights is None else ones * weights

    def product(self, masks: Array, planes: Array) -> Array:
        """Return the products of all rows of bytes with all others, as 32-bit integers."""
        return (masks.astype(np.float64) @ planes.astype(np.float64).T).astype(np.int32)

    def add(self, total: Array | None, part: Array, factor: int) -> Array:
        """Return total + factor * part; None stands for zeros."""
        return part * np.int32(factor) if total is None else total + part * np.int32(factor)

    def own_scores(self, counted: Counted, terms: Terms, own: Array) -> None:
        """Write the score of each family itself to its place in the batch."""
        shape = counted.n_families, counted.n_configurations, counted.n_states
        everything = _with_last_cell(counted)[:, :, counted.block.everything]
        own[counted.members[:, -1]] = _scores(everything.reshape(shape), terms)

    def addition_scores(self, counted: Counted, terms: Terms, out: Array) -> None:
        """Write the score with each candidate into its column; what is in the family stays as it was."""
        scores = _additions(counted, terms)
        its = counted.block.variables
        out[:, its] = np.where(np.isnan(scores), out[:, its], scores)

    def workspace(self) -> Any:
        """Return what one batch at a time needs: nothing."""

    def begin(self, workspace: Any, n_families: int, most: int) -> Any:
        """Return a place for the scores of so many families and so many improvements."""
        return _Place(np.full(n_families, np.nan), most, [np.zeros(0, dtype=IMPROVEMENT)])

    def improve(self, place: Any, counted: Counted, terms: Terms, rounding: float) -> None:
        """Note which candidates improve these families by more than rounding; their own scores are there."""
        scores, places = _additions(counted, terms), counted.members[:, -1]
        at, which = np.nonzero(scores > place.own[places][:, None] + rounding)
        found = np.empty(len(at), dtype=IMPROVEMENT)
        found["score"], found["family"] = scores[at, which], places[at]
        found["variable"] = counted.block.variables[which]
        place.found.append(found)

    def improve_few(
        self, place: Any, bits: Array, digits: Array | None, families: list[Few], blocks: list[Block], rounding: float
    ) -> None:
        """Score a whole batch of a few families, and note what improves them."""
        for i, its in enumerate(families):
            states = np.indices(its.arities).reshape(len(its.arities), -1).T[: its.n_listed]
            masks = np.bitwise_and.reduce(bits[states + its.rows], axis=1)
            for block, terms in zip(blocks, its.additions, strict=True):
                counts = sum(
                    _common(masks if digits is None else masks & digits[d], bits[block.rows]) << d
                    for d in range(1 if digits is None else len(digits))
                )
                members = np.array([[*its.variables, i]], dtype=np.int32)
                counted = Counted(counts, block, 1, its.n_configurations, its.n_states, members)
                self.own_scores(counted, its.own, place.own)
                self.improve(place, counted, terms, rounding)

    def gaussian_improve(self, place: Any, matrix: GaussianMatrix, families: Any, rounding: float) -> None:
        """Score families of continuous variables, and note what improves them by more than rounding."""
        for i, family in enumerate(families):
            place.own[i], scores = scores_of_family(matrix, family)
            which = np.flatnonzero(scores > place.own[i] + rounding)
            found = np.empty(len(which), dtype=IMPROVEMENT)
            found["score"], found["family"], found["variable"] = scores[which], i, which
            place.found.append(found)

    def gaussian_additions(self, place: Any, matrix: GaussianMatrix, families: Any, out: Array) -> None:
        """Write the score with each variable into its column; what is in the family stays as it was."""
        for i, family in enumerate(families):
            place.own[i], out[i] = scores_of_family(matrix, family)

    def end(self, place: Any) -> tuple[Any, int, Any]:
        """Return the scores of the families, how many improvements there were, and these if the place was enough."""
        found = np.concatenate(place.found)
        return place.own, len(found), found if len(found) <= place.most else None

    def synchronise(self) -> None:
        """Wait until all is done."""


def _common(masks: Array, planes: Array) -> Any:
    """Return how many bits each mask has in common with each plane."""
    return np.array([_ONES[(planes & mask).view(np.uint8)].sum(axis=1, dtype=np.int32) for mask in masks])


def _with_last_cell(counted: Counted) -> Any:
    """Return the counts of all cells: families, cells, columns."""
    seen = counted.counts.reshape(counted.n_families, counted.n_listed, -1)
    if counted.n_configurations * counted.n_states == counted.n_listed:
        return seen
    return np.concatenate((seen, counted.block.totals - seen.sum(axis=1, keepdims=True)), axis=1)


def _additions(counted: Counted, terms: Terms) -> Any:
    """Return the scores with each candidate, NaN for those that are in the family."""
    f, q, r = counted.n_families, counted.n_configurations, counted.n_states
    block = counted.block
    n, states, everything = len(block.variables), block.states, block.everything
    counts = _with_last_cell(counted)
    seen = counts[:, :, :everything].reshape(f, q, r, states - 1, n)
    rest = counts[:, :, everything].reshape(f, q, r, 1, 1) - seen.sum(axis=3, keepdims=True)
    tables = np.concatenate((seen, rest), axis=3)  # families, configurations, states, those of candidates, these
    scores = _scores(tables.transpose(0, 4, 1, 3, 2).reshape(f, n, q * states, r), terms)
    is_member = (block.variables[None, :, None] == counted.members[:, None, :-1]).any(axis=2)
    return np.where(is_member, np.nan, scores)


def _scores(tables: Array, terms: Terms) -> Array:
    """Return the scores of tables, whose last two axes are configurations of parents and states of the child."""
    rows = tables.sum(axis=-1)
    if len(terms.cell) == 1:
        sums = terms.cell[0][tables].sum(axis=(-2, -1)) + terms.row[0][rows].sum(axis=-1)
    else:
        which = np.maximum((rows > 0).sum(axis=-1), 1) - 1
        sums = terms.cell[which[..., None, None], tables].sum(axis=(-2, -1))
        sums = sums + terms.row[which[..., None], rows].sum(axis=-1)
    return terms.constant + sums.astype(np.float64) * terms.nats_per_unit
