"""The real data of Nielsen, Kočka & Peña 2003: customers of an insurance company, and genes of leukaemia patients.

A data folder holds them as they were published, compressed, under ``nielsen/``: ``ticdata2000.txt.xz`` (the training
data of the CoIL Challenge 2000) and ``data_set_ALL_AML_train.csv.xz``, ``data_set_ALL_AML_independent.csv.xz`` and
``actual.csv.xz`` (Golub and others 1999). The paper does not say where the attributes of CoIL were cut in two, and
others made the gene expressions discrete, with a method of a paper that we have not seen (Beibel 2000). So neither is
the authors' table, and scores compare only roughly:

- CoIL: all numbers of policies become none or some. The two other attributes are cut where the score of GES comes
  nearest to the printed one: the best of 14 ways, so that its agreement proves nothing.
- ALL and AML in four ways, see `DISCRETISED`. Of these, `cuts` follows the words of the paper.
"""

import csv
import lzma
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from io import StringIO
from itertools import pairwise
from pathlib import Path

import numpy as np
import numpy.typing as npt

from arcwise import DataError, Dataset

__all__ = ["COIL_CUTS", "DISCRETISED", "Leukaemia", "coil", "leukaemia", "most_informative_cuts"]

Codes = npt.NDArray[np.uint8]
Floats = npt.NDArray[np.float64]

#: The numbers of the attributes, from 1.
COIL_ATTRIBUTES = (2, 43, *range(65, 87))
#: Attributes 2 (houses) and 43 (kind of customer) are cut above these; all 14 ways are 1 or 2, and 1 to 7.
COIL_CUTS = (1, 3)

CALLS = {"A": 0, "M": 1, "P": 2}


def coil(folder: Path, cuts: tuple[int, int] = COIL_CUTS) -> Dataset:
    """Return the 24 attributes of 5,822 customers, each in two states."""
    path = folder / "nielsen" / "ticdata2000.txt.xz"
    lines = [line.replace(",", " ").split() for line in _text(path).splitlines() if line]
    try:
        rows = np.array(lines, dtype=np.int64)
        chosen = rows[:, [attribute - 1 for attribute in COIL_ATTRIBUTES]]
    except (ValueError, IndexError):
        raise DataError(f"{path}: not a table of whole numbers with 86 columns") from None
    codes = chosen > np.array([*cuts, *[0] * (len(COIL_ATTRIBUTES) - 2)])
    return Dataset.from_codes(
        codes.astype(np.uint8), arities=[2] * codes.shape[1], names=[f"A{number}" for number in COIL_ATTRIBUTES]
    )


@dataclass(frozen=True, eq=False)
class Leukaemia:
    """Expressions of genes.

    Attributes
    ----------
    patients
        Their numbers.
    has_aml
        Which of them have acute myeloid leukaemia; the others have the lymphoblastic one.
    levels
        A row for each gene, a column for each patient.
    calls
        Whether the gene is absent, marginal or present: 0, 1, 2.
    """

    patients: tuple[str, ...]
    has_aml: npt.NDArray[np.bool_]
    levels: Floats
    calls: Codes


def leukaemia(folder: Path, cancer: str, way: str) -> Dataset:
    """Return the patients with one cancer, ALL or AML, as variables of three states; genes are the rows."""
    patients = _patients(folder)
    chosen = patients.has_aml if cancer == "AML" else ~patients.has_aml
    codes = np.ascontiguousarray(DISCRETISED[way](patients)[:, chosen])
    names = [f"P{patient}" for patient, is_chosen in zip(patients.patients, chosen, strict=True) if is_chosen]
    return Dataset.from_codes(codes, arities=[3] * len(names), names=names)


