"""Naive Bayes and its tree, against scikit-learn and against all trees there are."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.naive_bayes import CategoricalNB

from arcwise import (
    BayesianNetworkClassifier,
    Budget,
    Constraints,
    Dag,
    Dataset,
    LocalScore,
    NaiveBayes,
    ParameterError,
    Tan,
    learn,
    load_example,
    naive_bayes,
    run_search,
    tan,
)
from interrupting import runs_out_of_time
from tables import dependent_table


def test_naive_bayes_predicts_as_that_of_scikit_learn() -> None:
    random = np.random.default_rng(5)
    y = random.integers(3, size=300)
    x = np.column_stack([(y + random.integers(3, size=300)) % states for states in (2, 3, 4, 5)])
    peer = CategoricalNB(alpha=1.0, min_categories=[2, 3, 4, 5]).fit(x, y)
    data = Dataset.from_codes(np.column_stack([x, y]), arities=[2, 3, 4, 5, 3], names=["a", "b", "c", "d", "y"])
    network = learn(data, method="naive-bayes", target="y").network()
    smooth = type(network).fit(network.dag, data, pseudo_count=1.0)
    # scikit-learn does not smooth the classes themselves.
    tables = [smooth.table(name) if name != "y" else network.table("y") for name in data.names]
    whole = type(network)(network.dag, data.states, tables)
    np.testing.assert_allclose(whole.predict_proba(data, "y"), peer.predict_proba(x), rtol=1e-12)


def forests(n: int) -> list[list[int]]:
    """For each forest of directed arcs over n nodes the parent of each node, -1 for none."""
    every = product(*([-1, *(u for u in range(n) if u != v)] for v in range(n)))
    return [list(parents) for parents in every if is_forest(parents)]


def is_forest(parents: tuple[int, ...]) -> bool:
    for node in range(len(parents)):
        seen = set()
        while node >= 0:
            if node in seen:
                return False
            seen.add(node)
            node = parents[node]
    return True


FORESTS = forests(5)


@pytest.mark.parametrize("name", ["loglik", "bic", "bdeu", "k2"])
@pytest.mark.parametrize("seed", range(3))
def test_no_tree_among_the_features_scores_more(name: str, seed: int) -> None:
    data = dependent_table(arities=(2, 3, 2, 3, 2, 3), n_rows=200, seed=seed)
    score, target = LocalScore(data, name), 2 * seed
    features = [v for v in range(6) if v != target]
    gain = {
        (v, u): score.local(v, [target, u]) - score.local(v, [target]) for v in features for u in features if u != v
    }
    best = max(
        sum(gain[features[v], features[u]] for v, u in enumerate(parents) if u >= 0)
        for parents in FORESTS
        if name != "loglik" or parents.count(-1) == 1
    )
    result = tan(score, target=target)
    alone = score.local(target) + sum(score.local(v, [target]) for v in features)
    assert result.score == pytest.approx(alone + best, rel=1e-12)
    assert result.score == pytest.approx(score.total(result.dag), rel=1e-12)
    assert all(data.names[target] in result.dag.parents(data.names[v]) for v in features)
    if name == "loglik":
        assert result.dag.n_arcs == 5 + 4


@given(st.integers(0, 50))
@settings(max_examples=20)
def test_constraints_come_first(seed: int) -> None:
    data = dependent_table(arities=(2, 3) * 3, n_rows=100, seed=seed)
    names = data.names
    constraints = Constraints(
        required=[(names[0], names[5]), (names[1], names[0])], forbidden=[(names[5], names[2])], max_parents=2
    )
    for method in (NaiveBayes(names[5]), Tan(names[5])):
        dag = learn(data, method=method, constraints=constraints).dag
        assert constraints.violations(dag) == ()
        assert names[5] in dag.parents(names[3])


def test_a_limit_leaves_naive_bayes() -> None:
    data = dependent_table()
    found = learn(data, method="tan", evaluation_limit=0)
    assert set(found.dag.arcs) == {(data.names[-1], name) for name in data.names[:-1]}
    assert found.status == "evaluation limit"


def test_time_that_runs_out_leaves_a_tree_of_the_arcs_so_far() -> None:
    data = dependent_table(100, (2, 3) * 100, seed=1)
    found = runs_out_of_time(lambda limit: run_search(Tan(), LocalScore(data), workers=1, budget=Budget(limit)))
    assert data.n_variables - 1 < found.dag.n_arcs
    assert all(len(parents) <= 2 for parents in found.dag.parent_indices)


def test_they_are_starts_and_constraints() -> None:
    data = load_example("asia").sample(500, seed=2)
    naive = naive_bayes(LocalScore(data), target="bronc").dag
    augmented = learn(data, method="greedy", start=naive, constraints=Constraints(required=naive.arcs), seed=1)
    assert set(naive.arcs) <= set(augmented.dag.arcs)
    assert augmented.score >= LocalScore(data).total(naive)
    tree = tan(LocalScore(data), target="bronc").dag
    assert learn(data, method="greedy", start=tree, seed=1).score >= LocalScore(data).total(tree)


def test_unknown_targets_are_refused() -> None:
    with pytest.raises(ParameterError, match="there is no variable 'brnoc'; did you mean 'bronc'"):
        learn(load_example("asia").sample(100, seed=1), method="naive-bayes", target="brnoc")
    with pytest.raises(ParameterError, match="there is no variable 9"):
        learn(dependent_table(), method=Tan(9))


def test_one_variable_and_numbers() -> None:
    assert learn(Dataset.from_codes([[0], [1]]), method="tan").dag == Dag(["X0"])
    random = np.random.default_rng(1)
    rows = {"y": random.choice(["a", "b"], 200), "u": random.normal(size=200)}
    rows["v"] = rows["u"] + 0.1 * random.normal(size=200)
    assert set(learn(rows, method="tan", target="y").dag.arcs) >= {("y", "u"), ("y", "v")}
    assert learn(rows, method="tan", target="y").dag.n_arcs == 3
    assert not learn(rows, method="naive-bayes", target="u").dag.parents("y")  # states have no numbers as parents


def test_the_classifier_knows_them_by_name() -> None:
    frame = load_example("asia").sample(1000, seed=1).to_frame("pandas")
    x, y = frame.drop(columns="bronc"), frame["bronc"]
    for method, most in (("naive-bayes", 1), ("tan", 2)):
        dag = BayesianNetworkClassifier(method=method).fit(x, y).dag_
        assert max(len(dag.parents(name)) for name in x.columns) == most
        assert all("bronc" in dag.parents(name) for name in x.columns)
