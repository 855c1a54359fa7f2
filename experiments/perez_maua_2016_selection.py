"""Tables I and II of Perez & Mauá 2016: how good the candidate parent sets are that each selection finds.

"Better initialization heuristics for order-based Bayesian network structure learning", JIDM 7(2), section 6.1. On each
dataset every selection makes a table of candidate parent sets; H* is the graph, usually with cycles, that gives each
variable its best set. No DAG over the same sets has a better score, so the relative score of H*,
RC = (sc(H*) - sc(empty)) / |sc(empty)|, is the ceiling of any search among them. The score is BIC with natural
logarithms over all rows: train, valid and test.
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from statistics import mean

from rich.box import SIMPLE
from rich.console import Console
from rich.progress import Progress
from rich.table import Table

from arcwise import Budget, Dag, Dataset, LocalScore
from arcwise.parents.selection import Limits, Selected, select
from experiments.debd import load
from experiments.kept import Kept
from experiments.perez_maua_2016_published import PAPER_METHODS, PUBLISHED, PublishedSelection

__all__ = ["METHODS", "Measured", "abbreviated", "part_of", "select_with_progress", "tables_1_and_2"]

METHODS = (*PAPER_METHODS, "balanced", "exhaustive")
MOST_VARIABLES_FOR_EXHAUSTIVE = 20

WHAT_DIFFERS = """\
What differs from the paper, whose columns are headed "paper":
- Time: the paper gave every variable 120 s on a 2.4 GHz core, this run {seconds:g} s; threads: {workers}.
- Nps counts the sets kept, those that none of their subsets equals or beats. The paper counts all sets that it
  explored; "scored" is nearer to that.
- Greedy and independence selection score all extensions of a set in one batch, so they see many more sets.
- balanced is not in the paper; exhaustive is exact, and run only where n is at most {most}.
"lead" is RC minus the best RC of the paper's three selections. A star: finished, so no set can be better.
"""

console = Console(width=112, highlight=False)


@dataclass(frozen=True)
class Measured:
    """What one selection found on one dataset: its share of a line of Tables I and II.

    `max_parents` (M in the paper), `mean_parents` (D) and `relative_score` (RC) are those of H*.
    """

    dataset: str
    n_variables: int
    n_rows: int
    method: str
    seconds: float
    is_exact: bool
    scored: int
    sets: int
    max_parents: int
    mean_parents: float
    relative_score: float

    @property
    def published(self) -> PublishedSelection | None:
        """What the paper prints for the same selection, if it has it."""
        return PUBLISHED[self.dataset].selections.get(self.method)

    @property
    def printed(self) -> tuple[int, float, float]:
        """M, D and RC with as many digits as the paper prints."""
        return self.max_parents, round(self.mean_parents, 3), round(self.relative_score, 4)

    @property
    def lead(self) -> float:
        """How far RC, rounded to the paper's four digits, is ahead of the best one that the paper prints."""
        return round(round(self.relative_score, 4) - PUBLISHED[self.dataset].best, 4)


def tables_1_and_2(
    folder: Path,
    datasets: Sequence[str],
    methods: Sequence[str],
    limits: Limits,
    workers: int,
    results: Kept | None = None,
) -> list[Measured]:
    """Load, select, measure and print, one line after the other; Ctrl-C ends it with a summary of what there is.

    What the file of results has is not done again.
    """
    results = Kept(None) if results is None else results
    console.print(
        WHAT_DIFFERS.format(seconds=limits.time_per_variable, workers=workers, most=MOST_VARIABLES_FOR_EXHAUSTIVE)
    )
    measured: list[Measured] = []
    budget = Budget()  # without limits of its own, so exhausted only by Ctrl-C
    try:
        for name in datasets:
            for method in methods:
                if method == "exhaustive" and PUBLISHED[name].n_variables > MOST_VARIABLES_FOR_EXHAUSTIVE:
                    continue
                found = results.found(
                    part_of(name, method, limits), partial(_made, folder, name, method, limits, workers, budget)
                )
                if found is None:
                    raise KeyboardInterrupt
                measured.append(Measured(**found))
                print_line(measured)
    except KeyboardInterrupt:
        console.print(f"interrupted; lines finished: {len(measured)}")
    if measured:
        print_summary(measured)
    return measured


def part_of(name: str, method: str, limits: Limits) -> dict[str, object]:
    """Return what a line depends on, but for the machine."""
    return {"tables": "1-2", "dataset": name, "selection": method, "limits": asdict(limits)}


def _made(
    folder: Path, name: str, method: str, limits: Limits, workers: int, budget: Budget
) -> dict[str, object] | None:
    """Return a line as plain values; None where Ctrl-C has cut it short."""
    data = load(folder, name)
    score = LocalScore(data, "bic")  # a new one: no selection profits from what others had counted
    selected = select_with_progress(score, f"{name}, {method}", method, limits, workers, budget)
    return None if budget.exhausted else asdict(measure(name, data, score, selected))


def select_with_progress(
    score: LocalScore, title: str, method: str, limits: Limits, workers: int, budget: Budget
) -> Selected:
    """Select parent sets, with a bar on stderr, if that is a terminal, which vanishes afterwards."""
    stderr = Console(stderr=True)
    with Progress(console=stderr, transient=True, redirect_stdout=False, disable=not stderr.is_terminal) as progress:
        task = progress.add_task(title, total=score.data.n_variables)
        return select(
            score,
            method=method,
            limits=limits,
            workers=workers,
            budget=budget,
            on_variable=lambda done, _: progress.update(task, completed=done),
        )


