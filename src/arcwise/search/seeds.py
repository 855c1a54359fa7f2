"""Seeds: drawn when none is given, recorded always."""

import operator
import secrets

import numpy as np

from arcwise.errors import ParameterError

__all__ = ["kernel_seed", "recorded_seed"]


def recorded_seed(seed: int | None) -> int:
    """Return the seed to use and to record: the given one, or a fresh one for None. 0 is a seed like any other."""
    if seed is None:
        return secrets.randbits(32)
    try:
        number = operator.index(seed)
    except TypeError:
        raise ParameterError(f"seed must be a whole number of at least 0 or None, got {seed!r}") from None
    if number < 0:
        raise ParameterError(f"seed must be a whole number of at least 0 or None, got {seed!r}")
    return number


def kernel_seed(seed: int) -> int:
    """Return 64 well-mixed bits for a kernel's generator."""
    return int(np.random.SeedSequence(seed).generate_state(1, np.uint64)[0])
