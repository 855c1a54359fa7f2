"""From the parts of a file to a network: declared variables and one block of probabilities for each, checked.

What is wrong is reported with its place in the file, which is why this does not leave the checks to the constructors.
"""

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from graphlib import CycleError, TopologicalSorter
from typing import Protocol, TypeVar

import numpy as np
import numpy.typing as npt

from arcwise.data.codes import MAX_ARITY
from arcwise.graph.dag import Dag
from arcwise.network.distributions import SUM_TOLERANCE, ConditionalGaussian
from arcwise.network.network import BayesianNetwork
from arcwise.network.tables import family_shapes
from arcwise.support.errors import FormatError, ParameterError
from arcwise.support.quoting import chained, cut, listed, quoted


@dataclass(frozen=True, slots=True)
class Source:
    """A text, in which positions count characters, and where it came from."""

    text: str
    path: str | None = None

    def error(self, message: str, position: int) -> FormatError:
        """Error that names the line of a position."""
        return FormatError(message, path=self.path, line=self.text.count("\n", 0, position) + 1)

    @property
    def end(self) -> int:
        """Position after the last character that is not a blank."""
        return len(self.text.rstrip())


@dataclass(frozen=True, slots=True)
class Lines:
    """A file in which positions are lines, counted from 1; a position of 0 is unknown."""

    path: str | None = None
    end: int = 0

    def error(self, message: str, position: int) -> FormatError:
        """Error that names the line."""
        return FormatError(message, path=self.path, line=position or None)


@dataclass(frozen=True, slots=True)
class Variable:
    """A declared variable; a continuous one has no states."""

    name: str
    states: tuple[str, ...]
    position: int
    continuous: bool = False


@dataclass(frozen=True, slots=True)
class Family:
    """All probabilities of a child: one distribution for each configuration of the parents, the last parent fastest."""

    child: str
    parents: tuple[str, ...]
    numbers: Sequence[float]
    position: int


class Place(Protocol):
    """Where the parts of a file are: a `Source` or `Lines`."""

    @property
    def end(self) -> int:
        """The last position."""

    def error(self, message: str, position: int) -> FormatError:
        """Error that names a position."""


class BlockLike(Protocol):
    """What a block of probabilities says about the graph."""

    @property
    def child(self) -> str:
        """Whose probabilities these are."""

    @property
    def parents(self) -> tuple[str, ...]:
        """On what they depend."""

    @property
    def position(self) -> int:
        """Where the block begins."""


PlaceT = TypeVar("PlaceT", bound=Place)
BlockT = TypeVar("BlockT", bound=BlockLike)


def network_of(
    source: PlaceT,
    variables: Sequence[Variable],
    blocks: Sequence[BlockT],
    distributions: Callable[[PlaceT, BlockT, Mapping[str, Variable]], npt.NDArray[np.float64] | ConditionalGaussian],
    *,
    called: str,
) -> BayesianNetwork:
    """Network of these variables, in their order.

    Parameters
    ----------
    source
        Where they came from, for messages.
    variables
        The declared variables.
    blocks
        The blocks of probabilities, in any order.
    distributions
        Gives the checked distributions of a block, one row for each configuration of the parents, the last one fastest;
        for a continuous child what it has given its parents, in the order of the block.
    called
        What the format calls a block.

    Raises
    ------
    FormatError
        With the place, for variables, states or blocks that are missing, repeated or unknown, for a cycle, for
        continuous parents of discrete variables, and for tables too large for memory.
    """
    declared = _declared(source, variables)
    of_child = _blocks_by_child(source, declared, blocks, called)
    _refuse_cycle(source, of_child)
    position = {name: index for index, name in enumerate(declared)}
    dag = Dag.from_parents(declared, [[position[parent] for parent in of_child[name].parents] for name in declared])
    _refuse_too_large(source, dag, declared, of_child)
    found: list[npt.NDArray[np.float64] | ConditionalGaussian] = []
    for name in declared:
        block = of_child[name]
        values = distributions(source, block, declared)
        if isinstance(values, ConditionalGaussian):
            discrete, continuous = parents_by_kind(block.parents, declared)
            found.append(values.reordered(_ascending(discrete, position), _ascending(continuous, position)))
        else:
            arities = [len(declared[member].states) for member in (*block.parents, name)]
            axes = _ascending(block.parents, position)
            found.append(values.reshape(arities).transpose(*axes, len(axes)))
    return BayesianNetwork(dag, [variable.states for variable in variables], found)


def parents_by_kind(parents: Sequence[str], declared: Mapping[str, Variable]) -> tuple[list[str], list[str]]:
    """Return the discrete ones of some parents, and the continuous ones."""
    continuous = [parent for parent in parents if declared[parent].continuous]
    return [parent for parent in parents if not declared[parent].continuous], continuous


def only_tables(network: BayesianNetwork, called: str) -> tuple[npt.NDArray[np.float64], ...]:
    """Tables of a network for a format or a library that has nothing else.

    Raises
    ------
    ParameterError
        If it has continuous nodes.
    """
    if network.continuous:
        raise ParameterError(
            f"{called} has discrete nodes only, and {listed(network.continuous)} "
            f"{'are' if len(network.continuous) > 1 else 'is'} continuous; JSON and NET files hold such networks"
        )
    return network.tables


