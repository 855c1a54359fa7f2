"""`arcwise convert`: a network or graph from one file format to another."""

from pathlib import Path
from typing import Annotated

import typer

import arcwise
from arcwise.cli import networks
from arcwise.cli.app import app, examples
from arcwise.cli.networks import network_argument, network_or_graph_of, with_plain_names
from arcwise.cli.options import target_file
from arcwise.cli.output import JsonOutput, Output, Quiet
from arcwise.support.errors import ParameterError
from arcwise.support.quoting import shown_path


@app.command(
    epilog=examples(
        "arcwise convert alarm alarm.bif.gz",
        "arcwise convert patients.bif -o patients.dot",
        "arcwise convert a.net a.bif --plain-names",
    )
)
def convert(
    source: Annotated[str, network_argument("FILE|EXAMPLE")],
    target: Annotated[
        Path | None, typer.Argument(metavar="OUTPUT", help="File to write; its ending decides the format.")
    ] = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="FILE", help="File to write, as OUTPUT.")
    ] = None,
    plain_names: Annotated[
        bool,
        typer.Option("--plain-names", help="Replace names and states that some programs cannot read with plain ones."),
    ] = False,
    as_json: JsonOutput = False,
    quiet: Quiet = False,
) -> None:
    """Write a network or graph in another format.

    The endings of the names decide the formats. Networks with their tables: .bif, .xml and .xmlbif (XMLBIF), .net
    (HUGIN), .uai, .xdsl (GeNIe), .json. Graphs alone: .csv (a line for each arc), .json, .graphml, and .dot, which is
    only written. After these, .gz, .xz, .bz2 or .zst compress.
    """
    if (target is None) == (output is None):
        raise ParameterError("say once where to write: arcwise convert FILE OUTPUT, or arcwise convert FILE -o OUTPUT")
    option = "OUTPUT" if output is None else "--output"
    target = target_file(output or target, source, default="", endings=networks.endings(), option=option)
    found = network_or_graph_of(source)
    if plain_names:
        found = with_plain_names(found)
    networks.write(found, target, why_no_tables=f"{shown_path(source)!r} is a graph without probabilities")
    dag = found.dag if isinstance(found, arcwise.BayesianNetwork) else found
    tables = isinstance(found, arcwise.BayesianNetwork) and networks.has_tables(target)
    record = {"source": source, "nodes": dag.n_nodes, "arcs": dag.n_arcs, "tables": tables, "output": str(target)}
    kept = "all of it" if tables or found is dag else "the graph alone: this format has no tables"
    if networks.ending(target) == ".uai":
        kept = "graph and probabilities: this format has no names"
    table = [("nodes", str(dag.n_nodes)), ("arcs", str(dag.n_arcs)), ("kept", kept), ("written to", str(target))]
    Output(as_json, quiet).show(record, source, table)
