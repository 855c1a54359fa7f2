"""What all searches over orders share: climbing from many orders at once, and keeping the best."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from concurrent.futures import Executor, as_completed
from dataclasses import dataclass

import numpy as np

from arcwise import _core
from arcwise.arguments import count
from arcwise.budget import Budget
from arcwise.result import STATUS_OF_REASON, Improvement, Status, Trace
from arcwise.search.orders.order import Order

__all__ = ["Climber", "Optimum", "Stop", "Surroundings"]


@dataclass(frozen=True, eq=False)
class Optimum:
    """Where a climb from an order ended: the order, its best graph, that graph's score, and how it got there.

    Attributes
    ----------
    order
        The variables, parents before children.
    parents
        The parents of each variable, by index.
    score
        The score of the graph.
    start_score
        The score of the order that the climb started from.
    moves
        How many moves it took.
    is_feasible
        Whether every variable has a parent set within its predecessors.
    """

    order: Order
    parents: list[list[int]]
    score: float
    start_score: float
    moves: int
    is_feasible: bool = True

    @classmethod
    def of(cls, result: _core.DescentResult) -> "Optimum":
        """Return the end of a kernel's climb."""
        return cls(
            order=result.order,
            parents=result.parents,
            score=result.score,
            start_score=result.start_score,
            moves=result.moves,
            is_feasible=result.is_feasible,
        )


@dataclass(frozen=True)
class Stop:
    """When a search over orders ends, apart from its budget.

    Parameters
    ----------
    climbs
        After so many climbs.
    patience
        After so many climbs in a row that have not led to a better graph.
    """

    climbs: int | None = None
    patience: int | None = None

    def __post_init__(self) -> None:
        if self.climbs is not None:
            count("climbs", self.climbs, least=1)
        if self.patience is not None:
            count("patience", self.patience, least=1)


@dataclass(frozen=True)
class Surroundings:
    """What a search runs in: its budget and other ends, where its climbs are done, and who hears of improvements.

    Parameters
    ----------
    budget
        When to end, whatever has been found.
    stop
        When else to end.
    executor
        Where the climbs run.
    on_improvement
        Called with every improvement; the search ends when it returns True.
    """

    budget: Budget
    stop: Stop
    executor: Executor
    on_improvement: Callable[[Improvement], object] | None = None


class Climber(ABC):
    """Climbs from orders to local optima, several at a time, and remembers the best of all.

    Strategies see only `initial`, `climb` and `done`. The answers do not depend on the number of workers: what one
    climb of a batch learns reaches the others with the next batch.

    Parameters
    ----------
    tolerance
        Scores that differ by no more are equal.
    surroundings
        What the search runs in.
    """

    def __init__(self, tolerance: float, surroundings: Surroundings) -> None:
        self.tolerance = tolerance
        self.best: Optimum | None = None
        self.trace = Trace(surroundings.on_improvement, surroundings.budget, tolerance)
        self.climbs = 0
        self.moves = 0
        self._around = surroundings
        self._since_best = 0

    @abstractmethod
    def initial(self, rng: np.random.Generator) -> Order:
        """Return an order to start from."""

    @abstractmethod
    def _climb(self, order: Order, seed: int) -> tuple[Optimum, Sequence[Improvement]]:
        """Climb from one order, in any thread; also returns the scores on the way."""

    @abstractmethod
    def _share(self) -> None:
        """Give all climbs to come what those of a batch have learned, if anything."""

    @abstractmethod
    def forget(self, kept: Sequence[Optimum]) -> None:
        """Forget what climbs have learned, but for what the given optima need, so that new climbs find new ways."""

    @property
    def done(self) -> bool:
        """Whether the search must end."""
        stop = self._around.stop
        return (
            self._around.budget.exhausted
            or (stop.climbs is not None and self.climbs >= stop.climbs)
            or (stop.patience is not None and self._since_best >= stop.patience)
        )

    @property
    def status(self) -> Status:
        """Why the search ended."""
        return STATUS_OF_REASON[self._around.budget.core.reason]

    def climb(self, orders: Sequence[Order], rng: np.random.Generator) -> list[Optimum]:
        """Return where the climbs from the orders end; fewer where the number of climbs is limited.

        Parameters
        ----------
        orders
            Where to climb from.
        rng
            Gives each climb its seed.
        """
        if self._around.stop.climbs is not None:
            orders = orders[: self._around.stop.climbs - self.climbs]
        seeds = rng.integers(2**63, size=len(orders)).tolist()
        futures = [self._around.executor.submit(self._climb, *task) for task in zip(orders, seeds, strict=True)]
        try:
            for future in as_completed(futures):
                self.trace.add(future.result()[1])
        except BaseException:
            self._around.budget.interrupt()  # nobody waits for the other climbs
            raise
        optima = [future.result()[0] for future in futures]
        self._share()
        for optimum in optima:  # in the order of the batch, so that ties do not depend on who was first
            self._count(optimum)
        return optima

    def _count(self, optimum: Optimum) -> None:
        self.climbs += 1
        self.moves += optimum.moves
        if self.best is None or optimum.score > self.best.score + self.tolerance:
            self.best = optimum
            self._since_best = 0
        else:
            self._since_best += 1
