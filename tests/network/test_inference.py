"""Exact inference against enumeration, against pyAgrum, and against itself in other company."""

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings

from arcwise import Budget, Dag, ParameterError, TooWideError, load_example
from arcwise.network.inference import Evidence, Inference
from oracles_inference import Case, cases, joint_posterior, log_probability, most_probable_log, worlds

Floats = npt.NDArray[np.float64]


def inference_of(case: Case, workers: int = 1) -> Inference:
    return Inference(case.dag, case.arities, case.tables, workers=workers)


def example_evidence(name: str, rows: int, share: float, *, seed: int = 1) -> tuple[Inference, Evidence]:
    """Rows of an example network, a share of whose cells is known: in every row another one."""
    network = load_example(name)
    codes = network.sample(rows, seed=seed).codes
    hidden = np.random.default_rng(seed).random(codes.shape) >= share
    masked = np.where(hidden, np.array(network.arities), codes).astype(np.uint8)
    return Inference(network.dag, network.arities, network.tables, workers=1), Evidence(np.asfortranarray(masked))


@settings(max_examples=150)
@given(cases())
def test_marginals_and_probabilities_by_enumeration(case: Case) -> None:
    inference = inference_of(case)
    found = inference.marginals(range(case.dag.n_nodes), case.evidence)
    logs = inference.log_probabilities(case.evidence)
    for row in range(case.evidence.n_rows):
        assert logs[row] == pytest.approx(log_probability(case, row), rel=1e-12, abs=1e-12)
        for node, answer in enumerate(found):
            np.testing.assert_allclose(answer[row], joint_posterior(case, [node], row), rtol=1e-10, atol=1e-13)


@settings(max_examples=100)
@given(cases())
def test_joint_posteriors_by_enumeration(case: Case) -> None:
    inference = inference_of(case)
    rng = np.random.default_rng(case.evidence.n_rows)
    targets = rng.permutation(case.dag.n_nodes)[: rng.integers(1, 4)].tolist()
    answer = inference.joint(targets, case.evidence)
    for row in range(case.evidence.n_rows):
        np.testing.assert_allclose(answer[row], joint_posterior(case, targets, row), rtol=1e-10, atol=1e-13)


@settings(max_examples=100)
@given(cases())
def test_families_together_by_enumeration(case: Case) -> None:
    families = [[*parents, node] for node, parents in enumerate(case.dag.parent_indices)]
    answers, _ = inference_of(case).joints(families, case.evidence)
    for family, answer in zip(families, answers, strict=True):
        for row in range(case.evidence.n_rows):
            np.testing.assert_allclose(answer[row], joint_posterior(case, family, row), rtol=1e-10, atol=1e-13)


@settings(max_examples=100)
@given(cases())
def test_most_probable_explanation_by_enumeration(case: Case) -> None:
    codes, logs = inference_of(case).most_probable(case.evidence)
    for row in range(case.evidence.n_rows):
        best = most_probable_log(case, row)
        assert logs[row] == pytest.approx(best, rel=1e-12, abs=1e-12)
        if best == -np.inf:
            assert (codes[row] == case.evidence.codes[row]).all()
        else:
            weight = dict(worlds(case, row))[tuple(map(int, codes[row]))]
            assert np.log(weight) == pytest.approx(best, rel=1e-12, abs=1e-12)


@settings(max_examples=60)
@given(cases(most_nodes=4, most_rows=3))
def test_draws_are_possible(case: Case) -> None:
    codes = inference_of(case).sample(case.evidence, 1)
    for row in range(case.evidence.n_rows):
        weights = dict(worlds(case, row))
        if sum(weights.values()) > 0:
            assert weights[tuple(map(int, codes[row]))] > 0
        else:
            assert (codes[row] == case.evidence.codes[row]).all()


