"""A Dataset as HTML for a notebook: what there is to know of each variable."""

from html import escape
from typing import TYPE_CHECKING

from arcwise.support.notebooks import MOST_ROWS, html_table

if TYPE_CHECKING:
    from arcwise.data.dataset import Dataset

__all__ = ["html_of"]

_MOST_STATES = 6


def html_of(data: "Dataset") -> str:
    """Return a table with a row for each variable: what it is, its states or numbers, and its gaps."""
    rows = []
    for v, name in enumerate(data.names[:MOST_ROWS]):
        kind = f"{data.arities[v]} state{'s' * (data.arities[v] != 1)}" if data.arities[v] else "continuous"
        row = [name, kind, _values(data, v)]
        if data.gaps is not None:
            row.append(f"{int(data.gaps[:, v].sum()):,}")
        rows.append(row)
    heading = ["variable", "kind", "values", *(["gaps"] if data.gaps is not None else [])]
    return f"<div><p>{escape(repr(data))}</p>{html_table(heading, rows, n_rows=data.n_variables)}</div>"


def _values(data: "Dataset", v: int) -> str:
    if not data.arities[v]:
        spread = data.spread_of(data.names[v])
        if spread is None:
            return "none known"
        ends = f"from {spread.minimum:.4g} to {spread.maximum:.4g}"
        return f"mean {spread.mean:.4g}, standard deviation {spread.deviation:.4g}, {ends}"
    counts = data.counts_of(data.names[v])
    shown = [f"{state}: {n:,}" for state, n in list(counts.items())[:_MOST_STATES]]
    more = len(counts) - len(shown)
    return ", ".join(shown) + (f" and {more:,} more" if more else "")
