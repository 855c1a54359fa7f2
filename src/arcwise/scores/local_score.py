"""A score bound to a table of data: what every search asks, where the answers are kept, and what each arc is worth."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from math import fsum
from typing import Any, Unpack

import numpy as np
import numpy.typing as npt

from arcwise import _core
from arcwise.data.dataset import Dataset, ReadingOptions
from arcwise.graph.dag import Dag
from arcwise.graph.nodes import check_same_nodes
from arcwise.scores.definitions import DG, PythonScore, Score, score_named
from arcwise.scores.device.answers import DeviceAnswers
from arcwise.scores.device.choice import OnDevice, checked_device, on_device, reweighted
from arcwise.scores.device.gaussian import GaussianAnswers
from arcwise.scores.engines import core_of, counted_table, is_one_matrix
from arcwise.scores.priors import Adjusted
from arcwise.support.arguments import count, either_spelling, instance
from arcwise.support.errors import GraphError, ParameterError
from arcwise.support.messages import Setting
from arcwise.support.names import index_of, indices_of
from arcwise.support.quoting import quoted

__all__ = ["LocalScore", "adjusted_core", "arc_gains", "gains_by", "targets_of"]

_DEFAULT_CACHE_BYTES = 1 << 30


class LocalScore:
    """A score bound to a `Dataset`: local scores of families, one at a time or in batches.

    Variables are named, or given by their index. Every score is counted once and then kept in a cache. All methods may
    be called from several threads at once.

    Rows in which an experimenter has set a variable (`Dataset.interventions`) say nothing about what it depends on:
    they count for all families but those in which it is the child (Cooper & Yoo 1999, UAI). N stays the number of all
    observations in the penalties that have it (docs/how-to/interventions.md).

    Where values are missing (`Dataset.gaps`), each family is scored on the rows that have all of it
    (`arcwise.scores.definitions` has the formula).

    Parameters
    ----------
    data
        The table: a `Dataset`, or anything `Dataset.of` takes.
    score
        A name, such as bic or bdeu(ess=10), or an object such as ``BDeu(ess=10)`` or one of a class of your own
        (`CountScore`, `FamilyScore`); `Adjusted` adds a prior to it. ``bic``, ``ebic``, ``aic``, ``hqc`` and ``loglik``
        are for all kinds of data, ``bge`` and ``dg`` for continuous variables, all others for states. It is ``bic``
        whatever the size of the data, so that numbers from several tables are of one score; `learn`, which picks
        ``ebic`` for wide data, says so in its result.
    cache_bytes
        Size of the cache of scores; when it is full, old ones are forgotten and counted again when needed.
    device
        Where scores are made: ``cpu``; ``gpu``, large batches on a graphics card (docs/how-to/gpu.md); or ``auto``,
        there if it is quicker. The numbers are the same to the last bit, but for those of continuous tables whose
        products are made there, which differ by less than a billionth.
    reading
        How the table is read: the options of `Dataset.of`, such as ``discretise="quantile"``.

    Notes
    -----
    The environment variable ``ARCWISE_SIMD`` (plain, neon, avx2 or avx512) chooses narrower instructions than the
    machine has; the results are the same.

    Examples
    --------
    >>> from arcwise.data.dataset import Dataset
    >>> data = Dataset.from_codes([[0, 0], [0, 0], [1, 1], [1, 1]], names=["rain", "wet"])
    >>> score = LocalScore(data, "loglik")
    >>> round(score.local("wet"), 4)
    -2.7726
    >>> score.local("wet", ["rain"])
    0.0
    """

    @either_spelling
    def __init__(
        self,
        data: Any,
        score: str | Score = "bic",
        *,
        cache_bytes: int = _DEFAULT_CACHE_BYTES,
        device: str = "cpu",
        **reading: Unpack[ReadingOptions],
    ) -> None:
        data = Dataset.of(data, **reading)
        definition, cache_bytes = score_named(score), count("cache_bytes", cache_bytes)
        table, factor, left = counted_table(data), 1.0, definition
        if isinstance(definition, Adjusted) and data.has_gaps:
            factor, left = definition.penalty_factor, replace(definition, penalty_factor=1.0)
        checked_device(device)
        core = core_of(data, table, definition.base, cache_bytes, penalty_factor=factor, device=device)
        made = on_device(core, table, definition.base, cache_bytes, device)
        self._take_over(data, definition, adjusted_core(made.core, left, data.names, cache_bytes), cache_bytes)
        self._table, self._asked_device, self._made = table, device, made

    def reweighted(self, data: Dataset, *, at_once: int = 1) -> "LocalScore":
        """Return the same score on rows with other weights, as of a replica.

        What is on a card stays there: only the weights are sent.

        Parameters
        ----------
        data
            The rows of this score's data with other weights: `Dataset.with_weights` or `Dataset.bootstrap` of it.
        at_once
            How many of them are asked at the same time. They share a card, and what is not quicker there then is left
            to the processor.

        Examples
        --------
        >>> from arcwise.data.dataset import Dataset
        >>> data = Dataset.from_codes([[0, 0], [0, 1], [1, 1], [1, 1]])
        >>> score = LocalScore(data, "loglik").reweighted(data.with_weights([2, 0, 1, 1]))
        >>> score.local(1, [0])
        0.0
        """
        definition, is_shared = self._score, data.codes is self._data.codes
        is_on_card = isinstance(self._made.answers, DeviceAnswers)
        if not (is_shared and is_on_card and self._table is self._data and data.weights is not None):
            return LocalScore(data, definition, cache_bytes=self._cache_bytes, device=self._asked_device)
        core = core_of(data, counted_table(data), definition.base, self._cache_bytes)
        made = reweighted(self._made, core, data, definition.base, self._cache_bytes, at_once)
        other = LocalScore.__new__(LocalScore)
        adjusted = adjusted_core(made.core, definition, data.names, self._cache_bytes)
        other._take_over(data, definition, adjusted, self._cache_bytes)
        other._table, other._asked_device, other._made = data, self._asked_device, made
        return other

    def _take_over(self, data: Dataset, score: Score, core: _core.LocalScore, cache_bytes: int) -> None:
        """Become the score that a kernel makes of data."""
        self._data, self._table, self._score, self._core = data, data, score, core
        self._position = {name: v for v, name in enumerate(data.names)}
        self._cache_bytes, self._asked_device, self._made = cache_bytes, "cpu", OnDevice(core)

    @property
    def data(self) -> Dataset:
        """The table."""
        return self._data

    @property
    def names(self) -> tuple[str, ...]:
        """The variables."""
        return self._data.names

    @property
    def table(self) -> Dataset:
        """What is counted: the table, with equal rows merged where that pays."""
        return self._table

    @property
    def score(self) -> Score:
        """The score's definition."""
        return self._score

    @property
    def is_equivalent(self) -> bool:
        """Whether Markov-equivalent graphs score the same: by this score, and on this data.

        Of two variables of which one was set in some rows (`Dataset.interventions`), other rows count for an arc than
        for its reversal; so they do for a variable with a parent and without where values are missing; and where a
        discrete variable must not have continuous parents, only one of the two is there.
        """
        return self._core.is_equivalent

    @property
    def has_discrete_first(self) -> bool:
        """Whether discrete variables must not have continuous parents, because the score knows no such family."""
        return _has_discrete_first(self._data, self._score)

    @property
    def targets(self) -> tuple[tuple[str, ...], ...]:
        """Sets of variables that divide equivalence classes: an arc into one of them can be told from its reversal.

        They are the sets that an experimenter has set together; and the continuous variables, where discrete ones must
        not have continuous parents.
        """
        return targets_of(self._data, self._score)

    @property
    def is_one_matrix(self) -> bool:
        """Whether all scores come from one matrix of products, whatever the number of rows."""
        return is_one_matrix(self._data, self._score.base)

    @property
    def device(self) -> str:
        """Where scores are made: cpu or gpu."""
        return "cpu" if self._made.answers is None else "gpu"

    @property
    def why_device(self) -> str | None:
        """Why they are made there, in words; None where it was left to the processor from the start."""
        return self._made.reason

    @property
    def on_card(self) -> DeviceAnswers | GaussianAnswers | None:
        """What answers batches on a card; None on the processor."""
        return self._made.answers

    @property
    def core(self) -> _core.LocalScore:
        """The compiled object, for the kernels."""
        return self._core

    def core_with(self, per_parent: float) -> _core.LocalScore:
        """Return the compiled object of the same score with so much more for each parent."""
        score = self._score
        if isinstance(score, Adjusted) and self._data.has_gaps:
            score = replace(score, penalty_factor=1.0)  # the factor is in what is adjusted here
        return adjusted_core(self._made.core, score, self._data.names, self._cache_bytes, per_parent)

    @property
    def evaluations(self) -> int:
        """How many local scores were counted from the data."""
        return self._core.evaluations

    @property
    def cache_hits(self) -> int:
        """How many local scores were answered from the cache."""
        return self._core.cache_hits

    @property
    def counters(self) -> dict[str, int]:
        """What was counted so far, by the names that results have for it."""
        return {"evaluations": self.evaluations, "cache_hits": self.cache_hits}

    @property
    def rounding(self) -> float:
        """Up to this, differences of local scores are rounding."""
        return self._core.rounding

    def local(self, child: str | int, parents: Iterable[str | int] = ()) -> float:
        """Return the score of a child with the given parents."""
        return self._core.local(*self._family(child, parents))

    def additions(
        self, child: str | int, parents: Iterable[str | int] = (), candidates: Iterable[str | int] | None = None
    ) -> npt.NDArray[np.float64]:
        """Return the score with each candidate as one more parent, in the candidates' order.

        Parameters
        ----------
        child, parents
            The family to add to.
        candidates
            Variables that are neither the child nor a parent; all of those, by index, when not given.
        """
        child_index, parent_indices = self._family(child, parents)
        if candidates is None:
            return self._core.additions(child_index, parent_indices)
        chosen = indices_of(candidates, self._position, "candidates")
        _refuse_repeats([child_index, *parent_indices, *chosen], self._data.names)
        return self._core.additions(child_index, parent_indices, chosen)

    def removals(self, child: str | int, parents: Iterable[str | int]) -> npt.NDArray[np.float64]:
        """Return the score without each of the parents, in the parents' order."""
        return self._core.removals(*self._family(child, parents))

    def total(self, dag: Dag) -> float:
        """Return the score of a graph: the sum over its families. Nodes are matched to variables by name."""
        instance("dag", dag, Dag)
        try:
            check_same_nodes(dag.names, self._data.names, called=("the graph", "the data"))
        except GraphError as error:
            raise ParameterError(str(error)) from None
        # Rounded once, and so the same in any order of the nodes, and as exact searches sum their bounds.
        return fsum(self.local(node, dag.parents(node)) for node in dag.names)

    def check_families(self, dag: Dag) -> None:
        """Refuse a graph with a family that the score does not know: a discrete variable with a continuous parent."""
        if not self.has_discrete_first:
            return
        arities = dict(zip(self._data.names, self._data.arities, strict=True))
        for parent, child in dag.arcs:
            if arities[child] and not arities[parent]:
                raise ParameterError(
                    f"the graph has an arc from {quoted(parent)} to {quoted(child)}, and with {self._score.name} a "
                    "discrete variable cannot have a continuous parent; reverse it, or take ",
                    Setting("score", "dg"),
                )

    def _family(self, child: str | int, parents: Iterable[str | int]) -> tuple[int, list[int]]:
        family = index_of(child, self._position), indices_of(parents, self._position, "parents")
        _refuse_repeats([family[0], *family[1]], self._data.names)
        return family

    def __reduce__(self) -> tuple[Any, ...]:
        return _restore, (self._data, self._score, self._cache_bytes, self._asked_device)

    def __repr__(self) -> str:
        return f"LocalScore({self._score!r}, {self._data.n_observations} × {self._data.n_variables})"


