"""What all order searches share: climbing from many orders at once, keeping the best, and how that is resumed."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from concurrent.futures import Executor, as_completed
from dataclasses import dataclass, field
from math import inf
from threading import Lock
from typing import Any, ClassVar

import numpy as np

from arcwise.graph.nodes import Order
from arcwise.runs.budget import Budget, threads_of_each
from arcwise.runs.journal import Found, Journal, State
from arcwise.runs.result import STATUS_OF_REASON, Status, Trace
from arcwise.search.orders.climbs import Optimum
from arcwise.support.arguments import count
from arcwise.support.errors import FormatError, ParameterError
from arcwise.support.fields import Fields
from arcwise.support.messages import Name
from arcwise.support.quoting import quoted

__all__ = [
    "Climber",
    "ClimberState",
    "Stop",
    "StrategyState",
    "Surroundings",
    "best_distinct",
    "earlier_graphs",
    "is_resumed",
]

# Under which name journals keep these searches.
_SEARCH = "orders"


@dataclass(frozen=True)
class StrategyState:
    """What a strategy needs besides its own parameters and its random numbers.

    Parameters
    ----------
    optima
        Lists of optima by name, such as a population.
    numbers
        Lists of numbers by name, such as how long chains have not improved.
    """

    optima: Mapping[str, Sequence[Optimum]] = field(default_factory=dict)
    numbers: Mapping[str, Sequence[float]] = field(default_factory=dict)

    def optima_of(self, name: str, *, least: int = 0) -> list[Optimum]:
        """Return the optima of a name, refused where an earlier run left none or too few."""
        if name not in self.optima or len(self.optima[name]) < least:
            raise FormatError(f"the checkpoint has no optima named {quoted(name)}; it is damaged, start without it")
        return list(self.optima[name])

    def numbers_of(self, name: str, *, length: int | None = None) -> list[float]:
        """Return the numbers of a name, refused where an earlier run left none or not so many."""
        if name not in self.numbers or length not in (None, len(self.numbers[name])):
            raise FormatError(
                f"the checkpoint has not the right numbers {quoted(name)}; it is damaged, start without it"
            )
        return list(self.numbers[name])

    def wholes_of(self, name: str, below: int, *, length: int | None = None) -> list[int]:
        """Return the whole numbers of a name, refused where an earlier run left others than from 0 to below a limit."""
        numbers = self.numbers_of(name, length=length)
        if not all(0 <= number < below and number == int(number) for number in numbers):
            raise FormatError(
                f"the checkpoint has not the right numbers {quoted(name)}; it is damaged, start without it"
            )
        return [int(number) for number in numbers]

    def as_json(self) -> dict[str, Any]:
        """Return the same in values that JSON has."""
        return {
            "optima": {name: [optimum.as_json() for optimum in listed] for name, listed in self.optima.items()},
            "numbers": {
                name: [None if number == -inf else number for number in listed] for name, listed in self.numbers.items()
            },
        }

    @classmethod
    def of_json(cls, fields: Fields, n_variables: int) -> "StrategyState":
        """Return what `as_json` has made."""
        optima, numbers = fields.part("optima"), fields.part("numbers")
        return cls(
            {name: [Optimum.of_json(one, n_variables) for one in optima.parts(name)] for name in optima},
            {name: numbers.numbers(name, null=-inf) for name in numbers},
        )


@dataclass(frozen=True)
class ClimberState:
    """The state of an order search between two batches of climbs.

    Parameters
    ----------
    climbs, moves, since_best, best
        What the climber has counted, and the best that it has met.
    rng
        The state of the random numbers.
    strategy
        What the strategy knows; None before its first batch.
    """

    climbs: int
    moves: int
    since_best: int
    best: Optimum | None
    rng: Mapping[str, Any]
    strategy: StrategyState | None

    def as_json(self) -> dict[str, Any]:
        """Return the same in values that JSON has."""
        return {
            "climbs": self.climbs,
            "moves": self.moves,
            "since_best": self.since_best,
            "best": None if self.best is None else self.best.as_json(),
            "rng": _rng_as_json(self.rng),
            "strategy": None if self.strategy is None else self.strategy.as_json(),
        }

    @classmethod
    def of_json(cls, fields: Fields, n_variables: int) -> "ClimberState":
        """Return what `as_json` has made."""
        if "strategy" in fields and "best" not in fields:
            raise fields.wrong("a search with the state of a strategy must have a best order")
        return cls(
            climbs=fields.whole("climbs"),
            moves=fields.whole("moves"),
            since_best=fields.whole("since_best"),
            best=Optimum.of_json(fields.part("best"), n_variables) if "best" in fields else None,
            rng=_rng_of_json(fields.part("rng")),
            strategy=StrategyState.of_json(fields.part("strategy"), n_variables) if "strategy" in fields else None,
        )


def _rng_as_json(state: Mapping[str, Any]) -> dict[str, Any]:
    """Return the state of numpy's PCG64; its numbers of 128 bits as text, because many readers of JSON have none."""
    return {
        "generator": state["bit_generator"],
        "state": str(state["state"]["state"]),
        "increment": str(state["state"]["inc"]),
        "has_half": state["has_uint32"],
        "half": state["uinteger"],
    }


