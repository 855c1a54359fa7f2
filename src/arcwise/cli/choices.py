"""The names that options take, for help and completion, which load none of the searches for them.

Scores list themselves; the others are written here, and a test holds them against what the package has.
"""

import glob
from collections.abc import Callable, Iterable
from dataclasses import fields
from pathlib import Path

from arcwise.scores import definitions

__all__ = [
    "AUTO",
    "CLASSIFIERS",
    "CONTINUOUS",
    "DEVICES",
    "DISCRETISERS",
    "EXAMPLES",
    "GRAPH_ENDINGS",
    "INITIAL_ORDERS",
    "METHODS",
    "MISSING",
    "MISSING_OF_FAMILIES",
    "NETWORK_ENDINGS",
    "ORDER_CLIMBS",
    "PICTURE_ENDINGS",
    "SCORES",
    "SELECTIONS",
    "SIZED_SCORES",
    "STRATEGIES",
    "completing",
    "completing_sources",
    "listed",
]

#: "auto" picks one of the others.
METHODS = (
    "auto",
    "orders",
    "islands",
    "obs",
    "asobs",
    "inobs",
    "iinobs",
    "minobs",
    "narrow",
    "greedy",
    "sgs2",
    "sgs3",
    "tabu",
    "lagd",
    "reinsertion",
    "mmhc",
    "mtmhc",
    "k2",
    "ges",
    "kes",
    "xges",
    "chow-liu",
    "markov-blanket",
    "exact",
)
#: Graphs around a target, which only `learn` makes.
CLASSIFIERS = ("naive-bayes", "tan")
DEVICES = ("cpu", "gpu", "auto")
SCORES = tuple(definitions.SCORES)
#: Leaves a choice to the size of the data.
AUTO = "auto"
#: Scores with an equivalent sample size.
SIZED_SCORES = tuple(name for name, kind in definitions.SCORES.items() if "ess" in {at.name for at in fields(kind)})
SELECTIONS = ("balanced", "sequential", "greedy", "independence", "exhaustive")
STRATEGIES = ("restarts", "annealing", "perturbation", "iterated", "memetic")
ORDER_CLIMBS = ("inobs", "hcbo", "first", "obs", "obs-tabu", "asobs")
INITIAL_ORDERS = ("random", "dfs", "fas")
MISSING = ("error", "drop", "state", "pairwise", "em")
MISSING_OF_FAMILIES = tuple(choice for choice in MISSING if choice != "em")
CONTINUOUS = ("auto", "all", "none")
DISCRETISERS = ("quantile", "width", "adaptive", "mdlp", "hartemink")
EXAMPLES = (
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

NETWORK_ENDINGS = (".bif", ".xml", ".xmlbif", ".xbif", ".bifxml", ".net", ".uai", ".xdsl", ".json")
GRAPH_ENDINGS = (".csv", ".json", ".graphml", ".dot", ".gv")
PICTURE_ENDINGS = (".svg", ".png", ".pdf")


def listed(names: Iterable[str]) -> str:
    """Names as a sentence has them.

    Examples
    --------
    >>> listed(["bic", "aic", "k2"])
    'bic, aic or k2'
    """
    *others, last = names
    return f"{', '.join(others)} or {last}" if others else last


def completing(names: Iterable[str]) -> Callable[[str], list[str]]:
    """Completion of a name.

    Examples
    --------
    >>> completing(["greedy", "ges", "tabu"])("g")
    ['greedy', 'ges']
    """

    def complete(incomplete: str) -> list[str]:
        return [name for name in names if name.startswith(incomplete)]

    return complete


def completing_sources(incomplete: str) -> list[str]:
    """Examples, files and folders that begin like this."""
    paths = sorted(glob.glob(glob.escape(incomplete) + "*"))  # noqa: PTH207 - it keeps what was typed
    return [*completing(EXAMPLES)(incomplete), *(f"{path}/" if Path(path).is_dir() else path for path in paths)]
