"""What an order search must keep to be resumed."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import inf
from typing import Any

import numpy as np

from arcwise.search.orders.climbs import Optimum
from arcwise.support.errors import FormatError
from arcwise.support.fields import Fields
from arcwise.support.quoting import quoted

__all__ = ["ClimberState", "StrategyState"]


@dataclass(frozen=True)
class StrategyState:
    """What a strategy needs besides its own parameters and its random numbers.

    Parameters
    ----------
    optima
        Lists of optima by name, such as a population.
    numbers
        Lists of numbers by name, such as how long chains have not improved.
    """

    optima: Mapping[str, Sequence[Optimum]] = field(default_factory=dict)
    numbers: Mapping[str, Sequence[float]] = field(default_factory=dict)

    def optima_of(self, name: str, *, least: int = 0) -> list[Optimum]:
        """Return the optima of a name, refused where an earlier run left none or too few."""
        if name not in self.optima or len(self.optima[name]) < least:
            raise FormatError(f"the checkpoint has no optima named {quoted(name)}; it is damaged, start without it")
        return list(self.optima[name])

    def numbers_of(self, name: str, *, length: int | None = None) -> list[float]:
        """Return the numbers of a name, refused where an earlier run left none or not so many."""
        if name not in self.numbers or length not in (None, len(self.numbers[name])):
            raise FormatError(
                f"the checkpoint has not the right numbers {quoted(name)}; it is damaged, start without it"
            )
        return list(self.numbers[name])

    def as_json(self) -> dict[str, Any]:
        """Return the same in values that JSON has."""
        return {
            "optima": {name: [optimum.as_json() for optimum in listed] for name, listed in self.optima.items()},
            "numbers": {
                name: [None if number == -inf else number for number in listed] for name, listed in self.numbers.items()
            },
        }

    @classmethod
    def of_json(cls, fields: Fields, n_variables: int) -> "StrategyState":
        """Return what `as_json` has made."""
        optima, numbers = fields.part("optima"), fields.part("numbers")
        return cls(
            {name: [Optimum.of_json(one, n_variables) for one in optima.parts(name)] for name in optima},
            {name: numbers.numbers(name, null=-inf) for name in numbers},
        )


@dataclass(frozen=True)
class ClimberState:
    """The state of an order search between two batches of climbs.

    Parameters
    ----------
    climbs, moves, since_best, best
        What the climber has counted, and the best that it has met.
    rng
        The state of the random numbers.
    strategy
        What the strategy knows; None before its first batch.
    """

    climbs: int
    moves: int
    since_best: int
    best: Optimum | None
    rng: Mapping[str, Any]
    strategy: StrategyState | None

    def as_json(self) -> dict[str, Any]:
        """Return the same in values that JSON has."""
        return {
            "climbs": self.climbs,
            "moves": self.moves,
            "since_best": self.since_best,
            "best": None if self.best is None else self.best.as_json(),
            "rng": _rng_as_json(self.rng),
            "strategy": None if self.strategy is None else self.strategy.as_json(),
        }

    @classmethod
    def of_json(cls, fields: Fields, n_variables: int) -> "ClimberState":
        """Return what `as_json` has made."""
        if "strategy" in fields and "best" not in fields:
            raise fields.wrong("a search with the state of a strategy must have a best order")
        return cls(
            climbs=fields.whole("climbs"),
            moves=fields.whole("moves"),
            since_best=fields.whole("since_best"),
            best=Optimum.of_json(fields.part("best"), n_variables) if "best" in fields else None,
            rng=_rng_of_json(fields.part("rng")),
            strategy=StrategyState.of_json(fields.part("strategy"), n_variables) if "strategy" in fields else None,
        )


def _rng_as_json(state: Mapping[str, Any]) -> dict[str, Any]:
    """Return the state of numpy's PCG64; its numbers of 128 bits as text, because many readers of JSON have none."""
    return {
        "generator": state["bit_generator"],
        "state": str(state["state"]["state"]),
        "increment": str(state["state"]["inc"]),
        "has_half": state["has_uint32"],
        "half": state["uinteger"],
    }


def _rng_of_json(fields: Fields) -> dict[str, Any]:
    if fields.text("generator") != np.random.default_rng(0).bit_generator.state["bit_generator"]:
        raise fields.wrong(
            f"random numbers of {fields.text('generator')} cannot be resumed here; this numpy has others"
        )

    def large(name: str) -> int:
        digits = fields.text(name)
        if not (digits.isascii() and digits.isdigit() and len(digits) < 40 and int(digits) < 2**128):
            raise fields.wrong(f"rng.{name} must be a whole number below 2**128, not {quoted(digits)}")
        return int(digits)

    half, has_half = fields.whole("half"), fields.whole("has_half")
    if half >= 2**32 or has_half > 1:
        raise fields.wrong("rng.half must be below 2**32, and rng.has_half 0 or 1")
    return {
        "bit_generator": fields.text("generator"),
        "state": {"state": large("state"), "inc": large("increment") | 1},
        "has_uint32": has_half,
        "uinteger": half,
    }
