"""Questions to a network: posteriors, explanations, probabilities and draws, for what is known in one row or many."""

import warnings
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import Any, NoReturn, cast

import numpy as np
import numpy.typing as npt

from arcwise.data.codes import Codes
from arcwise.data.dataset import Dataset
from arcwise.data.frames import frame_of
from arcwise.data.interventions import Interventions
from arcwise.graph.dag import Dag
from arcwise.network.answers import (
    ContinuousPosterior,
    DiscretePosterior,
    Explanation,
    JointContinuousPosterior,
    JointPosterior,
    Posterior,
    Posteriors,
)
from arcwise.network.completion import completed_like
from arcwise.network.distributions import ConditionalGaussian, Distribution, Table
from arcwise.network.interruptible import Interruptible, interruptible
from arcwise.network.known import Known, Nodes, by_state, in_columns, known_of, number_of
from arcwise.network.mixed_inference import MixedInference, Mixture
from arcwise.network.mixed_weighting import Estimate, MixedWeighting
from arcwise.network.tables import columns_of_nodes
from arcwise.support.arguments import count, flag, recorded_seed
from arcwise.support.errors import ArcwiseWarning, DataError, ParameterError, TooWideError
from arcwise.support.messages import Setting
from arcwise.support.quoting import listed, quoted

__all__ = ["Questions", "set_nodes"]

Floats = npt.NDArray[np.float64]
Arrays = tuple[npt.NDArray[Any], ...]
_Found = tuple[Floats, Floats | None]  # values by row, and their standard errors if they are estimates

_REMEDY = "correct it, or fit the network with a prior, as in ess=1, so that nothing is impossible"


_FEWEST_DRAWS = 100  # below which standard errors are not to be trusted
_VAGUE = 1e50  # a standard deviation beside which all numbers are the same


