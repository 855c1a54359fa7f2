"""Runs as JSON files: what was found, how, from which data; docs/runs.md says what is in them."""

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from arcwise.data.dataset import Dataset
from arcwise.data.summary import DataSummary, Summarised
from arcwise.graph.dag import Dag
from arcwise.graph.nodes import check_same_nodes
from arcwise.network.tables import FamilyCounts
from arcwise.runs.file_parts import (
    counts_as_json,
    counts_of_json,
    data_as_json,
    data_of_json,
    result_as_json,
    result_of_json,
)
from arcwise.runs.provenance import RecordedScore
from arcwise.runs.result import STRUCTURAL_EM, Result
from arcwise.scores.local_score import LocalScore, gains_by
from arcwise.support.errors import ParameterError
from arcwise.support.fields import Fields, parsed_json
from arcwise.support.files import read_text, write_text
from arcwise.support.messages import type_of

__all__ = ["FORMAT", "VERSION", "Run", "format_run", "parse_run", "read_run", "write_run"]

FORMAT = "arcwise-run"
VERSION = 1

#: Counts of families that a file may have: it takes about three bytes for each.
_MOST_COUNTS = 1 << 24


@dataclass(frozen=True)
class Run:
    """All that a file of a run holds.

    Parameters
    ----------
    result
        What was found and how. One that was read from a file has counts of its families instead of data, where the file
        has them.
    data
        What is worth knowing about the data; None where it was not given.
    gains
        For each arc of the graph, in the order of `Dag.arcs`, by how much the score falls without it (`arc_gains`).
    warnings
        What the user was warned of.
    command
        The command, or the Python call, that makes this run again.
    checkpoint
        What is needed to resume the run, for `arcwise.runs.checkpoints`; None where it cannot.
    """

    result: Result
    data: DataSummary | None = None
    gains: tuple[float, ...] | None = None
    warnings: tuple[str, ...] = ()
    command: str | None = None
    checkpoint: Mapping[str, Any] | None = field(default=None, hash=False)

    def __post_init__(self) -> None:
        if self.gains is not None and len(self.gains) != self.result.dag.n_arcs:
            raise ParameterError.of(
                "gains", "a number for every arc of the result's graph", advice="see arc_gains", verb="have"
            )

    @classmethod
    def of(
        cls, result: Result, data: Dataset | None = None, *, warnings: Sequence[str] = (), command: str | None = None
    ) -> "Run":
        """Return all that a report shows of a result: its data in short, its probabilities, what its arcs are worth.

        Where the tables of probabilities would be too large, a warning says so instead.

        Parameters
        ----------
        result
            The result.
        data
            What it was learned from, where it does not know that itself.
        warnings, command
            As `Run` has them.

        Examples
        --------
        >>> from arcwise import learn, load_example
        >>> run = Run.of(learn(load_example("cancer").sample(1000, seed=1), seed=1))
        >>> run.data.n_rows, len(run.gains) == run.result.dag.n_arcs
        (1000, True)
        """
        if not isinstance(result, Result):
            raise ParameterError.of("result", "a Result", type_of(result))
        if isinstance(warnings, str):
            raise ParameterError.of("warnings", "a list of texts", warnings)
        source, told = result.data if data is None else data, tuple(warnings)
        if not isinstance(source, Dataset):
            return cls(result, warnings=told, command=command)
        summary, score = _summary(source, result.dag), result.provenance.score
        is_by_em = source.has_gaps and result.method == STRUCTURAL_EM
        if is_by_em:
            from arcwise.network.em import fit_em  # with all that fills gaps
            from arcwise.scores.expected import ExpectedScore
        expected = fit_em(result.dag, source).expectation if is_by_em else None
        try:
            counts = FamilyCounts.of(result.dag, source, most=_MOST_COUNTS)  # refuses too many
            result = replace(result, data=counts if expected is None else expected.families(result.dag))
        except ParameterError as error:
            result, told = replace(result, data=None), (*told, f"no probabilities: {error}")
        gains = None
        if score is not None and not isinstance(score, RecordedScore):
            bound = LocalScore(source, score) if expected is None else ExpectedScore(expected, source, score)
            gains = gains_by(bound, result.dag)
        worth = None if gains is None else tuple(gains[arc] for arc in result.dag.arcs)
        return cls(result, summary, worth, told, command)


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
        spreads=None if summary.spreads is None else tuple(summary.spreads[i] for i in order),
        gaps=None if summary.gaps is None else summary.gaps.ordered(order),
    )


def write_run(result: Result | Run, path: str | os.PathLike[str]) -> None:
    """Write a result as a JSON file, compressed when the name ends in .gz, .xz, .bz2 or .zst.

    The file appears under its name when it is complete. All numbers are written so that the same are read again. Of the
    data, it has size, states, a fingerprint and the counts of the graph's families: enough for `Result.network`.

    Parameters
    ----------
    result
        The result, or a `Run`, which has warnings and the command besides.
    path
        The file.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from arcwise import learn, load_example
    >>> result = learn(load_example("cancer").sample(100, seed=1), method="greedy", seed=1)
    >>> with TemporaryDirectory() as folder:
    ...     write_run(result, Path(folder, "run.json"))
    ...     run = read_run(Path(folder, "run.json"))
    >>> run.result == result, run.result.network() == result.network(), run.data.n_rows
    (True, True, 100)
    """
    if not isinstance(result, Result | Run):
        raise ParameterError.of("result", "a Result or a Run", type_of(result))
    write_text(path, format_run(result if isinstance(result, Run) else Run.of(result)))


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
        "result": result_as_json(run.result),
        "data": None if run.data is None else data_as_json(run.data),
        "counts": counts_as_json(counts) if isinstance(counts := run.result.data, FamilyCounts) else None,
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
    if "counts" in fields:
        result = replace(result, data=counts_of_json(fields.part("counts"), result.dag))
    data = data_of_json(fields.part("data"), result.dag.n_nodes) if "data" in fields else None
    return Run(
        result=result,
        data=data,
        gains=_gains(fields, result.dag.n_arcs) if "gains" in fields else None,
        warnings=fields.texts("warnings"),
        command=fields.text("command") if "command" in fields else None,
        checkpoint=fields.mapping("checkpoint") if "checkpoint" in fields else None,
    )


def _gains(fields: Fields, n_arcs: int) -> tuple[float, ...]:
    gains = fields.numbers("gains")
    if len(gains) != n_arcs:
        raise fields.wrong(f"gains must have a number for each of the graph's {n_arcs:,} arcs, not {len(gains):,}")
    return gains
