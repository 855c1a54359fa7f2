"""Whole searches on a card and on all cores, for `benchmarks.gpu`."""

import argparse
from collections.abc import Iterator
from functools import partial
from typing import Any, cast

import numpy as np

from arcwise import Budget, LocalScore, _core, bootstrap, chow_liu, ges, select, tree_mixture
from arcwise.parents.selection import Limits
from arcwise.scores.device.card import Card
from arcwise.scores.device.gaussian import GaussianAnswers
from arcwise.support.machine import usable_cores
from benchmarks.gpu_stages import TimedCard, asking, stages
from benchmarks.gpu_tables import Row, Sizes, dataset, families, seconds, simulated, simulated_numbers, timed


def devices(arguments: argparse.Namespace) -> tuple[str, ...]:
    """Return where searches are run."""
    return ("gpu",) if arguments.only_card else ("gpu", "cpu")


def budget(device: str, arguments: argparse.Namespace) -> Budget:
    """Return the time of a search."""
    return Budget(time_limit=arguments.card_limit if device == "gpu" else arguments.limit)


def searches(sizes: Sizes, card: Card, arguments: argparse.Namespace) -> Iterator[Row]:
    """GES of many variables."""
    for n in sizes.ges:
        data, simulating = timed(partial(simulated, n, sizes.ges_rows))
        yield from _ges_on_both(data, {"variables": n, "rows": sizes.ges_rows, "simulating_s": simulating}, arguments)


def _ges_on_both(
    data: Any, about: Row, arguments: argparse.Namespace, by_cores: tuple[LocalScore, float] | None = None
) -> Iterator[Row]:
    """GES on the card and on the processor, whose score may have been made before, in so many seconds."""
    graphs = {}
    for device in devices(arguments):
        if device == "cpu" and by_cores is not None:
            score, making = by_cores
        else:
            score, making = timed(partial(LocalScore, data, device=device))
        result, taken = timed(partial(ges, score, seed=1, budget=budget(device, arguments)))
        graphs[device] = result
        row = {
            **about,
            "device": device,
            "making_s": round(making, 2),
            "seconds": round(taken, 2),
            "score": result.score,
            "arcs": result.dag.n_arcs,
            "status": str(result.status),
            "counters": dict(result.counters),
            "why": score.why_device,
        }
        if len(graphs) == 2 and result.status == graphs["gpu"].status:
            row["same"] = result.dag == graphs["gpu"].dag
            row["off"] = abs(result.score / graphs["gpu"].score - 1)
        yield row


def trees(sizes: Sizes, card: Card, arguments: argparse.Namespace) -> Iterator[Row]:
    """Chow-Liu's tree, and a mixture of trees."""
    n, n_rows, count = sizes.trees
    data = simulated(n, n_rows)
    for device in devices(arguments):
        score = LocalScore(data, "loglik", device=device)
        tree, taken = timed(partial(chow_liu, score, budget=budget(device, arguments)))
        about = {"variables": n, "rows": n_rows, "device": device}
        yield {**about, "seconds": round(taken, 2), "score": tree.score, "status": str(tree.status)}
        if device == "gpu":
            mixture, taken = timed(partial(tree_mixture, score, trees=count, seed=1))
            yield {**about, "trees": count, "seconds": round(taken, 2), "status": str(mixture.status)}


