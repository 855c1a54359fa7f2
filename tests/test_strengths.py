"""Arc strengths: frequencies by running the searches one by one, the threshold by minimising the distance."""

from functools import partial
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arcwise import (
    BIC,
    ArcStrengths,
    ArcwiseWarning,
    Bagging,
    Budget,
    Constraints,
    Dag,
    LocalScore,
    ParameterError,
    Result,
    Status,
    bootstrap,
    chow_liu,
    greedy,
    learn,
    load_example,
    mmhc,
    mtmpc,
    plot_network,
    tree_strengths,
)
from arcwise.arc_probabilities import significance_threshold
from arcwise.graph.pair_numbers import PairNumbers
from arcwise.pictures import style
from arcwise.search.registry import SEARCHES
from arcwise.support.arguments import kernel_seeds
from interrupting import half_way, presses_ctrl_c
from short_searches import SHORT
from svg_parts import Parts, width
from tables import dependent_table


@pytest.mark.parametrize("method", ["greedy", "chow-liu", "tabu"])
def test_frequencies_by_definition(method: str) -> None:
    data = dependent_table(80, (2, 3, 2, 3, 2), seed=1)
    strengths = bootstrap(data, method, 12, score="aic", seed=5)
    names = data.names
    edges, arcs = np.zeros((5, 5)), np.zeros((5, 5))
    for seed in kernel_seeds(5, 12):
        result = learn(data.bootstrap(seed), method=method, score="aic", seed=seed)
        for i, a in enumerate(names):
            for j, b in enumerate(names):
                edges[i, j] += result.dag.has_arc(a, b) or result.dag.has_arc(b, a)
                if (a, b) in result.cpdag.directed:
                    arcs[i, j] += 1
                elif (a, b) in result.cpdag.undirected or (b, a) in result.cpdag.undirected:
                    arcs[i, j] += 0.5
    assert strengths.edges.toarray() == pytest.approx(edges / 12)
    assert strengths.arcs.toarray() == pytest.approx(arcs / 12)
    assert (strengths.arcs + strengths.arcs.T).toarray() == pytest.approx(strengths.edges.toarray())
    assert (strengths.n_replicas, strengths.status, strengths.seed) == (12, Status.COMPLETE, 5)
    for i, a in enumerate(names):
        for j, b in enumerate(names):
            assert strengths.edge(a, b) == edges[i, j] / 12
            assert strengths.direction(a, b) == pytest.approx(arcs[i, j] / edges[i, j] if edges[i, j] else 0)


def test_a_search_with_its_options() -> None:
    data = dependent_table(200, (2, 3, 2, 3, 2), seed=1)
    strict = bootstrap(data, partial(mmhc, alpha=1e-9), 5, score="aic", seed=0)
    loose = bootstrap(data, mmhc, 5, score="aic", seed=0)
    assert strict.edges.sum() < loose.edges.sum()
    assert loose.method == "mmhc"


def test_workers_do_not_change_the_frequencies() -> None:
    data = dependent_table(80, (2, 3) * 4, seed=1)
    one, many = (bootstrap(data, "greedy", 10, seed=2, workers=workers) for workers in (1, 4))
    assert (one.edges.toarray() == many.edges.toarray()).all()
    assert (one.arcs.toarray() == many.arcs.toarray()).all()
    other = bootstrap(data, "greedy", 10, seed=3)
    assert (one.edges.toarray() != other.edges.toarray()).any()


def distance(frequencies: list[float], t: float) -> float:
    """∫ |F(x) − t| dx from 0 to 1, piece by piece."""
    ends = sorted({0.0, 1.0, *frequencies})
    total = 0.0
    for low, high in pairwise(ends):
        share = sum(p <= low for p in frequencies) / len(frequencies)
        total += (high - low) * abs(share - t)
    return total


