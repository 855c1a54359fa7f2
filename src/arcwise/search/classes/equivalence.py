"""What searches over equivalence classes ask of a score, and what they count."""

from arcwise.scores.definitions import SCORES
from arcwise.scores.local_score import LocalScore
from arcwise.support.arguments import instance
from arcwise.support.errors import ParameterError

__all__ = ["COUNTED", "equivalent"]

#: Moves as they are counted: an edge more, an edge less, an arc the other way round.
COUNTED = ("insertions", "deletions", "turns")

# Kernels number the variables with 16 bits.
_MOST_VARIABLES = 65_535


def equivalent(score: LocalScore) -> LocalScore:
    """Return the score if it gives all graphs of a class the same, or raise a `ParameterError`.

    With any other score a class has no score of its own, and what a move gains depends on the graph that stands for it.
    Nor may there be more variables than the kernels can number.
    """
    definition = instance("score", score, LocalScore).score
    if not definition.is_equivalent:
        names = ", ".join(name for name, kind in SCORES.items() if kind.is_equivalent)
        raise ParameterError(
            f"score must give Markov equivalent graphs the same for a search over equivalence classes, which "
            f"{definition.name} does not; take one of {names}, or search over graphs (greedy, orders)"
        )
    if score.data.n_variables > _MOST_VARIABLES:
        raise ParameterError(
            f"searches over equivalence classes are for at most {_MOST_VARIABLES:,} variables, not "
            f"{score.data.n_variables:,}; use greedy"
        )
    return score
