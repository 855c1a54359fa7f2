"""`arcwise exact`: the best graph over parent sets, or how far from it the best one found can be."""

from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table

from arcwise.budget import Budget
from arcwise.cli.app import console
from arcwise.cli.options import (
    Discretise,
    Forbid,
    MissingValues,
    Require,
    SampledRows,
    SampleSize,
    ScoreName,
    TimeLimit,
    arcs_of,
    load,
    progress,
    score_of,
    shown_errors,
    target_file,
)
from arcwise.constraints import Constraints
from arcwise.data.examples import EXAMPLES
from arcwise.errors import ParameterError
from arcwise.io.arcs import write_arcs
from arcwise.io.score_files import is_score_file
from arcwise.parents.parent_sets import ParentSets
from arcwise.result import Result
from arcwise.scores.local_score import LocalScore
from arcwise.search.exact.front import exact as find_best
from arcwise.seeds import recorded_seed


def exact(
    source: Annotated[
        str,
        typer.Argument(
            metavar="FILE|EXAMPLE",
            help=f"Parent sets (.jkl, .scores, .jaa, .txt, .pss), a table of data, or one of {', '.join(EXAMPLES)}.",
        ),
    ],
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="Where the arcs go, as csv.", show_default="NAME-arcs.csv"),
    ] = None,
    time_limit: TimeLimit = None,
    score: ScoreName = "bic",
    ess: SampleSize = None,
    seed: Annotated[int | None, typer.Option(help="Repeats a run; drawn and shown when not given.")] = None,
    max_parents: Annotated[int | None, typer.Option(help="Most parents of any variable.")] = None,
    require: Require = None,
    forbid: Forbid = None,
    missing: MissingValues = "error",
    discretise: Discretise = None,
    rows: SampledRows = 5000,
) -> None:
    """Find the best graph and prove it; when the time is up, show the best so far and how much better one can be."""
    with shown_errors():
        target = target_file(output, source, default="-arcs.csv", endings=[".csv"], packed=False)
        seed = recorded_seed(seed)
        constraints = Constraints(required=arcs_of(require), forbidden=arcs_of(forbid), max_parents=max_parents)
        spinner, watch = progress()
        if is_score_file(source):
            if not Path(source).exists():
                raise ParameterError(f"the file {source} does not exist; `arcwise parents` makes such files from data")
            scored: LocalScore | ParentSets = ParentSets.from_file(source)
        else:
            loaded = load(source, rows=rows, seed=seed, missing=missing, discretise=discretise)
            scored = LocalScore(loaded.data, score_of(score, ess))
        with spinner:
            budget = Budget(time_limit, watch=watch)
            result = find_best(scored, constraints=constraints, seed=seed, budget=budget)
        write_arcs(result.dag, target)
        console.print(_summary(source, result, target))


def _summary(source: str, result: Result, target: Path) -> Table:
    title = f"{Path(source).name}: {result.dag.n_nodes:,} variables, {result.counters['sets']:,} parent sets"
    shown = Table(title=title, show_header=False, title_justify="left")
    assert result.bound is not None
    assert result.gap is not None
    shown.add_row("score", f"{result.score:,.4f}  ({result.method})")
    shown.add_row("bound", f"{result.bound:,.4f}  (for {result.bound_for})")
    share = 100 * result.gap / max(abs(result.score), 1e-300)
    shown.add_row("gap", f"{result.gap:,.4f}, {share:.4f} %" if result.gap else f"0, the best of {result.bound_for}")
    shown.add_row("arcs", str(result.dag.n_arcs))
    shown.add_row("time", f"{result.seconds:,.3g} s, the best after {result.trace[-1].seconds:,.3g} s")
    shown.add_row("ended by", str(result.status))
    shown.add_row("seed", str(result.seed))
    shown.add_row("written to", str(target))
    return shown
