"""Well-known networks that come with arcwise, to try things on and to measure against."""

from functools import cache
from importlib.resources import as_file, files

from arcwise.io.bif import read_bif
from arcwise.network.network import BayesianNetwork
from arcwise.support.errors import ParameterError
from arcwise.support.names import did_you_mean
from arcwise.support.quoting import quoted

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
        hint = did_you_mean(name, EXAMPLES)
        raise ParameterError(f"there is no example {quoted(name)}; the examples are {', '.join(EXAMPLES)}{hint}")
    return _read(name)


@cache
def _read(name: str) -> BayesianNetwork:
    with as_file(files("arcwise.simulation").joinpath("networks", f"{name}.bif.gz")) as path:
        return read_bif(path)
