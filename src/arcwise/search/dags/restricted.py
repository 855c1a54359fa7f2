"""Hill climbing with arcs between neighbours only, whoever has found these."""

from dataclasses import replace

from arcwise.graph.node_lists import NodeLists
from arcwise.runs.budget import Budget
from arcwise.runs.result import STATUS_OF_REASON
from arcwise.search.dags.greedy import Greedy
from arcwise.search.search import Context, Outcome, Problem

__all__ = ["SHARE_OF_NEIGHBOURS", "climbed_within"]

SHARE_OF_NEIGHBOURS = 0.5
"""Of what a search may use, what looking for neighbours may take."""


def climbed_within(
    neighbours: NodeLists, climbs: int, problem: Problem, context: Context, *, cut_by: Budget | None
) -> Outcome:
    """Climb with arcs between neighbours.

    Parameters
    ----------
    neighbours
        Which variables may be whose parents, besides required arcs and those of the start.
    climbs
        How often to climb.
    problem, context
        What is searched, and in what.
    cut_by
        What ended before all neighbours were known, and with it the search; None where they are.
    """
    if cut_by is not None:  # a part keeps no journal: a resumed run begins its climbs anew, among all neighbours
        context = replace(context, budget=context.budget.part())
    names = problem.names
    candidates = {name: [names[u] for u in neighbours.of(v).tolist()] for v, name in enumerate(names)}
    outcome = Greedy(climbs=climbs, neighbourhood=candidates).run(problem, context)
    return replace(
        outcome,
        status=outcome.status if cut_by is None else STATUS_OF_REASON[cut_by.core.reason],
        counters={**outcome.counters, "edges": neighbours.n_members // 2},
    )
