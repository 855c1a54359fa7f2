r"""Table 4 of the page about Lee & van Beek 2017, from a file of results.

Run it from the root of the repository when there are more results; without ``--write`` it prints what it would write:

    python -m experiments.lee_vanbeek_2017_page experiments/results/lee_vanbeek_2017.jsonl \
        --write docs/results/lee-vanbeek-2017.md

Nothing is searched. Of every table, the seeds count for which all methods are finished, from the first one on.
"""

import argparse
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from arcwise import ranks_of
from arcwise.parents.selection import Limits
from arcwise.support.errors import ArcwiseError
from experiments import pages
from experiments.kept import Kept
from experiments.lee_vanbeek_2017_curves import draw_curves
from experiments.lee_vanbeek_2017_instances import MAX_PARENTS, SEARCHED, Source, lazy, paper_name
from experiments.lee_vanbeek_2017_published import METHODS, PUBLISHED_SEARCHES
from experiments.lee_vanbeek_2017_searches import (
    IP,
    ORDERS,
    Searched,
    Settings,
    compared_after,
    gains_of_orders,
    is_optimal,
    search,
    seeds_kept,
    single_climbs_ahead,
)

__all__ = ["SCORED", "SECONDS", "kept_searches", "main", "texts"]

#: How much the full run does: seconds for each search, and sets scored for each variable of a table.
SECONDS, SCORED = 60.0, 50_000

ONE_CLIMB = "one climb"
COLUMNS = ("OBS", "ASOBS", ONE_CLIMB, "INOBS", "IINOBS", "MINOBS", IP, ORDERS)
EARLY = 0.03


def kept_searches(kept: Kept, seconds: float = SECONDS, scored: int = SCORED) -> list[tuple[int, Searched]]:
    """Return for every table that is finished with a seed at least how many are, and what was found."""
    source = Source(Path(), Limits(MAX_PARENTS, time_per_variable=None, scored_per_variable=scored))
    found = []
    for name in SEARCHED:
        seeds = seeds_kept(lazy(source, name), Settings(seconds), kept)
        if seeds:
            found.append((seeds, search(lazy(source, name), Settings(seconds, runs=seeds), kept)))
    return found


def texts(found: Sequence[tuple[int, Searched]]) -> dict[str, str]:
    """Return in Markdown, by the name of its marks: medians over the seeds beside the paper's, what they come to."""
    columns = [f"`{ORDERS}`" if column == ORDERS else "IP, GOBNILP" if column == IP else column for column in COLUMNS]
    rows = [row for seeds, line in found for row in (_ours(seeds, line), _papers(line.instance))]
    lines = pages.table(["table", "variables", "sets", "seeds", *columns], rows)
    return {"Table 4": "\n".join([*lines, "", *_conclusions(found)])}


def _ours(seeds: int, line: Searched) -> list[str]:
    scores = line.scores | {ONE_CLIMB: line.single_climb}
    cells = [
        _cell(scores.get(column), column in scores and is_optimal(line, column, scores[column])) for column in COLUMNS
    ]
    return _row(f"{line.instance}, here", line.n_variables, line.n_sets, str(seeds), cells)


def _papers(name: str) -> list[str]:
    paper = PUBLISHED_SEARCHES[paper_name(name)]
    scores = {method: -cost for method, cost in paper.costs.items()}
    if paper.gobnilp is not None:
        scores[IP] = -paper.gobnilp
    best = {method for method in scores if paper.optimal and scores[method] == max(scores.values())}
    cells = [_cell(scores.get(column), column in best) for column in COLUMNS]
    if paper.gobnilp is None:
        cells[COLUMNS.index(IP)] = "no memory"
    return _row(f"{paper_name(name)}, paper", paper.n_variables, paper.n_sets, "", cells)


def _row(name: str, n_variables: int, n_sets: int, seeds: str, cells: Sequence[str]) -> list[str]:
    return [name, f"{n_variables:,}", f"{n_sets:,}", seeds, *cells]


def _cell(score: float | None, is_best: bool) -> str:
    return "" if score is None else pages.number(score) + (r"\*" if is_best else "")


def _conclusions(found: Sequence[tuple[int, Searched]]) -> list[str]:
    searched = [line for _, line in found]
    ours = np.array([[line.scores[method] for method in METHODS] for line in searched]).round(1)
    paper = -np.array(
        [[PUBLISHED_SEARCHES[paper_name(line.instance)].costs[of] for of in METHODS] for line in searched]
    )
    gains = gains_of_orders(searched)
    proven = [line.instance for line in searched if line.optimum is not None]
    said = [
        f"Mean ranks over these {len(searched)} tables (1 is best): {_ranks(ours)}. In the paper: {_ranks(paper)}.",
        f"A single climb of INOBS is above all that OBS and ASOBS find on {single_climbs_ahead(searched)} of them.",
        f"MINOBS is better than IINOBS, level with it and worse on {_counts(searched, EARLY)} of them after "
        f"{100 * EARLY:g} % of the time, and on {_counts(searched, 1.0)} after all of it.",
        f"`{ORDERS}` is above the best search on the table on {sum(gain > 0 for gain in gains.values())} of "
        f"{len(gains)} and level on {sum(gain == 0 for gain in gains.values())}.",
        f"Integer programming proves the best graph of {len(proven)} tables: {', '.join(proven)}.",
    ]
    repeated = [line for seeds, line in found if seeds > 1]
    if repeated:
        apart = {method: max(_apart(line, method) for line in repeated) for method in (*METHODS, IP)}
        apart[f"`{ORDERS}`"] = max((_apart(line, ORDERS) for line in repeated if ORDERS in line.curves), default=0.0)
        differences = ", ".join(f"{method} {difference:,.0f}" for method, difference in apart.items())
        said.append(
            f"With another seed the same method ends elsewhere, at most by so many nats ({len(repeated)} tables have "
            f"several seeds): {differences}."
        )
    return [f"- {sentence}" for sentence in said]


def _ranks(scores: np.ndarray[tuple[int, ...], np.dtype[np.float64]]) -> str:
    return ranks_of(scores, METHODS).in_words()


def _counts(searched: Sequence[Searched], share: float) -> str:
    better, level, worse = compared_after(searched, "MINOBS", "IINOBS", share)
    return f"{better}, {level} and {worse}"


def _apart(line: Searched, method: str) -> float:
    ends = [curve[-1][1] for curve in line.curves[method]]
    return max(ends) - min(ends)


def main() -> None:
    """Print the table of a file of results, or write it into the page."""
    parser = argparse.ArgumentParser(
        prog="python -m experiments.lee_vanbeek_2017_page",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "results", type=Path, metavar="FILE", help="what --results of experiments.lee_vanbeek_2017 kept"
    )
    parser.add_argument("--write", type=Path, metavar="PAGE", help="puts the table into this page instead")
    parser.add_argument("--curves", type=Path, metavar="FILE", help="draws score by time there, as SVG")
    arguments = parser.parse_args()
    try:
        found = kept_searches(Kept(arguments.results))
        made = texts(found)
        if arguments.write is None:
            print("\n\n".join(made.values()))
        else:
            pages.write(arguments.write, made)
        if arguments.curves is not None:
            draw_curves([line for _, line in found], arguments.curves)
    except ArcwiseError as error:
        raise SystemExit(f"error: {error}") from None


if __name__ == "__main__":
    main()
