"""Seeds of kernels are numpy's independent streams."""

import numpy as np

from arcwise.support.arguments import kernel_seeds


def test_kernel_seeds_are_those_of_spawned_sequences() -> None:
    spawned = np.random.SeedSequence(7).spawn(20)
    assert list(kernel_seeds(7, 20)) == [int(child.generate_state(1, np.uint64)[0]) for child in spawned]