def continuous(sizes: Sizes, card: Card, arguments: argparse.Namespace) -> Iterator[Row]:
    """Batches of continuous families with three parents, and GES."""
    for n, n_rows in sizes.continuous:
        numbers = simulated_numbers(n, n_rows)
        score, making = timed(partial(LocalScore, numbers))
        answers, upload = timed(partial(GaussianAnswers, score.core, card))
        on_card = asking(score.core, answers)
        for count in sizes.batches:
            batch = families(n, count, 3)
            there = seconds(partial(_core.improvements, on_card, *batch, usable_cores()))
            here = seconds(partial(_core.improvements, score.core, *batch, usable_cores()), times=1)
            found: Any = answers.improvements(*batch)
            expected: Any = _core.improvements(score.core, *batch, usable_cores())
            yield {
                "variables": n,
                "families": count,
                "products_s": round(making, 2),
                "upload_s": round(upload, 2),
                "card_ms": round(1e3 * there, 4),
                "cores_ms": round(1e3 * here, 4),
                "times": round(here / there, 1),
                "same": all(np.array_equal(one, other) for one, other in zip(found, expected, strict=True)),
            }
        timed_card = TimedCard(card)
        answers = GaussianAnswers(score.core, cast("Card", timed_card))
        for count in sizes.batches:
            yield {"variables": n, **stages(score.core, answers, timed_card, families(n, count, 3))}
        del answers, on_card
        if not arguments.only_batches:
            about = {"variables": n, "rows": n_rows, "continuous": True}
            yield from _ges_on_both(numbers, about, arguments, (score, making))


def replicas(sizes: Sizes, card: Card, arguments: argparse.Namespace) -> Iterator[Row]:
    """GES on bootstrap replicas of Ad, and a few of a wide table."""
    n, n_rows, m = sizes.wide_replicas
    tables = []
    if "ad" in arguments.tables and arguments.data is not None:
        tables.append(("ad", dataset(arguments.data, "ad"), sizes.replicas))
    if "wide" in arguments.tables:
        tables.append(("wide", simulated(n, n_rows), m))
    for name, data, count in tables:
        for device in devices(arguments) if arguments.only_card else (*devices(arguments), "auto"):
            work = partial(bootstrap, data, "ges", count, device=device, seed=1, budget=budget(device, arguments))
            found, taken = timed(work)
            yield {
                "data": name,
                "variables": data.n_variables,
                "device": device,
                "replicas": found.n_replicas,
                "seconds": round(taken, 2),
                "per_replica_s": round(taken / max(1, found.n_replicas), 3),
                "edges": found.edges.nnz,
                "of_edges": float(found.edges.sum()),
            }


def selection(sizes: Sizes, card: Card, arguments: argparse.Namespace) -> Iterator[Row]:
    """All parent sets of up to two parents, level by level, and the best ones of a few thousand."""
    n, n_rows = sizes.selection
    data = simulated(n, n_rows)
    for method, limits in (
        ("sequential", Limits(max_parents=2, time_per_variable=None, scored_per_variable=20_000)),
        ("balanced", Limits(time_per_variable=None, scored_per_variable=20_000)),
    ):
        sets = {}
        for device in devices(arguments):
            score = LocalScore(data, device=device)
            found, taken = timed(partial(select, score, method=method, limits=limits, budget=budget(device, arguments)))
            sets[device] = found.sets
            yield {
                "variables": n,
                "rows": n_rows,
                "method": method,
                "device": device,
                "seconds": round(taken, 2),
                "scored": found.scored,
                "status": str(found.status),
                "same": len(sets) < 2 or sets["gpu"] == sets["cpu"],
            }


def graphs(sizes: Sizes, card: Card, arguments: argparse.Namespace) -> Iterator[Row]:
    """Whether the graphs of the datasets are the same there and here."""
    names = sorted(path.stem for path in arguments.data.glob("*.npz")) if arguments.data else []
    for name in names[: sizes.datasets]:
        data = dataset(arguments.data, name)
        for kind in ("bic", "ebic"):
            own, on_card = timed(partial(ges, LocalScore(data, kind, device="gpu"), seed=1))
            other, by_cores = timed(partial(ges, LocalScore(data, kind), seed=1))
            yield {
                "data": name,
                "score": kind,
                "card_s": round(on_card, 2),
                "cores_s": round(by_cores, 2),
                "difference": abs(own.score - other.score),
                "same": own.dag == other.dag,
            }
