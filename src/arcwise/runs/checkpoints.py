"""Checkpoints: files from which a run is resumed that was killed, interrupted, or out of time."""

import json
import os
import tempfile
import threading
import time
import warnings
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace
from hashlib import sha256
from math import isclose
from pathlib import Path
from typing import Any

from arcwise.graph.dag import Dag
from arcwise.runs.file_parts import graph_as_json, graph_of_json
from arcwise.runs.files import Run, read_run, write_run
from arcwise.runs.journal import Found, Journal, State, Used
from arcwise.runs.provenance import Task
from arcwise.runs.result import Improvement, Result, Status, rising
from arcwise.support.arguments import flag, number, recorded_seed
from arcwise.support.errors import ArcwiseWarning, FormatError, ParameterError
from arcwise.support.fields import Fields
from arcwise.support.messages import InPython, Name, Setting

__all__ = ["Checkpoints", "checksum", "earlier_method", "earlier_seed", "journal_of"]

#: Counted from where a search starts, and so again from 0 when it is resumed.
_COUNTED_ANEW = ("evaluations", "cache_hits", "tests", "pairs", "rounds", "nodes", "solver_rows")

_MOST_SECONDS = 1e9

#: Scores of one graph that were added up in different orders differ by no more than this part of them.
_ROUNDING = 1e-9


@dataclass(frozen=True)
class Checkpoints:
    """Where a run writes how far it is, and how often.

    Parameters
    ----------
    path
        The file, JSON; compressed when the name ends in .gz, .xz, .bz2 or .zst. It is a run's file at any time, for
        `arcwise.runs.files.read_run`.
    every
        Seconds between two writings. The first is as soon as there is a graph, the last at the end.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> from arcwise import learn, load_example
    >>> data = load_example("asia").sample(1000, seed=1)
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder, "run.json")
    ...     first = learn(data, method="greedy", climbs=3, seed=1, checkpoint=path)
    ...     both = learn(data, method="greedy", climbs=8, checkpoint=path, resume=True)
    >>> both.counters["climbs"], both.score >= first.score, both.seed
    (8, True, 1)
    """

    path: str | os.PathLike[str]
    every: float = 60.0

    def __post_init__(self) -> None:
        if not isinstance(self.path, str | os.PathLike) or not os.fspath(self.path):
            raise ParameterError.of("checkpoint", ("the name of a file", InPython(" or a Checkpoints")), self.path)
        number("every", self.every)


def journal_of(checkpoint: str | os.PathLike[str] | Checkpoints | None, resume: bool, task: Task) -> Journal:
    """Return the journal of a run, which writes checkpoints if asked to, and resumes an earlier run if asked to.

    Parameters
    ----------
    checkpoint
        The file, with or without how often it is written; None for none.
    resume
        Whether to resume from what the file has. Without a file the run begins, with a warning.
    task
        What the run is about.

    Raises
    ------
    ParameterError
        If there is a file and it is not to be resumed, if it is of another task, or if no file can be written there.
        A file that is there stays as it is.
    FormatError
        If the file to be resumed is damaged, or something else.
    """
    resume = flag("resume", resume)
    if checkpoint is None:
        if resume:
            raise ParameterError(
                Name("resume"), " needs ", InPython("a checkpoint; give "), Name("checkpoint"), ", the name of its file"
            )
        return Journal(recorded_seed(task.seed))
    checkpoints = checkpoint if isinstance(checkpoint, Checkpoints) else Checkpoints(checkpoint)
    path = Path(checkpoints.path)
    if path.is_dir():
        raise ParameterError(f"the checkpoint {path} is a folder; give the name of a file")
    if path.exists() and not resume:
        raise ParameterError(
            f"the checkpoint {path} is there already; resume it (", Setting("resume", True), ") or give another name"
        )
    _check_folder(path)
    if resume and not path.exists():
        warnings.warn(f"there is no checkpoint {path}; the run starts from the beginning", ArcwiseWarning, stacklevel=3)
    return _Checkpointed(checkpoints, task, _past(path, task) if path.exists() else None)


def earlier_seed(checkpoint: str | os.PathLike[str] | None, resume: bool, seed: int | None) -> int | None:
    """Return the seed that was given, or else that of the run to resume, or None where there is neither."""
    if seed is not None or checkpoint is None or not resume or not Path(checkpoint).is_file():
        return seed
    return read_run(checkpoint).result.seed


