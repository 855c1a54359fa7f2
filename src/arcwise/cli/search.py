"""`arcwise search`: a table of parent sets in, the best graph over it out."""

from pathlib import Path
from typing import Annotated

import typer

import arcwise
from arcwise.cli import choices
from arcwise.cli.app import app, examples
from arcwise.cli.choices import completing
from arcwise.cli.interrupts import ctrl_c_keeps_the_best
from arcwise.cli.options import (
    CheckpointFile,
    ConstraintFiles,
    Forbid,
    MaxParents,
    Require,
    Resume,
    Seed,
    TimeLimit,
    Workers,
    constraints_of,
    existing_file,
    refuse_same_files,
    still_free,
    target_file,
)
from arcwise.cli.output import JsonOutput, Output, Quiet, record_of
from arcwise.support.quoting import numbered


@app.command(
    epilog=examples(
        "arcwise search patients.jkl --time 60",
        "arcwise search patients.jkl --method iterated --climb asobs --climbs 1000 --seed 1 -o arcs.csv",
    )
)
def search(
    source: Annotated[
        Path, typer.Argument(metavar="FILE", help="File of parent sets: .jkl, .scores, .jaa or .pss, also compressed.")
    ],
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="Write the arcs to this csv file.", show_default="NAME-arcs.csv"),
    ] = None,
    strategy: Annotated[
        str,
        typer.Option(
            "--method",
            help=f"Search method, which decides where to climb from: {', '.join(choices.STRATEGIES)}.",
            autocompletion=completing(choices.STRATEGIES),
        ),
    ] = "memetic",
    climb: Annotated[
        str,
        typer.Option(
            help=f"Kind of climb: {', '.join(choices.ORDER_CLIMBS)}.", autocompletion=completing(choices.ORDER_CLIMBS)
        ),
    ] = "inobs",
    initial: Annotated[
        str,
        typer.Option(
            help=f"Kind of initial orders: {', '.join(choices.INITIAL_ORDERS)}.",
            autocompletion=completing(choices.INITIAL_ORDERS),
        ),
    ] = "random",
    seed: Seed = None,
    time_limit: TimeLimit = None,
    climbs: Annotated[
        int | None, typer.Option(help="Maximum number of climbs; reproducible, unlike a time limit.")
    ] = None,
    workers: Workers = None,
    max_parents: MaxParents = None,
    required: Require = None,
    forbidden: Forbid = None,
    constraints: ConstraintFiles = None,
    checkpoint: CheckpointFile = None,
    resume: Resume = False,
    as_json: JsonOutput = False,
    quiet: Quiet = False,
) -> None:
    """Search parent sets for the best graph.

    The search goes over the orders of the variables; Ctrl-C ends it and keeps the best graph so far.
    """
    from arcwise.io.arcs import write_arcs
    from arcwise.runs.checkpoints import journal_of
    from arcwise.runs.provenance import RunLimits
    from arcwise.search.search import run_journaled, task_of

    shown = Output(as_json, quiet)
    target = target_file(output, str(source), default="-arcs.csv", endings=[".csv"], packed=False)
    refuse_same_files({"--output": target, "--checkpoint": checkpoint})
    source = existing_file(source, wanted="a file of parent sets, such as arcwise parents makes")
    table = arcwise.read_parent_sets(source)
    allowed = constraints_of(constraints, table.names, required=required, forbidden=forbidden, max_parents=max_parents)
    stop = None if climbs is None else arcwise.Stop(climbs=climbs)
    search, problem = arcwise.OrdersOnTable(strategy, climb, initial, stop=stop), arcwise.Problem(table, allowed)
    journal = journal_of(checkpoint, resume, task_of(search, problem, seed, RunLimits(time_limit)))
    with ctrl_c_keeps_the_best() as ctrl_c:
        with shown.progress("orders") as watch:
            budget = arcwise.Budget(time_limit, watch=ctrl_c.watched(watch), journal=journal)
            result = run_journaled(search, problem, budget, workers=workers)
        target = still_free(target, output)
        write_arcs(result.dag, target)
        _show(shown, source, table, result, target)
    ctrl_c.end(result.status)


def _show(shown: Output, source: Path, sets: "arcwise.ParentSets", result: "arcwise.Result", target: Path) -> None:
    from arcwise.runs.result_views import seconds_of

    record = {
        "source": str(source),
        "variables": sets.n_variables,
        "sets": sets.n_sets,
        **record_of(result, output=target),
    }
    table = [
        ("score", f"{result.score:,.4f}  ({result.method}, {result.counters['climbs']:,} climbs)"),
        ("bound", f"{result.bound:,.4f}  (every variable's best set, cycles allowed)"),
        ("arcs", str(result.dag.n_arcs)),
        ("time", f"{seconds_of(result.seconds)}, the best after {seconds_of(result.trace[-1].seconds)}"),
        ("ended by", str(result.status)),
        ("seed", str(result.seed)),
        ("written to", str(target)),
    ]
    shown.show(
        record, f"{source.name}: {numbered(sets.n_variables, 'variable')}, {numbered(sets.n_sets, 'parent set')}", table
    )
