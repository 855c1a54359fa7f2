"""What a running search tells about itself, so that a run can be resumed where it was left."""

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from arcwise.runs.result import Improvement, Result
    from arcwise.support.fields import Fields

__all__ = ["Found", "Journal", "State", "Used"]

#: What a search must know to be resumed, as values that JSON has.
State = Mapping[str, Any]


class Found(NamedTuple):
    """A graph and its score: the parents of each variable, by index."""

    parents: Sequence[Sequence[int]]
    score: float


class Used(NamedTuple):
    """What a run has used so far, with all earlier parts of it."""

    seconds: float = 0.0
    evaluations: int = 0


class Journal:
    """Listens to searches, and keeps nothing; `arcwise.runs.checkpoints` has one that writes files.

    Searches find it at their budget. They ask for what an `earlier` part of the run has left them, and `note` what they
    have, as often as they like: a note costs nothing while no file is due.

    Parameters
    ----------
    seed
        The seed of the run, that of earlier parts of it too.

    Examples
    --------
    >>> Journal().earlier("greedy") is None
    True
    """

    def __init__(self, seed: int = 0) -> None:
        self.seed = seed

    @property
    def used(self) -> Used:
        """What earlier parts of the run have used."""
        return Used()

    @property
    def trace(self) -> "tuple[Improvement, ...]":
        """The improvements of earlier parts of the run."""
        return ()

    @property
    def earlier_best(self) -> Found | None:
        """The best graph of earlier parts of the run; None where there were none."""
        return None

    def earlier(self, search: str) -> "Fields | None":
        """Return what the search of this name noted last in an earlier part of the run; None where it has not begun."""
        return None

    def improved(self, point: "Improvement") -> None:
        """Hear of an improvement."""

    def note(self, search: str, found: Found | None, state: Callable[[], State | None], used: Used) -> None:
        """Hear how a search stands.

        Parameters
        ----------
        search
            Its name.
        found
            Its best graph, or any other that may be the best of the run; None where it has none yet.
        state
            Gives what it must know to resume from here, None where it has to begin anew; called when a file is due, in
            any thread, and once more at the end.
        used
            What the run has used.
        """

    def look(self, best: Callable[[], Found | None], used: Used) -> None:
        """Look at a search that runs, about ten times a second.

        Parameters
        ----------
        best
            Gives the best graph that kernels show, None where there is none yet.
        used
            What the run has used.
        """

    def searched(self, result: "Result") -> "Result":
        """Return the result of a search as that of the whole run, with all earlier parts of it."""
        return result

    def close(self, result: "Result") -> None:
        """Hear how the run has ended."""
