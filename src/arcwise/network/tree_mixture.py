"""Mixtures of trees: a distribution that is a weighted sum of tree-shaped networks."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, final

import numpy as np
import numpy.typing as npt

from arcwise import _core
from arcwise.data.dataset import Dataset
from arcwise.graph.dag import Dag
from arcwise.network.mixture_checks import CheckedMixture, MixtureParts, checked_mixture
from arcwise.network.mixture_files import read_arrays, write_arrays
from arcwise.network.network import BayesianNetwork
from arcwise.network.one_tree import OneTree
from arcwise.network.tables import codes_of_nodes, empty_codes
from arcwise.support.arguments import count, real_numbers, seed_sequence
from arcwise.support.errors import ParameterError
from arcwise.support.messages import type_of
from arcwise.support.names import index_of
from arcwise.support.quoting import cut, quoted

__all__ = ["TreeMixture", "read_tree_mixture", "write_tree_mixture"]

Floats = npt.NDArray[np.float64]


@final
class TreeMixture:
    r"""A weighted sum of distributions, each a network whose graph is a tree or a forest; it cannot be changed.

    .. math:: P(x) = \sum_i \mu_i \prod_v P_i(x_v \mid x_{\mathrm{parent}_i(v)})

    `arcwise.tree_mixture` learns one from data, `of` makes one of networks.

    Parameters
    ----------
    names
        The variables.
    states
        For each variable the labels of its states.
    parents
        A row for each tree: the parent of each variable by index, -1 for none.
    tables
        Tables of conditional probabilities, a row for each state of the parent (one row without a parent). A row sums
        to 1 within 1e-3, and is divided by its sum. Trees share tables.
    which
        For each tree and variable the table, by its place among the tables.
    weights
        What each tree counts; they are divided by their sum. By default all the same.

    Raises
    ------
    ParameterError
        If these do not fit each other, a tree has a cycle, or a table holds something else than probabilities.

    Examples
    --------
    >>> wet = [[0.9, 0.1], [0.3, 0.7]]
    >>> mixture = TreeMixture(
    ...     ["rain", "wet"],
    ...     [["no", "yes"]] * 2,
    ...     [[-1, 0], [-1, -1]],
    ...     [[[0.8, 0.2]], wet, [[0.5, 0.5]]],
    ...     [[0, 1], [0, 2]],
    ... )
    >>> mixture
    <TreeMixture: 2 trees over 2 variables>
    >>> mixture.pair_marginal("rain", "wet")  # 0.8 * (0.9 + 0.5) / 2 = 0.56
    array([[0.56, 0.24],
           [0.08, 0.12]])
    """

    __slots__ = ("_begin", "_flat", "_names", "_parents", "_states", "_weights", "_which")

    def __init__(
        self,
        names: Sequence[str],
        states: Sequence[Sequence[str]],
        parents: npt.ArrayLike,
        tables: Sequence[npt.ArrayLike],
        which: npt.ArrayLike,
        weights: npt.ArrayLike | None = None,
    ) -> None:
        try:
            rows = [np.ravel(real_numbers(table)) for table in tables]
        except TypeError as error:
            raise ParameterError.of("tables", f"a list of tables of probabilities: {cut(str(error))}") from None
        lengths = [row.size for row in rows]
        flat = np.concatenate(rows) if rows else np.zeros(0)
        begin = np.cumsum([0, *lengths])
        self._set(checked_mixture(MixtureParts(names, states, parents, flat, begin, which, weights)))

    def _set(self, checked: CheckedMixture) -> None:
        self._names, self._states = checked.names, checked.states
        self._parents, self._which, self._weights = checked.parents, checked.which, checked.weights
        self._flat, self._begin = checked.flat, checked.begin
        for array in (self._parents, self._which, self._weights, self._flat, self._begin):
            array.setflags(write=False)

    @classmethod
    def _of_arrays(cls, *parts: Any) -> "TreeMixture":
        """Return the mixture of its parts, in the order of `MixtureParts`."""
        mixture = cls.__new__(cls)
        mixture._set(checked_mixture(MixtureParts(*parts)))
        return mixture

    @classmethod
    def of(cls, networks: Sequence[BayesianNetwork], weights: npt.ArrayLike | None = None) -> "TreeMixture":
        """Mixture of networks over the same variables and states, in which every node has at most one parent.

        Examples
        --------
        >>> coin, worn = (BayesianNetwork(Dag(["coin"]), [["h", "t"]], [[p, 1 - p]]) for p in (0.5, 0.7))
        >>> TreeMixture.of([coin, worn]).marginal("coin")
        array([0.6, 0.4])
        """
        is_list = isinstance(networks, Sequence) and len(networks) > 0
        if not is_list or not all(isinstance(network, BayesianNetwork) for network in networks):
            hint = "write [network]" if isinstance(networks, BayesianNetwork) else ""
            raise ParameterError.of("networks", "a list of one or more BayesianNetworks", networks, hint)
        first = networks[0]
        for number, network in enumerate(networks):
            if (network.names, network.states) != (first.names, first.states):
                raise ParameterError(f"network {number} has other variables or states than the first one")
            for name, parents in zip(network.names, network.dag.parent_indices, strict=True):
                if len(parents) > 1:
                    raise ParameterError(
                        f"{quoted(name)} has {len(parents)} parents in network {number}; a tree allows one"
                    )
        rows = [[parents[0] if parents else -1 for parents in network.dag.parent_indices] for network in networks]
        tables = [table / table.sum(axis=-1, keepdims=True) for network in networks for table in network.tables]
        which = np.arange(len(tables)).reshape(len(networks), -1)
        return cls(first.names, first.states, rows, tables, which, weights)

    # What it is

    @property
    def names(self) -> tuple[str, ...]:
        """The variables."""
        return self._names

    @property
    def states(self) -> tuple[tuple[str, ...], ...]:
        """For each variable the labels of its states."""
        return self._states

    @property
    def arities(self) -> tuple[int, ...]:
        """For each variable the number of its states."""
        return tuple(map(len, self._states))

    @property
    def parents(self) -> npt.NDArray[np.int32]:
        """A row for each tree: the parent of each variable by index, -1 for none."""
        return self._parents

    @property
    def weights(self) -> Floats:
        """What each tree counts; the sum is 1."""
        return self._weights

    @property
    def n_trees(self) -> int:
        """Number of trees."""
        return len(self._weights)

    def dag(self, tree: int) -> Dag:
        """Graph of one tree, by its number from 0."""
        row = self._parents[self._checked(tree)].tolist()
        return Dag.from_parents(self._names, [[] if parent < 0 else [parent] for parent in row])

    def network(self, tree: int) -> BayesianNetwork:
        """Network of one tree, by its number from 0."""
        dag = self.dag(tree)
        one = self._tree(tree)
        tables = [one.table(v) if parents else one.table(v)[0] for v, parents in enumerate(dag.parent_indices)]
        return BayesianNetwork(dag, self._states, tables)

    # What it says

    def log_likelihood(self, data: Dataset) -> float:
        """Natural logarithm of the probability of the data; minus infinity if a row is impossible.

        Columns are matched by name and states by label, in whatever order; weights count as repeated rows.

        Raises
        ------
        DataError
            If columns and variables differ, or a row has a state that the mixture does not know.
        """
        rows = self.log_likelihoods(data)
        if data.weights is None:
            return float(rows.sum())
        seen = data.weights > 0  # an impossible row that was never seen takes nothing away
        return float(data.weights[seen] @ rows[seen])

    def log_likelihoods(self, data: Dataset) -> Floats:
        """Natural logarithm of the probability of each row, without its weight; otherwise as `log_likelihood`.

        Examples
        --------
        >>> coin, worn = (BayesianNetwork(Dag(["coin"]), [["h", "t"]], [[p, 1 - p]]) for p in (0.5, 0.7))
        >>> data = Dataset.from_codes([[0], [1]], names=["coin"], states=[["h", "t"]])
        >>> np.exp(TreeMixture.of([coin, worn]).log_likelihoods(data)).round(6)
        array([0.6, 0.4])
        """
        codes = np.array(codes_of_nodes(self._names, self._states, data), dtype=np.uint16).T
        with np.errstate(divide="ignore"):  # the logarithm of 0 is meant
            log_flat, log_weights = np.log(self._flat), np.log(self._weights)
        return _core.tree_log_likelihoods(
            codes, list(self.arities), self._parents, self._begin[self._which], log_flat, log_weights
        )

    def sample(self, n_rows: int, *, seed: int | None = None) -> Dataset:
        """Rows drawn from the mixture: a tree for each row, then its variables, parents before children.

        Parameters
        ----------
        n_rows
            How many, at least 1.
        seed
            Same seed, same rows; None draws one.

        Examples
        --------
        >>> network = BayesianNetwork(Dag(["coin"]), [["heads", "tails"]], [[0.5, 0.5]])
        >>> TreeMixture.of([network]).sample(100, seed=1) == TreeMixture.of([network]).sample(100, seed=1)
        True
        """
        n_rows = count("n_rows", n_rows, least=1)
        for_trees, for_states = seed_sequence(seed).spawn(2)
        tree_of_row = np.random.default_rng(for_trees).choice(self.n_trees, size=n_rows, p=self._weights)
        rng = np.random.default_rng(for_states)
        codes = empty_codes(n_rows, self.arities)
        for tree in np.unique(tree_of_row):
            rows = np.flatnonzero(tree_of_row == tree)
            codes[rows] = self._tree(int(tree)).sampled(rng.random((rows.size, len(self._names))))
        return Dataset(codes=codes, names=self._names, states=self._states)

    def marginal(self, variable: str | int) -> Floats:
        """Probabilities of a variable's states."""
        v = self._index(variable)
        total = np.zeros(len(self._states[v]))
        for tree, weight in enumerate(self._weights):
            total += weight * self._tree(tree).single(v)
        return total

    def pair_marginal(self, first: str | int, second: str | int) -> Floats:
        """Probabilities of two variables' states together: a row for each state of the first one."""
        a, b = self._index(first), self._index(second)
        if a == b:
            return np.diag(self.marginal(a))
        total = np.zeros((len(self._states[a]), len(self._states[b])))
        for tree, weight in enumerate(self._weights):
            total += weight * self._tree(tree).pair(a, b)
        return total

    def _arrays(self) -> dict[str, npt.NDArray[np.generic]]:
        return {
            "parents": self._parents,
            "flat": self._flat,
            "begin": self._begin,
            "which": self._which,
            "weights": self._weights,
        }

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, TreeMixture):
            return NotImplemented
        mine, theirs = self._arrays(), other._arrays()
        return (
            self._names == other._names
            and self._states == other._states
            and all(np.array_equal(mine[key], theirs[key]) for key in mine)
        )

    def __hash__(self) -> int:
        return hash((self._names, self._states, self._parents.tobytes()))

    def __repr__(self) -> str:
        n = len(self._names)
        return f"<TreeMixture: {self.n_trees} tree{'s' * (self.n_trees != 1)} over {n} variable{'s' * (n != 1)}>"

    def __reduce__(self) -> tuple[object, ...]:
        return TreeMixture._of_arrays, (self._names, self._states, *self._arrays().values())

    # How it is found

    def _index(self, variable: str | int) -> int:
        return index_of(variable, {name: v for v, name in enumerate(self._names)})

    def _checked(self, tree: int) -> int:
        if count("tree", tree) >= self.n_trees:
            raise ParameterError.of("tree", f"below {self.n_trees}, the number of trees", tree)
        return tree

    def _tree(self, tree: int) -> OneTree:
        return OneTree(np.array(self.arities), self._parents[tree], self._begin[self._which[tree]], self._flat)


def read_tree_mixture(path: str | Path) -> TreeMixture:
    """Mixture from a file that `write_tree_mixture` has written.

    Raises
    ------
    FileNotFoundError
        If there is no such file.
    FormatError
        If the file is not what `write_tree_mixture` writes.
    """
    return read_arrays(path, TreeMixture._of_arrays)


def write_tree_mixture(mixture: TreeMixture, path: str | Path) -> None:
    """Write a mixture to a file (numpy's .npz); `read_tree_mixture` gives it back as it is."""
    if not isinstance(mixture, TreeMixture):
        raise ParameterError.of("mixture", "a TreeMixture", type_of(mixture))
    write_arrays(path, mixture._names, mixture._states, mixture._arrays())
