"""What `learn` does when it is not told: a plan by the size of the data."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import isinf
from warnings import warn

from arcwise.scores.local_score import LocalScore
from arcwise.search.exact.candidates import suits_a_lattice
from arcwise.search.memory import CACHE_BYTES, estimated_bytes
from arcwise.search.orders.climber import Stop
from arcwise.search.orders.tables import PATIENCE
from arcwise.search.registry import SEARCHES
from arcwise.support.errors import ArcwiseWarning
from arcwise.support.memory import gigabytes
from arcwise.support.messages import Setting

__all__ = ["PLANNED", "TIME_LIMIT", "WITH_DEGREES", "Plan", "bound_seconds", "planned"]

#: Seconds for all of it where the user sets no limit.
TIME_LIMIT = 60.0
# Of the time, what a search leaves for the bound; and the least for it where the search was done sooner.
_SHARE_OF_BOUND = 0.25
_LEAST_BOUND = 3.0
# A user who gives time wants it used: then the search is this much more patient.
_MORE_PATIENCE = 10
# All sets of so few variables are scored in a moment by any score.
_FEW_VARIABLES = 10
# From the best to the smallest.
_BY_MEMORY = ("orders", "greedy", "chow-liu")
_EXACT = "exact"
#: What is planned where constraints limit how many nodes are adjacent to one: order search cannot do that.
WITH_DEGREES = "sgs3"
#: All that a plan may say.
PLANNED = (_EXACT, *_BY_MEMORY, WITH_DEGREES)


@dataclass(frozen=True)
class Plan:
    """How to search.

    Attributes
    ----------
    method
        The search.
    reason
        Why this one, in words.
    time_limit
        Seconds for the search; None for no limit.
    options
        What the search is told besides.
    has_bound
        Whether a bound follows the search.
    """

    method: str
    reason: str
    time_limit: float | None = None
    options: Mapping[str, object] = field(default_factory=dict, hash=False)
    has_bound: bool = False


def planned(
    score: LocalScore,
    *,
    time_limit: float | None,
    evaluation_limit: int | None,
    memory: int,
    has_bound: bool = True,
    method: str | None = None,
) -> Plan:
    """Plan a search for the data.

    Few variables go to exact search, which proves its answer among all graphs within seconds. All others go to the
    order search, which mostly finds the best graphs of all that arcwise has, and a bound says afterwards how much
    better a graph can be. Where constraints limit how many nodes are adjacent to one, greedy search with broken cycles
    (SGS3) takes the place of both. Where memory does not suffice for order search, greedy search or a tree takes its
    place, with a warning.

    Parameters
    ----------
    score
        The score, bound to its data.
    time_limit, evaluation_limit
        The user's limits. Without any, a minute is planned for all of it.
    memory
        Bytes to use.
    has_bound
        Whether a part of the time is for a bound.
    method
        What an earlier part of the run was planned with, to be resumed, or `WITH_DEGREES`; None where all is open.

    Examples
    --------
    >>> from arcwise.simulation.examples import load_example
    >>> score = LocalScore(load_example("alarm").sample(500, seed=1))
    >>> planned(score, time_limit=None, evaluation_limit=None, memory=1 << 33).reason
    '37 variables: order search, at most 45 s, then a bound'
    """
    n = score.data.n_variables
    limited = time_limit is not None or evaluation_limit is not None
    total = time_limit if limited else TIME_LIMIT
    if method is None:
        few = suits_a_lattice(score, evaluation_limit) or (n <= _FEW_VARIABLES and evaluation_limit is None)
        method = _EXACT if few else _affordable(score, memory)
    if method == _EXACT:
        reason = f"{n} variables: few enough for the best of all graphs, with its proof"
        return Plan(_EXACT, reason, total, {"memory": memory})
    seconds = (1 - _SHARE_OF_BOUND) * total if has_bound and total is not None else total
    words = "" if seconds is None or isinf(seconds) else f", at most {seconds:g} s"
    words += ", then a bound" if has_bound else ""
    if method == WITH_DEGREES:
        return Plan(method, f"{n:,} variables, and limits on adjacent nodes: {method}{words}", seconds, {}, has_bound)
    if method != "orders":
        reason = f"{n:,} variables and {gigabytes(memory)} of memory: {method}, which needs less than others"
        return Plan(method, reason, total)
    patience = PATIENCE * (_MORE_PATIENCE if limited else 1)
    reason = f"{n:,} variables: order search{words}"
    return Plan("orders", reason, seconds, {"stop": Stop(patience=patience)}, has_bound)


def _affordable(score: LocalScore, memory: int) -> str:
    """Return the best search that memory allows, with a warning where it is not the best of all.

    Where none fits, that is the best of all too: it will be refused.
    """
    data, cache_bytes = score.data, min(CACHE_BYTES, memory // 4)
    needed = {method: estimated_bytes(SEARCHES[method], data, cache_bytes=cache_bytes) for method in _BY_MEMORY}
    best = _BY_MEMORY[0]
    method = next((method for method in _BY_MEMORY if needed[method] <= memory), best)
    if method != best:
        warn(
            ArcwiseWarning(
                f"{best} needs about {gigabytes(needed[best])} for {data.n_variables:,} variables, and memory allows "
                f"{gigabytes(memory)}: {method} is used, which finds less; give more with ",
                Setting("memory"),
            ),
            stacklevel=4,
        )
    return method


def bound_seconds(used: float, time_limit: float | None, *, is_users: bool) -> float:
    """Seconds for the bound after a search.

    Parameters
    ----------
    used
        What the search has taken.
    time_limit
        Seconds for all of it; None for no limit.
    is_users
        Whether the user has set that limit; then the bound may have all that is left.

    Examples
    --------
    >>> bound_seconds(0.3, 60, is_users=False)
    3.0
    >>> bound_seconds(45, 60, is_users=True)
    15
    """
    share = max(_LEAST_BOUND, used * _SHARE_OF_BOUND / (1 - _SHARE_OF_BOUND))
    if time_limit is None or isinf(time_limit):
        return share
    left = max(0, time_limit - used)
    return left if is_users else min(left, share)
