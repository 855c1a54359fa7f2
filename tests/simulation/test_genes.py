"""Simulated gene expression against the equations, other solvers and circuits solved by hand."""

from collections.abc import Sequence
from math import log, sqrt

import networkx as nx
import numpy as np
import numpy.typing as npt
import pytest
from scipy.integrate import solve_ivp

from arcwise.data import Discretisation, Quantile
from arcwise.simulation.genes import VARIATIONS, simulate_genes
from arcwise.simulation.regulation import RegulatoryNetwork, random_regulation
from arcwise.support.errors import ParameterError

Floats = npt.NDArray[np.float64]
# (regulator, target, effect, threshold, exponent)
Arc = tuple[int, int, float, float, float]


def network_of(rates: Sequence[float], arcs: Sequence[Arc]) -> RegulatoryNetwork:
    columns = [np.array(column) for column in zip(*arcs, strict=True)]
    regulators, targets, effects, thresholds, exponents = columns
    return RegulatoryNetwork(np.array(rates, dtype=float), regulators, targets, effects, thresholds, exponents)


def change(network: RegulatoryNetwork, levels: Floats, factors: Floats) -> Floats:
    """The right-hand side of one sample's equations, arc by arc as they are printed."""
    made = factors * network.rates
    for arc, (j, i) in enumerate(zip(network.regulators, network.targets, strict=True)):
        h, threshold = network.exponents[arc], network.thresholds[arc]
        made[i] *= 1 + network.effects[arc] * levels[j] ** h / (threshold**h + levels[j] ** h)
    return np.asarray(made - levels)


@pytest.mark.parametrize("variation", list(VARIATIONS))
@pytest.mark.parametrize("arcs_per_gene", [0.0, 2.0, 5.0])
def test_levels_satisfy_the_equations(variation: str, arcs_per_gene: float) -> None:
    experiment = simulate_genes(60, 70, arcs_per_gene=arcs_per_gene, variation=variation, seed=1)
    for levels, factors in zip(experiment.levels, experiment.factors, strict=True):
        assert np.abs(change(experiment.network, levels, factors) / levels).max() < 1e-8


@pytest.mark.parametrize("seed", range(3))
def test_levels_are_where_integration_ends(seed: int) -> None:
    experiment = simulate_genes(15, 3, seed=seed)
    for levels, factors in zip(experiment.levels, experiment.factors, strict=True):

        def slope(_: float, x: Floats, z: Floats = factors) -> Floats:
            return change(experiment.network, x, z)

        path = solve_ivp(slope, (0, 300), np.ones(15), rtol=1e-9, atol=1e-10)
        np.testing.assert_allclose(levels, path.y[:, -1], rtol=1e-6)


def test_activation_solved_by_hand() -> None:
    network = network_of([2.0, 1.0], [(0, 1, 3.0, 2.0, 4.0)])
    # Gene 0 settles at its rate. At its threshold, 2, half of the effect shows: 1 + 3 / 2. At 4, 16 / 17 of it.
    np.testing.assert_allclose(network.steady_states([[1, 1], [2, 1]]), [[2, 2.5], [4, 1 + 3 * 16 / 17]])


def test_a_loop_of_two_genes_solved_by_hand() -> None:
    # x = 1 + y / (1 + y) and y = 1 - x / (2 (1 + x)): inserted, 3 x² = 6.
    network = network_of([1.0, 1.0], [(1, 0, 1.0, 1.0, 1.0), (0, 1, -0.5, 1.0, 1.0)])
    np.testing.assert_allclose(network.steady_states([[1, 1]]), [[sqrt(2), 1 / sqrt(2)]], rtol=1e-8)


def test_a_knock_down_travels_down_the_chain_by_the_signs() -> None:
    # 0 activates 1, 1 inhibits 2, 2 inhibits 3; 4 is upstream of 0, and 5 beside the chain.
    arcs = [(4, 0, 1.0, 1.0, 2.0), (0, 1, 4.0, 1.0, 2.0), (1, 2, -0.8, 1.0, 2.0), (2, 3, -0.8, 1.0, 2.0)]
    network = network_of([1.0] * 6, arcs)
    wild, knocked_down = network.steady_states(np.array([[1, 1, 1, 1, 1, 1], [0.2, 1, 1, 1, 1, 1]]))
    assert knocked_down[0] == pytest.approx(0.2 * wild[0])
    assert knocked_down[1] < wild[1]
    assert knocked_down[2] > wild[2]
    assert knocked_down[3] < wild[3]
    assert knocked_down[4:].tolist() == wild[4:].tolist()
    expected = [0.3]
    for effect in (4, -0.8, -0.8):
        expected.append(1 + effect * expected[-1] ** 2 / (1 + expected[-1] ** 2))
    np.testing.assert_allclose(knocked_down[:4], expected, rtol=1e-8)


