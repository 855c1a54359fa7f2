"""Exact inference in discrete networks: posteriors, probabilities, explanations and draws for rows of evidence."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import prod
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from arcwise import _core
from arcwise.data.codes import Codes
from arcwise.graph.dag import Dag
from arcwise.network.weighting import Estimates, WeightedSampler
from arcwise.support.arguments import count, kernel_seeds, recorded_seed
from arcwise.support.errors import ParameterError, TooWideError
from arcwise.support.machine import available_memory, gigabytes, workers_or_default

if TYPE_CHECKING:
    from arcwise.runs.budget import Budget

__all__ = ["Cost", "Estimates", "Evidence", "Inference"]

Floats = npt.NDArray[np.float64]

# So much is always there for so many rows.
_LITTLE_MEMORY, _FEW_ROWS = 1 << 26, 16


@dataclass(frozen=True)
class Evidence:
    """What is known of the nodes in some rows.

    Parameters
    ----------
    codes
        Rows by nodes. A code equal to the node's number of states says that the node is not known.
    likelihoods
        Soft evidence: for some nodes, by index, the likelihood of what was seen in each of their states, rows (or 1,
        for all of them) by states. Where a node has both, both count.
    """

    codes: Codes
    likelihoods: Mapping[int, Floats] = field(default_factory=dict)

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return len(self.codes)


@dataclass(frozen=True)
class Cost:
    """What an answer takes, known before any table is made.

    Parameters
    ----------
    nodes
        How many nodes the largest clique has.
    cells
        How many cells its table has.
    n_bytes
        What the tables of all cliques take.
    """

    nodes: int
    cells: int
    n_bytes: int


class Inference:
    """Exact answers to questions about one discrete network, for rows of evidence.

    Answers come from junction trees: of the relevant part of the network only, with the nodes that are known cut out,
    several rows side by side. Rows in which the same nodes are known share a plan, rows that are the same are answered
    once. The number of workers does not change an answer; the other rows of a batch may change its last digits.

    Where the evidence of a row has probability 0, its probabilities are NaN, its logarithm is minus infinity, and its
    states are as they were given. Rows that a budget left without an answer have NaN in all of them.

    Parameters
    ----------
    dag
        The graph.
    arities
        Number of states of each node, in the order of the graph.
    tables
        For each node its probabilities: an axis for each parent, in the order of `dag.parent_indices`, and a last one
        for the node. Each distribution is divided by its sum.
    memory
        How many bytes the tables may take; what is available when None.
    workers
        Threads; one per core when None.

    Raises
    ------
    ParameterError
        If arities or tables do not fit the graph.

    Examples
    --------
    >>> from arcwise import load_example
    >>> network = load_example("asia")
    >>> inference = Inference(network.dag, network.arities, network.tables)
    >>> codes = np.asfortranarray(np.tile(np.array(network.arities, dtype=np.uint8), (2, 1)))
    >>> codes[1, network.dag.index("dysp")] = 0  # yes
    >>> [bronchitis] = inference.marginals([network.dag.index("bronc")], Evidence(codes))
    >>> bronchitis[:, 0].round(3)
    array([0.45 , 0.834])
    """

    def __init__(
        self,
        dag: Dag,
        arities: Sequence[int],
        tables: Sequence[npt.ArrayLike],
        *,
        memory: int | None = None,
        workers: int | None = None,
    ) -> None:
        self._dag, self._arities = dag, tuple(arities)
        if not len(self._arities) == len(tables) == dag.n_nodes:
            raise ParameterError.of("tables", f"one entry for each of {dag.n_nodes} nodes", len(tables), verb="have")
        self._memory = None if memory is None else count("memory", memory)
        self._workers = workers_or_default(workers)
        self._tables = [self._checked(node, np.asarray(table, dtype=float)) for node, table in enumerate(tables)]
        parents = [list(row) for row in dag.parent_indices]
        self._core = _core.Inference(list(self._arities), parents, [table.ravel() for table in self._tables])

    def _checked(self, node: int, table: Floats) -> Floats:
        shape = tuple(self._arities[member] for member in (*self._dag.parent_indices[node], node))
        if table.shape != shape or not table.size:
            raise ParameterError(
                f"the table of {self._dag.names[node]!r} must have the shape {shape}, not {table.shape}"
            )
        sums = table.sum(axis=-1, keepdims=True)
        if not ((table >= 0).all() and (sums > 0).all() and np.isfinite(sums).all()):
            raise ParameterError(f"the table of {self._dag.names[node]!r} must hold probabilities")
        return np.ascontiguousarray(table / sums)

    @property
    def dag(self) -> Dag:
        """The graph."""
        return self._dag

    @property
    def arities(self) -> tuple[int, ...]:
        """Number of states of each node."""
        return self._arities

    @property
    def tables(self) -> list[Floats]:
        """For each node its probabilities, divided by their sums."""
        return self._tables

    def cost(self, targets: Sequence[int] | None = None, known: Sequence[int] = ()) -> Cost:
        """What the posteriors of some nodes take in rows where others are known.

        Parameters
        ----------
        targets
            The nodes that are asked for; all when None.
        known
            The nodes that are known.

        Examples
        --------
        >>> from arcwise import load_example
        >>> network = load_example("asia")
        >>> Inference(network.dag, network.arities, network.tables).cost()
        Cost(nodes=3, cells=8, n_bytes=320)
        """
        nodes = range(self._dag.n_nodes) if targets is None else self._nodes(targets)
        return self._cost(self._core.cost([[node] for node in nodes], self._nodes(known)))

    def marginals(self, targets: Sequence[int], evidence: Evidence, budget: "Budget | None" = None) -> list[Floats]:
        """Posterior of each of some nodes.

        Parameters
        ----------
        targets
            The nodes, by index.
        evidence
            What is known.
        budget
            What may be used; without limits when None.

        Returns
        -------
            For each target an array of rows by states.

        Raises
        ------
        TooWideError
            If the tables would not fit into the memory.
        """
        return self.joints([[target] for target in targets], evidence, budget)[0]

    def joint(self, targets: Sequence[int], evidence: Evidence, budget: "Budget | None" = None) -> Floats:
        """Joint posterior of some nodes, an axis for each of them after that of the rows; otherwise as `marginals`."""
        return self.joints([targets], evidence, budget)[0][0]

    def joints(
        self, sets: Sequence[Sequence[int]], evidence: Evidence, budget: "Budget | None" = None
    ) -> tuple[list[Floats], Floats]:
        """Joint posteriors of several sets of nodes, and the logarithms of the probability of the evidence.

        Sets that are families of the graph, or parts of them, cost no more than single nodes; others may make cliques
        larger.

        Parameters
        ----------
        sets
            The nodes of each set, by index, at least one.
        evidence
            What is known.
        budget
            What may be used; without limits when None.

        Examples
        --------
        >>> from arcwise import load_example
        >>> network = load_example("asia")
        >>> inference = Inference(network.dag, network.arities, network.tables)
        >>> nothing = Evidence(np.array([network.arities], dtype=np.uint8, order="F"))
        >>> [family], _ = inference.joints([[*network.dag.parent_indices[1], 1]], nothing)
        >>> np.allclose(family[0].sum(axis=0), inference.marginals([1], nothing)[0])
        True
        """
        checked = [self._nodes(nodes) for nodes in sets]
        if not all(checked):
            raise ParameterError.of("targets", "at least one node", verb="have")
        shapes = [[evidence.n_rows, *(self._arities[node] for node in nodes)] for nodes in checked]
        core, kernel_budget = self._core_evidence(evidence), self._core_budget(budget)
        numbers = sum(map(prod, shapes))
        for memory in self._limits(evidence.n_rows, 8 * numbers):
            found, logs, needed = self._core.posteriors(core, checked, memory, kernel_budget)
            if needed is None:
                break
        self._refuse(needed, memory)
        answers = [table.reshape(shape) for table, shape in zip(found, shapes, strict=True)]
        missing = np.isnan(logs)
        if missing.any():
            for answer in answers:
                answer[missing] = np.nan
        return answers, logs

    def log_probabilities(self, evidence: Evidence, budget: "Budget | None" = None) -> Floats:
        """Natural logarithm of the probability of the evidence in each row; otherwise as `marginals`.

        With soft evidence it is that of the expected likelihood.
        """
        return self.joints([], evidence, budget)[1]

    def most_probable(self, evidence: Evidence, budget: "Budget | None" = None) -> tuple[Codes, Floats]:
        """Most probable explanation: states of all nodes in each row, and the logarithm of their probability.

        That is the probability of the states and of the evidence together. Otherwise as `marginals`.
        """
        return self._states(None, evidence, budget)

    def sample(self, evidence: Evidence, seed: int, budget: "Budget | None" = None) -> Codes:
        """States of all nodes in each row, drawn from their joint posterior; otherwise as `marginals`.

        Each row has a stream of its own, spawned from the seed.
        """
        return self._states(next(kernel_seeds(recorded_seed(seed), 1)), evidence, budget)[0]

    def approximate_marginals(
        self,
        targets: Sequence[int],
        evidence: Evidence,
        seed: int,
        *,
        draws: int = 100_000,
        budget: "Budget | None" = None,
    ) -> Estimates:
        """Posterior of each of some nodes, estimated from draws: for networks that are too wide for exact answers.

        Nodes are drawn parents first, and a draw has the probability of what is known as its weight (likelihood
        weighting). The less probable the evidence, the fewer draws count: `effective_draws` says how many.

        Parameters
        ----------
        targets
            The nodes, by index.
        evidence
            What is known.
        seed
            Same seed, same answer; each row has a stream of its own.
        draws
            How many there are for each row.
        budget
            When it ends, the draws that were made must do.

        Examples
        --------
        >>> from arcwise import load_example
        >>> network = load_example("asia")
        >>> inference = Inference(network.dag, network.arities, network.tables)
        >>> nothing = Evidence(np.array([network.arities], dtype=np.uint8, order="F"))
        >>> found = inference.approximate_marginals([network.dag.index("bronc")], nothing, seed=1)
        >>> bool(abs(found.probabilities[0][0, 0] - 0.45) < 4 * found.standard_errors[0][0, 0] < 0.01)
        True
        """
        nodes, n_draws = self._nodes(targets), count("draws", draws, least=1)
        sampler, kernel_budget = WeightedSampler(self._dag, self._tables), self._core_budget(budget)
        self._core_evidence(evidence)  # refuses what is wrong
        streams = np.random.SeedSequence(recorded_seed(seed)).spawn(evidence.n_rows)
        rows = []
        for row, stream in enumerate(streams):
            known = {node: int(code) for node, code in enumerate(evidence.codes[row]) if code < self._arities[node]}
            soft = {node: given[row if len(given) > 1 else 0] for node, given in evidence.likelihoods.items()}
            rows.append(sampler.row_estimates(nodes, known, soft, (stream, n_draws), kernel_budget))
        shapes = [(evidence.n_rows, self._arities[node]) for node in nodes]
        return Estimates(
            [np.array([found[0][k] for found in rows]).reshape(shape) for k, shape in enumerate(shapes)],
            [np.array([found[1][k] for found in rows]).reshape(shape) for k, shape in enumerate(shapes)],
            np.array([found[2] for found in rows]),
        )

    def _states(self, seed: int | None, evidence: Evidence, budget: "Budget | None") -> tuple[Codes, Floats]:
        core, kernel_budget = self._core_evidence(evidence), self._core_budget(budget)
        for memory in self._limits(evidence.n_rows, evidence.codes.nbytes):
            codes, logs, needed = self._core.states(core, seed, memory, kernel_budget)
            if needed is None:
                break
        self._refuse(needed, memory)
        return codes.reshape(evidence.codes.shape, order="F"), logs

    def _limits(self, n_rows: int, n_bytes: int) -> Iterator[int]:
        """Bytes that may be used, from an answer of so many bytes on: little at first for few rows.

        To ask the system takes longer than to answer most questions.
        """
        if self._memory is None and n_rows <= _FEW_ROWS and n_bytes <= _LITTLE_MEMORY:
            yield _LITTLE_MEMORY
        memory = available_memory() if self._memory is None else self._memory
        if n_bytes > memory:
            raise TooWideError(
                f"the answers alone would take {gigabytes(n_bytes)}, and there are {gigabytes(memory)}; ask for fewer "
                "nodes at a time, or for fewer rows",
                cells=n_bytes // 8,
                n_bytes=n_bytes,
            )
        yield memory

    def _core_budget(self, budget: "Budget | None") -> _core.Budget:
        return _core.Budget(threads=self._workers) if budget is None else budget.for_kernel(self._workers)

    def _core_evidence(self, evidence: Evidence) -> _core.RowEvidence:
        codes: Codes = np.asfortranarray(evidence.codes)  # type: ignore[assignment]  # numpy forgets which it was
        if codes.ndim != 2 or codes.shape[1] != self._dag.n_nodes or codes.dtype not in (np.uint8, np.uint16):
            raise ParameterError.of("codes", f"8 or 16 bits and a column for each of {self._dag.n_nodes} nodes")
        likelihoods = []
        for node, given in evidence.likelihoods.items():
            rows = np.ascontiguousarray(given, dtype=float)
            arity = self._arities[node]
            if rows.ndim != 2 or len(rows) not in (1, len(codes)) or rows.shape[1] != arity:
                allowed = f"a number for each of {arity} states, in 1 row or {len(codes)}"
                raise ParameterError.of("likelihoods", allowed, rows.shape, verb="have")
            if not (np.isfinite(rows) & (rows >= 0)).all():
                raise ParameterError.of("likelihoods", "finite numbers of at least 0", verb="have")
            likelihoods.append((node, rows))
        return _core.RowEvidence(codes, likelihoods)

    def _nodes(self, nodes: Sequence[int]) -> list[int]:
        checked = [int(node) for node in nodes]
        if len(set(checked)) < len(checked) or not all(0 <= node < self._dag.n_nodes for node in checked):
            raise ParameterError.of("targets", f"different numbers below {self._dag.n_nodes}", checked)
        return checked

    @staticmethod
    def _cost(needed: tuple[int, float, float]) -> Cost:
        nodes, largest, cells = needed
        most = 1e300  # what is infinite is only beyond all numbers
        return Cost(nodes, int(min(largest, most)), 8 * int(min(cells, most)))

    def _refuse(self, needed: tuple[int, float, float] | None, memory: int) -> None:
        if needed is None:
            return
        cost = self._cost(needed)
        raise TooWideError(
            f"an exact answer needs a table over {cost.nodes} nodes with {cost.cells:,} cells, and "
            f"{gigabytes(cost.n_bytes)} for all of its tables, but there are {gigabytes(memory)}; "
            "it takes less where more nodes are known",
            cells=cost.cells,
            n_bytes=cost.n_bytes,
        )
