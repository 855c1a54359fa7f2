"""The Dataset: states as column-major codes and numbers beside them, with names and row weights."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import Any, Literal, Self, TypedDict, TypeVar, Unpack, cast

import numpy as np
import numpy.typing as npt

from arcwise.data.codes import (
    MAX_ARITY,
    MAX_OBSERVATIONS,
    Codes,
    Weights,
    check_codes_in_states,
    checked_codes,
    checked_numbers,
    checked_states,
    checked_weights,
    code_type,
    column_names,
    merged_rows,
    refuse_nan,
    states_of_codes,
)
from arcwise.data.column import Column
from arcwise.data.columns import DEFAULT_MAX_STATES, Coding, Continuous, Missing, Unknown, variables_of
from arcwise.data.discretise import Method
from arcwise.data.encode import coded_table
from arcwise.data.frames import frame_of_columns
from arcwise.data.gaps import GapSummary, Mask, gap_mask, has_gaps
from arcwise.data.interventions import InterventionRows, Interventions
from arcwise.data.parts import has_parts, is_large, parts_of
from arcwise.data.readers import MISSING_TOKENS, table_of_file
from arcwise.data.steps import Bootstrap, DroppedRows, LeftOut, Step
from arcwise.data.summary import DataSummary, Spread, hashed
from arcwise.data.tables import (
    Table,
    ordered_names,
    table_of_array,
    table_of_columns,
    table_of_frame,
    table_of_rows,
)
from arcwise.data.views import html_of
from arcwise.support.arguments import count, either_spelling, real_numbers, recorded_seed
from arcwise.support.errors import DataError, ParameterError
from arcwise.support.messages import InPython, Name, Setting
from arcwise.support.names import default_names, refuse_unknown
from arcwise.support.quoting import listed, numbered, quoted

__all__ = [
    "MAX_ARITY",
    "MAX_OBSERVATIONS",
    "Codes",
    "CodingOptions",
    "Dataset",
    "Kind",
    "ReadingOptions",
    "coding_of",
    "held_bytes",
]

_Array = TypeVar("_Array", bound=npt.NDArray[Any])

#: What the variables of a table are.
Kind = Literal["discrete", "continuous", "mixed"]


class ColumnOptions(TypedDict, total=False):
    """The options of `Dataset.from_frame` but for `missing`, of which learning has more choices."""

    discretise: Method | Mapping[str, Method] | None
    weights: str | npt.ArrayLike | None
    max_states: int
    states: Mapping[str, Sequence[str]] | None
    continuous: Continuous
    like: "Dataset | None"
    interventions: str | InterventionRows | None
    min_count: int | Mapping[str, int] | None
    unknown: Unknown
    leave_out: str | Sequence[str] | None


class CodingOptions(ColumnOptions, total=False):
    """The options of `Dataset.from_frame`, which every other way to make a Dataset of values takes too."""

    missing: Missing


class ReadingOptions(ColumnOptions, total=False):
    """The options of `Dataset.of` but for `missing`, those that say how a file or an array is read included."""

    names: Sequence[str] | None
    separator: str | None
    header: bool | None
    missing_tokens: Sequence[str]
    memory: int | None


_OF_VALUES = frozenset(CodingOptions.__annotations__)
_OF_FILES = _OF_VALUES | frozenset(ReadingOptions.__annotations__)
#: What can be said of each kind of data, and why nothing else can.
_OF_FRAMES = _OF_VALUES, "it says how a file or an array is read, and this has columns with names and types already"
_OF_ARRAYS = _OF_VALUES | {"names"}, "it says how a file of text is read"
_OF_CODED = (
    frozenset({"weights", "interventions"}),
    "this is a Dataset, which is already coded; give the frame or the file itself, or the option to Dataset.of",
)


@dataclass(frozen=True, eq=False, repr=False)
class Dataset:
    """A table ready to be learned from: codes of states, numbers, names and weights; it never changes.

    A variable is discrete, with states and a code for each row, or continuous, with a number for each row. A cell of
    either may be a gap: a value that nobody knows.

    Make one with `of` (anything), `from_frame`, `from_file`, `from_array`, `from_codes` or `from_numbers`. The
    constructor itself takes its arrays over without a copy.

    Parameters
    ----------
    codes
        Rows by variables, in column-major order and read-only; one type for all: uint8 if no variable has more than 256
        codes, uint16 otherwise. A gap of a discrete variable has the code after that of its last state, which is its
        arity. A continuous variable has 0 in all rows.
    names
        The variables.
    states
        For each variable the labels of its states; code i stands for the i-th label. A state that never occurs counts
        as one. A continuous variable has none.
    weights
        How often each row was seen; None means once each. A row of weight 0 is kept and counts nothing.
    steps
        What was done on the way: discretisation, missing values, resampling.
    interventions
        Which variables an experimenter has set in which rows: an `Interventions`, or a mapping as `from_codes` takes
        it. None means none.
    numbers
        Rows by continuous variables, in the order of the variables, read-only, NaN for gaps; None where all are
        discrete.
    arities
        Number of states of each variable; 0 for a continuous one.
    has_gaps
        Whether some cell is a gap, in a row of any weight.

    Notes
    -----
    Two Datasets are equal when codes, numbers, names, states, weights and interventions are; the steps do not matter.

    Examples
    --------
    >>> data = Dataset.from_array([["yes", 1], ["no", 3], ["yes", 3]], names=["smoker", "ward"])
    >>> data
    Dataset(3 rows, 2 variables, 2 states each)
    >>> data.states
    (('no', 'yes'), ('1', '3'))
    >>> data.codes.tolist()
    [[1, 0], [0, 1], [1, 1]]
    """

    codes: Codes
    names: tuple[str, ...]
    states: tuple[tuple[str, ...], ...]
    weights: Weights | None = None
    steps: tuple[Step, ...] = ()
    interventions: Interventions | None = None
    numbers: npt.NDArray[np.float64] | None = None
    arities: tuple[int, ...] = field(init=False)
    has_gaps: bool = field(init=False)

    def __post_init__(self) -> None:
        codes = checked_codes(self.codes)
        names = column_names(self.names, codes.shape[1])
        if len(self.states) != len(names):
            raise DataError(f"states is for {numbered(len(self.states), 'variable')}, and there are {len(names)}.")
        if codes.shape[0] > MAX_OBSERVATIONS:
            raise DataError(f"The data has {codes.shape[0]:,} rows; allowed are {MAX_OBSERVATIONS:,}.")
        states = tuple(
            checked_states(name, labels) if labels else () for name, labels in zip(names, self.states, strict=True)
        )
        check_codes_in_states(codes, names, states, gaps=True)
        arities = tuple(map(len, states))
        continuous = [name for name, arity in zip(names, arities, strict=True) if not arity]
        numbers = checked_numbers(self.numbers, continuous, codes.shape[0])
        weights = None if self.weights is None else _read_only(checked_weights(self.weights, codes.shape[0]))
        sizes = (max(arity, int(top) + 1) for arity, top in zip(arities, codes.max(axis=0), strict=True))
        frozen = cast("Codes", _read_only(np.asarray(codes, dtype=code_type(sizes), order="F")))
        self._set(codes=frozen, names=names, states=states, arities=arities, weights=weights, steps=tuple(self.steps))
        self._set(has_gaps=has_gaps(frozen, arities, numbers))
        self._set(numbers=None if numbers is None else _read_only(numbers))
        self._set(interventions=self._checked(self.interventions))

    def _checked(self, given: Interventions | InterventionRows | None) -> Interventions | None:
        """Interventions on these variables in these rows."""
        if isinstance(given, Interventions):
            given = {name: given.rows(name) for name in given.names}
        return None if given is None else Interventions.of(given, self.names, self.n_rows)

    def _set(self, **values: Any) -> None:
        self.__dict__.update(values)

    def _changed(self, **values: Any) -> Self:
        """Dataset that shares everything else with this one; only for values known to be right."""
        other = object.__new__(type(self))
        shared = self.__dict__
        if "codes" in values:  # then nothing that was made of the old ones stays
            shared = {each.name: shared[each.name] for each in fields(self)}
        other._set(**{**shared, **values})
        return other

    # Making one

    @classmethod
    @either_spelling
    def of(cls, data: Any, *, missing: Missing = "error", **options: Unpack[ReadingOptions]) -> "Dataset":
        """Dataset of whatever holds a table.

        Parameters
        ----------
        data
            A Dataset (returned as it is), a path, a frame, a numpy array, a dict of columns, a list of dicts or of
            rows. A folder, a pattern such as ``"visits-*.csv"``, a list of paths, a lazy frame of polars or a Dask
            frame is a table in parts.
        missing
            What to do about missing values, as in `from_frame`.
        options
            Those of `from_file`, `from_parts`, `from_frame` or `from_array`, whichever reads the data. A Dataset takes
            only `interventions` and `weights`, as `with_interventions` and `with_weights` do.

        Raises
        ------
        ParameterError
            For an option that there is not, with the nearest, or that is not for data of this kind.

        Examples
        --------
        >>> Dataset.of({"a": [0, 1, 1], "b": ["x", "x", "y"]}).arities
        (2, 2)
        """
        given: dict[str, Any] = {**options, "missing": missing}
        if isinstance(data, Dataset):
            given = _applicable({**options, "missing": None if missing == "error" else missing}, *_OF_CODED)
            weighted = data.with_weights(given["weights"]) if "weights" in given else data
            return weighted.with_interventions(given["interventions"]) if "interventions" in given else weighted
        if has_parts(data):
            return cls.from_parts(data, **_applicable(given, _OF_FILES))
        if isinstance(data, str | Path):
            return cls.from_file(data, **_applicable(given, _OF_FILES))
        if isinstance(data, Mapping):
            return cls.from_table(table_of_columns(data), **_applicable(given, *_OF_FRAMES))
        if isinstance(data, list | tuple) and data and all(isinstance(row, Mapping) for row in data):
            return cls.from_table(table_of_rows(data), **_applicable(given, *_OF_FRAMES))
        if isinstance(data, list | tuple) and any(hasattr(each, "columns") for each in data):
            raise DataError(f"The data is {numbered(len(data), 'frame')} in a list; put the rows into one frame.")
        if isinstance(data, np.ndarray | list | tuple):
            return cls.from_array(data, **_applicable(given, *_OF_ARRAYS))
        return cls.from_frame(data, **_applicable(given, *_OF_FRAMES))

    @classmethod
    def from_codes(
        cls,
        codes: npt.ArrayLike,
        *,
        arities: Sequence[int] | None = None,
        names: Sequence[str] | None = None,
        states: Sequence[Sequence[str]] | None = None,
        weights: npt.ArrayLike | None = None,
        interventions: InterventionRows | None = None,
    ) -> Self:
        """Dataset of codes 0, 1, …, which are copied.

        Parameters
        ----------
        codes
            Whole numbers, rows by variables; those that a masked array hides are gaps.
        arities
            Number of states of each variable; by default as many as there are labels, or the largest code plus one.
        names
            The variables; by default X0, X1, ….
        states
            Labels of the states; by default "0", "1", ….
        weights
            How often each row was seen; by default once.
        interventions
            For the variables that an experimenter has set, in which rows: indices, or a truth value for each row.

        Examples
        --------
        >>> Dataset.from_codes([[0, 2], [1, 0]], arities=[2, 4]).states[1]
        ('0', '1', '2', '3')
        >>> Dataset.from_codes(np.ma.masked_less([[0, 1], [-1, 0]], 0)).gaps.tolist()
        [[False, False], [True, False]]
        """
        hidden = np.ma.getmaskarray(codes) if isinstance(codes, np.ma.MaskedArray) else None
        array = checked_codes(codes if hidden is None else cast("Any", codes).filled(0))
        names = default_names(array.shape[1]) if names is None else column_names(names, array.shape[1])
        states = states_of_codes(array, names, arities, states)
        check_codes_in_states(array, names, states)
        lacking = np.zeros(len(names), dtype=np.bool_) if hidden is None else hidden.any(axis=0)
        arities = [len(labels) for labels in states]
        copy = cast("Codes", np.array(array, dtype=code_type(np.add(arities, lacking).tolist()), order="F"))
        for v in np.flatnonzero(lacking).tolist():
            copy[cast("Mask", hidden)[:, v], v] = arities[v]
        data = cls(copy, names, states, None if weights is None else checked_weights(weights, len(copy)))
        return data if interventions is None else data.with_interventions(interventions)

    @classmethod
    def from_numbers(
        cls,
        values: npt.ArrayLike,
        *,
        names: Sequence[str] | None = None,
        weights: npt.ArrayLike | None = None,
        interventions: InterventionRows | None = None,
    ) -> Self:
        """Dataset of numbers, which are copied: all variables are continuous, whatever their values.

        Parameters
        ----------
        values
            Finite numbers, rows by variables; those that a masked array hides are gaps.
        names
            The variables; by default X0, X1, ….
        weights
            How often each row was seen; by default once.
        interventions
            For the variables that an experimenter has set, in which rows: indices, or a truth value for each row.

        Raises
        ------
        DataError
            If a value that is not hidden is infinite or not a number.

        Examples
        --------
        >>> Dataset.from_numbers([[0.5, 3], [1.5, 4]], names=["dose", "ward"]).numbers_of("ward")
        array([3., 4.])
        >>> Dataset.from_numbers(np.ma.masked_invalid([[0.5, 3], [1.5, np.nan]])).numbers_of("X1")
        array([ 3., nan])
        """
        hidden = np.ma.getmaskarray(values) if isinstance(values, np.ma.MaskedArray) else None
        try:
            array = np.asfortranarray(real_numbers(values if hidden is None else cast("Any", values).filled(0)))
        except TypeError as error:
            raise DataError(f"The values are not numbers: {error}.") from None
        if array.ndim != 2:
            raise DataError(f"values has {array.ndim} dimension(s); it must have two, rows by variables.")
        names = default_names(array.shape[1]) if names is None else column_names(names, array.shape[1])
        refuse_nan(array, names)
        if hidden is not None:
            array = np.where(hidden, np.nan, array)
        codes = np.zeros(array.shape, dtype=np.uint8, order="F")
        counts = None if weights is None else checked_weights(weights, len(array))
        data = cls(codes, names, ((),) * len(names), counts, numbers=array)
        return data if interventions is None else data.with_interventions(interventions)

    @classmethod
    def from_array(
        cls, values: npt.ArrayLike, *, names: Sequence[str] | None = None, **options: Unpack[CodingOptions]
    ) -> Self:
        """Dataset of a two-dimensional array of any values, coded like a frame.

        Parameters
        ----------
        values
            Rows by variables. In an array of objects every column is looked at by itself and must hold one kind of
            value.
        names
            The variables; by default X0, X1, ….
        options
            As for `from_frame`.

        Examples
        --------
        >>> import numpy as np
        >>> Dataset.from_array(np.array([[10, 0], [9, 1]])).states
        (('9', '10'), ('0', '1'))
        >>> Dataset.from_array(np.array([[0.5, 1.5], [0.7, 2.5]]))
        Dataset(2 rows, 2 variables, continuous)
        """
        return cls.from_table(table_of_array(values, names), **options)

    @classmethod
    def from_frame(cls, frame: Any, **options: Unpack[CodingOptions]) -> Self:
        """Dataset of a pandas, polars or pyarrow frame (or any eager frame that narwhals knows).

        Categories (pandas, pyarrow dictionaries, polars Enum) keep their declared order, and those that never occur.
        Other columns have the values that occur, sorted: numbers as numbers, strings by character, False before True.
        A column of floats that are all whole counts as whole numbers. The index of a pandas frame is not looked at.

        Numeric columns that are fractional or have more than `max_states` different values are continuous: they have
        no states, and their numbers are kept. `continuous` says otherwise, and `discretise` cuts them into states.

        Parameters
        ----------
        frame
            The frame.
        missing
            What to do about None, null and NaN: "error" (default), "drop" (leave the rows out, with a warning),
            "state" (a last state "missing" for columns that have such values; an error where they are continuous) or
            "keep" (as gaps, from which `learn` can learn).
        discretise
            A method ("quantile", "width", "adaptive", "mdlp", "hartemink", `Quantile`, `EqualWidth`, `Cuts`,
            `Adaptive`, `Mdlp`, `Hartemink`) for all numeric columns that would be continuous; or a dict with methods
            for the columns it names, and under "*" for all others that would be continuous.
        weights
            How often each row was seen: whole numbers, or the name of a column that holds them, which is not a variable
            then.
        max_states
            Most states that a column may have; by default 100. Numbers of more different values are continuous, other
            columns of more are refused, unless `min_count` groups them.
        states
            Labels for the columns it names; a value that is none of them is an error.
        continuous
            Which numeric columns are continuous: True for all, False for none (those that have no states are refused
            unless they are discretised), or a dict with True or False for the columns it names. By default, and for
            columns that are not named, the values decide. Columns that `discretise` or `states` names have states
            under True, too.
        like
            A Dataset whose columns, states and cuts are used again, so that equal values get equal codes; columns that
            are continuous there are continuous.
        interventions
            For the variables that an experimenter has set, in which rows: indices, or a truth value for each row. Or
            the name of a column that says for each row which variable was set, several with ; or + in between, and
            none or nothing where there are none; it is not a variable then.
        min_count
            How often a state must be seen to stay by itself: all that are seen less often are grouped into one,
            "other", and so are the rarest ones of a column that has more than `max_states`. A number for all columns,
            or a dict with numbers for the columns it names and under "*" for all others. A single rare state stays as
            it is.
        unknown
            What a value does that is none of the states that `states` or `like` have for its column: "error" (default),
            or "gap" (it counts as not known, with a warning).
        leave_out
            A column that is not a variable, such as an identifier, or a list of these. What a Dataset given as `like`
            has left out is left out too.

        Raises
        ------
        DataError
            If a column cannot be coded; the message says which, where and what to do.

        Examples
        --------
        >>> import polars as pl
        >>> frame = pl.DataFrame({"bmi": [18.5, 31.0, 22.5, 27.5], "sex": ["m", "f", "f", "m"]})
        >>> train = Dataset.from_frame(frame, discretise={"bmi": "quantile"})
        >>> train.states
        (('<=18.5', '18.5..27.5', '>27.5'), ('f', 'm'))
        >>> Dataset.from_frame(frame[:1], like=train).codes.tolist()
        [[0, 1]]
        >>> Dataset.from_frame(frame).numbers_of("bmi")
        array([18.5, 31. , 22.5, 27.5])
        """
        return cls.from_table(table_of_frame(frame), **options)

    @classmethod
    def from_file(
        cls,
        path: str | Path,
        *,
        separator: str | None = None,
        header: bool | None = None,
        names: Sequence[str] | None = None,
        missing_tokens: Sequence[str] = MISSING_TOKENS,
        memory: int | None = None,
        **options: Unpack[CodingOptions],
    ) -> Self:
        r"""Dataset of a csv, tsv or parquet file; text may be compressed (.gz, .bz2, .xz, .zst).

        A large file is read piece by piece, as `from_parts` does it.

        Parameters
        ----------
        path
            The file. Its ending says what it is; with `separator` any ending is read as text.
        separator
            What stands between fields; by default a tab for .tsv, and for .csv whichever of comma, semicolon and tab
            occurs most often in the first line.
        header
            Whether the first line holds the names. By default it does, but is refused when it looks like data.
        names
            The variables, for a file without header; by default X0, X1, ….
        missing_tokens
            Fields that count as missing values: by default the empty field, NA, N/A, NaN, nan, null, NULL and ?.
        memory
            Bytes that the table may take, where it is read piece by piece; see `from_parts`.
        options
            As for `from_frame`.

        Raises
        ------
        FileNotFoundError
            If there is no such file.
        DataError
            If the file cannot be read as a table (with the line), or a column cannot be coded.

        Examples
        --------
        >>> from pathlib import Path
        >>> from tempfile import TemporaryDirectory
        >>> with TemporaryDirectory() as folder:
        ...     path = Path(folder, "trial.csv")
        ...     _ = path.write_text("drug;cured;times\nA;yes;12\nA;no;3\nB;no;9\n")
        ...     Dataset.from_file(path, weights="times")
        Dataset(3 rows for 24 observations, 2 variables, 2 states each)
        """
        layout: dict[str, Any] = {"separator": separator, "header": header, "names": names}
        layout["missing_tokens"] = tuple(missing_tokens)
        by_column = isinstance(options.get("weights"), str | None) and options.get("interventions") is None
        if by_column and is_large(Path(path)):
            return cls.from_parts(path, **layout, memory=memory, **options)
        return cls.from_table(table_of_file(Path(path), **layout), **options)

    @classmethod
    @either_spelling
    def from_parts(
        cls,
        data: Any,
        *,
        separator: str | None = None,
        header: bool | None = None,
        names: Sequence[str] | None = None,
        missing_tokens: Sequence[str] = MISSING_TOKENS,
        memory: int | None = None,
        weights: str | npt.ArrayLike | None = None,
        interventions: str | InterventionRows | None = None,
        like: "Dataset | None" = None,
        leave_out: str | Sequence[str] | None = None,
        **options: Any,
    ) -> Self:
        r"""Dataset of a table in several files, or of one that is too large to be read at once.

        The parts are read twice, a few hundred thousand rows at a time: first to see which values there are, then to
        code them. Neither the text nor the decoded table is ever held. Of tables of more than two million rows equal
        rows are merged on the way, where that makes them at least four times smaller: then rows have weights, and come
        in another order. Whatever is scored is the same to the last bit as for the table read at once.

        Parameters
        ----------
        data
            A folder, a pattern such as ``"visits-*.csv"``, a path, a lazy frame of polars, a Dask frame, or a list of
            these. Files of a folder and of a pattern come in the order of their names. All must have the same columns,
            of the same types.
        separator, header, names, missing_tokens
            How text is laid out, as for `from_file`.
        memory
            Bytes that the table may take; nine tenths of what is available when None. A row takes a byte for each
            discrete variable, and eight for a continuous one.
        weights
            The name of the column that says how often each row was seen.
        interventions
            Not for a table in parts.
        like, leave_out, options
            As for `from_frame`.

        Raises
        ------
        FileNotFoundError
            If there is no such file.
        DataError
            If a part cannot be read, parts differ in their columns, or a column cannot be coded.
        ParameterError
            If the table does not fit into memory, with the figure.

        Examples
        --------
        >>> from pathlib import Path
        >>> from tempfile import TemporaryDirectory
        >>> with TemporaryDirectory() as folder:
        ...     _ = Path(folder, "may.csv").write_text("drug,cured\nA,yes\nA,no\n")
        ...     _ = Path(folder, "june.csv").write_text("drug,cured\nB,no\n")
        ...     Dataset.from_parts(folder)
        Dataset(3 rows, 2 variables, 2 states each)
        """
        if interventions is not None or not isinstance(weights, str | None):
            which = "interventions" if interventions is not None else "weights"
            raise ParameterError(
                Name(which),
                " is not for a table in parts, unless it is the name of a column" * (which == "weights"),
                " is not for a table in parts, whose rows have no numbers" * (which == "interventions"),
                "; read the table at once, for instance as a frame",
            )
        if memory is not None:
            count("memory", memory)
        parts = parts_of(data, separator=separator, header=header, names=names, missing_tokens=missing_tokens)
        columns = parts[0].names()
        if weights is not None and weights not in columns:
            raise DataError(f"There is no column {quoted(weights)}; there are {listed(columns)}.")
        columns = tuple(name for name in columns if name != weights)
        columns, steps = variables_of(columns, leave_out, () if like is None else like.steps)
        if like is not None:
            columns = ordered_names(columns, like.names)
        from arcwise.data.streamed import coded_parts  # with polars, which other data does without

        coded = coded_parts(parts, columns, coding_of(like, **options), weights, memory)
        return cls(coded.codes, columns, coded.states, coded.weights, (*steps, *coded.steps), None, coded.numbers)

    @classmethod
    @either_spelling
    def from_table(
        cls,
        table: Table,
        *,
        missing: Missing = "error",
        discretise: Method | Mapping[str, Method] | None = None,
        weights: str | npt.ArrayLike | None = None,
        max_states: int = DEFAULT_MAX_STATES,
        states: Mapping[str, Sequence[str]] | None = None,
        continuous: Continuous = None,
        like: "Dataset | None" = None,
        interventions: str | InterventionRows | None = None,
        min_count: int | Mapping[str, int] | None = None,
        unknown: Unknown = "error",
        leave_out: str | Sequence[str] | None = None,
    ) -> Self:
        """Dataset of named columns; what every other way to make one of values comes to. See `from_frame`."""
        if isinstance(weights, str):
            column = table.column(weights)
            table = table.without(weights)
            if column.n_absent:
                raise DataError(
                    f"Column {quoted(weights)} holds the weights, but some are missing; every row needs one."
                )
            weights = column.used().values if not column.has_labels else np.array(column.to_list())
        counts = None if weights is None else checked_weights(weights, table.n_rows)
        targets: Column | None = None
        if isinstance(interventions, str):
            targets = table.column(interventions)
            table = table.without(interventions)
        coding = coding_of(
            like,
            missing=missing,
            discretise=discretise,
            max_states=max_states,
            states=states,
            continuous=continuous,
            min_count=min_count,
            unknown=unknown,
        )
        variables, steps = variables_of(table.names, leave_out, () if like is None else like.steps)
        table = table.chosen(variables)
        if like is not None:
            table = table.ordered(like.names)
        made: Interventions | None = None
        if targets is not None:
            made = Interventions.of_column(cast(str, interventions), targets, table.names)
        elif interventions is not None:
            made = Interventions.of(cast(InterventionRows, interventions), table.names, table.n_rows)
        coded = coded_table(table, coding, counts)
        if made is not None and (made := made.taken(coded.stays)) is not None:
            made.refuse_constant(coded.weights)
        return cls(coded.codes, table.names, coded.states, coded.weights, (*steps, *coded.steps), made, coded.numbers)

    # What it is

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return int(self.codes.shape[0])

    @property
    def n_variables(self) -> int:
        """Number of variables."""
        return int(self.codes.shape[1])

    @property
    def n_observations(self) -> int:
        """Number of rows, each counted as often as its weight says."""
        return self.n_rows if self.weights is None else int(self.weights.sum(dtype=np.uint64))

    @cached_property
    def continuous(self) -> tuple[int, ...]:
        """The continuous variables, by index: the columns of `numbers`."""
        return tuple(v for v, arity in enumerate(self.arities) if not arity)

    @property
    def kind(self) -> Kind:
        """Whether all variables are discrete, all are continuous, or there are both."""
        if not self.continuous:
            return "discrete"
        return "continuous" if len(self.continuous) == self.n_variables else "mixed"

    @cached_property
    def gaps(self) -> Mask | None:
        """Rows by variables: whether the value is missing; None where none is.

        Examples
        --------
        >>> Dataset.of({"a": ["x", None, "y"], "b": [0.5, 1.5, 2.5]}, missing="keep").gaps.tolist()
        [[False, False], [True, False], [False, False]]
        """
        return gap_mask(self.codes, self.arities, self.numbers) if self.has_gaps else None

    def numbers_of(self, name: str) -> npt.NDArray[np.float64]:
        """Numbers of a continuous variable, one for each row; NaN for gaps.

        Raises
        ------
        DataError
            If there is no such variable, or it has states.

        Examples
        --------
        >>> import numpy as np
        >>> codes, numbers = np.array([[0, 0], [0, 1]]), np.array([[18.5], [31.0]])
        >>> data = Dataset(codes, ("bmi", "sex"), ((), ("f", "m")), numbers=numbers)
        >>> data.numbers_of("bmi")
        array([18.5, 31. ])
        """
        v = self.index(name)
        if self.numbers is None or self.arities[v]:
            raise DataError(f"Variable {quoted(name)} has states, not numbers.")
        column: npt.NDArray[np.float64] = self.numbers[:, self.continuous.index(v)]
        return column

    def refuse_continuous(self, what: str, instead: str = "leave them out") -> None:
        """Refuse data with continuous variables, for what takes states only.

        Parameters
        ----------
        what
            What takes states only, for the message.
        instead
            What else can be done than to cut columns into states.

        Raises
        ------
        DataError
            With some of them.
        """
        if self.continuous:
            names = listed([self.names[v] for v in self.continuous])
            raise DataError(
                f"{what} takes variables with states only, and the data has continuous ones ({names}); cut them into "
                "states, for instance with ",
                Setting("discretise", "quantile"),
                f", or {instead}.",
            )

    def refuse_gaps(self, what: str, among: Sequence[int] | None = None) -> None:
        """Refuse data with gaps, for what needs every value.

        Parameters
        ----------
        what
            What needs them, for the message.
        among
            The variables whose gaps matter, by index; all unless given.

        Raises
        ------
        DataError
            With the columns that have some.

        Examples
        --------
        >>> data = Dataset.of({"a": ["x", None, "y"], "b": [0, 1, 1]}, missing="keep")
        >>> data.refuse_gaps("A tree", among=[1])
        """
        if self.gaps is None:
            return
        mask = self.gaps if among is None else self.gaps[:, among]
        if mask.any():
            counts, columns = mask.sum(axis=0), range(self.n_variables) if among is None else among
            names = listed([self.names[v] for v, n in zip(columns, counts.tolist(), strict=True) if n])
            raise DataError(
                f"{what} needs a value in every cell, and {int(counts.sum()):,} are missing (in {names}); leave out "
                f"the {int(mask.any(axis=1).sum()):,} of {self.n_rows:,} rows that have gaps, with ",
                Setting("missing", "drop"),
                InPython(" or complete_rows()"),
                ", make missing a state of its own with ",
                Setting("missing", "state"),
                ", or fill the values in.",
            )

    def refuse_shards(self, what: str) -> None:
        """Refuse a table whose rows are elsewhere, for what looks at them; those of this one are here.

        Parameters
        ----------
        what
            What looks at rows, for the message.
        """

    def __len__(self) -> int:
        return self.n_rows

    def __repr__(self) -> str:
        weight = "" if self.weights is None else f" for {self.n_observations:,} observations"
        discrete = [arity for arity in self.arities if arity]
        low, high = min(discrete, default=0), max(discrete, default=0)
        arity = f"{numbered(low, 'state')} each" if low == high else f"{low} to {high} states"
        if self.continuous:
            arity = "continuous" if not discrete else f"{len(self.continuous):,} of them continuous, {arity}"
        rows = numbered(self.n_rows, "row")
        variables = numbered(self.n_variables, "variable")
        made = "" if self.interventions is None else f", interventions on {len(self.interventions.names):,}"
        gaps = "" if self.gaps is None else f", {numbered(int(self.gaps.sum()), 'gap')}"
        return f"Dataset({rows}{weight}, {variables}, {arity}{made}{gaps})"

    def _repr_html_(self) -> str:
        return html_of(self)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Dataset):
            return NotImplemented
        if (self.names, self.states) != (other.names, other.states) or not np.array_equal(self.codes, other.codes):
            return False
        if self.interventions != other.interventions:
            return False
        if self.numbers is not None and not np.array_equal(
            self.numbers, cast("npt.NDArray[Any]", other.numbers), equal_nan=True
        ):
            return False
        if self.weights is None or other.weights is None:
            return self.weights is other.weights
        return np.array_equal(self.weights, other.weights)

    def __hash__(self) -> int:
        return hash((self.names, self.states, self.n_rows))

    def __reduce__(self) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        made = self.interventions
        return type(self), (self.codes, self.names, self.states, self.weights, self.steps, made, self.numbers)

    def index(self, name: str) -> int:
        """Column of the variable.

        Raises
        ------
        DataError
            If there is no variable of that name.

        Examples
        --------
        >>> Dataset.from_codes([[0, 1]], names=["a", "b"]).index("b")
        1
        """
        try:
            return self._positions[name]
        except (KeyError, TypeError):
            raise DataError(f"There is no variable {quoted(name)}; there are {listed(self.names)}.") from None

    @cached_property
    def _positions(self) -> dict[str, int]:
        return {name: v for v, name in enumerate(self.names)}

    # What can be made of it

    def merged(self) -> Self:
        """Equal rows merged into one that weighs as much as all of them.

        Rows of weight 0 vanish. The rows come in lexicographic order of their codes; when nothing merges, it is this
        Dataset itself, as with continuous variables, whose numbers are hardly ever equal. Rows in which an experimenter
        has set different variables are not equal, and stay apart; so do rows with different gaps.

        Examples
        --------
        >>> data = Dataset.from_codes([[1, 0], [0, 1], [1, 0]]).merged()
        >>> data.codes.tolist(), data.weights.tolist()
        ([[0, 1], [1, 0]], [1, 2])
        """
        if self.continuous:
            return self
        made = self.interventions
        sizes = [arity + self.has_gaps for arity in self.arities]
        merged = merged_rows(self.codes, sizes, self.weights, None if made is None else made.kinds[0])
        if merged is None:
            return self
        rows, counts = merged
        codes = np.empty((rows.size, self.n_variables), dtype=self.codes.dtype, order="F")
        np.take(self.codes, rows, axis=0, out=codes)
        made = None if made is None else made.taken(rows)
        changed = self._changed(codes=_read_only(codes), weights=_read_only(counts), interventions=made)
        changed._set(has_gaps=self.has_gaps and has_gaps(codes, self.arities, None))
        return changed

    def complete_rows(self) -> Self:
        """Only the rows that have no gap.

        Raises
        ------
        DataError
            If every row that counts has one.

        Examples
        --------
        >>> Dataset.of({"a": ["x", None, "y"], "b": [0, 1, 1]}, missing="keep").complete_rows()
        Dataset(2 rows, 2 variables, 2 states each)
        """
        if self.gaps is None:
            return self
        rows = ~cast("Mask", self.gaps.any(axis=1))
        if not rows.any() or (self.weights is not None and not self.weights[rows].any()):
            raise DataError("Every row has a gap, so that none is left; leave out the columns that have most of them.")
        step = DroppedRows(
            int((~rows).sum()),
            self.n_rows,
            tuple(self.names[v] for v in np.flatnonzero(self.gaps.any(axis=0))),
        )
        numbers = None if self.numbers is None else self.numbers[rows]
        weights = None if self.weights is None else self.weights[rows]
        made = None if self.interventions is None else self.interventions.taken(rows)
        steps = (*self.steps, step)
        return type(self)(self.codes[rows], self.names, self.states, weights, steps, made, numbers)

    def select(self, names: Sequence[str]) -> Self:
        """Only these variables, in this order.

        Examples
        --------
        >>> Dataset.from_codes([[0, 1], [1, 1]], names=["a", "b"]).select(["b"]).names
        ('b',)
        """
        names = column_names(names)
        columns, kept = [self.index(name) for name in names], frozenset(names)
        if not columns:
            raise DataError("No variables are selected; select at least one.")
        steps = tuple(
            step for step in self.steps if isinstance(step, LeftOut) or getattr(step, "column", names[0]) in kept
        )
        states = tuple(self.states[v] for v in columns)
        made = None if self.interventions is None else self.interventions.among(names)
        numbers = None
        if any(not self.arities[v] for v in columns):
            numbers = np.column_stack([self.numbers_of(name) for name in names if not self.arities[self.index(name)]])
        return type(self)(self.codes[:, columns], names, states, self.weights, steps, made, numbers)

    def with_weights(self, weights: npt.ArrayLike | None) -> Self:
        """Rows as they are (shared, not copied), with other weights.

        Examples
        --------
        >>> Dataset.from_codes([[0], [1]]).with_weights([3, 0]).n_observations
        3
        """
        if weights is None:
            return self._changed(weights=None)
        return self._changed(weights=_read_only(checked_weights(weights, self.n_rows)))

    def with_interventions(self, interventions: str | InterventionRows | None) -> Self:
        """Rows as they are, and which variables an experimenter has set in them, in place of what was known of that.

        Parameters
        ----------
        interventions
            As in `from_frame`: rows by variable, or the name of a variable whose states name targets, and which is left
            out then. None takes it that nothing was set.

        Raises
        ------
        DataError
            If there is no such variable or row, and for a variable that was set in all rows.

        Examples
        --------
        >>> data = Dataset.from_codes([[0, 1], [1, 0], [1, 1]], names=["rain", "wet"])
        >>> data.with_interventions({"wet": [2]})
        Dataset(3 rows, 2 variables, 2 states each, interventions on 1)
        """
        if isinstance(interventions, str):
            column = self.index(interventions)
            if not self.arities[column]:
                raise DataError(
                    f"Variable {quoted(interventions)} is continuous; a column that names targets of interventions has "
                    "their names as its states."
                )
            texts = (*self.states[column], None)  # a gap names no target
            labels = (texts[code] for code in self.codes[:, column].tolist())
            others = self.select([name for name in self.names if name != interventions])
            made = Interventions.of_labels(interventions, labels, others.names)
            return others._with_made(made)
        return self._with_made(None if interventions is None else self._checked(interventions))

    def refuse_interventions(self, why: str) -> None:
        """Refuse data in which an experimenter has set variables, for what takes all rows alike.

        Raises
        ------
        ParameterError
            If there are interventions.
        """
        if self.interventions is not None:
            raise ParameterError(
                f"{why}, and the data has interventions (on {listed(self.interventions.names)}), which tell these "
                "apart; search over graphs or orders (orders, greedy, sgs3, tabu, exact), or leave out the rows with "
                "interventions"
            )

    def _with_made(self, made: Interventions | None) -> Self:
        if made is not None:
            made.refuse_constant(self.weights)
        return self._changed(interventions=made)

    def bootstrap(self, seed: int | None = None) -> Self:
        """As many observations drawn from these with replacement, as weights on the same (shared) rows.

        Parameters
        ----------
        seed
            The same seed gives the same draw; None draws a seed. Either way it is in the steps.

        Examples
        --------
        >>> data = Dataset.from_codes([[0], [1], [1]]).bootstrap(seed=7)
        >>> data.n_observations, data.steps
        (3, (Bootstrap(seed=7),))
        """
        step = Bootstrap(recorded_seed(seed))
        generator = np.random.default_rng(step.seed)
        total = self.n_observations
        chances = np.full(self.n_rows, 1 / total) if self.weights is None else self.weights / total
        weights = generator.multinomial(total, chances).astype(np.uint32)
        return self._changed(weights=_read_only(weights), steps=(*self.steps, step))

    def summary(self) -> DataSummary:
        """Return what is worth knowing about the data without keeping it.

        Examples
        --------
        >>> data = Dataset.from_codes([[0, 1], [1, 0]], names=["a", "b"])
        >>> same = Dataset.from_array([["0", "1"], ["1", "0"]], names=["a", "b"])
        >>> data.summary().fingerprint == same.summary().fingerprint
        True
        """
        weights = [] if self.weights is None else [self.weights.astype("<u4")]
        discrete = [(column, arity) for column, arity in zip(self.codes.T, self.arities, strict=True) if arity]
        columns = (column.astype("<u2") for column, _ in discrete)
        numbers = () if self.numbers is None else (_plain_zeros(column) for column in self.numbers.T)
        heading = ["data", self.names, self.states, self.n_rows, bool(weights)]
        made = self.interventions
        forced = []
        if made is not None:
            heading.append(["interventions", made.names])
            forced = [made.forced]
        return DataSummary(
            hashed(heading, chain(weights, columns, numbers, forced)),
            self.n_variables,
            self.n_rows,
            self.n_observations,
            self.states,
            counts=tuple(map(self._counts, range(self.n_variables))),
            steps=tuple(map(str, self.steps)),
            interventions={} if made is None else made.observations(self.weights),
            spreads=tuple(map(self._spread, range(self.n_variables))) if self.continuous else None,
            gaps=None if self.gaps is None else GapSummary.of(self.gaps, self.weights),
        )

    def counts_of(self, name: str) -> dict[str, int]:
        """Return how many observations have each state of a discrete variable; gaps are not among them.

        Examples
        --------
        >>> Dataset.of({"smoker": ["yes", "no", "yes"]}).counts_of("smoker")
        {'no': 1, 'yes': 2}
        """
        v = self.index(name)
        if not self.arities[v]:
            raise DataError(f"Variable {quoted(name)} is continuous and has no states; spread_of tells of its numbers.")
        return dict(zip(self.states[v], self._counts(v), strict=True))

    def spread_of(self, name: str) -> Spread | None:
        """Return mean, deviation and range of a continuous variable's numbers; None where none is known.

        Examples
        --------
        >>> Dataset.of({"bmi": [18.5, 31.5]}).spread_of("bmi").maximum
        31.5
        """
        v = self.index(name)
        if self.arities[v]:
            raise DataError(f"Variable {quoted(name)} has states, not numbers; counts_of tells how often.")
        return self._spread(v)

    def _counts(self, v: int) -> tuple[int, ...]:
        """How many observations have each state of the variable; none where it is continuous."""
        if not self.arities[v]:
            return ()
        counts = np.bincount(self.codes[:, v], weights=self.weights, minlength=self.arities[v])
        return tuple(np.rint(counts[: self.arities[v]]).astype(int).tolist())

    def _spread(self, v: int) -> Spread | None:
        """What is known of the numbers of the variable; None where it is discrete, or no number is known."""
        if self.arities[v]:
            return None
        numbers, weights = self.numbers_of(self.names[v]), self.weights
        if self.gaps is not None:
            known = ~self.gaps[:, v]
            numbers, weights = numbers[known], None if weights is None else weights[known]
        is_seen = numbers.size if weights is None else weights.any()
        return Spread.of(numbers, weights) if is_seen else None

    def to_frame(self, backend: str | None = None, *, interventions: str | None = None) -> Any:
        """Labels as a frame of categories, and numbers as they are; a weighted row as often as its weight says.

        Gaps are null (NaN or None in pandas).

        Parameters
        ----------
        backend
            "polars", "pandas" or "pyarrow"; by default the first of them that is installed.
        interventions
            A name for one more column, which says for each row which variables were set, as `from_frame` takes it.

        Examples
        --------
        >>> Dataset.from_codes([[0], [1]], states=[["no", "yes"]]).to_frame().rows()
        [('no',), ('yes',)]
        >>> Dataset.of({"bmi": [18.5, 31.0], "sex": ["f", "m"]}).to_frame().rows()
        [(18.5, 'f'), (31.0, 'm')]
        """
        rows = np.arange(self.n_rows) if self.weights is None else np.repeat(np.arange(self.n_rows), self.weights)
        codes, names, states = self.codes[rows], self.names, self.states
        kept = None if self.numbers is None else self.numbers[rows]
        if interventions is not None:
            labels = [""] * self.n_rows if self.interventions is None else self.interventions.labels()
            targets, numbers = np.unique(labels, return_inverse=True)
            codes = cast("Codes", np.column_stack([codes, numbers[rows].astype(np.uint16)]))
            names, states = column_names((*names, interventions)), (*states, tuple(targets.tolist()))
        return frame_of_columns(codes, kept, names, states, backend)


def held_bytes(data: Any) -> int:
    """Bytes that data takes already: that of a Dataset whose rows are here.

    Examples
    --------
    >>> held_bytes(Dataset.from_codes([[0, 1], [1, 0]])), held_bytes("patients.csv")
    (4, 0)
    """
    if not isinstance(data, Dataset) or "codes" not in vars(data):
        return 0
    return data.codes.nbytes + (0 if data.numbers is None else data.numbers.nbytes)


def coding_of(
    like: Dataset | None = None,
    *,
    missing: Missing = "error",
    discretise: Method | Mapping[str, Method] | None = None,
    max_states: int = DEFAULT_MAX_STATES,
    states: Mapping[str, Sequence[str]] | None = None,
    continuous: Continuous = None,
    min_count: int | Mapping[str, int] | None = None,
    unknown: Unknown = "error",
) -> Coding:
    """How columns are coded, by what is said about them or by another Dataset."""
    coding = Coding(missing, discretise, max_states, states or {}, continuous, min_count=min_count, unknown=unknown)
    if like is None:
        return coding
    if not (states is None and discretise is None and continuous is None and min_count is None):
        raise ParameterError(
            Setting("like"),
            " already says states, cuts and what is continuous; leave out ",
            Setting("states"),
            ", ",
            Setting("discretise"),
            ", ",
            Setting("min_count"),
            " and ",
            Setting("continuous"),
            ".",
        )
    known = {name: labels for name, labels in zip(like.names, like.states, strict=True) if labels}
    numbers = frozenset(like.names[v] for v in like.continuous)
    return replace(coding, states=known, steps=like.steps, numbers=numbers)


def _applicable(options: dict[str, Any], allowed: frozenset[str], why: str = "") -> dict[str, Any]:
    """Options that are given, if all of them can be; None says nothing, wherever it stands."""
    refuse_unknown(options, _OF_FILES, "for reading the data")
    given = {name: value for name, value in options.items() if value is not None or name in allowed}
    for name in given:
        if name not in allowed:
            raise ParameterError(Name(name), f" cannot be given for this data: {why}")
    return given


def _read_only(array: _Array) -> _Array:
    view = array.view()
    view.setflags(write=False)
    return view


def _plain_zeros(numbers: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Numbers in which equal ones have the same bits: 0 and -0, and all NaN."""
    return np.where(np.isnan(numbers), np.nan, numbers + 0.0).astype("<f8")
