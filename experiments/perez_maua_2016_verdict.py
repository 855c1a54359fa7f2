"""What Tables III to V of Perez & Mauá 2016 come to: which initial orders are better, in the paper and here.

The Friedman test for each criterion, the Nemenyi test where it finds differences, critical difference plots; then which
of the paper's conclusions hold here, and which of its numbers cannot be right.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import isnan
from pathlib import Path

import numpy as np
import numpy.typing as npt
from rich.console import Console
from rich.table import Table

from arcwise import Ranks, plot_critical_differences, ranks_of
from experiments.debd import DATASETS, PROVEN
from experiments.perez_maua_2016_search import Searched, exceeds_optimum
from experiments.perez_maua_2016_search_published import APPROACHES, CRITERIA, P_VALUES, P_VALUES_OF_ALL, SEARCHED

__all__ = ["Compared", "compare", "conclusions", "impossible_numbers", "odd_numbers", "print_verdict"]

ALL = "all three"

#: Differences count below this p-value.
SIGNIFICANT = 0.05

console = Console(width=112, highlight=False)


@dataclass(frozen=True)
class Compared:
    """The approaches compared by one criterion.

    `ours` ranks the approaches here, `paper` by the numbers that the paper prints for the same datasets;
    `paper_p_value` is what it prints for all 20.
    """

    selection: str
    criterion: str
    ours: Ranks
    paper: Ranks
    paper_p_value: float

    @property
    def is_significant(self) -> bool:
        """Whether the approaches differ."""
        return self.ours.p_value < SIGNIFICANT

    def leads(self, one: str, other: str, *, significantly: bool = False) -> bool:
        """Whether one approach ranks better than another, and, if asked, the Friedman and the Nemenyi test agree."""
        if significantly and not (self.is_significant and self.ours.differ(one, other, SIGNIFICANT)):
            return False
        rank = dict(zip(self.ours.names, self.ours.means.tolist(), strict=True))
        return bool(rank[one] < rank[other])


def compare(searched: Sequence[Searched]) -> list[Compared]:
    """Compare the approaches by every criterion, for each selection and for all of them together.

    Together, every dataset counts once for each selection, which comes nearest to the paper's p-values; as these lines
    are not independent, such p-values are too small. Needs at least two datasets.
    """
    compared = []
    blocks: list[tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]] = []
    for selection in dict.fromkeys(line.selection for line in searched):
        lines = [line for line in searched if line.selection == selection]
        datasets = list(dict.fromkeys(line.dataset for line in lines))
        ours = np.array([line.values for line in lines]).reshape(len(datasets), len(APPROACHES), len(CRITERIA))
        ours = ours.transpose(0, 2, 1).round(10)  # what differs by rounding is the same
        paper = SEARCHED[selection][[DATASETS.index(dataset) for dataset in datasets]]
        blocks.append((ours, paper))
        compared += _compared(selection, ours, paper, P_VALUES[selection])
    if len(blocks) > 1:
        ours, paper = (np.concatenate(parts) for parts in zip(*blocks, strict=True))
        compared += _compared(ALL, ours, paper, P_VALUES_OF_ALL)
    return compared


def _compared(
    selection: str, ours: npt.NDArray[np.float64], paper: npt.NDArray[np.float64], p_values: Sequence[float]
) -> list[Compared]:
    compared = []
    for at, criterion in enumerate(CRITERIA):
        here, there = (ranks_of(values[:, at], list(APPROACHES), larger_is_better=at < 3) for values in (ours, paper))
        compared.append(Compared(selection, criterion, here, there, p_values[at]))
    return compared


def print_verdict(searched: Sequence[Searched], plots: Path | None) -> None:
    """Print the tests, the conclusions and what cannot be right; draw the plots where there are differences."""
    if len({line.dataset for line in searched}) < 2:
        console.print("The approaches are compared when there are at least two datasets.")
    else:
        compared = compare(searched)
        print_comparison(compared)
        console.print("\nThe paper's conclusions:")
        for words, exceptions in conclusions(compared):
            verdict = f"not here: {'; '.join(exceptions)}" if exceptions else "holds here"
            console.print(f"- {words}:\n  {verdict}")
        if plots is not None:
            console.print(f"\nCritical difference plots in {plots}: {len(draw(compared, plots))}")
    console.print("\nWhat cannot be right in the paper:")
    console.print("\n".join(f"- {words}" for words in [*impossible_numbers(), *odd_numbers()]))


def print_comparison(compared: Sequence[Compared]) -> None:
    """Print mean ranks and p-values, ours and the paper's, in a table for each selection."""
    console.print(
        "Mean ranks, 1 is best: ours, and from the paper's numbers for the same datasets. p: of the Friedman test,\n"
        "the paper's for all 20 datasets. Nemenyi: pairs of ours whose difference is significant, the better one first."
    )
    for selection in dict.fromkeys(line.selection for line in compared):
        title = f"\n{selection} selection{'s' if selection == ALL else ''}"
        table = Table(title=title, title_justify="left", box=None, padding=(0, 1, 0, 0))
        for heading in ("criterion", "ours", "p", "Nemenyi", "paper", "p"):
            table.add_column(heading, justify="right" if heading == "p" else "left", no_wrap=True)
        for line in compared:
            if line.selection == selection:
                ours = line.ours.in_words(" "), _rounded(line.ours.p_value), _pairs(line)
                paper = line.paper.in_words(" "), _rounded(line.paper_p_value)
                table.add_row(line.criterion, *ours, *paper)
        console.print(table)
    same = sum(line.ours.ordered[0] == line.paper.ordered[0] for line in compared)
    console.print(f"\nThe same approach has the best mean rank in {same} of these {len(compared)} lines.")


