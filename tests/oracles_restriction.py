"""A slow, obvious twin of constrained hill climbing (Gámez, Mateo & Puerta 2011); arcs are pairs (parent, child)."""

from collections.abc import Callable

from oracles_graph import Arcs, has_cycle

Local = Callable[[int, list[int]], float]


def constrained_climb(local: Local, n: int, start: Arcs, tolerance: float = 1e-6) -> Arcs:
    """Climb by single additions, deletions and reversals between pairs that no step has shown to be better apart."""
    arcs, apart = start, set[frozenset[int]]()

    def gain(child: int, after: Arcs) -> float:
        return _local(local, child, after) - _local(local, child, arcs)

    while True:
        pairs = [(a, b) for a in range(n) for b in range(n) if a != b]
        toggles = {pair: gain(pair[1], arcs ^ {pair}) for pair in pairs}
        apart |= {
            frozenset(pair)
            for pair, value in toggles.items()
            if (value > tolerance if pair in arcs else value < -tolerance)
        }
        moves = {arcs - {pair}: toggles[pair] for pair in arcs}
        for a, b in pairs:
            if frozenset((a, b)) in apart:
                continue
            if (a, b) in arcs:
                moves[(arcs - {(a, b)}) | {(b, a)}] = toggles[a, b] + toggles[b, a]
            elif (b, a) not in arcs:
                moves[arcs | {(a, b)}] = toggles[a, b]
        better = {graph: value for graph, value in moves.items() if value > tolerance and not has_cycle(n, graph)}
        if not better:
            return arcs
        arcs = max(better, key=lambda graph: better[graph])


def _local(local: Local, child: int, arcs: Arcs) -> float:
    return local(child, sorted(a for a, b in arcs if b == child))
