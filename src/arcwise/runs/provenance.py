"""Where a result came from: all that was asked for, readable, and whether another run can be resumed with it."""

import platform
from collections.abc import Callable, Mapping, Set
from dataclasses import dataclass, field, fields, is_dataclass
from enum import Enum
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from math import isfinite, isinf
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from arcwise.constraints.constraints import Constraints
from arcwise.data.summary import DataSummary, Summarised
from arcwise.graph.dag import Dag
from arcwise.scores.definitions import PythonScore, Score
from arcwise.support.arguments import count
from arcwise.support.errors import ParameterError

__all__ = ["Provenance", "RecordedScore", "RunLimits", "Task", "readable", "versions_here"]


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


@dataclass(frozen=True, eq=False)
class RecordedScore(Score):
    """What a file says of a score that was written in Python; the score itself is not there.

    It is equal to the score of which it tells, and to another record of it.

    Parameters
    ----------
    name
        The name of the score.
    parameters
        Its type and its fields, as `readable` gives them.
    """

    is_equivalent: ClassVar[bool] = False  # nothing can be promised for it

    name: str  # type: ignore[misc]
    parameters: Mapping[str, Any]

    @classmethod
    def of(cls, score: PythonScore) -> "RecordedScore":
        """Return what a file says of a score."""
        return cls(score.name, readable(score))

    def __eq__(self, other: object) -> bool:
        if isinstance(other, PythonScore):
            other = RecordedScore.of(other)
        if not isinstance(other, RecordedScore):
            return NotImplemented
        return (self.name, self.parameters) == (other.name, other.parameters)

    __hash__ = None  # type: ignore[assignment]

    def __str__(self) -> str:
        return _words(dict(self.parameters))

    def __repr__(self) -> str:
        return f"<{self}, a score in Python of which a file tells>"


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


#: Options that may change when a run is resumed: how long it continues, and with how much of the machine.
_FREE_OPTIONS = ("climbs", "idle_epochs", "memory", "stop", "workers")


@dataclass(frozen=True)
class Task:
    """What a run is about; another one cannot resume from its checkpoint.

    Parameters
    ----------
    data
        What is learned from.
    total
        Gives the score of a graph; None where that is not known without the search itself.
    asked
        The search, score, constraints, start and limits; its seed does not count.
    seed
        As the user gave it: None leaves it to the checkpoint.
    """

    data: Summarised
    total: Callable[[Dag], float] | None
    asked: Provenance
    seed: int | None = None

    def refuse_other(self, path: Path, earlier: Provenance, data: DataSummary) -> None:
        """Refuse the checkpoint of another task.

        Parameters
        ----------
        path
            The checkpoint.
        earlier
            What was asked for there.
        data
            What it says of its data.
        """
        advice = "give the same again, or another name for a new checkpoint"
        now = self.data.summary()
        if now.fingerprint != data.fingerprint:
            raise ParameterError(f"the checkpoint {path} is of other data ({data}; now {now}); {advice}")
        if self.seed is not None and count("seed", self.seed) != earlier.seed:
            raise ParameterError(f"the checkpoint {path} has the seed {earlier.seed}, not {self.seed}; {advice}")
        for name in ("method", "score", "constraints", "start"):
            before, after = getattr(earlier, name), getattr(self.asked, name)
            if before != after:
                why = "it is written in Python, and no file has it: " if isinstance(before, RecordedScore) else ""
                raise ParameterError(
                    f"the checkpoint {path} has the {name} {_words(before)}, not {_words(after)}; {why}{advice}"
                )
        was, is_now = earlier.options, self.asked.options
        for name in sorted({*was, *is_now} - set(_FREE_OPTIONS)):
            if was.get(name) != is_now.get(name):
                words = f"{_words(was.get(name))}, not {_words(is_now.get(name))}"
                raise ParameterError(f"the checkpoint {path} has the option {name} {words}; {advice}")


def _rules(constraints: Constraints) -> str:
    """Return constraints in few words."""
    limits = [
        (limit, kind, name)
        for kind, most in (("parents", constraints.max_parents), ("adjacent nodes", constraints.max_degree))
        for name, limit in (most if isinstance(most, tuple) else [] if most is None else [("", most)])
    ]
    words = [
        *(f"required {parent} -> {child}" for parent, child in constraints.required),
        *(f"forbidden {parent} -> {child}" for parent, child in constraints.forbidden),
        *([f"only {len(constraints.allowed):,} arcs"] if constraints.allowed is not None else []),
        *(f"{above} an ancestor of {below}" for above, below in constraints.required_ancestors),
        *(f"{above} no ancestor of {below}" for above, below in constraints.forbidden_ancestors),
        *(["tiers " + " < ".join(", ".join(tier) for tier in constraints.tiers)] if constraints.tiers else []),
        *(f"no arc within tier {tier}" for tier in constraints.closed_tiers),
        *(f"{name} = {', '.join(members)}" for name, members in constraints.groups),
        *(f"at most {limit} {kind}" + (f" of {name}" if name else "") for limit, kind, name in limits),
        *(["arcs at constant variables"] if constraints.join_constants else []),
    ]
    return ", ".join(words) or "none"


def _words(value: Any) -> str:
    """Return a part of what was asked for in few words."""
    if isinstance(value, Constraints):
        return _rules(value)[:200]
    if isinstance(value, Dag):
        return (", ".join(f"{parent} -> {child}" for parent, child in value.arcs) or "the graph without arcs")[:200]
    if isinstance(value, dict):
        name = str(value.get("type", ""))
        inside = ", ".join(f"{key}={_words(item)}" for key, item in value.items() if key != "type" and item is not None)
        return (f"{name}({inside})" if inside else name)[:200]
    return "none" if value is None else str(value)[:200]


def readable(value: object) -> Any:
    """Return the value in words, numbers, lists and mappings; objects by their type and their parameters.

    What was made of the same parameters reads the same; nothing is made of it again.

    Examples
    --------
    >>> from arcwise.scores import BDeu
    >>> readable({"score": BDeu(ess=10.0), "climbs": 3, "tiers": ("a", "b")})
    {'score': {'type': 'BDeu', 'ess': 10.0}, 'climbs': 3, 'tiers': ['a', 'b']}
    >>> readable(float("inf")), readable(len)
    ('inf', 'len')
    """
    if value is None or (isinstance(value, bool | int | str) and not isinstance(value, Enum)):
        return value
    if isinstance(value, float):
        return float(value) if isfinite(value) else str(value)
    if isinstance(value, Enum):
        return readable(value.value)
    if isinstance(value, np.generic | np.ndarray):
        return readable(value.tolist())
    if isinstance(value, Dag):
        return {"type": "Dag", "names": list(value.names), "arcs": [list(arc) for arc in value.arcs]}
    if is_dataclass(value) and not isinstance(value, type):
        own = {field.name: readable(getattr(value, field.name)) for field in fields(value) if field.repr}
        return {"type": type(value).__name__, **own}
    if isinstance(value, Mapping):
        return {str(key): readable(item) for key, item in value.items()}
    if isinstance(value, Set):
        return sorted((readable(item) for item in value), key=repr)
    if isinstance(value, list | tuple):
        return [readable(item) for item in value]
    return _named(value)


def _named(value: object) -> str:
    """Return a name: that of a function, or what an object says of itself as long as that is not an address."""
    if hasattr(value, "__qualname__"):
        return str(value.__qualname__)
    text = repr(value)
    return type(value).__name__ if " at 0x" in text else text
