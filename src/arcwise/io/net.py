"""Networks in the NET format of HUGIN, with discrete and with continuous variables.

Reading takes the states of the nodes and the data of the potentials, and leaves out whatever else there is, such as
labels and positions. Writing makes one distribution in a line, nested in parentheses as deep as there are discrete
parents. The potential of a continuous node has ``normal ( mean, variance )``, where the mean is a linear function of
continuous parents such as ``2 - 0.5 * x``.
"""

import math
import os
import re
from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

from arcwise.io.declarations import Family, Source, Variable, family_distributions, network_of, parents_by_kind
from arcwise.io.net_syntax import Normals, parse
from arcwise.network.distributions import ConditionalGaussian, Table
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
        With the line, if the text is cut short or does not follow the grammar, for decision, utility and function
        nodes, instances of classes, variances of 0, and for whatever is missing, repeated, unknown or not a
        probability.

    Examples
    --------
    >>> parse_net('net {} node coin { states = ("heads" "tails"); } potential (coin) { data = (0.5 0.5); }')
    <BayesianNetwork: 1 node, 0 arcs, 1 parameter>
    """
    source, variables, families = parse(text, path)
    return network_of(source, variables, families, _distributions, called="potential")


def _distributions(
    source: Source, family: Family | Normals, declared: Mapping[str, Variable]
) -> npt.NDArray[np.float64] | ConditionalGaussian:
    """Checked content of a potential."""
    if declared[family.child].continuous != isinstance(family, Normals):
        needed = "is continuous and needs normal (" if declared[family.child].continuous else "has states and needs ("
        raise source.error(f"{quoted(family.child)} {needed} … ) in its potential", family.position)
    if isinstance(family, Family):
        return family_distributions(source, family, declared)
    discrete, continuous = parents_by_kind(family.parents, declared)
    shape = [len(declared[parent].states) for parent in discrete]
    if len(family.normals) != math.prod(shape):
        message = f"{quoted(family.child)} has {len(family.normals)} normal distributions; expected {math.prod(shape)}"
        raise source.error(message, family.position)
    for normal in family.normals:
        for name in normal.coefficients:
            if name not in continuous:
                message = f"the mean of {quoted(family.child)} depends on {quoted(name)}, not a continuous parent of it"
                raise source.error(message, family.position)
    coefficients = [[normal.coefficients.get(parent, 0.0) for parent in continuous] for normal in family.normals]
    return ConditionalGaussian(
        np.reshape([normal.intercept for normal in family.normals], shape),
        np.reshape(coefficients, (*shape, len(continuous))),
        np.reshape([math.sqrt(normal.variance) for normal in family.normals], shape),
    )


def format_net(network: BayesianNetwork) -> str:
    """NET text of a network, with the shortest decimals that read back as the same numbers.

    pgmpy and pyAgrum read it where the states are words, pyAgrum only with two states or more.

    Raises
    ------
    ParameterError
        For a node whose name is not of letters, digits and `_` with no digit first, and for a state with a double
        quote, a backslash or a line break, which the format cannot express; for a standard deviation whose square,
        the variance, is too small or too large for a floating point number.

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
        if states:
            lines += [f"node {name}", "{", f"  states = ({' '.join(map(_quoted, states))});", "}"]
        else:
            lines += [f"continuous node {name}", "{", "}"]
    numbers = frozenset(network.continuous)
    for name, found in zip(network.names, network.distributions, strict=True):
        parents = network.dag.parents(name)
        if isinstance(found, Table):
            rows = [" ".join(map(repr, row)) for row in found.probabilities.reshape(-1, found.shape[-1]).tolist()]
            data = _nested([f"({row})" for row in rows], found.shape[:-1])
        else:
            continuous = [parent for parent in parents if parent in numbers]
            # As HUGIN writes them, the discrete parents come first.
            parents = (*(parent for parent in parents if parent not in numbers), *continuous)
            data = _nested(_normals(name, continuous, found), found.shape)
        lines += [f"potential ({name} | {' '.join(parents)})" if parents else f"potential ({name})", "{"]
        lines += [*data, "}"]
    return "\n".join(lines) + "\n"


def _normals(name: str, parents: Sequence[str], gaussian: ConditionalGaussian) -> list[str]:
    """Text of the distribution of each configuration."""
    texts = []
    coefficients = gaussian.coefficients.reshape(gaussian.intercepts.size, len(parents))
    for intercept, slopes, deviation in zip(
        gaussian.intercepts.ravel().tolist(), coefficients.tolist(), gaussian.deviations.ravel().tolist(), strict=True
    ):
        variance = deviation * deviation
        if not 0 < variance < math.inf or math.sqrt(variance) != deviation:
            raise ParameterError(
                f"the standard deviation {deviation!r} of {quoted(name)} cannot be written in NET, which has its "
                "square; use another format such as JSON"
            )
        terms = [
            f" {'-' if slope < 0 else '+'} {abs(slope)!r} * {parent}"
            for slope, parent in zip(slopes, parents, strict=True)
        ]
        texts.append(f"normal ({intercept!r}{''.join(terms)}, {variance!r})")
    return texts


def _nested(rows: Sequence[str], shape: Sequence[int]) -> list[str]:
    """Lines of a data attribute: a distribution in each, and around them a pair of parentheses for each parent."""
    lines = []
    for index, row in enumerate(rows):
        opened, closed, block = 0, 0, 1
        for arity in reversed(shape):
            block *= arity
            opened += index % block == 0
            closed += (index + 1) % block == 0
        begin = "  data = " if index == 0 else " " * (9 + len(shape) - opened)
        lines.append(f"{begin}{'(' * opened}{row}{')' * closed}")
    lines[-1] += ";"
    return lines


def _quoted(state: str) -> str:
    if any(character in state for character in '"\\\n\r'):
        raise ParameterError(
            f"the state {quoted(state)} cannot be written in NET: it must have no double quote, backslash or line break"
        )
    return f'"{state}"'
