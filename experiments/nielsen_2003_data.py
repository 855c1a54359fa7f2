"""The data of Nielsen, Kočka & Peña 2003, as far as they can be had, and others in the place of the rest.

Alarm and Trap are sampled anew from their distributions. The discretised leukaemia data (ALL and AML) and the selected
columns of the CoIL challenge are not to be had: real data in their place are those of `experiments.debd`.
"""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from arcwise import Dag, Dataset, load_example
from arcwise.simulation.trap import trap_network
from arcwise.support.errors import ParameterError
from experiments.debd import load

__all__ = ["SOURCES", "Instance", "Source", "instance"]

Sampled = tuple[Dataset, Dag | None]


@dataclass(frozen=True)
class Source:
    """Where data come from.

    Attributes
    ----------
    words
        What they are.
    paper
        What they are called in Table 1; None for data that the paper does not have.
    is_real
        Whether they were observed, and so come from a data folder.
    make
        Makes them, given the data folder and a seed; with them the graph they were sampled from.
    """

    words: str
    paper: str | None
    is_real: bool
    make: Callable[[Path | None, int], Sampled]


@dataclass(frozen=True)
class Instance:
    """Data under a name, and the graph that generated them, where there is one."""

    name: str
    source: Source
    data: Dataset
    truth: Dag | None


def instance(name: str, folder: Path | None = None, seed: int = 1) -> Instance:
    """Make or read data.

    Raises
    ------
    ParameterError
        If there are none of that name, or they need a data folder and there is none.
    """
    if name not in SOURCES:
        raise ParameterError(f"data must be one of {', '.join(SOURCES)}, not {name!r}")
    data, truth = SOURCES[name].make(folder, seed)
    return Instance(name, SOURCES[name], data, truth)


def _example(name: str, n_rows: int) -> Callable[[Path | None, int], Sampled]:
    def make(_: Path | None, seed: int) -> Sampled:
        network = load_example(name)
        return network.sample(n_rows, seed=seed), network.dag

    return make


def _trap(tables: Literal["factors", "margins"]) -> Callable[[Path | None, int], Sampled]:
    def make(_: Path | None, seed: int) -> Sampled:
        network = trap_network(10, tables=tables)
        return network.sample(20_000, seed=seed), network.dag

    return make


def _observed(name: str) -> Callable[[Path | None, int], Sampled]:
    def make(folder: Path | None, _: int) -> Sampled:
        if folder is None:
            raise ParameterError(f"{name} needs a data folder: give one with --data FOLDER, or leave {name} out")
        return load(folder, name).merged(), None

    return make


SOURCES = {
    "alarm": Source("20,000 rows sampled from Alarm", "Alarm", False, _example("alarm", 20_000)),
    "trap": Source("20,000 rows of 10 groups, published tables as factors", "Trap", False, _trap("factors")),
    "margins": Source("20,000 rows of 10 groups, published tables as margins", "Trap", False, _trap("margins")),
    "alarm-500": Source("500 rows sampled from Alarm", None, False, _example("alarm", 500)),
    "insurance": Source("5,000 rows sampled from Insurance", None, False, _example("insurance", 5_000)),
    "nltcs": Source("disabilities of the elderly, 16 binary columns", None, True, _observed("nltcs")),
    "dna": Source("splice junctions of genes, 180 binary columns", None, True, _observed("dna")),
    "plants": Source("where plants grow, 69 binary columns", None, True, _observed("plants")),
    "jester": Source("ratings of jokes, 100 binary columns", None, True, _observed("jester")),
}
"""The data, those of the paper first."""
