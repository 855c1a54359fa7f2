"""Iterated search: kick a local optimum and climb again."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from arcwise.graph.nodes import Order
from arcwise.search.orders.climber import Climber, Optimum
from arcwise.search.orders.kicks import swap_kick
from arcwise.search.orders.states import StrategyState
from arcwise.support.arguments import count, number

__all__ = ["Iterated"]


@dataclass(frozen=True)
class Iterated:
    """Kick a local optimum and climb again, in several chains side by side.

    Section 4 of Lee & van Beek 2017, "Metaheuristics for score-and-search Bayesian network structure learning",
    Canadian AI 2017; with a climb by insert moves it is their IINOBS. The defaults are those of their
    Table 2. They ran one chain; several use several workers.

    Parameters
    ----------
    kick
        Random swaps of a kick, as a part of the number of variables; at least one is made.
    leeway
        A new optimum is accepted if it is better than the present one, or worse by less than this part of its score.
    patience
        A chain starts anew after more steps than this that have not improved its best.
    steps
        A chain starts anew after so many steps in any case.
    chains
        How many chains there are.
    """

    kick: float = 0.03
    leeway: float = 0.00005
    patience: int = 22
    steps: int = 100
    chains: int = 8

    name: ClassVar[str] = "iterated"

    def __post_init__(self) -> None:
        number("kick", self.kick)
        number("leeway", self.leeway)
        count("patience", self.patience)
        count("steps", self.steps, least=1)
        count("chains", self.chains, least=1)

    def search(self, climber: Climber, rng: np.random.Generator, first: Sequence[Order] = ()) -> None:
        """Climb until the climber is done, from the given orders first."""
        state = climber.resumed(rng)
        if state is None:
            climber.note(rng)
            starts = [*first, *(climber.initial(rng) for _ in range(self.chains - len(first)))]
            chains = [_Chain(optimum) for optimum in climber.climb(starts, rng)]
        else:
            chains = _chains(state)
        while not climber.done:
            climber.note(rng, _state(chains))
            fresh = [chain.steps >= self.steps or chain.since_best > self.patience for chain in chains]
            orders = [
                climber.initial(rng) if is_fresh else kicked(chain.optimum.order, self.kick, rng)
                for chain, is_fresh in zip(chains, fresh, strict=True)
            ]
            for i, optimum in enumerate(climber.climb(orders, rng)):
                if fresh[i]:
                    chains[i] = _Chain(optimum)
                else:
                    chains[i].step(optimum, self.leeway, climber.tolerance)


class _Chain:
    """A sequence of local optima, each from a kick of the one before."""

    NUMBERS: ClassVar = ("best", "steps", "since_best")

    def __init__(self, optimum: Optimum) -> None:
        self.optimum = optimum
        self.best = optimum.score
        self.steps: float = 0
        self.since_best: float = 0

    def step(self, new: Optimum, leeway: float, tolerance: float) -> None:
        if new.score > self.optimum.score - leeway * abs(new.score):
            self.optimum = new
        self.steps += 1
        self.since_best += 1
        if new.score > self.best + tolerance:
            self.best = new.score
            self.since_best = 0


def _state(chains: Sequence[_Chain]) -> StrategyState:
    numbers = {name: tuple(getattr(chain, name) for chain in chains) for name in _Chain.NUMBERS}
    return StrategyState({"chains": [chain.optimum for chain in chains]}, numbers)


def _chains(state: StrategyState) -> list[_Chain]:
    chains = [_Chain(optimum) for optimum in state.optima_of("chains", least=1)]
    for name in _Chain.NUMBERS:
        for chain, value in zip(chains, state.numbers_of(name, length=len(chains)), strict=True):
            setattr(chain, name, value)
    return chains


def kicked(order: Order, kick: float, rng: np.random.Generator) -> Order:
    """Return the order after random swaps, as many as the given part of its length and at least one."""
    return swap_kick(order, max(1, round(kick * order.size)), rng)
