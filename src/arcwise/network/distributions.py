"""The distribution of one node given its parents: a table of probabilities, or a Gaussian for each configuration."""

import math
from collections.abc import Sequence
from typing import final

import numpy as np
import numpy.typing as npt

from arcwise.support.arguments import real_numbers
from arcwise.support.errors import ParameterError
from arcwise.support.quoting import quoted

__all__ = ["SUM_TOLERANCE", "ConditionalGaussian", "Distribution", "Table"]

Floats = npt.NDArray[np.float64]

SUM_TOLERANCE = 1e-3
"""How far the probabilities of one distribution may be from summing to 1."""

_LOG_ROOT_TWO_PI = 0.5 * math.log(2 * math.pi)


@final
class Table:
    """Probabilities of the states of a discrete node, whose parents are discrete too; they cannot be changed.

    Parameters
    ----------
    probabilities
        One axis for each parent and a last one for the node itself, which sums to 1 within 1e-3.

    Examples
    --------
    >>> Table([[0.9, 0.1], [0.3, 0.7]]).n_parameters
    2
    """

    __slots__ = ("_probabilities",)

    def __init__(self, probabilities: npt.ArrayLike) -> None:
        values = _numbers("probabilities", probabilities)
        if not values.ndim or not values.size:
            raise ParameterError.of(
                "probabilities", "a number for each state of the node in the last axis", verb="have"
            )
        refuse_improper(values, "a table")
        self._probabilities = _frozen(values)

    @classmethod
    def of_checked(cls, values: Floats) -> "Table":
        """Table that takes an array over, which is known to be right."""
        table = object.__new__(cls)
        table._probabilities = _frozen(values)
        return table

    @property
    def probabilities(self) -> Floats:
        """The probabilities, with an axis for each parent and a last one for the node."""
        return self._probabilities

    @property
    def shape(self) -> tuple[int, ...]:
        """Number of states of each parent, then of the node."""
        return self.probabilities.shape

    @property
    def n_parameters(self) -> int:
        """Number of free parameters: for each parent configuration one less than the node has states."""
        return self.probabilities.size - math.prod(self.shape[:-1])

    def logarithms(self) -> Floats:
        """Logarithms of the probabilities, each distribution divided by its sum; minus infinity for 0."""
        with np.errstate(divide="ignore"):  # the logarithm of 0 is meant
            logarithms: Floats = np.log(self.probabilities / self.probabilities.sum(axis=-1, keepdims=True))
        return logarithms

    def is_close(self, other: "Distribution", *, tolerance: float = 1e-9) -> bool:
        """Whether the other is a table too, in which no probability differs by more than the tolerance."""
        return (
            isinstance(other, Table)
            and self.shape == other.shape
            and np.allclose(self.probabilities, other.probabilities, rtol=0.0, atol=tolerance)
        )

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Table):
            return NotImplemented
        return np.array_equal(self.probabilities, other.probabilities)

    def __hash__(self) -> int:
        return hash(self.shape)

    def __repr__(self) -> str:
        return f"Table({self.probabilities.tolist()!r})"

    def __reduce__(self) -> tuple[object, ...]:
        return Table, (self.probabilities,)


