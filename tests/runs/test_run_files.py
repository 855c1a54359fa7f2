"""Files of runs: the same is read that was written, and nothing else is taken for one."""

import json
import re
import warnings
from collections.abc import Callable
from contextlib import suppress
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arcwise import (
    BIC,
    BayesianNetwork,
    BDeu,
    Constraints,
    Dag,
    Dataset,
    FormatError,
    GraphError,
    Improvement,
    LocalOptimum,
    LocalScore,
    ParameterError,
    ParentSets,
    Provenance,
    Result,
    Run,
    RunLimits,
    Scope,
    Status,
    Tightening,
    exact,
    learn,
    load_example,
    read_run,
    search_orders,
    select,
    write_run,
)
from arcwise.data.summary import DataSummary
from arcwise.network.tables import FamilyCounts
from arcwise.runs.files import format_run, parse_run
from arcwise.search.registry import SEARCHES
from arcwise.simulation.gaussian import random_mixed_network
from json_damage import damaged
from short_searches import SHORT
from tables import dependent_table

# As docs/runs.md says, written by hand.
BY_HAND = """
{
  "format": "arcwise-run", "version": 1,
  "result": {
    "provenance": {
      "method": "orders", "seed": 7, "score": {"name": "bdeu", "ess": 10}, "options": {"memory": 100},
      "constraints": {"required": [], "forbidden": [["wet", "rain"]], "tiers": [["rain"]], "max_parents": {"wet": 1},
                      "max_degree": 1},
      "start": {"names": ["rain", "wet"], "arcs": []}, "limits": {"time_limit": 60, "evaluation_limit": null},
      "clean_up": false, "certify": 20, "versions": {"arcwise": "0.1.0", "python": "3.11.2", "numpy": "2.0.0"}
    },
    "status": "time limit", "score": -12.5, "seconds": 1.25,
    "graph": {"names": ["rain", "wet"], "arcs": [["rain", "wet"]]},
    "counters": {"evaluations": 4},
    "trace": [{"seconds": 0.5, "evaluations": 2, "score": -13.0}, {"seconds": 1, "evaluations": 4, "score": -12.5}],
    "bound": -12, "bound_for": "all graphs", "bounds": [{"seconds": 1.5, "bound": -12}],
    "optima": [{"arcs": [["wet", "rain"]], "score": -12.5, "climbs": 3}], "decisions": {"plan": "by hand"}
  },
  "data": {"fingerprint": "abc", "variables": 2, "rows": 10, "observations": 12, "arities": [2, 3],
           "states": [["no", "yes"], ["dry", "damp", "wet"]], "sets": null},
  "counts": {"states": [["no", "yes"], ["dry", "damp", "wet"]], "families": [[4, 8], [2, 1, 1, 0, 1, 7]]},
  "warnings": ["a column was discretised"], "command": "arcwise learn rain.csv", "checkpoint": null
}
"""


def test_file_written_by_hand_is_read_as_documented() -> None:
    run = parse_run(BY_HAND)
    assert run.result == Result(
        dag=Dag(["rain", "wet"], [("rain", "wet")]),
        score=-12.5,
        status=Status.TIME_LIMIT,
        provenance=Provenance(
            "orders",
            7,
            BDeu(ess=10),
            {"memory": 100},
            Constraints(forbidden=[("wet", "rain")], tiers=[["rain"]], max_parents={"wet": 1}, max_degree=1),
            start=Dag(["rain", "wet"]),
            limits=RunLimits(time_limit=60),
            certify=20,
            versions={"arcwise": "0.1.0", "python": "3.11.2", "numpy": "2.0.0"},
        ),
        seconds=1.25,
        counters={"evaluations": 4},
        trace=(Improvement(0.5, 2, -13.0), Improvement(1, 4, -12.5)),
        bound=-12,
        bound_for=Scope.ALL_SETS,
        bounds=(Tightening(1.5, -12),),
        optima=(LocalOptimum(Dag(["rain", "wet"], [("wet", "rain")]), -12.5, 3),),
        decisions={"plan": "by hand"},
    )
    states = (("no", "yes"), ("dry", "damp", "wet"))
    assert run.data == DataSummary("abc", 2, 10, 12, states)
    assert run.data is not None
    assert run.data.arities == (2, 3)
    assert run.result.network().table("wet").tolist() == [[0.5, 0.25, 0.25], [0.0, 0.125, 0.875]]
    assert run.result.network(ess=6).table("wet")[0].tolist() == [3 / 7, 2 / 7, 2 / 7]
    assert (run.warnings, run.command) == (("a column was discretised",), "arcwise learn rain.csv")


