"""Orders to start a search from: any, or read off the graph in which every variable has its best parents.

The two that are read off are those of Perez & Mauá 2016, "Better initialization heuristics for order-based Bayesian
network structure learning", JIDM 7(2), section 5. Seeds are those of a kernel, whole numbers of 64 bits; the same seed
gives the same order, and different seeds give different ones wherever the graph leaves a choice.
"""

from collections.abc import Callable

import numpy as np

from arcwise import _core
from arcwise.graph.nodes import Order
from arcwise.parents.parent_sets import ParentSets
from arcwise.support.arguments import instance
from arcwise.support.seeds import kernel_seed

__all__ = ["INITIAL_ORDERS", "dfs_order", "fas_order", "random_order"]


def random_order(table: ParentSets, seed: int) -> Order:
    """Any order, each with the same probability.

    Examples
    --------
    >>> table = ParentSets.from_lists(["a", "b", "c"], [[(0, [])], [(0, [])], [(0, [])]])
    >>> sorted(random_order(table, seed=1).tolist())
    [0, 1, 2]
    """
    rng = np.random.default_rng(kernel_seed(seed))
    return rng.permutation(instance("table", table, ParentSets).n_variables).astype(np.intp, copy=False)


def dfs_order(table: ParentSets, seed: int) -> Order:
    r"""Order that always continues with a variable that has few parents left to wait for.

    Algorithm 3 of the paper. Next is a variable with the fewest best parents that are still to come; among those one
    with the least goodness,

    .. math:: \prod_{j \in Ch_i \cap U} |Pa_j \cap U|

    where U are the variables still to come, Pa and Ch the best parents and the children under them (eq. 7); among those
    any. Products are compared exactly as to ties. Where the best parents close no cycle, every variable gets them, and
    the order is optimal; otherwise nothing is promised. As the empty product is 1, variables without children to come
    are preferred, and their parents may then be lost: on some tables random orders score more.

    Examples
    --------
    >>> table = ParentSets.from_lists(["a", "b", "c"], [[(-1, ["b"]), (-2, [])], [(-1, ["c"]), (-2, [])], [(-1, [])]])
    >>> dfs_order(table, seed=1).tolist()
    [2, 1, 0]
    """
    arcs = instance("table", table, ParentSets).relaxed_arcs
    return _core.dfs_order(arcs.begin, arcs.parents, kernel_seed(seed)).astype(np.intp, copy=False)


def fas_order(table: ParentSets, seed: int) -> Order:
    r"""Order that loses few of the best parents, and those that weigh little.

    Algorithm 4 of the paper, after Demetrescu & Finocchi 2003, "Combinatorial algorithms for feedback problems in
    directed graphs", IPL 86(3). The arc from a best parent j to i weighs what i loses without j (eq. 8),
    :math:`sc_i(Pa_i) - sc_i(Pa_i \setminus \{j\})`; where the table does not have that set, or has a better subset of
    it, the best set inside it counts, and where there is none the arc is infinitely heavy. While there is a cycle, each
    of its arcs gets lighter by the weight of the lightest, and what falls to 0 is cut. In the end, cut arcs that close
    no cycle return, the heaviest first. The order is any that keeps the arcs that are left: the lost ones weigh at most
    as many times the least possible as the longest cycle has arcs, and none of them could be kept besides the others.
    Where the best parents close no cycle, the order is optimal.

    Examples
    --------
    >>> table = ParentSets.from_lists(["a", "b"], [[(-1, ["b"]), (-2, [])], [(-1, ["a"]), (-5, [])]])
    >>> fas_order(table, seed=1).tolist()
    [0, 1]
    """
    arcs = instance("table", table, ParentSets).relaxed_arcs
    return _core.fas_order(arcs.begin, arcs.parents, arcs.weights, kernel_seed(seed)).astype(np.intp, copy=False)


#: Initial orders by the names that searches take.
INITIAL_ORDERS: dict[str, Callable[[ParentSets, int], Order]] = {
    "random": random_order,
    "dfs": dfs_order,
    "fas": fas_order,
}
