"""Order search on islands: populations that evolve apart and send each other their best, on any number of workers."""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from threading import Lock

import numpy as np

from arcwise.graph.dag import Dag
from arcwise.parallel.workplace import Work
from arcwise.runs.budget import Budget
from arcwise.runs.journal import Found, State
from arcwise.runs.result import Trace
from arcwise.search.orders.climber import Stop, Surroundings, best_distinct
from arcwise.search.orders.climbs import Optimum
from arcwise.search.orders.growing import Orders
from arcwise.search.orders.strategies import Strategy
from arcwise.search.search import Context, Outcome, Problem, Search, Source, function_of
from arcwise.support.arguments import count
from arcwise.support.fields import Fields

__all__ = ["Islands", "islands"]

# Without any limit, it ends after so many epochs in a row that bring nothing better.
_IDLE_EPOCHS = 2


@dataclass(frozen=True)
class Islands(Search):
    """Search orders as `orders` does, on several islands, each with a population and parent sets of its own.

    An island searches for an epoch by itself; then its best orders stay, and copies of the very best go to the next
    island, in a ring. That is the island model of genetic algorithms (Whitley, Rana & Heckendorn 1999, "The island
    model genetic algorithm: on separability, population size and convergence", J. Comput. Inf. Technol. 7). What comes
    out depends on the seed and on the number of islands, and not on how many workers there are or who was first, as
    long as limits are counts: an epoch of an island is a task, for threads or for the workers of an executor.

    Between epochs an island forgets its lists of parent sets, but for those that its orders need. So one island takes
    longer than `orders` for the same graph; it pays where there are several workers.

    Parameters
    ----------
    islands
        How many islands there are.
    climbs
        Climbs of each island in an epoch.
    survivors
        How many orders an island keeps from an epoch to the next; new ones join them.
    migrants
        How many of an island's best orders go to the next one.
    epochs
        After how many it ends.
    idle_epochs
        Without `epochs`, it ends after so many in a row that bring nothing better: two by default, and where there is
        a time limit any number.
    strategy
        Where an island climbs from; by default as in `orders`.
    begins_with_classes
        Whether searches over classes come first, as in `orders`, whose graph the first island begins with.

    Examples
    --------
    >>> from arcwise import LocalScore, load_example
    >>> data = load_example("cancer").sample(5000, seed=1)
    >>> result = islands(LocalScore(data, "bic"), islands=2, climbs=30, epochs=2, seed=1)
    >>> result.counters["epochs"], result.counters["climbs"]
    (2, 120)
    """

    islands: int = 8
    climbs: int = 200
    survivors: int = 10
    migrants: int = 2
    epochs: int | None = None
    idle_epochs: int | None = None
    strategy: str | Strategy | None = None
    begins_with_classes: bool = True

    name = "islands"
    most_variables = Orders.most_variables
    bytes_per_pair = Orders.bytes_per_pair
    bytes_per_variable = Orders.bytes_per_variable

    def __post_init__(self) -> None:
        count("islands", self.islands, least=1)
        count("climbs", self.climbs, least=1)
        count("survivors", self.survivors, least=1)
        count("migrants", self.migrants)
        for name in ("epochs", "idle_epochs"):
            if getattr(self, name) is not None:
                count(name, getattr(self, name), least=1)
        _ = self._orders  # refuses a wrong strategy

    @property
    def _orders(self) -> Orders:
        return Orders(self.strategy, begins_with_classes=self.begins_with_classes)

    def tolerance(self, source: Source) -> float:
        """Return by how much a score must be better to be an improvement."""
        return self._orders.tolerance(source)

    def run(self, problem: Problem, context: Context) -> Outcome:
        """Let all islands evolve, epoch by epoch, and return the best graph."""
        budget = context.budget
        progress = _Progress(self.islands, self.tolerance(problem.source))
        earlier = budget.journal.earlier(self.name)
        progress.resume(earlier, len(problem.names))
        first = problem.start if earlier is not None else self._orders.first_graph(problem, context, Stop())
        work = Work("island", _evolved, _Archipelago(self._orders, problem, self.climbs, self.survivors))
        while not progress.epochs or not self._is_over(progress, budget):
            tasks = [
                _Epoch(island, progress.epochs, context.seed, members, first if island == 0 else None)
                for island, members in enumerate(progress.members)
            ]
            ends = []
            for end in context.place.map(work, tasks, budget, workers=context.workers, n_tasks=self.islands):
                ends.append(end)
                progress.meet(end)
                assert progress.best is not None  # the first island climbs, whatever the budget
                context.trace.reach(progress.best.score)
                budget.note(self.name, Found(progress.best.parents, progress.best.score), progress.state)
            if budget.exhausted:  # the epoch is not whole, and is begun anew by whoever resumes
                break
            progress.end([end.optima for end in ends], self.migrants)
            budget.note(self.name, None, progress.state)
        best = progress.best
        assert best is not None
        dag, score = Dag.from_parents(problem.names, best.parents), best.score
        if first is not None and (its_score := problem.score.total(first)) > score:
            dag, score = first, its_score  # where there was no time to climb from it
        counters = {"climbs": progress.climbs, "moves": progress.moves, "epochs": progress.epochs}
        return Outcome(dag, score, counters=counters, decisions={"strategy": self._orders.strategy_for(problem)})

    def _is_over(self, progress: "_Progress", budget: Budget) -> bool:
        if budget.exhausted:
            return True
        if self.epochs is not None:
            return progress.epochs >= self.epochs
        idle = _IDLE_EPOCHS if self.idle_epochs is None and budget.time_limit is None else self.idle_epochs
        return idle is not None and progress.idle >= idle


