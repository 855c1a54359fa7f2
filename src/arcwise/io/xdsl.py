"""Networks in XDSL, the XML format of GeNIe and SMILE, which pyAgrum and pgmpy know too.

A network is a list of ``cpt`` elements, parents before their children. In ``probabilities`` the node itself varies
fastest, then the last parent. Positions, colours and other properties of GeNIe are left out when reading.
"""

import os
import re
from math import prod

from arcwise.io.declarations import Family, Lines, Variable, family_distributions, network_of, only_tables
from arcwise.io.numbers import numbers_of
from arcwise.io.xml_tree import Element, escaped, only, parse_xml, read_xml
from arcwise.network.network import BayesianNetwork
from arcwise.support.errors import FormatError, ParameterError
from arcwise.support.files import write_text
from arcwise.support.messages import InPython
from arcwise.support.quoting import cut, quoted

__all__ = ["format_xdsl", "parse_xdsl", "read_xdsl", "write_xdsl"]

_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]*")
_STATE = re.compile(r"[A-Za-z0-9_]+")

# What else a node can be in GeNIe, in words.
_OTHERS = {
    "decision": "a decision",
    "utility": "a utility",
    "mau": "a utility",
    "equation": "a node with an equation",
    "noisymax": "a noisy node",
    "noisyadder": "a noisy node",
    "demorgan": "a DeMorgan node",
}


def read_xdsl(path: str | os.PathLike[str]) -> BayesianNetwork:
    """Network in an XDSL file; .gz, .xz, .bz2 and .zst are decompressed. See `parse_xdsl`."""
    return _network(read_xml(path), os.fspath(path))


def write_xdsl(network: BayesianNetwork, path: str | os.PathLike[str]) -> None:
    """Write a network to an XDSL file, compressed when the name ends in .gz, .xz, .bz2 or .zst.

    `read_xdsl` gives back the same network, but for the order of its nodes, in which parents come first here. See
    `format_xdsl` for what cannot be written.
    """
    write_text(path, format_xdsl(network))


def parse_xdsl(text: str | bytes, *, path: str | None = None) -> BayesianNetwork:
    """Network in an XDSL text, with the nodes in the order of the file.

    Nodes with tables (``cpt``) and deterministic ones are read.

    Parameters
    ----------
    text
        The whole document; bytes are decoded as they declare it.
    path
        Where it came from, for messages.

    Raises
    ------
    FormatError
        With the line, for what is not XML or not XDSL, for nodes of other kinds, and for whatever is missing, repeated,
        unknown or not a probability.

    Examples
    --------
    >>> parse_xdsl('''<smile version="1.0" id="coins"><nodes><cpt id="side"><state id="heads"/><state id="tails"/>
    ... <probabilities>0.5 0.5</probabilities></cpt></nodes></smile>''')
    <BayesianNetwork: 1 node, 0 arcs, 1 parameter>
    """
    return _network(parse_xml(text, path=path), path)


def _network(root: Element, path: str | None) -> BayesianNetwork:
    if root.tag != "smile":
        raise FormatError(f"this is not XDSL: its root must be smile, not {cut(root.tag)}", path=path, line=root.line)
    nodes = only(root, "nodes", path=path)
    for element in nodes.children:
        if element.tag not in ("cpt", "deterministic"):
            what = _OTHERS.get(element.tag, f"a {cut(element.tag)}")
            raise FormatError(f"{what} is not possible here; expected nodes with tables", path=path, line=element.line)
    variables = [
        Variable(_id(element, path), tuple(_id(state, path) for state in element.all("state")), element.line)
        for element in nodes.children
    ]
    states = {variable.name: variable.states for variable in variables}
    families = [_family(element, states, path) for element in nodes.children]
    return network_of(Lines(path, nodes.line), variables, families, family_distributions, called="node")


def _id(element: Element, path: str | None) -> str:
    name = element.attributes.get("id", "")
    if not name:
        raise FormatError(f"a {cut(element.tag)} must have an id", path=path, line=element.line)
    return name


