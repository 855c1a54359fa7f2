r"""Arcs at variables that have one value in all rows, and why searches leave them out.

Let :math:`C` have :math:`a` states, of which all rows have the same one. As a further parent it leaves every count
where it was, in one of :math:`a` times as many configurations, so that for `BDeu`

.. math:: \mathrm{sc}_\alpha(X \mid P \cup \{C\}) = \mathrm{sc}_{\alpha / a}(X \mid P):

the arc says nothing about :math:`X`, and divides the equivalent sample size of its family. Families that are nearly
deterministic, or of which many configurations do not occur, prefer a smaller one, and take it from as many constants
as there are, for hundredths of a nat each. That `BDeu` rewards parents whose states do not occur is known (Steck &
Jaakkola 2002, NIPS 15; Suzuki 2017, doi:10.1007/s41237-016-0006-4; Scutari 2016, PMLR 52). `BDs` is made against it,
but gains in the same way by parents of a constant child. Other scores lose by such arcs, or gain nothing; only `EBIC`
may gain, where a variable has more than half of all others as parents.

The score of a graph stays what it is. Searches and tables of parent sets leave out the arcs, which the data neither
support nor speak against, unless constraints require or allow them (`Constraints.join_constants`), or the start has
them.
"""

from dataclasses import replace

import numpy as np
import numpy.typing as npt

from arcwise.constraints.constraints import Constraints
from arcwise.constraints.resolved import ResolvedConstraints
from arcwise.data.dataset import Dataset
from arcwise.graph.dag import Dag
from arcwise.graph.node_lists import NodeLists
from arcwise.scores.local_score import LocalScore
from arcwise.shards.dataset import ShardedDataset
from arcwise.support.errors import ParameterError
from arcwise.support.messages import Setting
from arcwise.support.quoting import quoted

__all__ = ["constants", "rules_for"]


def constants(data: Dataset) -> npt.NDArray[np.bool_]:
    """Whether each variable has the same value in all rows that count.

    Examples
    --------
    >>> constants(Dataset.from_codes([[0, 1], [1, 1]], arities=[2, 2]))
    array([False,  True])
    """
    if isinstance(data, ShardedDataset) and data.products is not None:
        return np.asarray(data.products.moments.scales == 0)
    if isinstance(data, ShardedDataset):
        return np.array([sum(n > 0 for n in counts) == 1 for counts in data.state_counts])
    counts = slice(None) if data.weights is None else np.asarray(data.weights) > 0
    codes = data.codes[counts]
    if len(codes) == 0:
        return np.ones(data.n_variables, dtype=np.bool_)
    if data.gaps is not None:
        return _constant_but_for_gaps(data, data.gaps[counts], codes)
    is_constant = np.array([bool((column == column[0]).all()) for column in codes.T])
    if data.numbers is not None:
        numbers = data.numbers[counts]
        is_constant[list(data.continuous)] = (numbers == numbers[0]).all(axis=0)
    return is_constant


def _constant_but_for_gaps(
    data: Dataset, gaps: npt.NDArray[np.bool_], codes: npt.NDArray[np.unsignedinteger]
) -> npt.NDArray[np.bool_]:
    counts = slice(None) if data.weights is None else np.asarray(data.weights) > 0
    columns = [
        (codes[:, v] if arity else data.numbers_of(data.names[v])[counts])[~gaps[:, v]]
        for v, arity in enumerate(data.arities)
    ]
    return np.array([bool((column[1:] == column[:-1]).all()) for column in columns])


def rules_for(score: LocalScore, constraints: Constraints, start: Dag | None = None) -> ResolvedConstraints:
    """Return constraints as kernels take them, without arcs that the score does not know or that would be for nothing.

    Where a discrete variable must not have continuous parents (`LocalScore.has_discrete_first`), these are forbidden;
    and so are arcs at constants where the score would gain by them.

    Parameters
    ----------
    score
        The score, bound to its data.
    constraints
        What the graph must and must not have.
    start
        A graph whose arcs stay possible, in either direction; its nodes in the order of the data.

    Examples
    --------
    >>> data = Dataset.from_codes([[0, 1, 0], [1, 1, 1]], names=["a", "b", "c"], arities=[2, 2, 2])
    >>> rules_for(LocalScore(data, "bdeu"), Constraints()).allowed_matrix()
    array([[False, False,  True],
           [False, False, False],
           [ True, False, False]])
    """
    rules = constraints.resolve(score.names)
    if score.has_discrete_first:
        rules = _with_discrete_first(rules, score)
    if constraints.join_constants or not score.score.base.gains_by_constants:
        return rules
    is_constant = constants(score.data)
    if not is_constant.any():
        return rules
    kept = NodeLists.none(rules.n_variables) if start is None else NodeLists.from_lists(start.parent_indices)
    return rules.isolating(is_constant, exempt=kept.either_way)


def _with_discrete_first(rules: ResolvedConstraints, score: LocalScore) -> ResolvedConstraints:
    data = score.data
    continuous = list(data.continuous)
    parents = [continuous if arity else [] for arity in data.arities]
    forbidden = NodeLists.from_lists(parents)
    if (both := forbidden & rules.required).n_members:
        child, parent = both.pairs[0].tolist()
        raise ParameterError(
            f"the arc from {quoted(data.names[parent])} to {quoted(data.names[child])} is required, and with "
            f"{score.score.name} a discrete variable cannot have a continuous parent; leave it out, or take ",
            Setting("score", "dg"),
        )
    return replace(rules, forbidden=rules.forbidden | forbidden)
