"""A column of a text file as it was read: its different texts, or numbers row by row where these are many."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from arcwise import _core
from arcwise.data.column import Column, Mask, column_of_strings, column_of_values
from arcwise.support.errors import DataError

__all__ = ["Fields", "Form", "numbers_in"]

#: What all fields of a column can be read as; "nothing" where there is none.
Form = Literal["nothing", "whole", "number", "label"]
_KINDS: dict[str, Form] = {"i": "whole", "f": "number"}


def numbers_in(texts: Sequence[str]) -> npt.NDArray[Any] | None:
    """Numbers that these texts are, whole ones if all are; None where one is not a number.

    Whole numbers beyond 64 bits are not numbers: they stay labels.

    Examples
    --------
    >>> numbers_in(["1", "20"]).tolist(), numbers_in([".5", "1e3"]).tolist(), numbers_in(["1", "007"])
    ([1, 20], [0.5, 1000.0], None)
    """
    return _core.numbers_in(list(texts))


@dataclass(frozen=True, eq=False)
class Fields:
    """The fields of a column.

    Attributes
    ----------
    source, place
        Where they were read, and in which column.
    codes
        Of each row 1 and the place of its text, 0 for a gap; None where there are numbers row by row.
    numbers
        Of the texts, behind one for gaps, or of the rows; None where one is not a number.
    gaps
        Where a value is missing, with numbers row by row.
    is_part
        Whether some rows were left out, so that not all texts occur.
    """

    source: _core.TextTable
    place: int
    codes: npt.NDArray[np.integer[Any]] | None
    numbers: npt.NDArray[Any] | None
    gaps: Mask | None
    is_part: bool = False

    @classmethod
    def of(cls, source: _core.TextTable, place: int) -> "Fields":
        """Fields of a column of a text."""
        return cls(source, place, source.codes(place), source.numbers(place), source.gaps(place))

    def __len__(self) -> int:
        return len(self.codes if self.codes is not None else self.numbers)  # type: ignore[arg-type]

    @cached_property
    def absent(self) -> Mask | None:
        """Where a field is missing; None where none is."""
        absent = self.gaps if self.codes is None else self.codes == 0
        return absent if absent is not None and absent.any() else None

    @cached_property
    def _texts(self) -> list[str]:
        return self.source.texts(self.place)

    @cached_property
    def texts(self) -> list[str]:
        """The different texts, of those rows that are there; none where there are numbers row by row."""
        if self.codes is None or not self.is_part:
            return self._texts
        return [self._texts[code - 1] for code in np.unique(self.codes).tolist() if code]

    @cached_property
    def form(self) -> Form:
        """What all of them can be read as."""
        found = self.distinct_numbers
        if found is not None:
            return _KINDS[found.dtype.kind]
        return "label" if self.texts else "nothing"

    @cached_property
    def distinct_numbers(self) -> npt.NDArray[Any] | None:
        """Numbers of the texts, or of the rows that have one; None where one is not a number, or there is none."""
        if self.codes is None:
            assert self.numbers is not None
            return self.numbers if self.gaps is None or not self.gaps.any() else self.numbers[~self.gaps]
        if self.is_part:
            return numbers_in(self.texts) if self.texts else None
        return None if self.numbers is None else self.numbers[1:]

    def take(self, rows: npt.NDArray[Any]) -> "Fields":
        """Some of the rows."""
        codes = None if self.codes is None else self.codes[rows]
        numbers = self.numbers if codes is not None or self.numbers is None else self.numbers[rows]
        gaps = None if self.gaps is None else self.gaps[rows]
        return replace(self, codes=codes, numbers=numbers, gaps=gaps, is_part=True)

    def row_numbers(self) -> npt.NDArray[np.float64] | None:
        """Number of each row, NaN where it is missing; None where one is not a number."""
        if self.codes is None:
            assert self.numbers is not None
            numbers = self.numbers.astype(np.float64)
            if self.gaps is not None:
                numbers[self.gaps] = np.nan
            return numbers
        by_code = self._numbers_by_code()
        return None if by_code is None else np.asarray(by_code[self.codes], dtype=np.float64)

    def _numbers_by_code(self) -> npt.NDArray[np.float64] | None:
        if not self._texts:
            return np.array([np.nan])
        if self.numbers is not None:
            return np.concatenate([[np.nan], self.numbers[1:].astype(np.float64)])
        if not self.is_part or self.form == "label":
            return None
        if not self.texts:
            return np.full(1 + len(self._texts), np.nan)
        # Those that are not numbers are of rows that were left out.
        numbers = dict(zip(self.texts, self.distinct_numbers, strict=True))  # type: ignore[arg-type]
        return np.array([np.nan, *(numbers.get(text, np.nan) for text in self._texts)], dtype=np.float64)

    def column(self) -> Column:
        """Column of whole numbers, numbers or strings, whatever all of them are."""
        if self.codes is None:
            assert self.numbers is not None
            return column_of_values(self.numbers, self.gaps)
        if self.numbers is not None and self.texts:
            return column_of_values(self.numbers[self.codes], self.absent)
        return self.column_of_texts()

    def column_of_texts(self) -> Column:
        """Column of strings, whatever they could be read as."""
        if self.codes is None:
            raise DataError("the fields of a column were read as numbers, and cannot be strings")
        places = np.where(self.codes == 0, 0, self.codes - np.array(1, self.codes.dtype))
        return column_of_strings(places, self._texts, self.absent)