def targets_of(data: Dataset, score: Score) -> tuple[tuple[str, ...], ...]:
    """Return `LocalScore.targets`, without a `LocalScore`."""
    sets = () if data.interventions is None else data.interventions.targets
    return (*sets, tuple(data.names[v] for v in data.continuous)) if _has_discrete_first(data, score) else sets


def _has_discrete_first(data: Dataset, score: Score) -> bool:
    return data.kind == "mixed" and not isinstance(score.base, PythonScore | DG)


def adjusted_core(
    core: _core.LocalScore, score: Score, names: Sequence[str], cache_bytes: int, per_parent: float = 0.0
) -> _core.LocalScore:
    """Return the kernel of a score with what `Adjusted` adds to it, if anything, and so much for each parent."""
    if not isinstance(score, Adjusted):
        return core.adjusted(1.0, per_parent, False, [], cache_bytes) if per_parent else core
    terms = score.prior.terms(names)
    added = terms.per_parent - score.least_gain + per_parent
    return core.adjusted(score.penalty_factor, added, terms.is_uniform, terms.arcs, cache_bytes)


def _restore(data: Dataset, score: Score, cache_bytes: int, device: str) -> LocalScore:
    return LocalScore(data, score, cache_bytes=cache_bytes, device=device)


def _refuse_repeats(variables: Sequence[int], names: Sequence[str]) -> None:
    if len(set(variables)) < len(variables):
        twice = next(v for v in variables if list(variables).count(v) > 1)
        raise ParameterError(f"variable {quoted(names[twice])} is named twice among child, parents and candidates")


