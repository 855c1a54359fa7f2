"""Tables 5 and 6 of Vandel, Mangin & de Givry 2012: single searches on small samples of Alarm.

"New local move operators for learning the structure of Bayesian networks", PGM 2012, section 4.2: how much a search
does, and which operators are used from the empty graph and from random ones. `vandel_2012_figure` shows how much
restarts help.
"""

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from statistics import fmean, median
from typing import Any

import numpy as np
import numpy.typing as npt
from rich.console import Console
from rich.table import Table

from arcwise import BayesianNetwork, Dag, LocalScore, Result
from arcwise.search.dags import greedy
from experiments.kept import Kept
from experiments.vandel_2012_methods import LIMITED, METHODS, MOVES, SCORE, constraints_of
from experiments.vandel_2012_published import INITIAL_ARCS, LONGEST_CHAIN, SINGLE_SEARCHES, USAGE, SingleSearch

__all__ = [
    "ROWS",
    "Climbs",
    "Restarted",
    "arcs_of_two_parents",
    "print_table_5",
    "print_table_6",
    "random_dag_of_two_parents",
    "restart",
    "search_once",
    "titled",
]

ROWS = 500
STARTS = ("empty", "random")
OPERATORS = {
    "additions": "ADD",
    "deletions": "DELETE",
    "reversals": "REVERSE",
    "swaps": "SWAP",
    "longer_additions": "ADD+",
    "longer_swaps": "SWAP+",
}

TABLE_5 = (
    "Table 5: a single search on Alarm, {rows} rows, one core. Ours: means over {samples} samples (times: medians). "
    "Paper: one sample, not known which, so scores compare by their differences only. Local scores: different ones "
    "that were counted; ours come in batches, with those of arcs that would close a cycle. Moves: of LAGD half its "
    "operators, since it makes two at a time (one now and then)."
)
TABLE_6 = (
    "Table 6: mean number of moves by operator, {climbs} searches on each of {samples} samples (paper: 50 on 30), from "
    "the empty graph and from random ones; ours / the paper's. ADD+ and SWAP+ broke a cycle by further operators; an "
    "arc added whose reverse was deleted counts as REVERSE."
)
DELETIONS = (
    "In all: also those within ADD+ and SWAP+, from the number of arcs in the end. The paper does not say whether its\n"
    "DELETE counts them; if so, its SGS3 from random graphs ends with 71 + 11.5 + 14 - 43 = 53.5 arcs, else with fewer."
)
RANDOM_GRAPHS = (
    "Random graphs: the paper says that a node draws two parents and loses those that close a cycle, but its graphs\n"
    "have {paper} arcs, the most that two parents per node allow. Ours have as many: every node draws two of those "
    "before it\nin a random order. Each search has its own (Algorithm 1), the same for all three neighbourhoods; the "
    "paper's words,\n30 graphs for 30 samples, can also mean one for all searches on a sample."
)

console = Console(width=120, highlight=False)


@dataclass(frozen=True)
class Climbs:
    """Single searches by one neighbourhood from one kind of graph.

    `scores` has a line for each sample and a column for each search; `usage` is the mean number of moves by operator,
    `deleted` that of all arcs deleted, within ADD+ and SWAP+ too, but not by reversals; `longest_chain` the most
    operators of one move.
    """

    scores: npt.NDArray[np.float64]
    usage: Mapping[str, float]
    deleted: float = 0.0
    longest_chain: int = 0

    def best_of(self) -> npt.NDArray[np.float64]:
        """Return for r = 1, 2, … the best score of the first r searches, as a mean over the samples.

        Examples
        --------
        >>> Climbs(np.array([[-3.0, -1.0, -2.0], [-5.0, -6.0, -4.0]]), {}).best_of().tolist()
        [-4.0, -3.0, -2.5]
        """
        return np.asarray(np.maximum.accumulate(self.scores, axis=1).mean(axis=0))


