"""How many improvements a batch may have: memory for them is taken before they are known."""

__all__ = ["Expected"]

# Improvements that have a place in any case: in all, and of each family.
_FEW_FOUND = 1 << 16
_FOUND_PER_FAMILY = 64
# What is taken besides, where a batch before had more.
_SPARE = 1.25


class Expected:
    """How many improvements are expected, by what the last batch that had many had.

    A batch with more of them is scored again, with a place for all.

    Parameters
    ----------
    n_variables
        What may improve a family, at most.

    Examples
    --------
    >>> expected = Expected(1000)
    >>> expected.of(4096)
    262144
    >>> expected.note(4096, 2_000_000)
    >>> expected.of(4096)
    2500000
    """

    def __init__(self, n_variables: int) -> None:
        self._n_variables, self._per_family = n_variables, float(_FOUND_PER_FAMILY)

    def of(self, n_families: int) -> int:
        """Return for how many improvements of so many families there should be a place."""
        return max(_FEW_FOUND, int(n_families * min(self._per_family, self._n_variables)))

    def note(self, n_families: int, n_found: int) -> None:
        """Note how many there were."""
        if n_found > _FEW_FOUND:
            self._per_family = max(_FOUND_PER_FAMILY, _SPARE * n_found / n_families)
