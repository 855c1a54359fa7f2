"""The benchmark of posteriors: its own enumeration against exact sums."""

import numpy as np

from arcwise import LocalScore, posterior
from benchmarks.posterior import against_enumeration, enumerated, random_table


def test_enumeration_and_exact_sums_agree() -> None:
    assert against_enumeration(tables=2, n=4) < 1e-9


def test_chains_are_near_the_enumeration() -> None:
    data = random_table(4, 60, 3)
    arcs, _ = enumerated(LocalScore(data, "bdeu"))
    found = posterior(data, method="partition", seed=1)
    assert np.abs(found.arcs.toarray() - arcs).max() < 1.5 * found.error
