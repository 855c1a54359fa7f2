"""What several commands take: their options, and the data, networks and rules these stand for."""

import os
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

import arcwise
from arcwise.cli import choices
from arcwise.cli.choices import completing, completing_sources, listed
from arcwise.support.errors import ParameterError
from arcwise.support.messages import Name, Setting
from arcwise.support.names import nearest, one_of
from arcwise.support.quoting import numbered, quoted, shown_path

if TYPE_CHECKING:
    from arcwise.scores.definitions import Score

__all__ = [
    "Additions",
    "CheckpointFile",
    "ColumnNames",
    "ConstraintFiles",
    "ContinuousColumns",
    "Discretise",
    "FamilyMissingValues",
    "Forbid",
    "Header",
    "InterventionColumn",
    "LeastGain",
    "LeaveOut",
    "Loaded",
    "MaxParents",
    "MaxStates",
    "Memory",
    "MinCount",
    "MissingValues",
    "PenaltyFactor",
    "PriorFile",
    "Reading",
    "Require",
    "Resume",
    "SampleSize",
    "SampledRows",
    "ScoreName",
    "ScoreOrAuto",
    "Seed",
    "Separator",
    "Source",
    "TimeLimit",
    "WeightColumn",
    "Workers",
    "adjusted",
    "bytes_of",
    "constraints_of",
    "existing_file",
    "is_example",
    "load",
    "no_sample_size",
    "options_of",
    "refuse_same_files",
    "score_for",
    "score_of",
    "still_free",
    "target_file",
]

SAMPLED_ROWS = 5000
SCORE_HELP = f"Score: {listed(choices.SCORES)}."
_SIZED = " and ".join(choices.SIZED_SCORES)

