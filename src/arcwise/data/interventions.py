"""Interventions: which variables an experimenter has set, and in which rows."""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NoReturn

import numpy as np
import numpy.typing as npt

from arcwise.data.codes import Weights
from arcwise.data.column import Column
from arcwise.graph.nodes import positions
from arcwise.support.errors import DataError
from arcwise.support.messages import Setting
from arcwise.support.names import did_you_mean
from arcwise.support.quoting import listed, quoted

__all__ = ["InterventionRows", "Interventions"]

#: For some variables the rows in which an experimenter has set them: a truth value for each row, or indices of rows.
InterventionRows = Mapping[str, npt.ArrayLike]

# Several targets of one row, in a column of targets.
_SEPARATOR = re.compile(r"[;+]")
# What a column of targets says where nothing was set; a variable of such a name comes first.
_NOTHING = ("", "none", "-")
# So many variables and the number of a row, of which there are less than 2^32, fit 63 bits.
_AT_A_TIME = 31


@dataclass(frozen=True, eq=False)
class Interventions:
    """Which variables an experimenter has set in some rows, whatever their causes.

    Parameters
    ----------
    names
        The variables, each set in some row.
    forced
        Rows by these variables: whether the variable was set in the row.

    Examples
    --------
    >>> made = Interventions.of({"rain": [0, 2]}, ["rain", "wet"], 4)
    >>> made.names, made.rows("rain").tolist()
    (('rain',), [True, False, True, False])
    >>> made.targets
    ((), ('rain',))
    """

    names: tuple[str, ...]
    forced: npt.NDArray[np.bool_]

    @classmethod
    def of(cls, given: InterventionRows, variables: Sequence[str], n_rows: int) -> "Interventions | None":
        """Interventions on some variables of a table; None where there are none.

        Raises
        ------
        DataError
            For a variable that there is not, and for rows that are neither a truth value for each nor indices.
        """
        if not isinstance(given, Mapping):
            raise DataError(
                Setting("interventions"),
                " must be a mapping from variables to the rows in which they were set, or the name of a column of "
                f"targets, not {quoted(given)}.",
            )
        columns, known = {}, frozenset(variables)
        for name, rows in given.items():
            if not isinstance(name, str) or name not in known:
                _refuse_unknown(name, variables)
            columns[name] = _mask(name, rows, n_rows)
        return cls._of_columns(columns, variables)

    @classmethod
    def of_column(cls, name: str, column: Column, variables: Sequence[str]) -> "Interventions | None":
        """Interventions of a column of targets, whatever kind it is; see `of_labels`."""
        texts = (None if value is None else str(value) for value in column.to_list())
        return cls.of_labels(name, texts, variables)

    @classmethod
    def of_labels(cls, column: str, labels: Iterable[str | None], variables: Sequence[str]) -> "Interventions | None":
        """Interventions of a column that says for each row which variables were set in it.

        Parameters
        ----------
        column
            What it is called, for messages.
        labels
            For each row a variable, several of them with ; or + in between, or nothing: empty, missing, none or -.
        variables
            The variables of the table.

        Examples
        --------
        >>> made = Interventions.of_labels("do", ["", "a", "a;b", None], ["a", "b", "c"])
        >>> made.targets
        ((), ('a',), ('a', 'b'))
        """
        numbers: dict[str | None, int] = {}
        codes = np.fromiter((numbers.setdefault(label, len(numbers)) for label in labels), dtype=np.intp)
        known = dict.fromkeys(variables)
        targets = [_targets(column, label, known) for label in numbers]
        named = positions(tuple(dict.fromkeys(name for names in targets for name in names)))
        forced = np.zeros((len(targets), len(named)), dtype=np.bool_)
        for kind, names in enumerate(targets):
            forced[kind, [named[name] for name in names]] = True
        return cls._of_columns({name: forced[:, place][codes] for name, place in named.items()}, variables)

    @classmethod
    def _of_columns(
        cls, columns: Mapping[str, npt.NDArray[np.bool_]], variables: Sequence[str]
    ) -> "Interventions | None":
        names = tuple(name for name in variables if name in columns and columns[name].any())
        if not names:
            return None
        forced = np.asfortranarray(np.column_stack([columns[name] for name in names]))
        forced.setflags(write=False)
        return cls(names, forced)

    def rows(self, name: str) -> npt.NDArray[np.bool_]:
        """For each row whether the variable was set in it."""
        place = self._positions.get(name)
        return np.zeros(len(self.forced), dtype=np.bool_) if place is None else self.forced[:, place]

    @cached_property
    def _positions(self) -> dict[str, int]:
        return positions(self.names)

    @cached_property
    def kinds(self) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.bool_]]:
        """For each row the number of its set of targets, and these sets, as truth values over `names`."""
        numbers, first = np.zeros(len(self.forced), dtype=np.int64), np.zeros(1, dtype=np.intp)
        for begin in range(0, len(self.names), _AT_A_TIME):
            some = self.forced[:, begin : begin + _AT_A_TIME]
            keys = (numbers << _AT_A_TIME) | some @ (np.int64(1) << np.arange(some.shape[1], dtype=np.int64))
            _, first, numbers = np.unique(keys, return_index=True, return_inverse=True)
        return numbers.astype(np.int64, copy=False), self.forced[first]

    @cached_property
    def targets(self) -> tuple[tuple[str, ...], ...]:
        """The different sets of variables that were set together, smaller ones first; the empty one if there is one."""
        sets = (tuple(name for name, is_set in zip(self.names, row, strict=True) if is_set) for row in self.kinds[1])
        return tuple(sorted(sets, key=lambda names: (len(names), [self._positions[name] for name in names])))

    def observations(self, weights: Weights | None) -> dict[str, int]:
        """For each variable in how many observations it was set."""
        counts = np.ones(len(self.forced), dtype=np.int64) if weights is None else weights
        return {name: int(counts[self.rows(name)].sum(dtype=np.uint64)) for name in self.names}

    def labels(self) -> list[str]:
        """For each row its targets with ; in between, as a column of targets has them."""
        numbers, sets = self.kinds
        words = [";".join(name for name, is_set in zip(self.names, row, strict=True) if is_set) for row in sets]
        return [words[number] for number in numbers]

    def taken(self, rows: npt.NDArray[np.bool_] | npt.NDArray[np.intp]) -> "Interventions | None":
        """Interventions of some rows; None where nothing was set in them."""
        return self._of_columns({name: self.rows(name)[rows] for name in self.names}, self.names)

    def among(self, variables: Sequence[str]) -> "Interventions | None":
        """Interventions on some variables, in their order; None where none of them was set."""
        return self._of_columns({name: self.rows(name) for name in self.names}, variables)

    def refuse_constant(self, weights: Weights | None) -> None:
        """Refuse a variable that was set in every row that counts: nothing would be known of what it depends on.

        Raises
        ------
        DataError
            For the first one.
        """
        for name in self.names:
            free = ~self.rows(name) if weights is None else ~self.rows(name) & (weights > 0)
            if not free.any():
                raise DataError(
                    f"{quoted(name)} was set in all rows, so that none says what it depends on; add rows in which it "
                    "was not set, or leave it out of ",
                    Setting("interventions"),
                    " and forbid its parents with ",
                    Setting("constraints"),
                    ".",
                )

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Interventions):
            return NotImplemented
        return self.names == other.names and np.array_equal(self.forced, other.forced)

    def __hash__(self) -> int:
        return hash((self.names, self.forced.shape))

    def __repr__(self) -> str:
        return f"Interventions(on {', '.join(self.names)})"


