"""Runs as JSON files: what was found, how, from which data; docs/runs.md says what is in them."""

import json
import os
import platform
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import numpy as np

from arcwise.data.dataset import Dataset
from arcwise.data.summary import DataSummary, Summarised
from arcwise.graph.dag import Dag
from arcwise.graph.nodes import check_same_nodes
from arcwise.network.network import BayesianNetwork
from arcwise.runs.file_parts import (
    data_as_json,
    data_of_json,
    network_as_json,
    network_of_json,
    result_as_json,
    result_of_json,
)
from arcwise.runs.result import Result
from arcwise.scores.definitions import Score
from arcwise.scores.gains import arc_gains
from arcwise.support.compression import read_text, write_text
from arcwise.support.errors import ParameterError
from arcwise.support.fields import Fields
from arcwise.support.json_text import parsed_json

__all__ = ["FORMAT", "VERSION", "Run", "format_run", "parse_run", "read_run", "write_run"]

FORMAT = "arcwise-run"
VERSION = 1


@cache
def _versions() -> Mapping[str, str]:
    try:
        own = version("arcwise")
    except PackageNotFoundError:
        own = "unknown"
    return {"arcwise": own, "python": platform.python_version(), "numpy": np.__version__}


@dataclass(frozen=True)
class Run:
    """All that a file of a run holds.

    Parameters
    ----------
    result
        What was found and how. The settings of a result that was read are words, numbers, lists and mappings.
    data
        What is worth knowing about the data; None where it was not given.
    network
        The graph with its probabilities, where they were given.
    gains
        For each arc of the graph, in the order of `Dag.arcs`, by how much the score falls without it (`arc_gains`).
    warnings
        What the user was warned of.
    command
        The command, or the Python call, that makes this run again.
    versions
        Of arcwise, Python and numpy.
    checkpoint
        What is needed to resume the run, for `arcwise.runs.checkpoints`; None where it cannot.
    """

    result: Result
    data: DataSummary | None = None
    network: BayesianNetwork | None = None
    gains: tuple[float, ...] | None = None
    warnings: tuple[str, ...] = ()
    command: str | None = None
    versions: Mapping[str, str] = field(default_factory=_versions, hash=False)
    checkpoint: Mapping[str, Any] | None = field(default=None, hash=False)

    def __post_init__(self) -> None:
        if self.network is not None and self.network.dag != self.result.dag:
            raise ParameterError.of(
                "network", "the result's graph with probabilities", advice="fit it with result.network"
            )
        if self.gains is not None and len(self.gains) != self.result.dag.n_arcs:
            raise ParameterError.of(
                "gains", "a number for every arc of the result's graph", advice="see arc_gains", verb="have"
            )

    @classmethod
    def of(cls, result: Result, data: Dataset, *, warnings: Sequence[str] = (), command: str | None = None) -> "Run":
        """Return all that a report shows of a result and its data: a summary, probabilities, what arcs are worth.

        Probabilities are those of `Result.network` with ``ess=1``; where their tables would be too large, a warning
        says so instead.

        Examples
        --------
        >>> from arcwise import learn, load_example
        >>> data = load_example("cancer").sample(1000, seed=1)
        >>> run = Run.of(learn(data, seed=1), data)
        >>> run.data.n_rows, run.network.names == data.names
        (1000, True)
        """
        score = result.settings.get("score")
        gains = arc_gains(result.dag, data, score) if isinstance(score, Score) else None
        summary, network, told = _summary(data, result.dag), None, tuple(warnings)
        try:
            network = result.network(data, ess=1.0)
        except ParameterError as error:
            told = (*told, f"no probabilities: {error}")
        worth = None if gains is None else tuple(gains[arc] for arc in result.dag.arcs)
        return cls(result, summary, network, worth, told, command)


def _summary(data: Summarised, dag: Dag) -> DataSummary:
    """Return the summary of data with its variables in the order of the graph's, as all else in a run has them."""
    check_same_nodes(dag.names, data.names, called=("the graph", "the data"))
    summary = data.summary()
    if summary.states is None or summary.counts is None:
        return summary
    place = {name: i for i, name in enumerate(data.names)}
    order = [place[name] for name in dag.names]
    return replace(
        summary,
        states=tuple(summary.states[i] for i in order),
        counts=tuple(summary.counts[i] for i in order),
    )