Source = Annotated[
    str,
    typer.Argument(
        metavar="FILE|EXAMPLE",
        help=f"Table in csv, tsv or parquet, a folder of such files, or one of {', '.join(choices.EXAMPLES)}.",
        autocompletion=completing_sources,
    ),
]
ScoreName = Annotated[str, typer.Option("--score", help=SCORE_HELP, autocompletion=completing(choices.SCORES))]
ScoreOrAuto = Annotated[
    str,
    typer.Option(
        "--score",
        help=f"Score: {listed((choices.AUTO, *choices.SCORES))}.",
        autocompletion=completing((choices.AUTO, *choices.SCORES)),
    ),
]
PriorFile = Annotated[
    Path | None,
    typer.Option(
        "--prior",
        metavar="FILE",
        help="Read probabilities of arcs and edges from a .toml or .csv file. See docs/how-to/priors.md.",
    ),
]
PenaltyFactor = Annotated[
    float | None, typer.Option("--penalty-factor", help="Multiply the penalty of the score by this.", show_default="1")
]
LeastGain = Annotated[
    float | None, typer.Option("--least-gain", help="Minimum score that each arc must add.", show_default="0")
]
SampleSize = Annotated[float | None, typer.Option("--ess", help=f"Equivalent sample size of {_SIZED}.")]
TimeLimit = Annotated[float | None, typer.Option("--time-limit", "--time", help="Total time limit in seconds.")]
MaxParents = Annotated[int | None, typer.Option("--max-parents", help="Maximum number of parents of a variable.")]
Workers = Annotated[
    int | None, typer.Option("--workers", help="Number of threads.", show_default="one per usable core")
]
Cluster = Annotated[
    str | None,
    typer.Option(
        "--cluster", metavar="ADDRESS", help="Scheduler of a Dask cluster to work on, such as tcp://host:8786."
    ),
]
Seed = Annotated[
    int | None, typer.Option("--seed", help="Random seed, to reproduce a run; drawn and shown if not given.")
]
Require = Annotated[
    list[str] | None, typer.Option("--require", metavar="A->B", help="Require an arc. Can be repeated.")
]
Forbid = Annotated[list[str] | None, typer.Option("--forbid", metavar="A->B", help="Forbid an arc. Can be repeated.")]
ConstraintFiles = Annotated[
    list[str] | None,
    typer.Option(
        "--constraints",
        metavar="FILE",
        help="Read arcs, tiers and limits from a .toml or .csv file; lists of arcs also as required=FILE or "
        "forbidden=FILE. Can be repeated. See docs/constraints.md.",
    ),
]
_MISSING = (
    "Treatment of missing values: error, drop (the rows), state (an additional one){comma} pairwise (each variable and "
    "its parents by the rows that have them){em}."
)
MissingValues = Annotated[
    str,
    typer.Option(
        "--missing",
        help=_MISSING.format(comma=",", em=" or em (structural EM)"),
        autocompletion=completing(choices.MISSING),
    ),
]
# For what looks at single families.
FamilyMissingValues = Annotated[
    str,
    typer.Option(
        "--missing",
        help=_MISSING.format(comma=" or", em=""),
        autocompletion=completing(choices.MISSING_OF_FAMILIES),
    ),
]
Discretise = Annotated[
    str | None,
    typer.Option(
        "--discretise",
        "--discretize",
        help=f"Discretise continuous columns: {listed(choices.DISCRETISERS)}.",
        autocompletion=completing(choices.DISCRETISERS),
    ),
]
ContinuousColumns = Annotated[
    str | None,
    typer.Option(
        "--continuous",
        metavar="WHICH",
        help="Which numeric columns to treat as continuous: auto (those with fractions or too many different values), "
        "all, none, or names with commas in between (these, and others as with auto).",
        show_default="auto",
        autocompletion=completing(choices.CONTINUOUS),
    ),
]
Memory = Annotated[
    float | None,
    typer.Option("--memory", help="Memory limit in gigabytes.", show_default="most of what is available"),
]
Device = Annotated[
    str,
    typer.Option(
        "--device",
        help=f"Where scores are computed: {listed(choices.DEVICES)}. gpu needs a graphics card and CuPy; auto uses it "
        "when faster.",
        autocompletion=completing(choices.DEVICES),
    ),
]
CheckpointFile = Annotated[
    Path | None, typer.Option("--checkpoint", help="Write the run to this file every minute, to --resume it.")
]
Resume = Annotated[
    bool,
    typer.Option("--resume", help="Resume the run in --checkpoint; time already used counts towards the limits."),
]
SampledRows = Annotated[
    int | None, typer.Option("--rows", help="Number of rows to sample from an example.", show_default=str(SAMPLED_ROWS))
]


Separator = Annotated[
    str | None,
    typer.Option("--separator", help="Field separator.", show_default="the likeliest of , ; and tab"),
]
Header = Annotated[
    bool | None,
    typer.Option("--header/--no-header", help="Read names from the first line, or not.", show_default="yes"),
]
MaxStates = Annotated[
    int | None, typer.Option("--max-states", help="Maximum number of states of a column.", show_default="100")
]

MinCount = Annotated[
    int | None,
    typer.Option("--min-count", help="Group the states of a column that are seen less often than this into 'other'."),
]
LeaveOut = Annotated[
    list[str] | None,
    typer.Option(
        "--leave-out", metavar="COLUMN", help="Column that is not a variable, such as an identifier. Can be repeated."
    ),
]
ColumnNames = Annotated[
    str | None,
    typer.Option(
        "--names",
        metavar="NAME,NAME,…",
        help="Names of the columns, for a file with --no-header.",
        show_default="X0, X1, …",
    ),
]
WeightColumn = Annotated[
    str | None, typer.Option("--weights", metavar="COLUMN", help="Column that says how often each row was seen.")
]

InterventionColumn = Annotated[
    str | None,
    typer.Option(
        "--interventions",
        metavar="COLUMN",
        help="Column that names the variables set by an experimenter in each row: several with ; in between, empty or "
        "'none' if nothing was set.",
    ),
]