def result_of(method: str) -> Result:
    data = dependent_table()
    if method == "exact":
        return exact(select(LocalScore(data, "bic"), method="exhaustive").sets, seed=1)
    if method == "search_orders":
        return search_orders(select(LocalScore(data, "bic")).sets, seed=1)
    return learn(data, method=SHORT[method], seed=1, constraints=Constraints(forbidden=[("X0", "X1")]))


@pytest.mark.parametrize("method", [*SEARCHES, "exact", "search_orders"])
def test_result_of_every_method_is_read_as_it_was_written(method: str, tmp_path: Path) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        result = result_of(method)
    write_run(result, tmp_path / "run.json")
    run = read_run(tmp_path / "run.json")
    for field in fields(Result):
        if field.compare:
            assert getattr(run.result, field.name) == getattr(result, field.name), field.name
    assert run.result == result
    if result.data is not None:
        assert run.result.network(ess=1) == result.network(ess=1) == result.network(dependent_table(), ess=1)
    write_run(run, tmp_path / "again.json")
    assert (tmp_path / "again.json").read_bytes() == (tmp_path / "run.json").read_bytes()


numbers = st.floats(allow_nan=False, allow_infinity=False, min_value=-1e300, max_value=1e300)


@given(numbers, numbers, st.integers(0, 2**63), st.lists(st.text(min_size=1), min_size=1, max_size=4, unique=True))
def test_numbers_and_names_come_back_exactly(score: float, bound: float, seed: int, names: list[str]) -> None:
    try:
        dag = Dag(names)
    except ValueError:
        return
    result = Result(dag, score, Status.COMPLETE, Provenance("orders", seed), 0.1, bound=bound)
    assert parse_run(format_run(Run(result))).result == result


@pytest.mark.parametrize("scope", [*Scope, Scope.at_most(1), Scope.at_most(2), Scope.at_most(37)])
def test_the_scope_of_a_bound_comes_back(scope: Scope) -> None:
    provenance = Provenance("orders", 1)
    result = Result(
        Dag(["a", "b"]), -2.0, Status.COMPLETE, provenance, 0.1, bound=-1.5, bound_for=scope, bound_seconds=2.5
    )
    read = parse_run(format_run(Run(result))).result
    assert read == result
    assert read.bound_for is scope


def test_a_scope_that_is_none_is_refused() -> None:
    with pytest.raises(FormatError, match=r"bound_for must be one of .*all graphs, not 'all graphs but one'"):
        parse_run(BY_HAND.replace('"all graphs"', '"all graphs but one"'))


@pytest.mark.parametrize("ending", ["json", "json.gz", "json.zst"])
def test_network_data_and_words_come_back(ending: str, tmp_path: Path) -> None:
    data = load_example("asia").sample(300, seed=1)
    result = learn(data, method="greedy", seed=1)
    path = tmp_path / f"run.{ending}"
    write_run(Run.of(result, warnings=["look"], command="arcwise learn 'ä b.csv'"), path)
    run = read_run(path)
    assert run.result.network(ess=0.5) == BayesianNetwork.fit(result.dag, data, ess=0.5)
    assert run.data == data.summary()
    assert (run.warnings, run.command) == (("look",), "arcwise learn 'ä b.csv'")


def test_data_with_its_columns_in_another_order_is_told_by_the_graph_s(tmp_path: Path) -> None:
    dag = Dag(["a", "b"], [("a", "b")])
    data = Dataset.from_codes([[0, 1], [0, 0], [2, 0]], names=["b", "a"], states=[["x", "y", "z"], ["no", "yes"]])
    result = Result(dag, -1.0, Status.COMPLETE, Provenance("greedy", 0, BIC()), 1.0, data=data)
    write_run(result, tmp_path / "run.json")
    for summary in (Run.of(result, data).data, read_run(tmp_path / "run.json").data):
        assert summary is not None
        assert summary.states == (("no", "yes"), ("x", "y", "z"))  # of a, then of b
        assert summary.counts == ((2, 1), (2, 0, 1))
        assert summary.fingerprint == data.summary().fingerprint


