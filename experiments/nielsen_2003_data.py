"""The data of Nielsen, Kočka & Peña 2003, as far as they can be had, and others besides.

Alarm and Trap are sampled anew from their distributions. The leukaemia data (ALL and AML) and CoIL can be had, but not
as the authors have made them discrete (`experiments.nielsen_2003_observed`). Other real data are those of
`experiments.debd`.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Literal

from arcwise import Dag, Dataset, load_example
from arcwise.simulation.trap import trap_network
from arcwise.support.errors import ParameterError
from experiments.debd import load
from experiments.nielsen_2003_observed import DISCRETISED, coil, leukaemia

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


def _observed(name: str, read: Callable[[Path], Dataset]) -> Callable[[Path | None, int], Sampled]:
    def make(folder: Path | None, _: int) -> Sampled:
        if folder is None:
            raise ParameterError(f"{name} needs a data folder: give one with --data FOLDER, or leave {name} out")
        return read(folder).merged(), None

    return make


def _alarm(n_rows: int) -> Source:
    return Source(f"{n_rows:,} rows sampled from Alarm", None, False, _example("alarm", n_rows))


def _leukaemia(cancer: str, way: str) -> Source:
    name = f"{cancer.lower()}-{way}"
    read = partial(leukaemia, cancer=cancer, way=way)
    return Source(f"patients with {cancer} over 7,129 genes, {WAYS[way]}", cancer, True, _observed(name, read))


def _debd(name: str, words: str) -> Source:
    return Source(words, None, True, _observed(name, partial(load, name=name)))


WAYS = {
    "cuts": "cut where a gene tells most about the cancer",
    "thirds": "thirds of each gene",
    "widths": "equal parts of the range of each gene",
    "calls": "absent, marginal or present",
}

SOURCES = {
    "alarm": Source("20,000 rows sampled from Alarm", "Alarm", False, _example("alarm", 20_000)),
    "trap": Source("20,000 rows of 10 groups, published tables as factors", "Trap", False, _trap("factors")),
    "margins": Source("20,000 rows of 10 groups, published tables as margins", "Trap", False, _trap("margins")),
    "coil": Source(
        "24 attributes of customers; where to cut two of them was fitted, best of 14",
        "CoIL",
        True,
        _observed("coil", coil),
    ),
    **{f"{cancer.lower()}-{way}": _leukaemia(cancer, way) for cancer in ("ALL", "AML") for way in DISCRETISED},
    **{f"alarm-{n_rows}": _alarm(n_rows) for n_rows in (200, 500, 1000)},
    "insurance": Source("5,000 rows sampled from Insurance", None, False, _example("insurance", 5_000)),
    "nltcs": _debd("nltcs", "disabilities of the elderly, 16 binary columns"),
    "dna": _debd("dna", "splice junctions of genes, 180 binary columns"),
    "plants": _debd("plants", "where plants grow, 69 binary columns"),
    "jester": _debd("jester", "ratings of jokes, 100 binary columns"),
}
"""The data, those of the paper first."""
