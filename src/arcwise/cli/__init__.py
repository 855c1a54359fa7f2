"""The command line: one file per command."""

from arcwise.cli import (
    bootstrap,
    compare,
    convert,
    exact,
    examples,
    learn,
    parents,
    plot,
    posterior,
    query,
    report,
    sample,
    score,
    search,
)
from arcwise.cli.app import app

COMMANDS = (
    learn,
    parents,
    search,
    exact,
    score,
    compare,
    query,
    sample,
    bootstrap,
    posterior,
    plot,
    report,
    convert,
    examples,
)
"""The modules that have made the commands by being imported."""

__all__ = ["COMMANDS", "app"]