def test_what_is_known_of_numbers_comes_back() -> None:
    dag = Dag(["n", "s", "m"])
    data = Dataset.of({"m": [0.1, 0.2, 7.0], "n": [1e-9, -2.5, 1e30], "s": ["x", "y", "x"]})
    run = Run(Result(dag, -1.0, Status.COMPLETE, Provenance("greedy", 0), 1.0), data.select(dag.names).summary())
    again = parse_run(format_run(run)).data
    assert again == run.data
    assert again is not None
    assert again.arities == (0, 2, 0)
    assert again.spreads is not None
    assert again.spreads[1] is None
    content = json.loads(format_run(run))
    written: list[Any] = content["data"]["spreads"]
    assert written[0]["minimum"] == -2.5
    wrong: list[Any] = [[None, None, None], written[:2], [written[0]] * 3, {}]
    for spreads in wrong:
        content["data"]["spreads"] = spreads
        with pytest.raises(FormatError, match="spreads must be"):
            parse_run(json.dumps(content))
    changes: list[dict[str, Any]] = [{"histogram": []}, {"maximum": -2.5}, {"histogram": [1, -1]}, {"histogram": [1.5]}]
    for change in changes:
        content["data"]["spreads"] = [written[0] | change, *written[1:]]
        with pytest.raises(FormatError, match=r"spreads\[0\]\.histogram.* must"):
            parse_run(json.dumps(content))


def test_a_run_on_numbers_is_told_in_the_order_of_the_graph(tmp_path: Path) -> None:
    random = np.random.default_rng(1)
    data = Dataset.of({"s": random.choice(["x", "y"], 50), "m": random.normal(size=50), "n": random.normal(size=50)})
    dag = Dag(["n", "s", "m"], [("s", "m"), ("m", "n")])
    result = Result(dag, -1.0, Status.COMPLETE, Provenance("greedy", 0, BIC()), 1.0, data=data)
    write_run(result, tmp_path / "run.json")
    for run in (Run.of(result), read_run(tmp_path / "run.json")):
        assert run.data is not None
        assert run.data.spreads == data.select(dag.names).summary().spreads
        assert run.data.arities == (0, 2, 0)
        assert run.data.fingerprint == data.summary().fingerprint


def test_a_graph_whose_tables_would_be_too_large_is_a_run_without_them() -> None:
    names = [f"v{i}" for i in range(6)]
    dag = Dag(names, [(name, "v5") for name in names[:5]])  # 8 bytes times 100 to the 6 in its table
    data = Dataset.from_codes(np.zeros((2, 6), int), names=names, arities=[100] * 6)
    run = Run.of(Result(dag, -1.0, Status.COMPLETE, Provenance("greedy", 0, BIC()), 1.0), data, warnings=["careful"])
    with pytest.raises(ParameterError, match="no data of its own"):
        run.result.network()
    assert run.gains is not None
    assert run.warnings[0] == "careful"
    assert "8000000000000 for 'v5'" in run.warnings[1]


def test_other_data_is_refused(tmp_path: Path) -> None:
    result = Result(Dag(["a", "b"]), -1.0, Status.COMPLETE, Provenance("greedy", 0), 1.0)
    with pytest.raises(GraphError, match="'c'"):
        Run.of(result, Dataset.from_codes([[0, 1]], names=["a", "c"]))


def mixed_result() -> Result:
    network = random_mixed_network(6, 9, arities=range(1, 4), seed=4)
    return Result(
        network.dag,
        -1.0,
        Status.COMPLETE,
        Provenance("greedy", 0),
        1.0,
        data=FamilyCounts.of(network.dag, network.sample(100, seed=4)),
    )


def test_continuous_variables_have_the_same_distributions_after_a_file() -> None:
    result = mixed_result()
    run = parse_run(format_run(Run(result)))
    assert run.result == result
    assert run.result.network(ess=1) == result.network(ess=1)
    assert result.network().continuous


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda moments, name: moments.pop(name), r"counts\.moments\.X\d is missing"),
        (lambda moments, name: moments[name]["means"].pop(), r"moments\.X\d\.means must have \d+ numbers, not \d+"),
        (
            lambda moments, name: moments[name]["triangles"].append(1.0),
            r"X\d\.triangles must have \d+ numbers, not \d+",
        ),
        (lambda moments, name: moments[name].update(counts=[-1]), r"X\d\.counts\[0\] must be a whole number"),
        (lambda moments, name: moments[name].update(scatter=[]), r"X\d\.scatter is an unknown field"),
    ],
)
def test_moments_that_do_not_fit_are_refused(change: Callable[[Any, str], object], message: str) -> None:
    document = json.loads(format_run(Run(mixed_result())))
    moments = document["counts"]["moments"]
    change(moments, next(iter(moments)))
    with pytest.raises(FormatError, match=message):
        parse_run(json.dumps(document))


