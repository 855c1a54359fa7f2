"""Which place keeps which shard, what is asked of all of them, and what is done when one is lost."""

from collections.abc import Callable, Sequence
from threading import Lock
from typing import Any, TypeVar

from arcwise.shards.places import LostPlaceError, Places
from arcwise.shards.requests import Counts, Family, Request, Rows
from arcwise.shards.store import Lacking, Shard, counts_in, forget, rows_in
from arcwise.support.errors import ArcwiseError

__all__ = ["Keeper"]

Answer = TypeVar("Answer")

# How often what a lost worker was asked is asked of others.
_MOST_TRIES = 4


class Keeper:
    """Shards at their places.

    Shards go to places in turn. A place that is lost is replaced where that can be done; otherwise its shards go to the
    others. Whoever is asked about a shard that it does not have reads it.

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

    def for_each_shard(self, function: Callable[[Shard], Answer]) -> list[Answer]:
        """Have something done for each shard, at its place, and return what comes of it in the order of the shards."""
        with self._lock:
            tasks = [(self._place_of[shard.number], function, (shard,)) for shard in self._shards]
        return self._done(tasks)

    def counts(self, requests: Sequence[Request]) -> Counts:
        """Return the counts of families in all shards: each place adds up its own, and these are added in pairs."""
        answers = self._of_groups(counts_in, tuple(requests))
        while len(answers) > 1:
            pairs = [one + two for one, two in zip(answers[::2], answers[1::2], strict=False)]
            answers = [*pairs, answers[-1]] if len(answers) % 2 else pairs
        return answers[0]

    def rows(self, families: Sequence[Family]) -> list[list[Rows]]:
        """Return for each family the joint states that occur, for each shard."""
        answers = self._of_groups(rows_in, tuple(families))
        return [[rows for answer in answers for rows in answer[at]] for at in range(len(families))]

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
            raise ArcwiseError("there is no worker that could keep a shard; start some, or read the table again")
        return names

    def _of_groups(self, function: Callable[..., Answer | Lacking], asked: Any) -> list[Answer]:
        """Ask each place about all its shards at once; one that lacks them is told what it takes to read them."""
        with self._lock:
            groups: dict[str, list[Shard]] = {}
            for shard in self._shards:
                groups.setdefault(self._place_of[shard.number], []).append(shard)
        keys = [tuple(shard.key for shard in shards) for shards in groups.values()]
        answers = self._done([(place, function, (own, asked)) for place, own in zip(groups, keys, strict=True)])
        found: list[Answer] = []
        for (place, shards), own, answer in zip(groups.items(), keys, answers, strict=True):
            if isinstance(answer, Lacking):
                with self._lock:
                    place = self._place_of[shards[0].number]
                answer = self._done([(place, function, (own, asked, tuple(shards)))])[0]
            assert not isinstance(answer, Lacking)
            found.append(answer)
        return found

    def _done(self, tasks: list[tuple[str, Callable[..., Answer], tuple[Any, ...]]]) -> list[Answer]:
        futures = [(place, self._places.submit(place, function, *its)) for place, function, its in tasks]
        answers = []
        for (place, future), (_, function, its) in zip(futures, tasks, strict=True):
            for left in range(_MOST_TRIES - 1, -1, -1):
                try:
                    answers.append(self._places.result(place, future))
                    break
                except LostPlaceError:
                    if not left:
                        raise ArcwiseError(
                            f"what was asked of shards was lost with its worker {_MOST_TRIES} times; workers may have "
                            "too little memory: use more of them, or smaller parts"
                        ) from None
                    place = self._instead_of(place)
                    future = self._places.submit(place, function, *its)
        return answers

    def _instead_of(self, lost: str) -> str:
        """Return the place that takes over what a lost one had, with its shards."""
        with self._lock:
            if lost not in self._instead:  # otherwise another thread has noticed it before
                self.n_lost += 1
                new = self._places.drop(lost)
                names = [name for name in self._names() if name != lost]
                if not names:
                    raise ArcwiseError("all workers that kept shards have gone; read the table again with others")
                self._instead[lost] = new or names[self.n_lost % len(names)]
                for number, place in self._place_of.items():
                    if place == lost:
                        self._place_of[number] = self._instead[lost]
            while lost in self._instead:
                lost = self._instead[lost]
            return lost
