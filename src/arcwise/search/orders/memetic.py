"""Memetic search: a population of local optima."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import fsum
from typing import ClassVar

import numpy as np

from arcwise.graph.nodes import Order
from arcwise.search.orders.climber import Climber, Optimum
from arcwise.search.orders.crossovers import CROSSOVERS
from arcwise.search.orders.iterated import kicked
from arcwise.search.orders.states import StrategyState
from arcwise.support.arguments import count, number
from arcwise.support.errors import ParameterError
from arcwise.support.messages import Name
from arcwise.support.names import one_of

__all__ = ["Memetic"]


@dataclass(frozen=True)
class Memetic:
    """Let a population of local optima breed: cross two or kick one, climb, and keep the best.

    Section 5 of Lee & van Beek 2017, "Metaheuristics for score-and-search Bayesian network structure learning",
    Canadian AI 2017; with a climb by insert moves it is their MINOBS. The defaults are those of their
    Table 3.

    Parameters
    ----------
    population
        How many optima survive a generation.
    crossover
        How two orders make a new one: ``cx``, ``rx`` or ``ob``.
    crossovers
        Offspring of two in a generation.
    kick
        Random swaps of a mutation, as a part of the number of variables; at least one is made.
    mutations
        Offspring of one in a generation.
    look_back
        Generations within which the average score must change.
    least_change
        By how much, in nats; otherwise the population is diversified.
    kept
        How many of the best survive a diversification; new optima replace the others.
    reunion
        The best of so many populations, each diversified into the next, make the population that follows them; 0 for
        never. Not in the paper: with few kept, populations are independent and find different optima, which are then
        worth crossing.
    """

    population: int = 20
    crossover: str = "ob"
    crossovers: int = 20
    kick: float = 0.01
    mutations: int = 6
    look_back: int = 32
    least_change: float = 0.001
    kept: int = 4
    reunion: int = 0

    name: ClassVar[str] = "memetic"

    def __post_init__(self) -> None:
        one_of("crossover", self.crossover, CROSSOVERS)
        count("population", self.population, least=1)
        count("crossovers", self.crossovers)
        count("mutations", self.mutations)
        if self.crossovers + self.mutations == 0:
            raise ParameterError(
                Name("crossovers"),
                " and ",
                Name("mutations"),
                " must not both be 0: no generation would have offspring",
            )
        count("look_back", self.look_back, least=1)
        count("kept", self.kept)
        count("reunion", self.reunion)
        number("kick", self.kick)
        number("least_change", self.least_change)

    def search(self, climber: Climber, rng: np.random.Generator, first: Sequence[Order] = ()) -> None:
        """Climb until the climber is done, from the given orders first."""
        state = climber.resumed(rng)
        if state is None:
            climber.note(rng)
            strangers = [climber.initial(rng) for _ in range(self.population - len(first))]
            state = StrategyState(
                {"population": climber.climb([*first, *strangers], rng), "champions": []}, {"averages": []}
            )
        population, champions = state.optima_of("population", least=1), state.optima_of("champions")
        averages = state.numbers_of("averages")
        while not climber.done:
            known = {"population": population, "champions": tuple(champions)}
            climber.note(rng, StrategyState(known, {"averages": tuple(averages[-self.look_back - 1 :])}))
            offspring = [self._crossed(population, rng) for _ in range(self.crossovers)]
            offspring += [self._mutated(population, rng) for _ in range(self.mutations)]
            population = self._pruned(population + climber.climb(offspring, rng), climber.tolerance)
            averages.append(fsum(member.score for member in population) / len(population))
            if self._stagnates(averages):
                averages.clear()
                champions.append(population[0])
                if len(champions) == self.reunion:
                    population, champions = champions, []
                    climber.forget(population)
                else:
                    population = self._diversified(population, climber, rng)

    def _diversified(self, population: list[Optimum], climber: Climber, rng: np.random.Generator) -> list[Optimum]:
        kept = population[: self.kept]
        climber.forget(kept)
        return kept + climber.climb([climber.initial(rng) for _ in range(self.population - len(kept))], rng)

    def _crossed(self, population: Sequence[Optimum], rng: np.random.Generator) -> Order:
        one, other = rng.choice(len(population), size=2, replace=len(population) < 2)
        return CROSSOVERS[self.crossover](population[one].order, population[other].order, rng)

    def _mutated(self, population: Sequence[Optimum], rng: np.random.Generator) -> Order:
        return kicked(population[int(rng.integers(len(population)))].order, self.kick, rng)

    def _pruned(self, population: Sequence[Optimum], tolerance: float) -> list[Optimum]:
        """Return the best members, one of each score."""
        distinct: list[Optimum] = []
        for member in sorted(population, key=lambda member: -member.score):
            if not distinct or member.score < distinct[-1].score - tolerance:
                distinct.append(member)
        return distinct[: self.population]

    def _stagnates(self, averages: Sequence[float]) -> bool:
        return len(averages) > self.look_back and abs(averages[-1] - averages[-1 - self.look_back]) < self.least_change
