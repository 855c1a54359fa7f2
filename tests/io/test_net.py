"""Networks read from and written to the NET format of HUGIN."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arcwise.graph import Dag
from arcwise.io.net import format_net, parse_net, read_net, write_net
from arcwise.network import BayesianNetwork, ConditionalGaussian
from arcwise.support.errors import FormatError, ParameterError
from network_cases import (
    SMALL,
    loaded_by_pgmpy,
    loaded_by_pyagrum,
    mixed_networks,
    networks,
    saved_by_pgmpy,
    saved_by_pyagrum,
)

# In the style of HUGIN's own files; c depends on a (2 states) and b (3 states).
TEXT = """% written by hand
net
{
  node_size = (80 40);
  HR_Desc = "a description; with signs {(% and \\" in it";
}
node c
{
  label = "the child";
  position = (100 200);
  states = ("c0" "c 1");
}
discrete node b { states = (low mid "high"); }
node a
{
  states = ("no" "yes");
}
potential (c | a b)
{
  data = ((( 0.01 0.99 ) % a=no b=low
           ( 0.02 0.98 )
           ( 0.03 0.97 ))
          (( 0.04 0.96 )
           ( 0.05 0.95 )
           ( 0.06 0.94 )));
}
potential (b | ) { data = (0.5 0.25 0.25); }
potential (a) { data = (.25 75e-2); }
"""


def test_a_text_as_hugin_writes_it() -> None:
    network = parse_net(TEXT)
    assert network.dag == Dag(["c", "b", "a"], [("a", "c"), ("b", "c")])
    assert network.states == (("c0", "c 1"), ("low", "mid", "high"), ("no", "yes"))
    assert network.table("c")[..., 0].tolist() == [[0.01, 0.04], [0.02, 0.05], [0.03, 0.06]]
    assert network.table("a").tolist() == [0.25, 0.75]


@pytest.mark.parametrize(
    ("old", "new", "line", "message"),
    [
        (TEXT, "", 1, "the file is empty"),
        ("net\n{", "network\n{", 2, "expected 'net' or 'class', not 'network'"),
        ('in it";', "in it;", 5, "the attribute that begins here has no ';' at its end"),
        ("discrete node b", "utility b", 13, "expected 'node' or 'potential', for discrete or continuous variables"),
        ("discrete node b", "continuous node b", 13, "node 'b' is continuous and cannot have 'states'"),
        ('{ states = (low mid "high"); }', "{ }", 13, "node 'b' has no 'states = (…);'"),
        (
            'node a\n{\n  states = ("no" "yes");',
            "continuous node a\n{\n",
            18,
            "'c' has states, but its parent 'a' is con",
        ),
        ("node c\n{", "node c\n", 9, "expected '{', not 'label'"),
        ('  states = ("no" "yes");\n', "", 14, "node 'a' has no 'states = (…);'"),
        ('("no" "yes");', '("no" "yes"); states = (x);', 16, "node 'a' has a second 'states'"),
        ('("no" "yes")', '("no" "no")', 14, "variable 'a' has the state 'no' twice"),
        ('("no" "yes")', "()", 14, "variable 'a' has 0 states"),
        ("node a", "node b", 14, "variable 'b' is declared twice"),
        ("(c | a b)", "(c | a d)", 18, "there is no variable 'd'"),
        ("(c | a b)", "(c a b)", 18, "a potential has one child"),
        ("(c | a b)", "(c | a a)", 18, "the parents of 'c' must differ"),
        ("potential (a)", "potential (b)", 28, "'b' has a second potential"),
        ("potential (a) { data = (.25 75e-2); }\n", "", 14, "variable 'a' has no potential"),
        ("{ data = (.25 75e-2); }", "{ }", 28, "the potential of 'a' has no 'data = (…);'"),
        ("{ data = (.25 75e-2); }", "{ data = normal(0, 1); }", 28, "'a' has states and needs ( … ) in its potential"),
        ("(.25 75e-2)", "(.25 75e-2", 28, "parentheses without partners"),
        ("(.25 75e-2)", ")(.25 75e-2", 28, "parentheses without partners"),
        ("(.25 75e-2);", "(.25 75e-2)", 28, "is not numbers in parentheses and ';'"),
        ("(.25 75e-2)", "(.25 75e-2 1)", 28, "'a' has 3 numbers here; expected 2"),
        ("(.25 75e-2)", "(.25 75e-1)", 28, "0.25, 7.5 sum to 7.75"),
        ("(.25 75e-2)", "(-.25 1.25)", 28, "must not be negative"),
        ("potential (a) { data = (.25 75e-2); }", "potential (a) {", 28, "the file ends here; expected an attribute"),
        ("potential (a) { data = (.25 75e-2); }", "potential (a | c) { data = (1 0 1 0); }", 28, "form a cycle"),
    ],
)
def test_what_is_wrong_is_told_with_its_line(old: str, new: str, line: int, message: str) -> None:
    assert old in TEXT
    with pytest.raises(FormatError) as caught:
        parse_net(TEXT.replace(old, new), path="test.net")
    assert message in str(caught.value)
    assert (caught.value.path, caught.value.line) == ("test.net", line)


# As HUGIN writes continuous nodes; x depends on d (2 states), e (3 states), y and z.
CONTINUOUS = """net
{
}
continuous node x
{
    label = "";
}
continuous node y { }
continuous node z { }
node d { states = ("d0" "d1"); }
node e { states = ("e0" "e1" "e2"); }
potential (y)
{
    data = normal ( -1.5, 4 );
}
potential (z | y)
{
    data = normal ( 3 - 0.5 * y, 2.5E-1 );
}
potential (x | d e z y)
{
    data
     = (( normal ( 1 + 2 * z + 3 * y, 1 ) % d=d0 e=e0
\t  normal ( z - y, 4 )
\t  normal ( 5, 9 ) )
\t( normal ( -1e1, 16 )
\t  normal ( 0.5 * y - 7 - z, 25 )
\t  normal ( -y, 0.01 ) ));
}
potential (d) { data = ( 0.25 0.75 ); }
potential (e | d) { data = (( 0.5 0.25 0.25 ) ( 1 0 0 )); }
"""


def test_continuous_nodes_as_hugin_writes_them() -> None:
    network = parse_net(CONTINUOUS)
    assert network.dag.arcs == (("y", "x"), ("z", "x"), ("d", "x"), ("e", "x"), ("y", "z"), ("d", "e"))
    assert network.continuous == ("x", "y", "z")
    assert network.distribution("y") == ConditionalGaussian(-1.5, [], 2.0)
    assert network.distribution("z") == ConditionalGaussian(3.0, [-0.5], 0.5)
    assert network.distribution("x") == ConditionalGaussian(
        [[1.0, 0.0, 5.0], [-10.0, -7.0, 0.0]],
        # The coefficients of y and then of z, as the nodes are in this order.
        [[[3.0, 2.0], [-1.0, 1.0], [0.0, 0.0]], [[0.0, 0.0], [0.5, -1.0], [-1.0, 0.0]]],
        [[1.0, 2.0, 3.0], [4.0, 5.0, 0.1]],
    )


@pytest.mark.parametrize(
    ("old", "new", "line", "message"),
    [
        ("normal ( -1.5, 4 )", "( 0.5 0.5 )", 12, "'y' is continuous and needs normal ( … ) in its potential"),
        ("normal ( -1.5, 4 )", "normal ( -1.5, 0 )", 14, "the variance must be a number above 0, not '0'"),
        ("normal ( -1.5, 4 )", "normal ( -1.5, -1 )", 14, "the variance must be a number above 0, not '-1'"),
        ("normal ( -1.5, 4 )", "normal ( -1.5, y )", 14, "the variance must be a number above 0, not 'y'"),
        ("normal ( -1.5, 4 )", "normal ( , 4 )", 14, "expected a sum such as 2 - 0.5 * x, not ''"),
        ("normal ( -1.5, 4 )", "normal ( -1.5 )", 14, "expected normal ( mean, variance )"),
        ("normal ( -1.5, 4 )", "normal ( -1.5, 4, 4 )", 14, "expected normal ( mean, variance )"),
        ("normal ( -1.5, 4 )", "normal ( -1e999, 4 )", 14, "'-1e999' is not a finite number"),
        ("normal ( -1.5, 4 )", "normal ( -1.5, 4 ) beta ( 1, 2 )", 14, "expected normal ( mean, variance )"),
        ("normal ( -1.5, 4 )", "(normal ( -1.5, 4 )", 14, "parentheses without partners"),
        ("normal ( -1.5, 4 )", "normal ( 1, 4 ) normal ( 2, 4 )", 12, "'y' has 2 normal distributions; expected 1"),
        ("3 - 0.5 * y", "3 - 0.5 * x", 16, "the mean of 'z' depends on 'x', not a continuous parent of it"),
        ("3 - 0.5 * y", "-0.5 y", 18, "expected a sum such as 2 - 0.5 * x, not '-0.5 y'"),
        ("3 - 0.5 * y", "3 - 0.5 * y + y", 18, "the sum has a second term for 'y'"),
        ("3 - 0.5 * y", "3 - 0.5 * y + 1", 18, "the sum has a second constant"),
        ("3 - 0.5 * y", "3 - sin y", 18, "expected a sum"),
        ("2 * z", "2 * d", 20, "the mean of 'x' depends on 'd', not a continuous parent of it"),
        ("normal ( 5, 9 )", "", 20, "'x' has 5 normal distributions; expected 6"),
        ("(e | d)", "(e | y)", 31, "'e' has states, but its parent 'y' is continuous: a table has no rows for numbers"),
    ],
)
def test_what_is_wrong_with_continuous_nodes_is_told_with_its_line(old: str, new: str, line: int, message: str) -> None:
    assert old in CONTINUOUS
    with pytest.raises(FormatError) as caught:
        parse_net(CONTINUOUS.replace(old, new))
    assert message in str(caught.value)
    assert caught.value.line == line


@pytest.mark.parametrize("cut", range(0, len(CONTINUOUS.rstrip()), 7))
def test_a_text_with_continuous_nodes_cut_anywhere_is_refused(cut: int) -> None:
    with pytest.raises(FormatError):
        parse_net(CONTINUOUS[:cut])


@pytest.mark.parametrize("blanks", ["( normal ( 1{0}, 1 )", "normal{0}", "normal ( 1 +{0}", "({0}normal ( 1 * , 1 )"])
def test_blanks_take_no_longer_than_other_text(blanks: str) -> None:
    # If their number counted squared, this would take an hour.
    with pytest.raises(FormatError):
        parse_net(CONTINUOUS.replace("normal ( -1.5, 4 )", blanks.format(" " * 300_000)))


def test_how_continuous_nodes_are_written() -> None:
    dag = Dag(["x", "d", "y"], [("d", "x"), ("y", "x")])
    gaussian = ConditionalGaussian([1.0, 0.0], [[2.0], [-0.5]], [1.0, 0.5])
    network = BayesianNetwork(dag, [[], ["a", "b"], []], [gaussian, [0.5, 0.5], ConditionalGaussian(0.0, [], 2.0)])
    written = format_net(network)
    assert "continuous node x\n{\n}\n" in written
    assert "potential (y)\n{\n  data = normal (0.0, 4.0);\n}\n" in written
    assert written.endswith("potential (y)\n{\n  data = normal (0.0, 4.0);\n}\n")
    assert (
        "potential (x | d y)\n{\n  data = (normal (1.0 + 2.0 * y, 1.0)\n          normal (0.0 - 0.5 * y, 0.25));\n}\n"
    ) in written


@pytest.mark.parametrize("deviation", [1e-170, 1e160, 1e-160])
def test_deviations_without_a_square_are_refused(deviation: float) -> None:
    network = BayesianNetwork(Dag(["x"]), [[]], [ConditionalGaussian(0.0, [], deviation)])
    with pytest.raises(ParameterError, match="cannot be written in NET, which has its square"):
        format_net(network)


CLASS = (
    TEXT.replace("net\n{", "class Example\n{\n  inputs = ();").replace("}\nnode c", "node c") + "} % class Example\n"
)


def test_a_network_in_a_class() -> None:
    assert parse_net(CLASS) == parse_net(TEXT)


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        (CLASS.replace("} % class", "% class"), 28, "the file ends here; expected 'node', 'potential' or '}'"),
        (CLASS + "node d", 30, "expected the end of the file after the class, not 'node'"),
        (CLASS.replace("discrete node b", "instance b : B"), 13, "expected 'node' or 'potential'"),
        (CLASS.replace("class Example", "class {"), 2, "expected a name, not '{'"),
    ],
)
def test_what_is_wrong_in_a_class_is_told_with_its_line(text: str, line: int, message: str) -> None:
    with pytest.raises(FormatError) as caught:
        parse_net(text)
    assert message in str(caught.value)
    assert caught.value.line == line


@pytest.mark.parametrize("cut", range(0, len(TEXT.rstrip()), 7))
def test_a_text_cut_anywhere_is_refused(cut: int) -> None:
    with pytest.raises(FormatError):
        parse_net(TEXT[:cut])


@pytest.mark.parametrize("name", SMALL)
def test_pgmpy_and_pyagrum_read_what_is_written(name: str, tmp_path: Path) -> None:
    path = tmp_path / "network.net"
    write_net(SMALL[name], path)
    assert read_net(path) == SMALL[name]
    assert loaded_by_pgmpy(path, "NETReader", SMALL[name]).is_close(SMALL[name])
    assert loaded_by_pyagrum(path, SMALL[name]).is_close(SMALL[name], tolerance=1e-7)


@pytest.mark.parametrize("name", SMALL)
def test_what_pgmpy_and_pyagrum_write_is_read(name: str, tmp_path: Path) -> None:
    network = SMALL[name]
    assert read_net(saved_by_pyagrum(network, tmp_path / "network.net")).is_close(network, tolerance=1e-5)
    read = parse_net(saved_by_pgmpy(network, "NETWriter"))
    assert set(read.dag.arcs) == set(network.dag.arcs)
    data = network.sample(200, seed=1)
    assert read.log_likelihoods(data) == pytest.approx(network.log_likelihoods(data))


names = st.from_regex(r"[A-Za-z_][A-Za-z0-9_]{0,3}", fullmatch=True)
states = st.text(st.characters(exclude_characters='"\\\n\r', exclude_categories=["Cs"]), max_size=5)


@given(networks(names, states) | mixed_networks(names))
@settings(max_examples=150, deadline=None)
def test_what_is_written_reads_back_equal(network: BayesianNetwork) -> None:
    assert parse_net(format_net(network)) == network


@pytest.mark.parametrize(("name", "state"), [("lung-cancer", "x"), ("1a", "x"), ("é", "x"), ("a", 'x"'), ("a", "x\\")])
def test_what_net_cannot_express_is_refused(name: str, state: str) -> None:
    with pytest.raises(ParameterError, match="cannot be written in NET"):
        format_net(BayesianNetwork(Dag([name]), [[state]], [[1.0]]))
