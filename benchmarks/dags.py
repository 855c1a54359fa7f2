"""How fast and how good searches over graphs are: broken cycles, clean-up, a peer, genes.

Run ``python -m benchmarks.dags --data ../shared/data`` (the peer: ``pip install '.[bench]'``).
"""

import argparse
import time
from pathlib import Path
from statistics import mean

from rich.console import Console
from rich.table import Table
from scipy.stats import wilcoxon

from arcwise import BDeu, Constraints, Dag, LocalScore, read_network, score_filter
from arcwise.search.dags import greedy, uncover_v_structures
from arcwise.simulation.genes import simulate_genes
from benchmarks.machine import machine
from benchmarks.peers import pyagrum_climb
from experiments.debd import data_folder

console = Console(width=120)

MOVES = {"SGS1": "adr", "SGS2": "adrs", "SGS3": "a*ds*"}
PAPER_SECONDS = {"SGS1": 1.5, "SGS2": 2.3, "SGS3": 3.2}  # of one search on Alarm, Table 5 of Vandel et al. 2012


def main() -> None:
    """Print all tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, help="the data folder; $ARCWISE_DATA otherwise")
    parser.add_argument("--samples", type=int, default=30)
    parser.add_argument("--workers", type=int, default=2)
    arguments = parser.parse_args()
    folder = data_folder(arguments.data)
    console.print(machine())
    console.print(alarm_table(folder, arguments.samples))
    console.print(pigs_table(folder, arguments.workers))
    console.print(peer_table(folder, arguments.workers))
    console.print(genes_table(arguments.workers))


def alarm_table(folder: Path, samples: int) -> Table:
    """Scores and times of the three neighbourhoods on small samples of Alarm."""
    truth = read_network(folder / "bif" / "alarm.bif.gz")
    constraints = Constraints(max_parents=5)
    scores: dict[str, list[float]] = {name: [] for name in MOVES}
    seconds: dict[str, list[float]] = {name: [] for name in MOVES}
    for sample in range(samples):
        data = truth.sample(500, seed=sample)
        for name, moves in MOVES.items():
            score = LocalScore(data, BDeu(1))  # a new one: no search profits from what others had counted
            result = greedy(score, moves=moves, climbs=10, constraints=constraints, seed=sample, workers=1)
            scores[name].append(result.score)
            seconds[name].append(result.seconds / 10)
    title = f"Alarm, 500 rows, BDeu(1), at most 5 parents, best of 10 searches, {samples} samples, one core"
    table = Table(title=title, title_justify="left")
    for heading in ("moves", "mean score", "p: better than the one above", "ms per search", "paper, ms"):
        table.add_column(heading, justify="left" if heading == "moves" else "right")
    before = None
    for name in MOVES:
        p_value = (
            "" if before is None else f"{wilcoxon(scores[name], scores[before], alternative='greater').pvalue:.2g}"
        )
        table.add_row(
            name,
            f"{mean(scores[name]):.2f}",
            p_value,
            f"{1e3 * mean(seconds[name]):.2f}",
            f"{1e3 * PAPER_SECONDS[name]:g}",
        )
        before = name
    return table


def pigs_table(folder: Path, workers: int) -> Table:
    """Pigs, where random orientations leave many triangles, before and after the clean-up."""
    truth = read_network(folder / "bif" / "pigs.bif.gz")
    data = truth.sample(5000, seed=1)
    score = LocalScore(data, BDeu(1))
    constraints = Constraints(max_parents=5)
    result = greedy(score, moves="a*ds*", climbs=10, constraints=constraints, seed=1, workers=workers)
    begin = time.perf_counter()
    cleaned = uncover_v_structures(score, result.dag, constraints=constraints)
    clean_up_seconds = time.perf_counter() - begin
    title = f"Pigs, {data.n_variables} variables, 5,000 rows, BDeu(1), SGS3, best of 10, {workers} workers"
    table = Table(title=title, title_justify="left")
    for heading in ("graph", "score", "missing edges", "extra edges", "seconds"):
        table.add_column(heading, justify="left" if heading == "graph" else "right")
    rows = (("found", result.dag, result.seconds), ("cleaned up", cleaned, clean_up_seconds), ("true", truth.dag, None))
    for name, dag, seconds in rows:
        missing, extra = edge_errors(truth.dag, dag)
        shown = "" if seconds is None else f"{seconds:.2f}"
        table.add_row(name, f"{score.total(dag):.1f}", str(missing), str(extra), shown)
    return table


def edge_errors(truth: Dag, learned: Dag) -> tuple[int, int]:
    """Return how many edges are missing and how many are too many, whatever their direction."""
    true, found = ({frozenset(edge) for edge in dag.skeleton} for dag in (truth, learned))
    return len(true - found), len(found - true)


def peer_table(folder: Path, workers: int) -> Table:
    """Hill climbing with one arc added, deleted or reversed, beside pyAgrum's."""
    table = Table(title="Hill climbing (add, delete, reverse), 5,000 rows, BIC", title_justify="left")
    for heading in ("network", "n", "arcwise, s", "score", "pyAgrum, s", "score", "× faster"):
        table.add_column(heading, justify="left" if heading == "network" else "right")
    for name in ("alarm", "hailfinder", "pigs"):
        data = read_network(folder / "bif" / f"{name}.bif.gz").sample(5000, seed=1)
        score = LocalScore(data)
        result = greedy(score, seed=1, workers=workers)
        climb = pyagrum_climb(data.to_frame().to_pandas(), workers)
        begin = time.perf_counter()
        arcs = climb()
        seconds = time.perf_counter() - begin
        table.add_row(
            name,
            str(data.n_variables),
            f"{result.seconds:.3f}",
            f"{result.score:.1f}",
            f"{seconds:.3f}",
            f"{score.total(Dag(data.names, arcs)):.1f}",
            f"{seconds / result.seconds:.1f}",
        )
    return table


def genes_table(workers: int) -> Table:
    """A thousand simulated genes, with candidates filtered by their score as the only parent."""
    begin = time.perf_counter()
    genes = simulate_genes(1000, 999, seed=1)
    data = genes.data()
    simulated = time.perf_counter() - begin
    score = LocalScore(data, BDeu(1))
    begin = time.perf_counter()
    candidates = score_filter(score)
    filtered = time.perf_counter() - begin
    constraints = Constraints(max_parents=5)
    result = greedy(
        score,
        moves="a*ds*",
        climbs=1,
        constraints=constraints,
        neighbourhood=candidates,
        seed=1,
        workers=workers,
    )
    table = Table(title="1,000 simulated genes, 999 rows, BDeu(1), SGS3, one search", title_justify="left")
    for heading in (
        "simulation, s",
        "filter, s",
        "candidates per gene",
        "search, s",
        "score",
        "arcs",
        "arcs of the truth",
    ):
        table.add_column(heading, justify="right")
    table.add_row(
        f"{simulated:.1f}",
        f"{filtered:.1f}",
        f"{mean(len(kept) for kept in candidates.values()):.1f}",
        f"{result.seconds:.1f}",
        f"{result.score:.1f}",
        str(result.dag.n_arcs),
        str(len(genes.arcs)),
    )
    return table


if __name__ == "__main__":
    main()
