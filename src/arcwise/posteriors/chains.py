"""Chains of graphs that are drawn from the posterior: where they begin, when they end, and what is kept of them."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from arcwise import _core
from arcwise.graph.dag import Dag
from arcwise.posteriors.candidates import Candidates, candidates_of, outside_arcs
from arcwise.posteriors.chain_state import ChainState, Masks, Means, full_batches
from arcwise.runs.budget import Budget, side_by_side
from arcwise.search.dags.greedy import Greedy
from arcwise.search.search import Problem, run_search
from arcwise.support.errors import ParameterError
from arcwise.support.machine import gigabytes
from arcwise.support.messages import Name, Text
from arcwise.support.quoting import numbered

__all__ = ["ChainOptions", "begun", "check_memory", "continued", "default_candidates", "sums_of"]

#: Chains whose potential scale reduction is larger have not mixed.
MOST_R_HAT = 1.05

_FIRST_SWEEPS = 200
_FIRST_DRAWS = 25
_FIRST_POWER = 0.1
_BATCH = 25
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
    fewer: Text = ("take fewer ", Name("candidates"), " or ", Name("chains"))
    check_memory(n, min(most, n - 1), memory, fewer, first_draws=options.chains * _FIRST_DRAWS)
    part = budget.part(share=0.2)
    graph = run_search(Greedy(), problem, seed=seed, workers=workers, budget=part).dag
    candidates = candidates_of(score, rules, graph, most, workers, budget)
    sums = None if candidates is None else sums_of(problem, candidates, workers, budget)
    if candidates is None or sums is None:
        return None
    starts, power = _starts(sums, graph, candidates, options.chains, seed), _FIRST_POWER
    for at in range(_ROUNDS_OF_CANDIDATES):
        seeds = _seeds(seed, "begin", at, options.chains)
        parts = _advanced(sums, starts, seeds, _FIRST_SWEEPS, _FIRST_DRAWS, workers, budget, first_power=power)
        if parts is None:
            return None
        starts, power = [part.last for part in parts], 1.0
        masks = np.concatenate([np.reshape(part.draws, (-1, n)) for part in parts])
        below = np.stack([_packed(sums.relations(masks[[row]])[0], n) for row in range(len(masks))])
        found = outside_arcs(score, rules, candidates, masks, below, workers, budget)
        if budget.exhausted:  # it has not looked at all variables
            return None
        outside = max((share for its in found for share in its.values()), default=0.0)
        if outside <= _PROBABLE or at + 1 == _ROUNDS_OF_CANDIDATES:
            break
        means = np.mean([part.arcs for part in parts], axis=0)
        candidates, starts = _exchanged(problem, candidates, found, means, starts)
        sums = sums_of(problem, candidates, workers, budget)
        if sums is None:
            return None
    return _first_state(problem, candidates, starts, outside, options), sums


def _packed(counts: npt.NDArray[np.uint32], n_variables: int) -> npt.NDArray[np.uint8]:
    """Return which of some counts, a row for each variable, are not 0, eight to a byte."""
    return np.packbits(np.reshape(counts, (n_variables, n_variables)) > 0, axis=1)


def check_memory(n_variables: int, candidates: int, memory: int, instead: Text, *, first_draws: int = 0) -> None:
    """Refuse sums over the sets of so many candidates that take more than this memory.

    Parameters
    ----------
    n_variables
        How many variables there are.
    candidates
        The most candidate parents of a variable.
    memory
        Bytes.
    instead
        What to do.
    first_draws
        Graphs of which is kept at first what is below what: a bit for each pair, and for one of them two numbers.
    """
    of_pairs = n_variables**2 * (first_draws / 8 + 9) if first_draws else 0.0
    needed = int(n_variables * _core.candidate_sums_bytes(candidates) + of_pairs)
    if needed > memory:
        raise ParameterError(
            f"chains with {numbered(candidates, 'candidate parent')} for each of {n_variables:,} variables take "
            f"{gigabytes(needed)}, more than ",
            Name("memory"),
            f" allows ({gigabytes(memory)}); ",
            instead,
        )


def _first_state(
    problem: Problem, candidates: Candidates, starts: Sequence[Masks], outside: float, options: ChainOptions
) -> ChainState:
    draws = np.zeros((options.chains, 0, _draws_of_batch(options), len(candidates)), dtype=np.uint32)
    means = np.zeros((options.chains, 0, sum(map(len, candidates))))
    sweeps = max(_BATCH, _draws_of_batch(options))
    fingerprint = problem.score.data.summary().fingerprint
    return ChainState(candidates, np.stack(starts), means, draws, sweeps, 0, outside, fingerprint)


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
    draws = state.draws.shape[2] or min(_draws_of_batch(options), state.sweeps)
    while not _is_precise(state, options.precision):
        seeds = _seeds(seed, "batch", state.rounds, chains)
        parts = _advanced(sums, list(state.last), seeds, state.sweeps, draws, workers, budget)
        if parts is None:
            return state, False
        state = state.with_batch(parts)
        on_batch(state)
    return state, True


def _draws_of_batch(options: ChainOptions) -> int:
    """Return how many graphs each chain draws in a batch."""
    return -(-options.draws // full_batches(options.chains))


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
