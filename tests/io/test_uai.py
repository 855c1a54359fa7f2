"""Networks read from and written to the format of the UAI evaluations."""

import warnings
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arcwise.graph import Dag
from arcwise.io.uai import format_uai, parse_uai, read_uai, write_uai
from arcwise.network import BayesianNetwork
from arcwise.simulation.random import random_network
from arcwise.support.errors import ArcwiseWarning, FormatError
from network_cases import SMALL, loaded_by_pyagrum, saved_by_pyagrum

# The example of the format's definition (UAI 2008 evaluation): X -> Y -> Z, where Z has three states.
DEFINED = """BAYES
3
2 2 3
3
1 0
2 0 1
2 1 2

2
 0.436 0.564

4
 0.128 0.872
 0.920 0.080

6
 0.210 0.333 0.457
 0.811 0.000 0.189
"""


def test_the_example_of_the_definition() -> None:
    network = parse_uai(DEFINED)
    assert network.dag == Dag(["X0", "X1", "X2"], [("X0", "X1"), ("X1", "X2")])
    assert network.states == (("0", "1"), ("0", "1"), ("0", "1", "2"))
    assert network.table("X1").tolist() == [[0.128, 0.872], [0.92, 0.08]]
    assert network.table("X2").tolist() == [[0.21, 0.333, 0.457], [0.811, 0, 0.189]]


def test_the_last_variable_varies_fastest_and_the_child_is_last() -> None:
    # P(X0 | X2, X1): X2 has 2 states, X1 has 3.
    text = "BAYES 3 2 3 2 3 1 2 1 1 3 2 1 0 2 0.5 0.5 3 0.2 0.3 0.5 12 " + " ".join(
        f"0.{number}1 0.{9 - number}9" for number in range(6)
    )
    network = parse_uai(text)
    assert network.dag.parents("X0") == ("X1", "X2")
    assert network.table("X0")[..., 0].tolist() == [[0.01, 0.31], [0.11, 0.41], [0.21, 0.51]]


def test_comments_and_case() -> None:
    text = "c made by hand\nc\n" + DEFINED.replace("BAYES", "Bayes  # a network").replace("2 0 1\n", "2 0 1 # y\n")
    assert parse_uai(text) == parse_uai(DEFINED)


@pytest.mark.parametrize(
    ("old", "new", "line", "message"),
    [
        (DEFINED, "", 1, "the file ends here; expected BAYES"),
        ("BAYES", "MARKOV", 1, "a Markov network has no directions"),
        ("BAYES\n3", "BAYES\nthree", 2, "expected the number of variables, a whole number, not 'three'"),
        ("BAYES\n3", "BAYES\n99999", 2, "the number of variables cannot be 99999"),
        ("BAYES\n3", "BAYES\n0", 2, "the number of variables cannot be 0"),
        ("2 2 3", "2 0 3", 3, "the number of states of X1 cannot be 0"),
        ("2 2 3", "2 2 70000", 3, "cannot be 70000; here it can be from 1 to 65535"),
        ("2 1 2\n", "2 1 3\n", 7, "the index of a variable cannot be 3; here it can be from 0 to 2"),
        ("2 1 2\n", "2 1 1\n", 16, "'X1' has a second table"),
        ("2 1 2\n", "0\n", 7, "the number of variables of a table cannot be 0"),
        ("0.128 0.872", "0.128 x", 12, "'x' is not a number"),
        ("0.128 0.872", "0.128 0.87", 12, "0.128, 0.87 sum to 0.998"),
        ("\n6\n", "\n5\n", 18, "'0.189' follows"),
        ("\n6\n", "\n7\n", 18, "the file ends here; expected 7 numbers, of which 6 are there"),
        ("0.189", "", 18, "expected 6 numbers, of which 5 are there"),
        ("1 0\n2 0 1", "2 1 0\n2 0 1", 12, "the arcs form a cycle: 'X0' -> 'X1' -> 'X0'"),
    ],
)
def test_what_is_wrong_is_told_with_its_line(old: str, new: str, line: int, message: str) -> None:
    assert old in DEFINED
    with pytest.raises(FormatError) as caught:
        parse_uai(DEFINED.replace(old, new), path="test.uai")
    assert message in str(caught.value)
    assert (caught.value.path, caught.value.line) == ("test.uai", line)


def test_an_enormous_table_is_refused_before_it_is_made() -> None:
    arities = " ".join(["60000"] * 4)
    text = f"BAYES 4 {arities} 4 1 0 2 0 1 3 0 1 2 4 0 1 2 3 2 0.5 0.5 2 0.5 0.5 2 0.5 0.5 2 0.5 0.5"
    with pytest.raises(FormatError, match="the probability tables would take"):
        parse_uai(text)


@given(st.integers(0, 8), st.integers(0, 2**32))
@settings(max_examples=50, deadline=None)
def test_what_is_written_reads_back_equal(n_arcs: int, seed: int) -> None:
    network = random_network(5, n_arcs, arities=range(1, 5), seed=seed)
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # names and states are those that the format implies
        assert parse_uai(format_uai(network)) == network


def test_lost_names_are_told(tmp_path: Path) -> None:
    with pytest.warns(ArcwiseWarning, match="UAI files hold neither names nor states"):
        write_uai(SMALL["asia"], tmp_path / "asia.uai")
    read = read_uai(tmp_path / "asia.uai")
    assert read.dag.parent_indices == SMALL["asia"].dag.parent_indices
    assert [table.tolist() for table in read.tables] == [table.tolist() for table in SMALL["asia"].tables]


def test_pyagrum_agrees_where_no_child_has_two_parents(tmp_path: Path) -> None:
    network = parse_uai(DEFINED)
    write_uai(network, tmp_path / "written.uai")
    renamed = BayesianNetwork(Dag(["0", "1", "2"], [("0", "1"), ("1", "2")]), network.states, network.tables)
    assert loaded_by_pyagrum(tmp_path / "written.uai", renamed).is_close(renamed, tolerance=1e-7)
    saved = read_uai(saved_by_pyagrum(network, tmp_path / "saved.uai"))
    assert saved.is_close(network, tolerance=1e-5)


def test_files_of_pyagrum_with_several_parents_are_read_with_a_warning(tmp_path: Path) -> None:
    path = saved_by_pyagrum(SMALL["backwards"], tmp_path / "network.uai")
    with pytest.warns(ArcwiseWarning, match="not that of pyAgrum"):
        read_uai(path)