def test_an_oscillator_is_refused() -> None:
    # Three genes that inhibit in a ring oscillate when the product of their elasticities passes 8 (secant condition).
    ring = [(i, (i + 1) % 3, -0.999, 1.0, 6.0) for i in range(3)]
    with pytest.raises(ParameterError, match=r"does not settle in 1 samples"):
        network_of([10.0] * 3, ring).steady_states([[1, 1.1, 0.9]])


@pytest.mark.parametrize("seed", range(5))
def test_arcs_are_as_many_as_asked_for_and_form_cycles(seed: int) -> None:
    experiment = simulate_genes(30, 1, arcs_per_gene=1.5, seed=seed)
    assert len(set(experiment.arcs)) == 45
    place = {name: gene for gene, name in enumerate(experiment.names)}
    arcs = [(place[regulator], place[target]) for regulator, target in experiment.arcs]
    assert all(regulator != target for regulator, target in arcs)
    assert arcs == sorted(arcs, key=lambda arc: (arc[1], arc[0]))
    assert not nx.is_directed_acyclic_graph(nx.DiGraph(arcs))
    assert arcs == list(zip(experiment.network.regulators, experiment.network.targets, strict=True))


def test_the_smallest_networks() -> None:
    rng = np.random.default_rng(0)
    assert random_regulation(2, 2, rng=rng).targets.tolist() == [0, 1]
    assert random_regulation(4, 12, rng=rng).targets.size == 12
    assert random_regulation(1, 0, rng=rng).steady_states(np.array([[0.5], [2]])).ravel() == pytest.approx([0.5, 2])


def test_degrees_have_hubs() -> None:
    network = random_regulation(1000, 2000, rng=np.random.default_rng(2))
    out = np.bincount(network.regulators, minlength=1000)
    into = np.bincount(network.targets, minlength=1000)
    # Poisson degrees of mean 2 would stay below 12 or so: P(X >= 13) is below 1e-6.
    assert out.max() > 40
    assert 8 < into.max() < 40
    assert 0.4 < (network.effects > 0).mean() < 0.6


def test_lines_have_one_of_two_alleles_and_neighbours_are_linked() -> None:
    factors = simulate_genes(120, 2000, arcs_per_gene=0, noise=0, seed=3).factors
    low, high = factors.min(axis=0), factors.max(axis=0)
    assert np.isin(factors, np.concatenate([low, high])).all()
    np.testing.assert_allclose(low * high, 1)
    assert (high / low <= 3).all()
    alleles = factors == high
    assert np.abs(alleles.mean(axis=0) - 0.5).max() < 0.06  # more than five standard deviations
    same = (alleles[:, 1:] == alleles[:, :-1]).mean(axis=0)
    chromosome_ends = [49, 99]
    assert np.abs(same[chromosome_ends] - 0.5).max() < 0.06
    assert np.delete(same, chromosome_ends).min() > 0.9


def test_knock_downs_leave_most_genes_alone() -> None:
    experiment = simulate_genes(50, 40, variation="knockdown", seed=4)
    knocked_down = experiment.factors < 1
    assert (knocked_down.sum(axis=1) == 5).all()
    assert (experiment.factors[~knocked_down] == 1).all()
    assert 0.1 <= experiment.factors.min() < experiment.factors[knocked_down].max() <= 0.5
    assert (simulate_genes(3, 5, arcs_per_gene=1, variation="knockdown", seed=4).factors < 1).sum(axis=1).tolist() == [
        1
    ] * 5


def test_noise_multiplies() -> None:
    experiment = simulate_genes(100, 100, noise=0.2, seed=5)
    errors = np.log(experiment.expression / experiment.levels)
    assert errors.mean() == pytest.approx(0, abs=0.2 * 5 / 100)
    assert errors.std() == pytest.approx(0.2, rel=0.04)
    exact = simulate_genes(100, 100, noise=0, seed=5)
    assert (exact.expression == exact.levels).all()


