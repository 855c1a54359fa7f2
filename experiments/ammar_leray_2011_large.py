"""More variables than Ammar & Leray 2011 have: neighbours by trees (MtMPC) and final networks (MtMHC).

"Working in higher spaces" is what the paper leaves to future work. To draw a graph of bounded width over thousands of
nodes takes long; so these are groups of 100 variables like those of the paper, independent of each other.
"""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from statistics import fmean
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

from arcwise import Bagging, BayesianNetwork, Dag, Dataset, LocalScore, compare, mtmhc, tree_strengths
from arcwise.simulation.random import random_network_of_bounded_width
from experiments.ammar_leray_2011_published import EDGES, N_VARIABLES
from experiments.ammar_leray_2011_samples import positives
from experiments.kept import Kept

__all__ = ["METHODS", "Groups", "Large", "groups", "learn_large", "print_large"]

NEW_ROWS = 1000
THRESHOLDS = (0.1, 0.3)
CLIMBS = 1

TITLE = (
    "{n:,} variables in groups of {size}, {rows} rows: means over {samples} samples. TP and FP in per cent for "
    "neighbours, true and false edges and SHD between classes for networks; log-likelihood per new row with an "
    "equivalent sample size of 1, {truth:.1f} for the true graph."
)

console = Console(width=120, highlight=False)


@dataclass(frozen=True)
class Groups:
    """Networks side by side, without an arc between them."""

    networks: tuple[BayesianNetwork, ...]

    @property
    def dag(self) -> Dag:
        """The graph of all of them."""
        names = [_named(group, name) for group, network in enumerate(self.networks) for name in network.names]
        arcs = [
            (_named(group, parent), _named(group, child))
            for group, network in enumerate(self.networks)
            for parent, child in network.dag.arcs
        ]
        return Dag(names, arcs)

    def sample(self, n_rows: int, seed: int) -> Dataset:
        """Draw rows."""
        seeds = np.random.SeedSequence(seed).generate_state(len(self.networks)).tolist()
        parts = [network.sample(n_rows, seed=own) for network, own in zip(self.networks, seeds, strict=True)]
        arities = [arity for part in parts for arity in part.arities]
        return Dataset.from_codes(np.hstack([part.codes for part in parts]), arities=arities, names=self.dag.names)


def _named(group: int, name: str) -> str:
    return f"G{group}.{name}"


@cache
def groups(n_variables: int, size: int, seed: int) -> Groups:
    """Return so many variables in groups like the networks of the paper; the last one may be smaller."""
    sizes = [min(size, n_variables - begin) for begin in range(0, n_variables, size)]
    seeds = np.random.SeedSequence([seed, n_variables]).generate_state(len(sizes)).tolist()
    return Groups(
        tuple(
            random_network_of_bounded_width(n, 3, max_arcs=max(n - 1, round(n * EDGES / N_VARIABLES)), seed=own)
            for n, own in zip(sizes, seeds, strict=True)
        )
    )


@dataclass(frozen=True)
class _Sample:
    truth: Dag
    data: Dataset
    new: Dataset
    seed: int


def _neighbours(tree_search: str, threshold: float) -> Callable[[_Sample], dict[str, float]]:
    def measure(sample: _Sample) -> dict[str, float]:
        strengths = tree_strengths(LocalScore(sample.data), Bagging(tree_search=tree_search, seed=sample.seed))
        found = frozenset(frozenset(edge) for edge in strengths.skeleton(threshold).undirected)
        true = frozenset(frozenset(edge) for edge in sample.truth.skeleton)
        shares = positives(true, found, sample.truth.n_nodes)
        return {"TP": shares.true, "FP": shares.false}

    return measure


def _network(tree_search: str, threshold: float) -> Callable[[_Sample], dict[str, float]]:
    def measure(sample: _Sample) -> dict[str, float]:
        score = LocalScore(sample.data)
        result = mtmhc(score, threshold=threshold, tree_search=tree_search, climbs=CLIMBS, seed=sample.seed)
        apart = compare(sample.truth, result.dag)
        return {
            "true": sample.truth.n_arcs - len(apart.missing),
            "false": len(apart.extra),
            "SHD": apart.shd_cpdag,
            "new rows": _per_row(result.dag, sample),
        }

    return measure


def _per_row(dag: Dag, sample: _Sample) -> float:
    return BayesianNetwork.fit(dag, sample.data, ess=1).log_likelihood(sample.new) / sample.new.n_rows


_WAYS = {"": "best", ", inertial": "inertial"}
METHODS: dict[str, Callable[[_Sample], dict[str, float]]] = {
    "true graph": lambda sample: {"new rows": _per_row(sample.truth, sample)},
    **{
        f"{name}{words}, pruned at {threshold:.0%}": make(tree_search, threshold)
        for name, make in (("MtMPC", _neighbours), ("MtMHC", _network))
        for words, tree_search in _WAYS.items()
        for threshold in THRESHOLDS
    },
}


@dataclass(frozen=True)
class Large:
    """How many variables and rows, in groups of which size, and how many samples."""

    n_variables: int
    rows: int
    samples: int = 1
    group: int = N_VARIABLES
    seed: int = 1


def learn_large(large: Large, kept: Kept) -> dict[str, list[dict[str, Any]]]:
    """Return what each method has found in each sample; what is kept is not computed again."""
    found: dict[str, list[dict[str, Any]]] = {name: [] for name in METHODS}
    for number in range(large.samples):

        @cache
        def sample(number: int = number) -> _Sample:
            network = groups(large.n_variables, large.group, large.seed)
            seed = 1000 * large.seed + number
            data = network.sample(large.rows, seed)
            return _Sample(network.dag, data, network.sample(NEW_ROWS, seed + 500_000_000), seed)

        for name in METHODS:

            def run(name: str = name, drawn: Callable[[], _Sample] = sample) -> dict[str, Any]:
                its_sample, begin = drawn(), time.perf_counter()
                return {**METHODS[name](its_sample), "seconds": time.perf_counter() - begin}

            part = {"experiment": "ammar-leray-2011-large", "method": name, "sample": number, **_asked(large)}
            found[name].append(kept.found(part, run))
    return found


def _asked(large: Large) -> dict[str, int]:
    return {"variables": large.n_variables, "rows": large.rows, "group": large.group, "seed": large.seed}


def print_large(large: Large, found: dict[str, list[dict[str, Any]]]) -> None:
    """Print a line for each method."""
    truth = _mean(found["true graph"], "new rows")
    asked = {"n": large.n_variables, "size": large.group, "rows": large.rows, "samples": large.samples}
    console.print(f"\n{TITLE.format(**asked, truth=truth)}\n", style="bold")
    table = Table(box=None, padding=(0, 2, 0, 0))
    table.add_column("")
    headings = {"TP": 1, "FP": 3, "true": 1, "false": 1, "SHD": 1, "new rows": 1, "seconds": 1}
    for heading in headings:
        table.add_column(heading, justify="right")
    for name, lines in found.items():
        if name != "true graph":
            cells = (
                f"{_mean(lines, kind):.{digits}f}" if kind in lines[0] else "" for kind, digits in headings.items()
            )
            table.add_row(name, *cells)
    console.print(table)


def _mean(lines: Sequence[dict[str, Any]], kind: str) -> float:
    return fmean(line[kind] for line in lines)
