"""Structure from tables with gaps: structural EM, around any search."""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import ClassVar

import numpy as np

from arcwise.data.dataset import Dataset
from arcwise.graph.cpdag import Cpdag
from arcwise.graph.dag import Dag
from arcwise.network.em import EmFit, EmLimits, first_network, steps_of_em
from arcwise.network.expectation import EStep
from arcwise.network.network import BayesianNetwork
from arcwise.parallel.workplace import Threads
from arcwise.runs.journal import Found
from arcwise.runs.result import STATUS_OF_REASON, STRUCTURAL_EM, Status
from arcwise.scores.definitions import LogLikelihood, Score
from arcwise.scores.expected import ExpectedScore, check_expectable
from arcwise.scores.local_score import LocalScore
from arcwise.search.dags.greedy import Greedy
from arcwise.search.search import Context, Outcome, Problem, Search, suitable
from arcwise.support.arguments import count, instance
from arcwise.support.errors import ParameterError

__all__ = ["StructuralEM", "imputed_replica", "score_before_em"]

# Of the time and the evaluations that are left, what one search may take: the rounds that follow need some too.
_SHARE_OF_SEARCH = 0.5
# Steps of EM between two rounds. The parameters need not have converged for the next graph to be a better one.
_STEPS_BETWEEN = 5
# What the cache of scores of one round may take.
_CACHE_BYTES = 1 << 28


@dataclass(frozen=True)
class StructuralEM(Search):
    """Learn from a table with gaps by structural EM: search by what is expected in the gaps, round after round.

    Friedman (1998, UAI), "The Bayesian structural EM algorithm". A round fills the gaps by the posterior of the present
    network, exactly; searches for the graph with the best expected score, from the present graph on; and fits its
    parameters by some steps of EM. If the expected score does not fall, neither does the likelihood of what is there
    less its penalty (theorem 3.1 there), which is the score of the result; a round whose search finds nothing better
    than the present graph is the last. Rounds begin from the graph that is found with each family scored on the rows
    that have all of it (where the score allows that), and then again from the one without arcs; the better end counts.
    With a start they begin there, once.

    What differs from the paper: Bayesian scores are those of the expected counts, and the graph with the best of them
    is judged by the approximation of Cheeseman & Stutz (1996); where gaps of a row depend on each other in more than
    `EmLimits.most_cells` joint states, these are represented by draws, and the guarantee holds up to their error. The
    best network of all rounds is returned in any case.

    Parameters
    ----------
    search
        What each round searches with. It must take expected counts, so that tests of independence are out.
    rounds
        The most rounds of each run.
    limits
        How far the parameters of the best graph are fitted at the end, and how exactly gaps are filled.

    Examples
    --------
    >>> from arcwise import Problem, load_example, run_search
    >>> from arcwise.data.dataset import Dataset
    >>> frame = load_example("cancer").sample(2000, seed=1).to_frame("polars").to_dict(as_series=False)
    >>> frame["Xray"][::5] = [None] * 400
    >>> data = Dataset.of(frame, missing="keep")
    >>> found = run_search(StructuralEM(), score_before_em(data, "bic"), seed=1)
    >>> found.dag.has_arc("Cancer", "Xray") or found.dag.has_arc("Xray", "Cancer")
    True
    """

    search: Search = field(default_factory=Greedy)
    rounds: int = 20
    limits: EmLimits = field(default_factory=EmLimits)

    name: ClassVar[str] = STRUCTURAL_EM
    has_own_score: ClassVar[bool] = True

    def __post_init__(self) -> None:
        if not isinstance(self.search, Search):
            raise ParameterError.of("search", "a search, such as Greedy()", self.search)
        count("rounds", self.rounds, least=1)
        instance("limits", self.limits, EmLimits)
        if LocalScore not in self.search.takes:
            raise ParameterError.of("search", "one that takes a score", self.search.name)

    @property
    def honours_degrees(self) -> bool:  # type: ignore[override]
        """Whether the search within it keeps to limits on adjacent nodes."""
        return self.search.honours_degrees

    @property
    def honours_ancestors(self) -> bool:  # type: ignore[override]
        """Whether the search within it keeps to rules about ancestors."""
        return self.search.honours_ancestors

    def kept_bytes(self, n_variables: int) -> int:
        """Return what the search within it keeps."""
        return self.search.kept_bytes(n_variables)

    def run(self, problem: Problem, context: Context) -> Outcome:
        """Search, round after round, and return the graph of the best network."""
        return _Rounds(self, problem, context).outcome()