@dataclass(frozen=True)
class _Archipelago:
    """What all islands have in common."""

    orders: Orders
    problem: Problem
    climbs: int
    survivors: int


@dataclass(frozen=True, eq=False)
class _Epoch:
    """What an island begins an epoch with; the first one may have a graph besides."""

    island: int
    number: int
    seed: int
    members: Sequence[Optimum]
    graph: Dag | None


@dataclass(frozen=True, eq=False)
class _End:
    """What an island ends an epoch with: its best orders, best first, and what it has done."""

    optima: Sequence[Optimum]
    climbs: int = 0
    moves: int = 0


def _evolved(shared: _Archipelago, epoch: _Epoch, budget: Budget, threads: int) -> _End:
    """Let an island evolve for an epoch."""
    if budget.exhausted and (epoch.island > 0 or epoch.members):
        return _End(epoch.members)
    part = budget.part()
    with ThreadPoolExecutor(max_workers=threads) as executor:
        stop, trace = Stop(climbs=shared.climbs), Trace(None, part)
        around = Surroundings(part, stop, executor, trace, threads, kept=shared.survivors)
        climber = shared.orders.climber_for(shared.problem, around)
        climber.forget(epoch.members)
        first = [member.order for member in epoch.members]
        if epoch.graph is not None and epoch.number == 0:
            first.append(climber.order_of(epoch.graph))
        rng = np.random.default_rng([epoch.seed, epoch.number, epoch.island])
        shared.orders.strategy_for(shared.problem).search(climber, rng, first[: shared.climbs])
    return _End(climber.kept, climber.climbs, climber.moves)


@dataclass
class _Progress:
    """How far all islands are."""

    n_islands: int
    tolerance: float
    epochs: int = 0
    idle: int = 0
    climbs: int = 0
    moves: int = 0
    best: Optimum | None = None
    members: list[list[Optimum]] = field(init=False)
    _score_before: float | None = None
    _whole: State | None = None
    _lock: Lock = field(default_factory=Lock)  # whoever writes a checkpoint asks for the state, in another thread

    def __post_init__(self) -> None:
        self.members = [[] for _ in range(self.n_islands)]

    def meet(self, end: _End) -> None:
        """Take in what an island has found."""
        self.climbs += end.climbs
        self.moves += end.moves
        for optimum in end.optima:
            if self.best is None or optimum.score > self.best.score + self.tolerance:
                self.best = optimum

    def end(self, optima: Sequence[Sequence[Optimum]], migrants: int) -> None:
        """End an epoch: the best of each island stay, and the very best go to the next one too."""
        assert self.best is not None
        with self._lock:
            arriving = [optima[island - 1][:migrants] if self.n_islands > 1 else [] for island in range(self.n_islands)]
            self.members = [
                best_distinct([*stay, *arrive], len(stay) + len(arrive), self.tolerance)
                for stay, arrive in zip(optima, arriving, strict=True)
            ]
            is_better = self._score_before is None or self.best.score > self._score_before + self.tolerance
            self.idle = 0 if is_better else self.idle + 1
            self._score_before = self.best.score
            self.epochs += 1
            self._whole = {
                "epochs": self.epochs,
                "idle": self.idle,
                "climbs": self.climbs,
                "moves": self.moves,
                "best": self.best.as_json(),
                "islands": [{"members": [one.as_json() for one in members]} for members in self.members],
            }

    def state(self) -> State | None:
        """Return what it takes to resume after the last whole epoch; None before that."""
        with self._lock:
            return self._whole

    def resume(self, state: Fields | None, n_variables: int) -> None:
        """Begin where an earlier run has left off."""
        if state is None:
            return
        self.epochs, self.idle = state.whole("epochs"), state.whole("idle")
        self.climbs, self.moves = state.whole("climbs"), state.whole("moves")
        self.best = Optimum.of_json(state.part("best"), n_variables)
        self._score_before = self.best.score
        islands = state.parts("islands")
        if len(islands) != self.n_islands or not self.epochs:
            raise state.wrong(f"the state of {len(islands)} islands cannot be that of {self.n_islands}")
        self.members = [[Optimum.of_json(one, n_variables) for one in island.parts("members")] for island in islands]
        self._whole = None


islands = function_of(Islands(), "islands")
