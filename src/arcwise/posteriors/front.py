"""The posterior of graphs: exact sums where there are few variables, chains of graphs elsewhere."""

from os import PathLike
from typing import Any
from warnings import warn

from arcwise import _core
from arcwise.constraints.constraints import Constraints
from arcwise.data.missing import MissingValues, learnable
from arcwise.posteriors.arc_posterior import ArcPosterior
from arcwise.posteriors.chains import ChainOptions
from arcwise.posteriors.exact import chains_for, exact_bytes
from arcwise.posteriors.exact_draws import can_draw
from arcwise.posteriors.files import checked_target
from arcwise.posteriors.finding import Task, drawn_posterior, exact_posterior, resumed_posterior
from arcwise.posteriors.resuming import Asked
from arcwise.runs.budget import Budget
from arcwise.scores.definitions import Score, score_named
from arcwise.scores.local_score import LocalScore
from arcwise.search.search import Problem
from arcwise.support.arguments import count, either_spelling, instance, number, recorded_seed
from arcwise.support.errors import ArcwiseWarning, ParameterError
from arcwise.support.machine import available_memory, workers_or_default
from arcwise.support.messages import Name, Setting, Text
from arcwise.support.names import one_of

__all__ = ["METHODS", "PRIORS", "posterior"]

METHODS = ("auto", "exact", "partition")
PRIORS = ("graphs", "orders")

# Up to so many variables exact sums take less time than chains, or not much more.
_FEW_VARIABLES = 16

_CHAINS = 4
_DRAWS = 1000

# Arcs that are left out and may be more probable than this are worth a warning.
_MOST_OUTSIDE = 0.05


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
    chains: int | None = None,
    draws: int | None = None,
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
        How many chains; 4 when None. The first starts at a graph that greedy search finds, the others at random ones.
    draws
        How many graphs to draw: chains at least so many, exact sums just so many, for at most 16 variables; 1,000 when
        None.
    candidates
        The most candidate parents of a variable, at most 20; by default 14, or 12 for more than 50 variables. All sets
        of them are summed.
    memory
        Bytes to use; nine tenths of what is available when None. What needs more is refused before it begins.
    time_limit
        Seconds. Chains keep what they have by then; exact sums have nothing. The status says so, and where there is
        nothing, all questions for a probability are refused.
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
        Other data, another score or other constraints are refused, and so are other ``chains``, other ``candidates``
        and more ``draws`` than the chains were begun with.
    reading
        How the data is read: the options of `Dataset.of`, such as ``discretise="quantile"``.

    Warns
    -----
    ArcwiseWarning
        Where an arc from outside the candidate parents may have a probability above 0.05.

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
    precision = number("precision", precision, positive=True)
    if chains is not None:
        chains = count("chains", chains, least=2, reason=", so that they can be compared")
    draws = None if draws is None else count("draws", draws, least=1)
    candidates = None if candidates is None else _few(count("candidates", candidates, least=1))
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
    options = ChainOptions(chains or _CHAINS, precision, draws or _DRAWS, candidates or 0)
    task = Task(problem, prior, options, memory, workers, budget, target)
    asked = Asked(method, prior, seed, chains, draws, candidates, memory)
    found = _found(task, begin, asked, resume)
    _warn_of_others(found, is_resumed=resume is not None)
    return found


def _found(task: Task, begin: float, asked: Asked, resume: ArcPosterior | str | PathLike[str] | None) -> ArcPosterior:
    if resume is not None:
        return resumed_posterior(task, resume, asked, begin)
    n, method, has_target = len(task.problem.names), asked.method, task.checkpoint is not None
    if method == "auto":
        fits = exact_bytes(n) <= asked.memory and (asked.draws is None or can_draw(n, asked.memory))
        is_few = n <= _FEW_VARIABLES and fits and asked.candidates is None and not has_target
        method = "exact" if is_few or asked.prior == "orders" else "partition"
    if method == "partition" and asked.prior == "orders":
        raise _only_exact(n)
    if method == "exact" and has_target:
        raise ParameterError("exact sums leave nothing to resume; drop ", Name("checkpoint"))
    if method == "partition":
        return drawn_posterior(task, recorded_seed(asked.seed), begin)
    _refuse_options_of_chains(n, asked)
    return exact_posterior(task, recorded_seed(asked.seed), begin)


def _refuse_options_of_chains(n_variables: int, asked: Asked) -> None:
    """Refuse what exact sums would not heed."""
    if asked.candidates is not None:
        parents = "exact sums are over all parents that the constraints allow; drop "
        raise ParameterError(parents, Name("candidates"), ", or take ", chains_for(asked.prior))
    if asked.draws is not None and not can_draw(n_variables, asked.memory):
        few = "graphs are drawn from exact sums of few variables only, as far as memory allows; drop "
        raise ParameterError(few, Name("draws"), ", or take ", chains_for(asked.prior))


def _warn_of_others(found: ArcPosterior, *, is_resumed: bool) -> None:
    """Warn where arcs from outside the candidate parents may be probable."""
    mixed = found.diagnostics
    if mixed is None or mixed.outside <= _MOST_OUTSIDE:
        return
    anew = "begin anew with more " if is_resumed else "give more "
    advice: Text = (anew, Name("candidates"), f" than {mixed.candidates}")
    if mixed.candidates >= _core.max_candidates:
        advice = "there cannot be more of them: take the probabilities as those of graphs within them"
    message = f"an arc from outside the candidate parents may have a probability of up to {mixed.outside:.2f}; "
    warn(ArcwiseWarning(message, advice), stacklevel=4)


def _only_exact(n_variables: int) -> ParameterError:
    """Return the error that says what to do where chains are asked for the prior over orders."""
    most = _core.max_lattice_variables
    what: Text = (Setting("prior", "orders"), f" is for exact sums of at most {most} variables")
    if n_variables > most:
        return ParameterError(what, f", not {n_variables}; take ", Setting("prior", "graphs"))
    return ParameterError(what, "; take ", Setting("method", "exact"))


def _few(candidates: int) -> int:
    if candidates > _core.max_candidates:
        raise ParameterError.of(
            "candidates", f"at most {_core.max_candidates}", candidates, "all their sets are summed"
        )
    return candidates
