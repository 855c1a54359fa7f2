"""`arcwise report`: a run as a page for the browser."""

from pathlib import Path
from typing import Annotated

import typer

import arcwise
from arcwise.cli import networks
from arcwise.cli.app import app, examples
from arcwise.cli.options import existing_file, still_free, target_file
from arcwise.cli.output import JsonOutput, Output, Quiet
from arcwise.support.quoting import numbered

REPORT_ENDINGS = (".html", ".htm")


@app.command(
    epilog=examples(
        "arcwise learn patients.csv --run run.json && arcwise report run.json -o patients.html",
        "arcwise report run.json --strengths patients-arcs.csv --reference truth.bif",
    )
)
def report(
    source: Annotated[
        str, typer.Argument(metavar="RUN", help="File of a run, from arcwise learn --run, or a --checkpoint.")
    ],
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="Write the report to this .html file.", show_default="NAME-report.html"),
    ] = None,
    strengths: Annotated[
        Path | None,
        typer.Option("--strengths", metavar="FILE", help="Show how sure arcs are, by a file from arcwise bootstrap."),
    ] = None,
    reference: Annotated[
        str | None,
        typer.Option("--reference", metavar="NETWORK", help="Compare with this network, a file or an example."),
    ] = None,
    title: Annotated[str | None, typer.Option(help="Title of the report.", show_default="the run's name")] = None,
    as_json: JsonOutput = False,
    quiet: Quiet = False,
) -> None:
    """Write a report of a run as one HTML file.

    It opens in any browser, also offline, and shows the network, which you can pan, search and click, the
    score by time with its bound, arc strengths, the data, and how to make the run again.
    """
    path = existing_file(source, wanted="the file of a run, as arcwise learn --run writes it")
    target = target_file(output, source, default="-report.html", endings=REPORT_ENDINGS, packed=False)
    run = arcwise.read_run(path)
    shares = None
    if strengths is not None:
        shares = arcwise.read_strengths(existing_file(strengths, wanted="a file of arcwise bootstrap"))
    target = still_free(target, output)
    arcwise.write_report(
        run,
        target,
        strengths=shares,
        reference=None if reference is None else networks.graph_of(reference),
        title=path.name.split(".")[0] if title is None else title,
    )
    record = {"run": source, "variables": run.result.dag.n_nodes, "arcs": run.result.dag.n_arcs, "output": str(target)}
    table = [
        ("network", f"{numbered(run.result.dag.n_nodes, 'variable')}, {numbered(run.result.dag.n_arcs, 'arc')}"),
        ("written to", f"{target} ({target.stat().st_size / 1e6:,.2f} MB)"),
    ]
    Output(as_json, quiet).show(record, f"report of {source}", table)
