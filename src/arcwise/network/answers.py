"""Answers of a network as people read them: states with their probabilities, means, explanations."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, final

import numpy as np
import numpy.typing as npt

from arcwise.data.frames import frame_of
from arcwise.support.later import later
from arcwise.support.names import did_you_mean
from arcwise.support.quoting import listed, quoted

if TYPE_CHECKING:
    import narwhals as nw
else:
    nw = later("narwhals")

__all__ = [
    "ContinuousPosterior",
    "DiscretePosterior",
    "Explanation",
    "JointContinuousPosterior",
    "JointPosterior",
    "Posterior",
    "Posteriors",
]

Floats = npt.NDArray[np.float64]


def shown(value: float) -> str:
    """Number with four digits after the point, or with four that count where these would be zeros.

    Examples
    --------
    >>> shown(0.25), shown(1 / 3), shown(0.0000123), shown(0.0)
    ('0.2500', '0.3333', '1.23e-05', '0.0000')
    """
    return f"{value:.4f}" if not 0 < abs(value) < 5e-4 else f"{value:.3g}"


def aligned(rows: Sequence[Sequence[str]], *, numbers: int) -> str:
    """Rows of cells under each other, the last ones, which are numbers, to the right."""
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    lines = []
    for row in rows:
        cells = [
            cell.rjust(width) if column >= len(row) - numbers else cell.ljust(width)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        lines.append("  ".join(cells).rstrip())
    return "\n".join(lines)


class Answer:
    """What all answers have: they cannot be changed, are equal where all they say is, and print as a small table.

    Those that are mappings are equal to dicts, too.
    """

    __slots__ = ()

    def _said(self) -> tuple[object, ...]:
        """Return all that the answer says."""
        raise NotImplementedError

    def __eq__(self, other: object) -> bool:
        if isinstance(other, type(self)):
            return self._said() == other._said()
        if isinstance(self, Mapping) and isinstance(other, Mapping):
            return dict(self.items()) == dict(other.items())
        return NotImplemented

    def __hash__(self) -> int:
        return hash(self._said())

    def __str__(self) -> str:
        return repr(self)


@final
class DiscretePosterior(Answer, Mapping[str, float]):
    """Probabilities of the states of one node, given what is known: a mapping from states to probabilities.

    Parameters
    ----------
    node
        The node.
    states
        The labels of its states.
    probabilities
        One for each state.
    errors
        Standard errors of the probabilities where these were estimated by sampling; None where they are exact.

    Examples
    --------
    >>> answer = DiscretePosterior("rain", ["no", "yes"], [0.25, 0.75])
    >>> answer
    rain  probability
    no         0.2500
    yes        0.7500
    >>> answer["yes"], answer.most_probable
    (0.75, 'yes')
    """

    __slots__ = ("_errors", "_node", "_probabilities")

    def __init__(
        self, node: str, states: Sequence[str], probabilities: npt.ArrayLike, errors: npt.ArrayLike | None = None
    ) -> None:
        self._node = node
        self._probabilities: dict[str, float] = dict(zip(states, np.asarray(probabilities).tolist(), strict=True))
        self._errors = None if errors is None else dict(zip(states, np.asarray(errors).tolist(), strict=True))

    def _said(self) -> tuple[object, ...]:
        errors = None if self._errors is None else tuple(self._errors.items())
        return self._node, tuple(self._probabilities.items()), errors

    @property
    def node(self) -> str:
        """The node."""
        return self._node

    @property
    def most_probable(self) -> str:
        """The most probable state; of equally probable ones the first."""
        return max(self._probabilities, key=self._probabilities.__getitem__)

    @property
    def errors(self) -> dict[str, float] | None:
        """Standard error of each probability, if these were estimated by sampling; None where they are exact."""
        return None if self._errors is None else dict(self._errors)

    def to_frame(self, backend: str | None = None) -> Any:
        """Frame ("polars", "pandas" or "pyarrow") with a row for each state.

        Examples
        --------
        >>> DiscretePosterior("rain", ["no", "yes"], [0.25, 0.75]).to_frame().rows()
        [('no', 0.25), ('yes', 0.75)]
        """
        columns = {self._node: list(self), "probability": list(self.values())}
        if self._errors is not None:
            columns["standard error"] = list(self._errors.values())
        return frame_of(columns, backend)

    def __getitem__(self, state: str) -> float:
        try:
            return self._probabilities[state]
        except (KeyError, TypeError):
            hint = did_you_mean(state, self) or f"; its states are {listed(self)}"
            raise KeyError(f"{quoted(self._node)} has no state {quoted(state)}{hint}") from None

    def __iter__(self) -> Iterator[str]:
        return iter(self._probabilities)

    def __len__(self) -> int:
        return len(self._probabilities)

    def __repr__(self) -> str:
        heading, rows = [self._node, "probability"], [[state, shown(each)] for state, each in self.items()]
        if self._errors is not None:
            heading.append("standard error")
            rows = [[*row, shown(error)] for row, error in zip(rows, self._errors.values(), strict=True)]
        return aligned([heading, *rows], numbers=len(heading) - 1)


@final
class JointPosterior(Answer, Mapping[tuple[str, ...], float]):
    """Joint probabilities of several discrete nodes: a mapping from a state of each to their probability.

    Parameters
    ----------
    nodes
        The nodes.
    states
        For each of them its labels.
    probabilities
        An axis for each node.

    Examples
    --------
    >>> answer = JointPosterior(["rain", "wet"], [["no", "yes"]] * 2, [[0.6, 0.1], [0.05, 0.25]])
    >>> answer
    rain  wet  probability
    no    no        0.6000
    no    yes       0.1000
    yes   no        0.0500
    yes   yes       0.2500
    >>> answer["yes", "no"]
    0.05
    """

    __slots__ = ("_nodes", "_probabilities", "_states")

    def __init__(self, nodes: Sequence[str], states: Sequence[Sequence[str]], probabilities: npt.ArrayLike) -> None:
        self._nodes, self._states = tuple(nodes), tuple(map(tuple, states))
        array = np.array(probabilities, dtype=np.float64)
        array.setflags(write=False)
        self._probabilities = array

    def _said(self) -> tuple[object, ...]:
        return self._nodes, self._states, self._probabilities.tobytes()

    @property
    def nodes(self) -> tuple[str, ...]:
        """The nodes, in the order of the states in each key."""
        return self._nodes

    @property
    def probabilities(self) -> Floats:
        """The probabilities, with an axis for each node."""
        return self._probabilities

    @property
    def most_probable(self) -> tuple[str, ...]:
        """The most probable joint state; of equally probable ones the first."""
        return self._key(np.unravel_index(int(self._probabilities.argmax()), self._probabilities.shape))

    def _key(self, place: Sequence[Any]) -> tuple[str, ...]:
        return tuple(labels[int(at)] for labels, at in zip(self._states, place, strict=True))

    def to_frame(self, backend: str | None = None) -> Any:
        """Frame ("polars", "pandas" or "pyarrow") with a row for each joint state."""
        keys = list(self)
        columns: dict[str, list[Any]] = {node: [key[at] for key in keys] for at, node in enumerate(self._nodes)}
        return frame_of({**columns, "probability": self._probabilities.ravel()}, backend)

    def __getitem__(self, key: tuple[str, ...]) -> float:
        try:
            place = tuple(labels.index(state) for labels, state in zip(self._states, key, strict=True))
        except (ValueError, TypeError):
            raise KeyError(f"a key is a state for each of {listed(self._nodes)}, not {quoted(key)}") from None
        return float(self._probabilities[place])

    def __iter__(self) -> Iterator[tuple[str, ...]]:
        return map(self._key, np.ndindex(self._probabilities.shape))

    def __len__(self) -> int:
        return self._probabilities.size

    def __repr__(self) -> str:
        most = 50
        rows = [[*key, shown(self[key])] for _, key in zip(range(most), self, strict=False)]
        more = f"\n… and {len(self) - most:,} more" if len(self) > most else ""
        return aligned([[*self._nodes, "probability"], *rows], numbers=1) + more


@final
@dataclass(frozen=True, repr=False, eq=False)
class ContinuousPosterior(Answer):
    """What is known of a continuous node, given other nodes.

    Its distribution is a Gaussian, or a mixture of Gaussians where the states of discrete nodes are not known.

    Parameters
    ----------
    node
        The node.
    mean
        Its mean.
    deviation
        Its standard deviation.
    error
        Standard error of the mean where this was estimated by sampling; None where it is exact.

    Examples
    --------
    >>> ContinuousPosterior("height", 171.0, 9.75)
    height: mean 171.0000, standard deviation 9.7500
    """

    node: str
    mean: float
    deviation: float
    error: float | None = None

    def _said(self) -> tuple[object, ...]:
        return self.node, self.mean, self.deviation, self.error

    def __repr__(self) -> str:
        error = "" if self.error is None else f" (standard error {shown(self.error)})"
        return f"{self.node}: mean {shown(self.mean)}{error}, standard deviation {shown(self.deviation)}"


@final
@dataclass(frozen=True, repr=False, eq=False)
class JointContinuousPosterior(Answer):
    """What is known of several continuous nodes together, given other nodes.

    Parameters
    ----------
    nodes
        The nodes.
    means
        The mean of each.
    covariance
        Their covariances, a row and a column for each node.

    Examples
    --------
    >>> JointContinuousPosterior(("x", "y"), np.array([1.0, 2.0]), np.array([[4.0, 2.0], [2.0, 9.0]]))
         mean  standard deviation  covariance with x  covariance with y
    x  1.0000              2.0000             4.0000             2.0000
    y  2.0000              3.0000             2.0000             9.0000
    """

    nodes: tuple[str, ...]
    means: Floats
    covariance: Floats

    def _said(self) -> tuple[object, ...]:
        return self.nodes, self.means.tobytes(), self.covariance.tobytes()

    @property
    def deviations(self) -> Floats:
        """The standard deviation of each node."""
        deviations: Floats = np.sqrt(np.diagonal(self.covariance))
        return deviations

    def __repr__(self) -> str:
        heading = ["", "mean", "standard deviation", *(f"covariance with {node}" for node in self.nodes)]
        numbers = np.column_stack([self.means, self.deviations, self.covariance])
        rows = [[node, *map(shown, row)] for node, row in zip(self.nodes, numbers.tolist(), strict=True)]
        return aligned([heading, *rows], numbers=len(heading) - 1)


Posterior = DiscretePosterior | ContinuousPosterior
"""What is known of one node."""


@final
class Posteriors(Answer, Mapping[str, Posterior]):
    """What is known of several nodes, each by itself: a mapping from nodes to posteriors.

    Parameters
    ----------
    posteriors
        The posterior of each node.

    Examples
    --------
    >>> rain = DiscretePosterior("rain", ["no", "yes"], [0.25, 0.75])
    >>> answers = Posteriors([rain, ContinuousPosterior("height", 171.0, 9.75)])
    >>> answers
    rain  probability
    no         0.2500
    yes        0.7500
    <BLANKLINE>
    height: mean 171.0000, standard deviation 9.7500
    >>> answers["height"].mean
    171.0
    """

    __slots__ = ("_posteriors",)

    def __init__(self, posteriors: Sequence[Posterior]) -> None:
        self._posteriors = {posterior.node: posterior for posterior in posteriors}

    def _said(self) -> tuple[object, ...]:
        return tuple(self._posteriors.values())

    def __getitem__(self, node: str) -> Posterior:
        try:
            return self._posteriors[node]
        except (KeyError, TypeError):
            hint = did_you_mean(node, self) or f"; there are {listed(self)}"
            raise KeyError(f"nothing was asked about {quoted(node)}{hint}") from None

    def __iter__(self) -> Iterator[str]:
        return iter(self._posteriors)

    def __len__(self) -> int:
        return len(self._posteriors)

    def __repr__(self) -> str:
        return "\n\n".join(map(repr, self._posteriors.values()))


@final
class Explanation(Answer, Mapping[str, str | float]):
    """The most probable states of all nodes that are not known, together: a mapping from nodes to states.

    Parameters
    ----------
    values
        The state of each discrete node; the mean of each continuous one, given all the states.
    probability
        That of these states together, given what is known.

    Examples
    --------
    >>> explanation = Explanation({"rain": "yes", "sprinkler": "no"}, 0.7)
    >>> explanation
    rain       yes
    sprinkler  no
    probability 0.7000
    >>> explanation["rain"], explanation.probability
    ('yes', 0.7)
    """

    __slots__ = ("_probability", "_values")

    def __init__(self, values: Mapping[str, str | float], probability: float) -> None:
        self._values, self._probability = dict(values), probability

    def _said(self) -> tuple[object, ...]:
        return tuple(self._values.items()), self._probability

    @property
    def probability(self) -> float:
        """Probability of the states together, given what is known; numbers have none."""
        return self._probability

    def __getitem__(self, node: str) -> str | float:
        try:
            return self._values[node]
        except (KeyError, TypeError):
            hint = did_you_mean(node, self) or f"; there are {listed(self)}"
            raise KeyError(f"{quoted(node)} is not explained{hint}") from None

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def __repr__(self) -> str:
        rows = [[node, value if isinstance(value, str) else shown(value)] for node, value in self._values.items()]
        table = aligned(rows, numbers=0) + "\n" if rows else ""
        return f"{table}probability {shown(self._probability)}"
