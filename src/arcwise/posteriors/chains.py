"""Chains of graphs that are drawn from the posterior: where they begin, when they end, and what is kept of them."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from math import inf
from typing import Any

import numpy as np
import numpy.typing as npt

from arcwise import _core
from arcwise.graph.dag import Dag
from arcwise.posteriors.candidates import Candidates, candidates_of, outside_arcs
from arcwise.posteriors.diagnostics import Diagnostics, effective_sizes, r_hats, standard_errors
from arcwise.runs.budget import Budget, side_by_side
from arcwise.search.dags.greedy import Greedy
from arcwise.search.search import Problem, run_search
from arcwise.support.errors import ParameterError
from arcwise.support.machine import gigabytes
from arcwise.support.messages import Name

__all__ = ["ChainOptions", "ChainState", "begun", "continued", "default_candidates"]

Masks = npt.NDArray[np.uint32]
Means = npt.NDArray[np.float64]

#: Chains whose potential scale reduction is larger have not mixed.
MOST_R_HAT = 1.05

_FIRST_SWEEPS = 200
_FIRST_DRAWS = 25
_FIRST_POWER = 0.1
_BATCH = 25
_MOST_BATCHES = 32
_FEWEST_BATCHES = 16
# An arc outside the candidates that may be more probable than this becomes one.
_PROBABLE = 0.01
_ROUNDS_OF_CANDIDATES = 3


@dataclass(frozen=True)
class ChainOptions:
    """How many chains, how precise, how many graphs to keep, how many candidate parents."""

    chains: int
    precision: float
    draws: int
    candidates: int


@dataclass(frozen=True, eq=False)
class ChainState:
    """Chains between two rounds: enough to continue them.

    Attributes
    ----------
    candidates
        The candidate parents of each variable.
    last
        The graph that each chain has come to.
    means
        By chain, batch and arc: the mean probability of the arc in the batch. Arcs are listed by child and candidate.
    draws
        By chain and batch, the graphs that were drawn in it.
    sweeps
        In a batch.
    rounds
        How many batches were done, before they were put together.
    outside
        The largest probability that an arc from outside the candidates would have, at most.
    """

    candidates: Candidates
    last: Masks
    means: Means
    draws: npt.NDArray[np.uint32]
    sweeps: int
    rounds: int
    outside: float

    @property
    def kept(self) -> "ChainState":
        """The second half of the batches: what comes before depends on where the chains began."""
        first = self.means.shape[1] - self.means.shape[1] // 4 * 2
        return replace(self, means=self.means[:, first:], draws=self.draws[:, first:])

    @property
    def diagnostics(self) -> Diagnostics:
        """How the chains have mixed."""
        kept, total = self.kept.means, self.sweeps * self.means.shape[1]
        n_candidates = max(map(len, self.candidates), default=0)
        chains = len(self.last)
        if kept.shape[1] < 2:
            return Diagnostics(inf, 0.0, chains, total, n_candidates, self.outside)
        if not kept.shape[2]:  # no arc is possible
            return Diagnostics(1.0, inf, chains, total, n_candidates, self.outside)
        least = int(standard_errors(kept).argmax())
        sizes = effective_sizes(kept[:, :, least : least + 1])
        return Diagnostics(float(r_hats(kept).max()), float(sizes[0]), chains, total, n_candidates, self.outside)

    @property
    def error(self) -> float:
        """Two standard errors of the arc that is least certain; infinity where there is too little to tell."""
        kept = self.kept.means
        if kept.shape[1] < 2:
            return inf
        return 2 * float(standard_errors(kept).max(initial=0.0))

    @property
    def masks(self) -> Masks:
        """The graphs that were drawn, a row for each."""
        kept = self.kept.draws
        return np.ascontiguousarray(kept.reshape(-1, kept.shape[-1]))

    def arcs(self) -> npt.NDArray[np.float64]:
        """Return the probabilities of all arcs as a matrix."""
        n, kept = len(self.candidates), self.kept.means
        if not kept.shape[1]:
            kept = self.means
        matrix = np.zeros((n, n))
        children = np.repeat(np.arange(n), [len(its) for its in self.candidates])
        parents = np.array([one for its in self.candidates for one in its], dtype=np.intp)
        if kept.shape[1]:
            matrix[parents, children] = kept.mean(axis=(0, 1))
        return matrix

    def with_batch(self, parts: Sequence[_core.ChainPart]) -> "ChainState":
        """Return the state after one more batch; where there are many, each two become one."""
        n = len(self.candidates)
        means = np.concatenate([self.means, np.stack([part.arcs for part in parts])[:, None]], axis=1)
        fresh = np.stack([np.reshape(part.draws, (-1, n)) for part in parts])
        wanted = self.draws.shape[2] if self.draws.shape[1] else fresh.shape[1]
        draws = np.concatenate([self.draws.reshape(len(parts), -1, wanted, n), fresh[:, None, :wanted]], axis=1)
        last = np.stack([part.last for part in parts])
        sweeps = self.sweeps
        if means.shape[1] == _MOST_BATCHES:
            means, sweeps = (means[:, 0::2] + means[:, 1::2]) / 2, 2 * sweeps
            half = draws.reshape(len(parts), _MOST_BATCHES // 2, 2 * wanted, n)
            draws = half[:, :, 1::2]
        return replace(self, last=last, means=means, draws=draws, sweeps=sweeps, rounds=self.rounds + 1)


def default_candidates(n_variables: int) -> int:
    """Return how many candidate parents a variable has unless told otherwise.

    Examples
    --------
    >>> [default_candidates(n) for n in (5, 15, 30, 200)]
    [4, 14, 14, 12]
    """
    return min(n_variables - 1, 14 if n_variables <= 50 else 12)


def begun(
    problem: Problem, options: ChainOptions, memory: int, seed: int, workers: int, budget: Budget
) -> tuple[ChainState, _core.CandidateSums] | None:
    """Find candidate parents, and run chains from random graphs to where the posterior is; None if the budget ends it.

    Parameters
    ----------
    problem
        The score, and what the graphs must and must not have.
    options
        How many chains, and how many candidates.
    memory
        Bytes.
    seed
        Decides the random choices.
    workers
        Threads.
    budget
        When to stop.
    """
    n, rules, score = len(problem.names), problem.rules, problem.score
    required = max(len(rules.required_parents(child)) for child in range(n))
    most = max(options.candidates, required)
    if most > _core.max_candidates:
        raise ParameterError(
            f"chains sum over all sets of at most {_core.max_candidates} candidate parents of a variable, and one "
            f"must have {required} parents; take fewer required arcs"
        )
    needed = n * _core.candidate_sums_bytes(min(most, n - 1))
    if needed > memory:
        raise ParameterError(
            f"sums over the sets of {most} candidate parents of {n} variables take {gigabytes(int(needed))}, more "
            "than ",
            Name("memory"),
            f" allows ({gigabytes(memory)}); take fewer ",
            Name("candidates"),
        )
    part = budget.part(share=0.2)
    graph = run_search(Greedy(), problem, seed=seed, workers=workers, budget=part).dag
    candidates = candidates_of(score, rules, graph, most, workers, budget)
    sums = sums_of(problem, candidates, workers, budget)
    if sums is None:
        return None
    starts, power = _starts(sums, graph, candidates, options.chains, seed), _FIRST_POWER
    for at in range(_ROUNDS_OF_CANDIDATES):
        seeds = _seeds(seed, "begin", at, options.chains)
        parts = _advanced(sums, starts, seeds, _FIRST_SWEEPS, _FIRST_DRAWS, workers, budget, first_power=power)
        if parts is None:
            return None
        starts, power = [part.last for part in parts], 1.0
        masks = np.concatenate([np.reshape(part.draws, (-1, n)) for part in parts])
        below = np.stack([np.reshape(sums.relations(masks[[row]])[0], (n, n)) > 0 for row in range(len(masks))])
        found = outside_arcs(score, rules, candidates, masks, below, workers, budget)
        outside = max((share for its in found for share in its.values()), default=0.0)
        if outside <= _PROBABLE or at + 1 == _ROUNDS_OF_CANDIDATES:
            break
        means = np.mean([part.arcs for part in parts], axis=0)
        candidates, starts = _exchanged(problem, candidates, found, means, starts)
        sums = sums_of(problem, candidates, workers, budget)
        if sums is None:
            return None
    return _first_state(candidates, starts, outside, options), sums


def _first_state(candidates: Candidates, starts: Sequence[Masks], outside: float, options: ChainOptions) -> ChainState:
    draws = np.zeros((options.chains, 0, 0, len(candidates)), dtype=np.uint32)
    means = np.zeros((options.chains, 0, sum(map(len, candidates))))
    sweeps = max(_BATCH, _draws_of_batch(options))
    return ChainState(candidates, np.stack(starts), means, draws, sweeps, 0, outside)


def sums_of(problem: Problem, candidates: Candidates, workers: int, budget: Budget) -> _core.CandidateSums | None:
    """Return the sums over the sets of the candidates; None when the budget ends it."""
    rules, n = problem.rules, len(problem.names)
    required = [rules.required_parents(child) for child in range(n)]
    optional = [[one for one in its if one not in required[child]] for child, its in enumerate(candidates)]
    limits = rules.max_parents.tolist()
    return _core.candidate_sums(problem.score.core, required, optional, limits, workers, budget.core)


def continued(
    state: ChainState,
    sums: _core.CandidateSums,
    options: ChainOptions,
    seed: int,
    workers: int,
    budget: Budget,
    on_batch: Callable[[ChainState], object] = lambda state: None,
) -> tuple[ChainState, bool]:
    """Run chains batch after batch until they are as precise as asked for; says whether they are.

    Parameters
    ----------
    state
        Where they are.
    sums
        Those of its candidates.
    options
        How precise.
    seed
        Decides the random choices, with the number of the batch: a run that is resumed continues as if it had not
        ended.
    workers
        Threads.
    budget
        When to stop; the batch that has begun is lost then.
    on_batch
        Called after each batch.
    """
    chains = len(state.last)
    draws = min(_draws_of_batch(options), state.sweeps)
    while not _is_precise(state, options.precision):
        seeds = _seeds(seed, "batch", state.rounds, chains)
        parts = _advanced(sums, list(state.last), seeds, state.sweeps, draws, workers, budget)
        if parts is None:
            return state, False
        state = state.with_batch(parts)
        on_batch(state)
    return state, True


def _draws_of_batch(options: ChainOptions) -> int:
    """Return how many graphs each chain draws in a batch: a quarter of the batches have all that are wanted."""
    return -(-options.draws // (options.chains * _MOST_BATCHES // 4))


def _is_precise(state: ChainState, precision: float) -> bool:
    if state.means.shape[1] < _FEWEST_BATCHES or state.error > precision:
        return False
    return state.diagnostics.r_hat <= MOST_R_HAT


def _advanced(
    sums: _core.CandidateSums,
    starts: Sequence[Masks],
    seeds: Sequence[int],
    sweeps: int,
    draws: int,
    workers: int,
    budget: Budget,
    first_power: float = 1.0,
) -> list[_core.ChainPart] | None:
    """Return what each chain sees in some sweeps; None when the budget ends it."""

    def run(task: tuple[Masks, int]) -> _core.ChainPart:
        return sums.run_chain(*task, sweeps, draws, first_power, budget.core)

    parts = list(side_by_side(run, zip(starts, seeds, strict=True), workers, budget))
    return parts if all(part.sweeps == sweeps for part in parts) else None


def _seeds(seed: int, stage: str, at: int, chains: int) -> list[int]:
    stages = {"begin": 0, "batch": 1, "start": 2}
    sequences = [np.random.SeedSequence(seed, spawn_key=(stages[stage], at, chain)) for chain in range(chains)]
    return [int(sequence.generate_state(1, np.uint64)[0]) for sequence in sequences]


def _starts(sums: _core.CandidateSums, graph: Dag, candidates: Candidates, chains: int, seed: int) -> list[Masks]:
    """Return the graph that was found, and others along random orders."""
    starts = [sums.random_start(one) for one in _seeds(seed, "start", 0, chains)]
    if not len(starts[0]):
        raise ParameterError("no graph without cycles keeps to the constraints; relax them")
    if all(set(row) <= set(its) for row, its in zip(graph.parent_indices, candidates, strict=True)):
        starts[0] = np.array(
            [_mask(row, its) for row, its in zip(graph.parent_indices, candidates, strict=True)], dtype=np.uint32
        )
    return starts


def _mask(members: Sequence[int], candidates: Sequence[int]) -> int:
    return sum(1 << candidates.index(member) for member in members)


def _exchanged(
    problem: Problem,
    candidates: Candidates,
    outside: list[dict[int, float]],
    means: Means,
    starts: Sequence[Masks],
) -> tuple[Candidates, list[Masks]]:
    """Return candidates with the most probable of those outside in the place of the least probable ones."""
    offsets = np.cumsum([0, *map(len, candidates)])
    exchanged = []
    for child, its in enumerate(candidates):
        required = set(problem.rules.required_parents(child))
        probable = dict(zip(its, means[offsets[child] : offsets[child + 1]].tolist(), strict=True))
        joining = sorted(
            (one for one, share in outside[child].items() if share > _PROBABLE), key=lambda one: -outside[child][one]
        )
        leaving = sorted((one for one in its if one not in required), key=lambda one: probable[one])
        kept = set(its)
        for new, old in zip(joining, leaving, strict=False):
            if outside[child][new] > probable[old]:
                kept = kept - {old} | {new}
        exchanged.append(tuple(sorted(kept)))

    def recoded(masks: Masks) -> Masks:
        rows: list[Any] = []
        for mask, old, new in zip(masks.tolist(), candidates, exchanged, strict=True):
            rows.append(_mask([one for bit, one in enumerate(old) if mask >> bit & 1 and one in new], new))
        return np.array(rows, dtype=np.uint32)

    return tuple(exchanged), [recoded(masks) for masks in starts]
