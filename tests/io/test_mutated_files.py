"""Whatever happens to a file of any kind, reading it succeeds, or an `ArcwiseError` says in a few words why not.

ARCWISE_MUTATIONS=20000 tries more of them, ARCWISE_MUTATION_SEED other ones.
"""

import os
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import polars as pl
import pytest

from arcwise import BIC, Provenance, Result, Status, learn
from arcwise.cli.plot import _groups_in
from arcwise.constraints.files import read_constraints
from arcwise.data.dataset import Dataset
from arcwise.graph.dag import Dag
from arcwise.io.files import read_graph, read_network, write_graph, write_network
from arcwise.io.strengths import read_strengths
from arcwise.network.network import BayesianNetwork
from arcwise.network.tables import FamilyCounts
from arcwise.network.tree_mixture import TreeMixture, read_tree_mixture, write_tree_mixture
from arcwise.parents.files import read_parent_sets, write_parent_sets
from arcwise.parents.parent_sets import ParentSets
from arcwise.runs.files import Run, read_run, write_run
from mutations import Mutate, Read, fault_of, mutants, mutated_arrays, mutated_bytes, mutated_text, mutated_values
from network_cases import MIXED, SMALL

N_MUTATIONS = int(os.environ.get("ARCWISE_MUTATIONS", "200"))
SEED = int(os.environ.get("ARCWISE_MUTATION_SEED", "1"))

TABLE = pl.DataFrame(
    {
        "smoking": ["yes", "no", "now and then", "no", None, "yes"],
        "age": [31, 42, 42, 31, 31, 42],
        "ill": [True, False, False, True, True, False],
        "weight": [1.5, 2.25, 1.5, 2.25, 1.5, 1.5],
        "town": pl.Series(["Bonn", "Ulm", "Ulm", "Bonn", "Bonn", "Ulm"], dtype=pl.Categorical),
    }
)
CSV = b'smoking,age,"the town"\nyes,31,"Bonn, old"\nno,42,"Ulm ""new"""\n,42,Ulm\n'
TOML = b"""required = ["a -> b", ["b", "c"]]
forbidden = ["* -> a"]
tiers = [["a"], ["b", "c"], "d"]
max_parents = { b = 2, c = 3 }
"""
SETS = ParentSets.from_lists(
    ["a", "b", "c"], [[(-1.5, [])], [(-3.0, []), (-2.25, ["a"])], [(-4.0, []), (-1.0, ["a", "b"]), (-2.0, ["b"])]]
)
NETWORK = SMALL["backwards"]


class Kind(NamedTuple):
    """One kind of file: how a correct one is made, damaged and read."""

    ending: str
    make: Callable[[Path], object]
    read: Read
    mutate: Mutate = mutated_text


def _write_run(path: Path) -> None:
    data = Dataset.from_frame(pl.DataFrame({name: [0, 1, 1, 0, 1, 0, 1, 1] for name in "ab"}))
    write_run(Run.of(learn(data, method="greedy", seed=1), data, command="arcwise learn"), path)


def _write_mixture(path: Path) -> None:
    chain = BayesianNetwork(Dag(["a", "b"], [("a", "b")]), [["n", "y"]] * 2, [[0.5, 0.5], [[0.1, 0.9], [0.8, 0.2]]])
    write_tree_mixture(TreeMixture.of([chain, chain], weights=[0.25, 0.75]), path)


def _lines(*lines: str) -> Callable[[Path], object]:
    return lambda path: path.write_text("\n".join(lines) + "\n")


def _of_bytes(content: bytes) -> Callable[[Path], object]:
    return lambda path: path.write_bytes(content)


def _network(path: Path) -> None:
    write_network(NETWORK, path)


def _mixed(path: Path) -> None:
    write_network(MIXED, path)


def _write_mixed_run(path: Path) -> None:
    counts = FamilyCounts.of(MIXED.dag, MIXED.sample(50, seed=1))
    result = Result(MIXED.dag, -1.0, Status.COMPLETE, Provenance("greedy", 0, BIC()), 1.0, data=counts)
    write_run(Run(result), path)


def _network_of_run(path: Path) -> object:
    result = read_run(path).result
    return None if result.data is None else result.network()


