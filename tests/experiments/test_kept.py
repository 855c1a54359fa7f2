"""Results that survive an interruption."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from arcwise import FormatError
from experiments.kept import Kept


def never() -> int:
    raise AssertionError("it was there already")


def test_what_is_there_is_not_found_again(tmp_path: Path) -> None:
    path = tmp_path / "new" / "results.jsonl"
    kept = Kept(path)
    assert kept.found({"network": "x", "seed": 1}, lambda: {"a": (1, 2.5)}) == {"a": [1, 2.5]}
    assert kept.found({"network": "x", "seed": 2}, lambda: 7) == 7
    for again in (kept, Kept(path)):
        assert again.found({"seed": 1, "network": "x"}, never) == {"a": [1, 2.5]}
        assert again.found({"network": "x", "seed": 2}, never) == 7
    assert len(path.read_text().splitlines()) == 2


def test_a_line_that_was_cut_off_is_found_again(tmp_path: Path) -> None:
    path = tmp_path / "results.jsonl"
    for seed in range(3):
        Kept(path).found({"seed": seed}, lambda: 10.5)
    whole = path.read_bytes()
    second_line = whole.index(b"\n", whole.index(b"\n") + 1) + 1
    for length in range(second_line, len(whole)):
        path.write_bytes(whole[:length])
        kept = Kept(path)
        assert [kept.found({"seed": seed}, never) for seed in range(2)] == [10.5] * 2
        assert kept.found({"seed": 2}, lambda: 10.5) == 10.5
        assert path.read_bytes() == whole


def test_what_failed_is_not_kept(tmp_path: Path) -> None:
    path = tmp_path / "results.jsonl"
    with pytest.raises(AssertionError):
        Kept(path).found({"seed": 1}, never)
    assert not path.exists()


def test_threads_write_whole_lines(tmp_path: Path) -> None:
    path = tmp_path / "results.jsonl"
    kept = Kept(path)
    with ThreadPoolExecutor(8) as executor:
        list(executor.map(lambda seed: kept.found({"seed": seed}, lambda: [seed] * 100), range(200)))
    again = Kept(path)
    assert [again.found({"seed": seed}, never) for seed in range(200)] == [[seed] * 100 for seed in range(200)]


@pytest.mark.parametrize("text", ["something else\n", '{"part": {}}\n', "[1]\n", "\n"])
def test_other_files_are_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "results.jsonl"
    path.write_text(text)
    with pytest.raises(FormatError, match="not a line of results"):
        Kept(path)
    assert path.read_text() == text
