"""Lines of small csv files, such as lists of arcs; tables of data are read by `arcwise.data`."""

import csv
import io
from collections.abc import Iterator

from arcwise.support.errors import FormatError

__all__ = ["csv_rows"]


def csv_rows(text: str, path: str | None = None) -> Iterator[tuple[int, list[str]]]:
    r"""Fields of each line that is not empty, with the number of the line.

    Raises
    ------
    FormatError
        With the line, where a quote is wrong or a field too long.

    Examples
    --------
    >>> list(csv_rows('from,to\n\n"a, b",c\n'))
    [(1, ['from', 'to']), (3, ['a, b', 'c'])]
    """
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    try:
        for row in reader:
            if row:
                yield reader.line_num, row
    except csv.Error as error:
        raise FormatError(f"the line is not csv: {error}", path=path, line=reader.line_num) from None
