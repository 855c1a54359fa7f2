r"""Tables I to V of the page about Perez & Mauá 2016, dataset by dataset, from a file of results.

Run it from the root of the repository; without ``--write`` it prints what it would write:

    python -m experiments.perez_maua_2016_page experiments/results/perez_maua_2016.jsonl \
        --write docs/results/perez-maua-2016.md

Nothing is searched. What is not in the file is left out.
"""

import argparse
from math import isnan
from pathlib import Path

from arcwise.parents.selection import Limits
from arcwise.support.errors import ArcwiseError
from experiments import pages
from experiments.debd import DATASETS
from experiments.kept import Kept
from experiments.perez_maua_2016_published import PAPER_METHODS
from experiments.perez_maua_2016_search import TABLES, Searched, Settings
from experiments.perez_maua_2016_search_published import APPROACHES, CRITERIA, printed
from experiments.perez_maua_2016_selection import Measured, abbreviated, part_of

__all__ = ["RESTARTS", "SECONDS", "main", "texts"]

#: What was run for the page: seconds for each variable, and restarts of each search.
SECONDS, RESTARTS = 0.02, 100


def texts(kept: Kept) -> dict[str, str]:
    """Return the tables in Markdown, by the names of their marks."""
    return {"Tables I and II": _selections(kept), "Tables III to V": _searches(kept)}


def _selections(kept: Kept) -> str:
    limits, rows = Limits(time_per_variable=SECONDS), []
    for name in DATASETS:
        for method in PAPER_METHODS:
            part = part_of(name, method, limits)
            if part in kept:
                rows.append(_row(Measured(**kept.found(part, dict))))
    headings = ("scored", "kept", "paper", "M", "paper", "D", "paper", "RC", "paper")
    return "\n".join(pages.table(["dataset", "selection", *headings], rows, words=2))


def _row(line: Measured) -> list[str]:
    paper = line.published
    assert paper is not None
    return [
        line.dataset,
        line.method,
        abbreviated(line.scored),
        abbreviated(line.sets),
        paper.sets,
        str(line.max_parents),
        str(paper.max_parents),
        f"{line.mean_parents:.3f}",
        f"{paper.mean_parents:.3f}",
        f"{line.relative_score:.4f}",
        f"{paper.relative_score:.4f}",
    ]


def _searches(kept: Kept) -> str:
    settings = Settings(Limits(time_per_variable=SECONDS), RESTARTS)
    lines: list[str] = []
    for selection in PAPER_METHODS:
        rows = []
        for dataset in DATASETS:
            part = settings.part(dataset, selection)
            if part in kept:
                rows.append(_searched([Searched(**values) for values in kept.found(part, dict)]))
        headings = [heading for criterion in CRITERIA for heading in (criterion, "paper")]
        names = ", ".join(APPROACHES)
        lines += [f"Table {TABLES[selection]}, {selection} selection; in each cell {names}:", ""]
        lines += [*pages.table(["dataset", *headings], rows), ""]
    return "\n".join(lines[:-1])


def _searched(lines: list[Searched]) -> list[str]:
    by_approach = {line.approach: line for line in lines}
    cells = [lines[0].dataset]
    for at in range(len(CRITERIA)):
        ours = [by_approach[approach].values[at] for approach in APPROACHES]
        paper = [printed(lines[0].selection, lines[0].dataset, approach)[at] for approach in APPROACHES]
        digits = 4 if at < 3 else 1
        cells += [", ".join("?" if isnan(value) else f"{value:.{digits}f}" for value in of) for of in (ours, paper)]
    return cells


def main() -> None:
    """Print the tables of a file of results, or write them into the page."""
    parser = argparse.ArgumentParser(
        prog="python -m experiments.perez_maua_2016_page",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("results", type=Path, metavar="FILE", help="what --results of experiments.perez_maua_2016 kept")
    parser.add_argument("--write", type=Path, metavar="PAGE", help="puts the tables into this page instead")
    arguments = parser.parse_args()
    try:
        made = texts(Kept(arguments.results))
        if arguments.write is None:
            print("\n\n".join(made.values()))
        else:
            pages.write(arguments.write, made)
    except ArcwiseError as error:
        raise SystemExit(f"error: {error}") from None


if __name__ == "__main__":
    main()
