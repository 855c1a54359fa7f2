"""What was done to the data on its way into a Dataset, one small record per step."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass

from arcwise.data.discretise import Discretisation

#: The label of the state in which rare ones are grouped.
OTHER_LABEL = "other"
#: The label of the state that missing values are.
MISSING_LABEL = "missing"


@dataclass(frozen=True)
class LeftOut:
    """A column of the table that is not a variable, because the caller left it out.

    Parameters
    ----------
    column
        The column.

    Examples
    --------
    >>> from arcwise.data import Dataset
    >>> Dataset.of({"id": [17, 18, 19], "cured": ["yes", "no", "yes"]}, leave_out="id").steps
    (LeftOut(column='id'),)
    """

    column: str

    def __str__(self) -> str:
        return f"{self.column}: left out"

    @property
    def labels(self) -> tuple[str, ...]:
        """None: it makes no states."""
        return ()


@dataclass(frozen=True)
class DroppedRows:
    """Rows left out because a value was missing.

    Parameters
    ----------
    n_dropped
        How many rows were left out.
    n_rows
        How many rows there were before.
    columns
        The columns that had missing values.

    Examples
    --------
    >>> DroppedRows(n_dropped=2, n_rows=100, columns=("age",)).n_dropped
    2
    """

    n_dropped: int
    n_rows: int
    columns: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.n_dropped:,} of {self.n_rows:,} rows left out: missing values in {', '.join(self.columns)}"


@dataclass(frozen=True)
class MissingState:
    """Missing values of a column coded as a state of their own, the last one, labelled "missing".

    Parameters
    ----------
    column
        The column.
    n_missing
        In how many rows the value was missing.

    Examples
    --------
    >>> from arcwise.data import Dataset
    >>> Dataset.of({"age": ["old", None, "young"]}, missing="state").steps
    (MissingState(column='age', n_missing=1),)
    """

    column: str
    n_missing: int

    def __str__(self) -> str:
        return f"{self.column}: {self.n_missing:,} missing values are a state of their own"

    @property
    def labels(self) -> tuple[str, ...]:
        """The state that it makes."""
        return (MISSING_LABEL,)


@dataclass(frozen=True)
class GroupedStates:
    """Rare states of a column grouped into one, the last, labelled "other".

    Parameters
    ----------
    column
        The column.
    kept
        The labels of the states that were kept; every other value is in the group, and so is a new one.
    grouped
        How many states were grouped.

    Examples
    --------
    >>> from arcwise.data import Dataset
    >>> data = Dataset.of({"drug": ["A", "A", "B", "C"]}, min_count=2)
    >>> data.states, data.steps
    ((('A', 'other'),), (GroupedStates(column='drug', kept=('A',), grouped=2),))
    """

    column: str
    kept: tuple[str, ...]
    grouped: int

    def __str__(self) -> str:
        return f"{self.column}: {self.grouped:,} rare states are one, {OTHER_LABEL!r}"

    @property
    def labels(self) -> tuple[str, ...]:
        """The states of the column."""
        return (*(label for label in self.kept if label != OTHER_LABEL), OTHER_LABEL)


@dataclass(frozen=True)
class Bootstrap:
    """Rows drawn again with replacement, kept as row weights.

    Parameters
    ----------
    seed
        The seed; the same data and seed give the same weights.

    Examples
    --------
    >>> from arcwise.data import Dataset
    >>> Dataset.from_codes([[0], [1]]).bootstrap(seed=0).steps
    (Bootstrap(seed=0),)
    """

    seed: int

    def __str__(self) -> str:
        return f"rows drawn again with replacement (seed {self.seed})"


Step = Discretisation | LeftOut | DroppedRows | MissingState | GroupedStates | Bootstrap

#: Steps that say how a column is read, so that new values can be read the same way.
ColumnStep = Discretisation | LeftOut | MissingState | GroupedStates


def column_steps(steps: Iterable[Step]) -> tuple[ColumnStep, ...]:
    """Those of the steps that say how columns are read.

    Examples
    --------
    >>> column_steps([Bootstrap(seed=1), MissingState("age", 3)])
    (MissingState(column='age', n_missing=3),)
    """
    return tuple(step for step in steps if isinstance(step, ColumnStep))


def steps_about(steps: Iterable[Step], names: Collection[str]) -> tuple[ColumnStep, ...]:
    """Those of the steps that say how the columns of these variables are read, and which others were left out.

    Examples
    --------
    >>> steps_about([MissingState("age", 3), MissingState("sex", 1), LeftOut("id")], ["sex"])
    (MissingState(column='sex', n_missing=1), LeftOut(column='id'))
    """
    return tuple(step for step in column_steps(steps) if (step.column in names) != isinstance(step, LeftOut))
