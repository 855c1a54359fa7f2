"""Mixtures of trees by enumeration of all rows."""

import pickle
import zipfile
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import chi2

import oracles_trees as oracle
from arcwise import BayesianNetwork, Dag, DataError, Dataset, FormatError, ParameterError, TreeMixture
from arcwise.network.tree_mixture import read_tree_mixture, write_tree_mixture

ARITIES = (2, 3, 2, 4)
NAMES = ["a", "b", "c", "d"]
STATES = [[f"s{k}" for k in range(arity)] for arity in ARITIES]
TREES = [[-1, 0, 1, 1], [1, 2, -1, 2], [-1, -1, 1, 0], [-1, -1, -1, -1]]
WEIGHTS = [0.1, 0.4, 0.3, 0.2]


def random_tables(seed: int) -> dict[tuple[int, int, int], np.ndarray]:
    """A table for each tree and arc, different in every tree."""
    rng = np.random.default_rng(seed)
    return {
        (tree, v, parent): rng.dirichlet(np.ones(ARITIES[v]), size=1 if parent < 0 else ARITIES[parent])
        for tree, parents in enumerate(TREES)
        for v, parent in enumerate(parents)
    }


def mixture(seed: int = 0) -> TreeMixture:
    tables = random_tables(seed)
    which = np.arange(len(tables)).reshape(len(TREES), -1)
    return TreeMixture(NAMES, STATES, TREES, list(tables.values()), which, WEIGHTS)


def joint(seed: int = 0) -> dict[tuple[int, ...], float]:
    tables = random_tables(seed)

    def part(tree: int) -> dict[tuple[int, ...], float]:
        def table(v: int, parent: int) -> list[list[float]]:
            rows: list[list[float]] = tables[tree, v, parent].tolist()
            return rows

        return oracle.joint(ARITIES, [TREES[tree]], [WEIGHTS[tree]], table)

    parts = [part(tree) for tree in range(len(TREES))]
    return {row: sum(part[row] for part in parts) for row in parts[0]}


@pytest.mark.parametrize("seed", range(3))
def test_the_probability_of_every_row(seed: int) -> None:
    expected = joint(seed)
    rows = np.array(list(expected))
    data = Dataset.from_codes(rows, arities=ARITIES, names=NAMES, states=STATES)
    found = mixture(seed).log_likelihoods(data)
    assert np.exp(found) == pytest.approx(list(expected.values()))
    assert np.exp(found).sum() == pytest.approx(1)
    assert mixture(seed).log_likelihood(data) == pytest.approx(found.sum())


def test_columns_go_by_name_and_states_by_label() -> None:
    rng = np.random.default_rng(1)
    codes = np.column_stack([rng.integers(arity, size=50) for arity in ARITIES]).astype(np.uint8)
    data = Dataset.from_codes(codes, arities=ARITIES, names=NAMES, states=STATES)
    other = Dataset.from_codes(
        (np.array(ARITIES) - 1 - codes)[:, ::-1],
        arities=ARITIES[::-1],
        names=NAMES[::-1],
        states=[row[::-1] for row in STATES[::-1]],
    )
    assert mixture().log_likelihoods(other) == pytest.approx(mixture().log_likelihoods(data))
    weighted = data.with_weights(rng.integers(4, size=50))
    rows = mixture().log_likelihoods(data)
    assert mixture().log_likelihood(weighted) == pytest.approx(float(rows @ weighted.weights))  # type: ignore[operator]
    with pytest.raises(DataError, match="has the state 'new'"):
        mixture().log_likelihood(
            Dataset.from_codes(codes, names=NAMES, states=[["s0", "new"], *STATES[1:]], arities=ARITIES)
        )
    with pytest.raises(DataError, match="no column for 'd'"):
        mixture().log_likelihood(data.select(["a", "b", "c"]))


