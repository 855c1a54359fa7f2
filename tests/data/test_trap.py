"""The Trap distribution against the numbers and the claims of its paper, and fitted margins against other solvers."""

from collections.abc import Collection, Iterator
from itertools import combinations, product

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize
from scipy.stats import chisquare

from arcwise import Dag, Dataset, LocalScore
from arcwise.data.trap import maximum_entropy, trap_network
from arcwise.errors import ParameterError
from arcwise.network.network import BayesianNetwork
from oracles_graph import classes

Floats = npt.NDArray[np.float64]
X, Y, Z, U = range(4)

# Example 1 as printed: p(XY) and p(XU) have a line for each state of the binary variable.
XY = [[0.22, 0.03, 0.22, 0.03], [0.03, 0.22, 0.03, 0.22]]
XU = [[0.22, 0.22, 0.03, 0.03], [0.03, 0.03, 0.22, 0.22]]
YZ = UZ = [[0.35, 0.15], [0.15, 0.35]]
MARGINS = {(X, Y): np.array(XY).T, (X, U): np.array(XU).T, (Y, Z): np.array(YZ), (Z, U): np.array(UZ)}


def joint_of(network: BayesianNetwork) -> Floats:
    """Probability of every combination of states."""
    cells = np.array(list(product(*map(range, network.arities))), dtype=np.uint8)
    data = Dataset.from_codes(cells, arities=network.arities, names=network.names)
    return np.exp(network.log_likelihoods(data)).reshape(network.arities)


def margin(joint: Floats, axes: Collection[int], *, keepdims: bool = False) -> Floats:
    others = tuple(axis for axis in range(joint.ndim) if axis not in axes)
    return np.asarray(joint.sum(axis=others, keepdims=keepdims))


def information(joint: Floats, a: int, b: int, given: Collection[int] = ()) -> float:
    """Mutual information of two variables given others, in nats."""
    entropies = [-(p * np.log(p)).sum() for p in (margin(joint, {*s, *given}) for s in ((a,), (b,), (a, b), ()))]
    return float(entropies[0] + entropies[1] - entropies[2] - entropies[3])


@pytest.fixture(scope="module")
def joint() -> Floats:
    return joint_of(trap_network(1))


def test_margins_are_the_published_ones(joint: Floats) -> None:
    for axes, table in MARGINS.items():
        np.testing.assert_allclose(margin(joint, axes), table, atol=1e-12)


def test_the_two_independencies_hold_and_no_other(joint: Floats) -> None:
    """Also of the pairs without an edge, none is independent given less."""
    for a, b in combinations(range(4), 2):
        rest = [axis for axis in range(4) if axis not in (a, b)]
        for size in range(3):
            for given_ in combinations(rest, size):
                value = information(joint, a, b, given_)
                if (a, b, *given_) in {(X, Z, Y, U), (Y, U, X, Z)}:
                    assert abs(value) < 1e-12
                else:
                    assert value > 1e-4


def test_entropy_is_the_largest_by_another_solver(joint: Floats) -> None:
    """The dual of maximum entropy, log Z minus the expected exponent, is convex: minimised without any fitting."""
    cells = list(product(range(4), range(2), range(2), range(2)))
    features = np.array(
        [
            [
                float(tuple(cell[axis] for axis in axes) == entry)
                for axes, t in MARGINS.items()
                for entry in np.ndindex(t.shape)
            ]
            for cell in cells
        ]
    )
    wanted = np.concatenate([table.ravel() for table in MARGINS.values()])

    def dual(weights: Floats) -> tuple[float, Floats]:
        exponents = features @ weights
        log_z = np.logaddexp.reduce(exponents)
        return float(log_z - weights @ wanted), features.T @ np.exp(exponents - log_z) - wanted

    found = minimize(dual, np.zeros(len(wanted)), jac=True, method="L-BFGS-B", options={"ftol": 1e-15, "gtol": 1e-9})
    exponents = features @ found.x
    np.testing.assert_allclose(joint.ravel(), np.exp(exponents - np.logaddexp.reduce(exponents)), atol=1e-6)
    # The optimum is unique, and of product form: the logarithm has no interaction beyond the four pairs.
    rank = np.linalg.matrix_rank(features)
    assert np.linalg.matrix_rank(np.column_stack([features, np.log(joint.ravel())]), tol=1e-9) == rank