def arc_gains(dag: Dag, data: Any, score: str | Score = "bic") -> dict[tuple[str, str], float]:
    """Return for each arc by how much the score of the graph falls without it.

    Scores are natural logarithms, so that after its penalty an arc with a gain of 3 makes the data e³, 20 times as
    probable. A negative gain says that the score is better without the arc.

    Parameters
    ----------
    dag
        The graph.
    data
        A `Dataset` with the graph's variables, or anything `Dataset.of` takes.
    score
        A name, such as bic or bdeu(ess=10), or a score such as ``BDeu(ess=10)``.

    Examples
    --------
    >>> from arcwise import load_example
    >>> network = load_example("cancer")
    >>> gains = arc_gains(network.dag, network.sample(5000, seed=1))
    >>> max(gains, key=gains.get)
    ('Cancer', 'Xray')
    """
    return gains_by(LocalScore(data, score), dag)


def gains_by(local_score: LocalScore, dag: Dag) -> dict[tuple[str, str], float]:
    """Return for each arc by how much the score of the graph falls without it; see `arc_gains`."""
    local_score.total(dag)  # refuses other variables
    gains = {}
    for child in dag.names:
        parents = dag.parents(child)
        if parents:
            score_with = local_score.local(child, parents)
            for parent, score_without in zip(parents, local_score.removals(child, parents).tolist(), strict=True):
                gains[parent, child] = score_with - score_without
    return gains
