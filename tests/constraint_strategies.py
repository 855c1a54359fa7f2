"""Random constraints for the tests."""

from hypothesis import strategies as st

from arcwise.constraints.constraints import Constraints
from arcwise.support.errors import ParameterError


@st.composite
def constraints_over(draw: st.DrawFn, names: tuple[str, ...]) -> Constraints | None:
    """Any constraints, None where they contradict one another."""
    arcs = st.lists(st.permutations(names).map(lambda p: (p[0], p[1])), max_size=4) if len(names) > 1 else st.just([])
    places = draw(st.lists(st.integers(-1, 2), min_size=len(names), max_size=len(names)))
    tiers = [[name for name, place in zip(names, places, strict=True) if place == tier] for tier in range(3)]
    limit = st.none() | st.integers(0, 3) | st.dictionaries(st.sampled_from(names), st.integers(0, 3))
    try:
        return Constraints(
            required=draw(arcs), forbidden=draw(arcs), tiers=tiers, max_parents=draw(limit), max_degree=draw(limit)
        )
    except ParameterError:
        return None
