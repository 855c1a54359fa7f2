"""The command line: one file per command."""

from arcwise.cli.app import app
from arcwise.cli.exact import exact
from arcwise.cli.learn import learn
from arcwise.cli.parents import parents
from arcwise.cli.search import search

app.command("exact")(exact)
app.command("learn")(learn)
app.command("parents")(parents)
app.command("search")(search)

__all__ = ["app"]