def score_before_em(data: Dataset, score: str | Score, *, cache_bytes: int = _CACHE_BYTES) -> ExpectedScore:
    """Return the score from which structural EM begins: by what is expected if all variables are independent.

    Parameters
    ----------
    data
        A table with gaps, of which all variables are discrete, or all continuous.
    score
        A name, such as bic, or an object; see `arcwise.scores.expected`.
    cache_bytes
        Size of the cache of scores.

    Raises
    ------
    ParameterError
        If the score cannot be made of expected counts, and for tables that EM does not take.
    """
    expected = EStep(data)(first_network(Dag(data.names), data))
    assert expected is not None  # there is no limit on time
    return ExpectedScore(expected, data, score, cache_bytes=cache_bytes)


def imputed_replica(data: Dataset, network: BayesianNetwork, seed: int) -> Dataset:
    """Return a bootstrap replica of a table with gaps, whose gaps are filled by draws from what is known of them.

    One of many such replicas is one of multiple imputation, with the bootstrap in the place of a posterior of the
    parameters (Honaker & King 2010, doi:10.1111/j.1540-5907.2010.00447.x): from those of the network, some steps of EM
    fit the replica's own, and each of its rows is filled by a draw of its own.

    Parameters
    ----------
    data
        The table.
    network
        Its network, in which no row is impossible.
    seed
        Draws the rows, and what is filled in.

    Examples
    --------
    >>> data = Dataset.of({"coin": ["heads", "tails", None, "tails"]}, missing="keep")
    >>> network = BayesianNetwork(Dag(["coin"]), data.states, [[0.5, 0.5]])
    >>> imputed_replica(data, network, seed=1).has_gaps
    False
    """
    drawn = data.bootstrap(seed)
    assert drawn.weights is not None
    rows = np.repeat(np.arange(data.n_rows), drawn.weights)
    numbers = None if drawn.numbers is None else drawn.numbers[rows]
    replica = Dataset(drawn.codes[rows], data.names, data.states, numbers=numbers, steps=drawn.steps)
    fit = steps_of_em(EStep(replica), network.dag, network, EmLimits(steps=_STEPS_BETWEEN))
    return fit.expectation.completed(seed)


@dataclass(frozen=True, eq=False)
class _State:
    """A graph with parameters, and its score: of what is there."""

    fit: EmFit
    score: float

    @property
    def dag(self) -> Dag:
        return self.fit.network.dag


