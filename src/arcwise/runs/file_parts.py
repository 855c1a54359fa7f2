"""The parts of a run's file: what was asked for, the result, the data, the counts of families."""

from dataclasses import asdict
from dataclasses import fields as fields_of
from enum import StrEnum
from math import prod
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from arcwise.constraints.constraints import Constraints
from arcwise.data.gaps import GapSummary
from arcwise.data.step_files import steps_as_json, steps_of_json
from arcwise.data.steps import steps_about
from arcwise.data.summary import DataSummary, Spread
from arcwise.graph.dag import Dag
from arcwise.network.regressions import Moments
from arcwise.network.tables import FamilyCounts, family_shapes
from arcwise.runs.provenance import Provenance, RecordedScore, RunLimits
from arcwise.runs.result import Improvement, LocalOptimum, Result, Scope, Status, Tightening
from arcwise.scores.definitions import SCORES, PythonScore, Score
from arcwise.scores.priors import Adjusted, Prior
from arcwise.support.fields import Fields
from arcwise.support.quoting import quoted

__all__ = [
    "counts_as_json",
    "counts_of_json",
    "data_as_json",
    "data_of_json",
    "graph_as_json",
    "graph_of_json",
    "provenance_as_json",
    "provenance_of_json",
    "result_as_json",
    "result_of_json",
]

Word = TypeVar("Word", bound=StrEnum)


def result_as_json(result: Result) -> dict[str, Any]:
    """Return a result in values that JSON has."""
    return {
        "provenance": provenance_as_json(result.provenance),
        "status": str(result.status),
        "score": float(result.score),
        "seconds": float(result.seconds),
        "graph": graph_as_json(result.dag),
        "counters": {name: int(number) for name, number in result.counters.items()},
        "trace": [
            {"seconds": point.seconds, "evaluations": point.evaluations, "score": point.score} for point in result.trace
        ],
        "bound": None if result.bound is None else float(result.bound),
        "bound_for": None if result.bound_for is None else str(result.bound_for),
        "bounds": [{"seconds": point.seconds, "bound": point.bound} for point in result.bounds],
        "optima": [
            {"arcs": graph_as_json(optimum.dag)["arcs"], "score": optimum.score, "climbs": optimum.climbs}
            for optimum in result.optima
        ],
        "decisions": dict(result.decisions),
        "targets": [list(names) for names in result.targets],
        "bound_seconds": float(result.bound_seconds),
    }


def result_of_json(fields: Fields) -> Result:
    """Return the result, without data."""
    dag = graph_of_json(fields.part("graph"))
    counters = fields.part("counters")
    return Result(
        dag=dag,
        score=fields.number("score"),
        status=_word(fields, "status", Status),
        provenance=provenance_of_json(fields.part("provenance")),
        seconds=fields.number("seconds"),
        counters={name: counters.whole(name) for name in counters},
        trace=tuple(
            Improvement(point.number("seconds"), point.whole("evaluations"), point.number("score"))
            for point in fields.parts("trace")
        ),
        bound=fields.number("bound") if "bound" in fields else None,
        bound_for=_word(fields, "bound_for", Scope) if "bound_for" in fields else None,
        bounds=tuple(Tightening(point.number("seconds"), point.number("bound")) for point in fields.parts("bounds")),
        optima=tuple(
            LocalOptimum(_graph(optimum, dag.names), optimum.number("score"), optimum.whole("climbs"))
            for optimum in fields.parts("optima")
        ),
        decisions=fields.mapping("decisions"),
        targets=_targets(fields, dag.names) if "targets" in fields else (),
        bound_seconds=fields.number("bound_seconds") if "bound_seconds" in fields else 0.0,
    )


def _targets(fields: Fields, names: tuple[str, ...]) -> tuple[tuple[str, ...], ...]:
    targets, known = fields.rows("targets", str), frozenset(names)
    unknown = [name for row in targets for name in row if name not in known]
    if unknown:
        raise fields.wrong_at("targets", f"must have variables of the graph, not {quoted(unknown[0])}")
    return targets


def _graph(fields: Fields, names: tuple[str, ...]) -> Dag:
    arcs = fields.pairs("arcs")
    return fields.made(lambda: Dag(names, arcs))


def data_as_json(data: DataSummary) -> dict[str, Any]:
    """Return what is known about data."""
    return {
        "fingerprint": data.fingerprint,
        "variables": data.n_variables,
        "rows": data.n_rows,
        "observations": data.n_observations,
        "arities": None if data.arities is None else list(data.arities),
        "states": None if data.states is None else [list(labels) for labels in data.states],
        "sets": data.n_sets,
        "counts": None if data.counts is None else [list(counts) for counts in data.counts],
        "spreads": None if data.spreads is None else [None if each is None else asdict(each) for each in data.spreads],
        "steps": list(data.steps),
        "interventions": dict(data.interventions),
        "gaps": None if data.gaps is None else _gaps_as_json(data.gaps),
    }


