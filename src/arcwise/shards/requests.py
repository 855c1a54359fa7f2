"""What is asked of shards: counts of families, in tables of all cells, or of those that occur where these are many."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import prod

import numpy as np
import numpy.typing as npt

from arcwise.data.codes import Codes, Weights, merged_rows

__all__ = ["MOST_CELLS", "Counts", "Family", "Request", "Rows", "added_up", "merged"]

#: A child and its parents, by index.
Family = tuple[int, tuple[int, ...]]

Counts = npt.NDArray[np.uint32]

#: A table with more cells than this is sent as the rows that occur.
MOST_CELLS = 1 << 22


@dataclass(frozen=True)
class Request:
    """Families whose counts are asked for.

    Parameters
    ----------
    families
        The families.
    candidates
        Variables: then the counts of each family with each of them that is not in it are asked for, and not those of
        the family itself. None asks for the family.
    """

    families: tuple[Family, ...]
    candidates: tuple[int, ...] | None = None

    @cached_property
    def arrays(self) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int64], npt.NDArray[np.int32]]:
        """The children, and the parents of all one behind the other, those of family i between two starts."""
        children = np.array([child for child, _ in self.families], dtype=np.int32)
        starts = np.cumsum([0, *(len(parents) for _, parents in self.families)], dtype=np.int64)
        parents = np.array([parent for _, parents in self.families for parent in parents], dtype=np.int32)
        return children, starts, parents

    def expanded(self) -> Iterator[Family]:
        """Return the families whose counts are asked for, in their order."""
        if self.candidates is None:
            yield from self.families
            return
        for child, parents in self.families:
            for candidate in self.candidates:
                if candidate != child and candidate not in parents:
                    yield child, (*parents, candidate)

    def sizes(self, arities: Sequence[int]) -> list[int]:
        """Return how many cells each of these has."""
        return [n_cells(family, arities) for family in self.expanded()]


def n_cells(family: Family, arities: Sequence[int]) -> int:
    """Return how many cells the table of a family has."""
    return arities[family[0]] * prod(arities[parent] for parent in family[1])


@dataclass(frozen=True)
class Rows:
    """The joint states of a family that occur, parents first, and how often."""

    codes: Codes
    counts: Weights


def added_up(several: Sequence[Rows], family: Family, arities: Sequence[int]) -> Counts:
    """Return the table of a family that occurs in several shards: a row for each configuration of the parents.

    Parameters
    ----------
    several
        What occurs in each shard.
    family
        The family.
    arities
        How many states variables have.
    """
    columns = [*family[1], family[0]]
    codes = np.concatenate([rows.codes for rows in several])
    found = merged(codes, np.concatenate([rows.counts for rows in several]), [arities[v] for v in columns])
    parents = found.codes[:, :-1]
    begins = np.ones(len(parents), dtype=np.bool_)
    begins[1:] = (parents[1:] != parents[:-1]).any(axis=1)  # they come in the order of their codes
    table = np.zeros((int(begins.sum()), arities[family[0]]), dtype=np.uint32)
    table[np.cumsum(begins) - 1, found.codes[:, -1]] = found.counts
    return table.ravel()


def merged(codes: Codes, weights: Weights | None, sizes: Sequence[int]) -> Rows:
    """Return the joint states that occur in some rows, in the order of their codes.

    Parameters
    ----------
    codes
        The rows, at least one.
    weights
        How often each counts.
    sizes
        How many states each column has.
    """
    # Also where all of them differ: the first one comes a second time, and that is taken off.
    twice = np.asfortranarray(np.concatenate([codes, codes[:1]]))
    counts = np.ones(len(codes), dtype=np.uint32) if weights is None else weights
    found = merged_rows(twice, sizes, np.append(counts, np.uint32(1)))
    assert found is not None
    first, times = found
    rows = np.asfortranarray(twice[first])
    times[(rows == codes[0]).all(axis=1)] -= 1
    return Rows(rows[times > 0], times[times > 0])
