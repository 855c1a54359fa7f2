"""Bounds hold for every graph, whenever the work ends."""

from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arcwise import Budget, Constraints, ParameterError, ParentSets, Scope, Status
from arcwise.search.exact import tightened_bound
from arcwise.search.exact.clusters import Cluster
from arcwise.search.exact.relaxation import Relaxation, _on_grid
from interrupting import stepped_clock
from oracles_clusters import best_score, graphs_over
from parent_set_strategies import Lists, random_table, set_lists


@settings(max_examples=100, deadline=None)
@given(set_lists(most=4))
def test_no_graph_exceeds_the_bound(drawn: Lists) -> None:
    best = best_score(drawn.table)
    found = tightened_bound(drawn.table)
    assert found.value <= drawn.table.relaxed_score() + 1e-9
    assert all(after.bound < before.bound for before, after in pairwise(found.trace))
    if best is None:
        assert found.dag is None
        assert found.status is not Status.OPTIMAL
        return
    assert found.value >= best  # without any tolerance
    if found.status is Status.OPTIMAL:
        assert found.value == pytest.approx(best, abs=1e-9)
        assert found.dag is not None
        assert drawn.table.total(found.dag) == pytest.approx(best, abs=1e-9)


@settings(max_examples=100, deadline=None)
@given(set_lists(most=4), st.data())
def test_any_prices_give_a_bound(drawn: Lists, data: st.DataObject) -> None:
    """The bound does not depend on the prices being any solver's, nor on their being round numbers."""
    best = best_score(drawn.table)
    relaxation = Relaxation(drawn.table)
    solution = relaxation.solve(Budget())
    assert solution is not None
    n = drawn.table.n_variables
    for first in (1, 2):
        if n > first:
            relaxation.add([Cluster(tuple(range(n)), first), Cluster(tuple(range(first + 1)), first)])
    k = len(relaxation.clusters)
    prices = st.floats(0, 10) | st.floats(0, 1e-12)
    relaxation.pay(np.array(data.draw(st.lists(prices, min_size=k, max_size=k)), dtype=np.float64))
    relaxation.tighten(None)
    assert best is None or relaxation.bound >= best


@settings(max_examples=50, deadline=None)
@given(set_lists(most=4, empty_sets=True), st.data())
def test_sets_that_are_left_out_are_in_no_graph_that_is_as_good(drawn: Lists, data: st.DataObject) -> None:
    graphs = list(graphs_over(drawn.table))
    least, _ = data.draw(st.sampled_from(graphs))
    relaxation = Relaxation(drawn.table)
    budget = Budget()
    for _ in range(5):
        if relaxation.solve(budget) is None:
            break
        relaxation.tighten(least - 1e-9 * abs(least))
    left = [{parents for _, parents in relaxation.table.sets(name)} for name in drawn.names]
    for score, dag in graphs:
        if score >= least:
            assert all(dag.parents(name) in of for name, of in zip(drawn.names, left, strict=True))


@pytest.mark.parametrize(
    "constraints", [Constraints(required=[("v0", "v1")], max_parents=2), Constraints(tiers=[["v3"]])]
)
def test_constraints_count(constraints: Constraints) -> None:
    table = ParentSets.from_lists(
        [f"v{i}" for i in range(4)],
        [[(-10.0 + 2.5 * len(of) - 0.1 * sum(of), of) for of in _subsets(4, child)] for child in range(4)],
    )
    best = best_score(table, constraints)
    assert best is not None
    found = tightened_bound(table, constraints=constraints)
    assert found.value >= best
    assert found.status is Status.OPTIMAL
    assert found.value == pytest.approx(best)


def _subsets(n: int, child: int) -> list[list[int]]:
    return [[v for v in range(n) if mask >> v & 1] for mask in range(2**n) if not mask >> child & 1]


