"""What searches over equivalence classes ask of a score, and what they count."""

from arcwise.arguments import instance
from arcwise.errors import ParameterError
from arcwise.scores.definitions import SCORES
from arcwise.scores.local_score import LocalScore

__all__ = ["COUNTED", "equivalent"]

#: Moves as they are counted: an edge more, an edge less, an arc the other way round.
COUNTED = ("insertions", "deletions", "turns")


def equivalent(score: LocalScore) -> LocalScore:
    """Return the score if it gives all graphs of a class the same, or raise a `ParameterError`.

    With any other score a class has no score of its own, and what a move gains depends on the graph that stands for it.
    """
    definition = instance("score", score, LocalScore).score
    if not definition.is_equivalent:
        names = ", ".join(name for name, kind in SCORES.items() if kind.is_equivalent)
        raise ParameterError(
            f"score must give Markov equivalent graphs the same for a search over equivalence classes, which "
            f"{definition.name} does not; take one of {names}, or search over graphs (greedy, orders)"
        )
    return score
