"""Exact posteriors against all graphs, one after the other."""

import pickle
from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from math import exp, log

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arcwise import (
    Adjusted,
    Budget,
    Constraints,
    Dag,
    Dataset,
    LocalScore,
    ParameterError,
    Prior,
    Status,
    best_networks,
    load_example,
    plot_strengths,
    posterior,
)
from arcwise.scores.definitions import Score
from oracles_graph import all_dags, descendants
from oracles_posterior import children, n_orders, posterior_of_graphs, probabilities
from posterior_checks import known
from tables import dependent_table, table_of_numbers


@settings(max_examples=8, deadline=None)
@given(st.integers(0, 1000), st.integers(1, 200), st.sampled_from(["bdeu", "bic", "k2", "bdeu(ess=50)"]))
def test_arcs_and_ancestors_are_shares_of_all_graphs(seed: int, n_rows: int, score: str) -> None:
    data = dependent_table(n_rows, (2, 3, 2, 2), seed)
    found = posterior(data, score, constraints=Constraints(join_constants=True))
    weights = posterior_of_graphs(LocalScore(data, score))
    np.testing.assert_allclose(found.arcs.toarray(), probabilities(4, weights, children), atol=2e-9)
    np.testing.assert_allclose(known(found.ancestors), probabilities(4, weights, descendants), atol=1e-10)
    assert found.error < 1e-10


def test_of_five_variables_too() -> None:
    data = dependent_table(80, (2, 3, 2, 2, 2), 3)
    weights = posterior_of_graphs(LocalScore(data, "bdeu"))
    arcs, ancestors = probabilities(5, weights, children), probabilities(5, weights, descendants)
    for workers in (1, 3):
        found = posterior(data, workers=workers)
        np.testing.assert_allclose(found.arcs.toarray(), arcs, atol=2e-9)
        np.testing.assert_allclose(known(found.ancestors), ancestors, atol=1e-10)


@pytest.mark.parametrize("seed", range(3))
def test_with_the_prior_over_orders_a_graph_counts_once_for_each_of_its_orders(seed: int) -> None:
    data = dependent_table(60, (2, 3, 2, 2), seed)
    found = posterior(data, prior="orders")
    weights = posterior_of_graphs(LocalScore(data, "bdeu"), by_orders=True)
    np.testing.assert_allclose(found.arcs.toarray(), probabilities(4, weights, children), atol=2e-9)
    with pytest.raises(ParameterError, match="take prior='graphs'"):
        found.ancestor(0, 1)


def test_the_oracle_counts_orders() -> None:
    assert [n_orders(3, arcs) for arcs in ([], [(0, 1)], [(0, 1), (1, 2)])] == [6, 3, 1]


@pytest.mark.parametrize("prior", ["graphs", "orders"])
def test_constraints_leave_the_graphs_that_keep_to_them(prior: str) -> None:
    data = dependent_table(50, (2, 3, 2, 2), 1)
    a, b, c, d = data.names
    for constraints in (
        Constraints(required=[(c, a)], forbidden=[(b, d)], max_parents=2),
        Constraints(tiers=[[d], [a, b]]),
        Constraints(max_parents={a: 0, d: 1}),
    ):
        found = posterior(data, prior=prior, constraints=constraints)
        weights = posterior_of_graphs(LocalScore(data, "bdeu"), constraints, by_orders=prior == "orders")
        np.testing.assert_allclose(found.arcs.toarray(), probabilities(4, weights, children), atol=2e-9)
        if prior == "graphs":
            np.testing.assert_allclose(known(found.ancestors), probabilities(4, weights, descendants), atol=1e-10)


def test_constraints_that_no_graph_keeps_to_are_refused() -> None:
    rules = Constraints(required=[("a", "b"), ("b", "c")], max_parents={"c": 1}, tiers=[["a", "b", "c"]])
    data = Dataset.from_codes([[0, 1, 0], [1, 0, 1]], names=["a", "b", "c"])
    assert posterior(data, constraints=rules).arc("b", "c") == pytest.approx(1)
    with pytest.raises(ParameterError, match="posterior cannot limit how many nodes are adjacent"):
        posterior(data, constraints=Constraints(max_degree=1))


