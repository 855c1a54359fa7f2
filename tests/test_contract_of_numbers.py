"""What every search must do with continuous and mixed data, as test_contract.py has it for discrete data."""

from math import isfinite
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from arcwise import (
    ArcwiseWarning,
    Budget,
    Constraints,
    Dag,
    DataError,
    Dataset,
    Improvement,
    LocalScore,
    ParameterError,
    Result,
    Status,
    Stop,
    learn,
    read_run,
    write_run,
)
from arcwise.search.registry import SEARCHES
from arcwise.search.search import options_of, run_search
from result_checks import check
from tables import table_of_numbers

CONTINUOUS, MIXED = "ccccc", "c2c3c"

#: Kinds of columns, and scores that are for them.
CASES = [(CONTINUOUS, "bic"), (CONTINUOUS, "bge"), (MIXED, "bic"), (MIXED, "dg")]


def is_taken(method: str, kinds: str, score: str) -> bool:
    search = SEARCHES[method]
    return not (search.needs_states or (search.needs_equivalence and (kinds, score) == (MIXED, "bic")))


TAKEN = [(method, *case) for method in SEARCHES for case in CASES if is_taken(method, *case)]

every_search = pytest.mark.parametrize(("method", "kinds", "score"), TAKEN)


def few_climbs(method: str) -> dict[str, Any]:
    """Options with which a search ends soon."""
    limits = {"climbs": 3, "stop": Stop(climbs=20)}
    return {name: limit for name, limit in limits.items() if name in options_of(type(SEARCHES[method]))}


def learned(method: str, data: Dataset, score: str, **options: Any) -> Result:
    return learn(data, method=method, score=score, **{"seed": 3, **few_climbs(method), **options})


def states_of_numbers(dag: Dag, data: Dataset) -> list[tuple[str, str]]:
    """Arcs from a continuous variable to a discrete one."""
    arities = dict(zip(data.names, data.arities, strict=True))
    return [(parent, child) for parent, child in dag.arcs if arities[child] and not arities[parent]]


@every_search
def test_result_is_what_it_says(method: str, kinds: str, score: str, tmp_path: Path) -> None:
    data = table_of_numbers(kinds)
    result = learned(method, data, score, workers=1)
    check(result, data, score)
    assert result.status == (Status.OPTIMAL if method == "exact" else Status.LOCAL_OPTIMUM)
    assert result.score > LocalScore(data, score).total(Dag(data.names))
    others = learned(method, data, score, workers=3)
    assert (others.dag, others.score) == (result.dag, result.score)
    write_run(result, tmp_path / "run.json")
    restored = read_run(tmp_path / "run.json").result
    assert (restored.dag, restored.score, restored.provenance) == (result.dag, result.score, result.provenance)
    if states_of_numbers(result.dag, data):
        assert score == "dg"
        for of, data_of in ((result, None), (restored, data)):  # the file has nothing of which to make a network
            with pytest.raises(ParameterError, match=r"has states, but its parent .* is continuous"):
                of.network(data_of)
        return
    assert restored.network().is_close(result.network())
    assert isfinite(restored.network().log_likelihood(data))


@every_search
def test_constraints_are_honoured(method: str, kinds: str, score: str) -> None:
    data = table_of_numbers(kinds, seed=1)
    free = learned(method, data, score).dag
    required = ("X1", "X4")  # from states to numbers, where there are states
    constraints = Constraints(
        required=[required],
        forbidden=[arc for arc in free.arcs if arc != required][:2],
        tiers=[["X1", "X2", "X3"], ["X0", "X4"]],
        max_parents=2,
    )
    result = learned(method, data, score, constraints=constraints)
    check(result, data, score)
    assert constraints.violations(result.dag) == ()
    limited = learned(method, data, score, constraints=constraints, time_limit=0)
    assert constraints.violations(limited.dag) == ()
    if SEARCHES[method].honours_degrees:
        lonely = Constraints(max_degree=1)
        assert lonely.violations(learned(method, data, score, constraints=lonely).dag) == ()


