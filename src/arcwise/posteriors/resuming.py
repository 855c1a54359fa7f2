"""Chains that are resumed: whether they are of the same task, and what cannot be asked of them any more."""

from dataclasses import dataclass
from os import PathLike

from arcwise.posteriors.arc_posterior import ArcPosterior
from arcwise.posteriors.candidates import largest_number
from arcwise.posteriors.chain_state import ChainState
from arcwise.posteriors.chains import check_memory
from arcwise.posteriors.files import ChainFile
from arcwise.search.search import Problem
from arcwise.support.arguments import instance
from arcwise.support.errors import ParameterError
from arcwise.support.messages import Name, Setting

__all__ = ["Asked", "earlier_chains"]


@dataclass(frozen=True)
class Asked:
    """What is asked of chains; None where nothing is said.

    Attributes
    ----------
    method, prior, seed, chains, draws, candidates
        As in `arcwise.posterior`.
    memory
        Bytes.
    """

    method: str
    prior: str
    seed: int | None
    chains: int | None
    draws: int | None
    candidates: int | None
    memory: int


def earlier_chains(
    resume: ArcPosterior | str | PathLike[str], problem: Problem, asked: Asked
) -> tuple[ChainState, int]:
    """Return the chains to continue, and their seed.

    Parameters
    ----------
    resume
        An earlier result, or the file of a checkpoint.
    problem
        What is learned from now.
    asked
        What is asked of the chains.

    Raises
    ------
    ParameterError
        If the chains are of another task, or if what is asked for cannot be had by continuing them.
    """
    if asked.method == "exact":
        raise ParameterError(
            "only chains can be resumed, by ", Setting("method", "partition"), "; for exact sums drop ", Name("resume")
        )
    if asked.prior != "graphs":
        raise ParameterError(
            "only chains can be resumed, and they are for ", Setting("prior", "graphs"), "; drop ", Name("resume")
        )
    if isinstance(resume, str | PathLike):
        kept = ChainFile.read(resume, problem)
        state, seed = kept.state, kept.seed
    else:
        earlier = instance("resume", resume, ArcPosterior)
        state, seed = _chains_of(earlier, problem), earlier.seed
    _refuse_changes(state, seed, problem, asked)
    return state, seed


def _chains_of(earlier: ArcPosterior, problem: Problem) -> ChainState:
    """Return the chains of an earlier result; refused if it is of another task."""
    state = earlier.chains
    if state is None:
        raise ParameterError("there is nothing to resume: the earlier result is not of chains, or they had not begun")
    if not state.fingerprint:
        raise ParameterError(
            "the result to resume is of an earlier version, which does not say of what data; begin anew"
        )
    score = problem.score
    for what, before, now in (
        ("other variables", earlier.names, problem.names),
        ("another score", earlier.score, score.score),
        ("other constraints", earlier.constraints, problem.constraints),
        ("other data", state.fingerprint, score.data.summary().fingerprint),
    ):
        if before != now:
            raise ParameterError(f"the result to resume is of {what}; give the same again, or begin anew")
    return state


def _refuse_changes(state: ChainState, seed: int, problem: Problem, asked: Asked) -> None:
    """Refuse what was decided when the chains began, and too little memory."""
    if asked.seed not in (None, seed):
        raise ParameterError.of("seed", f"{seed}, that of the chains to resume, or not given", asked.seed)
    if asked.chains not in (None, len(state.last)):
        allowed = f"{len(state.last)}, as many as are resumed, or not given"
        raise ParameterError.of("chains", allowed, asked.chains, "begin anew with others")
    if asked.draws is not None and asked.draws > state.most_draws:
        allowed = f"at most {state.most_draws}, as many as the chains to resume were begun to keep"
        raise ParameterError.of("draws", allowed, asked.draws, "begin anew with more")
    if asked.candidates is not None and largest_number(problem.rules, asked.candidates) != state.n_candidates:
        allowed = f"{state.n_candidates}, as in the chains to resume, or not given"
        raise ParameterError.of("candidates", allowed, asked.candidates, "begin anew with others")
    check_memory(len(problem.names), state.n_candidates, asked.memory, ("give more ", Name("memory")))
