"""Parts of a table of parent sets that can be solved one by one."""

import numpy as np

from arcwise.graph.nodes import reversed_arcs, topological_order
from arcwise.parents.parent_sets import ParentSets
from arcwise.parents.set_arrays import counts, offsets

__all__ = ["components", "sets_within"]


def components(table: ParentSets) -> list[list[int]]:
    """Groups of variables, by index, such that all cycles lie within one of them; parents in earlier groups.

    They are the strongly connected components of the graph in which every variable has all members of its sets as
    parents (Fan & Yuan 2014, "An improved lower bound for Bayesian network structure learning", AAAI). Whatever order
    is best for each group, one behind the other they are a best order of all variables. Tiers make such groups.

    Examples
    --------
    >>> lists = [[(-1, []), (0, ["b"])], [(-1, []), (0, ["a", "c"])], [(-1, [])]]
    >>> table = ParentSets.from_lists(["a", "b", "c"], lists)
    >>> components(table)
    [[2], [0, 1]]
    """
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    n = table.n_variables
    children = np.repeat(np.repeat(np.arange(n), np.diff(table.variable_begin)), np.diff(table.set_begin))
    arcs = coo_array((np.ones(children.size, dtype=np.int8), (table.members, children)), shape=(n, n)).tocsr()
    n_groups, group = connected_components(arcs, directed=True, connection="strong")
    tails, heads = (group[ends].tolist() for ends in arcs.nonzero())
    parents = [set[int]() for _ in range(n_groups)]
    for tail, head in zip(tails, heads, strict=True):
        if tail != head:
            parents[head].add(tail)
    listed = [sorted(row) for row in parents]
    return [np.flatnonzero(group == at).tolist() for at in topological_order(listed, reversed_arcs(listed))]


def sets_within(table: ParentSets, variables: list[int]) -> ParentSets:
    """Table of some variables, at most 64: what their sets have outside them is left out, where it is free.

    Examples
    --------
    >>> lists = [[(-3, []), (-1, ["b", "c"]), (-2, ["b"])], [(0, [])], [(0, [])]]
    >>> table = ParentSets.from_lists(["a", "b", "c"], lists)
    >>> sets_within(table, [0, 1]).sets("a")
    [(-1.0, ('b',)), (-3.0, ())]
    """
    if variables == list(range(table.n_variables)):
        return table
    place = np.full(table.n_variables, -1)
    place[variables] = np.arange(len(variables))
    bit = np.where(place >= 0, np.uint64(1) << place.clip(0).astype(np.uint64), np.uint64(0))
    lengths, sizes, members, scores = list[int](), list[np.ndarray](), list[np.ndarray](), list[np.ndarray]()
    for variable in variables:
        first, last = table.variable_begin[variable : variable + 2]
        begin = table.set_begin[first : last + 1]
        its_members = table.members[begin[0] : begin[-1]]
        sums = np.concatenate([[np.uint64(0)], np.cumsum(bit[its_members], dtype=np.uint64)])
        masks = np.diff(sums[begin - begin[0]])  # of a sum that may run over, the differences are still right
        _, best = np.unique(masks, return_index=True)  # the first of those that are the same within
        keep = np.repeat(np.isin(np.arange(masks.size), best), np.diff(begin)) & (place[its_members] >= 0)
        best.sort()
        lengths.append(best.size)
        sizes.append(counts(begin - begin[0], place[its_members] >= 0)[best])
        members.append(place[its_members[keep]])
        scores.append(table.scores[first:last][best])
    return ParentSets.from_arrays(
        [table.names[variable] for variable in variables],
        offsets(lengths),
        offsets(np.concatenate(sizes).tolist()),
        np.concatenate(members),
        np.concatenate(scores),
    )
