"""How a posterior is found: by exact sums and draws from them, by chains, or by chains that are resumed."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import inf
from os import PathLike
from pathlib import Path
from typing import NamedTuple

import numpy as np

from arcwise import _core
from arcwise.graph.pair_numbers import PairNumbers
from arcwise.posteriors.arc_posterior import ArcPosterior, GraphDraws, sparse_arcs
from arcwise.posteriors.chain_state import ChainState
from arcwise.posteriors.chains import ChainOptions, begun, continued, default_candidates, sums_of
from arcwise.posteriors.exact import exact_sums
from arcwise.posteriors.exact_draws import blankets_in, can_draw, exact_draws
from arcwise.posteriors.files import ChainFile
from arcwise.posteriors.resuming import Asked, earlier_chains
from arcwise.runs.budget import Budget
from arcwise.runs.result import STATUS_OF_REASON, Status
from arcwise.search.search import Problem

__all__ = ["Task", "drawn_posterior", "exact_posterior", "resumed_posterior"]

_SECONDS_BETWEEN_CHECKPOINTS = 60.0


@dataclass(frozen=True)
class Task:
    """What is asked for, checked.

    Attributes
    ----------
    problem
        The score, and what the graphs must and must not have.
    prior
        ``graphs`` or ``orders``.
    options
        Those of chains; exact sums look at how many graphs to draw.
    memory
        Bytes.
    workers
        Threads.
    budget
        When to stop.
    checkpoint
        Where chains are written; None for nowhere.
    """

    problem: Problem
    prior: str
    options: ChainOptions
    memory: int
    workers: int
    budget: Budget
    checkpoint: Path | None


def exact_posterior(task: Task, seed: int, begin: float) -> ArcPosterior:
    """Return sums over all graphs, and graphs that are drawn from them; `begin` is when that began."""
    problem, budget = task.problem, task.budget
    sums = exact_sums(problem, task.prior, task.memory, task.workers, budget)
    if sums.stopped_by is not _core.StopReason.none:
        return _nothing(task, "exact", seed, begin)
    n = len(problem.names)
    edges, arcs = sparse_arcs(np.reshape(sums.arcs, (n, n)))
    masks = None
    if can_draw(n, task.memory):
        masks = budget.run(lambda: exact_draws(problem, task.prior, task.options.draws, seed, budget))
    is_cut = masks is None and can_draw(n, task.memory)
    return ArcPosterior(
        problem.names,
        edges,
        arcs,
        np.reshape(sums.ancestors, (n, n)) if task.prior == "graphs" else None,
        None if masks is None else blankets_in(masks),
        _no_graphs(problem.names) if masks is None else GraphDraws.of_parents(problem.names, masks),
        "exact",
        task.prior,
        sums.rounding,
        sums.log_evidence,
        None,
        STATUS_OF_REASON[budget.core.reason] if is_cut else Status.COMPLETE,
        problem.score.score,
        problem.constraints,
        seed,
        budget.elapsed - begin,
    )


def drawn_posterior(task: Task, seed: int, begin: float) -> ArcPosterior:
    """Return what chains say that begin now."""
    n = len(task.problem.names)
    options = replace(task.options, candidates=min(n - 1, task.options.candidates or default_candidates(n)))

    def work() -> _Found | None:
        first = begun(task.problem, options, task.memory, seed, task.workers, task.budget)
        return None if first is None else _continued(task, *first, seed)

    found = task.budget.run(work)
    return _nothing(task, "partition", seed, begin) if found is None else _of_chains(task, found, seed, begin)


def resumed_posterior(
    task: Task, resume: ArcPosterior | str | PathLike[str], asked: Asked, begin: float
) -> ArcPosterior:
    """Return what chains say that are resumed."""
    state, seed = earlier_chains(resume, task.problem, asked)

    def work() -> _Found | None:
        sums = sums_of(task.problem, state.candidates, task.workers, task.budget)
        return None if sums is None else _continued(task, state, sums, seed)

    found = task.budget.run(work)
    if found is not None:
        return _of_chains(task, found, seed, begin)
    if isinstance(resume, ArcPosterior):
        return replace(resume, status=STATUS_OF_REASON[task.budget.core.reason])
    return _nothing(task, "partition", seed, begin)


class _Found(NamedTuple):
    """Chains, the sums that they have looked up, and whether they are as precise as asked for."""

    state: ChainState
    sums: _core.CandidateSums
    is_precise: bool


def _continued(task: Task, state: ChainState, sums: _core.CandidateSums, seed: int) -> _Found:
    written = task.budget.elapsed

    def write(current: ChainState) -> None:
        if task.checkpoint is not None:
            ChainFile(current, seed).write(task.checkpoint, task.problem)

    def on_batch(current: ChainState) -> None:
        nonlocal written
        if task.budget.elapsed - written >= _SECONDS_BETWEEN_CHECKPOINTS:
            write(current)
            written = task.budget.elapsed

    last, is_precise = continued(state, sums, task.options, seed, task.workers, task.budget, on_batch)
    write(last)
    return _Found(last, sums, is_precise)


def _of_chains(task: Task, found: _Found, seed: int, begin: float) -> ArcPosterior:
    problem, state = task.problem, found.state
    if not state.means.shape[1]:
        return _nothing(task, "partition", seed, begin, state)
    n = len(problem.names)
    edges, arcs = sparse_arcs(state.arcs())
    graphs = state.masks
    ancestors, blankets = (np.reshape(counts, (n, n)) / len(graphs) for counts in found.sums.relations(graphs))
    return ArcPosterior(
        problem.names,
        edges,
        arcs,
        ancestors,
        blankets,
        GraphDraws(problem.names, state.candidates, graphs),
        "partition",
        task.prior,
        state.error,
        None,
        state.diagnostics,
        Status.COMPLETE if found.is_precise else STATUS_OF_REASON[task.budget.core.reason],
        problem.score.score,
        problem.constraints,
        seed,
        task.budget.elapsed - begin,
        state,
    )


def _nothing(task: Task, method: str, seed: int, begin: float, chains: ChainState | None = None) -> ArcPosterior:
    """Return what there is when the budget ends it before there is any probability."""
    names = task.problem.names
    return ArcPosterior(
        names,
        PairNumbers(0),
        PairNumbers(0),
        None,
        None,
        _no_graphs(names),
        method,
        task.prior,
        inf,
        None,
        None,
        STATUS_OF_REASON[task.budget.core.reason],
        task.problem.score.score,
        task.problem.constraints,
        seed,
        task.budget.elapsed - begin,
        chains,
    )


def _no_graphs(names: Sequence[str]) -> GraphDraws:
    return GraphDraws(names, [()] * len(names), np.zeros((0, len(names)), dtype=np.uint32))
