"""The other programs of the benchmark of posteriors: what they are given, and what is read from them."""

import sys
from math import inf
from pathlib import Path

import numpy as np
import pytest

from arcwise import Dag
from benchmarks.posterior import random_table
from benchmarks.posterior_peers import Peer, point_of, seconds_to_stay_below

# Gives one arc of three variables a share of its own, after the graph that was asked for has been seen to be the one.
PROGRAM = """
import sys
table, graph, iterations, seed, target = sys.argv[1:]
assert [len(row.split(",")) for row in open(table)] == [3] * 40
assert open(graph).read().split() == ["0,1,0", "0,0,0", "0,0,0"]
open(target, "w").write(f"-12.5\\n50,0.5,0,0,0,0.25,0,0,0,0,0\\n{iterations},{seed},0,0,0,0.5,0,0,0,0,0")
"""


def test_a_curve_is_read_column_by_column(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)
    data = random_table(3, 40, 1)
    graph = Dag(data.names, [(data.names[0], data.names[1])])
    truth = np.zeros((3, 3))
    truth[0, 1] = 0.5
    curve = Peer("one", (sys.executable, str(program))).curve(data, graph, truth, 100, 7)
    assert curve.graph_score == -12.5
    assert [(one.seconds, one.arc_error, one.edge_error) for one in curve.points] == [(0.5, 0.25, 0.25), (7, 0, 0)]


def test_a_program_that_fails_says_why(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text("raise SystemExit('no such package')")
    data = random_table(3, 40, 1)
    with pytest.raises(RuntimeError, match="no such package"):
        Peer("one", (sys.executable, str(program))).curve(data, Dag(data.names, []), np.zeros((3, 3)), 10, 1)


def test_an_edge_is_an_arc_one_way_or_the_other() -> None:
    truth = np.array([[0.0, 0.4], [0.6, 0.0]])
    point = point_of(1.0, np.array([[0.0, 0.75], [0.25, 0.0]]), truth)
    assert point.arc_error == pytest.approx(0.35)
    assert point.edge_error == pytest.approx(0.0)


def test_seconds_are_those_from_which_on_the_error_stays_small() -> None:
    assert seconds_to_stay_below([(1, 0.01), (2, 0.03), (3, 0.01)], 0.02) == 3
    assert seconds_to_stay_below([(1, 0.01), (2, 0.03)], 0.02) == inf
