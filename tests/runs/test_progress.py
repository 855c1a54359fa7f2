import os
import pty
import subprocess
import sys

import pytest

from arcwise import Budget, learn, load_example
from arcwise.runs.progress import line_of
from interrupting import stepped_clock

LEARN = """
import arcwise
from arcwise.runs.budget import timed_by
from rich.status import Status

clock = arcwise._core.SteppedClock(0.01, 0)  # the search waits until it is shown
update = Status.update
Status.update = lambda line, text: (update(line, text), clock.allow(2**64 - 1))
data = arcwise.load_example("alarm").sample(500, seed=1)
with timed_by(clock):
    arcwise.learn(data, time_limit=400, seed=1)
"""
SHOW = """
from arcwise import Budget, _core
from arcwise.runs.budget import timed_by
from arcwise.runs.progress import progress_line

with timed_by(_core.SteppedClock()), progress_line("[orders]", about="why [this]") as watch:  # time stands still
    budget = Budget(time_limit=60)
    budget.standing.score, budget.standing.bound = -1000.0, -990.0
    watch(budget)
"""


def shown_by(code: str) -> str:
    """What a program writes to the terminal that is its stderr; it must not write to stdout."""
    main, terminal = pty.openpty()
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=terminal) as process:
        os.close(terminal)
        seen = b""
        while True:
            try:
                part = os.read(main, 4096)
            except OSError:  # the other end is closed
                break
            if not part:
                break
            seen += part
        assert process.stdout is not None
        assert process.stdout.read() == b""
    os.close(main)
    return seen.decode()


def test_a_terminal_sees_what_was_picked_and_how_long_it_takes() -> None:
    text = shown_by(LEARN)
    assert "37 variables: order search" in text
    assert "s left" in text


def test_a_terminal_sees_score_gap_and_time() -> None:
    text = shown_by(SHOW)
    assert "why [this]" in text
    assert "[orders] · score -1,000.0 · gap 1.000 % · 0 s, 60 s left" in text


def test_nothing_is_printed_where_nobody_watches(capfd: pytest.CaptureFixture[str]) -> None:
    learn(load_example("asia").sample(200, seed=1))
    learn(load_example("child").sample(200, seed=1), time_limit=0.5)
    assert capfd.readouterr() == ("", "")


def test_line_without_score_and_limit() -> None:
    with stepped_clock():
        assert line_of(Budget()) == "0 s · Ctrl-C ends it"


def test_a_program_without_stderr_learns_all_the_same() -> None:
    learn = "import arcwise\narcwise.learn(arcwise.load_example('asia').sample(500, seed=1), seed=1)\n"
    code = "import sys\nsys.stderr = None\n" + learn + "print('learned')"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.stdout == "learned\n"
