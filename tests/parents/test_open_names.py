"""A set of names that is not listed is the set it stands for."""

import pickle
from collections.abc import Set

from hypothesis import given
from hypothesis import strategies as st

from arcwise.parents.open_names import OpenNames

names = st.frozensets(st.sampled_from("abcdefgh"))


@given(names, names, names, names)
def test_it_is_the_set_it_stands_for(
    shared: frozenset[str], without: frozenset[str], found: frozenset[str], other: frozenset[str]
) -> None:
    expected: Set[str] = (shared - without) | found
    made: Set[str] = OpenNames.of(shared, without, found)
    assert made == expected
    assert expected == made
    assert len(made) == len(expected) == len(list(made))
    assert {name for name in "abcdefgh" if name in made} == expected
    assert hash(made) == hash(expected)
    assert made | other == expected | other
    assert other - made == other - expected
    assert (made <= other, other <= made) == (expected <= other, other <= expected)
    assert pickle.loads(pickle.dumps(made)) == made
