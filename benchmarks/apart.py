"""Searches of other packages in processes of their own, so that they can be stopped."""

import time
from collections.abc import Callable
from multiprocessing import get_context
from multiprocessing.connection import Connection

import pandas as pd

from benchmarks.peers import Edges

__all__ = ["Timed", "run_apart"]

Timed = tuple[float, Edges]
"""The seconds of a search, and the edges that it found."""

Prepare = Callable[[pd.DataFrame], Callable[[], Edges]]

# What importing a package and preparing the data may take.
_START_SECONDS = 120.0


def run_apart(prepare: Prepare, frame: pd.DataFrame, limit: float) -> Timed | None:
    """Time a search in a process of its own; None if it takes longer than the limit.

    Parameters
    ----------
    prepare
        One of those in `benchmarks.peers`; its imports and preparations do not count.
    frame
        The data.
    limit
        Seconds after which the process is ended.

    Raises
    ------
    RuntimeError
        If the search fails; what it printed says why.
    """
    context = get_context("spawn")
    receive, send = context.Pipe(duplex=False)
    process = context.Process(target=_search, args=(prepare, frame, send))
    process.start()
    send.close()
    try:
        if not receive.poll(_START_SECONDS):
            raise RuntimeError(f"{prepare.__name__} was not ready after {_START_SECONDS:g} s")
        receive.recv()
        if not receive.poll(limit):
            return None
        found: Timed = receive.recv()
        return found
    except EOFError:
        raise RuntimeError(f"{prepare.__name__} failed") from None
    finally:
        process.kill()
        process.join()


def _search(prepare: Prepare, frame: pd.DataFrame, send: Connection) -> None:
    search = prepare(frame)
    send.send("ready")
    begin = time.perf_counter()
    edges = search()
    send.send((time.perf_counter() - begin, edges))
