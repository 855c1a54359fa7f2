"""Where to climb from next: what a strategy is, and the strategies by name."""

from collections.abc import Sequence
from typing import Protocol

import numpy as np

from arcwise.graph.nodes import Order
from arcwise.search.orders.climber import Climber
from arcwise.search.orders.iterated import Iterated
from arcwise.search.orders.memetic import Memetic
from arcwise.search.orders.restarts import Restarts
from arcwise.support.errors import ParameterError
from arcwise.support.messages import InPython
from arcwise.support.names import one_of

__all__ = ["STRATEGIES", "Strategy", "strategy_named"]


class Strategy(Protocol):
    """An order search that decides where to climb from, and leaves the climbing to a `Climber`."""

    @property
    def name(self) -> str:
        """What the strategy is called in results and commands."""

    def search(self, climber: Climber, rng: np.random.Generator, first: Sequence[Order] = ()) -> None:
        """Climb until the climber is done, from the given orders first.

        One that calls `Climber.resumed` at first and `Climber.note` before every batch can be resumed after a kill;
        others begin anew.
        """


#: Strategies by the names that searches take.
STRATEGIES: dict[str, Strategy] = {strategy.name: strategy for strategy in (Restarts(), Iterated(), Memetic())}


def strategy_named(strategy: str | Strategy) -> Strategy:
    """Return the strategy of a name, or the given one itself.

    Examples
    --------
    >>> strategy_named("iterated").kick
    0.03
    >>> strategy_named("simulated annealing")
    Traceback (most recent call last):
    ...
    arcwise.ParameterError: strategy must be one of restarts, iterated, memetic, not 'simulated annealing'
    """
    if isinstance(strategy, str):
        return STRATEGIES[one_of("strategy", strategy, STRATEGIES)]
    is_named = isinstance(getattr(strategy, "name", None), str)
    if isinstance(strategy, type) or not is_named or not callable(getattr(strategy, "search", None)):
        raise ParameterError.of(
            "strategy", ("a name", InPython(", or an object with a name and a method search")), strategy
        )
    return strategy
