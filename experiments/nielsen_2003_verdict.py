"""What Table 1 of Nielsen, Kočka & Peña 2003 comes to: which of the paper's conclusions hold here."""

from collections.abc import Callable, Mapping, Sequence

from rich.console import Console

from arcwise import compare
from experiments.nielsen_2003_data import SOURCES, Instance
from experiments.nielsen_2003_runs import Measured

__all__ = ["conclusions", "difference_from_truth", "print_verdict"]

Table1 = Mapping[str, Sequence[Measured]]

NEARLY_ALL, MOST, SOME = 0.95, 0.5, 0.03

console = Console(width=112, highlight=False)


def print_verdict(table: Table1) -> None:
    """Print the paper's conclusions, and whether the runs agree with them."""
    console.print("\nThe paper's conclusions:")
    for words, exceptions in conclusions(table):
        console.print(f"- {words}: {'not here: ' + '; '.join(exceptions) if exceptions else 'holds here'}")


def conclusions(table: Table1) -> list[tuple[str, list[str]]]:
    """Return what the paper concludes in section 4.3, and what does not agree with it; nothing of what was not run."""
    observed = ("CoIL", "ALL", "AML")
    others = [name for name in table if SOURCES[name].paper in (None, *observed)]
    judged: list[tuple[str, list[str]]] = []

    def judge(
        words: str, names: Sequence[str], part: Callable[[Measured], float], least: Mapping[float, float]
    ) -> None:
        """Add the conclusion that this part of the runs is never below the least for its degree."""
        found = [(line, part(line)) for name in names for line in table.get(name, ()) if line.k in least]
        if found:
            judged.append((words, [_said(line, share) for line, share in found if share < least[line.k]]))

    if "alarm" in table:
        beaten = [_said(line, _better(line)) for line in table["alarm"] if line.better]
        judged.append(("Alarm: no run beats GES", beaten))
    for name, reading in (("trap", "factors"), ("margins", "margins")):
        words = f"Trap, its tables as {reading}: nearly all runs of SES, most of KES(0.4), some of KES(0.8) beat GES"
        judge(words, [name], _better, {0.0: NEARLY_ALL, 0.4: MOST, 0.8: SOME})
    judge("Other data: some runs of KES beat GES", others, _better, {0.4: SOME, 0.8: SOME})
    judge("Other data: nearly all runs of SES are worse than GES", others, _worse, {0.0: NEARLY_ALL})
    words = "All data: at least 80 % of the runs of SES end in models of their own"
    judge(words, list(table), lambda line: line.models / line.runs, {0.0: 0.8})
    return judged


def _said(line: Measured, share: float) -> str:
    return f"{line.data}, k = {line.k:g}, {share:.1%}"


def _better(line: Measured) -> float:
    return line.better / line.runs


def _worse(line: Measured) -> float:
    return line.worse / line.runs


def difference_from_truth(instance: Instance, lines: Sequence[Measured]) -> str:
    """Say how the classes of GES and of the best run differ from the generating one, edge by edge."""
    if instance.truth is None:
        return ""
    truth = instance.truth.cpdag()
    greediest = next(line for line in lines if line.k == 1)
    best = max(lines, key=lambda line: line.over_ges)
    said = []
    for words, dag in (("GES", greediest.best), (f"the best run, k = {best.k:g}", best.best)):
        apart = compare(truth, dag.cpdag())
        sides = (", ".join("–".join(edge) for edge in edges) or "none" for edges in (apart.missing, apart.extra))
        missing, extra = sides
        others = apart.shd_cpdag - apart.shd_skeleton
        said.append(f"{words}: missing {missing}; extra {extra}; {others} other edges differ")
    return f"{instance.name}, against the generating class. {said[0]}. {said[1][0].upper()}{said[1][1:]}."
