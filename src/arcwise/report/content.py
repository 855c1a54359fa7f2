"""What a report shows, as plain values that a page can hold."""

from collections.abc import Iterable, Mapping
from dataclasses import fields
from math import floor, isfinite, log10
from typing import Any

import numpy as np
import numpy.typing as npt

from arcwise.arc_probabilities import ArcProbabilities
from arcwise.data.dataset import Dataset
from arcwise.data.gaps import GapSummary
from arcwise.data.summary import DataSummary, Spread
from arcwise.graph.compare import compare
from arcwise.graph.dag import Dag
from arcwise.graph.nodes import check_same_nodes
from arcwise.network.distributions import Distribution, Table
from arcwise.network.network import BayesianNetwork
from arcwise.pictures.edges import strengths_in
from arcwise.pictures.layout import Layout, layered
from arcwise.report.questions import questions_of
from arcwise.runs.files import Run
from arcwise.runs.provenance import readable
from arcwise.runs.result import Result, Status
from arcwise.runs.result_views import scope_of, time_of
from arcwise.scores.definitions import Score
from arcwise.scores.priors import Adjusted
from arcwise.strengths import ArcStrengths
from arcwise.support.errors import ParameterError
from arcwise.support.quoting import quoted

__all__ = ["Strengths", "content_of", "points_of", "tables_of"]

Arc = tuple[str, str]
Strengths = ArcProbabilities | Mapping[Arc, float]
"""How often each arc was found: as `bootstrap` gives it, or for each arc the share of the replicas that have it."""

_ROWS_SHOWN = 200  # of a table of probabilities
_CELLS_SHOWN = 20_000  # of such a table, which a browser lays out at once
_NUMBERS_SHOWN = 1_000_000  # of all tables together
_POINTS_SHOWN = 300  # of a node against another
_ALL_POINTS_SHOWN = 300_000  # of all nodes together
_FEWEST_POINTS = 30
_LEAST_SHARE = 0.01  # of the replicas, for edges that are not in the graph
_RARE = 5  # observations
_NAMED = 5  # variables in a remark
_SETTING_SHOWN = 2000  # signs of a setting, which may be a graph


def content_of(
    run: Run,
    *,
    title: str,
    strengths: Strengths | None = None,
    reference: Dag | None = None,
    rows: Dataset | None = None,
) -> dict[str, Any]:
    """Return everything that the report of a run shows, in lists, mappings, texts and numbers.

    Parameters
    ----------
    run
        What was found; what it does not have is left out of the report.
    title
        The heading.
    strengths
        How often arcs were found on replicas of the data.
    reference
        A graph to compare with, such as the true one.
    rows
        The data, where it is at hand: some of its rows become pictures of what continuous nodes have to do with each
        other.
    """
    result = run.result
    layout = layered(result.dag)
    network = None if result.data is None else result.network(ess=1.0)
    shares = None if strengths is None else _shares(strengths, result.dag)
    return {
        "title": title,
        "summary": _cards(result),
        "nodes": _nodes(run, layout, network) | {"points": None if rows is None else points_of(result.dag, rows)},
        "arcs": _arcs(run, layout, shares),
        "questions": None if network is None else questions_of(network),
        "reference": None if reference is None else _differences(reference, result.dag),
        "trace": [[point.seconds, point.score] for point in result.trace],
        "bounds": [[point.seconds, point.bound] for point in result.bounds if isfinite(point.bound)],
        "bound": result.bound if result.bound is not None and isfinite(result.bound) else None,
        "bound_for": None if result.bound_for is None else scope_of(result),
        "score": result.score,
        "seconds": result.seconds,
        "strengths": None if shares is None else _pairs(shares, result.dag, strengths),
        "data": None if run.data is None else {"rows": _about(run.data, result.dag.names)},
        "warnings": [*run.warnings, *(() if run.data is None else _remarks(run.data, result.dag.names))],
        "settings": list(_settings(result)),
        "versions": [list(item) for item in result.provenance.versions.items()],
        "command": run.command,
    }


