"""A graphics card beside all cores of its machine: batches of families, GES, trees, replicas, and the same graphs.

Run ``python -m benchmarks.gpu`` on a machine with a card and CuPy; it needs no network, and of arcwise's dependencies
only numpy, scipy and narwhals. ``--tables`` chooses tables; rows are printed as they come, and kept in ``--out``, so
that nothing is lost where it is ended. ``--quick`` has small sizes; ``--numpy`` puts numpy in the card's place, to try
it.

A word is 64 observations of one cell of a family beside one state of a candidate, of which a variable of two states has
one. Families have two states and one parent: four cells.
"""

import argparse
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from time import perf_counter
from typing import Any
from unittest.mock import patch

import numpy as np
import numpy.typing as npt

from arcwise import Dataset, LocalScore, _core, bootstrap, chow_liu, ges, tree_mixture
from arcwise.scores import score_named
from arcwise.scores.device.answers import DeviceAnswers
from arcwise.scores.device.cuda_card import CudaCard
from arcwise.scores.device.numpy_card import Card, NumpyCard
from arcwise.scores.device.table import DeviceTable
from arcwise.support.machine import usable_cores

Row = dict[str, Any]
Codes = npt.NDArray[np.uint8]


@dataclass(frozen=True)
class Sizes:
    """How large the tables are."""

    variables: tuple[int, ...] = (1000, 20_000)
    rows: tuple[int, ...] = (10_000, 131_072)
    batches: tuple[int, ...] = (1, 16, 256, 4096)
    masks: tuple[int, ...] = (1, 4, 8, 16, 32, 64, 128, 1024, 8192)
    ges: tuple[int, ...] = (5000, 20_000)
    ges_rows: int = 100_000
    trees: tuple[int, int, int] = (20_000, 100_000, 100)
    replicas: int = 200
    datasets: int = 20


QUICK = Sizes((40,), (500,), (1, 16), (1, 16, 64), (30,), 500, (30, 500, 3), 3, 1)


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tables", nargs="*", choices=TABLES, default=list(TABLES), metavar="NAME")
    parser.add_argument("--data", type=Path, help="the folder of the 20 datasets, for replicas and graphs")
    parser.add_argument("--out", type=Path, help="a file for the rows, one line of JSON each")
    parser.add_argument("--variables", nargs="*", type=int, help="of GES and of batches, in place of the usual ones")
    parser.add_argument("--only-card", action="store_true", help="leave out the searches on the processor")
    parser.add_argument("--quick", action="store_true", help="small sizes")
    parser.add_argument("--numpy", action="store_true", help="numpy in the card's place")
    arguments = parser.parse_args()
    sizes = QUICK if arguments.quick else Sizes()
    if arguments.variables:
        sizes = Sizes(variables=tuple(arguments.variables), ges=tuple(arguments.variables))
    if arguments.numpy:
        patch.multiple("arcwise.scores.device.choice", why_no_card=lambda: None, _card=NumpyCard).start()
    card: Card = NumpyCard() if arguments.numpy else CudaCard()
    print(f"{card.name} and {usable_cores()} cores", flush=True)
    for name in arguments.tables:
        for row in TABLES[name](sizes, card, arguments):
            line = json.dumps({"table": name, **row})
            print(line, flush=True)
            if arguments.out is not None:
                with arguments.out.open("a") as kept:
                    kept.write(line + "\n")


def simulated(n: int, n_rows: int, seed: int = 1) -> Dataset:
    """Return rows of a random network of binary variables with one or two parents each, but for the first."""
    rng = np.random.default_rng(seed)
    codes: Codes = np.empty((n_rows, n), dtype=np.uint8, order="F")
    for v in range(n):
        parents: list[int] = rng.integers(0, v, size=1 + v % 2).tolist() if v else []
        cell = np.zeros(n_rows, dtype=np.uint8)
        for parent in parents:
            cell = 2 * cell + codes[:, parent]
        least = rng.integers(20, 236, size=4).astype(np.uint8)
        codes[:, v] = rng.integers(0, 256, size=n_rows, dtype=np.uint8) < least[cell]
    return Dataset.from_codes(codes, arities=[2] * n)


