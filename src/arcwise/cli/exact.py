"""`arcwise exact`: the best graph over parent sets, or how far from it the best one found can be."""

from pathlib import Path
from typing import Annotated

import typer

import arcwise
from arcwise.cli import choices
from arcwise.cli.app import app, examples
from arcwise.cli.choices import completing_sources
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
    Resume,
    SampledRows,
    SampleSize,
    ScoreOrAuto,
    Seed,
    Separator,
    TimeLimit,
    WeightColumn,
    Workers,
    adjusted,
    constraints_of,
    existing_file,
    load,
    refuse_em,
    refuse_same_files,
    score_for,
    still_free,
    target_file,
)
from arcwise.cli.output import JsonOutput, Output, Quiet, record_of
from arcwise.support.quoting import numbered


@app.command(
    epilog=examples("arcwise exact patients.jkl --time 600", "arcwise exact asia --rows 2000 --score bdeu --seed 1")
)
def exact(
    source: Annotated[
        str,
        typer.Argument(
            metavar="FILE|EXAMPLE",
            help="File of parent sets (.jkl, .scores, .jaa, .txt, .pss), table of data, or one of "
            f"{', '.join(choices.EXAMPLES)}.",
            autocompletion=completing_sources,
        ),
    ],
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="Write the arcs to this csv file.", show_default="NAME-arcs.csv"),
    ] = None,
    time_limit: TimeLimit = None,
    score: ScoreOrAuto = choices.AUTO,
    ess: SampleSize = None,
    prior: PriorFile = None,
    penalty_factor: PenaltyFactor = None,
    least_gain: LeastGain = None,
    seed: Seed = None,
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
    resume: Resume = False,
    as_json: JsonOutput = False,
    quiet: Quiet = False,
) -> None:
    """Find the best graph and prove that it is the best.

    When the time is up, or after Ctrl-C, it shows the best graph so far and how much better another one can be.
    """
    from arcwise.io.arcs import write_arcs
    from arcwise.parents.files import is_score_file
    from arcwise.runs.checkpoints import earlier_seed, journal_of
    from arcwise.runs.provenance import RunLimits
    from arcwise.search.search import Source, run_journaled, task_of
    from arcwise.support.arguments import recorded_seed

    shown = Output(as_json, quiet)
    target = target_file(output, source, default="-arcs.csv", endings=[".csv"], packed=False)
    refuse_same_files({"--output": target, "--checkpoint": checkpoint})
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
    refuse_em(reading)
    added = Additions(prior, penalty_factor, least_gain)
    if is_score_file(source):
        if (score, ess, added, reading) != (choices.AUTO, None, Additions(), Reading()):
            raise arcwise.ParameterError(
                f"{source} holds parent sets with their scores; --score, --ess, what is added to a score, --rows and "
                "how data is read are for tables of data and examples"
            )
        wanted = "a file of parent sets, such as arcwise parents makes"
        scored: Source = arcwise.read_parent_sets(existing_file(source, wanted=wanted))
    else:
        data = load(source, reading, seed=seed).data
        scored = arcwise.LocalScore(data, adjusted(score_for(score, ess, data), added, data.names))
    rules = constraints_of(constraints, scored.names, required=required, forbidden=forbidden, max_parents=max_parents)
    search, problem = arcwise.Exact(), arcwise.Problem(scored, rules)
    journal = journal_of(checkpoint, resume, task_of(search, problem, seed, RunLimits(time_limit)))
    with ctrl_c_keeps_the_best() as ctrl_c:
        with shown.progress("exact") as watch:
            # The clock of the budget starts after the imports.
            budget = arcwise.Budget(time_limit, watch=ctrl_c.watched(watch), journal=journal)
            result = run_journaled(search, problem, budget, workers=workers)
        target = still_free(target, output)
        write_arcs(result.dag, target)
        _show(shown, source, result, target)
    ctrl_c.end(result.status)


def _show(shown: Output, source: str, result: "arcwise.Result", target: Path) -> None:
    from arcwise.runs.result_views import seconds_of

    record = {
        "source": source,
        "variables": result.dag.n_nodes,
        "sets": result.counters["sets"],
        **record_of(result, output=target),
    }
    by = (result.provenance.score, result.decisions["by"])
    table = [
        ("score", f"{result.score:,.4f}  ({', '.join(map(str, filter(None, by)))})"),
        *_proof(result),
        ("arcs", str(result.dag.n_arcs)),
        ("time", f"{seconds_of(result.seconds)}, the best after {seconds_of(result.trace[-1].seconds)}"),
        ("ended by", str(result.status)),
        ("seed", str(result.seed)),
        ("written to", str(target)),
    ]
    size = f"{numbered(result.dag.n_nodes, 'variable')}, {numbered(result.counters['sets'], 'parent set')}"
    title = f"{Path(source).name}: {size}"
    shown.show(record, title, table)


def _proof(result: "arcwise.Result") -> list[tuple[str, str]]:
    """Return what is proven about better graphs, as rows of the table."""
    if result.bound is None or result.gap is None:
        return [("bound", "none: it ended before there were parent sets to choose from")]
    share = 100 * result.gap / max(abs(result.score), 1e-300)
    return [
        ("bound", f"{result.bound:,.4f}  (for {result.bound_for})"),
        ("gap", f"{result.gap:,.4f}, {share:.4f} %" if result.gap else f"0: proven optimal among {result.bound_for}"),
    ]