def _targets(column: str, label: str | None, variables: Collection[str]) -> tuple[str, ...]:
    """Variables that a field of a column of targets names."""
    text = "" if label is None else str(label).strip()
    if text in variables:
        return (text,)
    if text.lower() in _NOTHING:
        return ()
    names = tuple(part.strip() for part in _SEPARATOR.split(text))
    for name in names:
        if name not in variables:
            whole = "" if name == text else f" (in {quoted(text)})"
            raise DataError(
                f"Column {quoted(column)} should name the variables that were set, but {quoted(name)}{whole} is not a "
                f"variable; there are {listed(variables)}{did_you_mean(name, variables) or '.'}"
            )
    return names


def _refuse_unknown(name: object, variables: Iterable[str]) -> NoReturn:
    hint = did_you_mean(name, variables) if isinstance(name, str) else ""
    raise DataError(f"There is no variable {quoted(name)}; there are {listed(variables)}{hint or '.'}")


def _mask(name: str, rows: Any, n_rows: int) -> npt.NDArray[np.bool_]:
    """Truth value for each row, from such or from indices."""
    array = np.asarray(rows)
    about = f"The rows in which {quoted(name)} was set"
    if array.ndim == 1 and array.dtype == np.bool_:
        if array.size != n_rows:
            raise DataError(f"{about} have {array.size:,} truth values; there must be one for each of {n_rows:,} rows.")
        return array
    if array.ndim != 1 or not (array.size == 0 or np.issubdtype(array.dtype, np.integer)):
        raise DataError(
            f"{about} must be a list of indices, or a truth value for each row, not an array of type {array.dtype} "
            f"with {array.ndim} dimension(s)."
        )
    wrong = (array < 0) | (array >= n_rows)
    if wrong.any():
        raise DataError(f"{about} have the index {array[wrong][0]}; there are {n_rows:,} rows, counted from 0.")
    indices, times = np.unique(array.astype(np.intp), return_counts=True)
    if (times > 1).any():  # most likely zeros and ones
        raise DataError(
            f"{about} have the index {indices[times > 1][0]} twice; give each index once, or a truth value (bool) for "
            "each row."
        )
    mask = np.zeros(n_rows, dtype=np.bool_)
    mask[indices] = True
    return mask
