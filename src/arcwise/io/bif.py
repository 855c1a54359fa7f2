"""Networks in the Bayesian Interchange Format (BIF) of Cozman 1998, as the Bayesian network repositories use it.

Reading takes what the files in circulation contain: comments, quoted names, rows in any order, `table` and `default`
entries, commas or blanks between numbers. Properties and the name of the network are left out. Writing makes one row
for each parent configuration, with the shortest decimals that read back as the same numbers.
"""

import math
import os
from collections.abc import Mapping, Sequence
from itertools import islice, product
from warnings import warn

import numpy as np
import numpy.typing as npt

from arcwise.io.bif_syntax import WORD, Block, Row, parse
from arcwise.io.declarations import Source, Variable, network_of, only_tables, refuse_improper, refuse_length
from arcwise.network.network import BayesianNetwork
from arcwise.support.errors import ArcwiseWarning, ParameterError
from arcwise.support.files import read_text, write_text
from arcwise.support.messages import InPython
from arcwise.support.names import is_plain
from arcwise.support.quoting import cut, listed, quoted


def read_bif(path: str | os.PathLike[str]) -> BayesianNetwork:
    """Network in a BIF file; .gz, .xz, .bz2 and .zst are decompressed.

    See `parse_bif` for what is read and what is refused.

    Examples
    --------
    >>> from importlib.resources import files
    >>> read_bif(files("arcwise.simulation") / "networks" / "asia.bif.gz")
    <BayesianNetwork: 8 nodes, 8 arcs, 18 parameters>
    """
    return parse_bif(read_text(path), path=os.fspath(path))


def write_bif(network: BayesianNetwork, path: str | os.PathLike[str]) -> None:
    """Write a network to a BIF file, compressed when the name ends in .gz, .xz, .bz2 or .zst.

    `read_bif` gives back an equal network. See `format_bif` for what cannot be written.

    Warns
    -----
    ArcwiseWarning
        For names and states that pyAgrum or pgmpy cannot read; `BayesianNetwork.with_plain_names` has others.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from arcwise.graph import Dag
    >>> coin = BayesianNetwork(Dag(["coin"]), [["heads", "tails"]], [[0.5, 0.5]])
    >>> with TemporaryDirectory() as folder:
    ...     write_bif(coin, Path(folder, "coin.bif.gz"))
    ...     read_bif(Path(folder, "coin.bif.gz")) == coin
    True
    """
    text = format_bif(network)
    _warn_of_names(network)
    write_text(path, text)


def parse_bif(text: str, *, path: str | None = None) -> BayesianNetwork:
    """Network in a BIF text, with the nodes in the order of their declarations.

    Rows of a table are matched by the labels of the parents' states. In a `table` with parents the child varies slowest
    and the last parent fastest, which is the order of the format's definition and of pgmpy and pyAgrum. `default` is
    for the configurations without a row. Probabilities are kept as written.

    Parameters
    ----------
    text
        The whole text.
    path
        Where it came from, for messages.

    Raises
    ------
    FormatError
        With the line, if the text is cut short or does not follow the grammar, a variable or state is unknown or
        declared twice, a table does not have the right size or a row is missing or repeated, probabilities do not sum
        to 1 within 1e-3, or the arcs form a cycle.

    Examples
    --------
    >>> parse_bif('''
    ... network coin { }
    ... variable side { type discrete [ 2 ] { heads, tails }; }
    ... probability ( side ) { table 0.5, 0.5; }
    ... ''')
    <BayesianNetwork: 1 node, 0 arcs, 1 parameter>
    """
    source, variables, blocks = parse(text, path)
    return network_of(source, variables, blocks, _distributions, called="probability block")


def _distributions(source: Source, block: Block, declared: Mapping[str, Variable]) -> npt.NDArray[np.float64]:
    """Distributions of a block, one row for each configuration of the parents, the last parent fastest."""
    arities = [len(declared[name].states) for name in (*block.parents, block.child)]
    table = block.table
    if table is not None:
        values = _values_of_table(source, block, table, arities)
        refuse_improper(source, block.child, values, lambda _: table.position)
        return values
    found = _rows_by_configuration(source, block, declared)
    values = np.empty((math.prod(arities[:-1]), arities[-1]))
    if block.default is not None:
        refuse_length(source, block.child, block.default.numbers, arities[-1:], block.default.position)
        values[:] = block.default.numbers
    else:
        _refuse_missing(source, block, found, declared)
    if found:
        values[list(found)] = [row.numbers for row in found.values()]
    refuse_improper(source, block.child, values, lambda index: (found.get(index) or block.default or block).position)
    return values


def _values_of_table(source: Source, block: Block, table: Row, arities: Sequence[int]) -> npt.NDArray[np.float64]:
    """Distributions of a complete table, one row for each configuration of the parents."""
    others = [*block.rows, *([block.default] if block.default else [])]
    if others:
        raise source.error(f"{quoted(block.child)} has a 'table' and other entries; keep one kind", others[0].position)
    refuse_length(source, block.child, table.numbers, arities, table.position)
    return np.array(table.numbers).reshape(arities[-1], -1).T


