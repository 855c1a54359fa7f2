"""How a table is to be coded: the options of `Dataset.from_frame`, checked."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, get_args

from arcwise.data.checks import MAX_ARITY
from arcwise.data.discretise import Discretisation, Discretiser, Method, discretiser
from arcwise.data.steps import MissingState, Step
from arcwise.support.errors import ParameterError
from arcwise.support.messages import Name, Setting, type_of
from arcwise.support.names import one_of
from arcwise.support.quoting import quoted

Missing = Literal["error", "drop", "state"]
MISSING_LABEL = "missing"
DEFAULT_MAX_STATES = 100

#: In a dict of methods, what stands for all columns that are not named and need one.
OTHERS = "*"


@dataclass(frozen=True)
class Coding:
    """How the columns of a table are to be coded.

    Parameters
    ----------
    missing
        What a missing value does: raise an error, drop the row, or become a state.
    discretise
        The method for all columns that need one, or methods by column, with "*" for all others that need one.
    max_states
        Most states a column may have.
    states
        State labels that are given, by column.
    steps
        Recorded steps to be repeated.
    """

    missing: Missing = "error"
    discretise: Method | Mapping[str, Method] | None = None
    max_states: int = DEFAULT_MAX_STATES
    states: Mapping[str, Sequence[str]] = field(default_factory=dict)
    steps: tuple[Step, ...] = ()

    def __post_init__(self) -> None:
        one_of("missing", self.missing, get_args(Missing))
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

    def check_columns(self, names: Sequence[str]) -> None:
        """Refuse instructions for columns that are not there, and two for one column.

        Raises
        ------
        ParameterError
            With the column.
        """
        by_column = self.discretise if isinstance(self.discretise, Mapping) else {}
        for option, columns in (("discretise", list(by_column)), ("states", list(self.states))):
            unknown = [name for name in columns if name not in names and (option, name) != ("discretise", OTHERS)]
            if unknown:
                raise ParameterError(
                    Name(option), f" has an entry for {quoted(unknown[0])}, but the data has no such column."
                )
        both = [name for name in by_column if name in self.states]
        if both:
            raise ParameterError(
                f"Column {quoted(both[0])} is in ",
                Setting("discretise"),
                " and in ",
                Setting("states"),
                "; give one of the two.",
            )

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
