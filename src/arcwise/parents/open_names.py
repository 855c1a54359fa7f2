"""Sets of names that a budget left open: nearly all variables, said without a list for each of them."""

from collections.abc import Iterable, Iterator, Set
from dataclasses import dataclass

__all__ = ["OpenNames"]


@dataclass(frozen=True, eq=False, repr=False)
class OpenNames(Set[str]):
    """What nothing was found out about, and what was found besides; a set of names that is not listed.

    Ten thousand variables that each keep all others would be a hundred million names. Here they share one set.

    Attributes
    ----------
    shared
        What all variables that were left open have in common.
    without
        Which of these are not in this set.
    besides
        What was found, and is not among the shared ones.

    Examples
    --------
    >>> left = OpenNames(frozenset("abcd"), frozenset("a"), frozenset("x"))
    >>> sorted(left), len(left), "a" in left
    (['b', 'c', 'd', 'x'], 4, False)
    >>> left == {"b", "c", "d", "x"}
    True
    """

    shared: frozenset[str]
    without: frozenset[str]
    besides: frozenset[str] = frozenset()

    @classmethod
    def of(cls, shared: frozenset[str], without: Iterable[str], found: Iterable[str] = ()) -> "OpenNames":
        """Return the shared names without some, and with those that were found."""
        found = frozenset(found)
        return cls(shared, (shared & frozenset(without)) - found, found - shared)

    def __contains__(self, name: object) -> bool:
        return name in self.besides or (name in self.shared and name not in self.without)

    def __iter__(self) -> Iterator[str]:
        yield from self.besides
        yield from (name for name in self.shared if name not in self.without)

    def __len__(self) -> int:
        return len(self.shared) - len(self.without) + len(self.besides)

    def __hash__(self) -> int:
        return hash(frozenset(self))  # that of an equal frozenset

    @classmethod
    def _from_iterable(cls, names: Iterable[str]) -> Set[str]:  # type: ignore[override]
        return frozenset(names)

    def __repr__(self) -> str:
        return f"OpenNames({len(self):,} names)"
