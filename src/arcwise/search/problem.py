"""What is searched for, on a score or on a table of parent sets."""

from dataclasses import dataclass, field
from functools import cached_property

from arcwise.constraints.constraints import Constraints, ResolvedConstraints
from arcwise.data.summary import Summarised
from arcwise.graph.dag import Dag
from arcwise.parents.parent_sets import ParentSets
from arcwise.scores.definitions import Score
from arcwise.scores.local_score import LocalScore
from arcwise.support.arguments import instance
from arcwise.support.errors import ParameterError

__all__ = ["Problem", "Source"]

#: What scores graphs: a score bound to its data, or a table of candidate parent sets with their scores. Both have
#: ``names``, ``total``, ``rounding`` and ``counters``.
Source = LocalScore | ParentSets


@dataclass(frozen=True, eq=False)
class Problem:
    """What is searched for: the graph that scores most, among those that the constraints allow.

    Parameters
    ----------
    source
        What scores graphs: a `LocalScore`, or a table of candidate parent sets (`ParentSets`).
    constraints
        What the graph must and must not have.
    start
        A graph to begin with, checked against the constraints; None where there is none.

    Examples
    --------
    >>> table = ParentSets.from_lists(["a", "b"], [[(-2, []), (-1, ["b"])], [(-2, []), (-1, ["a"])]])
    >>> Problem(table, Constraints(forbidden=[("a", "b")])).names
    ('a', 'b')
    """

    source: Source
    constraints: Constraints = field(default_factory=Constraints)
    start: Dag | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.source, LocalScore | ParentSets):
            raise ParameterError.of("source", "a LocalScore or a ParentSets", self.source)
        instance("constraints", self.constraints, Constraints)
        if self.start is not None:
            object.__setattr__(self, "start", self.constraints.checked_start(self.names, self.start))

    @property
    def names(self) -> tuple[str, ...]:
        """The variables."""
        return self.source.names

    @property
    def score(self) -> LocalScore:
        """The score, for searches that take one."""
        if isinstance(self.source, LocalScore):
            return self.source
        raise ParameterError(f"the problem has {self.source}, and not a LocalScore")

    @property
    def table(self) -> ParentSets:
        """The table, for searches that take one."""
        if isinstance(self.source, ParentSets):
            return self.source
        raise ParameterError(f"the problem has {self.source}, and not a table of parent sets")

    @property
    def definition(self) -> Score | None:
        """What is maximised; None where a table has the scores and does not say of what they are."""
        return self.source.score if isinstance(self.source, LocalScore) else None

    @property
    def data(self) -> Summarised:
        """What tells this problem from others: the data, or the table."""
        return self.source.data if isinstance(self.source, LocalScore) else self.source

    @cached_property
    def rules(self) -> ResolvedConstraints:
        """The constraints as kernels take them."""
        return self.constraints.resolve(self.names)

    @cached_property
    def first(self) -> Dag:
        """The start, or else the graph of the required arcs alone."""
        return self.constraints.checked_start(self.names, self.start)
