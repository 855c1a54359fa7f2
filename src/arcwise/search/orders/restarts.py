"""Random restarts."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from arcwise.graph.nodes import Order
from arcwise.search.orders.climber import Climber
from arcwise.search.orders.states import StrategyState
from arcwise.support.arguments import count

__all__ = ["Restarts"]


@dataclass(frozen=True)
class Restarts:
    """Climb from ever new initial orders.

    Parameters
    ----------
    batch
        How many climbs are given out at once; they are shared among the workers.
    """

    batch: int = 16

    name: ClassVar[str] = "restarts"

    def __post_init__(self) -> None:
        count("batch", self.batch, least=1)

    def search(self, climber: Climber, rng: np.random.Generator, first: Sequence[Order] = ()) -> None:
        """Climb until the climber is done, from the given orders first."""
        if climber.resumed(rng) is None:
            climber.note(rng)
            climber.climb([*first, *(climber.initial(rng) for _ in range(self.batch - len(first)))], rng)
        while not climber.done:
            climber.note(rng, StrategyState())
            climber.climb([climber.initial(rng) for _ in range(self.batch)], rng)
