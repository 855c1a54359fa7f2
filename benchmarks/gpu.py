"""A graphics card beside all cores of its machine: batches of families, whole searches, and the same graphs.

Run ``python -m benchmarks.gpu`` on a machine with a card and CuPy; it needs no network, and of arcwise's dependencies
only numpy, scipy and what `benchmarks.offline` brings along. ``--parts`` chooses parts; rows are printed as they come,
and kept in ``--out``, so that nothing is lost where it is ended. ``--quick`` has small sizes; ``--numpy`` puts numpy in
the card's place, to try it.

A word is 64 observations of one cell of a family beside one state of a candidate, of which a variable of two states has
one. Families have two states and one parent: four cells.
"""

import argparse
import json
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from time import perf_counter
from typing import Any
from unittest.mock import patch

import numpy as np

from arcwise import Dataset, LocalScore, _core
from arcwise.scores import score_named
from arcwise.scores.definitions import scores_for
from arcwise.scores.device.answers import DeviceAnswers
from arcwise.scores.device.card import Card
from arcwise.scores.device.cuda_card import CudaCard
from arcwise.scores.device.gaussian import GaussianAnswers
from arcwise.scores.device.numpy_card import NumpyCard
from arcwise.scores.device.table import DeviceTable
from arcwise.support.machine import usable_cores
from benchmarks.gpu_searches import continuous, graphs, replicas, searches, selection, trees
from benchmarks.gpu_stages import TimedCard, asking, stages
from benchmarks.gpu_tables import QUICK, Row, Sizes, families, seconds, simulated, simulated_numbers, table_with_states


def main() -> None:
    """Print the rows of all parts."""
    arguments = parsed()
    sizes = QUICK if arguments.quick else Sizes()
    if arguments.variables:
        chosen = tuple(arguments.variables)
        continuous_sizes = tuple((n, 20_000) for n in chosen)
        sizes = Sizes(variables=chosen, ges=chosen, continuous=continuous_sizes)
    if arguments.numpy:
        patch.multiple("arcwise.scores.device.choice", why_no_card=lambda: None, _card=NumpyCard).start()
    card: Card = NumpyCard() if arguments.numpy else CudaCard()
    print(f"{card.name} and {usable_cores()} cores", flush=True)
    for name in arguments.parts:
        begin = perf_counter()
        for row in PARTS[name](sizes, card, arguments):
            line = json.dumps({"part": name, **row})
            print(line, flush=True)
            if arguments.out is not None:
                with arguments.out.open("a") as kept:
                    kept.write(line + "\n")
        print(f"{name} took {perf_counter() - begin:.0f} s", flush=True)