@every_search
def test_limits_are_kept_and_reproducible(method: str, kinds: str, score: str) -> None:
    data = table_of_numbers(kinds)
    for limit in (0, 8, 25):
        first, second = (learned(method, data, score, evaluation_limit=limit) for _ in range(2))
        check(first, data, score)
        assert first.dag == second.dag
        assert first.counters["evaluations"] <= limit + 2 * data.n_variables
        assert limit or (first.status, first.dag.n_arcs) == (Status.EVALUATION_LIMIT, 0)
    late = learned(method, data, score, time_limit=0)
    assert (late.status, late.dag.n_arcs) == (Status.TIME_LIMIT, 0)


@every_search
def test_runs_resume(method: str, kinds: str, score: str, tmp_path: Path) -> None:
    data, path = table_of_numbers(kinds), tmp_path / "run.json"
    whole = learned(method, data, score)
    first = learned(method, data, score, evaluation_limit=12, checkpoint=path)
    run = read_run(path)
    assert (run.result.dag, run.result.score) == (first.dag, first.score)
    assert run.data is not None
    assert run.data.arities == data.arities
    second = learned(method, data, score, seed=None, checkpoint=path, resume=True)
    check(second, data, score)
    assert second.seed == 3
    assert second.score >= first.score
    assert second.score == pytest.approx(whole.score)
    other = table_of_numbers(kinds, seed=2)  # the same variables and states, but other numbers
    with pytest.raises(ParameterError, match="data"):
        learned(method, other, score, seed=None, checkpoint=path, resume=True)


@every_search
def test_start_is_never_made_worse(method: str, kinds: str, score: str) -> None:
    data = table_of_numbers(kinds)
    start = Dag(data.names, [("X1", "X0"), ("X1", "X2")])
    result = learned(method, data, score, start=start)
    assert result.score >= LocalScore(data, score).total(start) - 1e-9
    with pytest.raises(ParameterError, match="start breaks the constraints"):
        learned(method, data, score, start=start, constraints=Constraints(forbidden=[("X1", "X0")]))


@every_search
def test_callbacks_and_interrupts(method: str, kinds: str, score: str) -> None:
    data = table_of_numbers(kinds)
    seen: list[Improvement] = []
    result = learned(method, data, score, on_improvement=seen.append)
    assert set(result.trace) <= set(seen)
    stopped = learned(method, data, score, on_improvement=lambda _: True)
    check(stopped, data, score)
    assert stopped.status == Status.INTERRUPTED
    budget = Budget()
    budget.interrupt()
    early = run_search(SEARCHES[method], LocalScore(data, score), seed=0, budget=budget)
    check(early, data, score)
    assert early.status == Status.INTERRUPTED


@every_search
@pytest.mark.filterwarnings("ignore:.*with a single value", "ignore:.*an exact linear function of others")
def test_tiny_and_odd_tables(method: str, kinds: str, score: str) -> None:
    data = table_of_numbers(kinds)
    one = data.select(["X0"])
    if score != "dg" or one.kind != "discrete":
        alone = learned(method, one, score)
        check(alone, one, score)
        assert alone.dag.n_arcs == 0
    for n_rows in (1, 2, 3):
        few = data.with_weights([1] * n_rows + [0] * (data.n_rows - n_rows))
        found = learned(method, few, score)
        assert found.score == pytest.approx(LocalScore(few, score).total(found.dag))
        assert isfinite(found.score)
    shifted = data.to_frame("pandas")
    shifted["X0"] = 1e6 + 0 * shifted["X0"]
    constant = Dataset.from_frame(shifted, continuous={"X0": True})
    result = learned(method, constant, score)
    check(result, constant, score)
    assert not result.dag.parents("X0")
    assert not result.dag.children("X0")


