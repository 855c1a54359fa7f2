"""What is done in the process of a worker: a task is unpacked, done within its limits, and answered."""

import os
import pickle
import socket
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from threading import Lock
from typing import Any

from arcwise.parallel.lifeline import Address, is_cut
from arcwise.runs.budget import Budget
from arcwise.runs.provenance import versions_here

__all__ = ["Done", "Envelope", "NeedsData", "OtherVersion", "call_off", "carried_out"]

# A worker keeps what it needed last: the same data is often asked about again, by the next round of a search.
_MOST_KEPT = 4
_MOST_CALLED_OFF = 64


@dataclass(frozen=True)
class Envelope:
    """A task on its way.

    Parameters
    ----------
    version
        The version of arcwise that sends it.
    round
        What is called off together.
    key
        The name of what the task needs besides; the worker may have it, or asks for it.
    task
        The task, packed.
    seconds
        How long it may take; None for no limit.
    threads
        How many threads it may use.
    lifeline
        Whose end says that nobody waits for it any more; None where something else does.
    """

    version: str
    round: str
    key: str
    task: bytes
    seconds: float | None
    threads: int
    lifeline: Address | None = None


@dataclass(frozen=True)
class Done:
    """An answer, and what it has taken."""

    answer: Any
    evaluations: int
    seconds: float
    worker: str


@dataclass(frozen=True)
class NeedsData:
    """The worker does not have what the task needs."""

    worker: str


@dataclass(frozen=True)
class OtherVersion:
    """The worker has another version of arcwise."""

    worker: str
    version: str


_kept: OrderedDict[str, Any] = OrderedDict()
_called_off: OrderedDict[str, None] = OrderedDict()
_lock = Lock()


def carried_out(
    envelope: Envelope, content: bytes | None = None, *, is_over: Callable[[], bool] = lambda: False
) -> Done | NeedsData | OtherVersion:
    """Do a task in this process.

    Parameters
    ----------
    envelope
        The task.
    content
        What it needs, packed; None where this process may have it.
    is_over
        Asked ten times a second whether nobody waits for it any more, besides the lifeline and `call_off`.
    """
    if versions_here()["arcwise"] != envelope.version:
        return OtherVersion(_here(), versions_here()["arcwise"])
    with _lock:
        if envelope.key not in _kept and content is None:
            return NeedsData(_here())
        if envelope.key not in _kept:
            _kept[envelope.key] = pickle.loads(content or b"")
        _kept.move_to_end(envelope.key)
        function, shared = _kept[envelope.key]
        while len(_kept) > _MOST_KEPT:
            _kept.popitem(last=False)
    task = pickle.loads(envelope.task)

    def look(budget: Budget) -> None:
        gone = envelope.lifeline is not None and is_cut(envelope.lifeline)
        if gone or envelope.round in _called_off or is_over():
            budget.interrupt()

    budget = Budget(envelope.seconds, watch=look)
    look(budget)
    answer = budget.run(lambda: function(shared, task, budget, envelope.threads))
    return Done(answer, budget.evaluations, budget.elapsed, _here())


def call_off(round_: str) -> None:
    """Let all tasks of a round that run in this process, or begin in it from now on, end at once."""
    with _lock:
        _called_off[round_] = None
        while len(_called_off) > _MOST_CALLED_OFF:
            _called_off.popitem(last=False)


def _here() -> str:
    return f"{socket.gethostname()}, process {os.getpid()}"
