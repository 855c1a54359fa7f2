"""What all searches over classes have."""

import pytest

from arcwise import Constraints, Dag, Ges, Kes, LocalScore, ParameterError, Problem, Xges, run_search
from arcwise.search.classes.class_search import ClassSearch
from tables import dependent_table

SEARCHES = [Ges, Kes, Xges]


def degrees(dag: Dag) -> list[int]:
    return [len(dag.parents(name)) + len(dag.children(name)) for name in dag.names]


@pytest.mark.parametrize("kind", SEARCHES)
@pytest.mark.parametrize("most", [0, 1, 2])
def test_no_node_is_adjacent_to_more_than_the_limit(kind: type[ClassSearch], most: int) -> None:
    score = LocalScore(dependent_table(arities=(2, 3) * 4, seed=1))
    assert max(degrees(run_search(kind(), score, seed=1).dag)) > 2
    limited = run_search(kind(max_degree=most, random_start=most > 0, climbs=3), score, seed=1)
    assert max(degrees(limited.dag)) == most
    by_constraints = Problem(score, Constraints(max_degree=most))
    assert (
        run_search(kind(), by_constraints, seed=1).score
        <= run_search(kind(max_degree=most), score, seed=1).score + 1e-6
    )


@pytest.mark.parametrize("most", [1, 2])
def test_neither_do_drawn_classes(most: int) -> None:
    score = LocalScore(dependent_table(arities=(2, 3) * 3, seed=1))
    result = run_search(Kes(k=0.4, boundary="sampled", max_degree=most, climbs=5), score, seed=1)
    assert max(degrees(result.dag)) == most
    for optimum in result.optima:
        assert max(degrees(optimum.dag)) <= most


def test_the_lower_of_two_limits_holds() -> None:
    score = LocalScore(dependent_table(arities=(2, 3) * 4, seed=1))
    first = score.data.names[0]
    result = run_search(Ges(max_degree=2), Problem(score, Constraints(max_degree={first: 0})), seed=1)
    assert degrees(result.dag)[0] == 0
    assert max(degrees(result.dag)) == 2


def test_a_start_beyond_the_limit_is_refused() -> None:
    score = LocalScore(dependent_table(), "bic")
    a, b, c, *_ = score.data.names
    with pytest.raises(ParameterError, match="start breaks the constraints"):
        run_search(Ges(max_degree=1), Problem(score, start=Dag(score.data.names, [(a, b), (b, c)])))
    with pytest.raises(ParameterError, match="max_degree must be at least 0, not -1"):
        Ges(max_degree=-1)
