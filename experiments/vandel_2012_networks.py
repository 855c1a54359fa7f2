"""Tables 2 to 4 of Vandel, Mangin & de Givry 2012: scores and edges found on samples of well-known networks.

"New local move operators for learning the structure of Bayesian networks", PGM 2012, section 4.1. Every method searches
the same samples; pairs of methods are compared by Wilcoxon's signed-rank test on the scores, and graphs with the true
one by their edges, whatever their direction.
"""

from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import astuple, dataclass
from pathlib import Path
from statistics import fmean

from rich.console import Console
from rich.table import Table

from arcwise import BayesianNetwork, LocalScore, compare, read_network
from arcwise.search.dags import uncover_v_structures
from arcwise.simulation.examples import EXAMPLES, load_example
from arcwise.support.errors import DataError
from experiments.debd import data_folder
from experiments.kept import Kept
from experiments.signed_ranks import BETTER, LEVEL_WITH, WORSE, compare_pairs, least_samples
from experiments.vandel_2012_methods import CLIMBS, LIMITED, METHODS, SCORE, constraints_of
from experiments.vandel_2012_published import CLEANED_EXTRA, COMPARISONS, EDGE_ERRORS, SUMMED, EdgeErrors

__all__ = [
    "FAMILYWISE",
    "Found",
    "Measured",
    "measure",
    "network",
    "print_tables_2_to_4",
    "signs",
    "summed",
]

#: Probability of any wrong sign in Table 2, as far as Bonferroni's correction keeps it.
FAMILYWISE = 0.05

CLEANED = "SGS3, cleaned up"
CLEANED_ALWAYS = "SGS3, cleaned up whatever the score"

_CLEANED = (CLEANED, CLEANED_ALWAYS)

TABLE_2 = (
    "Table 2: is the first method better (+), worse (-) or neither (~) by the one-sided Wilcoxon test on its scores? "
    "Ours / the paper's (100 samples). The {pairs} comparisons are tested at the level {level:.2g}, Bonferroni's for 5 "
    "% together (paper: 80 comparisons, 6.25e-4), which takes at least {least} samples that differ; in brackets what "
    "only reaches 5 % by itself. As in the paper each direction is tested at the full level. n/a: LAGD took the paper "
    "too long."
)
TABLE_3 = (
    "Table 3: signs of Table 2 added up over the sizes, brackets left out. Ours / the paper's for the same pairs and "
    "sizes, then what it prints: all methods and sizes"
)
TABLE_4 = (
    "Table 4: mean number of extra (+) and missing (-) edges, directions ignored; ours / the paper's, which are "
    "rounded. For the clean-up the paper gives numbers on Pigs only, and says that elsewhere it changed nothing; "
    "ours leaves the graph as it is where the whole score would fall, or else cleans up whatever the score, as theirs."
)

Configuration = tuple[str, int]
console = Console(width=120, highlight=False)


@dataclass(frozen=True)
class Found:
    """What a method found on one sample: a score, and edges too many and missing."""

    score: float
    extra: int
    missing: int


#: By network and number of rows, then by method: what was found on each sample.
Measured = dict[Configuration, dict[str, list[Found]]]


def network(name: str, folder: Path | None) -> BayesianNetwork:
    """Return a network that comes with arcwise, or else ``bif/NAME.bif.gz`` of the data folder."""
    if name in EXAMPLES:
        return load_example(name)
    path = data_folder(folder) / "bif" / f"{name}.bif.gz"
    if not path.exists():
        raise DataError(f"{path} does not exist; put the network there, or choose others with --networks")
    return read_network(path)


