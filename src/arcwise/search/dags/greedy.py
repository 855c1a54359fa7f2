"""Greedy hill climbing over graphs, with moves that break cycles."""

from dataclasses import dataclass

from arcwise import _core
from arcwise.parents.neighbourhoods import CandidateParents, Neighbourhood
from arcwise.search.climbs import Climbs, ParentLists
from arcwise.search.search import Context, Outcome, Problem, Search, function_of
from arcwise.support.arguments import count, either_spelling, flag
from arcwise.support.errors import ParameterError
from arcwise.support.messages import Name
from arcwise.support.names import one_of

__all__ = ["COUNTED", "MOVES", "Greedy", "counted_of", "greedy", "moves_named"]

#: Which graphs are neighbours, by the names of the paper's neighbourhoods.
MOVES = {
    "adr": _core.DagMoves.add_delete_reverse,
    "adrs": _core.DagMoves.add_delete_reverse_swap,
    "a*ds*": _core.DagMoves.break_cycles,
}

TWO_PHASE = "two-phase"
#: How a climb may forbid arcs on its way.
RESTRICTIONS = ("constrained", TWO_PHASE)

#: Moves as they are counted; in ``longer`` ones several steps broke the cycles of the first.
COUNTED = ("additions", "deletions", "reversals", "swaps", "longer_additions", "longer_swaps")

#: What is counted besides where cycles are broken: the most operators of one move.
CHAINS = ("longest_chain",)

#: What a search with these moves is called in results.
METHOD_NAMES = {"adr": "greedy", "adrs": "sgs2", "a*ds*": "sgs3"}


def counted_of(moves: str) -> tuple[str, ...]:
    """Return what climbs with these moves count."""
    return (*COUNTED, *CHAINS) if moves == "a*ds*" else COUNTED


def moves_named(moves: str) -> _core.DagMoves:
    """Return the moves of a name."""
    return MOVES[one_of("moves", moves, MOVES)]


@either_spelling
@dataclass(frozen=True)
class Greedy(Search):
    """Climb by the best change of an arc or two until none improves the score, several times.

    The stochastic greedy search of Vandel, Mangin & de Givry (2012, PGM). Where several moves are best, one of them is
    drawn at random: graphs that the score cannot tell apart lead to different local optima. Moves tie when their gains
    differ by no more than rounding. The result is a local optimum: no single move improves it, but another
    graph may well be better.

    Parameters
    ----------
    moves
        ``adr``: one arc is added, deleted or reversed (the paper's SGS1). ``adrs``: also one parent is put in the place
        of another (SGS2). ``a*ds*``: an arc is added, deleted or swapped even where that closes cycles, and these are
        broken by the deletions and swaps that cost least, as long as the whole is a gain (SGS3). Each takes more time
        than the one before and mostly finds better graphs.
    climbs
        How often to climb; the best local optimum is returned. Later climbs cost little, because most scores are known.
    neighbourhood
        Which variables may be whose parents, besides the required arcs and those of the start: a function such as
        `score_filter` or `mmpc`, or a mapping from names to names. With many variables it saves most of the time.
    random_start
        Whether each climb starts from a random graph instead: two random parents for every node, but for those that
        close a cycle or that the constraints forbid.
    kick
        Random changes of a kick. If above 0, each climb but the first starts from the best local optimum so far after
        a kick.
    restriction
        ``"constrained"``: once adding an arc between two variables would have lowered the score, or deleting one would
        have raised it, the climb does not join these two any more. This is the constrained hill climbing of Gámez,
        Mateo & Puerta (2011, Data Min. Knowl. Discov. 22); it counts fewer scores, and its end need not be a local
        optimum. ``"two-phase"``: from there the climb continues with all arcs, to a local optimum. They look at
        additions that close no cycle only; here those that do have their say too.

    Examples
    --------
    >>> from arcwise import LocalScore, load_example
    >>> data = load_example("cancer").sample(5000, seed=1)
    >>> result = greedy(LocalScore(data, "bic"), moves="a*ds*", seed=1)
    >>> result.status
    <Status.LOCAL_OPTIMUM: 'local optimum'>
    >>> result.dag.has_arc("Smoker", "Cancer") or result.dag.has_arc("Cancer", "Smoker")
    True
    """

    moves: str = "adr"
    climbs: int = 10
    neighbourhood: Neighbourhood | CandidateParents | None = None
    random_start: bool = False
    kick: int = 0
    restriction: str | None = None

    bytes_per_pair = 0
    bytes_per_variable = 4096
    honours_degrees = True
    honours_ancestors = True

    def __post_init__(self) -> None:
        moves_named(self.moves)
        count("climbs", self.climbs, least=1)
        count("kick", self.kick)
        if self.restriction is not None:
            one_of("restriction", self.restriction, RESTRICTIONS, other="None")
        if flag("random_start", self.random_start) and self.kick:
            raise ParameterError(
                "random starts leave no room for ", Name("start"), " and ", Name("kick"), ": choose one of them"
            )

    @property
    def name(self) -> str:  # type: ignore[override]
        """What a search with these moves is called."""
        return METHOD_NAMES[self.moves]

    def run(self, problem: Problem, context: Context) -> Outcome:
        """Climb, and return the best end."""
        options = (self.random_start, self.kick, self.neighbourhood)
        return Climbs(self.name, self.climb, self.climbs, counted_of(self.moves), *options).run(problem, context)

    def climb(
        self, score: _core.LocalScore, rules: _core.ArcRules, first: ParentLists, seed: int, budget: _core.Budget
    ) -> _core.HillClimbResult:
        """Climb once, from the first graph."""
        moves = moves_named(self.moves)
        if self.restriction is None:
            return _core.hill_climb(score, rules, moves, first, seed, budget)
        two_phases = self.restriction == TWO_PHASE
        return _core.hill_climb_forbidding(score, rules, moves, two_phases, first, seed, budget)


greedy = function_of(Greedy(), "greedy")
