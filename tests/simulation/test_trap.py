"""The Trap distributions against the claims of their paper, and fitted margins against other solvers."""

from collections.abc import Collection, Iterator
from itertools import combinations, product
from typing import Literal

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize
from scipy.stats import chisquare

from arcwise import Dataset
from arcwise.network.network import BayesianNetwork
from arcwise.simulation.trap import maximum_entropy, trap_network
from arcwise.support.errors import ParameterError
from oracles_graph import Arcs, classes

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
    """The published tables as margins."""
    return joint_of(trap_network(1, tables="margins"))


@pytest.fixture(scope="module")
def trap() -> Floats:
    """The published tables as factors."""
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


def projected(joint: Floats, arcs: Arcs) -> Floats:
    """The distribution of a graph that is nearest: every variable given its parents as in the joint."""
    product_ = np.ones_like(joint)
    for node in range(joint.ndim):
        parents = {parent for parent, child in arcs if child == node}
        product_ = product_ * margin(joint, {node, *parents}, keepdims=True) / margin(joint, parents, keepdims=True)
    return product_


def n_parameters(arcs: Arcs) -> int:
    arities = (4, 2, 2, 2)
    sizes = (np.prod([arities[parent] for parent, child in arcs if child == node]) for node in range(4))
    return int(sum((arities[node] - 1) * size for node, size in enumerate(sizes)))


def smaller(members: Collection[Arcs]) -> Iterator[Arcs]:
    """Graphs of the lower inclusion boundary: an arc less than some member of the class (Chickering 2002)."""
    for arcs in members:
        yield from (arcs - {arc} for arc in arcs)


def holds(joint: Floats, arcs: Arcs) -> bool:
    """Whether the graph can represent the distribution."""
    return bool(np.allclose(projected(joint, arcs), joint, atol=1e-12))


def inclusion_optimal(joint: Floats) -> list[tuple[Arcs, ...]]:
    """Of all 185 classes of four nodes, those that include the distribution and lose it with any arc."""
    return [
        members
        for members in classes(4)
        if holds(joint, members[0]) and not any(holds(joint, arcs) for arcs in set(smaller(members)))
    ]


ALL_BUT_XZ = frozenset({(X, Y), (X, U), (Y, Z), (U, Z), (Y, U)})
ALL_BUT_YU = frozenset({(X, Y), (X, U), (Y, Z), (Z, U), (X, Z)})
DIAMOND = frozenset({(Z, Y), (Z, U), (Y, X), (U, X)})


def test_margins_have_the_two_optimal_classes_of_the_paper(joint: Floats) -> None:
    first, second = sorted(inclusion_optimal(joint), key=lambda members: n_parameters(members[0]))
    assert ALL_BUT_XZ in first
    assert ALL_BUT_YU in second
    assert (n_parameters(ALL_BUT_XZ), n_parameters(ALL_BUT_YU)) == (19, 23)


def test_factors_have_two_optimal_classes(trap: Floats) -> None:
    first, second = sorted(inclusion_optimal(trap), key=lambda members: n_parameters(members[0]))
    assert DIAMOND in first
    assert ALL_BUT_YU in second
    assert (n_parameters(DIAMOND), n_parameters(ALL_BUT_YU)) == (17, 23)


def expected_bic(joint: Floats, arcs: Arcs, n_rows: float) -> float:
    """BIC of data in which every combination of states is as frequent as it is probable."""
    return float(n_rows * (joint * np.log(projected(joint, arcs))).sum() - np.log(n_rows) / 2 * n_parameters(arcs))


@pytest.mark.parametrize("n_rows", [2e4, 1e6, 1e9])
def test_greedy_search_is_deceived_by_factors_and_not_by_margins(joint: Floats, trap: Floats, n_rows: float) -> None:
    """By the definition of the inclusion boundary: all members, all single arcs more or less."""
    class_of = {arcs: members for members in classes(4) for arcs in members}
    pairs = [(a, b) for a in range(4) for b in range(4) if a != b]

    def boundary(members: tuple[Arcs, ...]) -> list[tuple[Arcs, ...]]:
        changed = {arcs ^ {pair} for arcs in members for pair in pairs} & class_of.keys()
        return list(dict.fromkeys(class_of[arcs] for arcs in sorted(changed, key=sorted)))

    def greedy_end(distribution: Floats) -> tuple[Arcs, ...]:
        current = class_of[frozenset()]
        while True:
            best = max(boundary(current), key=lambda members: expected_bic(distribution, members[0], n_rows))
            if expected_bic(distribution, best[0], n_rows) <= expected_bic(distribution, current[0], n_rows):
                return current
            current = best

    assert ALL_BUT_YU in greedy_end(trap)
    assert expected_bic(trap, DIAMOND, n_rows) > expected_bic(trap, ALL_BUT_YU, n_rows) + 10
    assert ALL_BUT_XZ in greedy_end(joint)
    scores = {members: expected_bic(joint, members[0], n_rows) for members in classes(4)}
    assert ALL_BUT_XZ in max(scores, key=scores.__getitem__)


