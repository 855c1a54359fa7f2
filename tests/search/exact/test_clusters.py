"""Clusters whose rows fractional choices break, against a look at all of them."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arcwise.search.exact.bounds import order_of
from arcwise.search.exact.clusters import Choice, Cluster, violated_clusters
from oracles_clusters import broken_by, broken_clusters
from oracles_graph import all_dags


def choice_of(n: int, sets: list[tuple[int, list[int], float]]) -> Choice:
    contains = np.zeros((len(sets), n), dtype=np.bool_)
    for row, (_, members, _) in enumerate(sets):
        contains[row, members] = True
    owner, weight = [child for child, _, _ in sets], [weight for _, _, weight in sets]
    return Choice(np.array(owner, dtype=np.intp), contains, np.array(weight, dtype=np.float64))


@st.composite
def choices(draw: st.DrawFn) -> Choice:
    """Two to six variables, each with one to three sets whose weights are multiples of an eighth."""
    n = draw(st.integers(2, 6))
    sets = []
    for child in range(n):
        others = st.lists(st.sampled_from([v for v in range(n) if v != child]), unique=True)
        cuts = sorted(draw(st.lists(st.integers(1, 7), max_size=2, unique=True)))
        for low, high in zip([0, *cuts], [*cuts, 8], strict=True):
            sets.append((child, sorted(draw(others)), (high - low) / 8))
    return choice_of(n, sets)


@settings(max_examples=200, deadline=None)
@given(choices())
def test_what_is_found_is_broken_and_something_is_found_where_anything_is(choice: Choice) -> None:
    found = violated_clusters(choice)
    for nodes, first in found:
        assert broken_by(choice, nodes, first) > 1e-4
        assert len(nodes) > first
    if broken_clusters(choice, 1):
        assert found


@settings(max_examples=50, deadline=None)
@given(choices())
def test_cycles_are_found_among_whole_sets(choice: Choice) -> None:
    heaviest = [
        max(np.flatnonzero(choice.owner == v), key=lambda at: choice.weight[at]) for v in range(choice.n_variables)
    ]
    whole = Choice(choice.owner[heaviest], choice.contains[heaviest], np.ones(choice.n_variables))
    assert bool(violated_clusters(whole, seconds=0, cycles_only=True)) == bool(broken_clusters(whole, 1))


@pytest.mark.parametrize("first", [1, 2, 3])
def test_every_graph_keeps_every_row(first: int) -> None:
    n = 4
    for arcs in all_dags(n):
        graph = choice_of(n, [(child, [a for a, b in arcs if b == child], 1.0) for child in range(n)])
        assert not broken_clusters(graph, first)


def test_a_half_of_two_parents_each_is_cut_off_by_the_second_kind_of_row() -> None:
    # Each of three variables takes the other two with a half: no cluster lacks a first one, but two must be first.
    sets = [(child, [v for v in range(3) if v != child], 0.5) for child in range(3)]
    choice = choice_of(3, [*sets, *((child, [], 0.5) for child in range(3))])
    assert not broken_clusters(choice, 1)
    assert violated_clusters(choice) == [Cluster((0, 1, 2), 2)]


@settings(max_examples=50, deadline=None)
@given(st.integers(1, 6), st.randoms(use_true_random=False))
def test_the_order_of_a_graph_has_its_parents_first(n: int, random: object) -> None:
    order = np.random.default_rng(random.randrange(2**32)).permutation(n)  # type: ignore[attr-defined]
    arcs = np.zeros((n, n))
    arcs[np.ix_(order, order)] = np.triu(np.ones((n, n)), 1)
    assert order_of(arcs).tolist() == order.tolist()
