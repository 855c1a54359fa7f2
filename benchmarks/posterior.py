"""Posteriors of arcs: exact sums against enumeration, chains against exact sums, and how long large networks take.

Run ``python -m benchmarks.posterior --data ../shared/data``, or with ``--quick`` for the small ones only. ``--bidag
RSCRIPT`` and ``--sumu PYTHON`` name an Rscript with BiDAG and a Python with sumu (`benchmarks.posterior_peers`), which
then draw from the same posterior.

Seconds are those of the processor, of all threads together, so that others on the machine do not count. The error is
the largest difference of the probability of an arc, or of an edge, from the exact one. A program is done with the
seconds from which on its error stays below 0.02: arcwise's chains are run anew to a smaller and smaller precision, the
other programs' are looked at after parts of their iterations, each √2 times as long as the one before.
"""

import argparse
import statistics
import time
from collections.abc import Iterator, Sequence
from math import isinf
from operator import attrgetter
from pathlib import Path

import numpy as np
import numpy.typing as npt

from arcwise import ArcPosterior, BayesianNetwork, Dag, Dataset, LocalScore, load_example, posterior, read_network
from benchmarks.machine import machine
from benchmarks.posterior_peers import Peer, Point, bidag, point_of, seconds_to_stay_below, sumu
from experiments.debd import data_folder

ERROR = 0.02
PRECISIONS = (0.1, 0.06, 0.05, 0.04, 0.03, 0.025, 0.02, 0.015)
SMALL = (("sachs", 1000), ("child", 500))
LARGE = (("alarm", 1000), ("hailfinder", 1000), ("andes", 1000))
LARGE_SECONDS = 900.0
PARTS = ("enumeration", "exact", "large")

ARC_ERROR = attrgetter("arc_error")
EDGE_ERROR = attrgetter("edge_error")

Probabilities = npt.NDArray[np.float64]


def main() -> None:
    """Print all tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, help="the data folder; $ARCWISE_DATA otherwise")
    parser.add_argument("--quick", action="store_true", help="no large networks, and sachs only")
    parser.add_argument("--bidag", metavar="RSCRIPT", help="an Rscript with BiDAG")
    parser.add_argument("--sumu", metavar="PYTHON", help="a Python with sumu")
    parser.add_argument("--iterations", type=int, default=300_000, help="of the other programs' chains")
    parser.add_argument("--seeds", type=int, default=3, help="of each program")
    parser.add_argument("--parts", nargs="+", choices=PARTS, default=PARTS, help="which tables")
    parser.add_argument("--networks", nargs="+", help="only these, of all that a table has")
    options = parser.parse_args()
    print(machine())
    peers = [make(at) for make, at in ((bidag, options.bidag), (sumu, options.sumu)) if at is not None]
    small, large_ones = (
        [case for case in cases if options.networks is None or case[0] in options.networks] for cases in (SMALL, LARGE)
    )
    if "enumeration" in options.parts:
        against_enumeration()
    if "exact" in options.parts:
        against_exact(small[:1] if options.quick else small, peers, options.iterations, options.seeds)
    if "large" in options.parts and not options.quick:
        large(data_folder(options.data), large_ones)


def against_enumeration(tables: int = 5, n: int = 5) -> float:
    """Compare exact sums with all graphs of five variables; return the largest difference."""
    print(f"\nexact sums against all graphs of {n} variables\nrows   arcs     ancestors")
    worst = 0.0
    for seed in range(tables):
        data = random_table(n, 50 * 2**seed, seed)
        found = posterior(data, method="exact")
        arcs, ancestors = enumerated(LocalScore(data, "bdeu"))
        errors = [
            float(np.abs(one - other).max())
            for one, other in ((found.arcs.toarray(), arcs), (np.asarray(found.ancestors), ancestors))
        ]
        worst = max(worst, *errors)
        print(f"{data.n_observations:4}   {errors[0]:.1e}  {errors[1]:.1e}")
    return worst


def random_table(n: int, n_rows: int, seed: int) -> Dataset:
    """Return columns of which each follows one before it half of the time."""
    rng = np.random.default_rng(seed)
    codes = rng.integers(2, size=(n_rows, n), dtype=np.uint8)
    for v in range(1, n):
        follows = rng.random(n_rows) < 0.5
        codes[follows, v] = codes[follows, rng.integers(v)]
    return Dataset.from_codes(codes, arities=[2] * n)


def enumerated(score: LocalScore) -> tuple[Probabilities, Probabilities]:
    """Return probabilities of arcs and ancestors, by all graphs one after the other."""
    n = len(score.names)
    sets = [[mask for mask in range(2**n) if not mask >> child & 1] for child in range(n)]
    local = [
        {mask: score.local(child, [v for v in range(n) if mask >> v & 1]) for mask in sets[child]} for child in range(n)
    ]
    totals, arcs, ancestors = [], [], []
    for graph in acyclic(sets, n):
        totals.append(sum(local[child][mask] for child, mask in enumerate(graph)))
        matrix = np.array([[mask >> v & 1 for mask in graph] for v in range(n)], dtype=bool)
        closed = matrix
        for _ in range(n):
            closed = closed | (closed.astype(np.uint8) @ matrix.astype(np.uint8) > 0)
        arcs.append(matrix)
        ancestors.append(closed)
    weights = np.exp(np.array(totals) - max(totals))
    weights /= weights.sum()
    return np.tensordot(weights, np.array(arcs), 1), np.tensordot(weights, np.array(ancestors), 1)


def acyclic(sets: list[list[int]], n: int) -> Iterator[tuple[int, ...]]:
    """Give the parents of every node as bits, for all graphs without cycles."""

    def grow(graph: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
        if _has_cycle(graph):
            return
        if len(graph) == n:
            yield graph
            return
        for mask in sets[len(graph)]:
            yield from grow((*graph, mask))

    return grow(())


def _has_cycle(graph: tuple[int, ...]) -> bool:
    """Say whether those nodes that have parents already are on a cycle."""
    left = (1 << len(graph)) - 1
    while left:
        sources = [v for v, mask in enumerate(graph) if left >> v & 1 and not mask & left]
        if not sources:
            return True
        left &= ~sum(1 << v for v in sources)
    return False


def against_exact(cases: Sequence[tuple[str, int]], peers: Sequence[Peer], iterations: int, seeds: int) -> None:
    """Compare chains with exact sums, ours and those of others."""
    print(f"\nchains against exact sums, until the error stays below {ERROR}")
    for name, n_rows in cases:
        network = load_example(name)
        data = Dataset.from_codes(np.asarray(network.sample(n_rows, seed=1).codes))
        begin = time.process_time()
        exact = posterior(data, method="exact")
        print(f"{name}, {n_rows} rows: exact in {time.process_time() - begin:.2f} s, rounding {exact.error:.0e}")
        truth = exact.arcs.toarray()
        ours = [our_curve(data, truth, seed) for seed in range(1, seeds + 1)]
        compare("arcwise", ours, ours)
        graph = Dag(data.names, [(data.names[tail], data.names[head]) for tail, head in index_arcs(network.dag)])
        score = LocalScore(data, "bdeu").total(graph)
        for peer in peers:
            theirs = []
            for seed in range(1, seeds + 1):
                try:
                    curve = peer.curve(data, graph, truth, iterations, seed)
                except RuntimeError as error:
                    print(f"  {peer.name} failed: {error}")
                    break
                theirs.append(curve.points)
                steps = ", ".join(
                    f"{one.seconds:.1f} s {one.arc_error:.3f} {one.edge_error:.3f}" for one in curve.points
                )
                apart = f"a graph's score differs by {curve.graph_score - score:+.0e}"
                print(f"  {peer.name}, seed {seed}, {iterations:,} iterations, {apart}; errors of arcs, edges: {steps}")
            if theirs:
                compare(peer.name, theirs, ours)


def index_arcs(dag: Dag) -> list[tuple[int, int]]:
    """Return the arcs by the places of their ends."""
    return [(parent, child) for child, parents in enumerate(dag.parent_indices) for parent in parents]


def compare(name: str, theirs: Sequence[Sequence[Point]], ours: Sequence[Sequence[Point]]) -> None:
    """Print by seed when a program's errors are small, and how many times as long as ours its median takes."""
    for what, error_of in (("arcs", ARC_ERROR), ("edges", EDGE_ERROR)):
        found, mine = (
            [seconds_to_stay_below([(one.seconds, error_of(one)) for one in points], ERROR) for points in curves]
            for curves in (theirs, ours)
        )
        by_seed = ", ".join("never" if isinf(one) else f"{one:.2f} s" for one in found)
        last = statistics.median(points[-1].seconds for points in theirs)
        ratio = min(statistics.median(found), last) / statistics.median(mine)
        at_least = "more than " if isinf(statistics.median(found)) else ""
        print(f"  {name}, {what} by seed: {by_seed}; {at_least}{ratio:.1f} times as long as arcwise")