def _ascending(names: Sequence[str], position: Mapping[str, int]) -> list[int]:
    """Return the order that sorts names by position."""
    return sorted(range(len(names)), key=lambda place: position[names[place]])


def family_distributions(source: Place, family: Family, declared: Mapping[str, Variable]) -> npt.NDArray[np.float64]:
    """Distributions of a complete table, checked."""
    shape = [len(declared[name].states) for name in (*family.parents, family.child)]
    refuse_length(source, family.child, family.numbers, shape, family.position)
    values = np.array(family.numbers, dtype=np.float64).reshape(-1, shape[-1])
    refuse_improper(source, family.child, values, lambda _: family.position)
    return values


def refuse_length(source: Place, child: str, numbers: Sequence[float], shape: Sequence[int], position: int) -> None:
    """Refuse another number of numbers than the shape asks for."""
    if len(numbers) != math.prod(shape):
        size = cut(" x ".join(map(str, shape)))
        raise source.error(f"{quoted(child)} has {len(numbers)} numbers here; expected {size}", position)


def refuse_improper(source: Place, child: str, values: npt.NDArray[np.float64], position: Callable[[int], int]) -> None:
    """Refuse rows that are not distributions; `position` tells where a row stands."""
    with np.errstate(over="ignore", invalid="ignore"):  # sums that are infinite or NaN are refused too
        sums = values.sum(axis=1)
    proper = (values >= 0).all(axis=1) & (np.abs(sums - 1) <= SUM_TOLERANCE)  # false for NaN too
    if not proper.all():
        index = int(np.flatnonzero(~proper)[0])
        row = values[index].tolist()
        shown = ", ".join(map(repr, row)) if len(row) <= 10 else f"{row[0]!r}, …, {row[-1]!r}"
        raise source.error(
            f"the probabilities of {quoted(child)} must not be negative and must sum to 1 within {SUM_TOLERANCE:g}; "
            f"{shown} sum to {sums[index]:.6g}",
            position(index),
        )


def _declared(source: Place, variables: Sequence[Variable]) -> dict[str, Variable]:
    declared: dict[str, Variable] = {}
    if not variables:
        raise source.error("the file declares no variable; a network has at least one", source.end)
    for variable in variables:
        name, states = variable.name, variable.states
        if name in declared:
            raise source.error(f"variable {quoted(name)} is declared twice", variable.position)
        if not variable.continuous and not 1 <= len(states) <= MAX_ARITY:
            message = f"variable {quoted(name)} has {len(states)} states; it needs from 1 to {MAX_ARITY}"
            raise source.error(message, variable.position)
        if len(set(states)) < len(states):
            twice = Counter(states).most_common(1)[0][0]
            raise source.error(f"variable {quoted(name)} has the state {quoted(twice)} twice", variable.position)
        declared[name] = variable
    return declared


def _blocks_by_child(
    source: Place, declared: Mapping[str, Variable], blocks: Sequence[BlockT], called: str
) -> dict[str, BlockT]:
    of_child: dict[str, BlockT] = {}
    for block in blocks:
        for name in (block.child, *block.parents):
            if name not in declared:
                raise source.error(f"there is no variable {quoted(name)}; it must be declared", block.position)
        if block.child in of_child:
            raise source.error(f"{quoted(block.child)} has a second {called}", block.position)
        if len(set(block.parents)) < len(block.parents):
            raise source.error(
                f"the parents of {quoted(block.child)} must differ: {listed(block.parents)}", block.position
            )
        for parent in block.parents:
            if declared[parent].continuous and not declared[block.child].continuous:
                raise source.error(
                    f"{quoted(block.child)} has states, but its parent {quoted(parent)} is continuous: a table has no "
                    "rows for numbers",
                    block.position,
                )
        of_child[block.child] = block
    for name, variable in declared.items():
        if name not in of_child:
            raise source.error(f"variable {quoted(name)} has no {called}", variable.position)
    return of_child


def _refuse_cycle(source: Place, blocks: Mapping[str, BlockLike]) -> None:
    try:
        TopologicalSorter({name: block.parents for name, block in blocks.items()}).prepare()
    except CycleError as error:
        around: list[str] = error.args[1]
        last = max(blocks[name].position for name in around)
        raise source.error(f"the arcs form a cycle: {chained(around)}", last) from None


def _refuse_too_large(
    source: Place, dag: Dag, declared: Mapping[str, Variable], blocks: Mapping[str, BlockLike]
) -> None:
    """Stop a short text from asking for enormous tables."""
    arities = [len(variable.states) for variable in declared.values()]
    try:
        family_shapes(dag.names, arities, dag.parent_indices)
    except ParameterError as error:
        largest = max(dag.names, key=lambda name: len(blocks[name].parents))
        raise source.error(str(error), blocks[largest].position) from None
