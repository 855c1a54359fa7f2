"""The command line: one file per command."""

from arcwise.cli.app import app
from arcwise.cli.learn import learn
from arcwise.cli.parents import parents

app.command("learn")(learn)
app.command("parents")(parents)

__all__ = ["app"]
