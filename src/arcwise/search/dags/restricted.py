"""Hill climbing with arcs between neighbours only, whoever has found these."""

from collections.abc import Callable
from dataclasses import replace

from arcwise.parents.mmpc import Neighbours
from arcwise.search.dags.greedy import Greedy
from arcwise.search.search import Context, Outcome, Problem

__all__ = ["climbed_within"]


def climbed_within(
    find: Callable[[], Neighbours], climbs: int, problem: Problem, context: Context, *, counted_as: str
) -> Outcome:
    """Find the neighbours, and climb among them; the start is returned when the budget ends before they are known.

    Parameters
    ----------
    find
        Finds the neighbours, within the budget.
    climbs
        How often to climb.
    problem, context
        What is searched, and in what.
    counted_as
        Under which name the outcome tells how many evaluations the neighbours took.
    """
    before = problem.score.evaluations
    found = find()
    taken = problem.score.evaluations - before
    named = found.named(problem.names) if found.is_complete else None
    outcome = Greedy(climbs=climbs, neighbourhood=named).run(problem, context)
    return replace(outcome, counters={**outcome.counters, counted_as: taken, "edges": found.n_edges})
