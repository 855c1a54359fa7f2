"""The arithmetic of a card in numpy: what the tests hold against the kernels where there is no card."""

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from arcwise.support.machine import available_memory

__all__ = ["Card", "Counted", "Found", "NumpyCard", "Terms"]

# An array on the card.
Array = Any


@dataclass(frozen=True, eq=False)
class Terms:
    """What a score sums over the counts of families of one shape, on the card.

    Attributes
    ----------
    cell, row
        By count, in whole units: of a cell, and of a configuration of the parents. In the row of the table that has
        the number of the configurations that occur, less 1, where the score looks at that; otherwise there is one row.
    constant
        What is added to the sum.
    nats_per_unit
        What a unit stands for: a power of two.
    """

    cell: Array
    row: Array
    constant: float
    nats_per_unit: float


@dataclass(frozen=True, eq=False)
class Counted:
    """The counts of some families of one shape with all candidates of a block.

    Attributes
    ----------
    counts
        A row for each cell of each family (its configurations of parents, and the states of the child in each of them);
        a column for each state of the candidates but the last, all first states before all second ones; then one for
        all observations; then some that mean nothing.
    n_families, n_configurations, n_states
        The families, and the shape of each.
    candidates
        The variables of the block, on the card.
    n_candidates, candidate_states
        How many these are, and how many states each of them has.
    members
        The variables of each family, on the card.
    n_members
        How many these are.
    places
        The places of the families in their batch, on the card.
    """

    counts: Array
    n_families: int
    n_configurations: int
    n_states: int
    candidates: Array
    n_candidates: int
    candidate_states: int
    members: Array
    n_members: int
    places: Array

    @property
    def everything(self) -> int:
        """The column that has all observations."""
        return self.n_candidates * (self.candidate_states - 1)


@dataclass
class Found:
    """Improvements that were found so far, in any order: families, variables and scores."""

    families: list[Any]
    variables: list[Any]
    scores: list[Any]


