"""Tables 1 and 2 of Ammar & Leray 2011: which neighbours trees of bootstrap replicas find, and which tests do.

"Mixture of Markov trees for Bayesian network structure learning with small datasets in high dimensional space",
ECSQARU 2011, section 5. What is not in the paper: MMPC with other tests, MtMPC with the quick ways to find a tree that
it cites, and other thresholds of the pruning.
"""

from collections.abc import Callable, Mapping, Set

from rich.console import Console
from rich.table import Table

from arcwise import LocalScore, mmpc, mtmpc
from experiments.ammar_leray_2011_published import (
    EDGES,
    MMPC,
    MTMPC,
    SIZES,
    THRESHOLD,
    TREES,
    Positives,
    most_edges_per_tree,
)
from experiments.ammar_leray_2011_samples import Edge, Extent, Sample, Spread, edges_of, on_all_samples, positives

__all__ = ["FILTERS", "THRESHOLDS", "Measured", "claims", "find_neighbours", "print_tables_1_and_2"]

#: The paper prunes at 0.1 only.
THRESHOLDS = (0.0, THRESHOLD, 0.2, 0.3, 0.5)

#: Ways to find a tree that do not look at all pairs, with as many replicas as below.
QUICK_SEARCHES, QUICK_TREES = ("inertial", "sampled", "clustered"), 100

#: What stands below MtMPC in the tables; the first is the paper's.
FILTERS: dict[str, Callable[[LocalScore, int], Mapping[str, Set[str]]]] = {
    "MMPC, χ²": lambda score, seed: mmpc(score, test="chi2", workers=1),
    "MMPC, G²": lambda score, seed: mmpc(score, test="g2", workers=1),
    "MMPC, permutations": lambda score, seed: mmpc(
        score, test="chi2", permutations=1000, least_per_cell=0, seed=seed, workers=1
    ),
}

TABLE = (
    "Table {number}: candidate neighbours from {rows} rows, in per cent; TP of the true edges, FP of the pairs without "
    "an edge. Ours: {networks} networks, {samples} samples of each, mean ± standard error over the networks. "
    "Ours / paper."
)
SWEEP = "Other thresholds, {rows} rows, {trees} trees: TP and FP in per cent, and how many edges are left"
ARITHMETIC = (
    "The paper's true positives are shares of {edges} edges, or of a multiple. If of {edges}, its trees of 50 replicas "
    "had at most {trees[0]:.1f} (N = 50) and {trees[1]:.1f} (N = 200) edges on average: those that are left are in all "
    "50 at most, those that were pruned in 4. A tree over 100 variables has 99. So the number of edges is another one, "
    "or the trees are not trees, or one of the two columns is not what it is called. Its MMPC then has {true[0]:.0f} "
    "and {true[1]:.0f} true edges among {all[0]:.0f} and {all[1]:.0f}."
)

console = Console(width=120, highlight=False)

#: By line of the table and threshold (0 where there is none): percentages, a list for each network.
Measured = dict[tuple[str, float], list[list[Positives]]]


def mixture(trees: int) -> str:
    """Return what the line of a mixture is called."""
    return f"MtMPC, m = {trees}"


def find_neighbours(extent: Extent, rows: int) -> Measured:
    """Return the positives of every line of a table, on the same samples."""
    found = on_all_samples(extent, rows, _of_sample)
    return {line: [[sample[line] for sample in network] for network in found] for line in found[0][0]}


def _of_sample(sample: Sample) -> dict[tuple[str, float], Positives]:
    score = LocalScore(sample.data)
    edges: dict[tuple[str, float], frozenset[Edge]] = {}
    for trees in TREES:
        for threshold in THRESHOLDS if trees == max(TREES) else THRESHOLDS[:2]:
            neighbours = mtmpc(score, trees=trees, threshold=threshold, seed=sample.seed, workers=1)
            edges[mixture(trees), threshold] = edges_of(neighbours)
    for tree_search in QUICK_SEARCHES:
        for threshold in THRESHOLDS[:2]:
            neighbours = mtmpc(
                score,
                trees=QUICK_TREES,
                threshold=threshold,
                tree_search=tree_search,
                seed=sample.seed,
                workers=1,
            )
            edges[f"MtMPC, {tree_search}", threshold] = edges_of(neighbours)
    for name, filtered in FILTERS.items():
        edges[name, 0.0] = edges_of(filtered(score, sample.seed))
    true, n_variables = sample.true_edges, sample.data.n_variables
    return {line: positives(true, found, n_variables) for line, found in edges.items()}


def true_and_false(measured: Measured, line: str, threshold: float = 0.0) -> tuple[Spread, Spread]:
    """Return the means over all samples."""
    of_networks = measured[line, threshold]
    return (
        Spread.of([[found.true for found in network] for network in of_networks]),
        Spread.of([[found.false for found in network] for network in of_networks]),
    )


