"""Gene regulation as differential equations with Hill kinetics, and the steady states they settle in."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from arcwise.support.arguments import count, real_numbers
from arcwise.support.errors import ParameterError
from arcwise.support.messages import Name, Shown

__all__ = ["RegulatoryNetwork", "random_regulation"]

Floats = npt.NDArray[np.float64]
Indices = npt.NDArray[np.intp]

# Levels count as steady when none changes faster than this per lifetime, relative to itself.
_STEADY = 1e-9
# Lengths of a step, as the part of the way to the level at which synthesis and decay would balance; shorter ones
# follow the equations more closely, and are needed where a loop is near to oscillating.
_STEPS = (0.5, 0.2, 0.05)
_ROUNDS = 500
# Samples settled together: their arrays fit into a processor's cache.
_SAMPLES_AT_ONCE = 64


@dataclass(frozen=True, eq=False)
class RegulatoryNetwork:
    r"""Genes that make one another's transcription faster or slower; cycles are welcome.

    The level :math:`x_i` of gene i in a sample follows

    .. math::
        \frac{dx_i}{dt} = z_i v_i \prod_{j \to i}
            \left(1 + e_{ji} \frac{x_j^{h_{ji}}}{K_{ji}^{h_{ji}} + x_j^{h_{ji}}}\right) - x_i

    with a factor :math:`z_i` that is the sample's own: a genetic variant, a knock-down. Decay has the rate 1, because
    only the ratio of synthesis and decay shows in a steady state.

    Parameters
    ----------
    rates
        v, for each gene: its transcription rate without regulators.
    regulators, targets
        The arcs, as indices of genes.
    effects
        e, for each arc: above 0 activates (1 + e is the most it can multiply the rate with), between -1 and 0 inhibits.
    thresholds
        K, for each arc: the regulator's level at which it has half of its effect.
    exponents
        h, for each arc: how steep the change around the threshold is.

    Notes
    -----
    The form (one product over all regulators) is that of SysGenSIM: Pinna, Soranzo, Hoeschele and de la Fuente (2011),
    *Simulating systems genetics data with SysGenSIM*, Bioinformatics 27(17).

    Examples
    --------
    One gene triples the rate of another; at its threshold, that is half done.

    >>> network = RegulatoryNetwork(
    ...     rates=np.array([5.0, 1.0]),
    ...     regulators=np.array([0]),
    ...     targets=np.array([1]),
    ...     effects=np.array([2.0]),
    ...     thresholds=np.array([5.0]),
    ...     exponents=np.array([4.0]),
    ... )
    >>> network.steady_states([[1, 1]]).round(6).tolist()
    [[5.0, 2.0]]
    """

    rates: Floats
    regulators: Indices
    targets: Indices
    effects: Floats
    thresholds: Floats
    exponents: Floats

    def __post_init__(self) -> None:
        rates = _numbers("rates", self.rates)
        arcs = [_indices(name, getattr(self, name), rates.size) for name in ("regulators", "targets")]
        kinetics = [_numbers(name, getattr(self, name)) for name in ("effects", "thresholds", "exponents")]
        if len({array.size for array in (*arcs, *kinetics)}) > 1:
            raise ParameterError(
                Name("regulators"), ", targets, effects, thresholds and exponents must have one entry for each arc"
            )
        effects, thresholds, exponents = kinetics
        if not (rates > 0).all() or not (thresholds > 0).all() or not (exponents > 0).all():
            raise ParameterError(Name("rates"), ", thresholds and exponents must be above 0")
        if not (effects > -1).all():
            raise ParameterError.of("effects", "above -1, so that every gene keeps some transcription")
        by_target = np.lexsort(arcs)
        for name, array in zip(("regulators", "targets"), arcs, strict=True):
            self._set(name, array[by_target])
        for name, numbers in zip(("effects", "thresholds", "exponents"), kinetics, strict=True):
            self._set(name, numbers[by_target])
        self._set("rates", rates)

    def _set(self, name: str, array: npt.NDArray[np.generic]) -> None:
        array.flags.writeable = False
        object.__setattr__(self, name, array)

    @property
    def n_genes(self) -> int:
        """Number of genes."""
        return self.rates.size

    def steady_states(self, factors: npt.ArrayLike) -> Floats:
        """Levels at which nothing changes any more, for each sample, starting from 1.

        Parameters
        ----------
        factors
            What multiplies each gene's transcription rate: samples by genes, above 0.

        Notes
        -----
        Exponential Euler steps: every level goes a part of the way to where its synthesis and decay would balance if
        the regulators stayed as they are. Levels stay positive whatever the step, and where the steps end is exact:
        no level changes by more than a billionth of itself per lifetime there. Accuracy on the way is not needed,
        which is what makes this much faster than integrating. Where several steady states exist, a general solver may
        end in another one.

        Raises
        ------
        ParameterError
            If some levels never come to rest: a loop that inhibits itself with delay can oscillate.
        """
        try:
            given = real_numbers(factors)
        except TypeError as error:
            raise ParameterError.of("factors", f"numbers: {error}") from None
        if given.ndim != 2 or given.shape[1] != self.n_genes:
            raise ParameterError.of("factors", f"samples by {self.n_genes} genes", Shown(f"of shape {given.shape}"))
        if not (np.isfinite(given) & (given > 0)).all():
            raise ParameterError.of("factors", "finite and above 0")
        levels = np.empty_like(given)
        for first in range(0, len(given), _SAMPLES_AT_ONCE):
            block = slice(first, first + _SAMPLES_AT_ONCE)
            levels[block] = self._settled(np.ascontiguousarray(given[block].T)).T
        return levels

    def _settled(self, factors: Floats) -> Floats:
        levels = np.ones_like(factors)
        for step in _STEPS:
            for _ in range(_ROUNDS):
                change = factors * self._synthesis(levels) - levels
                restless = np.abs(change) > _STEADY * levels
                if not restless.any():
                    return levels
                levels += step * change
        raise ParameterError(
            f"the level of gene {int(np.argmax(restless.any(axis=1)))} does not settle in "
            f"{int(restless.any(axis=0).sum())} samples, its loops may oscillate; take weaker effects, smaller "
            "exponents, fewer arcs or another seed"
        )

    def _synthesis(self, levels: Floats) -> Floats:
        """Transcription of genes by samples, before the samples' own factors."""
        made = np.repeat(self.rates[:, None], levels.shape[1], axis=1)
        if self.targets.size:
            # x^h / (K^h + x^h) is the logistic function of h (ln x - ln K): one logarithm per gene, no powers.
            influence = np.log(levels)[self.regulators]
            influence -= np.log(self.thresholds)[:, None]
            influence *= self.exponents[:, None]
            # 1 / (1 + e^-z) = (1 + tanh(z / 2)) / 2, which never overflows.
            influence *= 0.5
            np.tanh(influence, out=influence)
            influence += 1.0
            influence *= 0.5
            influence *= self.effects[:, None]
            influence += 1.0
            regulated, starts = self._arcs_by_target
            made[regulated] *= np.multiply.reduceat(influence, starts, axis=0)
        return made

    @cached_property
    def _arcs_by_target(self) -> tuple[Indices, Indices]:
        """Genes that have regulators, and where the arcs of each begin."""
        regulated, starts = np.unique(self.targets, return_index=True)
        return regulated, starts