def data_of_json(fields: Fields, n_variables: int) -> DataSummary:
    """Return what is known about data of so many variables."""
    states = fields.rows("states", str) if "states" in fields else None
    if fields.whole("variables") != n_variables or (states is not None and len(states) != n_variables):
        raise fields.wrong(f"data must be about the {n_variables:,} variables of the graph")
    counts = fields.rows("counts", int) if "counts" in fields else None
    made = fields.part("interventions") if "interventions" in fields else None
    if counts is not None and list(map(len, counts)) != list(map(len, states or ())):
        raise fields.wrong("counts must have a number for every state")
    spreads = _spreads_of_json(fields) if "spreads" in fields else None
    if spreads is not None and [each is not None for each in spreads] != [not labels for labels in states or ()]:
        raise fields.wrong("spreads must be there for every variable without states, and null for the others")
    return DataSummary(
        fingerprint=fields.text("fingerprint"),
        n_variables=n_variables,
        n_rows=_whole_or_none(fields, "rows"),
        n_observations=_whole_or_none(fields, "observations"),
        states=states,
        n_sets=_whole_or_none(fields, "sets"),
        counts=counts,
        steps=fields.texts("steps") if "steps" in fields else (),
        interventions={} if made is None else {name: made.whole(name) for name in made},
        spreads=spreads,
        gaps=_gaps_of_json(fields.part("gaps"), n_variables) if "gaps" in fields else None,
    )


def _gaps_as_json(gaps: GapSummary) -> dict[str, Any]:
    return {
        "missing": list(gaps.counts),
        "complete": gaps.n_complete,
        "patterns": gaps.n_patterns,
        "frequent": [{"variables": list(variables), "observations": seen} for variables, seen in gaps.patterns],
    }


def _gaps_of_json(fields: Fields, n_variables: int) -> GapSummary:
    gaps = GapSummary(
        counts=fields.wholes("missing"),
        n_complete=fields.whole("complete"),
        n_patterns=fields.whole("patterns"),
        patterns=tuple((each.wholes("variables"), each.whole("observations")) for each in fields.parts("frequent")),
    )
    if len(gaps.counts) != n_variables:
        raise fields.wrong_at("missing", f"must have a number for each of {n_variables:,} variables")
    if any(not 0 <= variable < n_variables for variables, _ in gaps.patterns for variable in variables):
        raise fields.wrong_at("frequent", f"must have variables from 0 to {n_variables - 1:,}")
    return gaps


def _spreads_of_json(fields: Fields) -> tuple[Spread | None, ...]:
    return tuple(None if each is None else _spread_of_json(each) for each in fields.parts_or_none("spreads"))


def _spread_of_json(fields: Fields) -> Spread:
    spread = Spread(
        mean=fields.number("mean"),
        deviation=fields.number("deviation"),
        minimum=fields.number("minimum"),
        maximum=fields.number("maximum"),
        histogram=fields.wholes("histogram"),
    )
    if bool(spread.histogram) != (spread.minimum < spread.maximum):
        raise fields.wrong_at("histogram", "must have counts where the minimum is below the maximum, and only there")
    return spread


def counts_as_json(counted: FamilyCounts) -> dict[str, Any]:
    """Return the states, and for each node how often its family was seen in each joint state, its own state last.

    Continuous nodes have no counts, but the moments of their families, under their names. Where columns were cut or
    grouped, there are the steps by which new values are read.
    """
    steps = steps_as_json(steps_about(counted.steps, counted.dag.names))
    moments = {
        name: _moments_as_json(counts)
        for name, counts in zip(counted.dag.names, counted.counts, strict=True)
        if isinstance(counts, Moments)
    }
    return {
        "states": [list(labels) for labels in counted.states],
        "families": [[] if isinstance(counts, Moments) else _plain(counts.ravel()) for counts in counted.counts],
        **({"moments": moments} if moments else {}),
        **({"steps": steps} if steps else {}),
    }


def _plain(counts: npt.NDArray[np.float64]) -> list[int] | list[float]:
    """Return counts as JSON has them: whole numbers, unless some are expected counts."""
    found: list[int] | list[float] = counts.tolist()
    return [int(count) for count in found] if (counts == np.rint(counts)).all() else found


