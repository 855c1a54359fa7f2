"""Methods run over several datasets, folds and seeds, and compared."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from itertools import islice, product
from typing import Any, Unpack

import numpy as np
import numpy.typing as npt

from arcwise.comparison.ranks import Ranks, ranks_of
from arcwise.data.dataset import Dataset, ReadingOptions
from arcwise.data.frames import frame_of
from arcwise.data.missing import MissingValues, learnable
from arcwise.learn import learn
from arcwise.parallel.places import workplace_of
from arcwise.parallel.workplace import Work
from arcwise.runs.budget import Budget, side_by_side, until_exhausted
from arcwise.runs.progress import progress_line, somebody_watches
from arcwise.runs.provenance import RunLimits
from arcwise.runs.result import Result, Status
from arcwise.scores.definitions import Score, score_named
from arcwise.scores.local_score import LocalScore
from arcwise.search.registry import search_named
from arcwise.search.search import Search, suitable
from arcwise.structural_em import score_before_em
from arcwise.support.arguments import callback, count, either_spelling, flag, kernel_seeds, recorded_seed
from arcwise.support.errors import ParameterError
from arcwise.support.machine import usable_cores
from arcwise.support.messages import Name
from arcwise.support.names import one_of

__all__ = [
    "CRITERIA",
    "MethodComparison",
    "MethodRun",
    "Trials",
    "compare_methods",
    "definitions_of",
    "labelled_methods",
]

#: What runs are compared by, and whether larger is better.
CRITERIA = {"score": True, "held_out": True, "seconds": False, "evaluations": False, "arcs": False}

_AUTO = "auto"


@dataclass(frozen=True)
class MethodRun:
    """What one method found in one run.

    Attributes
    ----------
    dataset
        The name of the dataset.
    fold
        Which part of it was held out, from 0; None where nothing was.
    seed
        The seed of the run, the same for all methods.
    definition
        The score that was maximised, in words.
    method
        The method.
    score
        The score of its graph on what it was learned from.
    held_out
        The log-likelihood of the rows that were held out, divided by their number; None without folds. Probabilities
        are fitted with an equivalent sample size of 1, so that no row is impossible.
    seconds, evaluations, arcs
        How long it took, how many local scores it counted, and how many arcs the graph has.
    status
        Why it ended.
    """

    dataset: str
    fold: int | None
    seed: int
    definition: str
    method: str
    score: float
    held_out: float | None
    seconds: float
    evaluations: int
    arcs: int
    status: Status

    @property
    def line(self) -> tuple[str, int, int]:
        """What all methods have in common with this run: dataset, fold and seed."""
        return self.dataset, -1 if self.fold is None else self.fold, self.seed


@dataclass(frozen=True)
class MethodComparison:
    """Runs of several methods on the same datasets, folds and seeds.

    Attributes
    ----------
    methods
        The methods.
    definitions
        The scores that were maximised, in words.
    runs
        What was found, in the order of the runs; a run that Ctrl-C cut short is left out.
    status
        Complete, or interrupted.
    seed
        What the seeds of the runs and the folds were drawn with.
    """

    methods: tuple[str, ...]
    definitions: tuple[str, ...]
    runs: tuple[MethodRun, ...]
    status: Status
    seed: int

    def values(
        self, criterion: str = "score", definition: str | None = None
    ) -> tuple[tuple[str, ...], npt.NDArray[np.float64]]:
        """Return the names of lines, and a table with a line for each dataset and a column for each method.

        A value is the mean over the folds and seeds that all methods have finished. Where there is one dataset only,
        each of its folds and seeds is a line; these are not independent, and tests on them call too much significant.

        Parameters
        ----------
        criterion
            score, held_out, seconds, evaluations or arcs.
        definition
            Of which of the scores that were maximised; by default the first.
        """
        one_of("criterion", criterion, CRITERIA)
        chosen = self.definitions[0] if definition is None else one_of("definition", definition, self.definitions)
        of_line: dict[tuple[str, int, int], dict[str, MethodRun]] = {}
        for run in self.runs:
            if run.definition == chosen:
                of_line.setdefault(run.line, {})[run.method] = run
        whole = {line: found for line, found in of_line.items() if len(found) == len(self.methods)}
        datasets = list(dict.fromkeys(dataset for dataset, _, _ in whole))
        lines: dict[str, list[list[float]]] = {}
        for (dataset, fold, seed), found in whole.items():
            row = [_number(getattr(found[method], criterion)) for method in self.methods]
            name = dataset if len(datasets) > 1 else _words(dataset, fold, seed)
            lines.setdefault(name, []).append(row)
        table = np.array([np.mean(rows, axis=0) for rows in lines.values()])
        return tuple(lines), table.reshape(len(lines), len(self.methods))

    def ranks(self, criterion: str = "score", definition: str | None = None) -> Ranks:
        """Return the mean ranks of the methods, with the tests of Friedman and Nemenyi.

        Parameters
        ----------
        criterion, definition
            As in `values`.

        Raises
        ------
        ParameterError
            If no line has been finished by all methods, or nothing was held out where that is asked for.
        """
        lines, table = self.values(criterion, definition)
        if not lines:
            raise ParameterError("no dataset has been finished by all methods; there is nothing to rank")
        if criterion == "held_out" and np.isnan(table).all():
            raise ParameterError("nothing was held out; give folds to compare_methods")
        return ranks_of(table, self.methods, larger_is_better=CRITERIA[criterion])

    def rows(self) -> list[dict[str, Any]]:
        """Return the runs as dictionaries, for any library of frames."""
        return [{**asdict(run), "status": str(run.status)} for run in self.runs]

    def to_frame(self, backend: str | None = None) -> Any:
        """Return the runs as a frame, with a row for each.

        Parameters
        ----------
        backend
            "polars", "pandas" or "pyarrow"; by default the first of them that is installed.
        """
        rows = self.rows()
        return frame_of({name: [row[name] for row in rows] for name in MethodRun.__dataclass_fields__}, backend)

    def __str__(self) -> str:
        parts = [f"{len(self.runs):,} runs, {self.status}"]
        for definition in self.definitions:
            for criterion in CRITERIA:
                lines, table = self.values(criterion, definition)
                if lines and not np.isnan(table).all():
                    parts.append(f"{definition}, {criterion}: {self.ranks(criterion, definition)}")
        return "\n".join(parts)


@either_spelling
def compare_methods(
    data: Any,
    methods: Sequence[str | Search] | Mapping[str, str | Search],
    scores: str | Score | Sequence[str | Score] = "bic",
    *,
    missing: MissingValues = "error",
    folds: int | None = None,
    seeds: int = 1,
    seed: int | None = None,
    time_limit: float | None = None,
    evaluation_limit: int | None = None,
    workers: int | None = None,
    executor: Any = None,
    progress: bool | None = None,
    on_run: Callable[[MethodRun], object] | None = None,
    **reading: Unpack[ReadingOptions],
) -> MethodComparison:
    """Run several methods on the same datasets, folds and seeds, and compare what they find.

    One run comes after the other, so that none takes another's time, unless an executor does several at a time; all
    methods finish a dataset before the next one begins. Ctrl-C ends it, and what is finished is returned. The rank
    tests of the comparison follow Demšar 2006, "Statistical comparisons of classifiers over multiple data sets", JMLR
    7.

    Parameters
    ----------
    data
        A mapping from names to tables, each a `Dataset` or anything else that `Dataset.of` takes; or one table that is
        not a mapping.
    methods
        Names or searches as in `learn`; or a mapping from labels to these, where one method comes with several options.
    scores
        What is maximised: one score or several, the same on all tables, so that ranks compare like with like. So
        ``auto`` is not one of them, which picks one for each table.
    missing
        What missing values do, as in `learn`. Rows that are held out must have all values.
    folds
        Into how many parts each dataset is divided at random. Each is held out once, and a method learns from the
        others. Nothing is held out when None.
    seeds
        How often every method runs on the same data, each time with another seed.
    seed
        Draws the folds and these seeds; drawn and recorded itself when None.
    time_limit, evaluation_limit
        For each run.
    workers
        Threads of each run.
    executor
        Where runs are done instead, several at a time and each on one thread, as in `learn`: on the workers of an
        executor or of a Dask cluster. Their seconds are those of the workers.
    progress
        Whether a line shows how it stands on stderr; when None, if that is a terminal or a notebook.
    on_run
        Called with every finished run.
    reading
        How tables are read: the options of `Dataset.of`, such as ``discretise="quantile"``.

    Examples
    --------
    >>> from arcwise import load_example
    >>> tables = {name: load_example(name).sample(300, seed=1) for name in ("asia", "cancer", "survey")}
    >>> found = compare_methods(tables, ["greedy", "chow-liu"], seed=1)
    >>> print(found.ranks())
    greedy 1.33, chow-liu 1.67 (mean ranks on 3; Friedman p = 0.32)
    """
    several = data if isinstance(data, Mapping) else {"data": data}
    tables = {str(name): learnable(table, missing, **reading) for name, table in several.items()}
    if not tables:
        raise ParameterError.of("data", "at least one table")
    trials = Trials(
        tables,
        labelled_methods(methods),
        definitions_of(scores),
        recorded_seed(seed),
        count("seeds", seeds, least=1),
        None if folds is None else count("folds", folds, least=2),
        RunLimits(time_limit, evaluation_limit),
        by_em=missing == "em",
    )
    trials.check()
    callback("on_run", on_run)
    shown = somebody_watches() if progress is None else flag("progress", progress)
    runs: list[MethodRun] = []

    def take(run: MethodRun) -> None:
        runs.append(run)
        if on_run is not None:
            on_run(run)

    try:
        status = trials.run_here(workers, shown, take) if executor is None else trials.run_on(executor, shown, take)
    except KeyboardInterrupt:
        status = Status.INTERRUPTED
    return MethodComparison(
        tuple(trials.methods), tuple(map(str, trials.definitions)), tuple(runs), status, trials.seed
    )


@dataclass(frozen=True)
class Trials:
    """What is run on what: methods with scores on tables and folds, each with some seeds.

    Parameters
    ----------
    tables
        The data, by name.
    methods
        The methods, by their labels.
    definitions
        The scores.
    seed
        Draws the folds and the seeds.
    seeds
        How often every method runs on the same data.
    folds
        Into how many parts each table is divided; None holds nothing out.
    limits
        Of each run.
    by_em
        Whether tables with gaps are learned from by structural EM.
    ess
        Equivalent sample size of the probabilities by which rows that are held out are scored.
    """

    tables: Mapping[str, Dataset]
    methods: Mapping[str, str | Search]
    definitions: Sequence[Score]
    seed: int
    seeds: int
    folds: int | None
    limits: RunLimits
    by_em: bool
    ess: float = 1.0
    n_runs: int = field(init=False)

    def __post_init__(self) -> None:
        blocks = len(self.tables) * (self.folds or 1) * self.seeds
        object.__setattr__(self, "n_runs", blocks * len(self.definitions) * len(self.methods))

    def check(self) -> None:
        """Refuse what some run would refuse, before the first one begins."""
        for (name, table), definition in product(self.tables.items(), self.definitions):
            if self.folds is not None and table.n_observations < self.folds:
                raise ParameterError.of("folds", f"at most the {table.n_observations} rows of {name}", self.folds)
            if self.folds is not None:
                table.refuse_gaps("Holding rows out")
            score = (
                score_before_em(table, definition) if self.by_em and table.has_gaps else LocalScore(table, definition)
            )
            if self.folds is not None and table.kind == "mixed" and not score.has_discrete_first:
                raise ParameterError(
                    Name("folds"),
                    f" cannot be used with {definition.name} and the mixed data of {name}: rows that are held out are "
                    "scored by a network, and there is none where a discrete variable has a continuous parent; take "
                    "another score, such as bic",
                )
            for method in self.methods.values():
                if method != _AUTO:
                    suitable(score, method if isinstance(method, Search) else search_named(method, _AUTO))

    def run_here(self, workers: int | None, shown: bool, take: Callable[[MethodRun], object]) -> Status:
        """Do one run after the other; a KeyboardInterrupt ends it, between runs or within one."""
        for number in range(self.n_runs):
            trial = self.trial(number)
            title = f"{number + 1} of {self.n_runs}: {trial.dataset}, {trial.method}"
            with progress_line(title, shown=shown) as watch:
                result = self.learned(trial, workers, watch)
            if result.status is Status.INTERRUPTED:
                raise KeyboardInterrupt
            take(trial.run_of(result, self.ess))
        return Status.COMPLETE

    def run_beside(self, workers: int, take: Callable[[MethodRun], object]) -> Status:
        """Do the runs on threads, so many at a time and each on one; their order is that of the trials."""
        budget = Budget()

        def run_all() -> None:
            numbers = until_exhausted(range(self.n_runs), budget)
            for run in side_by_side(lambda number: _done(self, number, budget, 1), numbers, workers, budget):
                if run is not None:
                    take(run)

        budget.run(run_all)
        return Status.INTERRUPTED if budget.is_interrupted else Status.COMPLETE

    def run_on(self, executor: Any, shown: bool, take: Callable[[MethodRun], object]) -> Status:
        """Do the runs on the workers of an executor, as many at a time as it has."""
        with workplace_of(executor) as place, progress_line("runs", shown=shown) as watch:
            budget = Budget(watch=watch)

            def run_all() -> None:
                numbers = until_exhausted(range(self.n_runs), budget)
                for run in place.map(Work("run", _done, self), numbers, budget, workers=usable_cores()):
                    if run is not None:
                        take(run)

            budget.run(run_all)
        if place.is_lost:
            return Status.WORKERS_LOST
        return Status.INTERRUPTED if budget.is_interrupted else Status.COMPLETE

    def learned(self, trial: "_Trial", workers: int | None, watch: Callable[[Budget], object] | None) -> Result:
        """Return what one run finds."""
        return learn(
            trial.train,
            score=trial.definition,
            method=self.methods[trial.method],
            seed=trial.seed,
            time_limit=self.limits.time_limit,
            evaluation_limit=self.limits.evaluation_limit,
            missing="em" if self.by_em else "error",
            certify=0,
            workers=workers,
            progress=False,
            watch=watch,
        )

    def trial(self, number: int) -> "_Trial":
        """Return what is run; all methods come one after the other on the same data."""
        names, methods = tuple(self.tables), tuple(self.methods)
        shape = (len(names), self.folds or 1, self.seeds, len(self.definitions), len(methods))
        at_name, fold, at, at_score, at_method = map(int, np.unravel_index(number, shape))
        name, definition, method = names[at_name], self.definitions[at_score], methods[at_method]
        part = None if self.folds is None else fold
        train, test = _parts(self.tables[name], self.folds, fold, self.seed)
        seed = next(islice(kernel_seeds(self.seed, self.seeds), at, None))
        return _Trial(name, part, train, test, seed, definition, method)


def _done(trials: Trials, number: int, budget: Budget, threads: int) -> MethodRun | None:
    """Do one run; None where it is cut short."""

    def end_with_all(own: Budget) -> None:
        if budget.exhausted:
            own.interrupt()

    if budget.exhausted:
        return None
    trial = trials.trial(number)
    result = trials.learned(trial, threads, end_with_all)
    return None if result.status is Status.INTERRUPTED else trial.run_of(result, trials.ess)


@dataclass(frozen=True)
class _Trial:
    """One run of one method, by its label."""

    dataset: str
    fold: int | None
    train: Dataset
    test: Dataset | None
    seed: int
    definition: Score
    method: str

    def run_of(self, result: Result, ess: float) -> MethodRun:
        """Return what came of it."""
        held_out = None
        if self.test is not None:
            held_out = result.network(ess=ess).log_likelihood(self.test) / self.test.n_observations
        return MethodRun(
            dataset=self.dataset,
            fold=self.fold,
            seed=self.seed,
            definition=str(self.definition),
            method=self.method,
            score=result.score,
            held_out=held_out,
            seconds=result.seconds,
            evaluations=result.counters["evaluations"],
            arcs=result.dag.n_arcs,
            status=result.status,
        )


def _parts(table: Dataset, folds: int | None, fold: int, seed: int) -> tuple[Dataset, Dataset | None]:
    """Return what is learned from and what is held out in a fold; weighted rows may be divided."""
    if folds is None:
        return table, None
    weights = np.ones(table.n_rows, dtype=np.int64) if table.weights is None else table.weights.astype(np.int64)
    rows = np.random.default_rng(seed).permutation(np.repeat(np.arange(table.n_rows), weights))
    held = np.bincount(rows[fold::folds], minlength=table.n_rows)
    return table.with_weights(weights - held), table.with_weights(held)


def labelled_methods(
    methods: Sequence[str | Search] | Mapping[str, str | Search], *, least: int = 2
) -> dict[str, str | Search]:
    """Return the methods by their labels, of which there must be so many."""
    if isinstance(methods, str | Search):
        raise ParameterError.of("methods", "a list of at least two methods", methods)
    if isinstance(methods, Mapping):
        labelled = {str(label): method for label, method in methods.items()}
    else:
        labels = [method.name if isinstance(method, Search) else method for method in methods]
        twice = next((label for label in labels if labels.count(label) > 1), None)
        if twice is not None:
            raise ParameterError.of("methods", "different", twice, "give a mapping from labels to methods")
        labelled = dict(zip(labels, methods, strict=True))
    if len(labelled) < least:
        raise ParameterError.of("methods", f"at least {'two methods' if least == 2 else 'one method'}", list(labelled))
    return labelled


def definitions_of(scores: str | Score | Sequence[str | Score]) -> tuple[Score, ...]:
    """Return the different scores that are given by name or as objects."""
    several = [scores] if isinstance(scores, str | Score) else list(scores)
    found = tuple(dict.fromkeys(score_named(score) for score in several))
    if not found:
        raise ParameterError.of("scores", "at least one score")
    return found


def _number(value: float | None) -> float:
    return np.nan if value is None else float(value)


def _words(dataset: str, fold: int, seed: int) -> str:
    return f"{dataset}, seed {seed}" if fold < 0 else f"{dataset}, fold {fold}, seed {seed}"
