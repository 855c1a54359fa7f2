"""The posterior of graphs: exact sums where there are few variables, chains of graphs elsewhere."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import inf
from os import PathLike
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from arcwise import _core
from arcwise.constraints.constraints import Constraints
from arcwise.data.missing import MissingValues, learnable
from arcwise.posteriors.arc_posterior import ArcPosterior, GraphDraws, sparse_arcs
from arcwise.posteriors.chains import ChainOptions, ChainState, begun, continued, default_candidates, sums_of
from arcwise.posteriors.exact import exact_bytes, exact_sums
from arcwise.posteriors.files import ChainFile, checked_target
from arcwise.runs.budget import Budget
from arcwise.runs.result import STATUS_OF_REASON, Status
from arcwise.scores.definitions import Score, score_named
from arcwise.scores.local_score import LocalScore
from arcwise.search.search import Problem
from arcwise.support.arguments import count, either_spelling, instance, number, recorded_seed
from arcwise.support.errors import ParameterError
from arcwise.support.machine import available_memory, workers_or_default
from arcwise.support.messages import Name, Setting
from arcwise.support.names import one_of

__all__ = ["METHODS", "PRIORS", "posterior"]

METHODS = ("auto", "exact", "partition")
PRIORS = ("graphs", "orders")

# Up to so many variables exact sums take less time than chains, or not much more.
_FEW_VARIABLES = 16

_SECONDS_BETWEEN_CHECKPOINTS = 60.0


@either_spelling
def posterior(
    data: Any,
    score: str | Score = "bdeu",
    *,
    method: str = "auto",
    prior: str = "graphs",
    constraints: Constraints | None = None,
    missing: MissingValues = "error",
    precision: float = 0.02,
    chains: int = 4,
    draws: int = 1000,
    candidates: int | None = None,
    memory: int | None = None,
    time_limit: float | None = None,
    budget: Budget | None = None,
    seed: int | None = None,
    workers: int | None = None,
    checkpoint: str | PathLike[str] | None = None,
    resume: ArcPosterior | str | PathLike[str] | None = None,
    **reading: Any,
) -> ArcPosterior:
    r"""Find how probable arcs, edges, ancestors and other features of graphs are, given the data.

    A graph's probability is proportional to exp(score), times what `Adjusted` adds to the score: for Bayesian scores
    (``bdeu``, ``bds``, ``k2``, ``bge``) that is its posterior; for ``bic`` it is roughly so.

    Parameters
    ----------
    data
        A `Dataset`, or anything `Dataset.of` takes.
    score
        A name, such as bdeu(ess=10), or an object. Any score will do; what its numbers mean as probabilities is for
        the caller to know. For continuous data take ``bge``.
    method
        ``exact`` sums over all graphs (Tian & He 2009, UAI; Koivisto & Sood 2004, JMLR 5; Pensar et al. 2020, AAAI),
        for at most 24 variables and as far as memory suffices: 20 take 130 MB, 22 half a GB. ``partition`` draws graphs
        by partition MCMC (Kuipers & Moffa 2017, JASA 112) on candidate parents, with sums over all their sets (Viinikka
        et al. 2020, NeurIPS). ``auto`` takes exact sums for at most 16 variables.
    prior
        ``graphs``: every graph counts once. ``orders``: once for each order that it fits, which favours graphs of few
        arcs, and is for exact sums only.
    constraints
        What the graphs must and must not have; limits on adjacent nodes are refused.
    missing
        What missing values do, as in `learn`: "error", "drop", "state", or "pairwise" with a score that takes gaps.
    precision
        Chains run until two standard errors of every arc's probability are at most this, and their R-hat is at most
        1.05.
    chains
        How many chains. The first starts at a graph that greedy search finds, the others at random ones.
    draws
        How many graphs to keep, at least.
    candidates
        The most candidate parents of a variable, at most 20; by default 14, or 12 for more than 50 variables. All sets
        of them are summed.
    memory
        Bytes to use; nine tenths of what is available when None. What needs more is refused before it begins.
    time_limit
        Seconds. Chains keep what they have by then; exact sums have nothing.
    budget
        When to stop, in place of a time limit.
    seed
        Decides all random choices; drawn and recorded when None. The same seed gives the same probabilities.
    workers
        Threads; by default one per usable core. They do not change the result.
    checkpoint
        A file to which chains are written every minute and at the end, so that they can be resumed after a crash or a
        kill. A file that is there is not overwritten, but for the one that is resumed.
    resume
        An earlier result of chains on the same data, to continue to another precision; or the file of a checkpoint.
    reading
        How the data is read: the options of `Dataset.of`, such as ``discretise="quantile"``.

    Raises
    ------
    ParameterError
        For arguments that do not fit, too many variables or too little memory.

    Examples
    --------
    >>> from arcwise.simulation.examples import load_example
    >>> found = posterior(load_example("cancer").sample(500, seed=1))
    >>> found
    <ArcPosterior: 5 variables, exact, error ...>
    >>> round(found.edge("Cancer", "Xray"), 3)
    0.995
    >>> round(found.arc("Cancer", "Xray") + found.arc("Xray", "Cancer"), 3)
    0.995
    """
    one_of("method", method, METHODS)
    one_of("prior", prior, PRIORS)
    options = ChainOptions(
        count("chains", chains, least=2, reason=", so that they can be compared"),
        number("precision", precision, positive=True),
        count("draws", draws, least=1),
        0 if candidates is None else _few(count("candidates", candidates, least=1)),
    )
    if budget is not None and time_limit is not None:
        raise ParameterError("give a time limit or a budget, not both")
    budget = instance("budget", budget, Budget, default=lambda: Budget(time_limit))
    workers = 1 if budget.evaluation_limit is not None else workers_or_default(workers)
    memory = int(0.9 * available_memory()) if memory is None else count("memory", memory)
    constraints = instance("constraints", constraints, Constraints, default=Constraints)
    constraints.refuse_degrees("posterior")
    constraints.refuse_ancestors("posterior")
    if missing == "em":
        raise ParameterError.of("missing", '"error", "drop", "state" or "pairwise"', missing)
    table, begin = learnable(data, missing, **reading), budget.elapsed
    problem = Problem(LocalScore(table, score_named(score)), constraints)
    constraints.resolve(table.names)
    target = None if checkpoint is None else checked_target(checkpoint, resume)
    task = _Task(problem, prior, options, memory, workers, budget, target)
    if resume is not None:
        return _resumed(task, resume, seed, begin)
    if method == "auto":
        n = table.n_variables
        is_few = n <= _FEW_VARIABLES and exact_bytes(n) <= memory and options.candidates == 0 and target is None
        method = "exact" if is_few or prior == "orders" else "partition"
    if method == "partition" and prior == "orders":
        raise ParameterError(Setting("prior", "orders"), " is for exact sums; take ", Setting("method", "exact"))
    if method == "exact" and target is not None:
        raise ParameterError("exact sums leave nothing to resume; drop ", Name("checkpoint"))
    return _exact(task, recorded_seed(seed), begin) if method == "exact" else _drawn(task, recorded_seed(seed), begin)


@dataclass(frozen=True)
class _Task:
    """What is asked for, checked."""

    problem: Problem
    prior: str
    options: ChainOptions
    memory: int
    workers: int
    budget: Budget
    checkpoint: Path | None


def _few(candidates: int) -> int:
    if candidates > _core.max_candidates:
        raise ParameterError.of(
            "candidates", f"at most {_core.max_candidates}", candidates, "all their sets are summed"
        )
    return candidates


def _exact(task: _Task, seed: int, begin: float) -> ArcPosterior:
    problem, budget = task.problem, task.budget
    sums = exact_sums(problem, task.prior, task.memory, task.workers, budget)
    if sums.stopped_by is not _core.StopReason.none:
        return _nothing(task, "exact", seed, begin)
    n = len(problem.names)
    edges, arcs = sparse_arcs(np.reshape(sums.arcs, (n, n)))
    return ArcPosterior(
        problem.names,
        edges,
        arcs,
        np.reshape(sums.ancestors, (n, n)) if task.prior == "graphs" else None,
        None,
        _no_graphs(problem.names),
        "exact",
        task.prior,
        sums.rounding,
        sums.log_evidence,
        None,
        Status.COMPLETE,
        problem.score.score,
        problem.constraints,
        seed,
        budget.elapsed - begin,
    )


def _drawn(task: _Task, seed: int, begin: float) -> ArcPosterior:
    n = len(task.problem.names)
    options = replace(task.options, candidates=min(n - 1, task.options.candidates or default_candidates(n)))

    def work() -> _Found | None:
        first = begun(task.problem, options, task.memory, seed, task.workers, task.budget)
        return None if first is None else _continued(task, *first, seed)

    found = task.budget.run(work)
    return _nothing(task, "partition", seed, begin) if found is None else _of_chains(task, found, seed, begin)


def _resumed(task: _Task, resume: ArcPosterior | str | PathLike[str], seed: int | None, begin: float) -> ArcPosterior:
    state, first = _earlier(task, resume)
    if seed is not None and seed != first:
        raise ParameterError.of("seed", f"{first}, that of the chains to resume, or not given", seed)

    def work() -> _Found | None:
        sums = sums_of(task.problem, state.candidates, task.workers, task.budget)
        return None if sums is None else _continued(task, state, sums, first)

    found = task.budget.run(work)
    if found is not None:
        return _of_chains(task, found, first, begin)
    if isinstance(resume, ArcPosterior):
        return replace(resume, status=STATUS_OF_REASON[task.budget.core.reason])
    return _nothing(task, "partition", first, begin)


def _earlier(task: _Task, resume: ArcPosterior | str | PathLike[str]) -> tuple[ChainState, int]:
    """Return the chains to continue, and their seed."""
    if isinstance(resume, str | PathLike):
        kept = ChainFile.read(resume, task.problem)
        return kept.state, kept.seed
    earlier = instance("resume", resume, ArcPosterior)
    if earlier.chains is None:
        raise ParameterError("there is nothing to resume: the earlier result is not of chains, or they had not begun")
    known = (earlier.names, earlier.score, earlier.constraints, earlier.prior)
    if known != (task.problem.names, task.problem.score.score, task.problem.constraints, task.prior):
        raise ParameterError(
            "the result to resume is of other variables, another score or other constraints; begin anew"
        )
    return earlier.chains, earlier.seed


class _Found(NamedTuple):
    """Chains, the sums that they have looked up, and whether they are as precise as asked for."""

    state: ChainState
    sums: _core.CandidateSums
    is_precise: bool


def _continued(task: _Task, state: ChainState, sums: _core.CandidateSums, seed: int) -> _Found:
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


def _of_chains(task: _Task, found: _Found, seed: int, begin: float) -> ArcPosterior:
    problem, state = task.problem, found.state
    n = len(problem.names)
    edges, arcs = sparse_arcs(state.arcs())
    graphs = state.masks
    ancestors, blankets = (np.reshape(counts, (n, n)) / max(len(graphs), 1) for counts in found.sums.relations(graphs))
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


def _nothing(task: _Task, method: str, seed: int, begin: float) -> ArcPosterior:
    """Return what there is when the budget ends it before there is anything."""
    n, names = len(task.problem.names), task.problem.names
    edges, arcs = sparse_arcs(np.zeros((n, n)))
    return ArcPosterior(
        names,
        edges,
        arcs,
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
    )


def _no_graphs(names: Sequence[str]) -> GraphDraws:
    return GraphDraws(names, [()] * len(names), np.zeros((0, len(names)), dtype=np.uint32))
