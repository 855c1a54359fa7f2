"""The tables of candidate parent sets on which the experiments of Lee & van Beek 2017 are redone.

Theirs are other people's: BLIP's, from the test rows of the datasets, and B. Malone's. Ours are complete tables of the
data in ``uci/NAME.csv.xz`` in the data folder, where the paper's have as many sets; files of local scores,
``scores/NAME``; and what independence selection with at most 6 parents finds in the datasets of ``debd/``, all rows,
BIC.
"""

import lzma
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from arcwise import Dataset, LocalScore, ParentSets, Status
from arcwise.parents.files import read_parent_sets, write_parent_sets
from arcwise.parents.selection import Limits, Selected, select
from arcwise.support.errors import DataError
from experiments.debd import DATASETS, load
from experiments.lee_vanbeek_2017_published import PUBLISHED_CLIMBS, PUBLISHED_SEARCHES

__all__ = [
    "CLIMBED",
    "MAX_PARENTS",
    "SEARCHED",
    "Instance",
    "Lazy",
    "Source",
    "impossible_costs",
    "instance",
    "lazy",
    "least_cost",
    "paper_name",
    "size_in_paper",
]

MAX_PARENTS = 6

SCORE_FILES = {
    "soybean_BIC": "soybean_BIC.txt.xz",
    "diabetes-5000": "diabetes-5000.jkl.xz",
    "pigs-5000": "pigs-5000.jkl.xz",
    "link-5000": "link-5000.jkl.xz",
}

#: Data of complete tables, by the paper's names of these, and the score.
COMPLETE = {
    "autos_BIC": ("autos", "bic"),
    "wdbc_BIC": ("wdbc", "bic"),
    "steel_BDeu": ("steel", "bdeu(ess=1)"),
}

#: What takes the place of the paper's instances in Table 1: all but segment_BIC and munin-5000.
CLIMBED: tuple[str, ...] = ("autos_BIC", "soybean_BIC", "wdbc_BIC", "steel_BDeu", "baudio", "jester", "tretail")

#: The same in Table 4.
SEARCHED: tuple[str, ...] = (
    *(name for name in DATASETS if f"{name}.test" in PUBLISHED_SEARCHES),
    "diabetes-5000",
    "pigs-5000",
    "link-5000",
)


@dataclass(frozen=True)
class Instance:
    """A table of candidate parent sets, the data that it was made from, if there are any, and the seconds it took."""

    name: str
    table: ParentSets
    data: Dataset | None = None
    seconds: float = 0.0


class Lazy:
    """An instance that is made when it is needed, because where all results are kept it is not.

    Attributes
    ----------
    name
        Of the instance.
    extent
        How its table is made, which results depend on.
    """

    def __init__(self, name: str, extent: str, make: Callable[[], Instance]) -> None:
        self.name = name
        self.extent = extent
        self._make = cache(make)

    def __call__(self) -> Instance:
        """Make it, or return what was made before."""
        return self._make()

    @property
    def asked(self) -> dict[str, Any]:
        """What results of it are kept by."""
        return {"instance": self.name, "extent": self.extent}

    @property
    def has_data(self) -> bool:
        """Whether searches without a table are possible."""
        return self.name not in SCORE_FILES


@dataclass(frozen=True)
class Source:
    """Where instances come from.

    Parameters
    ----------
    folder
        The data folder.
    limits
        Of the selection of sets, where a table is not complete. A number of sets scored makes the same table anywhere;
        a time does not.
    workers
        Threads of the selection.
    tables
        A folder that keeps the tables that were made, so that a run which is resumed has the same; None keeps none.
    """

    folder: Path
    limits: Limits
    workers: int = 1
    tables: Path | None = None


def instance(source: Source, name: str) -> Instance:
    """Return an instance: read from a file, or made from data in the given time.

    Raises
    ------
    DataError
        If there is no file for it in the data folder.
    """
    if name in SCORE_FILES:
        return Instance(name, read_parent_sets(_existing(source.folder / "scores" / SCORE_FILES[name], name)))
    data = _observed(source.folder, name) if name in COMPLETE else load(source.folder, name)
    kept = None if source.tables is None else source.tables / f"{name}-{_extent(source, name)}.jkl.gz"
    if kept is not None and kept.exists():
        return Instance(name, read_parent_sets(kept), data)
    selected = _selected(source, name, data)
    if selected.status is Status.INTERRUPTED:
        raise KeyboardInterrupt
    if kept is not None:
        kept.parent.mkdir(parents=True, exist_ok=True)
        write_parent_sets(selected.sets, kept)
    return Instance(name, selected.sets, data, selected.seconds)


