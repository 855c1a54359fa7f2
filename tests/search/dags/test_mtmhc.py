"""Hill climbing stays within the skeleton of the trees; the contract suite holds it to the rest."""

import pytest

from arcwise import Budget, Constraints, Dag, LocalScore, ParameterError, Status, greedy, mtmhc, mtmpc
from arcwise.parents.bagged_trees import Bagging, bagged_trees
from arcwise.parents.tree_searches import TREE_SEARCHES
from arcwise.runs.provenance import readable
from tables import dependent_table


def skeleton(dag: Dag) -> set[frozenset[str]]:
    return {frozenset(arc) for arc in dag.arcs}


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("tree_search", TREE_SEARCHES)
def test_every_arc_is_between_neighbours(seed: int, tree_search: str) -> None:
    data = dependent_table(80, (2, 3) * 6, seed=seed)
    # AIC wants more arcs than frequent edges allow
    result = mtmhc(LocalScore(data, "aic"), trees=20, threshold=0.3, tree_search=tree_search, seed=seed)
    found = mtmpc(LocalScore(data), trees=20, threshold=0.3, tree_search=tree_search, seed=seed)
    assert all(parent in found[child] for parent, child in result.dag.arcs)
    assert not skeleton(greedy(LocalScore(data, "aic"), seed=seed).dag) <= skeleton(result.dag)
    assert result.counters["edges"] == sum(map(len, found.values())) // 2


def test_it_is_greedy_where_the_skeleton_is_complete() -> None:
    data = dependent_table(25, (2, 3, 2, 3), seed=1)
    found = mtmpc(LocalScore(data), trees=500, seed=5)
    assert all(len(row) == 3 for row in found.values())
    free, restricted = greedy(LocalScore(data), seed=5), mtmhc(LocalScore(data), trees=500, seed=5)
    assert restricted.dag == free.dag


def test_no_arc_within_the_skeleton_improves_the_score() -> None:
    data = dependent_table(100, (2, 3) * 4, seed=3)
    score = LocalScore(data)
    result, found = mtmhc(score, trees=20, seed=0), mtmpc(score, trees=20, seed=0)
    for child in data.names:
        for other in found[child]:
            if other in result.dag.parents(child):
                changed = Dag(data.names, [arc for arc in result.dag.arcs if arc != (other, child)])
            elif child in result.dag.ancestors(other):
                continue
            else:
                changed = Dag(data.names, [*result.dag.arcs, (other, child)])
            assert score.total(changed) <= result.score + 1e-6


def test_counters_add_up() -> None:
    data = dependent_table(arities=(2, 3) * 5)
    score, budget = LocalScore(data), Budget()
    result = mtmhc(score, trees=7, seed=0, climbs=1, budget=budget)
    assert result.counters["pairs"] == 7 * 45
    assert result.counters["evaluations"] == score.evaluations == budget.evaluations
    assert result.trace[0].evaluations >= result.counters["pairs"]
    assert result.method == "mtmhc"
    assert result.provenance.constraints == Constraints()
    assert result.decisions["bagging"] == readable(Bagging(7, seed=0))


def test_the_start_comes_back_when_no_tree_is_done() -> None:
    data = dependent_table(arities=(2, 3) * 6)
    start = Dag(data.names, [(data.names[3], data.names[0])])
    for limit in (0, 100):  # a tree is the best of 66 pairs, and may take half
        result = mtmhc(LocalScore(data), trees=10, start=start, seed=0, budget=Budget(evaluation_limit=limit))
        assert result.dag == start
        assert result.status == Status.EVALUATION_LIMIT


def test_a_limit_leaves_the_edges_of_the_trees_so_far() -> None:
    data = dependent_table(arities=(2, 3) * 6)
    result = mtmhc(LocalScore(data), trees=10, seed=0, climbs=1, budget=Budget(evaluation_limit=2 * 3 * 66 + 1))
    assert result.status == Status.EVALUATION_LIMIT
    assert result.counters["pairs"] == 3 * 66
    trees = bagged_trees(LocalScore(data), Bagging(trees=3, seed=result.seed)).edges()
    found = {frozenset((data.names[a], data.names[b])) for a, b in zip(*trees[:2], strict=True)}
    assert result.dag.n_arcs > 0
    assert {frozenset(arc) for arc in result.dag.arcs} <= found


def test_arcs_of_the_start_stay_possible() -> None:
    data = dependent_table(100, (2, 3) * 4, seed=1)
    found = mtmpc(LocalScore(data), trees=3, seed=0)
    a, b = next((a, b) for a in data.names for b in data.names if a != b and b not in found[a])
    start = Dag(data.names, [(a, b)])
    result = mtmhc(LocalScore(data), trees=3, start=start, seed=0)
    assert result.score >= LocalScore(data).total(start)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"trees": 0}, "trees must be at least 1"),
        ({"threshold": 2}, "threshold must be a share"),
        ({"climbs": 0}, "climbs must be at least 1"),
        ({"workers": 0}, "workers must be at least 1"),
        ({"start": "empty"}, "start must be a Dag"),
        ({"budget": 1.0}, "budget must be a Budget"),
    ],
    ids=str,
)
def test_bad_arguments_are_refused(options: dict[str, object], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        mtmhc(LocalScore(dependent_table()), **options)