def _family(element: Element, states: dict[str, tuple[str, ...]], path: str | None) -> Family:
    name = _id(element, path)
    found = element.all("parents")
    parents = tuple(found[0].text.split()) if found else ()
    if element.tag == "deterministic":
        return Family(name, parents, _certain(element, states, parents, path), element.line)
    table = only(element, "probabilities", path=path)
    numbers = numbers_of(table.text.split(), lambda message: FormatError(message, path=path, line=table.line))
    return Family(name, parents, numbers, element.line)


def _certain(
    element: Element, states: dict[str, tuple[str, ...]], parents: tuple[str, ...], path: str | None
) -> list[float]:
    """Probabilities of a deterministic node: 1 for the state that each configuration has, else 0."""
    result = only(element, "resultingstates", path=path)
    labels, own = result.text.split(), states[_id(element, path)]
    n_rows = prod(len(states.get(parent, ())) for parent in parents)
    unknown = next((label for label in labels if label not in own), None)
    if unknown is not None or len(labels) != n_rows:
        why = f"{quoted(unknown)} is not a state" if unknown is not None else f"{n_rows} are needed, not {len(labels)}"
        raise FormatError(f"the resulting states of {quoted(_id(element, path))}: {why}", path=path, line=result.line)
    return [float(label == state) for label in labels for state in own]


def format_xdsl(network: BayesianNetwork) -> str:
    """XDSL text of a network, with the shortest decimals that read back as the same numbers.

    Raises
    ------
    ParameterError
        For names and states that are not identifiers of SMILE, and for continuous nodes.

    Examples
    --------
    >>> from arcwise.graph import Dag
    >>> text = format_xdsl(BayesianNetwork(Dag(["coin"]), [["heads", "tails"]], [[0.5, 0.5]]))
    >>> print(text[text.index("<smile") :], end="")
    <smile version="1.0" id="network" numsamples="10000" discsamples="10000">
      <nodes>
        <cpt id="coin">
          <state id="heads" />
          <state id="tails" />
          <probabilities>0.5 0.5</probabilities>
        </cpt>
      </nodes>
      <extensions>
        <genie version="1.0" app="arcwise" name="network">
          <node id="coin"><name>coin</name></node>
        </genie>
      </extensions>
    </smile>
    """
    tables = dict(zip(network.names, only_tables(network, "XDSL"), strict=True))
    states = dict(zip(network.names, network.states, strict=True))
    lines = ['<?xml version="1.0" encoding="UTF-8"?>']
    lines += ['<smile version="1.0" id="network" numsamples="10000" discsamples="10000">', "  <nodes>"]
    for name in network.dag.topological_order():
        lines.append(f'    <cpt id="{_written(name, _NAME, "name")}">')
        lines += [f'      <state id="{_written(state, _STATE, "state")}" />' for state in states[name]]
        if parents := network.dag.parents(name):
            lines.append(f"      <parents>{' '.join(parents)}</parents>")
        numbers = " ".join(map(repr, tables[name].ravel().tolist()))
        lines += [f"      <probabilities>{numbers}</probabilities>", "    </cpt>"]
    lines += ["  </nodes>", "  <extensions>", '    <genie version="1.0" app="arcwise" name="network">']
    lines += [f'      <node id="{name}"><name>{name}</name></node>' for name in network.dag.topological_order()]
    return "\n".join([*lines, "    </genie>", "  </extensions>", "</smile>"]) + "\n"


def _written(word: str, pattern: re.Pattern[str], called: str) -> str:
    if not pattern.fullmatch(word):
        first = "a letter and then " if pattern is _NAME else ""
        raise ParameterError(
            f"the {called} {quoted(word)} cannot be written in XDSL, where it must be {first}letters, digits and _ of "
            "ASCII; ",
            InPython("network.renamed gives it another, and write_network takes other formats", "use another format"),
        )
    return escaped(word, "XDSL")
