"""Search over orders as the papers do it: candidate parent sets first, then orders over their table."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from inspect import signature
from typing import Any

from arcwise.constraints.constraints import Constraints
from arcwise.graph.dag import Dag
from arcwise.parents.families import with_families
from arcwise.parents.selection import SELECTIONS, Limits, select
from arcwise.runs.budget import Budget
from arcwise.runs.result import Improvement, Result
from arcwise.scores.local_score import LocalScore
from arcwise.search.orders.climber import Stop, earlier_graphs
from arcwise.search.orders.descents import Descent
from arcwise.search.orders.strategies import Strategy
from arcwise.search.orders.tables import search_orders
from arcwise.support.arguments import instance
from arcwise.support.seeds import recorded_seed
from arcwise.support.suggestions import one_of

__all__ = ["TABLE_SEARCHES", "selected_orders"]

# Of the time, the share for the parent sets.
_SHARE_OF_SETS = 0.3
# Of a limit on evaluations, their share: the search over the table makes none, but ends where none are left.
_SHARE_OF_SCORES = 0.9
# Sets to score for each variable where no time limit ends it; a count keeps results repeatable.
_SCORED = 10_000


def selected_orders(
    score: LocalScore,
    *,
    selection: str = "balanced",
    limits: Limits | None = None,
    strategy: str | Strategy = "memetic",
    descent: str | Descent = "inobs",
    initial: str = "random",
    constraints: Constraints | None = None,
    start: Dag | None = None,
    stop: Stop | None = None,
    seed: int | None = None,
    workers: int | None = None,
    budget: Budget | None = None,
    on_improvement: Callable[[Improvement], object] | None = None,
) -> Result:
    """Select candidate parent sets, then search the orders of the variables over their table.

    `select` and `search_orders` in one call; the bound of the result is for graphs of the selected sets.

    Parameters
    ----------
    score
        The score to maximise, bound to its data.
    selection, limits
        How parent sets are selected, and how many; see `select`. By default, 10,000 are scored for each variable, or as
        many as 30 % of the time allow.
    strategy, descent, initial, stop
        How orders are searched; see `search_orders`.
    constraints
        What the graph must and must not have.
    start
        A graph to begin with, whose families are added to the sets.
    seed
        Decides all random choices; drawn and recorded when None.
    workers
        Threads; by default one per usable core, one with a limit on evaluations.
    budget
        When to end, whatever has been found.
    on_improvement
        Called with every improvement; the search ends when it returns a true value.

    Examples
    --------
    >>> from arcwise.simulation.examples import load_example
    >>> score = LocalScore(load_example("cancer").sample(2000, seed=1))
    >>> selected_orders(score, stop=Stop(climbs=20), seed=1).dag.n_arcs
    2
    """
    score = instance("score", score, LocalScore)
    constraints = instance("constraints", constraints, Constraints, default=Constraints)
    budget = instance("budget", budget, Budget, default=Budget)
    one_of("selection", selection, SELECTIONS)
    names, seed, begin, evaluations = score.data.names, recorded_seed(seed), budget.elapsed, score.evaluations
    if budget.evaluation_limit is not None:
        workers = 1  # so that the same seed gives the same sets
    if limits is None:
        limits = Limits(time_per_variable=None, scored_per_variable=_SCORED if budget.time_limit is None else None)
    selected = select(
        score,
        method=selection,
        limits=limits,
        constraints=constraints,
        workers=workers,
        budget=budget.part(share=_SHARE_OF_SETS, evaluation_share=_SHARE_OF_SCORES),
    )
    table, order = selected.sets, None
    for parents in earlier_graphs(budget.journal, len(names)):
        table = with_families(table, parents, score)
    if start is not None:
        start = constraints.checked_start(names, start)
        table = with_families(table, start.parent_indices, score)
        order = [names.index(name) for name in start.topological_order()]
    result = search_orders(
        table,
        strategy=strategy,
        descent=descent,
        initial=initial,
        start=order,
        constraints=constraints,
        stop=stop,
        seed=seed,
        workers=workers,
        budget=budget,
        on_improvement=on_improvement,
    )
    return replace(
        result,
        seconds=budget.elapsed - begin,
        settings={**result.settings, "score": score.score, "selection": selection, "limits": limits},
        counters={**result.counters, "evaluations": score.evaluations - evaluations},
    )


def _published(name: str, **options: str) -> Callable[..., Result]:
    """Return the search of this name: `selected_orders` with other defaults, and the name in its results."""
    search = partial(selected_orders, **options)  # type: ignore[arg-type]

    def named(score: LocalScore, **others: Any) -> Result:
        return replace(search(score=score, **others), method=name)

    named.__name__, named.__signature__ = name, signature(search)  # type: ignore[attr-defined]
    return named


TABLE_SEARCHES: dict[str, Callable[..., Result]] = {
    "obs": _published("obs", strategy="restarts", descent="obs"),
    "asobs": _published("asobs", strategy="restarts", descent="asobs", selection="independence"),
    "inobs": _published("inobs", strategy="restarts", descent="inobs"),
    "iinobs": _published("iinobs", strategy="iterated", descent="inobs"),
    "minobs": _published("minobs", strategy="memetic", descent="inobs"),
}
"""The searches of Teyssier & Koller 2005, Scanagatta et al. 2015 and Lee & van Beek 2017 (three of them), by name."""
