"""Batches of families of continuous variables, answered by a card."""

from threading import Lock
from typing import Any

import numpy as np
import numpy.typing as npt

from arcwise import _core
from arcwise.scores.batches import Floats, Found, Improving
from arcwise.scores.device.card import GAUSSIAN_FAMILY, MOST_GAUSSIAN_PARENTS, Card, GaussianMatrix
from arcwise.scores.device.expected import Expected
from arcwise.support.errors import ParameterError
from arcwise.support.machine import gigabytes

__all__ = ["GaussianAnswers"]

Variables = npt.NDArray[np.int32]
Starts = npt.NDArray[np.int64]

# Of the memory that is free, what the matrix may take.
_SHARE_OF_MATRIX = 0.8
# Scores of one row of additions that are on the card at a time.
_BYTES_AT_ONCE = 1 << 28


class GaussianAnswers:
    """A `BatchAnswers` for a score of continuous data, which is made of one matrix of products.

    Columns are eliminated in the order of the kernels, with their roundings, and so the numbers are the same to the
    last bit. Families of more than 16 parents are not scored (NaN).

    Parameters
    ----------
    core
        The kernel, whose matrix is brought to the card.
    card
        The card.

    Raises
    ------
    ParameterError
        If the matrix does not fit there.
    """

    def __init__(self, core: _core.LocalScore, card: Card) -> None:
        values, floors, is_bayesian = _core.gaussian_parts(core)
        free = card.free_bytes()
        if values.nbytes > _SHARE_OF_MATRIX * free:
            raise ParameterError(
                f"the products of all pairs of {len(values):,} variables need {gigabytes(values.nbytes)} on the card, "
                f"and {gigabytes(free)} are free there; use the processor or fewer variables"
            )
        self._core, self.card, self._rounding = core, card, core.rounding
        self._matrix = GaussianMatrix(card.put(values), card.put(floors), is_bayesian)
        self._workspace, self._expected, self._lock = card.workspace(), Expected(len(values)), Lock()

    def scores(self, children: Variables, starts: Starts, parents: Variables) -> Floats:
        """Return the score of each family."""
        return self.found(children, starts, parents)[0]

    def additions(self, children: Variables, starts: Starts, parents: Variables, candidates: Variables) -> Floats:
        """Return a row for each family: its score with each candidate as one more parent, NaN for its own variables."""
        families, places = self._families(children, starts, parents)
        n, card = len(self._matrix.values), self.card
        found = np.full((len(children), len(candidates)), np.nan)
        at_once = max(1, _BYTES_AT_ONCE // (8 * n))
        with self._lock:
            for begin in range(0, len(families), at_once):
                some = families[begin : begin + at_once]
                out = card.xp.full((len(some), n), np.nan)
                card.gaussian_additions(card.begin(self._workspace, len(some), 0), self._matrix, some, out)
                found[places[begin : begin + at_once]] = card.get(out)[:, candidates]
        return found

    def improvements(self, children: Variables, starts: Starts, parents: Variables) -> Improving:
        """Return the score of each family, and of all variables those that improve it as one more parent."""
        own, records = self.found(children, starts, parents)
        return own, *_core.sorted_improvements(records, len(children))

    def found(self, children: Variables, starts: Starts, parents: Variables) -> Found:
        """Return the score of each family, and what improves it as the card has noted it: records in any order."""
        families, places = self._families(children, starts, parents)
        own = np.full(len(children), np.nan)
        records = []
        with self._lock:
            at_once = max(1, len(families))
            begin = 0
            while begin < len(families):
                try:
                    scores, found = self._improve(families[begin : begin + at_once])
                except self.card.out_of_memory:
                    if at_once == 1:
                        raise ParameterError(
                            "the card has too little memory left for this table; close what else uses it, or use the "
                            "processor"
                        ) from None
                    at_once = (at_once + 1) // 2
                    self.card.give_back()
                    continue
                its = places[begin : begin + at_once]
                own[its] = scores
                if len(its) < len(children):
                    found["family"] = its[found["family"]]
                records.append(found.view(np.uint8))
                begin += at_once
        if len(records) == 1:
            return own, records[0]
        return own, np.concatenate([np.zeros(0, dtype=np.uint8), *records])

    def _improve(self, families: Any) -> tuple[Any, Any]:
        """Return the scores of families, and the records of what improves them."""
        most = self._expected.of(len(families))
        while True:
            place = self.card.begin(self._workspace, len(families), most)
            self.card.gaussian_improve(place, self._matrix, families, self._rounding)
            scores, n_found, found = self.card.end(place)
            if found is not None:
                self._expected.note(len(families), n_found)
                return scores, found
            most = n_found

    def _families(self, children: Variables, starts: Starts, parents: Variables) -> tuple[Any, npt.NDArray[np.intp]]:
        """Return the families that are not too large, as a card takes them, and their places in the batch."""
        n_parents = np.diff(starts)
        places = np.flatnonzero(n_parents <= MOST_GAUSSIAN_PARENTS)
        its_children, its_numbers = children[places], n_parents[places]
        families = np.zeros(len(places), dtype=GAUSSIAN_FAMILY)
        families["child"], families["n_parents"] = its_children, its_numbers
        families["own_constant"], families["own_slope"] = _core.gaussian_lines(self._core, its_children, its_numbers)
        more = np.minimum(its_numbers + 1, len(self._matrix.values) - 1)  # where there is no other, none is asked for
        families["constant"], families["slope"] = _core.gaussian_lines(self._core, its_children, more)
        for k in np.unique(its_numbers[its_numbers > 0]).tolist():
            of_size = np.flatnonzero(its_numbers == k)
            families["parents"][of_size, :k] = parents[starts[places[of_size]][:, None] + np.arange(k)]
        return families, places
