"""The best tree or forest: every variable has one parent at most."""

from dataclasses import dataclass
from math import fsum
from weakref import WeakKeyDictionary

import numpy as np
import numpy.typing as npt

from arcwise.constraints.resolved import ResolvedConstraints
from arcwise.graph.dag import Dag
from arcwise.parents.best_trees import BestTrees, Forest
from arcwise.runs.budget import Budget
from arcwise.runs.result import Status
from arcwise.scores.local_score import LocalScore
from arcwise.search.search import Context, Outcome, Problem, Search, function_of
from arcwise.search.trees.sweep import Sweep, Swept, the_arc
from arcwise.support.errors import ParameterError
from arcwise.support.quoting import quoted

__all__ = ["ChowLiu", "chow_liu", "takes_one_sweep"]

# Gains of pairs are not remembered one by one, but the best forest is, as long as the score lives.
_known: WeakKeyDictionary[LocalScore, Forest] = WeakKeyDictionary()


@dataclass(frozen=True)
class ChowLiu(Search):
    """Return the best graph in which every variable has at most one parent.

    With the score ``loglik`` it is the tree of Chow & Liu (1968, doi:10.1109/TIT.1968.1054142), which has the largest
    sum of mutual informations and so the largest likelihood; with ``bic`` or ``bdeu`` arcs that are not worth their
    parameters are left out, and it is a forest. No forest scores more. For scores that equivalent graphs share it is a
    maximum spanning forest, of all pairs counted in one sweep; for the others, and where constraints or interventions
    tell directions apart, it is the best branching (Edmonds 1967), which takes twice as long. When the budget ends
    before all pairs were looked at, it is the best forest of the others.

    Raises
    ------
    ParameterError
        If the constraints require several parents of a variable, or the rows would take too much memory.

    Examples
    --------
    >>> from arcwise.data.dataset import Dataset
    >>> rows = [[0, 0, 0], [0, 0, 1], [1, 1, 0], [1, 1, 1], [0, 0, 0], [1, 1, 1]]
    >>> chow_liu(LocalScore(Dataset.from_codes(rows, names=["a", "b", "c"]), "bic")).dag.arcs
    (('a', 'b'),)
    """

    name = "chow-liu"
    bytes_per_pair = 0  # one row of pairs at a time

    def run(self, problem: Problem, context: Context) -> Outcome:
        """Find the best forest; on one thread where it is a spanning one."""
        score, rules, first, names = problem.score, problem.rules, problem.first, problem.names
        budget, trace = context.budget, context.trace
        _refuse_several_parents(rules, names)
        alone = np.array([score.core.local(v, [], budget.core) for v in range(len(names))])
        first_total = sum(
            score.core.local(v, list(parents), budget.core) for v, parents in enumerate(first.parent_indices)
        )
        budget.core.show(first_total, 0.0, lambda: [list(parents) for parents in first.parent_indices])
        trace.reach(first_total)
        if budget.exhausted:
            return Outcome(first, first_total)
        if takes_one_sweep(problem):
            forest = _spanning_forest(score, rules, budget)
            parents, gains = forest.parents.tolist(), forest.gains.tolist()
            status = Status.LOCAL_OPTIMUM if forest.is_complete else None
        else:
            swept = _branching(score, alone, rules, context)
            parents, gains, status = swept.parents, swept.gains, swept.status or Status.LOCAL_OPTIMUM
        total = float(alone.sum() + fsum(gains))
        if total <= first_total + score.rounding:
            return Outcome(first, first_total, status)
        trace.reach(total)
        return Outcome(Dag.from_parents(names, [[parent] if parent >= 0 else [] for parent in parents]), total, status)


chow_liu = function_of(ChowLiu(), "chow_liu")


def takes_one_sweep(problem: Problem) -> bool:
    """Return whether the best forest comes from one sweep over the counts of all pairs."""
    score = problem.score
    return score.is_equivalent and score.core.is_counted and _ignores_directions(problem.rules)


def _refuse_several_parents(rules: ResolvedConstraints, names: tuple[str, ...]) -> None:
    required = rules.required.lengths
    if (required > 1).any():
        name = names[int(np.argmax(required))]
        raise ParameterError(
            f"{quoted(name)} has {required.max()} required parents, but in a tree a variable has at most one; drop "
            "arcs from the constraints, or use another search"
        )


def _ignores_directions(rules: ResolvedConstraints) -> bool:
    """Whether every arc that is possible is so in either direction."""
    return bool(
        not rules.requires_any and (rules.max_parents >= min(1, rules.n_variables - 1)).all() and rules.is_symmetric
    )


def _spanning_forest(score: LocalScore, rules: ResolvedConstraints, budget: Budget) -> Forest:
    if not rules.allows_all:
        return BestTrees(score, score.score).within(rules.core, budget.core)
    if score in _known:
        return _known[score]
    forest = BestTrees(score, score.score).best(None, budget.core)
    if forest.is_complete:
        _known[score] = forest
    return forest


def _branching(
    score: LocalScore, alone: npt.NDArray[np.float64], rules: ResolvedConstraints, context: Context
) -> Swept:
    """Return the best forest that keeps the rules, of all arcs or of those that the budget leaves time for."""
    given, families = {}, {}
    for v in range(len(alone)):
        if required := rules.required_parents(v):
            (parent,) = required
            given[v] = the_arc(parent, score.core.local(v, [parent], context.budget.core) - alone[v])
        elif rules.max_parents[v] > 0:
            families[v] = ()
    return Sweep(score, rules, families, context.workers, context.budget, given).best_forest()