def _rounded(p_value: float) -> str:
    return "-" if isnan(p_value) else f"{p_value:.4f}" if p_value >= 0.00005 else f"{p_value:.0e}"


def _pairs(line: Compared) -> str:
    """Return the pairs that differ, the better one first."""
    names = line.ours.ordered
    pairs = [(one, other) for at, one in enumerate(names) for other in names[at + 1 :]]
    return " ".join(f"{one}-{other}" for one, other in pairs if line.leads(one, other, significantly=True))


def conclusions(compared: Sequence[Compared]) -> list[tuple[str, list[str]]]:
    """Return what the paper concludes (sections 6.2 to 6.5), and what does not agree with it in the comparison.

    What there is nothing to judge by is left out: selections that were not run.
    """
    best, mean_best, _, iterations = CRITERIA
    others = ("RND", "DFS")
    informed, every = ("sequential", "independence"), (*SEARCHED, ALL)

    def leads(*pairs: tuple[str, str], significantly: bool = True) -> Callable[[Compared], bool]:
        return lambda line: all(line.leads(*pair, significantly=significantly) for pair in pairs)

    def level(line: Compared) -> bool:
        return not any(line.leads(*pair, significantly=True) for pair in (others, others[::-1]))

    statements: list[tuple[str, Callable[[Compared], bool], Sequence[str], Sequence[str]]] = [
        (
            "with sequential and independence selection, FAS has the best mean rank in best and mean best score",
            leads(("FAS", "RND"), ("FAS", "DFS"), significantly=False),
            informed,
            (best, mean_best),
        ),
        (
            "with greedy selection, no criterion differs significantly",
            lambda line: not line.is_significant,
            ("greedy",),
            CRITERIA,
        ),
        (
            "the number of iterations never differs significantly",
            lambda line: not line.is_significant,
            every,
            (iterations,),
        ),
        (
            "with sequential and independence selection, FAS is significantly better than RND in these",
            leads(("FAS", "RND")),
            informed,
            (best, mean_best),
        ),
        (
            "over all selections, FAS is significantly better than RND and DFS in all three scores",
            leads(("FAS", "RND"), ("FAS", "DFS")),
            (ALL,),
            CRITERIA[:-1],
        ),
        ("RND and DFS never differ significantly", level, every, CRITERIA),
    ]
    found = []
    for words, holds, selections, criteria in statements:
        lines = [line for line in compared if line.selection in selections and line.criterion in criteria]
        if lines:
            found.append((words, [f"{line.selection}, {line.criterion}" for line in lines if not holds(line)]))
    return found


def draw(compared: Sequence[Compared], folder: Path) -> list[Path]:
    """Draw a critical difference plot, as PNG and SVG, of every comparison that finds differences."""
    paths = []
    for line in compared:
        if not line.is_significant:
            continue
        title = f"{line.selection} selection{'s' if line.selection == ALL else ''}, {line.criterion}"
        for suffix in ("png", "svg"):
            path = folder / f"{line.selection}_{line.criterion}.{suffix}".replace(" ", "_")
            path.parent.mkdir(parents=True, exist_ok=True)
            plot_critical_differences(line.ours, alpha=SIGNIFICANT, title=title).save(path)
            paths.append(path)
    return paths


def impossible_numbers() -> list[str]:
    """Return in words which of the printed scores are above a proven optimum."""
    words = []
    for dataset, proven in PROVEN.items():
        values = np.array([SEARCHED[selection][DATASETS.index(dataset), :-1] for selection in SEARCHED])
        over = [value for value in values.ravel().tolist() if exceeds_optimum(dataset, value)]
        words.append(
            f"{dataset}: the proven optimum over all graphs without cycles is {proven.optimum:.4f}, relative "
            f"{proven.relative_optimum:.4f};\n  {len(over)} of the {values.size} scores printed in Tables III to V are "
            f"above it, up to {max(over):.4f}: these are not scores of such graphs"
        )
    words.append("so the scores in Tables III to V are nothing to compare with; the order of the approaches may be")
    return words


def odd_numbers() -> list[str]:
    """Return in words which of the printed numbers do not agree with what the paper says of them."""
    initial = np.array([table[:, 2] for table in SEARCHED.values()])
    names = list(APPROACHES)
    apart = np.nanmax(np.abs(initial[..., names.index("DFS")] - initial[..., names.index("RND")]))
    iterations = [value for table in SEARCHED.values() for value in table[:, -1].ravel().tolist() if not isnan(value)]
    odd = [value for value in iterations if abs(value * 1000 - round(value * 1000)) > 1e-6]
    return [
        "section 6.2 calls the initial scores of Table III significantly different, but prints p = 0.0863",
        f"{len(odd)} average numbers of iterations ({', '.join(f'{value:.4f}' for value in odd)}), if read correctly, "
        "are not\n  multiples of 1/1000, so these are not averages of 1000 restarts",
        f"doubtful: the average initial scores of DFS are those of RND, at most {apart:.4f} apart on all datasets,\n"
        "  although Algorithm 3 leaves little to chance",
    ]
