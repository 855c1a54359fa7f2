"""Classifiers whose form is given: naive Bayes, and the tree that augments it."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from math import fsum

import numpy as np
import numpy.typing as npt

from arcwise.constraints.resolved import ResolvedConstraints
from arcwise.graph.dag import Dag
from arcwise.graph.nodes import positions
from arcwise.search.search import Context, Outcome, Problem, Search, function_of
from arcwise.search.trees.sweep import Sweep
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
    1967) of the gains that arcs have besides the target, or of those of them for which there was time.

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
    bytes_per_pair = 0
    bytes_per_variable = 1024  # arcs into it

    def run(self, problem: Problem, context: Context) -> Outcome:
        """Join the target to all others, and find the best forest among these."""
        target, n = target_index(self.target, problem.names), len(problem.names)
        rules = problem.rules
        parents, above = _star(problem, target)
        families = {
            v: parents[v]
            for v in range(n)
            if v != target
            and v not in above
            and not rules.required_parents(v)
            and rules.max_parents[v] > len(parents[v])
        }
        never = [target, *above]
        found = Sweep(problem.score, rules, families, context.workers, context.budget, never=never).best_forest()
        chosen = found.parents
        if found.status is None and problem.score.score.name == "loglik":  # a tree, also where an arc gains nothing
            chosen = _joined(chosen, families, rules, np.isin(np.arange(n), never))
        for v, parent in enumerate(chosen):
            if parent >= 0:
                parents[v] = sorted([*parents[v], parent])
        return replace(_outcome(problem, context, parents), status=found.status)


def _joined(
    forest: list[int], families: Mapping[int, list[int]], rules: ResolvedConstraints, is_never: npt.NDArray[np.bool_]
) -> list[int]:
    """Return the forest with arcs from one of its trees to the roots of others, where they are allowed."""
    joined = list(forest)
    for root in [v for v in families if forest[v] < 0]:
        for parent in rules.allowed_parents(root).tolist():
            if not is_never[parent] and _root(joined, parent) != root:
                joined[root] = parent
                break
    return joined


def _root(forest: list[int], node: int) -> int:
    while forest[node] >= 0:
        node = forest[node]
    return node


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
