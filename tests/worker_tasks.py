"""What workers of other processes do in tests; they import it from here."""

import json
import multiprocessing
import os
import signal
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from importlib import metadata
from itertools import count
from pathlib import Path
from threading import Event
from typing import Any, ClassVar
from uuid import uuid4

import numpy as np
import numpy.typing as npt

from arcwise import Budget, Constraints, CountScore, Family, Greedy, LocalScore, Result, greedy
from arcwise.parallel import in_worker
from arcwise.shards import store
from python_scores import BicByCounts

PATIENCE = 120.0  # seconds after which a test gives up; a slow machine is not a failure


def pool(workers: int, **options: Any) -> ProcessPoolExecutor:
    """Return processes that start in a moment, from one that has loaded arcwise and has no threads."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["worker_tasks", "arcwise.learn", "arcwise.strengths"])
    return ProcessPoolExecutor(workers, mp_context=context, **options)


def first(folder: Path, name: str) -> bool:
    """Return whether this is the first call with a name, of all processes."""
    try:
        (folder / name).touch(exist_ok=False)
    except FileExistsError:
        return False
    return True


def doubled(shared: int, task: int, budget: Budget, threads: int) -> tuple[int, int]:
    """Return something that tells whether task and shared came as they were, and where it was done."""
    return shared + 2 * task, os.getpid()


def killing(folder: Path, task: int, budget: Budget, threads: int) -> int:
    """End the process of the third task like kill -9, the first time."""
    if task == 2 and first(folder, "killed"):
        os.kill(os.getpid(), signal.SIGKILL)
    return task


def hanging(folder: Path, task: int, budget: Budget, threads: int) -> int:
    """Hang in the third task, the first time, whatever the budget says; until the test is over."""
    if task == 2 and first(folder, "hanging"):
        until_exists(folder / "over")
    return task


def waiting(folder: Path, task: int, budget: Budget, threads: int) -> str:
    """Work until all is called off; tell of the beginning and of the end."""
    if budget.exhausted:
        return "not begun"
    begun = folder / f"begun-{uuid4().hex}"
    begun.touch()
    if not becomes_true(lambda: budget.exhausted):
        return "never called off"
    begun.rename(folder / begun.name.replace("begun", "ended"))
    return "called off"


@dataclass
class Told:
    """Data that tells of every process that unpacks it."""

    folder: Path

    def __reduce__(self) -> Any:
        return _unpacked, (self.folder,)


def _unpacked(folder: Path) -> Told:
    (folder / f"{os.getpid()}-{uuid4().hex}").touch()
    return Told(folder)


def process(shared: Told, task: int, budget: Budget, threads: int) -> int:
    """Return which process it is."""
    return os.getpid()


def failing(shared: None, task: int, budget: Budget, threads: int) -> int:
    """Fail at the third task."""
    if task == 2:
        raise ValueError("the third task")
    return task


@dataclass(frozen=True)
class KillsOnce:
    """A search whose process is killed the first time, in the middle of a replica."""

    folder: Path

    def __call__(
        self, score: LocalScore, *, constraints: Constraints | None, seed: int | None, budget: Budget | None
    ) -> Result:
        if first(self.folder, "killed"):
            os.kill(os.getpid(), signal.SIGKILL)
        return greedy(score, constraints=constraints, seed=seed, budget=budget, workers=1)


def pretend_memory(n_bytes: int) -> None:
    """Let this process have so little memory for shards."""
    vars(store)["available_memory"] = lambda: n_bytes


def kill(_: int) -> None:
    """End this process like kill -9."""
    os.kill(os.getpid(), signal.SIGKILL)


def pretend_version(version: str) -> None:
    """Let this process have another version of arcwise."""
    vars(in_worker)["versions_here"] = lambda: {"arcwise": version}


def pretend_version_on_dask(version: str | None) -> None:
    """Let this worker of Dask have another version of arcwise, or none at all; its own one again for an empty one."""

    def pretended(name: str) -> str:
        if version is None:
            raise metadata.PackageNotFoundError(name)
        return version

    own = vars(metadata).setdefault("own_version", metadata.version)
    vars(metadata)["version"] = pretended if version != "" else own


def killing_all(folder: Path, task: int, budget: Budget, threads: int) -> int:
    """End the first two processes that come to this like kill -9, so that none of two is left that has the data."""
    if first(folder, "one") or first(folder, "other"):
        os.kill(os.getpid(), signal.SIGKILL)
    return task


@dataclass(frozen=True)
class KillingBic(CountScore):
    """BIC, whose process is killed by its hundredth score, once."""

    folder: str
    is_equivalent = True
    asked: ClassVar[list[str]] = []  # in this process

    def of_counts(self, counts: npt.NDArray[np.int64], family: Family) -> float:
        """Return the score of a family, if it comes to that."""
        self.asked.append(family.child)
        if len(self.asked) == 100 and first(Path(self.folder), "killed"):
            os.kill(os.getpid(), signal.SIGKILL)
        return BicByCounts().of_counts(counts, family)


@dataclass(frozen=True)
class KillsScheduler(Greedy):
    """Climbs, of which the third that begins kills another process, after the client has heard of one of the others."""

    folder: str = ""
    pid: int = 0

    def climb(self, score: Any, rules: Any, first_graph: Any, seed: int, budget: Any) -> Any:
        """Climb once."""
        folder = Path(self.folder)
        number = next(number for number in count() if first(folder, f"climb-{number}"))
        if number == 2:
            until_exists(folder / "heard")
            os.kill(self.pid, signal.SIGKILL)
        return super().climb(score, rules, first_graph, seed, budget)


def becomes_true(condition: Callable[[], bool]) -> bool:
    """Return whether the condition holds, now or before a test gives up."""
    for _ in range(int(PATIENCE / 0.01)):
        if condition():
            return True
        Event().wait(0.01)
    return False


def until_exists(path: Path) -> None:
    """Wait for a file."""
    if not becomes_true(path.exists):
        raise TimeoutError(path)


def all_ended(folder: Path) -> bool:
    """Return whether all tasks that have begun end, soon after nobody waits for them any more."""
    return becomes_true(lambda: not any(folder.glob("begun-*")))


def is_called_off(round_: str) -> bool:
    """Return whether this process knows that a round is called off."""
    return round_ in in_worker._called_off


def address_in(file: Path) -> str:
    """Return the address that a scheduler has written to its file."""
    for _ in range(int(PATIENCE / 0.01)):
        try:
            return str(json.loads(file.read_text(encoding="utf-8"))["address"])
        except json.JSONDecodeError:  # not yet all of it
            Event().wait(0.01)
    raise TimeoutError(file)
