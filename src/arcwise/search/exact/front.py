"""The best graph there is, from a table of parent sets or from data: candidates, the search over them, and bounds."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from arcwise.graph.dag import Dag
from arcwise.parents.parent_sets import ParentSets
from arcwise.parents.selection import Limits, select, with_families
from arcwise.runs.budget import Budget
from arcwise.runs.journal import Found
from arcwise.runs.result import STATUS_OF_REASON, Result, Scope, Status, Tightening, Trace
from arcwise.scores.local_score import LocalScore
from arcwise.search.exact.dynamic import MEMORY, DynamicProgramming, subset_bytes
from arcwise.search.exact.enumeration import enumerated
from arcwise.search.exact.integer import IntegerProgramming, warn_without_solver
from arcwise.search.exact.relaxation import Relaxation
from arcwise.search.orders.climber import Stop
from arcwise.search.orders.growing import Orders
from arcwise.search.search import Context, Outcome, Problem, Search, function_of
from arcwise.support.arguments import count, instance, number
from arcwise.support.machine import workers_or_default

__all__ = ["Candidates", "Exact", "best_graph", "candidate_table", "certified", "exact", "suits_a_lattice"]

# More variables than this take a lattice longer than most budgets are.
_LATTICE_VARIABLES = 18
# The same for sets that are scored one by one, where all scores come from one matrix: half a minute of one core.
_MATRIX_VARIABLES = 20
# With more than this, it is not tried to find all sets that matter.
_ENUMERABLE_VARIABLES = 120
# Sets to score of one variable where all that matter are looked for afterwards: the good ones, for prices.
_SCORED_BEFORE_ENUMERATION = 10_000
# Of a limit on evaluations, the share for sets that are selected variable by variable. A search over them makes none,
# but ends where none are left.
_SHARE_OF_SCORES = 0.9
# Sets to keep where there are more: in all, for each second of selection, and of each variable at least. A bound over
# more of them takes too long.
_MOST_SETS = 5_000_000
_SETS_PER_SECOND = 300_000
_LEAST_KEPT = 1_000
# Of the time, the share for the parent sets where these are selected from data; the rest is for the graph, or the
# bound, over them.
_SHARE_OF_SETS = 0.3
# The same where they come from a lattice, over which dynamic programming takes a moment.
_SHARE_OF_LATTICE = 0.6
# Dynamic programming is done in a moment where it needs no more than this: 23 variables on common cycles.
_QUICK_BYTES = 1 << 26
# Where sets are missing, an order search finds others, and a good graph: its share of what is left, and that where a
# lattice did not end, which leaves next to nothing.
_SHARE_OF_ORDERS = 0.3
_SHARE_OF_ORDERS_FOR_LATTICE = 0.9
# Where all sets are looked for that matter, climbs in vain after which the order search ends: a graph that it misses
# comes up on the way to the proof, whose time it would take.
_PATIENCE_OF_ORDERS = 1000
# For a bound where dynamic programming did not end: the budget has ended too.
_QUICK_SECONDS = 0.1
# With more sets than this integer programming rarely ends, and dynamic programming does not mind.
_MANY_SETS = 20_000


class Candidates(NamedTuple):
    """A table, for which graphs a bound over it holds, and why it has no more sets."""

    table: ParentSets
    scope: Scope
    status: Status

    @property
    def is_complete(self) -> bool:
        """Whether nothing is missing."""
        return self.status is Status.COMPLETE


def candidate_table(problem: Problem, budget: Budget, *, workers: int, memory: int = Limits.memory) -> Candidates:
    """Select parent sets until all are known or the budget ends, and say which of the two it was; a table stays as is.

    Few variables go through one lattice (``exhaustive``), or set by set where scores take next to no time. For more of
    them the sets that promise most are taken (``balanced``), fewer of them where all that matter are to be found from
    there (`arcwise.search.exact.enumeration`). The sets of the start are in the table in any case.

    Parameters
    ----------
    problem
        What scores graphs, with its constraints and its start.
    budget
        When to end; without a time limit, when the table is complete.
    workers
        Threads.
    memory
        Bytes to use.
    """
    if isinstance(problem.source, ParentSets):
        return Candidates(problem.source, Scope.CANDIDATE_SETS, Status.COMPLETE)
    found = _selected(problem, budget, workers, memory)
    return found if problem.start is None else found._replace(table=_with_start(found.table, problem))


def _share_of_sets(problem: Problem, budget: Budget) -> float:
    is_table = isinstance(problem.source, ParentSets)
    completes = not is_table and _completes_soon(problem.score, budget.evaluation_limit)
    return _SHARE_OF_LATTICE if completes else _SHARE_OF_SETS


def _with_start(table: ParentSets, problem: Problem) -> ParentSets:
    assert problem.start is not None
    return with_families(table, problem.start.parent_indices, problem.score)


def _selected(problem: Problem, budget: Budget, workers: int, memory: int) -> Candidates:
    score, evaluation_share = problem.score, _SHARE_OF_SCORES
    limits = Limits(time_per_variable=None, memory=memory)
    if suits_a_lattice(score, budget.evaluation_limit):
        method, evaluation_share = "exhaustive", 1.0
    elif _completes_soon(score, budget.evaluation_limit):
        method = "sequential"
    else:
        n, method = score.data.n_variables, "balanced"
        most = _MOST_SETS if budget.time_limit is None else min(_MOST_SETS, _SETS_PER_SECOND * budget.time_limit)
        limits = replace(limits, kept_per_variable=max(_LEAST_KEPT, int(most) // n))
        if _is_enumerated(problem, budget):
            limits = replace(limits, scored_per_variable=_SCORED_BEFORE_ENUMERATION)
    selected = select(
        score,
        method=method,
        limits=limits,
        constraints=problem.constraints,
        workers=1 if budget.evaluation_limit is not None else workers,  # so that the same seed gives the same sets
        budget=budget.part(evaluation_share=evaluation_share),
    )
    scope = Scope.ALL_SETS if selected.is_exact else Scope.CANDIDATE_SETS
    return Candidates(selected.sets, scope, selected.status)


def _is_enumerated(problem: Problem, budget: Budget) -> bool:
    """Whether all sets are looked for that a better graph may have: not with a limit that this would use up."""
    return len(problem.names) <= _ENUMERABLE_VARIABLES and budget.evaluation_limit is None


def suits_a_lattice(score: LocalScore, evaluation_limit: int | None) -> bool:
    """Whether all parent sets can be scored in a moment, so that a proof holds for all graphs."""
    arities = score.data.arities
    if evaluation_limit is not None and evaluation_limit < len(arities) << len(arities):
        return False
    return len(arities) <= _LATTICE_VARIABLES and score.core.has_set_function


def _completes_soon(score: LocalScore, evaluation_limit: int | None) -> bool:
    """Whether all parent sets can be had in seconds, so that it is not worth looking for the most promising ones."""
    is_small = len(score.names) <= _MATRIX_VARIABLES and score.is_one_matrix and evaluation_limit is None
    return is_small or suits_a_lattice(score, evaluation_limit)


@dataclass(frozen=True)
class Exact(Search):
    """Find the best graph and prove that no other is better, from data or over a table of parent sets.

    Parent sets are selected from data first, all of them where there are few variables; for more, all that a better
    graph than a known one may have are looked for (`arcwise.search.exact.enumeration`). Where that succeeds the proof
    holds for all graphs and the status is ``optimal``. Otherwise it holds for graphs with few parents, or for graphs of
    the selected sets, and the status says why there are no more of them. `Result.bound_for` says which. Tables of few
    variables go through `DynamicProgramming`, others through `IntegerProgramming`. When the budget ends, the result is
    the best graph so far, with a bound on how much better another can be; without one where the budget ended before
    there were sets to choose from. With a time limit, selecting parent sets from data takes at most 30 % of it, or 60 %
    for few variables, whose sets are made all at once; where that does not complete them, an order search (`orders`)
    comes next, whose sets join the others.

    Parameters
    ----------
    memory
        Bytes that the parent sets, and then dynamic programming, may take.

    Examples
    --------
    >>> from arcwise import LocalScore, load_example
    >>> result = exact(LocalScore(load_example("asia").sample(5000, seed=1)), seed=1)
    >>> str(result.status), result.gap, str(result.bound_for)
    ('optimal', 0.0, 'all graphs')
    """

    memory: int = MEMORY

    name = "exact"
    takes = (LocalScore, ParentSets)

    def __post_init__(self) -> None:
        count("memory", self.memory)

    def run(self, problem: Problem, context: Context) -> Outcome:
        """Select the parent sets, all of them if possible, and find the best graph over them."""
        budget = context.budget
        problem = replace(problem, start=_earlier(problem.names, budget) or problem.start)
        part = budget.part(share=_share_of_sets(problem, budget))
        candidates = candidate_table(problem, part, workers=context.workers, memory=self.memory)
        if not candidates.is_complete and not budget.exhausted:
            problem = replace(problem, start=_by_orders(problem, context))
            candidates = candidates._replace(table=_with_start(candidates.table, problem))
        found = best_graph(candidates, problem, context, memory=self.memory)
        warn_without_solver(found)
        is_proven_for_all = found.bound_for is Scope.ALL_SETS or candidates.is_complete
        is_optimum_of_few = found.status is Status.OPTIMAL and not is_proven_for_all
        return replace(found, status=_why_not_more(candidates, budget)) if is_optimum_of_few else found


exact = function_of(Exact(), "exact")


def _by_orders(problem: Problem, context: Context) -> Dag:
    """Return the graph of an order search on the data, or the start where that is better."""
    score, budget = problem.score, context.budget
    completes = _completes_soon(score, budget.evaluation_limit)
    share = _SHARE_OF_ORDERS_FOR_LATTICE if completes else _SHARE_OF_ORDERS
    part = budget.part(share=share, evaluation_share=_SHARE_OF_SCORES)
    stop = Stop(patience=_PATIENCE_OF_ORDERS) if _is_enumerated(problem, budget) else None
    found = Orders(stop=stop).run(problem, context.aside(part))
    context.trace.reach(found.score)
    budget.note("exact", Found(found.dag.parent_indices, found.score), lambda: None)
    return found.dag


def _why_not_more(candidates: Candidates, budget: Budget) -> Status:
    """Return why a proof does not hold for all graphs."""
    if budget.exhausted:
        return STATUS_OF_REASON[budget.core.reason]
    # Where enough sets were scored to begin with, it was the rest of the time that did not suffice for all.
    return Status.TIME_LIMIT if candidates.status is Status.EVALUATION_LIMIT else candidates.status


def _earlier(names: Sequence[str], budget: Budget) -> Dag | None:
    """Return the best graph of an earlier part of the run; None where there was none."""
    earlier = budget.journal.earlier_best
    return None if earlier is None else Dag.from_parents(names, earlier.parents)


def best_graph(candidates: Candidates, problem: Problem, context: Context, *, memory: int) -> Outcome:
    """Return what `exact` finds over candidate sets, by the search that suits them, which its decisions tell.

    Nobody is warned of a missing solver.

    Parameters
    ----------
    candidates
        The sets to choose from.
    problem
        What is searched for; what scores its graphs has done its part in the candidates.
    context
        What the search runs in.
    memory
        Bytes that dynamic programming may take.
    """
    if candidates.is_complete or isinstance(problem.source, ParentSets):
        return _best_over(candidates, problem, context, memory)
    if problem.start is None or not _is_enumerated(problem, context.budget) or context.budget.exhausted:
        return _bounded_by_choice(_best_over(candidates, problem, context, memory), candidates.table, problem)
    more = enumerated(candidates.table, problem, problem.start, context, memory)
    problem = replace(problem, start=more.dag)
    found = _best_over(candidates._replace(table=more.table), problem, context, memory)
    assert found.bound is not None
    scope, bound = more.scope_of(found.score, found.bound)
    counted = {"enumerated": more.scored}
    if bound > found.bound:
        ended = Status.TIME_LIMIT if found.status is Status.OPTIMAL else found.status
        found = replace(found, status=ended, bounds=(*found.bounds, Tightening(context.budget.elapsed, bound)))
    found = replace(found, bound=bound, bound_for=scope, counters={**found.counters, **counted})
    return _bounded_by_choice(found, more.table, problem)


def _bounded_by_choice(found: Outcome, table: ParentSets, problem: Problem) -> Outcome:
    """Return the outcome without its bound, where this is for graphs of sets among which there is nothing to choose.

    A budget that ends at once leaves no sets but those of the graph: no other graph of them is better, and that says
    nothing about others.
    """
    if found.bound_for is not Scope.CANDIDATE_SETS or _leaves_a_choice(table, found.dag, problem):
        return found
    return replace(found, bound=None, bound_for=None, bounds=())


def _leaves_a_choice(table: ParentSets, dag: Dag, problem: Problem) -> bool:
    """Whether a table has other sets than those of a graph and the smallest that the constraints allow."""
    least = problem.constraints.required_dag(problem.names).parent_indices
    known = [{frozenset(one), frozenset(other)} for one, other in zip(least, dag.parent_indices, strict=True)]
    return table.constrained(problem.constraints).n_sets > sum(map(len, known))


def _best_over(candidates: Candidates, problem: Problem, context: Context, memory: int) -> Outcome:
    """Return the best graph over candidate sets, by the search that suits them."""
    table, on_table = candidates.table, replace(problem, source=candidates.table)
    needed = subset_bytes(table, constraints=problem.constraints)
    if needed is None or needed > (memory if table.n_sets > _MANY_SETS else min(memory, _QUICK_BYTES)):
        by: Search = IntegerProgramming(candidates.scope)
        found = IntegerProgramming(candidates.scope).solved(on_table, context)
    else:
        by = DynamicProgramming(memory, candidates.scope)
        found = by.run(on_table, context)
        if found.status is not Status.OPTIMAL:
            found = _with_quick_bound(found, on_table, context.workers)
    return replace(found, decisions={**found.decisions, "by": by.name})


def _with_quick_bound(found: Outcome, problem: Problem, workers: int) -> Outcome:
    """Return what dynamic programming did not finish, with a bound that takes a moment."""
    relaxation = Relaxation(problem.table.constrained(problem.constraints), workers)
    relaxation.ascend(Budget(_QUICK_SECONDS))
    relaxation.tighten(None)
    assert found.bound is not None
    return replace(found, bound=max(found.score, min(found.bound, relaxation.bound)))


def certified(
    result: Result,
    problem: Problem | LocalScore,
    *,
    seconds: float,
    workers: int | None = None,
    memory: int = MEMORY,
    watch: Callable[[Budget], object] | None = None,
) -> Result:
    """Return the result with a bound: how much better a graph can be at most.

    Of the time, at most 30 % go to candidate parent sets, to which those of the result are added; the rest to a bound
    for the graphs over them and over all other sets, as `exact` finds it. The graph stays what it was, even where a
    better one comes up on the way. The result's ``bound_for`` says whether the bound holds for all graphs, for those
    with few parents, or only for graphs of these sets. The status becomes ``optimal`` only if it holds for all graphs
    and the result reaches it, and ``interrupted`` where Ctrl-C ended this. There is no bound where the time ended
    before any sets were found besides those of the result, as graphs of these say nothing about others.

    Parameters
    ----------
    result
        What a search on this problem returned.
    problem
        The score with the constraints of the search; or a `LocalScore` alone, where there were none.
    seconds
        The time for it.
    workers
        Threads; by default one per usable core.
    memory
        Bytes to use.
    watch
        Called with the budget of this about ten times a second, to show progress.

    Examples
    --------
    >>> from arcwise.simulation.examples import load_example
    >>> from arcwise.search.orders import Stop, orders
    >>> score = LocalScore(load_example("cancer").sample(2000, seed=1))
    >>> result = certified(orders(score, stop=Stop(climbs=20), seed=1), score, seconds=10)
    >>> str(result.status), str(result.bound_for)
    ('optimal', 'all graphs')
    """
    instance("result", result, Result)
    problem = problem if isinstance(problem, Problem) else Problem(instance("score", problem, LocalScore))
    budget = Budget(number("seconds", seconds), watch=watch)
    budget.standing.score = result.score
    workers, memory = workers_or_default(workers), count("memory", memory)
    dag = result.dag.with_names_ordered(problem.names)
    problem = Problem(problem.score, problem.constraints, dag)

    def bounded() -> tuple[Candidates, Outcome | None]:
        part = budget.part(share=_share_of_sets(problem, budget))
        candidates = candidate_table(problem, part, workers=workers, memory=memory)
        if budget.exhausted:  # every variable's best set is a bound, too
            return candidates, None
        context = Context(result.seed, budget, workers, Trace(None, budget, problem.source.rounding))
        return candidates, best_graph(candidates, problem, context, memory=memory)

    (table, scope, _), best = budget.run(bounded)
    if best is None:
        relaxed = table.relaxed_score()
        points = (Tightening(budget.elapsed, relaxed),)
        best = Outcome(dag, result.score, bound=relaxed, bound_for=scope, bounds=points)
        best = _bounded_by_choice(best, table, problem)
    result = replace(
        result, provenance=replace(result.provenance, certify=float(seconds)), bound_seconds=budget.elapsed
    )
    status = Status.INTERRUPTED if budget.is_interrupted else result.status
    if best.bound is None:
        return replace(result, status=status)
    bound = max(best.bound, result.score)
    reached = bound - result.score <= 1e-11 * max(1.0, abs(result.score)) * dag.n_nodes
    return replace(
        result,
        status=Status.OPTIMAL if reached and best.bound_for is Scope.ALL_SETS else status,
        bound=bound,
        bound_for=best.bound_for,
        bounds=tuple(
            Tightening(result.seconds + point.seconds, max(point.bound, result.score)) for point in best.bounds
        ),
        decisions={**result.decisions, **{name: of for name, of in best.decisions.items() if name == "solver"}},
        counters={**result.counters, "certified_sets": best.counters.get("sets", table.n_sets)},
    )
