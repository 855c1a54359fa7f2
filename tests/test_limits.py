"""What still happens when a budget has ended: one batch, and what it takes to return a graph."""

from typing import Any

import numpy as np
import pytest

from arcwise import _core
from arcwise.data.dataset import Dataset
from arcwise.graph.dag import Dag
from arcwise.learn import learn
from arcwise.parents.independence import Independence
from arcwise.parents.mmpc import neighbours
from arcwise.parents.parent_sets import ParentSets
from arcwise.parents.selection import SELECTIONS, select
from arcwise.runs.budget import Budget
from arcwise.runs.result import Status
from arcwise.scores.local_score import LocalScore
from arcwise.search.dags.clean_up import uncover_v_structures
from arcwise.search.registry import SEARCHES
from arcwise.search.search import run_search
from short_searches import SHORT
from tables import dependent_table

N = 24


@pytest.fixture(scope="module")
def data() -> Dataset:
    return dependent_table(200, arities=(2, 3) * (N // 2), seed=3)


def over() -> Budget:
    budget = Budget()
    budget.interrupt()
    return budget


@pytest.mark.parametrize("limit", [0, 1, 30, 400, 2000])
@pytest.mark.parametrize("method", SEARCHES)
def test_evaluations_beyond_the_limit_are_a_batch_and_the_score_of_a_graph(
    data: Dataset, method: str, limit: int
) -> None:
    """A batch are the candidates of one variable, and a graph has as many families as variables."""
    score, budget = LocalScore(data), Budget(evaluation_limit=limit)
    run_search(SHORT[method], score, seed=1, budget=budget)
    assert max(score.evaluations, budget.evaluations) <= limit + 3 * N


@pytest.mark.parametrize("method", ["orders", "obs", "asobs", "inobs", "iinobs", "minobs"])
def test_when_it_is_over_no_order_is_looked_at_but_the_first(data: Dataset, method: str) -> None:
    """`orders` looks at one more, to see whether it is better than the graph of a search over classes."""
    result = run_search(SEARCHES[method], LocalScore(data), seed=1, workers=1, budget=over())
    assert result.counters["climbs"] <= (2 if method == "orders" else 1)
    assert result.status is Status.INTERRUPTED


@pytest.mark.parametrize("method", [name for name in SELECTIONS if name != "exhaustive"])
def test_when_it_is_over_candidates_are_not_listed(data: Dataset, method: str, monkeypatch: pytest.MonkeyPatch) -> None:
    lengths, search = [], _core.search_parents

    def counted(score: Any, child: int, required: list[int], candidates: list[int], *rest: Any, **more: Any) -> Any:
        lengths.append(len(candidates))
        return search(score, child, required, candidates, *rest, **more)

    monkeypatch.setattr(_core, "search_parents", counted)
    selected = select(LocalScore(data), method=method, budget=over(), workers=1)
    assert lengths == [1] * N
    assert not any(selected.complete)
    assert selected.status is Status.INTERRUPTED
    assert selected.sets.n_sets == N


def test_when_it_is_over_no_test_is_begun(data: Dataset, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_core, "weaken_associations", lambda *_: pytest.fail("a test was begun"))
    found = neighbours(LocalScore(data), Independence(), budget=over())
    assert not any(found.finished)
    assert found.of == tuple(tuple(u for u in range(N) if u != v) for v in range(N))
    assert sum(map(len, found.named(data.names).values())) == N * (N - 1)


def test_what_is_known_is_still_found_when_it_is_over(data: Dataset) -> None:
    score = LocalScore(data)
    first = neighbours(score, Independence())
    again = neighbours(score, Independence(), budget=over())
    assert again.is_complete
    assert again.of == first.of


def test_k2_says_whether_anything_was_left_to_do(data: Dataset) -> None:
    assert run_search(SEARCHES["k2"], LocalScore(data), seed=1, budget=over()).status is Status.INTERRUPTED
    single = Dataset.from_codes(np.arange(10)[:, None] % 2)
    assert run_search(SEARCHES["k2"], LocalScore(single), seed=1, budget=over()).status is Status.LOCAL_OPTIMUM


def test_clean_up_ends_when_it_is_told() -> None:
    rows = [[x, y, x ^ y] for x in (0, 1) for y in (0, 1)] * 50
    score = LocalScore(Dataset.from_codes(rows, names=["x", "y", "z"]))
    wrong = Dag(["x", "y", "z"], [("z", "x"), ("z", "y"), ("x", "y")])
    assert uncover_v_structures(score, wrong, is_over=lambda: True) == wrong
    assert uncover_v_structures(score, wrong).n_arcs == 2


def random_table(seed: int) -> Dataset:
    rng = np.random.default_rng(seed)
    n_variables, n_rows = int(rng.integers(3, 8)), int(rng.integers(20, 300))
    arities = tuple(rng.integers(2, 4, n_variables).tolist())
    return dependent_table(n_rows, arities, seed=seed)


@pytest.mark.parametrize("options", [{}, {"clean_up": True}, {"evaluation_limit": 40, "clean_up": True}], ids=str)
def test_a_bound_is_not_below_the_score_that_it_covers(options: dict[str, Any]) -> None:
    for seed in range(60):
        result = learn(random_table(seed), method="exact", seed=1, **options)
        assert result.bound is not None
        assert result.bound >= result.score
        assert result.score == LocalScore(random_table(seed)).total(result.dag)


def test_a_certificate_is_not_below_the_score_that_it_covers() -> None:
    for seed in range(30):
        result = learn(random_table(seed), method="sgs3", climbs=2, seed=1, clean_up=seed % 2 == 0, certify=5)
        assert result.bound is not None
        assert result.bound >= result.score
        assert all(point.bound >= result.score for point in result.bounds)


def test_totals_do_not_depend_on_the_order_of_the_nodes(data: Dataset) -> None:
    score, rng = LocalScore(data), np.random.default_rng(1)
    dag = run_search(SEARCHES["greedy"], score, seed=1).dag
    totals = {score.total(dag.with_names_ordered(rng.permutation(data.names).tolist())) for _ in range(10)}
    assert len(totals) == 1


def test_arrays_of_another_type_are_refused() -> None:
    """Without conversion: a cast of float64 to float32, or of float to int, would go unnoticed."""
    table = ParentSets.from_lists(["a", "b"], [[(-2, []), (-1, ["b"])], [(-3, [])]]).core
    with pytest.raises(TypeError):
        _core.priced_scores(table, [([0, 1], 1)], np.array([1], dtype=np.float32), 1)
    with pytest.raises(TypeError):
        _core.kept_rows(table, [([0, 1], 1)], np.array([0.5, 1.5]))
