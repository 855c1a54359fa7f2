"""Scores of data with interventions: rows in which a variable was set do not count for what it depends on."""

from functools import cache
from math import log

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import oracles_graph
import oracles_interventions
from arcwise.data.dataset import Dataset
from arcwise.graph.dag import Dag
from arcwise.parents.selection import select
from arcwise.scores import LocalScore
from arcwise.scores.local_score import arc_gains
from score_cases import NAMES, near, random_codes


@cache
def forced_of(data: Dataset) -> list[list[int]]:
    """For each row the variables that were set in it."""
    made = data.interventions
    if made is None:
        return [[]] * data.n_rows
    targets = [data.index(name) for name in made.names]
    return [[v for v, is_set in zip(targets, row, strict=True) if is_set] for row in made.forced.tolist()]


def expected(name: str, data: Dataset, child: int, parents: tuple[int, ...]) -> float:
    weights = None if data.weights is None else data.weights.tolist()
    table = data.codes.tolist(), data.arities, weights
    return oracles_interventions.local_score(name, table, forced_of(data), child, parents)


def some_rows(rng: np.random.Generator, n_rows: int, share: float) -> npt.NDArray[np.bool_]:
    rows = rng.random(n_rows) < share
    rows[rng.integers(n_rows)] = False  # in all rows is refused
    return rows


def interventional(n_rows: int, arities: list[int], seed: int, *, most_weight: int = 0) -> Dataset:
    """Data in which every second variable is set in some rows."""
    rng = np.random.default_rng(seed)
    codes = random_codes(n_rows, arities, seed)
    weights = rng.integers(1, most_weight + 1, n_rows) if most_weight else None
    made = {f"X{v}": some_rows(rng, n_rows, rng.random()) for v in range(0, len(arities), 2)}
    return Dataset.from_codes(codes, arities=arities, weights=weights, interventions=made)


def test_by_hand() -> None:
    """Of two variables, b is set in the last two rows, in which nothing may be learned about it."""
    codes = [[0, 0], [0, 0], [1, 1], [1, 0], [1, 0], [0, 1]]
    data = Dataset.from_codes(codes, names=["a", "b"], interventions={"b": [4, 5]})
    score = LocalScore(data, "loglik")
    assert score.local("a") == pytest.approx(6 * log(1 / 2))
    assert score.local("b") == pytest.approx(3 * log(3 / 4) + log(1 / 4))
    assert score.local("b", ["a"]) == pytest.approx(2 * log(1 / 2))  # in rows 2 and 3
    assert score.local("a", ["b"]) == pytest.approx(2 * (log(1 / 2) + log(1 / 2)) - 2 * log(1 / 2) + 4 * log(1 / 2))
    bic = LocalScore(data, "bic")
    assert bic.local("b") == pytest.approx(score.local("b") - log(6) / 2)  # all rows are in the penalty


SHAPES = [
    (1, [2, 3], 0),
    (2, [2, 3], 0),
    (65, [2, 3, 1, 4, 2], 0),
    (700, [2, 3, 1, 4, 2], 0),
    (700, [2, 3, 1, 4, 2], 9),
    (2000, [2] * 9, 0),
    (300, [70, 2, 3, 200], 3),
    (100, [2, 1000, 3, 40_000], 0),
    (300, [2, 3] * 40, 0),
]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(("n_rows", "arities", "most_weight"), SHAPES)
def test_every_score_and_way_of_counting(name: str, n_rows: int, arities: list[int], most_weight: int) -> None:
    if name in ("fnml", "qnml") and n_rows * max(arities) > 3000:
        pytest.skip("the oracle takes too long")
    data = interventional(n_rows, arities, seed=n_rows, most_weight=most_weight)
    score, n = LocalScore(data, name), min(len(arities), 4)
    for child in range(min(n, 3)):
        parents: tuple[int, ...] = ()
        for candidate in (v for v in range(n) if v != child):
            assert score.local(child, parents) == near(expected(name, data, child, parents), name)
            added = score.additions(child, parents, [candidate])[0]
            parents = (*parents, candidate)
            assert added == near(expected(name, data, child, parents), name)
            fewer = [expected(name, data, child, parents[:i] + parents[i + 1 :]) for i in range(len(parents))]
            assert score.removals(child, parents).tolist() == near(fewer, name)


