"""The parts of a run's file: the result, the data, the network."""

from enum import StrEnum
from typing import Any, TypeVar

from arcwise.data.summary import DataSummary
from arcwise.graph.dag import Dag
from arcwise.network.network import BayesianNetwork
from arcwise.runs.readable import readable
from arcwise.runs.result import Improvement, LocalOptimum, Result, Scope, Status, Tightening
from arcwise.support.fields import Fields
from arcwise.support.quoting import quoted

__all__ = [
    "data_as_json",
    "data_of_json",
    "graph_as_json",
    "graph_of_json",
    "network_as_json",
    "network_of_json",
    "result_as_json",
    "result_of_json",
]

Word = TypeVar("Word", bound=StrEnum)


def result_as_json(result: Result) -> dict[str, Any]:
    """Return a result in values that JSON has."""
    return {
        "method": result.method,
        "status": str(result.status),
        "score": float(result.score),
        "seed": int(result.seed),
        "seconds": float(result.seconds),
        "graph": graph_as_json(result.dag),
        "settings": readable(result.settings),
        "counters": {name: int(number) for name, number in result.counters.items()},
        "trace": [
            {"seconds": point.seconds, "evaluations": point.evaluations, "score": point.score} for point in result.trace
        ],
        "bound": None if result.bound is None else float(result.bound),
        "bound_for": None if result.bound_for is None else str(result.bound_for),
        "bounds": [{"seconds": point.seconds, "bound": point.bound} for point in result.bounds],
        "optima": [
            {"arcs": graph_as_json(optimum.dag)["arcs"], "score": optimum.score, "climbs": optimum.climbs}
            for optimum in result.optima
        ],
    }


def result_of_json(fields: Fields) -> Result:
    """Return the result; its settings stay plain values."""
    dag = graph_of_json(fields.part("graph"))
    counters = fields.part("counters")
    return Result(
        dag=dag,
        score=fields.number("score"),
        status=_word(fields, "status", Status),
        method=fields.text("method"),
        seed=fields.whole("seed"),
        seconds=fields.number("seconds"),
        settings=fields.mapping("settings"),
        counters={name: counters.whole(name) for name in counters},
        trace=tuple(
            Improvement(point.number("seconds"), point.whole("evaluations"), point.number("score"))
            for point in fields.parts("trace")
        ),
        bound=fields.number("bound") if "bound" in fields else None,
        bound_for=_word(fields, "bound_for", Scope) if "bound_for" in fields else None,
        bounds=tuple(Tightening(point.number("seconds"), point.number("bound")) for point in fields.parts("bounds")),
        optima=tuple(
            LocalOptimum(_graph(optimum, dag.names), optimum.number("score"), optimum.whole("climbs"))
            for optimum in fields.parts("optima")
        ),
    )


def graph_as_json(dag: Dag) -> dict[str, Any]:
    """Return a graph by its names and its arcs, parents first."""
    return {"names": list(dag.names), "arcs": [list(arc) for arc in dag.arcs]}


def graph_of_json(fields: Fields) -> Dag:
    """Return the graph; one with a cycle or with unknown names is refused."""
    return _graph(fields, fields.texts("names"))


def _graph(fields: Fields, names: tuple[str, ...]) -> Dag:
    arcs = fields.pairs("arcs")
    return fields.made(lambda: Dag(names, arcs))


def data_as_json(data: DataSummary) -> dict[str, Any]:
    """Return what is known about data."""
    return {
        "fingerprint": data.fingerprint,
        "variables": data.n_variables,
        "rows": data.n_rows,
        "observations": data.n_observations,
        "arities": None if data.arities is None else list(data.arities),
        "states": None if data.states is None else [list(labels) for labels in data.states],
        "sets": data.n_sets,
        "counts": None if data.counts is None else [list(counts) for counts in data.counts],
        "steps": list(data.steps),
    }


def data_of_json(fields: Fields, n_variables: int) -> DataSummary:
    """Return what is known about data of so many variables."""
    states = fields.rows("states", str) if "states" in fields else None
    if fields.whole("variables") != n_variables or (states is not None and len(states) != n_variables):
        raise fields.wrong(f"data must be about the {n_variables:,} variables of the graph")
    counts = fields.rows("counts", int) if "counts" in fields else None
    if counts is not None and list(map(len, counts)) != list(map(len, states or ())):
        raise fields.wrong("counts must have a number for every state")
    return DataSummary(
        fingerprint=fields.text("fingerprint"),
        n_variables=n_variables,
        n_rows=_whole_or_none(fields, "rows"),
        n_observations=_whole_or_none(fields, "observations"),
        states=states,
        n_sets=_whole_or_none(fields, "sets"),
        counts=counts,
        steps=fields.texts("steps") if "steps" in fields else (),
    )


def network_as_json(network: BayesianNetwork) -> dict[str, Any]:
    """Return the states and the tables of a network, whose graph is that of the result."""
    return {
        "states": [list(labels) for labels in network.states],
        "tables": [table.tolist() for table in network.tables],
    }


def network_of_json(fields: Fields, dag: Dag) -> BayesianNetwork:
    """Return the network over a graph."""
    states, tables = fields.rows("states", str), fields.items("tables")

    def make() -> BayesianNetwork:
        return BayesianNetwork(dag, states, tables)

    return fields.made(make)


def _word(fields: Fields, name: str, words: type[Word]) -> Word:
    text = fields.text(name)
    if text not in list(words):
        raise fields.wrong_at(name, f"must be one of {', '.join(words)}, not {quoted(text)}")
    return words(text)


def _whole_or_none(fields: Fields, name: str) -> int | None:
    return fields.whole(name) if name in fields else None
