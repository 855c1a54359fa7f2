"""How the columns of a table become variables: what callers say about it in the options of `Dataset.from_frame`."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, get_args

from arcwise.data.codes import MAX_ARITY
from arcwise.data.discretise import Discretisation, Discretiser, Method, discretiser
from arcwise.data.steps import GroupedStates, LeftOut, MissingState, Step
from arcwise.support.arguments import count
from arcwise.support.errors import DataError, ParameterError
from arcwise.support.messages import InPython, Name, Setting, type_of
from arcwise.support.names import one_of
from arcwise.support.quoting import listed, quoted

__all__ = [
    "DEFAULT_MAX_STATES",
    "OTHERS",
    "Coding",
    "Continuous",
    "Missing",
    "Unknown",
    "variables_of",
]

Missing = Literal["error", "drop", "state", "keep"]

#: What a value does that is none of the states that are given.
Unknown = Literal["error", "gap"]

#: Which columns stay numbers: all that are numeric, none, some by name, or, with None, those that have no states.
Continuous = bool | Mapping[str, bool] | None

DEFAULT_MAX_STATES = 100

#: In a dict of methods, what stands for all columns that are not named and need one.
OTHERS = "*"


def variables_of(
    names: Sequence[str], leave_out: str | Sequence[str] | None, like: Sequence[Step] = ()
) -> tuple[tuple[str, ...], tuple[LeftOut, ...]]:
    """The columns of a table that are variables, and a step for each that is not.

    Parameters
    ----------
    names
        The columns of the table.
    leave_out
        One that is not a variable, or several.
    like
        Steps of data that the table is to be like: what was left out there is left out here, if it is here.

    Raises
    ------
    DataError
        If there is no such column, or none would stay.

    Examples
    --------
    >>> variables_of(["id", "age", "sex"], "id")
    (('age', 'sex'), (LeftOut(column='id'),))
    """
    wanted = (leave_out,) if isinstance(leave_out, str) else tuple(leave_out or ())
    for name in wanted:
        if name not in names:
            raise DataError(f"There is no column {quoted(name)} to be left out; there are {listed(names)}.")
    out = {*wanted, *(step.column for step in like if isinstance(step, LeftOut))}
    stay = tuple(name for name in names if name not in out)
    if names and not stay:
        raise DataError(Name("leave_out"), f" names all columns ({listed(names)}); at least one must stay.")
    return stay, tuple(LeftOut(name) for name in names if name in out)


@dataclass(frozen=True)
class Coding:
    """How the columns of a table are to be coded.

    Parameters
    ----------
    missing
        What a missing value does: raise an error, drop the row, become a state, or stay a gap.
    discretise
        The method for all columns that need one, or methods by column, with "*" for all others that need one.
    max_states
        Most states a column may have.
    states
        State labels that are given, by column.
    continuous
        Whether numeric columns stay numbers: all or none of them, or the columns that are named; None leaves it to the
        values, as for columns that are not named.
    steps
        Recorded steps to be repeated.
    numbers
        Columns that are numbers in the data that this is to be like.
    min_count
        States that are seen less often are grouped, in all columns or in those that are named; None groups nothing.
    unknown
        What a value does that is none of the states that are given: raise an error, or become a gap.
    """

    missing: Missing = "error"
    discretise: Method | Mapping[str, Method] | None = None
    max_states: int = DEFAULT_MAX_STATES
    states: Mapping[str, Sequence[str]] = field(default_factory=dict)
    continuous: Continuous = None
    steps: tuple[Step, ...] = ()
    numbers: frozenset[str] = frozenset()
    min_count: int | Mapping[str, int] | None = None
    unknown: Unknown = "error"

    def __post_init__(self) -> None:
        one_of("missing", self.missing, get_args(Missing))
        one_of("unknown", self.unknown, get_args(Unknown))
        if isinstance(self.max_states, bool) or not isinstance(self.max_states, int):
            raise ParameterError.of("max_states", "a whole number", self.max_states)
        if not 1 <= self.max_states <= MAX_ARITY:
            raise ParameterError.of("max_states", f"between 1 and {MAX_ARITY:,}", self.max_states)
        if not isinstance(self.states, Mapping):
            raise ParameterError.of("states", "a dict from columns to labels", type_of(self.states))
        methods = self.discretise.values() if isinstance(self.discretise, Mapping) else [self.discretise]
        for method in methods:
            if method is not None:
                discretiser(method)
        _check_continuous(self.continuous)
        for least in self._min_counts.values() if isinstance(self.min_count, Mapping) else [self.min_count]:
            if least is not None:
                count("min_count", least, least=1)

    def check_columns(self, names: Sequence[str]) -> None:
        """Refuse instructions for columns that are not there, and those that contradict each other.

        Raises
        ------
        ParameterError
            With the column.
        """
        by_column = self.discretise if isinstance(self.discretise, Mapping) else {}
        kept = [name for name, is_kept in self._continuous_by_column.items() if is_kept]
        options: dict[str, Mapping[str, object]] = {
            "discretise": by_column,
            "states": self.states,
            "continuous": self._continuous_by_column,
            "min_count": self._min_counts,
        }
        for option, columns in options.items():
            unknown = [name for name in columns if name not in names and not (option in _FOR_ALL and name == OTHERS)]
            if unknown:
                raise ParameterError(
                    Name(option), f" has an entry for {quoted(unknown[0])}, but the data has no such column."
                )
        _refuse_both("min_count", "states", [name for name in self._min_counts if name in self.states])
        _refuse_both("discretise", "states", [name for name in by_column if name in self.states])
        _refuse_both("discretise", "continuous", [name for name in kept if name in by_column])
        _refuse_both("states", "continuous", [name for name in kept if name in self.states])
        if self.continuous is True and self.general_method is not None:
            raise ParameterError(
                _ALL,
                " keeps all numeric columns as numbers, and ",
                Setting("discretise"),
                " cuts those without states; give one of the two",
                InPython(", or name columns in a dict"),
                ".",
            )

    @property
    def _min_counts(self) -> Mapping[str, int]:
        return self.min_count if isinstance(self.min_count, Mapping) else {}

    def least_count(self, name: str) -> int | None:
        """How often a state of the column must be seen to stay by itself; None where nothing is grouped."""
        if isinstance(self.min_count, Mapping):
            return self.min_count.get(name, self.min_count.get(OTHERS))
        return self.min_count

    def grouping(self, name: str) -> GroupedStates | None:
        """Grouping that was recorded for the column earlier."""
        return next((step for step in self.steps if isinstance(step, GroupedStates) and step.column == name), None)

    @property
    def _continuous_by_column(self) -> Mapping[str, bool]:
        return self.continuous if isinstance(self.continuous, Mapping) else {}

    def must_be_numbers(self, name: str) -> bool:
        """Whether the column is named as one that stays numbers, so that anything else in it is an error."""
        return name in self.numbers or self._continuous_by_column.get(name, False)

    def may_be_numbers(self, name: str) -> bool:
        """Whether nothing says that the column has states or cuts, should it be numeric."""
        is_refused = self.continuous is False or self._continuous_by_column.get(name) is False
        return not (is_refused or name in self.states or self.method(name) or self.recorded(name))

    def method(self, name: str) -> Discretiser | None:
        """Discretiser asked for by the column's name."""
        if isinstance(self.discretise, Mapping) and name in self.discretise:
            return discretiser(self.discretise[name])
        return None

    @property
    def general_method(self) -> Discretiser | None:
        """The method for every column that is not named and cannot be coded as it is."""
        method = self.discretise.get(OTHERS) if isinstance(self.discretise, Mapping) else self.discretise
        return None if method is None else discretiser(method)

    def recorded(self, name: str) -> Discretisation | None:
        """Cuts that were recorded for the column earlier."""
        return next((step for step in self.steps if isinstance(step, Discretisation) and step.column == name), None)

    def missing_is_state(self, name: str) -> bool:
        """Whether missing values of the column become a state."""
        return self.missing == "state" or self.had_missing_state(name)

    def had_missing_state(self, name: str) -> bool:
        """Whether missing values of the column were recorded as a state earlier."""
        return any(isinstance(step, MissingState) and step.column == name for step in self.steps)


_FOR_ALL = ("discretise", "min_count")
_ALL = InPython(Setting("continuous", True), Setting("continuous", "all"))


def _check_continuous(given: Continuous) -> None:
    flags = given.values() if isinstance(given, Mapping) else [given] * (given is not None)
    for value in flags:
        if not isinstance(value, bool):
            raise ParameterError.of("continuous", "True, False, None, or a dict from columns to True or False", value)


def _refuse_both(one: str, other: str, names: Sequence[str]) -> None:
    if names:
        raise ParameterError(
            f"Column {quoted(names[0])} is in ", Setting(one), " and in ", Setting(other), "; give one of the two."
        )
