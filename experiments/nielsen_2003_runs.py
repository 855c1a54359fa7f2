"""Repeated runs of k-greedy equivalence search, counted as in Table 1 of Nielsen, Kočka & Peña 2003."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, partial
from typing import Any

import numpy as np
import numpy.typing as npt
from rich.console import Console
from rich.table import Table

from arcwise import BIC, BDeu, Constraints, Dag, LocalOptimum, LocalScore, Result, Status, ges, kes
from experiments.kept import Kept
from experiments.nielsen_2003_data import Instance
from experiments.nielsen_2003_published import PUBLISHED, RUNS, Published

__all__ = ["SCORES", "Measured", "Settings", "measure", "measured", "print_measured"]

#: The two scores of the paper.
SCORES = {"bic": BIC(), "bdeu": BDeu(1)}
#: As in the paper, arcs may be at variables that do not vary.
EVERY_ARC = Constraints(join_constants=True)

# Scores that differ by less than this part of themselves are the same.
_SAME = 1e-9

console = Console(width=112, highlight=False)


@dataclass(frozen=True)
class Settings:
    """How often to run, what to maximise, by which random numbers, and how to find the classes next to a class."""

    runs: int
    score: str = "bic"
    seed: int = 1
    workers: int = 1
    boundary: str = "exact"


@dataclass(frozen=True)
class Measured:
    """Runs with one degree of greediness on one dataset.

    Attributes
    ----------
    data
        The name of the data.
    k
        The degree; 1 is GES.
    scores
        The score of the end of each run, in ascending order.
    ges
        The score of GES.
    better, worse
        The runs that ended with a higher, and with a lower, score than GES.
    better_models, worse_models
        How many different equivalence classes those runs ended in.
    models
        How many different equivalence classes all runs ended in.
    best
        A graph of the highest score.
    seconds
        What the runs took together.
    """

    data: str
    k: float
    scores: npt.NDArray[np.float64]
    ges: float
    better: int
    better_models: int
    worse: int
    worse_models: int
    models: int
    best: Dag
    seconds: float

    @property
    def runs(self) -> int:
        """How many runs there were."""
        return len(self.scores)

    @property
    def over_ges(self) -> float:
        """How much the best run is above GES."""
        return float(self.scores[-1] - self.ges)


def measured(name: str, k: float, optima: Sequence[LocalOptimum], ges_score: float, seconds: float) -> Measured:
    """Count the ends of runs, given how many of them there were at each local optimum."""
    margin = _SAME * abs(ges_score)
    better = [optimum for optimum in optima if optimum.score > ges_score + margin]
    worse = [optimum for optimum in optima if optimum.score < ges_score - margin]
    return Measured(
        data=name,
        k=k,
        scores=np.sort(np.repeat([optimum.score for optimum in optima], [optimum.climbs for optimum in optima])),
        ges=ges_score,
        better=sum(optimum.climbs for optimum in better),
        better_models=len(better),
        worse=sum(optimum.climbs for optimum in worse),
        worse_models=len(worse),
        models=len(optima),
        best=max(optima, key=lambda optimum: optimum.score).dag,
        seconds=seconds,
    )


def measure(
    instance: Instance, degrees: Sequence[float], settings: Settings, kept: Kept | None = None
) -> list[Measured]:
    """Run GES once, and every other degree as often as asked for; all share the scores that were counted before."""
    kept = Kept(None) if kept is None else kept
    score = LocalScore(instance.data, SCORES[settings.score])

    @cache
    def greediest() -> Result:
        return _whole(ges(score, constraints=EVERY_ARC, seed=settings.seed, workers=1))

    def run(k: float) -> dict[str, Any]:
        result = greediest()
        if k < 1:
            options = {"climbs": settings.runs, "seed": settings.seed, "workers": settings.workers}
            result = _whole(kes(score, k=k, boundary=settings.boundary, constraints=EVERY_ARC, **options))
        return _as_json(measured(instance.name, k, result.optima, greediest().score, result.seconds))

    return [_from_json(kept.found(_part(instance, k, settings), partial(run, k)), instance) for k in degrees]


def _whole(result: Result) -> Result:
    if result.status is Status.INTERRUPTED:
        raise KeyboardInterrupt
    return result


def _part(instance: Instance, k: float, settings: Settings) -> dict[str, Any]:
    """Return what tells these runs from others; GES is the same however often others run."""
    part = {"experiment": "nielsen-2003", "data": instance.name, "k": k, "score": settings.score, "seed": settings.seed}
    return part if k == 1 else {**part, "runs": settings.runs, "boundary": settings.boundary}


def _as_json(line: Measured) -> dict[str, Any]:
    fields = {name: getattr(line, name) for name in _PLAIN}
    parents = [list(row) for row in line.best.parent_indices]
    return {**fields, "scores": line.scores.tolist(), "best": parents}


def _from_json(fields: dict[str, Any], instance: Instance) -> Measured:
    best = Dag.from_parents(instance.data.names, fields["best"])
    return Measured(**{name: fields[name] for name in _PLAIN}, scores=np.array(fields["scores"]), best=best)


_PLAIN = ("data", "k", "ges", "better", "better_models", "worse", "worse_models", "models", "seconds")


def print_measured(instance: Instance, lines: Sequence[Measured], *, with_headings: bool) -> None:
    """Print a line for each degree: ours, and the paper's where it has the data."""
    table = Table(box=None, padding=(0, 1, 0, 0), show_header=with_headings)
    table.add_column("data", width=10)
    headings = ("k", "best", "over GES", ">GES", "models", "<GES", "models", "ms")
    for heading, width in zip(headings, (5, 10, 8, 6, 6, 6, 6, 6), strict=True):
        table.add_column(heading, width=width, justify="right")
    for heading, width in zip(("paper:", *headings[3:7]), (8, 6, 6, 6, 6), strict=True):
        table.add_column(heading, width=width, justify="right", style="dim")
    for at, line in enumerate(lines):
        name = instance.name if at == 0 else ""
        head = (name, f"{line.k:g}", f"{line.scores[-1]:.1f}", f"{line.over_ges:+.1f}")
        counts = ("",) * 4 if line.k == 1 else _counts(line, line.runs)
        table.add_row(*head, *counts, f"{1e3 * line.seconds / line.runs:.1f}", *_of_paper(instance, line.k))
    console.print(table)


def _counts(line: Measured | Published, runs: int) -> tuple[str, ...]:
    """Return parts of the runs, and numbers of models; nothing where the paper has nothing."""
    if line.better is None or line.worse is None:
        return ("",) * 4
    return f"{line.better / runs:.1%}", str(line.better_models), f"{line.worse / runs:.1%}", str(line.worse_models)


def _of_paper(instance: Instance, k: float) -> tuple[str, ...]:
    paper = PUBLISHED.get(instance.source.paper or "", {}).get(k)
    return ("",) * 5 if paper is None else (f"{paper.over_ges:+.1f}", *_counts(paper, RUNS))
