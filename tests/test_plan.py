import signal
import subprocess
import sys
import warnings
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from arcwise import (
    BIC,
    EBIC,
    ArcwiseWarning,
    Constraints,
    Dag,
    Dataset,
    LocalScore,
    ParameterError,
    Scope,
    ShardedDataset,
    Status,
    Stop,
    learn,
    load_example,
    read_run,
)
from arcwise.plan import estimated_bytes, plan_of_rounds, planned
from arcwise.search.registry import SEARCHES
from arcwise.support.machine import available_memory
from oracles_graph import all_dags
from score_cases import COUNTED
from tables import dependent_table


def wide_table(n_variables: int, n_rows: int = 50) -> Dataset:
    rng = np.random.default_rng(1)
    return Dataset.from_codes(rng.integers(0, 2, size=(n_rows, n_variables)).astype(np.uint8))


def test_few_variables_are_solved_among_all_graphs() -> None:
    data = dependent_table(arities=(2, 3, 2, 2))
    score = LocalScore(data)
    best = max(score.total(Dag(data.names, [(data.names[a], data.names[b]) for a, b in arcs])) for arcs in all_dags(4))
    result = learn(data)
    assert result.score == pytest.approx(best, rel=1e-12)
    assert result.status is Status.OPTIMAL
    assert result.bound_for is Scope.ALL_SETS
    assert result.decisions["plan"] == "4 variables: few enough to find the best of all graphs and prove it"


@pytest.mark.parametrize("kind", [name for name, kind in COUNTED.items() if not kind.is_equivalent])
def test_few_variables_are_solved_for_any_score(kind: str) -> None:
    data = dependent_table(arities=(2, 3, 2, 2))
    score = LocalScore(data, kind)
    best = max(score.total(Dag(data.names, [(data.names[a], data.names[b]) for a, b in arcs])) for arcs in all_dags(4))
    result = learn(data, score=kind)
    assert result.score == pytest.approx(best, rel=1e-12)
    assert result.status is Status.OPTIMAL


def test_more_variables_are_searched_and_bounded() -> None:
    data = load_example("child").sample(300, seed=1)
    result = learn(data, seed=1)
    assert result.method == "orders"
    assert result.bound is not None
    assert result.bound >= result.score
    assert "20 variables: order search" in str(result.decisions["plan"])
    assert learn(data, seed=1, certify=0).bound is None
    assert learn(data, seed=1, certify=0).dag == result.dag


def test_limits_of_the_user_are_kept_by_the_plan() -> None:
    few, more = LocalScore(dependent_table(arities=(2,) * 10)), LocalScore(wide_table(40))
    plenty = 1 << 40
    assert planned(few, time_limit=None, evaluation_limit=None, memory=plenty).method == "exact"
    # The lattice of ten variables has 10 * 2^9 families: more than the limit.
    assert planned(few, time_limit=None, evaluation_limit=100, memory=plenty).method == "orders"
    limited = planned(more, time_limit=100, evaluation_limit=None, memory=plenty)
    assert limited.time_limit == 95
    assert limited.has_bound
    assert planned(more, time_limit=100, evaluation_limit=None, memory=plenty, has_bound=False).time_limit == 100
    assert planned(more, time_limit=None, evaluation_limit=7, memory=plenty).time_limit is None


def test_tasks_that_are_done_elsewhere_go_to_islands() -> None:
    few, more = LocalScore(dependent_table(arities=(2,) * 10)), LocalScore(wide_table(40))
    options: dict[str, Any] = {"time_limit": None, "evaluation_limit": None, "memory": 1 << 40, "elsewhere": True}
    plan = planned(more, **options)
    assert plan.reason == "40 variables, and an executor for tasks: order search on islands, at most 57 s, then a bound"
    assert (plan.method, plan.time_limit, plan.has_bound, plan.options) == ("islands", 57, True, {"idle_epochs": 2})
    assert planned(more, **{**options, "time_limit": 100}).options == {"idle_epochs": 20}
    assert planned(few, **options).method == "exact"
    assert planned(more, **{**options, "evaluation_limit": 7}).method == "orders"  # which keeps all in this process
    assert planned(more, **options, method="orders").method == "orders"  # resumed
    assert planned(more, **{**options, "elsewhere": False}, method="islands").method == "islands"
    assert plan_of_rounds(plan, more).method == "xges"
    narrow = LocalScore(wide_table(3000))
    memory = int(estimated_bytes(SEARCHES["greedy"], narrow.data, cache_bytes=0) * 4 / 3) + 1000
    with pytest.warns(ArcwiseWarning, match="greedy is used"):
        assert planned(narrow, **{**options, "memory": memory}).method == "greedy"


