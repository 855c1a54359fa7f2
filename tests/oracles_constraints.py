"""Constraints by definition, arc by arc."""

from collections.abc import Collection

from arcwise.constraints.constraints import Arc, Constraints


def is_allowed(
    constraints: Constraints,
    arc: Arc,
    *,
    isolated: Collection[str] = (),
    exempt: Collection[Arc] = (),
    candidates: Collection[Arc] | None = None,
) -> bool:
    """Whether an arc (parent, child) may be in a graph: it is required, or against no rule and among the candidates."""
    parent, child = arc
    if arc in constraints.required:
        return True
    tier = {name: place for place, names in enumerate(constraints.tiers) for name in names}
    in_tiers = parent in tier and child in tier
    return not (
        parent == child
        or arc in constraints.forbidden
        or (child, parent) in constraints.required
        or (in_tiers and tier[parent] > tier[child])
        or ((parent in isolated or child in isolated) and arc not in exempt)
        or (candidates is not None and arc not in candidates)
    )