def test_counts_of_another_graph_are_refused() -> None:
    data = dependent_table()
    with pytest.raises(ParameterError, match="of the same graph"):
        BayesianNetwork.fit(learn(data, method="greedy", seed=1).dag, FamilyCounts.of(Dag(data.names), data))


def test_numbers_that_json_lacks_are_refused_and_the_old_file_stays(tmp_path: Path) -> None:
    result = learn(dependent_table(), method="greedy", seed=1)
    write_run(result, tmp_path / "run.json")
    before = (tmp_path / "run.json").read_bytes()
    with pytest.raises(ParameterError, match="not finite"):
        write_run(replace(result, score=float("nan")), tmp_path / "run.json")
    assert (tmp_path / "run.json").read_bytes() == before
    assert [path.name for path in tmp_path.iterdir()] == ["run.json"]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "not JSON, or it was cut off"),
        ("a,b\n1,2\n", "not JSON"),
        ("[]", "must be an object"),
        ("{}", "not a run of arcwise"),
        ('{"format": "arcwise-network"}', "not a run of arcwise"),
        (BY_HAND.replace('"version": 1', '"version": 2'), "version 2, this arcwise reads 1; update it"),
        (BY_HAND.replace("-12.5", "NaN"), "NaN is not a finite number"),
        (BY_HAND.replace("-12.5", "-Infinity"), "-Infinity is not a finite number"),
        (BY_HAND.replace("-12.5", "1e999"), "1e999 is not a finite number"),
        (BY_HAND.replace("-12.5", '"-12.5"'), "result.score must be a number, not '-12.5'"),
        (BY_HAND.replace('"seed": 7', '"seed": -7'), "provenance.seed must be a whole number from 0, not -7"),
        (
            BY_HAND.replace('"seed": 7', '"seed": true'),
            "provenance.seed must be a whole number from 0, not true",
        ),
        (BY_HAND.replace('"seed": 7', '"seed": 7, "seed": 8'), "an object has the field 'seed' twice; keep one"),
        (BY_HAND.replace('"seed": 7,', ""), "result.provenance.seed is missing"),
        (BY_HAND.replace('"rain", "wet"', '"rain", "\\ud800"', 1), "has half of a surrogate pair"),
        (BY_HAND.replace("-12.5", "1e301"), "result.score must be a number from -1e+300 to 1e+300, not 1e+301"),
        (BY_HAND.replace("time limit", "tired"), "status must be one of"),
        (BY_HAND.replace('[["rain", "wet"]]', '[["rain", "wet"], ["wet", "rain"]]'), "cycle"),
        (BY_HAND.replace('[["rain", "wet"]]', '[["rain", "snow"]]'), "snow"),
        (BY_HAND.replace('[["rain", "wet"]]', '[["rain"]]'), "two names"),
        (BY_HAND.replace("[4, 8]", "[4]"), "counts must have 2 numbers for 'rain', not 1"),
        (BY_HAND.replace("[4, 8]", "[4, -8]"), "counts.families[0][1] must be a number from 0, not -8"),
        (BY_HAND.replace("[[4, 8], ", "["), "counts must be about the 2 variables"),
        (BY_HAND.replace('"bdeu"', '"bdx"'), "result.provenance.score.name must be one of"),
        (BY_HAND.replace('"ess": 10', '"ess": 0'), "score does not fit together: ess of bdeu must be"),
        (BY_HAND.replace('"ess": 10', '"gamma": 10'), "score.gamma is an unknown field"),
        (BY_HAND.replace('"required": []', '"required": [["wet", "rain"]]'), "constraints does not fit together"),
        (BY_HAND.replace('{"wet": 1}', '"few"'), "max_parents must be a whole number from 0"),
        (BY_HAND.replace('"variables": 2', '"variables": 3'), "must be about the 2 variables"),
        ("[" * 100_000, "nested too deep"),
        ('{"version": ' + "9" * 5000 + "}", "cannot be read"),
    ],
)
def test_bad_files_get_one_clear_line(text: str, words: str, tmp_path: Path) -> None:
    path = tmp_path / "run.json"
    path.write_text(text)
    with pytest.raises(FormatError, match=re.escape(words)) as caught:
        read_run(path)
    assert str(path) in str(caught.value)
    assert "\n" not in str(caught.value)
    assert path.read_text() == text


