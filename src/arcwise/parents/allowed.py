"""Which parent sets of a table constraints allow."""

import numpy as np
import numpy.typing as npt

from arcwise.constraints.constraints import Constraints
from arcwise.constraints.resolved import ResolvedConstraints
from arcwise.parents.set_arrays import SetArrays, counts
from arcwise.support.errors import ParameterError
from arcwise.support.messages import type_of
from arcwise.support.quoting import listed, quoted


def allowed_mask(names: tuple[str, ...], arrays: SetArrays, constraints: Constraints) -> npt.NDArray[np.bool_]:
    """Whether each set has all required parents, no forbidden one, and not too many.

    Raises
    ------
    ParameterError
        If no set of some variable is allowed; the message counts the reasons.
    """
    if not isinstance(constraints, Constraints):
        raise ParameterError.of("constraints", "Constraints", type_of(constraints))
    resolved = constraints.resolve(names)
    return np.concatenate([_of_variable(variable, names, arrays, resolved) for variable in range(len(names))])


def _of_variable(
    variable: int, names: tuple[str, ...], arrays: SetArrays, resolved: ResolvedConstraints
) -> npt.NDArray[np.bool_]:
    begin, members = arrays.members_of(variable)
    required, limit = resolved.required_parents(variable), int(resolved.max_parents[variable])
    forbidden = counts(begin, ~resolved.are_allowed(variable, members)) > 0
    lacking = counts(begin, np.isin(members, required)) < len(required)
    too_large = np.diff(begin) > limit
    keep: npt.NDArray[np.bool_] = ~(forbidden | lacking | too_large)
    if not keep.any():
        reasons = [
            (forbidden, "with a parent that it must not have"),
            (lacking, f"without all of {listed(names[parent] for parent in required)}"),
            (too_large, f"with more than {limit} parents"),
        ]
        counted = ", ".join(f"{np.count_nonzero(wrong):,} {words}" for wrong, words in reasons if wrong.any())
        raise ParameterError(
            f"the constraints allow none of the {keep.size:,} parent sets of {quoted(names[variable])} ({counted}); "
            "relax them, or use a table with more sets"
        )
    return keep
