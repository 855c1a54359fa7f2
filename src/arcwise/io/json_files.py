"""Networks and graphs in JSON, in formats of arcwise's own: everything is kept, and any program can read it.

docs/formats.md describes them, and `arcwise/io/arcwise.schema.json` is their JSON Schema.
"""

import json
import os
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from arcwise.data.step_files import steps_as_json, steps_of_json
from arcwise.graph.cpdag import Cpdag
from arcwise.graph.dag import Dag
from arcwise.io.declarations import Family, Lines, Variable, family_distributions, network_of, parents_by_kind
from arcwise.network.distributions import ConditionalGaussian, Table
from arcwise.network.network import BayesianNetwork
from arcwise.support.errors import ParameterError
from arcwise.support.fields import Fields, parsed_json
from arcwise.support.files import read_text, write_text
from arcwise.support.messages import type_of
from arcwise.support.quoting import cut, listed, quoted

__all__ = ["format_json", "parse_json", "read_json", "write_json"]

NETWORK, GRAPH, VERSION = "arcwise-network", "arcwise-graph", 1


def read_json(path: str | os.PathLike[str]) -> BayesianNetwork | Dag | Cpdag:
    """What a JSON file holds; .gz, .xz, .bz2 and .zst are decompressed. See `parse_json`."""
    return parse_json(read_text(path), path=os.fspath(path))


def write_json(content: BayesianNetwork | Dag | Cpdag, path: str | os.PathLike[str]) -> None:
    """Write a network or a graph to a JSON file, compressed when the name ends in .gz, .xz, .bz2 or .zst.

    `read_json` gives back an equal one.
    """
    write_text(path, format_json(content))


def parse_json(text: str, *, path: str | None = None) -> BayesianNetwork | Dag | Cpdag:
    """Network or graph in a JSON text; a graph is a `Cpdag` if it has undirected edges.

    Parameters
    ----------
    text
        The whole text.
    path
        Where it came from, for messages.

    Raises
    ------
    FormatError
        With the line or the place in the document, for what is not JSON or not in one of the formats, a field that
        is missing, repeated or unknown, and for whatever is of the wrong type, unknown or not a probability.

    Examples
    --------
    >>> parse_json('{"format": "arcwise-graph", "version": 1, "nodes": ["a", "b"], "arcs": [["a", "b"]]}')
    <Dag: 2 nodes, 1 arc>
    >>> parse_json('{"format": "arcwise-graph", "version": 1, "nodes": ["a"], "arcs": [["a", 1]]}')
    Traceback (most recent call last):
        ...
    arcwise.FormatError: arcs[0][1] must be a string, not 1
    """
    document = Fields(parsed_json(text, path), path=path)
    kind = document.text("format")
    if kind not in (NETWORK, GRAPH):
        raise document.wrong_at("format", f"must be {NETWORK!r} or {GRAPH!r}, not {quoted(kind)}")
    document.check_version(VERSION)
    return _network(document) if kind == NETWORK else _graph(document)


def _network(document: Fields) -> BayesianNetwork:
    document.refuse_others("format", "version", "nodes", "steps")
    variables, families, nodes = [], [], {}
    for node in document.parts("nodes"):
        name, continuous = node.text("name"), "gaussian" in node
        node.refuse_others(*(("name", "parents", "gaussian") if continuous else ("name", "states", "parents", "table")))
        nodes[name] = node
        variables.append(Variable(name, () if continuous else node.texts("states"), 0, continuous))
        numbers = [] if continuous else node.nested_numbers("table")
        families.append(Family(name, node.texts("parents"), numbers, 0))

    def distributions(
        source: Lines, family: Family, declared: Mapping[str, Variable]
    ) -> npt.NDArray[np.float64] | ConditionalGaussian:
        node = nodes[family.child]
        if declared[family.child].continuous:
            return _gaussian(node.part("gaussian"), *parents_by_kind(family.parents, declared), declared)
        axes = (*family.parents, family.child)
        _refuse_shape(node, "table", axes, [len(declared[name].states) for name in axes])
        return family_distributions(source, family, declared)

    network = network_of(Lines(document.path), variables, families, distributions, called="table")
    if "steps" not in document.as_mapping():
        return network
    steps = steps_of_json(document, "steps", network.names, network.states)
    return BayesianNetwork(network.dag, network.states, network.distributions, steps=steps)