def test_same_seed_same_experiment() -> None:
    first, second, other = (simulate_genes(40, 30, seed=seed) for seed in (0, 0, 1))
    assert (first.expression == second.expression).all()
    assert first.arcs == second.arcs
    assert first.arcs != other.arcs
    drawn = simulate_genes(40, 30)
    assert (simulate_genes(40, 30, seed=drawn.seed).expression == drawn.expression).all()
    assert simulate_genes(40, 5, variation="knockdown", noise=0.5, seed=0).arcs == first.arcs


def test_regulation_shows_in_the_data() -> None:
    # Without noise and without linkage (chromosomes apart), a regulator's level moves its target's the way of its sign.
    network = network_of([1.0, 0.5], [(0, 1, 4.0, 1.0, 2.0)])
    factors = np.exp(np.random.default_rng(0).normal(0, 0.3, (300, 2)))
    levels = np.log(network.steady_states(factors))
    assert np.corrcoef(levels.T)[0, 1] > 0.5
    assert abs(np.corrcoef(np.log(factors).T)[0, 1]) < 0.2


def test_data_has_two_to_four_states() -> None:
    experiment = simulate_genes(20, 150, seed=6)
    data = experiment.data()
    assert data.names == experiment.names
    assert data.n_rows == 150
    assert 2 <= min(data.arities) <= max(data.arities) <= 4
    assert all(isinstance(step, Discretisation) for step in data.steps)
    for gene, step in enumerate(data.steps):
        assert isinstance(step, Discretisation)
        assert (step.apply(experiment.expression[:, gene]) == data.codes[:, gene]).all()
    assert set(experiment.data(Quantile(3)).arities) == {3}


def test_an_experiment_does_not_change() -> None:
    experiment = simulate_genes(10, 10, seed=0)
    for array in (experiment.expression, experiment.levels, experiment.factors, experiment.network.effects):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"n_genes": 1}, "n_genes must be at least 2"),
        ({"n_genes": 2.5}, "n_genes must be an integer"),
        ({"n_samples": 0}, "n_samples must be at least 1"),
        ({"arcs_per_gene": -1}, "arcs_per_gene must be a finite number of at least 0"),
        ({"n_genes": 3, "arcs_per_gene": 2.5}, "arcs_per_gene must be at most 2 with 3 genes"),
        ({"variation": "weather"}, "variation must be one of genetic, knockdown"),
        ({"noise": -0.1}, "noise must be a finite number of at least 0"),
        ({"noise": float("nan")}, "noise must be a finite number"),
        ({"seed": -1}, "seed must be"),
    ],
)
def test_bad_arguments_are_refused(arguments: dict[str, object], words: str) -> None:
    with pytest.raises(ParameterError, match=words):
        simulate_genes(**{"n_genes": 5, "n_samples": 5, **arguments})  # type: ignore[arg-type]


def test_bad_networks_and_factors_are_refused() -> None:
    with pytest.raises(ParameterError, match="effects must be above -1"):
        network_of([1, 1], [(0, 1, -1.0, 1.0, 1.0)])
    with pytest.raises(ParameterError, match="must be above 0"):
        network_of([1, 1], [(0, 1, 1.0, 0.0, 1.0)])
    with pytest.raises(ParameterError, match="targets must be indices from 0 to 1"):
        network_of([1, 1], [(0, 2, 1.0, 1.0, 1.0)])
    with pytest.raises(ParameterError, match="one entry for each arc"):
        RegulatoryNetwork(np.ones(2), np.array([0]), np.array([1, 1]), np.ones(1), np.ones(1), np.ones(1))
    with pytest.raises(ParameterError, match="at most 2 with 2 genes, not 3"):
        random_regulation(2, 3, rng=np.random.default_rng(0))
    network = network_of([1, 1], [(0, 1, 1.0, 1.0, 1.0)])
    with pytest.raises(ParameterError, match="samples by 2 genes"):
        network.steady_states([1, 1])
    with pytest.raises(ParameterError, match="above 0"):
        network.steady_states([[1, 0]])


def test_noise_of_a_thousandth_gives_the_alleles_back() -> None:
    # Genes without regulators have two levels, whose ratio is that of the alleles.
    experiment = simulate_genes(2, 400, arcs_per_gene=0, noise=0.001, seed=7)
    data = experiment.data()
    for gene in range(2):
        fold = log(experiment.factors[:, gene].max() / experiment.factors[:, gene].min())
        if fold > 0.1:
            assert data.arities[gene] == 2
            high = experiment.factors[:, gene] > 1
            assert (data.codes[:, gene] == high).all()