def test_marginals_of_one_and_of_two() -> None:
    expected = joint()
    for v, name in enumerate(NAMES):
        single = oracle.margin(expected, [v])
        assert mixture().marginal(name) == pytest.approx([single[(k,)] for k in range(ARITIES[v])])
        for u, other in enumerate(NAMES):
            pair = oracle.margin(expected, [v, u])
            found = mixture().pair_marginal(name, other)
            for (k, j), probability in np.ndenumerate(found):
                assert probability == pytest.approx(pair.get((k, j), 0.0))
    assert mixture().marginal(2) == pytest.approx(mixture().marginal("c"))
    with pytest.raises(ParameterError, match="there is no variable 'e'"):
        mixture().marginal("e")


def test_samples_have_the_probabilities() -> None:
    """Pearson's test over all 48 rows: a right sampler fails in one of a million seeds."""
    expected = joint()
    n = 50_000
    sample = mixture().sample(n, seed=3)
    found = dict.fromkeys(expected, 0)
    for row in sample.codes.tolist():
        found[tuple(row)] += 1
    statistic = sum((found[row] - n * p) ** 2 / (n * p) for row, p in expected.items())
    assert chi2.sf(statistic, len(expected) - 1) > 1e-6
    assert sample == mixture().sample(n, seed=3)
    assert sample != mixture().sample(n, seed=4)
    assert sample.names == tuple(NAMES)
    assert sample.states == tuple(map(tuple, STATES))


def test_what_is_impossible() -> None:
    coin = BayesianNetwork(Dag(["x", "y"], [("x", "y")]), [["0", "1"]] * 2, [[1.0, 0.0], [[0.0, 1.0], [0.5, 0.5]]])
    sure = TreeMixture.of([coin])
    assert set(map(tuple, sure.sample(200, seed=0).codes.tolist())) == {(0, 1)}
    rows = Dataset.from_codes([[0, 1], [1, 0], [0, 0]], names=["x", "y"], arities=[2, 2])
    assert sure.log_likelihoods(rows).tolist() == [0.0, -np.inf, -np.inf]
    assert sure.log_likelihood(rows.with_weights([3, 0, 0])) == 0.0
    assert sure.log_likelihood(rows) == -np.inf


def test_published_probabilities_are_divided_by_their_sums() -> None:
    rounded = TreeMixture(["x"], [["a", "b", "c"]], [[-1]], [[[0.333, 0.333, 0.333]]], [[0]])
    assert rounded.marginal("x") == pytest.approx([1 / 3] * 3)
    data = Dataset.from_codes([[2]], names=["x"], states=[["a", "b", "c"]])
    assert np.exp(rounded.log_likelihood(data)) == pytest.approx(1 / 3)


def test_networks_and_back() -> None:
    whole = mixture()
    networks = [whole.network(tree) for tree in range(whole.n_trees)]
    assert [list(network.dag.parent_indices[3]) for network in networks] == [[1], [2], [0], []]
    again = TreeMixture.of(networks, whole.weights)
    rows = Dataset.from_codes(np.array(list(joint())), arities=ARITIES, names=NAMES, states=STATES)
    assert again.log_likelihoods(rows) == pytest.approx(whole.log_likelihoods(rows))
    assert networks[1].dag == whole.dag(1)
    with pytest.raises(ParameterError, match="tree must be below 4"):
        whole.dag(4)


def test_weights_whose_sum_is_too_large_for_a_number() -> None:
    coins = [BayesianNetwork(Dag(["coin"]), [["h", "t"]], [[p, 1 - p]]) for p in (0.5, 0.7)]
    assert TreeMixture.of(coins, [1.5e308, 0.5e308]).marginal("coin") == pytest.approx([0.55, 0.45])


def test_files_and_pickles_give_it_back(tmp_path: Path) -> None:
    odd = TreeMixture(
        ["ünïcode\0", ""], [["a\0", "", "\ud800"], ["x"]], [[-1, 0]], [[[0.2, 0.3, 0.5]], [[1.0]] * 3], [[0, 1]]
    )
    for whole in (mixture(), odd):
        path = tmp_path / "mixture.npz"
        write_tree_mixture(whole, path)
        assert read_tree_mixture(path) == whole
        assert pickle.loads(pickle.dumps(whole)) == whole
    plain = tmp_path / "without an end"
    write_tree_mixture(mixture(), plain)
    assert read_tree_mixture(str(plain)) == mixture()
    assert read_tree_mixture(plain) != mixture(seed=1)


