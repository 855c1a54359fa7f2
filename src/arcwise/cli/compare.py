"""`arcwise compare`: in what two graphs differ."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import Annotated

import typer

import arcwise
from arcwise.cli.app import NO, app, examples
from arcwise.cli.networks import graph_of, network_argument
from arcwise.cli.output import JsonOutput, Output, Quiet


@app.command(
    epilog=examples(
        "arcwise compare alarm alarm-learned.bif", "arcwise compare truth.bif arcs.csv --exit-code --quiet && echo same"
    )
)
def compare(
    truth: Annotated[str, network_argument("TRUTH")],
    learned: Annotated[
        str, network_argument("LEARNED", "Graph to compare with it, over the same nodes; given in the same way.")
    ],
    exit_code: Annotated[bool, typer.Option("--exit-code", help="Exit with 1 if the graphs differ.")] = False,
    as_json: JsonOutput = False,
    quiet: Quiet = False,
) -> None:
    """Compare two graphs.

    Shows structural Hamming distances, precision and recall, and which arcs are missing, extra or reversed.
    """
    found = arcwise.compare(graph_of(truth), graph_of(learned))
    table = [
        ("SHD", f"{found.shd_dag} (graphs), {found.shd_cpdag} (equivalence classes), {found.shd_skeleton} (skeletons)"),
        ("precision, recall", f"{found.precision:.3f}, {found.recall:.3f} (edges), F1 {found.f1:.3f}"),
        ("missing", _arrows(found.missing)),
        ("extra", _arrows(found.extra)),
        ("reversed", _arrows(found.reversed or ())),
    ]
    record = {"truth": truth, "learned": learned, **asdict(found)}
    Output(as_json, quiet).show(record, f"{learned} compared with {truth}", table)
    if exit_code and found.shd_dag != 0:
        raise typer.Exit(NO)


def _arrows(arcs: Sequence[tuple[str, str]]) -> str:
    return f"{len(arcs)}: " + ", ".join(f"{tail}->{head}" for tail, head in arcs) if arcs else "0"