def random_regulation(n_genes: int, n_arcs: int, *, rng: np.random.Generator) -> RegulatoryNetwork:
    """Random network with few strong regulators, and at least one cycle.

    Arcs are drawn without replacement: regulators with weights that follow a power law (a few regulate many genes, as
    in scale-free networks), targets with exponential weights. A loop of three genes (two where there are no more) is
    always among them, if there are enough arcs for it. Half of the arcs inhibit. An arc multiplies or divides the rate
    of its target by at most F^(1 / √k), F from 2 to 10 and k the number of the target's regulators, so that genes of
    many regulators do not become switches. Rates are such that a gene's level is 1 when its regulators are at their
    thresholds, which are near 1.

    Memory grows with the square of `n_genes`.

    Raises
    ------
    ParameterError
        If no network has that many arcs.

    Examples
    --------
    >>> random_regulation(5, 8, rng=np.random.default_rng(0)).targets.size
    8
    """
    n_genes, n_arcs = count("n_genes", n_genes, least=1), count("n_arcs", n_arcs)
    possible = n_genes * (n_genes - 1)
    if n_arcs > possible:
        raise ParameterError.of("n_arcs", f"at most {possible} with {n_genes} genes", n_arcs)
    regulators, targets = _random_arcs(n_genes, n_arcs, rng)
    n_regulators = np.bincount(targets, minlength=n_genes)[targets]
    folds = np.exp(rng.uniform(np.log(2), np.log(10), n_arcs) / np.sqrt(n_regulators))
    effects = np.where(rng.random(n_arcs) < 0.5, folds, 1 / folds) - 1
    rates = np.ones(n_genes)
    np.multiply.at(rates, targets, 1 / (1 + effects / 2))
    return RegulatoryNetwork(
        rates=rates,
        regulators=regulators,
        targets=targets,
        effects=effects,
        thresholds=np.exp(rng.uniform(-0.5, 0.5, n_arcs)),
        exponents=rng.uniform(1.0, 3.0, n_arcs),
    )


def _random_arcs(n_genes: int, n_arcs: int, rng: np.random.Generator) -> tuple[Indices, Indices]:
    """Regulators and targets of distinct arcs."""
    if n_arcs == 0:
        return np.empty(0, dtype=np.intp), np.empty(0, dtype=np.intp)
    # Weights rank^-0.7 give out-degrees that follow a power law of exponent 1 + 1 / 0.7, about 2.4.
    as_regulator = -0.7 * np.log(rng.permutation(n_genes) + 1.0)
    as_target = np.log(rng.exponential(size=n_genes))
    # The largest of log-weights with Gumbel noise are a draw without replacement.
    keys = rng.gumbel(size=(n_genes, n_genes)) + as_regulator[:, None] + as_target[None, :]
    np.fill_diagonal(keys, -np.inf)
    loop = rng.permutation(n_genes)[:3]
    if 2 <= loop.size <= n_arcs:
        keys[loop, np.roll(loop, -1)] = np.inf
    chosen = np.sort(np.argpartition(keys, keys.size - n_arcs, axis=None)[-n_arcs:])
    regulators, targets = np.unravel_index(chosen, keys.shape)
    return regulators, targets


def _numbers(name: str, values: npt.ArrayLike) -> Floats:
    try:
        numbers = real_numbers(values)
    except TypeError:
        raise ParameterError.of(name, "a list of numbers", values) from None
    if numbers.ndim != 1 or not np.isfinite(numbers).all():
        raise ParameterError.of(name, "a list of finite numbers")
    return numbers


def _indices(name: str, values: npt.ArrayLike, n_genes: int) -> Indices:
    listed = np.asarray(values)
    if listed.ndim != 1 or (listed.size and listed.dtype.kind not in "iu"):
        raise ParameterError.of(name, "a list of whole numbers, the indices of genes", values)
    if listed.size and not 0 <= listed.min() <= listed.max() < n_genes:
        reach = Shown(f"from {listed.min()} to {listed.max()}")
        raise ParameterError.of(name, f"indices from 0 to {n_genes - 1}", reach)
    return listed.astype(np.intp)