class _Rounds:
    """One run of structural EM."""

    def __init__(self, asked: StructuralEM, problem: Problem, context: Context) -> None:
        suitable(problem.source, asked.search)
        self.asked, self.problem, self.context, self.budget = asked, problem, context, context.budget
        self.data, self.definition = problem.score.data, problem.score.score
        check_expectable(self.data, self.definition)
        self.rounding = asked.tolerance(problem.source)
        self.least_gain = max(self.rounding, asked.limits.tolerance * self.data.n_observations)  # of a round
        self.e_step = EStep(self.data, most_cells=asked.limits.most_cells, seed=context.seed)
        self.best: _State | None = None
        self.rounds = self.evaluations = 0
        self.cut_short: Status | None = None  # why the last search of a run of rounds has ended, if it was too early
        self.told: list[dict[str, object]] = []  # of each run of rounds
        self.classes: set[Cpdag] = set()  # of all graphs that rounds have come to

    def outcome(self) -> Outcome:
        """Return what came of it."""
        for called, dag in self._starts():
            self._run_rounds(called, dag)
        self._finish()
        best = self.best
        assert best is not None  # whatever the limits, the first graph has parameters
        decisions = {
            "runs": self.told,
            "log_likelihood": best.fit.log_likelihood,
            "converged": best.fit.is_converged,
            "drawn_rows": best.fit.expectation.n_drawn_rows,
        }
        counters = {"rounds": self.rounds, "evaluations": self.evaluations}
        return Outcome(best.dag, best.score, self.cut_short, counters=counters, decisions={"em": decisions})

    def _starts(self) -> Iterator[tuple[str, Dag]]:
        """Give the graphs to begin with, each when the rounds from the one before are over."""
        earlier = self.budget.journal.earlier_best
        if earlier is not None:
            yield "the best graph before", Dag.from_parents(self.data.names, earlier.parents)
            return
        if self.problem.start is not None:
            yield "the start", self.problem.start
            return
        # This one comes first: of many variables little time may leave no second one.
        if self.data.has_gaps and self.definition.base.takes_gaps and not self.budget.exhausted:
            yield "the rows that have each family", self._by_pairs()
        if self.best is None or not self.budget.exhausted:
            yield "independence", self.problem.first

    def _by_pairs(self) -> Dag:
        """Return the graph that is found with each family scored on the rows that have all of it."""
        score = LocalScore(self.data, self.definition, cache_bytes=_CACHE_BYTES)
        search = Greedy(moves="a*ds*", climbs=1) if self.asked.search.needs_equivalence else self.asked.search
        problem = Problem(score, self.problem.constraints, None)
        return self._searched(problem, search)

    def _run_rounds(self, called: str, dag: Dag) -> None:
        """Go from one network to the next, until a search finds nothing better."""
        state = self._fitted(dag, None, steps=_STEPS_BETWEEN)
        scores = [state.score]
        run: dict[str, object] = {"from": called, "scores": scores, "ended_by": "a limit"}
        self.told.append(run)
        for _ in range(self.asked.rounds):
            if self.budget.exhausted:
                return
            score = ExpectedScore(state.fit.expectation, self.data, self.definition, cache_bytes=_CACHE_BYTES)
            found = self._searched(Problem(score, self.problem.constraints, state.dag), self.asked.search)
            self.evaluations += score.evaluations
            self.rounds += 1
            if score.total(found) <= score.total(state.dag) + score.rounding:
                run["ended_by"] = "a search that found nothing better" if self.cut_short is None else "a limit"
                return
            following = self._fitted(found, state, steps=_STEPS_BETWEEN)
            scores.append(following.score)
            if following.score <= state.score + self.least_gain:
                run["ended_by"] = "a round that brought nothing"
                return
            if following.dag.cpdag() in self.classes:
                run["ended_by"] = "a class of graphs that an earlier run has come through"
                return
            self.classes.add(following.dag.cpdag())
            state = following
        run["ended_by"] = "the number of rounds"

    def _finish(self) -> None:
        """Fit the parameters of the best graph to the end."""
        if self.best is not None and not self.best.fit.is_converged and not self.budget.exhausted:
            self._fitted(self.best.dag, self.best, steps=self.asked.limits.steps)

    def _searched(self, problem: Problem, search: Search) -> Dag:
        """Return what a search finds."""
        part = self.budget.part(share=_SHARE_OF_SEARCH, evaluation_share=_SHARE_OF_SEARCH, apart=True)
        suitable(problem.source, search)
        # What is expected in gaps is made anew in each round, and does not travel.
        found = search.run(problem, replace(self.context.aside(part), place=Threads()))
        self.cut_short = STATUS_OF_REASON[part.core.reason] if part.exhausted else None
        return found.dag

    def _fitted(self, dag: Dag, before: _State | None, steps: int) -> _State:
        """Return a graph with parameters by some steps of EM.

        However little time is left, there are some that fit what was expected before: without them nothing could be
        said of the graph.
        """
        first = first_network(dag, self.data) if before is None else before.fit
        limits = replace(self.asked.limits, steps=steps)
        fit = steps_of_em(self.e_step, dag, first, limits, budget=self.budget.for_kernel(self.context.workers))
        state = _State(fit, fit.log_likelihood + self._beyond_likelihood(fit))
        self._note(state)
        return state

    def _beyond_likelihood(self, fit: EmFit) -> float:
        """Return what the score of a graph has besides the likelihood: its penalty, its prior."""
        expected, dag = fit.expectation, fit.network.dag
        scores = [
            ExpectedScore(expected, self.data, definition, cache_bytes=1 << 20).total(dag)
            for definition in (self.definition, LogLikelihood())
        ]
        return scores[0] - scores[1]

    def _note(self, state: _State) -> None:
        """Keep a network if it is the best so far, and tell of it."""
        if self.best is not None and state.score <= self.best.score + self.rounding:
            return
        self.best = state
        self.context.trace.reach(state.score)
        self.budget.note(self.asked.name, Found(state.dag.parent_indices, state.score), lambda: None)
