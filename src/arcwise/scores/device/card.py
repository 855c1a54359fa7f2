"""What a card must be able to do, and what it is asked and answers."""

from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np

__all__ = [
    "GAUSSIAN_FAMILY",
    "IMPROVEMENT",
    "MOST_GAUSSIAN_PARENTS",
    "Array",
    "Block",
    "Card",
    "Counted",
    "Few",
    "GaussianMatrix",
    "Terms",
    "listed",
]

# An array on the card.
Array = Any

IMPROVEMENT = np.dtype([("score", np.float64), ("family", np.int32), ("variable", np.int32)])
"""A variable that improves a family as one more parent, and the score with it."""


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
class Block:
    """Candidates with the same number of states, that are counted together.

    Attributes
    ----------
    states
        How many states they have.
    variables
        Which they are, here and on the card.
    rows
        On the card, which rows of bits are counted: all states but the last, all first states before all second ones;
        that of all observations; and some that are empty.
    totals
        On the card, how many observations each of these rows has, by their weights.
    planes
        The same as bytes, where they are kept: one array, or none.
    """

    states: int
    variables: Any
    variables_there: Array
    rows: Array
    totals: Array = None
    planes: list[Array] = field(default_factory=list)

    @property
    def everything(self) -> int:
        """The place of the row of all observations."""
        return len(self.variables) * (self.states - 1)


@dataclass(frozen=True, eq=False)
class Counted:
    """The counts of some families of one shape with all candidates of a block.

    Attributes
    ----------
    counts
        A row for each cell that is counted, of each family: all but the last one, which has what these leave (a family
        of one cell has that). A column for each row of the block.
    block
        The candidates.
    n_families, n_configurations, n_states
        The families, and the shape of each.
    members
        The variables of each family, and its place in the batch, on the card.
    """

    counts: Array
    block: Block
    n_families: int
    n_configurations: int
    n_states: int
    members: Array

    @property
    def n_listed(self) -> int:
        """How many cells of each family are counted."""
        return listed(self.n_configurations * self.n_states)


def listed(n_cells: int) -> int:
    """Return how many cells of a family are counted; the last one has what they leave."""
    return max(1, n_cells - 1)


@dataclass(frozen=True, eq=False)
class Few:
    """One of a few families, that are counted and scored at once.

    Attributes
    ----------
    variables
        Its parents and then the child.
    rows
        The row of bits of the first state of each.
    arities
        The states of each.
    n_configurations, n_states
        Its shape.
    own, additions
        The terms of its own score, and of those with one more parent, for each block.
    """

    variables: list[int]
    rows: list[int]
    arities: list[int]
    n_configurations: int
    n_states: int
    own: Terms
    additions: list[Terms]

    @property
    def n_listed(self) -> int:
        """How many of its cells are counted."""
        return listed(self.n_configurations * self.n_states)


MOST_GAUSSIAN_PARENTS = 16
"""What is eliminated on a card, at most."""

GAUSSIAN_FAMILY = np.dtype(
    [
        ("own_constant", np.float64),
        ("own_slope", np.float64),
        ("constant", np.float64),
        ("slope", np.float64),
        ("child", np.int32),
        ("n_parents", np.int32),
        ("parents", np.int32, MOST_GAUSSIAN_PARENTS),
    ]
)
"""A family of continuous variables: what its own score is made of, and with one more parent; and its variables."""


@dataclass(frozen=True, eq=False)
class GaussianMatrix:
    """The matrix of products of all columns, on the card.

    Attributes
    ----------
    values
        Rows by columns.
    floors
        What the pivot of each column is taken for where it is below.
    is_bayesian
        Whether the logarithms of the parents' pivots count.
    """

    values: Array
    floors: Array
    is_bayesian: bool


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

    def mask_bytes(self, bits: Array, members: Array, weights: Array | None) -> Array:
        """Return for each row of members the bits that all of these rows of bits have, as bytes.

        A byte is the weight of an observation where its bit is set, else 0.
        """
        ...

    def product(self, masks: Array, planes: Array) -> Array:
        """Return the products of all rows of bytes with all others, as 32-bit integers."""
        ...

    def add(self, total: Array | None, part: Array, factor: int) -> Array:
        """Return total + factor * part; None stands for zeros."""
        ...

    def own_scores(self, counted: Counted, terms: Terms, own: Array) -> None:
        """Write the score of each family itself to its place in the batch."""
        ...

    def addition_scores(self, counted: Counted, terms: Terms, out: Array) -> None:
        """Write the score with each candidate into its column; what is in the family stays as it was."""
        ...

    def workspace(self) -> Any:
        """Return what one batch at a time needs, for all that come one after the other."""
        ...

    def begin(self, workspace: Any, n_families: int, most: int) -> Any:
        """Return a place for the scores of so many families, its `own`, and so many improvements.

        The next one of the same workspace may have the same memory; what `end` has returned stays as it is.
        """
        ...

    def improve(self, place: Any, counted: Counted, terms: Terms, rounding: float) -> None:
        """Note which candidates improve these families by more than rounding; their own scores are there."""
        ...

    def improve_few(
        self, place: Any, bits: Array, digits: Array | None, families: list[Few], blocks: list[Block], rounding: float
    ) -> None:
        """Score a whole batch of a few families, and note what improves them.

        `digits` are the binary digits of the weights, rows of bits from the lowest on.
        """
        ...

    def gaussian_improve(self, place: Any, matrix: GaussianMatrix, families: Any, rounding: float) -> None:
        """Score families of continuous variables, and note what improves them by more than rounding."""
        ...

    def gaussian_additions(self, place: Any, matrix: GaussianMatrix, families: Any, out: Array) -> None:
        """Write the score with each variable into its column; what is in the family stays as it was."""
        ...

    def end(self, place: Any) -> tuple[Any, int, Any]:
        """Return the scores of the families, how many improvements there were, and these if the place was enough."""
        ...

    def synchronise(self) -> None:
        """Wait until all is done."""
        ...
