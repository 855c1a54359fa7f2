"""What searches over equivalence classes count, and for how many variables they are."""

__all__ = ["COUNTED", "MOST_VARIABLES"]

#: Moves as they are counted: an edge more, an edge less, an arc the other way round.
COUNTED = ("insertions", "deletions", "reversals")

#: Kernels number the variables with 16 bits.
MOST_VARIABLES = 65_535
