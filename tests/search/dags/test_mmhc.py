"""Max-min hill climbing stays within its skeleton; the contract suite holds it to the rest."""

from itertools import pairwise

import numpy as np
import pytest

from arcwise import Budget, Constraints, Dag, Dataset, LocalScore, ParameterError, Status, compare, greedy, load_example
from arcwise.parents.independence import Independence
from arcwise.parents.mmpc import mmpc, neighbours
from arcwise.search.dags.mmhc import mmhc
from interrupting import runs_out_of_time
from tables import dependent_table


def skeleton(dag: Dag) -> set[frozenset[str]]:
    return {frozenset(arc) for arc in dag.arcs}


@pytest.mark.parametrize("test", ["g2", "chi2"])
@pytest.mark.parametrize("seed", range(3))
def test_every_arc_is_between_neighbours(test: str, seed: int) -> None:
    data = dependent_table(400, (2, 3) * 5, seed=seed)
    # AIC wants more arcs than the tests allow
    result = mmhc(LocalScore(data, "aic"), test=test, alpha=0.01, seed=seed)
    found = mmpc(LocalScore(data), test=test, alpha=0.01)
    assert all(parent in found[child] for parent, child in result.dag.arcs)
    assert not skeleton(greedy(LocalScore(data, "aic"), seed=seed).dag) <= skeleton(result.dag)
    assert result.counters["edges"] == sum(map(len, found.values())) // 2


def test_it_is_greedy_where_the_skeleton_is_complete() -> None:
    """With so many observations wanted per cell no test is made, and every pair stays possible."""
    data = dependent_table(300, (2, 3) * 4, seed=1)
    free = greedy(LocalScore(data), seed=5, workers=1)
    restricted = mmhc(LocalScore(data), least_per_cell=1e6, seed=5, workers=1)
    assert restricted.dag == free.dag
    assert restricted.counters["tests"] == 0
    assert restricted.counters["evaluations"] == free.counters["evaluations"]


def test_no_arc_within_the_skeleton_improves_the_score() -> None:
    data = dependent_table(400, (2, 3) * 4, seed=3)
    score = LocalScore(data)
    result, found = mmhc(score, seed=0), mmpc(score)
    for child in data.names:
        parents = set(result.dag.parents(child))
        for other in found[child]:
            if other in parents:
                changed = Dag(data.names, [arc for arc in result.dag.arcs if arc != (other, child)])
            elif child in result.dag.ancestors(other):
                continue
            else:
                changed = Dag(data.names, [*result.dag.arcs, (other, child)])
            assert score.total(changed) <= result.score + 1e-6


def test_asia_is_found_up_to_the_weak_arc() -> None:
    truth = load_example("asia")
    result = mmhc(LocalScore(truth.sample(50_000, seed=1)), alpha=0.01, seed=1)
    assert {frozenset(("smoke", "bronc")), frozenset(("smoke", "lung")), frozenset(("bronc", "dysp"))} <= skeleton(
        result.dag
    )
    assert compare(truth.dag, result.dag).shd_skeleton <= 3


def test_counters_add_up() -> None:
    data = dependent_table(arities=(2, 3) * 5)
    score, budget = LocalScore(data), Budget()
    result = mmhc(score, seed=0, climbs=1, budget=budget)
    tested = LocalScore(data)
    mmpc(tested)
    assert result.counters["tests"] == tested.evaluations
    assert result.counters["evaluations"] == score.evaluations == budget.evaluations
    assert result.trace[0].evaluations >= result.counters["tests"]
    moves = result.counters
    assert len(result.trace) == 1 + moves["additions"] + moves["deletions"] + moves["reversals"]
    assert result.method == "mmhc"
    assert result.provenance.constraints == Constraints()


def test_workers_do_not_change_the_graph() -> None:
    data = dependent_table(arities=(2, 3) * 6)
    assert mmhc(LocalScore(data), seed=2, workers=1).dag == mmhc(LocalScore(data), seed=2, workers=3).dag


def test_the_start_comes_back_when_nothing_may_be_counted() -> None:
    data = dependent_table(arities=(2, 3) * 6)
    start = Dag(data.names, [(data.names[3], data.names[0])])
    result = mmhc(LocalScore(data), start=start, seed=0, budget=Budget(evaluation_limit=0))
    assert result.dag == start
    assert result.status == Status.EVALUATION_LIMIT


