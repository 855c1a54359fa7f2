"""Table 4 of Lee & van Beek 2017: order searches, all with the same time on the same instance.

"Metaheuristics for score-and-search Bayesian network structure learning", Canadian AI 2017, experiment 3. OBS is the
search of Teyssier & Koller 2005 with its tabu list, ASOBS that of Scanagatta et al. 2015, both from ever new random
orders, as is INOBS; IINOBS is iterated, MINOBS memetic. GOBNILP is only quoted. What is not in the paper: `orders`, the
search of this package that needs no table, where there are data to search.
"""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from statistics import median

import numpy as np
from rich.console import Console
from rich.table import Table

from arcwise import Budget, Iterated, LocalScore, Memetic, Restarts, orders, ranks_of, search_orders
from arcwise.search.orders import Strategy, climb_order
from experiments.debd import PROVEN
from experiments.lee_vanbeek_2017_instances import Instance, paper_name, size_in_paper
from experiments.lee_vanbeek_2017_published import METHODS, PUBLISHED_SEARCHES

__all__ = ["Searched", "Settings", "print_searched", "print_searches_summary", "search"]

#: Each method as a strategy and how it climbs.
SEARCHES: dict[str, tuple[Strategy, str]] = {
    "OBS": (Restarts(), "obs-tabu"),
    "ASOBS": (Restarts(), "asobs"),
    "INOBS": (Restarts(), "inobs"),
    "IINOBS": (Iterated(chains=1), "inobs"),
    "MINOBS": (Memetic(), "inobs"),
}
ORDERS = "orders"
SINGLE_CLIMBS = 21

console = Console(width=112, highlight=False)


@dataclass(frozen=True)
class Settings:
    """Seconds of each search, how often it is done with other seeds, the first seed, and how many run at a time."""

    seconds: float
    runs: int = 3
    seed: int = 1
    workers: int = 1


@dataclass(frozen=True)
class Searched:
    """Median scores on one instance by method, and that of a single INOBS climb from a random order."""

    instance: str
    scores: dict[str, float]
    single_climb: float


def search(instance: Instance, settings: Settings) -> Searched:
    """Search an instance by every method, each on one core; Ctrl-C ends all searches under way."""
    methods = [*SEARCHES, *([ORDERS] if instance.data is not None else [])]
    jobs = [(method, settings.seed + run) for run in range(settings.runs) for method in methods]
    running: set[Budget] = set()

    def score(job: tuple[str, int]) -> float:
        return _score(instance, *job, settings.seconds, running)

    with ThreadPoolExecutor(settings.workers) as executor:
        futures = [executor.submit(score, job) for job in jobs]
        try:
            scores = [future.result() for future in futures]
        except KeyboardInterrupt:
            executor.shutdown(wait=False, cancel_futures=True)
            for budget in tuple(running):
                budget.interrupt()
            raise
    medians = {
        method: median(found for (of, _), found in zip(jobs, scores, strict=True) if of == method) for method in methods
    }
    return Searched(instance.name, medians, _single_climb(instance, settings.seed))


def _score(instance: Instance, method: str, seed: int, seconds: float, running: set[Budget]) -> float:
    local_score = None
    if method == ORDERS:
        assert instance.data is not None
        local_score = LocalScore(instance.data, "bic")
    budget = Budget(time_limit=seconds)
    running.add(budget)
    try:
        if local_score is not None:
            return orders(local_score, seed=seed, workers=1, budget=budget).score
        strategy, climb = SEARCHES[method]
        result = search_orders(instance.table, strategy=strategy, climb=climb, seed=seed, workers=1, budget=budget)
        return result.score
    finally:
        running.discard(budget)


def _single_climb(instance: Instance, seed: int) -> float:
    rng = np.random.default_rng(seed)
    starts = [rng.permutation(instance.table.n_variables) for _ in range(SINGLE_CLIMBS)]
    return median(climb_order(instance.table, start, "inobs", seed=at).score for at, start in enumerate(starts))


COLUMNS = ("GOBNILP", "OBS", "ASOBS", "one climb", "INOBS", "IINOBS", "MINOBS", ORDERS)


