"""The program `arcwise` itself: its options, and how errors are shown."""

from importlib.metadata import version
from typing import Annotated

import typer
from rich.console import Console

console = Console()
error_console = Console(stderr=True)

app = typer.Typer(no_args_is_help=True, add_completion=False, pretty_exceptions_enable=False)


def _show_version(wanted: bool) -> None:
    if wanted:
        print(f"arcwise {version('arcwise')}")
        raise typer.Exit


@app.callback()
def main(
    version: Annotated[bool, typer.Option("--version", callback=_show_version, is_eager=True)] = False,
) -> None:
    """Learn the structure of Bayesian networks from discrete data."""
