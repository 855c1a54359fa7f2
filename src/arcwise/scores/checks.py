"""Whether a score keeps what it promises, tried on random families of data."""

from collections.abc import Iterator
from itertools import islice
from typing import NamedTuple

import numpy as np

from arcwise.data.dataset import Dataset
from arcwise.scores.definitions import Score
from arcwise.scores.local_score import LocalScore
from arcwise.support.arguments import count, recorded_seed
from arcwise.support.quoting import listed, quoted

__all__ = ["check_score"]

# A covered arc and its reversal are sums of two scores each, and those of other data are summed in another order.
_ROUNDINGS = 4


class _Draw(NamedTuple):
    """Two variables and some others, which are parents of either."""

    one: str
    other: str
    parents: tuple[str, ...]

    @property
    def larger(self) -> tuple[str, ...]:
        return (*self.parents, self.one)


def check_score(
    score: str | Score, data: Dataset, *, families: int = 100, max_parents: int = 3, seed: int | None = None
) -> tuple[str, ...]:
    """Try a score on random families, and say where it does not keep what it promises; nothing where it does.

    Searches rely on three things: a family that is asked for twice gets the same number; the order of the variables in
    the data makes no difference; and, where the score says so (``is_equivalent``) and the data does not prevent it
    (`LocalScore.is_equivalent`), the two graphs that differ in a covered arc score the same, to which Markov
    equivalence comes down (Chickering 1995, UAI). What the score raises itself comes out as it is.

    Parameters
    ----------
    score
        The score: of a class of your own, or any other.
    data
        What to score.
    families
        How many families to try.
    max_parents
        The most parents that two variables share.
    seed
        Draws the families; None draws a seed.

    Returns
    -------
    tuple of str
        What is wrong, with the first family that shows it.

    Examples
    --------
    >>> from arcwise import BDeu, CountScore, load_example
    >>> data = load_example("asia").sample(500, seed=1)
    >>> check_score(BDeu(ess=10), data)
    ()
    >>> class Halved(CountScore):
    ...     is_equivalent = True
    ...
    ...     def of_counts(self, counts, family):
    ...         return -float(counts.max()) / 2
    >>> for problem in check_score(Halved(), data, seed=1):
    ...     print(problem.partition(":")[0])
    is_equivalent is True, but graphs that differ in a covered arc score differently
    """
    first, again = LocalScore(data, score), LocalScore(data, score)
    swapped = LocalScore(data.select(data.names[::-1]), score)
    tolerance = _ROUNDINGS * first.rounding
    draws = list(islice(_draws(data.names, max_parents, recorded_seed(seed)), count("families", families, least=1)))

    def repeats(draw: _Draw) -> tuple[float, float]:
        return first.local(draw.other, draw.larger), again.local(draw.other, draw.larger)

    def ignores_order(draw: _Draw) -> tuple[float, float]:
        return first.local(draw.other, draw.larger), swapped.local(draw.other, draw.larger)

    def is_equivalent(draw: _Draw) -> tuple[float, float]:
        one, other, parents = draw
        forward = first.local(one, parents) + first.local(other, (*parents, one))
        return forward, first.local(other, parents) + first.local(one, (*parents, other))

    checks = [
        (repeats, 0.0, "a family that is scored twice gets different numbers", "{family}"),
        (ignores_order, tolerance, "the order of the variables in the data changes the score", "{family}"),
    ]
    if first.is_equivalent:
        wrong = "is_equivalent is True, but graphs that differ in a covered arc score differently"
        checks.append((is_equivalent, tolerance, wrong, "{one} -> {other} or reversed, {parents}"))
    problems = []
    for check, most, wrong, where in checks:
        for draw in draws:
            a, b = check(draw)
            if abs(a - b) > most:
                problems.append(f"{wrong}: {a} and {b} for {_words(draw, where)}")
                break
    return tuple(problems)


def _draws(names: tuple[str, ...], max_parents: int, seed: int) -> Iterator[_Draw]:
    generator, most = np.random.default_rng(seed), min(count("max_parents", max_parents), len(names) - 2)
    while len(names) > 1:
        some = generator.permutation(len(names))[: 2 + generator.integers(most + 1)]
        one, other, *parents = (names[v] for v in some)
        yield _Draw(one, other, tuple(parents))


def _words(draw: _Draw, where: str) -> str:
    parents = f"both with the parents {listed(draw.parents)}" if draw.parents else "without other parents"
    return where.format(
        family=f"{quoted(draw.other)} with the parents {listed(draw.larger)}",
        one=quoted(draw.one),
        other=quoted(draw.other),
        parents=parents,
    )
