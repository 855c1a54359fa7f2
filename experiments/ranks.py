"""Methods compared on several datasets by their ranks: the tests of Friedman and Nemenyi.

As in Demšar 2006, "Statistical comparisons of classifiers over multiple data sets", JMLR 7. Values are tables with one
line for each dataset and one column for each method; rank 1 is the best method of a line, and ties share their ranks.
"""

import warnings
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import numpy.typing as npt
from scipy.stats import friedmanchisquare, rankdata

__all__ = [
    "SIGNIFICANT",
    "friedman",
    "has_nemenyi",
    "in_order",
    "mean_ranks",
    "nemenyi",
    "ordered",
    "plot_critical_differences",
]

Values = npt.NDArray[np.float64]

#: Differences count below this p-value.
SIGNIFICANT = 0.05


def mean_ranks(values: Values, *, larger_is_better: bool = True) -> Values:
    """Average rank of each method; lines with a value that is not a number are left out.

    Examples
    --------
    >>> mean_ranks(np.array([[3.0, 2.0, 1.0], [5.0, 5.0, 1.0], [1.0, np.nan, 2.0]])).tolist()
    [1.25, 1.75, 3.0]
    """
    known = values[~np.isnan(values).any(axis=1)]
    ranks: Values = rankdata(-known if larger_is_better else known, axis=1).mean(axis=0)
    return ranks


def friedman(values: Values) -> float:
    """Probability of ranks as uneven as these if the methods were all the same; not a number if all values are ties.

    Examples
    --------
    >>> round(friedman(np.array([[3.0, 2.0, 1.0]] * 4)), 4)
    0.0183
    """
    with warnings.catch_warnings(), np.errstate(invalid="ignore", divide="ignore"):
        warnings.simplefilter("ignore", RuntimeWarning)  # of dividing by the spread of ties
        return float(friedmanchisquare(*values.T).pvalue)


def ordered(names: Sequence[str], ranks: Values) -> list[str]:
    """Names from the best mean rank to the worst.

    Examples
    --------
    >>> ordered(["a", "b", "c"], np.array([2.5, 1.0, 2.5]))
    ['b', 'a', 'c']
    """
    return [names[at] for at in np.argsort(ranks, kind="stable")]


def in_order(names: Sequence[str], ranks: Values, separator: str = ", ") -> str:
    """Names from the best mean rank to the worst, with their ranks, in words.

    Examples
    --------
    >>> in_order(["a", "b", "c"], np.array([2.5, 1.0, 2.5]))
    'b 1.00, a 2.50, c 2.50'
    """
    return separator.join(f"{name} {ranks[names.index(name)]:.2f}" for name in ordered(names, ranks))


def has_nemenyi() -> bool:
    """Whether what `nemenyi` and `plot_critical_differences` need is installed: ``pip install 'arcwise[bench]'``."""
    return all(find_spec(module) is not None for module in ("scikit_posthocs", "matplotlib"))


def nemenyi(values: Values) -> Values:
    """P-values of all pairs of methods, after Nemenyi."""
    from scikit_posthocs import posthoc_nemenyi_friedman

    p_values: Values = posthoc_nemenyi_friedman(values).to_numpy(dtype=np.float64)
    return p_values


def plot_critical_differences(path: Path, title: str, names: Sequence[str], ranks: Values, p_values: Values) -> None:
    """Draw the mean ranks on a line, with bars over methods that do not differ significantly, to a PNG or SVG file."""
    import pandas as pd
    from matplotlib.figure import Figure
    from scikit_posthocs import critical_difference_diagram

    figure = Figure(figsize=(6, 1.8), layout="constrained")
    axes = figure.add_subplot(title=title)
    labels = list(names)
    critical_difference_diagram(
        pd.Series(ranks, index=labels),
        pd.DataFrame(p_values, index=labels, columns=labels),
        ax=axes,
        alpha=SIGNIFICANT,
        label_fmt_left="{label} {rank:.2f}",
        label_fmt_right="{rank:.2f} {label}",
    )
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=150)