def write_run(
    result: Result | Run,
    path: str | os.PathLike[str],
    *,
    data: Summarised | DataSummary | None = None,
    network: BayesianNetwork | None = None,
    warnings: Sequence[str] = (),
    command: str | None = None,
) -> None:
    """Write a result as a JSON file, compressed when the name ends in .gz, .xz, .bz2 or .zst.

    The file appears under its name when it is complete. All numbers are written so that the same are read again.

    Parameters
    ----------
    result
        The result, or a `Run` that has all the rest in itself.
    path
        The file.
    data
        The data that the result was learned from, of which size, states and a fingerprint are written.
    network
        The graph of the result with its probabilities.
    warnings
        What the user was warned of.
    command
        The command, or the Python call, that makes this run again.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from arcwise import learn, load_example
    >>> data = load_example("cancer").sample(100, seed=1)
    >>> result = learn(data, method="greedy", seed=1)
    >>> with TemporaryDirectory() as folder:
    ...     write_run(result, Path(folder, "run.json"), data=data)
    ...     run = read_run(Path(folder, "run.json"))
    >>> run.result.dag == result.dag, run.result.score == result.score, run.data.n_rows
    (True, True, 100)
    """
    if isinstance(result, Run):
        run = result
    else:
        summary = data if data is None or isinstance(data, DataSummary) else _summary(data, result.dag)
        run = Run(result, summary, network, warnings=tuple(warnings), command=command)
    write_text(path, format_run(run))


def read_run(path: str | os.PathLike[str]) -> Run:
    """Return the run in a file that `write_run` has written, or a checkpoint of one.

    The checkpoint of a run that was killed gives the best graph up to then, with the status ``interrupted``.

    Raises
    ------
    FormatError
        If the file is something else, is damaged, or was written by a later version.
    """
    return parse_run(read_text(path), path)


def format_run(run: Run) -> str:
    """Return the text of a run's file."""
    content = {
        "format": FORMAT,
        "version": VERSION,
        "versions": dict(run.versions),
        "result": result_as_json(run.result),
        "data": None if run.data is None else data_as_json(run.data),
        "network": None if run.network is None else network_as_json(run.network),
        "gains": None if run.gains is None else list(run.gains),
        "warnings": list(run.warnings),
        "command": run.command,
        "checkpoint": run.checkpoint,
    }
    try:
        return json.dumps(content, ensure_ascii=False, allow_nan=False) + "\n"
    except ValueError as error:
        raise ParameterError(f"the result has a number that is not finite, which JSON cannot hold: {error}") from error


def parse_run(text: str, path: str | os.PathLike[str] | None = None) -> Run:
    """Return the run that a file's text holds; see `read_run`.

    Examples
    --------
    >>> parse_run('{"format": "something else"}', path="run.json")
    Traceback (most recent call last):
    ...
    arcwise.FormatError: run.json: the file is not a run of arcwise: its format must be 'arcwise-run'
    """
    fields = Fields(parsed_json(text, path), path=path)
    if "format" not in fields or fields.plain("format") != FORMAT:
        raise fields.wrong(f"the file is not a run of arcwise: its format must be {FORMAT!r}")
    fields.check_version(VERSION)
    result = result_of_json(fields.part("result"))
    data = data_of_json(fields.part("data"), result.dag.n_nodes) if "data" in fields else None
    versions = fields.part("versions")
    return Run(
        result=result,
        data=data,
        network=network_of_json(fields.part("network"), result.dag) if "network" in fields else None,
        gains=_gains(fields, result.dag.n_arcs) if "gains" in fields else None,
        warnings=fields.texts("warnings"),
        command=fields.text("command") if "command" in fields else None,
        versions={name: versions.text(name) for name in versions},
        checkpoint=fields.mapping("checkpoint") if "checkpoint" in fields else None,
    )


def _gains(fields: Fields, n_arcs: int) -> tuple[float, ...]:
    gains = fields.numbers("gains")
    if len(gains) != n_arcs:
        raise fields.wrong(f"gains must have a number for each of the graph's {n_arcs:,} arcs, not {len(gains):,}")
    return gains
