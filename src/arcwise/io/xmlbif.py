"""Networks in XMLBIF 0.3, the XML form of the interchange format (Cozman 1998), which Weka, pgmpy and pyAgrum know.

In a TABLE the variable itself varies fastest, then the last GIVEN. Properties and the name of the network are left out
when reading. Blanks around names and states are not part of them.
"""

import os

from arcwise.io.declarations import Family, Lines, Variable, family_distributions, network_of, only_tables
from arcwise.io.numbers import numbers_of
from arcwise.io.xml_tree import Element, escaped, only, parse_xml, read_xml, refuse_others
from arcwise.network.network import BayesianNetwork
from arcwise.support.errors import FormatError, ParameterError
from arcwise.support.files import write_text
from arcwise.support.quoting import cut, quoted

__all__ = ["format_xmlbif", "parse_xmlbif", "read_xmlbif", "write_xmlbif"]


def read_xmlbif(path: str | os.PathLike[str]) -> BayesianNetwork:
    """Network in an XMLBIF file; .gz, .xz, .bz2 and .zst are decompressed. See `parse_xmlbif`."""
    return _network(read_xml(path), os.fspath(path))


def write_xmlbif(network: BayesianNetwork, path: str | os.PathLike[str]) -> None:
    """Write a network to an XMLBIF file, compressed when the name ends in .gz, .xz, .bz2 or .zst.

    `read_xmlbif` gives back an equal network. See `format_xmlbif` for what cannot be written.
    """
    write_text(path, format_xmlbif(network))


def parse_xmlbif(text: str | bytes, *, path: str | None = None) -> BayesianNetwork:
    """Network in an XMLBIF text, with the nodes in the order of their declarations.

    Parameters
    ----------
    text
        The whole document; bytes are decoded as they declare it.
    path
        Where it came from, for messages.

    Raises
    ------
    FormatError
        With the line, for what is not XML or not XMLBIF, for entities, decisions and utilities, and for whatever is
        missing, repeated, unknown or not a probability.

    Examples
    --------
    >>> parse_xmlbif('''<BIF VERSION="0.3"><NETWORK><NAME>coin</NAME>
    ... <VARIABLE TYPE="nature"><NAME>side</NAME><OUTCOME>heads</OUTCOME><OUTCOME>tails</OUTCOME></VARIABLE>
    ... <DEFINITION><FOR>side</FOR><TABLE>0.5 0.5</TABLE></DEFINITION></NETWORK></BIF>''')
    <BayesianNetwork: 1 node, 0 arcs, 1 parameter>
    """
    return _network(parse_xml(text, path=path), path)


def _network(root: Element, path: str | None) -> BayesianNetwork:
    if root.tag != "BIF":
        raise FormatError(f"this is not XMLBIF: its root must be BIF, not {cut(root.tag)}", path=path, line=root.line)
    refuse_others(root, ["NETWORK"], path=path)
    network = only(root, "NETWORK", path=path)
    refuse_others(network, ["NAME", "PROPERTY", "VARIABLE", "DEFINITION"], path=path)
    variables = [_variable(element, path) for element in network.all("VARIABLE")]
    families = [_family(element, path) for element in network.all("DEFINITION")]
    return network_of(Lines(path, network.line), variables, families, family_distributions, called="DEFINITION")


def _variable(element: Element, path: str | None) -> Variable:
    kind = element.attributes.get("TYPE", "nature")
    if kind.lower() not in ("nature", "discrete"):
        message = f"a variable of type {quoted(kind)} is not possible here; expected 'nature'"
        raise FormatError(message, path=path, line=element.line)
    refuse_others(element, ["NAME", "OUTCOME", "PROPERTY"], path=path)
    states = tuple(outcome.text for outcome in element.all("OUTCOME"))
    return Variable(only(element, "NAME", path=path).text, states, element.line)


def _family(element: Element, path: str | None) -> Family:
    refuse_others(element, ["FOR", "GIVEN", "TABLE", "PROPERTY"], path=path)
    table = only(element, "TABLE", path=path)
    refuse_others(table, [], path=path)
    return Family(
        only(element, "FOR", path=path).text,
        tuple(given.text for given in element.all("GIVEN")),
        numbers_of(table.text.split(), lambda message: FormatError(message, path=path, line=table.line)),
        element.line,
    )


def format_xmlbif(network: BayesianNetwork) -> str:
    """XMLBIF text of a network, with the shortest decimals that read back as the same numbers.

    It does not declare the document type, which pyAgrum could not read.

    Raises
    ------
    ParameterError
        For a name or state that is empty, has blanks around it, or has characters that XML cannot hold, and for
        continuous nodes.

    Examples
    --------
    >>> from arcwise.graph import Dag
    >>> text = format_xmlbif(BayesianNetwork(Dag(["coin"]), [["heads", "tails"]], [[0.5, 0.5]]))
    >>> print(text[text.index("<BIF") :], end="")
    <BIF VERSION="0.3">
    <NETWORK>
    <NAME>unknown</NAME>
    <VARIABLE TYPE="nature">
      <NAME>coin</NAME>
      <OUTCOME>heads</OUTCOME>
      <OUTCOME>tails</OUTCOME>
    </VARIABLE>
    <DEFINITION>
      <FOR>coin</FOR>
      <TABLE>
        0.5 0.5
      </TABLE>
    </DEFINITION>
    </NETWORK>
    </BIF>
    """
    lines = ['<?xml version="1.0" encoding="UTF-8"?>', '<BIF VERSION="0.3">', "<NETWORK>"]
    lines.append("<NAME>unknown</NAME>")
    tables = only_tables(network, "XMLBIF")
    names = [_written(name) for name in network.names]
    for name, states in zip(names, network.states, strict=True):
        lines += ['<VARIABLE TYPE="nature">', f"  <NAME>{name}</NAME>"]
        lines += [f"  <OUTCOME>{_written(state)}</OUTCOME>" for state in states]
        lines.append("</VARIABLE>")
    for name, parents, table in zip(names, network.dag.parent_indices, tables, strict=True):
        lines += ["<DEFINITION>", f"  <FOR>{name}</FOR>"]
        lines += [f"  <GIVEN>{names[parent]}</GIVEN>" for parent in parents]
        lines.append("  <TABLE>")
        lines += ["    " + " ".join(map(repr, row)) for row in table.reshape(-1, table.shape[-1]).tolist()]
        lines += ["  </TABLE>", "</DEFINITION>"]
    return "\n".join([*lines, "</NETWORK>", "</BIF>"]) + "\n"


def _written(name: str) -> str:
    if not name or name != name.strip():
        why = "has blanks around it" if name else "is empty"
        raise ParameterError(f"the name {quoted(name)} {why}, which XMLBIF cannot express; rename it or use JSON")
    return escaped(name, "XMLBIF")