def projected(joint: Floats, arcs: Collection[tuple[int, int]]) -> Floats:
    """The distribution of a graph that is nearest: every variable given its parents as in the joint."""
    product_ = np.ones_like(joint)
    for node in range(joint.ndim):
        parents = {parent for parent, child in arcs if child == node}
        product_ = product_ * margin(joint, {node, *parents}, keepdims=True) / margin(joint, parents, keepdims=True)
    return product_


def n_parameters(arcs: Collection[tuple[int, int]]) -> int:
    arities = (4, 2, 2, 2)
    sizes = (np.prod([arities[parent] for parent, child in arcs if child == node]) for node in range(4))
    return int(sum((arities[node] - 1) * size for node, size in enumerate(sizes)))


def smaller(members: Collection[frozenset[tuple[int, int]]]) -> Iterator[frozenset[tuple[int, int]]]:
    """Graphs of the lower inclusion boundary: an arc less than some member of the class (Chickering 2002)."""
    for arcs in members:
        yield from (arcs - {arc} for arc in arcs)


def test_there_are_two_inclusion_optimal_classes_of_19_and_23_parameters(joint: Floats) -> None:
    """Of all 185 classes of four nodes, those that include the distribution and lose it with any arc."""

    def holds(arcs: Collection[tuple[int, int]]) -> bool:
        return bool(np.allclose(projected(joint, arcs), joint, atol=1e-12))

    optimal = [members for members in classes(4) if holds(members[0]) and not any(map(holds, set(smaller(members))))]
    first = frozenset({(X, Y), (X, U), (Y, Z), (U, Z), (Y, U)})
    second = frozenset({(X, Y), (X, U), (Y, Z), (Z, U), (X, Z)})
    assert len(optimal) == 2
    assert {arcs for members in optimal for arcs in members} >= {first, second}
    assert not any({first, second} <= set(members) for members in optimal)
    assert (n_parameters(first), n_parameters(second)) == (19, 23)
    assert {n_parameters(members[0]) for members in optimal} == {19, 23}


def test_a_network_stands_on_the_smaller_of_them() -> None:
    network = trap_network(3)
    assert network.names == ("X1", "Y1", "Z1", "U1", "X2", "Y2", "Z2", "U2", "X3", "Y3", "Z3", "U3")
    assert network.arities == (4, 2, 2, 2) * 3
    assert network.n_parameters == 3 * 19
    arcs = {("X", "Y"), ("X", "U"), ("Y", "Z"), ("U", "Z"), ("Y", "U")}
    assert set(network.dag.arcs) == {(f"{a}{copy}", f"{b}{copy}") for a, b in arcs for copy in (1, 2, 3)}


def test_copies_are_independent_and_alike(joint: Floats) -> None:
    pair = joint_of(trap_network(2)).reshape(joint.size, joint.size)
    np.testing.assert_allclose(pair, np.outer(joint, joint), atol=1e-14)


def test_samples_follow_the_distribution(joint: Floats) -> None:
    data = trap_network(2).sample(20_000, seed=3)
    for first in (0, 4):
        cells = np.ravel_multi_index(data.codes[:, first : first + 4].T.astype(int), joint.shape)
        assert chisquare(np.bincount(cells, minlength=joint.size), 20_000 * joint.ravel()).pvalue > 1e-4


