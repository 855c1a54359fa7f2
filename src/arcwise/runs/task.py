"""What a run is about, to tell whether another one can resume it."""

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from arcwise.constraints.constraints import Constraints
from arcwise.data.summary import DataSummary, Summarised
from arcwise.graph.dag import Dag
from arcwise.runs.readable import readable
from arcwise.support.arguments import count
from arcwise.support.errors import ParameterError
from arcwise.support.fields import Fields

__all__ = ["Task"]

#: Options that may change when a run is resumed: how long it continues, and with how much of the machine.
_FREE_OPTIONS = ("climbs", "memory", "stop", "workers")


@dataclass(frozen=True)
class Task:
    """What a run is about; another one cannot resume from its checkpoint.

    Parameters
    ----------
    data
        What is learned from.
    method
        The search.
    score
        What it maximises; None where the data has the scores.
    constraints
        What graphs must and must not have.
    total
        Gives the score of a graph.
    seed
        As the user gave it: None leaves it to the checkpoint.
    start
        Where the search begins.
    options
        What else the search was asked to do.
    """

    data: Summarised
    method: str
    score: object
    constraints: Constraints | None
    total: Callable[[Dag], float]
    seed: int | None = None
    start: Dag | None = None
    options: Mapping[str, object] = field(default_factory=dict, hash=False)

    def as_json(self) -> dict[str, Any]:
        """Return all but data and seed in values that JSON has."""
        return {
            "method": self.method,
            "score": readable(self.score),
            "constraints": readable(self.constraints or Constraints()),
            "start": readable(self.start),
            "options": {name: readable(self.options[name]) for name in sorted(self.options)},
        }

    def refuse_other(self, path: Path, earlier: Fields, data: DataSummary, seed: int) -> None:
        """Refuse the checkpoint of another task.

        Parameters
        ----------
        path
            The checkpoint.
        earlier
            What `as_json` made of its task.
        data, seed
            What it says of its data and its seed.
        """
        advice = "give the same again, or another name for a new checkpoint"
        now = self.data.summary()
        if now.fingerprint != data.fingerprint:
            raise ParameterError(f"the checkpoint {path} is of other data ({data}; now {now}); {advice}")
        if self.seed is not None and count("seed", self.seed) != seed:
            raise ParameterError(f"the checkpoint {path} has the seed {seed}, not {self.seed}; {advice}")
        asked = self.as_json()
        for name in ("method", "score", "constraints", "start"):
            if earlier.plain(name) != asked[name]:
                was, is_now = _words(earlier.plain(name)), _words(asked[name])
                raise ParameterError(f"the checkpoint {path} has the {name} {was}, not {is_now}; {advice}")
        before, after = earlier.mapping("options"), asked["options"]
        for name in sorted({*before, *after} - set(_FREE_OPTIONS)):
            if before.get(name) != after.get(name):
                was, is_now = _words(before.get(name)), _words(after.get(name))
                raise ParameterError(f"the checkpoint {path} has the option {name} {was}, not {is_now}; {advice}")


def _rules(value: Mapping[str, Any]) -> str:
    """Return readable constraints in few words."""
    most = value["max_parents"]
    limits = most if isinstance(most, list) else [] if most is None else [("", most)]
    words = [
        *(f"{kind} {parent} -> {child}" for kind in ("required", "forbidden") for parent, child in value[kind]),
        *(["tiers " + " < ".join(", ".join(tier) for tier in value["tiers"])] if value["tiers"] else []),
        *(f"at most {limit} parents" + (f" of {name}" if name else "") for name, limit in limits),
    ]
    return ", ".join(words) or "none"


def _words(value: Any) -> str:
    """Return a readable value in few words."""
    if isinstance(value, dict):
        name = str(value.get("type", ""))
        if name == Constraints.__name__:
            with suppress(KeyError, TypeError, ValueError):  # a file may hold anything
                return _rules(value)[:200]
        inside = ", ".join(f"{key}={_words(item)}" for key, item in value.items() if key != "type" and item is not None)
        return (f"{name}({inside})" if inside else name)[:200]
    return "none" if value is None else str(value)[:200]
