"""Slow, obvious twins of what tables of parent sets answer; sets are pairs (score, frozenset of parents)."""

from collections.abc import Collection, Sequence

Sets = Sequence[tuple[float, frozenset[str]]]


def best_first(sets: Sets, names: Sequence[str]) -> list[tuple[float, tuple[str, ...]]]:
    """The sets by falling score, then by size, then by the positions of their members."""
    listed = [(score, sorted(map(names.index, members))) for score, members in sets]
    listed.sort(key=lambda entry: (-entry[0], len(entry[1]), entry[1]))
    return [(score, tuple(names[member] for member in members)) for score, members in listed]


def best_within(
    sets: Sets, names: Sequence[str], predecessors: Collection[str]
) -> tuple[float, tuple[str, ...]] | None:
    """The best of the sets whose members are all predecessors."""
    fitting = [(score, members) for score, members in sets if members <= frozenset(predecessors)]
    return best_first(fitting, names)[0] if fitting else None


def undominated(sets: Sets) -> set[frozenset[str]]:
    """The sets that score more than each of their proper subsets."""
    return {
        members for score, members in sets if all(other_score < score for other_score, other in sets if other < members)
    }


def plain_jkl(text: str) -> dict[str, list[tuple[float, frozenset[str]]]]:
    """What a jkl text says, for texts that are known to be right."""
    lines = [line.split() for line in text.splitlines() if line.strip() and not line.startswith("#")]
    table: dict[str, list[tuple[float, frozenset[str]]]] = {}
    at = 1
    while at < len(lines):
        name, n_sets = lines[at]
        table[name] = [(float(row[0]), frozenset(row[2:])) for row in lines[at + 1 : at + 1 + int(n_sets)]]
        at += 1 + int(n_sets)
    return table
