"""The Markov blanket of a variable, against those of known networks and of the best graphs."""

import numpy as np
import pytest

from arcwise import Constraints, Dag, LocalScore, MarkovBlanket, ParameterError, learn, load_example, markov_blanket
from tables import dependent_table


def blanket(dag: Dag, node: str) -> set[str]:
    """By the definition: what is left of the moral graph next to the node."""
    joined = {frozenset(arc) for arc in dag.arcs}
    joined |= {
        frozenset((one, other)) for child in dag.names for one in dag.parents(child) for other in dag.parents(child)
    }
    return {name for name in dag.names if name != node and frozenset((name, node)) in joined}


@pytest.mark.parametrize("name", ["earthquake", "cancer", "sachs"])
def test_with_many_rows_it_is_that_of_the_best_graph(name: str) -> None:
    data = load_example(name).sample(20_000, seed=1)
    score, best = LocalScore(data), learn(data, method="exact").dag
    for target in data.names:
        result = markov_blanket(score, target=target, seed=1)
        found = result.decisions["markov_blanket"]
        assert set(found) == blanket(result.dag, target)
        assert set(found) == blanket(best, target)
        outside = [arc for arc in result.dag.arcs if not {*arc} <= {target, *found}]
        assert not outside


def test_it_looks_at_a_part_of_the_graph_only() -> None:
    data = load_example("alarm").sample(2000, seed=1)
    whole = learn(data, method="greedy", seed=1).counters["evaluations"]
    part = learn(data, method="markov-blanket", target="HISTORY", seed=1)
    assert part.counters["evaluations"] < whole / 2
    assert part.decisions["target"] == "HISTORY"
    assert part.decisions["markov_blanket"] == ["LVFAILURE"]


def test_nothing_else_is_needed_to_predict() -> None:
    truth = load_example("alarm")
    data = truth.sample(3000, seed=1)
    result = learn(data, method=MarkovBlanket("VENTLUNG"), seed=1)
    network = result.network(ess=1)
    blank = data.codes.copy(order="F")
    for v, name in enumerate(data.names):
        if name not in (*result.decisions["markov_blanket"], "VENTLUNG"):
            blank[:, v] = 0
    changed = type(data)(blank, data.names, data.states)
    np.testing.assert_allclose(network.predict_proba(changed, "VENTLUNG"), network.predict_proba(data, "VENTLUNG"))


def test_required_arcs_stay_wherever_they_are() -> None:
    data = dependent_table(arities=(2,) * 8)
    far = (data.names[0], data.names[1])
    result = learn(data, method="markov-blanket", constraints=Constraints(required=[far]), seed=1)
    assert far in result.dag.arcs


def test_wrong_options_are_refused() -> None:
    with pytest.raises(ParameterError, match="climbs must be at least 1"):
        MarkovBlanket("a", climbs=0)
    with pytest.raises(ParameterError, match="there is no variable 'nobody'"):
        learn(dependent_table(), method="markov-blanket", target="nobody")
