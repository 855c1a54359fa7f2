"""`arcwise examples`: the networks that come with arcwise."""

from pathlib import Path
from typing import Annotated

import typer

import arcwise
from arcwise.cli import choices, networks
from arcwise.cli.app import app
from arcwise.cli.app import examples as worked_examples
from arcwise.cli.options import target_file
from arcwise.cli.output import JsonOutput, Output, Quiet

PUBLISHED = {
    "asia": "Lauritzen & Spiegelhalter 1988",
    "cancer": "Korb & Nicholson 2010",
    "earthquake": "Korb & Nicholson 2010, after Pearl 1988",
    "survey": "Scutari & Denis 2014",
    "sachs": "Sachs et al. 2005",
    "child": "Spiegelhalter & Cowell 1992",
    "insurance": "Binder et al. 1997",
    "alarm": "Beinlich et al. 1989",
    "hailfinder": "Abramson et al. 1996",
    "win95pts": "Microsoft Research",
}
LICENCE = "CC BY-SA 3.0, from bnlearn.com/bnrepository"


@app.command(epilog=worked_examples("arcwise examples", "arcwise examples alarm -o alarm.bif"))
def examples(
    name: Annotated[
        str | None,
        typer.Argument(
            metavar="[EXAMPLE]", help="Network to write.", autocompletion=choices.completing(choices.EXAMPLES)
        ),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            help="Write the network to this file; its ending decides the format.",
            show_default="EXAMPLE.bif",
        ),
    ] = None,
    as_json: JsonOutput = False,
    quiet: Quiet = False,
) -> None:
    """List the example networks, or write one to a file.

    With the name of one it is written to a file.
    """
    shown = Output(as_json, quiet)
    if name is None:
        if output is not None:
            raise arcwise.ParameterError(f"--output needs the name of an example: {', '.join(choices.EXAMPLES)}")
        records = [_record(example) for example in choices.EXAMPLES]
        header = ("name", "nodes", "arcs", "parameters", "published in")
        rows = [header, *(tuple(map(str, record.values())) for record in records)]
        shown.show({"examples": records, "licence": LICENCE}, f"Example networks ({LICENCE})", rows)
        return
    network = arcwise.load_example(name)
    target = target_file(output, name, default=".bif", endings=networks.endings())
    networks.write(network, target)
    record = _record(name)
    table = [(key, str(value)) for key, value in record.items()] + [("licence", LICENCE), ("written to", str(target))]
    shown.show({**record, "licence": LICENCE, "output": str(target)}, name, table)


def _record(name: str) -> dict[str, object]:
    network = arcwise.load_example(name)
    return {
        "name": name,
        "nodes": network.dag.n_nodes,
        "arcs": network.dag.n_arcs,
        "parameters": network.n_parameters,
        "published": PUBLISHED[name],
    }