def lazy(source: Source, name: str) -> Lazy:
    """Return an instance that is yet to be made."""
    return Lazy(name, _extent(source, name), lambda: instance(source, name))


def _extent(source: Source, name: str) -> str:
    if name in SCORE_FILES:
        return "file"
    return "complete" if name in COMPLETE else _in_short(source.limits)


def _in_short(limits: Limits) -> str:
    """Return what tells these limits from others.

    Examples
    --------
    >>> _in_short(Limits(6, 0.25)), _in_short(Limits(6, None, 50_000))
    ('0.25s', '50000-sets')
    """
    if limits.scored_per_variable is not None:
        return f"{limits.scored_per_variable}-sets"
    return f"{limits.time_per_variable:g}s"


def _selected(source: Source, name: str, data: Dataset) -> Selected:
    if name in COMPLETE:
        limits = Limits(time_per_variable=None)
        score = LocalScore(data, COMPLETE[name][1])
        return select(score, method="sequential", limits=limits, workers=source.workers)
    return select(LocalScore(data, "bic"), method="independence", limits=source.limits, workers=source.workers)


def _observed(folder: Path, name: str) -> Dataset:
    path = _existing(folder / "uci" / f"{COMPLETE[name][0]}.csv.xz", name)
    with lzma.open(path, "rt") as file:
        return Dataset.from_codes(np.loadtxt(file, delimiter=",", dtype=np.uint8))


def _existing(path: Path, name: str) -> Path:
    if not path.exists():
        raise DataError(f"{path} does not exist; put the file there, or leave {name} out with --climbed or --instances")
    return path


def paper_name(name: str) -> str:
    """How the paper calls its instance of the same data.

    Examples
    --------
    >>> paper_name("nltcs"), paper_name("baudio"), paper_name("steel_BDeu"), paper_name("pigs-5000")
    ('nltcs.test', 'baudio.ts', 'steel_BDeu', 'pigs-5000')
    """
    if name in DATASETS:
        return f"{name}.test" if f"{name}.test" in PUBLISHED_SEARCHES else f"{name}.ts"
    return name


def size_in_paper(name: str) -> tuple[int, int]:
    """Variables and candidate sets of the paper's instance.

    Examples
    --------
    >>> size_in_paper("soybean_BIC")
    (36, 5926)
    """
    paper = paper_name(name)
    line = PUBLISHED_CLIMBS[paper] if paper in PUBLISHED_CLIMBS else PUBLISHED_SEARCHES[paper]
    return line.n_variables, line.n_sets


def least_cost(data: Dataset) -> float:
    """Below this no network's cost can be, whatever its structure: the number of rows times the entropy of a row.

    No distribution gives the rows a larger likelihood than their own frequencies do, and a penalty only adds to the
    cost. In nats.

    Examples
    --------
    >>> round(least_cost(Dataset.from_codes([[0, 0], [0, 1], [1, 0], [1, 0]])), 4)
    4.1589
    """
    weights = data.merged().weights
    counts = np.ones(data.n_rows) if weights is None else weights.astype(np.float64)
    return float(np.sum(counts * np.log(counts.sum() / counts)))


def impossible_costs(folder: Path, names: Sequence[str] = SEARCHED) -> dict[str, tuple[float, float]]:
    """By name of the paper's instance: the best printed cost and a bound that it breaks, on the test rows.

    Datasets that are not in the folder are passed over.
    """
    broken = {}
    for name in names:
        if name not in DATASETS or not (folder / "debd" / f"{name}.npz").exists():
            continue
        printed = min(PUBLISHED_SEARCHES[paper_name(name)].costs.values())
        bound = least_cost(load(folder, name, "test"))
        if printed < bound:
            broken[paper_name(name)] = printed, bound
    return broken
