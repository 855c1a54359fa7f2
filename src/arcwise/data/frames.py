"""Frames of other libraries become columns, and columns become frames."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import numpy.typing as npt

from arcwise.data.codes import Codes
from arcwise.data.column import Column, Mask, column_of_strings, column_of_values, stateless, typed_column
from arcwise.support.errors import DataError, MissingLibraryError, ParameterError
from arcwise.support.later import later
from arcwise.support.messages import Text
from arcwise.support.quoting import cut, listed

if TYPE_CHECKING:
    import narwhals as nw
else:
    nw = later("narwhals")

__all__ = [
    "Backend",
    "column_of_series",
    "frame_library",
    "frame_of",
    "frame_of_columns",
    "refused_by_libraries",
    "series_of_values",
]

Backend = Literal["polars", "pandas", "pyarrow"]
LIBRARIES: tuple[Backend, ...] = ("polars", "pandas", "pyarrow")


def frame_library(backend: str | None = None) -> Backend:
    """Library that makes frames: the one that is asked for, or the first of them that is installed.

    Raises
    ------
    ParameterError
        If it is none of them.
    MissingLibraryError
        If it is not installed.
    """
    if backend is not None and backend not in LIBRARIES:
        raise ParameterError.of("backend", "'polars', 'pandas' or 'pyarrow'", backend)
    for library in LIBRARIES if backend is None else (backend,):
        if find_spec(library) is not None:
            return library
    if backend is None:
        raise MissingLibraryError(
            f"a frame needs one of {listed(LIBRARIES)}, and none of them is installed; pip install polars"
        )
    raise MissingLibraryError(f"a frame of {backend} needs {backend}, which is not installed; pip install {backend}")


def frame_of(columns: Mapping[str, Any], backend: str | None, index: Any = None) -> Any:
    """Frame of a library with these columns; that of pandas has the index, where one is given."""
    frame = nw.from_dict(dict(columns), backend=frame_library(backend)).to_native()
    if index is not None:
        frame.index = index
    return frame


def frame_of_columns(
    codes: Codes,
    numbers: npt.NDArray[np.float64] | None,
    names: Sequence[str],
    states: Sequence[Sequence[str]],
    backend: str | None,
) -> Any:
    """Labels of the codes as columns of categories, and one of numbers for each variable without states.

    Raises
    ------
    ParameterError
        If the backend is none of "polars", "pandas" and "pyarrow".
    """
    library = frame_library(backend)
    kept = iter(() if numbers is None else numbers.T)
    columns = {
        name: _categories(codes[:, v], labels, library) if labels else _numbers(next(kept), library)
        for v, (name, labels) in enumerate(zip(names, states, strict=True))
    }
    return native_frame(columns, library)


def native_frame(columns: Mapping[str, Any], library: Backend, index: Any = None) -> Any:
    """Frame of columns that are of the library already, or arrays."""
    if library == "pyarrow":
        import pyarrow as pa

        return pa.table(dict(columns))
    if library == "pandas":
        import pandas as pd

        return pd.DataFrame(dict(columns), index=index)
    import polars as pl

    return pl.DataFrame(dict(columns))


def _categories(codes: npt.NDArray[np.integer[Any]], labels: Sequence[str], library: Backend) -> Any:
    """Codes as a column of categories; those after the last label's are null."""
    if library == "pandas":
        import pandas as pd

        places = codes.astype(np.int32)
        places[codes >= len(labels)] = -1
        return pd.Categorical.from_codes(places, categories=pd.Index(list(labels), dtype=object))
    if library == "pyarrow":
        import pyarrow as pa

        indices = pa.array(codes.astype(np.int32), mask=codes >= len(labels))
        return pa.DictionaryArray.from_arrays(indices, pa.array(list(labels), pa.string()))
    import polars as pl

    each = pl.Series([*labels, None], dtype=pl.Enum(labels))
    return each.gather(np.minimum(codes, len(labels)).astype(np.uint32))


def _numbers(numbers: npt.NDArray[np.float64], library: Backend) -> Any:
    """Numbers as a column, in which gaps (NaN) are null where there is such a thing."""
    numbers = np.ascontiguousarray(numbers)
    gaps = np.isnan(numbers)
    if library == "pandas" or not gaps.any():
        return numbers
    if library == "pyarrow":
        import pyarrow as pa

        return pa.array(numbers, mask=gaps)
    import polars as pl

    return pl.Series(numbers).fill_nan(None)


def series_of_values(values: list[Any], library: Backend, states: Sequence[str] | None = None) -> Any:
    """Column of a library from Python's values, None where one is missing; with states, of these categories."""
    if states is not None:
        place_of = {state: place for place, state in enumerate(states)}
        codes = np.array([len(states) if value is None else place_of[value] for value in values], dtype=np.int64)
        return _categories(codes, states, library)
    if library == "pandas":
        import pandas as pd

        return pd.Series(values).array
    if library == "pyarrow":
        import pyarrow as pa

        return pa.array(values)
    import polars as pl

    return pl.Series(values)