@final
class ConditionalGaussian:
    r"""A Gaussian for each configuration of the discrete parents, whose mean is linear in the continuous ones.

    With :math:`d` the states of the discrete parents and :math:`z` the numbers of the continuous ones, the node has the
    distribution (Lauritzen and Wermuth 1989, doi:10.1214/aos/1176347003)

    .. math:: \mathcal{N}(\alpha_d + \beta_d^\top z,\; \sigma_d^2)

    Without discrete parents it is a linear Gaussian, and without any parents a Gaussian. It cannot be changed.

    Parameters
    ----------
    intercepts
        :math:`\alpha`, with one axis for each discrete parent, in the order of the graph; one number where there are
        none.
    coefficients
        :math:`\beta`, with the same axes and a last one for the continuous parents, in the order of the graph; empty
        where there are none.
    deviations
        The standard deviations :math:`\sigma`, with the axes of the intercepts; all are above 0.

    Raises
    ------
    ParameterError
        If the shapes do not fit each other, or a number is not finite.

    Examples
    --------
    >>> height = ConditionalGaussian(intercepts=[164.0, 178.0], coefficients=[], deviations=[6.5, 7.0])  # by sex
    >>> height.n_parameters
    4
    >>> ConditionalGaussian(10.0, [0.3], 8.0).means(np.zeros(2, dtype=int), np.array([[100.0], [200.0]]))
    array([40., 70.])
    """

    __slots__ = ("_coefficients", "_deviations", "_intercepts")

    def __init__(self, intercepts: npt.ArrayLike, coefficients: npt.ArrayLike, deviations: npt.ArrayLike) -> None:
        intercepts, deviations = _numbers("intercepts", intercepts), _numbers("deviations", deviations)
        coefficients = _numbers("coefficients", coefficients)
        if not coefficients.size:
            coefficients = np.zeros((*intercepts.shape, 0))
        if coefficients.shape[:-1] != intercepts.shape or coefficients.ndim != intercepts.ndim + 1:
            axes = f"the axes of the intercepts, which are {intercepts.shape}, and one for the continuous parents"
            raise ParameterError.of("coefficients", axes, coefficients.shape, verb="have")
        if deviations.shape != intercepts.shape:
            shape = f"the shape of the intercepts, {intercepts.shape}"
            raise ParameterError.of("deviations", shape, deviations.shape, verb="have")
        for name, values in (("intercepts", intercepts), ("coefficients", coefficients)):
            if not np.isfinite(values).all():
                wrong = float(values[~np.isfinite(values)][0])
                raise ParameterError.of(name, "finite numbers", wrong, verb="have")
        if not (np.isfinite(deviations) & (deviations > 0)).all():
            wrong = float(deviations[~(np.isfinite(deviations) & (deviations > 0))][0])
            raise ParameterError.of("deviations", "finite numbers above 0", wrong, verb="have")
        self._intercepts, self._deviations = _frozen(intercepts), _frozen(deviations)
        self._coefficients = _frozen(coefficients)

    @property
    def intercepts(self) -> Floats:
        """The intercepts, with an axis for each discrete parent."""
        return self._intercepts

    @property
    def coefficients(self) -> Floats:
        """The coefficients, with an axis for each discrete parent and a last one for the continuous parents."""
        return self._coefficients

    @property
    def deviations(self) -> Floats:
        """The standard deviations, with an axis for each discrete parent."""
        return self._deviations

    @property
    def shape(self) -> tuple[int, ...]:
        """Number of states of each discrete parent."""
        return self.intercepts.shape

    @property
    def n_coefficients(self) -> int:
        """Number of continuous parents."""
        return int(self.coefficients.shape[-1])

    @property
    def n_parameters(self) -> int:
        """Number of free parameters: for each configuration an intercept, the coefficients and a deviation."""
        return self.intercepts.size * (self.n_coefficients + 2)

    def means(self, rows: npt.NDArray[np.intp], numbers: Floats) -> Floats:
        """Mean of the node in some rows.

        Parameters
        ----------
        rows
            For each row the position of its configuration, the last discrete parent varying fastest.
        numbers
            Rows by continuous parents.
        """
        means: Floats = self.intercepts.ravel()[rows]
        coefficients = self.coefficients.reshape(self.intercepts.size, self.n_coefficients)
        for parent in range(self.n_coefficients):  # and no product of matrices, whose rounding depends on its size
            means += numbers[:, parent] * coefficients[rows, parent]
        return means

    def log_densities(self, values: Floats, rows: npt.NDArray[np.intp], numbers: Floats) -> Floats:
        """Natural logarithm of the density at the values of some rows, whose parents are as in `means`."""
        deviations = self.deviations.ravel()[rows]
        with np.errstate(over="ignore"):  # so far from the mean that the density is 0
            squares = ((values - self.means(rows, numbers)) / deviations) ** 2
        densities: Floats = -0.5 * squares - np.log(deviations) - _LOG_ROOT_TWO_PI
        return densities

    def reordered(self, discrete: Sequence[int], continuous: Sequence[int]) -> "ConditionalGaussian":
        """The same for parents in another order, as positions in the order that they have here."""
        axes = list(discrete)
        return ConditionalGaussian(
            self.intercepts.transpose(axes),
            self.coefficients.transpose([*axes, len(axes)])[..., list(continuous)],
            self.deviations.transpose(axes),
        )

    def is_close(self, other: "Distribution", *, tolerance: float = 1e-9) -> bool:
        """Whether the other is Gaussian too, and no number x differs by more than the tolerance times 1 + abs(x)."""
        return isinstance(other, ConditionalGaussian) and all(
            mine.shape == theirs.shape and np.allclose(mine, theirs, rtol=tolerance, atol=tolerance)
            for mine, theirs in zip(self._arrays, other._arrays, strict=True)
        )

    @property
    def _arrays(self) -> tuple[Floats, Floats, Floats]:
        return self.intercepts, self.coefficients, self.deviations

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, ConditionalGaussian):
            return NotImplemented
        return all(map(np.array_equal, self._arrays, other._arrays))

    def __hash__(self) -> int:
        return hash(self.coefficients.shape)

    def __repr__(self) -> str:
        return f"ConditionalGaussian({', '.join(repr(array.tolist()) for array in self._arrays)})"

    def __reduce__(self) -> tuple[object, ...]:
        return ConditionalGaussian, self._arrays


Distribution = Table | ConditionalGaussian
"""What a node of a network has."""


def refuse_improper(values: Floats, called: str) -> None:
    """Refuse an array whose last axis does not hold distributions."""
    with np.errstate(over="ignore", invalid="ignore"):  # sums that are infinite or NaN are refused too
        sums = values.sum(axis=-1)
    good = (values >= 0).all(axis=-1) & (np.abs(sums - 1) <= SUM_TOLERANCE)  # false for NaN and infinity
    if not good.all():
        place = tuple(map(int, np.argwhere(~good)[0]))
        where = f" at the parents' states {place}" if place else ""
        raise ParameterError(
            f"{called}{where} must hold probabilities that sum to 1 within {SUM_TOLERANCE:g}, "
            f"not {quoted(values[place].tolist(), most=200)}"
        )


def _numbers(name: str, values: npt.ArrayLike) -> Floats:
    """Copy of an argument as an array of numbers."""
    try:
        return real_numbers(values)
    except TypeError as error:
        raise ParameterError.of(name, "numbers in an array", str(error)) from None


def _frozen(array: Floats) -> Floats:
    array.setflags(write=False)
    return array
