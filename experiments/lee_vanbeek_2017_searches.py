"""Table 4 of Lee & van Beek 2017: order searches on fixed tables, all with the same time on the same instance.

"Metaheuristics for score-and-search Bayesian network structure learning", Canadian AI 2017, experiment 3. OBS is the
search of Teyssier & Koller 2005 with its tabu list, ASOBS that of Scanagatta et al. 2015, both from ever new random
orders, as is INOBS; IINOBS is iterated, MINOBS memetic. In the place of GOBNILP stands the integer programming of this
package, which begins with an order search, for a tenth of the time. What is not in the paper: `orders`, the search of
this package that needs no table, where there are data to search.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf
from statistics import median
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

from arcwise import (
    Budget,
    Iterated,
    LocalScore,
    Memetic,
    Restarts,
    Result,
    Status,
    integer_programming,
    orders,
    ranks_of,
    search_orders,
)
from arcwise.search.orders import Strategy, climb_order
from experiments.debd import PROVEN
from experiments.kept import Kept
from experiments.lee_vanbeek_2017_instances import Instance, Lazy, paper_name, size_in_paper
from experiments.lee_vanbeek_2017_published import METHODS, PUBLISHED_SEARCHES
from experiments.lee_vanbeek_2017_runs import Curve, Job, run_all, score_at

__all__ = [
    "ALL_METHODS",
    "IP",
    "ORDERS",
    "Searched",
    "Settings",
    "compared_after",
    "gains_of_orders",
    "is_optimal",
    "print_searched",
    "print_searches_summary",
    "search",
    "seeds_kept",
    "single_climbs_ahead",
]

#: Each method as a strategy and how it climbs.
SEARCHES: dict[str, tuple[Strategy, str]] = {
    "OBS": (Restarts(), "obs-tabu"),
    "ASOBS": (Restarts(), "asobs"),
    "INOBS": (Restarts(), "inobs"),
    "IINOBS": (Iterated(chains=1), "inobs"),
    "MINOBS": (Memetic(), "inobs"),
}
ORDERS = "orders"
IP = "IP"
ALL_METHODS = (*SEARCHES, ORDERS, IP)
SINGLE_CLIMBS = 21
# Parts of the time at which IINOBS and MINOBS are compared.
SHARES = (0.03, 0.1, 0.3, 1.0)

console = Console(width=112, highlight=False)


@dataclass(frozen=True)
class Settings:
    """Seconds of each search, how often it is done with other seeds, the first seed, how many at a time, and which."""

    seconds: float
    runs: int = 3
    seed: int = 1
    workers: int = 1
    methods: Sequence[str] = ALL_METHODS


@dataclass(frozen=True)
class Searched:
    """What was found on one instance.

    Attributes
    ----------
    instance
        Its name.
    n_variables, n_sets, table_seconds
        Its size, and how long it took to make.
    seconds
        Of each search.
    scores
        Median by method.
    single_climb
        Median of INOBS climbs from random orders.
    curves
        By method, the best score by time of each run.
    bound
        No graph of the table scores more: the best that integer programming proved.
    optimum
        The best score of the table, where it was proven.
    """

    instance: str
    n_variables: int
    n_sets: int
    table_seconds: float
    seconds: float
    scores: dict[str, float]
    single_climb: float
    curves: dict[str, list[Curve]]
    bound: float
    optimum: float | None

    def median_at(self, method: str, seconds: float) -> float:
        """Return the median over the runs of the best score until then."""
        return median(score_at(curve, seconds) for curve in self.curves[method])


def search(lazy: Lazy, settings: Settings, kept: Kept) -> Searched:
    """Search an instance by every method, each on one core; what is kept is not searched again."""
    asked = {"table": 4, **lazy.asked}
    size = kept.found({**asked, "climbs": SINGLE_CLIMBS, "seed": settings.seed}, lambda: _size(lazy(), settings.seed))
    methods = _possible(lazy, settings)
    jobs = {
        (method, seed): _job(method, seed, settings.seconds, asked)
        for seed in range(settings.seed, settings.seed + settings.runs)
        for method in methods
    }
    found = dict(zip(jobs, run_all(lazy, list(jobs.values()), kept, settings.workers), strict=True))
    of = {method: [line for (by, _), line in found.items() if by == method] for method in methods}
    proofs = of.get(IP, [])
    optimal = [line["score"] for line in proofs if line["status"] == str(Status.OPTIMAL)]
    return Searched(
        lazy.name,
        **size,
        seconds=settings.seconds,
        scores={method: median(line["score"] for line in lines) for method, lines in of.items()},
        curves={method: [line["curve"] for line in lines] for method, lines in of.items()},
        bound=min((line["bound"] for line in proofs), default=inf),
        optimum=max(optimal, default=None),
    )


def _possible(lazy: Lazy, settings: Settings) -> list[str]:
    return [method for method in settings.methods if lazy.has_data or method != ORDERS]


def seeds_kept(lazy: Lazy, settings: Settings, kept: Kept) -> int:
    """Return how many seeds, from the first on, are kept with all methods; none where the table's size is not."""
    asked = {"table": 4, **lazy.asked}
    if {**asked, "climbs": SINGLE_CLIMBS, "seed": settings.seed} not in kept:
        return 0
    seeds = 0
    while all(
        _job(method, settings.seed + seeds, settings.seconds, asked).part in kept
        for method in _possible(lazy, settings)
    ):
        seeds += 1
    return seeds


