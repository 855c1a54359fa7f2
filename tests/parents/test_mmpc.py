"""Tests of independence against their definition and scipy; MMPC against brute force and known graphs."""

import tracemalloc
from itertools import product
from math import log, prod

import numpy as np
import pytest
from scipy.special import log_ndtr
from scipy.stats import chi2, chi2_contingency

import oracles_independence as oracle
from arcwise import (
    ArcwiseWarning,
    BayesianNetwork,
    Budget,
    Constraints,
    Dag,
    Dataset,
    LocalScore,
    ParameterError,
    _core,
    load_example,
    select,
)
from arcwise.parents.independence import TESTS, Independence
from arcwise.parents.mmpc import mmpc, neighbours
from arcwise.simulation.random import random_dag
from tables import dependent_table

both_tests = pytest.mark.parametrize("test", TESTS)


def batch(
    data: Dataset, test: str, target: int, given: list[int], candidates: list[int]
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    return _core.test_independence(
        LocalScore(data).core, _core.Statistic[test], target, given, candidates, Budget().core
    )


@pytest.mark.parametrize("value", [1e-9, 0.5, 1.99, 2.01, 7.0, 100.0, 1e4, 1e7])
def test_log_p_has_closed_forms(value: float) -> None:
    assert _core.log_chi2_survival(value, 2) == pytest.approx(oracle.log_p_of_two_degrees(value), rel=1e-12)
    assert _core.log_chi2_survival(value, 4) == pytest.approx(oracle.log_p_of_four_degrees(value), rel=1e-12)
    assert _core.log_chi2_survival(value, 1) == pytest.approx(log(2) + log_ndtr(-np.sqrt(value)), rel=1e-12)


@pytest.mark.parametrize("degrees", [1, 2, 3, 7, 30, 101, 1000, 20_000])
def test_log_p_is_that_of_scipy(degrees: int) -> None:
    for share in (0.01, 0.5, 0.9, 1.0, 1.1, 1.5, 1.02):
        expected = chi2.sf(share * degrees, degrees)
        if expected > 1e-280:
            found = np.exp(_core.log_chi2_survival(share * degrees, degrees))
            assert found == pytest.approx(expected, rel=1e-9)


@both_tests
@pytest.mark.parametrize("given", [[], [1], [4, 1], [1, 2, 4]])
@pytest.mark.parametrize("seed", range(3))
def test_statistics_by_definition_and_by_scipy(test: str, given: list[int], seed: int) -> None:
    data = dependent_table(150, (2, 3, 4, 2, 3, 5), seed=seed)
    candidates = [v for v in (1, 2, 3, 4, 5) if v not in given]
    values, degrees, log_p = batch(data, test, 0, given, candidates)
    for i, candidate in enumerate(candidates):
        tables = oracle.strata(data.codes, 0, candidate, given)
        assert (values[i], degrees[i]) == pytest.approx(oracle.statistic(tables, test))
        # scipy refuses empty rows and columns, so that its degrees of freedom are those of what occurs
        power = 0.0 if test == "g2" else 1.0  # of the family of Cressie and Read
        parts = [chi2_contingency(table, correction=False, lambda_=power) for table in tables]
        assert values[i] == pytest.approx(sum(part.statistic for part in parts))
        assert degrees[i] == sum(part.dof for part in parts)
        assert np.exp(log_p[i]) == pytest.approx(chi2.sf(values[i], degrees[i]) if degrees[i] else 1.0)


@both_tests
def test_the_test_is_symmetric(test: str) -> None:
    data = dependent_table(200, (2, 3, 4, 3), seed=4)
    there, back = (batch(data, test, target, [1], [other]) for target, other in ((2, 3), (3, 2)))
    for one, two in zip(there, back, strict=True):
        assert one == pytest.approx(two)


@both_tests
def test_weights_are_repetitions(test: str) -> None:
    data = dependent_table(60, (2, 3, 2, 2), seed=1)
    weights = np.random.default_rng(0).integers(0, 6, size=60).astype(np.uint32)
    weighted = Dataset.from_codes(data.codes, arities=data.arities, weights=weights)
    repeated = Dataset.from_codes(np.repeat(data.codes, weights, axis=0), arities=data.arities)
    for one, two in zip(batch(weighted, test, 0, [1], [2, 3]), batch(repeated, test, 0, [1], [2, 3]), strict=True):
        assert one == pytest.approx(two)
    assert mmpc(LocalScore(weighted), test=test) == mmpc(LocalScore(repeated), test=test)


@both_tests
def test_few_rows_of_large_weight_make_larger_tables_than_are_counted(test: str) -> None:
    """The reliability rule looks at observations, the counting kernels at rows."""
    rng = np.random.default_rng(1)
    codes = rng.integers(40, size=(60, 3)).astype(np.uint8)
    weights = np.full(60, 100_000, dtype=np.uint32)
    data = Dataset.from_codes(codes, arities=[40, 40, 40], weights=weights)
    values, degrees, _ = batch(data, test, 0, [1], [2])
    expected = oracle.statistic(oracle.strata(data.codes, 0, 2, [1], data.weights), test)
    assert (values[0], degrees[0]) == pytest.approx(expected)


@both_tests
def test_constant_columns_and_unseen_states_vary_nowhere(test: str) -> None:
    data = dependent_table(constant=True)
    values, degrees, log_p = batch(data, test, 0, [1], [2, 4])
    assert (values[1], degrees[1], log_p[1]) == (0, 0, 0)
    assert degrees[0] > 0
    wider = Dataset.from_codes(data.codes, arities=[arity + 3 for arity in data.arities])
    again = batch(wider, test, 0, [1], [2, 4])
    assert again[0] == pytest.approx(values)
    assert again[1].tolist() == degrees.tolist()
    found = mmpc(LocalScore(data), test=test)
    assert found[data.names[4]] == frozenset()
    assert not any(data.names[4] in row for row in found.values())


@both_tests
@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize(
    ("n_rows", "options"),
    [
        (200, {}),
        (1000, {"alpha": 0.2}),
        (1000, {"max_conditions": 1}),
        (300, {"least_per_cell": 0.5}),
        (100, {"least_per_cell": 12}),  # where some pairs are not tested at all
    ],
    ids=str,
)
def test_neighbours_by_brute_force(test: str, seed: int, n_rows: int, options: dict[str, float]) -> None:
    data = dependent_table(n_rows, (2, 3, 2, 3, 2, 4, 2), seed=seed)
    expected = oracle.MaxMin(data.codes, data.arities, test=test, **options).neighbours()
    found = mmpc(LocalScore(data), test=test, **options)  # type: ignore[arg-type]
    assert [{data.index(name) for name in found[of]} for of in data.names] == expected


@pytest.mark.parametrize("seed", [1, 2, 272])  # with 272, a member stays because what explained it was dropped before
def test_near_copies_explain_one_another_by_brute_force(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n = 300
    hidden = rng.integers(2, size=(n, 2))
    columns = []
    for v in range(7):
        source = hidden[:, v % 2]
        if v % 3 == 0:
            source = source ^ (hidden[:, 1] & (rng.random(n) < 0.5))
        columns.append(np.where(rng.random(n) < rng.uniform(0.02, 0.25), rng.integers(2, size=n), source))
    data = Dataset.from_codes(np.column_stack(columns).astype(np.uint8), arities=[2] * 7)
    expected = oracle.MaxMin(data.codes, data.arities, least_per_cell=1).neighbours()
    found = mmpc(LocalScore(data), least_per_cell=1)
    assert [{data.index(name) for name in found[of]} for of in data.names] == expected


def exact_sample(network: BayesianNetwork, size: int = 1 << 31) -> Dataset:
    """Every configuration, as often as it is expected in a sample of this size."""
    rows = np.array(list(product(*(range(arity) for arity in network.arities))), dtype=np.uint8)
    shares = np.ones(len(rows))
    for v, parents in enumerate(network.dag.parent_indices):
        shares *= network.tables[v][tuple(rows[:, [*parents, v]].T)]
    weights = np.round(shares * size).astype(np.uint32)
    return Dataset.from_codes(rows, arities=network.arities, names=network.names, weights=weights)


def skeleton(dag: Dag) -> dict[str, frozenset[str]]:
    return {node: frozenset({*dag.parents(node), *dag.children(node)}) for node in dag.names}


def strong_network(dag: Dag, seed: int) -> BayesianNetwork:
    """Two states each, and every parent matters in every configuration of the others."""
    rng = np.random.default_rng(seed)
    tables = []
    for parents in dag.parent_indices:
        slopes = rng.uniform(0.8, 1.6, size=len(parents)) * rng.choice([-1, 1], size=len(parents))
        sums = np.zeros((2,) * len(parents))
        for axis, slope in enumerate(slopes):
            sums += slope * (np.indices(sums.shape)[axis] - 0.5)
        share = 1 / (1 + np.exp(-sums))
        tables.append(np.stack([1 - share, share], axis=-1))
    return BayesianNetwork(dag, [["0", "1"]] * dag.n_nodes, tables)


@both_tests
@pytest.mark.parametrize("seed", range(8))
def test_the_skeleton_is_found_when_every_test_is_right(test: str, seed: int) -> None:
    """With as many observations as here, tests are wrong only where dependences cancel."""
    dag = random_dag(7, 8, max_parents=2, seed=seed)
    data = exact_sample(strong_network(dag, seed))
    assert mmpc(LocalScore(data), test=test, alpha=1e-4) == skeleton(dag)


def test_asia_on_a_large_sample() -> None:
    """Away from `either`, which its parents determine, the distribution is faithful to the graph."""
    truth = load_example("asia")
    found = mmpc(LocalScore(truth.sample(100_000, seed=3)), alpha=0.001)
    for node in ("smoke", "bronc"):
        assert found[node] == skeleton(truth.dag)[node]


def test_alarm_on_a_large_sample() -> None:
    truth = load_example("alarm")
    found = mmpc(LocalScore(truth.sample(50_000, seed=1)), alpha=0.001)
    edges = {frozenset((a, b)) for a, row in found.items() for b in row}
    true = {frozenset(arc) for arc in truth.dag.arcs}
    assert len(edges & true) >= 0.9 * len(true)
    assert len(edges - true) <= 0.05 * len(true)


def test_a_chain_and_a_collider() -> None:
    rng = np.random.default_rng(0)

    def noisy(column: np.ndarray) -> np.ndarray:
        return np.where(rng.random(len(column)) < 0.2, 1 - column, column)

    a, e = rng.integers(2, size=(2, 4000))
    b = noisy(a)
    c = noisy(b | e)
    codes = np.column_stack([a, b, c, e]).astype(np.uint8)
    found = mmpc(LocalScore(Dataset.from_codes(codes, names=["a", "b", "c", "e"])), alpha=0.01)
    assert found == {"a": {"b"}, "b": {"a", "c"}, "c": {"b", "e"}, "e": {"c"}}


def test_neighbours_are_symmetric_and_do_not_depend_on_workers() -> None:
    data = dependent_table(500, (2, 3) * 8, seed=2)
    found = mmpc(LocalScore(data), workers=1)
    assert mmpc(LocalScore(data), workers=4) == found
    assert all(of in found[name] for of, row in found.items() for name in row)
    assert all(of not in row for of, row in found.items())


def test_it_is_a_neighbourhood() -> None:
    data = dependent_table(500, (2, 3) * 4, seed=2)
    score = LocalScore(data)
    found = mmpc(score)
    selected = select(score, neighbourhood=mmpc)
    assert selected.sets == select(score, neighbourhood=found).sets
    for name in data.names:
        assert all(set(members) <= found[name] for _, members in [selected.sets.best(name)])


def test_evaluations_are_tests_and_are_not_made_twice() -> None:
    data = dependent_table(500, (2, 3) * 4, seed=2)
    score, budget = LocalScore(data), Budget()
    first = mmpc(score, budget=budget)
    n = data.n_variables
    assert budget.evaluations == score.evaluations >= n * (n - 1)
    again = Budget()
    assert mmpc(score, budget=again) == first
    assert again.evaluations == 0
    mmpc(score, alpha=0.01, budget=again)
    assert again.evaluations > 0


def test_without_conditions_each_pair_is_tested_once_from_each_side() -> None:
    data = dependent_table(500, (2, 3) * 4, seed=2)
    score = LocalScore(data)
    found = mmpc(score, max_conditions=0)
    n = data.n_variables
    assert score.evaluations == n * (n - 1)
    for (v, name), (u, other) in product(enumerate(data.names), repeat=2):
        if u != v:
            assert (other in found[name]) == (oracle.p_value(data.codes, v, u, [], "g2") <= 0.05)


def test_pairs_that_cannot_be_tested_stay() -> None:
    data = dependent_table(99, (5, 4, 2), seed=0)
    assert 5 * prod((5, 4)) > data.n_rows
    found = mmpc(LocalScore(data), max_conditions=0)
    assert data.names[1] in found[data.names[0]]
    assert mmpc(LocalScore(Dataset.from_codes([[0, 1]], arities=[2, 2]))) == {"X0": {"X1"}, "X1": {"X0"}}


def test_one_variable_has_no_neighbours() -> None:
    assert mmpc(LocalScore(Dataset.from_codes([[0], [1]]))) == {"X0": frozenset()}


def test_constraints_decide_what_they_name() -> None:
    data = dependent_table(400, seed=0)
    free = mmpc(LocalScore(data))
    a, b = next((a, b) for a, row in free.items() for b in row)
    c, d = next((c, d) for c in data.names for d in data.names if c != d and d not in free[c])
    rules = Constraints(required=[(d, c)], forbidden=[(a, b), (b, a)])
    found = mmpc(LocalScore(data), constraints=rules)
    assert b not in found[a]
    assert a not in found[b]
    assert d in found[c]
    assert c in found[d]
    one_way = mmpc(LocalScore(data), constraints=Constraints(forbidden=[(a, b)]))
    assert one_way == free


@pytest.mark.parametrize("limit", [0, 10, 40, 100])
def test_what_the_budget_leaves_open_stays(limit: int) -> None:
    data = dependent_table(arities=(2, 3) * 6)
    score = LocalScore(data)
    full = mmpc(LocalScore(data))
    with pytest.warns(ArcwiseWarning, match="the budget ended before the tests of"):
        found = mmpc(score, budget=Budget(evaluation_limit=limit))
    assert score.evaluations <= limit + data.n_variables
    one_sided = all(full[name] <= row for name, row in found.items())
    assert one_sided
    assert sum(map(len, found.values())) > sum(map(len, full.values()))
    if limit == 0:
        assert all(len(row) == data.n_variables - 1 for row in found.values())


@pytest.mark.parametrize("limit", [0, 1, 10, 40, 100, 10_000])
def test_neighbours_are_named_as_they_are_listed_whatever_the_budget_leaves_open(limit: int) -> None:
    data = dependent_table(arities=(2, 3) * 6)
    a, b, c, d = data.names[:4]
    rules = Constraints(required=[(c, a)], forbidden=[(a, b), (b, a), (c, d)], tiers=[[a, c], [d]])
    found = neighbours(LocalScore(data), Independence(), constraints=rules, budget=Budget(evaluation_limit=limit))
    pairs = {(v, u) for v, row in enumerate(found.of) for u in row}
    assert pairs == {(u, v) for v, u in pairs}
    named = found.named(data.names)
    assert pairs == {(v, data.index(name)) for v, of in enumerate(data.names) for name in named[of]}
    assert len(pairs) == sum(map(len, named.values()))
    assert {
        (v, u) for v, of in enumerate(data.names) for u, name in enumerate(data.names) if name in named[of]
    } == pairs
    assert pairs >= {(0, 2)}
    assert not pairs & {(0, 1), (2, 3)}  # forbidden in both directions, once by the tiers
    n = data.n_variables
    if limit == 0:
        assert len(pairs) == n * (n - 1) - 4
        assert found.lists.n_members == 0  # so many pairs are listed for those who ask
    if limit == 10_000:
        assert found.is_complete
        assert not found.untested


def test_variables_without_any_test_take_no_list_each() -> None:
    """Names of all others for each of 4,000 variables would be 16 million, half a gigabyte."""
    rng = np.random.default_rng(1)
    score = LocalScore(Dataset.from_codes(rng.integers(2, size=(50, 4000)).astype(np.uint8)))
    tracemalloc.start()
    try:
        with pytest.warns(ArcwiseWarning, match="4000 of 4000 variables"):
            found = mmpc(score, budget=Budget(evaluation_limit=0))
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert all(len(row) == 3999 for row in found.values())
    assert peak < 30e6


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"test": "g3"}, "test must be one of g2, chi2, not 'g3'"),
        ({"test": None}, "test must be one of g2, chi2"),
        ({"alpha": 0}, "alpha must be between 0 and 1"),
        ({"alpha": 1.0}, "alpha must be between 0 and 1"),
        ({"alpha": "0.05"}, "alpha must be a finite number"),
        ({"least_per_cell": -1}, "least_per_cell must be"),
        ({"max_conditions": -1}, "max_conditions must be at least 0"),
        ({"max_conditions": 1.5}, "max_conditions must be an integer"),
        ({"workers": 0}, "workers must be at least 1"),
        ({"constraints": []}, "constraints must be a Constraints"),
        ({"budget": 3}, "budget must be a Budget"),
    ],
    ids=str,
)
def test_bad_arguments_are_refused(options: dict[str, object], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        mmpc(LocalScore(dependent_table()), **options)  # type: ignore[arg-type]


def test_a_dataset_is_not_a_score() -> None:
    with pytest.raises(ParameterError, match="score must be a LocalScore"):
        mmpc(dependent_table())  # type: ignore[arg-type]