class Questions:
    """What can be asked of one network.

    Parameters
    ----------
    nodes
        Its nodes.
    distributions
        Of each node.
    """

    def __init__(self, nodes: Nodes, distributions: Sequence[Distribution]) -> None:
        self.nodes, self._distributions = nodes, distributions

    @cached_property
    def _engine(self) -> MixedInference:
        return MixedInference(self.nodes.dag, self.nodes.arities, self._distributions)

    # Posteriors

    def query(
        self, targets: str | Sequence[str] | None, given: Any, *, joint: bool, draws: int | None, seed: int | None
    ) -> Any:
        """Posterior of one target or several, exact or by so many draws; see `BayesianNetwork.query`."""
        known = known_of(self.nodes, given)
        asked = self._targets(targets, known)
        self._refuse_given(asked, known)
        if flag("joint", joint):
            return self._joint(asked, known)
        found = self._each(asked, known) if draws is None else self._estimated(asked, known, draws, recorded_seed(seed))
        if known.source is None:
            answers = [self._posterior(target, found[target]) for target in asked]
            return answers[0] if isinstance(targets, str) else Posteriors(answers)
        columns: dict[str, Floats] = {}
        for target in asked:
            more = self._columns(target, found[target])
            if columns.keys() & more:
                raise ParameterError(
                    f"two columns would be called {quoted(next(iter(columns.keys() & more)))}; ask for "
                    f"{quoted(self.nodes.dag.names[target])} by itself"
                )
            columns |= more
        return self._frame(columns, known)

    def _each(self, targets: Sequence[int], known: Known) -> dict[int, "_Found"]:
        """For each target its probabilities, or its mean and deviation, in each row."""
        discrete = [target for target in targets if self.nodes.states[target]]
        found: dict[int, _Found] = {}
        try:
            if discrete:
                arrays = self._answered(
                    known, lambda engine, part, budget: tuple(engine.marginals(discrete, part, budget))
                )
                found = {target: (array, None) for target, array in zip(discrete, arrays, strict=True)}
            for target in targets:
                if target not in found:
                    means, covariances = self.moments([target], known)
                    found[target] = np.column_stack([means[:, 0], np.sqrt(covariances[:, 0, 0])]), None
        except TooWideError as error:
            raise TooWideError(
                error.message,
                ". With ",
                Setting("approximate", True),
                " it is estimated by draws",
                cells=error.cells,
                n_bytes=error.n_bytes,
            ) from None
        self._refuse_impossible(next(iter(found.values()))[0], known)
        return found

    def _estimated(self, targets: Sequence[int], known: Known, draws: int, seed: int) -> dict[int, "_Found"]:
        """The same, estimated by draws, with standard errors."""
        if known.interventions is not None:
            raise ParameterError(
                Setting("approximate"), " takes no rows in which nodes were set; ask do(…) of the network instead"
            )
        if self.nodes.continuous:
            estimates, n_counting = interruptible(
                lambda budget: MixedWeighting(self.nodes, self._distributions, draws, budget).estimated(
                    targets, known, seed
                )
            )
        else:
            found = interruptible(
                lambda budget: self._engine.approximate_marginals(targets, known, (seed, draws), budget)
            )
            estimates = list(map(Estimate, found.probabilities, found.standard_errors))
            n_counting = float(found.effective_draws.min())
        lost = np.flatnonzero(np.isnan(estimates[0].values).any(axis=1))
        if lost.size:
            where = "" if known.source is None else f" in row {lost[0]} (rows count from 0)"
            raise DataError(
                f"None of {draws:,} draws agrees with what is given{where}: it is impossible, or so improbable that "
                "more draws are needed, as in ",
                Setting("approximate", 100 * draws),
                ".",
            )
        if n_counting < _FEWEST_DRAWS:
            warnings.warn(
                ArcwiseWarning(
                    f"Only about {n_counting:.0f} of {draws:,} draws count, given what is known; that is too few for "
                    "standard errors to be trusted. Take more, as in ",
                    Setting("approximate", 100 * draws),
                    ".",
                ),
                stacklevel=4,
            )
        return {target: (each.values, each.errors) for target, each in zip(targets, estimates, strict=True)}

    def _posterior(self, target: int, found: "_Found") -> Posterior:
        """Answer about one target in the only row."""
        name, (values, errors) = self.nodes.dag.names[target], found
        if self.nodes.states[target]:
            return DiscretePosterior(name, self.nodes.states[target], values[0], None if errors is None else errors[0])
        mean, deviation = values[0].tolist()
        return ContinuousPosterior(name, mean, deviation, None if errors is None else float(errors[0, 0]))

    def _columns(self, target: int, found: "_Found") -> dict[str, Floats]:
        """Answers about one target as columns."""
        name, states, (values, errors) = self.nodes.dag.names[target], self.nodes.states[target], found
        labels = [f"{name}={state}" for state in states] or [f"{name} mean", f"{name} deviation"]
        columns = {label: values[:, at] for at, label in enumerate(labels)}
        if errors is not None:
            columns |= {f"{label} error": errors[:, at] for at, label in enumerate(labels if states else labels[:1])}
        return columns

    def _joint(self, targets: Sequence[int], known: Known) -> Any:
        names, states = self._names(targets), [self.nodes.states[target] for target in targets]
        if all(states):
            (joint,) = self._answered(known, lambda engine, part, budget: (engine.joint(targets, part, budget),))
            self._refuse_impossible(joint, known)
            if known.source is None:
                return JointPosterior(names, states, joint[0])
            keys = JointPosterior(names, states, joint[0])
            labels = [", ".join(f"{name}={state}" for name, state in zip(names, key, strict=True)) for key in keys]
            return self._frame(dict(zip(labels, joint.reshape(known.n_rows, -1).T, strict=True)), known)
        if any(states):
            raise ParameterError(
                Setting("joint", True),
                " takes targets that are all discrete or all continuous; of these, "
                f"{listed([name for name, found in zip(names, states, strict=True) if not found])} are continuous",
            )
        means, covariances = self.moments(targets, known)
        self._refuse_impossible(means, known)
        if known.source is None:
            return JointContinuousPosterior(tuple(names), means[0], covariances[0])
        columns = {f"{name} mean": means[:, at] for at, name in enumerate(names)}
        for at, name in enumerate(names):
            columns[f"{name} deviation"] = np.sqrt(covariances[:, at, at])
        for at, name in enumerate(names):
            columns |= {f"{name}, {names[to]} covariance": covariances[:, at, to] for to in range(at + 1, len(names))}
        return self._frame(columns, known)

    def marginals(self, target: int, known: Known) -> Floats:
        """Probabilities of the states of a discrete node, rows by states; NaN where what is known is impossible."""
        found = self._answered(known, lambda engine, part, budget: (engine.joint([target], part, budget),))
        answer: Floats = found[0]
        return answer

    def moments(self, targets: Sequence[int], known: Known) -> tuple[Floats, Floats]:
        """Means and covariances of continuous nodes; NaN where what is known is impossible."""
        means, covariances = self._answered(known, lambda engine, part, budget: engine.moments(targets, part, budget))
        return means, covariances

    def mixtures(self, target: int, known: Known) -> list[Mixture]:
        """Distribution of a continuous node in each row."""
        parts = self._parts(known)
        found = interruptible(lambda budget: [engine.mixtures(target, part, budget) for engine, _, part in parts])
        return [
            Mixture(rows[each.rows], each.weights, each.means, each.deviations)
            for (_, rows, _), mixtures in zip(parts, found, strict=True)
            for each in mixtures
        ]

    # Explanations, probabilities, draws

    def most_probable(self, given: Any) -> Any:
        """Most probable states of what is not known; see `BayesianNetwork.most_probable`."""
        known = known_of(self.nodes, given)
        codes, numbers, logs = self._completed(known)
        evidence = self._log_probabilities(known)
        probabilities = np.minimum(np.exp(logs - evidence), 1.0)
        if known.source is None:
            hidden = [node for node in range(len(self.nodes.states)) if not known.is_known(self.nodes, node)[0]]
            values = {self.nodes.dag.names[node]: self._value(node, codes[0], numbers[0]) for node in hidden}
            return Explanation(values, float(probabilities[0]))
        name = "probability"
        while name in self.nodes.dag.names:
            name += "_"
        return completed_like(self.nodes, known, codes, numbers, more={name: probabilities})

    def _value(self, node: int, codes: Codes, numbers: Floats) -> str | float:
        states = self.nodes.states[node]
        return states[codes[node]] if states else float(numbers[self.nodes.continuous[node]])

    def _completed(self, known: Known) -> tuple[Codes, Floats, Floats]:
        """Most probable codes, numbers, and logarithms of their probabilities with what is known."""
        codes, numbers, logs = self._answered(known, lambda engine, part, budget: engine.most_probable(part, budget))
        self._refuse_impossible(np.where(np.isneginf(logs), np.nan, logs), known)
        return codes, numbers, logs

    def probability(self, event: Any, given: Any) -> Any:
        """Probability of an event; see `BayesianNetwork.probability`."""
        what, known = known_of(self.nodes, event), known_of(self.nodes, given)
        both = self._together(what, known)
        logs = self._log_probabilities(both)
        if given is not None:
            before = self._log_probabilities(known)
            self._refuse_impossible(np.where(np.isneginf(before), np.nan, before), known)
            logs = logs - before
        probabilities = np.exp(logs)
        return float(probabilities[0]) if both.source is None else probabilities

    def _together(self, one: Known, other: Known) -> Known:
        """What is known of two, neither of which may say anything about what the other knows."""
        if one.source is not None and other.source is not None and one.n_rows != other.n_rows:
            raise ParameterError(
                f"the event has {one.n_rows:,} rows, and what is given has {other.n_rows:,}; they must have as many"
            )
        arities = self.nodes.arities
        for node, name in enumerate(self.nodes.dag.names):
            in_one = one.is_known(self.nodes, node) | (node in one.likelihoods)
            if (in_one & (other.is_known(self.nodes, node) | (node in other.likelihoods))).any():
                raise ParameterError(f"{quoted(name)} is in the event and given; leave it out of one of the two")
        n_rows = max(one.n_rows, other.n_rows)
        codes = np.where(one.codes < np.array(arities), one.codes, other.codes).astype(one.codes.dtype)
        numbers = np.where(np.isnan(one.numbers), other.numbers, one.numbers)
        soft = {
            node: np.broadcast_to(found, (n_rows, found.shape[1]))
            for node, found in (*one.likelihoods.items(), *other.likelihoods.items())
        }
        source, made = (one.source, one.interventions) if one.source is not None else (other.source, None)
        return Known(in_columns(codes), numbers, soft, source, made or other.interventions)

    def sample(self, n_rows: int, given: Any, seed: int | None) -> tuple[Codes, Floats]:
        """Codes and numbers of rows drawn given what is known; see `BayesianNetwork.sample`."""
        n_rows = count("n_rows", n_rows, least=1)
        known = known_of(self.nodes, given)
        if known.source is not None:
            raise ParameterError.of(
                "given", "a dict from nodes to what is known of them, the same for all rows", ...,
                "impute(rows, draws=1) draws what is missing in each of many rows",
            )  # fmt: skip
        logs = self._log_probabilities(known)
        self._refuse_impossible(np.where(np.isneginf(logs), np.nan, logs), known)
        return self._drawn(known.taken(np.zeros(n_rows, dtype=np.intp)), recorded_seed(seed))

    def impute(self, data: Any, draws: int | None, seed: int | None) -> Any:
        """Rows with what is missing filled in; see `BayesianNetwork.impute`."""
        if data is None or (isinstance(data, Mapping) and known_of(self.nodes, data).source is None):
            data = [data or {}]
        known = known_of(self.nodes, data)
        if draws is None:
            codes, numbers, _ = self._completed(known)
            return completed_like(self.nodes, known, codes, numbers)
        count("draws", draws, least=1)
        logs = self._log_probabilities(known)
        self._refuse_impossible(np.where(np.isneginf(logs), np.nan, logs), known)
        seeds = np.random.SeedSequence(recorded_seed(seed)).generate_state(draws, np.uint64)
        return [completed_like(self.nodes, known, *self._drawn(known, int(each))) for each in seeds]

    def _drawn(self, known: Known, seed: int) -> tuple[Codes, Floats]:
        """Codes and numbers of each row, drawn given what is known in it."""
        codes, numbers = self._answered(known, lambda engine, part, budget: engine.sample(part, seed, budget))
        return codes, numbers

    # How they are asked

    def _parts(self, known: Known) -> list[tuple[MixedInference, npt.NDArray[np.intp], Known]]:
        """Rows that one inference answers: those in which an experimenter has set the same nodes."""
        if known.interventions is None:
            return [(self._engine, np.arange(known.n_rows), known)]
        numbers, sets = known.interventions.kinds
        parts = []
        for kind, is_set in enumerate(sets):
            rows = np.flatnonzero(numbers == kind)
            names = [name for name, found in zip(known.interventions.names, is_set, strict=True) if found]
            engine = self._engine
            if names:
                cut = {self.nodes.dag.index(name) for name in names}
                dag, distributions = _cut(self.nodes.dag, self.nodes.arities, self._distributions, cut)
                engine = MixedInference(dag, self.nodes.arities, distributions)
            if rows.size:
                parts.append((engine, rows, known.taken(rows)))
        return parts

    def log_likelihoods(self, data: Dataset) -> Floats:
        """Logarithm of the probability of what is known in each row; see `BayesianNetwork.log_likelihoods`."""
        columns_of_nodes(self.nodes.dag.names, data)
        return self._log_probabilities(known_of(self.nodes, data))

    def _log_probabilities(self, known: Known) -> Floats:
        """Natural logarithm of the probability or density of what is known, and was not set, in each row."""
        logs: Floats = self._answered(known, lambda engine, part, budget: (engine.log_probabilities(part, budget),))[0]
        made = known.interventions
        for name in () if made is None else made.names:
            node = self.nodes.dag.index(name)
            is_set = cast("Interventions", made).rows(name) & known.is_known(self.nodes, node)
            # Without arcs into it, it has had the distribution that _cut gives it.
            n_states = len(self.nodes.states[node])
            logs[is_set] += np.log(n_states) if n_states else np.log(_VAGUE * np.sqrt(2 * np.pi))
        return logs

    def _answered(self, known: Known, ask: Callable[[MixedInference, Known, Interruptible], Arrays]) -> Any:
        """Arrays that answer a question, with a row for each row of what is known."""
        parts = self._parts(known)
        found = interruptible(lambda budget: [ask(engine, part, budget) for engine, _, part in parts])
        if len(parts) == 1:
            return found[0]
        whole = tuple(np.empty((known.n_rows, *each.shape[1:]), dtype=each.dtype) for each in found[0])
        for (_, rows, _), arrays in zip(parts, found, strict=True):
            for array, some in zip(whole, arrays, strict=True):
                array[rows] = some
        return whole

    def _names(self, nodes: Sequence[int]) -> list[str]:
        return [self.nodes.dag.names[node] for node in nodes]

    def _targets(self, targets: str | Sequence[str] | None, known: Known) -> list[int]:
        if targets is None:
            found = [node for node in range(len(self.nodes.states)) if not known.is_known(self.nodes, node).any()]
            if not found:
                raise ParameterError("all nodes are given, so that there is nothing to ask for")
            return found
        if isinstance(targets, str):
            return [self.nodes.dag.index(targets)]
        if not isinstance(targets, Sequence) or not targets:
            raise ParameterError.of("targets", "a node or a list of nodes", targets)
        found = [self.nodes.dag.index(target) for target in targets]
        if len(set(found)) < len(found):
            twice = next(name for at, name in enumerate(targets) if name in targets[:at])
            raise ParameterError(f"the target {quoted(twice)} is named twice; name it once")
        return found

    def _refuse_given(self, targets: Sequence[int], known: Known) -> None:
        for target in targets:
            rows = np.flatnonzero(known.is_known(self.nodes, target))
            if rows.size:
                name = self.nodes.dag.names[target]
                where = "" if known.source is None else f" (in row {rows[0]}, counted from 0)"
                look = "" if known.source is None else "; predict and predict_proba do not look at its column"
                raise ParameterError(
                    f"{quoted(name)} is asked for and given{where}; leave it out of one of the two{look}"
                )

    def _refuse_impossible(self, answer: npt.NDArray[Any], known: Known) -> None:
        """Refuse what is impossible: where the answer is NaN."""
        lost = np.flatnonzero(np.isnan(answer.reshape(known.n_rows, -1)).any(axis=1))
        if not lost.size:
            return
        if known.source is None:
            self._refuse_row(known)
        more = f" ({lost.size:,} rows of {known.n_rows:,} are like this)" if lost.size > 1 else ""
        raise DataError(
            f"Row {lost[0]} (rows count from 0) is impossible in this network{more}; leave it out, {_REMEDY}"
        )

    def _refuse_row(self, known: Known) -> NoReturn:
        """Say which of the things that are given is impossible after those before it."""
        nodes, arities = range(len(self.nodes.states)), np.array(self.nodes.arities)
        items = [node for node in nodes if known.is_known(self.nodes, node)[0] or node in known.likelihoods]
        codes, numbers = (
            np.tile(arities.astype(known.codes.dtype), (len(items), 1)),
            known.numbers.repeat(len(items), 0),
        )
        soft = {node: np.ones((len(items), arities[node])) for node in known.likelihoods}
        for at, node in enumerate(items):
            codes[at:, node] = known.codes[0, node]
            if node in soft:
                soft[node][at:] = known.likelihoods[node][0]
            if not arities[node]:
                numbers[:at, self.nodes.continuous[node]] = np.nan
        growing = Known(in_columns(codes), numbers, soft)
        at = int(np.argmax(np.isneginf(self._log_probabilities(growing))))
        said = [self._said(node, known) for node in items[: at + 1]]
        after = f" given {listed(said[:-1], show=str)}" if at else ""
        raise ParameterError(f"what is given is impossible: {said[-1]} has probability 0{after}; {_REMEDY}")

    def _said(self, node: int, known: Known) -> str:
        name = self.nodes.dag.names[node]
        if not known.is_known(self.nodes, node)[0]:
            return f"the soft evidence on {quoted(name)}"
        return f"{quoted(name)} = {quoted(self._value(node, known.codes[0], known.numbers[0]))}"

    def _frame(self, columns: Mapping[str, Floats], known: Known) -> Any:
        index = known.source.index if known.backend == "pandas" else None
        return frame_of({name: np.ascontiguousarray(column) for name, column in columns.items()}, known.backend, index)