def _rng_of_json(fields: Fields) -> dict[str, Any]:
    if fields.text("generator") != np.random.default_rng(0).bit_generator.state["bit_generator"]:
        raise fields.wrong(
            f"random numbers of {fields.text('generator')} cannot be resumed here; this numpy has others"
        )

    def large(name: str) -> int:
        digits = fields.text(name)
        if not (digits.isascii() and digits.isdigit() and len(digits) < 40 and int(digits) < 2**128):
            raise fields.wrong(f"rng.{name} must be a whole number below 2**128, not {quoted(digits)}")
        return int(digits)

    half, has_half = fields.whole("half"), fields.whole("has_half")
    if half >= 2**32 or has_half > 1:
        raise fields.wrong("rng.half must be below 2**32, and rng.has_half 0 or 1")
    return {
        "bit_generator": fields.text("generator"),
        "state": {"state": large("state"), "inc": large("increment") | 1},
        "has_uint32": has_half,
        "uinteger": half,
    }


@dataclass(frozen=True)
class Stop:
    """When an order search ends, apart from its budget.

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
    trace
        What hears of improvements.
    workers
        The threads of the executor. Where fewer climbs run, each may use several itself.
    kept
        How many of the best optima with different scores are kept, besides the best.
    """

    budget: Budget
    stop: Stop
    executor: Executor
    trace: Trace
    workers: int = 1
    kept: int = 0


