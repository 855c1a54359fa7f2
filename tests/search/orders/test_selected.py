import pytest

from arcwise import Constraints, Dag, LocalScore, Stop
from arcwise.search.orders.tables import SelectedOrders, selected_orders
from arcwise.search.registry import SEARCHES
from arcwise.search.search import Problem, run_search, with_options
from oracles_graph import all_dags
from tables import dependent_table


@pytest.mark.parametrize("name", [name for name, search in SEARCHES.items() if isinstance(search, SelectedOrders)])
@pytest.mark.parametrize("constrained", [False, True])
def test_best_of_all_graphs_of_four_variables(name: str, constrained: bool) -> None:
    """All parent sets of four variables are selected, and 200 climbs meet all 24 orders."""
    score = LocalScore(dependent_table(arities=(2, 3, 2, 2)))
    names = score.data.names
    rules = Constraints(required=[(names[3], names[0])], max_parents=2) if constrained else Constraints()
    dags = (Dag(names, [(names[a], names[b]) for a, b in arcs]) for arcs in all_dags(4))
    best = max(score.total(dag) for dag in dags if rules.satisfied_by(dag))
    search = with_options(SEARCHES[name], {"stop": Stop(climbs=200)})
    result = run_search(search, Problem(score, rules), seed=1)
    assert rules.satisfied_by(result.dag)
    assert result.score == pytest.approx(best, rel=1e-12)
    assert result.bound is not None
    assert result.bound >= best - 1e-9


def test_start_is_kept_where_its_families_are_not_selected() -> None:
    score = LocalScore(dependent_table())
    names = score.data.names
    start = Dag(names, [(names[4], names[0]), (names[0], names[1]), (names[4], names[1])])
    result = selected_orders(score, start=start, stop=Stop(climbs=1), seed=1)
    assert result.score >= score.total(start) - 1e-9
    assert result.provenance.options["selection"] == "balanced"
    assert result.counters["evaluations"] > 0