def counts_of_json(fields: Fields, dag: Dag) -> FamilyCounts:
    """Return the counts of the families of a graph."""
    states, families = fields.rows("states", str), fields.rows("families", float)
    for i, family in enumerate(families):
        for j, count in enumerate(family):
            if count < 0:
                raise fields.wrong(f"counts.families[{i}][{j}] must be a number from 0, not {count:g}")
    if not len(states) == len(families) == dag.n_nodes:
        raise fields.wrong(f"counts must be about the {dag.n_nodes:,} variables of the graph")
    shapes = fields.made(lambda: family_shapes(dag.names, tuple(map(len, states)), dag.parent_indices))
    found: list[npt.NDArray[np.float64] | Moments] = []
    for name, labels, shape, family in zip(dag.names, states, shapes, families, strict=True):
        if not labels:
            found.append(_moments_of_json(fields.part("moments").part(name), shape))
        elif prod(shape) == len(family):
            found.append(np.array(family, float).reshape(shape))
        else:
            raise fields.wrong(f"counts must have {prod(shape):,} numbers for {quoted(name)}, not {len(family):,}")
    steps = steps_of_json(fields, "steps", dag.names, states) if "steps" in fields else ()
    return FamilyCounts(dag, states, found, steps)


def _moments_as_json(moments: Moments) -> dict[str, Any]:
    rows, columns = np.triu_indices(moments.width)
    return {
        "counts": moments.counts.astype(np.int64).ravel().tolist(),
        "means": moments.means.ravel().tolist(),
        "triangles": moments.triangles[..., rows, columns].ravel().tolist(),
    }


def _moments_of_json(fields: Fields, shape: tuple[int, ...]) -> Moments:
    """Return the moments of a continuous node whose regressions have this shape."""
    fields.refuse_others("counts", "means", "triangles")
    counts, means, numbers = fields.wholes("counts"), fields.numbers("means"), fields.numbers("triangles")
    n, width = prod(shape[:-1]), shape[-1] - 1
    rows, columns = np.triu_indices(width)
    for key, found, size in (("counts", counts, n), ("means", means, n * width), ("triangles", numbers, n * len(rows))):
        if len(found) != size:
            raise fields.wrong_at(key, f"must have {size:,} numbers, not {len(found):,}")
    triangles = np.zeros((n, width, width))
    triangles[:, rows, columns] = np.reshape(numbers, (n, len(rows)))
    return Moments(
        np.array(counts, float).reshape(shape[:-1]),
        np.array(means, float).reshape(*shape[:-1], width),
        triangles.reshape(*shape[:-1], width, width),
    )


def _word(fields: Fields, name: str, words: type[Word]) -> Word:
    text = fields.text(name)
    try:
        return words(text)  # a scope with a limit on parents is made when it is asked for, so that no list has it
    except ValueError:
        raise fields.wrong_at(name, f"must be one of {', '.join(words)}, not {quoted(text)}") from None


def _whole_or_none(fields: Fields, name: str) -> int | None:
    return fields.whole(name) if name in fields else None


def provenance_as_json(asked: Provenance) -> dict[str, Any]:
    """Return all that was asked for in values that JSON has."""
    limits = asked.limits
    return {
        "method": asked.method,
        "seed": int(asked.seed),
        "score": None if asked.score is None else _score_as_json(asked.score),
        "options": dict(asked.options),
        "constraints": _constraints_as_json(asked.constraints),
        "start": None if asked.start is None else graph_as_json(asked.start),
        "limits": {"time_limit": limits.time_limit, "evaluation_limit": limits.evaluation_limit},
        "clean_up": asked.clean_up,
        "certify": asked.certify,
        "versions": dict(asked.versions),
    }


def provenance_of_json(fields: Fields) -> Provenance:
    """Return what was asked for."""
    limits, versions = fields.part("limits"), fields.part("versions")
    return Provenance(
        method=fields.text("method"),
        seed=fields.whole("seed"),
        score=_score_of_json(fields.part("score")) if "score" in fields else None,
        options=fields.mapping("options"),
        constraints=_constraints_of_json(fields.part("constraints")),
        start=graph_of_json(fields.part("start")) if "start" in fields else None,
        limits=RunLimits(
            limits.number("time_limit") if "time_limit" in limits else None,
            limits.whole("evaluation_limit") if "evaluation_limit" in limits else None,
        ),
        clean_up=fields.flag("clean_up"),
        certify=fields.number("certify") if "certify" in fields else None,
        versions={name: versions.text(name) for name in versions},
    )


def graph_as_json(dag: Dag) -> dict[str, Any]:
    """Return a graph by its names and its arcs, parents first."""
    return {"names": list(dag.names), "arcs": [list(arc) for arc in dag.arcs]}


def graph_of_json(fields: Fields) -> Dag:
    """Return the graph; one with a cycle or with unknown names is refused."""
    names, arcs = fields.texts("names"), fields.pairs("arcs")
    return fields.made(lambda: Dag(names, arcs))


