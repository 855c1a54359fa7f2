"""A discrete table on a card: a row of bits for each state, and bytes of these for products where they fit."""

from copy import copy
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from arcwise.data.dataset import Dataset
from arcwise.scores.device.card import Array, Block, Card
from arcwise.support.errors import ParameterError
from arcwise.support.machine import gigabytes

__all__ = ["DeviceTable"]

Variables = npt.NDArray[np.int32]

# Bits come in rows of whole vectors of 128; products have columns and masks in groups of 16.
_BITS = 128
GROUP = 16
# Of the memory that is free, what planes of bytes may take, and what one block of them may.
_SHARE_OF_PLANES = 0.4
_SHARE_OF_BLOCK = 0.1
# Codes on their way to the card.
_BYTES_OF_CODES = 1 << 28
# Weights are products of bytes digit by digit.
_BITS_OF_DIGIT = 7


class DeviceTable:
    """A table on a card.

    Parameters
    ----------
    data
        The table as it is counted: discrete, without gaps and interventions.
    card
        The card.
    most_bytes
        What may be taken of its memory; by default all that is free.

    Raises
    ------
    ParameterError
        If it does not fit there.
    """

    def __init__(self, data: Dataset, card: Card, *, most_bytes: int | None = None) -> None:
        self.card, self.n_variables = card, data.n_variables
        self.arities = np.array(data.arities, dtype=np.int64)
        self.n_rows, self.n_bits = data.n_rows, -(-data.n_rows // _BITS) * _BITS
        self.n_observations = data.n_observations
        self._free = card.free_bytes() if most_bytes is None else most_bytes
        self._check_memory(data)
        self._order = np.argsort(self.arities, kind="stable").astype(np.int32)
        ends = np.cumsum(self.arities[self._order])
        self.first_row = np.zeros(self.n_variables, dtype=np.int64)
        self.first_row[self._order[1:]] = ends[:-1]
        self._everything = int(ends[-1])
        self._nothing = self._everything + 1
        self.bits = self._packed(data)
        self._blocks_without_totals = self._blocks()
        self._weigh(data.weights)
        card.synchronise()

    def _weigh(self, weights: npt.NDArray[np.uint32] | None) -> None:
        """Take the weights of the rows, and what depends on them."""
        self.weights = self._digits(weights)
        self.digits = None if weights is None else self._binary_digits(weights)
        everything = self.masks(np.array([[self._everything]]))
        self.blocks = [
            replace(block, totals=self.counts(everything, block)[0]) for block in self._blocks_without_totals
        ]

    @property
    def bytes_of_bits(self) -> int:
        """What the bits of all states take."""
        return (int(self.arities.sum()) + 2) * (self.n_bits // 8)

    def _check_memory(self, data: Dataset) -> None:
        needed = 2 * self.bytes_of_bits
        if needed > self._free:
            raise ParameterError(
                f"{data.n_rows:,} rows of {data.n_variables:,} variables need {gigabytes(needed)} on the card, and "
                f"{gigabytes(self._free)} are free there; use the processor, fewer rows or fewer variables"
            )
        if data.n_observations >= 1 << 31:
            raise ParameterError(
                f"a card counts up to 2,147,483,647 observations, and there are {data.n_observations:,}; use the "
                "processor"
            )

    def _packed(self, data: Dataset) -> Array:
        """Return a row of bits for each state, then one for all observations and an empty one."""
        card, codes = self.card, data.codes
        bits = card.put(np.zeros((self._nothing + 1, self.n_bits // 32), dtype=np.uint32))
        at_once = max(1, min(_BYTES_OF_CODES, self._free // 8) // max(1, self.n_rows * codes.itemsize))
        row = 0
        for arity in np.unique(self.arities).tolist():
            its = self._order[self.arities[self._order] == arity]
            for begin in range(0, len(its), at_once):
                columns = card.put(codes[:, its[begin : begin + at_once]].T)
                packed = card.packed(columns, arity, self.n_bits)
                bits[row : row + len(packed)] = packed
                row += len(packed)
        everybody = card.packed(card.put(np.zeros((1, self.n_rows), dtype=np.uint8)), 1, self.n_bits)
        bits[self._everything : self._nothing] = everybody
        return bits

    def _digits(self, weights: npt.NDArray[np.uint32] | None) -> list[Array] | None:
        """Return the weights of the observations, seven bits at a time, as bytes on the card."""
        if weights is None:
            return None
        digits, rest = list[Array](), weights.astype(np.int64)
        while rest.any():
            digit = np.zeros(self.n_bits, dtype=np.int8)
            digit[: self.n_rows] = rest & ((1 << _BITS_OF_DIGIT) - 1)
            digits.append(self.card.put(digit))
            rest = rest >> _BITS_OF_DIGIT
        return digits

    def _binary_digits(self, weights: npt.NDArray[np.uint32]) -> Array:
        """Return the binary digits of the weights, from the lowest on, as rows of bits on the card."""
        n_digits = int(weights.max()).bit_length()
        is_set = np.zeros((n_digits, self.n_bits), dtype=np.bool_)
        is_set[:, : self.n_rows] = weights >> np.arange(n_digits, dtype=np.uint32)[:, None] & 1
        return self.card.put(np.packbits(is_set, axis=1, bitorder="little").view(np.uint32))

    @property
    def n_digits(self) -> int:
        """How many binary digits the weights have."""
        return 1 if self.digits is None else len(self.digits)

    def _blocks(self) -> list[Block]:
        free = max(0, self._free - self.bytes_of_bits)
        most_rows = max(GROUP, int(_SHARE_OF_BLOCK * free) // self.n_bits - GROUP)
        blocks = []
        for arity in np.unique(self.arities[self.arities > 1]).tolist():
            its = np.sort(self._order[self.arities[self._order] == arity])
            at_once = max(1, most_rows // (arity - 1))
            blocks += [self._block(arity, its[i : i + at_once]) for i in range(0, len(its), at_once)]
        blocks = blocks or [self._block(2, self._order[:0])]
        n_planes = sum(len(block.rows) for block in blocks)
        if n_planes * self.n_bits <= _SHARE_OF_PLANES * free:
            for block in blocks:
                block.planes.append(self._planes(block))
        return blocks

    def _block(self, arity: int, variables: Variables) -> Block:
        rows = [self.first_row[variables] + state for state in range(arity - 1)]
        listed = np.concatenate([*rows, [self._everything]])
        padding = np.full(-len(listed) % GROUP, self._nothing)
        there = self.card.put(np.concatenate([listed, padding]).astype(np.int32))
        return Block(arity, variables, self.card.put(variables), there)

    def _planes(self, block: Block) -> Array:
        return self.card.mask_bytes(self.bits, block.rows[:, None], None)

    def reweighted(self, weights: npt.NDArray[np.uint32]) -> "DeviceTable":
        """Return the same rows with other weights, whose bits and bytes are on the card already."""
        other = copy(self)
        other.n_observations = int(weights.sum())
        other._weigh(weights)
        return other

    def forget_planes(self) -> None:
        """Give back the memory of all bytes; they are made anew for each product."""
        for block in self.blocks:
            block.planes.clear()
        self.card.give_back()

    def masks(self, cells: npt.NDArray[np.integer[Any]]) -> list[Array]:
        """Return the bytes of each cell, which is a list of rows of bits: an array for each digit of the weights."""
        padding = np.full((-len(cells) % GROUP, cells.shape[1]), self._nothing)
        there = self.card.put(np.concatenate([cells, padding]).astype(np.int32))
        return [self.card.mask_bytes(self.bits, there, digit) for digit in (self.weights or [None])]

    def counts(self, masks: list[Array], block: Block) -> Array:
        """Return how often each mask goes with each row of a block."""
        planes = block.planes[0] if block.planes else self._planes(block)
        total = None
        for place, digit in enumerate(masks):
            total = self.card.add(total, self.card.product(digit, planes), 1 << (_BITS_OF_DIGIT * place))
        return total
