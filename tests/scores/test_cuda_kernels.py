"""The kernels of a card, run thread by thread on the processor, and what calls them."""

import shutil
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from arcwise import Dataset, LocalScore, _core
from arcwise.scores import score_named
from arcwise.scores.device.answers import DeviceAnswers
from arcwise.scores.device.cuda_card import CudaCard, _source
from arcwise.scores.device.gaussian import GaussianAnswers
from arcwise.scores.device.table import DeviceTable
from fake_cupy import FakeCublas, FakeCupy
from tables import dependent_table, table_of_numbers

pytestmark = pytest.mark.skipif(not (shutil.which("g++") or shutil.which("c++")), reason="there is no compiler")


@pytest.fixture(scope="module")
def card(tmp_path_factory: pytest.TempPathFactory) -> CudaCard:
    folder: Path = tmp_path_factory.mktemp("kernels")
    return CudaCard(FakeCupy(folder), FakeCublas)


def batch(families: list[tuple[int, list[int]]]) -> tuple[Any, Any, Any]:
    children = np.array([child for child, _ in families], dtype=np.int32)
    starts = np.cumsum([0] + [len(parents) for _, parents in families]).astype(np.int64)
    return children, starts, np.array([p for _, parents in families for p in parents], dtype=np.int32)


FAMILIES = [(0, []), (1, []), (3, [1]), (2, [0, 1]), (5, [0, 1, 3]), (4, [3, 5]), (0, [1, 3, 4, 5])]


@pytest.mark.parametrize("most_by_bits", [0, 32])
@pytest.mark.parametrize("arities", [(2,) * 7, (2, 3, 1, 4, 2, 3, 2), (12, 2, 3, 2, 2, 2, 9)])
@pytest.mark.parametrize(("name", "largest_weight"), [("bic", 0), ("bic", 7), ("bdeu", 300), ("bds", 0), ("qnml", 3)])
def test_counted_families(
    card: CudaCard,
    name: str,
    largest_weight: int,
    arities: tuple[int, ...],
    most_by_bits: int,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("arcwise.scores.device.answers._MOST_BY_BITS", most_by_bits)
    data = dependent_table(n_rows=300, arities=arities)
    if largest_weight:
        data = data.with_weights(np.random.default_rng(3).integers(0, largest_weight, size=300).astype(np.uint32))
    kernels = LocalScore(data, name)
    answers = DeviceAnswers(DeviceTable(data, card), score_named(name), kernels.rounding)
    for families in ([FAMILIES[0]], [FAMILIES[2]], [FAMILIES[3]], FAMILIES[:3], FAMILIES):
        found = answers.improvements(*batch(families))
        its = _core.improvements(kernels.core, *batch(families), 1)
        says_something = np.array(arities)[its[2]] > 1  # constants are left out there
        assert found[0].tolist() == its[0].tolist()
        assert found[1].tolist() == its[1][says_something].tolist()
        assert found[2].tolist() == its[2][says_something].tolist()
    assert answers.scores(*batch(FAMILIES)).tolist() == [kernels.local(child, its) for child, its in FAMILIES]
    additions = answers.additions(*batch(FAMILIES), np.arange(len(arities), dtype=np.int32))
    for row, (child, parents) in zip(additions, FAMILIES, strict=True):
        others = [v for v in range(len(arities)) if v not in (child, *parents)]
        assert row[others].tolist() == kernels.additions(child, parents).tolist()


def test_many_rows_are_shared_by_blocks_and_warps(card: CudaCard) -> None:
    rng = np.random.default_rng(1)
    codes = (rng.random((140_000, 3)) < [0.3, 0.5, 0.6]).astype(np.uint8)
    codes[:, 2] ^= codes[:, 0]
    data = Dataset.from_codes(np.asfortranarray(codes), arities=[2, 2, 2])
    score = LocalScore(data)
    answers = DeviceAnswers(DeviceTable(data, card), score_named("bic"), score.rounding)
    batches: list[list[tuple[int, list[int]]]] = [[(0, [])], [(0, [1])], [(2, []), (1, [0])]]
    for families in batches:
        found, its = answers.improvements(*batch(families)), _core.improvements(score.core, *batch(families), 1)
        assert [part.tolist() for part in found] == [part.tolist() for part in its]


def test_codes_of_two_bytes(card: CudaCard) -> None:
    codes = np.random.default_rng(1).integers(0, 300, size=(500, 2)).astype(np.uint16)
    codes[:, 1] %= 3
    data = Dataset.from_codes(np.asfortranarray(codes), arities=[300, 3])
    score = LocalScore(data, "loglik")
    answers = DeviceAnswers(DeviceTable(data, card), score_named("loglik"), score.rounding)
    found = answers.improvements(*batch([(0, []), (1, [])]))
    its = _core.improvements(score.core, *batch([(0, []), (1, [])]), 1)
    assert [part.tolist() for part in found] == [part.tolist() for part in its]


@pytest.mark.parametrize("name", ["bic", "ebic", "bge"])
def test_continuous_families(card: CudaCard, name: str) -> None:
    data = table_of_numbers("c" * 20, n_rows=200)
    score = LocalScore(data, name)
    answers = GaussianAnswers(score.core, card)
    rng = np.random.default_rng(2)
    drawn = [rng.permutation(20)[: 1 + k].tolist() for k in (0, 1, 2, 3, 4, 7, 8, 12, 16)]
    families = [(members[0], sorted(members[1:])) for members in drawn]
    for some in ([families[0]], [families[1]], families[:3], families[:5], families[:7], families):
        found, its = answers.improvements(*batch(some)), _core.improvements(score.core, *batch(some), 1)
        assert [part.tolist() for part in found] == [part.tolist() for part in its]
    additions = answers.additions(*batch(families), np.arange(20, dtype=np.int32))
    for row, (child, parents) in zip(additions, families, strict=True):
        others = [v for v in range(20) if v not in (child, *parents)]
        assert row[others].tolist() == score.additions(child, parents).tolist()


@pytest.mark.skipif(shutil.which("nvcc") is None, reason="there is no compiler for cards")
def test_kernels_compile_for_a_card(tmp_path: Path) -> None:
    (tmp_path / "kernels.cu").write_text(_source())
    command = ["nvcc", "-arch=sm_90", "-std=c++17", "-cubin", "kernels.cu"]
    subprocess.run(command, check=True, capture_output=True, cwd=tmp_path)
