"""`arcwise bootstrap`: how sure each arc is, by searches on replicas of the data."""

import csv
import io
import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

import arcwise
from arcwise.cli import choices, networks
from arcwise.cli.app import app, examples
from arcwise.cli.choices import completing
from arcwise.cli.interrupts import ctrl_c_keeps_the_best
from arcwise.cli.options import (
    Additions,
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
    MaxParents,
    MaxStates,
    MinCount,
    MissingValues,
    PenaltyFactor,
    PriorFile,
    Reading,
    Require,
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
    constraints_of,
    load,
    refuse_same_files,
    score_for,
    still_free,
    target_file,
)
from arcwise.cli.output import JsonOutput, Output, Quiet
from arcwise.support.quoting import numbered

if TYPE_CHECKING:
    from arcwise.arc_probabilities import ArcProbabilities


@app.command(
    epilog=examples(
        "arcwise bootstrap patients.csv -m 200 --seed 1 -o strengths.csv --averaged consensus.bif",
        "arcwise bootstrap asia --method tabu --averaged arcs.csv --threshold 0.85",
    )
)
def bootstrap(
    source: Source,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", help="Write the strengths to this .csv or .json file.", show_default="NAME-strengths.csv"
        ),
    ] = None,
    averaged: Annotated[
        Path | None, typer.Option(help="Write the network of the significant arcs to this file.")
    ] = None,
    threshold: Annotated[
        float | None,
        typer.Option(
            help="Share of the replicas from which an arc is significant.", show_default="estimated from the replicas"
        ),
    ] = None,
    replicas: Annotated[int, typer.Option("--replicas", "-m", help="Number of replicas of the data.")] = 100,
    method: Annotated[
        str,
        typer.Option(
            help=f"Search method: {', '.join(choices.METHODS[1:])}.", autocompletion=completing(choices.METHODS[1:])
        ),
    ] = "greedy",
    score: ScoreOrAuto = choices.AUTO,
    ess: SampleSize = None,
    prior: PriorFile = None,
    penalty_factor: PenaltyFactor = None,
    least_gain: LeastGain = None,
    seed: Seed = None,
    time_limit: TimeLimit = None,
    device: Device = "cpu",
    workers: Workers = None,
    executor: Cluster = None,
    max_parents: MaxParents = None,
    required: Require = None,
    forbidden: Forbid = None,
    constraints: ConstraintFiles = None,
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
    as_json: JsonOutput = False,
    quiet: Quiet = False,
) -> None:
    """Estimate how sure each arc is, by bootstrap.

    Graphs are learned from replicas of the data, drawn from it with replacement; the strengths say how often each edge,
    and each direction of it, was found. Ctrl-C ends it and keeps the replicas that are done.
    """
    from arcwise.runs.result_views import seconds_of
    from arcwise.support.arguments import count, recorded_seed
    from arcwise.support.files import write_text

    shown = Output(as_json, quiet)
    target = target_file(output, source, default="-strengths.csv", endings=[".csv", ".json"])
    if averaged is not None:
        target_file(averaged, source, default="", endings=networks.endings(), option="--averaged")
        refuse_same_files({"--output": target, "--averaged": averaged})
    count("replicas", replicas, least=1)
    if threshold is not None and not 0 <= threshold < 1:
        raise arcwise.ParameterError.of("threshold", "a share from 0 to below 1", threshold)
    seed = recorded_seed(seed)
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
    if averaged is not None:
        networks.refuse_names(loaded.data, averaged)
    added = Additions(prior, penalty_factor, least_gain)
    scoring = adjusted(score_for(score, ess, loaded.data), added, loaded.data.names)
    rules = constraints_of(
        constraints, loaded.data.names, required=required, forbidden=forbidden, max_parents=max_parents
    )
    bar, advance = shown.counter("Replicas", replicas)
    with ctrl_c_keeps_the_best() as ctrl_c:
        with bar:
            strengths = arcwise.bootstrap(
                loaded.data,
                method,
                replicas,
                score=scoring,
                constraints=rules,
                seed=seed,
                device=device,
                workers=workers,
                executor=executor,
                budget=arcwise.Budget(time_limit, watch=ctrl_c.watched()),
                on_replica=advance,
                missing="em" if missing == "em" else "error",
            )
        target = still_free(target, output)
        least = strengths.threshold if threshold is None else threshold
        record = _record(source, strengths, least, target, averaged)
        write_text(target, json.dumps(record) + "\n" if networks.ending(target) == ".json" else csv_of(strengths))
        if averaged is not None:
            network = arcwise.BayesianNetwork.fit(strengths.averaged(threshold), loaded.data, ess=1.0)
            networks.write(network, averaged)
        # No edge has a frequency between the threshold that is found and one half (`significance_threshold`).
        share = "half" if threshold is None else f"{100 * threshold:.3g} %"
        significant = sum(strengths.edge(*arc[:2]) > least for arc in strengths.adjacent()) // 2
        table = [
            ("replicas", f"{strengths.n_replicas:,} ({strengths.method}, {strengths.score})"),
            ("significant edges", f"{significant}, in more than {share} of the replicas"),
            ("time", seconds_of(strengths.seconds)),
            ("ended by", str(strengths.status)),
            ("seed", str(seed)),
            ("written to", str(target) + (f", {averaged}" if averaged else "")),
        ]
        shown.show(record, f"{loaded.title}: {numbered(loaded.data.n_variables, 'variable')}", table)
    ctrl_c.end(strengths.status)


def csv_of(strengths: "ArcProbabilities") -> str:
    """Return probabilities of edges and directions as the text of a file."""
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows([("from", "to", "strength", "direction"), *strengths.adjacent()])
    return text.getvalue()


def _record(
    source: str, strengths: "arcwise.ArcStrengths", threshold: float, target: Path, averaged: Path | None
) -> dict[str, object]:
    return {
        "source": source,
        "variables": len(strengths.names),
        "nodes": list(strengths.names),
        "replicas": strengths.n_replicas,
        "method": strengths.method,
        "score_name": strengths.score.name,
        "threshold": threshold,
        "status": str(strengths.status),
        "seed": strengths.seed,
        "seconds": strengths.seconds,
        "strengths": [
            {"from": tail, "to": head, "strength": strength, "direction": direction}
            for tail, head, strength, direction in strengths.adjacent()
        ],
        "output": str(target),
        "averaged": None if averaged is None else str(averaged),
    }
