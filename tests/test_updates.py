"""New rows for a network: as if it had been fitted to all of them, and whether they fit."""

from math import lgamma

import numpy as np
import pytest

from arcwise import BayesianNetwork, CountedNetwork, Dag, DataError, Dataset, LocalScore, load_example
from arcwise.simulation.gaussian import random_gaussian_network

TRUTH = load_example("asia")


def test_updating_is_fitting_to_all_rows() -> None:
    data = TRUTH.sample(900, seed=1)
    frame = data.to_frame()
    kept = CountedNetwork(TRUTH.dag, data, ess=2.0)
    whole = kept.updated(frame[:500]).updated(frame[500:].to_pandas())
    twice = Dataset.from_codes(np.vstack([data.codes] * 2), names=data.names, states=data.states)
    assert whole.n_observations == 1800
    assert whole.network == BayesianNetwork.fit(TRUTH.dag, twice, ess=2.0)
    assert kept.n_observations == 900  # it has not changed


def test_states_are_matched_by_label() -> None:
    first = Dataset.of({"a": ["x", "y", "y"], "b": ["u", "v", "v"]})
    kept = CountedNetwork(Dag(["a", "b"], [("a", "b")]), first, ess=0).updated({"b": ["v"], "a": ["x"]})
    assert kept.network.table("b")[0].tolist() == [0.5, 0.5]
    with pytest.raises(DataError, match="'z'"):
        kept.updated({"a": ["z"], "b": ["u"]})
    with pytest.raises(DataError, match="no column for 'b'"):
        kept.updated({"a": ["x"]})


def test_weights_count() -> None:
    data = TRUTH.sample(200, seed=1)
    kept = CountedNetwork(TRUTH.dag, data).updated(data.with_weights([3] * 200))
    assert kept.n_observations == 800
    assert kept.network.is_close(BayesianNetwork.fit(TRUTH.dag, data.with_weights([4] * 200), ess=1.0))


def test_continuous_and_mixed_networks_are_updated_too() -> None:
    rng = np.random.default_rng(1)
    sex = rng.integers(0, 2, 300)
    x = rng.normal(size=300) + 1e3
    y = 2 * x + sex * x + rng.normal(size=300)
    rows = {"sex": np.array(["f", "m"])[sex].tolist(), "x": x.tolist(), "y": y.tolist()}
    dag = Dag(["sex", "x", "y"], [("sex", "y"), ("x", "y")])
    parts = [{key: column[at::3] for key, column in rows.items()} for at in range(3)]
    kept = CountedNetwork(dag, parts[0]).updated(parts[1]).updated(parts[2])
    whole = BayesianNetwork.fit(dag, Dataset.of(rows), ess=1.0)
    assert kept.network.is_close(whole, tolerance=1e-6)


def evidence(column: np.ndarray, parents: np.ndarray, n_states: int, n_configurations: int) -> float:
    """Marginal likelihood of a column by the chain rule: each row given those before it (Heckerman et al. 1995)."""
    cell = 1.0 / (n_states * n_configurations)
    counts, found = np.zeros((n_configurations, n_states)), 0.0
    for value, row in zip(column, parents, strict=True):
        found += np.log((counts[row, value] + cell) / (counts[row].sum() + cell * n_states))
        counts[row, value] += 1
    return found


def test_bayes_factors_by_the_chain_rule() -> None:
    old, new = TRUTH.sample(150, seed=1), TRUTH.sample(120, seed=2)
    drift = CountedNetwork(TRUTH.dag, old).drift(new)
    for node in ("asia", "tub", "dysp"):
        parents = [old.index(name) for name in TRUTH.dag.parents(node)]
        v, n = old.index(node), 2 ** len(parents)

        def part(codes: np.ndarray, v: int = v, parents: list[int] = parents, n: int = n) -> float:
            rows = np.zeros(len(codes), dtype=int)
            for parent in parents:
                rows = 2 * rows + codes[:, parent]
            return evidence(codes[:, v], rows, 2, n)

        both = np.vstack([old.codes, new.codes])
        wanted = part(both) - part(np.asarray(old.codes)) - part(np.asarray(new.codes))
        assert drift.log_bayes_factors[old.index(node)] == pytest.approx(wanted)
    assert drift.total == pytest.approx(drift.log_bayes_factors.sum())


def test_bayes_factor_of_a_coin_by_hand() -> None:
    """Three heads, then three tails, with half a toss of each before: B(3.5, 3.5) B(0.5, 0.5) / (B(3.5, 0.5) twice)."""
    coin = Dag(["coin"])
    states = [["h", "t"]]
    old, new = (Dataset.from_codes([[code]] * 3, names=["coin"], states=states) for code in (0, 1))

    def beta(a: float, b: float) -> float:
        return lgamma(a) + lgamma(b) - lgamma(a + b)

    found = CountedNetwork(coin, old).drift(new).log_bayes_factors[0]
    assert found == pytest.approx(beta(3.5, 3.5) + beta(0.5, 0.5) - 2 * beta(3.5, 0.5))


def test_rows_of_another_network_are_told() -> None:
    kept = CountedNetwork(TRUTH.dag, TRUTH.sample(2000, seed=1))
    assert kept.drift(TRUTH.sample(1000, seed=2)).changed == ()
    shifted = kept.drift(TRUTH.do({"smoke": {"yes": 0.1, "no": 0.9}}).sample(1000, seed=3))
    assert shifted.changed == ("smoke",)
    frame = shifted.to_frame()
    assert frame.columns == ["node", "log_bayes_factor", "change", "gain"]
    assert frame.filter(frame["node"] == "smoke")["log_bayes_factor"][0] < -3


def test_the_best_change_of_each_node_by_brute_force() -> None:
    new = TRUTH.sample(400, seed=5)
    wrong = Dag(TRUTH.names, [arc for arc in TRUTH.dag.arcs if arc != ("either", "xray")])
    drift = CountedNetwork(wrong, TRUTH.sample(400, seed=1)).drift(new, score="bic")
    score = LocalScore(new, "bic")
    for at, node in enumerate(wrong.names):
        parents = set(wrong.parents(node))
        local = score.local(node, parents)
        changes = {f"- {name}": score.local(node, parents - {name}) - local for name in parents}
        for name in set(wrong.names) - parents - {node}:
            if node not in wrong.ancestors(name):
                changes[f"+ {name}"] = score.local(node, {*parents, name}) - local
        assert drift.gains[at] == pytest.approx(max(changes.values()))
        assert changes[drift.changes[at]] == pytest.approx(max(changes.values()))
    assert drift.changes[wrong.index("xray")] in ("+ either", "+ lung")
    assert drift.gains[wrong.index("xray")] > 0


def test_continuous_nodes_have_no_bayes_factor() -> None:
    network = random_gaussian_network(4, 4, seed=1)
    drift = CountedNetwork(network.dag, network.sample(100, seed=1)).drift(network.sample(50, seed=2), score="bic")
    assert np.isnan(drift.log_bayes_factors).all()
    assert drift.total == 0.0