def _size(instance: Instance, seed: int) -> dict[str, Any]:
    return {
        "n_variables": instance.table.n_variables,
        "n_sets": instance.table.n_sets,
        "table_seconds": instance.seconds,
        "single_climb": _single_climb(instance, seed),
    }


def _job(method: str, seed: int, seconds: float, asked: dict[str, Any]) -> Job:
    part = {**asked, "method": method, "seed": seed, "seconds": seconds}
    if method == ORDERS:
        return Job(part, seconds, lambda instance, budget: _orders(instance, seed, budget))
    if method == IP:
        return Job(
            part,
            seconds,
            lambda instance, budget: integer_programming(instance.table, seed=seed, workers=1, budget=budget),
        )
    strategy, climb = SEARCHES[method]
    return Job(
        part,
        seconds,
        lambda instance, budget: search_orders(
            instance.table, strategy=strategy, climb=climb, seed=seed, workers=1, budget=budget
        ),
    )


def _orders(instance: Instance, seed: int, budget: Budget) -> Result:
    assert instance.data is not None
    return orders(LocalScore(instance.data, "bic"), seed=seed, workers=1, budget=budget)


def _single_climb(instance: Instance, seed: int) -> float:
    rng = np.random.default_rng(seed)
    starts = [rng.permutation(instance.table.n_variables) for _ in range(SINGLE_CLIMBS)]
    return median(climb_order(instance.table, start, "inobs", seed=at).score for at, start in enumerate(starts))


COLUMNS = (IP, "OBS", "ASOBS", "one climb", "INOBS", "IINOBS", "MINOBS", ORDERS)


def print_searched(searched: Searched) -> None:
    """Print what the instance is, and two lines: ours and the paper's."""
    name = paper_name(searched.instance)
    n_variables, n_sets = size_in_paper(searched.instance)
    console.print(
        f"{searched.instance}: n = {searched.n_variables}, {searched.n_sets:,} sets"
        f"{f' made in {searched.table_seconds:.1f} s' if searched.table_seconds > 0 else ''}; "
        f"in the paper {name}: n = {n_variables}, {n_sets:,} sets",
        style="bold",
    )
    table = Table(box=None, padding=(0, 1, 0, 0))
    table.add_column("", width=6)
    for heading in COLUMNS:
        table.add_column("IP, GOBNILP" if heading == IP else heading, width=11, justify="right")
    paper = PUBLISHED_SEARCHES[name]
    scores = searched.scores | {"one climb": searched.single_climb}
    theirs = {method: -cost for method, cost in paper.costs.items()}
    if paper.gobnilp is not None:
        theirs[IP] = -paper.gobnilp
    optimal = {method for method in scores if is_optimal(searched, method, scores[method])}
    table.add_row("ours", *(_cell(scores, method, method in optimal) for method in COLUMNS))
    optimal_in_paper = {method for method in theirs if paper.optimal and theirs[method] == max(theirs.values())}
    table.add_row("paper", *(_cell(theirs, method, method in optimal_in_paper) for method in COLUMNS))
    console.print(table)
    if searched.optimum is None and searched.bound < inf:
        console.print(f"  no graph of the table has more than {searched.bound:.1f} (IP)")


