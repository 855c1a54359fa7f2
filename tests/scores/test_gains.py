import pytest

from arcwise import Dag, LocalScore, ParameterError, arc_gains, load_example


@pytest.mark.parametrize("score", ["bic", "bdeu", "aic"])
def test_gain_is_the_difference_of_two_graphs(score: str) -> None:
    network = load_example("asia")
    data = network.sample(300, seed=1)
    local_score = LocalScore(data, score)
    gains = arc_gains(network.dag, data, score)
    assert list(gains) == list(network.dag.arcs)
    for arc, gain in gains.items():
        without = Dag(network.names, [other for other in network.dag.arcs if other != arc])
        assert gain == pytest.approx(local_score.total(network.dag) - local_score.total(without), abs=1e-8)


def test_an_arc_between_independent_variables_costs_its_parameters() -> None:
    dag = Dag(["a", "b"], [("a", "b")])
    rows = {"a": ["0", "0", "1", "1"], "b": ["0", "1", "0", "1"]}
    # The same likelihood, one parameter more: half of ln 4.
    assert arc_gains(dag, rows)["a", "b"] == pytest.approx(-0.6931471805599453)


def test_other_variables_are_refused() -> None:
    with pytest.raises(ParameterError, match="nodes"):
        arc_gains(Dag(["a", "c"]), {"a": ["0", "1"], "b": ["0", "1"]})
