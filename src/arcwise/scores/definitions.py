r"""The scores: what each one rewards, as a formula.

For one family, :math:`n_{jk}` counts the observations in which the child is in its :math:`k`-th of :math:`r` states and
its parents in their :math:`j`-th of :math:`q` configurations, :math:`n_j = \sum_k n_{jk}` and :math:`N = \sum_j n_j`.
All logarithms are natural, and larger is better. The score of a graph is the sum over its families.

The likelihood :math:`\ell` is that of the counts for a discrete child. A continuous child is a linear regression on its
continuous parents, with an intercept, coefficients and a variance of its own in each configuration of its discrete
parents (Lauritzen & Wermuth 1989, doi:10.1214/aos/1176347003); with :math:`n_j` rows in configuration :math:`j` and
the variance :math:`\hat\sigma_j^2` of its residuals,

.. math:: \ell = -\frac{1}{2} \sum_j n_j \left( \ln 2 \pi \hat\sigma_j^2 + 1 \right),

and it has :math:`q (c + 2)` free parameters with :math:`c` continuous parents. A discrete child has discrete parents
only.

Where values are missing (`Dataset.gaps`), a family is scored on the :math:`n` observations that have all of it, as an
average (Balov 2013, doi:10.1214/13-EJS802; Bodewes & Scutari 2021, doi:10.1016/j.ijar.2021.07.015), times :math:`N` to
be on the scale of the others:

.. math:: N \frac{\ell - \ell_0}{n} + N \frac{\ell_X}{n_X} -
          \max\left(\frac{N}{n} \, p, \; \left(1 - \frac{n}{N}\right) \frac{N^{3/4}}{V} \, k\right)

for :math:`V` variables, where :math:`k` is the number of free parameters and :math:`p` what the score takes off for
them; `LogLikelihood` takes off nothing. :math:`\ell_0` is the likelihood of the child without parents on the same
:math:`n` observations, and :math:`\ell_X` on the :math:`n_X` that have the child. For each observation both are about
the same, so that without them it is the average of Bodewes & Scutari; with them, a parent is worth what it tells about
the child in the rows that have both, and nothing because the child happens to vary less in these rows than in others.
What few rows fit by chance counts :math:`N / n` times, and so does the penalty. Its other form, with the
:math:`\lambda_N = N^{-1/4} / V` of Bodewes & Scutari for the part of the rows that is missing, is there for large
:math:`N`: what chance makes of different rows grows as :math:`\sqrt N`, so that the penalty of `BIC` alone would not
find the right graph in the end (Balov 2013). With all values it is the ordinary score. It is not score-equivalent.
Scores that are not a likelihood less a price for each parameter have no common scale for different numbers of rows,
and take no gaps.
"""

import re
from abc import ABC, abstractmethod
from dataclasses import dataclass, fields
from math import log
from numbers import Real
from typing import TYPE_CHECKING, Any, ClassVar

from arcwise.support.errors import ParameterError
from arcwise.support.names import one_of
from arcwise.support.quoting import quoted

if TYPE_CHECKING:  # loads numpy, which the help of commands does without
    from arcwise import _core
    from arcwise.data.dataset import Dataset

__all__ = [
    "AIC",
    "ALL_KINDS",
    "BIC",
    "DG",
    "EBIC",
    "FNML",
    "HQC",
    "K2",
    "QNML",
    "SCORES",
    "BDeu",
    "BDs",
    "BGe",
    "LogLikelihood",
    "PythonScore",
    "Score",
    "score_named",
    "scores_for",
]


#: The kinds of data that there are.
ALL_KINDS = ("discrete", "continuous", "mixed")


