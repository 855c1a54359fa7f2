"""Results of an experiment that survive an interruption: a file of JSON lines, one for each finished part."""

import json
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from threading import Lock
from typing import Any

from arcwise.support.errors import FormatError

__all__ = ["Kept"]


class Kept:
    """What is known of an experiment's parts, from this run and from those before.

    Each line of the file is an object with ``part``, all that tells a part from others, and ``found``. A line that an
    interruption has cut off at the end is left out. The file does not know of changes to the program: begin another one
    after those.

    Parameters
    ----------
    path
        The file, which is made where there is none; None to keep nothing.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder, "results.jsonl")
    ...     first = Kept(path).found({"network": "alarm", "seed": 1}, lambda: 42)
    ...     again = Kept(path).found({"network": "alarm", "seed": 1}, lambda: 0 / 0)
    >>> first, again
    (42, 42)
    >>> {"seed": 1} in Kept()
    False
    """

    def __init__(self, path: Path | None = None) -> None:
        self._path = path
        self._lock = Lock()
        self._known: dict[str, Any] = {}
        if path is not None and path.exists():
            self._read(path)

    def __contains__(self, part: Mapping[str, Any]) -> bool:
        """Whether something is known of a part."""
        key = _key(part)
        with self._lock:
            return key in self._known

    def found(self, part: Mapping[str, Any], find: Callable[[], Any]) -> Any:
        """Return what is known of a part, or else find it and write it down; from any thread.

        Parameters
        ----------
        part
            What tells it from others: numbers, words, lists and objects of them, as JSON has them.
        find
            Finds it, in the same way.
        """
        key = _key(part)
        with self._lock:
            if key in self._known:
                return self._known[key]
        value = json.loads(json.dumps(find()))  # the same whether it comes from the file or not
        with self._lock:
            self._known[key] = value
            if self._path is not None:
                self._path.parent.mkdir(parents=True, exist_ok=True)
                with self._path.open("a", encoding="utf-8") as file:
                    file.write(json.dumps({"part": dict(part), "found": value}) + "\n")
                    file.flush()
                    os.fsync(file.fileno())
        return value

    def _read(self, path: Path) -> None:
        text = path.read_text(encoding="utf-8")
        whole, newline, cut_off = text.rpartition("\n")
        for number, line in enumerate(whole.split("\n") if newline else [], start=1):
            try:
                content = json.loads(line)
                self._known[_key(content["part"])] = content["found"]
            except (ValueError, KeyError, TypeError):
                raise FormatError("this is not a line of results", path=str(path), line=number) from None
        if cut_off:
            os.truncate(path, len((whole + newline).encode()))


def _key(part: Mapping[str, Any]) -> str:
    return json.dumps(dict(part), sort_keys=True)
