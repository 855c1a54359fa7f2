"""Classifiers whose form is given: naive Bayes, and the tree that augments it."""

from collections.abc import Iterable
from dataclasses import dataclass
from math import fsum

import numpy as np

from arcwise import _core
from arcwise.graph.dag import Dag
from arcwise.graph.nodes import positions
from arcwise.search.search import Context, Outcome, Problem, Search, function_of
from arcwise.search.trees.branching import best_branching
from arcwise.support.names import index_of

__all__ = ["NaiveBayes", "Tan", "naive_bayes", "tan", "target_index"]


def target_index(target: str | int | None, names: tuple[str, ...]) -> int:
    """Return the index of the target; where none is given, the last variable.

    Examples
    --------
    >>> target_index("b", ("a", "b", "c")), target_index(None, ("a", "b", "c"))
    (1, 2)
    """
    return len(names) - 1 if target is None else index_of(target, positions(names))


@dataclass(frozen=True)
class NaiveBayes(Search):
    """Return the graph in which the target is the parent of all other variables, and they have no other.

    The naive Bayes classifier: given the class, features are independent. Nothing is searched, and nothing is compared:
    the graph has this form whatever its score. It is also a start for other searches, and its arcs are constraints for
    them, under which they augment it:

    ``learn(data, start=naive.dag)``, ``learn(data, constraints=Constraints(required=naive.dag.arcs))``

    Constraints come first: an arc that they forbid is left out, and those that they require are there besides. A
    feature that has to be an ancestor of the target is not its child.

    Parameters
    ----------
    target
        The variable of the classes, by name or index; the last one when None.

    Examples
    --------
    >>> from arcwise import LocalScore, load_example
    >>> score = LocalScore(load_example("cancer").sample(500, seed=1))
    >>> naive_bayes(score, target="Cancer").dag.arcs
    (('Cancer', 'Pollution'), ('Cancer', 'Smoker'), ('Cancer', 'Xray'), ('Cancer', 'Dyspnoea'))
    """

    target: str | int | None = None

    name = "naive-bayes"
    bytes_per_pair = 0

    def run(self, problem: Problem, context: Context) -> Outcome:
        """Join the target to all others."""
        parents, _ = _star(problem, target_index(self.target, problem.names))
        return _outcome(problem, context, parents)


@dataclass(frozen=True)
class Tan(Search):
    """Return the best graph in which every variable has the target as a parent, and at most one other.

    The tree-augmented naive Bayes classifier of Friedman, Geiger & Goldszmidt (1997, Machine Learning 29): with the
    score ``loglik`` the features form the tree of the largest likelihood, that of the largest sum of mutual
    informations given the class. With other scores, such as ``bic``, an arc between features that is not worth its
    parameters is left out, and they form a forest. No graph of this form scores more: it is the best branching (Edmonds
    1967) of the gains that arcs have besides the target.

    Constraints come first, as in `NaiveBayes`; a feature of which they require a parent gets no other.

    Parameters
    ----------
    target
        The variable of the classes, by name or index; the last one when None.

    Examples
    --------
    >>> from arcwise import LocalScore, load_example
    >>> score = LocalScore(load_example("asia").sample(2000, seed=1), "loglik")
    >>> dag = tan(score, target="dysp").dag
    >>> dag.n_arcs, {len(dag.parents(name)) for name in dag.names if name != "dysp"}
    (13, {1, 2})
    """

    target: str | int | None = None

    name = "tan"

    def run(self, problem: Problem, context: Context) -> Outcome:
        """Join the target to all others, and find the best forest among these."""
        target, n = target_index(self.target, problem.names), len(problem.names)
        score, rules, budget = problem.score, problem.rules, context.budget
        parents, above = _star(problem, target)
        gains = np.full((n, n + 1), -np.inf)
        gains[:, n] = 0.0
        is_full = score.score.name == "loglik"
        for v in range(n):
            room = rules.max_parents[v] - len(parents[v])
            if v == target or v in above or rules.required_parents(v) or room < 1 or budget.exhausted:
                continue
            candidates = [u for u in rules.allowed_parents(v).tolist() if u != target and u not in above]
            if not candidates:
                continue
            alone = score.core.local(v, parents[v], budget.core)
            found = score.core.additions(v, parents[v], candidates, budget.core) - alone
            is_better = np.nan_to_num(found, nan=-np.inf) > (-score.rounding if is_full else score.rounding)
            gains[v, np.array(candidates)[is_better]] = found[is_better]
            if is_full:  # a tree, also where an arc gains nothing
                gains[v, n] = -1.0
        stops = (_core.StopReason.time, _core.StopReason.interrupt)
        forest = best_branching(gains, ended=lambda: budget.core.reason in stops)
        for v, parent in enumerate(forest or ()):
            if parent >= 0:
                parents[v] = sorted([*parents[v], parent])
        return _outcome(problem, context, parents)


def _star(problem: Problem, target: int) -> tuple[list[list[int]], set[int]]:
    """Return the parents of all variables where the target is one of them, and which variables are above the target."""
    rules = problem.rules
    required = [rules.required_parents(v) for v in range(len(problem.names))]
    above = _ancestors(required, target)
    parents = [
        sorted({*own, target})
        if v != target and v not in above and rules.is_allowed(v, target) and len(own) < rules.max_parents[v]
        else list(own)
        for v, own in enumerate(required)
    ]
    return parents, above


def _ancestors(parents: list[list[int]], node: int) -> set[int]:
    found: set[int] = set()
    left = list(parents[node])
    while left:
        one = left.pop()
        if one not in found:
            found.add(one)
            left += parents[one]
    return found


def _outcome(problem: Problem, context: Context, parents: Iterable[list[int]]) -> Outcome:
    """Return a graph with its score."""
    dag = Dag.from_parents(problem.names, list(parents))
    core = problem.score.core
    total = fsum(core.local(v, list(own), context.budget.core) for v, own in enumerate(dag.parent_indices))
    context.trace.reach(total)
    return Outcome(dag, total)


naive_bayes = function_of(NaiveBayes(), "naive_bayes")
tan = function_of(Tan(), "tan")
