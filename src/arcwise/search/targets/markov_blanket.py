"""The Markov blanket of one variable, by climbs that look no further than they must."""

from dataclasses import dataclass, replace
from math import fsum

from arcwise.graph.dag import Dag
from arcwise.parents.neighbourhoods import CandidateParents
from arcwise.runs.result import Status
from arcwise.search.dags.greedy import Greedy
from arcwise.search.search import Context, Outcome, Problem, Search, function_of
from arcwise.search.targets.classifiers import target_index
from arcwise.support.arguments import count

__all__ = ["MarkovBlanket", "markov_blanket"]


@dataclass(frozen=True)
class MarkovBlanket(Search):
    """Find the parents, children and other parents of the children of one variable, and the arcs among them.

    Given its Markov blanket, the target is independent of all other variables: to predict it, nothing else is needed.
    The search climbs over graphs in which only arcs that touch the target are possible; then over those whose arcs
    touch it or one of the neighbours that this has found, from where it stands; and so on, until the neighbours stay
    the same. So a variable that seemed to be a neighbour only because what stands between was out of reach is let go,
    and other parents of the children come in. At last the graph of the target and its blanket alone is learned, by
    moves that break cycles; all other variables are apart. As many scores are counted as the blanket has members times
    the number of variables, not its square.

    Growing the part of the graph that is known from the target outwards, by scores, is the idea of Niinimäki &
    Parviainen (2012, UAI, "Local structure discovery in Bayesian networks"), who find the best graph of each part where
    this climbs: their guarantee, that with enough data the blanket is right, is lost with that. What it has found is in
    the result's ``decisions["markov_blanket"]``.

    Parameters
    ----------
    target
        The variable, by name or index; the last one when None.
    climbs
        How often each stage climbs; the best end counts.

    Examples
    --------
    >>> from arcwise import LocalScore, load_example
    >>> score = LocalScore(load_example("alarm").sample(5000, seed=1))
    >>> result = markov_blanket(score, target="LVFAILURE", seed=1)
    >>> result.decisions["markov_blanket"]
    ['HISTORY', 'HYPOVOLEMIA', 'LVEDVOLUME', 'STROKEVOLUME']
    """

    target: str | int | None = None
    climbs: int = 10

    name = "markov-blanket"
    bytes_per_pair = 0
    bytes_per_variable = 4096
    honours_degrees = True

    def __post_init__(self) -> None:
        count("climbs", self.climbs, least=1)

    def run(self, problem: Problem, context: Context) -> Outcome:
        """Climb around the target, further out each time, until its neighbours stay the same."""
        names, budget = problem.names, context.budget
        target = names[target_index(self.target, names)]
        first_total = self._total(problem, problem.first, context)
        context.trace.reach(first_total)
        budget.core.show(first_total, 0.0, lambda: [list(parents) for parents in problem.first.parent_indices])
        found, centre, stages, is_whole = problem.first, [target], 0, False
        while not (is_whole or budget.exhausted):
            near = {name: names if name in centre else centre for name in names}
            found, stages = self._climbed(replace(problem, start=found), near, context), stages + 1
            wanted = [target, *_neighbours(found, target)]
            is_whole = set(wanted) <= set(centre)
            centre = list(dict.fromkeys([*centre, *wanted]))
        kept = [target, *_blanket(found, target)]
        within = {name: kept if name in kept else () for name in names}
        ends = [_among(found, kept, problem)]
        if not budget.exhausted:
            ends.append(self._climbed(problem, within, context, moves="a*ds*"))
        best = max(ends, key=lambda dag: self._total(problem, dag, context))
        dag = _among(best, [target, *_blanket(best, target)], problem)
        total = self._total(problem, dag, context)
        if total <= first_total + problem.score.rounding:
            dag, total = problem.first, first_total
        context.trace.reach(total)
        return Outcome(
            dag,
            total,
            None if budget.exhausted else Status.LOCAL_OPTIMUM,
            counters={"stages": stages},
            decisions={"target": target, "markov_blanket": _blanket(dag, target)},
        )

    def _climbed(self, problem: Problem, near: CandidateParents, context: Context, moves: str = "adrs") -> Dag:
        """Climb within a neighbourhood."""
        # What these climbs score is not the graph that is returned: nobody need hear of it.
        aside = context.aside(context.budget.part(apart=True))
        return Greedy(moves=moves, climbs=self.climbs, neighbourhood=near).run(problem, aside).dag

    @staticmethod
    def _total(problem: Problem, dag: Dag, context: Context) -> float:
        core = problem.score.core
        return fsum(core.local(v, list(own), context.budget.core) for v, own in enumerate(dag.parent_indices))


def _neighbours(dag: Dag, node: str) -> list[str]:
    return [*dag.parents(node), *dag.children(node)]


def _blanket(dag: Dag, node: str) -> list[str]:
    """Return parents, children, and other parents of the children, in the order of the variables."""
    others = {parent for child in dag.children(node) for parent in dag.parents(child)}
    found = others.union(_neighbours(dag, node)) - {node}
    return [name for name in dag.names if name in found]


def _among(dag: Dag, kept: list[str], problem: Problem) -> Dag:
    """Return the graph with its arcs among some nodes, and those that are required."""
    required = {(problem.names[parent], problem.names[child]) for parent, child in problem.rules.required_arcs.tolist()}
    inner = frozenset(kept)
    return Dag(dag.names, [arc for arc in dag.arcs if arc in required or (arc[0] in inner and arc[1] in inner)])


markov_blanket = function_of(MarkovBlanket(), "markov_blanket")