@cache
def _patients(folder: Path) -> Leukaemia:
    cancer_of = {row[0]: row[1] for row in _table(folder / "nielsen" / "actual.csv.xz")[1:]}
    levels: dict[str, list[str]] = {}
    calls: dict[str, list[str]] = {}
    for part in ("train", "independent"):
        heading, *rows = _table(folder / "nielsen" / f"data_set_ALL_AML_{part}.csv.xz")
        for place in range(2, len(heading) - 1, 2):
            levels[heading[place]] = [row[place] for row in rows]
            calls[heading[place]] = [row[place + 1] for row in rows]
    names = tuple(levels)
    try:
        return Leukaemia(
            names,
            np.array([cancer_of[name] == "AML" for name in names]),
            np.array([levels[name] for name in names], dtype=np.float64).T,
            np.array([[CALLS[call] for call in calls[name]] for name in names], dtype=np.uint8).T,
        )
    except (ValueError, KeyError) as error:
        raise DataError(f"{folder / 'nielsen'}: the leukaemia data are damaged: {error}") from None


def _thirds(patients: Leukaemia) -> Codes:
    lower, upper = np.quantile(patients.levels, [1 / 3, 2 / 3], axis=1, keepdims=True)
    return _above(patients.levels, lower, upper)


def _widths(patients: Leukaemia) -> Codes:
    least, most = (end(axis=1, keepdims=True) for end in (patients.levels.min, patients.levels.max))
    return _above(patients.levels, least + (most - least) / 3, least + 2 * (most - least) / 3)


def _above(levels: Floats, lower: Floats, upper: Floats) -> Codes:
    return (levels > lower).astype(np.uint8) + (levels > upper).astype(np.uint8)


def _cuts(patients: Leukaemia) -> Codes:
    return np.array([most_informative_cuts(gene, patients.has_aml) for gene in patients.levels])


def most_informative_cuts(levels: Floats, is_positive: npt.NDArray[np.bool_]) -> Codes:
    """Cut levels in three where that tells most about a class; in two, or not at all, where fewer levels differ.

    Examples
    --------
    >>> levels = np.array([5.0, 1.0, 2.0, 8.0, 6.0, 9.0])
    >>> most_informative_cuts(levels, np.array([True, False, False, False, True, False])).tolist()
    [1, 0, 0, 2, 1, 2]
    """
    order = np.argsort(levels, kind="stable")
    ascending = levels[order]
    places = np.flatnonzero(np.diff(ascending) > 0) + 1
    if len(places) < 2:
        return _above(levels, ascending[:1], ascending[-1:])
    positive = np.concatenate([[0], np.cumsum(is_positive[order])])
    first, second = (places[index] for index in np.triu_indices(len(places), 1))
    bounds = (np.zeros_like(first), first, second, np.full_like(first, len(levels)))
    information = np.zeros(len(first))
    for begin, end in pairwise(bounds):
        size, found = end - begin, positive[end] - positive[begin]
        information += _x_log_x(found) + _x_log_x(size - found) - _x_log_x(size)
    best = np.argmax(information)
    return _above(levels, ascending[first[[best]] - 1], ascending[second[[best]] - 1])


def _x_log_x(counts: npt.NDArray[np.int64]) -> Floats:
    return np.multiply(counts, np.log(np.maximum(counts, 1)), dtype=np.float64)


DISCRETISED: dict[str, Callable[[Leukaemia], Codes]] = {
    "cuts": _cuts,
    "thirds": _thirds,
    "widths": _widths,
    "calls": lambda patients: patients.calls,
}
"""Ways to give each expression one of three states, by all 72 patients.

``cuts`` are the two of each gene that tell most about the cancer, ``thirds`` have as many patients each, ``widths`` are
equal parts of the range of a gene, and ``calls`` what the published table says: absent, marginal or present.
"""


def _table(path: Path) -> list[list[str]]:
    return [row for row in csv.reader(StringIO(_text(path), newline="")) if row]


def _text(path: Path) -> str:
    try:
        return lzma.decompress(path.read_bytes()).decode("latin-1")
    except FileNotFoundError:
        raise DataError(f"{path} does not exist; the module's documentation says what it has to be") from None
    except lzma.LZMAError as error:
        raise DataError(f"{path} is damaged: {error}") from None