@pytest.mark.parametrize("method", [name for name in SEARCHES if not is_taken(name, MIXED, "bic")])
def test_mixed_data_is_refused_with_what_else_to_do(method: str) -> None:
    data = table_of_numbers(MIXED)
    error: type[Exception] = DataError if SEARCHES[method].needs_states else ParameterError
    with pytest.raises(error, match=rf"^{method} .*search over graphs or orders \(orders, greedy, "):
        learn(data, method=method, score="bic")
    if SEARCHES[method].needs_states:
        with pytest.raises(error, match=rf"^{method} takes variables with states only.*discretise='quantile'"):
            learn(table_of_numbers(), method=method)
    else:
        with pytest.raises(error, match="take score='dg'"):
            learn(data, method=method, score="bic")


@pytest.mark.parametrize("method", [method for method, kinds, score in TAKEN if (kinds, score) == (MIXED, "bic")])
@pytest.mark.parametrize("seed", range(3))
def test_states_have_no_continuous_parents(method: str, seed: int) -> None:
    data = table_of_numbers("cc23c", n_rows=60, seed=seed)
    for score in ("bic", "aic"):
        assert not states_of_numbers(learned(method, data, score).dag, data)
    wrong = ("X0", "X2")
    with pytest.raises(ParameterError, match="'X0' to 'X2' is required, and with bic a discrete variable cannot"):
        learned(method, data, "bic", constraints=Constraints(required=[wrong]))
    with pytest.raises(ParameterError, match="an arc from 'X0' to 'X2', and with bic a discrete variable cannot"):
        learned(method, data, "bic", start=Dag(data.names, [wrong]))


@pytest.mark.parametrize(("kinds", "score"), CASES)
def test_scores_for_other_data_are_refused(kinds: str, score: str) -> None:
    names = "bic, ebic, aic, hqc, loglik, bge, dg" if kinds == CONTINUOUS else "bic, ebic, aic, hqc, loglik, dg"
    with pytest.raises(ParameterError, match=rf"\({names}\), not bdeu; continuous are 'X0'"):
        learn(table_of_numbers(kinds), score="bdeu")
    if score in ("bge", "dg"):
        with pytest.raises(ParameterError, match=rf"for discrete data .* not {score}"):
            learn(table_of_numbers("22222"), score=score)


@every_search
@pytest.mark.filterwarnings("ignore:.*an exact linear function of others")
def test_columns_that_are_functions_of_each_other(method: str, kinds: str, score: str) -> None:
    frame = table_of_numbers(kinds).to_frame("pandas")
    frame["twin"], frame["sum"] = 2 * frame["X0"] + 1, frame["X0"] + frame["X2"]
    data = Dataset.from_frame(frame)
    if kinds == CONTINUOUS or score == "dg":
        with pytest.warns(ArcwiseWarning, match="an exact linear function of others: 'twin', 'sum'"):
            result = learned(method, data, score)
    else:
        result = learned(method, data, score)
    assert isfinite(result.score)
    assert result.score == pytest.approx(LocalScore(data, score).total(result.dag))
    if not states_of_numbers(result.dag, data):
        network = result.network()
        assert np.isfinite(network.log_likelihoods(data)).all()
        if method != "markov-blanket":  # which looks around the last column
            np.testing.assert_allclose(network.predict(data, "twin"), data.numbers_of("twin"), atol=1e-3)


@pytest.mark.parametrize("method", ["ges", "kes", "xges"])
@pytest.mark.parametrize("seed", [3, 6])
@pytest.mark.filterwarnings("ignore:.*an exact linear function of others")
def test_searches_over_classes_end_where_their_graphs_score_differently(method: str, seed: int) -> None:
    """The likelihood of a sum given its terms has no limit; cut off somewhere, it tells equivalent graphs apart."""
    frame = table_of_numbers("ccccccc", seed=seed).to_frame("pandas")
    frame["twin"], frame["sum"] = 2 * frame["X0"] + 1, frame["X0"] + frame["X2"]
    if seed % 2:
        frame["difference"] = frame["X0"] - frame["X4"]
    data = Dataset.from_frame(frame)
    result = learn(data, method=method, seed=3, time_limit=60)  # milliseconds are enough
    assert result.status == Status.LOCAL_OPTIMUM
    assert result.score == pytest.approx(LocalScore(data).total(result.dag))