def measure(
    truths: Mapping[str, BayesianNetwork],
    sizes: Sequence[int],
    samples: Mapping[str, int],
    *,
    seed: int,
    workers: int,
    kept: Kept | None = None,
    max_degree: Mapping[str, int] | None = None,
) -> Measured:
    """Search with every method of Table 2 on the same samples of every network.

    Parameters
    ----------
    truths
        The networks by name.
    sizes
        Rows of the samples.
    samples
        How many samples of each network.
    seed
        Of the first sample and the searches on it; that of the next is one more.
    workers
        Samples that are searched at a time.
    kept
        What is known from earlier runs.
    max_degree
        How many nodes GES may make adjacent to one, by network; networks that are not named have no limit.
    """
    known, limits = Kept() if kept is None else kept, max_degree or {}

    def searched_sample(task: tuple[str, int, int]) -> dict[str, Found]:
        name, rows, sample = task
        part = {"network": name, "rows": rows, "seed": seed + sample, "max_degree": limits.get(name)}

        def search() -> dict[str, tuple[float, int, int]]:
            found = _search_sample(truths[name], rows, seed + sample, limits.get(name))
            return {method: astuple(line) for method, line in found.items()}

        return {method: Found(*line) for method, line in known.found({"table": "2-4", **part}, search).items()}

    tasks = [(name, rows, sample) for name in truths for rows in sizes for sample in range(samples[name])]
    measured: Measured = {(name, rows): {} for name in truths for rows in sizes}
    with ThreadPoolExecutor(max_workers=workers) as executor:
        searched = executor.map(searched_sample, tasks)
        for (name, rows, _), found in zip(tasks, searched, strict=True):
            for method, line in found.items():
                measured[name, rows].setdefault(method, []).append(line)
    return measured


def _search_sample(truth: BayesianNetwork, rows: int, seed: int, max_degree: int | None) -> dict[str, Found]:
    data = truth.sample(rows, seed=seed)
    score = LocalScore(data, SCORE)
    found = {}
    for method in _methods():
        dag = METHODS[method](data, constraints_of(method, max_degree), CLIMBS, seed).dag
        graphs = {method: dag}
        if method == "SGS3":
            graphs[CLEANED] = uncover_v_structures(score, dag, constraints=LIMITED)
            graphs[CLEANED_ALWAYS] = uncover_v_structures(score, dag, constraints=LIMITED, even_if_worse=True)
        for name, graph in graphs.items():
            edges = compare(truth.dag, graph)
            # The same sum in the same order for all, so that equal graphs have equal scores.
            found[name] = Found(score.total(graph), len(edges.extra), len(edges.missing))
    return found


def _methods() -> list[str]:
    """Return the methods of Table 2 that there are, best first by Table 3."""
    return [method for method in SUMMED if method in METHODS]


def signs(measured: Measured) -> dict[tuple[str, str], dict[Configuration, str]]:
    """Return Table 2: the cell of each pair of methods and configuration."""
    pairs = _pairs()
    level = _level(measured)
    return {
        (first, second): {
            at: compare_pairs(*([line.score for line in found[method]] for method in (first, second))).cell(
                level, FAMILYWISE
            )
            for at, found in measured.items()
        }
        for first, second in pairs
    }


def _pairs() -> list[tuple[str, str]]:
    return [pair for pair in COMPARISONS if all(method in METHODS for method in pair)]


def _level(measured: Measured) -> float:
    return FAMILYWISE / (len(_pairs()) * len(measured))


def summed(cells: Mapping[tuple[str, str], Mapping[Configuration, str]], method: str, name: str) -> int:
    """Return how many comparisons a method wins on a network, less those that it loses: Table 3.

    Examples
    --------
    >>> summed({("a", "b"): {("pigs", 500): "+", ("pigs", 5000): "~"}}, "b", "pigs")
    -1
    """
    worth = {BETTER: 1, WORSE: -1}
    return sum(
        worth.get(sign, 0) * (1 if method == pair[0] else -1)
        for pair, line in cells.items()
        for (of, _), sign in line.items()
        if of == name and method in pair
    )


def print_tables_2_to_4(measured: Measured) -> None:
    """Print the three tables beside the paper's, the scores behind them, and where they agree."""
    cells = signs(measured)
    _print_table_2(measured, cells)
    _print_scores(measured)
    _print_table_3(measured, cells)
    _print_table_4(measured)
    console.print(f"\n{agreement(cells)}")


def _headed(title: str, measured: Measured) -> Table:
    console.print(f"\n{title}\n", style="bold")
    table = Table(box=None, padding=(0, 2, 0, 0))
    table.add_column("")
    for (name, rows), found in measured.items():
        n_samples = len(next(iter(found.values())))
        table.add_column(f"{name}\n{rows:,} rows\n{n_samples} sample{'s' if n_samples > 1 else ''}", justify="right")
    return table


