"""The arcs of H*, the graph in which every variable has its best parent set."""

from dataclasses import dataclass

import numpy as np

from arcwise import _core
from arcwise.parents.set_arrays import Members, Offsets, Scores, SetArrays, offsets


@dataclass(frozen=True, slots=True, eq=False)
class RelaxedArcs:
    """The best parents of all variables and what they weigh, in flat arrays that are read-only.

    Parameters
    ----------
    begin
        Where the parents of each variable begin, and where those of the last one end.
    parents
        Indices of the parents, ascending within a variable.
    weights
        What the variable loses without that parent: the score of its best set minus that of the best set inside the
        other parents; infinite where there is none. Above 0.
    """

    begin: Offsets
    parents: Members
    weights: Scores

    @classmethod
    def of(cls, arrays: SetArrays) -> "RelaxedArcs":
        """Arcs of a table whose sets are sorted best first; one pass over it."""
        best = arrays.variable_begin[:-1]
        first = arrays.set_begin[best]
        sizes = arrays.set_begin[best + 1] - first
        begin = offsets(sizes)
        parents = arrays.members[np.repeat(first - begin[:-1], sizes) + np.arange(begin[-1])]
        weights = _core.relaxed_weights(arrays.variable_begin, arrays.set_begin, arrays.members, arrays.scores)
        for array in (begin, parents, weights):
            array.setflags(write=False)
        return cls(begin, parents, weights)