def _graph(path: Path) -> None:
    write_graph(NETWORK, path)


def _constraints(path: Path) -> object:
    return read_constraints(path, list("abcd"))


STRENGTHS = '{"strengths": [{"from": "a", "to": "b", "strength": 1.0, "direction": 0.75}]}'
KINDS = {
    "csv": Kind(".csv", _of_bytes(CSV), Dataset.from_file),
    "tsv": Kind(".tsv", _of_bytes(CSV.replace(b",", b"\t")), Dataset.from_file),
    "csv.gz": Kind(".csv.gz", lambda path: TABLE.write_csv(path, compression="gzip"), Dataset.from_file, mutated_bytes),
    # Compressed: where pages are plain, about one damage in a thousand lets polars 2.1 ask for exabytes and abort.
    "parquet": Kind(".parquet", TABLE.write_parquet, Dataset.from_file, mutated_bytes),
    "toml": Kind(".toml", _of_bytes(TOML), _constraints),
    "csv of constraints": Kind(".csv", _lines("from,to,kind", "a,b,required", "*,c,forbidden"), _constraints),
    "csv of tiers": Kind(".csv", _lines("variable,tier", "a,1", "b,2", "c,2"), _constraints),
    "run": Kind(".json", _write_run, read_run),
    "values of a run": Kind(".json", _write_run, read_run, mutated_values),
    "values of a json network": Kind(".json", _network, read_network, mutated_values),
    "values of a json network with continuous nodes": Kind(".json", _mixed, read_network, mutated_values),
    "values of a run with continuous nodes": Kind(".json", _write_mixed_run, _network_of_run, mutated_values),
    "values of a json graph": Kind(".json", _graph, read_graph, mutated_values),
    "values of strengths": Kind(".json", _lines(STRENGTHS), read_strengths, mutated_values),
    "mixture": Kind(".npz", _write_mixture, read_tree_mixture, mutated_arrays),
    "packed mixture": Kind(".npz", _write_mixture, read_tree_mixture, mutated_bytes),
    "jkl": Kind(".jkl", lambda path: write_parent_sets(SETS, path), read_parent_sets),
    "pss": Kind(".pss", lambda path: write_parent_sets(SETS, path), read_parent_sets),
    "bif": Kind(".bif", _network, read_network),
    "bif.xz": Kind(".bif.xz", _network, read_network, mutated_bytes),
    "bif.bz2": Kind(".bif.bz2", _network, read_network, mutated_bytes),
    "bif.zst": Kind(".bif.zst", _network, read_network, mutated_bytes),
    "xmlbif": Kind(".xml", _network, read_network),
    "net": Kind(".net", _network, read_network),
    "net with continuous nodes": Kind(".net", _mixed, read_network),
    "uai": Kind(".uai", _network, read_network),
    "json network": Kind(".json", _network, read_network),
    "json graph": Kind(".json", _graph, read_graph),
    "graphml": Kind(".graphml", _graph, read_graph),
    "csv of arcs": Kind(".csv", _graph, read_graph),
    "csv of strengths": Kind(".csv", _lines("from,to,strength,direction", "a,b,1.0,0.75", "b,a,1,.25"), read_strengths),
    "json of strengths": Kind(".json", _lines(STRENGTHS), read_strengths),
    "groups": Kind(".csv", _lines("name,group", "a,early", 'b,"late, later"'), _groups_in),
}


@pytest.mark.parametrize("kind", KINDS)
def test_a_damaged_file_is_read_or_refused(kind: str, tmp_path: Path) -> None:
    ending, make, read, mutate = KINDS[kind]
    path = tmp_path / f"correct{ending}"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        make(path)
    assert fault_of(read, path) is None
    damaged = tmp_path / f"damaged{ending}"
    faults = {}
    for number, content in enumerate(mutants(path.read_bytes(), mutate, N_MUTATIONS, SEED)):
        damaged.write_bytes(content)
        fault = fault_of(read, damaged)
        if fault is not None:
            faults[number] = fault
    assert not faults, f"{len(faults)} of {N_MUTATIONS}, such as number " + "\n".join(
        f"{number}: {fault}" for number, fault in list(faults.items())[:20]
    )
