"""`arcwise posterior`: how probable each arc is, given the data."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated
from warnings import warn

import typer

import arcwise
from arcwise.cli import networks
from arcwise.cli.app import app, examples
from arcwise.cli.bootstrap import csv_of
from arcwise.cli.choices import completing
from arcwise.cli.interrupts import ctrl_c_keeps_the_best
from arcwise.cli.options import (
    Additions,
    CheckpointFile,
    ColumnNames,
    ConstraintFiles,
    ContinuousColumns,
    Discretise,
    FamilyMissingValues,
    Forbid,
    Header,
    InterventionColumn,
    LeastGain,
    LeaveOut,
    MaxParents,
    MaxStates,
    MinCount,
    PenaltyFactor,
    PriorFile,
    Reading,
    Require,
    SampledRows,
    SampleSize,
    ScoreName,
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
    score_of,
    still_free,
    target_file,
)
from arcwise.cli.output import JsonOutput, Output, Quiet, finite
from arcwise.support.errors import ArcwiseWarning, ParameterError
from arcwise.support.messages import Name

if TYPE_CHECKING:
    from arcwise.posteriors.diagnostics import Diagnostics

METHODS = ("auto", "exact", "partition")


@app.command(
    epilog=examples(
        "arcwise posterior patients.csv --seed 1 -o posterior.csv --averaged consensus.bif",
        "arcwise posterior alarm --rows 1000 --precision 0.05 --time 60",
        "arcwise posterior patients.csv --precision 0.01 --checkpoint chains.npz [--resume]",
    )
)
def posterior(
    source: Source,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            help="Write the probabilities to this .csv or .json file.",
            show_default="NAME-posterior.csv",
        ),
    ] = None,
    averaged: Annotated[
        Path | None, typer.Option(help="Write the network of the edges that are more probable than not to this file.")
    ] = None,
    method: Annotated[
        str,
        typer.Option(
            help="exact sums over all graphs, partition draws graphs by Markov chains, auto picks by the size.",
            autocompletion=completing(METHODS),
        ),
    ] = "auto",
    precision: Annotated[
        float, typer.Option(help="Chains end when two standard errors of all arcs are at most this.")
    ] = 0.02,
    chains: Annotated[int | None, typer.Option(help="Number of Markov chains.", show_default="4")] = None,
    candidates: Annotated[
        int | None, typer.Option(help="Candidate parents of each variable.", show_default="14, or 12 of many variables")
    ] = None,
    score: ScoreName = "bdeu",
    ess: SampleSize = None,
    prior: PriorFile = None,
    penalty_factor: PenaltyFactor = None,
    least_gain: LeastGain = None,
    seed: Seed = None,
    time_limit: TimeLimit = None,
    workers: Workers = None,
    max_parents: MaxParents = None,
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
    checkpoint: CheckpointFile = None,
    resume: Annotated[
        bool, typer.Option("--resume", help="Resume the chains in --checkpoint; a time limit begins anew.")
    ] = False,
    as_json: JsonOutput = False,
    quiet: Quiet = False,
) -> None:
    """Find how probable each arc is, given the data.

    Graphs are weighted by exp(score). The file has the probability of each edge (strength) and, given the edge, of each
    direction. Ctrl-C ends chains and keeps what was drawn. With --checkpoint, auto takes chains.
    """
    from arcwise.runs.result_views import seconds_of
    from arcwise.support.arguments import recorded_seed
    from arcwise.support.files import write_text

    shown = Output(as_json, quiet)
    target = target_file(output, source, default="-posterior.csv", endings=[".csv", ".json"])
    files = {"--output": target, "--checkpoint": checkpoint}
    if averaged is not None:
        files["--averaged"] = target_file(averaged, source, default="", endings=networks.endings(), option="--averaged")
    refuse_same_files(files)
    earlier = _earlier(checkpoint) if resume else None
    seed = recorded_seed(_seed_in(earlier) if earlier is not None and seed is None else seed)
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
    scoring = adjusted(score_of(score, ess), added, loaded.data.names)
    rules = constraints_of(
        constraints, loaded.data.names, required=required, forbidden=forbidden, max_parents=max_parents
    )
    with ctrl_c_keeps_the_best() as ctrl_c:
        with shown.progress("Posterior") as watch:
            found = arcwise.posterior(
                loaded.data,
                scoring,
                method=method,
                constraints=rules,
                missing="em" if missing == "em" else "error",
                precision=precision,
                chains=chains,
                candidates=candidates,
                seed=seed,
                workers=workers,
                checkpoint=checkpoint,
                resume=earlier,
                budget=arcwise.Budget(time_limit, watch=ctrl_c.watched(watch)),
            )
        if not found.has_probabilities:
            ctrl_c.end(found.status)
            found.refuse_nothing()
        target = still_free(target, output)
        record = _record(source, found, target, averaged)
        write_text(target, json.dumps(finite(record)) + "\n" if networks.ending(target) == ".json" else csv_of(found))
        if averaged is not None:
            network = arcwise.BayesianNetwork.fit(found.averaged(), loaded.data, ess=1.0)
            networks.write(network, averaged)
        mixed = found.diagnostics
        table = [
            ("method", f"{found.method} ({found.score})"),
            ("edges", f"{found.averaged().n_arcs} more probable than not"),
            ("error", f"{found.error:.2g}"),
            *(_of_chains(mixed) if mixed else []),
            ("time", seconds_of(found.seconds)),
            ("ended by", str(found.status)),
            ("seed", str(seed)),
            ("written to", str(target) + (f", {averaged}" if averaged else "")),
        ]
        shown.show(record, f"{loaded.title}: {loaded.data.n_variables} variables", table)
    ctrl_c.end(found.status)


def _earlier(checkpoint: Path | None) -> Path | None:
    """Return the file whose chains are to be resumed; None where there is none yet."""
    if checkpoint is None:
        raise ParameterError(Name("resume"), " needs ", Name("checkpoint"), ", the name of its file")
    if checkpoint.exists():
        return checkpoint
    warn(f"there is no checkpoint {checkpoint}; the chains start from the beginning", ArcwiseWarning, stacklevel=3)
    return None


def _seed_in(checkpoint: Path) -> int:
    from arcwise.posteriors.files import ChainFile

    return ChainFile.seed_in(checkpoint)


def _of_chains(mixed: "Diagnostics") -> list[tuple[str, str]]:
    """Return what the table says of chains only."""
    return [
        ("R-hat", f"{mixed.r_hat:.3f}, {mixed.chains} chains"),
        ("candidates", f"{mixed.candidates}; arcs from others have a probability of at most {mixed.outside:.2g}"),
    ]


def _record(source: str, found: "arcwise.ArcPosterior", target: Path, averaged: Path | None) -> dict[str, object]:
    mixed = found.diagnostics
    return {
        "source": source,
        "variables": len(found.names),
        "nodes": list(found.names),
        "method": found.method,
        "score_name": found.score.name,
        "error": found.error,
        "r_hat": None if mixed is None else mixed.r_hat,
        "candidates": None if mixed is None else mixed.candidates,
        "outside": None if mixed is None else mixed.outside,
        "draws": len(found.graphs),
        "status": str(found.status),
        "seed": found.seed,
        "seconds": found.seconds,
        "strengths": [
            {"from": tail, "to": head, "strength": strength, "direction": direction}
            for tail, head, strength, direction in found.adjacent()
        ],
        "output": str(target),
        "averaged": None if averaged is None else str(averaged),
    }
