"""What objects show of themselves in notebooks: tables as HTML, and pictures where matplotlib is there."""

from collections.abc import Sequence
from html import escape
from typing import Any

from arcwise.support.errors import MissingLibraryError

__all__ = ["MOST_ROWS", "html_table", "picture_of"]

MOST_ROWS = 50
"""Of a table in a notebook; what else there is is counted under it."""

_MOST_NODES = 300
"""Of a graph that is drawn without being asked for: it takes a second at most."""


def picture_of(graph: Any) -> str | None:
    """Return a graph or network as svg; None where it is large, or matplotlib is not installed.

    Drawing is far above the graphs in the order of the packages, and notebooks ask the graph itself: so the picture
    comes from the package's public names, when it is asked for.
    """
    import arcwise

    if not 0 < len(graph.names) <= _MOST_NODES:
        return None
    try:
        return arcwise.plot_network(graph)._repr_svg_()
    except MissingLibraryError:
        return None


def html_table(heading: Sequence[str], rows: Sequence[Sequence[str]], *, n_rows: int | None = None) -> str:
    """Return rows of text as a table, with the texts escaped.

    Parameters
    ----------
    heading
        What stands over the columns.
    rows
        Those that are shown.
    n_rows
        How many there are in all, where it is more than these.

    Examples
    --------
    >>> html_table(["name"], [["a < b"]], n_rows=3)
    '<table><thead><tr><th>name</th></tr></thead><tbody><tr><td>a &lt; b</td></tr></tbody></table><p>and 2 more</p>'
    """
    head = "".join(f"<th>{escape(cell)}</th>" for cell in heading)
    body = "".join("<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in rows)
    more = 0 if n_rows is None else n_rows - len(rows)
    note = f"<p>and {more:,} more</p>" if more > 0 else ""
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{note}"
