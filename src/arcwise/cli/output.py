"""What commands show: a table for people, one JSON object for programs, progress while they wait."""

import json
import math
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

import arcwise

__all__ = ["JsonOutput", "Output", "Quiet", "finite", "record_of"]

JsonOutput = Annotated[bool, typer.Option("--json", help="Print one JSON object instead of a table.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Do not show progress or a table.")]


@dataclass(frozen=True)
class Output:
    """Where results go: to stdout, as the user wants them; progress goes to stderr."""

    as_json: bool
    quiet: bool

    def show(self, record: Mapping[str, object], title: str, rows: Iterable[Sequence[str]]) -> None:
        """Print the record as JSON, or rows of name and value as a table."""
        if self.as_json:
            self.print_json(record)
        elif not self.quiet:
            from rich.console import Console
            from rich.table import Table
            from rich.text import Text

            table = Table(show_header=False)
            for row in rows:
                table.add_row(*(Text(cell, overflow="fold") for cell in row))  # not cut: a path is worth its lines
            typer.echo(title)
            Console().print(table)

    def print_json(self, record: Mapping[str, object]) -> None:
        """Print one JSON object on one line; numbers that JSON has no word for are null."""
        typer.echo(json.dumps(finite(record), ensure_ascii=False, allow_nan=False))

    @property
    def shows_progress(self) -> bool:
        """Whether somebody watches."""
        return not self.quiet and sys.stderr is not None and sys.stderr.isatty()

    def progress(self, title: str) -> AbstractContextManager[Callable[["arcwise.Budget"], None] | None]:
        """Return a line to search under, which gives what keeps it up to date; nothing where nobody watches."""
        from arcwise.runs.progress import progress_line

        return progress_line(title, shown=self.shows_progress)

    def counter(self, what: str, total: int) -> tuple[AbstractContextManager[object], Callable[[int], None]]:
        """Return a bar to work under, and a function that takes how many are done."""
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

        bar = Progress(
            TextColumn(what),
            BarColumn(),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            console=Console(stderr=True),
            transient=True,
            disable=not self.shows_progress,
        )
        task = bar.add_task("", total=total)
        return bar, lambda done: bar.update(task, completed=done)


def record_of(result: "arcwise.Result", *, output: Path) -> dict[str, object]:
    """Return what a program wants to know of a search's result."""
    return {
        "score": result.score,
        "bound": result.bound,
        "gap": result.gap,
        "bound_for": None if result.bound_for is None else str(result.bound_for),
        "method": result.method,
        "status": str(result.status),
        "seed": result.seed,
        "seconds": result.seconds,
        "bound_seconds": result.bound_seconds,
        "counters": dict(result.counters),
        "nodes": list(result.dag.names),
        "arcs": [list(arc) for arc in result.dag.arcs],
        "output": str(output),
    }


def finite(value: object) -> Any:
    """Return what JSON can hold: None for numbers that it has no word for."""
    if isinstance(value, Mapping):
        return {str(key): finite(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [finite(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value
