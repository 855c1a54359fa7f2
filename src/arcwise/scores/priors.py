r"""What is added to a score: a prior over graphs, a factor on its penalty, a least gain of an arc."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from math import log
from typing import ClassVar, Literal, NamedTuple

from arcwise.scores.definitions import SCORES, Score, score_named
from arcwise.support.arguments import instance, number
from arcwise.support.errors import ParameterError
from arcwise.support.messages import Name, Setting, Shown
from arcwise.support.names import did_you_mean
from arcwise.support.quoting import listed, quoted

__all__ = ["Adjusted", "ArcTerms", "Prior"]

Arc = tuple[str, str]
_Probabilities = tuple[tuple[str, str, float], ...]

_UNIFORM: Literal["uniform"] = "uniform"
# With this, all graphs are equally likely.
_EVEN = 0.5
# Of single arcs, how many are shown in the name of a score.
_SHOWN = 3
# Penalties of families with a thousand parents are still finite with this.
_LARGEST_FACTOR = 100.0


class ArcTerms(NamedTuple):
    """What a prior adds to the scores of families.

    Attributes
    ----------
    per_parent
        For each parent.
    is_uniform
        Whether all numbers of parents are equally likely.
    arcs
        Indices of a parent and a child, and what is added for this arc on top of that.
    """

    per_parent: float
    is_uniform: bool
    arcs: list[tuple[int, int, float]]


@dataclass(frozen=True, init=False)
class Prior:
    r"""How probable graphs are before any data is seen: knowledge that data can overrule, unlike `Constraints`.

    Two variables are joined by an arc, by its reversal, or not at all. A prior gives each of these a probability, and
    takes pairs of variables as independent apart from cycles (Castelo & Siebes 2000,
    doi:10.1016/S0888-613X(99)00041-9). So it adds to the score of a graph, for each of its arcs, the logarithm of

    .. math:: \frac{P(a \to b)}{P(\text{neither } a \to b \text{ nor } b \to a)}

    and nothing for the graph without arcs.

    Parameters
    ----------
    arcs
        For (parent, child) the probability of that arc. Where nothing is said of its reversal, the rest is divided
        between that and no arc as if nothing were known of the two; so 1/3 says nothing, unless `parents` does.
    edges
        For two variables the probability that they are adjacent, half of it for each direction; 2/3 says nothing.
    parents
        What holds for all other arcs. A number is the probability that a variable has another one as its parent: with
        0.5 all graphs are equally likely; less prefers fewer arcs (the variable selection prior, of which Scutari's
        bnlearn has :math:`1/n`, for :math:`n` variables, as its default). With 1/3 two variables are adjacent as
        likely as not, the marginal uniform prior of Scutari (2016, PMLR 52, 438-448). ``uniform`` takes all *numbers*
        of parents for equally likely, and so :math:`\ln \binom{n - 1}{k}` off a family with :math:`k` parents
        (Friedman & Koller 2003, doi:10.1023/A:1020249912095).

    Raises
    ------
    ParameterError
        For anything malformed. 0 and 1 are refused: what is impossible or certain belongs into `Constraints`.

    Examples
    --------
    >>> from arcwise import load_example
    >>> from arcwise.scores.local_score import LocalScore
    >>> data = load_example("cancer").sample(2000, seed=1)
    >>> doubted = Adjusted("bdeu(ess=10)", Prior(arcs={("Cancer", "Smoker"): 0.05}))
    >>> score, plain = LocalScore(data, doubted), LocalScore(data, "bdeu(ess=10)")
    >>> score.local("Cancer", ["Smoker"]) - plain.local("Cancer", ["Smoker"])
    0.0
    >>> round(score.local("Smoker", ["Cancer"]) - plain.local("Smoker", ["Cancer"]), 4)  # ln(0.05 / 0.475)
    -2.2513
    """

    arcs: _Probabilities
    edges: _Probabilities
    parents: float | Literal["uniform"]

    def __init__(
        self,
        arcs: Mapping[Arc, float] | None = None,
        *,
        edges: Mapping[Arc, float] | None = None,
        parents: float | Literal["uniform"] = _EVEN,
    ) -> None:
        # Sorted, so that the same priors are equal however they were listed.
        object.__setattr__(self, "arcs", _checked_arcs(arcs, "arcs"))
        object.__setattr__(self, "edges", _checked_edges(edges))
        object.__setattr__(self, "parents", _checked_parents(parents))
        _refuse_contradictions(self.arcs, self.edges)

    @property
    def is_even(self) -> bool:
        """Whether all graphs are equally likely."""
        return not self.arcs and not self.edges and self.parents == _EVEN

    @property
    def is_symmetric(self) -> bool:
        """Whether arcs are as probable as their reversals, so that equivalent graphs are equally probable."""
        odds = self._log_odds()
        return all(odds.get((child, parent), self._per_parent) == its for (parent, child), its in odds.items())

    def terms(self, names: Sequence[str]) -> ArcTerms:
        """Return what is added to the scores of families of these variables.

        Raises
        ------
        ParameterError
            If the prior mentions others.
        """
        position = {name: index for index, name in enumerate(names)}
        for place, pairs in (("arcs", self.arcs), ("edges", self.edges)):
            for name in (end for pair in pairs for end in pair[:2]):
                if name not in position:
                    hint = did_you_mean(name, names) or f": {listed(names)}"
                    raise ParameterError(
                        f"{place} of the prior mention {quoted(name)}, which is not among the {len(names)} names{hint}"
                    )
        base = self._per_parent
        arcs = [(position[parent], position[child], its - base) for (parent, child), its in self._log_odds().items()]
        return ArcTerms(base, self.parents == _UNIFORM, arcs)

    @property
    def _others(self) -> float:
        """The probability of a parent of which nothing is said."""
        return _EVEN if isinstance(self.parents, str) else self.parents

    @property
    def _per_parent(self) -> float:
        return log(self._others / (1 - self._others)) if self._others != _EVEN else 0.0

    def _log_odds(self) -> dict[Arc, float]:
        """Return ln P(arc) - ln P(no arc between the two), for each arc of which something is said."""
        given = {(parent, child): p for parent, child, p in self.arcs}
        odds = {}
        for (parent, child), p in given.items():
            reversal = given.get((child, parent))
            none = (1 - p) * (1 - self._others) if reversal is None else 1 - p - reversal
            odds[parent, child] = log(p / none)
        for one, other, p in self.edges:
            odds[one, other] = odds[other, one] = log(p / 2 / (1 - p))
        return odds

    def __str__(self) -> str:
        pairs = [*(f"{a} -> {b} {p:g}" for a, b, p in self.arcs), *(f"{a} -- {b} {p:g}" for a, b, p in self.edges)]
        more = [f"{len(pairs) - _SHOWN:,} more"] if len(pairs) > _SHOWN else []
        others = [] if self.parents == _EVEN else [f"parents {self.parents}"]
        return ", ".join([*islice(pairs, _SHOWN), *more, *others]) or "all graphs equally likely"


@dataclass(frozen=True)
class Adjusted(Score):
    r"""Any score with something added that needs no data; taken wherever a score is.

    .. math:: \text{score}(X, \Pi) - (f - 1) \; \text{penalty}(X, \Pi) - g \, |\Pi| + \ln \text{prior}(X, \Pi)

    for a family of :math:`X` with the parents :math:`\Pi`. Scores of results, their traces and bounds, and gains of
    arcs are those of the adjusted score.

    Parameters
    ----------
    score
        A name, such as bic or bdeu(ess=10), or a score such as ``BDeu(ess=10)``.
    prior
        How probable graphs are before any data is seen.
    penalty_factor
        :math:`f`, from 0 to 100: how many times the penalty is taken off. For scores that are a likelihood minus a
        penalty which depends on the numbers of states and parents alone: bic, ebic, aic, hqc and qnml.
    least_gain
        :math:`g`: what each arc must gain to be worth its place. An arc with a gain of 3 makes the data
        :math:`e^3 \approx 20` times as probable, after the penalty of the score.

    Examples
    --------
    >>> from arcwise import learn, load_example
    >>> data = load_example("asia").sample(500, seed=1)
    >>> learn(data, score="aic", seed=1).dag.n_arcs, learn(data, score=Adjusted("aic", least_gain=3), seed=1).dag.n_arcs
    (9, 7)
    """

    name: ClassVar[str] = "adjusted"
    is_equivalent: ClassVar[bool] = False  # each object has its own answer

    score: Score
    prior: Prior
    penalty_factor: float
    least_gain: float

    def __init__(
        self,
        score: str | Score = "bic",
        prior: Prior | None = None,
        *,
        penalty_factor: float = 1.0,
        least_gain: float = 0.0,
    ) -> None:
        plain = score if isinstance(score, Score) else score_named(score)  # one that a file tells of, too
        if isinstance(plain, Adjusted):
            raise ParameterError.of("score", "one to which nothing was added yet", Shown(str(plain)))
        prior = instance("prior", prior, Prior, default=Prior)
        factor = number("penalty_factor", penalty_factor)
        if factor > _LARGEST_FACTOR:
            raise ParameterError.of("penalty_factor", f"at most {_LARGEST_FACTOR:g}", factor)
        if factor != 1 and not plain.is_penalised:
            having = ", ".join(name for name, kind in SCORES.items() if kind.is_penalised)
            raise ParameterError(
                Name("penalty_factor"),
                f" is for scores with a penalty that depends on numbers of states and parents alone ({having}), not "
                f"for {plain.name}; use ",
                Setting("least_gain"),
                " or a prior",
            )
        values = {"score": plain, "prior": prior, "penalty_factor": factor}
        values["least_gain"] = number("least_gain", least_gain)
        values["name"] = f"adjusted {plain.name}"
        values["is_equivalent"] = plain.is_equivalent and prior.is_symmetric
        for field, value in values.items():
            object.__setattr__(self, field, value)

    @property
    def base(self) -> Score:
        """The score without what was added."""
        return self.score

    def __str__(self) -> str:
        added = [
            *([] if self.penalty_factor == 1 else [f"penalty factor {self.penalty_factor:g}"]),
            *([] if self.least_gain == 0 else [f"least gain {self.least_gain:g}"]),
            *([] if self.prior.is_even else [f"prior {self.prior}"]),
        ]
        return f"{self.score} with {', '.join(added)}" if added else str(self.score)


def _checked_arcs(arcs: Mapping[Arc, float] | None, parameter: str) -> _Probabilities:
    if arcs is None:
        return ()
    if not isinstance(arcs, Mapping):
        raise ParameterError.of(parameter, "a mapping from pairs of variables to probabilities", arcs)
    checked = []
    for arc, p in arcs.items():
        if not isinstance(arc, Sequence) or isinstance(arc, str) or [isinstance(end, str) for end in arc] != [True] * 2:
            raise ParameterError.of(parameter, "pairs of variable names to probabilities", arc, verb="map")
        if arc[0] == arc[1]:
            raise ParameterError(Name(parameter), f" must not join {quoted(arc[0])} to itself")
        what = f"{parameter} for {quoted(arc[0])} and {quoted(arc[1])}"
        checked.append((str(arc[0]), str(arc[1]), _probability(what, p)))
    return tuple(sorted(checked))


def _checked_edges(edges: Mapping[Arc, float] | None) -> _Probabilities:
    ordered: dict[Arc, float] = {}
    for one, other, p in _checked_arcs(edges, "edges"):
        pair = min(one, other), max(one, other)
        if ordered.setdefault(pair, p) != p:
            raise ParameterError(
                Name("edges"), f" must give {quoted(pair[0])} and {quoted(pair[1])} one probability, not two"
            )
    return tuple(sorted((one, other, p) for (one, other), p in ordered.items()))


def _checked_parents(parents: float | str) -> float | Literal["uniform"]:
    if isinstance(parents, str):
        if parents != _UNIFORM:
            raise ParameterError.of("parents", f"a probability or {quoted(_UNIFORM)}", parents)
        return _UNIFORM
    return _probability("parents", parents)


def _probability(parameter: str, value: float) -> float:
    try:
        real = float("nan") if isinstance(value, bool | str) else float(value)
    except (TypeError, ValueError, OverflowError):
        real = float("nan")
    # Neither it nor what it leaves may round to 0, of which there is no logarithm.
    if 1e-300 <= real < 1:
        return real
    certain = "what is certain or impossible belongs into Constraints(required=, forbidden=)" if real in (0, 1) else ""
    raise ParameterError.of(parameter, "a probability between 0 and 1", value, certain)


def _refuse_contradictions(arcs: _Probabilities, edges: _Probabilities) -> None:
    given = {(parent, child): p for parent, child, p in arcs}
    for (parent, child), p in given.items():
        if p + given.get((child, parent), 0.0) >= 1:
            raise ParameterError(
                f"the probabilities of {_arrow(parent, child)} and {_arrow(child, parent)} must leave something for no "
                f"arc between the two, but are {p:g} and {given[child, parent]:g}"
            )
    for one, other, _ in edges:
        if not given.keys().isdisjoint([(one, other), (other, one)]):
            raise ParameterError(
                Name("arcs"), f" and edges both mention {quoted(one)} and {quoted(other)}; drop one of the two"
            )


def _arrow(parent: str, child: str) -> str:
    return f"{quoted(parent)} -> {quoted(child)}"
