"""The score, the tables and the drivers of the benchmark of continuous tables."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy.stats import norm

from arcwise import Dag
from benchmarks import continuous_peers
from benchmarks.continuous_cases import Cell, cut_case, linear_case, mixed_case
from benchmarks.continuous_programs import Answer, Programs, Question
from benchmarks.continuous_scores import TableScore


@pytest.fixture
def mixed() -> pd.DataFrame:
    rng = np.random.default_rng(1)
    group = rng.choice(["low", "high"], size=60, p=[0.4, 0.6])
    a = rng.normal(size=60)
    return pd.DataFrame({"g": group, "a": a, "b": np.where(group == "low", a, -2 * a) + rng.normal(size=60)})


def fitted(child: np.ndarray, *parents: np.ndarray) -> float:
    """The log-likelihood of a fitted regression, point by point."""
    design = np.column_stack([np.ones(len(child)), *parents])
    mean = design @ np.linalg.lstsq(design, child, rcond=None)[0]
    return float(norm.logpdf(child, mean, np.sqrt(np.mean((child - mean) ** 2))).sum())


def test_a_gaussian_family_is_a_regression(mixed: pd.DataFrame) -> None:
    a, b = mixed["a"].to_numpy(), mixed["b"].to_numpy()
    # An intercept, a coefficient and a variance.
    assert TableScore(mixed).local("b", ["a"]) == pytest.approx(fitted(b, a) - 3 * np.log(60) / 2)
    assert TableScore(mixed, penalty=2.0).local("b", ["a"]) == pytest.approx(fitted(b, a) - 3 * np.log(60))


def test_a_discrete_parent_splits_the_regression(mixed: pd.DataFrame) -> None:
    low, high = (mixed[mixed["g"] == word] for word in ("low", "high"))
    expected = sum(fitted(part["b"].to_numpy(), part["a"].to_numpy()) for part in (low, high))
    assert TableScore(mixed).local("b", ["a", "g"]) == pytest.approx(expected - 6 * np.log(60) / 2)
    counts = np.array([len(low), len(high)])
    assert TableScore(mixed).local("g", []) == pytest.approx(np.sum(counts * np.log(counts / 60)) - np.log(60) / 2)


def test_what_cannot_be_has_no_score(mixed: pd.DataFrame) -> None:
    assert TableScore(mixed).local("g", ["a"]) == -np.inf
    assert TableScore(mixed.iloc[:2]).local("b", ["a"]) == -np.inf


def test_equivalent_gaussian_graphs_share_their_score() -> None:
    table = linear_case(Cell(4, 2, 50), seed=1).table
    one, other = (
        Dag(["X0", "X1", "X2", "X3"], arcs) for arcs in ([("X0", "X1"), ("X1", "X2")], [("X2", "X1"), ("X1", "X0")])
    )
    assert TableScore(table).total(one) == pytest.approx(TableScore(table).total(other), abs=1e-9)


def test_fewer_rows_weigh_arcs_as_a_larger_penalty_does() -> None:
    table = linear_case(Cell(6, 2, 1000), seed=1).table
    fewer = continuous_peers._fewer_rows(table, 2.0)
    assert fewer.mean().to_numpy() == pytest.approx(table.mean().to_numpy(), abs=1e-9)
    assert fewer.cov(ddof=0).to_numpy() == pytest.approx(table.cov(ddof=0).to_numpy(), abs=1e-9)
    scores = TableScore(table, penalty=2.0), TableScore(fewer)
    gains = np.array(
        [[score.local("X0", [other]) - score.local("X0", []) for other in table.columns[1:]] for score in scores]
    )
    assert gains[0] * len(fewer) / len(table) == pytest.approx(gains[1], rel=0.01, abs=0.01)


def test_mixed_tables_have_no_discrete_child_of_a_continuous_parent() -> None:
    case = mixed_case(Cell(20, 3, 300), 1)
    assert case.truth is not None
    discrete = {name for name in case.table.columns if not pd.api.types.is_numeric_dtype(case.table[name])}
    assert len(discrete) == 10
    assert not [arc for arc in case.truth.arcs if arc[1] in discrete and arc[0] not in discrete]
    assert np.isfinite(TableScore(case.table).total(case.truth))


def test_every_other_column_is_cut_into_thirds() -> None:
    whole, cut = linear_case(Cell(6, 2, 300), 1, (0.5, 1.0)).table, cut_case(Cell(6, 2, 300), 1).table
    assert [pd.api.types.is_numeric_dtype(cut[name]) for name in cut.columns] == [False, True] * 3
    for name in cut.columns[::2]:
        assert cut[name].value_counts().to_dict() == {"low": 100, "middle": 100, "high": 100}
        assert whole[name][cut[name] == "low"].max() < whole[name][cut[name] == "middle"].min()


def test_the_driver_runs_without_arcwise(tmp_path: Path) -> None:
    pytest.importorskip("pybnesian")
    linear_case(Cell(3, 2, 200), seed=1).table.to_csv(tmp_path / "table.csv", index=False)
    programs = Programs(Path(sys.executable))
    answer = programs.run("pybnesian", Question(1.0, None, 60.0, table=tmp_path / "table.csv"))
    assert not answer.failure
    assert {frozenset(arc) for arc in answer.directed} <= {
        frozenset(pair) for pair in (("X0", "X1"), ("X0", "X2"), ("X1", "X2"))
    }
    blocked = (
        "import sys; sys.modules['arcwise'] = None; sys.argv = sys.argv[1:]; import runpy; runpy.run_path(sys.argv[0])"
    )
    done = subprocess.run([sys.executable, "-c", blocked, continuous_peers.__file__], capture_output=True, check=False)
    assert done.returncode == 0, done.stderr


def test_a_failure_is_an_answer(tmp_path: Path) -> None:
    (tmp_path / "table.csv").write_text("a,b\n1.5,2.5\n", encoding="utf-8")
    answer = Programs(Path(sys.executable)).run("unknown", Question(1.0, None, 60.0, table=tmp_path / "table.csv"))
    assert answer == Answer(failure="KeyError: 'unknown'")
