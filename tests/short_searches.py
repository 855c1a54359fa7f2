"""The searches by name, with so few climbs that each takes some milliseconds on a small table.

What every search must do needs no more of them. The options that searches have by default, with which some climb
thousands of times, are for the tests that say something about these.
"""

from typing import Any

from arcwise import Stop
from arcwise.search.registry import SEARCHES
from arcwise.search.search import Search, options_of, with_options

__all__ = ["SHORT", "few_climbs"]


def few_climbs(method: str) -> dict[str, Any]:
    """Options with which a search ends soon; there are none where it does so by itself."""
    if method == "islands":
        return {"islands": 3, "climbs": 15}
    return {"stop": Stop(climbs=40)} if "stop" in options_of(type(SEARCHES[method])) else {}


SHORT: dict[str, Search] = {name: with_options(search, few_climbs(name)) for name, search in SEARCHES.items()}