def our_curve(data: Dataset, truth: Probabilities, seed: int) -> list[Point]:
    """Return how near chains are that end at one precision or another, each run from the beginning."""
    points = []
    for precision in PRECISIONS:
        begin = time.process_time()
        found = posterior(data, method="partition", precision=precision, seed=seed)
        point = point_of(time.process_time() - begin, found.arcs.toarray(), truth)
        print(
            f"  arcwise, seed {seed}, precision {precision}: {about(found)}, errors of arcs {point.arc_error:.4f}, "
            f"edges {point.edge_error:.4f}, {point.seconds:.2f} s"
        )
        points.append(point)
    return points


def about(found: ArcPosterior) -> str:
    """Return what a line says about chains."""
    mixed = found.diagnostics
    if mixed is None:
        return str(found.status)
    return (
        f"{mixed.sweeps:,} sweeps of {mixed.chains} chains, R-hat {mixed.r_hat:.3f}, "
        f"{mixed.effective_draws:,.0f} effective draws, outside {mixed.outside:.3f}"
    )


def large(folder: Path, cases: Sequence[tuple[str, int]]) -> None:
    """Run chains on networks of which nothing is known exactly."""
    print("\nlarge networks: chains to a precision of 0.02 and an R-hat of 1.05")
    for name, n_rows in cases:
        data = network_named(name, folder).sample(n_rows, seed=1)
        begin = time.process_time()
        found = posterior(data, method="partition", seed=1, time_limit=LARGE_SECONDS)
        print(
            f"{name}, {data.n_variables} variables, {n_rows} rows: {about(found)}, error {found.error:.3f}, "
            f"{time.process_time() - begin:.0f} s of the processor, {found.seconds:.0f} s by the clock, {found.status}"
        )


def network_named(name: str, folder: Path) -> BayesianNetwork:
    """Return an example, or a network of the data folder."""
    path = folder / "bif" / f"{name}.bif.gz"
    return read_network(path) if path.exists() else load_example(name)


if __name__ == "__main__":
    main()
