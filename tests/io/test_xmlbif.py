"""Networks read from and written to XMLBIF."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arcwise.graph import Dag
from arcwise.io.xmlbif import format_xmlbif, parse_xmlbif, read_xmlbif, write_xmlbif
from arcwise.network import BayesianNetwork
from arcwise.support.errors import FormatError, ParameterError
from network_cases import SMALL, loaded_by_pgmpy, loaded_by_pyagrum, networks, saved_by_pgmpy, saved_by_pyagrum

# The dog problem of Charniak 1991 in the style of the format's definition, with its document type.
DOGS = """<?xml version="1.0" encoding="US-ASCII"?>
<!DOCTYPE BIF [
  <!ELEMENT BIF ( NETWORK )*>
  <!ATTLIST BIF VERSION CDATA #REQUIRED>
  <!ELEMENT NETWORK ( NAME, ( PROPERTY | VARIABLE | DEFINITION )* )>
  <!ELEMENT VARIABLE ( NAME, ( OUTCOME | PROPERTY )* ) >
  <!ATTLIST VARIABLE TYPE (nature|decision|utility) "nature">
]>
<BIF VERSION="0.3">
<NETWORK>
<NAME>Dog-Problem</NAME>
<!-- Variables -->
<VARIABLE TYPE="nature">
  <NAME> light-on </NAME><OUTCOME>true</OUTCOME><OUTCOME>false</OUTCOME>
  <PROPERTY>position = (73, 165)</PROPERTY>
</VARIABLE>
<VARIABLE>
  <NAME>family-out</NAME><OUTCOME>true</OUTCOME><OUTCOME>false</OUTCOME>
</VARIABLE>
<DEFINITION>
  <FOR>light-on</FOR>
  <GIVEN>family-out</GIVEN>
  <TABLE>0.6 0.4 <!-- first the child --> 0.05 0.95 </TABLE>
</DEFINITION>
<DEFINITION>
  <FOR>family-out</FOR>
  <TABLE>0.15 0.85</TABLE>
