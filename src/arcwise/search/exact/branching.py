"""Branching on parent sets with SCIP, cluster rows added on the way."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyscipopt

from arcwise.graph.dag import Dag
from arcwise.parents.parent_sets import ParentSets
from arcwise.runs.budget import Budget
from arcwise.search.exact.bounds import BoundLog, Incumbent, order_of, places
from arcwise.search.exact.clusters import Choice, Cluster, violated_clusters
from arcwise.search.exact.relaxation import Relaxation, Solution
from arcwise.support.errors import ParameterError

__all__ = ["branch"]

RESULT = pyscipopt.SCIP_RESULT
# Of what SCIP calls a bound, this share is taken for rounding.
_TOLERANCE = 1e-6
# Rows of one round of cuts.
_MOST_ROWS = 50
_SETTINGS = {
    "misc/catchctrlc": False,  # the budget hears of it
    "timing/clocktype": 1,  # the processor: the budget ends it by the clock, and may have a clock of its own
    "presolving/maxrestarts": 0,
    "branching/relpscost/initcand": 10,
    "branching/relpscost/inititer": 10,
    "branching/relpscost/maxlookahead": 3,
}


class IntegerProgram:
    """The integer program of a relaxation in SCIP: it minimises what the sets lack of each variable's best one."""

    def __init__(self, relaxation: Relaxation, incumbent: Incumbent, budget: Budget, log: BoundLog) -> None:
        self.relaxation, self.incumbent, self.budget, self.log = relaxation, incumbent, budget, log
        self.table: ParentSets = relaxation.table
        self.best = self.table.relaxed_score()
        self.model = pyscipopt.Model("arcwise")
        self.rows = 0
        begin, scores = self.table.variable_begin, self.table.scores
        owner = np.repeat(np.arange(self.table.n_variables), np.diff(begin))
        losses = (scores[begin[owner]] - scores).tolist()
        self.variables = [self.model.addVar(vtype="B", obj=loss) for loss in losses]
        self.transformed: list[Any] = []
        self._add_rows(owner.tolist())

    def _add_rows(self, owner: Sequence[int]) -> None:
        model, table = self.model, self.table
        for first, last in zip(table.variable_begin[:-1].tolist(), table.variable_begin[1:].tolist(), strict=True):
            model.addCons(pyscipopt.quicksum(self.variables[first:last]) == 1)
        for cluster in self.relaxation.clusters:
            row = self.relaxation.row(cluster)
            model.addCons(
                pyscipopt.quicksum(self.variables[at] for at in row.tolist()) >= cluster.first, removable=True
            )
        # Arcs are better to branch on than sets: both answers change the bound.
        with_parent: dict[tuple[int, int], list[int]] = {}
        begin, members = table.set_begin.tolist(), table.members.tolist()
        for at, child in enumerate(owner):
            for parent in members[begin[at] : begin[at + 1]]:
                with_parent.setdefault((parent, child), []).append(at)
        arcs = {}
        for arc, sets in with_parent.items():
            arcs[arc] = model.addVar(vtype="B")
            model.chgVarBranchPriority(arcs[arc], 10)
            model.addCons(pyscipopt.quicksum(self.variables[at] for at in sets) == arcs[arc])
        for (parent, child), arc in arcs.items():
            if parent < child and (child, parent) in arcs:
                model.addCons(arc + arcs[child, parent] <= 1)
        self.arcs = arcs

    def choice(self, solution: Any = None) -> Choice:
        """Return SCIP's solution, by default that of the current linear program."""
        value = self.model.getSolVal
        weights = np.array([value(solution, variable) for variable in self.transformed])
        sets = np.flatnonzero(weights > 1e-6)
        return self.relaxation.choice(Solution(sets, weights[sets], lacks_sets=False))

    def separate(self, clusters: Sequence[Cluster]) -> bool:
        """Add the rows of clusters to the linear program; say whether one of them cannot be kept at all."""
        model = self.model
        for cluster in clusters:
            row = model.createEmptyRowUnspec("cluster", lhs=float(cluster.first), rhs=None, local=False)
            model.cacheRowExtensions(row)
            for at in self.relaxation.row(cluster).tolist():
                model.addVarToRow(row, self.transformed[at], 1.0)
            model.flushRowExtensions(row)
            hopeless = model.addCut(row, forcecut=True)
            model.releaseRow(row)
            self.rows += 1
            if hopeless:
                return True
        return False

    def offer(self, solution: Any) -> None:
        """Give a solution of SCIP's to the incumbent."""
        choice = self.choice(solution)
        parents: list[list[int]] = [[] for _ in range(self.table.n_variables)]
        for child, contains in zip(choice.owner.tolist(), choice.contains, strict=True):
            parents[child] = np.flatnonzero(contains).tolist()
        self.incumbent.offer(Dag.from_parents(self.table.names, parents))

    def suggest(self, *, first: bool = False) -> bool:
        """Give the incumbent's graph to SCIP."""
        model, dag = self.model, self.incumbent.dag
        assert dag is not None
        solution = model.createOrigSol()
        for at in places(self.table, dag.parent_indices).tolist():
            model.setSolVal(solution, self.variables[at], 1.0)
        for child, parents in enumerate(dag.parent_indices):
            for parent in parents:
                model.setSolVal(solution, self.arcs[parent, child], 1.0)
        return bool(model.addSol(solution) if first else model.trySol(solution))

    def note_bound(self) -> None:
        """Write down SCIP's bound and the best graph, and stop SCIP where the budget ends."""
        self.incumbent.note()
        loss = self.model.getDualbound()
        if abs(loss) < self.model.infinity():
            bound = self.best - loss + _TOLERANCE * max(1.0, abs(loss))
            self.log.add(max(bound, self.incumbent.score))
        if self.budget.exhausted:
            self.model.interruptSolve()