def _print_table_2(measured: Measured, cells: Mapping[tuple[str, str], Mapping[Configuration, str]]) -> None:
    level = _level(measured)
    title = TABLE_2.format(pairs=len(cells) * len(measured), level=level, least=least_samples(level))
    table = _headed(title, measured)
    for pair, line in cells.items():
        table.add_row(" vs ".join(pair), *(f"{line[at]} / {COMPARISONS[pair].get(at, 'n/a')}" for at in measured))
    console.print(table)


def _print_scores(measured: Measured) -> None:
    best, *others = _methods()
    table = _headed(f"Behind Table 2: mean score of {best}, and how much more it is than that of others", measured)
    for method in (best, *others):
        means = (fmean(line.score for line in found[method]) for found in measured.values())
        bases = (fmean(line.score for line in found[best]) for found in measured.values())
        if method == best:
            table.add_row(method, *(f"{mean:.1f}" for mean in means))
        else:
            table.add_row(f"less {method}", *(f"{base - mean:+.1f}" for mean, base in zip(means, bases, strict=True)))
    console.print(table)


def _print_table_3(measured: Measured, cells: Mapping[tuple[str, str], Mapping[Configuration, str]]) -> None:
    names = list(dict.fromkeys(name for name, _ in measured))
    console.print(f"\n{TABLE_3}\n", style="bold")
    table = Table(box=None, padding=(0, 2, 0, 0))
    table.add_column("")
    for name in names:
        table.add_column(name, justify="right")
    same = {pair: {at: sign for at, sign in COMPARISONS[pair].items() if at in measured} for pair in cells}
    for method in _methods():
        printed = (SUMMED[method].get(name) for name in names)
        table.add_row(
            method,
            *(
                f"{summed(cells, method, name)} / "
                + ("n/a" if whole is None else f"{summed(same, method, name)}, {whole}")
                for name, whole in zip(names, printed, strict=True)
            ),
        )
    console.print(table)


def _print_table_4(measured: Measured) -> None:
    table = _headed(TABLE_4, measured)
    for method in _of_table_4():
        for label, kind in (("+", "extra"), ("-", "missing")):
            table.add_row(
                f"{method} {label}",
                *(
                    f"{fmean(getattr(line, kind) for line in found[method]):.1f} / {_printed(method, at, kind)}"
                    for at, found in measured.items()
                ),
            )
    console.print(table)


def _of_table_4() -> Iterator[str]:
    for method in EDGE_ERRORS:
        if method in METHODS:
            yield method
            if method == "SGS3":
                yield from _CLEANED


def _printed(method: str, at: Configuration, kind: str) -> str:
    errors = EDGE_ERRORS["SGS3" if method in _CLEANED else method].get(at)
    if errors is not None and method in _CLEANED and at in CLEANED_EXTRA:
        errors = EdgeErrors(CLEANED_EXTRA[at], errors.missing)
    return "n/a" if errors is None else f"{getattr(errors, kind):.0f}"


def agreement(cells: Mapping[tuple[str, str], Mapping[Configuration, str]]) -> str:
    """Return in words how often Table 2 agrees with the paper's; cells in brackets are not signs.

    Examples
    --------
    >>> print(agreement({("SGS3", "SGS1"): {("alarm", 500): "+", ("alarm", 5000): "(+)", ("pigs", 500): "-"}}))
    Of 3 comparisons that the paper makes too, 1 come out the same, 1 the other way round, 1 are significant in the
    paper only (1 of them in brackets here, the same way) and 0 here only.
    """
    both = [(line[at], COMPARISONS[pair][at]) for pair, line in cells.items() for at in line if at in COMPARISONS[pair]]
    ours = [(sign if len(sign) == 1 else LEVEL_WITH, paper) for sign, paper in both]
    return (
        f"Of {len(both)} comparisons that the paper makes too, {sum(a == b for a, b in ours)} come out the same, "
        f"{sum({a, b} == {BETTER, WORSE} for a, b in ours)} the other way round, "
        f"{sum(a == LEVEL_WITH != b for a, b in ours)} are significant in the\npaper only "
        f"({sum(sign == f'({paper})' for sign, paper in both)} of them in brackets here, the same way) and "
        f"{sum(a != LEVEL_WITH == b for a, b in ours)} here only."
    )
