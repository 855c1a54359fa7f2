"""Tables 2 and 3 of Lee & van Beek 2017: what the parameters of IINOBS and MINOBS matter.

"Metaheuristics for score-and-search Bayesian network structure learning", Canadian AI 2017, experiment 2. The authors
let ParamILS look for the best values; here a grid stands for it: one parameter at a time is given other values, the
others stay as in the paper. As there, a setting is judged by how many percent it is above or below the best score of
INOBS with restarts in the same time, on average over the instances that they used.
"""

from collections.abc import Sequence
from dataclasses import replace
from operator import gt, lt
from statistics import fmean, stdev
from typing import NamedTuple

from rich.console import Console
from rich.table import Table

from arcwise import Iterated, Memetic, Restarts, search_orders
from arcwise.search.orders import Strategy
from experiments.kept import Kept
from experiments.lee_vanbeek_2017_instances import Lazy
from experiments.lee_vanbeek_2017_runs import Job, run_all
from experiments.lee_vanbeek_2017_searches import Settings

__all__ = ["GRIDS", "TUNED_ON", "Setting", "Tuned", "print_tuned", "settings_of", "tune"]

#: The instances that the paper was tuned on.
TUNED_ON = ("baudio", "jester", "tretail")

#: By table of the paper: its method with its values, and for each parameter, with the paper's name, other values.
GRIDS: dict[str, tuple[str, Strategy, dict[tuple[str, str], tuple[float | str, ...]]]] = {
    "2": (
        "IINOBS",
        Iterated(chains=1),
        {
            ("p_s", "kick"): (0.01, 0.1, 0.3),
            ("ε", "leeway"): (0.0, 0.000005, 0.0005),
            ("r_s", "patience"): (5, 88, 1000),
            ("r_h", "steps"): (25, 400, 10_000),
        },
    ),
    "3": (
        "MINOBS",
        Memetic(),
        {
            ("N", "population"): (5, 10, 40),
            ("crossover", "crossover"): ("cx", "rx"),
            ("c_n", "crossovers"): (5, 40),
            ("m_p", "kick"): (0.03, 0.1),
            ("m_n", "mutations"): (0, 20),
            ("d_t", "look_back"): (8, 128),
            ("d_Δ", "least_change"): (0.0, 1.0),
            ("d_n", "kept"): (1, 10),
        },
    ),
}

console = Console(width=112, highlight=False)


class Setting(NamedTuple):
    """A parameter, as the paper and as this package call it, its value, and the strategy; the paper's has no name."""

    in_paper: str
    option: str
    value: float | str
    strategy: Strategy


class Tuned(NamedTuple):
    """How many percent a setting is above INOBS with restarts: by instance, and by seed over the instances."""

    setting: Setting
    percent: dict[str, float]
    by_seed: tuple[float, ...]

    @property
    def mean(self) -> float:
        """Over the instances, which is what the paper minimised with the opposite sign."""
        return fmean(self.percent.values())


def settings_of(table: str) -> list[Setting]:
    """Return the paper's setting, and all that differ from it in one parameter.

    Examples
    --------
    >>> [(setting.option, setting.value) for setting in settings_of("2")[:3]]
    [('', ''), ('kick', 0.01), ('kick', 0.1)]
    """
    _, strategy, grid = GRIDS[table]
    changed = [
        Setting(in_paper, option, value, replace(strategy, **{option: value}))  # type: ignore[type-var]
        for (in_paper, option), values in grid.items()
        for value in values
    ]
    return [Setting("", "", "", strategy), *changed]


def tune(table: str, instances: Sequence[Lazy], settings: Settings, kept: Kept) -> list[Tuned]:
    """Search by every setting with the same seeds and the same time on one core; what is kept is not run again."""
    seeds = range(settings.seed, settings.seed + settings.runs)
    restarts = Setting("", "", "", Restarts())
    choices = [restarts, *settings_of(table)]
    scores: dict[tuple[int, str], list[float]] = {}
    for lazy in instances:
        jobs = [_job(lazy, choice.strategy, seed, settings.seconds) for choice in choices for seed in seeds]
        found = [line["score"] for line in run_all(lazy, jobs, kept, settings.workers)]
        for at in range(len(choices)):
            scores[at, lazy.name] = found[at * settings.runs : (at + 1) * settings.runs]
    reference = {lazy.name: max(scores[0, lazy.name]) for lazy in instances}

    def percent(score: float, name: str) -> float:
        return 100 * (score - reference[name]) / abs(reference[name])

    tuned = []
    for at, choice in enumerate(choices[1:], start=1):
        by_seed = tuple(
            fmean(percent(scores[at, lazy.name][run], lazy.name) for lazy in instances) for run in range(settings.runs)
        )
        by_instance = {
            lazy.name: fmean(percent(score, lazy.name) for score in scores[at, lazy.name]) for lazy in instances
        }
        tuned.append(Tuned(choice, by_instance, by_seed))
    return tuned


def _job(lazy: Lazy, strategy: Strategy, seed: int, seconds: float) -> Job:
    # All options are in the representation, so that results are kept by them.
    part = {"tuned": repr(strategy), **lazy.asked, "seed": seed, "seconds": seconds}
    return Job(
        part,
        seconds,
        lambda instance, budget: search_orders(
            instance.table, strategy=strategy, climb="inobs", seed=seed, workers=1, budget=budget
        ),
    )


def print_tuned(table: str, tuned: Sequence[Tuned]) -> None:
    """Print a line for each setting, and which values are better than the paper's."""
    method, strategy, _ = GRIDS[table]
    lines = Table(box=None, padding=(0, 2, 0, 0))
    lines.add_column(method)
    lines.add_column("value", justify="right")
    lines.add_column("paper", justify="right")
    for name in tuned[0].percent:
        lines.add_column(name, justify="right")
    lines.add_column("mean", justify="right")
    lines.add_column("± seeds", justify="right")
    for line in tuned:
        _, option, value, _ = line.setting
        words = f"{line.setting.in_paper} ({option})" if option != line.setting.in_paper else option
        lines.add_row(
            words if option else "as in the paper",
            str(value),
            str(getattr(strategy, option)) if option else "",
            *(f"{percent:+.4f}" for percent in line.percent.values()),
            f"{line.mean:+.4f}",
            f"{stdev(line.by_seed):.4f}" if len(line.by_seed) > 1 else "",
        )
    console.print(lines)
    paper, *others = tuned
    if len(paper.by_seed) == 1:
        return  # nothing to tell a difference from chance
    better = [line.setting for line in others if all(map(gt, line.by_seed, paper.by_seed))]
    worse = [line.setting for line in others if all(map(lt, line.by_seed, paper.by_seed))]
    seeds = len(paper.by_seed)
    by_chance = len(others) / 2**seeds
    console.print(
        f"Of {len(others)} other settings of {method}, {len(better)} are better than the paper's with each of the "
        f"{seeds} seeds, and {len(worse)} worse; if nothing mattered, it would be {by_chance:.1f} of each on average."
        + "".join(
            f" {word}: {', '.join(f'{setting.option} {setting.value}' for setting in settings)}."
            for word, settings in (("Better", better), ("Worse", worse))
            if settings
        )
    )
