"""Steps of columns in values that JSON has, so that files of networks and of runs hold how raw values became states."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from dataclasses import fields as fields_of
from itertools import pairwise
from typing import Any

import numpy.typing as npt

from arcwise.data.discretise import (
    Adaptive,
    Cuts,
    Discretisation,
    Discretiser,
    EqualWidth,
    Hartemink,
    Mdlp,
    Quantile,
)
from arcwise.data.steps import ColumnStep, GroupedStates, LeftOut, MissingState
from arcwise.support.errors import ParameterError
from arcwise.support.fields import Fields
from arcwise.support.names import did_you_mean
from arcwise.support.quoting import listed, quoted

__all__ = ["RecordedDiscretiser", "steps_as_json", "steps_of_json"]

_CUT, _GROUPED, _LEFT_OUT, _MISSING = "cut", "grouped", "left out", "missing"
_KEYS = {_CUT: ("cuts", "method"), _GROUPED: ("kept", "grouped"), _LEFT_OUT: (), _MISSING: ("n_missing",)}

_DISCRETISERS: Mapping[str, type[Any]] = {
    kind.__name__: kind for kind in (Quantile, EqualWidth, Cuts, Adaptive, Mdlp, Hartemink)
}


@dataclass(frozen=True)
class RecordedDiscretiser:
    """What chose the cuts of a file where arcwise does not have it: its words, and nothing that cuts.

    Parameters
    ----------
    words
        What it called itself.
    """

    words: str

    def __str__(self) -> str:
        return self.words

    @property
    def least_states(self) -> int:
        """One: nothing is known of it."""
        return 1

    def cuts(self, values: npt.ArrayLike, counts: npt.ArrayLike | None = None) -> tuple[float, ...]:
        """Refuse to choose other cuts."""
        raise ParameterError(f"{quoted(self.words)} comes from a file and cannot choose cuts; give the object itself")


def steps_as_json(steps: Iterable[ColumnStep]) -> list[dict[str, Any]]:
    """Return an object for each step.

    Examples
    --------
    >>> steps_as_json([MissingState("age", 3), GroupedStates("drug", ("A", "B"), 5)])  # doctest: +NORMALIZE_WHITESPACE
    [{'column': 'age', 'type': 'missing', 'n_missing': 3},
     {'column': 'drug', 'type': 'grouped', 'kept': ['A', 'B'], 'grouped': 5}]
    """
    return [_as_json(step) for step in steps]


def _as_json(step: ColumnStep) -> dict[str, Any]:
    match step:
        case Discretisation(column, method, cuts):
            numbers = [float(cut) for cut in cuts]
            return {"column": column, "type": _CUT, "cuts": numbers, "method": _method_as_json(method)}
        case GroupedStates(column, kept, grouped):
            return {"column": column, "type": _GROUPED, "kept": list(kept), "grouped": int(grouped)}
        case LeftOut(column):
            return {"column": column, "type": _LEFT_OUT}
        case MissingState(column, n_missing):
            return {"column": column, "type": _MISSING, "n_missing": int(n_missing)}


def _method_as_json(method: Discretiser) -> str | dict[str, Any]:
    """Return a discretiser by its type and its options, or in words where it is not one of arcwise's."""
    kind = type(method)
    if _DISCRETISERS.get(kind.__name__) is not kind:
        return str(method)
    return {"type": kind.__name__, **asdict(method)}  # type: ignore[call-overload]


def steps_of_json(fields: Fields, key: str, names: Sequence[str], states: Sequence[Sequence[str]]) -> list[ColumnStep]:
    """Return the steps in a list of a file; they must make the states that the variables have.

    Parameters
    ----------
    fields, key
        The object that has the list, and its name there.
    names, states
        The variables, and for each the labels of its states.

    Examples
    --------
    >>> file = Fields({"steps": [{"column": "age", "type": "missing", "n_missing": 3}]}, path="net.json")
    >>> steps_of_json(file, "steps", ["age"], [["no", "yes", "missing"]])
    [MissingState(column='age', n_missing=3)]
    >>> steps_of_json(file, "steps", ["age"], [["no", "yes"]])
    Traceback (most recent call last):
        ...
    arcwise.FormatError: net.json: steps[0].column must have the states that the step makes ('missing'), not 'no', 'yes'
    """
    states_of = dict(zip(names, states, strict=True))
    return [_of_json(part, states_of) for part in fields.parts(key)]


def _of_json(fields: Fields, states_of: Mapping[str, Sequence[str]]) -> ColumnStep:
    column, kind = fields.text("column"), fields.text("type")
    if kind not in _KEYS:
        raise fields.wrong_at("type", f"must be one of {', '.join(_KEYS)}, not {quoted(kind)}")
    fields.refuse_others("column", "type", *_KEYS[kind])
    if kind == _LEFT_OUT:
        if column in states_of:
            raise fields.wrong_at("column", f"must not be one of the variables, such as {quoted(column)}")
        return LeftOut(column)
    if column not in states_of:
        hint = did_you_mean(column, list(states_of))
        raise fields.wrong_at("column", f"must be one of the variables, not {quoted(column)}{hint}")
    step: ColumnStep
    if kind == _CUT:
        step = Discretisation(column, _method_of_json(fields), _cuts(fields))
    elif kind == _GROUPED:
        step = GroupedStates(column, fields.texts("kept"), fields.whole("grouped"))
    else:
        step = MissingState(column, fields.whole("n_missing"))
    if not set(step.labels) <= set(states_of[column]):
        made, known = listed(step.labels), listed(states_of[column])
        raise fields.wrong_at("column", f"must have the states that the step makes ({made}), not {known or 'numbers'}")
    return step


def _cuts(fields: Fields) -> tuple[float, ...]:
    cuts = fields.numbers("cuts")
    if any(after <= before for before, after in pairwise(cuts)):
        raise fields.wrong_at("cuts", "must be increasing numbers")
    return cuts


def _method_of_json(fields: Fields) -> Discretiser:
    if isinstance(fields.plain("method"), str):
        return RecordedDiscretiser(fields.text("method"))
    method = fields.part("method")
    name = method.text("type")
    if name not in _DISCRETISERS:
        raise method.wrong_at("type", f"must be one of {', '.join(_DISCRETISERS)}, not {quoted(name)}")
    kind = _DISCRETISERS[name]
    own = [option.name for option in fields_of(kind)]
    method.refuse_others("type", *own)
    made: Discretiser = method.made(lambda: kind(**{option: _option(method, option) for option in own}))
    return made


def _option(method: Fields, name: str) -> Any:
    """Return an option of a discretiser: cut points, a column, or a number of states."""
    if name == "points":
        return method.numbers(name)
    if name == "target":
        return method.text(name) if name in method else None
    return method.whole(name)
