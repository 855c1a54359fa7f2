"""How good and how fast searches over equivalence classes are: Trap, Alarm, peers.

Run ``python -m benchmarks.classes --data ../shared/data`` (the peers: ``pip install '.[bench]'``). The peers run at the
same time, each in a process of its own that is ended after 5 minutes; as that happens on three of the four networks,
all of it takes about 20 minutes on two cores; with ``--limit 10`` a minute or two.
"""

import argparse
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from rich.console import Console
from rich.table import Table

from arcwise import (
    BIC,
    BDeu,
    Cpdag,
    Dag,
    Dataset,
    LocalScore,
    Result,
    compare,
    ges,
    kes,
    load_example,
    read_network,
    xges,
)
from arcwise.simulation.trap import trap_network
from benchmarks.apart import Timed, run_apart
from benchmarks.machine import machine
from benchmarks.peers import causal_learn_ges, pgmpy_ges
from experiments.debd import data_folder

console = Console(width=120)

NETWORKS = ("alarm", "hailfinder", "andes", "pigs")
SEARCHES: dict[str, Callable[..., Result]] = {"GES": ges, "XGES": xges}
SCORES = (BIC(), BDeu(1))
# "One of the arcs in the generative model is not supported by the data", Cooper & Herskovits (1992) say.
UNSUPPORTED = ("INSUFFANESTH", "CATECHOL")
# Scores that differ by less than this part of themselves are the same.
SAME = 1e-9


