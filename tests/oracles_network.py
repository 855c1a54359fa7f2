"""Slow, obvious twins of what networks compute."""

from itertools import product

from arcwise.network import BayesianNetwork


def joint_distribution(network: BayesianNetwork) -> dict[tuple[str, ...], float]:
    """Probability of every joint state: the product of the table entries, one by one."""
    joint = {}
    for codes in product(*map(range, network.arities)):
        probability = 1.0
        for node, table in enumerate(network.tables):
            entry = table
            for parent in network.dag.parent_indices[node]:
                entry = entry[codes[parent]]
            probability *= float(entry[codes[node]]) / float(sum(entry))
        joint[tuple(states[code] for states, code in zip(network.states, codes, strict=True))] = probability
    return joint


def posterior(network: BayesianNetwork, evidence: dict[str, str], target: str) -> list[float]:
    """Probability of each state of the target given all other nodes: its share of the joint distribution."""
    joint = joint_distribution(network)
    shares = [
        joint[tuple({**evidence, target: state}[name] for name in network.names)]
        for state in network.states[network.names.index(target)]
    ]
    return [share / sum(shares) for share in shares]