@pytest.mark.parametrize("together", [True, False])
def test_draws_follow_the_posterior(together: bool) -> None:
    # Every combination of the unknown nodes, expected and drawn; with 1 in 10,000 chances a right sampler would fail.
    from scipy.stats import chisquare

    network = load_example("asia")
    inference = Inference(network.dag, network.arities, network.tables, workers=1)
    n = 20_000
    codes = np.tile(np.array(network.arities, dtype=np.uint8), (n, 1))
    codes[:, network.dag.index("dysp")], codes[:, network.dag.index("xray")] = 0, 0
    likelihoods = {network.dag.index("smoke"): np.array([[0.3, 0.9]])}
    if not together:  # the same for every row, but it cannot know
        likelihoods = {node: np.repeat(rows, n, axis=0) for node, rows in likelihoods.items()}
    evidence = Evidence(np.asfortranarray(codes), likelihoods)
    drawn = inference.sample(evidence, 5)
    case = Case(network.dag, network.arities, list(network.tables), evidence)
    weights = dict(worlds(case, 0))
    total = sum(weights.values())
    seen = dict.fromkeys(weights, 0)
    for row in drawn.tolist():
        seen[tuple(row)] += 1
    common = [states for states, weight in weights.items() if n * weight / total >= 5]
    expected = np.array([n * weights[states] / total for states in common] + [0.0])
    counted = np.array([float(seen[states]) for states in common] + [0.0])
    expected[-1], counted[-1] = n - expected.sum(), n - counted.sum()
    assert chisquare(counted, expected).pvalue > 1e-4


def test_draws_depend_on_seed_and_row_only() -> None:
    inference, evidence = example_evidence("alarm", 50, 0.3)
    drawn = inference.sample(evidence, 7)
    assert (inference.sample(Evidence(evidence.codes[:20]), 7) == drawn[:20]).all()
    assert (inference.sample(evidence, 8) != drawn).any()


@pytest.mark.parametrize("share", [0.1, 0.5, 0.95])
@pytest.mark.parametrize("name", ["alarm", "child"])
def test_workers_change_nothing(name: str, share: float) -> None:
    network = load_example(name)
    _, evidence = example_evidence(name, 300, share)
    targets = range(network.dag.n_nodes)
    answers = []
    for workers in (1, 2, 4):
        inference = Inference(network.dag, network.arities, network.tables, workers=workers)
        found = inference.marginals(targets, evidence)
        codes, logs = inference.most_probable(evidence)
        answers.append([*found, codes, logs, inference.sample(evidence, 3), inference.log_probabilities(evidence)])
    for other in answers[1:]:
        for mine, its in zip(answers[0], other, strict=True):
            np.testing.assert_array_equal(mine, its)


@pytest.mark.parametrize("share", [0.1, 0.5, 0.95])
def test_rows_alone_are_as_in_a_batch(share: float) -> None:
    inference, evidence = example_evidence("alarm", 60, share)
    targets = range(evidence.codes.shape[1])
    together, logs = inference.marginals(targets, evidence), inference.log_probabilities(evidence)
    for row in range(0, 60, 7):
        alone = Evidence(evidence.codes[row : row + 1])
        assert inference.log_probabilities(alone)[0] == pytest.approx(logs[row], rel=1e-12)
        for mine, its in zip(together, inference.marginals(targets, alone), strict=True):
            np.testing.assert_allclose(its[0], mine[row], rtol=1e-11, atol=1e-14)


@pytest.mark.parametrize("name", ["asia", "alarm"])
def test_as_pyagrum_answers(name: str) -> None:
    gum = pytest.importorskip("pyagrum")
    from arcwise import BayesianNetwork, to_pyagrum

    network = load_example(name)
    exact = [table / table.sum(axis=-1, keepdims=True) for table in network.tables]
    theirs = gum.LazyPropagation(to_pyagrum(BayesianNetwork(network.dag, network.states, exact)))
    inference, evidence = example_evidence(name, 20, 0.2)
    found = inference.marginals(range(network.dag.n_nodes), evidence)
    logs = inference.log_probabilities(evidence)
    for row in range(20):
        known = {
            network.names[node]: int(code)
            for node, code in enumerate(evidence.codes[row])
            if code < network.arities[node]
        }
        theirs.setEvidence(known)
        theirs.makeInference()
        for node, answer in enumerate(found):
            np.testing.assert_allclose(answer[row], theirs.posterior(network.names[node]).toarray(), atol=1e-9)
        assert np.exp(logs[row]) == pytest.approx(theirs.evidenceProbability(), rel=1e-9)