def print_searched(instance: Instance, searched: Searched) -> None:
    """Print what the instance is, and two lines: ours and the paper's."""
    name = paper_name(instance.name)
    n_variables, n_sets = size_in_paper(instance.name)
    console.print(
        f"{instance.name}: n = {instance.table.n_variables}, {instance.table.n_sets:,} sets"
        f"{f' made in {instance.seconds:.1f} s' if instance.data is not None else ''}; "
        f"in the paper {name}: n = {n_variables}, {n_sets:,} sets",
        style="bold",
    )
    table = Table(box=None, padding=(0, 1, 0, 0))
    table.add_column("", width=6)
    for heading in COLUMNS:
        table.add_column(heading, width=11, justify="right")
    paper = PUBLISHED_SEARCHES[name]
    scores = searched.scores | {"one climb": searched.single_climb}
    theirs = {method: -cost for method, cost in paper.costs.items()}
    if paper.gobnilp is not None:
        theirs["GOBNILP"] = -paper.gobnilp
    optimal = {method for method in scores if is_optimal(instance.name, scores[method])}
    table.add_row("ours", *(_cell(scores, method, method in optimal) for method in COLUMNS))
    optimal_in_paper = {method for method in theirs if paper.optimal and theirs[method] == max(theirs.values())}
    table.add_row("paper", *(_cell(theirs, method, method in optimal_in_paper) for method in COLUMNS))
    console.print(table)


def is_optimal(name: str, score: float) -> bool:
    """Whether the score is the proven optimum over all graphs of this dataset."""
    return name in PROVEN and abs(score - PROVEN[name].optimum) < 0.001


def _cell(scores: dict[str, float], method: str, is_optimal: bool) -> str:
    return f"{'*' if is_optimal else ''}{scores[method]:.1f}" if method in scores else ""


def print_searches_summary(searched: Sequence[Searched]) -> None:
    """Print the order of the methods, ours and the paper's, and what the paper concludes."""
    names = [line.instance for line in searched]
    ours = np.array([[line.scores[method] for method in METHODS] for line in searched]).round(1)  # as the paper prints
    paper = -np.array([[PUBLISHED_SEARCHES[paper_name(name)].costs[method] for method in METHODS] for name in names])
    every = -np.array([[line.costs[method] for method in METHODS] for line in PUBLISHED_SEARCHES.values()])
    console.print("\nOrder of the methods, the best first, with mean ranks", style="bold")
    table = Table(box=None, show_header=False, padding=(0, 2, 0, 0))
    for words, values in (
        (f"ours, {len(names)} instances", ours),
        ("paper, the same instances", paper),
        (f"paper, all {len(every)} instances", every),
    ):
        table.add_row(words, ranks_of(values, METHODS).in_words())
    console.print(table)
    console.print("\nOn how many instances a method is better than, level with or worse than another", style="bold")
    pairs = Table(box=None, padding=(0, 2, 0, 0))
    for heading in ("", "ours", "paper, the same", "paper, all"):
        pairs.add_column(heading, justify="left")
    for one, other in (("MINOBS", "IINOBS"), ("IINOBS", "INOBS"), ("INOBS", "ASOBS"), ("ASOBS", "OBS")):
        cells = [_won(values, one, other) for values in (ours, paper, every)]
        pairs.add_row(f"{one} against {other}", *cells)
    console.print(pairs)
    beaten = sum(line.single_climb > max(line.scores["OBS"], line.scores["ASOBS"]) for line in searched)
    console.print(
        f"\nA single INOBS climb is better than all that OBS and ASOBS find on {beaten} of {len(names)} instances; "
        "in the paper on all but three of the smaller ones."
    )
    _print_ceiling(searched)


def _won(values: np.ndarray[tuple[int, ...], np.dtype[np.float64]], one: str, other: str) -> str:
    difference = values[:, METHODS.index(one)] - values[:, METHODS.index(other)]
    return ", ".join(
        str(int(count)) for count in ((difference > 0).sum(), (difference == 0).sum(), (difference < 0).sum())
    )


def _print_ceiling(searched: Sequence[Searched]) -> None:
    """Print how far search without a table goes beyond the best of the searches on fixed tables."""
    gains = {
        line.instance: round(line.scores[ORDERS] - max(line.scores[method] for method in METHODS), 1) + 0.0
        for line in searched
        if ORDERS in line.scores
    }
    if not gains:
        return
    ahead, level = sum(gain > 0 for gain in gains.values()), sum(gain == 0 for gain in gains.values())
    console.print(
        f"\nA fixed table is a ceiling: {ORDERS}, which finds its parent sets on the way, in the same time and without "
        f"that for making a table, is better than the best search on the table on {ahead} of {len(gains)} instances "
        f"and level on {level}. Difference in nats: {', '.join(f'{name} {gain:+.1f}' for name, gain in gains.items())}."
    )
