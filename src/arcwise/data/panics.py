"""What polars throws, as errors of arcwise's own."""

from collections.abc import Iterator
from contextlib import contextmanager

import polars as pl

from arcwise.support.errors import DataError
from arcwise.support.messages import Text
from arcwise.support.quoting import cut

__all__ = ["POLARS_ERRORS", "refused_by_polars"]

#: A panic, which damaged files cause, is not an Exception: `except Exception` lets it through.
POLARS_ERRORS = (pl.exceptions.PolarsError, pl.exceptions.PanicException)


@contextmanager
def refused_by_polars(what: str, remedy: Text) -> Iterator[None]:
    """Make a `DataError` of any error of polars in the block, panics and those of reading files included.

    Parameters
    ----------
    what
        What is wrong, with the file.
    remedy
        What to do about it.

    Examples
    --------
    >>> with refused_by_polars("a.parquet: this cannot be read as parquet", "write it again"):
    ...     raise pl.exceptions.ComputeError("no magic number")
    Traceback (most recent call last):
        ...
    arcwise.DataError: a.parquet: this cannot be read as parquet (no magic number); write it again.
    """
    try:
        yield
    except (*POLARS_ERRORS, OSError) as error:
        # A panic says where in polars it was, which tells the user nothing.
        panic = isinstance(error, pl.exceptions.PanicException)
        reason = "polars gave up over it" if panic else cut(" ".join(str(error).split()))
        raise DataError(f"{what} ({reason}); ", remedy, ".") from error
