"""Local scores of families, and the score definitions."""

from typing import TYPE_CHECKING

from arcwise.scores import definitions
from arcwise.scores.definitions import *  # noqa: F403 - whatever scores there are

if TYPE_CHECKING:
    from arcwise.scores.local_score import LocalScore

__all__ = ["LocalScore"]
__all__ += definitions.__all__


def __getattr__(name: str) -> object:
    """Import what needs the kernels when it is first used: help and completion ask for the names of the scores."""
    if name == "LocalScore":
        from arcwise.scores.local_score import LocalScore

        return LocalScore
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