def test_files_that_are_not_mixtures(tmp_path: Path) -> None:
    path = tmp_path / "mixture.npz"
    write_tree_mixture(mixture(), path)
    path.write_bytes(path.read_bytes()[:200])
    with pytest.raises(FormatError, match="cannot be read as a mixture"):
        read_tree_mixture(path)
    np.savez(path, parents=[[0]])
    with pytest.raises(FormatError, match="this is not a file in the format 'arcwise tree mixture 1'"):
        read_tree_mixture(path)
    np.save(path.open("wb"), np.zeros(3))
    with pytest.raises(FormatError):
        read_tree_mixture(path)
    path.write_bytes(b"")
    with pytest.raises(FormatError):
        read_tree_mixture(path)
    with pytest.raises(FileNotFoundError):
        read_tree_mixture(tmp_path / "nothing")


def test_a_broken_array_in_a_file(tmp_path: Path) -> None:
    path = tmp_path / "mixture.npz"
    write_tree_mixture(mixture(), path)
    with np.load(path) as file:
        arrays = dict(file)
    for name, value, message in (
        ("parents", np.where(arrays["parents"] == 2, 9, arrays["parents"]), "parents must be from -1 to 3"),
        ("flat", -arrays["flat"], "sum to 1"),
        ("weights", np.zeros(4), "weights must be 4 numbers"),
        ("arities", arrays["arities"][:2], "do not fit"),
        ("begin", arrays["begin"][::-1], "where each table begins"),
    ):
        np.savez(path, **{**arrays, name: value})
        with pytest.raises(FormatError, match=message):
            read_tree_mixture(path)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("names", np.full(30, 255, dtype=np.uint8)),  # no UTF-8
        ("labels", np.full(30, 255, dtype=np.uint8)),
        ("format", np.full(30, 255, dtype=np.uint8)),
        ("arities", np.array(["text"])),
        ("arities", np.array([2.0, 3.0, 2.0, 4.0])),
        ("arities", np.array(["2020-01-01"], dtype="M8[D]")),
    ],
)
def test_text_and_arities_of_a_file_that_are_none(tmp_path: Path, name: str, value: np.ndarray) -> None:
    path = tmp_path / "mixture.npz"
    write_tree_mixture(mixture(), path)
    with np.load(path) as file:
        arrays = dict(file)
    np.savez(path, **{**arrays, name: value})
    with pytest.raises(FormatError):
        read_tree_mixture(path)


def test_an_archive_with_something_else_than_arrays(tmp_path: Path) -> None:
    path, changed = tmp_path / "mixture.npz", tmp_path / "changed.npz"
    write_tree_mixture(mixture(), path)
    with zipfile.ZipFile(path) as archive, zipfile.ZipFile(changed, "w") as copy:
        for name in archive.namelist():
            copy.writestr(name, b"hello" if name == "names.npy" else archive.read(name))
    with pytest.raises(FormatError, match="something else than arrays"):
        read_tree_mixture(changed)


