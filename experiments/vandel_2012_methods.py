"""The searches that Vandel, Mangin & de Givry 2012 compare, as their experiments call them."""

from collections.abc import Callable

import numpy as np

from arcwise import BDeu, Constraints, Dataset, LocalScore, Result
from arcwise.parents.neighbourhoods import CandidateParents
from arcwise.search.classes import ges
from arcwise.search.dags import greedy, look_ahead, mmhc

__all__ = ["CLIMBS", "LIMITED", "METHODS", "MOVES", "SCORE", "Search", "constraints_of", "sgs3_among"]

#: All methods maximise the BDeu score with an equivalent sample size of 1.
SCORE = BDeu(1)

#: For SGS and LAGD. As in the paper, arcs may be at variables that do not vary in a sample.
LIMITED = Constraints(max_parents=5, join_constants=True)

#: How often SGS and LAGD search; the best graph counts.
CLIMBS = 10

#: The neighbourhoods of SGS1, SGS2 and SGS3.
MOVES = {"SGS3": "a*ds*", "SGS2": "adrs", "SGS1": "adr"}

#: Searches a table for a graph that meets constraints, several times, from a seed, on one core.
Search = Callable[[Dataset, Constraints, int, int], Result]


def _sgs(moves: str) -> Search:
    def search(data: Dataset, constraints: Constraints, climbs: int, seed: int) -> Result:
        score = LocalScore(data, SCORE)
        return greedy(score, moves=moves, climbs=climbs, constraints=constraints, seed=seed, workers=1)

    return search


def sgs3_among(candidates: CandidateParents, score: LocalScore, climbs: int, seed: int) -> Result:
    """Return what SGS3 finds where each variable has these candidates for parents only (section 4.3)."""
    moves = MOVES["SGS3"]
    return greedy(
        score, moves=moves, climbs=climbs, constraints=LIMITED, neighbourhood=candidates, seed=seed, workers=1
    )


def _lagd(data: Dataset, constraints: Constraints, climbs: int, seed: int) -> Result:
    """Two steps ahead in five directions, with the variables in another random order each time (footnote 9).

    Ties are broken by position, and the order of a file, which often lists parents first, would give away directions.
    """
    rng = np.random.default_rng([seed, 1])
    orders = [rng.permutation(data.names).tolist() for _ in range(climbs)]
    results = (
        look_ahead(
            LocalScore(data.select(order), SCORE),
            steps=2,
            directions=5,
            constraints=constraints,
            seed=seed,
            workers=1,
        )
        for order in orders
    )
    return max(results, key=lambda result: result.score)


def _mmhc(data: Dataset, constraints: Constraints, climbs: int, seed: int) -> Result:
    """Ties are broken at random, which is what the paper permutes the variables for."""
    return mmhc(LocalScore(data, SCORE), constraints=constraints, climbs=climbs, seed=seed, workers=1)


def _ges(data: Dataset, constraints: Constraints, climbs: int, seed: int) -> Result:
    """Insertions, then deletions, as in the paper's reference for it; once, because restarts only break ties."""
    return ges(LocalScore(data, SCORE), by_phases=True, constraints=constraints, seed=seed, workers=1)


METHODS: dict[str, Search] = {
    **{name: _sgs(moves) for name, moves in MOVES.items()},
    "LAGD": _lagd,
    "GES": _ges,
    "MMHC": _mmhc,
}


def constraints_of(method: str, max_degree: int | None = None) -> Constraints:
    """Return what the paper restricts a method to: SGS and LAGD to five parents, GES perhaps to some adjacent nodes.

    Parameters
    ----------
    method
        The method.
    max_degree
        How many nodes may be adjacent to one where that is GES; None for any number.

    Examples
    --------
    >>> constraints_of("LAGD").max_parents, constraints_of("MMHC").max_parents, constraints_of("GES", 7).max_degree
    (5, None, 7)
    """
    if method == "GES":
        return Constraints(max_degree=max_degree, join_constants=True)
    return LIMITED if method in MOVES or method == "LAGD" else Constraints(join_constants=True)