def column_of_series(name: str, series: "nw.Series[Any]") -> Column:
    """Column of a library's own column."""
    dtype = series.dtype
    native, is_pandas = series.to_native(), series.implementation.is_pandas_like()
    absent = _absent(series)
    if dtype == nw.Object or (is_pandas and native.dtype == object):
        return typed_column(name, np.asarray(series.to_numpy(), dtype=object), absent, str(dtype))
    if dtype in (nw.Categorical, nw.Enum) and not (dtype == nw.Categorical and series.implementation.is_polars()):
        return _column_of_categories(series, native, absent)
    # Polars keeps one pool of categories for many columns: none of them is declared for this one.
    if dtype in (nw.String, nw.Categorical):
        return _column_of_strings(series, absent)
    if dtype == nw.Boolean:
        whole = series if absent is None else series.fill_null(False)
        return column_of_values(np.asarray(whole.to_numpy(), dtype=np.bool_), absent)
    if dtype.is_decimal():
        series, dtype = series.cast(nw.Float64), nw.Float64()
    if dtype.is_float():
        whole = series if absent is None else series.fill_null(0.0)
        values = np.asarray(whole.to_numpy(), dtype=np.float64)
        if absent is not None:  # pandas before 2.2 takes NaN in columns of pyarrow for null
            values = np.where(absent, np.nan, values)
        return column_of_values(values, absent, str(dtype))
    if dtype.is_integer() and dtype not in (nw.Int128, nw.UInt128):  # numpy has no such numbers
        whole = series if absent is None else series.fill_null(0)
        values = np.asarray(whole.to_numpy())
        return column_of_values(values, absent, str(dtype))
    problem = stateless(name, str(dtype))
    return Column("other", np.array([*series.to_list(), None], dtype=object)[:-1], (), absent, str(dtype), problem)


def _absent(series: "nw.Series[Any]") -> Mask | None:
    if not series.null_count():  # quick to say, where there are thousands of columns
        return None
    return np.asarray(series.is_null().to_numpy(), dtype=np.bool_)


def _column_of_categories(series: "nw.Series[Any]", native: Any, absent: Mask | None) -> Column:
    shown = str(series.dtype)
    if series.implementation.is_pandas_like():
        places = np.asarray(native.cat.codes)
        labels = tuple(native.cat.categories)
    elif series.implementation.is_pyarrow():
        whole = native.unify_dictionaries().combine_chunks()
        chunk = whole.chunk(0) if hasattr(whole, "chunk") else whole
        places, labels = np.asarray(chunk.indices.fill_null(0)), tuple(chunk.dictionary.to_pylist())
    else:
        places = series.to_native().to_physical().fill_null(0).to_numpy()
        labels = tuple(getattr(series.dtype, "categories"))  # noqa: B009
    if absent is not None:
        places = np.where(absent, 0, places)
    return Column("category", places, labels, absent, shown)


def _column_of_strings(series: "nw.Series[Any]", absent: Mask | None) -> Column:
    native, implementation = series.to_native(), series.implementation
    if implementation.is_pandas_like():
        # Hashing once is ten times faster than looking every string up in pandas.
        found = series.cast(nw.Categorical).to_native().cat
        places = np.asarray(found.codes)
        texts: list[str] = list(found.categories)
    elif implementation.is_polars():
        import polars as pl

        strings = native.cast(pl.String)
        texts = sorted(strings.drop_nulls().unique().to_list())
        places = strings.cast(pl.Enum(texts)).to_physical().fill_null(0).to_numpy()
    elif implementation.is_pyarrow():
        whole = native.combine_chunks()
        chunk = (whole.chunk(0) if hasattr(whole, "chunk") else whole).dictionary_encode()
        places, texts = np.asarray(chunk.indices.fill_null(0)), chunk.dictionary.to_pylist()
    else:
        number: dict[str, int] = {}
        there = (text for text in series.to_list())
        places = np.array([0 if text is None else number.setdefault(text, len(number)) for text in there], np.uint32)
        texts = list(number)
    return column_of_strings(places if absent is None else np.where(absent, 0, places), texts, absent)


@contextmanager
def refused_by_libraries(what: str, remedy: Text) -> Iterator[None]:
    """Make a `DataError` of any error of polars or pyarrow in the block, panics and those of reading files included.

    A panic of polars, which damaged files cause, is an error that ``except Exception`` lets through.

    Parameters
    ----------
    what
        What is wrong, with the file.
    remedy
        What to do about it.

    Examples
    --------
    >>> import polars as pl
    >>> with refused_by_libraries("a.parquet: this cannot be read as parquet", "write it again"):
    ...     raise pl.exceptions.ComputeError("no magic number")
    Traceback (most recent call last):
        ...
    arcwise.DataError: a.parquet: this cannot be read as parquet (no magic number); write it again.
    """
    try:
        yield
    except BaseException as error:
        module = type(error).__module__
        is_theirs = module.startswith(("polars", "pyarrow", "pyo3_runtime"))
        if not is_theirs and not isinstance(error, OSError):
            raise
        # A panic says where in polars it was, which tells the user nothing.
        panic = type(error).__name__ == "PanicException"
        reason = "polars gave up over it" if panic else cut(" ".join(str(error).split()))
        raise DataError(f"{what} ({reason}); ", remedy, ".") from error
