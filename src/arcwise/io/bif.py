"""Networks in the Bayesian Interchange Format (BIF) of Cozman 1998, as the Bayesian network repositories use it.

Reading takes what the files in circulation contain: comments, quoted names, rows in any order, `table` and `default`
entries, commas or blanks between numbers. Properties and the name of the network are left out. Writing makes one row
for each parent configuration, with the shortest decimals that read back as the same numbers.
"""

import math
import os
from collections.abc import Sequence
from graphlib import CycleError, TopologicalSorter
from itertools import islice, product

import numpy as np
import numpy.typing as npt

from arcwise.compression import read_text, write_text
from arcwise.data.checks import MAX_ARITY
from arcwise.errors import ParameterError
from arcwise.graph.dag import Dag
from arcwise.io.bif_syntax import WORD, Block, Row, Source, Variable, parse
from arcwise.network.network import SUM_TOLERANCE, BayesianNetwork
from arcwise.network.tables import table_shapes


def read_bif(path: str | os.PathLike[str]) -> BayesianNetwork:
    """Network in a BIF file; .gz, .xz, .bz2 and .zst are decompressed.

    See `parse_bif` for what is read and what is refused.

    Examples
    --------
    >>> from importlib.resources import files
    >>> read_bif(files("arcwise.data") / "networks" / "asia.bif.gz")
    <BayesianNetwork: 8 nodes, 8 arcs, 18 parameters>
    """
    return parse_bif(read_text(path), path=os.fspath(path))


def write_bif(network: BayesianNetwork, path: str | os.PathLike[str]) -> None:
    """Write a network to a BIF file, compressed when the name ends in .gz, .xz, .bz2 or .zst.

    `read_bif` gives back an equal network. See `format_bif` for what cannot be written.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> coin = BayesianNetwork(Dag(["coin"]), [["heads", "tails"]], [[0.5, 0.5]])
    >>> with TemporaryDirectory() as folder:
    ...     write_bif(coin, Path(folder, "coin.bif.gz"))
    ...     read_bif(Path(folder, "coin.bif.gz")) == coin
    True
    """
    write_text(path, format_bif(network))


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
    declared = _declared(source, variables)
    of_child = _blocks_by_child(source, declared, blocks)
    _refuse_cycle(source, of_child)
    names = list(declared)
    position = {name: index for index, name in enumerate(names)}
    dag = Dag.from_parents(names, [[position[parent] for parent in of_child[name].parents] for name in names])
    tables = [_table(source, of_child[name], declared, position) for name in names]
    return BayesianNetwork(dag, [variable.states for variable in variables], tables)


def _declared(source: Source, variables: Sequence[Variable]) -> dict[str, Variable]:
    declared: dict[str, Variable] = {}
    if not variables:
        raise source.error("the file declares no variable; a network has at least one", len(source.text.rstrip()))
    for variable in variables:
        name, states = variable.name, variable.states
        if name in declared:
            raise source.error(f"variable {name!r} is declared twice", variable.position)
        if not 1 <= len(states) <= MAX_ARITY:
            message = f"variable {name!r} has {len(states)} states; it needs from 1 to {MAX_ARITY}"
            raise source.error(message, variable.position)
        if len(set(states)) < len(states):
            twice = next(state for index, state in enumerate(states) if state in states[:index])
            raise source.error(f"variable {name!r} has the state {twice!r} twice", variable.position)
        declared[name] = variable
    return declared


def _blocks_by_child(source: Source, declared: dict[str, Variable], blocks: Sequence[Block]) -> dict[str, Block]:
    of_child: dict[str, Block] = {}
    for block in blocks:
        for name in (block.child, *block.parents):
            if name not in declared:
                raise source.error(f"there is no variable {name!r}; it must be declared", block.position)
        if block.child in of_child:
            raise source.error(f"{block.child!r} has a second probability block", block.position)
        if len(set(block.parents)) < len(block.parents):
            raise source.error(f"the parents of {block.child!r} must differ: {block.parents}", block.position)
        of_child[block.child] = block
    for name, variable in declared.items():
        if name not in of_child:
            raise source.error(f"variable {name!r} has no probability block", variable.position)
    return of_child


def _refuse_cycle(source: Source, blocks: dict[str, Block]) -> None:
    try:
        TopologicalSorter({name: block.parents for name, block in blocks.items()}).prepare()
    except CycleError as error:
        around: list[str] = error.args[1]
        last = max(blocks[name].position for name in around)
        raise source.error(f"the arcs form a cycle: {' -> '.join(map(repr, around))}", last) from None


def _table(
    source: Source, block: Block, declared: dict[str, Variable], position: dict[str, int]
) -> npt.NDArray[np.float64]:
    """Table of a block, its axes in the order of `Dag.parent_indices`."""
    arities = [len(declared[name].states) for name in (*block.parents, block.child)]
    _refuse_too_large(source, block, arities)
    if block.table is not None:
        values = _values_of_table(source, block, block.table, arities)
        _refuse_improper(source, block, values, {})
    else:
        found = _rows_by_configuration(source, block, declared)
        values = np.empty((math.prod(arities[:-1]), arities[-1]))
        if block.default is not None:
            _refuse_length(source, block.child, block.default, arities[-1:])
            values[:] = block.default.numbers
        else:
            _refuse_missing(source, block, found, declared)
        if found:
            values[list(found)] = [row.numbers for row in found.values()]
        _refuse_improper(source, block, values, found)
    ascending = sorted(range(len(block.parents)), key=lambda axis: position[block.parents[axis]])
    return values.reshape(arities).transpose(*ascending, len(ascending))


