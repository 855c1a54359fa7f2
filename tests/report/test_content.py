"""What a report holds agrees with the run it is of."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from arcwise import (
    BIC,
    ArcwiseWarning,
    BayesianNetwork,
    BDeu,
    ConditionalGaussian,
    Constraints,
    Dag,
    Dataset,
    GraphError,
    ParameterError,
    Provenance,
    Result,
    Run,
    RunLimits,
    Scope,
    Status,
    Table,
    arc_gains,
    bootstrap,
    learn,
    load_example,
    write_report,
)
from arcwise.report.content import content_of, points_of, tables_of
from arcwise.simulation.gaussian import random_gaussian_network


@pytest.fixture(scope="module")
def truth() -> BayesianNetwork:
    return load_example("asia")


@pytest.fixture(scope="module")
def data(truth: BayesianNetwork) -> Dataset:
    return truth.sample(2000, seed=3)


@pytest.fixture(scope="module")
def run(data: Dataset) -> Run:
    return Run.of(learn(data, method="greedy", seed=1), data, command="arcwise learn asia", warnings=["careful"])


def test_everything_is_plain_json(run: Run) -> None:
    content = content_of(run, title="asia")
    assert json.loads(json.dumps(content, allow_nan=False)) == content


def test_nodes_have_their_counts_and_tables(run: Run, data: Dataset) -> None:
    nodes = content_of(run, title="asia")["nodes"]
    assert nodes["name"] == list(data.names)
    assert nodes["states"] == [list(labels) for labels in data.states]
    for v, (counts, table) in enumerate(zip(nodes["counts"], nodes["tables"], strict=True)):
        assert counts == [int((data.codes[:, v] == state).sum()) for state in range(data.arities[v])]
        fitted = BayesianNetwork.fit(run.result.dag, data, ess=1.0).tables[v]
        np.testing.assert_allclose(table["probabilities"], fitted.ravel(), rtol=5e-4)
        assert table["shown"] == table["rows"] == fitted.size // data.arities[v]


def test_arcs_have_their_gains_and_directions(run: Run, data: Dataset) -> None:
    dag, arcs = run.result.dag, content_of(run, title="asia")["arcs"]
    named = [(dag.names[i], dag.names[j]) for i, j in zip(arcs["from"], arcs["to"], strict=True)]
    assert named == list(dag.arcs)
    gains = arc_gains(dag, data)
    assert arcs["gain"] == pytest.approx([gains[arc] for arc in named], abs=1e-3)
    undirected = {frozenset(edge) for edge in dag.cpdag().undirected}
    assert arcs["reversible"] == [frozenset(arc) in undirected for arc in named]
    assert any(arcs["reversible"])


def test_large_tables_are_cut_and_say_so() -> None:
    names = [f"v{i}" for i in range(10)]
    dag = Dag(names, [(name, "v9") for name in names[:9]])
    network = BayesianNetwork(dag, [["0", "1"]] * 10, [[0.5, 0.5]] * 9 + [np.full((2,) * 10, 0.5)])
    table = tables_of(network)[9]
    assert table["rows"] == 512
    assert table["shown"] == 200
    assert len(table["probabilities"]) == 400


def test_tables_of_many_states_are_cut_to_what_a_browser_can_lay_out() -> None:
    dag = Dag(["a", "b"], [("a", "b")])
    states = [str(state) for state in range(3000)]
    network = BayesianNetwork(dag, [states] * 2, [np.full(3000, 1 / 3000), np.full((3000, 3000), 1 / 3000)])
    table = tables_of(network)[1]
    assert table["rows"] == 3000
    assert 1 <= table["shown"] < 10
    assert len(table["probabilities"]) == 3000 * table["shown"]


@pytest.mark.parametrize("p", [0.99997, 0.999999, 1 - 1e-12, 1e-12, 0.12345678, 0.9991234])
def test_only_certain_probabilities_are_0_or_1(p: float) -> None:
    network = BayesianNetwork(Dag(["a", "b"]), [["0", "1"]] * 2, [[p, 1 - p], [1.0, 0.0]])
    some, certain = (table["probabilities"] for table in tables_of(network))
    assert all(0 < q < 1 for q in some)
    assert some == pytest.approx([p, 1 - p], rel=1e-3)
    assert 1 - some[0] == pytest.approx(1 - p, rel=1e-3)
    assert certain == [1.0, 0.0]


def test_a_bare_result_has_a_report() -> None:
    result = Result(Dag(["a", "b"], [("a", "b")]), -1.0, Status.COMPLETE, Provenance("greedy", 0), 1.0)
    content = content_of(Run(result), title="bare")
    assert content["data"] is None
    assert content["nodes"]["states"] is None
    assert content["arcs"]["gain"] is None


def test_differences_to_a_reference() -> None:
    names = ["a", "b", "c", "d"]
    learned = Dag(names, [("a", "b"), ("c", "b"), ("a", "d")])
    true = Dag(names, [("a", "b"), ("b", "c"), ("c", "d")])
    result = Result(learned, -1.0, Status.COMPLETE, Provenance("greedy", 0), 1.0)
    reference = content_of(Run(result), title="", reference=true)["reference"]
    status = dict(zip(learned.arcs, reference["status"], strict=True))
    assert status == {("a", "b"): "same", ("c", "b"): "reversed", ("a", "d"): "extra"}
    assert reference["missing"] == [[2, 3]]
    rows = dict(reference["rows"])
    assert rows["edges in both"] == "2 of 3, 1 of them reversed"


def test_strengths_of_both_kinds(run: Run, data: Dataset) -> None:
    strengths = bootstrap(data, "greedy", 10, seed=1)
    content = content_of(run, title="", strengths=strengths)
    names = data.names
    for i, j, there, back in content["strengths"]["pairs"]:
        assert there == pytest.approx(strengths.arcs[i, j], abs=1e-4)
        assert there + back == pytest.approx(strengths.edge(names[i], names[j]), abs=2e-4)
    pairs = {frozenset(pair[:2]) for pair in content["strengths"]["pairs"]}
    assert len(pairs) == len(content["strengths"]["pairs"])
    assert content["strengths"]["replicas"] == 10
    for (parent, child), share in zip(run.result.dag.arcs, content["arcs"]["share"], strict=True):
        assert share == pytest.approx(strengths.edge(parent, child), abs=1e-4)

    shares = {(a, b): float(strengths.arcs[i, j]) for i, a in enumerate(names) for j, b in enumerate(names)}
    again = content_of(run, title="", strengths=shares)
    assert again["strengths"]["pairs"] == content["strengths"]["pairs"]


def test_pairs_that_hardly_any_replica_joins_are_left_out_and_it_is_said() -> None:
    dag = Dag(["a", "b", "c", "d"], [("a", "b")])
    run = Run(Result(dag, -1.0, Status.COMPLETE, Provenance("greedy", 0), 1.0))
    shares = {("b", "a"): 0.002, ("a", "c"): 0.004, ("c", "a"): 0.004, ("a", "d"): 0.006, ("d", "a"): 0.006}
    shares |= {("b", "c"): 0.009, ("c", "d"): 0.0}
    strengths = content_of(run, title="", strengths=shares)["strengths"]
    assert strengths["pairs"] == [[0, 3, 0.006, 0.006], [0, 1, 0.0, 0.002]]
    assert strengths["note"] == "Pairs not in the graph that less than 1 % join are left out: 2."
    without = content_of(run, title="", strengths={("a", "b"): 1.0})["strengths"]
    assert without["note"] == ""


@pytest.mark.parametrize(
    ("strengths", "words"),
    [
        ({("asia", "nobody"): 0.5}, "nobody"),
        ({("asia", "tub"): 12.0}, "from 0 to 1.*12"),  # as of arc_gains
        ({("asia", "tub"): -0.5}, "from 0 to 1"),
        ({("asia", "tub"): float("nan")}, "finite"),
        ({("asia", "tub"): "all"}, "number"),
        ({"asia": 0.5}, "two names"),
        ("strengths.csv", "not str"),
    ],
)
def test_strengths_that_are_none_are_refused(run: Run, strengths: Any, words: str) -> None:
    with pytest.raises(ParameterError, match=words):
        content_of(run, title="", strengths=strengths)


def test_references_of_all_kinds(run: Run, truth: BayesianNetwork, tmp_path: Path) -> None:
    for reference in (truth, truth.dag, run.result):
        write_report(run, tmp_path / "report.html", reference=reference)
    others: list[Any] = [truth.dag.cpdag(), "asia.bif"]
    for other in others:
        with pytest.raises(ParameterError, match="reference must be a Dag"):
            write_report(run, tmp_path / "other.html", reference=other)
    assert [file.name for file in tmp_path.iterdir()] == ["report.html"]


def test_doubtful_data_is_remarked() -> None:
    codes = [[0, int(row >= 38), row % 2] for row in range(40)]
    declared = Dataset.from_codes(codes, names=["same", "rare", "good"], arities=[1, 3, 2])
    result = learn(declared, method="greedy", seed=1)
    warnings = content_of(Run.of(result, declared), title="")["warnings"]
    assert warnings == [
        "same has the same value in all observations and can tell nothing",
        "rare has states that never occur",
        "rare has states with fewer than 5 observations",
    ]


def test_numbers_are_told_by_their_mean_and_range() -> None:
    columns = {"same": [0.5, 0.5, 0.5, 0.5], "bmi": [20.5, 22.5, 22.5, 26.5], "sex": ["f", "m", "f", "m"]}
    with pytest.warns(ArcwiseWarning, match="'same'"):
        data = Dataset.of(columns)
    result = Result(Dag(data.names), -1.0, Status.COMPLETE, Provenance("greedy", 0), 1.0)
    content = content_of(Run(result, data.summary()), title="")
    assert json.loads(json.dumps(content, allow_nan=False)) == content
    assert content["nodes"]["states"] == [[], [], ["f", "m"]]
    assert content["nodes"]["counts"] == [[], [], [2, 2]]
    assert content["nodes"]["numbers"] == [
        "mean 0.5, standard deviation 0, from 0.5 to 0.5",
        "mean 23, standard deviation 2.179, from 20.5 to 26.5",
        None,
    ]
    assert content["data"]["rows"][1:4] == [["rows", "4"], ["continuous variables", "2"], ["states of a variable", "2"]]
    assert content["warnings"] == [
        "same has the same value in all observations and can tell nothing",
        "sex has states with fewer than 5 observations",
    ]


@pytest.fixture(scope="module")
def clinic() -> Dataset:
    """Weight depends on dose, and bmi on the ward and on the dose, in each ward in another way."""
    random = np.random.default_rng(1)
    ward, dose = random.integers(0, 2, 400), random.gamma(3.0, 2.0, 400)
    weight = 70 + 5 * dose + random.normal(0, 3, 400)
    bmi = np.where(ward == 0, 20 - dose, 25 + dose) + random.normal(size=400)
    return Dataset.of({"bmi": bmi, "ward": ward, "dose": dose, "weight": weight})


CLINIC = Dag(["bmi", "ward", "dose", "weight"], [("ward", "bmi"), ("dose", "bmi"), ("dose", "weight")])


def of_clinic(data: Dataset, dag: Dag = CLINIC) -> Result:
    return Result(dag, -1.0, Status.COMPLETE, Provenance("greedy", 0, BIC()), 1.0, data=data)


def regression(y: np.ndarray[Any, Any], *parents: np.ndarray[Any, Any]) -> list[float]:
    """Intercept, coefficients and standard deviation by least squares."""
    design = np.column_stack([np.ones(len(y)), *parents])
    found = np.linalg.lstsq(design, y, rcond=None)[0]
    return [*found.tolist(), float(np.std(y - design @ found))]


def test_continuous_nodes_have_regressions(clinic: Dataset, tmp_path: Path) -> None:
    content = content_of(Run.of(of_clinic(clinic)), title="")
    assert json.loads(json.dumps(content, allow_nan=False)) == content
    of_bmi, of_ward, of_dose, of_weight = content["nodes"]["tables"]
    bmi, dose, weight = (clinic.numbers_of(name) for name in ("bmi", "dose", "weight"))
    ward = clinic.codes[:, 1]
    rows = [number for state in (0, 1) for number in regression(bmi[ward == state], dose[ward == state])]
    assert of_bmi == {"regressions": pytest.approx(rows, rel=1e-4), "rows": 2, "shown": 2}
    assert of_weight == {"regressions": pytest.approx(regression(weight, dose), rel=1e-4), "rows": 1, "shown": 1}
    assert of_dose == {"regressions": pytest.approx(regression(dose), rel=1e-4), "rows": 1, "shown": 1}
    shares = (np.bincount(ward) + 0.5) / 401
    assert of_ward == {"probabilities": pytest.approx(shares, abs=1e-4), "rows": 1, "shown": 1}
    write_report(of_clinic(clinic), tmp_path / "report.html")


@pytest.mark.parametrize("deviation", [5e-324, 0.00123, 3.0, 1e300])
def test_numbers_keep_the_digits_that_their_deviation_has(deviation: float) -> None:
    gaussians = [ConditionalGaussian(1013.2537, [], deviation), ConditionalGaussian(0.0, [], deviation)]
    first, second = tables_of(BayesianNetwork(Dag(["a", "b"]), [(), ()], gaussians))
    assert first["regressions"][0] == pytest.approx(1013.2537, abs=max(deviation / 100, 1e-12), rel=1e-4)
    if deviation == 0.00123:
        assert first["regressions"] == [1013.2537, 0.00123]
    assert second["regressions"][0] == 0.0
    assert second["regressions"][1] == pytest.approx(deviation, rel=1e-4, abs=0)


def test_regressions_are_cut_as_tables_are() -> None:
    names = [f"v{i}" for i in range(10)]
    dag = Dag(names, [(name, "v9") for name in names[:9]])
    shape = (2,) * 8
    child = ConditionalGaussian(np.arange(256.0).reshape(shape), np.ones((*shape, 1)), np.ones(shape))
    tables: list[Any] = [Table([0.5, 0.5])] * 8
    network = BayesianNetwork(dag, [["0", "1"]] * 8 + [()] * 2, [*tables, ConditionalGaussian(0, [], 1), child])
    table = tables_of(network)[9]
    assert (table["rows"], table["shown"], len(table["regressions"])) == (256, 200, 600)
    assert table["regressions"][::3] == list(range(200))


def test_histograms_count_all_observations(clinic: Dataset) -> None:
    weights = np.arange(400, dtype=np.uint32) % 3
    data = Dataset(clinic.codes, clinic.names, clinic.states, numbers=clinic.numbers, weights=weights)
    for source, repeats in ((clinic, np.ones(400, int)), (data, weights)):
        nodes = content_of(Run.of(of_clinic(source)), title="")["nodes"]
        assert nodes["histograms"][1] is None
        for v in (0, 2, 3):
            numbers = np.repeat(clinic.numbers_of(clinic.names[v]), repeats)
            histogram = nodes["histograms"][v]
            assert histogram["counts"] == np.histogram(numbers, bins=len(histogram["counts"]))[0].tolist()
            assert histogram["from"] == pytest.approx(numbers.min(), rel=1e-3)
            assert histogram["to"] == pytest.approx(numbers.max(), rel=1e-3)


def test_rows_of_the_data_become_points(clinic: Dataset) -> None:
    points = content_of(Run.of(of_clinic(clinic)), title="", rows=clinic)["nodes"]["points"]
    assert (points["rows"], points["of"]) == (300, 400)
    assert points["values"][1] is None
    values = np.array([points["values"][v] for v in (0, 2, 3)])
    numbers = np.array([clinic.numbers_of(clinic.names[v]) for v in (0, 2, 3)])
    low, high = numbers.min(axis=1, keepdims=True), numbers.max(axis=1, keepdims=True)
    places = np.rint(999 * (numbers - low) / (high - low)).astype(int)
    rows = {tuple(row) for row in places.T.tolist()}
    assert {tuple(row) for row in values.T.tolist()} <= rows
    assert points == points_of(CLINIC, clinic)  # the same rows each time


def test_only_rows_that_were_observed_become_points() -> None:
    numbers = np.array([[-1e308, 1.0], [9.0, 5.0], [0.0, 2.0], [1e308, 9.0]])
    data = Dataset.from_numbers(numbers, names=["a", "b"], weights=[1, 0, 2, 1])
    assert points_of(Dag(["b", "a"], [("a", "b")]), data) == {
        "rows": 3,
        "of": 3,
        "values": [[0, 125, 999], [0, 500, 999]],
    }


def test_nodes_without_continuous_neighbours_have_no_points(clinic: Dataset) -> None:
    assert points_of(Dag(CLINIC.names, [("ward", "bmi")]), clinic) is None
    points = points_of(Dag(CLINIC.names, [("ward", "bmi"), ("dose", "weight")]), clinic)
    assert points is not None
    assert [values is not None for values in points["values"]] == [False, False, True, True]


def test_points_and_regressions_of_thousands_of_nodes_stay_small() -> None:
    network = random_gaussian_network(3000, 4000, seed=1)
    data = network.sample(500, seed=1)
    content = content_of(Run.of(of_clinic(data, network.dag)), title="", rows=data)
    points = content["nodes"].pop("points")
    assert points["rows"] >= 100
    assert len(json.dumps(points)) < 2_000_000
    assert len(json.dumps(content["nodes"])) < 2_000_000


def test_reports_show_points_where_the_rows_are_at_hand(clinic: Dataset, tmp_path: Path) -> None:
    result, file = of_clinic(clinic), tmp_path / "report.html"
    run = Run.of(result)
    for found, data, has_points in ((result, None, True), (run, None, False), (run, clinic, True)):
        write_report(found, file, data=data)
        assert ('"points":{' in file.read_text(encoding="utf-8")) == has_points
    wrong: Any = [[1.0, 2.0]]
    with pytest.raises(ParameterError, match="data must be a Dataset, not list"):
        write_report(result, file, data=wrong)
    with pytest.raises(GraphError, match="the data"):
        write_report(run, file, data=clinic.select(["bmi", "ward"]))


def test_weights_count_as_observations() -> None:
    data = Dataset.from_codes([[0], [1]], weights=[3, 4])
    run = Run.of(learn(data, method="greedy", seed=1), data)
    assert content_of(run, title="")["nodes"]["counts"] == [[3, 4]]
    assert ["observations", "7 (rows by their weights)"] in content_of(run, title="")["data"]["rows"]


def test_settings_are_worded(run: Run) -> None:
    rules = Constraints(forbidden=[("a", "b")])
    asked = Provenance("k2", 3, BDeu(10.0), {"order": None}, rules, limits=RunLimits(time_limit=60), clean_up=True)
    result = replace(run.result, provenance=asked, decisions={"plan": "by hand"})
    shown = dict(content_of(replace(run, result=result), title="")["settings"])
    assert (shown["method"], shown["seed"]) == ("k2", "3")
    assert shown["score"] == "BDeu(ess=10)"
    assert shown["constraints"].startswith("Constraints(required=none, forbidden=[[a, b]]")
    assert shown["clean up"] == "yes"
    assert shown["order"] == "none"
    assert (shown["time limit"], shown["evaluation limit"]) == ("60", "none")
    assert shown["plan"] == "by hand"


@pytest.mark.parametrize(("gap", "value"), [(0.0, "proven"), (12.5, "at most 12.50")])
def test_the_gap_is_told_with_its_scope(run: Run, gap: float, value: str) -> None:
    result = replace(run.result, bound=run.result.score + gap, bound_for=Scope.ALL_SETS)
    cards = {name: (shown, note) for name, shown, note in content_of(replace(run, result=result), title="")["summary"]}
    assert cards["gap to the best score"][0] == value
    assert "for all graphs" in cards["gap to the best score"][1]


def test_long_settings_are_cut(run: Run) -> None:
    result = replace(run.result, decisions={"order": list(range(5000))})
    content = content_of(replace(run, result=result), title="")
    assert len(dict(content["settings"])["order"]) < 2100


def test_what_is_missing_is_told() -> None:
    columns = {"a": ["x", None, "y", "x"] * 5, "b": ["u", "v", "u", None] * 5, "c": ["p", "q", "q", "p"] * 5}
    data = Dataset.of(columns, missing="keep")
    content = content_of(Run.of(learn(data, seed=1)), title="Gaps")
    assert content["nodes"]["missing"] == ["5 of 20 observations (25 %)"] * 2 + [None]
    about = dict(content["data"]["rows"])
    assert about["values missing"] == "10 of 60; 10 observations have all"
    assert about["missing of each variable"] == "a in 25 %, b in 25 %"
    assert about["missing together"] == "none in 10; a in 5; b in 5"
    settings = dict(content["settings"])
    assert settings["missing"].startswith("10 of 60 values are missing, in 2 of 3 columns; 10 of 20 rows have all")


def test_points_have_both_numbers() -> None:
    random = np.random.default_rng(1)
    numbers = random.normal(size=(50, 2))
    numbers[:20, 0] = numbers[40:, 1] = np.nan
    data = Dataset.from_numbers(np.ma.masked_invalid(numbers), names=["a", "b"])
    points = points_of(Dag(["a", "b"], [("a", "b")]), data)
    assert points is not None
    assert points["of"] == 20