def chain(n: int) -> Dataset:
    """Variables each of which is mostly like the one before: the best forest is the chain."""
    rng = np.random.default_rng(1)
    codes = rng.integers(2, size=(400, n))
    for v in range(1, n):
        codes[:, v] = np.where(rng.random(400) < 0.9, codes[:, v - 1], codes[:, v])
    return Dataset.from_codes(codes.astype(np.uint8))


def test_a_limit_leaves_the_edges_of_tests_and_of_the_best_forest() -> None:
    """The tests have time for the first variables; the forest of the others is a chain, and so is the graph."""
    data, n = chain(30), 30
    limit = 2 * (6 * n + n * (n - 1) // 2 * 2 + 20 * n)  # half for tests, a quarter for all pairs, a quarter to climb
    result = mmhc(LocalScore(data), seed=0, climbs=1, budget=Budget(evaluation_limit=limit))
    tested = neighbours(LocalScore(data), Independence(), workers=1, budget=Budget(evaluation_limit=limit // 2))
    assert 0 < sum(tested.finished) < n
    assert result.status == Status.EVALUATION_LIMIT
    assert result.counters["tests"] <= limit // 2 + n
    along = {frozenset((a, b)) for a, b in pairwise(data.names)}
    left = {name for name, is_finished in zip(data.names, tested.finished, strict=True) if not is_finished}
    assert {edge for edge in along if edge <= left} <= skeleton(result.dag)
    pytest.importorskip("scipy", reason="the oracle takes its distributions from scipy")
    import oracles_independence as oracle

    by_definition = oracle.MaxMin(data.codes, data.arities)
    done = [v for v in range(n) if tested.finished[v]]
    by_tests = {frozenset((data.names[v], data.names[u])) for v in done for u in by_definition.members(v)}
    assert skeleton(result.dag) <= by_tests | along


@pytest.mark.parametrize("limit", [30, 200, 1000])
def test_a_limit_does_not_break_the_rules(limit: int) -> None:
    data = dependent_table(arities=(2, 3) * 6)
    a, b, c, d = data.names[:4]
    rules = Constraints(required=[(c, a)], forbidden=[(a, b), (b, a)], max_parents={d: 0})
    result = mmhc(LocalScore(data), constraints=rules, seed=0, budget=Budget(evaluation_limit=limit))
    assert rules.violations(result.dag) == ()
    assert result.score >= LocalScore(data).total(Dag(data.names, [(c, a)])) - 1e-9


def test_half_of_the_time_is_for_tests() -> None:
    """Time passes by looks at the clock: the tests take their half of it, and some is left for climbs."""
    data = chain(40)
    result = runs_out_of_time(lambda limit: mmhc(LocalScore(data), seed=0, workers=1, budget=Budget(limit)))
    assert result.dag.n_arcs > 20


def test_arcs_of_the_start_stay_possible() -> None:
    data = dependent_table(400, (2, 3) * 4, seed=1)
    found = mmpc(LocalScore(data))
    a, b = next((a, b) for a in data.names for b in data.names if a != b and b not in found[a])
    start = Dag(data.names, [(a, b)])
    result = mmhc(LocalScore(data), start=start, seed=0)
    assert result.score >= LocalScore(data).total(start)


def test_constraints_of_every_kind_are_kept_with_those_of_the_skeleton() -> None:
    data = dependent_table(400, (2, 3) * 4, seed=1)
    free = mmhc(LocalScore(data), seed=0).dag
    a, b = free.arcs[0]
    rules = Constraints(forbidden=[(a, b)], max_parents={free.arcs[-1][1]: 1}, tiers=[data.names[:5], data.names[5:]])
    result = mmhc(LocalScore(data), constraints=rules, seed=0)
    assert rules.violations(result.dag) == ()
    assert result.provenance.constraints == rules


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"test": "fisher"}, "test must be one of g2, chi2"),
        ({"alpha": 2}, "alpha must be between 0 and 1"),
        ({"climbs": 0}, "climbs must be at least 1"),
        ({"workers": 0}, "workers must be at least 1"),
        ({"start": "empty"}, "start must be a Dag"),
        ({"budget": 1.0}, "budget must be a Budget"),
    ],
    ids=str,
)
def test_bad_arguments_are_refused(options: dict[str, object], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        mmhc(LocalScore(dependent_table()), **options)
