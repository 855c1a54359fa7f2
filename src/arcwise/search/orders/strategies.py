"""Where to climb from next: what a strategy is, and those there are."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import exp, fsum
from typing import ClassVar, Protocol

import numpy as np

from arcwise.graph.nodes import Order
from arcwise.search.orders.climber import Climber, StrategyState, best_distinct
from arcwise.search.orders.climbs import Optimum
from arcwise.search.orders.local_kicks import LocalKicks
from arcwise.search.orders.variations import CROSSOVERS, swap_kick
from arcwise.support.arguments import count, instance, number
from arcwise.support.errors import ParameterError
from arcwise.support.messages import InPython, Name
from arcwise.support.names import one_of

__all__ = ["STRATEGIES", "Annealing", "Iterated", "Memetic", "Perturbation", "Restarts", "Strategy", "strategy_named"]


# A population that leads where others have led is followed by one of twice the size, up to so many times that of the
# first ones.
_MOST_GROWTH = 8


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
            chains = [_Chain(optimum) for optimum in _first_optima(climber, rng, first, self.chains)]
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


def _first_optima(climber: Climber, rng: np.random.Generator, first: Sequence[Order], n: int) -> list[Optimum]:
    """Return where so many chains begin: the ends of climbs from the given orders, and from initial ones."""
    climber.note(rng)
    return climber.climb([*first, *(climber.initial(rng) for _ in range(n - len(first)))], rng)


def _check_schedule(strategy: "Annealing | Perturbation") -> None:
    """Refuse a temperature that does not fall, and chains without steps."""
    if number("cooling", strategy.cooling, positive=True) > 1:
        raise ParameterError.of("cooling", "above 0 and at most 1", strategy.cooling)
    count("steps", strategy.steps, least=1)
    count("chains", strategy.chains, least=1)


def kicked(order: Order, kick: float, rng: np.random.Generator) -> Order:
    """Return the order after random swaps, as many as the given part of its length and at least one."""
    return swap_kick(order, max(1, round(kick * order.size)), rng)


@dataclass(frozen=True)
class Annealing:
    """Simulated annealing over orders, in several chains side by side: steps downhill are taken too, ever more rarely.

    Kirkpatrick, Gelatt & Vecchi 1983, "Optimization by simulated annealing", Science 220; Perez & Mauá 2016 leave it as
    future work with their initial orders. A step kicks the present order and climbs from there. Where that ends is
    accepted if it is no worse, and otherwise with the probability exp(change / temperature), as Martin, Otto & Felten
    1991 do it ("Large-step Markov chains for the traveling salesman problem", Complex Systems 5). With a climb that
    makes no move, ``OrderClimb(max_moves=0)`` on a table, it is annealing over all orders instead of local optima; that
    is slow here, because every step is a call. The temperature falls geometrically: the proof that annealing
    converges (Granville, Krivanek & Rasson 1994, IEEE PAMI 16) is for far slower schedules and does not hold.

    Parameters
    ----------
    kick
        Random swaps of a kick, as a part of the number of variables; at least one is made.
    temperature
        How much worse, in units of the score, an order may be at first that is accepted once in e = 2.72 times.
    cooling
        What the temperature is multiplied with after every step; at most 1.
    steps
        A chain starts anew after so many steps, from a new initial order and at the first temperature.
    chains
        How many chains there are.
    """

    kick: float = 0.03
    temperature: float = 20.0
    cooling: float = 0.95
    steps: int = 100
    chains: int = 8

    name: ClassVar[str] = "annealing"

    def __post_init__(self) -> None:
        number("kick", self.kick)
        number("temperature", self.temperature)
        _check_schedule(self)

    def search(self, climber: Climber, rng: np.random.Generator, first: Sequence[Order] = ()) -> None:
        """Climb until the climber is done, from the given orders first."""
        state = climber.resumed(rng)
        if state is None:
            present = _first_optima(climber, rng, first, self.chains)
            steps = [0.0] * len(present)
        else:
            present = state.optima_of("chains", least=1)
            steps = state.numbers_of("steps", length=len(present))
        while not climber.done:
            climber.note(rng, StrategyState({"chains": tuple(present)}, {"steps": tuple(steps)}))
            orders = [
                climber.initial(rng) if made >= self.steps else kicked(optimum.order, self.kick, rng)
                for optimum, made in zip(present, steps, strict=True)
            ]
            for i, new in enumerate(climber.climb(orders, rng)):
                is_fresh = steps[i] >= self.steps
                if is_fresh or self.accepts(new.score, present[i].score, steps[i], rng):
                    present[i] = new
                steps[i] = 0.0 if is_fresh else steps[i] + 1

    def accepts(self, new: float, present: float, steps: float, rng: np.random.Generator) -> bool:
        """Return whether a chain that has made so many steps takes a new score in place of the present one."""
        if new >= present:
            return True
        temperature = self.temperature * self.cooling**steps
        return temperature > 0 and rng.random() < exp((new - present) / temperature)


@dataclass(frozen=True)
class Perturbation:
    """Perturb the data instead of the order, climb on these, and climb again on the true data; then perturb them less.

    After the random reweighting of Elidan, Ninio, Friedman & Schuurmans 2002, "Data perturbation for escaping local
    maxima in learning", AAAI: the weights of the rows vary randomly, with a variance that falls from step to step. On
    data (`orders`) rows get whole weights of 0, 1 and 2. A table of parent sets has no rows; its scores get errors of
    the size and the dependence that such weights would give them, as far as a table can tell
    (`arcwise.search.orders.tables.perturbed_table`). Here every step ends with a climb on the true data, from which the
    next one starts, so that every step can give the best graph; the paper returns to the true data once, at the end.
    The schedule is not the paper's.

    Parameters
    ----------
    temperature
        The variance of the weights at first, from 0 to 1.
    cooling
        What the temperature is multiplied with after every step; at most 1.
    steps
        A chain starts anew after so many steps, from a new initial order and at the first temperature.
    chains
        How many chains there are.
    """

    temperature: float = 0.5
    cooling: float = 0.9
    steps: int = 30
    chains: int = 8

    name: ClassVar[str] = "perturbation"

    def __post_init__(self) -> None:
        if number("temperature", self.temperature) > 1:
            raise ParameterError.of("temperature", "at most 1", self.temperature)
        _check_schedule(self)

    def search(self, climber: Climber, rng: np.random.Generator, first: Sequence[Order] = ()) -> None:
        """Climb until the climber is done, from the given orders first."""
        state = climber.resumed(rng)
        if state is None:
            present, made = _first_optima(climber, rng, first, self.chains), 0
        else:
            present = state.optima_of("chains", least=1)
            made = int(state.numbers_of("steps", length=1)[0])
        while not climber.done:
            climber.note(rng, StrategyState({"chains": tuple(present)}, {"steps": (made,)}))
            if made >= self.steps:
                orders, made = [climber.initial(rng) for _ in present], 0
            else:
                temperature = self.temperature * self.cooling**made
                orders = climber.perturbed([optimum.order for optimum in present], temperature, rng)
                made += 1
            ends = climber.climb(orders, rng)
            present[: len(ends)] = ends


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
        The best of populations, each diversified into the next, make the population that follows them as soon as so
        many of them are different; 0 for never. Not in the paper: with few kept, populations are independent and find
        different optima, which are then worth crossing.
    smallest
        How many optima the first population has, and how many offspring of two; each that it is diversified into has
        twice as many, up to the numbers above, and beyond them, up to eight times as many, while populations end in an
        optimum that is known. None for those at once, as in the paper. A small population soon finds a good optimum, a
        large one ends in a better one. If there is a reunion, the best of the small populations have one of their own,
        as soon as they are all there.
    walks
        Small kicks that improve what is given at first and the best of every population, until they bring little; None
        for no such kicks, as in the paper. Only for lists that grow (`orders`).
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
    smallest: int | None = None
    walks: LocalKicks | None = None

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
        if self.smallest is not None:
            count("smallest", self.smallest, least=1)
        if self.walks is not None:
            instance("walks", self.walks, LocalKicks)
        number("kick", self.kick)
        number("least_change", self.least_change)

    def search(self, climber: Climber, rng: np.random.Generator, first: Sequence[Order] = ()) -> None:
        """Climb until the climber is done, from the given orders first."""
        if self.walks is not None:
            climber.refuse_walks()
        state = climber.resumed(rng)
        if state is None:
            climber.note(rng)
            size = self.population if self.smallest is None else min(self.smallest, self.population)
            optima = {"population": self._first(size, first, climber, rng), "champions": []}
            state = StrategyState(optima, {"averages": [], "size": [size]})
        population, champions = state.optima_of("population", least=1), state.optima_of("champions")
        averages = state.numbers_of("averages")
        size = max(1, state.wholes_of("size", _MOST_GROWTH * self.population + 1, length=1)[0])
        while not climber.done:
            known = {"population": population, "champions": tuple(champions)}
            numbers = {"averages": tuple(averages[-self.look_back - 1 :]), "size": (size,)}
            climber.note(rng, StrategyState(known, numbers))
            offspring = [self._crossed(population, rng) for _ in range(self._part(self.crossovers, size))]
            offspring += [self._mutated(population, rng) for _ in range(self._part(self.mutations, size))]
            bred = population + climber.climb(offspring, rng)
            population = best_distinct(bred, size, climber.tolerance)
            averages.append(fsum(member.score for member in population) / len(population))
            if self._stagnates(averages):
                averages.clear()
                met = best_distinct(
                    [*champions, self._risen(population[0], climber, rng)], len(champions) + 1, climber.tolerance
                )
                before, size = size, self._next_size(size, is_new=len(met) > len(champions))
                champions = met
                if self._meet(champions, before, size):
                    population, champions, size = champions, [], min(size, self.population)
                    climber.forget(population)
                else:
                    population = self._diversified(population, size, climber, rng)

    def _first(self, size: int, first: Sequence[Order], climber: Climber, rng: np.random.Generator) -> list[Optimum]:
        """Return the first population: where climbs from the given orders end, and then from initial ones.

        The latter must not know what the former have learned, which would lead them to the same place.
        """
        given = [self._risen(end, climber, rng) for end in climber.climb(first, rng)] if first else []
        if given:
            if climber.done:
                return given
            climber.forget(())
        others = climber.climb([climber.initial(rng) for _ in range(size - len(given))], rng)
        climber.remember(given)
        return given + others

    def _risen(self, optimum: Optimum, climber: Climber, rng: np.random.Generator) -> Optimum:
        return optimum if self.walks is None else self.walks.risen(optimum, climber, rng)

    def _meet(self, champions: Sequence[Optimum], before: int, size: int) -> bool:
        """Return whether the champions make a population, given the sizes of the last one and of the next."""
        were_small = before < size == self.population and len(champions) > 1
        return self.reunion > 0 and (were_small or len(champions) == self.reunion)

    def _next_size(self, size: int, *, is_new: bool) -> int:
        """Return how many optima the next population has, given those of the last and whether its champion is new.

        Where one has led to a champion that is known, only a larger one is likely to lead elsewhere.
        """
        if self.smallest is None:
            return self.population
        if size < self.population:
            return min(2 * size, self.population)
        return self.population if is_new else min(2 * size, _MOST_GROWTH * self.population)

    def _part(self, number: int, size: int) -> int:
        """Return how many of some offspring a population of this size has."""
        return -(-number * size // self.population)

    def _diversified(
        self, population: list[Optimum], size: int, climber: Climber, rng: np.random.Generator
    ) -> list[Optimum]:
        kept = population[: self.kept]
        climber.forget(kept)
        return kept + climber.climb([climber.initial(rng) for _ in range(size - len(kept))], rng)

    def _crossed(self, population: Sequence[Optimum], rng: np.random.Generator) -> Order:
        one, other = rng.choice(len(population), size=2, replace=len(population) < 2)
        return CROSSOVERS[self.crossover](population[one].order, population[other].order, rng)

    def _mutated(self, population: Sequence[Optimum], rng: np.random.Generator) -> Order:
        return kicked(population[int(rng.integers(len(population)))].order, self.kick, rng)

    def _stagnates(self, averages: Sequence[float]) -> bool:
        return len(averages) > self.look_back and abs(averages[-1] - averages[-1 - self.look_back]) < self.least_change


#: Strategies by the names that searches take.
STRATEGIES: dict[str, Strategy] = {
    strategy.name: strategy for strategy in (Restarts(), Annealing(), Perturbation(), Iterated(), Memetic())
}


def strategy_named(strategy: str | Strategy) -> Strategy:
    """Return the strategy of a name, or the given one itself.

    Examples
    --------
    >>> strategy_named("iterated").kick
    0.03
    >>> strategy_named("tabu")
    Traceback (most recent call last):
    ...
    arcwise.ParameterError: strategy must be one of restarts, annealing, perturbation, iterated, memetic, not 'tabu'
    """
    if isinstance(strategy, str):
        return STRATEGIES[one_of("strategy", strategy, STRATEGIES)]
    is_named = isinstance(getattr(strategy, "name", None), str)
    if isinstance(strategy, type) or not is_named or not callable(getattr(strategy, "search", None)):
        raise ParameterError.of(
            "strategy", ("a name", InPython(", or an object with a name and a method search")), strategy
        )
    return strategy
