"""Tables become text with separators."""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from arcwise.data.dataset import Dataset
from arcwise.support.later import later

if TYPE_CHECKING:
    import narwhals as nw
else:
    nw = later("narwhals")

__all__ = ["text_of_columns", "text_of_dataset", "text_of_frame"]


def text_of_columns(columns: Mapping[str, Iterable[str]], separator: str = ",") -> str:
    r"""Text with a line of names and one for each row; fields are as they should stand.

    Examples
    --------
    >>> text_of_columns({"a": ["1", "2"], "b": ["x", '"y z"']})
    'a,b\n1,x\n2,"y z"\n'
    """
    names = separator.join(_field(name, separator) for name in columns)
    lines = map(separator.join, zip(*columns.values(), strict=True))
    return "\n".join([names, *lines, ""])


def text_of_dataset(data: Dataset, separator: str = ",") -> str:
    r"""Text of the labels and numbers of a dataset; a weighted row as often as its weight says.

    Examples
    --------
    >>> text_of_dataset(Dataset.of({"wet": ["no", "yes, very"], "mm": [0.5, 2.25]}))
    'wet,mm\nno,0.5\n"yes, very",2.25\n'
    """
    rows = slice(None) if data.weights is None else np.repeat(np.arange(data.n_rows), data.weights)
    columns: dict[str, Iterable[str]] = {}
    for v, (name, labels) in enumerate(zip(data.names, data.states, strict=True)):
        if labels:
            fields = np.array([*(_field(label, separator) for label in labels), ""], dtype=object)
            columns[name] = fields[data.codes[rows, v]].tolist()
        else:
            columns[name] = _fields(data.numbers_of(name)[rows].tolist(), separator)
    return text_of_columns(columns, separator)


def text_of_frame(frame: Any, separator: str = ",") -> str:
    """Text of a frame of any library."""
    found = nw.from_native(frame, eager_only=True)
    return text_of_columns(
        {str(each.name): _fields(each.to_list(), separator) for each in found.iter_columns()}, separator
    )


def _fields(values: Sequence[Any], separator: str) -> list[str]:
    """Values as fields; empty where one is missing."""
    return ["" if value is None or value != value else _field(str(value), separator) for value in values]


def _field(text: str, separator: str) -> str:
    """Text as a field, in quotes where it has a sign that means something else, or spaces that would be lost."""
    if text == "" or re.search(rf'[{re.escape(separator)}"\r\n]|^\s|\s$', text):
        return '"' + text.replace('"', '""') + '"'
    return text