def families(n: int, count: int) -> tuple[Any, Any, Any]:
    """Return a batch of so many families of one parent."""
    children = (np.arange(count) % n).astype(np.int32)
    parents = ((children + 1 + np.arange(count) // n) % n).astype(np.int32)
    return children, np.arange(count + 1, dtype=np.int64), parents


def seconds(work: Callable[[], object], times: int = 3) -> float:
    """Return the least time of a few runs, after one that is not counted."""
    work()
    taken = []
    for _ in range(times):
        begin = perf_counter()
        work()
        taken.append(perf_counter() - begin)
    return min(taken)


def batches(sizes: Sizes, card: Card, arguments: argparse.Namespace) -> Iterator[Row]:
    """Counts and scores of batches, there and by all cores."""
    for n in sizes.variables:
        for n_rows in sizes.rows:
            data = simulated(n, n_rows)
            score, cores = LocalScore(data), usable_cores()
            begin = perf_counter()
            answers = DeviceAnswers(DeviceTable(data, card), score_named("bic"), score.rounding)
            card.synchronise()
            upload = perf_counter() - begin
            for count in sizes.batches:
                if n_rows > sizes.rows[0] and count > n:
                    continue
                batch = families(n, count)
                words = count * 4 * n * n_rows / 64
                there = seconds(partial(answers.improvements, *batch))
                few = families(n, min(count, 256))
                begin = perf_counter()
                by_kernels: tuple[Any, ...] = _core.improvements(score.core, *few, cores)
                here = (perf_counter() - begin) * count / len(few[0])
                on_card: tuple[Any, ...] = answers.improvements(*few)
                same = all(np.array_equal(one, other) for one, other in zip(on_card, by_kernels, strict=True))
                yield {
                    "variables": n,
                    "rows": n_rows,
                    "families": count,
                    "upload_s": round(upload, 3),
                    "card_s": there,
                    "cores_s": here,
                    "card_gwords_per_s": round(words / there / 1e9, 1),
                    "cores_gwords_per_s": round(words / here / 1e9, 1),
                    "times": round(here / there, 1),
                    "same": same,
                }


def kernels(sizes: Sizes, card: Card, arguments: argparse.Namespace) -> Iterator[Row]:
    """Counting alone, by bits and by products of bytes, for so many masks."""
    n, n_rows = sizes.variables[-1], sizes.rows[-1]
    table = DeviceTable(simulated(n, n_rows), card)
    block = table.blocks[0]
    for n_masks in sizes.masks:
        members = (np.arange(n_masks) % (2 * n)).reshape(-1, 1)
        masks = table.masks(members, None)
        spread = table.spread_masks(masks, None)

        def by_product(masks: Any = masks, spread: Any = spread) -> None:
            table.counts(masks, spread, block)
            card.synchronise()

        def by_bits(masks: Any = masks) -> None:
            table.counts(masks, [], block)
            card.synchronise()

        def with_masks(members: Any = members) -> None:
            table.spread_masks(table.masks(members, None), None)
            card.synchronise()

        words = n_masks * n * n_rows / 64
        row: Row = {"variables": n, "rows": n_rows, "masks": n_masks}
        if n_masks <= 1024:
            row["bits_gwords_per_s"] = round(words / seconds(by_bits) / 1e9, 1)
        if len(spread[0]) >= 16:
            row["product_gwords_per_s"] = round(words / seconds(by_product) / 1e9, 1)
            row["masks_s"] = seconds(with_masks)
        yield row


def timed(search: Callable[[], Any]) -> tuple[Any, float]:
    """Return what a search finds, and its seconds."""
    begin = perf_counter()
    found = search()
    return found, perf_counter() - begin


def devices(arguments: argparse.Namespace) -> tuple[str, ...]:
    """Return where searches are run."""
    return ("gpu",) if arguments.only_card else ("gpu", "cpu")


def searches(sizes: Sizes, card: Card, arguments: argparse.Namespace) -> Iterator[Row]:
    """GES of many variables."""
    for n in sizes.ges:
        data, simulating = timed(lambda n=n: simulated(n, sizes.ges_rows))  # type: ignore[misc]
        graphs = {}
        for device in devices(arguments):
            score, making = timed(lambda data=data, device=device: LocalScore(data, device=device))  # type: ignore[misc]
            result, taken = timed(lambda score=score: ges(score, seed=1))  # type: ignore[misc]
            graphs[device] = result.dag
            yield {
                "variables": n,
                "rows": sizes.ges_rows,
                "device": device,
                "simulating_s": round(simulating, 2),
                "making_s": round(making, 2),
                "seconds": round(taken, 2),
                "score": result.score,
                "arcs": result.dag.n_arcs,
                "counters": dict(result.counters),
                "why": score.why_device,
                "same": len(set(graphs.values())) == 1,
            }


def trees(sizes: Sizes, card: Card, arguments: argparse.Namespace) -> Iterator[Row]:
    """Chow-Liu's tree, and a mixture of trees."""
    n, n_rows, count = sizes.trees
    data = simulated(n, n_rows)
    for device in devices(arguments):
        score = LocalScore(data, "loglik", device=device)
        tree, taken = timed(lambda score=score: chow_liu(score))  # type: ignore[misc]
        yield {"variables": n, "rows": n_rows, "device": device, "seconds": round(taken, 2), "score": tree.score}
        if device == "gpu" or arguments.quick:
            mixture, taken = timed(lambda score=score: tree_mixture(score, trees=count, seed=1))  # type: ignore[misc]
            yield {
                "variables": n,
                "rows": n_rows,
                "device": device,
                "trees": count,
                "seconds": round(taken, 2),
                "status": str(mixture.status),
            }


def dataset(folder: Path, name: str) -> Dataset:
    """Return one of the 20 datasets, without its last rows."""
    with np.load(folder / f"{name}.npz") as kept:
        n_rows, n = map(int, kept["shape"])
        codes = np.unpackbits(kept["bits"], axis=1, count=n)[:n_rows]
    return Dataset.from_codes(np.asfortranarray(codes), arities=[2] * n)


def replicas(sizes: Sizes, card: Card, arguments: argparse.Namespace) -> Iterator[Row]:
    """GES on bootstrap replicas of Ad."""
    data = simulated(30, 500) if arguments.data is None else dataset(arguments.data, "ad")
    for device in devices(arguments):
        found, taken = timed(
            lambda device=device: bootstrap(data, "ges", sizes.replicas, device=device, seed=1)  # type: ignore[misc]
        )
        yield {"device": device, "replicas": found.n_replicas, "seconds": round(taken, 2), "edges": found.edges.nnz}


def graphs(sizes: Sizes, card: Card, arguments: argparse.Namespace) -> Iterator[Row]:
    """Whether the graphs of the datasets are the same there and here."""
    names = sorted(path.stem for path in arguments.data.glob("*.npz")) if arguments.data else []
    for name in names[: sizes.datasets]:
        data = dataset(arguments.data, name)
        for kind in ("bic", "ebic"):
            there, here = LocalScore(data, kind, device="gpu"), LocalScore(data, kind)
            own, on_card = timed(lambda there=there: ges(there, seed=1))  # type: ignore[misc]
            other, by_cores = timed(lambda here=here: ges(here, seed=1))  # type: ignore[misc]
            yield {
                "data": name,
                "score": kind,
                "card_s": round(on_card, 2),
                "cores_s": round(by_cores, 2),
                "difference": abs(own.score - other.score),
                "same": own.dag == other.dag,
            }


TABLES: dict[str, Callable[[Sizes, Card, argparse.Namespace], Iterator[Row]]] = {
    "kernels": kernels,
    "batches": batches,
    "ges": searches,
    "trees": trees,
    "replicas": replicas,
    "graphs": graphs,
}

if __name__ == "__main__":
    main()
