"""What Ammar & Leray 2011 leave as future work: the networks that MtMHC ends with, beside those of other searches.

"Mixture of Markov trees for Bayesian network structure learning with small datasets in high dimensional space",
ECSQARU 2011, section 6. MMHC, also with permutation tests (Tsamardinos & Borboudakis 2010), SGS3 (Vandel, Mangin &
de Givry 2012), the order search of this package, and the best tree, all on the same samples.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from statistics import fmean

from rich.console import Console
from rich.table import Table

from arcwise import (
    BayesianNetwork,
    Dag,
    LocalScore,
    Result,
    Stop,
    chow_liu,
    compare,
    greedy,
    mmhc,
    mtmhc,
    orders,
    tree_mixture,
)
from experiments.ammar_leray_2011_samples import Extent, Sample, Spread, on_all_samples
from experiments.signed_ranks import compare_pairs

__all__ = ["METHODS", "MIXTURE", "TRUTH", "Learned", "learn_networks", "print_networks"]

#: Searches a sample for a graph, from a seed, on one core.
Search = Callable[[LocalScore, int], Result]

NEW_ROWS = 5000
CLIMBS = 10
LEVEL = 0.05

METHODS: dict[str, Search] = {
    "MtMHC": lambda score, seed: mtmhc(score, climbs=CLIMBS, seed=seed, workers=1),
    "MtMHC, pruned at 10 %": lambda score, seed: mtmhc(score, threshold=0.1, climbs=CLIMBS, seed=seed, workers=1),
    "MtMHC, pruned at 30 %": lambda score, seed: mtmhc(score, threshold=0.3, climbs=CLIMBS, seed=seed, workers=1),
    "MMHC": lambda score, seed: mmhc(score, test="chi2", climbs=CLIMBS, seed=seed, workers=1),
    "MMHC, permutations": lambda score, seed: mmhc(
        score, test="chi2", permutations=1000, least_per_cell=0, climbs=CLIMBS, seed=seed, workers=1
    ),
    "SGS3": lambda score, seed: greedy(score, moves="a*ds*", climbs=CLIMBS, seed=seed, workers=1),
    "orders": lambda score, seed: orders(score, stop=Stop(climbs=100), seed=seed, workers=1),
    "best tree": lambda score, seed: chow_liu(score),
}
BASE = "MMHC"
TRUTH, MIXTURE = "true graph", "mixture of 100 trees"
# In a table: by distance and by new rows, the mixture by new rows only.
N_COMPARISONS = 2 * (len(METHODS) - 1) + 1

TITLE = (
    "Final networks from {rows} rows, {score}: means over {networks} networks, {samples} samples of each. True and "
    "false: edges, whatever their direction. SHD: between equivalence classes. New rows: their log-likelihood per row, "
    "parameters with an equivalent sample size of 1; the true network has {truth:.2f}. + and -: better and worse than "
    "{base} by a signed-rank test over the networks, level {level:g} for all in the table; in brackets: for one alone. "
    "Seconds: of searches side by side."
)

console = Console(width=120, highlight=False)


@dataclass(frozen=True)
class Learned:
    """A network that was learned from a sample; of a mixture, which is not a graph, only `new_rows` is known.

    `new_rows` is the log-likelihood per row of rows that were not learned from.
    """

    new_rows: float
    score: float = float("nan")
    true: float = float("nan")
    false: float = float("nan")
    shd: float = float("nan")
    seconds: float = float("nan")


#: By method, a list for each network; and the log-likelihood per new row of the true ones.
Networks = tuple[dict[str, list[list[Learned]]], float]


def learn_networks(extent: Extent, rows: int, score: str) -> Networks:
    """Search all samples by all methods."""
    found = on_all_samples(extent, rows, partial(_of_sample, score=score))
    learned = {name: [[sample[0][name] for sample in line] for line in found] for name in found[0][0][0]}
    return learned, fmean(sample[1] for line in found for sample in line)


def _of_sample(sample: Sample, score: str) -> tuple[dict[str, Learned], float]:
    new = sample.truth.sample(NEW_ROWS, seed=sample.seed + 1_000_003)
    learned = {}
    for name, search in METHODS.items():
        local_score = LocalScore(sample.data, score)  # a new one: no search profits from what others have counted
        result = search(local_score, sample.seed)
        likelihood = BayesianNetwork.fit(result.dag, sample.data, ess=1).log_likelihood(new) / NEW_ROWS
        learned[name] = judged(sample.truth.dag, result, likelihood)
    mixed = tree_mixture(LocalScore(sample.data, score), seed=sample.seed, workers=1)
    learned[MIXTURE] = Learned(mixed.mixture.log_likelihood(new) / NEW_ROWS, seconds=mixed.seconds)
    true_graph = BayesianNetwork.fit(sample.truth.dag, sample.data, ess=1).log_likelihood(new) / NEW_ROWS
    total = LocalScore(sample.data, score).total(sample.truth.dag)
    learned[TRUTH] = Learned(true_graph, total, sample.truth.dag.n_arcs, 0, 0)
    return learned, sample.truth.log_likelihood(new) / NEW_ROWS


def judged(truth: Dag, result: Result, new_rows: float) -> Learned:
    """Return what is printed of a result.

    Examples
    --------
    >>> from arcwise import Provenance
    >>> from arcwise.runs.result import Status
    >>> found = Dag(["a", "b", "c"], [("b", "a"), ("a", "c")])
    >>> result = Result(found, -7.0, Status.LOCAL_OPTIMUM, Provenance("example", 1), 0.5)
    >>> judged(Dag(["a", "b", "c"], [("a", "b"), ("b", "c")]), result, -2.0)
    Learned(new_rows=-2.0, score=-7.0, true=1, false=1, shd=2, seconds=0.5)
    """
    difference = compare(truth, result.dag)
    return Learned(
        new_rows,
        result.score,
        truth.n_arcs - len(difference.missing),
        len(difference.extra),
        difference.shd_cpdag,
        result.seconds,
    )


def print_networks(networks: Mapping[int, Networks], extent: Extent, score: str) -> None:
    """Print a table for each number of rows."""
    for rows, (learned, truth) in networks.items():
        title = TITLE.format(
            rows=rows,
            score=score,
            networks=extent.networks,
            samples=extent.samples,
            truth=truth,
            base=BASE,
            level=LEVEL,
        )
        console.print(f"\n{title}\n", style="bold")
        table = Table(box=None, padding=(0, 2, 0, 0))
        table.add_column("")
        for heading in ("score", "true", "false", "SHD", "", "new rows", "", "seconds"):
            table.add_column(heading, justify="left" if heading == "" else "right")
        for name, lines in learned.items():
            table.add_row(name, *_cells(name, lines, learned[BASE]))
        console.print(table)


def _cells(name: str, lines: Sequence[Sequence[Learned]], base: Sequence[Sequence[Learned]]) -> list[str]:
    def mean(kind: str, digits: int) -> str:
        value = fmean(getattr(found, kind) for line in lines for found in line)
        return "" if value != value else f"{value:.{digits}f}"  # NaN: not known of this one

    def sign(kind: str, larger_is_better: bool) -> str:
        ours, theirs = ([fmean(getattr(found, kind) for found in line) for line in method] for method in (lines, base))
        if name in (BASE, TRUTH) or ours[0] != ours[0]:
            return ""
        better = compare_pairs(ours, theirs) if larger_is_better else compare_pairs(theirs, ours)
        return better.cell(LEVEL / N_COMPARISONS, LEVEL)

    distance = Spread.of([[found.shd for found in line] for line in lines])
    likelihood = Spread.of([[found.new_rows for found in line] for line in lines])
    return [
        mean("score", 1),
        mean("true", 1),
        mean("false", 1),
        "" if distance.mean != distance.mean else str(distance),
        sign("shd", larger_is_better=False),
        str(likelihood),
        sign("new_rows", larger_is_better=True),
        mean("seconds", 3),
    ]