@dataclass(frozen=True)
class Score:
    """What all scores have: a short name, and whether Markov-equivalent graphs score the same.

    Whether arcs at variables that have one value in all rows can gain is said by `arcwise.scores.constants`.
    """

    name: ClassVar[str]
    is_equivalent: ClassVar[bool]
    gains_by_constants: ClassVar[bool] = False
    is_penalised: ClassVar[bool] = False
    """Whether it is a likelihood minus a penalty that depends on the numbers of states and parents alone."""
    kinds: ClassVar[tuple[str, ...]] = ("discrete",)
    """The kinds of data that it is made for, as `Dataset.kind` tells them."""
    takes_gaps: ClassVar[bool] = False
    """Whether it is made for data with gaps, too (`Dataset.gaps`), each family on the rows that have all of it."""

    @property
    def base(self) -> "Score":
        """The score without what `Adjusted` has added to it."""
        return self

    @property
    def parameter(self) -> float:
        """The number that the score takes, as its kernel takes it; 1 where it takes none."""
        return next((float(getattr(self, field.name)) for field in fields(self)), 1.0)

    def per_parameter(self, n_observations: int) -> float:
        """Return what is taken off the likelihood for each free parameter, for scores of all kinds of data."""
        raise NotImplementedError(f"{self.name} is not a likelihood with a price for each parameter")

    def __str__(self) -> str:
        own = [(field.name, getattr(self, field.name)) for field in fields(self) if field.repr]
        given = ", ".join(f"{name}={value:g}" if isinstance(value, Real) else f"{name}={value}" for name, value in own)
        return f"{type(self).__name__}({given})" if given else type(self).__name__


@dataclass(frozen=True)
class PythonScore(Score, ABC):
    """What all scores have whose numbers are computed in Python; `arcwise.scores.custom` has the two kinds of them.

    Attributes
    ----------
    name
        What it is called in results; that of the class unless it has one of its own.
    is_equivalent
        Whether Markov-equivalent graphs score the same: a promise, which `arcwise.check_score` tests. Searches over
        equivalence classes need it.
    rounding
        Differences of scores up to this share of the largest score of a variable without parents are rounding.
    """

    is_equivalent: ClassVar[bool] = False
    rounding: ClassVar[float] = 1e-11

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        if "name" not in vars(cls):
            cls.name = cls.__name__
        if cls.name in SCORES:
            raise ParameterError.of("name", "another one than those of built-in scores", cls.name, owner=cls.__name__)

    @property
    def parameter(self) -> float:
        """Not a number of a kernel."""
        return 1.0

    @abstractmethod
    def bound_to(self, data: "Dataset") -> "_core.FamilyFunction":
        """Return the function that gives the scores of families of this data, for the kernels."""


@dataclass(frozen=True)
class BIC(Score):
    r"""The Bayesian information criterion (Schwarz 1978, doi:10.1214/aos/1176344136), as a score to maximise.

    .. math:: \ell - \frac{\ln N}{2} q (r - 1)
    """

    name: ClassVar[str] = "bic"
    is_equivalent: ClassVar[bool] = True
    kinds: ClassVar[tuple[str, ...]] = ALL_KINDS
    takes_gaps: ClassVar[bool] = True
    is_penalised: ClassVar[bool] = True

    def per_parameter(self, n_observations: int) -> float:
        """Return what is taken off the likelihood for each free parameter."""
        return 0.5 * log(n_observations)