def test_other_kinds_of_data_and_of_scores() -> None:
    cases: list[tuple[Dataset, str | Score]] = [
        (table_of_numbers("cccc", 40), "bge"),
        (table_of_numbers("c2c3", 40), "bic"),
        (dependent_table(40, (2, 3, 2, 2)), Adjusted("bdeu", Prior(arcs={("X0", "X1"): 0.9}))),
    ]
    for data, score in cases:
        found = posterior(data, score)
        weights = posterior_of_graphs(LocalScore(data, score))
        np.testing.assert_allclose(found.arcs.toarray(), probabilities(4, weights, children), atol=2e-9)


def test_the_evidence_of_two_variables_is_the_sum_of_three_graphs() -> None:
    """BDeu with ess 1 of two equal binary columns of two rows, by hand."""
    data = Dataset.from_codes([[0, 0], [1, 1]], arities=[2, 2])
    # alone: Γ(1)/Γ(3) (Γ(3/2)/Γ(1/2))²; with a parent, for each of its states: Γ(1/2)/Γ(3/2) Γ(5/4)/Γ(1/4)
    alone = Fraction(1, 2) * Fraction(1, 4)
    with_parent = (2 * Fraction(1, 4)) ** 2
    found = posterior(data)
    assert found.log_evidence == pytest.approx(log(alone * alone + 2 * alone * with_parent))
    assert found.arc(0, 1) == pytest.approx(float(alone * with_parent / (alone * alone + 2 * alone * with_parent)))


def test_every_graph_counts_here_and_every_class_in_the_weights_of_best_networks() -> None:
    """All classes of four variables, with the graphs of each counted one by one."""
    data = dependent_table(30, (2, 3, 2, 2), 1)
    score = LocalScore(data, "bdeu")
    names, found, best = data.names, posterior(data), best_networks(score, 1000)
    graphs = Counter(Dag(names, [(names[a], names[b]) for a, b in arcs]).cpdag() for arcs in all_dags(4))
    assert (len(best.networks), len(graphs)) == (185, 185)
    assert found.log_evidence is not None
    shares = [graphs[network.cpdag] * exp(network.score - found.log_evidence) for network in best.networks]
    assert sum(shares) == pytest.approx(1)
    each_once = [exp(network.score - found.log_evidence) for network in best.networks]
    assert best.weights == pytest.approx([share / sum(each_once) for share in each_once])
    either_way = {("X0", "X1"), ("X1", "X0")}
    pairs = zip(best.networks, shares, strict=True)
    a_with_b = sum(share for network, share in pairs if either_way & set(network.dag.arcs))
    assert found.edge("X0", "X1") == pytest.approx(a_with_b)


def test_the_order_of_the_columns_does_not_matter() -> None:
    """Nothing can be enumerated here."""
    codes = np.asarray(dependent_table(100, (2, 3) * 5, 1).codes)
    found = posterior(Dataset.from_codes(codes)).arcs.toarray()
    backwards = posterior(Dataset.from_codes(np.ascontiguousarray(codes[:, ::-1])))
    np.testing.assert_allclose(backwards.arcs.toarray()[::-1, ::-1], found, atol=1e-8)
    assert backwards.error < 1e-9


def test_one_variable_and_constants() -> None:
    assert posterior({"a": ["x", "y"]}).arcs.nnz == 0
    data = dependent_table(50, (2, 2, 2), constant=True)
    found = posterior(data)
    assert found.arcs.toarray()[2].sum() == found.arcs.toarray()[:, 2].sum() == 0