def _cards(result: Result) -> list[list[str]]:
    """Return what matters most: a name, a value, and a note to it."""
    n_nodes, n_arcs = result.dag.n_nodes, result.dag.n_arcs
    cards = [
        ["variables", f"{n_nodes:,}", ""],
        ["arcs", f"{n_arcs:,}", f"{n_arcs / max(1, n_nodes):.2f} parents per variable"],
        ["score", f"{result.score:,.2f}", _about_score(result.provenance.score)],
    ]
    if result.gap is not None and isfinite(result.gap):
        share = f"{100 * result.gap / abs(result.score):.2g} %: " if result.score else ""
        is_best = result.status is Status.OPTIMAL or result.gap < 1e-6
        value = "proven" if is_best else f"at most {result.gap:,.2f}"
        cards.append(["gap to the best score", value, f"{'' if is_best else share}for {scope_of(result)}"])
    cards.append(["search", result.method, f"{result.status} after {time_of(result)}"])
    if "evaluations" in result.counters:
        climbs = result.counters.get("climbs")
        cards.append(
            ["evaluations", f"{result.counters['evaluations']:,}", "" if climbs is None else f"{climbs:,} climbs"]
        )
    return cards


def _about_score(score: Score | None) -> str:
    if isinstance(score, Adjusted):
        return f"{score}; bound and gains are those of the score with what was added to it"
    return "" if score is None else str(score)


def _nodes(run: Run, layout: Layout, network: BayesianNetwork | None) -> dict[str, Any]:
    data = run.data
    states = network.states if network is not None else None if data is None else data.states
    return {
        "name": list(run.result.dag.names),
        "x": _rounded(layout.positions[:, 0], 3),
        "y": _rounded(layout.positions[:, 1], 3),
        "states": None if states is None else [list(labels) for labels in states],
        "counts": None if data is None or data.counts is None else [list(counts) for counts in data.counts],
        "numbers": None if data is None or data.spreads is None else [_words_for(each) for each in data.spreads],
        "histograms": None if data is None or data.spreads is None else [_bars_of(each) for each in data.spreads],
        "tables": None if network is None else tables_of(network),
        "missing": None if data is None or data.gaps is None else [_missing(n, data) for n in data.gaps.counts],
    }


def _missing(n: int, data: DataSummary) -> str | None:
    """Return in how many observations a variable is missing; None where it is in none."""
    return None if not n else f"{n:,} of {data.n_observations or 0:,} observations ({_percent(n, data)})"


def _percent(n: int, data: DataSummary) -> str:
    share = 100 * n / max(1, data.n_observations or 0)
    return f"{share:.2g} %" if share < 99.5 else f"{share:.0f} %"


def _words_for(spread: Spread | None) -> str | None:
    """Return what is known of the numbers of a continuous variable."""
    if spread is None:
        return None
    mean, low, high = (
        f"{number:.{_n_digits(number, spread.deviation, least=4)}g}"
        for number in (spread.mean, spread.minimum, spread.maximum)
    )
    return f"mean {mean}, standard deviation {spread.deviation:.4g}, from {low} to {high}"


def _bars_of(spread: Spread | None) -> dict[str, Any] | None:
    """Return the histogram of a continuous variable; None where all its numbers are the same."""
    if spread is None or not spread.histogram:
        return None
    low, high = (_to_within(number, spread.deviation) for number in (spread.minimum, spread.maximum))
    return {"from": low, "to": high, "counts": list(spread.histogram)}


