"""Graphs of igraph, and the module for Benchpress."""

import importlib.util
import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from arcwise import Cpdag, Dag, GraphError, ParameterError, from_igraph, load_example, to_igraph

BENCHPRESS = Path(__file__).parents[2] / "contrib" / "benchpress" / "arcwise"


def test_graphs_go_there_and_back() -> None:
    igraph = pytest.importorskip("igraph")
    dag = load_example("alarm").dag
    graph = to_igraph(dag)
    assert graph.is_dag()
    assert graph.vs["name"] == list(dag.names)
    assert from_igraph(graph) == dag
    assert from_igraph(to_igraph(load_example("alarm"))) == dag
    classes = to_igraph(Cpdag(["a", "b", "c"], [("a", "b")], [("b", "c")]))
    assert sorted(classes.get_edgelist()) == [(0, 1), (1, 2), (2, 1)]
    assert from_igraph(igraph.Graph(n=2, edges=[(1, 0)], directed=True)).arcs == (("X1", "X0"),)


def test_what_is_not_a_dag_is_refused() -> None:
    igraph = pytest.importorskip("igraph")
    with pytest.raises(GraphError, match="undirected"):
        from_igraph(igraph.Graph(n=2, edges=[(0, 1)]))
    with pytest.raises(GraphError, match="cycle"):
        from_igraph(to_igraph(Cpdag(["a", "b"], undirected=[("a", "b")])))
    with pytest.raises(ParameterError, match="a Graph of igraph"):
        from_igraph(Dag(["a"]))
    wrong: Any = "a"
    with pytest.raises(ParameterError, match="a Dag, a Cpdag or a BayesianNetwork"):
        to_igraph(wrong)


@pytest.fixture
def script() -> Any:
    if not BENCHPRESS.is_dir():
        pytest.skip("the module for Benchpress is not here")
    spec = importlib.util.spec_from_file_location("benchpress_script", BENCHPRESS / "script.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("kind", ["discrete", "continuous"])
def test_the_module_for_benchpress_does_its_job(kind: str, script: Any, tmp_path: Path) -> None:
    """Files as Benchpress has them: discrete data with the numbers of states in the second line."""
    rng = np.random.default_rng(1)
    if kind == "discrete":
        a = rng.integers(0, 2, 500)
        rows = [[2, 2, 3], *np.column_stack([a, a ^ (rng.random(500) < 0.1), rng.integers(0, 3, 500)]).tolist()]
    else:
        x = rng.normal(size=500)
        rows = np.column_stack([x, 2 * x + rng.normal(size=500), rng.normal(size=500)]).tolist()
    data = tmp_path / "data.csv"
    data.write_text("\n".join(["a,b,c", *(",".join(map(str, row)) for row in rows)]) + "\n")
    output = {name: str(tmp_path / name) for name in ("adjmat", "time", "ntests")}
    wildcards = {"method": "auto", "score": "bic", "time_limit": "5", "timeout": "None", "replicate": "1"}
    script.main(SimpleNamespace(input={"data": str(data)}, output=output, wildcards=wildcards))
    assert (tmp_path / "adjmat").read_text().splitlines() == ["a,b,c", "0,1,0", "1,0,0", "0,0,0"]
    assert float((tmp_path / "time").read_text()) > 0
    assert (tmp_path / "ntests").read_text() == "None"


def test_its_other_files_are_json() -> None:
    if not BENCHPRESS.is_dir():
        pytest.skip("the module for Benchpress is not here")
    schema = json.loads((BENCHPRESS / "schema.json").read_text())
    assert set(schema["items"]["required"]) == set(schema["items"]["properties"])
    assert set(schema["items"]["examples"][0]) == set(schema["items"]["properties"])
    assert json.loads((BENCHPRESS / "info.json").read_text())["outputs"] == "adjmat"
