"""The ten commonest tasks: what the benchmark runs of arcwise works, in the fewest lines."""

from pathlib import Path

import pytest

from benchmarks.tasks import PROGRAMS, TASKS, Tried, tried, write_files


def test_no_package_takes_fewer_lines() -> None:
    lines = {peer: {task: len(text.split("\n")) for task, text in own.items()} for peer, own in PROGRAMS.items()}
    assert lines["arcwise"].keys() == TASKS.keys()
    for peer, own in lines.items():
        for task, n in own.items():
            assert lines["arcwise"][task] <= n, (peer, task)


def test_arcwise_does_them_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_files(tmp_path)
    monkeypatch.chdir(tmp_path)
    for task, text in PROGRAMS["arcwise"].items():
        space: dict[str, object] = {}
        exec(text, space)
        assert space["answer"] is not None, task


def test_a_failure_is_told(tmp_path: Path) -> None:
    found = tried("raise ValueError('nothing works')", tmp_path)
    assert found == Tried(1, None, "ValueError: nothing works")
    assert str(found) == "1, fails"
