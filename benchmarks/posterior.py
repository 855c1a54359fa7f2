"""Posteriors of arcs: exact sums against enumeration, chains against exact sums, and how long large networks take.

Run ``python -m benchmarks.posterior --data ../shared/data``, or with ``--quick`` for the small ones only. ``--sumu
PYTHON`` names a Python in which sumu is installed (it needs numpy below 1.25), which then runs on the same tables, with
twice as many iterations each time until its largest error is as small.

Seconds are those of the processor, of all threads together, so that others on the machine do not count. The error is
the largest difference of the probability of an arc from the exact one.
"""

import argparse
import json
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import numpy.typing as npt

from arcwise import ArcPosterior, BayesianNetwork, Dataset, LocalScore, load_example, posterior, read_network
from benchmarks.machine import machine
from experiments.debd import data_folder

ERROR = 0.02
SMALL = (("sachs", 1000), ("child", 500))
LARGE = (("alarm", 1000), ("hailfinder", 1000), ("andes", 1000))
LARGE_SECONDS = 900.0

Probabilities = npt.NDArray[np.float64]


def main() -> None:
    """Print all tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, help="the data folder; $ARCWISE_DATA otherwise")
    parser.add_argument("--quick", action="store_true", help="no large networks, and sachs only")
    parser.add_argument("--sumu", help="a Python with sumu")
    parser.add_argument(
        "--sumu-seconds", type=float, default=600.0, help="after which sumu is not given more iterations"
    )
    options = parser.parse_args()
    print(machine())
    against_enumeration()
    against_exact(SMALL[:1] if options.quick else SMALL, options.sumu, options.sumu_seconds)
    if not options.quick:
        large(data_folder(options.data))


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


def against_exact(cases: tuple[tuple[str, int], ...], sumu: str | None, sumu_seconds: float) -> None:
    """Compare chains with exact sums, and sumu too."""
    print(f"\nchains against exact sums, to an error below {ERROR}")
    for name, n_rows in cases:
        data = Dataset.from_codes(np.asarray(load_example(name).sample(n_rows, seed=1).codes))
        begin = time.process_time()
        exact = posterior(data, method="exact")
        print(f"{name}, {n_rows} rows: exact in {time.process_time() - begin:.2f} s, rounding {exact.error:.0e}")
        truth = exact.arcs.toarray()
        ours = until_near(data, truth)
        if sumu is not None:
            theirs = sumu_until_near(sumu, data, truth, sumu_seconds)
            print(f"  sumu / arcwise: {theirs / ours:.0f}")


def until_near(data: Dataset, truth: Probabilities) -> float:
    """Make chains more precise until the error is small; return their seconds, that of the last run."""
    for precision in (0.05, 0.04, 0.03, 0.02, 0.01):
        begin = time.process_time()
        found = posterior(data, method="partition", precision=precision, seed=1)
        seconds = time.process_time() - begin
        error = float(np.abs(found.arcs.toarray() - truth).max())
        print(f"  arcwise, precision {precision}: {about(found)}, error {error:.4f}, {seconds:.2f} s")
        if error < ERROR:
            return seconds
    return float("inf")


def about(found: ArcPosterior) -> str:
    """Return what a line says about chains."""
    mixed = found.diagnostics
    if mixed is None:
        return str(found.status)
    return (
        f"{mixed.sweeps:,} sweeps of {mixed.chains} chains, R-hat {mixed.r_hat:.3f}, "
        f"{mixed.effective_draws:,.0f} effective draws, outside {mixed.outside:.3f}"
    )


# Without sumu's own prior over the numbers of parents, so that it draws from the same posterior.
SUMU = """
import json, sys, time
import numpy as np, sumu, sumu.gadget
sumu.gadget.LocalScore.precompute_prior = lambda self: setattr(self, "_prior", np.zeros(self.data.n))
codes, iterations, k = np.load(sys.argv[1]).astype(np.int32), int(sys.argv[2]), int(sys.argv[3])
begin = time.process_time()
np.random.seed(1)
gadget = sumu.Gadget(data=sumu.Data(codes), scoref="bdeu", ess=1, max_id=-1, K=k, d=2, cp_algo="greedy-lite",
                     mc3_chains=4, burn_in=iterations, iterations=iterations, thinning=10, tolerance=2**-32)
dags, _ = gadget.sample()
arcs = sum(sumu.bnet.family_sequence_to_adj_mat(dag, row_parents=True) for dag in dags) / len(dags)
print(json.dumps({"arcs": arcs.tolist(), "seconds": time.process_time() - begin}))
"""


def sumu_until_near(python: str, data: Dataset, truth: Probabilities, most_seconds: float) -> float:
    """Give sumu twice as many iterations each time until its error is small, or it has taken long enough."""
    iterations, seconds = 10_000, 0.0
    with tempfile.TemporaryDirectory() as folder:
        codes = Path(folder, "codes.npy")
        np.save(codes, np.asarray(data.codes))
        while seconds < most_seconds:
            k = min(data.n_variables - 1, 14)
            command = [python, "-c", SUMU, str(codes), str(iterations), str(k)]
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            if done.returncode:
                print("  sumu failed:", done.stderr.strip().splitlines()[-1:])
                return float("nan")
            answer = json.loads(done.stdout.splitlines()[-1])
            seconds = answer["seconds"]
            error = float(np.abs(np.array(answer["arcs"]) - truth).max())
            print(f"  sumu, {iterations:,} iterations: error {error:.4f}, {seconds:.1f} s")
            if error < ERROR:
                break
            iterations *= 2
    return seconds


def large(folder: Path) -> None:
    """Run chains on networks of which nothing is known exactly."""
    print("\nlarge networks: chains to a precision of 0.02 and an R-hat of 1.05")
    for name, n_rows in LARGE:
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
