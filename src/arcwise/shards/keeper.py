"""Which place keeps which shard, what is asked of all of them, and what is done when one is lost."""

from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from threading import Lock
from time import monotonic
from typing import Any, NoReturn, TypeVar

from arcwise.shards.places import LostPlaceError, NotYetError, Places
from arcwise.shards.requests import Counts, Family, Request, Rows
from arcwise.shards.store import Lacking, NoRoom, Shard, ShardReport, counts_in, forget, load, rows_in
from arcwise.support.errors import ParameterError, WorkersLostError
from arcwise.support.machine import available_memory, gigabytes
from arcwise.support.messages import Setting

__all__ = ["Keeper"]

Answer = TypeVar("Answer")

# How often what a lost worker was asked is asked of others.
_MOST_TRIES = 4
# A place hangs that takes so many times as long as any of the others, and at least so many seconds.
_TIMES_AS_LONG = 10.0
_LEAST_PATIENCE = 60.0
_SECONDS_BETWEEN_LOOKS = 0.5


@dataclass
class _Asked:
    place: str
    function: Callable[..., Any]
    arguments: tuple[Any, ...]
    future: "Future[Any]"
    tries: int = 0


class Keeper:
    """Shards at their places.

    Shards go to places in turn. A place that is lost is replaced where that can be done; otherwise its shards go to the
    others. Whoever is asked about a shard that it does not have reads it, and one that is too large for a place goes to
    another one. A place that takes ten times as long as the slowest of the others, and a minute at least, hangs: it is
    given up.

    Parameters
    ----------
    places
        The places.
    """

    def __init__(self, places: Places) -> None:
        self._places = places
        self._shards: list[Shard] = []
        self._place_of: dict[int, str] = {}
        self._instead: dict[str, str] = {}  # of places that were lost, those that have taken over
        self._lock = Lock()
        self.n_lost = 0

    @property
    def n_places(self) -> int:
        """How many places there are."""
        return max(1, len(self._places.names()))

    def keep(self, shards: Sequence[Shard]) -> None:
        """Take these shards."""
        self._shards = list(shards)
        names = self._names()
        self._place_of = {shard.number: names[i % len(names)] for i, shard in enumerate(shards)}

    def for_each(self, function: Callable[..., Answer], arguments: Sequence[tuple[Any, ...]]) -> list[Answer]:
        """Have something done for each of these arguments, at places in turn, and return what comes of it in order."""
        names = self._names()
        places = [names[i % len(names)] for i in range(len(arguments))]
        return self._done([(place, function, its) for place, its in zip(places, arguments, strict=True)])

    def load(self) -> list[ShardReport]:
        """Have each shard read at its place, or at another one that has room for it; return what became of them.

        Raises
        ------
        ParameterError
            If no place has room for a shard, with the figure.
        """
        return self._loaded(self._shards)

    def _loaded(self, shards: Sequence[Shard]) -> list[ShardReport]:
        with self._lock:
            tasks = [(self._place_of[shard.number], load, (shard,)) for shard in shards]
        return [
            self._moved(shard, place, answer) if isinstance(answer, NoRoom) else answer
            for shard, (place, _, _), answer in zip(shards, tasks, self._done(tasks), strict=True)
        ]

    def _moved(self, shard: Shard, place: str, refusal: NoRoom) -> ShardReport:
        """Have a shard read by another place than one that has no room for it."""
        if self._places.is_here:  # where all share one memory
            self._refuse_all(shard.memory)
        refusals = [refusal]
        for other in [name for name in self._names() if name != place]:
            with self._lock:
                self._place_of[shard.number] = other
            answer = self._done([(other, load, (shard,))])[0]
            if not isinstance(answer, NoRoom):
                return answer
            refusals.append(answer)
        most = max(refusals, key=lambda each: each.limit)
        raise ParameterError(
            f"{most.title} has {most.n_rows:,} rows, which take {gigabytes(most.needed)} as bits, and no worker has as "
            f"much: the most is {gigabytes(most.limit)} ({most.worker}); use more workers or smaller parts, or give "
            "more with ",
            Setting("memory"),
        )

    def _refuse_all(self, memory: int | None) -> NoReturn:
        n_rows, needed = (sum(getattr(shard, what) for shard in self._shards) for what in ("n_rows", "needed"))
        limit = int(0.9 * available_memory()) if memory is None else memory
        raise ParameterError(
            f"{n_rows:,} rows take {gigabytes(needed)} as bits, and memory allows {gigabytes(limit)} for them (too few "
            "are equal to be merged); use fewer columns or rows, keep them on several machines, or give more with ",
            Setting("memory"),
        )

    def counts(self, requests: Sequence[Request]) -> Counts:
        """Return the counts of families in all shards: each place adds up its own, and these are added in pairs."""
        answers = self._of_groups(counts_in, tuple(requests))
        while len(answers) > 1:
            pairs = [one + two for one, two in zip(answers[::2], answers[1::2], strict=False)]
            answers = [*pairs, answers[-1]] if len(answers) % 2 else pairs
        return answers[0]

    def rows(self, family: Family) -> list[Rows]:
        """Return the joint states of a family that occur in all shards, some several times."""
        return [rows for answer in self._of_groups(rows_in, family) for rows in answer]

    def forget(self, table: str) -> None:
        """Have all places give up the shards of a table."""
        forget(table)
        if not self._places.is_here:
            for place in self._places.names():
                self._places.submit(place, forget, table)

    def close(self) -> None:
        """End what was begun for the places."""
        self._places.close()

    def _names(self) -> list[str]:
        names = self._places.names()
        if not names:
            raise WorkersLostError("there is no worker that could keep a shard; start some, or read the table again")
        return names

    def _of_groups(self, function: Callable[..., Answer | Lacking], asked: Any) -> list[Answer]:
        """Ask each place about all its shards at once; those that a place turns out to lack are read first."""
        found: list[Answer] = []
        shards: list[Shard] = self._shards
        for _ in range(_MOST_TRIES):
            groups: dict[str, list[Shard]] = {}
            with self._lock:
                for shard in shards:
                    groups.setdefault(self._place_of[shard.number], []).append(shard)
            keys = [tuple(shard.key for shard in its) for its in groups.values()]
            answers = self._done([(place, function, (own, asked)) for place, own in zip(groups, keys, strict=True)])
            shards = []
            for its, answer in zip(groups.values(), answers, strict=True):
                if isinstance(answer, Lacking):
                    shards += its
                else:
                    found.append(answer)
            if not shards:
                return found
            try:
                self._loaded(shards)
            except ParameterError as error:  # nobody has room for what another one has kept until now
                raise WorkersLostError(str(error)) from error
        raise WorkersLostError(
            f"shards were lost with their workers {_MOST_TRIES} times; workers may have too little memory: use more of "
            "them, or smaller parts"
        )

    def _done(self, tasks: list[tuple[str, Callable[..., Answer], tuple[Any, ...]]]) -> list[Answer]:
        """Have tasks done at their places, those of places that are lost or hang at others; return all answers."""
        asked = [
            _Asked(place, function, its, self._places.submit(place, function, *its)) for place, function, its in tasks
        ]
        answers: dict[int, Answer] = {}
        longest = 0.0
        heard = dict.fromkeys((each.place for each in asked), monotonic())  # when a place answered last, or was asked
        while len(answers) < len(asked):
            seconds = _SECONDS_BETWEEN_LOOKS
            for at, each in enumerate(asked):
                if at in answers:
                    continue
                try:
                    answers[at] = self._places.result(each.place, each.future, seconds)
                    longest = max(longest, monotonic() - heard[each.place])
                    heard[each.place] = monotonic()
                    continue
                except NotYetError:
                    patience = max(_LEAST_PATIENCE, _TIMES_AS_LONG * longest) * 2**each.tries
                    is_late = monotonic() - heard[each.place] > patience
                    # Without an answer of others nobody knows how long it takes; the last try is waited for.
                    if not (is_late and answers and each.tries < _MOST_TRIES - 2) or self._places.is_here:
                        seconds = 0.0  # only the first of those that are waited for
                        continue
                except LostPlaceError:
                    pass
                each.tries += 1
                if each.tries == _MOST_TRIES:
                    raise WorkersLostError(
                        f"what was asked of shards was lost with its worker {_MOST_TRIES} times; workers may have too "
                        "little memory: use more of them, or smaller parts"
                    ) from None
                each.place = self._instead_of(each.place)
                each.future = self._places.submit(each.place, each.function, *each.arguments)
                heard[each.place] = monotonic()
        return [answers[at] for at in range(len(asked))]

    def _instead_of(self, lost: str) -> str:
        """Return the place that takes over what a lost one had, with its shards."""
        with self._lock:
            if lost not in self._instead:  # otherwise another thread has noticed it before
                self.n_lost += 1
                new = self._places.drop(lost)
                names = [name for name in self._names() if name != lost]
                if not names:
                    raise WorkersLostError("all workers that kept shards have gone; read the table again with others")
                self._instead[lost] = new or names[self.n_lost % len(names)]
                for number, place in self._place_of.items():
                    if place == lost:
                        self._place_of[number] = self._instead[lost]
            while lost in self._instead:
                lost = self._instead[lost]
            return lost