def test_rows_that_cannot_be_sent_stay_with_orders(tmp_path: Path) -> None:
    for i, part in enumerate(np.array_split(wide_table(20).codes, 2)):
        pl.DataFrame(part.astype(np.int64), schema=[f"v{v}" for v in range(20)]).write_csv(tmp_path / f"{i}.csv")
    with ShardedDataset.of(tmp_path) as table:
        plan = planned(LocalScore(table), time_limit=None, evaluation_limit=None, memory=1 << 40, elsewhere=True)
    assert plan.method == "orders"


def test_time_that_is_too_short_for_a_bound_goes_to_the_search() -> None:
    score = LocalScore(wide_table(7000))
    plan = planned(score, time_limit=60, evaluation_limit=None, memory=1 << 40)
    assert (plan.time_limit, plan.has_bound) == (60, False)
    assert plan.reason == "7,000 variables: order search, at most 60 s, too short for a bound"
    assert planned(score, time_limit=600, evaluation_limit=None, memory=1 << 40).has_bound


@pytest.mark.parametrize(("score", "method"), [("bic", "ges"), ("k2", "greedy")])
def test_more_variables_than_orders_can_number_go_elsewhere(score: str, method: str) -> None:
    codes = np.zeros((2, 70_000), dtype=np.uint8)
    codes[1] = 1
    plan = planned(LocalScore(Dataset.from_codes(codes), score), time_limit=None, evaluation_limit=None, memory=1 << 40)
    assert (plan.method, plan.reason) == (method, f"70,000 variables, more than order search can number: {method}")


def test_limits_on_adjacent_nodes_go_to_a_search_that_keeps_them() -> None:
    for data in (dependent_table(arities=(2,) * 6), load_example("alarm").sample(300, seed=1)):
        limits = Constraints(max_degree=2)
        result = learn(data, constraints=limits, time_limit=4, seed=1)
        assert result.method == "sgs3"
        assert limits.satisfied_by(result.dag)
        assert str(result.decisions["plan"]).startswith(f"{data.n_variables} variables, and constraints")
        assert result.bound is not None
        assert result.bound >= result.score
    free = learn(dependent_table(arities=(2,) * 6), seed=1)
    assert free.method == "exact"


def test_endless_time_is_not_a_limit() -> None:
    data = load_example("alarm").sample(300, seed=1)
    result = learn(data, time_limit=float("inf"), stop=Stop(climbs=5), seed=1)
    assert result.decisions["plan"] == "37 variables: order search, then a bound"
    assert result.bound is not None


def test_small_memory_gets_a_smaller_plan_with_a_warning() -> None:
    score = LocalScore(wide_table(3000))
    needed = {
        name: estimated_bytes(SEARCHES[name], score.data, cache_bytes=0) for name in ("orders", "greedy", "chow-liu")
    }
    assert needed["orders"] > needed["greedy"] > needed["chow-liu"]
    for method, memory in (("greedy", needed["greedy"]), ("chow-liu", needed["chow-liu"])):
        with pytest.warns(ArcwiseWarning, match=f"orders needs about .* GB .*: {method} is used"):
            plan = planned(score, time_limit=None, evaluation_limit=None, memory=int(memory * 4 / 3) + 1000)
        assert plan.method == method
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert planned(score, time_limit=None, evaluation_limit=None, memory=1 << 40).method == "orders"


def test_too_little_memory_is_refused_with_the_figure() -> None:
    data = wide_table(200)
    with pytest.raises(ParameterError, match=r"greedy needs about 0\.\d+ GB .* memory allows 0\.01 GB; give more"):
        learn(data, method="greedy", memory=10_000_000)
    with pytest.raises(ParameterError, match=r"orders needs about .* or use fewer variables"):
        learn(data, memory=10_000_000)


@pytest.mark.skipif(sys.platform != "linux", reason="the total is read from /proc")
def test_available_memory_is_that_of_the_machine() -> None:
    lines = Path("/proc/meminfo").read_text(encoding="ascii").splitlines()
    total = next(1024 * int(line.split()[1]) for line in lines if line.startswith("MemTotal"))
    assert 0 < available_memory() <= total