@dataclass(frozen=True)
class Reading:
    """How a table is read."""

    missing: str = "error"
    discretise: str | None = None
    separator: str | None = None
    header: bool | None = None
    max_states: int | None = None
    rows: int | None = None
    interventions: str | None = None
    continuous: str | None = None
    min_count: int | None = None
    names: str | None = None
    weights: str | None = None
    leave_out: list[str] | None = None


@dataclass(frozen=True)
class Additions:
    """What is added to a score."""

    prior: Path | None = None
    penalty_factor: float | None = None
    least_gain: float | None = None


@dataclass(frozen=True)
class Loaded:
    """The data to learn from, and where it came from."""

    title: str
    data: "arcwise.Dataset"
    truth: "arcwise.BayesianNetwork | None" = None


def is_example(source: str) -> bool:
    """Whether this names a bundled network; a file of the same name comes first."""
    return source in choices.EXAMPLES and not Path(source).exists()


def existing_file(source: str | Path, *, wanted: str) -> Path:
    """Return the path of a file that is there.

    Parameters
    ----------
    source
        What the user gave.
    wanted
        What it should be, for the message.
    """
    path = Path(source)
    if path.is_dir():
        raise ParameterError(f"{shown_path(source)!r} is a folder; give {wanted}")
    if not path.exists():
        beside = path.parent.glob("*") if path.parent.is_dir() else ()
        names = {_stem(other): str(other) for other in beside}
        if "example" in wanted:
            names |= {name: name for name in choices.EXAMPLES}
        near = nearest(_stem(path), names)
        hint = "" if near is None else f"; did you mean {shown_path(names[near])!r}?"
        raise ParameterError(f"there is no file {shown_path(source)!r}; give {wanted}{hint}")
    return path


def _stem(path: Path) -> str:
    return path.name.split(".")[0]


def refuse_em(reading: Reading) -> None:
    """Refuse structural EM, for what looks at single families: it is a way to learn a whole network."""
    if reading.missing == "em":
        allowed = f"one of {', '.join(choices.MISSING_OF_FAMILIES)}"
        raise ParameterError.of("missing", allowed, "em", "structural EM is for arcwise learn")


def load(source: str, reading: Reading, *, seed: int) -> Loaded:
    """Read a file, or sample rows from an example."""
    from arcwise.support.arguments import count

    one_of("missing", reading.missing, choices.MISSING)
    if is_example(source):
        _refuse_for_examples(source, reading)
        rows = count("rows", SAMPLED_ROWS if reading.rows is None else reading.rows, least=1)
        truth = arcwise.load_example(source)
        return Loaded(f"{source}, {numbered(rows, 'sampled row')}", truth.sample(rows, seed=seed), truth)
    from arcwise.data.parts import has_parts

    path = Path(source)
    if not has_parts(source):
        path = existing_file(source, wanted=f"a table of data or an example: {', '.join(choices.EXAMPLES)}")
    if reading.rows is not None:
        raise ParameterError(f"--rows is for examples, from which rows are sampled; all rows of {source} are used")
    missing = "keep" if reading.missing in ("pairwise", "em") else reading.missing
    options: dict[str, Any] = {"missing": missing, "discretise": reading.discretise}
    if reading.max_states is not None:
        options["max_states"] = count("max_states", reading.max_states, least=1)
    if reading.continuous is not None:
        options["continuous"] = _continuous_of(reading.continuous)
    for option in ("interventions", "leave_out", "min_count", "weights"):
        if getattr(reading, option) is not None:
            options[option] = getattr(reading, option)
    if reading.names is not None:
        options["names"] = [name.strip() for name in reading.names.split(",")]
    if reading.separator is not None:
        options["separator"] = reading.separator.replace("\\t", "\t")
    from arcwise.shards.reading import table_of_any_size

    return Loaded(path.name, table_of_any_size(source, header=reading.header, **options))