@given(st.lists(st.integers(0, 20), min_size=1, max_size=30))
def test_the_threshold_is_that_of_the_nearest_step(counts: list[int]) -> None:
    frequencies = [k / 20 for k in counts]
    threshold = significance_threshold(frequencies)
    # The distance is linear between the values of F, so that its least is at one of them.
    values = [0.0, *(sum(p <= x for p in frequencies) / len(frequencies) for x in frequencies)]
    least = min(distance(frequencies, t) for t in values)
    best = max(t for t in values if distance(frequencies, t) <= least + 1e-12)
    reached = [x for x in frequencies if sum(p <= x for p in frequencies) / len(frequencies) >= best - 1e-12]
    assert threshold == (min(reached) if best > 0 else 0.0)


def test_thresholds_by_hand() -> None:
    assert significance_threshold([0.0, 0.0, 1.0]) == 0.0
    assert significance_threshold([0.2, 0.4]) == 0.4  # none is significant
    assert significance_threshold([0.6, 0.9]) == 0.0  # all are
    assert significance_threshold([]) == 0.0
    with pytest.raises(ParameterError, match="numbers from 0 to 1"):
        significance_threshold([1.2])


def strengths_of(arcs: dict[tuple[int, int], float], n: int, constraints: Constraints | None = None) -> ArcStrengths:
    matrix = np.zeros((n, n))
    for arc, share in arcs.items():
        matrix[arc] = share
    names = tuple("abcdef"[:n])
    rules = Constraints() if constraints is None else constraints
    edges, arcs_found = PairNumbers.of_array(matrix + matrix.T), PairNumbers.of_array(matrix)
    return ArcStrengths(names, edges, arcs_found, 100, Status.COMPLETE, "given", BIC(), rules, 0, 0.0)


def test_adjacent_pairs_and_what_is_kept_for_them() -> None:
    data = dependent_table(60, (2, 3, 2, 2, 3, 2), seed=4)
    strengths = bootstrap(data, "greedy", 10, seed=1)
    pairs = [(a, b) for a in data.names for b in data.names if a != b and strengths.edge(a, b) > 0]
    assert strengths.adjacent() == [(a, b, strengths.edge(a, b), strengths.direction(a, b)) for a, b in pairs]
    assert 0 < len(pairs) < 30
    # Nothing is kept for pairs that no replica joins.
    assert strengths.edges.nnz == len(pairs)
    assert strengths.arcs.nnz <= len(pairs)


def test_the_averaged_network_by_hand() -> None:
    strengths = strengths_of({(0, 1): 0.7, (1, 0): 0.2, (1, 2): 0.3, (2, 1): 0.4, (0, 2): 0.45}, 3)
    assert strengths.threshold == 0.45
    assert strengths.averaged().arcs == (("a", "b"), ("c", "b"))
    assert strengths.averaged(0.8).arcs == (("a", "b"),)
    assert set(strengths.averaged(0.0).arcs) == {("a", "b"), ("c", "b"), ("a", "c")}
    assert strengths.averaged(0.95).n_arcs == 0


def test_the_rarest_arc_of_a_cycle_is_reversed() -> None:
    strengths = strengths_of({(0, 1): 0.9, (1, 2): 0.8, (2, 0): 0.7}, 3)
    assert set(strengths.averaged().arcs) == {("a", "b"), ("b", "c"), ("a", "c")}


def test_averaging_keeps_the_constraints() -> None:
    cycle = {(0, 1): 0.9, (1, 2): 0.8, (2, 0): 0.7}
    strengths = strengths_of(cycle, 3, Constraints(forbidden=[("a", "c")]))
    with pytest.warns(ArcwiseWarning, match="the edge between 'c' and 'a' is left out"):
        assert set(strengths.averaged().arcs) == {("a", "b"), ("b", "c")}
    limited = strengths_of({(0, 2): 0.9, (1, 2): 0.8}, 3, Constraints(max_parents=1))
    assert set(limited.averaged().arcs) == {("a", "c"), ("c", "b")}
    required = strengths_of({}, 3, Constraints(required=[("c", "a")]))
    assert required.averaged().arcs == (("c", "a"),)


def test_averaging_keeps_limits_on_adjacent_nodes() -> None:
    found = {(0, 1): 0.9, (0, 2): 0.8, (2, 1): 0.7}
    limited = strengths_of(found, 3, Constraints(max_degree={"a": 1}))
    with pytest.warns(ArcwiseWarning, match="the edge between 'a' and 'c' is left out"):
        assert set(limited.averaged().arcs) == {("a", "b"), ("c", "b")}


