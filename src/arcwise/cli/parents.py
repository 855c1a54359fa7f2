"""`arcwise parents`: a table in, candidate parent sets with their scores out."""

from pathlib import Path
from typing import Annotated

import typer
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn
from rich.table import Table

from arcwise.budget import Budget
from arcwise.cli.app import console, error_console
from arcwise.cli.options import (
    Discretise,
    Forbid,
    Loaded,
    MissingValues,
    Require,
    SampledRows,
    SampleSize,
    ScoreName,
    Source,
    TimeLimit,
    arcs_of,
    load,
    score_of,
    shown_errors,
    target_file,
)
from arcwise.constraints import Constraints
from arcwise.parents.neighbourhoods import score_filter
from arcwise.parents.selection import SELECTIONS, Limits, Selected, select
from arcwise.scores.local_score import LocalScore
from arcwise.seeds import recorded_seed


def parents(
    source: Source,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="Where the sets go: .jkl or .pss, also packed.", show_default="NAME.jkl"),
    ] = None,
    score: ScoreName = "bic",
    ess: SampleSize = None,
    method: Annotated[str, typer.Option(help=f"{', '.join(SELECTIONS[:-1])} or {SELECTIONS[-1]}.")] = "balanced",
    max_parents: Annotated[int | None, typer.Option(help="Most parents in a set.")] = None,
    time_per_variable: Annotated[
        float | None, typer.Option(help="Seconds for each variable.", show_default="2")
    ] = None,
    time_limit: TimeLimit = None,
    scored: Annotated[
        int | None, typer.Option(help="Sets to score for each variable; repeatable, unlike time.")
    ] = None,
    keep: Annotated[int | None, typer.Option(help="Sets to keep of each variable, the best ones.")] = None,
    memory: Annotated[float, typer.Option(help="Gigabytes to use.", min=0.001)] = 4.0,
    only_single: Annotated[
        bool, typer.Option("--filter", help="Only candidates that improve the score as the only parent.")
    ] = False,
    workers: Annotated[int | None, typer.Option(help="Threads.", show_default="all processors")] = None,
    require: Require = None,
    forbid: Forbid = None,
    missing: MissingValues = "error",
    discretise: Discretise = None,
    rows: SampledRows = 5000,
    seed: Annotated[int | None, typer.Option(help="For the rows sampled from an example.")] = None,
) -> None:
    """Select candidate parent sets for every variable, with their scores, for order search and exact search."""
    with shown_errors():
        target = target_file(output, source, default=".jkl", endings=[".jkl", ".pss"])
        loaded = load(source, rows=rows, seed=recorded_seed(seed), missing=missing, discretise=discretise)
        nothing_else_limits = time_limit is None and scored is None
        limits = Limits(
            max_parents=max_parents,
            time_per_variable=2.0 if time_per_variable is None and nothing_else_limits else time_per_variable,
            scored_per_variable=scored,
            kept_per_variable=keep,
            memory=int(memory * 1e9),
        )
        with Progress(
            TextColumn("Variables"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            TimeRemainingColumn(),
            console=error_console,
            transient=True,
            disable=not error_console.is_terminal,
        ) as progress:
            task = progress.add_task("", total=loaded.data.n_variables)
            selected = select(
                LocalScore(loaded.data, score_of(score, ess)),
                method=method,
                limits=limits,
                neighbourhood=score_filter if only_single else None,
                constraints=Constraints(required=arcs_of(require), forbidden=arcs_of(forbid)),
                workers=workers,
                budget=Budget(time_limit),
                on_variable=lambda done, total: progress.update(task, completed=done, total=total),
            )
        selected.sets.write(target)
        console.print(_summary(loaded, selected, target))


def _summary(loaded: Loaded, selected: Selected, target: Path) -> Table:
    sets = selected.sets
    table = Table(title=f"{loaded.title}: {sets.n_variables} variables", show_header=False, title_justify="left")
    table.add_row("sets", f"{sets.n_sets:,} of {selected.scored:,} scored, at most {sets.max_parents} parents")
    table.add_row("relaxed score", f"{sets.relaxed_score():,.3f}  (no graph with these sets scores more)")
    table.add_row("complete", f"{sum(selected.complete)} of {sets.n_variables} variables")
    table.add_row("time", f"{selected.seconds:,.2f} s, {selected.method}")
    table.add_row("ended by", str(selected.status))
    table.add_row("written to", str(target))
    return table
