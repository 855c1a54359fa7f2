"""Exact inference in networks with discrete nodes, continuous ones, or both.

Discrete nodes have discrete parents only. So what is known of continuous nodes reaches them as likelihoods of the
states of the discrete parents of these, which `gaussian_inference` finds: those of a single discrete node are soft
evidence on it, and those of several nodes are gone through one configuration of these nodes at a time.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, cast

import numpy as np
import numpy.typing as npt

from arcwise.data.codes import Codes
from arcwise.graph.dag import Dag
from arcwise.network.distributions import Distribution, Table
from arcwise.network.gaussian_inference import Components, GaussianPart, Group
from arcwise.network.inference import Estimates, Evidence, Inference
from arcwise.network.interruptible import Interruptible
from arcwise.network.known import Known, in_columns
from arcwise.support.errors import TooWideError
from arcwise.support.quoting import listed

if TYPE_CHECKING:
    from arcwise.runs.budget import Budget

__all__ = ["MAX_CONFIGURATIONS", "MixedInference", "Mixture"]

Floats = npt.NDArray[np.float64]
Indices = npt.NDArray[np.intp]

MAX_CONFIGURATIONS = 2**16
"""How many configurations of discrete nodes that are not known are gone through for one row."""

_MOST_CELLS = 2**24  # of the weights of configurations that are in memory at a time


@dataclass(frozen=True)
class Mixture:
    """Distribution of one continuous node in some rows: a mixture of Gaussians.

    Parameters
    ----------
    rows
        Which rows.
    weights, means, deviations
        Rows by Gaussians.
    """

    rows: Indices
    weights: Floats
    means: Floats
    deviations: Floats


@dataclass(frozen=True)
class _Pattern:
    """Rows in which the same nodes are known, and the groups of continuous nodes that matter in them."""

    rows: Indices
    groups: Sequence[Group]
    factors: dict[tuple[int, ...], Floats]
    """Logarithms of the likelihoods of configurations of several hidden nodes: rows by configurations."""

    @property
    def entangled(self) -> tuple[int, ...]:
        """The hidden nodes whose configurations have to be gone through."""
        return tuple(sorted({node for nodes in self.factors for node in nodes}))


@dataclass(frozen=True)
class _Read:
    """What rows say: evidence about the discrete nodes, and in which patterns it came."""

    evidence: Evidence
    patterns: Sequence[_Pattern]
    logs: Floats  # what to add to the logarithm of the probability of the evidence
    budget: "Budget"


class MixedInference:
    """Answers questions about rows in which anything may be known.

    Nodes are indices in the network. Where what is known is impossible, answers are NaN and logarithms minus infinity.

    Parameters
    ----------
    dag
        The graph.
    arities
        Number of states of each node; 0 for a continuous one.
    distributions
        Of each node.
    """

    def __init__(self, dag: Dag, arities: Sequence[int], distributions: Sequence[Distribution]) -> None:
        self.dag, self.arities = dag, tuple(arities)
        self.gaussians = GaussianPart(dag, distributions)
        self._discrete = [node for node, arity in enumerate(arities) if arity]
        self._place = {node: place for place, node in enumerate(self._discrete)}
        self._tables: Inference | None = None
        if self._discrete:
            names = [dag.names[node] for node in self._discrete]
            parents = [[self._place[parent] for parent in dag.parent_indices[node]] for node in self._discrete]
            tables = [found.probabilities for found in distributions if isinstance(found, Table)]
            kinds = [arities[node] for node in self._discrete]
            self._tables = Inference(Dag.from_parents(names, parents), kinds, tables)

    @property
    def tables(self) -> Inference:
        """Inference in the discrete nodes, which are those of the network without the continuous ones."""
        assert self._tables is not None
        return self._tables

    # Questions

    def marginals(self, targets: Sequence[int], known: Known, budget: Interruptible) -> list[Floats]:
        """For each discrete target the probabilities of its states, rows by states."""
        read = self._read(known, budget)
        if any(pattern.factors for pattern in read.patterns):
            return [self._joint([target], read) for target in targets]
        return self.tables.marginals([self._place[target] for target in targets], read.evidence, read.budget)

    def approximate_marginals(
        self, targets: Sequence[int], known: Known, draws: tuple[int, int], budget: Interruptible
    ) -> Estimates:
        """Estimate the same by draws, where all nodes are discrete: given their seed, and how many there are."""
        evidence = Evidence(known.codes, known.likelihoods)
        seed, n_draws = draws
        return self.tables.approximate_marginals(targets, evidence, seed, draws=n_draws, budget=cast("Budget", budget))

    def joint(self, targets: Sequence[int], known: Known, budget: Interruptible) -> Floats:
        """Joint probabilities of discrete targets: rows, then an axis for each target."""
        return self._joint(targets, self._read(known, budget))

    def log_probabilities(self, known: Known, budget: Interruptible) -> Floats:
        """Natural logarithm of the probability of what is known, or of its density, in each row."""
        read = self._read(known, budget)
        total = read.logs.copy()
        if self._discrete:
            total += self.tables.log_probabilities(read.evidence, read.budget)
        for pattern in read.patterns:
            if pattern.factors:
                total[pattern.rows] += self._weighted(pattern, (), read)[1]
        return total

    def moments(self, targets: Sequence[int], known: Known, budget: Interruptible) -> tuple[Floats, Floats]:
        """Means of continuous targets, rows by targets, and their covariances, rows by targets by targets."""
        read = self._read(known, budget, targets)
        means = np.empty((known.n_rows, len(targets)))
        covariances = np.empty((known.n_rows, len(targets), len(targets)))
        for pattern in read.patterns:
            for rows, weights, each, blocks in self._components(pattern, targets, known, read):
                centre = np.einsum("rc,rct->rt", weights, each)
                away = each - centre[:, None]
                means[rows] = centre
                covariances[rows] = np.einsum("rc,rct,rcs->rts", weights, away, away)
                covariances[rows] += np.einsum("rc,rcts->rts", weights, blocks)
        return means, covariances

    def mixtures(self, target: int, known: Known, budget: Interruptible) -> list[Mixture]:
        """Distribution of a continuous target in each row."""
        read = self._read(known, budget, [target])
        return [
            Mixture(rows, weights, means[:, :, 0], np.sqrt(blocks[:, :, 0, 0]))
            for pattern in read.patterns
            for rows, weights, means, blocks in self._components(pattern, [target], known, read)
        ]

    def most_probable(self, known: Known, budget: Interruptible) -> tuple[Codes, Floats, Floats]:
        """Codes, numbers, and the logarithm of the probability of the states together with what is known.

        These are the most probable states of the discrete nodes, and the means of the continuous ones given them.
        """
        read = self._read(known, budget)
        codes, logs = known.codes.copy(order="F"), read.logs.copy()
        if self._discrete:
            found, best = self._most_probable_states(read)
            codes[:, self._discrete] = found
            logs += best
        numbers = self._completed(codes, known, None, budget)
        return codes, numbers, logs

    def sample(self, known: Known, seed: int, budget: Interruptible) -> tuple[Codes, Floats]:
        """Codes and numbers of each row, drawn from their distribution given what is known in it."""
        for_states, for_kernel, for_numbers = np.random.SeedSequence(seed).spawn(3)
        read = self._read(known, budget)
        codes = known.codes.copy(order="F")
        if self._discrete:
            evidence = read.evidence.codes.copy(order="F")
            rng = np.random.default_rng(for_states)
            for pattern in read.patterns:
                if pattern.factors:
                    self._draw(pattern, read, evidence, rng.random(len(pattern.rows)))
            drawn = Evidence(evidence, read.evidence.likelihoods)
            kernel_seed = int(for_kernel.generate_state(1, np.uint64)[0])
            codes[:, self._discrete] = self.tables.sample(drawn, kernel_seed, read.budget)
        return codes, self._completed(codes, known, np.random.default_rng(for_numbers), budget)

    # What is known, as evidence about the discrete nodes

    def _read(self, known: Known, budget: Interruptible, wanted: Iterable[int] = ()) -> _Read:
        codes = in_columns(known.codes[:, self._discrete])
        soft = {self._place[node]: found for node, found in known.likelihoods.items()}
        logs, kernel = np.zeros(known.n_rows), cast("Budget", budget)  # has what inference asks it for
        if not self.gaussians.columns:
            return _Read(Evidence(codes, soft), (), logs, kernel)
        patterns: list[_Pattern] = []
        single: dict[int, Floats] = {}  # logarithms of likelihoods of the states of single nodes
        for group, rows, owners in self._by_group(patterns, known, budget, wanted):
            found = group.components(known.codes[rows], known.numbers[rows]).logs
            if len(group.hidden) > 1:
                for pattern, part in owners:
                    before = pattern.factors.get(group.hidden)
                    pattern.factors[group.hidden] = found[part] if before is None else before + found[part]
            elif group.hidden:
                node = self._place[group.hidden[0]]
                single.setdefault(node, np.zeros((known.n_rows, found.shape[1])))[rows] += found
            else:
                logs[rows] += found[:, 0]
        for node, logarithms in single.items():
            largest = logarithms.max(axis=1)
            logs += largest
            likelihoods = np.exp(logarithms - largest[:, None])
            soft[node] = likelihoods * soft[node] if node in soft else likelihoods
        return _Read(Evidence(codes, soft), patterns, logs, kernel)

    def _by_group(
        self, patterns: list[_Pattern], known: Known, budget: Interruptible, wanted: Iterable[int]
    ) -> Iterable[tuple[Group, Indices, list[tuple[_Pattern, slice]]]]:
        """Make the patterns of the rows, and give each group in which something is known, with its rows.

        Patterns share groups: the rows of all of them come together, with the part that each pattern has of them.
        """
        shared: dict[object, tuple[Group, list[_Pattern]]] = {}
        for rows, nodes in self._alike(known):
            budget.check()
            pattern = _Pattern(rows, self.gaussians.groups(nodes, wanted), {})
            patterns.append(pattern)
            for group in pattern.groups:
                if group.seen:
                    self._refuse_too_many(group.hidden)
                    shared.setdefault(group.key, (group, []))[1].append(pattern)
        for group, owners in shared.values():
            budget.check()
            ends = np.cumsum([len(owner.rows) for owner in owners]).tolist()
            parts = map(slice, [0, *ends[:-1]], ends)
            yield group, np.concatenate([owner.rows for owner in owners]), list(zip(owners, parts, strict=True))

    def _alike(self, known: Known) -> list[tuple[Indices, frozenset[int]]]:
        """Rows in which the same continuous nodes and parents of such are known, and which nodes these are."""
        parents, columns = list(self.gaussians.discrete_parents), list(self.gaussians.columns)
        is_known = np.column_stack(
            [known.codes[:, parents] < np.array(self.arities)[parents], ~np.isnan(known.numbers)]
        )
        kinds, which = np.unique(np.packbits(is_known, axis=1), axis=0, return_inverse=True)
        order = np.argsort(which.ravel(), kind="stable")
        ends = np.cumsum(np.bincount(which.ravel(), minlength=len(kinds)))
        nodes = np.array([*parents, *columns])
        split = np.split(order, ends[:-1])
        return [(rows, frozenset(nodes[is_known[rows[0]]].tolist())) for rows in split]

    # Probabilities of configurations

    def _joint(self, targets: Sequence[int], read: _Read) -> Floats:
        """Joint probabilities of discrete targets: rows, then an axis for each target."""
        shape = [self.arities[target] for target in targets]
        answer = np.empty((len(read.logs), *shape))
        plain = np.ones(len(answer), dtype=np.bool_)
        for pattern in read.patterns:
            if pattern.factors:
                plain[pattern.rows] = False
                answer[pattern.rows] = self._weighted(pattern, targets, read)[0]
        rows = np.flatnonzero(plain)
        if rows.size:
            places = [self._place[target] for target in targets]
            answer[rows] = self.tables.joint(places, _rows_of(read.evidence, rows), read.budget)
        return answer

    def _weighted(self, pattern: _Pattern, targets: Sequence[int], read: _Read) -> tuple[Floats, Floats]:
        """Joint probabilities of targets in the rows of a pattern, and the logarithm of what its factors sum to."""
        others = [node for node in pattern.entangled if node not in targets]
        axes = [*targets, *others]
        self._refuse_too_many(axes)
        n_cells = math.prod(self.arities[node] for node in axes)
        joint, logs = np.empty((len(pattern.rows), n_cells)), np.empty(len(pattern.rows))
        for some in _chunks(len(pattern.rows), n_cells):
            evidence = _rows_of(read.evidence, pattern.rows[some])
            found = self.tables.joint([self._place[node] for node in axes], evidence, read.budget)
            found = found.reshape(len(some), n_cells)
            factor = np.zeros((len(some), *(self.arities[node] for node in axes)))
            for nodes, logarithms in pattern.factors.items():
                factor += self._spread(logarithms[some], nodes, axes)
            factor = factor.reshape(len(some), n_cells)
            with np.errstate(divide="ignore", invalid="ignore"):
                # Only what is possible counts: elsewhere densities may be far larger.
                largest = np.where(found > 0, factor, -np.inf).max(axis=1, keepdims=True)
                weights = np.where(found > 0, found * np.exp(factor - largest), 0.0)
                sums = weights.sum(axis=1)
                joint[some] = weights / sums[:, None]
                logs[some] = np.where(sums > 0, np.log(sums) + largest[:, 0], -np.inf)
        n_targets = math.prod(self.arities[node] for node in targets)
        shape = (len(pattern.rows), *(self.arities[node] for node in targets))
        return joint.reshape(len(pattern.rows), n_targets, -1).sum(axis=2).reshape(shape), logs

    def _spread(self, logarithms: Floats, nodes: Sequence[int], axes: Sequence[int]) -> Floats:
        """Logarithms over configurations of some nodes, as an array that goes with others over all the axes."""
        each = logarithms.reshape(len(logarithms), *(self.arities[node] for node in nodes))
        order = sorted(range(len(nodes)), key=lambda place: axes.index(nodes[place]))
        each = each.transpose([0, *(place + 1 for place in order)])
        return each.reshape(len(logarithms), *(self.arities[axis] if axis in nodes else 1 for axis in axes))

    def _most_probable_states(self, read: _Read) -> tuple[Codes, Floats]:
        """Most probable states of the discrete nodes, and the logarithms of their probabilities with the evidence."""
        codes, logs = self.tables.most_probable(read.evidence, read.budget)
        for pattern in read.patterns:
            if not pattern.factors:
                continue
            nodes = pattern.entangled
            self._refuse_too_many(nodes)
            shape = tuple(self.arities[node] for node in nodes)
            best = np.full(len(pattern.rows), -np.inf)
            for configuration in np.ndindex(shape):
                evidence = _rows_of(read.evidence, pattern.rows)
                fixed = evidence.codes.copy(order="F")
                fixed[:, [self._place[node] for node in nodes]] = configuration
                found, each = self.tables.most_probable(replace(evidence, codes=fixed), read.budget)
                states = dict(zip(nodes, configuration, strict=True))
                for some, logarithms in pattern.factors.items():
                    at = np.ravel_multi_index([states[node] for node in some], [self.arities[node] for node in some])
                    each = each + logarithms[:, at]
                better = each > best
                best[better] = each[better]
                codes[pattern.rows[better]] = found[better]
            logs[pattern.rows] = best
        return codes, logs

    def _draw(self, pattern: _Pattern, read: _Read, codes: Codes, uniform: Floats) -> None:
        """Draw the entangled nodes of a pattern's rows into the codes."""
        nodes = pattern.entangled
        joint = self._weighted(pattern, nodes, read)[0].reshape(len(pattern.rows), -1)
        cumulated = joint.cumsum(axis=1)
        chosen = (uniform[:, None] * cumulated[:, -1:] >= cumulated).sum(axis=1)
        shape = [self.arities[node] for node in nodes]
        states = np.unravel_index(np.minimum(chosen, joint.shape[1] - 1), shape)
        for node, column in zip(nodes, states, strict=True):
            codes[pattern.rows, self._place[node]] = column

    # Numbers

    def _components(
        self, pattern: _Pattern, targets: Sequence[int], known: Known, read: _Read
    ) -> Iterable[tuple[Indices, Floats, Floats, Floats]]:
        """Gaussians of continuous targets: rows, weights, means and covariances by rows and configurations."""
        groups = [next(group for group in pattern.groups if target in group.places) for target in targets]
        hidden = tuple(sorted({node for group in groups for node in group.hidden}))
        self._refuse_too_many([*hidden, *(node for node in pattern.entangled if node not in hidden)])
        n_cells = math.prod(self.arities[node] for node in hidden)
        for some in _chunks(len(pattern.rows), n_cells * len(targets) ** 2):
            rows = pattern.rows[some]
            weights = np.ones((len(rows), 1))
            if hidden:
                factors = {nodes: found[some] for nodes, found in pattern.factors.items()}
                part = _Pattern(rows, pattern.groups, factors)
                weights = self._weighted(part, hidden, read)[0].reshape(len(rows), n_cells)
            means = np.empty((len(rows), n_cells, len(targets)))
            blocks = np.zeros((len(rows), n_cells, len(targets), len(targets)))
            for group in {id(group): group for group in groups}.values():
                places = [place for place, other in enumerate(groups) if other is group]
                found = group.components(known.codes[rows], known.numbers[rows], [targets[place] for place in places])
                at = self._positions(group.hidden, hidden)
                means[:, :, places] = found.means[:, at]
                covariances = found.covariances()[:, at][found.kinds]
                blocks[:, :, np.array(places)[:, None], np.array(places)] = covariances
            yield rows, weights, means, blocks

    def _positions(self, nodes: Sequence[int], among: Sequence[int]) -> Indices:
        """For each configuration of some nodes the position of that of fewer nodes."""
        shape = [self.arities[node] for node in among]
        states = np.unravel_index(np.arange(math.prod(shape)), shape) if among else ()
        position = np.zeros(math.prod(shape), dtype=np.intp)
        for node in nodes:
            position = position * self.arities[node] + states[among.index(node)]
        return position

    def _completed(self, codes: Codes, known: Known, rng: np.random.Generator | None, budget: Interruptible) -> Floats:
        """Numbers of all continuous nodes where all states are known: means, or draws with a generator."""
        numbers = known.numbers.copy(order="F")
        columns = self.gaussians.columns
        if not columns:
            return numbers
        noise = None if rng is None else rng.standard_normal(numbers.shape)
        possible = (codes[:, self._discrete] < np.array(self.arities)[self._discrete]).all(axis=1)
        where = np.flatnonzero(possible)
        complete = Known(codes[where], known.numbers[where])
        shared: dict[object, tuple[Group, list[Indices]]] = {}
        for some, nodes in self._alike(complete) if where.size else ():
            budget.check()
            for group in self.gaussians.groups(nodes, [node for node in columns if node not in nodes]):
                if group.unknown:
                    shared.setdefault(group.key, (group, []))[1].append(where[some])
        for group, each in shared.values():
            budget.check()
            rows = np.concatenate(each)
            found = group.components(codes[rows], known.numbers[rows], group.unknown)
            cells = np.ix_(rows, np.array([columns[node] for node in group.unknown]))
            numbers[cells] = found.means[:, 0]
            if noise is not None:
                numbers[cells] += _times_roots(found, noise[cells])
        return numbers

    def _refuse_too_many(self, nodes: Sequence[int]) -> None:
        """Refuse to go through all configurations of these nodes where they are too many."""
        n = math.prod(self.arities[node] for node in nodes)
        if n > MAX_CONFIGURATIONS:
            names = listed([self.dag.names[node] for node in nodes])
            raise TooWideError(
                f"continuous nodes join {len(nodes)} discrete nodes that are not known ({names}), which have {n:,} "
                f"configurations together; at most {MAX_CONFIGURATIONS:,} are gone through: say the states of some of "
                "them, ask given fewer numbers, or cut the continuous nodes into states",
                cells=n,
                n_bytes=8 * n,
            )


def _times_roots(found: Components, noise: Floats) -> Floats:
    """Noise with the covariances of the components, whose groups have no hidden nodes."""
    drawn = np.empty_like(noise)
    for kind, root in enumerate(found.roots[:, 0]):
        rows = np.flatnonzero(found.kinds == kind)
        drawn[rows] = noise[rows] @ root.T
    return drawn


def _rows_of(evidence: Evidence, rows: Indices) -> Evidence:
    if len(rows) == len(evidence.codes) and np.array_equal(rows, np.arange(len(rows))):
        return evidence
    soft = {node: found if len(found) == 1 else found[rows] for node, found in evidence.likelihoods.items()}
    return Evidence(in_columns(evidence.codes[rows]), soft)


def _chunks(n_rows: int, n_cells: int) -> Iterable[Indices]:
    """Rows, so many at a time that arrays with so many cells for each of them stay small."""
    step = max(1, _MOST_CELLS // max(1, n_cells))
    for begin in range(0, n_rows, step):
        yield np.arange(begin, min(n_rows, begin + step))
