"""The ends of climbs over graphs: the best of them, and all that results and journals tell about them."""

from collections import Counter
from collections.abc import Sequence
from threading import Lock

from arcwise import _core
from arcwise.graph.dag import Dag
from arcwise.runs.journal import Found, State
from arcwise.runs.result import LocalOptimum
from arcwise.support.fields import Fields

__all__ = ["ClimbEnd", "Ends"]

#: Where a climb ended.
ClimbEnd = _core.HillClimbResult | _core.ClassSearchResult

_Graph = tuple[tuple[int, ...], ...]

#: What is counted of each end, and of all of them is not the sum but the largest.
_LARGEST = ("longest_chain",)


class Ends:
    """The ends of climbs that come in one after the other, in the order of the climbs.

    Parameters
    ----------
    moves
        The kinds of moves that the ends have counted.
    keep_all
        Whether all different graphs at which climbs came to their own end are kept, and not the best alone.

    Attributes
    ----------
    best
        The best of them.
    climbs
        How many there are.
    climbed
        How many climbs an earlier run has made to their end; those need not be made again.
    moves
        How many moves of each kind they took, and the longest chain of operators in one of them.
    """

    def __init__(self, moves: Sequence[str], *, keep_all: bool = False) -> None:
        self.best: Found | None = None
        self.climbs = 0
        self.climbed = 0
        self.moves = dict.fromkeys(moves, 0)
        self._keep_all = keep_all
        self._met: Counter[_Graph] = Counter()
        self._score_of: dict[_Graph, float] = {}
        self._before_cut: State | None = None
        self._lock = Lock()  # whoever writes a checkpoint asks for the state, in another thread

    def add(self, end: ClimbEnd) -> None:
        """Take one more end in."""
        with self._lock:
            self._add(end)

    def _add(self, end: ClimbEnd) -> None:
        is_whole = end.stopped_by == _core.StopReason.none
        if not is_whole and self._before_cut is None:
            self._before_cut = self._state()
        if self.best is None or end.score > self.best.score:
            self.best = Found(end.parents, end.score)
        self.climbs += 1
        for kind, before in self.moves.items():
            self.moves[kind] = max(before, getattr(end, kind)) if kind in _LARGEST else before + getattr(end, kind)
        if is_whole and self._keep_all:
            graph = tuple(map(tuple, end.parents))
            self._met[graph] += 1
            self._score_of[graph] = end.score

    def optima(self, names: tuple[str, ...]) -> tuple[LocalOptimum, ...]:
        """Return the different graphs at which climbs came to their own end, best first."""
        ranked = sorted(self._score_of.items(), key=lambda found: (-found[1], found[0]))
        return tuple(LocalOptimum(Dag.from_parents(names, graph), score, self._met[graph]) for graph, score in ranked)

    def state(self) -> State:
        """Return what it takes to resume with the next climb, or with the first that was cut short; from any thread."""
        with self._lock:
            return self._state()

    def _state(self) -> State:
        if self._before_cut is not None:
            return self._before_cut
        return {
            "climbed": self.climbs,
            "moves": dict(self.moves),
            "best": None if self.best is None else _as_json(self.best),
            "optima": [
                {**_as_json(Found(graph, score)), "climbs": self._met[graph]} for graph, score in self._score_of.items()
            ],
        }

    def resume(self, state: Fields | None, n_nodes: int) -> None:
        """Begin with the ends that an earlier run has left; with none where there was none.

        Raises
        ------
        FormatError
            If the state is not one of climbs over so many nodes.
        """
        if state is None:
            return
        self.climbs = self.climbed = state.whole("climbed")
        self.moves = {kind: state.part("moves").whole(kind) for kind in self.moves}
        if "best" in state:
            self.best = _found(state.part("best"), n_nodes)
        elif self.climbed:
            raise state.wrong("the state of the search has climbs, but no graph at which one has ended")
        for optimum in state.parts("optima"):
            found = _found(optimum, n_nodes)
            graph = tuple(map(tuple, found.parents))
            self._met[graph], self._score_of[graph] = optimum.whole("climbs"), found.score


def _as_json(found: Found) -> dict[str, object]:
    return {"parents": [list(parents) for parents in found.parents], "score": found.score}


def _found(fields: Fields, n_nodes: int) -> Found:
    found = Found(fields.rows("parents", int), fields.number("score"))
    names = [str(node) for node in range(n_nodes)]
    fields.made(lambda: Dag.from_parents(names, found.parents))  # refuses cycles and other numbers of nodes
    return found
