"""The tables of candidate parent sets on which the experiments of Lee & van Beek 2017 are redone.

Theirs are other people's: BLIP's, from the test rows of the datasets, and B. Malone's. Ours are files of local scores,
``scores/NAME`` in the data folder, and what independence selection with at most 6 parents finds in the datasets of
``debd/``, all rows, BIC.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from arcwise import Dataset, LocalScore, ParentSets, Status
from arcwise.parents.files import read_parent_sets
from arcwise.parents.selection import Limits, select
from arcwise.support.errors import DataError
from experiments.debd import DATASETS, load
from experiments.lee_vanbeek_2017_published import PUBLISHED_CLIMBS, PUBLISHED_SEARCHES

__all__ = [
    "CLIMBED",
    "MAX_PARENTS",
    "SEARCHED",
    "Instance",
    "impossible_costs",
    "instance",
    "least_cost",
    "paper_name",
    "size_in_paper",
]

MAX_PARENTS = 6

SCORE_FILES = {
    "soybean_BIC": "soybean_BIC.txt.xz",
    "steel_BIC": "steel_BIC.txt.xz",
    "diabetes-5000": "diabetes-5000.jkl.xz",
    "pigs-5000": "pigs-5000.jkl.xz",
}

#: What takes the place of the paper's instances in Table 1, as far as there is something.
CLIMBED: tuple[str, ...] = ("soybean_BIC", "steel_BIC", "baudio", "jester", "tretail")

#: The same in Table 4.
SEARCHED: tuple[str, ...] = (
    *(name for name in DATASETS if f"{name}.test" in PUBLISHED_SEARCHES),
    "diabetes-5000",
    "pigs-5000",
)


@dataclass(frozen=True)
class Instance:
    """A table of candidate parent sets, the data that it was made from, if there are any, and the seconds it took."""

    name: str
    table: ParentSets
    data: Dataset | None = None
    seconds: float = 0.0


def instance(folder: Path, name: str, seconds_per_variable: float, workers: int) -> Instance:
    """Return an instance: read from a file, or made from data in the given time.

    Raises
    ------
    DataError
        If there is no file for it in the data folder.
    """
    if name in SCORE_FILES:
        path = folder / "scores" / SCORE_FILES[name]
        if not path.exists():
            raise DataError(f"{path} does not exist; put the file there, or leave {name} out with --instances")
        return Instance(name, read_parent_sets(path))
    data = load(folder, name)
    limits = Limits(max_parents=MAX_PARENTS, time_per_variable=seconds_per_variable)
    selected = select(LocalScore(data, "bic"), method="independence", limits=limits, workers=workers)
    if selected.status is Status.INTERRUPTED:
        raise KeyboardInterrupt
    return Instance(name, selected.sets, data, selected.seconds)


def paper_name(name: str) -> str:
    """How the paper calls its instance of the same data.

    Examples
    --------
    >>> paper_name("nltcs"), paper_name("baudio"), paper_name("steel_BIC"), paper_name("pigs-5000")
    ('nltcs.test', 'baudio.ts', 'steel_BDeu', 'pigs-5000')
    """
    if name in DATASETS:
        return f"{name}.test" if f"{name}.test" in PUBLISHED_SEARCHES else f"{name}.ts"
    return {"steel_BIC": "steel_BDeu"}.get(name, name)


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