def _values_of_table(source: Source, block: Block, table: Row, arities: Sequence[int]) -> npt.NDArray[np.float64]:
    """Distributions of a complete table, one row for each configuration of the parents."""
    others = [*block.rows, *([block.default] if block.default else [])]
    if others:
        raise source.error(f"{block.child!r} has a 'table' and other entries; keep one kind", others[0].position)
    _refuse_length(source, block.child, table, arities)
    return np.array(table.numbers).reshape(arities[-1], -1).T


def _rows_by_configuration(source: Source, block: Block, declared: dict[str, Variable]) -> dict[int, Row]:
    """Row of each configuration of the parents that has one; configurations are numbered, the last parent fastest."""
    codes = [{label: code for code, label in enumerate(declared[parent].states)} for parent in block.parents]
    arity = len(declared[block.child].states)
    found: dict[int, Row] = {}
    for row in block.rows:
        _refuse_length(source, block.child, row, [arity])
        if len(row.labels) != len(codes):
            message = f"the row gives {len(row.labels)} states for the {len(codes)} parents of {block.child!r}"
            raise source.error(message, row.position)
        index = 0
        for parent, code, label in zip(block.parents, codes, row.labels, strict=True):
            if label not in code:
                raise source.error(f"{parent!r} has no state {label!r}; it has {', '.join(code)}", row.position)
            index = index * len(code) + code[label]
        if index in found:
            raise source.error(f"{block.child!r} has a second row for ({', '.join(row.labels)})", row.position)
        found[index] = row
    return found


def _refuse_missing(source: Source, block: Block, found: dict[int, Row], declared: dict[str, Variable]) -> None:
    states = [declared[parent].states for parent in block.parents]
    n_rows = math.prod(map(len, states))
    if len(found) < n_rows:
        first = next(index for index in range(n_rows) if index not in found)
        labels = next(islice(product(*states), first, None))
        missing = f"the first missing one is ({', '.join(labels)})" if labels else "expected 'table' and its numbers"
        raise source.error(f"{block.child!r} has {len(found)} of {n_rows} rows; {missing}", block.position)


def _refuse_length(source: Source, child: str, row: Row, shape: Sequence[int]) -> None:
    if len(row.numbers) != math.prod(shape):
        size = " x ".join(map(str, shape))
        raise source.error(f"{child!r} has {len(row.numbers)} numbers here; expected {size}", row.position)


def _refuse_too_large(source: Source, block: Block, arities: Sequence[int]) -> None:
    """Stop a short text from asking for an enormous table."""
    last = len(block.parents)
    try:
        table_shapes([*block.parents, block.child], arities, [()] * last + [range(last)])
    except ParameterError as error:
        raise source.error(str(error), block.position) from None


def _refuse_improper(source: Source, block: Block, values: npt.NDArray[np.float64], found: dict[int, Row]) -> None:
    """Refuse rows that are no distributions."""
    proper = (values >= 0).all(axis=1) & (np.abs(values.sum(axis=1) - 1) <= SUM_TOLERANCE)  # false for NaN too
    if not proper.all():
        index = int(np.flatnonzero(~proper)[0])
        row = found.get(index) or block.table or block.default
        shown = ", ".join(map(repr, values[index].tolist()))
        raise source.error(
            f"the probabilities of {block.child!r} must not be negative and must sum to 1 within {SUM_TOLERANCE:g}; "
            f"{shown} sum to {values[index].sum():.6g}",
            row.position if row else block.position,
        )


def format_bif(network: BayesianNetwork) -> str:
    """BIF text of a network; names are quoted only when they need it.

    pgmpy reads all of it back but quoted names with punctuation of the format, and names that differ only in case.
    pyAgrum reads only names made of letters, digits, `_`, `-` and `.`, variables with two states or more, and the
    numbers in single precision.

    Raises
    ------
    ParameterError
        For a name or state with a double quote or a line break, which the format cannot express.

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
    names = [_quoted(name) for name in network.names]
    states = [[_quoted(state) for state in labels] for labels in network.states]
    lines = ["network unknown {", "}"]
    for name, labels in zip(names, states, strict=True):
        lines += [f"variable {name} {{", f"  type discrete [ {len(labels)} ] {{ {', '.join(labels)} }};", "}"]
    for name, parents, table in zip(names, network.dag.parent_indices, network.tables, strict=True):
        numbers = [", ".join(map(repr, row)) for row in table.reshape(-1, table.shape[-1]).tolist()]
        if parents:
            lines.append(f"probability ( {name} | {', '.join(names[parent] for parent in parents)} ) {{")
            rows = product(*(states[parent] for parent in parents))
            lines += [f"  ({', '.join(row)}) {text};" for row, text in zip(rows, numbers, strict=True)]
        else:
            lines += [f"probability ( {name} ) {{", f"  table {numbers[0]};"]
        lines.append("}")
    return "\n".join(lines) + "\n"


def _quoted(name: str) -> str:
    if WORD.fullmatch(name) and "//" not in name and "/*" not in name:
        return name
    if any(character in name for character in '"\n\r'):
        raise ParameterError(f"{name!r} cannot be written in BIF: a name must have no double quote and no line break")
    return f'"{name}"'
