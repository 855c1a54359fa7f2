"""`arcwise learn`: a table or an example network in, a learned network out."""

from collections.abc import Iterable
from dataclasses import fields
from inspect import signature
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, get_args
from warnings import warn

import typer

import arcwise
from arcwise.cli import choices, networks
from arcwise.cli.app import app, command_of, examples, warned
from arcwise.cli.choices import completing
from arcwise.cli.interrupts import ctrl_c_keeps_the_best
from arcwise.cli.options import (
    Additions,
    CheckpointFile,
    Cluster,
    ColumnNames,
    ConstraintFiles,
    ContinuousColumns,
    Device,
    Discretise,
    Forbid,
    Header,
    InterventionColumn,
    LeastGain,
    LeaveOut,
    Loaded,
    MaxParents,
    MaxStates,
    Memory,
    MinCount,
    MissingValues,
    PenaltyFactor,
    PriorFile,
    Reading,
    Require,
    Resume,
    SampledRows,
    SampleSize,
    ScoreOrAuto,
    Seed,
    Separator,
    Source,
    TimeLimit,
    WeightColumn,
    Workers,
    adjusted,
    bytes_of,
    constraints_of,
    load,
    options_of,
    refuse_same_files,
    score_for,
    still_free,
    target_file,
)
from arcwise.cli.output import JsonOutput, Output, Quiet, record_of
from arcwise.cli.report import REPORT_ENDINGS
from arcwise.support.errors import ArcwiseWarning, ParameterError
from arcwise.support.quoting import numbered

if TYPE_CHECKING:
    from arcwise.scores.definitions import Score

_AUTO = "auto"


@app.command(
    epilog=examples(
        "arcwise learn alarm",
        "arcwise learn patients.csv --score bdeu --ess 10 --time 60 --constraints known.toml -o patients.bif",
        "arcwise learn patients.csv --report patients.html",
        "arcwise learn patients.csv --method greedy --seed 1 --json",
        "arcwise learn patients.csv --time 36000 --checkpoint run.json [--resume]",
    )
)
def learn(
    context: typer.Context,
    source: Source,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            help="Write the network to this file: .bif or another format, see arcwise convert --help.",
            show_default="NAME-learned.bif, or .json with continuous columns",
        ),
    ] = None,
    score: ScoreOrAuto = _AUTO,
    ess: SampleSize = None,
    prior: PriorFile = None,
    penalty_factor: PenaltyFactor = None,
    least_gain: LeastGain = None,
    method: Annotated[
        str,
        typer.Option(
            help=f"Search method: {', '.join(choices.METHODS)}; around a target, with --set target=NAME: "
            f"{', '.join(choices.CLASSIFIERS)}.",
            autocompletion=completing((*choices.METHODS, *choices.CLASSIFIERS)),
        ),
    ] = _AUTO,
    seed: Seed = None,
    time_limit: TimeLimit = None,
    evaluation_limit: Annotated[
        int | None,
        typer.Option(
            "--evaluations", help="Maximum number of local scores to count; reproducible, unlike a time limit."
        ),
    ] = None,
    workers: Workers = None,
    executor: Cluster = None,
    max_parents: MaxParents = None,
    required: Require = None,
    forbidden: Forbid = None,
    constraints: ConstraintFiles = None,
    clean_up: Annotated[
        bool, typer.Option("--clean-up", help="Replace triangles by v-structures after the search.")
    ] = False,
    certify: Annotated[
        float | None, typer.Option(help="Time limit in seconds of a bound on the best score, after the search.")
    ] = None,
    memory: Memory = None,
    device: Device = "cpu",
    options: Annotated[
        list[str] | None,
        typer.Option(
            "--set", metavar="NAME=VALUE", help="Set an option of the method, such as climbs=3. Can be repeated."
        ),
    ] = None,
    missing: MissingValues = "error",
    discretise: Discretise = None,
    continuous: ContinuousColumns = None,
    separator: Separator = None,
    header: Header = None,
    max_states: MaxStates = None,
    min_count: MinCount = None,
    leave_out: LeaveOut = None,
    names: ColumnNames = None,
    weights: WeightColumn = None,
    interventions: InterventionColumn = None,
    rows: SampledRows = None,
    checkpoint: CheckpointFile = None,
    resume: Resume = False,
    run: Annotated[
        Path | None, typer.Option("--run", help="Write the whole run to this .json file, for arcwise report and plot.")
    ] = None,
    report: Annotated[
        Path | None, typer.Option("--report", help="Write a report for the browser to this .html file.")
    ] = None,
    as_json: JsonOutput = False,
    quiet: Quiet = False,
) -> None:
    """Learn a network from a table.

    Instead of a file the name of an example may be given: then rows are sampled from it, and the network that is
    learned from them is compared with the true one. Ctrl-C ends the search and keeps the best network so far.
    """
    from arcwise.runs.checkpoints import earlier_seed
    from arcwise.support.arguments import recorded_seed

    shown = Output(as_json, quiet)
    target = target_file(output, source, default="-learned.bif", endings=networks.endings())
    files = {"--output": target, "--checkpoint": checkpoint}
    if run is not None:
        files["--run"] = target_file(run, source, default="", endings=[".json"], option="--run")
    if report is not None:
        files["--report"] = target_file(
            report, source, default="", endings=REPORT_ENDINGS, packed=False, option="--report"
        )
    refuse_same_files(files)
    seed = recorded_seed(earlier_seed(checkpoint, resume, seed))
    reading = Reading(
        missing,
        discretise,
        separator,
        header,
        max_states,
        rows,
        interventions,
        continuous,
        min_count=min_count,
        leave_out=leave_out,
        names=names,
        weights=weights,
    )
    loaded = load(source, reading, seed=seed)
    if output is None and loaded.data.continuous:  # BIF has discrete nodes only
        files["--output"] = target = target_file(None, source, default="-learned.json", endings=networks.endings())
        refuse_same_files(files)
    networks.refuse_names(loaded.data, target)
    added = Additions(prior, penalty_factor, least_gain)
    scoring = _score(score, ess, added, loaded.data)
    rules = constraints_of(
        constraints, loaded.data.names, required=required, forbidden=forbidden, max_parents=max_parents
    )
    own = options_of(options, taken=signature(arcwise.learn).parameters)
    _refuse_objects(own)
    with ctrl_c_keeps_the_best() as ctrl_c:
        result = arcwise.learn(
            loaded.data,
            score=scoring,
            method=method,
            seed=seed,
            time_limit=time_limit,
            evaluation_limit=evaluation_limit,
            constraints=rules,
            missing="em" if missing == "em" else "error",
            clean_up=clean_up,
            certify=certify,
            memory=None if memory is None else bytes_of(memory),
            device=device,
            progress=shown.shows_progress,
            watch=ctrl_c.watched(),
            checkpoint=checkpoint,
            resume=resume,
            workers=workers,
            executor=executor,
            **own,
        )
        target = still_free(target, output)
        if run is not None or report is not None:
            whole = arcwise.Run.of(result, warnings=warned(), command=command_of(context, seed))
            if run is not None:
                arcwise.write_run(whole, run)
            if report is not None:
                arcwise.write_report(whole, report, reference=loaded.truth, title=loaded.title, data=loaded.data)
        target = _written(result, target)
        _show(shown, source, loaded, result, target, [file for file in (run, report) if file is not None])
    ctrl_c.end(result.status)


