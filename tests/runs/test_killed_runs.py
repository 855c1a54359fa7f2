"""Runs in processes of their own, which are really killed."""

import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from arcwise import (
    Checkpoints,
    Limits,
    LocalScore,
    Result,
    Run,
    Status,
    Stop,
    learn,
    load_example,
    read_run,
    select,
)
from arcwise.parents.files import write_parent_sets

DATA = load_example("insurance").sample(1000, seed=1)

PATIENCE = 900.0  # seconds after which a test gives up; a slow machine is not a failure

ARCWISE = [sys.executable, "-c", "from arcwise.cli import app; app()"]

MEMETIC = """
import sys
from arcwise import Checkpoints, learn, load_example
data = load_example("insurance").sample(1000, seed=1)
learn(data, seed=1, time_limit=600, checkpoint=Checkpoints(sys.argv[1], every=0.2))
"""


def ended(command: list[str], path: Path, how: signal.Signals, when: Callable[[Run], bool]) -> int:
    """Start a process, send it a signal when its checkpoint says so, and return how it ended."""
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        deadline = time.monotonic() + PATIENCE
        while not (path.exists() and when(read_run(path))):  # a file that is there can always be read
            assert process.poll() is None, "the run ended by itself"
            assert time.monotonic() < deadline, "no checkpoint in time"
            time.sleep(0.02)
        process.send_signal(how)
        return process.wait(PATIENCE)


def climbs(run: Run) -> int:
    assert run.checkpoint is not None
    searches = run.checkpoint["searches"]
    assert isinstance(searches, dict)
    if "orders" not in searches:  # the searches over classes, which come first, have not ended
        return 0
    found = searches["orders"]["climber"]["climbs"]
    assert isinstance(found, int)
    return found


def check_resumed(before: Result, after: Result) -> None:
    """What a run that is resumed keeps."""
    assert after.score >= before.score
    assert after.seed == before.seed
    assert after.seconds > before.seconds
    assert after.counters["evaluations"] >= before.counters["evaluations"]
    assert after.trace[: len(before.trace)] == before.trace
    for one, next_one in zip(after.trace, after.trace[1:], strict=False):
        assert one.score < next_one.score
        assert one.seconds <= next_one.seconds
    assert after.trace[-1].score == pytest.approx(after.score)


def test_memetic_search_resumes_after_kill_9(tmp_path: Path) -> None:
    path = tmp_path / "run.json"
    command = [sys.executable, "-c", MEMETIC, str(path)]
    assert ended(command, path, signal.SIGKILL, lambda run: climbs(run) > 200) == -signal.SIGKILL
    killed = read_run(path)
    before = killed.result
    assert before.status is Status.INTERRUPTED
    assert LocalScore(DATA, "bic").total(before.dag) == pytest.approx(before.score)
    again = Checkpoints(path, every=0.2)
    stop = Stop(climbs=climbs(killed) + 100)
    after = learn(DATA, checkpoint=again, resume=True, time_limit=before.seconds + 600, stop=stop, certify=0)
    check_resumed(before, after)
    assert after.status is Status.LOCAL_OPTIMUM
    assert after.counters["climbs"] == climbs(killed) + 100
    assert read_run(path).result.score == after.score


def test_killed_twice_and_still_going(tmp_path: Path) -> None:
    path = tmp_path / "run.json"
    again = MEMETIC.replace("seed=1, time_limit=600", "resume=True, time_limit=600")
    ended([sys.executable, "-c", MEMETIC, str(path)], path, signal.SIGKILL, lambda run: climbs(run) > 100)
    first = read_run(path)
    ended([sys.executable, "-c", again, str(path)], path, signal.SIGKILL, lambda run: climbs(run) > climbs(first) + 100)
    check_resumed(first.result, read_run(path).result)


def test_command_resumes_after_kill_9_and_after_ctrl_c(tmp_path: Path) -> None:
    path, network = tmp_path / "run.json", tmp_path / "learned.bif"
    command = [*ARCWISE, "learn", "insurance", "--rows", "1000", "-o", str(network)]
    command += ["--checkpoint", str(path)]
    ended([*command, "--time", "600", "--seed", "3"], path, signal.SIGKILL, lambda run: True)
    killed = read_run(path).result
    assert not network.exists()
    written = path.read_bytes()
    resume = [*command, "--resume", "--time", "600"]
    assert ended(resume, path, signal.SIGINT, lambda run: path.read_bytes() != written) == 130
    interrupted = read_run(path).result
    assert interrupted.status is Status.INTERRUPTED
    check_resumed(killed, interrupted)
    last = [*command, "--resume", "--time", str(interrupted.seconds + 0.5)]
    subprocess.run(last, check=True, capture_output=True, timeout=PATIENCE)
    check_resumed(interrupted, read_run(path).result)
    assert network.exists()


def test_search_command_resumes_after_kill_9(tmp_path: Path) -> None:
    sets, path = tmp_path / "sets.jkl", tmp_path / "run.json"
    sets_of_data = select(LocalScore(DATA, "bic"), limits=Limits(time_per_variable=None, scored_per_variable=300)).sets
    write_parent_sets(sets_of_data, sets)
    command = [*ARCWISE, "search", str(sets), "-o", str(tmp_path / "arcs.csv")]
    command += ["--checkpoint", str(path)]
    ended([*command, "--time", "600"], path, signal.SIGKILL, lambda run: True)
    before = read_run(path).result
    subprocess.run([*command, "--resume", "--climbs", "300"], check=True, capture_output=True, timeout=PATIENCE)
    after = read_run(path).result
    assert after.score >= before.score
    assert (after.seed, after.counters["climbs"]) == (before.seed, 300)
    assert after.bound is not None
    assert after.bound >= after.score