class Card(Protocol):
    """What a card can do. Bits are rows of 32-bit words, the first observation in the lowest bit.

    Attributes
    ----------
    name
        What it is called.
    xp
        The module of its arrays, which has the functions of numpy.
    out_of_memory
        What is raised where there is too little.
    """

    name: str
    xp: Any
    out_of_memory: type[Exception]

    def free_bytes(self) -> int:
        """Return the memory that may be taken."""
        ...

    def give_back(self) -> None:
        """Give memory back that is not in use."""
        ...

    def put(self, host: Any) -> Array:
        """Bring an array to the card."""
        ...

    def get(self, array: Array) -> Any:
        """Bring an array from the card."""
        ...

    def packed(self, codes: Array, n_states: int, n_bits: int) -> Array:
        """Return a row of bits for each state of each column of codes."""
        ...

    def intersections(self, bits: Array, members: Any) -> Array:
        """Return for each row of members the bits that all of these rows of bits have."""
        ...

    def spread(self, bits: Array, rows: Array, weights: Array | None) -> Array:
        """Return rows of bits as rows of bytes: the weight of each observation where the bit is set, else 0."""
        ...

    def common_bits(self, masks: Array, bits: Array, rows: Array) -> Array:
        """Return how many bits each mask has in common with each of these rows."""
        ...

    def product(self, masks: Array, planes: Array) -> Array:
        """Return the products of all rows of bytes with all others, as 32-bit integers."""
        ...

    def add(self, total: Array | None, part: Array, factor: int) -> Array:
        """Return total + factor * part; None stands for zeros."""
        ...

    def own_scores(self, counted: Counted, terms: Terms) -> Array:
        """Return the score of each family itself."""
        ...

    def addition_scores(self, counted: Counted, terms: Terms, out: Array) -> None:
        """Write the score with each candidate into its column; NaN for those that are in the family."""
        ...

    def matrix(self, n_rows: int, n_columns: int) -> Array:
        """Return a matrix of NaN."""
        ...

    def begin(self, most: int) -> Any:
        """Return a place for so many improvements."""
        ...

    def improve(self, place: Any, counted: Counted, terms: Terms, own: Array, rounding: float) -> None:
        """Note which candidates improve these families by more than rounding."""
        ...

    def end(self, place: Any) -> tuple[int, Any, Any, Any]:
        """Return how many improvements there were; and families, variables and scores, if the place was enough."""
        ...

    def synchronise(self) -> None:
        """Wait until all is done."""
        ...


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

    def intersections(self, bits: Array, members: Any) -> Array:
        """Return for each row of members the bits that all of these rows of bits have."""
        return np.bitwise_and.reduce(bits[members], axis=1)

    def spread(self, bits: Array, rows: Array, weights: Array | None) -> Array:
        """Return rows of bits as rows of bytes: the weight of each observation where the bit is set, else 0."""
        ones = np.unpackbits(np.ascontiguousarray(bits[rows]).view(np.uint8), axis=1, bitorder="little")
        return ones.view(np.int8) if weights is None else ones.view(np.int8) * weights

    def common_bits(self, masks: Array, bits: Array, rows: Array) -> Array:
        """Return how many bits each mask has in common with each of these rows."""
        return self.product(self.spread(masks, slice(None), None), self.spread(bits, rows, None))

    def product(self, masks: Array, planes: Array) -> Array:
        """Return the products of all rows of bytes with all others, as 32-bit integers."""
        return (masks.astype(np.float64) @ planes.astype(np.float64).T).astype(np.int32)

    def add(self, total: Array | None, part: Array, factor: int) -> Array:
        """Return total + factor * part; None stands for zeros."""
        return part * np.int32(factor) if total is None else total + part * np.int32(factor)

    def own_scores(self, counted: Counted, terms: Terms) -> Array:
        """Return the score of each family itself."""
        shape = counted.n_families, counted.n_configurations, counted.n_states
        return _scores(counted.counts[:, counted.everything].reshape(shape), terms)

    def addition_scores(self, counted: Counted, terms: Terms, out: Array) -> None:
        """Write the score with each candidate into its column; NaN for those that are in the family."""
        out[:, counted.candidates] = self._additions(counted, terms)

    def _additions(self, counted: Counted, terms: Terms) -> Array:
        f, q, r = counted.n_families, counted.n_configurations, counted.n_states
        n, states, everything = counted.n_candidates, counted.candidate_states, counted.everything
        seen = counted.counts[:, :everything].reshape(f, q, r, states - 1, n)
        rest = counted.counts[:, everything].reshape(f, q, r, 1, 1) - seen.sum(axis=3, keepdims=True)
        tables = np.concatenate((seen, rest), axis=3)  # families, configurations, states, those of candidates, these
        scores = _scores(tables.transpose(0, 4, 1, 3, 2).reshape(f, n, q * states, r), terms)
        is_member = (counted.candidates[None, :, None] == counted.members[:, None, :]).any(axis=2)
        return np.where(is_member, np.nan, scores)

    def matrix(self, n_rows: int, n_columns: int) -> Array:
        """Return a matrix of NaN."""
        return np.full((n_rows, n_columns), np.nan)

    def begin(self, most: int) -> Any:
        """Return a place for so many improvements."""
        return most, Found([], [], [])

    def improve(self, place: Any, counted: Counted, terms: Terms, own: Array, rounding: float) -> None:
        """Note which candidates improve these families by more than rounding."""
        scores = self._additions(counted, terms)
        at, which = np.nonzero(scores > own[:, None] + rounding)
        found = place[1]
        found.families.append(counted.places[at])
        found.variables.append(counted.candidates[which])
        found.scores.append(scores[at, which])

    def end(self, place: Any) -> tuple[int, Any, Any, Any]:
        """Return how many improvements there were; and families, variables and scores, if the place was enough."""
        most, found = place
        families, variables, scores = (
            np.concatenate([*parts, np.zeros(0, dtype=kind)])
            for parts, kind in (
                (found.families, np.int32),
                (found.variables, np.int32),
                (found.scores, np.float64),
            )
        )
        if len(scores) > most:
            return len(scores), None, None, None
        return len(scores), families, variables, scores

    def synchronise(self) -> None:
        """Wait until all is done."""


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