def _score(name: str, ess: float | None, added: Additions, data: "arcwise.Dataset") -> "str | Score":
    """Return the named score with what is added to it, or the word that leaves it to `learn`."""
    if (name, ess, added) == (_AUTO, None, Additions()):
        return name
    return adjusted(score_for(name, ess, data), added, data.names)


def _refuse_objects(options: Iterable[str]) -> None:
    """Refuse options of methods that no text can stand for, such as a function."""
    from arcwise.search.registry import SEARCHES

    for name in options:
        types = [option.type for search in SEARCHES.values() for option in fields(search) if option.name == name]
        kinds = {kind for taken in types for kind in (taken, *get_args(taken))}
        if kinds and not kinds & {bool, float, int, str}:
            raise ParameterError(f"--set cannot give {name}, which is not a number, a word, true or false; use Python")


def _written(result: "arcwise.Result", target: Path) -> Path:
    """Write the network, or its arcs alone where its tables are too large, and return the file."""
    try:
        network = result.network(ess=1.0)
    except ParameterError as error:
        arcs = still_free(target.with_name(f"{target.name.split('.')[0]}-arcs.csv"), None)
        arcwise.write_graph(result.dag, arcs)
        warn(ArcwiseWarning(f"{target} is not written: ", error.message, f"; the arcs are in {arcs}"), stacklevel=2)
        return arcs
    networks.write(network, target)
    return target


def _show(
    shown: Output, source: str, loaded: Loaded, result: "arcwise.Result", target: Path, others: list[Path]
) -> None:
    from arcwise.runs.result_views import scope_of, time_of

    data = loaded.data
    record: dict[str, object] = {
        "source": source,
        "variables": data.n_variables,
        "observations": data.n_observations,
        "score_name": result.provenance.score.name if result.provenance.score else None,
        **record_of(result, output=target),
        "picked_score": result.decisions.get("picked_score"),
        "plan": result.decisions.get("plan"),
        "truth": None,
    }
    table = [
        ("score", f"{result.score:,.3f}  ({result.provenance.score}, {result.method})"),
        ("arcs", str(result.dag.n_arcs)),
        ("time", f"{time_of(result)}; {result.counters['evaluations']:,} evaluations"),
        ("ended by", str(result.status)),
    ]
    if "target" in result.decisions:
        aside = "" if result.provenance.options.get("target") is not None else "  (the last column)"
        table.append(("target", f"{result.decisions['target']}{aside}"))
    if "picked_score" in result.decisions and record["score_name"] != "bic":
        table.append(("picked score", str(result.decisions["picked_score"])))
    if "plan" in result.decisions:
        table.append(("plan", str(result.decisions["plan"])))
    if result.gap is not None:
        scope = scope_of(result)
        words = f"at most {result.gap:,.3f}  (for {scope})" if result.gap else f"0: proven optimal among {scope}"
        table.append(("gap", words))
    if loaded.truth is not None:
        found = arcwise.compare(loaded.truth.dag, result.dag)
        record["truth"] = {
            "shd_cpdag": found.shd_cpdag,
            "shd_skeleton": found.shd_skeleton,
            "precision": found.precision,
            "recall": found.recall,
        }
        table.append(("SHD to the truth", f"{found.shd_cpdag} (CPDAG), {found.shd_skeleton} (skeleton)"))
        table.append(("precision, recall", f"{found.precision:.3f}, {found.recall:.3f} (edges)"))
    table += [("seed", str(result.seed)), ("written to", ", ".join(map(str, (target, *others))))]
    shown.show(record, f"{loaded.title}: {numbered(data.n_variables, 'variable')}", table)
