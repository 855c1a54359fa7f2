"""The score for data of some size, where none is asked for."""

from arcwise.data.dataset import Dataset
from arcwise.scores.chance import pairs_by_chance
from arcwise.scores.definitions import BIC, EBIC, Score, score_named
from arcwise.support.quoting import listed, numbered

__all__ = ["AUTO", "planned_score", "score_for"]

AUTO = "auto"
"""The word that leaves the score to the size of the data."""

# BIC is kept as long as it joins at most so many pairs of independent variables, for each variable, by chance: with
# more, half of the arcs of a sparse network are wrong. With fewer rows than variables, fewer arcs are right too.
_MOST_BY_CHANCE = 4.0
_MOST_BY_CHANCE_IF_SHORT = 1.0
# Where it is not kept, one of these takes its place: the smallest with so few, or the last.
_GAMMAS = (0.5, 1.0)
_FEW_BY_CHANCE = 0.05


def score_for(data: Dataset, score: str | Score) -> Score:
    """Return the score of a name, or that for data of this size where it is ``auto``.

    Examples
    --------
    >>> import numpy as np
    >>> score_for(Dataset.from_codes(np.zeros((50, 100), dtype=np.uint8), arities=[2] * 100), "auto")
    EBIC(gamma=1.0)
    """
    return planned_score(data)[0] if isinstance(score, str) and score == AUTO else score_named(score)


def planned_score(data: Dataset) -> tuple[Score, str]:
    """Return the score for data of this size, and why, in words.

    It is `BIC`, unless the data are wide: unless BIC would join so many pairs of variables by chance alone
    (`arcwise.scores.chance`) that most arcs were wrong. These are more than four for each variable, or more than one
    where there are more variables than rows. Then it is `EBIC`, with a `gamma` of 0.5 if that joins at most one pair by
    chance for 20 variables, else of 1.

    Parameters
    ----------
    data
        What is learned from; only its size and the numbers of states matter.

    Examples
    --------
    >>> import numpy as np
    >>> planned_score(Dataset.from_codes(np.zeros((500, 37), dtype=np.uint8), arities=[2] * 37))
    (BIC(), '500 rows of 37 variables: BIC would add about 0.23 false arcs per variable by chance')
    >>> planned_score(Dataset.from_codes(np.zeros((50, 100), dtype=np.uint8), arities=[2] * 100))
    (EBIC(gamma=1.0), '50 rows of 100 variables: BIC would add about 2.4 ... per variable ..., EBIC(gamma=1) 0.015')
    """
    n, rows = data.n_variables, data.n_observations
    about = f"{numbered(n, 'variable')}{_continuous_among(data)}"

    def per_variable(gamma: float) -> float:
        return pairs_by_chance(data.arities, rows, gamma) / max(1, n)

    by_bic = per_variable(0.0)
    reason = (
        f"{numbered(rows, 'row')} of {about}: BIC would add about {_rough(by_bic)} false arcs per variable by chance"
    )
    if by_bic <= (_MOST_BY_CHANCE_IF_SHORT if rows < n else _MOST_BY_CHANCE):
        return BIC(), reason
    gamma = next((gamma for gamma in _GAMMAS if per_variable(gamma) <= _FEW_BY_CHANCE), _GAMMAS[-1])
    return EBIC(gamma), f"{reason}, {EBIC(gamma)} {_rough(per_variable(gamma))}"


def _continuous_among(data: Dataset) -> str:
    """Return words for the variables that are taken as numbers; none where all have states."""
    if data.kind == "discrete":
        return ""
    if data.kind == "continuous":
        return ", all continuous"
    return f", of which {len(data.continuous):,} are continuous ({listed([data.names[v] for v in data.continuous])})"


def _rough(number: float) -> str:
    """Return a number in two digits, or more where these are whole."""
    return f"{number:,.0f}" if number >= 10 else f"{number:.2g}"
