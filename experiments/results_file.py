"""Results of long experiments, kept in a file as they come, so that an interrupted run loses one part at most."""

import json
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from arcwise.support.errors import FormatError

__all__ = ["ResultsFile"]

Values = Mapping[str, Any]


class ResultsFile:
    """Finished parts of an experiment, one JSON object in each line of a file: ``{"part": …, "found": …}``.

    What a part is about is a mapping of plain values; parts are the same if these are equal. A last line that was cut
    short, by a kill or a full disk, is left out and overwritten.

    Parameters
    ----------
    path
        The file, which need not exist yet; None keeps nothing.

    Examples
    --------
    >>> results = ResultsFile(None)
    >>> results.known({"dataset": "nltcs"}, lambda: [1, 2])
    [1, 2]
    """

    def __init__(self, path: Path | None) -> None:
        self._path = path
        self._found: dict[str, Any] = {}
        if path is not None and path.exists():
            self._read(path)

    def __len__(self) -> int:
        return len(self._found)

    def known(self, part: Values, make: Callable[[], Any]) -> Any:
        """Return what was found for a part: from the file, or else made now and added to it.

        Parameters
        ----------
        part
            What it is about, with all settings that change it.
        make
            Gives values that JSON has, or None where it was interrupted, which is not kept.
        """
        key = json.dumps(part, sort_keys=True)
        if key not in self._found:
            found = make()
            if found is None:
                return None
            self._found[key] = found
            self._add(part, found)
        return self._found[key]

    def _read(self, path: Path) -> None:
        content = path.read_bytes()
        whole = content.rfind(b"\n") + 1
        for at, line in enumerate(content[:whole].splitlines(), 1):
            try:
                read = json.loads(line)
                self._found[json.dumps(read["part"], sort_keys=True)] = read["found"]
            except (ValueError, KeyError, TypeError):
                raise FormatError(f"{path}: line {at} is not a result of an experiment; use another file") from None
        if whole < len(content):
            os.truncate(path, whole)

    def _add(self, part: Values, found: Any) -> None:
        if self._path is None:
            return
        self._path.parent.mkdir(parents=True, exist_ok=True)
        with self._path.open("a", encoding="utf-8") as file:
            file.write(json.dumps({"part": part, "found": found}) + "\n")
            file.flush()
            os.fsync(file.fileno())