@settings(max_examples=40, deadline=None)
@given(st.data())
def test_random_tables(draw: st.DataObject) -> None:
    arities = draw.draw(st.lists(st.integers(1, 4), min_size=2, max_size=4))
    n_rows, n = draw.draw(st.integers(1, 80)), len(arities)
    codes = [[draw.draw(st.integers(0, arity - 1)) for arity in arities] for _ in range(min(n_rows, 12))]
    codes = [codes[row % len(codes)] for row in range(n_rows)]  # many equal rows, which are merged
    forced = draw.draw(st.lists(st.sets(st.integers(0, n - 1)), min_size=n_rows, max_size=n_rows))
    forced[draw.draw(st.integers(0, n_rows - 1))] = set()
    weights = draw.draw(st.none() | st.lists(st.integers(1, 5), min_size=n_rows, max_size=n_rows))
    made = {f"X{v}": [v in targets for targets in forced] for v in range(n)}
    data = Dataset.from_codes(codes, arities=arities, weights=weights, interventions=made)
    name = draw.draw(st.sampled_from(NAMES))
    for counted in (data, data.merged()):
        score = LocalScore(counted, name)
        for child in range(n):
            others = [v for v in range(n) if v != child]
            assert score.local(child) == near(expected(name, data, child, ()), name)
            assert score.local(child, others) == near(expected(name, data, child, tuple(others)), name)


@pytest.mark.parametrize("name", NAMES)
def test_a_replica_may_leave_no_row_that_counts(name: str) -> None:
    """Only the first row says what X0 depends on, and it weighs nothing."""
    data = Dataset.from_codes([[0, 1], [1, 0], [1, 1]], interventions={"X0": [1, 2]}).with_weights([0, 1, 1])
    score = LocalScore(data, name)
    assert score.local(0, [1]) == near(expected(name, data, 0, (1,)), name)
    assert score.additions(0).tolist() == near([expected(name, data, 0, (1,))], name)


@pytest.mark.parametrize("name", ["bic", "bdeu", "bds", "fnml"])
def test_sets_that_bounds_leave_out_could_not_win(name: str) -> None:
    """Sequential selection is exact on data with interventions, too."""
    data = interventional(300, [2, 3, 2, 2, 2], seed=4)
    found = select(LocalScore(data, name), method="sequential")
    assert found.is_exact
    for child in range(5):
        others = [v for v in range(5) if v != child]
        sets = [tuple(v for i, v in enumerate(others) if code >> i & 1) for code in range(16)]
        best = max(expected(name, data, child, parents) for parents in sets)
        assert found.sets.best(data.names[child])[0] == near(best, name)


@pytest.mark.parametrize("name", [name for name in NAMES if name not in ("bds", "k2", "fnml")])
def test_graphs_of_an_interventional_class_score_the_same(name: str) -> None:
    """And interventions on a member of a class that others lack tell these apart."""
    rng = np.random.default_rng(5)
    targets = (frozenset[int](), frozenset({0}), frozenset({1, 2}))
    kind = rng.integers(3, size=400)
    made = {"X0": kind == 1, "X1": kind == 2, "X2": kind == 2}
    data = Dataset.from_codes(random_codes(400, [2, 3, 2, 2], 5), arities=[2, 3, 2, 2], interventions=made)
    assert data.interventions is not None
    assert data.interventions.targets == ((), ("X0",), ("X1", "X2"))
    score = LocalScore(data, name)
    assert not score.is_equivalent

    def total(arcs: oracles_graph.Arcs) -> float:
        return score.total(Dag(data.names, [(f"X{a}", f"X{b}") for a, b in arcs]))

    for members in oracles_interventions.classes(4, targets):
        assert np.ptp([total(arcs) for arcs in members]) <= 8 * score.rounding
    assert any(
        np.ptp([total(arcs) for arcs in members]) > 0.1 for members in oracles_graph.classes(4) if len(members) > 1
    )


def test_gains_of_arcs_know_of_interventions() -> None:
    data = interventional(300, [2, 3, 2], seed=8)
    gains = arc_gains(Dag(data.names, [("X1", "X0")]), data)
    assert gains["X1", "X0"] == near(expected("bic", data, 0, (1,)) - expected("bic", data, 0, ()), "bic")