@dataclass(frozen=True)
class EBIC(Score):
    r"""The extended Bayesian information criterion (Chen & Chen 2008, doi:10.1093/biomet/asn034), to maximise.

    .. math:: \ell - \frac{\ln N}{2} q (r - 1) - \gamma \ln \binom{n - 1}{k}

    for a child with :math:`k` parents among :math:`n` variables. `BIC` takes all sets of parents for equally likely,
    and so prefers the numbers of parents of which there are many sets; here, with :math:`\gamma = 1`, all numbers of
    parents are equally likely. For data with few rows and many variables.

    It is score-equivalent: graphs of one class have the same numbers of parents, if not at the same variables, because
    the reversals of covered arcs that lead from one to the other (Chickering 1995, UAI) swap two of these numbers.

    Parameters
    ----------
    gamma
        From 0, which is `BIC`, to 1. The authors show for linear regression that the right variables are found, as data
        grows, if :math:`\gamma > 1 - 1 / (2 \kappa)` and the number of variables grows no faster than
        :math:`N^\kappa`: 0.5 is the least that suffices for all :math:`\kappa < 1`.
    """

    name: ClassVar[str] = "ebic"
    is_equivalent: ClassVar[bool] = True
    kinds: ClassVar[tuple[str, ...]] = ALL_KINDS
    takes_gaps: ClassVar[bool] = True
    is_penalised: ClassVar[bool] = True
    gamma: float = 0.5

    def __post_init__(self) -> None:
        from arcwise.support.arguments import number

        gamma = number(f"gamma of {self.name}", self.gamma)
        if gamma > 1:
            raise ParameterError.of("gamma", "at most 1", self.gamma, owner=self.name)
        object.__setattr__(self, "gamma", gamma)

    def per_parameter(self, n_observations: int) -> float:
        """Return what is taken off the likelihood for each free parameter."""
        return 0.5 * log(n_observations)


@dataclass(frozen=True)
class AIC(Score):
    r"""Akaike's information criterion (Akaike 1974, doi:10.1109/TAC.1974.1100705), as a score to maximise.

    .. math:: \ell - q (r - 1)
    """

    name: ClassVar[str] = "aic"
    is_equivalent: ClassVar[bool] = True
    kinds: ClassVar[tuple[str, ...]] = ALL_KINDS
    takes_gaps: ClassVar[bool] = True
    is_penalised: ClassVar[bool] = True

    def per_parameter(self, n_observations: int) -> float:
        """Return what is taken off the likelihood for each free parameter."""
        return 1.0


@dataclass(frozen=True)
class HQC(Score):
    r"""Hannan and Quinn's criterion (Hannan & Quinn 1979, doi:10.1111/j.2517-6161.1979.tb01072.x), to maximise.

    .. math:: \ell - \ln \ln N \; q (r - 1)

    It never takes off more than `BIC`, and more than `AIC` from 16 observations on. For one or two observations, where
    :math:`\ln \ln N` is not positive, nothing is taken off.
    """

    name: ClassVar[str] = "hqc"
    is_equivalent: ClassVar[bool] = True
    kinds: ClassVar[tuple[str, ...]] = ALL_KINDS
    takes_gaps: ClassVar[bool] = True
    is_penalised: ClassVar[bool] = True

    def per_parameter(self, n_observations: int) -> float:
        """Return what is taken off the likelihood for each free parameter."""
        return log(max(1.0, log(n_observations)))


@dataclass(frozen=True)
class LogLikelihood(Score):
    r"""The maximised log-likelihood, without a penalty; never falls when a parent is added.

    .. math:: \ell = \sum_{j,k} n_{jk} \ln \frac{n_{jk}}{n_j}
    """

    name: ClassVar[str] = "loglik"
    is_equivalent: ClassVar[bool] = True
    kinds: ClassVar[tuple[str, ...]] = ALL_KINDS
    takes_gaps: ClassVar[bool] = True

    def per_parameter(self, n_observations: int) -> float:
        """Return what is taken off the likelihood for each free parameter."""
        return 0.0


@dataclass(frozen=True)
class _WithSampleSize(Score):
    """A Dirichlet score whose prior weighs as much as `ess` observations."""

    gains_by_constants: ClassVar[bool] = True
    ess: float = 1.0

    def __post_init__(self) -> None:
        from arcwise.support.arguments import number  # loads numpy, which the help of commands does without

        object.__setattr__(self, "ess", number("ess", self.ess, positive=True, owner=self.name))