@pytest.mark.parametrize("rounds", [0, 1, 2, 5])
def test_a_bound_cut_short_is_a_bound(rounds: int) -> None:
    table = random_table(5, 15, seed=3)
    best = best_score(table)
    assert best is not None
    seen = []
    found = tightened_bound(table, on_bound=lambda point: seen.append(point) or len(seen) > rounds)  # type: ignore[func-returns-value]
    assert found.value >= best
    assert tuple(seen) == found.trace
    if found.status is not Status.OPTIMAL:
        assert found.status is Status.INTERRUPTED


def test_no_time_gives_the_score_of_the_best_sets() -> None:
    table = random_table(6, 20, seed=1)
    found = tightened_bound(table, budget=Budget(0))
    assert found.value == table.relaxed_score()
    assert found.status is Status.TIME_LIMIT
    assert found.scope is Scope.CANDIDATE_SETS


def test_wrong_arguments_are_refused() -> None:
    table = random_table(3, 3, seed=1)
    with pytest.raises(ParameterError, match="scope must be a Scope"):
        tightened_bound(table, scope="all")  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match="table must be a ParentSets"):
        tightened_bound([])  # type: ignore[arg-type]


@settings(max_examples=100, deadline=None)
@given(st.integers(2, 5), st.integers(0, 2**32), st.data())
def test_the_bound_is_never_rounded_downwards(n: int, seed: int, data: st.DataObject) -> None:
    """In exact arithmetic, with the prices as they are after being put on their grid."""
    table = random_table(n, 6, seed)
    clusters = [Cluster(tuple(range(n)), 1), Cluster((0, n - 1), 1)] + [Cluster(tuple(range(n)), 2)] * (n > 2)
    relaxation = Relaxation(table)
    relaxation.add(clusters)
    known = len(relaxation.clusters)
    prices = data.draw(st.lists(st.floats(0, 1e3), min_size=known, max_size=known))
    relaxation.pay(np.array(prices))
    relaxation.bound = np.inf
    relaxation.tighten(None)
    exact = [Fraction(price) for price in _on_grid(np.array(prices)).tolist()]
    total = -sum((price * cluster.first for price, cluster in zip(exact, relaxation.clusters, strict=True)), Fraction())
    for child, name in enumerate(table.names):
        values = []
        for score, parents in table.sets(name):
            members = {table.names.index(parent) for parent in parents}
            rows = zip(exact, relaxation.clusters, strict=True)
            paid = [price for price, at in rows if child in at.nodes and len(members & set(at.nodes)) < at.first]
            values.append(Fraction(score) + sum(paid, Fraction()))
        total += max(values)
    assert total <= Fraction(relaxation.bound) <= total + Fraction(1, 10**9)


@pytest.mark.parametrize("score", [-0.1, -0.2, -0.3, -0.6, -0.7])
def test_many_small_roundings_do_not_add_up(score: float) -> None:
    """Forty pairs a, b whose prices cancel: the bound is twice the score for each, and every sum loses digits."""
    names = [f"{letter}{pair}" for pair in range(40) for letter in "ab"]
    lists = [[(score, []), (-9000.0, [v + 1])] if v % 2 == 0 else [(score, [v - 1]), (-5000.0, [])] for v in range(80)]
    relaxation = Relaxation(ParentSets.from_lists(names, lists))
    relaxation.add([Cluster((v, v + 1)) for v in range(0, 80, 2)])
    relaxation.pay(np.full(40, 1000.0))
    relaxation.bound = np.inf
    relaxation.tighten(None)
    assert 80 * Fraction(score) <= Fraction(relaxation.bound) <= 80 * Fraction(score) + Fraction(1, 10**9)


def test_sets_that_hardly_differ_take_no_time() -> None:
    """Of scores in the millions the last digit is 1e-10, coarser than a thousand-millionth of what the sets differ."""
    lists = [[(-1e6, []), (-1e6 + 0.01, ["b"])], [(-1e6, []), (-1e6 + 0.02, ["a"])]]
    with stepped_clock(seconds_per_look=1.0):
        bound = tightened_bound(ParentSets.from_lists(["a", "b"], lists), budget=Budget(time_limit=60))
    assert bound.status is not Status.TIME_LIMIT
    assert bound.value == pytest.approx(-2e6 + 0.02, rel=1e-14)
