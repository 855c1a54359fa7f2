"""The command line: one file per command."""

from arcwise.cli.app import app
from arcwise.cli.learn import learn

app.command("learn")(learn)

__all__ = ["app"]
