"""Searches with a time limit, several at a time, whose results are kept as soon as each of them is finished."""

from bisect import bisect_right
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from typing import Any

from arcwise import Budget, Result
from experiments.kept import Kept
from experiments.lee_vanbeek_2017_instances import Instance, Lazy

__all__ = ["Curve", "Job", "run_all", "score_at", "thinned"]

#: Seconds and the best score until then, in order.
Curve = Sequence[Sequence[float]]

# A curve has a point for every interval of time that is so much longer than the one before.
_RATIO = 1.05


@dataclass(frozen=True)
class Job:
    """A search: what is asked, as a key of `Kept`; the seconds it has, and what it does with a budget of them."""

    part: Mapping[str, Any]
    seconds: float
    run: Callable[[Instance, Budget], Result]


def run_all(lazy: Lazy, jobs: Sequence[Job], kept: Kept, workers: int) -> list[dict[str, Any]]:
    """Run those that are not kept, on one instance, and return what all have found, in their order.

    Ctrl-C ends all searches under way, and these are not kept.
    """
    missing = [job for job in jobs if job.part not in kept]
    if not missing:
        return [kept.found(job.part, dict) for job in jobs]
    instance = lazy()  # in this thread, where Ctrl-C ends the making of a table
    running: set[Budget] = set()

    def found(job: Job) -> dict[str, Any]:
        budget = Budget(time_limit=job.seconds)
        running.add(budget)
        try:
            return _summary(job.run(instance, budget))
        finally:
            running.discard(budget)

    with ThreadPoolExecutor(workers) as executor:
        futures: dict[Future[dict[str, Any]], Job] = {executor.submit(found, job): job for job in missing}
        try:
            for future in as_completed(futures):
                kept.found(futures[future].part, future.result)
        except BaseException:
            executor.shutdown(wait=False, cancel_futures=True)
            for budget in tuple(running):
                budget.interrupt()
            raise
    return [kept.found(job.part, dict) for job in jobs]


def _summary(result: Result) -> dict[str, Any]:
    points = [(point.seconds, point.score) for point in result.trace]
    return {
        "score": result.score,
        "status": str(result.status),
        "bound": result.bound,
        "seconds": result.seconds,
        "curve": thinned([*points, (result.seconds, result.score)]),
    }


def thinned(points: Iterable[tuple[float, float]]) -> list[list[float]]:
    """Return the last point of each interval of time; the intervals grow by a twentieth.

    Examples
    --------
    >>> thinned([(0.1, -9.0), (1.0, -5.0), (1.001, -4.5), (2.0, -4.5)])
    [[0.1, -9.0], [1.001, -4.5]]
    """
    kept: list[list[float]] = []
    begin = 0.0
    for seconds, score in points:
        if kept and score <= kept[-1][1]:
            continue
        if kept and seconds < begin * _RATIO:
            kept[-1] = [seconds, score]
        else:
            kept.append([seconds, score])
            begin = seconds
    return kept


def score_at(curve: Curve, seconds: float) -> float:
    """Return the best score until then; minus infinity before the first.

    Examples
    --------
    >>> score_at([[0.5, -9.0], [2.0, -4.0]], 1.0)
    -9.0
    >>> score_at([[0.5, -9.0], [2.0, -4.0]], 0.1)
    -inf
    """
    at = bisect_right([point[0] for point in curve], seconds)
    return curve[at - 1][1] if at else float("-inf")
