"""What tests of posteriors share."""

import numpy as np
import numpy.typing as npt


def known(probabilities: npt.NDArray[np.float64] | None) -> npt.NDArray[np.float64]:
    """The probabilities, which must be there."""
    assert probabilities is not None
    return probabilities