@pytest.mark.parametrize("method", ["exact", "partition"])
@pytest.mark.parametrize("budget", [Budget(time_limit=0), Budget(evaluation_limit=0)], ids=str)
def test_limits_leave_nothing_that_looks_like_an_answer(method: str, budget: Budget) -> None:
    found = posterior(dependent_table(), method=method, budget=budget)
    assert found.status in (Status.TIME_LIMIT, Status.EVALUATION_LIMIT)
    assert (found.has_probabilities, found.error, len(found.graphs)) == (False, np.inf, 0)
    with pytest.raises(IndexError, match="0 rows and columns"):
        found.arcs[0, 1]
    questions: list[Callable[[], object]] = [
        lambda: found.arc(0, 1),
        lambda: found.edge(0, 1),
        lambda: found.direction(0, 1),
        lambda: found.ancestor(0, 1),
        lambda: found.blanket(0, 1),
        lambda: found.probability(lambda dag: dag.n_arcs),
        found.adjacent,
        found.to_frame,
        found.averaged,
        found.skeleton,
        lambda: found.threshold,
        lambda: plot_strengths(found),
    ]
    for ask in questions:
        with pytest.raises(ParameterError, match=rf"no probabilities: what ended it \({found.status}\) came before"):
            ask()
    assert "nothing" in repr(found)
    assert "nothing" in found._repr_html_()


@pytest.mark.filterwarnings("ignore:an arc from outside")
def test_advice_on_the_prior_over_orders_leads_somewhere() -> None:
    few, many = dependent_table(20, (2,) * 5), dependent_table(20, (2,) * 25)
    with pytest.raises(ParameterError, match="at most 24 variables; take method='exact'"):
        posterior(few, prior="orders", method="partition")
    assert posterior(few, prior="orders", method="exact").status == Status.COMPLETE
    with pytest.raises(ParameterError, match="at most 24 variables, not 25; take prior='graphs'"):
        posterior(many, prior="orders", method="partition")
    for method in ("auto", "exact"):
        with pytest.raises(ParameterError, match="take prior='graphs' and method='partition'"):
            posterior(many, prior="orders", method=method)
    with pytest.raises(ParameterError, match=r"memory allows .*; take prior='graphs' and method='partition'"):
        posterior(few, prior="orders", memory=10)
    found = posterior(many, prior="graphs", method="partition", candidates=2, precision=0.5, seed=1)
    assert found.status == Status.COMPLETE


def test_what_does_not_fit_is_refused_before_it_begins() -> None:
    data = dependent_table(20, (2,) * 25)
    with pytest.raises(ParameterError, match="at most 24 variables, not 25; take method='partition'"):
        posterior(data, method="exact")
    with pytest.raises(ParameterError, match="more than memory allows"):
        posterior(dependent_table(20, (2,) * 20), method="exact", memory=10**6)
    for options, message in [
        ({"method": "best"}, "method must be"),
        ({"prior": "flat"}, "prior must be"),
        ({"precision": 0}, "precision must be a finite number above 0"),
        ({"chains": 1}, "chains must be at least 2"),
        ({"candidates": 21}, "candidates must be at most 20"),
        ({"missing": "em"}, "missing must be"),
        ({"time_limit": 1, "budget": Budget()}, "a time limit or a budget"),
        ({"method": "partition", "prior": "orders"}, "prior='orders' is for exact sums"),
    ]:
        with pytest.raises(ParameterError, match=message):
            posterior(dependent_table(), **options)  # type: ignore[arg-type]
    found = posterior(dependent_table())
    with pytest.raises(ParameterError, match="nothing to resume"):
        posterior(dependent_table(), resume=found)


def test_the_averaged_network_has_the_edges_above_one_half() -> None:
    found = posterior(load_example("asia").sample(500, seed=1))
    averaged = found.averaged()
    expected = {frozenset((a, b)) for a, b, edge, _ in found.adjacent() if edge > 0.5}
    assert {frozenset(arc) for arc in averaged.arcs} == expected
    again = pickle.loads(pickle.dumps(found))
    np.testing.assert_array_equal(again.arcs.toarray(), found.arcs.toarray())
    assert found.direction("smoke", "lung") == pytest.approx(found.arc("smoke", "lung") / found.edge("lung", "smoke"))
