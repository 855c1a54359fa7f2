"""The program of a card, with numpy in its place: the numbers of the kernels to the last bit, and their graphs."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

import arcwise.scores.device.choice as choice
from arcwise import (
    Dataset,
    LocalScore,
    ParameterError,
    _core,
    bootstrap,
    learn,
    load_example,
    select,
    tree_mixture,
)
from arcwise.cli.choices import DEVICES
from arcwise.parents.bagged_trees import Bagging, bagged_trees
from arcwise.scores import score_named
from arcwise.scores.device.answers import DeviceAnswers
from arcwise.scores.device.cuda_card import why_no_card
from arcwise.scores.device.gaussian import GaussianAnswers
from arcwise.scores.device.numpy_card import NumpyCard
from arcwise.scores.device.table import DeviceTable
from arcwise.scores.gram import centred_gram
from arcwise.search.registry import SEARCHES
from arcwise.search.search import run_search
from batch_scores import NumpyAnswers
from score_cases import COUNTED
from short_searches import SHORT
from tables import dependent_table, table_of_numbers

FAMILIES = [(0, []), (1, []), (3, [1]), (2, [0, 1]), (5, [0, 1, 3]), (4, [3, 5]), (0, [1, 3, 4, 5])]
CANDIDATES = np.arange(6, dtype=np.int32)


@pytest.fixture
def numpy_card(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A card that is there and costs nothing, so that every batch goes to it."""
    monkeypatch.setattr(choice, "why_no_card", lambda: None)
    monkeypatch.setattr(choice, "_card", NumpyCard)
    monkeypatch.setattr(choice, "_measured", lambda *_: choice.Cost(0.0, 0.0))
    return iter([None])


def batch(families: list[tuple[int, list[int]]]) -> tuple[Any, Any, Any]:
    children = np.array([child for child, _ in families], dtype=np.int32)
    starts = np.cumsum([0] + [len(parents) for _, parents in families]).astype(np.int64)
    return children, starts, np.array([p for _, parents in families for p in parents], dtype=np.int32)


def table(arities: tuple[int, ...], largest_weight: int, n_rows: int = 150) -> Dataset:
    data = dependent_table(n_rows=n_rows, arities=arities)
    if largest_weight == 0:
        return data
    weights = np.random.default_rng(3).integers(0, largest_weight, size=n_rows).astype(np.uint32)
    return data.with_weights(weights)


def answers(data: Dataset, name: str = "bic", **options: Any) -> DeviceAnswers:
    on_card = DeviceTable(data, options.pop("card", NumpyCard()), **options)
    return DeviceAnswers(on_card, score_named(name), LocalScore(data, name).rounding)


