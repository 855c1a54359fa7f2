"""Random tables of parent sets for the tests."""

from itertools import combinations
from typing import NamedTuple

import numpy as np
from hypothesis import strategies as st

from arcwise.parents import ParentSets
from oracles_parents import Sets


class Lists(NamedTuple):
    """The sets of all variables as they were drawn, in no order, and the table of them."""

    names: tuple[str, ...]
    sets: tuple[Sets, ...]

    @property
    def table(self) -> ParentSets:
        return ParentSets.from_lists(self.names, self.sets)


@st.composite
def set_lists(draw: st.DrawFn, *, ties: bool = True, empty_sets: bool = False, most: int = 6) -> Lists:
    """One to six (or `most`) variables, each with one to all of its possible sets, drawn without order."""
    n = draw(st.integers(1, most))
    names = tuple(f"v{index}" for index in draw(st.permutations(range(n))))
    # Few different scores make ties; any finite ones (never only positive) must survive a file.
    scores = st.integers(-4, 0).map(float) if ties else st.floats(allow_nan=False, allow_infinity=False, max_value=-0.0)
    lists = []
    for name in names:
        others = [other for other in names if other != name]
        possible = [frozenset(subset) for size in range(n) for subset in combinations(others, size)]
        chosen = draw(st.lists(st.sampled_from(possible), min_size=1, max_size=20, unique=True))
        if empty_sets and frozenset() not in chosen:
            chosen.append(frozenset())
        lists.append([(draw(scores), members) for members in chosen])
    return Lists(names, tuple(lists))


def random_table(n: int, n_sets: int, seed: int, *, most: int = 4) -> ParentSets:
    """Up to `n_sets` sets of one to `most` members for each variable, and the empty set, which is the worst."""
    rng = np.random.default_rng(seed)
    lists: list[list[tuple[float, list[int]]]] = []
    for v in range(n):
        others = np.delete(np.arange(n), v)
        sizes = rng.integers(1, min(most, n - 1) + 1, size=n_sets)
        sets = {tuple(sorted(rng.choice(others, size, replace=False).tolist())) for size in sizes}
        lists.append(
            [(-100.0, []), *((-100 * rng.random() ** len(members), list(members)) for members in sorted(sets))]
        )
    return ParentSets.from_lists([f"v{v}" for v in range(n)], lists)