def earlier_method(
    checkpoint: str | os.PathLike[str] | Checkpoints | None, resume: bool, among: Collection[str]
) -> str | None:
    """Return the method of the run to resume, if it is one of some; None where there is no such run."""
    path = checkpoint.path if isinstance(checkpoint, Checkpoints) else checkpoint
    if not resume or path is None or not Path(path).is_file():
        return None
    try:
        method = read_run(path).result.method
    except FormatError:
        return None  # `journal_of` says what is wrong with it
    return method if method in among else None


def checksum(content: Mapping[str, Any]) -> str:
    """Return the SHA-256 of a checkpoint's content but for the checksum itself."""
    summed = {name: value for name, value in content.items() if name != "checksum"}
    return sha256(json.dumps(summed, sort_keys=True).encode()).hexdigest()


def _check_folder(path: Path) -> None:
    """Refuse a folder in which no file can be written, before hours of work."""
    folder = Path(os.path.realpath(path)).parent
    if not folder.is_dir():
        raise ParameterError(f"the folder of the checkpoint {path} does not exist; make it first")
    try:
        with tempfile.NamedTemporaryFile(dir=folder, prefix=".arcwise-", suffix=".part") as probe:
            probe.write(b"{}")
            probe.flush()
    except OSError as error:
        raise ParameterError(
            f"the checkpoint {path} cannot be written: {error.strerror or error}; give another folder"
        ) from error


def _past(path: Path, task: Task) -> "_Past":
    try:
        return _Past.of(path, task)
    except FormatError as error:
        advice = FormatError(f"{error}; the file stays as it is, give another name for a new checkpoint")
        advice.path, advice.line = error.path, error.line
        raise advice from error


@dataclass(frozen=True)
class _Past:
    """What the checkpoint of an earlier run has."""

    result: Result
    best: Found
    used: Used
    searches: Mapping[str, Fields]

    @classmethod
    def of(cls, path: Path, task: Task) -> "_Past":
        """Return what a file has; refused if it is not about this task."""
        run = read_run(path)
        if run.checkpoint is None or run.data is None:
            raise ParameterError(
                f"{path} is a run without a checkpoint and cannot be resumed",
                InPython(("; give its graph as ", Name("start"), " instead")),
            )
        fields = Fields(run.checkpoint, place="checkpoint", path=path)
        if fields.text("checksum") != checksum(run.checkpoint):
            raise fields.wrong("the checkpoint is damaged or was changed: its checksum is not that of its content")
        task.refuse_other(path, run.result.provenance, run.data)
        used, best = fields.part("used"), fields.part("best")
        seconds = used.number("seconds")
        if not 0 <= seconds <= _MOST_SECONDS:
            raise fields.wrong(f"checkpoint.used.seconds must be from 0 to {_MOST_SECONDS:.0f}, not {seconds}")
        dag, score = graph_of_json(best.part("graph")), best.number("score")
        if dag.names != task.data.names:
            raise fields.wrong("checkpoint.best.graph must have the variables of the data, in their order")
        broken = task.asked.constraints.violations(dag)
        if broken:
            raise fields.wrong(f"checkpoint.best.graph breaks the constraints: {broken[0]}")
        known = task.total
        total = score if known is None else fields.made(lambda: known(dag))
        if not isclose(total, score, rel_tol=1e-6, abs_tol=1e-6):
            raise fields.wrong(f"checkpoint.best.score is {score}, but its graph scores {total} on this data")
        searches = fields.part("searches")
        states = {name: searches.part(name) for name in searches if name in searches}
        return cls(run.result, Found(dag.parent_indices, score), Used(seconds, used.whole("evaluations")), states)


