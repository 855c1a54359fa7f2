"""Searches in processes of their own, so that they can be stopped and their memory be told."""

import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from multiprocessing import get_context
from multiprocessing.connection import Connection
from pathlib import Path
from resource import RUSAGE_SELF, getrusage
from typing import Any, Generic, TypeVar

import pandas as pd

from benchmarks.peers import Edges

__all__ = ["Measured", "Timed", "measure_apart", "run_apart"]

Timed = tuple[float, Edges]
"""The seconds of a search, and the edges that it found."""

Answer = TypeVar("Answer")

# What importing a package and preparing the data may take.
_START_SECONDS = 300.0


@dataclass(frozen=True)
class Measured(Generic[Answer]):
    """What a search in a process of its own came to.

    Attributes
    ----------
    answer
        What it returned.
    seconds
        How long it took, without imports and preparations.
    megabytes
        The most memory that its process had, imports and data included.
    """

    answer: Answer
    seconds: float
    megabytes: float


def measure_apart(
    prepare: Callable[..., Callable[[], Answer]], *arguments: Any, limit: float
) -> Measured[Answer] | None:
    """Measure a search in a process of its own; None if it takes longer than the limit.

    Parameters
    ----------
    prepare
        A function of a module that imports and loads what the search needs, and returns it.
    arguments
        What `prepare` takes.
    limit
        Seconds of the search after which its process is ended.

    Raises
    ------
    RuntimeError
        If the search fails; what it printed says why.
    """
    context = get_context("spawn")
    receive, send = context.Pipe(duplex=False)
    process = context.Process(target=_search, args=(prepare, arguments, send))
    process.start()
    send.close()
    try:
        if not receive.poll(_START_SECONDS):
            raise RuntimeError(f"{prepare.__name__} was not ready after {_START_SECONDS:g} s")
        receive.recv()
        if not receive.poll(limit):
            return None
        found: Measured[Answer] = receive.recv()
        return found
    except EOFError:
        raise RuntimeError(f"{prepare.__name__} failed") from None
    finally:
        process.kill()
        process.join()


def run_apart(
    prepare: Callable[[pd.DataFrame], Callable[[], Edges]], frame: pd.DataFrame, limit: float
) -> Timed | None:
    """Time one of the searches in `benchmarks.peers`; see `measure_apart`."""
    measured = measure_apart(prepare, frame, limit=limit)
    return None if measured is None else (measured.seconds, measured.answer)


def _search(prepare: Callable[..., Callable[[], Any]], arguments: tuple[Any, ...], send: Connection) -> None:
    search = prepare(*arguments)
    send.send("ready")
    begin = time.perf_counter()
    answer = search()
    send.send(Measured(answer, time.perf_counter() - begin, _peak_megabytes()))


def _peak_megabytes() -> float:
    """Return the most memory that this process has had."""
    status = Path("/proc/self/status")
    if status.exists():  # there, getrusage also counts what the parent had when it started this process
        lines = status.read_text().splitlines()
        return int(next(line for line in lines if line.startswith("VmHWM")).split()[1]) / 1024
    return getrusage(RUSAGE_SELF).ru_maxrss / (1024**2 if sys.platform == "darwin" else 1024)