def measure(name: str, data: Dataset, score: LocalScore, selected: Selected) -> Measured:
    """Return the numbers of Tables I and II for one table of candidate sets."""
    empty = score.total(Dag(data.names))
    in_degrees = [len(parents) for parents in selected.sets.relaxed_graph().values()]
    return Measured(
        dataset=name,
        n_variables=data.n_variables,
        n_rows=data.n_rows,
        method=selected.method,
        seconds=selected.seconds,
        is_exact=selected.is_exact,
        scored=selected.scored,
        sets=selected.sets.n_sets,
        max_parents=max(in_degrees),
        mean_parents=mean(in_degrees),
        relative_score=(selected.sets.relaxed_score() - empty) / abs(empty),
    )


# Fixed widths, because every line is printed as soon as it is there.
COLUMNS = (
    ("dataset", 10),
    ("n", 4),
    ("N", 6),
    ("selection", 13),
    ("seconds", 7),
    ("scored", 7),
    ("Nps", 6),
    ("paper", 6),
    ("M", 2),
    ("paper", 5),
    ("D", 5),
    ("paper", 5),
    ("RC", 6),
    ("paper", 6),
    ("lead", 7),
)


def print_line(measured: Sequence[Measured]) -> None:
    """Print the last measurement, under the headings if it is the first."""
    line = measured[-1]
    is_first_of_dataset = len(measured) == 1 or measured[-2].dataset != line.dataset
    published = line.published
    table = Table(box=None, padding=(0, 1, 0, 0), show_header=len(measured) == 1)
    for heading, width in COLUMNS:
        table.add_column(heading, width=width, justify="left" if heading in ("dataset", "selection") else "right")
    table.add_row(
        *((line.dataset, str(line.n_variables), str(line.n_rows)) if is_first_of_dataset else ("", "", "")),
        f"{line.method}{'*' if line.is_exact else ''}",
        f"{line.seconds:.1f}",
        abbreviated(line.scored),
        abbreviated(line.sets),
        published.sets if published else "",
        str(line.max_parents),
        str(published.max_parents) if published else "",
        f"{line.mean_parents:.3f}",
        f"{published.mean_parents:.3f}" if published else "",
        f"{line.relative_score:.4f}",
        f"{published.relative_score:.4f}" if published else "",
        f"{line.lead:+.4f}",
        style="bold" if line.lead > 0 else None,
    )
    console.print(table)


def abbreviated(count: int) -> str:
    """Return a count as the paper prints it: 365.1K, 47.2M.

    Examples
    --------
    >>> abbreviated(365_100), abbreviated(47_243_000), abbreviated(12)
    ('365.1K', '47.2M', '12')
    """
    if count < 1_000:
        return str(count)
    return f"{count / 1e3:.1f}K" if count < 999_950 else f"{count / 1e6:.1f}M"


def print_summary(measured: Sequence[Measured]) -> None:
    """Print how often each selection is ahead of all that the paper has, and the averages over the datasets."""
    title = (
        "\nRC ahead of, level with or behind the best of the paper's three selections, and averages over the datasets"
    )
    table = Table(title=title, title_justify="left", box=SIMPLE)
    table.add_column("selection", no_wrap=True)
    for heading in ("datasets", "ahead", "level", "behind", "M", "paper", "D", "paper", "RC", "paper", "paper's best"):
        table.add_column(heading, justify="right")
    for method in dict.fromkeys(line.method for line in measured):
        lines = [line for line in measured if line.method == method]
        published = [line.published for line in lines if line.published]
        table.add_row(
            method,
            str(len(lines)),
            str(sum(line.lead > 0 for line in lines)),
            str(sum(line.lead == 0 for line in lines)),
            str(sum(line.lead < 0 for line in lines)),
            f"{mean(line.max_parents for line in lines):.1f}",
            f"{mean(line.max_parents for line in published):.1f}" if published else "",
            f"{mean(line.mean_parents for line in lines):.3f}",
            f"{mean(line.mean_parents for line in published):.3f}" if published else "",
            f"{mean(line.relative_score for line in lines):.4f}",
            f"{mean(line.relative_score for line in published):.4f}" if published else "",
            f"{mean(PUBLISHED[line.dataset].best for line in lines):.4f}",
        )
    console.print(table)
    console.print("\n".join(reproduced(measured)))


def reproduced(measured: Sequence[Measured]) -> list[str]:
    """Return in words which published numbers came out the same: M, D and RC together, to all printed digits."""
    words = []
    for name in dict.fromkeys(line.dataset for line in measured):
        for paper_method, paper in PUBLISHED[name].selections.items():
            printed = (paper.max_parents, paper.mean_parents, paper.relative_score)
            ours = [line.method for line in measured if line.dataset == name and line.printed == printed]
            if ours:
                numbers = f"M {printed[0]}, D {printed[1]:.3f}, RC {printed[2]:.4f}"
                words.append(f"  {name}, {paper_method}: {numbers} (ours: {', '.join(ours)})")
    sizes = {line.dataset: (line.n_variables, line.n_rows) for line in measured}
    same_size = sum((PUBLISHED[name].n_variables, PUBLISHED[name].n_rows) == size for name, size in sizes.items())
    return [
        f"Reproduced to the last printed digit: n and N of {same_size} of {len(sizes)} datasets, and",
        *(words or ["  none of the graphs H*"]),
    ]
