"""Networks over time: tables with earlier rows beside each row, and networks whose slices are alike."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any, Unpack, final

import narwhals as nw
import numpy as np
import numpy.typing as npt

from arcwise.constraints.constraints import Constraints
from arcwise.data.dataset import CodingOptions, Dataset
from arcwise.data.frames import frame_of
from arcwise.data.readers import table_of_file
from arcwise.data.tables import Table, table_of_columns, table_of_frame
from arcwise.graph.dag import Dag
from arcwise.network.network import BayesianNetwork
from arcwise.support.arguments import count, flag, instance
from arcwise.support.errors import DataError, ParameterError
from arcwise.support.messages import type_of
from arcwise.support.names import did_you_mean
from arcwise.support.quoting import numbered, quoted

__all__ = ["DynamicNetwork", "Lagged", "lagged"]

Rows = npt.NDArray[np.intp]


def lagged(
    frame: Any,
    lags: int = 1,
    *,
    by: str | None = None,
    time: str | None = None,
    within: bool = True,
    **options: Unpack[CodingOptions],
) -> "Lagged":
    """Table in which each row has the rows before it beside it, and the constraints for learning from it.

    A row of the table has the variables at one time, under their names, and at the `lags` times before, as ``x.lag1``,
    ``x.lag2`` and so on. Arcs lead to the variables of the last time only, from those and from earlier ones. As every
    time is such a row, the same families and probabilities hold for all of them: slices of time are tied (Dean &
    Kanazawa 1989, doi:10.1111/j.1467-8640.1989.tb00324.x; Murphy 2002, "Dynamic Bayesian networks", chapter 2).

    Parameters
    ----------
    frame
        A frame of pandas, polars or pyarrow, a dict of columns, or a file's path.
    lags
        How many earlier times can have an influence; at least 1.
    by
        The column that says whose row it is, where there are several series; rows of one are never beside those of
        another, and series of no more than `lags` rows have none in the table.
    time
        The column by which the rows of a series are sorted; they stay in their order when None. Rows that follow one
        another count as equally far apart.
    within
        Whether arcs may join variables of the same time.
    options
        How columns become states, as in `Dataset.from_frame`; every lag has the same states. Missing values are gaps.

    Examples
    --------
    >>> import polars as pl
    >>> visits = pl.DataFrame({"patient": [1, 1, 1, 2, 2], "visit": [1, 2, 3, 1, 2], "ill": list("nyyny")})
    >>> panel = lagged(visits, by="patient", time="visit")
    >>> panel.data.names, panel.data.n_rows
    (('ill.lag1', 'ill'), 3)
    >>> panel.constraints.violations(Dag(panel.data.names, [("ill", "ill.lag1")]))
    ("the arc 'ill' -> 'ill.lag1' is forbidden",)
    """
    lags, within = count("lags", lags, least=1), flag("within", within)
    table = _table(frame)
    owners, order = _series(table, by, time)
    names = [name for name in table.names if name not in (by, time)]
    if not names:
        raise DataError("There are no columns besides those of `by` and `time`.")
    for refused in ("weights", "interventions"):
        if options.get(refused) is not None:
            raise ParameterError(f"rows over time cannot have {refused}; leave the argument out")
    options["missing"] = "keep"
    data = Dataset.from_table(_selected(table, names), **options)
    rows = _last_rows(owners[order], lags)
    if not rows.size:
        raise DataError(f"Every series has at most {numbered(lags, 'row')}; lags={lags} needs at least {lags + 1}.")
    return Lagged(_beside(data, order, rows, lags), data.names, lags, within, (by, time), data)


@dataclass(frozen=True, eq=False)
class Lagged:
    """What `lagged` gives: the table, the constraints, and the way to a network over time.

    Attributes
    ----------
    data
        The table: the variables at the earliest time first, and those of the last time under their own names.
    variables
        Their names.
    lags
        How many earlier times there are.
    within
        Whether arcs may join variables of the same time.
    """

    data: Dataset
    variables: tuple[str, ...]
    lags: int
    within: bool
    _columns: tuple[str | None, str | None]
    _whole: Dataset

    @property
    def constraints(self) -> Constraints:
        """What graphs over the table must not have: arcs to earlier times, among these, and maybe within the last."""
        past = [name for lag in range(self.lags, 0, -1) for name in _at(self.variables, lag)]
        return Constraints(
            forbidden=[("*", name) for name in past], tiers=[self.variables], closed_tiers=not self.within
        )

    @property
    def layers(self) -> list[tuple[str, ...]]:
        """The variables of each time, the earliest first, for `plot_network`."""
        return [_at(self.variables, lag) for lag in range(self.lags, -1, -1)]

    def network(self, dag: Dag, *, ess: float = 1.0) -> "DynamicNetwork":
        """Return the network over time with this graph, whose probabilities are fitted to the table.

        Parameters
        ----------
        dag
            A graph over the table that satisfies the constraints, such as ``learn(panel.data,
            constraints=panel.constraints).dag``.
        ess
            Equivalent sample size of the prior; see `BayesianNetwork.fit`.
        """
        broken = self.constraints.violations(instance("dag", dag, Dag))
        if broken:
            raise ParameterError(f"the graph is not one over time: {broken[0]}")
        graph = dag.with_names_ordered(self.data.names)
        parts = []
        for known in range(self.lags + 1):
            late = {name for lag in range(known + 1) for name in _at(self.variables, lag)}
            arcs = [(tail, head) for tail, head in graph.arcs if tail in late]
            parts.append(BayesianNetwork.fit(Dag(graph.names, arcs), self.data, ess=ess))
        return DynamicNetwork(self.variables, tuple(parts), self._columns, self._whole)


@final
class DynamicNetwork:
    """A network over time whose slices are alike: each node depends on nodes of its own time and of some before.

    `Lagged.network` makes one. In the first slices, where not all earlier times are there, a node has those of its
    parents that are, with probabilities of their own.
    """

    def __init__(
        self,
        variables: tuple[str, ...],
        parts: tuple[BayesianNetwork, ...],
        columns: tuple[str | None, str | None],
        coding: Dataset,
    ) -> None:
        self._variables = variables
        self._parts = parts
        self._by, self._time = columns
        self._coding = coding

    @property
    def variables(self) -> tuple[str, ...]:
        """The variables of one time."""
        return self._variables

    @property
    def lags(self) -> int:
        """How many earlier times a node may depend on."""
        return len(self._parts) - 1

    @property
    def transition(self) -> BayesianNetwork:
        """What one time depends on: the network over the table with lags. What it says of the past means nothing."""
        return self._parts[-1]

    def unrolled(self, n_slices: int) -> BayesianNetwork:
        """Return the network of so many slices, with nodes ``x.t0``, ``x.t1`` and so on.

        Examples
        --------
        >>> panel = lagged({"ill": list("nnyynnyyyn")})
        >>> network = panel.network(Dag(panel.data.names, [("ill.lag1", "ill")])).unrolled(3)
        >>> network.dag.arcs
        (('ill.t0', 'ill.t1'), ('ill.t1', 'ill.t2'))
        """
        n_slices = count("n_slices", n_slices, least=1)
        names = [f"{name}.t{at}" for at in range(n_slices) for name in self._variables]
        slices = [(at, name) for at in range(n_slices) for name in self._variables]
        arcs, distributions = [], []
        lag_of = {
            name: (own, lag)
            for lag in range(self.lags + 1)
            for own, name in zip(self._variables, _at(self._variables, lag), strict=True)
        }
        for at, name in slices:
            part = self._parts[min(at, self.lags)]
            for parent in part.dag.parents(name):
                own, lag = lag_of[parent]
                arcs.append((f"{own}.t{at - lag}", f"{name}.t{at}"))
            distributions.append(part.distribution(name))
        states = [self._coding.states[self._coding.index(name)] for _, name in slices]
        return BayesianNetwork(Dag(names, arcs), states, distributions)

    def layers(self, n_slices: int) -> list[list[str]]:
        """Return the nodes of each slice of `unrolled`, for `plot_network`."""
        return [[f"{name}.t{at}" for name in self._variables] for at in range(n_slices)]

    def predict(self, frame: Any, steps: int = 1, *, backend: str | None = None) -> Any:
        """Return what comes next in each series: most probable states and means, step by step, exactly.

        Parameters
        ----------
        frame
            Rows as `lagged` takes them, with the same columns; of each series the last ones count, as many as there are
            lags. Missing values are not known.
        steps
            How many times ahead.
        backend
            Of the frame that is returned.

        Returns
        -------
        a frame
            A row for each series and step, with the column of `by` where there is one, and the variables.
        """
        asked = self._asked(frame, steps)
        columns = asked.heading(self._by)
        for name in self._variables:
            states = self._states(name)
            answers = [self._answer(asked, name, step) for step in range(asked.steps)]
            if states:
                answers = [np.array(states, dtype=object)[answer.argmax(axis=1)] for answer in answers]
            columns[name] = np.column_stack(answers).ravel().tolist()
        return frame_of(columns, backend)

    def predict_proba(self, frame: Any, target: str, steps: int = 1, *, backend: str | None = None) -> Any:
        """Return the probabilities of a discrete variable's states in each series, step by step, exactly.

        Parameters are those of `predict`; the frame has a column for each state.

        Examples
        --------
        >>> panel = lagged({"ill": list("nnyynnyyyn") * 3})
        >>> network = panel.network(Dag(panel.data.names, [("ill.lag1", "ill")]), ess=0)
        >>> network.predict_proba({"ill": ["y"]}, "ill", steps=2).columns
        ['step', 'n', 'y']
        """
        states = self._states(target)
        if not states:
            raise ParameterError(f"{quoted(target)} is continuous and has no states; predict has its mean")
        asked = self._asked(frame, steps)
        answers = [self._answer(asked, target, step) for step in range(asked.steps)]
        columns = asked.heading(self._by)
        for code, state in enumerate(states):
            columns[state] = np.column_stack([answer[:, code] for answer in answers]).ravel().tolist()
        return frame_of(columns, backend)

    def _states(self, name: str) -> tuple[str, ...]:
        if name not in self._variables:
            raise ParameterError(f"there is no variable {quoted(name)}{did_you_mean(name, self._variables)}")
        return self._coding.states[self._coding.index(name)]

    def _answer(self, asked: "_Asked", name: str, step: int) -> npt.NDArray[Any]:
        """Probabilities of a variable's states at a step, for each series; its means if it is continuous."""
        node = f"{name}.t{self.lags + step}"
        if self._states(name):
            return asked.network.predict_proba(asked.known, node)
        return asked.network.predict(asked.known, node)

    def _asked(self, frame: Any, steps: int) -> "_Asked":
        """Take the last rows of each series as what is known in the first slices."""
        steps = count("steps", steps, least=1)
        table = _table(frame)
        owners, order = _series(table, self._by, self._time)
        absent = [name for name in self._variables if name not in table.names]
        if absent:
            raise DataError(f"There is no column {quoted(absent[0])}; the columns are those that were learned from.")
        data = Dataset.from_table(_selected(table, self._variables), like=self._coding, missing="keep")
        groups = [order[owners[order] == owner] for owner in dict.fromkeys(owners[order].tolist())]
        known: dict[str, list[Any]] = {}
        for at in range(self.lags):
            rows = [int(group[at - self.lags]) if len(group) >= self.lags - at else None for group in groups]
            for v, name in enumerate(self._variables):
                known[f"{name}.t{at}"] = [None if row is None else _value(data, v, row) for row in rows]
        owner_of = None if self._by is None else table.column(self._by).to_list()
        shown = [None if owner_of is None else owner_of[int(group[0])] for group in groups]
        return _Asked(self.unrolled(self.lags + steps), known, shown, steps)

    def __repr__(self) -> str:
        arcs = sum(len(self.transition.dag.parents(name)) for name in self._variables)
        return f"<DynamicNetwork: {len(self._variables)} variables, {self.lags} lags, {arcs} arcs to each slice>"


