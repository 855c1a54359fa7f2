"""Scores of one's own, written in Python: by the counts of a family, or by the family itself."""

from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field, fields
from math import isfinite, prod
from numbers import Real

import numpy as np
import numpy.typing as npt

from arcwise import _core
from arcwise.data.dataset import Dataset
from arcwise.scores.definitions import PythonScore
from arcwise.support.arguments import number
from arcwise.support.errors import ParameterError
from arcwise.support.quoting import listed, quoted

__all__ = ["CountScore", "Counts", "Family", "FamilyScore"]

#: How often each state of a child occurs: a row for each configuration of its parents that occurs.
Counts = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class Family:
    """A variable and its parents, in the data from which they are scored.

    Attributes
    ----------
    child
        The variable.
    parents
        Its parents, in the order of the data's variables.
    data
        The table, with the weights of its rows.

    Examples
    --------
    >>> data = Dataset.from_codes([[0, 0], [2, 1], [1, 0]], names=["a", "b"])
    >>> family = Family("b", ("a",), data)
    >>> family.states, family.configurations
    (2, 3)
    >>> print(family)
    'b' with the parents 'a'
    """

    child: str
    parents: tuple[str, ...]
    data: Dataset = field(repr=False)

    @property
    def states(self) -> int:
        """How many states the child has, those included that do not occur."""
        return self.data.arities[self.data.index(self.child)]

    @property
    def configurations(self) -> int:
        """How many configurations the parents have, those included that do not occur; 1 without parents."""
        return prod(self.data.arities[self.data.index(parent)] for parent in self.parents)

    def __str__(self) -> str:
        return quoted(self.child) + (f" with the parents {listed(self.parents)}" if self.parents else " alone")


@dataclass(frozen=True)
class CountScore(PythonScore):
    r"""A score of one's own that is made of counts: subclass it and write `of_counts`.

    The parameters of a subclass are the fields of a frozen dataclass; results record them. Set ``is_equivalent = True``
    if Markov-equivalent graphs score the same, and let `check_score` see whether they do: `ges` and other searches over
    equivalence classes need it. All searches take such a score, which is some twenty times as slow as one in C++.
    docs/how-to/own-scores.md builds one step by step.

    Notes
    -----
    A score must depend on its arguments alone: numbers are remembered, and threads take turns. What `of_counts` raises
    ends the search and comes out of it as it is, with a note that says which family it was.

    Examples
    --------
    Likelihood with a penalty for each parent:

    >>> from dataclasses import dataclass
    >>> from arcwise import LocalScore, learn, load_example
    >>> @dataclass(frozen=True)
    ... class Sparse(CountScore):
    ...     price: float = 10.0
    ...
    ...     def of_counts(self, counts, family):
    ...         shares = counts / counts.sum(axis=1, keepdims=True)
    ...         likelihood = (counts * np.log(np.where(counts > 0, shares, 1))).sum()
    ...         return likelihood - self.price * len(family.parents)
    >>> data = load_example("cancer").sample(5000, seed=1)
    >>> LocalScore(data, Sparse()).local("Xray", ["Cancer"]) > LocalScore(data, Sparse()).local("Xray")
    True
    >>> result = learn(data, score=Sparse(price=20), seed=1)
    >>> print(result.provenance.score)
    Sparse(price=20)
    """

    @abstractmethod
    def of_counts(self, counts: Counts, family: Family) -> float:
        """Return the score of a family: a finite number, larger is better.

        Parameters
        ----------
        counts
            How often each state of the child occurs: a row for each configuration of the parents that occurs, in an
            order that means nothing, and a column for each state, zeros included. Without parents there is one row.
        family
            What was counted: the names, and how many states and configurations there are in all.
        """

    def bound_to(self, data: Dataset) -> _core.FamilyFunction:
        """Return the function that gives the scores of families of this data, for the kernels."""

        def of(family: Family, counts: Counts | None) -> float:
            if counts is None:
                raise ParameterError(
                    f"{self} would need too many counts of {family}; limit the parents (max_parents), merge states, or "
                    "write a FamilyScore"
                )
            return self.of_counts(counts, family)

        return _function(self, data, of, wants_counts=True)


@dataclass(frozen=True)
class FamilyScore(PythonScore):
    """A score of one's own that finds its numbers by itself: subclass it and write `of_family`.

    For scores that are not made of counts of states, such as those of continuous columns: the family says which
    variables it is about, and the rest is up to the class. See `CountScore` for what both have in common.

    Examples
    --------
    Numbers from a table that was made elsewhere:

    >>> from dataclasses import dataclass, field
    >>> from arcwise import learn
    >>> @dataclass(frozen=True)
    ... class Known(FamilyScore):
    ...     numbers: dict = field(repr=False, compare=False)
    ...
    ...     def of_family(self, family):
    ...         return self.numbers.get((family.child, family.parents), -9.0)
    >>> numbers = {("a", ()): -3.0, ("b", ()): -3.0, ("b", ("a",)): -1.0}
    >>> data = Dataset.from_codes([[0, 0], [1, 1]], names=["a", "b"])
    >>> learn(data, score=Known(numbers)).dag.arcs
    (('a', 'b'),)
    """

    @abstractmethod
    def of_family(self, family: Family) -> float:
        """Return the score of a family: a finite number, larger is better.

        Parameters
        ----------
        family
            The names of child and parents, and the data. A replica of the data (`bootstrap`) has the same rows in the
            same order, with other ``weights``: a score that ignores them gets the same for all replicas.
        """

    def bound_to(self, data: Dataset) -> _core.FamilyFunction:
        """Return the function that gives the scores of families of this data, for the kernels."""
        return _function(self, data, lambda family, _: self.of_family(family), wants_counts=False)


def _function(
    score: PythonScore, data: Dataset, of: Callable[[Family, Counts | None], float], *, wants_counts: bool
) -> _core.FamilyFunction:
    """Return what the kernels call, with families by index and with answers that are checked."""
    names = data.names

    def answer(child: int, parents: tuple[int, ...], counts: Counts | None) -> float:
        family = Family(names[child], tuple([names[parent] for parent in parents]), data)
        try:
            value = of(family, counts)
        except BaseException as error:
            error.add_note(f"{score} was asked for the score of {family}")
            raise
        return _checked(value, score, family)

    return _core.FamilyFunction(answer, wants_counts, score.is_equivalent, _checked_rounding(score))


def _checked(value: object, score: PythonScore, family: Family) -> float:
    if type(value) is not float:
        if isinstance(value, bool) or not isinstance(value, Real):
            shape = f" of shape {value.shape}" if isinstance(value, np.ndarray) else ""
            what = f"{quoted(value)} ({type(value).__name__}{shape})"
            raise ParameterError(f"{score} must return a number, not {what}, for {family}")
        value = float(value)
    if not isfinite(value):
        raise ParameterError(
            f"{score} must return a finite number, not {value}, for {family}; what must not be is said by constraints"
        )
    return value


def _checked_rounding(score: PythonScore) -> float:
    """Return how exact scores are, if the class is made so that results record what it has."""
    kind = type(score)
    others = sorted(vars(score).keys() - {own.name for own in fields(score)})
    if others and "__dataclass_fields__" not in vars(kind):
        raise ParameterError(
            f"{kind.__name__} keeps {listed(others)} outside of its fields, where no result records it; make "
            f"{kind.__name__} a @dataclass(frozen=True) with these as fields"
        )
    return number("rounding", score.rounding, owner=kind.__name__)