def tables_of(network: BayesianNetwork) -> list[Any]:
    """Return the first rows of each table; fewer where all tables together would make the file too large.

    A row of a continuous node has an intercept, the coefficients of its continuous parents, and a standard deviation.
    """
    widths = [each.shape[-1] if isinstance(each, Table) else each.n_coefficients + 2 for each in network.distributions]
    most = min(_ROWS_SHOWN, _NUMBERS_SHOWN // max(1, sum(widths)))
    return [
        _first_rows(distribution, max(1, min(most, _CELLS_SHOWN // width)))
        for distribution, width in zip(network.distributions, widths, strict=True)
    ]


def _first_rows(distribution: Distribution, most: int) -> dict[str, Any]:
    if isinstance(distribution, Table):
        rows = distribution.probabilities.reshape(-1, distribution.shape[-1])
        return {
            "probabilities": list(map(_short, rows[:most].ravel().tolist())),
            "rows": len(rows),
            "shown": min(most, len(rows)),
        }
    n_rows = distribution.intercepts.size
    coefficients = distribution.coefficients.reshape(n_rows, distribution.n_coefficients)[:most]
    numbers: list[float] = []
    for intercept, slopes, deviation in zip(
        distribution.intercepts.ravel()[:most], coefficients, distribution.deviations.ravel()[:most], strict=True
    ):
        numbers += [_to_within(intercept, deviation), *map(_digits, slopes), _digits(deviation)]
    return {"regressions": numbers, "rows": n_rows, "shown": min(most, n_rows)}


def points_of(dag: Dag, data: Dataset) -> dict[str, Any] | None:
    """Return some rows of the continuous nodes that have arcs to others, as whole numbers from 0 to 999 in their range.

    Parameters
    ----------
    dag
        The graph.
    data
        Rows over the same variables.

    Returns
    -------
    How many "rows" there are, "of" how many, and for each node its "values", or None. None where there are no such
    nodes, or so many that each would have too few rows.
    """
    check_same_nodes(dag.names, data.names, called=("the graph", "the data"))
    continuous = {data.names[v] for v in data.continuous}
    drawn = {end for arc in dag.arcs if continuous.issuperset(arc) for end in arc}
    known = np.ones(data.n_rows, dtype=np.bool_)
    if data.gaps is not None:  # a point has both of its numbers
        known &= ~data.gaps[:, [data.index(name) for name in drawn]].any(axis=1)
    seen = np.flatnonzero(known if data.weights is None else known & (data.weights > 0))
    most = min(_POINTS_SHOWN, _ALL_POINTS_SHOWN // max(1, len(drawn)))
    if not drawn or most < _FEWEST_POINTS or not len(seen):
        return None
    rows = np.arange(len(seen))
    if len(seen) > most:
        chances = None if data.weights is None else data.weights[seen] / data.weights[seen].sum(dtype=np.float64)
        rows = np.sort(np.random.default_rng(0).choice(len(seen), most, replace=False, p=chances))
    return {
        "rows": len(rows),
        "of": len(seen),
        "values": [_places(data.numbers_of(name)[seen], rows) if name in drawn else None for name in dag.names],
    }


def _places(numbers: npt.NDArray[np.float64], rows: npt.NDArray[np.intp]) -> list[int]:
    """Return where the numbers of some rows are between the least and the largest of all."""
    parts = numbers / (np.abs(numbers).max() or 1.0)  # whose range is a number, however large they are
    low, high = parts.min(), parts.max()
    if low == high:
        return [0] * len(rows)
    places: list[int] = np.rint(999 * (parts[rows] - low) / (high - low)).astype(int).tolist()
    return places


def _digits(value: float) -> float:
    """Return a number with its first five digits."""
    return float(f"{value:.5g}")


def _to_within(value: float, deviation: float) -> float:
    """Return a number with five digits, or as many as it needs to be as exact as a deviation with four."""
    return float(f"{value:.{_n_digits(value, deviation, least=5)}g}")


def _n_digits(value: float, deviation: float, *, least: int) -> int:
    """Return how many digits show a number as exactly as that many do a deviation, and no fewer than these."""
    if not value or not deviation:
        return least
    return min(max(least, floor(log10(abs(value))) - floor(log10(deviation)) + least - 1), 17)


def _short(p: float) -> float:
    """Return a probability in four digits, or in what it lacks to 1, so that nothing becomes 1 that is not."""
    return float(f"{p:.4g}") if p < 0.999 else 1 - float(f"{1 - p:.4g}")


def _arcs(run: Run, layout: Layout, shares: Mapping[Arc, float] | None) -> dict[str, Any]:
    dag = run.result.dag
    place = {name: i for i, name in enumerate(dag.names)}
    reversible = {frozenset(edge) for edge in run.result.cpdag.undirected}
    bends = [route[1:-1] for route in layout.routes]
    return {
        "from": [place[parent] for parent, _ in dag.arcs],
        "to": [place[child] for _, child in dag.arcs],
        "gain": None if run.gains is None else _rounded(np.array(run.gains), 3),
        "share": None if shares is None else [round(_edge(shares, *arc), 4) for arc in dag.arcs],
        "reversible": [frozenset(arc) in reversible for arc in dag.arcs],
        "route": [_rounded(points.ravel(), 3) if len(points) else None for points in bends],
    }


def _differences(reference: Dag, dag: Dag) -> dict[str, Any]:
    found = compare(reference, dag)
    place = {name: i for i, name in enumerate(dag.names)}
    extra, backwards = set(found.extra), {(child, parent) for parent, child in found.reversed or ()}
    rows = [
        (
            "edges in both",
            f"{dag.n_arcs - len(extra):,} of {reference.n_arcs:,}, {len(backwards):,} of them reversed",
        ),
        ("missing", f"{len(found.missing):,}"),
        ("extra", f"{len(extra):,}"),
        ("SHD", f"{found.shd_cpdag:,} (classes), {found.shd_dag:,} (graphs), {found.shd_skeleton:,} (skeletons)"),
        ("precision, recall", f"{found.precision:.3f}, {found.recall:.3f} (edges)"),
    ]
    return {
        "rows": [list(row) for row in rows],
        "status": ["extra" if arc in extra else "reversed" if arc in backwards else "same" for arc in dag.arcs],
        "missing": [[place[parent], place[child]] for parent, child in found.missing],
    }


def _shares(strengths: Strengths, dag: Dag) -> Mapping[Arc, float]:
    """Return the share of the replicas for each arc that any of them has."""
    shares = strengths_in(strengths, dag.names).values
    for arc, share in shares.items():
        if not 0 <= share <= 1:
            raise ParameterError.of(
                "strengths", "shares of replicas, from 0 to 1", advice=f"{quoted(arc)} has {share:g}"
            )
    return shares


def _edge(shares: Mapping[Arc, float], one: str, other: str) -> float:
    return shares.get((one, other), 0.0) + shares.get((other, one), 0.0)


def _pairs(shares: Mapping[Arc, float], dag: Dag, strengths: Strengths | None) -> dict[str, Any]:
    """Return edges of the graph and those that replicas had, each once, with the shares of both directions."""
    place = {name: i for i, name in enumerate(dag.names)}
    edges = dict.fromkeys(dag.arcs)
    rare = set()
    for one, other in shares:
        if (one, other) in edges or (other, one) in edges:
            continue
        if _edge(shares, one, other) >= _LEAST_SHARE:
            edges[one, other] = None
        elif _edge(shares, one, other) > 0:
            rare.add(frozenset((one, other)))
    pairs = [
        [place[one], place[other], round(shares.get((one, other), 0.0), 4), round(shares.get((other, one), 0.0), 4)]
        for one, other in edges
    ]
    replicas = strengths.n_replicas if isinstance(strengths, ArcStrengths) else None
    is_posterior = isinstance(strengths, ArcProbabilities) and not isinstance(strengths, ArcStrengths)
    note = f"Pairs not in the graph that less than {100 * _LEAST_SHARE:g} % join are left out: {len(rare):,}."
    return {
        "replicas": replicas,
        "is_posterior": is_posterior,
        "note": note if rare else "",
        "pairs": sorted(pairs, key=lambda pair: -(pair[2] + pair[3])),
    }


def _about(data: DataSummary, names: tuple[str, ...]) -> list[list[str]]:
    rows = [["variables", f"{data.n_variables:,}"]]
    if data.n_sets is not None:
        rows.append(["candidate parent sets", f"{data.n_sets:,}"])
    if data.n_rows is not None:
        rows.append(["rows", f"{data.n_rows:,}"])
    if data.n_observations is not None and data.n_observations != data.n_rows:
        rows.append(["observations", f"{data.n_observations:,} (rows by their weights)"])
    discrete = [arity for arity in data.arities or () if arity]
    if data.spreads is not None:
        rows.append(["continuous variables", f"{data.n_variables - len(discrete):,}"])
    if discrete:
        least, most = min(discrete), max(discrete)
        rows.append(["states of a variable", f"{least}" if least == most else f"{least} to {most}"])
    if data.interventions:
        made = ", ".join(f"{name} in {n:,}" for name, n in data.interventions.items())
        rows.append(["set by interventions", f"{made} observations, which do not count for what it depends on"])
    if data.gaps is not None:
        rows += _about_gaps(data, data.gaps, names)
    rows += [["when read", step] for step in data.steps]
    return [*rows, ["fingerprint (SHA-256)", data.fingerprint]]


def _about_gaps(data: DataSummary, gaps: GapSummary, names: tuple[str, ...]) -> list[list[str]]:
    """Return how much is missing: of each variable, most first, and which variables together."""
    total = (data.n_observations or 0) * data.n_variables
    order = sorted((v for v, n in enumerate(gaps.counts) if n), key=lambda v: -gaps.counts[v])
    each = [f"{names[v]} in {_percent(gaps.counts[v], data)}" for v in order[:_NAMED]]
    more = f", and {len(order) - _NAMED:,} more variables" if len(order) > _NAMED else ""
    together = [
        f"{'none' if not variables else ', '.join(names[v] for v in variables[:_NAMED])}"
        f"{f' and {len(variables) - _NAMED:,} more' if len(variables) > _NAMED else ''} in {seen:,}"
        for variables, seen in gaps.patterns
    ]
    others = gaps.n_patterns - len(gaps.patterns)
    return [
        ["values missing", f"{sum(gaps.counts):,} of {total:,}; {gaps.n_complete:,} observations have all"],
        ["missing of each variable", ", ".join(each) + more],
        ["missing together", "; ".join(together) + (f"; {others:,} other sets" if others > 0 else "")],
    ]


def _remarks(data: DataSummary, names: tuple[str, ...]) -> list[str]:
    """Return what in the data makes results doubtful."""
    if data.counts is None:
        return []
    spreads = data.spreads or (None,) * len(names)
    seen = [
        sum(count > 0 for count in counts) if known is None else 1 + (known.minimum < known.maximum)
        for counts, known in zip(data.counts, spreads, strict=True)
    ]
    constant = [name for name, states in zip(names, seen, strict=True) if states <= 1]
    unseen = [name for name, states, counts in zip(names, seen, data.counts, strict=True) if 1 < states < len(counts)]
    rare = [name for name, counts in zip(names, data.counts, strict=True) if any(0 < count < _RARE for count in counts)]
    remarks = [
        (constant, "has the same value in all observations and can tell nothing"),
        (unseen, "has states that never occur"),
        (rare, f"has states with fewer than {_RARE} observations"),
    ]
    return [f"{_listed(found)} {what}" for found, what in remarks if found]


def _listed(names: list[str]) -> str:
    shown = ", ".join(names[:_NAMED])
    more = len(names) - _NAMED
    return f"{shown} and {more:,} more: each" if more > 0 else f"{shown}: each" if len(names) > 1 else shown


def _settings(result: Result) -> Iterable[list[str]]:
    """Return what was asked for and what the search decided, each as a name and a value in words."""
    for field in fields(asked := result.provenance):
        value = getattr(asked, field.name)
        if field.name == "options":
            yield from (_setting(name, option) for name, option in value.items())
        elif field.name == "limits":
            yield from (_setting(limit.name.replace("_", " "), getattr(value, limit.name)) for limit in fields(value))
        elif field.name != "versions":
            yield _setting(field.name.replace("_", " "), value)
    yield from (_setting(name, value) for name, value in result.decisions.items())


def _setting(name: str, value: object) -> list[str]:
    text = str(value) if isinstance(value, Score) else _worded(readable(value))
    return [name, text if len(text) <= _SETTING_SHOWN else f"{text[:_SETTING_SHOWN]}…"]


def _worded(plain: Any) -> str:
    """Return a setting as people would write it: ``BDeu(ess=10)``."""
    if plain is None:
        return "none"
    if isinstance(plain, bool):
        return "yes" if plain else "no"
    if isinstance(plain, float):
        return f"{plain:g}"
    if isinstance(plain, Mapping):
        parts = [f"{name}={_worded(value)}" for name, value in plain.items() if name != "type"]
        kind = plain.get("type", "")
        return f"{kind}({', '.join(parts)})" if parts or not kind else str(kind)
    if isinstance(plain, list):
        return f"[{', '.join(map(_worded, plain))}]" if plain else "none"
    return str(plain)


def _rounded(values: npt.NDArray[np.float64], digits: int) -> list[float]:
    rounded: list[float] = np.round(values, digits).tolist()
    return rounded