def test_factors_by_hand(trap: Floats) -> None:
    """Y and U follow Z, the digits of X follow Y and U; the published margins hold for Z and for the digits."""
    for cell in np.ndindex(trap.shape):
        x, y, z, u = cell
        digits = (0.88 if x % 2 == y else 0.12) * (0.88 if x // 2 == u else 0.12)
        assert trap[cell] == pytest.approx(0.5 * (0.7 if y == z else 0.3) * (0.7 if u == z else 0.3) * digits)
    for axes in ((Y, Z), (Z, U)):
        np.testing.assert_allclose(margin(trap, axes), MARGINS[axes], atol=1e-12)
    by_digit = margin(trap, (X, Y)).reshape(2, 2, 2).sum(axis=0)
    np.testing.assert_allclose(by_digit, MARGINS[X, Y].reshape(2, 2, 2).sum(axis=0), atol=1e-12)
    assert not np.allclose(margin(trap, (X, Y)), MARGINS[X, Y], atol=0.02)


def test_why_factors_deceive_and_margins_do_not(joint: Floats, trap: Floats) -> None:
    for distribution in (joint, trap):
        assert information(distribution, X, Z) > information(distribution, Y, Z)
        assert information(distribution, Y, U, (X, Z)) == pytest.approx(0, abs=1e-12)
        assert information(distribution, X, Z, (Y, U)) == pytest.approx(0, abs=1e-12)
    assert information(trap, Y, U) > information(trap, Y, U, (X,))
    assert information(joint, Y, U) < information(joint, Y, U, (X,))


def test_networks_stand_on_the_smaller_class() -> None:
    margins = trap_network(3, tables="margins")
    assert margins.names == ("X1", "Y1", "Z1", "U1", "X2", "Y2", "Z2", "U2", "X3", "Y3", "Z3", "U3")
    for network, graph, size in ((margins, ALL_BUT_XZ, 19), (trap_network(3), DIAMOND, 17)):
        assert network.names == margins.names
        assert network.arities == (4, 2, 2, 2) * 3
        assert network.n_parameters == 3 * size
        named = {("XYZU"[a], "XYZU"[b]) for a, b in graph}
        assert set(network.dag.arcs) == {(f"{a}{copy}", f"{b}{copy}") for a, b in named for copy in (1, 2, 3)}


def test_copies_are_independent_and_alike(trap: Floats) -> None:
    pair = joint_of(trap_network(2)).reshape(trap.size, trap.size)
    np.testing.assert_allclose(pair, np.outer(trap, trap), atol=1e-14)


@pytest.mark.parametrize("tables", ["factors", "margins"])
def test_samples_follow_the_distribution(tables: Literal["factors", "margins"]) -> None:
    probabilities = joint_of(trap_network(1, tables=tables))
    data = trap_network(2, tables=tables).sample(20_000, seed=3)
    for first in (0, 4):
        cells = np.ravel_multi_index(list(data.codes[:, first : first + 4].T.astype(int)), probabilities.shape)
        counts = np.bincount(cells, minlength=probabilities.size)
        assert chisquare(counts, 20_000 * probabilities.ravel()).pvalue > 1e-4


@pytest.mark.parametrize("copies", [0, -1, 1.5, True])
def test_bad_copies_are_refused(copies: int) -> None:
    with pytest.raises(ParameterError, match="copies must be"):
        trap_network(copies)


def test_a_reading_that_there_is_not() -> None:
    with pytest.raises(ParameterError, match="tables must be one of factors, margins, not 'conditionals'"):
        trap_network(1, tables="conditionals")  # type: ignore[arg-type]


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
        ({(0,): ["a", "b"]}, r"margin of \(0,\) must be probabilities"),
        ({(0, 1): [[0.5], [0.2, 0.3]]}, r"margin of \(0, 1\) must be probabilities"),
        ({0: [0.5, 0.5]}, "tuples of positions"),
    ],
)
def test_bad_margins_are_refused(margins: dict[tuple[int, ...], npt.ArrayLike], words: str) -> None:
    with pytest.raises(ParameterError, match=words):
        maximum_entropy([2, 2], margins)


def test_margins_that_agree_but_leave_a_configuration_without_probability_are_not_called_contradictory() -> None:
    """Exactly one of three variables is 1: of the pairs, 0 and 0 is as probable as the others, but 0, 0, 0 is not."""
    pair = np.array([[1, 1], [1, 0]]) / 3
    with pytest.raises(ParameterError, match="must not make a configuration impossible that is possible in each"):
        maximum_entropy([2, 2, 2], {(0, 1): pair, (0, 2): pair, (1, 2): pair})