def _score_as_json(score: Score) -> dict[str, Any]:
    if isinstance(score, Adjusted):
        return {
            "name": Adjusted.name,
            "score": _score_as_json(score.score),
            "prior": {
                "arcs": list(map(list, score.prior.arcs)),
                "edges": list(map(list, score.prior.edges)),
                "parents": score.prior.parents,
            },
            "penalty_factor": score.penalty_factor,
            "least_gain": score.least_gain,
        }
    if isinstance(score, PythonScore):
        score = RecordedScore.of(score)
    if isinstance(score, RecordedScore):
        return {"name": score.name, "python": dict(score.parameters)}
    return {"name": score.name, **{option.name: getattr(score, option.name) for option in fields_of(score)}}


def _score_of_json(fields: Fields) -> Score:
    name = fields.text("name")
    if name == Adjusted.name:
        return _adjusted_of_json(fields)
    if "python" in fields:
        fields.refuse_others("name", "python")
        return RecordedScore(name, fields.mapping("python"))
    if name not in SCORES:
        names = ", ".join([*SCORES, Adjusted.name])
        raise fields.wrong_at("name", f"must be one of {names}, not {quoted(name)}")
    kind = SCORES[name]
    own = [option.name for option in fields_of(kind)]
    fields.refuse_others("name", *own)
    return fields.made(lambda: kind(**{option: fields.number(option) for option in own}))


def _adjusted_of_json(fields: Fields) -> Adjusted:
    fields.refuse_others("name", "score", "prior", "penalty_factor", "least_gain")
    score, prior = fields.part("score"), fields.part("prior")
    if score.text("name") == Adjusted.name:  # else a file could nest them deeper than Python can follow
        raise score.wrong_at("name", f"must be one of {', '.join(SCORES)}")
    prior.refuse_others("arcs", "edges", "parents")
    arcs, edges = (_probabilities_of_json(prior, key) for key in ("arcs", "edges"))
    made = prior.made(lambda: Prior(arcs, edges=edges, parents=prior.plain("parents")))
    factor, least_gain = fields.number("penalty_factor"), fields.number("least_gain")
    plain = _score_of_json(score)
    return fields.made(lambda: Adjusted(plain, made, penalty_factor=factor, least_gain=least_gain))


def _probabilities_of_json(fields: Fields, key: str) -> dict[tuple[str, str], float]:
    found: dict[tuple[str, str], float] = {}
    for entry in fields.items(key):
        match entry:
            case [str(one), str(other), float(p)]:
                found[one, other] = p
            case _:
                raise fields.wrong_at(key, f"must hold lists of two names and a probability, not {quoted(entry)}")
    return found


_PAIRS = ("required_ancestors", "forbidden_ancestors")


def _constraints_as_json(constraints: Constraints) -> dict[str, Any]:
    return {
        "required": [list(arc) for arc in constraints.required],
        "forbidden": [list(arc) for arc in constraints.forbidden],
        "tiers": [list(tier) for tier in constraints.tiers],
        **{
            key: dict(most) if isinstance(most, tuple) else most
            for key, most in (("max_parents", constraints.max_parents), ("max_degree", constraints.max_degree))
        },
        **({"join_constants": True} if constraints.join_constants else {}),
        **{key: [list(arc) for arc in arcs] for key in _PAIRS if (arcs := getattr(constraints, key))},
        **({} if constraints.allowed is None else {"allowed": [list(arc) for arc in constraints.allowed]}),
        **({"closed_tiers": list(constraints.closed_tiers)} if constraints.closed_tiers else {}),
        **({"groups": {name: list(members) for name, members in constraints.groups}} if constraints.groups else {}),
    }


def _constraints_of_json(fields: Fields) -> Constraints:
    limits: dict[str, Any] = {
        key: _limits_of_json(fields, key) for key in ("max_parents", "max_degree") if key in fields
    }
    required, forbidden, tiers = fields.pairs("required"), fields.pairs("forbidden"), fields.rows("tiers", str)
    others: dict[str, Any] = {key: fields.pairs(key) for key in (*_PAIRS, "allowed") if key in fields}
    others["join_constants"] = "join_constants" in fields and fields.flag("join_constants")
    if "closed_tiers" in fields:
        others["closed_tiers"] = fields.wholes("closed_tiers")
    if "groups" in fields:
        groups = fields.part("groups")
        others["groups"] = {name: groups.texts(name) for name in groups}
    return fields.made(
        lambda: Constraints(required=required, forbidden=forbidden, tiers=tiers, **others, **limits),
    )


def _limits_of_json(fields: Fields, key: str) -> int | dict[str, int]:
    if isinstance(fields.plain(key), dict):
        limits = fields.part(key)
        return {name: limits.whole(name) for name in limits}
    return fields.whole(key)