MEASURED = """
import sys
import numpy as np
from arcwise import Budget, Dataset, LocalScore
from arcwise import SEARCHES, run_search

def peak():
    with open("/proc/self/status") as lines:
        return next(1024 * int(line.split()[1]) for line in lines if line.startswith("VmHWM"))

rng = np.random.default_rng(1)
codes = rng.integers(0, 2, size=(100, int(sys.argv[2]))).astype(np.uint8)
codes[:, 1:] |= codes[:, :-1] & rng.integers(0, 2, size=codes[:, 1:].shape).astype(np.uint8)
score = LocalScore(Dataset.from_codes(codes), cache_bytes=1 << 20)
run_search(SEARCHES[sys.argv[1]], score, seed=1, budget=Budget(evaluation_limit=4 * codes.shape[1] ** 2))
print(peak())
"""


@pytest.mark.parametrize("method", ["orders", "greedy", "sgs2", "tabu", "lagd", "ges", "chow-liu"])
@pytest.mark.skipif(sys.platform != "linux", reason="the peak is read from /proc")
def test_estimate_covers_what_the_system_measures(method: str) -> None:
    n = 2000
    run = subprocess.run([sys.executable, "-c", MEASURED, method, str(n)], capture_output=True, text=True, check=True)
    assert int(run.stdout) <= estimated_bytes(SEARCHES[method], wide_table(n, 100), cache_bytes=1 << 20)


def test_no_bound_follows_an_interrupted_clean_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ctrl-C while triangles are looked at: the search itself was done."""
    data = load_example("child").sample(300, seed=1)

    def interrupting(score: LocalScore, dag: Dag, **_: object) -> Dag:
        signal.raise_signal(signal.SIGINT)
        return dag

    monkeypatch.setattr(import_module("arcwise.search.dags.clean_up"), "uncover_v_structures", interrupting)
    result = learn(data, seed=1, clean_up=True)
    assert result.bound is None
    assert result.dag.n_arcs > 0


def test_the_score_is_picked_and_said() -> None:
    usual = learn(load_example("asia").sample(300, seed=1), seed=1)
    assert usual.provenance.score == BIC()
    assert "BIC would add" in usual.decisions["picked_score"]
    assert "picked" not in repr(usual)
    wide = learn(wide_table(200), method="greedy", seed=1)
    assert wide.provenance.score == EBIC(1.0)
    assert str(wide.decisions["picked_score"]).startswith("50 rows of 200 variables: BIC would add")
    assert wide.decisions["picked_score"] in repr(wide)
    assert wide.score == pytest.approx(LocalScore(wide_table(200), EBIC(1.0)).total(wide.dag), rel=1e-12)
    # All columns are independent: by BIC chance alone has arcs for most of them.
    by_bic = learn(wide_table(200), method="greedy", score="bic", seed=1)
    assert "picked_score" not in by_bic.decisions
    assert by_bic.dag.n_arcs > 100 > 10 > wide.dag.n_arcs


def test_the_picked_score_is_shown_before_the_search(capfd: pytest.CaptureFixture[str]) -> None:
    learn(wide_table(100), method="greedy", seed=1, progress=True)
    assert "EBIC(gamma=1)" in " ".join(capfd.readouterr().err.split())
    learn(dependent_table(), method="greedy", seed=1, progress=True)
    assert "BIC" not in capfd.readouterr().err


def test_a_run_with_a_picked_score_resumes(tmp_path: Path) -> None:
    file, data = tmp_path / "run.json", wide_table(100)
    first = learn(data, method="greedy", climbs=1, seed=1, checkpoint=file)
    both = learn(data, method="greedy", climbs=3, checkpoint=file, resume=True)
    assert read_run(file).result.provenance.score == both.provenance.score == first.provenance.score == EBIC(1.0)
    assert read_run(file).result.decisions["picked_score"] == first.decisions["picked_score"]
    assert both.score >= first.score
    learn(data, method="greedy", score=EBIC(1.0), climbs=4, checkpoint=file, resume=True)
    with pytest.raises(ParameterError, match="has the score EBIC"):
        learn(data, method="greedy", score="bic", climbs=5, checkpoint=file, resume=True)