@pytest.mark.parametrize(
    ("offset", "value"),
    [(6, 1), (6, 32), (8, 99)],  # flags: encrypted, patched; a compression that nobody has
    ids=["encrypted", "patched", "unknown compression"],
)
def test_an_archive_that_cannot_be_unpacked(tmp_path: Path, offset: int, value: int) -> None:
    path = tmp_path / "mixture.npz"
    write_tree_mixture(mixture(), path)
    content = bytearray(path.read_bytes())
    content[content.index(b"PK\x01\x02") + offset + 2] = value  # in the directory, which has one more field before
    path.write_bytes(content)
    with pytest.raises(FormatError, match="cannot be read as a mixture"):
        read_tree_mixture(path)


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"parents": [[1, 0]]}, "tree 0 has a cycle among the ancestors of"),
        ({"parents": [[-1, 2]]}, "parents must be from -1 to 1"),
        ({"parents": [[0.0, -1.0]]}, "parents must be whole numbers"),
        ({"parents": [-1, 0]}, "a row for each tree"),
        ({"which": [[0, 2]]}, "which must be from 0 to 1"),
        ({"which": [[0, 0]]}, "the table of 'y' in tree 0 must have 2 rows of 2 probabilities"),
        ({"which": [[0, 1], [0, 1]]}, "which must have a row for each of 1 trees"),
        ({"tables": [[[0.5, 0.4]], [[0.5, 0.5]] * 2]}, "sum to 1"),
        ({"tables": [[[np.nan, 0.4]], [[0.5, 0.5]] * 2]}, "sum to 1"),
        ({"tables": [[[np.inf, 0.4]], [[0.5, 0.5]] * 2]}, "sum to 1"),
        ({"tables": [[[1.5, -0.5]], [[0.5, 0.5]] * 2]}, "sum to 1"),
        ({"tables": []}, "where each table begins"),
        ({"weights": [0.0]}, "weights must be 1 numbers"),
        ({"weights": [np.nan]}, "weights must be 1 numbers"),
        ({"weights": ["much"]}, "weights must be numbers"),
        ({"parents": [[-1, 0], [-1]]}, "parents must be whole numbers"),
        ({"tables": [[[0.5], [0.2, 0.3]], [[0.5, 0.5]] * 2]}, "tables must be a list of tables"),
        ({"tables": [[["a", "b"]], [[0.5, 0.5]] * 2]}, "tables must be a list of tables"),
        # Beside numbers as large as that, which no tree uses, 0.6 and 0.2 are 1 and 0.
        ({"tables": [[[5e15, 0.0]], [[0.6, 0.2]] * 2, [[1.0, 0.0]]], "which": [[2, 1]]}, "sum to 1"),
        ({"names": ["x", "x"]}, "names must be strings that differ"),
        ({"names": ["x"]}, "states must have one entry"),
        ({"states": [["0", "0"], ["0", "1"]]}, "states must differ"),
    ],
    ids=str,
)
def test_what_does_not_fit_is_refused(changed: dict[str, object], message: str) -> None:
    parts: dict[str, object] = {
        "names": ["x", "y"],
        "states": [["0", "1"]] * 2,
        "parents": [[-1, 0]],
        "tables": [[[0.5, 0.5]], [[0.5, 0.5]] * 2],
        "which": [[0, 1]],
        "weights": [2.0],
    }
    TreeMixture(**parts)  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match=message):
        TreeMixture(**{**parts, **changed})  # type: ignore[arg-type]


def test_a_table_is_of_one_shape() -> None:
    with pytest.raises(ParameterError, match="shares a table with a variable of another number of states"):
        TreeMixture(
            ["x", "y"],
            [["0", "1"], ["0", "1", "2"]],
            [[-1, 0], [1, -1]],
            [[[0.5, 0.5]], [[1 / 3] * 3] * 2, [[0.2, 0.3, 0.5]]],
            [[0, 1], [1, 2]],
        )


def test_networks_that_are_not_trees_are_refused() -> None:
    v = BayesianNetwork(
        Dag(["a", "b", "c"], [("a", "c"), ("b", "c")]),
        [["0", "1"]] * 3,
        [[0.5, 0.5], [0.5, 0.5], np.full((2, 2, 2), 0.5)],
    )
    with pytest.raises(ParameterError, match="'c' has 2 parents in network 0"):
        TreeMixture.of([v])
    one, other = (BayesianNetwork(Dag([name]), [["0", "1"]], [[0.5, 0.5]]) for name in "ab")
    with pytest.raises(ParameterError, match="network 1 has other variables"):
        TreeMixture.of([one, other])
    with pytest.raises(ParameterError, match="one or more"):
        TreeMixture.of([])


@pytest.mark.parametrize("key", ["flat", "weights", "begin"])
def test_complex_numbers_in_a_file_are_refused(tmp_path: Path, key: str) -> None:
    path = tmp_path / "mixture.npz"
    coin = BayesianNetwork(Dag(["coin"]), [["heads", "tails"]], [[0.5, 0.5]])
    write_tree_mixture(TreeMixture.of([coin]), path)
    arrays = dict(np.load(path))
    arrays[key] = arrays[key].astype(np.complex128)
    np.savez(path, **arrays)
    with pytest.raises(FormatError, match="complex128"):
        read_tree_mixture(path)