def print_tables_1_and_2(measured: Mapping[int, Measured], extent: Extent) -> None:
    """Print ours beside the paper's, other thresholds, and what the paper concludes."""
    for rows, lines in measured.items():
        _print_table(rows, lines, extent)
        _print_sweep(rows, lines, extent)
    console.print("\nWhat the paper says of it\n", style="bold")
    for rows, lines in measured.items():
        for claim, ours, verdict in claims(lines):
            console.print(f"N = {rows}: {claim}: {ours}; {verdict}")
    trees = [most_edges_per_tree(rows, 50) for rows in SIZES]
    true = [MMPC[rows].true * EDGES / 100 for rows in SIZES]
    every = [found + MMPC[rows].false * (4950 - EDGES) / 100 for found, rows in zip(true, SIZES, strict=True)]
    console.print("\n" + ARITHMETIC.format(edges=EDGES, trees=trees, true=true, all=every))


def _print_table(rows: int, measured: Measured, extent: Extent) -> None:
    number = 1 + SIZES.index(rows)
    title = TABLE.format(number=number, rows=rows, networks=extent.networks, samples=extent.samples)
    console.print(f"\n{title}\n", style="bold")
    table = Table(box=None, padding=(0, 2, 0, 0))
    table.add_column("")
    for heading in ("TP, no pruning", "FP, no pruning", "TP, pruned at 10 %", "FP, pruned at 10 %"):
        table.add_column(heading, justify="right")
    for line in dict.fromkeys(line for line, _ in measured):
        cells = []
        for threshold in (0.0, THRESHOLD):
            if (line, threshold) in measured:
                paper = _paper(rows, line, threshold)
                ours = true_and_false(measured, line, threshold)
                theirs = ("", "") if paper is None else (f"{paper.true:.2f}", f"{paper.false:.2f}")
                cells += [f"{mine} / {other:>5}" for mine, other in zip(ours, theirs, strict=True)]
        table.add_row(line, *cells)
    console.print(table)


def _paper(rows: int, line: str, threshold: float) -> Positives | None:
    if line == next(iter(FILTERS)):
        return MMPC[rows]
    trees = {mixture(trees): trees for trees in TREES}.get(line)
    return None if trees is None else MTMPC[rows].get((trees, threshold))


def _print_sweep(rows: int, measured: Measured, extent: Extent) -> None:
    line = mixture(max(TREES))
    console.print(f"\n{SWEEP.format(rows=rows, trees=max(TREES))}\n", style="bold")
    table = Table(box=None, padding=(0, 2, 0, 0))
    for heading in ("pruned at", "TP", "FP", "edges, about"):
        table.add_column(heading, justify="right")
    n_pairs = extent.n_variables * (extent.n_variables - 1) // 2
    for threshold in THRESHOLDS:
        true, false = true_and_false(measured, line, threshold)
        edges = (true.mean * extent.max_arcs + false.mean * (n_pairs - extent.max_arcs)) / 100
        table.add_row(f"{threshold:.0%}" if threshold else "not", str(true), str(false), f"{edges:.0f}")
    console.print(table)


def claims(measured: Measured) -> list[tuple[str, str, str]]:
    """Return what the paper says of a table, what is measured here, and whether it holds.

    The last two are not its words but what its tables show.
    """
    without = [true_and_false(measured, mixture(trees)) for trees in TREES]
    pruned = [true_and_false(measured, mixture(trees), THRESHOLD) for trees in TREES]
    tests, _ = true_and_false(measured, next(iter(FILTERS)))
    true, false = ([pair[at].mean for pair in without] for at in (0, 1))
    ratios = [value / tests.mean if tests.mean else float("inf") for value in true]
    false_pruned = max(pair[1].mean for pair in pruned)
    lost = 1 - pruned[-1][0].mean / true[-1] if true[-1] else 0.0
    return [
        ("more trees find more true edges", " → ".join(f"{value:.1f}" for value in true), _holds(_rises(true))),
        ("and more false ones", " → ".join(f"{value:.1f}" for value in false), _holds(_rises(false))),
        ("pruning leaves less than 0.4 % false ones", f"{false_pruned:.2f} %", _holds(false_pruned < 0.4)),
        ("and takes about a third of the true ones", f"{lost:.0%}", _holds(0.2 < lost < 0.5)),
        (
            "trees find several times as many true edges as tests",
            f"{min(ratios):.1f} to {max(ratios):.1f} times",
            _holds(min(ratios) >= 2),
        ),
    ]


def _rises(values: list[float]) -> bool:
    return values == sorted(values) and values[0] < values[-1]


def _holds(is_so: bool) -> str:
    return "holds" if is_so else "does not hold"