@dataclass(frozen=True)
class BDeu(_WithSampleSize):
    r"""The Bayesian Dirichlet score with a uniform prior (Heckerman et al. 1995, doi:10.1007/BF00994016).

    .. math:: \sum_j \left[ \ln \frac{\Gamma(\alpha_j)}{\Gamma(\alpha_j + n_j)}
              + \sum_k \ln \frac{\Gamma(\alpha_{jk} + n_{jk})}{\Gamma(\alpha_{jk})} \right],
              \quad \alpha_{jk} = \frac{\alpha}{q r}, \quad \alpha_j = \frac{\alpha}{q}

    Parameters
    ----------
    ess
        The equivalent sample size :math:`\alpha`.
    """

    name: ClassVar[str] = "bdeu"
    is_equivalent: ClassVar[bool] = True


@dataclass(frozen=True)
class BDs(_WithSampleSize):
    r"""The Bayesian Dirichlet sparse score (Scutari 2016, PMLR 52, 438-448).

    As `BDeu`, with the prior spread only over the :math:`\tilde q` parent configurations that occur in the data:
    :math:`\alpha_{jk} = \alpha / (\tilde q r)` where :math:`n_j > 0`, and 0 elsewhere.
    It is not score-equivalent.

    Parameters
    ----------
    ess
        The equivalent sample size :math:`\alpha`.
    """

    name: ClassVar[str] = "bds"
    is_equivalent: ClassVar[bool] = False


@dataclass(frozen=True)
class K2(Score):
    r"""The Bayesian Dirichlet score with one pseudo-count per cell (Cooper & Herskovits 1992, doi:10.1007/BF00994110).

    .. math:: \sum_j \left[ \ln \frac{(r - 1)!}{(n_j + r - 1)!} + \sum_k \ln n_{jk}! \right]
    """

    name: ClassVar[str] = "k2"
    is_equivalent: ClassVar[bool] = False


@dataclass(frozen=True)
class FNML(Score):
    r"""Factorised normalised maximum likelihood (Silander, Roos & Myllymäki 2010, IJAR 51, 544-557).

    .. math:: \ell - \sum_j \ln C(n_j, r), \quad C(n, r) =
              \sum_{h_1 + \dots + h_r = n} \frac{n!}{h_1! \cdots h_r!} \prod_k \left(\frac{h_k}{n}\right)^{h_k}
    """

    name: ClassVar[str] = "fnml"
    is_equivalent: ClassVar[bool] = False


@dataclass(frozen=True)
class QNML(Score):
    r"""Quotient normalised maximum likelihood (Silander et al. 2018, PMLR 84, 948-957).

    .. math:: \ell - \ln C(N, q r) + \ln C(N, q)

    with :math:`C` as in `FNML`; beyond 65,536 outcomes, :math:`\ln C` is the approximation of Szpankowski & Weinberger
    (2012, doi:10.1109/TIT.2012.2195769).
    """

    name: ClassVar[str] = "qnml"
    is_equivalent: ClassVar[bool] = True
    is_penalised: ClassVar[bool] = True


@dataclass(frozen=True)
class BGe(Score):
    r"""The Bayesian Gaussian score (Geiger & Heckerman 2002, doi:10.1214/aos/1035844981), for continuous data.

    With the correction of Kuipers, Moffa & Heckerman (2014, doi:10.1214/14-AOS1217). The probability of the data under
    a normal-Wishart prior over all Gaussian networks; for :math:`l` of :math:`n` variables :math:`Y`

    .. math:: p(d_Y) = \pi^{-lN/2} \left(\frac{\alpha_\mu}{N + \alpha_\mu}\right)^{l/2}
              \frac{\Gamma_l\left(\frac{N + \alpha_w - n + l}{2}\right)}
                   {\Gamma_l\left(\frac{\alpha_w - n + l}{2}\right)}
              \frac{|T_{YY}|^{(\alpha_w - n + l) / 2}}{|R_{YY}|^{(N + \alpha_w - n + l) / 2}}

    and the score of a family is the difference of the logarithms for :math:`X \cup P` and for :math:`P`. Here
    :math:`\alpha_w = n + \alpha_\mu + 1`, :math:`T = t I` with
    :math:`t = \alpha_\mu (\alpha_w - n - 1) / (\alpha_\mu + 1)`, and :math:`R` is :math:`T` plus the sums of squares
    and products of the data about their means. The prior is on the scale of the data, so that columns of other units
    give other scores.

    Parameters
    ----------
    alpha
        How many observations the prior weighs, :math:`\alpha_\mu`.
    """

    name: ClassVar[str] = "bge"
    is_equivalent: ClassVar[bool] = True
    kinds: ClassVar[tuple[str, ...]] = ("continuous",)
    alpha: float = 1.0

    def __post_init__(self) -> None:
        from arcwise.support.arguments import number

        object.__setattr__(self, "alpha", number("alpha", self.alpha, positive=True, owner=self.name))


