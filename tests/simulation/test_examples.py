"""The networks that come with arcwise."""

import pytest

from arcwise.simulation.examples import EXAMPLES, load_example
from arcwise.support.errors import ParameterError

# Nodes, arcs and parameters as the repository at bnlearn.com lists them.
PUBLISHED = {
    "asia": (8, 8, 18),
    "cancer": (5, 4, 10),
    "earthquake": (5, 4, 10),
    "survey": (6, 6, 21),
    "sachs": (11, 17, 178),
    "child": (20, 25, 230),
    "insurance": (27, 52, 1008),
    "alarm": (37, 46, 509),
    "hailfinder": (56, 66, 2656),
    "win95pts": (76, 112, 574),
}


def test_these_are_all() -> None:
    assert set(EXAMPLES) == set(PUBLISHED)


@pytest.mark.parametrize("name", EXAMPLES)
def test_size_is_as_published(name: str) -> None:
    network = load_example(name)
    assert (network.dag.n_nodes, network.dag.n_arcs, network.n_parameters) == PUBLISHED[name]


def test_asia_is_the_network_of_lauritzen_and_spiegelhalter() -> None:
    asia = load_example("asia")
    assert set(asia.dag.arcs) == {
        ("asia", "tub"),
        ("smoke", "lung"),
        ("smoke", "bronc"),
        ("tub", "either"),
        ("lung", "either"),
        ("either", "xray"),
        ("either", "dysp"),
        ("bronc", "dysp"),
    }
    assert asia.states[0] == ("yes", "no")
    assert asia.table("asia").tolist() == [0.01, 0.99]
    assert asia.table("tub").tolist() == [[0.05, 0.95], [0.01, 0.99]]
    assert asia.table("lung").tolist() == [[0.1, 0.9], [0.01, 0.99]]
    assert asia.table("xray").tolist() == [[0.98, 0.02], [0.05, 0.95]]
    assert asia.table("either")[..., 0].tolist() == [[1, 1], [1, 0]]


def test_the_alarm_of_the_earthquake_depends_on_both_causes() -> None:
    table = load_example("earthquake").table("Alarm")  # axes Burglary, Earthquake, Alarm; True first
    assert table[..., 0].tolist() == [[0.95, 0.94], [0.29, 0.001]]


@pytest.mark.parametrize(
    ("name", "message"),
    [("alarms", "did you mean 'alarm'"), ("munin", "the examples are asia, cancer"), (3, "no example 3")],
)
def test_an_unknown_name_is_refused_with_those_there_are(name: str, message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        load_example(name)
