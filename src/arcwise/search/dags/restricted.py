"""Hill climbing with arcs between neighbours only, whoever has found these."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from arcwise.constraints.constraints import Constraints
from arcwise.graph.dag import Dag
from arcwise.parents.mmpc import Neighbours
from arcwise.runs.budget import Budget
from arcwise.runs.result import Improvement, Result
from arcwise.scores.local_score import LocalScore
from arcwise.search.dags.greedy import greedy
from arcwise.support.arguments import count, instance
from arcwise.support.seeds import recorded_seed

__all__ = ["RestrictedClimbs"]


@dataclass(frozen=True)
class RestrictedClimbs:
    """What searches share that look for neighbours first and climb among them then.

    Parameters
    ----------
    score
        The score to maximise, bound to its data.
    climbs
        How often to climb.
    constraints
        What the graph must and must not have.
    start
        Where to climb from; by default the graph of the required arcs alone.
    seed
        Decides all random choices; drawn when None.
    workers
        Climbs at the same time; by default one per usable core.
    budget
        When to stop early. The start is returned when it ends before the neighbours are known.
    on_improvement
        Called with every improvement; the search ends when it returns a true value.
    """

    score: LocalScore
    climbs: int
    constraints: Constraints
    start: Dag | None
    seed: int
    workers: int | None
    budget: Budget
    on_improvement: Callable[[Improvement], object] | None

    @classmethod
    def checked(
        cls,
        score: LocalScore,
        climbs: int,
        constraints: Constraints | None,
        start: Dag | None,
        seed: int | None,
        workers: int | None,
        budget: Budget | None,
        on_improvement: Callable[[Improvement], object] | None,
    ) -> "RestrictedClimbs":
        """Return the same with defaults in the place of None, and wrong values refused before any work is done."""
        score = instance("score", score, LocalScore)
        constraints = instance("constraints", constraints, Constraints, default=Constraints)
        constraints.checked_start(score.data.names, start)
        return cls(
            score,
            count("climbs", climbs, least=1),
            constraints,
            start,
            recorded_seed(seed),
            None if workers is None else count("workers", workers, least=1),
            instance("budget", budget, Budget, default=Budget),
            on_improvement,
        )

    def run(
        self, method: str, find: Callable[[], Neighbours], *, counted_as: str, settings: Mapping[str, object]
    ) -> Result:
        """Find the neighbours, and climb among them.

        Parameters
        ----------
        method
            The name of the search.
        find
            Finds the neighbours, within the budget.
        counted_as
            Under which name the result tells how many evaluations that took.
        settings
            What the search was asked to do, for the result.
        """
        score, budget = self.score, self.budget
        begin, evaluations, cache_hits = budget.elapsed, score.evaluations, score.cache_hits

        def search() -> tuple[Neighbours, int, Result]:
            found = find()
            taken = score.evaluations - evaluations
            climbed = greedy(
                score,
                constraints=self.constraints,
                neighbourhood=found.named(score.data.names) if found.is_complete else None,
                start=self.start,
                climbs=self.climbs,
                seed=self.seed,
                workers=self.workers,
                budget=budget,
                on_improvement=self.on_improvement,
            )
            return found, taken, climbed

        found, taken, climbed = budget.run(search)
        return replace(
            climbed,
            method=method,
            seconds=budget.elapsed - begin,
            settings={**climbed.settings, **settings},
            counters={
                **climbed.counters,
                "evaluations": score.evaluations - evaluations,
                "cache_hits": score.cache_hits - cache_hits,
                counted_as: taken,
                "edges": found.n_edges,
            },
        )