@dataclass(frozen=True)
class DG(Score):
    r"""The degenerate Gaussian score (Andrews, Ramsey & Cooper 2019, PMLR 104, 4-21), for mixed data.

    `BIC` of a Gaussian network in which a discrete variable with :math:`r` states stands as :math:`r - 1` columns of 0
    and 1. Any variable may be a parent of any other, and it is score-equivalent; but the effects of parents add up, so
    that what only their combination tells is not seen. A network with tables cannot have the continuous parents of
    discrete variables that it may find: it is for the structure.
    """

    name: ClassVar[str] = "dg"
    is_equivalent: ClassVar[bool] = True
    kinds: ClassVar[tuple[str, ...]] = ("continuous", "mixed")

    def per_parameter(self, n_observations: int) -> float:
        """Return what is taken off the likelihood for each free parameter."""
        return 0.5 * log(n_observations)


#: All scores by their names, in the order in which messages list them.
SCORES: dict[str, type[Score]] = {
    score.name: score for score in (BIC, EBIC, AIC, HQC, LogLikelihood, BDeu, BDs, K2, FNML, QNML, BGe, DG)
}


def scores_for(kind: str) -> tuple[str, ...]:
    """Return the names of the scores for data of this kind.

    Examples
    --------
    >>> scores_for("mixed")
    ('bic', 'ebic', 'aic', 'hqc', 'loglik', 'dg')
    """
    return tuple(name for name, score in SCORES.items() if kind in score.kinds)


# A name, with or without its parameter: "bdeu", "bdeu(ess=10)".
_NAMED = re.compile(r"\s*(\w+)\s*(?:\(\s*(?:(\w+)\s*=\s*([^()\s]+))?\s*\))?\s*")


def score_named(score: str | Score) -> Score:
    """Return the score of a name, with the parameter that the name gives or else its default; or a `Score` as it is.

    Scores written in Python have no name here: they are given as objects.

    Examples
    --------
    >>> score_named("bdeu")
    BDeu(ess=1.0)
    >>> score_named("ebic(gamma=1)")
    EBIC(gamma=1.0)
    """
    if isinstance(score, Score) and (type(score.base) in SCORES.values() or isinstance(score.base, PythonScore)):
        return score
    found = _NAMED.fullmatch(score) if isinstance(score, str) else None
    if found is None or found[1].lower() not in SCORES:
        return SCORES[one_of("score", score, SCORES, other="an object such as BDeu(ess=10)")]()
    kind, parameter, value = SCORES[found[1].lower()], found[2], found[3]
    if parameter is None:
        return kind()
    own = [field.name for field in fields(kind)]
    if parameter not in own:
        others = f"its parameter is {own[0]}" if own else "it has none"
        raise ParameterError(f"the score {kind.name} has no parameter {quoted(parameter)}; {others}")
    return kind(**{parameter: _number_of(value)})


def _number_of(text: str) -> float | str:
    """Return the number that a text is, or the text, which whoever takes the number refuses."""
    try:
        return float(text)
    except ValueError:
        return text
