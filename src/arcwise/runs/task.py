"""What a run is about, to tell whether another one can resume it."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from arcwise.constraints.constraints import Constraints
from arcwise.data.summary import DataSummary, Summarised
from arcwise.graph.dag import Dag
from arcwise.runs.provenance import Provenance
from arcwise.support.arguments import count
from arcwise.support.errors import ParameterError

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
    total
        Gives the score of a graph.
    asked
        The search, score, constraints, start and limits; its seed does not count.
    seed
        As the user gave it: None leaves it to the checkpoint.
    """

    data: Summarised
    total: Callable[[Dag], float]
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
                raise ParameterError(
                    f"the checkpoint {path} has the {name} {_words(before)}, not {_words(after)}; {advice}"
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
        *(["tiers " + " < ".join(", ".join(tier) for tier in constraints.tiers)] if constraints.tiers else []),
        *(f"at most {limit} {kind}" + (f" of {name}" if name else "") for limit, kind, name in limits),
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
