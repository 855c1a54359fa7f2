"""Where a score misleads: more variables than rows by BIC, and variables that do not vary by BDeu.

Run ``python -m benchmarks.wide --data ../shared/data``; it takes a few minutes on one core.
"""

import argparse
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.table import Table

from arcwise import (
    BIC,
    EBIC,
    BayesianNetwork,
    BDeu,
    Dataset,
    LocalScore,
    Result,
    compare,
    ges,
    learn,
    read_network,
)
from arcwise.scores.definitions import Score
from arcwise.simulation.random import random_network
from benchmarks.machine import machine
from experiments.debd import data_folder

console = Console(width=120)

#: None is what `learn` picks.
SCORES: tuple[Score | None, ...] = (BIC(), EBIC(0.5), EBIC(1), None)


@dataclass(frozen=True)
class Found:
    """What greedy equivalence search finds by a score, and how many of its edges are those of the truth."""

    name: str
    arcs: int
    precision: float
    recall: float
    seconds: float


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, help="the data folder, for Link; $ARCWISE_DATA otherwise")
    parser.add_argument("--variables", type=int, default=5000)
    parser.add_argument("--rows", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    console.print(machine())
    console.print(wide_table(arguments.variables, arguments.rows, arguments.seed))
    link = link_result(data_folder(arguments.data))
    console.print(f"Link, 5,000 rows, GES by BDeu(10): {link.status}, {link.dag.n_arcs:,} arcs, {link.seconds:.1f} s")


def wide_table(n_variables: int = 5000, n_rows: int = 1000, seed: int = 1) -> Table:
    """Each score, and what the plan picks, on binary data from a random graph with as many arcs as variables."""
    title = f"GES, {n_rows:,} rows of {n_variables:,} binary variables from a random graph with {n_variables:,} arcs"
    table = Table(title=title, title_justify="left")
    for heading in ("score", "arcs", "precision", "recall", "of BIC's recall", "s"):
        table.add_column(heading, justify="left" if heading == "score" else "right")
    found = wide_results(n_variables, n_rows, seed)
    for each in found:
        table.add_row(
            each.name,
            f"{each.arcs:,}",
            f"{each.precision:.3f}",
            f"{each.recall:.3f}",
            f"{each.recall / found[0].recall:.2f}",
            f"{each.seconds:.1f}",
        )
    return table


def link_result(folder: Path) -> Result:
    """Return what GES finds by BDeu(10) on Link, where 57 of 724 variables do not vary."""
    data = read_network(folder / "bif" / "link.bif.gz").sample(5000, seed=1)
    return ges(LocalScore(data, BDeu(10)), seed=1, workers=1)


def wide_results(n_variables: int = 5000, n_rows: int = 1000, seed: int = 1) -> list[Found]:
    """Return what each of `SCORES` finds, in this order: the first is BIC, the last what the plan picks."""
    truth = random_network(n_variables, n_variables, arities=2, seed=seed)
    data = truth.sample(n_rows, seed=seed)
    return [_found(truth, data, score) for score in SCORES]


def _found(truth: BayesianNetwork, data: Dataset, score: Score | None) -> Found:
    result: Result = learn(data, score="auto" if score is None else score, method="ges", seed=1, progress=False)
    judged = compare(truth.dag, result.dag)
    name = str(result.provenance.score) if score is not None else f"the plan's pick: {result.provenance.score}"
    return Found(name, result.dag.n_arcs, judged.precision, judged.recall, result.seconds)


if __name__ == "__main__":
    main()