def set_nodes(
    nodes: Nodes, distributions: Sequence[Distribution], values: Mapping[str, Any]
) -> tuple[Dag, list[Distribution]]:
    """Graph and distributions of a network in which some nodes are set; see `BayesianNetwork.do`."""
    if not isinstance(values, Mapping):
        raise ParameterError.of("values", "a dict from nodes to what they are set to", values)
    dag, states = nodes.dag, nodes.states
    made: dict[int, Distribution] = {}
    for name, value in values.items():
        node = dag.index(name)
        if not states[node]:
            made[node] = _fixed(number_of(name, value))
        elif isinstance(value, Mapping):
            made[node] = Table(by_state("probability", name, states[node], value))
        else:
            made[node] = Table(np.eye(len(states[node]))[nodes.code(name, value)])
    cut, found = _cut(dag, tuple(map(len, states)), distributions, set(made))
    return cut, [made.get(node, other) for node, other in enumerate(found)]


def _fixed(value: float) -> ConditionalGaussian:
    """Gaussian that is so narrow that what is drawn from it is the number itself."""
    return ConditionalGaussian(value, [], max(abs(value) * 2.0**-60, 1e-150))


def _cut(
    dag: Dag, arities: Sequence[int], distributions: Sequence[Distribution], nodes: set[int]
) -> tuple[Dag, list[Distribution]]:
    """Graph without the arcs into some nodes, which have a distribution of their own then that says nothing."""
    parents = [() if node in nodes else row for node, row in enumerate(dag.parent_indices)]
    found = list(distributions)
    for node in nodes:
        n_states = arities[node]
        found[node] = Table(np.full(n_states, 1 / n_states)) if n_states else ConditionalGaussian(0.0, [], _VAGUE)
    return Dag.from_parents(dag.names, parents), found