def _gaussian(
    fields: Fields, discrete: list[str], continuous: list[str], declared: Mapping[str, Variable]
) -> ConditionalGaussian:
    """Distribution of a continuous node with these parents."""
    fields.refuse_others("intercepts", "coefficients", "deviations")
    shape = [len(declared[parent].states) for parent in discrete]
    for key in ("intercepts", "deviations"):
        _refuse_shape(fields, key, discrete, shape)
    _refuse_shape(fields, "coefficients", [*discrete, "continuous parents"], [*shape, len(continuous)])
    intercepts, deviations, coefficients = (
        np.array(fields.nested_numbers(key)) for key in ("intercepts", "deviations", "coefficients")
    )
    return fields.made(
        lambda: ConditionalGaussian(
            intercepts.reshape(shape), coefficients.reshape(*shape, len(continuous)), deviations.reshape(shape)
        )
    )


def _refuse_shape(fields: Fields, key: str, axes: Sequence[str], shape: Sequence[int]) -> None:
    """Refuse lists that are not nested like this."""
    if not _is_shaped(fields.plain(key), tuple(shape)):
        sizes = cut(" x ".join(map(str, shape)))
        nested = f"lists nested for {listed(axes, show=cut)}, of the lengths {sizes}" if axes else "a number"
        raise fields.wrong_at(key, f"must be {nested}")


def _is_shaped(content: object, shape: tuple[int, ...]) -> bool:
    """Whether lists are nested like this."""
    if not shape:
        return not isinstance(content, list)
    return (
        isinstance(content, list) and len(content) == shape[0] and all(_is_shaped(item, shape[1:]) for item in content)
    )


def _graph(document: Fields) -> Dag | Cpdag:
    document.refuse_others("format", "version", "nodes", "arcs", "edges")
    names, arcs = document.texts("nodes"), document.pairs("arcs")
    edges = document.pairs("edges") if "edges" in document.as_mapping() else []
    return document.made(lambda: Cpdag(names, arcs, edges) if edges else Dag(names, arcs))


def format_json(content: BayesianNetwork | Dag | Cpdag) -> str:
    """JSON text of a network or a graph, with a node, an arc or a step in a line.

    Examples
    --------
    >>> print(format_json(Dag(["a", "b"], [("a", "b")])), end="")
    {"format": "arcwise-graph", "version": 1,
     "nodes": [
      "a",
      "b"],
     "arcs": [
      ["a", "b"]],
     "edges": []}
    """
    if isinstance(content, BayesianNetwork):
        steps = steps_as_json(content.steps)
        parts = {"nodes": [_node(content, name) for name in content.names], **({"steps": steps} if steps else {})}
        return _document(NETWORK, parts)
    if isinstance(content, Dag):
        return _document(GRAPH, {"nodes": content.names, "arcs": content.arcs, "edges": ()})
    if isinstance(content, Cpdag):
        return _document(GRAPH, {"nodes": content.names, "arcs": content.directed, "edges": content.undirected})
    raise ParameterError.of("content", "a BayesianNetwork, a Dag or a Cpdag", type_of(content))


def _node(network: BayesianNetwork, name: str) -> dict[str, Any]:
    found, parents = network.distribution(name), network.dag.parents(name)
    if isinstance(found, Table):
        states = network.states[network.dag.index(name)]
        return {"name": name, "states": states, "parents": parents, "table": found.probabilities.tolist()}
    numbers = {
        "intercepts": found.intercepts.tolist(),
        "coefficients": found.coefficients.tolist(),
        "deviations": found.deviations.tolist(),
    }
    return {"name": name, "parents": parents, "gaussian": numbers}


def _document(kind: str, parts: Mapping[str, Sequence[Any]]) -> str:
    lines = [f'{{"format": "{kind}", "version": {VERSION}']
    for key, values in parts.items():
        items = ",\n".join("  " + json.dumps(value, ensure_ascii=False) for value in values)
        lines.append(f' "{key}": [\n{items}]' if values else f' "{key}": []')
    return ",\n".join(lines) + "}\n"