@pytest.mark.parametrize("name", COUNTED)
@pytest.mark.parametrize("arities", [(2,) * 6, (2, 3, 1, 4, 2, 3)])
@pytest.mark.parametrize(("largest_weight", "most_by_bits"), [(0, 0), (0, 10_000), (5, 0), (5, 10_000), (300, 0)])
def test_numbers_are_those_of_the_kernels_to_the_last_bit(
    name: str, arities: tuple[int, ...], largest_weight: int, most_by_bits: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = table(arities, largest_weight)
    kernels, card, families = LocalScore(data, name), answers(data, name), batch(FAMILIES)
    assert card.scores(*families).tolist() == [kernels.local(child, parents) for child, parents in FAMILIES]
    additions = card.additions(*families, CANDIDATES)
    for row, (child, parents) in zip(additions, FAMILIES, strict=True):
        others = [v for v in range(6) if v not in (child, *parents)]
        assert np.isnan(row[[child, *parents]]).all()
        assert row[others].tolist() == kernels.additions(child, parents).tolist()
    monkeypatch.setattr("arcwise.scores.device.answers._MOST_BY_BITS", most_by_bits)
    own, scores, variables, ends = card.improvements(*families)
    better = additions > own[:, None] + kernels.rounding
    better[:, np.array(arities) == 1] = False  # which say nothing
    assert np.diff(ends).tolist() == better.sum(axis=1).tolist()
    for i in range(len(FAMILIES)):
        its = slice(ends[i], ends[i + 1])
        assert scores[its].tolist() == additions[i][variables[its]].tolist() == sorted(scores[its], reverse=True)
    if 1 not in arities:
        by_kernels = _core.improvements(kernels.core, *families, threads=2)
        assert [part.tolist() for part in by_kernels] == [part.tolist() for part in (own, scores, variables, ends)]


def test_weights_of_three_digits_are_counted() -> None:
    data = table((2, 3, 1, 4, 2, 3), 40_000, n_rows=30)
    assert data.weights is not None
    assert data.weights.max() >= 1 << 14  # digits have seven bits
    families = batch(FAMILIES)
    assert answers(data).improvements(*families)[1].tolist() == NumpyAnswers(data).improvements(*families)[1].tolist()


def test_blocks_and_parts_give_the_same_as_all_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    data = dependent_table(n_rows=500, arities=(2,) * 40 + (3, 4) * 5)
    families = batch([(v, [w]) for v in range(20) for w in range(35, 50)])
    whole, small = answers(data), answers(data, most_bytes=20_000)
    assert len(small.table.blocks) > len(whole.table.blocks)
    assert whole.table.blocks[0].planes
    assert not small.table.blocks[0].planes
    monkeypatch.setattr("arcwise.scores.device.answers._MOST_MASKS", 50)
    own, others = whole.improvements(*families), small.improvements(*families)
    assert [part.tolist() for part in own] == [part.tolist() for part in others]


def test_more_improvements_than_there_is_place_for(monkeypatch: pytest.MonkeyPatch) -> None:
    data = dependent_table(n_rows=500, arities=(2,) * 20)
    families = batch([(v, []) for v in range(20)])
    expected = answers(data).improvements(*families)
    monkeypatch.setattr("arcwise.scores.device.expected._FEW_FOUND", 3)
    monkeypatch.setattr("arcwise.scores.device.expected._FOUND_PER_FAMILY", 0)
    assert len(expected[1]) > 3
    card = Counting()
    again = answers(data, card=card)
    for n_batches in (2, 3, 4):  # the first one is scored twice: others have as many
        assert again.improvements(*families)[1].tolist() == expected[1].tolist()
        assert card.n_batches == n_batches


def test_families_of_too_many_cells_are_left_to_the_kernels(monkeypatch: pytest.MonkeyPatch) -> None:
    data = dependent_table(n_rows=50, arities=(2, 40, 30, 2))
    own, *_ = answers(data).improvements(*batch([(0, [1, 2]), (0, [1]), (3, [])]))
    assert np.isnan(own).tolist() == [True, False, False]
    monkeypatch.setattr("arcwise.scores.device.terms._MOST_BYTES_OF_SHAPE", 1000)
    assert np.isnan(answers(data, "bds").scores(*batch([(3, [1])]))).all()


class Counting(NumpyCard):
    """A card that counts batches."""

    n_batches = 0

    def begin(self, *arguments: Any) -> Any:
        self.n_batches += 1
        return super().begin(*arguments)


class Forgetful(NumpyCard):
    """A card that has too little memory a few times."""

    def __init__(self, times: int) -> None:
        self.times, self.given_back = times, 0

    def own_scores(self, *arguments: Any) -> None:
        if self.times:
            self.times -= 1
            raise MemoryError
        super().own_scores(*arguments)

    def gaussian_improve(self, place: Any, matrix: Any, families: Any, rounding: float) -> None:
        if len(families) > self.times:
            raise MemoryError
        super().gaussian_improve(place, matrix, families, rounding)

    def give_back(self) -> None:
        self.given_back += 1


def test_too_little_memory_makes_smaller_parts() -> None:
    data, families = dependent_table(arities=(2,) * 6), batch(FAMILIES)
    card = Forgetful(2)
    assert answers(data, card=card).scores(*families).tolist() == answers(data).scores(*families).tolist()
    assert card.given_back == 2


def test_far_too_little_memory_is_said_in_a_sentence() -> None:
    data = dependent_table(arities=(2,) * 6)
    with pytest.raises(ParameterError, match="the card has too little memory left"):
        answers(data, card=Forgetful(1000)).scores(*batch(FAMILIES))
    with pytest.raises(ParameterError, match=r"on the card, and .* are free there; use the processor"):
        answers(data, most_bytes=100)


def test_more_observations_than_a_card_counts() -> None:
    data = dependent_table(n_rows=2, arities=(2, 2)).with_weights(np.array([1 << 30, 1 << 30], dtype=np.uint32))
    with pytest.raises(ParameterError, match="counts up to 2,147,483,647 observations, and there are 2,147,483,648"):
        answers(data)


def test_more_observations_than_a_32_bit_float_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    codes = np.array([[0, 0], [0, 1], [1, 1]], dtype=np.uint8)
    data = Dataset.from_codes(np.asfortranarray(codes), arities=[2, 2])
    data = data.with_weights(np.array([1 << 24, 1, 1], dtype=np.uint32))  # 2^24 + 1 is too many
    card, n = answers(data, "loglik"), (1 << 24) + 2
    by_kernels = _core.improvements(LocalScore(data, "loglik").core, *batch([(0, []), (1, [])]), threads=1)
    for most_by_bits in (0, 100):
        monkeypatch.setattr("arcwise.scores.device.answers._MOST_BY_BITS", most_by_bits)
        found = card.improvements(*batch([(0, []), (1, [])]))
        assert [part.tolist() for part in found] == [part.tolist() for part in by_kernels]
        assert found[0][0] == pytest.approx((n - 1) * np.log1p(-1 / n) - np.log(n), abs=1e-6)


@pytest.mark.usefixtures("numpy_card")
@pytest.mark.parametrize("method", list(SEARCHES))
def test_every_search_finds_the_same_graph(method: str) -> None:
    data = dependent_table(n_rows=200, arities=(2, 3, 2, 4, 1, 2, 3, 2))
    on_card = LocalScore(data, device="gpu")
    assert on_card.device == "gpu"
    own = run_search(SHORT[method], on_card, seed=1, workers=2)
    kernels = run_search(SHORT[method], LocalScore(data), seed=1, workers=2)
    assert own.score == pytest.approx(kernels.score, rel=1e-12)
    assert own.dag == kernels.dag or (method == "chow-liu" and own.dag.is_equivalent(kernels.dag))


@pytest.mark.usefixtures("numpy_card")
def test_learning_says_where_scores_were_made() -> None:
    data = load_example("asia").sample(300, seed=1)
    result = learn(data, method="ges", device="gpu", seed=1)
    assert result.decisions["device"].startswith("gpu: a sweep over all pairs takes numpy about 0 s, the processor")
    assert result.dag == learn(data, method="ges", seed=1).dag
    assert learn(data, method="ges", device="auto", seed=1).decisions["device"].startswith("cpu: a sweep over all")


@pytest.mark.usefixtures("numpy_card")
def test_auto_takes_what_is_quicker(monkeypatch: pytest.MonkeyPatch) -> None:
    data = dependent_table()
    monkeypatch.setattr(choice, "_SHORT", 0.0)
    assert LocalScore(data, device="auto").device == "gpu"
    monkeypatch.setattr(choice, "_measured", lambda *_: choice.Cost(1.0, 1.0))
    slow = LocalScore(data, device="auto")
    assert slow.device == "cpu"
    assert slow.why_device is not None
    assert "takes numpy about 26 s" in slow.why_device


def test_the_cost_of_batches_is_measured() -> None:
    data = dependent_table()
    cost = choice._measured(LocalScore(data).core, answers(data), 5)
    assert cost.per_batch >= 0
    assert cost.per_addition >= 0


@pytest.mark.usefixtures("numpy_card")
def test_trees_of_replicas_are_those_of_the_kernels() -> None:
    data = dependent_table(n_rows=200, arities=(2, 3, 2, 4, 1, 2, 3, 2))
    on_card, kernels = LocalScore(data, device="gpu"), LocalScore(data)
    for by in ("loglik", "bic", "bdeu"):
        bagging = Bagging(trees=4, by=by, seed=1)
        own, others = bagged_trees(on_card, bagging).parents, bagged_trees(kernels, bagging).parents
        assert own.tolist() == others.tolist()
    own_mixture, mixture = (tree_mixture(score, trees=3, seed=1).mixture for score in (on_card, kernels))
    assert own_mixture.log_likelihood(data) == pytest.approx(mixture.log_likelihood(data), rel=1e-12)


@pytest.mark.usefixtures("numpy_card")
def test_replicas_and_parent_sets_are_the_same() -> None:
    data = dependent_table(n_rows=100)
    own, kernels = (bootstrap(data, "ges", 5, device=device, seed=1) for device in ("gpu", "cpu"))
    assert np.array_equal(own.edges.toarray(), kernels.edges.toarray())
    sets, others = (select(LocalScore(data, device=device)).sets for device in ("gpu", "cpu"))
    assert all(sets.best(name) == others.best(name) for name in data.names)


@pytest.mark.filterwarnings("ignore::arcwise.ArcwiseWarning")
@pytest.mark.parametrize("name", ["bic", "ebic", "aic", "bge"])
def test_continuous_families_have_the_numbers_of_the_kernels(name: str) -> None:
    numbers = np.random.default_rng(1).normal(size=(100, 20)).cumsum(axis=1)
    numbers[:, 7] = 2 * numbers[:, 3]  # which says nothing new
    kernels = LocalScore(numbers, name)
    card = GaussianAnswers(kernels.core, NumpyCard())
    rng = np.random.default_rng(2)
    drawn = [rng.permutation(20)[: 1 + k].tolist() for k in (0, 0, 1, 1, 2, 2, 3, 4, 5, 8, 12, 16, 17)]
    families = [(members[0], sorted(members[1:])) for members in drawn]
    found = card.improvements(*batch(families))
    by_kernels = _core.improvements(kernels.core, *batch(families[:-1]), threads=2)
    assert np.isnan(found[0][-1])  # too many parents
    found = (found[0][:-1], found[1], found[2], found[3][:-1])
    assert [part.tolist() for part in found] == [part.tolist() for part in by_kernels]
    additions = card.additions(*batch(families[:-1]), np.arange(20, dtype=np.int32))
    for row, (child, parents) in zip(additions, families, strict=False):
        others = [v for v in range(20) if v not in (child, *parents)]
        assert np.isnan(row[[child, *parents]]).all()
        assert row[others].tolist() == kernels.additions(child, parents).tolist()


def test_too_little_memory_makes_smaller_batches_of_continuous_families() -> None:
    score = LocalScore(table_of_numbers("c" * 8, n_rows=100))
    families = batch([(v, [(v + 1) % 8]) for v in range(7)])
    found = GaussianAnswers(score.core, Forgetful(2)).improvements(*families)
    by_kernels = _core.improvements(score.core, *families, threads=1)
    assert [part.tolist() for part in found] == [part.tolist() for part in by_kernels]
    with pytest.raises(ParameterError, match="the card has too little memory left"):
        GaussianAnswers(score.core, Forgetful(0)).improvements(*families)


@pytest.mark.usefixtures("numpy_card")
@pytest.mark.parametrize("method", ["ges", "xges", "greedy", "orders"])
def test_searches_on_numbers_find_the_same_graph(method: str) -> None:
    data = table_of_numbers("c" * 12, n_rows=200)
    on_card = LocalScore(data, device="gpu")
    assert on_card.device == "gpu"
    found, other = (run_search(SHORT[method], score, seed=1, workers=2) for score in (on_card, LocalScore(data)))
    assert (found.score, found.dag) == (other.score, other.dag)


def test_products_of_columns_on_a_card() -> None:
    numbers = np.random.default_rng(1).normal(size=(3000, 7)) * np.logspace(-3, 3, 7) + 1e5
    weights = np.random.default_rng(2).integers(0, 4, size=3000).astype(np.uint32)
    for its in (None, weights):
        here, there = centred_gram(numbers, its), centred_gram(numbers, its, card=NumpyCard())
        assert there.matrix == pytest.approx(here.matrix, rel=1e-12, abs=1e-9)
        assert there.means == pytest.approx(here.means, rel=1e-14)


@pytest.mark.usefixtures("numpy_card")
def test_replicas_send_their_weights_only(monkeypatch: pytest.MonkeyPatch) -> None:
    data, packed = dependent_table(n_rows=150), list[int]()
    packing = NumpyCard.packed

    def counting(card: NumpyCard, codes: Any, n_states: int, n_bits: int) -> Any:
        packed.append(len(codes))
        return packing(card, codes, n_states, n_bits)

    monkeypatch.setattr(NumpyCard, "packed", counting)
    shared = LocalScore(data.bootstrap(0), device="gpu")
    n_packed = len(packed)
    for seed in range(3):
        drawn = data.bootstrap(seed)
        own, alone = shared.reweighted(drawn), LocalScore(drawn)
        assert own.device == "gpu"
        found = own.on_card.improvements(*batch([(0, []), (1, [2]), (3, [0, 1])]))  # type: ignore[union-attr]
        by_kernels = _core.improvements(alone.core, *batch([(0, []), (1, [2]), (3, [0, 1])]), threads=1)
        assert [part.tolist() for part in found] == [part.tolist() for part in by_kernels]
    assert len(packed) == n_packed
    other = LocalScore(dependent_table(n_rows=90)).data.bootstrap(1)
    assert shared.reweighted(other).local(0) == LocalScore(other).local(0)


@pytest.mark.usefixtures("numpy_card")
def test_replicas_that_share_a_card_leave_more_to_the_processor(monkeypatch: pytest.MonkeyPatch) -> None:
    data, asked = dependent_table(n_rows=150), list[int]()
    per_addition = LocalScore(data.bootstrap(0)).core.seconds_per_addition(0)
    # Twice as quick as the processor for a sweep over all pairs, by one thread.
    monkeypatch.setattr(choice, "_measured", lambda *_: choice.Cost(0.0, per_addition / 2))
    shared = LocalScore(data.bootstrap(0), device="gpu")
    answering = DeviceAnswers.found

    def noting(self: DeviceAnswers, *batch: Any) -> Any:
        asked.append(len(batch[0]))
        return answering(self, *batch)

    monkeypatch.setattr(DeviceAnswers, "found", noting)
    for at_once, is_asked in ((1, True), (100, False)):
        asked.clear()
        run_search(SEARCHES["ges"], shared.reweighted(data.bootstrap(1), at_once=at_once), seed=1, workers=1)
        assert bool(asked) == is_asked


@pytest.mark.usefixtures("numpy_card")
@pytest.mark.parametrize(
    ("data", "score", "said"),
    [
        (table_of_numbers("c2c"), "bic", "a card scores tables of states or of numbers, not mixed ones; take dev"),
        (dependent_table().with_interventions({"X0": [0]}), "bic", "a card scores tables without interventions"),
    ],
)
def test_what_a_card_does_not_score(data: Dataset, score: str, said: str) -> None:
    with pytest.raises(ParameterError, match=said):
        LocalScore(data, score, device="gpu")
    elsewhere = LocalScore(data, score, device="auto")
    assert elsewhere.device == "cpu"
    assert str(elsewhere.why_device).startswith("cpu: a card scores")


@pytest.mark.skipif(why_no_card() is None, reason="there is a card")
def test_without_a_card_there_is_one_clear_sentence() -> None:
    with pytest.raises(ParameterError, match=r"no GPU available: .*; or take device='cpu'"):
        learn("there-is-no-such-file.csv", device="gpu")
    assert str(LocalScore(dependent_table(), device="auto").why_device).startswith("cpu: ")


def test_devices_by_name() -> None:
    assert DEVICES == choice.DEVICES
    with pytest.raises(ParameterError, match="device"):
        LocalScore(dependent_table(), device="tpu")


def small_integers(rng: np.random.Generator, *shape: int) -> npt.NDArray[np.int8]:
    return rng.integers(0, 127, size=shape).astype(np.int8)


def test_products_of_bytes_are_exact() -> None:
    rng = np.random.default_rng(1)
    masks, planes = small_integers(rng, 5, 256), small_integers(rng, 7, 256)
    assert NumpyCard().product(masks, planes).tolist() == (masks.astype(int) @ planes.astype(int).T).tolist()