</DEFINITION>
</NETWORK>
</BIF>
"""


def test_the_dog_problem() -> None:
    network = parse_xmlbif(DOGS)
    assert network.dag == Dag(["light-on", "family-out"], [("family-out", "light-on")])
    assert network.states == (("true", "false"), ("true", "false"))
    assert [table.tolist() for table in network.tables] == [[[0.6, 0.4], [0.05, 0.95]], [0.15, 0.85]]


def test_encodings_are_those_that_the_file_declares(tmp_path: Path) -> None:
    text = DOGS.replace("US-ASCII", "ISO-8859-1").replace("family-out", "père-dehors")
    path = tmp_path / "dogs.xml"
    path.write_bytes(text.encode("latin-1"))
    assert read_xmlbif(path).names == ("light-on", "père-dehors")
    path.write_bytes(text.replace("ISO-8859-1", "UTF-16").encode("utf-16"))
    assert read_xmlbif(path).names == ("light-on", "père-dehors")


@pytest.mark.parametrize(
    ("old", "new", "line", "message"),
    [
        (DOGS, "", 1, "this is not XML: no element found"),
        ("</BIF>\n", "", 30, "this is not XML: no element found"),
        ("<BIF VERSION", "<!ENTITY x 'y'><BIF VERSION", 9, "this is not XML"),
        ("]>", "  <!ENTITY lol 'lol'>\n]>", 8, "the document declares the entity 'lol', which is not allowed here"),
        ("]>", "  <!ENTITY f SYSTEM 'file:///etc/passwd'>\n]>", 8, "declares the entity 'f'"),
        ("]>", "  <!ENTITY % p SYSTEM 'http://x/y.dtd'>\n]>", 8, "declares the entity 'p'"),
        ("<NAME>Dog-Problem", "<NAME>&dog;", 11, "undefined entity"),
        ("BIF>", "bif>", 30, "mismatched tag"),
        ("NETWORK>", "NET>", 10, "NET cannot stand in BIF; expected NETWORK"),
        ('<VARIABLE TYPE="nature">', '<VARIABLE TYPE="decision">', 13, "type 'decision' is not possible here"),
        ("OUTCOME>true", "VALUE>true", 14, "mismatched tag"),
        ("<OUTCOME>true</OUTCOME>", "<VALUE>true</VALUE>", 14, "VALUE cannot stand in VARIABLE; expected NAME, OUT"),
        ("<NAME> light-on </NAME>", "", 13, "VARIABLE must have one NAME, not 0"),
        ("<OUTCOME>false</OUTCOME>", "<OUTCOME>true</OUTCOME>", 13, "'light-on' has the state 'true' twice"),
        ("<NAME>family-out", "<NAME>light-on", 17, "variable 'light-on' is declared twice"),
        ("<GIVEN>family-out", "<GIVEN>family", 20, "there is no variable 'family'"),
        ("<FOR>family-out", "<FOR>light-on", 25, "'light-on' has a second DEFINITION"),
        ("  <TABLE>0.15 0.85</TABLE>\n", "", 25, "DEFINITION must have one TABLE, not 0"),
        ("0.15 0.85", "0.15", 25, "'family-out' has 1 numbers here; expected 2"),
        ("0.15 0.85", "0.15 x", 27, "'x' is not a number"),
        ("0.15 0.85", "1_5 0.85", 27, "'1_5' is not a number"),
        ("0.15 0.85", "0.15 0.75", 25, "must sum to 1 within 0.001; 0.15, 0.75 sum to 0.9"),
        ("0.15 0.85", "nan nan", 25, "sum to nan"),
        ("<TABLE>0.15", "<GIVEN>light-on</GIVEN><TABLE>0 1 0.15", 25, "the arcs form a cycle"),
    ],
)
def test_what_is_wrong_is_told_with_its_line(old: str, new: str, line: int, message: str) -> None:
    assert old in DOGS
    with pytest.raises(FormatError) as caught:
        parse_xmlbif(DOGS.replace(old, new), path="dogs.xml")
    assert message in str(caught.value)
    assert (caught.value.path, caught.value.line) == ("dogs.xml", line)


def test_a_short_text_cannot_become_a_long_one() -> None:
    laughs = "".join(f'<!ENTITY l{i + 1} "{f"&l{i};" * 10}">' for i in range(9))
    bomb = f'<!DOCTYPE BIF [<!ENTITY l0 "lol">{laughs}]><BIF><NETWORK><NAME>&l9;</NAME></NETWORK></BIF>'
    with pytest.raises(FormatError, match="declares the entity 'l0'"):
        parse_xmlbif(bomb)


def test_nothing_outside_the_file_is_loaded(tmp_path: Path) -> None:
    secret = tmp_path / "bif.dtd"
    secret.write_text('<!ENTITY dog "Dog">')
    text = f'<!DOCTYPE BIF SYSTEM "{secret}"><BIF><NETWORK><NAME>&dog;</NAME></NETWORK></BIF>'
    with pytest.raises(FormatError, match="the entity 'dog' is not known"):
        parse_xmlbif(text)
    assert parse_xmlbif(DOGS.replace("<!DOCTYPE BIF [", f'<!DOCTYPE BIF SYSTEM "{secret}" [')) == parse_xmlbif(DOGS)


@pytest.mark.parametrize("name", SMALL)
def test_pgmpy_and_pyagrum_read_what_is_written(name: str, tmp_path: Path) -> None:
    path = tmp_path / "network.bifxml"
    write_xmlbif(SMALL[name], path)
    assert read_xmlbif(path) == SMALL[name]
    assert loaded_by_pgmpy(path, "XMLBIFReader", SMALL[name]) == SMALL[name]
    assert loaded_by_pyagrum(path, SMALL[name]).is_close(SMALL[name], tolerance=1e-7)


@pytest.mark.parametrize("name", SMALL)
def test_what_pgmpy_and_pyagrum_write_is_read(name: str, tmp_path: Path) -> None:
    network = SMALL[name]
    written = read_xmlbif(saved_by_pyagrum(network, tmp_path / "network.bifxml"))
    assert written.is_close(network, tolerance=1e-5)  # pyAgrum writes 6 digits
    text = saved_by_pgmpy(network, "XMLBIFWriter")
    read = parse_xmlbif(text)
    assert set(read.dag.arcs) == set(network.dag.arcs)
    data = network.sample(200, seed=1)
    assert read.log_likelihoods(data) == pytest.approx(network.log_likelihoods(data))


# No blanks around names; XML 1.0 has no other control characters than tab and line breaks.
characters = st.characters(exclude_categories=["Cs", "Cc"], exclude_characters="\ufffe\uffff")
words = st.text(characters | st.sampled_from("\t\n\r<>&\"']"), min_size=1, max_size=5)
names = words.filter(lambda name: name == name.strip())


@given(networks(names, names))
@settings(max_examples=100, deadline=None)
def test_what_is_written_reads_back_equal(network: BayesianNetwork) -> None:
    assert parse_xmlbif(format_xmlbif(network)) == network


@pytest.mark.parametrize(("name", "why"), [("", "is empty"), (" a", "blanks around"), ("a\0b", "XML has no such")])
def test_what_xmlbif_cannot_express_is_refused(name: str, why: str) -> None:
    for labels in ((name, "x"), ("x", name)):
        with pytest.raises(ParameterError, match=why):
            format_xmlbif(BayesianNetwork(Dag([labels[0]]), [[labels[1]]], [[1.0]]))
