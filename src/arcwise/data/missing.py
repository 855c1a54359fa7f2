"""What missing values do in learning: an error, rows that are left out, a state, or gaps that are learned from."""

from collections.abc import Mapping
from typing import Any, Literal, Unpack, cast, get_args

import numpy as np

from arcwise.data.columns import Missing
from arcwise.data.dataset import Dataset, ReadingOptions
from arcwise.support.arguments import respelled
from arcwise.support.errors import ParameterError
from arcwise.support.messages import Setting
from arcwise.support.names import one_of
from arcwise.support.quoting import quoted

__all__ = ["KEPT", "MissingValues", "about_gaps", "learnable", "split_reading"]

#: What `learn` and others can do with missing values.
MissingValues = Literal["error", "drop", "state", "pairwise", "em"]

#: Those for which gaps stay in the data.
KEPT = ("pairwise", "em")


def split_reading(options: Mapping[str, Any]) -> tuple[ReadingOptions, dict[str, Any]]:
    """Keywords that say how data is read, as `Dataset.of` takes them, and all others.

    Examples
    --------
    >>> split_reading({"discretize": "quantile", "climbs": 3})
    ({'discretise': 'quantile'}, {'climbs': 3})
    """
    given, read = respelled(options), ReadingOptions.__annotations__
    reading = {name: value for name, value in given.items() if name in read}
    return cast("ReadingOptions", reading), {name: value for name, value in given.items() if name not in read}


def learnable(data: Any, missing: MissingValues = "error", **options: Unpack[ReadingOptions]) -> Dataset:
    """Dataset to learn from, of anything that `Dataset.of` takes.

    Parameters
    ----------
    data
        The table. A `Dataset` that has gaps keeps them, whatever `missing` says but "drop".
    missing
        What missing values do: "error", "drop", "state" as in `Dataset.from_frame`; "pairwise" and "em" keep them.
    options
        Others of `Dataset.of`.

    Raises
    ------
    ParameterError
        If a Dataset that has been coded with gaps is to have a state for them.

    Examples
    --------
    >>> learnable({"a": ["x", None, "y"], "b": [0, 1, 1]}, "pairwise")
    Dataset(3 rows, 2 variables, 2 states each, 1 gap)
    """
    one_of("missing", missing, get_args(MissingValues))
    for limit in ("time_limit", "evaluation_limit"):  # of those who have a budget instead
        if limit in options:
            raise ParameterError(f"there is no parameter {quoted(limit)}; give budget=Budget({limit}=…)")
    if not isinstance(data, Dataset):
        return Dataset.of(data, missing=cast("Missing", "keep" if missing in KEPT else missing), **options)
    table = Dataset.of(data, **options)
    if missing == "drop":
        return table.complete_rows()
    if missing == "state" and table.has_gaps:
        raise ParameterError(
            Setting("missing", "state"),
            " is for tables that are read; this one is a Dataset, whose states are known: read it with "
            "Dataset.of(data, missing='state')",
        )
    return table


def about_gaps(data: Dataset) -> str:
    """Words for how much of data with gaps is missing.

    Examples
    --------
    >>> about_gaps(learnable({"a": ["x", None, "y"], "b": [0, 1, 1]}, "pairwise"))
    '1 of 6 values are missing, in 1 of 2 columns; 2 of 3 rows have all'
    """
    mask = np.zeros((1, data.n_variables), dtype=np.bool_) if data.gaps is None else data.gaps
    n_complete = data.n_rows - int(mask.any(axis=1).sum())
    return (
        f"{int(mask.sum()):,} of {data.codes.size:,} values are missing, in {int(mask.any(axis=0).sum()):,} of "
        f"{data.n_variables:,} columns; {n_complete:,} of {data.n_rows:,} rows have all"
    )
