"""Properties that hold whatever the data: of scores, and of what is learned with them."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arcwise import Dag, Dataset, LocalScore, greedy
from graph_strategies import dags
from score_cases import COUNTED
from tables import dependent_table

equivalent_scores = pytest.mark.parametrize("score", [name for name, kind in COUNTED.items() if kind.is_equivalent])
every_score = pytest.mark.parametrize("score", list(COUNTED))


def table_for(dag: Dag, seed: int, n_rows: int = 60) -> Dataset:
    """Mixed arities, few rows: many parent configurations never occur."""
    rng = np.random.default_rng(seed)
    arities = rng.integers(1, 4, size=dag.n_nodes)
    codes = np.column_stack([rng.integers(arity, size=n_rows) for arity in arities]).astype(np.uint8)
    return Dataset.from_codes(codes, arities=[int(a) for a in arities], names=dag.names)


@equivalent_scores
@settings(max_examples=30, deadline=None)
@given(dag=dags(min_nodes=2, max_nodes=6), seed=st.integers(0, 2**32))
def test_equivalent_graphs_score_the_same(score: str, dag: Dag, seed: int) -> None:
    local = LocalScore(table_for(dag, seed), score)
    for parent, child in dag.covered_arcs():
        other = Dag(dag.names, [arc for arc in dag.arcs if arc != (parent, child)] + [(child, parent)])
        assert local.total(other) == pytest.approx(local.total(dag), rel=1e-9)


@every_score
@settings(max_examples=20, deadline=None)
@given(dag=dags(min_nodes=2, max_nodes=6), seed=st.integers(0, 2**32))
def test_total_ignores_the_order_of_rows_and_columns(score: str, dag: Dag, seed: int) -> None:
    data = table_for(dag, seed)
    rng = np.random.default_rng(seed)
    rows, columns = rng.permutation(data.n_rows), rng.permutation(data.n_variables)
    shuffled = Dataset.from_codes(
        data.codes[np.ix_(rows, columns)],
        arities=[data.arities[v] for v in columns],
        names=[data.names[v] for v in columns],
    )
    assert LocalScore(shuffled, score).total(dag) == pytest.approx(LocalScore(data, score).total(dag), rel=1e-9)


@settings(max_examples=20, deadline=None)
@given(seed=st.integers(0, 2**32))
def test_learning_does_not_look_at_the_order_of_rows(seed: int) -> None:
    data = dependent_table(seed=seed)
    order = np.random.default_rng(seed).permutation(data.n_rows)
    shuffled = Dataset.from_codes(data.codes[order], arities=list(data.arities), names=data.names)
    assert greedy(LocalScore(shuffled), seed=1).dag == greedy(LocalScore(data), seed=1).dag


@settings(max_examples=20, deadline=None)
@given(seed=st.integers(0, 2**32))
def test_weights_count_like_repeated_rows(seed: int) -> None:
    data = dependent_table(n_rows=80, seed=seed)
    weights = np.random.default_rng(seed).integers(1, 5, size=data.n_rows)
    weighted = Dataset.from_codes(data.codes, arities=list(data.arities), weights=weights)
    repeated = Dataset.from_codes(np.repeat(data.codes, weights, axis=0), arities=list(data.arities))
    first, second = (greedy(LocalScore(table), seed=1) for table in (weighted, repeated))
    assert first.dag == second.dag
    assert first.score == pytest.approx(second.score, rel=1e-12)
