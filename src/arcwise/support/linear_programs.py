"""Linear programs, some of whose variables may have to be whole numbers, solved by HiGHS."""

from dataclasses import dataclass
from math import inf, isfinite
from typing import Any

import numpy as np
import numpy.typing as npt

__all__ = ["Answer", "LinearProgram", "Rows"]

Numbers = npt.NDArray[np.float64]
Places = npt.NDArray[np.integer[Any]]


@dataclass(frozen=True, eq=False)
class Rows:
    """Rows of a matrix with few entries: row i has the entries from ``begin[i]`` to ``begin[i + 1]``."""

    begin: Places
    columns: Places
    values: Numbers

    @classmethod
    def of_entries(cls, n_rows: int, rows: npt.ArrayLike, columns: npt.ArrayLike, values: npt.ArrayLike) -> "Rows":
        """Rows with entries in any order."""
        at, where = np.asarray(rows, dtype=np.int64).ravel(), np.asarray(columns, dtype=np.int64).ravel()
        order = np.argsort(at, kind="stable")
        begin = np.concatenate([[0], np.cumsum(np.bincount(at, minlength=n_rows))])
        return cls(begin, where[order], np.asarray(values, dtype=np.float64).ravel()[order])

    @property
    def n_rows(self) -> int:
        """How many rows there are."""
        return len(self.begin) - 1

    def above(self, other: "Rows") -> "Rows":
        """These rows, and then those of the other."""
        return Rows(
            np.concatenate([self.begin, self.begin[-1] + other.begin[1:]]),
            np.concatenate([self.columns, other.columns]),
            np.concatenate([self.values, other.values]),
        )

    def times(self, vector: Numbers) -> Numbers:
        """Product of each row with a vector."""
        owner = np.repeat(np.arange(self.n_rows), np.diff(self.begin))
        return np.bincount(owner, self.values * vector[self.columns], self.n_rows).astype(np.float64, copy=False)


@dataclass(frozen=True, eq=False)
class Answer:
    """The values of the variables, and what the sum rises by where the bound of a row does."""

    values: Numbers
    prices: Numbers


@dataclass(frozen=True, eq=False)
class LinearProgram:
    """The least sum of costs, with every variable and every row between two numbers.

    Parameters
    ----------
    cost
        Of each variable.
    lower, upper
        The bounds of the variables.
    rows
        The rows.
    row_lower, row_upper
        The bounds of the rows.
    is_whole
        Which variables take whole numbers only; None for none.

    Examples
    --------
    >>> rows = Rows.of_entries(1, [0, 0], [0, 1], [1.0, 2.0])
    >>> program = LinearProgram(*np.array([[1.0, 1.0], [0.0, 0.0], [4.0, 1.0]]), rows, np.array([3.0]), np.array([9.0]))
    >>> program.solved().values.tolist()
    [1.0, 1.0]
    """

    cost: Numbers
    lower: Numbers
    upper: Numbers
    rows: Rows
    row_lower: Numbers
    row_upper: Numbers
    is_whole: npt.NDArray[np.bool_] | None = None

    def solved(self, *, seconds: float = inf, relative_gap: float | None = None) -> Answer | None:
        """Answer, or None where there is none, or none was found in that time.

        One thread: those of HiGHS would outlive the call, and be missing in a process that is forked from this one.
        """
        import highspy  # here, since few programs need it

        solver: Any = highspy.Highs()  # type: ignore[no-untyped-call]
        options: dict[str, Any] = {"output_flag": False, "threads": 1}
        if isfinite(seconds):
            options["time_limit"] = seconds
        if relative_gap is not None:
            options["mip_rel_gap"] = relative_gap
        for name, value in options.items():
            solver.setOptionValue(name, value)
        solver.passModel(self._model(highspy))
        solver.run()
        whole = self.is_whole is not None and bool(self.is_whole.any())
        status, best = solver.getModelStatus(), solver.getInfo().primal_solution_status
        is_feasible = best == highspy.SolutionStatus.kSolutionStatusFeasible
        if status != highspy.HighsModelStatus.kOptimal and not (whole and is_feasible):
            return None
        solution = solver.getSolution()
        return Answer(np.array(solution.col_value), np.array([] if whole else solution.row_dual))

    def _model(self, highspy: Any) -> Any:
        model = highspy.HighsLp()
        model.num_col_, model.num_row_ = len(self.cost), self.rows.n_rows
        model.col_cost_, model.col_lower_, model.col_upper_ = self.cost, self.lower, self.upper
        model.row_lower_, model.row_upper_ = self.row_lower, self.row_upper
        model.a_matrix_.format_ = highspy.MatrixFormat.kRowwise
        model.a_matrix_.start_ = self.rows.begin.astype(np.int32)
        model.a_matrix_.index_ = self.rows.columns.astype(np.int32)
        model.a_matrix_.value_ = self.rows.values
        if self.is_whole is not None:
            kinds = highspy.HighsVarType.kContinuous, highspy.HighsVarType.kInteger
            model.integrality_ = [kinds[whole] for whole in self.is_whole.tolist()]
        return model