def test_every_beginning_of_a_file_is_refused() -> None:
    whole = BY_HAND.strip()
    for length in range(len(whole)):
        with pytest.raises(FormatError):
            parse_run(whole[:length])


def test_any_damage_is_refused_or_harmless() -> None:
    for _, broken in damaged(json.loads(BY_HAND)):
        with suppress(FormatError):
            parse_run(json.dumps(broken))


def test_bytes_that_are_not_text_are_refused(tmp_path: Path) -> None:
    (tmp_path / "run.json").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(FormatError, match="not UTF-8"):
        read_run(tmp_path / "run.json")


# Fingerprints


def changes() -> list[Callable[[Dataset], Dataset]]:
    def codes(data: Dataset) -> Dataset:
        changed = data.codes.copy()
        changed[0, 0] = 1 - changed[0, 0]
        return Dataset.from_codes(changed, names=data.names, states=data.states)

    def swapped(data: Dataset) -> Dataset:
        return Dataset.from_codes(data.codes[:, [1, 0]], names=data.names, states=data.states)

    def weighted(data: Dataset) -> Dataset:
        return Dataset.from_codes(data.codes, names=data.names, states=data.states, weights=[1] * 3)

    def renamed(data: Dataset) -> Dataset:
        return Dataset.from_codes(data.codes, names=["a", "c"], states=data.states)

    def relabelled(data: Dataset) -> Dataset:
        return Dataset.from_codes(data.codes, names=data.names, states=[["0", "2"], ["0", "1"]])

    def fewer(data: Dataset) -> Dataset:
        return Dataset.from_codes(data.codes[:2], names=data.names, states=data.states)

    return [codes, swapped, weighted, renamed, relabelled, fewer]


@pytest.mark.parametrize("change", changes(), ids=lambda change: change.__name__)
def test_any_change_of_the_data_changes_its_fingerprint(change: Callable[[Dataset], Dataset]) -> None:
    data = Dataset.from_codes([[0, 1], [1, 0], [1, 1]], names=["a", "b"])
    assert change(data).summary().fingerprint != data.summary().fingerprint


def test_same_data_has_the_same_fingerprint_however_it_was_made() -> None:
    data = Dataset.from_codes(np.array([[0, 1], [1, 0], [1, 1]], dtype=np.int64), names=["a", "b"])
    same = Dataset.of({"a": [0, 1, 1], "b": [1, 0, 1]})
    assert same == data
    assert same.summary().fingerprint == data.summary().fingerprint
    assert re.fullmatch("[0-9a-f]{64}", data.summary().fingerprint)


def test_fingerprint_of_parent_sets_is_about_scores_and_members() -> None:
    def table(score: float, parent: str) -> ParentSets:
        return ParentSets.from_lists(["a", "b", "c"], [[(-3, []), (score, [parent])], [(-1, [])], [(-1, [])]])

    assert table(-2, "b").summary().fingerprint == table(-2.0, "b").summary().fingerprint
    others = (table(-2, "b"), table(-2, "c"), table(-2.5, "b"))
    assert len({other.summary().fingerprint for other in others}) == 3


@pytest.mark.parametrize("depth", [250, 450, 900, 100_000])
def test_values_nested_deeper_than_python_can_follow_are_refused(tmp_path: Path, depth: int) -> None:
    data = load_example("cancer").sample(100, seed=1)
    path = tmp_path / "run.json"
    write_run(learn(data, method="greedy", score="bic", seed=1), path)
    whole = path.read_text()
    path.write_text(whole.replace('"decisions": {', '"decisions": {"deep": ' + "[" * depth + "]" * depth, 1))
    with pytest.raises(FormatError, match="nested too deep, more than 200"):
        read_run(path)
    path.write_text(whole.replace('"decisions": {', '"decisions": {"deep": "' + "[" * depth + '"', 1))
    assert read_run(path).result.decisions["deep"] == "[" * depth


def test_a_count_too_large_for_kernels_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "run.json"
    write_run(learn(load_example("cancer").sample(100, seed=1), method="greedy", seed=1), path)
    content = json.loads(path.read_text())
    content["counts"]["families"][0][0] = 10**400
    path.write_text(json.dumps(content))
    with pytest.raises(FormatError, match=r"counts.families\[0\]\[0\] must be a number"):
        read_run(path)