@dataclass(frozen=True)
class _Asked:
    """A question about what comes next: the network, what is known in it, and whose it is."""

    network: BayesianNetwork
    known: dict[str, list[Any]]
    series: list[Any]
    steps: int

    def heading(self, by: str | None) -> dict[str, list[Any]]:
        """Return the first columns of an answer."""
        owners = {} if by is None else {by: [owner for owner in self.series for _ in range(self.steps)]}
        return {**owners, "step": list(range(1, self.steps + 1)) * len(self.series)}


def _value(data: Dataset, v: int, row: int) -> Any:
    """Label or number of a cell; None for a gap."""
    if data.gaps is not None and data.gaps[row, v]:
        return None
    if data.arities[v]:
        return data.states[v][int(data.codes[row, v])]
    return float(data.numbers_of(data.names[v])[row])


def _at(variables: Iterable[str], lag: int) -> tuple[str, ...]:
    return tuple(f"{name}.lag{lag}" if lag else name for name in variables)


def _table(frame: Any) -> Table:
    """Rows over time as a table."""
    if isinstance(frame, str | PathLike):
        return table_of_file(Path(frame))
    if isinstance(frame, dict):
        return table_of_columns(frame)
    if not nw.dependencies.is_into_dataframe(frame):
        raise ParameterError.of("frame", "a frame, a dict of columns or a path", type_of(frame))
    return table_of_frame(frame)