class AcyclicHandler(pyscipopt.Conshdlr):  # type: ignore[misc]
    """The constraint that the graph has no cycle."""

    def __init__(self, program: IntegerProgram) -> None:
        self._program = program

    def consinitsol(self, constraints: object) -> None:
        """Find SCIP's own variables."""
        program = self._program
        program.transformed = [self.model.getTransformedVar(variable) for variable in program.variables]

    def conscheck(self, constraints: object, solution: Any, *rest: object, **more: object) -> dict[str, Any]:
        """Say whether a solution is a graph without cycles."""
        program = self._program
        if not program.transformed:
            program.transformed = list(program.variables)
        cyclic = violated_clusters(program.choice(solution), seconds=0, cycles_only=True)
        return {"result": RESULT.INFEASIBLE if cyclic else RESULT.FEASIBLE}

    def consenfolp(self, constraints: object, n_useful: int, infeasible: bool) -> dict[str, Any]:
        """Cut off a solution with cycles."""
        return self._cut(violated_clusters(self._program.choice(), seconds=0, cycles_only=True), RESULT.FEASIBLE)

    def consenfops(self, constraints: object, n_useful: int, infeasible: bool, *rest: object) -> dict[str, Any]:
        """Say whether a solution without a linear program has cycles."""
        return self.conscheck(constraints, None)

    def conssepalp(self, constraints: object, n_useful: int) -> dict[str, Any]:
        """Cut off a fractional solution."""
        program = self._program
        if program.budget.exhausted:
            self.model.interruptSolve()
            return {"result": RESULT.DIDNOTRUN}
        return self._cut(violated_clusters(program.choice(), most=_MOST_ROWS, seconds=0), RESULT.DIDNOTFIND)

    def conslock(self, constraint: object, lock_type: object, positive: int, negative: int) -> None:
        """Forbid SCIP to round sets as if nothing but the rows it sees depended on them."""
        for variable in self._program.variables:
            self.model.addVarLocks(variable, positive + negative, positive + negative)

    def _cut(self, clusters: Sequence[Cluster], otherwise: Any) -> dict[str, Any]:
        if not clusters:
            return {"result": otherwise}
        hopeless = self._program.separate(clusters)
        return {"result": RESULT.CUTOFF if hopeless else RESULT.SEPARATED}


class OrderHeuristic(pyscipopt.Heur):  # type: ignore[misc]
    """Climbs from the order that the fractional solution comes closest to."""

    def __init__(self, program: IntegerProgram) -> None:
        self._program = program

    def heurexec(self, timing: object, node_infeasible: bool) -> dict[str, Any]:
        """Look for a better graph."""
        program = self._program
        if program.budget.exhausted or self.model.getLPSolstat() != pyscipopt.SCIP_LPSOLSTAT.OPTIMAL:
            return {"result": RESULT.DIDNOTRUN}
        if program.incumbent.climb(order_of(program.choice().arcs())) and program.suggest():
            return {"result": RESULT.FOUNDSOL}
        return {"result": RESULT.DIDNOTFIND}


