"""`arcwise learn`: a table or an example network in, a learned network out."""

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.status import Status as Spinner
from rich.table import Table

from arcwise.budget import Budget
from arcwise.cli.app import console, error_console
from arcwise.constraints import Constraints
from arcwise.data.dataset import Dataset
from arcwise.data.examples import EXAMPLES, load_example
from arcwise.errors import ArcwiseError, ParameterError
from arcwise.graph.compare import compare
from arcwise.io.bif import write_bif
from arcwise.learn import learn as learn_structure
from arcwise.network.network import BayesianNetwork
from arcwise.result import Result
from arcwise.scores.definitions import BDeu, BDs, Score, score_named
from arcwise.seeds import recorded_seed


def learn(
    source: Annotated[
        str,
        typer.Argument(metavar="FILE|EXAMPLE", help=f"A csv, tsv or parquet file, or one of {', '.join(EXAMPLES)}."),
    ],
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="Where the network goes, as BIF.", show_default="NAME-learned.bif"),
    ] = None,
    score: Annotated[str, typer.Option(help="bic, aic, loglik, bdeu, bds, k2, fnml or qnml.")] = "bic",
    ess: Annotated[float | None, typer.Option(help="Equivalent sample size of bdeu and bds.")] = None,
    method: Annotated[str, typer.Option(help="The search: greedy.")] = "greedy",
    seed: Annotated[int | None, typer.Option(help="Repeats a run; drawn and shown when not given.")] = None,
    time_limit: Annotated[float | None, typer.Option("--time-limit", "--time", help="Seconds for the search.")] = None,
    evaluations: Annotated[int | None, typer.Option(help="Limit on counted scores; repeatable, unlike time.")] = None,
    max_parents: Annotated[int | None, typer.Option(help="Most parents of any variable.")] = None,
    require: Annotated[
        list[str] | None, typer.Option(help="An arc that must be there, 'A->B'; may be repeated.")
    ] = None,
    forbid: Annotated[list[str] | None, typer.Option(help="An arc that must not, 'A->B'; may be repeated.")] = None,
    missing: Annotated[
        str, typer.Option(help="Missing values: error, drop (their rows) or state (one more).")
    ] = "error",
    discretise: Annotated[str | None, typer.Option(help="Continuous columns: quantile, width or adaptive.")] = None,
    rows: Annotated[int, typer.Option(help="Rows to sample from an example.", min=1)] = 5000,
) -> None:
    """Learn a network from a table, or from data sampled from a built-in example and compare it with the truth."""
    try:
        target = _target(output, source)
        seed = recorded_seed(seed)
        loaded = _load(source, rows=rows, seed=seed, missing=missing, discretise=discretise)
        constraints = Constraints(required=_arcs(require), forbidden=_arcs(forbid), max_parents=max_parents)
        spinner, watch = _progress()
        with spinner:
            result = learn_structure(
                loaded.data,
                score=_score(score, ess),
                method=method,
                seed=seed,
                time_limit=time_limit,
                evaluation_limit=evaluations,
                constraints=constraints,
                watch=watch,
            )
        write_bif(result.network(loaded.data, ess=1.0), target)
        console.print(_summary(loaded, result, target))
    except (ArcwiseError, OSError) as error:
        error_console.print(f"[red]Error:[/red] {error}", markup=True, highlight=False, soft_wrap=True)
        raise typer.Exit(2) from None


@dataclass(frozen=True)
class _Loaded:
    """The data to learn from, and where it came from."""

    title: str
    data: Dataset
    truth: BayesianNetwork | None = None


def _load(source: str, *, rows: int, seed: int, missing: str, discretise: str | None) -> _Loaded:
    if source in EXAMPLES and not Path(source).exists():
        truth = load_example(source)
        return _Loaded(f"{source}, {rows:,} sampled rows", truth.sample(rows, seed=seed), truth)
    if not Path(source).exists():
        raise ParameterError(f"{source!r} is neither a file nor an example; the examples are {', '.join(EXAMPLES)}")
    options: dict[str, Any] = {"missing": missing, "discretise": discretise}
    return _Loaded(Path(source).name, Dataset.from_file(source, **options))


def _target(output: Path | None, source: str) -> Path:
    """The file to write, checked before the work starts; a default name never overwrites a file."""
    if output is None:
        stem = Path(source).name.split(".")[0]
        names = (Path(f"{stem}-learned{number}.bif") for number in ("", *(f"-{n}" for n in range(2, 10_000))))
        return next(name for name in names if not name.exists())
    if not output.parent.is_dir():
        raise ParameterError(f"the folder of --output {output} does not exist; make it first")
    if not any(output.name.endswith(f".bif{packed}") for packed in ("", ".gz", ".xz", ".bz2")):
        raise ParameterError(f"--output must end in .bif, .bif.gz, .bif.xz or .bif.bz2, got {output.name!r}")
    return output


def _score(name: str, ess: float | None) -> Score:
    score = score_named(name)
    if ess is None:
        return score
    if not isinstance(score, BDeu | BDs):
        raise ParameterError(f"--ess belongs to the scores bdeu and bds, not to {name}")
    return type(score)(ess)


def _arcs(texts: list[str] | None) -> list[tuple[str, str]]:
    arcs = []
    for text in texts or ():
        parent, arrow, child = (part.strip() for part in text.partition("->"))
        if not (parent and arrow and child):
            raise ParameterError(f"an arc is written 'A->B', got {text!r}")
        arcs.append((parent, child))
    return arcs


def _progress() -> tuple[AbstractContextManager[object], Callable[[Budget], None] | None]:
    """A spinner on a terminal; nothing where output goes to a file."""
    if not error_console.is_terminal:
        return nullcontext(), None
    spinner = Spinner("Searching …", console=error_console)

    def watch(budget: Budget) -> None:
        spinner.update(
            f"Searching … {budget.elapsed:.0f} s, {budget.evaluations:,} evaluations (Ctrl-C keeps the best)"
        )

    return spinner, watch


def _summary(loaded: _Loaded, result: Result, target: Path) -> Table:
    table = Table(title=f"{loaded.title}: {loaded.data.n_variables} variables", show_header=False, title_justify="left")
    table.add_row("score", f"{result.score:,.3f}  ({_described(result)})")
    table.add_row("arcs", str(result.dag.n_arcs))
    table.add_row("time", f"{result.seconds * 1000:,.1f} ms, {result.counters['evaluations']:,} evaluations")
    table.add_row("ended by", str(result.status))
    if loaded.truth is not None:
        distance = compare(loaded.truth.dag, result.dag)
        table.add_row("SHD to the truth", f"{distance.shd_cpdag} (CPDAG), {distance.shd_skeleton} (skeleton)")
        table.add_row("precision, recall", f"{distance.precision:.3f}, {distance.recall:.3f} (edges)")
    table.add_row("seed", str(result.seed))
    table.add_row("written to", str(target))
    return table


def _described(result: Result) -> str:
    return f"{result.settings['score']}, {result.method}"