def _selected(table: Table, names: Sequence[str]) -> Table:
    return Table(tuple(names), tuple(table.column(name) for name in names))


def _series(table: Table, by: str | None, time: str | None) -> tuple[Rows, Rows]:
    """Number of the series of each row, in the order in which they come, and the rows by series and time."""
    for name in (by, time):
        if name is not None and name not in table.names:
            hint = did_you_mean(name, table.names)
            raise DataError(f"There is no column {quoted(name)}{hint or '; there are ' + ', '.join(table.names)}.")
        if name is not None and table.column(name).n_absent:
            raise DataError(f"Column {quoted(name)} has missing values; every row must say whose and when it is.")
    owners = np.zeros(table.n_rows, dtype=np.intp)
    if by is not None:
        of_rows = table.column(by).to_list()
        number = {owner: place for place, owner in enumerate(dict.fromkeys(of_rows))}
        owners = np.array([number[owner] for owner in of_rows], dtype=np.intp)
    times = np.arange(table.n_rows)
    if time is not None:
        said = table.column(time).to_list()
        rank = {moment: place for place, moment in enumerate(sorted(set(said)))}
        times = np.array([rank[moment] for moment in said])
        if len(set(zip(owners.tolist(), times.tolist(), strict=True))) < table.n_rows:
            raise DataError(f"Column {quoted(time)} has the same time twice in one series; keep one of the rows.")
    return owners, np.lexsort((times, owners))


def _last_rows(owners: Rows, lags: int) -> Rows:
    """Places of the rows that have so many others of the same series before them."""
    places = np.arange(lags, len(owners))
    kept: Rows = places[owners[places] == owners[places - lags]]
    return kept


def _beside(data: Dataset, order: Rows, rows: Rows, lags: int) -> Dataset:
    """Table of the rows and of those before them, which come first."""
    parts: Sequence[int] = range(lags, -1, -1)
    codes = np.hstack([data.codes[order[rows - lag]] for lag in parts])
    numbers = None if data.numbers is None else np.hstack([data.numbers[order[rows - lag]] for lag in parts])
    names = [name for lag in parts for name in _at(data.names, lag)]
    return Dataset(np.asfortranarray(codes), tuple(names), data.states * (lags + 1), numbers=numbers)