class Reporter(pyscipopt.Eventhdlr):  # type: ignore[misc]
    """Passes graphs and bounds on while SCIP runs, and the end of the budget back to it."""

    _EVENTS = (
        pyscipopt.SCIP_EVENTTYPE.BESTSOLFOUND,
        pyscipopt.SCIP_EVENTTYPE.LPSOLVED,
        pyscipopt.SCIP_EVENTTYPE.NODESOLVED,
    )

    def __init__(self, program: IntegerProgram) -> None:
        self._program = program

    def eventinit(self) -> None:
        """Ask for the events."""
        for event in self._EVENTS:
            self.model.catchEvent(event, self)

    def eventexit(self) -> None:
        """Ask for them no more."""
        for event in self._EVENTS:
            self.model.dropEvent(event, self)

    def eventexec(self, event: Any) -> None:
        """Take note of what has changed."""
        if event.getType() == pyscipopt.SCIP_EVENTTYPE.BESTSOLFOUND:
            if self._program.transformed:
                self._program.offer(self.model.getBestSol())
        else:
            self._program.note_bound()


def branch(relaxation: Relaxation, incumbent: Incumbent, budget: Budget, log: BoundLog, seed: int) -> dict[str, int]:
    """Search for a better graph until none can exist or the budget ends; the incumbent and the log know the rest.

    Parameters
    ----------
    relaxation
        The rows to start with, and the sets that a better graph may have.
    incumbent
        The best graph so far.
    budget
        When to stop.
    log
        Where bounds go.
    seed
        Shifts SCIP's own random numbers.

    Returns
    -------
    What SCIP did: nodes and rows.
    """
    program = IntegerProgram(relaxation, incumbent, budget, log)
    try:
        _set_up(program, seed)
        return _solved(program)
    finally:
        del program.model  # it holds the handlers, they hold the program: none of them would ever be freed


def _solved(program: IntegerProgram) -> dict[str, int]:
    model, incumbent = program.model, program.incumbent
    if incumbent.dag is not None:
        program.suggest(first=True)
    model.optimizeNogil()
    status = model.getStatus()
    if status == "optimal":
        program.transformed = list(program.variables)
        program.offer(model.getBestSol())
        program.log.add(incumbent.score)
    elif status == "infeasible" and incumbent.dag is None:
        raise ParameterError("no acyclic graph can be made of the parent sets that the table has")
    else:
        program.note_bound()
    return {"nodes": int(model.getNTotalNodes()), "solver_rows": program.rows}


def _set_up(program: IntegerProgram, seed: int) -> None:
    model, budget = program.model, program.budget
    model.hideOutput()
    # Climbs over orders find better graphs than general heuristics, and linear programs are too slow for many cuts of
    # general kinds or much strong branching.
    model.setHeuristics(pyscipopt.SCIP_PARAMSETTING.OFF)
    model.setSeparating(pyscipopt.SCIP_PARAMSETTING.FAST)
    for name, value in _SETTINGS.items():
        model.setParam(name, value)
    model.setParam("randomization/randomseedshift", seed % 2**31)
    if budget.time_limit is not None:
        model.setParam("limits/time", max(0.0, budget.time_limit - budget.elapsed))
    model.includeConshdlr(
        AcyclicHandler(program),
        "acyclic",
        "the graph has no cycle",
        sepapriority=100,
        enfopriority=-10,
        chckpriority=-10,
        sepafreq=1,
        propfreq=-1,
        eagerfreq=-1,
        maxprerounds=0,
        delaysepa=False,
        needscons=False,
    )
    model.includeHeur(
        OrderHeuristic(program),
        "orders",
        "climbs from the order of the linear solution",
        "O",
        freq=1,
        timingmask=pyscipopt.SCIP_HEURTIMING.AFTERLPNODE,
    )
    model.includeEventhdlr(Reporter(program), "reports", "passes graphs and bounds on")
