"""Other names for the nodes of a network and their states."""

from collections.abc import Mapping, Sequence

from arcwise.support.errors import ParameterError
from arcwise.support.messages import Name
from arcwise.support.names import did_you_mean, plain_names
from arcwise.support.quoting import quoted

__all__ = ["plain_labels", "renamed_states"]

States = tuple[tuple[str, ...], ...]


def renamed_states(names: Sequence[str], states: States, given: Mapping[str, Mapping[str, str]]) -> States:
    """States of each node with other labels, where these are given by node and by old label."""
    by_name = dict(zip(names, states, strict=True))
    for name, labels in given.items():
        if name not in by_name:
            raise ParameterError(
                Name("states"), f" has {quoted(name)}, which the network does not have{did_you_mean(name, names)}"
            )
        for label in labels:
            if label not in by_name[name]:
                hint = did_you_mean(label, by_name[name])
                raise ParameterError(f"{quoted(name)} has no state {quoted(label)}{hint}")
    return tuple(tuple(given.get(name, {}).get(label, label) for label in by_name[name]) for name in names)


def plain_labels(states: States) -> States:
    """States of each node with labels that any program reads."""
    return tuple(tuple(plain_names(labels, are_states=True)) for labels in states)
