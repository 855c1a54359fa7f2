"""Mixtures of trees as files: the arrays in numpy's .npz, without pickles."""

from collections.abc import Callable, Mapping, Sequence
from io import BytesIO
from os import fspath
from pathlib import Path
from typing import Any, BinaryIO, TypeVar

import numpy as np
import numpy.typing as npt

from arcwise.support.errors import FormatError, ParameterError
from arcwise.support.files import replaced
from arcwise.support.quoting import cut

__all__ = ["read_arrays", "write_arrays"]

FORMAT = "arcwise tree mixture 1"
_ARRAYS = ("parents", "flat", "begin", "which", "weights")

Mixture = TypeVar("Mixture")


def write_arrays(
    path: str | Path,
    names: Sequence[str],
    states: Sequence[Sequence[str]],
    arrays: Mapping[str, npt.NDArray[np.generic]],
) -> None:
    """Write a mixture's names, states and arrays."""
    labels = [state for row in states for state in row]
    with replaced(path) as file:  # an open file keeps its name: savez would append .npz to a path
        np.savez_compressed(
            file,
            allow_pickle=False,
            format=_text([FORMAT]),
            names=_text(names),
            arities=np.array([len(row) for row in states], dtype=np.int64),
            labels=_text(labels),
            **arrays,
        )


def read_arrays(path: str | Path, make: Callable[..., Mixture]) -> Mixture:
    """Return what `make` makes of names, states and arrays.

    Raises
    ------
    FormatError
        If they are not there, or make no mixture.
    """
    content = Path(path).read_bytes()
    try:
        arrays = _arrays(BytesIO(content))
    except Exception as error:  # a damaged archive can raise anything, such as NotImplementedError or RuntimeError
        raise FormatError(
            f"the file cannot be read as a mixture of trees: {cut(str(error))}", path=fspath(path)
        ) from error
    missing = [key for key in ("format", "names", "arities", "labels", *_ARRAYS) if key not in arrays]
    if missing or arrays["format"].tobytes() != _text([FORMAT]).tobytes():
        raise FormatError(
            f"this is not a file in the format {FORMAT!r}; write_tree_mixture writes one", path=fspath(path)
        )
    try:
        names, labels, arities = _strings(arrays["names"]), _strings(arrays["labels"]), arrays["arities"]
        if arities.dtype != np.int64 or arities.shape != (len(names),) or sum(arities.tolist()) != len(labels):
            raise ParameterError("names, arities and labels do not fit each other")
        ends = np.cumsum(arities).tolist()
        states = [labels[begin:end] for begin, end in zip([0, *ends], ends, strict=False)]
        return make(names, states, *(arrays[key] for key in _ARRAYS))
    except (TypeError, ValueError) as error:  # a ParameterError is a ValueError too, as is text that is not UTF-8
        raise FormatError(str(error), path=fspath(path)) from error


def _arrays(file: BinaryIO) -> dict[str, Any]:
    loaded = np.load(file, allow_pickle=False)
    if not isinstance(loaded, Mapping):
        raise ValueError("it holds one array")
    arrays = dict(loaded)
    if not all(isinstance(array, np.ndarray) for array in arrays.values()):
        raise ValueError("it holds something else than arrays")  # which numpy gives as bytes
    return arrays


def _text(strings: Sequence[str]) -> npt.NDArray[np.uint8]:
    """UTF-8, each string after its length: numpy's own strings lose zeros at their ends."""
    parts = [string.encode("utf-8", "surrogatepass") for string in strings]
    return np.frombuffer(b"".join(len(part).to_bytes(8, "little") + part for part in parts), dtype=np.uint8)


def _strings(text: npt.NDArray[np.uint8]) -> list[str]:
    data, strings, at = text.tobytes(), [], 0
    while at < len(data):
        length = int.from_bytes(data[at : at + 8], "little")
        strings.append(data[at + 8 : at + 8 + length].decode("utf-8", "surrogatepass"))
        at += 8 + length
    return strings
