"""A result as text for a terminal and as HTML for a notebook."""

from html import escape
from typing import TYPE_CHECKING

from arcwise.scores.definitions import BIC
from arcwise.support.quoting import numbered

if TYPE_CHECKING:
    from arcwise.runs.result import Improvement, Result

__all__ = ["html_of", "rows_of", "scope_of", "seconds_of", "text_of", "time_of"]

# Arcs that a terminal shows.
_ARCS_SHOWN = 12


def rows_of(result: "Result") -> list[tuple[str, str]]:
    """What there is to say of a result, as pairs of a name and a value."""
    score = result.provenance.score
    rows = [
        ("graph", f"{numbered(result.dag.n_arcs, 'arc')} over {numbered(result.dag.n_nodes, 'variable')}"),
        ("score", f"{result.score:,.3f}" + ("" if score is None else f"  ({score})")),
    ]
    if result.gap is not None and result.bound is not None:
        share = f", {100 * result.gap / abs(result.score):.3f} %" if result.score else ""
        rows.append(("bound", f"{result.bound:,.3f}: at most {result.gap:,.3f}{share} better  ({scope_of(result)})"))
    rows.append(("search", f"{result.method}, {result.status} after {time_of(result)}"))
    counted = [f"{result.counters[name]:,} {name}" for name in ("evaluations", "climbs") if name in result.counters]
    if counted:
        rows.append(("work", ", ".join(counted)))
    if "picked_score" in result.decisions and not isinstance(score, BIC):
        rows.append(("picked", str(result.decisions["picked_score"])))
    if "plan" in result.decisions:
        rows.append(("plan", str(result.decisions["plan"])))
    rows.append(("seed", str(result.seed)))
    return rows


def scope_of(result: "Result") -> str:
    """For which graphs the bound holds, and over how many parent sets it was found where it is not for all of them."""
    sets = result.counters.get("certified_sets", result.counters.get("sets"))
    return str(None) if result.bound_for is None else result.bound_for.over(sets)


def time_of(result: "Result") -> str:
    """How long the search took, and the bound after it where there is one."""
    after = f", then {seconds_of(result.bound_seconds)} for the bound" if result.bound_seconds else ""
    return seconds_of(result.seconds) + after


def seconds_of(seconds: float) -> str:
    """Return a time in three digits, or in whole seconds where these are more; in milliseconds below a second.

    Examples
    --------
    >>> seconds_of(0.04579), seconds_of(5.007), seconds_of(3600.4)
    ('45.8 ms', '5.01 s', '3,600 s')
    """
    if 0 < seconds < 0.9995:
        return f"{1000 * seconds:.3g} ms"
    return f"{seconds:.3g} s" if seconds < 999.5 else f"{seconds:,.0f} s"


def text_of(result: "Result") -> str:
    """Return the result in a few lines."""
    rows = rows_of(result)
    shown = [f"{_printable(parent)} → {_printable(child)}" for parent, child in result.dag.arcs[:_ARCS_SHOWN]]
    more = result.dag.n_arcs - len(shown)
    if shown:
        rows.append(("arcs", ", ".join(shown) + (f" and {more:,} more in .dag.arcs" if more else "")))
    return "\n".join(["Result", *(f"  {name:6}  {value}" for name, value in rows)])


def _printable(name: str) -> str:
    """Return a name without what would break the line or steer the terminal, such as a newline or an escape."""
    return "".join(sign if sign.isprintable() else repr(sign)[1:-1] for sign in name)


def html_of(result: "Result") -> str:
    """Return the result as a table with its trace, and its arcs to unfold; names are escaped."""
    cells = "".join(
        f"<tr><th style='text-align:left'>{escape(name)}</th><td style='text-align:left'>{escape(value)}</td></tr>"
        for name, value in rows_of(result)
    )
    arcs = "".join(f"<li>{escape(parent)} → {escape(child)}</li>" for parent, child in result.dag.arcs)
    return (
        f"<div><table>{cells}</table>{_sparkline(result.trace)}"
        f"<details><summary>{numbered(result.dag.n_arcs, 'arc')}</summary><ul>{arcs}</ul></details></div>"
    )


def _sparkline(trace: "tuple[Improvement, ...]", width: int = 320, height: int = 48) -> str:
    """Draw the best score by time; nothing for fewer than two points."""
    if len(trace) < 2 or trace[-1].seconds <= trace[0].seconds:
        return ""
    first, last = trace[0], trace[-1]
    rise = (last.score - first.score) or 1.0
    steps = []
    before = height - 2.0
    for point in trace:
        x = 2 + (width - 4) * (point.seconds - first.seconds) / (last.seconds - first.seconds)
        y = height - 2 - (height - 4) * (point.score - first.score) / rise
        steps += [f"{x:.1f},{before:.1f}", f"{x:.1f},{y:.1f}"]
        before = y
    title = f"best score from {first.score:,.1f} to {last.score:,.1f} in {seconds_of(last.seconds)}"
    return (
        f"<svg width='{width}' height='{height}' role='img'><title>{escape(title)}</title>"
        f"<polyline points='{' '.join(steps)}' fill='none' stroke='currentColor'/></svg>"
    )