def parsed(words: Sequence[str] | None = None) -> argparse.Namespace:
    """Return the options of the command line, or of the given words."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--parts", nargs="*", choices=PARTS, default=list(PARTS), metavar="NAME", help=", ".join(PARTS))
    parser.add_argument("--data", type=Path, help="the folder of the 20 datasets, for replicas and graphs")
    parser.add_argument("--out", type=Path, help="a file for the rows, one line of JSON each")
    parser.add_argument("--variables", nargs="*", type=int, help="in batches and for GES, in place of the usual ones")
    parser.add_argument("--only-card", action="store_true", help="leave out the searches on the processor")
    parser.add_argument("--limit", type=float, default=90.0, help="seconds of each search on the processor")
    parser.add_argument("--card-limit", type=float, help="seconds of each search on the card")
    parser.add_argument("--tables", nargs="*", default=["ad", "wide"], help="of replicas: ad, wide")
    parser.add_argument("--only-batches", action="store_true", help="leave out GES on continuous tables")
    parser.add_argument("--quick", action="store_true", help="small sizes")
    parser.add_argument("--numpy", action="store_true", help="numpy in the card's place")
    return parser.parse_args(words)


def _is_same(one: Any, other: Any) -> bool:
    return all(np.array_equal(a, b, equal_nan=True) for a, b in zip(one, other, strict=True))


def check(sizes: Sizes, card: Card, arguments: argparse.Namespace) -> Iterator[Row]:
    """Whether all scores are those of the kernels, to the last bit: all kinds, by bits and by products."""
    for arities in ((2,) * 12, (2, 3, 1, 4, 2, 3, 2, 2, 5, 2, 3, 2)):
        for largest_weight in sizes.checked_weights:
            data = table_with_states(arities, largest_weight, sizes.checked_rows)
            differing = [name for name in scores_for("discrete") if not _counts_the_same(data, name, card)]
            yield {"states": max(arities), "weights": largest_weight, "same": not differing, "differing": differing}
    numbers = simulated_numbers(40, 500)
    differing = [name for name in scores_for("continuous") if not _eliminates_the_same(LocalScore(numbers, name), card)]
    yield {"continuous": True, "same": not differing, "differing": differing}


def _counts_the_same(data: Dataset, name: str, card: Card) -> bool:
    score = LocalScore(data, name)
    answers = DeviceAnswers(DeviceTable(data, card), score_named(name), score.rounding)
    sizes = (1, 0), (1, 2), (2, 1), (12, 0), (60, 1), (60, 2), (40, 3)
    asked = [families(data.n_variables, count, k) for count, k in sizes]
    return all(_is_same(answers.improvements(*batch), _core.improvements(score.core, *batch, 1)) for batch in asked)


def _eliminates_the_same(score: LocalScore, card: Card) -> bool:
    answers, n = GaussianAnswers(score.core, card), score.data.n_variables
    sizes = (1, 0), (1, 1), (40, 0), (40, 1), (40, 3), (40, 7), (9, 16)
    asked = [families(n, count, k) for count, k in sizes]
    same = [_is_same(answers.improvements(*batch), _core.improvements(score.core, *batch, 1)) for batch in asked]
    child, parents = int(asked[4][0][0]), asked[4][2][:3].tolist()
    others = [v for v in range(n) if v not in (child, *parents)]
    added = answers.additions(*asked[4], np.arange(n, dtype=np.int32))[0]
    return all(same) and bool(np.array_equal(added[others], score.additions(child, parents)))


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
            on_card = asking(score.core, answers)
            for count in sizes.batches:
                batch = families(n, count)
                words = count * 4 * n * n_rows / 64
                there = seconds(partial(_core.improvements, on_card, *batch, cores), times=20 if count < 100 else 3)
                few = families(n, min(count, 256))
                here = seconds(partial(_core.improvements, score.core, *few, cores), times=3 if count < 100 else 1)
                here *= count / len(few[0])
                same = _is_same(_core.improvements(on_card, *few, cores), _core.improvements(score.core, *few, cores))
                yield {
                    "variables": n,
                    "rows": n_rows,
                    "families": count,
                    "upload_s": round(upload, 3),
                    "card_ms": round(1e3 * there, 4),
                    "cores_ms": round(1e3 * here, 4),
                    "card_gwords_per_s": round(words / there / 1e9, 1),
                    "cores_gwords_per_s": round(words / here / 1e9, 1),
                    "times": round(here / there, 1),
                    "same": same,
                }
            timed = TimedCard(card)
            answers = DeviceAnswers(DeviceTable(data, timed), score_named("bic"), score.rounding)
            for count in sizes.batches:
                yield {"variables": n, "rows": n_rows, **stages(score.core, answers, timed, families(n, count))}


def kernels(sizes: Sizes, card: Card, arguments: argparse.Namespace) -> Iterator[Row]:
    """Counting alone, by products of bytes, for so many masks."""
    n, n_rows = sizes.variables[-1], sizes.rows[-1]
    table = DeviceTable(simulated(n, n_rows), card)
    block = table.blocks[0]
    for n_masks in sizes.masks:
        members = (np.arange(n_masks) % (2 * n)).reshape(-1, 1)
        masks = table.masks(members)

        def by_product(masks: Any = masks) -> None:
            table.counts(masks, block)
            card.synchronise()

        def with_masks(members: Any = members) -> None:
            table.masks(members)
            card.synchronise()

        words = n_masks * n * n_rows / 64
        yield {
            "variables": n,
            "rows": n_rows,
            "masks": n_masks,
            "product_gwords_per_s": round(words / seconds(by_product) / 1e9, 1),
            "masks_ms": round(1e3 * seconds(with_masks), 4),
        }


PARTS: dict[str, Callable[[Sizes, Card, argparse.Namespace], Iterator[Row]]] = {
    "check": check,
    "batches": batches,
    "kernels": kernels,
    "ges": searches,
    "trees": trees,
    "continuous": continuous,
    "replicas": replicas,
    "selection": selection,
    "graphs": graphs,
}

if __name__ == "__main__":
    main()