def is_optimal(searched: Searched, method: str, score: float) -> bool:
    """Whether the score is the proven optimum over the table, or over all graphs of this dataset."""
    known = [PROVEN[searched.instance].optimum] if searched.instance in PROVEN else []
    if searched.optimum is not None and method != ORDERS:
        known.append(searched.optimum)
    return any(abs(score - optimum) < 0.001 for optimum in known)


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
    console.print(
        f"\nA single INOBS climb is better than all that OBS and ASOBS find on {single_climbs_ahead(searched)} of "
        f"{len(names)} instances; in the paper on all but three of the smaller ones."
    )
    _print_anytime(searched)
    _print_ceiling(searched)


def _print_anytime(searched: Sequence[Searched]) -> None:
    """Print how integer programming and MINOBS compare with IINOBS and MINOBS as time passes."""
    console.print("\nOn how many instances a method is better, level or worse after a part of the time", style="bold")
    table = Table(box=None, padding=(0, 2, 0, 0))
    for heading in ("", *(f"{share:.0%}" for share in SHARES)):
        table.add_column(heading, justify="left")
    for one, other in (("MINOBS", "IINOBS"), (IP, "MINOBS")):
        cells = [compared_after(searched, one, other, share) for share in SHARES]
        table.add_row(f"{one} against {other}", *(", ".join(map(str, cell)) for cell in cells))
    console.print(table)
    proven = [line.instance for line in searched if line.optimum is not None]
    console.print(
        f"Integer programming proves the best graph of {len(proven)} of {len(searched)} tables"
        f"{': ' + ', '.join(proven) if proven else ''}; in the paper of 2 of 20 (nltcs.test and msnbc.test), and it "
        "ran out of memory on 15."
    )


def single_climbs_ahead(searched: Sequence[Searched]) -> int:
    """Return on how many instances a single climb of INOBS is better than all that OBS and ASOBS find."""
    return sum(line.single_climb > max(line.scores["OBS"], line.scores["ASOBS"]) for line in searched)


def compared_after(searched: Sequence[Searched], one: str, other: str, share: float) -> tuple[int, int, int]:
    """Return on how many instances a method is better, level and worse than another after a part of the time."""
    pairs = [[line.median_at(method, share * line.seconds) for method in (one, other)] for line in searched]
    signs = [0 if abs(a - b) < 0.05 or a == b else 1 if a > b else -1 for a, b in pairs]
    return signs.count(1), signs.count(0), signs.count(-1)


def _won(values: np.ndarray[tuple[int, ...], np.dtype[np.float64]], one: str, other: str) -> str:
    difference = values[:, METHODS.index(one)] - values[:, METHODS.index(other)]
    return ", ".join(
        str(int(count)) for count in ((difference > 0).sum(), (difference == 0).sum(), (difference < 0).sum())
    )


def gains_of_orders(searched: Sequence[Searched]) -> dict[str, float]:
    """Return by instance how far search without a table is above the best of the searches on the table."""
    return {
        line.instance: round(line.scores[ORDERS] - max(line.scores[method] for method in METHODS), 1) + 0.0
        for line in searched
        if ORDERS in line.scores
    }


def _print_ceiling(searched: Sequence[Searched]) -> None:
    """Print how far search without a table goes beyond the best of the searches on fixed tables."""
    gains = gains_of_orders(searched)
    if not gains:
        return
    ahead, level = sum(gain > 0 for gain in gains.values()), sum(gain == 0 for gain in gains.values())
    console.print(
        f"\nA fixed table is a ceiling: {ORDERS}, which finds its parent sets on the way, in the same time and without "
        f"that for making a table, is better than the best search on the table on {ahead} of {len(gains)} instances "
        f"and level on {level}. Difference in nats: {', '.join(f'{name} {gain:+.1f}' for name, gain in gains.items())}."
    )
