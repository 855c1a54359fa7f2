"""`arcwise sample`: rows drawn from a network."""

import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from arcwise.cli.app import app, examples
from arcwise.cli.networks import ending, network_argument, network_of
from arcwise.cli.options import Seed, target_file
from arcwise.cli.output import JsonOutput, Output, Quiet
from arcwise.support.errors import ParameterError
from arcwise.support.quoting import numbered

ENDINGS = [".csv", ".tsv", ".parquet"]


@app.command(
    epilog=examples(
        "arcwise sample alarm --rows 5000 --seed 1 -o alarm.csv",
        "arcwise sample patients.bif --rows 100000 -o patients.parquet",
        "arcwise sample asia --rows 10 | head -3",
    )
)
def sample(
    network: Annotated[str, network_argument("NETWORK")],
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            help=f"Write the rows to this file: {', '.join(ENDINGS)}.",
            show_default="csv, to stdout",
        ),
    ] = None,
    rows: Annotated[int, typer.Option(help="Number of rows to sample.")] = 1000,
    seed: Seed = None,
    as_json: JsonOutput = False,
    quiet: Quiet = False,
) -> None:
    """Sample rows from a network."""
    from arcwise.data.writers import text_of_dataset
    from arcwise.support.arguments import count, recorded_seed

    count("rows", rows, least=1)
    if output is None and as_json:
        raise ParameterError("--json needs --output: without it the standard output holds the rows")
    target = None if output is None else target_file(output, network, default="", endings=ENDINGS)
    if target is not None and ending(target) == ".parquet" and target.suffix.lower() != ".parquet":
        raise ParameterError(
            f"parquet files are compressed in themselves; leave {target.suffix} out of --output {target}"
        )
    seed = recorded_seed(seed)
    data = network_of(network).sample(rows, seed=seed)
    if target is None:
        sys.stdout.write(text_of_dataset(data))
        return
    _write(data, target)
    record = {
        "network": network,
        "rows": data.n_rows,
        "variables": data.n_variables,
        "seed": seed,
        "output": str(target),
    }
    table = [("rows", f"{data.n_rows:,}"), ("seed", str(seed)), ("written to", str(target))]
    Output(as_json, quiet).show(record, f"{network}: {numbered(data.n_variables, 'variable')}", table)


def _write(data: Any, path: Path) -> None:
    from arcwise.data.parquet import reads_by_polars, write_parquet
    from arcwise.data.writers import text_of_dataset
    from arcwise.support.files import replaced, write_text

    if ending(path) == ".parquet":
        frame = data.to_frame("polars" if reads_by_polars(str(path)) else "pyarrow")
        with replaced(path) as file:
            write_parquet(frame, file)
    else:
        write_text(path, text_of_dataset(data, "\t" if ending(path) == ".tsv" else ","))