def test_greed_is_deceived_by_x_and_z(joint: Floats) -> None:
    """X tells more about Z than Y or U do, and once they are joined, Y and U need no edge."""
    assert information(joint, X, Z) > information(joint, Y, Z) > information(joint, Y, U)
    assert information(joint, X, Z) > information(joint, U, Z)
    score = LocalScore(trap_network(1).sample(20_000, seed=1))
    trap = Dag(score.data.names, [("X1", "Y1"), ("X1", "U1"), ("Y1", "Z1"), ("Z1", "U1"), ("X1", "Z1")])
    complete = Dag(trap.names, [*trap.arcs, ("Y1", "U1")])
    assert score.total(complete) < score.total(trap) < score.total(trap_network(1).dag)


@pytest.mark.parametrize("copies", [0, -1, 1.5, True])
def test_bad_copies_are_refused(copies: int) -> None:
    with pytest.raises(ParameterError, match="copies must be"):
        trap_network(copies)


@given(st.integers(0, 10_000))
@settings(max_examples=25, deadline=None)
def test_margins_of_a_positive_joint_are_fitted_without_losing_entropy(seed: int) -> None:
    """The distribution that the margins were taken from has them too, so that it cannot have more entropy."""
    rng = np.random.default_rng(seed)
    shape = tuple(rng.integers(2, 4, 4).tolist())
    original = rng.dirichlet(np.ones(np.prod(shape))).reshape(shape) * 0.5 + 0.5 / np.prod(shape)
    pairs = [pair for pair in combinations(range(4), 2) if rng.random() < 0.6]
    fitted = maximum_entropy(shape, {pair: margin(original, pair) for pair in pairs})
    for pair in pairs:
        np.testing.assert_allclose(margin(fitted, pair), margin(original, pair), atol=1e-11)
    assert (fitted * np.log(fitted)).sum() <= (original * np.log(original)).sum() + 1e-9
    # Orthogonality (Csiszár 1975): the divergence of the two is exactly the entropy that was gained.
    divergence = (original * np.log(original / fitted)).sum()
    gained = (original * np.log(original)).sum() - (fitted * np.log(fitted)).sum()
    assert divergence == pytest.approx(gained, abs=1e-9)


def test_margins_of_a_chain_by_hand() -> None:
    first, second = np.array([[0.1, 0.3], [0.4, 0.2]]), np.array([[0.05, 0.25, 0.2], [0.3, 0.1, 0.1]])
    expected = first[:, :, None] * second[None] / 0.5  # p(a, b) p(b, c) / p(b)
    np.testing.assert_allclose(maximum_entropy([2, 2, 3], {(0, 1): first, (1, 2): second}), expected, atol=1e-12)


def test_impossible_configurations_stay_impossible() -> None:
    joint = maximum_entropy([2, 2], {(0,): [1, 0], (1,): [0.25, 0.75]})
    assert joint.tolist() == [[0.25, 0.75], [0, 0]]
    assert maximum_entropy([3, 2], {}) == pytest.approx(1 / 6)
    assert maximum_entropy([2, 2], {(0, 1): [[0.5, 0], [0, 0.5]]}).tolist() == [[0.5, 0], [0, 0.5]]


@pytest.mark.parametrize(
    ("margins", "words"),
    [
        ({(0, 1): [[0.5, 0.5]]}, r"margin of \(0, 1\) must have the shape \(2, 2\), not \(1, 2\)"),
        ({(1, 0): np.full((2, 2), 0.25)}, "ascending order"),
        ({(0, 0): np.full((2, 2), 0.25)}, "ascending order"),
        ({(0, 2): np.full((2, 2), 0.25)}, "positions from 0 to 1"),
        ({(0,): [0.5, 0.6]}, "sum to 1; their sum is 1.1"),
        ({(0,): [1.5, -0.5]}, "must be probabilities"),
        ({(0,): [float("nan"), 0.5]}, "must be probabilities"),
        ({(0,): [0.5, 0.5], (0, 1): [[0.4, 0.2], [0.2, 0.2]]}, "agree with one another"),
    ],
)
def test_bad_margins_are_refused(margins: dict[tuple[int, ...], npt.ArrayLike], words: str) -> None:
    with pytest.raises(ParameterError, match=words):
        maximum_entropy([2, 2], margins)
