"""`arcwise score`: how well a graph explains data, in one score or several."""

from typing import Annotated

import typer

import arcwise
from arcwise.cli import choices
from arcwise.cli.app import app, examples
from arcwise.cli.choices import completing
from arcwise.cli.networks import graph_of, network_argument
from arcwise.cli.options import (
    SCORE_HELP,
    Additions,
    ColumnNames,
    ContinuousColumns,
    Discretise,
    FamilyMissingValues,
    Header,
    InterventionColumn,
    LeastGain,
    LeaveOut,
    MaxStates,
    MinCount,
    PenaltyFactor,
    PriorFile,
    Reading,
    SampledRows,
    SampleSize,
    Seed,
    Separator,
    WeightColumn,
    adjusted,
    load,
    no_sample_size,
    refuse_em,
    score_of,
)
from arcwise.cli.output import JsonOutput, Output, Quiet
from arcwise.support.errors import ParameterError
from arcwise.support.quoting import listed, numbered


@app.command(
    epilog=examples(
        "arcwise score patients.bif patients.csv",
        "arcwise score arcs.csv patients.csv --score bic --score bdeu --ess 10 --by-variable",
        "arcwise score asia asia --rows 1000 --seed 1 --json",
    )
)
def score(
    network: Annotated[str, network_argument("NETWORK")],
    source: Annotated[
        str,
        typer.Argument(
            metavar="DATA",
            help="Table in csv, tsv or parquet, or an example to sample rows from.",
            autocompletion=choices.completing_sources,
        ),
    ],
    score: Annotated[
        list[str] | None,
        typer.Option(
            "--score",
            help=f"{SCORE_HELP} Can be repeated.",
            show_default="bic",
            autocompletion=completing(choices.SCORES),
        ),
    ] = None,
    ess: SampleSize = None,
    prior: PriorFile = None,
    penalty_factor: PenaltyFactor = None,
    least_gain: LeastGain = None,
    by_variable: Annotated[
        bool, typer.Option("--by-variable", help="Also show the local score of each variable.")
    ] = False,
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
    seed: Seed = None,
    as_json: JsonOutput = False,
    quiet: Quiet = False,
) -> None:
    """Score a network's graph on data.

    Scores are natural logarithms; larger is better.
    """
    from arcwise.scores.definitions import score_named
    from arcwise.support.arguments import recorded_seed

    dag = graph_of(network)
    given = score or ["bic"]
    with_size = [name for name in given if score_named(name).name in choices.SIZED_SCORES]
    if ess is not None and not with_size:
        raise no_sample_size(given)
    chosen = list(dict.fromkeys(score_of(name, ess if name in with_size else None) for name in given))
    several = [kind.name for kind in chosen]
    scores = [str(kind) if several.count(kind.name) > 1 else kind.name for kind in chosen]
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
    refuse_em(reading)
    loaded = load(source, reading, seed=seed)
    extra = [name for name in loaded.data.names if name not in dag.names]
    if extra and set(dag.names) <= set(loaded.data.names):
        raise ParameterError(f"the graph has no node for {listed(extra)}; leave columns out with --leave-out")
    added = Additions(prior, penalty_factor, least_gain)
    scoring = [adjusted(kind, added, loaded.data.names) for kind in chosen]
    parts = {name: _parts(arcwise.LocalScore(loaded.data, by), dag) for name, by in zip(scores, scoring, strict=True)}
    totals = {name: sum(part.values()) for name, part in parts.items()}
    record = {
        "network": network,
        "source": source,
        "variables": dag.n_nodes,
        "arcs": dag.n_arcs,
        "observations": loaded.data.n_observations,
        "seed": seed if loaded.truth else None,
        "scores": totals,
        "by_variable": parts if by_variable else None,
    }
    title = f"{network} on {loaded.title}: {numbered(dag.n_nodes, 'variable')}, {numbered(dag.n_arcs, 'arc')}"
    table = [["all", *(f"{total:,.3f}" for total in totals.values())]]
    if by_variable:
        table = [[node, *(f"{part[node]:,.3f}" for part in parts.values())] for node in dag.names] + table
    Output(as_json, quiet).show(record, title, [["", *scores], *table])


def _parts(score: "arcwise.LocalScore", dag: "arcwise.Dag") -> dict[str, float]:
    """Score of each variable given its parents."""
    score.total(dag)  # says which names differ
    return {node: score.local(node, dag.parents(node)) for node in dag.names}
