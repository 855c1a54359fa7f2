"""What the page needs to answer questions: a junction tree of the network with its tables, or why it has none."""

from base64 import b64encode
from typing import Any

import numpy as np

from arcwise.network.cliques import JunctionTree, junction_tree
from arcwise.network.distributions import ConditionalGaussian, Table
from arcwise.network.network import BayesianNetwork

__all__ = ["questions_of"]

_MOST_STEPS = 8_000_000  # cells that one answer visits: some 40 ms in a browser
_MOST_CELLS = 1_000_000  # of all cliques, which a browser keeps twice
_MOST_NUMBERS = 150_000  # of all tables, 1.6 MB in the file
_MOST_CONTINUOUS = 1000  # whose covariances a browser keeps
_COUNTED = 10**12  # cells up to which a tree that does not fit is made, to say how large it is

_ELSEWHERE = "Ask in Python with result.network(ess=1).query, or on the command line with arcwise query."


def questions_of(network: BayesianNetwork) -> dict[str, Any]:
    """Return what a browser needs to find the posterior of every node given states, or numbers, of others.

    Beside discrete nodes continuous ones are left out, which changes nothing for the others: no discrete node has a
    continuous parent.

    Parameters
    ----------
    network
        The network.

    Returns
    -------
    The "cliques" of a tree with the nodes of each, the clique "above" each, the "homes" of the nodes' tables (None for
    continuous nodes) and all "tables" one after the other, each row divided by its sum: the eight bytes of each number,
    lowest first, in base 64. Where all nodes are continuous, it is the regression of each, as "gaussian", with an order
    of the nodes. And where this would be too much for a page, it is only a "refusal" in words. A "note" says what is
    left out.
    """
    arities, families = network.arities, network.dag.parent_indices
    discrete = [node for node, arity in enumerate(arities) if arity]
    if not discrete:
        return _questions_of_numbers(network)
    place = {node: k for k, node in enumerate(discrete)}
    parents = [[place[parent] for parent in families[node]] for node in discrete]
    tree = junction_tree(parents, [arities[node] for node in discrete], most_cells=_COUNTED)
    tables = [found.probabilities for found in network.distributions if isinstance(found, Table)]
    refusal = _refusal(tree, sum(table.size for table in tables))
    if tree is None or refusal:
        return {"refusal": f"{refusal} {_ELSEWHERE}"}
    homes: list[int | None] = [None] * network.dag.n_nodes
    for node, home in zip(discrete, tree.homes, strict=True):
        homes[node] = home
    rows = [(table / table.sum(axis=-1, keepdims=True)).ravel() for table in tables]
    return {
        "refusal": None,
        "note": _note(network),
        "cliques": [[discrete[member] for member in clique] for clique in tree.cliques],
        "above": list(tree.above),
        "homes": homes,
        "tables": b64encode(np.concatenate(rows).astype("<f8").tobytes()).decode(),
    }


def _refusal(tree: JunctionTree | None, n_numbers: int) -> str:
    """Return why a page cannot answer, or nothing."""
    if tree is None:
        return (
            "This network is too dense for exact answers in a page: its junction tree would have more than "
            f"{_COUNTED:,} cells."
        )
    if tree.cells > _MOST_CELLS or tree.steps > _MOST_STEPS:
        return (
            f"This network is too dense for exact answers in a page: its junction tree has {tree.cells:,} cells, the "
            f"largest clique {max(map(len, tree.cliques))} variables and {max(tree.sizes):,} of them, and an answer "
            f"takes {tree.steps:,} steps. A page takes up to {_MOST_CELLS:,} cells and {_MOST_STEPS:,} steps."
        )
    if n_numbers > _MOST_NUMBERS:
        return (
            f"The tables of this network have {n_numbers:,} probabilities, which would make this file too large; it "
            f"takes up to {_MOST_NUMBERS:,}."
        )
    return ""


def _questions_of_numbers(network: BayesianNetwork) -> dict[str, Any]:
    """Return the regressions of a network whose nodes are all continuous."""
    n_nodes = network.dag.n_nodes
    if n_nodes > _MOST_CONTINUOUS:
        return {
            "refusal": f"There are {n_nodes:,} continuous variables, and a page keeps the covariances of up to "
            f"{_MOST_CONTINUOUS:,}. {_ELSEWHERE}"
        }
    gaussians = [found for found in network.distributions if isinstance(found, ConditionalGaussian)]
    return {
        "refusal": None,
        "note": "",
        "gaussian": {
            "order": [network.dag.index(name) for name in network.dag.topological_order()],
            "intercepts": [float(each.intercepts) for each in gaussians],
            "coefficients": [each.coefficients.tolist() for each in gaussians],
            "deviations": [float(each.deviations) for each in gaussians],
        },
    }


def _note(network: BayesianNetwork) -> str:
    n_left = len(network.continuous)
    if not n_left:
        return ""
    return f"Continuous variables are left out here: {n_left:,} of {network.dag.n_nodes:,}. {_ELSEWHERE}"