@pytest.mark.filterwarnings("ignore:the edge between")
@pytest.mark.parametrize("method", list(SEARCHES))
def test_constraints_hold_in_every_replica_and_on_average(method: str) -> None:
    data = dependent_table(60, (2, 3) * 3, seed=2)
    a, b, c, d = data.names[:4]
    rules = Constraints(required=[(a, b)], forbidden=[(c, d)], tiers=[[a, b, c], data.names[3:]], max_parents=2)
    strengths = bootstrap(data, SHORT[method], 6, score="aic", constraints=rules, seed=0)
    assert strengths.arcs[0, 1] == 1
    assert strengths.arcs[2, 3] == 0
    assert not strengths.arcs.toarray()[3:, :3].any()
    assert rules.violations(strengths.averaged(0.0)) == ()


def test_the_averaged_network_of_much_data_is_right() -> None:
    truth = load_example("asia")
    strengths = bootstrap(truth.sample(5000, seed=1), "sgs3", 10, seed=1)
    found = {frozenset(arc) for arc in strengths.averaged().arcs}
    true = {frozenset(arc) for arc in truth.dag.arcs}
    assert len(found & true) >= 6
    assert len(found - true) <= 1


def test_the_budget_leaves_the_replicas_so_far() -> None:
    data = dependent_table(80, (2, 3) * 4, seed=1)
    seen: list[int] = []
    part = bootstrap(data, "greedy", 50, seed=2, budget=Budget(evaluation_limit=1000), on_replica=seen.append)
    assert part.status == Status.EVALUATION_LIMIT
    assert 1 <= part.n_replicas < 50
    assert seen == list(range(1, part.n_replicas + 1))
    whole = bootstrap(data, "greedy", part.n_replicas, seed=2)
    assert (part.edges.toarray() == whole.edges.toarray()).all()
    none = bootstrap(data, "greedy", 5, budget=Budget(time_limit=0))
    assert (none.n_replicas, none.status) == (0, Status.TIME_LIMIT)
    assert none.edges.nnz == 0
    assert none.averaged() == Dag(data.names)


def test_ctrl_c_leaves_the_replicas_so_far() -> None:
    data = dependent_table(arities=(2, 3) * 4, seed=1)
    middle = half_way(lambda: bootstrap(data, "greedy", 20, seed=0))
    with presses_ctrl_c(middle) as watch:
        strengths = bootstrap(data, "greedy", 20, seed=0, budget=Budget(watch=watch))
    assert strengths.status == Status.INTERRUPTED
    assert 0 < strengths.n_replicas < 20