def _refuse_for_examples(source: str, reading: Reading) -> None:
    """Refuse options about a file, where rows are sampled from an example instead."""
    why = {"interventions": ", whose rows have no interventions", "continuous": ", whose variables have states"}
    of_both, usual = ("missing", "rows"), Reading()
    for option in (field.name for field in fields(Reading) if field.name not in of_both):
        if getattr(reading, option) != getattr(usual, option):
            given = Setting(option, reading.header) if option == "header" else Name(option)
            raise ParameterError(given, f" works only with a file; {source} is an example{why.get(option, '')}")


def _continuous_of(text: str) -> bool | dict[str, bool] | None:
    """Return what the words of `--continuous` stand for in Python."""
    words: dict[str, bool | None] = dict(zip(choices.CONTINUOUS, (None, True, False), strict=True))
    if text in words:
        return words[text]
    names = [name for part in text.split(",") if (name := part.strip())]
    if not names:
        allowed = f"{listed(words)}, or names of columns with commas in between"
        raise ParameterError.of("continuous", allowed, text)
    return dict.fromkeys(names, True)


def target_file(
    output: Path | None,
    source: str,
    *,
    default: str,
    endings: Sequence[str],
    packed: bool = True,
    option: str = "--output",
) -> Path:
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
    option
        What messages call the file.
    """
    from arcwise.support.files import SUFFIXES

    if output is None:
        plain = re.sub(r"[*?\[\]]+", "", Path(source).name.split(".")[0]).strip("-_ ")  # a pattern may be all signs
        output = _free(Path((plain or "table") + default))
    packings = SUFFIXES if packed else ()
    if not any(output.name.lower().endswith(f"{end}{packing}") for end in endings for packing in ("", *packings)):
        allowed = listed(endings) + (f", with or without one of {', '.join(packings)}" if packed else "")
        raise ParameterError(f"{option} must end in {allowed}; got {shown_path(output.name)!r}")
    if not output.parent.is_dir():
        raise ParameterError(f"the folder of {option} {output} does not exist; make it first")
    if output.is_dir():
        raise ParameterError(f"{option} {output} is a folder; give the name of a file")
    if output.exists() and Path(source).exists() and output.samefile(source):
        raise ParameterError(f"{option} {output} is the file that is read; give another name")
    if not os.access(output if output.exists() else output.parent, os.W_OK):
        raise ParameterError(f"{option} {output} cannot be written: no permission")
    return output


def still_free(target: Path, output: Path | None) -> Path:
    """Return the file to write at the end of the work: where its name is a default, none that has appeared meanwhile.

    Parameters
    ----------
    target
        What `target_file` gave before.
    output
        What the user asked for, which is replaced.
    """
    return _free(target) if output is None else target


def _free(path: Path) -> Path:
    """Return this path, or with a number where a file has it."""
    stem, dot, ending = path.name.partition(".")
    names = (path.with_name(f"{stem}{number}{dot}{ending}") for number in ("", *range(-2, -10_000, -1)))
    return next(name for name in names if not name.exists())


def refuse_same_files(files: Mapping[str, Path | None]) -> None:
    """Refuse options that name the same file to write, of which one would replace the other."""
    first: dict[str, str] = {}
    for option, file in files.items():
        if file is None:
            continue
        other = first.setdefault(os.path.realpath(file), option)
        if other != option:
            raise ParameterError(f"{other} and {option} are both {file}; give two names")


def score_of(name: str, ess: float | None) -> "Score":
    """Return the named score, with its equivalent sample size where one is given."""
    from arcwise.scores.definitions import score_named

    score = score_named(name)
    if ess is None:
        return score
    if score.name not in choices.SIZED_SCORES:
        raise no_sample_size([name])
    changes: dict[str, Any] = {"ess": ess}
    sized = replace(score, **changes)
    if "(" in name and sized != score:
        raise ParameterError(f"--score {name} and --ess {ess:g} contradict each other; give one of the two")
    return sized


def score_for(name: str, ess: float | None, data: "arcwise.Dataset") -> "Score":
    """Return the named score, or that for data of this size where the name is auto."""
    from arcwise.scores.planned import planned_score

    if name != choices.AUTO:
        return score_of(name, ess)
    if ess is not None:
        raise no_sample_size([name])
    return planned_score(data)[0]


def adjusted(score: "Score", added: Additions, names: Sequence[str]) -> "Score":
    """Return the score with what the options add to it; their prior is about the variables with these names."""
    from arcwise.scores.priors import Adjusted

    if added == Additions():
        return score
    changes = {"penalty_factor": added.penalty_factor, "least_gain": added.least_gain}
    given = {name: value for name, value in changes.items() if value is not None}
    wanted = "a file of probabilities"
    prior = None if added.prior is None else arcwise.read_prior(existing_file(added.prior, wanted=wanted), names)
    return Adjusted(score, prior, **given)


def no_sample_size(names: Collection[str]) -> ParameterError:
    """Return what is said where none of the scores has an equivalent sample size."""
    return ParameterError(f"--ess belongs to the scores {_SIZED}, not to {', '.join(names)}")


def bytes_of(memory: float) -> int:
    """Return how many bytes the gigabytes of `--memory` are."""
    if not 0.002 <= memory < 1e9:
        raise ParameterError.of("memory", "at least 0.002 (gigabytes)", memory)
    return int(memory * 1e9)


def options_of(texts: list[str] | None, *, taken: Collection[str] = ()) -> dict[str, Any]:
    """Return the options written as 'name=value': numbers, true, false and none as such, anything else as text."""
    words: dict[str, object] = {"true": True, "false": False, "none": None}
    options: dict[str, Any] = {}
    for text in texts or ():
        name, equals, value = (part.strip() for part in text.partition("="))
        if not (name and equals and value):
            raise ParameterError(f"an option is written 'name=value', got {quoted(text)}")
        if name in taken:
            raise ParameterError(f"--set is for options of the method alone, and {quoted(name)} is not one")
        options[name] = words.get(value.lower(), _number(value))
    return options


def _number(text: str) -> int | float | str:
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


# What one file of constraints may have, and what all of them may.
_ONCE = ("max_parents", "max_degree", "allowed")
_PAIRS = ("required", "forbidden", "required_ancestors", "forbidden_ancestors")


def constraints_of(
    files: list[str] | None,
    names: Sequence[str],
    *,
    required: list[str] | None,
    forbidden: list[str] | None,
    max_parents: int | None = None,
) -> "arcwise.Constraints":
    """Return the rules of files and options together; a limit on parents in the options replaces that of a file."""
    from arcwise.constraints.files import arc_of

    read = [_constraints_in(file, names) for file in files or ()]
    places = ([rules.tiers or None for rules in read], *([getattr(rules, key) for rules in read] for key in _ONCE))
    if any(sum(part is not None for part in parts) > 1 for parts in places):
        raise ParameterError(
            "two files of --constraints have tiers, lists of allowed arcs, or limits on parents or adjacent nodes; put "
            "these into one file"
        )
    given = {key: value for rules in read for key, value in rules.arguments().items() if value is not None}
    once = {key: given[key] for key in _ONCE if key in given}
    tiered = next((rules for rules in read if rules.tiers), arcwise.Constraints())
    pairs: dict[str, Any] = {key: [arc for rules in read for arc in getattr(rules, key)] for key in _PAIRS}
    pairs["required"] += map(arc_of, required or ())
    pairs["forbidden"] += map(arc_of, forbidden or ())
    return arcwise.Constraints(
        **pairs,
        tiers=tiered.tiers,
        closed_tiers=tiered.closed_tiers,
        join_constants=any(rules.join_constants for rules in read),
        **(once if max_parents is None else {**once, "max_parents": max_parents}),
    ).over(names)


def _constraints_in(file: str, names: Sequence[str]) -> "arcwise.Constraints":
    kind, equals, path = file.partition("=")
    if equals and kind in ("required", "forbidden") and not Path(file).exists():
        return arcwise.read_constraints(existing_file(path, wanted="a file of constraints"), names, kind=kind)
    return arcwise.read_constraints(existing_file(file, wanted="a file of constraints"), names)
