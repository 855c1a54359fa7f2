"""Well-known networks that come with arcwise, to try things on and to measure against."""

from difflib import get_close_matches
from functools import cache
from importlib.resources import as_file, files

from arcwise.errors import ParameterError
from arcwise.io.bif import read_bif
from arcwise.network.network import BayesianNetwork

EXAMPLES: tuple[str, ...] = (
    "asia",
    "cancer",
    "earthquake",
    "survey",
    "sachs",
    "child",
    "insurance",
    "alarm",
    "hailfinder",
    "win95pts",
)
"""Names that `load_example` knows, from small to large."""


@cache
def load_example(name: str) -> BayesianNetwork:
    """Network that comes with arcwise, by its name in `EXAMPLES`.

    The networks are those of the Bayesian network repository at bnlearn.com, kept by Marco Scutari (CC BY-SA 3.0); the
    README beside the files says who published each of them.

    Raises
    ------
    ParameterError
        If there is no example of that name.

    Examples
    --------
    >>> load_example("alarm")
    <BayesianNetwork: 37 nodes, 46 arcs, 509 parameters>
    """
    if name not in EXAMPLES:
        close = get_close_matches(str(name), EXAMPLES, n=1)
        hint = f"did you mean {close[0]!r}? " if close else ""
        raise ParameterError(f"there is no example {name!r}; {hint}The examples are {', '.join(EXAMPLES)}")
    with as_file(files("arcwise.data").joinpath("networks", f"{name}.bif.gz")) as path:
        return read_bif(path)