@dataclass(frozen=True)
class Restarted:
    """Searches by method and start, and the scores of the true network and of other methods, one for each sample."""

    climbs: Mapping[tuple[str, str], Climbs]
    gold: tuple[float, ...]
    others: Mapping[str, tuple[float, ...]]


def search_once(
    truth: BayesianNetwork, samples: int, *, seed: int, kept: Kept | None = None
) -> dict[str, SingleSearch]:
    """Return the mean of single searches by each method of Table 5, one after the other on one core."""
    known = Kept() if kept is None else kept
    searched = [
        known.found({"table": "5", "network": _network_of(truth), "seed": at}, partial(_search_sample_once, truth, at))
        for at in range(seed, seed + samples)
    ]
    columns = {method: zip(*(line[method] for line in searched), strict=True) for method in searched[0]}
    return {
        method: SingleSearch(fmean(scores), fmean(moves), fmean(evaluations), median(seconds))
        for method, (scores, moves, evaluations, seconds) in columns.items()
    }


def _search_sample_once(truth: BayesianNetwork, seed: int) -> dict[str, tuple[float, float, int, float]]:
    data, found = truth.sample(ROWS, seed=seed), {}
    for method in SINGLE_SEARCHES:
        if method in METHODS:
            result = METHODS[method](data, constraints_of(method), 1, seed)
            moves = _n_moves(method, result)
            found[method] = (result.score, moves, result.counters["evaluations"], result.seconds)
    return found


def _network_of(truth: BayesianNetwork) -> list[str]:
    return list(truth.names)


def _n_moves(method: str, result: Result) -> float:
    operators = sum(result.counters.get(operator, 0) for operator in (*OPERATORS, "insertions"))
    return operators / 2 if method == "LAGD" else operators


def print_table_5(found: Mapping[str, SingleSearch], samples: int) -> None:
    """Print ours beside the paper's."""
    title = TABLE_5.format(rows=ROWS, samples=samples)
    table = titled(title)
    table.add_column("")
    for heading in ("score", "less SGS1", "moves", "local scores", "ms", "paper: score", "less SGS1", "moves"):
        table.add_column(heading, justify="right")
    table.add_column("local scores", justify="right")
    table.add_column("ms", justify="right")
    for method, ours in found.items():
        cells = [
            cell
            for line, base in ((ours, found["SGS1"]), (SINGLE_SEARCHES[method], SINGLE_SEARCHES["SGS1"]))
            for cell in (
                f"{line.score:.2f}",
                f"{line.score - base.score:+.2f}",
                f"{line.moves:.0f}",
                f"{line.evaluations:.0f}",
                f"{1e3 * line.seconds:.3g}",
            )
        ]
        table.add_row(method, *cells)
    console.print(table)


def titled(title: str) -> Table:
    """Print a title and return an empty table to print under it."""
    console.print(f"\n{title}\n", style="bold")
    return Table(box=None, padding=(0, 2, 0, 0))


def restart(
    truth: BayesianNetwork, samples: int, climbs: int, *, seed: int, workers: int, kept: Kept | None = None
) -> Restarted:
    """Search samples again and again by SGS1, SGS2 and SGS3, from the empty graph and from random ones."""
    known = Kept() if kept is None else kept

    def restarted(at: int) -> Any:
        find = partial(_restart_sample, truth, climbs, at)
        return known.found({"table": "6", "network": _network_of(truth), "climbs": climbs, "seed": at}, find)

    with ThreadPoolExecutor(max_workers=workers) as executor:
        lines = list(executor.map(restarted, range(seed, seed + samples)))
    n_first = {"random": arcs_of_two_parents(len(truth.names)), "empty": 0}
    return Restarted(
        climbs={
            (method, start): _climbs([line["results"][start][method] for line in lines], n_first[start])
            for method, start in _kinds()
        },
        gold=tuple(line["gold"] for line in lines),
        others={name: tuple(line["others"][name] for line in lines) for name in lines[0]["others"]},
    )