def main() -> None:
    """Print all tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, help="the data folder; $ARCWISE_DATA otherwise")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--limit", type=float, default=300.0, help="seconds for each peer on each network")
    parser.add_argument("--networks", nargs="*", default=NETWORKS, help="for the peers")
    arguments = parser.parse_args()
    folder = data_folder(arguments.data)
    console.print(machine())
    console.print(trap_table(arguments.workers))
    console.print(alarm_table(arguments.workers))
    console.print(recovery_table())
    console.print(peers_table(folder, arguments.networks, arguments.limit))


def trap_table(workers: int) -> Table:
    """Randomness against greed, where greed is a mistake, and where the same published numbers make it none."""
    table = _repeated_table("Trap, 10 groups, 20,000 rows, BIC: the published tables read as factors, and as margins")
    for tables in ("factors", "margins"):
        network = trap_network(10, tables=tables)
        score = LocalScore(network.sample(20_000, seed=1), BIC())
        _add_repeated(table, f"Trap, {tables}", score, network.dag, {0: 100, 0.4: 100}, workers)
    return table


def alarm_table(workers: int) -> Table:
    """Randomness against greed, where data come from a graph: a thousand runs in a few seconds."""
    network = load_example("alarm")
    data = network.sample(20_000, seed=1)
    table = _repeated_table("Alarm, 20,000 rows")
    for score in SCORES:
        _add_repeated(
            table, f"Alarm, {score}", LocalScore(data, score), network.dag, {0: 100, 0.4: 1000, 0.8: 100}, workers
        )
    return table


def _repeated_table(title: str) -> Table:
    table = Table(title=title, title_justify="left")
    for heading in ("data", "search", "runs", "better than GES", "worse", "optima", "best, or over GES", "s"):
        table.add_column(heading, justify="left" if heading in ("data", "search") else "right")
    return table


def _add_repeated(
    table: Table, name: str, score: LocalScore, truth: Dag, runs: Mapping[float, int], workers: int
) -> None:
    """Add a line for GES, one for the generating graph, and one for the runs of each degree of greediness."""
    greedy_end = ges(score, seed=1, workers=1)
    margin = SAME * abs(greedy_end.score)
    table.add_row(name, "GES", "1", "", "", "1", f"{greedy_end.score:.1f}", f"{greedy_end.seconds:.2f}")
    table.add_row(name, "(generating graph)", "", "", "", "", f"{score.total(truth) - greedy_end.score:+.1f}", "")
    for k, climbs in runs.items():
        # Each time a new score: no search profits from what another has counted.
        result = kes(LocalScore(score.data, score.score), k=k, climbs=climbs, seed=1, workers=workers)
        gains = [(optimum.score - greedy_end.score, optimum.climbs) for optimum in result.optima]
        table.add_row(
            name,
            "SES" if k == 0 else f"KES({k:g})",
            str(climbs),
            str(sum(times for gain, times in gains if gain > margin)),
            str(sum(times for gain, times in gains if gain < -margin)),
            str(len(gains)),
            f"{result.score - greedy_end.score:+.1f}",
            f"{result.seconds:.2f}",
        )
    table.add_section()


def recovery_table(samples: int = 10) -> Table:
    """How often the generating class is found but for the arc that data hardly support, and what else differs."""
    truth = load_example("alarm")
    supported = Dag(truth.names, [arc for arc in truth.dag.arcs if arc != UNSUPPORTED]).cpdag()
    title = f"Alarm, {samples} samples of 20,000 rows: classes found, and edges that differ from the generating class"
    table = Table(title=title, title_justify="left")
    for heading in ("search", "score", "all but one arc", "SHD", "missing, in how many samples", "extra"):
        table.add_column(heading, justify="right" if heading in ("all but one arc", "SHD") else "left")
    tables = [truth.sample(20_000, seed=seed) for seed in range(1, samples + 1)]
    for name, search in SEARCHES.items():
        for score in SCORES:
            found = [search(LocalScore(data, score), seed=1).cpdag for data in tables]
            apart = [compare(truth.dag.cpdag(), cpdag) for cpdag in found]
            table.add_row(
                name,
                str(score),
                str(found.count(supported)),
                f"{sum(each.shd_cpdag for each in apart) / samples:.1f}",
                _times([edge for each in apart for edge in each.missing]),
                _times([edge for each in apart for edge in each.extra]),
            )
    return table


def _times(edges: Sequence[tuple[str, str]]) -> str:
    """Return each edge with how often it occurs, the most frequent first."""
    counts = Counter("–".join(sorted(edge)) for edge in edges)
    return "\n".join(f"{edge} {times}" for edge, times in counts.most_common())


@dataclass(frozen=True)
class Found:
    """What a program found on a network; the graph is None where it was not done in time."""

    program: str
    maximised: str
    seconds: float
    dag: Dag | None


def peers_table(folder: Path, names: Sequence[str], limit: float) -> Table:
    """Greedy equivalence search of several programs with the same data, each score recomputed here."""
    title = "Greedy equivalence search, 5,000 rows, one core each (causal-learn's score has a prior against arcs)"
    table = Table(title=title, title_justify="left")
    for heading in ("network", "n", "program", "maximises", "seconds", "× arcwise", "BIC", "BDeu(1)"):
        table.add_column(heading, justify="left" if heading in ("network", "program", "maximises") else "right")
    for name in names:
        data = read_network(folder / "bif" / f"{name}.bif.gz").sample(5000, seed=1)
        judges = LocalScore(data, BIC()), LocalScore(data, BDeu(1))
        lines = _found(data, limit)
        own = {line.maximised: line.seconds for line in reversed(lines) if line.program == "arcwise, GES"}
        for line in lines:
            is_late = line.dag is None
            ratio = line.seconds / own[line.maximised]
            table.add_row(
                name if line is lines[0] else "",
                str(data.n_variables) if line is lines[0] else "",
                line.program,
                line.maximised,
                f"> {line.seconds:.0f}" if is_late else f"{line.seconds:.3g}",
                f"{'> ' if is_late else ''}{ratio:,.0f}" if line.program[:7] != "arcwise" else f"{ratio:.1f}",
                *(("", "") if line.dag is None else (f"{judge.total(line.dag):.1f}" for judge in judges)),
            )
        table.add_section()
    return table


def _found(data: Dataset, limit: float) -> list[Found]:
    """Run arcwise alone, then the peers side by side."""
    lines = []
    for maximised, definition in zip(("BIC", "BDeu(1)"), SCORES, strict=True):
        for name, search in SEARCHES.items():
            results = [search(LocalScore(data, definition), seed=1, workers=1) for _ in range(3)]
            lines.append(
                Found(f"arcwise, {name}", maximised, median(result.seconds for result in results), results[0].dag)
            )
    frame = data.to_frame().to_pandas()
    peers = {"pgmpy": (pgmpy_ges, "BIC"), "causal-learn": (causal_learn_ges, "BDeu(1)")}
    with ThreadPoolExecutor() as executor:
        timed = executor.map(lambda peer: run_apart(peer[0], frame, limit), peers.values())
        for (program, (_, maximised)), found in zip(peers.items(), timed, strict=True):
            lines.append(Found(program, maximised, *_of_peer(data, found, limit)))
    return sorted(lines, key=lambda line: line.maximised != "BIC")


def _of_peer(data: Dataset, found: Timed | None, limit: float) -> tuple[float, Dag | None]:
    if found is None:
        return limit, None
    seconds, (directed, undirected) = found
    return seconds, Cpdag(data.names, directed, undirected).consistent_extension()


if __name__ == "__main__":
    main()
