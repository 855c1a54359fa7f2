"""Seeds: drawn when none is given, recorded always; 0 is a seed like any other."""

import operator
import secrets
from collections.abc import Iterator

import numpy as np

from arcwise.support.arguments import count
from arcwise.support.errors import ParameterError
from arcwise.support.messages import InPython

__all__ = ["kernel_seed", "kernel_seeds", "recorded_seed", "seed_sequence"]


def recorded_seed(seed: int | None) -> int:
    """Return the seed to use and to record: the given one, or a fresh one for None."""
    if seed is None:
        return secrets.randbits(32)
    try:
        number = -1 if isinstance(seed, bool) else operator.index(seed)
    except TypeError:
        number = -1
    if number < 0:
        raise ParameterError.of("seed", ("a whole number of at least 0", InPython(" or None")), seed)
    return number


def seed_sequence(seed: int | None) -> np.random.SeedSequence:
    """Return a source of independent random streams."""
    return np.random.SeedSequence(recorded_seed(seed))


def kernel_seed(seed: int) -> int:
    """Return the seed of one kernel as it is given: a whole number of 64 bits."""
    return count("seed", seed)


def kernel_seeds(seed: int, count: int) -> Iterator[int]:
    """Give seeds of 64 well-mixed bits for `count` independent kernels; the first ones do not depend on the count.

    One at a time, because a budget often ends long before the count is reached.
    """
    for number in range(count):
        child = np.random.SeedSequence(seed, spawn_key=(number,))  # as SeedSequence.spawn makes them
        yield int(child.generate_state(1, np.uint64)[0])
