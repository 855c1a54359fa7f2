"""Local scores of families, and the score definitions."""

from importlib import import_module
from typing import TYPE_CHECKING

from arcwise.scores import definitions
from arcwise.scores.definitions import *  # noqa: F403 - whatever scores there are

if TYPE_CHECKING:
    from arcwise.scores.checks import check_score
    from arcwise.scores.custom import CountScore, Family, FamilyScore
    from arcwise.scores.local_score import LocalScore
    from arcwise.scores.prior_files import read_prior
    from arcwise.scores.priors import Adjusted, Prior

__all__ = ["Adjusted", "CountScore", "Family", "FamilyScore", "LocalScore", "Prior", "check_score", "read_prior"]
__all__ += definitions.__all__

_MODULES = {
    "Adjusted": "priors",
    "CountScore": "custom",
    "Family": "custom",
    "FamilyScore": "custom",
    "LocalScore": "local_score",
    "Prior": "priors",
    "check_score": "checks",
    "read_prior": "prior_files",
}


def __getattr__(name: str) -> object:
    """Import what needs the kernels when it is first used: help and completion ask for the names of the scores."""
    if name in _MODULES:
        return getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