def _rows_by_configuration(source: Source, block: Block, declared: Mapping[str, Variable]) -> dict[int, Row]:
    """Row of each configuration of the parents that has one; configurations are numbered, the last parent fastest."""
    codes = [{label: code for code, label in enumerate(declared[parent].states)} for parent in block.parents]
    arity = len(declared[block.child].states)
    found: dict[int, Row] = {}
    for row in block.rows:
        refuse_length(source, block.child, row.numbers, [arity], row.position)
        if len(row.labels) != len(codes):
            message = f"the row gives {len(row.labels)} states for the {len(codes)} parents of {quoted(block.child)}"
            raise source.error(message, row.position)
        index = 0
        for parent, code, label in zip(block.parents, codes, row.labels, strict=True):
            if label not in code:
                raise source.error(
                    f"{quoted(parent)} has no state {quoted(label)}; it has {listed(code, show=cut)}", row.position
                )
            index = index * len(code) + code[label]
        if index in found:
            raise source.error(
                f"{quoted(block.child)} has a second row for ({listed(row.labels, show=cut)})", row.position
            )
        found[index] = row
    return found


def _refuse_missing(source: Source, block: Block, found: dict[int, Row], declared: Mapping[str, Variable]) -> None:
    states = [declared[parent].states for parent in block.parents]
    n_rows = math.prod(map(len, states))
    if len(found) < n_rows:
        first = next(index for index in range(n_rows) if index not in found)
        labels = next(islice(product(*states), first, None))
        missing = (
            f"the first missing one is ({listed(labels, show=cut)})" if labels else "expected 'table' and its numbers"
        )
        raise source.error(f"{quoted(block.child)} has {len(found)} of {n_rows} rows; {missing}", block.position)


def format_bif(network: BayesianNetwork) -> str:
    """BIF text of a network; names are quoted only when they need it.

    pgmpy reads all of it back but quoted names with punctuation of the format, and names that differ only in case.
    pyAgrum reads only names made of letters, digits, `_`, `-` and `.`, variables with two states or more, and the
    numbers in single precision.

    Raises
    ------
    ParameterError
        For a name or state with a double quote or a line break, which the format cannot express, and for continuous
        nodes.

    Examples
    --------
    >>> network = parse_bif('network x {} variable a { type discrete [ 2 ] { n, y }; } probability (a) { table 1 0; }')
    >>> print(format_bif(network), end="")
    network unknown {
    }
    variable a {
      type discrete [ 2 ] { n, y };
    }
    probability ( a ) {
      table 1.0, 0.0;
    }
    """
    tables = only_tables(network, "BIF")
    names = [_quoted(name) for name in network.names]
    states = [[_quoted(state) for state in labels] for labels in network.states]
    lines = ["network unknown {", "}"]
    for name, labels in zip(names, states, strict=True):
        lines += [f"variable {name} {{", f"  type discrete [ {len(labels)} ] {{ {', '.join(labels)} }};", "}"]
    for name, parents, table in zip(names, network.dag.parent_indices, tables, strict=True):
        numbers = [", ".join(map(repr, row)) for row in table.reshape(-1, table.shape[-1]).tolist()]
        if parents:
            lines.append(f"probability ( {name} | {', '.join(names[parent] for parent in parents)} ) {{")
            rows = product(*(states[parent] for parent in parents))
            lines += [f"  ({', '.join(row)}) {text};" for row, text in zip(rows, numbers, strict=True)]
        else:
            lines += [f"probability ( {name} ) {{", f"  table {numbers[0]};"]
        lines.append("}")
    return "\n".join(lines) + "\n"


def _warn_of_names(network: BayesianNetwork) -> None:
    """Say which names other programs stumble over."""
    words = [*network.names, *(label for labels in network.states for label in labels)]
    found = [word for word in dict.fromkeys(words) if not is_plain(word)]
    by_lower_case: dict[str, str] = {}
    for name in network.names:
        if by_lower_case.setdefault(name.lower(), name) != name:
            found += [by_lower_case[name.lower()], name]
    if found:
        warn(
            ArcwiseWarning(
                f"pyAgrum or pgmpy will not read the names {listed(dict.fromkeys(found), most=5)} in BIF; ",
                InPython("network.with_plain_names() has others", "arcwise convert --plain-names gives others"),
            ),
            stacklevel=4,
        )


def _quoted(name: str) -> str:
    if WORD.fullmatch(name) and "//" not in name and "/*" not in name:
        return name
    if any(character in name for character in '"\n\r'):
        raise ParameterError(
            f"{quoted(name)} cannot be written in BIF: a name must have no double quote and no line break; rename it, "
            "or use another format such as JSON"
        )
    return f'"{name}"'
