"""Results of an experiment in a file of JSON lines, so that finished parts need not be run again."""

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from arcwise import DataError

__all__ = ["Kept"]

Value = dict[str, Any]


class Kept:
    """What parts of an experiment have found, by what was asked of them.

    Each line of the file is an object with the ``part`` that was asked for and what it has ``found``. A last line that
    a kill has cut off is dropped.

    Parameters
    ----------
    path
        The file; None keeps results no longer than the object lives.

    Raises
    ------
    DataError
        If the file has lines that are not such results.

    Examples
    --------
    >>> kept = Kept(None)
    >>> kept.found({"data": "alarm", "k": 0.4}, lambda: {"best": -1.5})
    {'best': -1.5}
    >>> kept.found({"k": 0.4, "data": "alarm"}, lambda: {"best": 0.0})  # is not run again
    {'best': -1.5}
    """

    def __init__(self, path: Path | None) -> None:
        self._path = path
        self._found: dict[str, Value] = {}
        if path is not None and path.exists():
            self._read(path)

    def _read(self, path: Path) -> None:
        text = path.read_bytes()
        whole = text[: text.rfind(b"\n") + 1]
        for number, line in enumerate(whole.splitlines(), start=1):
            try:
                entry = json.loads(line)
                self._found[_key(entry["part"])] = dict(entry["found"])
            except (ValueError, TypeError, KeyError):
                raise DataError(f"{path}:line {number}: not a result of an experiment; give another file") from None
        if len(whole) < len(text):
            path.write_bytes(whole)

    def __contains__(self, part: Mapping[str, Any]) -> bool:
        return _key(part) in self._found

    def found(self, part: Mapping[str, Any], run: Callable[[], Value]) -> Value:
        """Return what a part has found, and run it where it has not been run yet."""
        key = _key(part)
        if key not in self._found:
            self._found[key] = run()
            self._write(part, self._found[key])
        return self._found[key]

    def _write(self, part: Mapping[str, Any], found: Value) -> None:
        if self._path is not None:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            with self._path.open("a", encoding="utf-8") as file:
                file.write(json.dumps({"part": part, "found": found}) + "\n")


def _key(part: Mapping[str, Any]) -> str:
    return json.dumps(dict(part), sort_keys=True)