def test_many_observations_do_not_vanish() -> None:
    # 3,000 children of one node: every other one speaks for either of its states.
    n = 3000
    dag = Dag.from_parents([f"v{k}" for k in range(n + 1)], [[], *([0] for _ in range(n))])
    table = [[0.8, 0.2], [0.1, 0.9]]
    inference = Inference(dag, [2] * (n + 1), [[0.25, 0.75], *([table] * n)], workers=1)
    codes = np.full((2, n + 1), 2, dtype=np.uint8, order="F")
    codes[:, 1:] = 0
    codes[:, 1::2] = 1
    likelihood = (n // 2) * (np.log(0.8 * 0.2)), (n // 2) * (np.log(0.1 * 0.9))
    expected = np.array([np.log(0.25) + likelihood[0], np.log(0.75) + likelihood[1]])
    assert inference.log_probabilities(Evidence(codes))[0] == pytest.approx(np.logaddexp(*expected), rel=1e-12)
    ratio = inference.marginals([0], Evidence(codes))[0][0]
    np.testing.assert_allclose(ratio, np.exp(expected - np.logaddexp(*expected)), rtol=1e-9, atol=1e-300)
    # The same as soft evidence about nodes that are not known.
    rows = {node: np.array([[0.0, 1.0]]) if codes[0, node] else np.array([[1.0, 0.0]]) for node in range(1, n + 1)}
    codes[:] = 2
    assert inference.log_probabilities(Evidence(codes, rows))[0] == pytest.approx(np.logaddexp(*expected), rel=1e-12)


def grid(side: int) -> tuple[Dag, list[int], list[Floats]]:
    """Nodes in a square, each with those above and to the left as parents: the width is its side."""
    rng = np.random.default_rng(1)
    parents = [[k - side] * (k >= side) + [k - 1] * (k % side > 0) for k in range(side * side)]
    dag = Dag.from_parents([f"v{k}" for k in range(side * side)], parents)
    tables = [rng.dirichlet([1.0, 1.0], size=[2] * len(row)) for row in dag.parent_indices]
    return dag, [2] * side * side, tables


def test_what_does_not_fit_is_refused_with_its_size() -> None:
    dag, arities, tables = grid(40)
    inference = Inference(dag, arities, tables, memory=10**9, workers=1)
    cost = inference.cost()
    assert cost.nodes >= 40
    assert cost.cells == 2**cost.nodes
    assert cost.n_bytes > 8 * cost.cells
    nothing = Evidence(np.full((1, dag.n_nodes), 2, dtype=np.uint8, order="F"))
    with pytest.raises(TooWideError, match="it takes less where more nodes are known") as refused:
        inference.marginals([dag.n_nodes - 1], nothing)
    assert refused.value.cells >= 2**40
    assert f"{refused.value.cells:,}" in str(refused.value)
    # Nodes that do not matter are not in the way, nor is what is known.
    assert inference.cost([0]).cells == 2
    known = [k for k in range(dag.n_nodes) if k // 40 % 2]
    assert inference.cost(known=known).cells <= 8
    with pytest.raises(TooWideError, match="answers alone"):
        inference.joint(range(30), nothing)


def test_hopeless_networks_are_refused_at_once() -> None:
    # Everything depends on everything: eliminating 2,000 nodes would take minutes.
    n, rng = 2000, np.random.default_rng(1)
    parents = [sorted(rng.choice(k, size=min(k, 6), replace=False).tolist()) for k in range(n)]
    dag = Dag.from_parents([f"v{k}" for k in range(n)], parents)
    tables = [np.full([2] * (len(row) + 1), 0.5) for row in parents]
    inference = Inference(dag, [2] * n, tables, workers=1)
    evidence = np.full((3, n), 2, dtype=np.uint8, order="F")
    evidence[1, -1], evidence[2, -2] = 0, 0
    for rows in (evidence[:1], evidence):
        with pytest.raises(TooWideError) as refused:
            inference.marginals([n - 1], Evidence(rows))
        assert refused.value.cells > 10**12


def test_budget_ends_it() -> None:
    dag, arities, tables = grid(12)
    inference = Inference(dag, arities, tables, workers=2)
    evidence = Evidence(np.full((3, dag.n_nodes), 2, dtype=np.uint8, order="F"))
    answers, logs = inference.joints([[0], [dag.n_nodes - 1]], evidence, Budget(time_limit=0))
    assert np.isnan(logs).all()
    assert all(np.isnan(answer).all() for answer in answers)


@pytest.mark.parametrize("seed", [1, 2])
def test_estimates_are_within_their_errors(seed: int) -> None:
    inference, evidence = example_evidence("alarm", 8, 0.1, seed=seed)
    soft = Evidence(evidence.codes, {3: np.array([[0.2, 0.9]]), 4: np.random.default_rng(1).random((8, 3))})
    assert inference.arities[3:5] == (2, 3)
    targets = list(range(evidence.codes.shape[1]))
    found = inference.approximate_marginals(targets, soft, seed, draws=20_000)
    exact = inference.marginals(targets, soft)
    scores = []
    for p, error, truth in zip(found.probabilities, found.standard_errors, exact, strict=True):
        np.testing.assert_allclose(p.sum(axis=1), 1.0)
        scores += ((p - truth) / error).ravel().tolist()
    # Of some hundred probabilities, most of them far from independent, none is many errors away.
    assert np.abs(scores).max() < 5
    assert np.mean(np.square(scores)) < 2
    assert (found.effective_draws > 10).all()
    again = inference.approximate_marginals(targets, soft, seed, draws=20_000)
    assert all((a == b).all() for a, b in zip(found.probabilities, again.probabilities, strict=True))


def test_weights_of_draws_by_hand() -> None:
    # b is known: every draw of a has the weight P(b | a), so that the estimate is a ratio of two counts.
    dag = Dag(["a", "b"], [("a", "b")])
    inference = Inference(dag, [2, 2], [np.array([0.5, 0.5]), np.array([[0.1, 0.9], [0.4, 0.6]])])
    known = Evidence(np.array([[2, 0]], dtype=np.uint8, order="F"))
    found = inference.approximate_marginals([0, 1], known, 3, draws=1000)
    share = found.probabilities[0][0, 1]
    ones = round(1000 * share / (4 - 3 * share))  # share = 0.4 ones / (0.4 ones + 0.1 (1000 - ones))
    assert share == pytest.approx(0.4 * ones / (0.4 * ones + 0.1 * (1000 - ones)))
    weights = 0.4 * ones + 0.1 * (1000 - ones)
    spread = ones * (0.4 * (1 - share)) ** 2 + (1000 - ones) * (0.1 * share) ** 2
    assert found.standard_errors[0][0, 1] == pytest.approx(np.sqrt(spread) / weights)
    assert found.probabilities[1][0].tolist() == [1.0, 0.0]
    impossible = Evidence(np.array([[2, 2]], dtype=np.uint8, order="F"), {0: np.array([[0.0, 0.0]])})
    nothing = inference.approximate_marginals([0], impossible, 3, draws=10)
    assert np.isnan(nothing.probabilities[0]).all()
    assert nothing.effective_draws[0] == 0


def test_wide_networks_can_be_estimated() -> None:
    dag, arities, tables = grid(40)
    inference = Inference(dag, arities, tables, memory=10**8, workers=1)
    nothing = Evidence(np.full((1, dag.n_nodes), 2, dtype=np.uint8, order="F"))
    found = inference.approximate_marginals([dag.n_nodes - 1], nothing, 1, draws=500)
    assert found.effective_draws[0] == pytest.approx(500)


def test_wrong_arguments_are_refused() -> None:
    dag = Dag(["a", "b"], [("a", "b")])
    tables = [np.array([0.5, 0.5]), np.array([[0.1, 0.9], [0.2, 0.8]])]
    inference = Inference(dag, [2, 2], tables)
    codes = np.full((3, 2), 2, dtype=np.uint8, order="F")
    with pytest.raises(ParameterError, match="shape"):
        Inference(dag, [2, 2], [[0.5, 0.5], [0.1, 0.9]])
    with pytest.raises(ParameterError, match="different numbers"):
        inference.joint([0, 0], Evidence(codes))
    with pytest.raises(ParameterError, match="different numbers"):
        inference.marginals([2], Evidence(codes))
    with pytest.raises(ParameterError, match="column for each"):
        inference.marginals([0], Evidence(codes[:, :1]))
    with pytest.raises(ParameterError, match="likelihoods"):
        inference.marginals([0], Evidence(codes, {0: np.ones((2, 2))}))
    with pytest.raises(ParameterError, match="at least 0"):
        inference.marginals([0], Evidence(codes, {0: np.array([[-1.0, 1.0]])}))


def test_no_rows_and_no_targets() -> None:
    dag = Dag(["a"])
    inference = Inference(dag, [2], [[0.5, 0.5]])
    empty = Evidence(np.empty((0, 1), dtype=np.uint8, order="F"))
    assert inference.marginals([0], empty)[0].shape == (0, 2)
    assert inference.marginals([], empty) == []
    assert inference.sample(empty, 1).shape == (0, 1)
