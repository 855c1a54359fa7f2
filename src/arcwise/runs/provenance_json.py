"""Provenance in values that JSON has, and back."""

from dataclasses import fields as fields_of
from typing import Any

from arcwise.constraints.constraints import Constraints
from arcwise.graph.dag import Dag
from arcwise.runs.provenance import Provenance, RunLimits
from arcwise.scores.definitions import SCORES, Score
from arcwise.support.fields import Fields
from arcwise.support.quoting import quoted

__all__ = ["graph_as_json", "graph_of_json", "provenance_as_json", "provenance_of_json"]


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
    return {"name": score.name, **{option.name: getattr(score, option.name) for option in fields_of(score)}}


def _score_of_json(fields: Fields) -> Score:
    name = fields.text("name")
    if name not in SCORES:
        raise fields.wrong_at("name", f"must be one of {', '.join(SCORES)}, not {quoted(name)}")
    kind = SCORES[name]
    own = [option.name for option in fields_of(kind)]
    fields.refuse_others("name", *own)
    return fields.made(lambda: kind(**{option: fields.number(option) for option in own}))


def _constraints_as_json(constraints: Constraints) -> dict[str, Any]:
    return {
        "required": [list(arc) for arc in constraints.required],
        "forbidden": [list(arc) for arc in constraints.forbidden],
        "tiers": [list(tier) for tier in constraints.tiers],
        **{
            key: dict(most) if isinstance(most, tuple) else most
            for key, most in (("max_parents", constraints.max_parents), ("max_degree", constraints.max_degree))
        },
    }


def _constraints_of_json(fields: Fields) -> Constraints:
    limits = {key: _limits_of_json(fields, key) for key in ("max_parents", "max_degree") if key in fields}
    required, forbidden, tiers = fields.pairs("required"), fields.pairs("forbidden"), fields.rows("tiers", str)
    return fields.made(
        lambda: Constraints(required=required, forbidden=forbidden, tiers=tiers, **limits),
    )


def _limits_of_json(fields: Fields, key: str) -> int | dict[str, int]:
    if isinstance(fields.plain(key), dict):
        limits = fields.part(key)
        return {name: limits.whole(name) for name in limits}
    return fields.whole(key)
