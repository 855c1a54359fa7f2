"""Networks in the NET format of HUGIN, as far as it is about discrete variables.

Reading takes the states of the nodes and the data of the potentials, and leaves out whatever else there is, such as
labels and positions. Writing makes one distribution in a line, nested in parentheses as deep as there are parents.
"""

import os
import re
from collections.abc import Sequence

from arcwise.io.declarations import family_distributions, network_of
from arcwise.io.net_syntax import parse
from arcwise.network.network import BayesianNetwork
from arcwise.support.errors import ParameterError
from arcwise.support.files import read_text, write_text
from arcwise.support.quoting import quoted

__all__ = ["format_net", "parse_net", "read_net", "write_net"]

_IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


def read_net(path: str | os.PathLike[str]) -> BayesianNetwork:
    """Network in a NET file; .gz, .xz, .bz2 and .zst are decompressed. See `parse_net`."""
    return parse_net(read_text(path), path=os.fspath(path))


def write_net(network: BayesianNetwork, path: str | os.PathLike[str]) -> None:
    """Write a network to a NET file, compressed when the name ends in .gz, .xz, .bz2 or .zst.

    `read_net` gives back an equal network. See `format_net` for what cannot be written.
    """
    write_text(path, format_net(network))


def parse_net(text: str, *, path: str | None = None) -> BayesianNetwork:
    """Network in a NET text, with the nodes in the order of their declarations.

    The numbers of a potential are one distribution of the child for each configuration of the parents, of which the
    last one varies fastest.

    Parameters
    ----------
    text
        The whole text.
    path
        Where it came from, for messages.

    Raises
    ------
    FormatError
        With the line, if the text is cut short or does not follow the grammar, for continuous, decision and utility
        nodes, instances of classes, and for whatever is missing, repeated, unknown or not a probability.

    Examples
    --------
    >>> parse_net('net {} node coin { states = ("heads" "tails"); } potential (coin) { data = (0.5 0.5); }')
    <BayesianNetwork: 1 node, 0 arcs, 1 parameter>
    """
    source, variables, families = parse(text, path)
    return network_of(source, variables, families, family_distributions, called="potential")


def format_net(network: BayesianNetwork) -> str:
    """NET text of a network, with the shortest decimals that read back as the same numbers.

    pgmpy and pyAgrum read it where the states are words, pyAgrum only with two states or more.

    Raises
    ------
    ParameterError
        For a node whose name is not of letters, digits and `_` with no digit first, and for a state with a double
        quote, a backslash or a line break, which the format cannot express.

    Examples
    --------
    >>> from arcwise.graph import Dag
    >>> dag = Dag(["a", "b"], [("a", "b")])
    >>> network = BayesianNetwork(dag, [["no", "yes"]] * 2, [[0.5, 0.5], [[1, 0], [0, 1]]])
    >>> print(format_net(network), end="")
    net
    {
    }
    node a
    {
      states = ("no" "yes");
    }
    node b
    {
      states = ("no" "yes");
    }
    potential (a)
    {
      data = (0.5 0.5);
    }
    potential (b | a)
    {
      data = ((1.0 0.0)
              (0.0 1.0));
    }
    """
    for name in network.names:
        if not _IDENTIFIER.fullmatch(name):
            raise ParameterError(
                f"the name {quoted(name)} cannot be written in NET: there it must be of the letters a to z, digits and "
                "_, and not begin with a digit; rename it, or use another format such as XMLBIF"
            )
    lines = ["net", "{", "}"]
    for name, states in zip(network.names, network.states, strict=True):
        lines += [f"node {name}", "{", f"  states = ({' '.join(map(_quoted, states))});", "}"]
    for name, table in zip(network.names, network.tables, strict=True):
        parents = network.dag.parents(name)
        lines += [f"potential ({name} | {' '.join(parents)})" if parents else f"potential ({name})", "{"]
        rows = [" ".join(map(repr, row)) for row in table.reshape(-1, table.shape[-1]).tolist()]
        lines += [*_nested(rows, table.shape[:-1]), "}"]
    return "\n".join(lines) + "\n"


def _nested(rows: Sequence[str], shape: Sequence[int]) -> list[str]:
    """Lines of a data attribute: a distribution in parentheses, and around it a pair for each parent."""
    lines = []
    for index, row in enumerate(rows):
        opened, closed, block = 1, 1, 1
        for arity in reversed(shape):
            block *= arity
            opened += index % block == 0
            closed += (index + 1) % block == 0
        begin = "  data = " if index == 0 else " " * (9 + len(shape) + 1 - opened)
        lines.append(f"{begin}{'(' * opened}{row}{')' * closed}")
    lines[-1] += ";"
    return lines


def _quoted(state: str) -> str:
    if any(character in state for character in '"\\\n\r'):
        raise ParameterError(
            f"the state {quoted(state)} cannot be written in NET: it must have no double quote, backslash or line break"
        )
    return f'"{state}"'
