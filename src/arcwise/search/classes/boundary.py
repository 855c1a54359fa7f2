"""The classes next to an equivalence class."""

from dataclasses import dataclass

from arcwise import _core
from arcwise.constraints.constraints import Constraints
from arcwise.graph.cpdag import Cpdag
from arcwise.graph.dag import Dag
from arcwise.runs.budget import Budget
from arcwise.scores.constants import rules_for
from arcwise.scores.local_score import LocalScore
from arcwise.search.classes.ges import Ges
from arcwise.search.search import suitable
from arcwise.support.arguments import flag, instance
from arcwise.support.errors import ArcwiseError, GraphError, ParameterError
from arcwise.support.messages import Name

__all__ = ["ClassNeighbour", "inclusion_boundary"]


@dataclass(frozen=True)
class ClassNeighbour:
    """A class next to another.

    Attributes
    ----------
    dag
        One of its graphs.
    gain
        By how much it scores more.
    """

    dag: Dag
    gain: float

    @property
    def cpdag(self) -> Cpdag:
        """The class."""
        return self.dag.cpdag()


def inclusion_boundary(
    score: LocalScore,
    graph: Dag | Cpdag,
    *,
    reversing: bool = False,
    constraints: Constraints | None = None,
    budget: Budget | None = None,
) -> tuple[ClassNeighbour, ...]:
    """Give all classes that one arc more or one less leads to from a graph of a class, each once, the best first.

    Chickering 2002, JMLR 3; Nielsen, Kočka & Peña 2003, UAI.

    Parameters
    ----------
    score
        What decides about gains; it must give equivalent graphs the same.
    graph
        The class, or one of its graphs.
    reversing
        Also the classes that reversing an arc leads to.
    constraints
        Only classes with a graph that meets these, which is the `dag` of the answer.
    budget
        When to give up.

    Raises
    ------
    GraphError
        When the graph is partially directed and stands for no class.
    ParameterError
        When no graph of the class meets the constraints.
    ArcwiseError
        When the budget ended first: a part of the classes would say nothing about the best of them.
    KeyboardInterrupt
        The same after Ctrl-C.

    Examples
    --------
    >>> from arcwise import Dataset
    >>> data = Dataset.from_codes([[0, 0, 1], [1, 1, 1], [1, 1, 0], [0, 1, 0]], names=["a", "b", "c"])
    >>> boundary = inclusion_boundary(LocalScore(data), Dag(data.names, [("a", "b")]))
    >>> sorted(len(neighbour.dag.arcs) for neighbour in boundary)
    [0, 2, 2, 2, 2]
    """
    names, reversing = suitable(instance("score", score, LocalScore), Ges()).data.names, flag("reversing", reversing)
    constraints = instance("constraints", constraints, Constraints, default=Constraints)
    constraints.refuse_ancestors("inclusion_boundary")
    if isinstance(graph, Cpdag):
        if not graph.is_valid():
            raise GraphError("the partially directed graph is not that of an equivalence class; see Cpdag.is_valid")
        graph = graph.consistent_extension()
    member = instance("graph", graph, Dag).with_names_ordered(names)
    budget = instance("budget", budget, Budget, default=Budget)
    rules, parents = rules_for(score, constraints, member), [list(row) for row in member.parent_indices]
    try:
        found = budget.run(lambda: _core.neighbours_of_class(score.core, rules.core, reversing, parents, budget.core))
    except ValueError:  # all other arguments were checked before
        raise ParameterError(Name("graph"), " breaks the constraints: no graph of its class meets them") from None
    if budget.is_interrupted:
        raise KeyboardInterrupt
    if budget.exhausted:
        raise ArcwiseError("the budget ended before all classes next to this one were known; give it more, or none")
    neighbours = [ClassNeighbour(Dag.from_parents(names, one.parents), one.gain) for one in found]
    return tuple(sorted(neighbours, key=lambda neighbour: -neighbour.gain))
