"""How well methods and scores predict rows that they have not seen: cross-validation, in parallel."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import sqrt
from typing import Any, Unpack

import numpy as np

from arcwise.comparison.methods import MethodRun, Trials, definitions_of, labelled_methods
from arcwise.data.dataset import ReadingOptions
from arcwise.data.frames import frame_of
from arcwise.data.missing import MissingValues, learnable
from arcwise.runs.provenance import RunLimits
from arcwise.runs.result import Status
from arcwise.scores.definitions import Score
from arcwise.search.search import Search
from arcwise.support.arguments import callback, count, either_spelling, number, recorded_seed
from arcwise.support.errors import ParameterError
from arcwise.support.machine import workers_or_default

__all__ = ["Candidate", "CrossValidation", "cross_validate"]


@dataclass(frozen=True)
class Candidate:
    """What one method with one score is worth.

    Attributes
    ----------
    method, definition
        The method by its label, and the score that it has maximised, in words.
    held_out
        The mean over the folds of the log-likelihood of a row that was held out, a natural logarithm. Larger is better.
    standard_error
        Of that mean: the standard deviation over the folds divided by the square root of their number; 0 for one fold.
    arcs, seconds
        Means over the folds: how many arcs, and how long it took.
    folds
        How many folds these are: those that all candidates have finished.
    """

    method: str
    definition: str
    held_out: float
    standard_error: float
    arcs: float
    seconds: float
    folds: int


@dataclass(frozen=True)
class CrossValidation:
    """Methods and scores, held against rows that they have not seen.

    Attributes
    ----------
    candidates
        Each method with each score, the best one first, all by the same folds: those that all of them have finished.
    runs
        What was found on each fold, as `compare_methods` has it.
    status
        Complete, or interrupted.
    seed
        What the folds and the seeds of the runs were drawn with.
    """

    candidates: tuple[Candidate, ...]
    runs: tuple[MethodRun, ...]
    status: Status
    seed: int

    @property
    def best(self) -> Candidate:
        """The candidate under which held-out rows are most probable.

        Raises
        ------
        ParameterError
            If it was interrupted before all candidates had finished any fold.
        """
        if not self.candidates:
            raise ParameterError("no fold has been finished by all candidates; there is nothing to choose from")
        return self.candidates[0]

    def rows(self) -> list[dict[str, Any]]:
        """Return the candidates as dictionaries, for any library of frames."""
        return [vars(candidate).copy() for candidate in self.candidates]

    def to_frame(self, backend: str | None = None) -> Any:
        """Return the candidates as a frame, with a row for each.

        Parameters
        ----------
        backend
            "polars", "pandas" or "pyarrow"; by default the first of them that is installed.
        """
        columns = {name: [row[name] for row in self.rows()] for name in Candidate.__dataclass_fields__}
        return frame_of(columns, backend)

    def __str__(self) -> str:
        lines = [f"{'':24} held out  (standard error)   arcs  seconds"]
        for each in self.candidates:
            name = f"{each.method}, {each.definition}"
            lines.append(
                f"{name:24} {each.held_out:8.4f}  ({each.standard_error:.4f}) {each.arcs:14.1f} {each.seconds:8.2f}"
            )
        return "\n".join(lines)


@either_spelling
def cross_validate(
    data: Any,
    methods: str | Search | Sequence[str | Search] | Mapping[str, str | Search] = "auto",
    scores: str | Score | Sequence[str | Score] = ("bic", "bdeu"),
    *,
    folds: int = 10,
    ess: float = 1.0,
    missing: MissingValues = "error",
    seed: int | None = None,
    time_limit: float | None = None,
    evaluation_limit: int | None = None,
    workers: int | None = None,
    on_run: Callable[[MethodRun], object] | None = None,
    **reading: Unpack[ReadingOptions],
) -> CrossValidation:
    """Hold each method with each score against rows that it has not learned from.

    The rows are divided at random into folds, the same for all. Each fold is held out once; graph and probabilities
    come from the others, and what counts is the log-likelihood of the fold, divided by its number of rows. Scores
    themselves are not comparable with each other; this is. Folds are worked on side by side. After Ctrl-C, candidates
    are compared by the folds that all of them have finished.

    States and cuts of columns come from all rows, once: the folds differ in what is learned, not in what is predicted.

    Parameters
    ----------
    data
        A `Dataset`, or anything `Dataset.of` takes.
    methods
        One method or several: names or searches as in `learn`; or a mapping from labels to these.
    scores
        What is maximised: one score or several. They are what is compared, so that ``auto`` is not one of them.
    folds
        Into how many parts the rows are divided.
    ess
        Equivalent sample size of the prior for the probabilities (`BayesianNetwork.fit`), above 0 so that no row is
        impossible.
    missing
        What missing values do, as in `learn`. Rows that are held out must have all values.
    seed
        Draws the folds and the seeds of the runs; drawn and recorded itself when None.
    time_limit, evaluation_limit
        For each run.
    workers
        Runs at the same time; by default one per usable core. With a limit on time, more of them leave each less to
        work with; otherwise they do not change the result.
    on_run
        Called with every finished run.
    reading
        How the data is read: the options of `Dataset.of`, such as ``discretise="quantile"``.

    Examples
    --------
    >>> from arcwise import learn, load_example
    >>> data = load_example("asia").sample(1000, seed=1)
    >>> found = cross_validate(data, ["greedy", "chow-liu"], ["bic", "aic"], folds=5, seed=1)
    >>> len(found.candidates), found.best.method
    (4, 'greedy')
    >>> learn(data, score=found.best.definition, method=found.best.method, seed=1).dag.n_nodes
    8
    """
    several = [methods] if isinstance(methods, str | Search) else methods
    trials = Trials(
        {"data": learnable(data, missing, **reading)},
        labelled_methods(several, least=1),
        definitions_of(scores),
        recorded_seed(seed),
        seeds=1,
        folds=count("folds", folds, least=2),
        limits=RunLimits(time_limit, evaluation_limit),
        by_em=missing == "em",
        ess=number("ess", ess, positive=True),
    )
    trials.check()
    callback("on_run", on_run)
    runs: list[MethodRun] = []

    def take(run: MethodRun) -> None:
        runs.append(run)
        if on_run is not None:
            on_run(run)

    status = trials.run_beside(workers_or_default(workers), take)
    n_candidates = len(trials.methods) * len(trials.definitions)
    return CrossValidation(tuple(_candidates(runs, n_candidates)), tuple(runs), status, trials.seed)


def _candidates(runs: Sequence[MethodRun], n_candidates: int) -> Iterator[Candidate]:
    """Yield what each method with each score is worth, the best first; ties go by the order of the runs.

    Where it was interrupted, folds that not all have finished do not count: some folds are harder than others.
    """
    finished = Counter(run.fold for run in runs)
    of_each: dict[tuple[str, str], list[MethodRun]] = {}
    for run in runs:
        if finished[run.fold] == n_candidates:
            of_each.setdefault((run.method, run.definition), []).append(run)
    found = []
    for (method, definition), own in of_each.items():
        held_out = np.array([run.held_out for run in own], dtype=np.float64)
        error = float(held_out.std(ddof=1)) / sqrt(len(own)) if len(own) > 1 else 0.0
        arcs, seconds = (float(np.mean([getattr(run, name) for run in own])) for name in ("arcs", "seconds"))
        found.append(Candidate(method, definition, float(held_out.mean()), error, arcs, seconds, len(own)))
    yield from sorted(found, key=lambda candidate: -candidate.held_out)
