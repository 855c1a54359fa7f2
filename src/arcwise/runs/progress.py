"""One line that shows how a search stands while it runs."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from html import escape

from arcwise.runs.budget import Budget, WorkElsewhere

__all__ = ["line_of", "progress_line", "somebody_watches", "together"]


def in_notebook() -> bool:
    """Whether the program is a notebook's, which has displays that can be updated and no terminal."""
    return "ipykernel" in sys.modules


def somebody_watches() -> bool:
    """Whether messages go to a terminal or a notebook."""
    if in_notebook():
        return True
    if sys.stderr is None or sys.stderr.closed:  # as in a program without a console
        return False
    return sys.stderr.isatty()


@contextmanager
def progress_line(title: str, *, about: str = "", shown: bool = True) -> Iterator[Callable[[Budget], None] | None]:
    """Show a line that goes away at the end: on stderr, or as a display of a notebook.

    Parameters
    ----------
    title
        What is done, in a word or two.
    about
        What is said of it at the beginning, and stays.
    shown
        Nothing happens when False.

    Yields
    ------
        What to give to a budget as ``watch``, so that the line keeps up with it; None where nothing is shown.
    """
    if not shown:
        yield None
        return
    if in_notebook():
        yield from _line_in_notebook(title, about)
        return
    from rich.console import Console
    from rich.markup import escape as escaped
    from rich.status import Status as Spinner

    console = Console(stderr=True)
    if about:
        console.print(about, markup=False, highlight=False)
    with Spinner(escaped(title), console=console) as spinner:
        yield lambda budget: spinner.update(escaped(f"{title} · {line_of(budget)}"))


def _line_in_notebook(title: str, about: str) -> Iterator[Callable[[Budget], None]]:
    """Show the line as a display that is updated in its place, which needs no widgets."""
    from IPython.display import display

    if about:
        print(about, file=sys.stderr)
    line = display(_text(f"{title} …"), raw=True, display_id=True)
    try:
        yield lambda budget: line.update(_text(f"{title} · {line_of(budget)}"), raw=True)
    finally:
        line.update(_text(""), raw=True)


def _text(text: str) -> dict[str, str]:
    """Return a line as notebooks take it, small and plain."""
    return {"text/plain": text, "text/html": f"<small>{escape(text)}</small>"}


def together(*watches: Callable[[Budget], object] | None) -> Callable[[Budget], None] | None:
    """Return what lets several watch a budget; None where nobody does.

    Examples
    --------
    >>> watch = together(print, None, repr)
    >>> watch(Budget(time_limit=1))
    Budget(time_limit=1, evaluation_limit=None)
    >>> together(None, None) is None
    True
    """
    watching = [watch for watch in watches if watch is not None]

    def watch_all(budget: Budget) -> None:
        for watch in watching:
            watch(budget)

    return watch_all if watching else None


def line_of(budget: Budget) -> str:
    """How the work on a budget stands, in a line: the best score, how much better a graph can be, the time.

    Examples
    --------
    >>> budget = Budget(time_limit=60)
    >>> budget.standing.score, budget.standing.bound = -1000.0, -990.0
    >>> line_of(budget)
    'score -1,000.0 · gap 1.000 % · 0 s, 60 s left · Ctrl-C ends it'
    """
    parts, standing = [], budget.standing
    if standing.score is not None:
        parts.append(f"score {standing.score:,.1f}")
        if standing.bound is not None and standing.score != 0:
            gap = max(0.0, standing.bound - standing.score) / abs(standing.score)
            parts.append(f"gap {100 * gap:.3f} %")
    elif budget.evaluations:
        parts.append(f"{budget.evaluations:,} evaluations")
    if standing.elsewhere is not None:
        parts.append(_rate_of(standing.elsewhere, budget.elapsed))
    time = f"{budget.elapsed:.0f} s"
    if budget.time_limit is not None:
        time += f", {max(0.0, budget.time_limit - budget.elapsed):.0f} s left"
    return " · ".join([*parts, time, "Ctrl-C ends it"])


def _rate_of(work: WorkElsewhere, now: float) -> str:
    """How far the workers of an executor are, and how many tasks they do in a second."""
    rate = work.done / max(now - work.since, 1e-3)
    return f"{work.workers:,} worker{'s' * (work.workers != 1)}, {work.done:,} × {work.name}, {rate:,.3g}/s"
