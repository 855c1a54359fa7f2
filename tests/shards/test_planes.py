"""Rows become bit planes as they come: the same counts however they come, and codes are not held."""

import numpy as np
import numpy.typing as npt
import pytest

from arcwise.data import row_store
from arcwise.data.agreement import Agreement, ColumnCoder
from arcwise.shards import planes
from arcwise.shards.planes import PlaneStore, rows_of_family, state_counts
from arcwise.shards.requests import Request, added_up

ARITIES = (2, 3, 70, 4)  # of the third there are codes in place of planes


def agreement() -> Agreement:
    return Agreement(tuple(ColumnCoder(f"v{v}", tuple(map(str, range(n))), 0) for v, n in enumerate(ARITIES)))


def rows(n_rows: int, seed: int = 1) -> npt.NDArray[np.uint8]:
    rng = np.random.default_rng(seed)
    return np.asfortranarray(np.column_stack([rng.integers(0, n, n_rows) for n in ARITIES]).astype(np.uint8))


def stored(codes: npt.NDArray[np.uint8], weights: npt.NDArray[np.uint32] | None, chunk: int) -> PlaneStore:
    store = PlaneStore(agreement(), len(codes), has_weights=weights is not None)
    for begin in range(0, len(codes), chunk):
        own = slice(begin, begin + chunk)
        store.add(np.asfortranarray(codes[own]), None, None if weights is None else weights[own])
    store.finish()
    return store


def counted(codes: npt.NDArray[np.uint8], weights: npt.NDArray[np.uint32] | None, *columns: int) -> list[int]:
    table = np.zeros([ARITIES[v] for v in columns], dtype=int)
    np.add.at(table, tuple(codes[:, v].astype(int) for v in columns), 1 if weights is None else weights)
    return table.ravel().tolist()


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(planes, "_ROWS_OF_A_BLOCK", 100)


@pytest.mark.parametrize("chunk", [7, 100, 1000])
@pytest.mark.parametrize("has_weights", [False, True])
def test_counts_are_those_of_the_rows(chunk: int, has_weights: bool) -> None:
    codes = rows(730)
    weights = np.random.default_rng(2).integers(0, 300, 730).astype(np.uint32) if has_weights else None
    store = stored(codes, weights, chunk)
    assert store.counter.n_blocks == 8
    assert store.digest() == stored(codes, weights, 730).digest()
    assert [list(own) for own in state_counts(store.counter, ARITIES)] == [counted(codes, weights, v) for v in range(4)]
    counts = np.zeros(2 * 70 * 4, dtype=np.uint32)
    store.counter.add_counts(*Request(((3, (0, 2)),)).arrays, counts)
    assert counts.tolist() == counted(codes, weights, 0, 2, 3)


def test_joint_states_that_occur(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(planes, "_ROWS_BEFORE_MERGING", 150)
    codes = rows(730)
    found = added_up(rows_of_family([stored(codes, None, 730).counter], (1, (2, 3)), ARITIES), (1, (2, 3)), ARITIES)
    table = np.array(counted(codes, None, 2, 3, 1)).reshape(-1, 3)
    assert found.tolist() == table[table.any(axis=1)].ravel().tolist()


def test_joint_states_of_many_shards_are_held_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(planes, "_ROWS_BEFORE_MERGING", 50)
    codes = rows(730)
    shards, family = [stored(codes, None, 730).counter] * 20, (1, (2, 3))
    found = rows_of_family(shards, family, ARITIES)
    n_different = np.count_nonzero(counted(codes, None, 2, 3, 1))
    assert n_different <= sum(len(each.codes) for each in found) <= 2 * n_different + 100  # and a block
    table = 20 * np.array(counted(codes, None, 2, 3, 1)).reshape(-1, 3)
    assert added_up(found, family, ARITIES).tolist() == table[table.any(axis=1)].ravel().tolist()


@pytest.mark.parametrize("n_different", [20, 400])
def test_equal_rows_are_merged_where_that_pays(n_different: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(row_store, "_LEAST_TO_MERGE", 200)
    codes = np.asfortranarray(rows(n_different, seed=3)[np.random.default_rng(3).integers(0, n_different, 1000)])
    codes[100:500] = codes[0]  # more than a block of one row
    store = PlaneStore(agreement(), len(codes))
    for begin in range(0, 1000, 50):
        store.add(np.asfortranarray(codes[begin : begin + 50]), None, None)
    n_kept = store.finish()
    assert (n_kept <= 20) == (n_different == 20)
    assert [list(own) for own in state_counts(store.counter, ARITIES)] == [counted(codes, None, v) for v in range(4)]


def test_codes_are_given_up_before_they_outgrow_the_bits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(row_store, "_LEAST_TO_MERGE", 200)
    codes = np.repeat(rows(500, seed=4), 2, axis=0)  # half of them could be merged
    needed = len(codes) * (1 + 2 + 3 + 4) / 8 + 2 * len(codes)
    store = PlaneStore(agreement(), len(codes))
    for begin in range(0, len(codes), 50):
        store.add(np.asfortranarray(codes[begin : begin + 50]), None, None)
        held = sum(each.codes.nbytes + 4 * each.n_rows for each in store.held)
        assert held <= needed
    assert not store.merges
    assert store.finish() == len(codes)
    assert [list(own) for own in state_counts(store.counter, ARITIES)] == [counted(codes, None, v) for v in range(4)]
