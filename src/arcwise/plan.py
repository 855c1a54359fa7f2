"""What `learn` does when it is not told: a plan by the size of the data, and by the memory that searches take."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from math import inf, isinf
from warnings import warn

from arcwise.data.dataset import Dataset
from arcwise.scores.local_score import LocalScore
from arcwise.scores.planned import planned_score
from arcwise.search.registry import SEARCHES
from arcwise.search.search import Search
from arcwise.shards.dataset import ShardedDataset
from arcwise.support.errors import ArcwiseWarning, ParameterError
from arcwise.support.machine import gigabytes
from arcwise.support.messages import Setting
from arcwise.support.quoting import numbered

__all__ = [
    "CACHE_BYTES",
    "PLANNED",
    "TIME_LIMIT",
    "WITH_DEGREES",
    "Plan",
    "bound_seconds",
    "check_memory",
    "estimated_bytes",
    "plan_of_rounds",
    "planned",
    "planned_score",
]

#: Seconds for all of it where the user sets no limit.
TIME_LIMIT = 60.0
# Of the time, what a search leaves for the bound: the most, from so many seconds on, and the least; and the least
# seconds for it where the search was done sooner. In a few seconds a search gains more by time than a bound does.
_SHARE_OF_BOUND = 0.05
_LEAST_SHARE_OF_BOUND = 0.02
_SECONDS_FOR_BOUND = 60.0
_LEAST_BOUND = 3.0
# With fewer seconds for each variable, hardly any set besides those of the graph is seen, and a bound says nothing.
_LEAST_BOUND_PER_VARIABLE = 1e-3
# A user who gives time wants it used: then the search is this much more patient.
_MORE_PATIENCE = 10
# All sets of so few variables are scored in a moment by any score.
_FEW_VARIABLES = 10
# The same where scores come from one matrix.
_FEW_CONTINUOUS = 15
# From the best to the smallest.
_BY_MEMORY = ("orders", "greedy", "chow-liu")
_EXACT = "exact"
# What takes the place of order search where other processes do tasks, and how many epochs in a row may bring nothing
# better there.
_ELSEWHERE = "islands"
_IDLE_EPOCHS = 2
#: What is planned where constraints limit adjacent nodes or are about ancestors: order search cannot do that.
WITH_DEGREES = "sgs3"
# More variables than order search can number go to one of these: the second where equivalent graphs differ in score.
_BEYOND_ORDERS = ("ges", "greedy")
# What takes the place of order search in rounds: the second where equivalent graphs differ in score.
_IN_ROUNDS = ("xges", "sgs3")
#: All that a plan may say.
PLANNED = (_EXACT, *_BY_MEMORY, _ELSEWHERE, *_BEYOND_ORDERS, WITH_DEGREES)
#: What the cache of scores may take where there is plenty.
CACHE_BYTES = 1 << 30
# What the process takes without any data.
_BYTES_OF_THE_PROCESS = 200 << 20


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
    elsewhere: bool = False,
    method: str | None = None,
) -> Plan:
    """Plan a search for the data.

    Few variables go to exact search, which proves its answer among all graphs within seconds. All others go to the
    order search, which mostly finds the best graphs of all that arcwise has, and a bound says afterwards how much
    better a graph can be; more variables than it can number go to greedy equivalence search. Where constraints limit
    how many nodes are adjacent to one, greedy search with broken cycles (SGS3) takes the place of both. Where memory
    does not suffice for order search, greedy search or a tree takes its place, with a warning. Where other processes
    can do tasks, order search is done on islands, whose epochs are such.

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
    elsewhere
        Whether tasks are done in other processes. With a limit on evaluations, and for rows that cannot be sent, it
        does not count.
    method
        What an earlier part of the run was planned with, to be resumed, or `WITH_DEGREES`; None where all is open.

    Examples
    --------
    >>> from arcwise.simulation.examples import load_example
    >>> score = LocalScore(load_example("alarm").sample(500, seed=1))
    >>> planned(score, time_limit=None, evaluation_limit=None, memory=1 << 33).reason
    '37 variables: order search, at most 57 s, then a bound'
    """
    n = score.data.n_variables
    has = [("interventions", score.data.interventions is not None), ("gaps", score.data.has_gaps)]
    about = numbered(n, "variable") + " and".join(f" with {what}" for what, is_there in has if is_there)
    limited = time_limit is not None or evaluation_limit is not None
    total = time_limit if limited else TIME_LIMIT
    if method is None:
        from arcwise.search.exact.front import suits_a_lattice

        most = _FEW_CONTINUOUS if score.is_one_matrix else _FEW_VARIABLES
        few = suits_a_lattice(score, evaluation_limit) or (n <= most and evaluation_limit is None)
        method = _EXACT if few else _beyond_orders(score) or _affordable(score, memory)
        is_sent = elsewhere and evaluation_limit is None and not isinstance(score.data, ShardedDataset)
        method = _ELSEWHERE if is_sent and method == _BY_MEMORY[0] else method
    if method == _EXACT:
        reason = f"{about}: few enough to find the best of all graphs and prove it"
        return Plan(_EXACT, reason, total, {"memory": memory})
    is_too_short = has_bound and _is_too_short_for_a_bound(n, total)
    has_bound = has_bound and not is_too_short
    seconds = (1 - _share_of_bound(total)) * total if has_bound and total is not None else total
    words = "" if seconds is None or isinf(seconds) else f", at most {seconds:g} s"
    words += ", then a bound" if has_bound else ", too short for a bound" if is_too_short else ""
    if method == WITH_DEGREES:
        reason = f"{about}, and constraints that searches over graphs keep to: {method}{words}"
        return Plan(method, reason, seconds, {}, has_bound)
    if n > _most_in_orders():
        return Plan(method, f"{about}, more than order search can number: {method}", total)
    if method == _ELSEWHERE:
        idle = _IDLE_EPOCHS * (_MORE_PATIENCE if limited else 1)
        reason = f"{about}, and an executor for tasks: order search on islands{words}"
        return Plan(method, reason, seconds, {"idle_epochs": idle}, has_bound)
    if method != "orders":
        reason = f"{about} and {gigabytes(memory)} of memory: {method}, which needs less than others"
        return Plan(method, reason, total)
    from arcwise.search.orders.climber import Stop
    from arcwise.search.orders.tables import PATIENCE

    patience = PATIENCE * (_MORE_PATIENCE if limited else 1)
    reason = f"{about}: order search{words}"
    return Plan("orders", reason, seconds, {"stop": Stop(patience=patience)}, has_bound)


def plan_of_rounds(plan: Plan, score: LocalScore) -> Plan:
    """Return the plan for what is searched again and again, such as in the rounds of structural EM.

    Order search and exact search take their time where others are done; XGES comes near to them in much less. Where it
    cannot be used, greedy search with broken cycles (SGS3) takes its place. It is the same for any limits, so that a
    run can be resumed with others.

    Parameters
    ----------
    plan
        What would be done once.
    score
        The score of the first round.

    Examples
    --------
    >>> from arcwise.simulation.examples import load_example
    >>> score = LocalScore(load_example("alarm").sample(500, seed=1))
    >>> plan = Plan("orders", "37 variables: order search", 60)
    >>> plan_of_rounds(plan, score).reason
    '37 variables: xges, repeated, at most 60 s'
    """
    if plan.method not in (_EXACT, _BY_MEMORY[0], _ELSEWHERE):
        return replace(plan, has_bound=False)
    method = _IN_ROUNDS[0 if score.is_equivalent else 1]
    words = "" if plan.time_limit is None else f", at most {plan.time_limit:g} s"
    reason = f"{numbered(score.data.n_variables, 'variable')}: {method}, repeated{words}"
    return Plan(method, reason, plan.time_limit)


def _most_in_orders() -> float:
    most = SEARCHES["orders"].most_variables
    return inf if most is None else most


def _beyond_orders(score: LocalScore) -> str | None:
    """Return what takes the place of order search where there are too many variables for it; otherwise None."""
    if score.data.n_variables <= _most_in_orders():
        return None
    return _BEYOND_ORDERS[0 if score.is_equivalent else 1]


def _affordable(score: LocalScore, memory: int) -> str:
    """Return the best search that memory allows, with a warning where it is not the best of all.

    Where none fits, that is the best of all too: it will be refused.
    """
    data, cache_bytes = score.data, min(CACHE_BYTES, memory // 4)

    def needed(method: str) -> int:
        return estimated_bytes(SEARCHES[method], data, cache_bytes=cache_bytes)

    best = _BY_MEMORY[0]
    method = next((method for method in _BY_MEMORY if needed(method) <= memory), best)
    if method != best:
        warn(
            ArcwiseWarning(
                f"{best} needs about {gigabytes(needed(best))} for {data.n_variables:,} variables, and memory allows "
                f"{gigabytes(memory)}: {method} is used, which finds less; give more with ",
                Setting("memory"),
            ),
            stacklevel=4,
        )
    return method


def _share_of_bound(seconds: float) -> float:
    return _SHARE_OF_BOUND * max(min(1.0, seconds / _SECONDS_FOR_BOUND), _LEAST_SHARE_OF_BOUND / _SHARE_OF_BOUND)


def _is_too_short_for_a_bound(n_variables: int, seconds: float | None) -> bool:
    if seconds is None or isinf(seconds):
        return False
    return max(_LEAST_BOUND, _share_of_bound(seconds) * seconds) < n_variables * _LEAST_BOUND_PER_VARIABLE


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


def estimated_bytes(search: Search, data: Dataset, *, cache_bytes: int = CACHE_BYTES) -> int:
    """Bytes that a search will take at most, as far as that is known: the data as it is counted, scores, what it keeps.

    Parameters
    ----------
    search
        The search.
    data
        What it learns from.
    cache_bytes
        What the cache of scores may take.

    Examples
    --------
    >>> from arcwise import Orders, load_example
    >>> data = load_example("asia").sample(100, seed=1)
    >>> estimated_bytes(Orders(), data, cache_bytes=0) < 1 << 30
    True
    """
    if isinstance(data, ShardedDataset):  # whose rows are elsewhere
        return _BYTES_OF_THE_PROCESS + cache_bytes + search.kept_bytes(data.n_variables)
    planes = sum(data.arities) * (data.n_rows // 8 + 8)
    planes += 8 * len(data.continuous) * (len(data.continuous) + 2 * data.n_rows)  # products of pairs, and numbers
    counted = 2 * data.n_rows * data.n_variables * data.codes.itemsize + planes
    if data.has_gaps:  # what is missing, and codes and numbers without that
        counted += data.n_rows * (data.n_variables * (1 + data.codes.itemsize) + 8 * len(data.continuous))
    return _BYTES_OF_THE_PROCESS + counted + cache_bytes + search.kept_bytes(data.n_variables)


def check_memory(search: Search, data: Dataset, memory: int, cache_bytes: int) -> None:
    """Refuse a search that does not fit, before it begins."""
    needed = estimated_bytes(search, data, cache_bytes=cache_bytes)
    if needed <= memory:
        return
    least = estimated_bytes(SEARCHES[_BY_MEMORY[-1]], data, cache_bytes=cache_bytes)
    tree = ("use ", Setting("method", "chow-liu"), f", which needs about {gigabytes(least)}")
    raise ParameterError(
        f"{search.name} needs about {gigabytes(needed)} for {data.n_variables:,} variables and {data.n_rows:,} rows, "
        f"and memory allows {gigabytes(memory)}; give more with ",
        Setting("memory"),
        ", or ",
        tree if least <= memory else "use fewer variables",
    )