class _Checkpointed(Journal):
    """Writes what searches note, when it is time."""

    def __init__(self, checkpoints: Checkpoints, task: Task, past: _Past | None) -> None:
        super().__init__(recorded_seed(task.seed) if past is None else past.result.seed)
        self._path, self._every = checkpoints.path, checkpoints.every
        self._task, self._past = task, past
        self._data = task.data.summary()
        self._best = None if past is None else past.best
        self._points: list[Improvement] = list(self.trace)
        self._states: dict[str, Callable[[], State | None]] = {}
        self._used = self.used
        self._due = 0.0
        self._has_warned = False
        self._is_closed = False
        self._lock = threading.RLock()  # searches note in their threads, and others look at them meanwhile

    @property
    def used(self) -> Used:
        return Used() if self._past is None else self._past.used

    @property
    def trace(self) -> tuple[Improvement, ...]:
        return () if self._past is None else self._past.result.trace

    @property
    def earlier_best(self) -> Found | None:
        return None if self._past is None else self._past.best

    def earlier(self, search: str) -> Fields | None:
        return None if self._past is None else self._past.searches.get(search)

    def improved(self, point: Improvement) -> None:
        with self._lock:
            self._points.append(point)

    def note(self, search: str, found: Found | None, state: Callable[[], State | None], used: Used) -> None:
        with self._lock:
            self._states[search] = state
            self._take(found, used)

    def look(self, best: Callable[[], Found | None], used: Used) -> None:
        with self._lock:
            if self._is_due():
                self._take(best(), used)

    def _take(self, found: Found | None, used: Used) -> None:
        if found is not None and (self._best is None or found.score > self._best.score):
            self._best = found
        self._used = used
        if self._best is not None and self._is_due():
            self._write(Run(self._so_far(self._best)))

    def _is_due(self) -> bool:
        return not self._is_closed and time.monotonic() >= self._due

    def searched(self, result: Result) -> Result:
        with self._lock:
            self._is_closed = True  # what is still looked at is older than this
        if self._past is None:
            self._used = Used(result.seconds, max(self._used.evaluations, result.counters.get("evaluations", 0)))
            return result
        counters = dict(result.counters)
        for name, before in self._counted_before().items():
            counters[name] = counters.get(name, 0) + before
        result = replace(result, counters=counters)
        self._used = Used(result.seconds, max(self._used.evaluations, counters.get("evaluations", 0)))
        dag, score = self._rescored(self._best or self._past.best)
        return result if result.score >= score else replace(result, dag=dag, score=score)

    def _counted_before(self) -> dict[str, int]:
        """What earlier parts of the run have counted that this one counts from 0."""
        counted = {} if self._past is None else self._past.result.counters
        return {name: counted[name] for name in _COUNTED_ANEW if name in counted}

    def close(self, result: Result) -> None:
        best = Found(result.dag.parent_indices, result.score)
        if self._best is None or best.score > self._best.score:
            self._best = best
        self._write(Run.of(result))

    def _rescored(self, found: Found) -> tuple[Dag, float]:
        """Return a graph and its score as results have it."""
        dag = Dag.from_parents(self._task.data.names, found.parents)
        # Climbs on a table add up small changes, and their results are summed anew, like the bound.
        total = None if self._data.n_sets is None else self._task.total
        return dag, found.score if total is None else total(dag)

    def _so_far(self, best: Found) -> Result:
        dag, score = self._rescored(best)
        most = score + _ROUNDING * abs(score)  # kernels tell more of their scores than they show of their graphs
        here = Improvement(self._used.seconds, self._used.evaluations, score)  # which they may not have told yet
        return Result(
            dag=dag,
            score=score,
            status=Status.INTERRUPTED,
            provenance=replace(self._task.asked, seed=self.seed),
            seconds=self._used.seconds,
            counters={**self._counted_before(), "evaluations": self._used.evaluations},
            trace=rising([*(point for point in self._points if point.score <= most), here]),
        )

    def _write(self, run: Run) -> None:
        try:
            write_run(replace(run, data=self._data, checkpoint=self._checkpoint()), self._path)
        except OSError as error:
            if not self._has_warned:
                message = f"the checkpoint {self._path} could not be written ({error}); the run continues"
                warnings.warn(message, ArcwiseWarning, stacklevel=2)
            self._has_warned = True
        self._due = time.monotonic() + self._every

    def _checkpoint(self) -> dict[str, Any]:
        assert self._best is not None
        dag, score = self._rescored(self._best)
        states = {} if self._past is None else {name: state.as_mapping() for name, state in self._past.searches.items()}
        content = {
            "used": {"seconds": self._used.seconds, "evaluations": self._used.evaluations},
            "best": {"graph": graph_as_json(dag), "score": score},
            "searches": {**states, **{name: state() for name, state in self._states.items()}},
        }
        return {**content, "checksum": checksum(content)}