def test_errors_of_a_search_are_not_lost() -> None:
    def broken(score: LocalScore, **options: object) -> Result:
        raise RuntimeError("no luck")

    with pytest.raises(RuntimeError, match="no luck"):
        bootstrap(dependent_table(), broken, 5)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"method": "magic"}, "method must be one of orders, islands, obs, "),
        ({"method": 3}, "method must be one of"),
        ({"method": max}, "takes a LocalScore and the keywords constraints, seed and budget"),
        ({"m": 0}, "m must be at least 1"),
        ({"score": "magic"}, "score must be one of"),
        ({"seed": -1}, "seed must be"),
        ({"workers": 0}, "workers must be at least 1"),
        ({"budget": 1}, "budget must be a Budget"),
        ({"constraints": Constraints(forbidden=[("x", "y")])}, "forbidden mentions 'x'"),
    ],
    ids=str,
)
def test_bad_arguments_are_refused(options: dict[str, object], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        bootstrap(dependent_table(), **options)  # type: ignore[arg-type]


def test_a_limit_ends_any_number_of_replicas() -> None:
    """Nothing is made for each replica before the first one: ten million of them take minutes."""
    for budget in (Budget(time_limit=0), Budget(evaluation_limit=0)):
        assert bootstrap(dependent_table(), m=10**7, budget=budget).n_replicas == 0


def test_a_limit_that_the_search_has_of_its_own_is_what_ended_it() -> None:
    def limited(score: LocalScore, **options: object) -> Result:
        return greedy(score, **{**options, "budget": Budget(evaluation_limit=0)})

    strengths = bootstrap(dependent_table(), limited, 3, seed=1)
    assert (strengths.n_replicas, strengths.status) == (0, Status.EVALUATION_LIMIT)


def test_trees_have_the_shares_of_the_best_trees_of_all_replicas() -> None:
    data = dependent_table(60, (2, 3, 2, 2, 3), seed=2)
    strengths = tree_strengths(LocalScore(data), Bagging(20, seed=3))
    expected = np.zeros((5, 5))
    for seed in kernel_seeds(3, 20):
        best = chow_liu(LocalScore(data.bootstrap(seed), "loglik")).dag
        adjacency = best.adjacency()
        expected += adjacency | adjacency.T
    np.testing.assert_allclose(strengths.edges.toarray(), expected / 20)
    np.testing.assert_allclose(strengths.arcs.toarray(), expected / 40)
    assert (strengths.n_replicas, strengths.status, strengths.seed) == (20, Status.COMPLETE, 3)


@pytest.mark.parametrize("threshold", [0, 0.1, 0.35, 1])
def test_edges_of_trees_are_the_neighbours_by_trees(threshold: float) -> None:
    score = LocalScore(load_example("asia").sample(80, seed=1))
    strengths = tree_strengths(score, Bagging(20, seed=4))
    skeleton = strengths.skeleton(threshold)
    near = mtmpc(score, trees=20, threshold=threshold, seed=4)
    expected = {frozenset((name, other)) for name, others in near.items() for other in others}
    assert {frozenset(edge) for edge in skeleton.undirected} == expected
    assert not skeleton.directed


def test_a_picture_of_trees_has_every_edge_as_wide_as_it_is_frequent() -> None:
    strengths = tree_strengths(LocalScore(dependent_table(25, (2,) * 8, seed=1)), Bagging(10, seed=4))
    n_edges = []
    for threshold in (0.0, 0.2):
        skeleton = strengths.skeleton(threshold)
        lines = Parts(plot_network(skeleton, strengths=strengths)).group("arcs")
        thin, wide = style.WIDTHS
        expected = [thin + (wide - thin) * strengths.edge(*edge) for edge in skeleton.undirected]
        assert sorted(map(width, lines)) == pytest.approx(sorted(expected), abs=0.01)
        n_edges.append(len(lines))
    assert n_edges[1] < n_edges[0]


def test_the_budget_leaves_the_trees_so_far() -> None:
    score = LocalScore(load_example("asia").sample(80, seed=1))
    some = tree_strengths(score, Bagging(50, seed=4), budget=Budget(evaluation_limit=28 * 10))
    assert 0 < some.n_replicas < 50
    assert some.status is Status.EVALUATION_LIMIT
    assert some.edges.max() == 1
    none = tree_strengths(score, Bagging(50, seed=5), budget=Budget(time_limit=0))
    assert (none.n_replicas, none.edges.max(), none.status) == (0, 0, Status.TIME_LIMIT)
    for options, message in (({"trees": 0}, "trees must be at least 1"), ({"by": "bds"}, "equivalent graphs share")):
        with pytest.raises(ParameterError, match=message):
            tree_strengths(score, Bagging(**options))
    for threshold in (-0.1, 1.1):
        with pytest.raises(ParameterError, match="threshold must be"):
            some.skeleton(threshold)


def test_a_search_that_returns_no_result_is_refused() -> None:
    with pytest.raises(ParameterError, match="method must return a Result"):
        bootstrap(dependent_table(), lambda score, **_: score.data, 3)


def test_the_score_is_the_one_that_learn_picks() -> None:
    """Of 60 variables in 50 rows BIC joins many by chance."""
    wide = dependent_table(50, (2,) * 60, seed=1)
    found = bootstrap(wide, "greedy", 2, seed=1)
    assert found.score == learn(wide, method="greedy", seed=1).provenance.score
    assert found.score.name == "ebic"
    assert bootstrap(wide, "greedy", 2, score="bic", seed=1).score == BIC()
    assert bootstrap(dependent_table(), "greedy", 2, seed=1).score == BIC()
