"""`arcwise learn`: a table or an example network in, a learned network out."""

from inspect import signature
from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table

from arcwise.checkpoints import earlier_seed
from arcwise.cli.app import console
from arcwise.cli.options import (
    CheckpointFile,
    Discretise,
    Forbid,
    Loaded,
    MissingValues,
    Require,
    Resume,
    SampledRows,
    SampleSize,
    ScoreName,
    Source,
    TimeLimit,
    arcs_of,
    load,
    options_of,
    progress,
    score_of,
    shown_errors,
    target_file,
)
from arcwise.constraints import Constraints
from arcwise.graph.compare import compare
from arcwise.io.bif import write_bif
from arcwise.learn import METHODS
from arcwise.learn import learn as learn_structure
from arcwise.result import Result
from arcwise.seeds import recorded_seed


def learn(
    source: Source,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="Where the network goes, as BIF.", show_default="NAME-learned.bif"),
    ] = None,
    score: ScoreName = "bic",
    ess: SampleSize = None,
    method: Annotated[str, typer.Option(help=f"The search: {', '.join(METHODS)}.")] = "orders",
    seed: Annotated[int | None, typer.Option(help="Repeats a run; drawn and shown when not given.")] = None,
    time_limit: TimeLimit = None,
    evaluations: Annotated[int | None, typer.Option(help="Limit on counted scores; repeatable, unlike time.")] = None,
    max_parents: Annotated[int | None, typer.Option(help="Most parents of any variable.")] = None,
    require: Require = None,
    forbid: Forbid = None,
    clean_up: Annotated[bool, typer.Option("--clean-up", help="Turn triangles into v-structures afterwards.")] = False,
    certify: Annotated[float | None, typer.Option(help="Seconds for a bound on the best score, afterwards.")] = None,
    options: Annotated[
        list[str] | None, typer.Option("--set", help="An option of the method, 'climbs=3'; may be repeated.")
    ] = None,
    missing: MissingValues = "error",
    discretise: Discretise = None,
    rows: SampledRows = 5000,
    checkpoint: CheckpointFile = None,
    resume: Resume = False,
) -> None:
    """Learn a network from a table, or from data sampled from a built-in example and compare it with the truth."""
    with shown_errors():
        target = target_file(output, source, default="-learned.bif", endings=[".bif"])
        seed = recorded_seed(earlier_seed(checkpoint, resume, seed))
        loaded = load(source, rows=rows, seed=seed, missing=missing, discretise=discretise)
        constraints = Constraints(required=arcs_of(require), forbidden=arcs_of(forbid), max_parents=max_parents)
        spinner, watch = progress()
        with spinner:
            result = learn_structure(
                loaded.data,
                score=score_of(score, ess),
                method=method,
                seed=seed,
                time_limit=time_limit,
                evaluation_limit=evaluations,
                constraints=constraints,
                clean_up=clean_up,
                certify=certify,
                watch=watch,
                checkpoint=checkpoint,
                resume=resume,
                **options_of(options, taken=signature(learn_structure).parameters),
            )
        write_bif(result.network(loaded.data, ess=1.0), target)
        console.print(_summary(loaded, result, target))


def _summary(loaded: Loaded, result: Result, target: Path) -> Table:
    table = Table(title=f"{loaded.title}: {loaded.data.n_variables} variables", show_header=False, title_justify="left")
    table.add_row("score", f"{result.score:,.3f}  ({result.settings['score']}, {result.method})")
    table.add_row("arcs", str(result.dag.n_arcs))
    table.add_row("time", f"{result.seconds * 1000:,.1f} ms, {result.counters['evaluations']:,} evaluations")
    table.add_row("ended by", str(result.status))
    if result.gap is not None:
        table.add_row("gap", f"at most {result.gap:,.3f}  (for {result.bound_for})")
    if loaded.truth is not None:
        distance = compare(loaded.truth.dag, result.dag)
        table.add_row("SHD to the truth", f"{distance.shd_cpdag} (CPDAG), {distance.shd_skeleton} (skeleton)")
        table.add_row("precision, recall", f"{distance.precision:.3f}, {distance.recall:.3f} (edges)")
    table.add_row("seed", str(result.seed))
    table.add_row("written to", str(target))
    return table
