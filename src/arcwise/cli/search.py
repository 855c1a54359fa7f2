"""`arcwise search`: a table of parent sets in, the best graph over it out."""

from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table

from arcwise.budget import Budget
from arcwise.checkpoints import journal_of
from arcwise.cli.app import console
from arcwise.cli.options import (
    CheckpointFile,
    Forbid,
    Require,
    Resume,
    TimeLimit,
    arcs_of,
    progress,
    shown_errors,
    target_file,
)
from arcwise.constraints import Constraints
from arcwise.errors import ParameterError
from arcwise.io.arcs import write_arcs
from arcwise.parents.parent_sets import ParentSets
from arcwise.result import Result
from arcwise.search.orders import DESCENTS, INITIAL_ORDERS, STRATEGIES, Stop, search_orders
from arcwise.task import Task


def search(
    source: Annotated[
        Path, typer.Argument(metavar="FILE", help="Parent sets: .jkl, .scores, .jaa or .pss, also packed.")
    ],
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="Where the arcs go, as csv.", show_default="NAME-arcs.csv"),
    ] = None,
    method: Annotated[str, typer.Option(help=f"Where to climb from: {', '.join(STRATEGIES)}.")] = "memetic",
    descent: Annotated[str, typer.Option(help=f"How to climb: {', '.join(DESCENTS)}.")] = "inobs",
    initial: Annotated[str, typer.Option(help=f"New orders: {', '.join(INITIAL_ORDERS)}.")] = "random",
    seed: Annotated[int | None, typer.Option(help="Repeats a run; drawn and shown when not given.")] = None,
    time_limit: TimeLimit = None,
    climbs: Annotated[int | None, typer.Option(help="Limit on climbs; repeatable, unlike time.")] = None,
    workers: Annotated[int | None, typer.Option(help="Threads.", show_default="all processors")] = None,
    max_parents: Annotated[int | None, typer.Option(help="Most parents of any variable.")] = None,
    require: Require = None,
    forbid: Forbid = None,
    checkpoint: CheckpointFile = None,
    resume: Resume = False,
) -> None:
    """Search the orders of the variables for the best graph over a table of parent sets."""
    with shown_errors():
        target = target_file(output, str(source), default="-arcs.csv", endings=[".csv"], packed=False)
        if not source.exists():
            raise ParameterError(f"the file {source} does not exist; `arcwise parents` makes such files from data")
        table = ParentSets.from_file(source)
        constraints = Constraints(required=arcs_of(require), forbidden=arcs_of(forbid), max_parents=max_parents)
        options = {"descent": descent, "initial": initial}
        task = Task(table, method, None, constraints, table.total, seed, options=options)
        journal = journal_of(checkpoint, resume, task)
        spinner, watch = progress()
        with spinner:
            result = search_orders(
                table,
                strategy=method,
                descent=descent,
                initial=initial,
                constraints=constraints,
                stop=None if climbs is None else Stop(climbs=climbs),
                seed=journal.seed,
                workers=workers,
                budget=Budget(time_limit, watch=watch, journal=journal),
            )
        result = journal.searched(result)
        journal.close(result)
        write_arcs(result.dag, target)
        console.print(_summary(source, table, result, target))


def _summary(source: Path, table: ParentSets, result: Result, target: Path) -> Table:
    title = f"{source.name}: {table.n_variables:,} variables, {table.n_sets:,} parent sets"
    shown = Table(title=title, show_header=False, title_justify="left")
    shown.add_row("score", f"{result.score:,.4f}  ({result.method}, {result.counters['climbs']:,} climbs)")
    shown.add_row("bound", f"{result.bound:,.4f}  (every variable's best set, cycles allowed)")
    shown.add_row("arcs", str(result.dag.n_arcs))
    shown.add_row("time", f"{result.seconds:,.3g} s, the best after {result.trace[-1].seconds:,.3g} s")
    shown.add_row("ended by", str(result.status))
    shown.add_row("seed", str(result.seed))
    shown.add_row("written to", str(target))
    return shown
