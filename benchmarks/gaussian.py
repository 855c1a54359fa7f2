"""How fast scores of continuous data are made, beside the machine's limit.

Run ``python -m benchmarks.gaussian``. One more parent that has f columns of parents before it and r after it takes
f² + 2f + (r + 1)(2f + 3) + r (r + 1)(2r + 13) / 6 multiplications and subtractions, and 30 more for a logarithm, of
which BIC takes one and BGe r + 2; the r + 1 divisions, and one for each logarithm, are not counted. The limit is a bare
loop of multiplications and subtractions in registers. Seconds are those of the process.
"""

import math

import numpy as np
from rich.console import Console
from rich.table import Table

from arcwise import _core
from arcwise.scores.gram import Gram, centred_gram
from benchmarks.machine import machine

console = Console(width=110)

_OF_LOGARITHM = 30
_INSTRUCTIONS = ("plain", "avx2", "avx512")


def main() -> None:
    """Print a table for each score and set of instructions that this machine has."""
    console.print(machine())
    gram = centred_gram(np.random.default_rng(0).normal(size=(2_000, 1_000)))
    for name in _INSTRUCTIONS[: _INSTRUCTIONS.index(_core.instructions()) + 1]:
        for title, score in (("BIC", _penalised(gram, name)), ("BGe", _bayesian(gram, name))):
            console.print(additions_table(title, name, score))


def additions_table(title: str, instructions: str, score: _core.LocalScore, n_variables: int = 1_000) -> Table:
    """Return the rate of "all additions" by the number of parents."""
    table = Table(
        title=f"All additions, {n_variables:,} variables, {title}, {instructions}, one core", title_justify="left"
    )
    for heading in ("parents", "ns per score", "10⁶ scores/s", "flops per score", "10⁹ flops/s", "bare loop", "ratio"):
        table.add_column(heading, justify="right")
    rng = np.random.default_rng(1)
    for n_parents in (0, 1, 2, 3, 5, 8, 15, 30):
        child, *parents = rng.choice(n_variables, n_parents + 1, replace=False).tolist()
        bare, ours = [], []
        for _ in range(5):  # interleaved, because the machine's speed drifts
            bare.append(_core.multiply_subtract_rate(0.02, instructions))
            ours.append(_core.addition_rate(score, child, parents, 0.02))
        flops = _mean_flops(n_variables, child, parents, is_bayesian=title == "BGe")
        rate = max(ours)
        table.add_row(
            str(n_parents),
            f"{1e9 / rate:.1f}",
            f"{rate / 1e6:.0f}",
            f"{flops:.0f}",
            f"{rate * flops / 1e9:.1f}",
            f"{max(bare) / 1e9:.1f}",
            f"{rate * flops / max(bare):.2f}",
        )
    return table


def _mean_flops(n_variables: int, child: int, parents: list[int], *, is_bayesian: bool) -> float:
    """Return the multiplications and subtractions of an addition, on average over all candidates."""
    candidates = np.setdiff1d(np.arange(n_variables), [child, *parents])
    f = np.searchsorted(np.sort(parents), candidates).astype(float)
    r = len(parents) - f
    flops = f * f + 2 * f + (r + 1) * (2 * f + 3) + r * (r + 1) * (2 * r + 13) / 6
    return float((flops + _OF_LOGARITHM * (r + 2 if is_bayesian else 1)).mean())


def _penalised(gram: Gram, instructions: str) -> _core.LocalScore:
    n = len(gram.scales)
    score = _core.PenalisedGaussian(math.log(gram.n_observations) / 2)
    return _core.LocalScore.gaussian(
        gram.matrix, [1] * n, np.log(gram.scales).tolist(), gram.n_observations, score, instructions, 0
    )


def _bayesian(gram: Gram, instructions: str) -> _core.LocalScore:
    n = len(gram.scales)
    matrix = gram.scatter() + 0.5 * np.eye(n)
    score = _core.BayesianGaussian(1.0, n + 2.0)
    return _core.LocalScore.gaussian(matrix, [1] * n, [0.0] * n, gram.n_observations, score, instructions, 0)


if __name__ == "__main__":
    main()