class Climber(ABC):
    """Climbs from orders to local optima, several at a time, and remembers the best of all.

    Strategies see only `initial`, `climb` and `done`. The answers do not depend on the number of workers: what one
    climb of a batch learns reaches the others with the next batch.

    A strategy that is to be resumed where an earlier run stopped also calls `resumed` at first, and `note` before every
    batch. Climbs that have ended since are kept by their seeds: the same random numbers ask for them again.

    Parameters
    ----------
    tolerance
        Scores that differ by no more are equal.
    surroundings
        What the search runs in.
    """

    can_walk: ClassVar[bool] = False

    def __init__(self, tolerance: float, surroundings: Surroundings) -> None:
        self.tolerance = tolerance
        self.best: Optimum | None = None
        self.kept: list[Optimum] = []
        self.climbs = 0
        self.moves = 0
        self._around = surroundings
        self._threads = surroundings.workers
        self._since_best = 0
        self._noted: ClimberState | None = None
        self._ended: dict[int, Optimum] = {}
        self._is_noted = False
        self._lock = Lock()  # whoever writes a checkpoint asks for the state, in another thread
        self._has_graph = False

    @abstractmethod
    def initial(self, rng: np.random.Generator) -> Order:
        """Return an order to start from."""

    @abstractmethod
    def _climb(self, order: Order, seed: int) -> Optimum:
        """Climb from one order, in any thread; the climb may use `_threads` of them itself."""

    @abstractmethod
    def _share(self) -> None:
        """Give all climbs to come what those of a batch have learned, if anything."""

    @abstractmethod
    def forget(self, kept: Sequence[Optimum]) -> None:
        """Forget what climbs have learned, but for what the given optima need, so that new climbs find new ways."""

    def remember(self, optima: Sequence[Optimum]) -> None:
        """Give all climbs to come the parents that the optima have, where climbs learn anything at all."""
        return

    def perturbed(self, orders: Sequence[Order], temperature: float, rng: np.random.Generator) -> list[Order]:
        """Return where climbs from the orders end on other data, which differ the more the higher the temperature is.

        None of them counts as a climb, and none when the budget has ended. The answers do not depend on the workers.

        Parameters
        ----------
        orders
            Where to climb from.
        temperature
            The variance of the weight of a row, from 0 to 1.
        rng
            Gives each climb its seed.
        """
        seeds = rng.integers(2**63, size=len(orders)).tolist()

        def climbed(order: Order, seed: int) -> Order:
            if self._around.budget.exhausted:
                return order
            return self._climb_elsewhere(order, temperature, seed, self._around.budget.part(apart=True))

        self._threads = threads_of_each(self._around.workers, len(orders))
        return list(self._around.executor.map(climbed, orders, seeds))

    def walk(self, orders: Sequence[Order], kicks: int, rng: np.random.Generator) -> list[Optimum]:
        """Return where the climbs from the orders end, each followed by small kicks that are undone where they fail.

        Parameters
        ----------
        orders
            Where to climb from.
        kicks
            How many kicks follow each climb.
        rng
            Gives each climb its seed.
        """
        raise NotImplementedError

    def refuse_walks(self) -> None:
        """Refuse a strategy that walks, where there are no lists that grow."""
        if not self.can_walk:
            raise ParameterError(
                Name("strategy"), " with LocalKicks needs lists that grow (orders), not a table or regrown parents"
            )

    def tried(self, optimum: Optimum) -> Order | None:
        """Return an order of the graph to which a search over classes leads from an optimum; None without such.

        Parameters
        ----------
        optimum
            Where it begins.
        """
        return None

    def _climb_elsewhere(self, order: Order, temperature: float, seed: int, budget: Budget) -> Order:
        """Climb from one order on perturbed data, in any thread."""
        raise NotImplementedError

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

    def resumed(self, rng: np.random.Generator) -> StrategyState | None:
        """Return what the strategy noted last in an earlier run; None where it has to begin.

        Parameters
        ----------
        rng
            Continues with the random numbers of that run.
        """
        state = self._around.budget.journal.earlier(_SEARCH)
        if state is None:
            return None
        noted, ended = _left(state, n_variables=self.initial(np.random.default_rng(0)).size)
        self.climbs, self.moves, self._since_best = noted.climbs, noted.moves, noted.since_best
        self.best, self._noted, self._ended = noted.best, noted, ended
        self._is_noted = True
        rng.bit_generator.state = noted.rng
        known = [] if noted.strategy is None else [one for many in noted.strategy.optima.values() for one in many]
        self.forget([*known, *ended.values(), *([] if self.best is None else [self.best])])
        return noted.strategy

    def note(self, rng: np.random.Generator, strategy: StrategyState | None = None) -> None:
        """Keep the state of the search before a batch of climbs, for runs to come.

        Parameters
        ----------
        rng
            The random numbers of the strategy.
        strategy
            What it knows; None before its first batch.
        """
        if self._is_noted:  # by the earlier run, whose climbs since then are still to be asked for
            self._is_noted = False
            return
        state = rng.bit_generator.state
        with self._lock:
            self._noted = ClimberState(self.climbs, self.moves, self._since_best, self.best, state, strategy)
            self._ended.clear()
        self._tell(self.best)

    def _tell(self, optimum: Optimum | None) -> None:
        found = Found(optimum.parents, optimum.score) if optimum is not None and optimum.is_feasible else None
        self._around.budget.note(_SEARCH, found, self._state)

    def _state(self) -> State | None:
        with self._lock:
            noted, ended = self._noted, dict(self._ended)
        if noted is None:
            return None
        ends = [{"seed": seed, "optimum": optimum.as_json()} for seed, optimum in ended.items()]
        return {"climber": noted.as_json(), "ended": ends}

    def climb(self, orders: Sequence[Order], rng: np.random.Generator) -> list[Optimum]:
        """Return where the climbs from the orders end; fewer where the number of climbs is limited or the budget ends.

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
        self._has_graph = False
        ends = {seed: self._ended[seed] for seed in seeds if seed in self._ended}
        self._threads = threads_of_each(self._around.workers, len(seeds) - len(ends))
        seed_of = {
            self._around.executor.submit(self._climb_in_time, order, seed, seed == seeds[0]): seed
            for order, seed in zip(orders, seeds, strict=True)
            if seed not in ends
        }
        try:
            for future in as_completed(seed_of):
                optimum = future.result()
                if optimum is None:
                    continue
                if optimum.is_feasible:
                    self._around.trace.reach(optimum.score)
                self._end(seed_of[future], optimum)
                ends[seed_of[future]] = optimum
        except BaseException:
            self._around.budget.interrupt()  # nobody waits for the other climbs
            raise
        optima = [ends[seed] for seed in seeds if seed in ends]
        self._share()
        for found in optima:  # in the order of the batch, so that ties do not depend on who was first
            self._count(found)
        return optima

    def _climb_in_time(self, order: Order, seed: int, is_first: bool) -> Optimum | None:
        """Climb, unless the budget has ended and the batch has a graph: even to look at an order takes its time.

        The first order is always climbed from: it may be that of a good graph, which must not be lost.
        """
        if self._around.budget.exhausted and self._has_graph and not is_first:
            return None
        optimum = self._climb(order, seed)
        self._has_graph = self._has_graph or optimum.is_feasible
        return optimum

    def _end(self, seed: int, optimum: Optimum) -> None:
        # A climb that was cut short is repeated by whoever resumes; and strategies that note nothing begin anew.
        if self._noted is not None and not self._around.budget.exhausted:
            with self._lock:
                self._ended[seed] = optimum
        self._tell(optimum)

    def _count(self, optimum: Optimum) -> None:
        self.climbs += 1
        self.moves += optimum.moves
        if self._around.kept and (optimum.is_feasible or not self.kept):
            self.kept = best_distinct([*self.kept, optimum], self._around.kept, self.tolerance)
        if self.best is None or optimum.score > self.best.score + self.tolerance:
            self.best = optimum
            self._since_best = 0
        else:
            self._since_best += 1


def best_distinct(optima: Sequence[Optimum], most: int, tolerance: float) -> list[Optimum]:
    """Return the best of some optima, best first and one of each score."""
    distinct: list[Optimum] = []
    for optimum in sorted(optima, key=lambda optimum: -optimum.score):
        if not distinct or optimum.score < distinct[-1].score - tolerance:
            distinct.append(optimum)
    return distinct[:most]


def is_resumed(journal: Journal) -> bool:
    """Return whether an earlier part of the run has got as far as an order search."""
    return journal.earlier(_SEARCH) is not None


def earlier_graphs(journal: Journal, n_variables: int) -> list[Sequence[Sequence[int]]]:
    """Return the graphs of an earlier run of which one may be the best of this one too: the parents of each variable.

    A table that is selected anew must have their families, because it may have other sets than the earlier one.
    """
    state, best = journal.earlier(_SEARCH), journal.earlier_best
    graphs = [] if best is None else [best.parents]
    if state is not None:
        noted, ended = _left(state, n_variables)
        optima = [*ended.values(), *([] if noted.best is None else [noted.best])]
        graphs += [optimum.parents for optimum in optima if optimum.is_feasible]
    return graphs


def _left(state: Fields, n_variables: int) -> tuple[ClimberState, dict[int, Optimum]]:
    """Return how an earlier run stood before its last batch of climbs, and those of the batch that had ended."""
    ended = {climb.whole("seed"): Optimum.of_json(climb.part("optimum"), n_variables) for climb in state.parts("ended")}
    return ClimberState.of_json(state.part("climber"), n_variables), ended
