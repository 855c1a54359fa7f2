"""The ends of climbs, and which of them is the best."""

from arcwise.search.climbs import ClimbEnd, Ends


def test_of_climbs_that_end_equally_well_the_first_is_the_best() -> None:
    """The last bits of a sum depend on the order of its terms, and say nothing."""
    ends = Ends((), rounding=1e-9)
    for found in (ClimbEnd([[], [0]], -5.0), ClimbEnd([[1], []], -5.0 + 1e-12), ClimbEnd([[], []], -5.0 - 1e-12)):
        ends.add(found)
    assert ends.best is not None
    assert ends.best.parents == [[], [0]]
    ends.add(ClimbEnd([[], []], -4.9))
    assert ends.best.parents == [[], []]
