"""What several commands share: reading their arguments, files that lose nothing, errors without a traceback."""

from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.status import Status as Spinner

from arcwise.budget import Budget
from arcwise.cli.app import error_console
from arcwise.compression import SUFFIXES
from arcwise.data.dataset import Dataset
from arcwise.data.examples import EXAMPLES, load_example
from arcwise.errors import ArcwiseError, ParameterError
from arcwise.network.network import BayesianNetwork
from arcwise.scores.definitions import BDeu, BDs, Score, score_named

__all__ = [
    "CheckpointFile",
    "Discretise",
    "Forbid",
    "Loaded",
    "MissingValues",
    "Require",
    "Resume",
    "SampleSize",
    "SampledRows",
    "ScoreName",
    "Source",
    "TimeLimit",
    "arcs_of",
    "load",
    "options_of",
    "progress",
    "score_of",
    "shown_errors",
    "target_file",
]


Source = Annotated[
    str, typer.Argument(metavar="FILE|EXAMPLE", help=f"A csv, tsv or parquet file, or one of {', '.join(EXAMPLES)}.")
]
ScoreName = Annotated[str, typer.Option("--score", help="bic, aic, loglik, bdeu, bds, k2, fnml or qnml.")]
SampleSize = Annotated[float | None, typer.Option("--ess", help="Equivalent sample size of bdeu and bds.")]
TimeLimit = Annotated[float | None, typer.Option("--time-limit", "--time", help="Seconds in all.")]
Require = Annotated[list[str] | None, typer.Option(help="An arc that must be there, 'A->B'; may be repeated.")]
Forbid = Annotated[list[str] | None, typer.Option(help="An arc that must not, 'A->B'; may be repeated.")]
MissingValues = Annotated[
    str, typer.Option("--missing", help="Missing values: error, drop (their rows) or state (one more).")
]
Discretise = Annotated[str | None, typer.Option(help="Continuous columns: quantile, width or adaptive.")]
SampledRows = Annotated[int, typer.Option("--rows", help="Rows to sample from an example.", min=1)]

CheckpointFile = Annotated[
    Path | None, typer.Option("--checkpoint", help="A file to which the run is written every minute, to --resume it.")
]
Resume = Annotated[
    bool,
    typer.Option("--resume", help="Go on with the run in --checkpoint; limits count what it has used before."),
]


@dataclass(frozen=True)
class Loaded:
    """The data to learn from, and where it came from."""

    title: str
    data: Dataset
    truth: BayesianNetwork | None = None


@contextmanager
def shown_errors() -> Iterator[None]:
    """End the program with a message instead of a traceback for errors that the user can mend."""
    try:
        yield
    except (ArcwiseError, OSError) as error:
        error_console.print("[red]Error:[/red]", end=" ")
        error_console.print(str(error), markup=False, highlight=False, soft_wrap=True)
        raise typer.Exit(2) from None


def load(source: str, *, rows: int, seed: int, missing: str, discretise: str | None) -> Loaded:
    """Read a file, or sample rows from an example."""
    if source in EXAMPLES and not Path(source).exists():
        truth = load_example(source)
        return Loaded(f"{source}, {rows:,} sampled rows", truth.sample(rows, seed=seed), truth)
    if not Path(source).exists():
        raise ParameterError(f"{source!r} is neither a file nor an example; the examples are {', '.join(EXAMPLES)}")
    options: dict[str, Any] = {"missing": missing, "discretise": discretise}
    return Loaded(Path(source).name, Dataset.from_file(source, **options))


def target_file(output: Path | None, source: str, *, default: str, endings: Sequence[str], packed: bool = True) -> Path:
    """Return the file to write, checked before the work starts; a default name never overwrites a file.

    Parameters
    ----------
    output
        What the user asked for.
    source
        The file or example that is read.
    default
        What follows the source's name by default, such as ``-learned.bif``.
    endings
        The formats.
    packed
        Whether they may be followed by the ending of a compressed file.
    """
    if output is None:
        stem, (middle, dot, ending) = Path(source).name.split(".")[0], default.partition(".")
        numbers = ("", *(f"-{number}" for number in range(2, 10_000)))
        names = (Path(f"{stem}{middle}{number}{dot}{ending}") for number in numbers)
        return next(name for name in names if not name.exists())
    if not output.parent.is_dir():
        raise ParameterError(f"the folder of --output {output} does not exist; make it first")
    packings = SUFFIXES if packed else ()
    if not any(output.name.endswith(f"{ending}{packing}") for ending in endings for packing in ("", *packings)):
        allowed = " or ".join(endings) + (f", with or without one of {', '.join(packings)}" if packed else "")
        raise ParameterError(f"--output must end in {allowed}; got {output.name!r}")
    return output


def progress() -> tuple[AbstractContextManager[object], Callable[[Budget], None] | None]:
    """Return a spinner to search under, and what keeps it up to date; nothing where output goes to a file."""
    if not error_console.is_terminal:
        return nullcontext(), None
    spinner = Spinner("Searching …", console=error_console)

    def watch(budget: Budget) -> None:
        counted = f", {budget.evaluations:,} evaluations" if budget.evaluations else ""
        spinner.update(f"Searching … {budget.elapsed:.0f} s{counted} (Ctrl-C keeps the best)")

    return spinner, watch


def score_of(name: str, ess: float | None) -> Score:
    """Return the named score, with its equivalent sample size where one is given."""
    score = score_named(name)
    if ess is None:
        return score
    if not isinstance(score, BDeu | BDs):
        raise ParameterError(f"--ess belongs to the scores bdeu and bds, not to {name}")
    return type(score)(ess)


def options_of(texts: list[str] | None, *, taken: Collection[str] = ()) -> dict[str, Any]:
    """Return the options written as 'name=value': numbers, true, false and none as such, anything else as text."""
    words: dict[str, object] = {"true": True, "false": False, "none": None}
    options: dict[str, Any] = {}
    for text in texts or ():
        name, equals, value = (part.strip() for part in text.partition("="))
        if not (name and equals and value):
            raise ParameterError(f"an option is written 'name=value', got {text!r}")
        if name in taken:
            raise ParameterError(f"--set is for options of the method alone, and {name!r} is not one")
        options[name] = words.get(value.lower(), _number(value))
    return options


def _number(text: str) -> int | float | str:
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


def arcs_of(texts: list[str] | None) -> list[tuple[str, str]]:
    """Return the arcs written as 'A->B'."""
    arcs = []
    for text in texts or ():
        parent, arrow, child = (part.strip() for part in text.partition("->"))
        if not (parent and arrow and child):
            raise ParameterError(f"an arc is written 'A->B', got {text!r}")
        arcs.append((parent, child))
    return arcs