def _climbs(results: Sequence[Sequence[Mapping[str, float]]], n_first: int) -> Climbs:
    every = [result for line in results for result in line]
    usage = {operator: fmean(result[operator] for result in every) for operator in OPERATORS}
    # A swap and a reversal keep the number of arcs, so what was there or added and is not there in the end was deleted.
    n_last = fmean(result["arcs"] for result in every)
    deleted = n_first + usage["additions"] + usage["longer_additions"] - n_last
    scores = np.array([[result["score"] for result in line] for line in results])
    return Climbs(scores, usage, deleted, int(max(result["longest_chain"] for result in every)))


def _numbers(result: Result) -> dict[str, float]:
    """Return what is told of a single search."""
    counted = {operator: result.counters[operator] for operator in OPERATORS}
    chain = result.counters.get("longest_chain", 1)
    return {"score": result.score, "arcs": result.dag.n_arcs, "longest_chain": chain, **counted}


def _kinds() -> list[tuple[str, str]]:
    return [(method, start) for start in STARTS for method in MOVES]


def _restart_sample(truth: BayesianNetwork, climbs: int, seed: int) -> dict[str, Any]:
    data = truth.sample(ROWS, seed=seed)
    score = LocalScore(data, SCORE)
    rng = np.random.default_rng([seed, climbs])
    starts = {
        "empty": [Dag(data.names)] * climbs,
        "random": [random_dag_of_two_parents(data.names, rng) for _ in range(climbs)],
    }
    seeds = np.random.SeedSequence(seed).generate_state(climbs).tolist()
    results: dict[str, dict[str, list[dict[str, float]]]] = {kind: {} for kind in STARTS}
    for method, kind in _kinds():
        results[kind][method] = [
            _numbers(greedy(score, moves=MOVES[method], climbs=1, constraints=LIMITED, start=start, seed=at, workers=1))
            for start, at in zip(starts[kind], seeds, strict=True)
        ]
    others = {name: METHODS[name](data, constraints_of(name), 1, seed).score for name in ("GES",) if name in METHODS}
    return {"results": results, "gold": score.total(truth.dag), "others": others}


def random_dag_of_two_parents(names: Sequence[str], rng: np.random.Generator) -> Dag:
    """Return a random graph in which each node has two parents, but for the first two of an order.

    Examples
    --------
    >>> random_dag_of_two_parents(list("abcde"), np.random.default_rng(1)).n_arcs
    7
    """
    order = rng.permutation(len(names)).tolist()
    arcs = [
        (names[parent], names[child])
        for place, child in enumerate(order)
        for parent in rng.choice(order[:place], size=min(2, place), replace=False).tolist()
    ]
    return Dag(names, arcs)


def arcs_of_two_parents(n_nodes: int) -> int:
    """Return how many arcs such a graph has: all pairs of a node with two others before it, as far as there are two.

    Examples
    --------
    >>> arcs_of_two_parents(5)
    7
    """
    return sum(min(2, place) for place in range(n_nodes))


def print_table_6(restarted: Restarted) -> None:
    """Print ours beside the paper's."""
    samples, climbs = next(iter(restarted.climbs.values())).scores.shape
    title = TABLE_6.format(climbs=climbs, samples=samples)
    table = titled(title)
    table.add_column("")
    for method, start in USAGE:
        table.add_column(f"{start}\n{method}", justify="right")
    for operator, label in OPERATORS.items():
        cells = (f"{restarted.climbs[kind].usage[operator]:.1f} / {USAGE[kind][operator]:g}" for kind in USAGE)
        table.add_row(label, *cells)
    table.add_row("DELETE in all", *(f"{restarted.climbs[kind].deleted:.1f}    " for kind in USAGE))
    console.print(table)
    chains = ", ".join(
        f"{restarted.climbs['SGS3', start].longest_chain} from {start} graphs (paper: {most})"
        for start, most in LONGEST_CHAIN.items()
    )
    console.print(f"\nThe most operators of one move of SGS3: {chains}.")
    console.print(f"\n{DELETIONS}")
    console.print(RANDOM_GRAPHS.format(paper=INITIAL_ARCS))
