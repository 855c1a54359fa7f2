"""Where a result came from: all that was asked for, in types of its own."""

import platform
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from math import isinf
from typing import Any

import numpy as np

from arcwise.constraints.constraints import Constraints
from arcwise.graph.dag import Dag
from arcwise.runs.readable import readable
from arcwise.scores.definitions import Score

__all__ = ["Provenance", "RunLimits", "versions_here"]


@cache
def versions_here() -> Mapping[str, str]:
    """Return the versions of arcwise, Python and numpy that run here."""
    try:
        own = version("arcwise")
    except PackageNotFoundError:
        own = "unknown"
    return {"arcwise": own, "python": platform.python_version(), "numpy": np.__version__}


@dataclass(frozen=True)
class RunLimits:
    """The limits of a run.

    Parameters
    ----------
    time_limit
        Seconds for the search; None for no limit.
    evaluation_limit
        Local scores that it may count from the data; None for no limit.
    """

    time_limit: float | None = None
    evaluation_limit: int | None = None

    def __post_init__(self) -> None:
        if self.time_limit is not None and isinf(self.time_limit):
            object.__setattr__(self, "time_limit", None)


@dataclass(frozen=True)
class Provenance:
    """Where a result came from: with the same data, and without a limit on time, this makes the same graph again.

    It is the same before a run is written to a file and after it is read.

    Parameters
    ----------
    method
        The name of the search.
    seed
        The seed, drawn where none was given.
    score
        What was maximised; None where a table of parent sets had the scores.
    options
        The options of the search, as words, numbers, lists and mappings; an object is a mapping that has its ``type``.
    constraints
        What the graph had to have, and must not have had.
    start
        Where the search began; None where no start was given.
    limits
        The limits of the search.
    clean_up
        Whether v-structures were uncovered after the search (`arcwise.uncover_v_structures`).
    certify
        Seconds that were given to a bound after the search; None where there was none.
    versions
        Of arcwise, Python and numpy.

    Examples
    --------
    >>> from arcwise import BDeu, learn, load_example
    >>> data = load_example("asia").sample(500, seed=1)
    >>> asked = learn(data, method="tabu", score=BDeu(ess=10), patience=7, seed=1).provenance
    >>> asked.method, asked.score, asked.options["patience"], asked.seed
    ('tabu', BDeu(ess=10.0), 7, 1)
    """

    method: str
    seed: int
    score: Score | None = None
    options: Mapping[str, Any] = field(default_factory=dict, hash=False)
    constraints: Constraints = field(default_factory=Constraints)
    start: Dag | None = None
    limits: RunLimits = RunLimits()
    clean_up: bool = False
    certify: float | None = None
    versions: Mapping[str, str] = field(default_factory=versions_here, hash=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "options", readable(self.options))
