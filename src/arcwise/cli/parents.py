"""`arcwise parents`: a table in, candidate parent sets with their scores out."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

import arcwise
from arcwise.cli import choices, networks
from arcwise.cli.app import app, examples
from arcwise.cli.choices import completing, listed
from arcwise.cli.interrupts import ctrl_c_keeps_the_best
from arcwise.cli.options import (
    Additions,
    Cluster,
    ColumnNames,
    ConstraintFiles,
    ContinuousColumns,
    Device,
    Discretise,
    FamilyMissingValues,
    Forbid,
    Header,
    InterventionColumn,
    LeastGain,
    LeaveOut,
    Loaded,
    MaxStates,
    MinCount,
    PenaltyFactor,
    PriorFile,
    Reading,
    Require,
    SampledRows,
    SampleSize,
    ScoreOrAuto,
    Separator,
    Source,
    TimeLimit,
    WeightColumn,
    Workers,
    adjusted,
    bytes_of,
    constraints_of,
    load,
    refuse_em,
    score_for,
    still_free,
    target_file,
)
from arcwise.cli.output import JsonOutput, Output, Quiet
from arcwise.support.quoting import numbered

if TYPE_CHECKING:
    from arcwise.scores.definitions import Score


@app.command(
    epilog=examples(
        "arcwise parents patients.csv -o patients.jkl --time-per-variable 2 --max-parents 6",
        "arcwise parents alarm --method independence --score bdeu -o alarm.pss.gz",
    )
)
def parents(
    source: Source,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            help="Write the parent sets to this .jkl or .pss file, also compressed.",
            show_default="NAME.jkl",
        ),
    ] = None,
    score: ScoreOrAuto = choices.AUTO,
    ess: SampleSize = None,
    prior: PriorFile = None,
    penalty_factor: PenaltyFactor = None,
    least_gain: LeastGain = None,
    method: Annotated[
        str,
        typer.Option(
            help=f"Selection method: {listed(choices.SELECTIONS)}.", autocompletion=completing(choices.SELECTIONS)
        ),
    ] = "balanced",
    max_parents: Annotated[int | None, typer.Option(help="Maximum number of parents in a set.")] = None,
    time_per_variable: Annotated[
        float | None, typer.Option(help="Time limit for each variable in seconds.", show_default="2")
    ] = None,
    time_limit: TimeLimit = None,
    scored_per_variable: Annotated[
        int | None,
        typer.Option(
            "--scored", help="Maximum number of sets to score for each variable; reproducible, unlike a time limit."
        ),
    ] = None,
    kept_per_variable: Annotated[
        int | None, typer.Option("--keep", help="Maximum number of sets to keep for each variable, best first.")
    ] = None,
    memory: Annotated[float, typer.Option(help="Memory limit in gigabytes.")] = 4.0,
    only_single: Annotated[
        bool, typer.Option("--filter", help="Take only candidates that improve the score as the only parent.")
    ] = False,
    device: Device = "cpu",
    workers: Workers = None,
    executor: Cluster = None,
    required: Require = None,
    forbidden: Forbid = None,
    constraints: ConstraintFiles = None,
    missing: FamilyMissingValues = "error",
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
    seed: Annotated[
        int | None, typer.Option(help="Random seed of the rows sampled from an example; drawn and shown if not given.")
    ] = None,
    as_json: JsonOutput = False,
    quiet: Quiet = False,
) -> None:
    """Select candidate parent sets of every variable.

    They are written with their scores, for `arcwise search`, `arcwise exact` and other programs.
    """
    from arcwise.parents.score_lines import refuse_names
    from arcwise.support.arguments import recorded_seed

    shown = Output(as_json, quiet)
    target = target_file(output, source, default=".jkl", endings=[".jkl", ".pss"])
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
    refuse_em(reading)
    seed = recorded_seed(seed)
    loaded = load(source, reading, seed=seed)
    refuse_names(loaded.data.names, networks.ending(target)[1:])
    nothing_else_limits = time_limit is None and scored_per_variable is None
    limits = arcwise.Limits(
        max_parents=max_parents,
        time_per_variable=2.0 if time_per_variable is None and nothing_else_limits else time_per_variable,
        scored_per_variable=scored_per_variable,
        kept_per_variable=kept_per_variable,
        memory=bytes_of(memory),
    )
    added = Additions(prior, penalty_factor, least_gain)
    scoring = adjusted(score_for(score, ess, loaded.data), added, loaded.data.names)
    bar, advance = shown.counter("Variables", loaded.data.n_variables)
    with ctrl_c_keeps_the_best() as ctrl_c:
        with bar:
            selected = arcwise.select(
                arcwise.LocalScore(loaded.data, scoring, device=device),
                method=method,
                limits=limits,
                neighbourhood=arcwise.score_filter if only_single else None,
                constraints=constraints_of(constraints, loaded.data.names, required=required, forbidden=forbidden),
                workers=workers,
                executor=executor,
                budget=arcwise.Budget(time_limit, watch=ctrl_c.watched()),
                on_variable=lambda done, total: advance(done),
            )
        target = still_free(target, output)
        arcwise.write_parent_sets(selected.sets, target)
        _show(shown, source, loaded, selected, target, scoring, seed)
    ctrl_c.end(selected.status)


def _show(
    shown: Output,
    source: str,
    loaded: Loaded,
    selected: "arcwise.Selected",
    target: Path,
    score: "Score",
    seed: int,
) -> None:
    from arcwise.runs.result_views import seconds_of

    sets = selected.sets
    record = {
        "source": source,
        "variables": sets.n_variables,
        "observations": loaded.data.n_observations,
        "sets": sets.n_sets,
        "scored": selected.scored,
        "max_parents": sets.max_parents,
        "relaxed_score": sets.relaxed_score(),
        "complete": sum(selected.complete),
        "method": selected.method,
        "score_name": score.name,
        "status": str(selected.status),
        "seconds": selected.seconds,
        "output": str(target),
        "seed": seed if loaded.truth else None,
    }
    table = [
        ("sets", f"{sets.n_sets:,} of {selected.scored:,} scored, at most {sets.max_parents} parents"),
        ("relaxed score", f"{sets.relaxed_score():,.3f}  ({score}; no graph with these sets scores more)"),
        ("complete", f"{sum(selected.complete)} of {sets.n_variables} variables"),
        ("time", f"{seconds_of(selected.seconds)}, {selected.method}"),
        ("ended by", str(selected.status)),
        *([("seed", str(seed))] if loaded.truth else []),
        ("written to", str(target)),
    ]
    shown.show(record, f"{loaded.title}: {numbered(sets.n_variables, 'variable')}", table)
