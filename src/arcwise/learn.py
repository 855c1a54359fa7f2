"""The front door: data in, network structure out."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from inspect import signature
from os import PathLike
from typing import Any, get_args

from arcwise.constraints.constraints import Constraints
from arcwise.data.dataset import Dataset, ReadingOptions, held_bytes
from arcwise.data.interventions import InterventionRows
from arcwise.data.missing import KEPT, MissingValues, about_gaps, learnable, split_reading
from arcwise.graph.dag import Dag
from arcwise.parallel.places import is_elsewhere, workplace_of
from arcwise.plan import (
    CACHE_BYTES,
    PLANNED,
    TIME_LIMIT,
    WITH_DEGREES,
    Plan,
    bound_seconds,
    check_memory,
    plan_of_rounds,
    planned,
    planned_score,
)
from arcwise.runs.budget import Budget
from arcwise.runs.checkpoints import Checkpoints, earlier_method, journal_of
from arcwise.runs.progress import progress_line, somebody_watches, together
from arcwise.runs.provenance import RunLimits
from arcwise.runs.result import STRUCTURAL_EM, Improvement, Result, Status
from arcwise.scores.definitions import BIC, Score
from arcwise.scores.device.choice import checked_device
from arcwise.scores.local_score import LocalScore
from arcwise.search.registry import search_named
from arcwise.search.search import Problem, Search, options_of, run_journaled, task_of, with_options
from arcwise.shards.dataset import ShardedDataset
from arcwise.shards.reading import about_shards, table_of_any_size
from arcwise.support.arguments import count, flag, instance, number, respelled
from arcwise.support.errors import ParameterError
from arcwise.support.machine import available_memory
from arcwise.support.messages import InPython, Name, Setting, Text
from arcwise.support.names import did_you_mean, one_of
from arcwise.support.quoting import quoted

__all__ = ["learn"]

_AUTO = "auto"


def learn(
    data: Any,
    *,
    score: str | Score = _AUTO,
    method: str | Search = _AUTO,
    seed: int | None = None,
    time_limit: float | None = None,
    evaluation_limit: int | None = None,
    constraints: Constraints | None = None,
    interventions: str | InterventionRows | None = None,
    missing: MissingValues = "error",
    start: Dag | None = None,
    clean_up: bool = False,
    certify: float | None = None,
    memory: int | None = None,
    device: str = "cpu",
    workers: int | None = None,
    executor: Any = None,
    progress: bool | None = None,
    watch: Callable[[Budget], object] | None = None,
    on_improvement: Callable[[Improvement], object] | None = None,
    checkpoint: str | PathLike[str] | Checkpoints | None = None,
    resume: bool = False,
    **options: Any,
) -> Result:
    """Learn the structure of a Bayesian network from a table of states, numbers, or both.

    Without other arguments, score and search are picked by the size of the data, and the search takes at most a
    minute; the result's ``decisions["picked_score"]`` and ``decisions["plan"]`` say why. Ctrl-C ends it and returns the
    best graph so far, with the status ``interrupted``.

    Parameters
    ----------
    data
        A `Dataset`, or anything `Dataset.of` takes: a pandas, polars or pyarrow frame, a numpy array, a file's path, a
        table in parts (a folder, a pattern such as ``"visits-*.csv"``, a list of paths, a lazy frame of polars).
        Its keywords say how it is read: `discretise`, `leave_out`, `weights`, `min_count` and others.
    score
        A name, such as bic or bdeu(ess=10), or an object such as ``BDeu(ess=10)``. `Adjusted` adds a prior over graphs,
        a factor on the penalty or a least gain of arcs to any of them. ``auto`` picks ``bic``, and for wide data, in
        which that would find too many arcs by chance, ``ebic`` (`arcwise.plan.planned_score`). Both are for states,
        for numbers (linear Gaussian) and for tables with both (conditional Gaussian, where discrete variables have
        no continuous parents).
    method
        A search with its options, such as ``Greedy(moves="a*ds*")``, or a name. ``auto`` picks one of these by the size
        of the data. ``exact`` finds the best graph and proves it, for few
        variables in a moment (`arcwise.exact`). Of the others, ``orders`` mostly ends best (`arcwise.orders`);
        ``islands`` are several of them side by side, for many workers (`arcwise.islands`).
        ``obs``, ``asobs``, ``inobs``, ``iinobs`` and ``minobs`` search orders over a table of parent sets that is
        selected first, as the papers do it (`arcwise.select`, `arcwise.search_orders`); ``narrow`` does so for graphs
        of bounded width, in which inference is cheap (`arcwise.narrow`). ``greedy`` climbs over graphs
        and is done in a moment, ``sgs2`` and ``sgs3`` with more moves and mostly better results (`arcwise.greedy`);
        ``tabu`` (`arcwise.tabu`), ``lagd`` (`arcwise.look_ahead`) and ``reinsertion`` (`arcwise.reinsertion`) are its
        rivals. ``mmhc`` climbs on a skeleton from tests of independence (`arcwise.mmhc`), ``mtmhc`` on one from trees
        of bootstrap replicas (`arcwise.mtmhc`).
        ``k2`` goes by an order, that of the start or a random one (`arcwise.k2`). ``ges``, ``kes`` and ``xges`` go from
        one equivalence class to the next (`arcwise.ges`, `arcwise.kes`, `arcwise.xges`); they need a score that gives
        equivalent graphs the same. ``chow-liu`` finds the best forest, in which each variable has one parent at most
        (`arcwise.chow_liu`). Around a `target`, ``markov-blanket`` finds what it takes to predict it
        (`arcwise.markov_blanket`); ``naive-bayes`` and ``tan`` are classifiers whose form is given
        (`arcwise.naive_bayes`, `arcwise.tan`).
    seed
        Decides among ties; drawn and recorded in the result when None.
    time_limit
        Seconds for the search; with ``auto``, for the search and its bound.
    evaluation_limit
        Local scores that may be counted. Unlike a time limit, it keeps results reproducible.
    constraints
        What the graph must and must not have.
    interventions
        For the variables that an experimenter has set, in which rows: a mapping to indices or truth values. Or the name
        of a column that says for each row which variable was set (`Dataset.from_frame`). Such rows do not count for
        what the variable depends on. They tell graphs of an equivalence class apart, so that searches over classes
        (``ges``, ``kes``, ``xges``) and those by tests or trees (``mmhc``, ``mtmhc``) refuse them.
    missing
        What missing values do: "error" (default) says what each of the others would do with this table; "drop" leaves
        out the rows that have some, "state" makes missing a state of its own. "pairwise" scores each family on the rows
        that have all of it, by the scores that take gaps (`arcwise.scores.definitions`: ``bic``, ``ebic``, ``aic``,
        ``hqc``, ``loglik``); like interventions, gaps tell equivalent graphs apart, and the same searches refuse them.
        "em" is structural EM, which fills the gaps by what a network expects in them, round after round, with `method`
        as the search of each round (`arcwise.structural_em`); it takes tables that are discrete or continuous, not
        both. All but a state take it that whether a value is missing does not depend on what it would
        have been (docs/how-to/continuous-and-missing.md). A `Dataset` that has gaps is taken as it is, for "pairwise"
        unless "em" is asked for.
    start
        Where the search begins.
    clean_up
        Whether triangles of the result become v-structures where these explain their three variables better
        (`arcwise.uncover_v_structures`). This comes after the search, and on top of its limits.
    certify
        Seconds for a bound on how much better a graph can be, after the search (`arcwise.search.exact.front`); the
        result's ``bound``, ``gap`` and ``bound_for`` say what was proven, and among which graphs. When None, ``auto``
        takes a part of its time for it, and other methods leave it out; 0 always leaves it out.
    memory
        Bytes to use; nine tenths of what is available when None, and what the data takes already. A search that needs
        more is refused before it begins, or replaced by a smaller one with a warning where it was picked by ``auto``.
    device
        Where scores are made: ``cpu``; ``gpu``, large batches of them on a graphics card; or ``auto``, there if that is
        quicker, which the result's ``decisions["device"]`` tells. The graph of a discrete table is the same
        (docs/how-to/gpu.md).
    workers
        Threads; by default one per usable core. They do not change the result. ``chow-liu`` works on one
        where the directions of arcs do not matter.
    executor
        Who does the tasks of a search that has several side by side, such as climbs, instead of threads of this
        process: an executor of `concurrent.futures` such as a ``ProcessPoolExecutor``, one of loky or of
        ``mpi4py.futures``; a client of Dask, or the address of its scheduler, ``tcp://host:8786``
        (docs/how-to/cluster.md). That does not change the result, but for ``auto``: it picks ``islands`` then where it
        would have picked ``orders``, which has no tasks. The data goes to each worker once.
        ``decisions["where"]`` of the result says what was done there.
    progress
        Whether a line shows score, gap and time on stderr while the search runs; when None, if that is a terminal or a
        notebook.
    watch
        Called with the `Budget` about ten times a second, to show progress in another way.
    on_improvement
        Called with every improvement of the trace, while the search runs; it ends when this returns a true value.
    checkpoint
        A file to which the run is written every minute and at the end, so that it can be resumed after a crash or
        a kill (docs/runs.md); a `Checkpoints` says how often. A file that is there is not overwritten.
    resume
        Resume the run in the file `checkpoint`: with its best graph, its seed, its trace, and what else the search
        has left there. It must be of the same data, score, constraints, method and options; limits may differ, and
        count what the run has used before.
    options
        Options of `Dataset.of`, such as ``discretise="quantile"`` or ``weights="times"``, by which the data is read;
        all others are those of the method, such as ``climbs`` or ``neighbourhood``; see its page.

    Examples
    --------
    >>> from arcwise import Cuts, load_example
    >>> truth = load_example("asia")
    >>> result = learn(truth.sample(5000, seed=1), seed=1)
    >>> result.dag.n_nodes
    8
    >>> learn(truth.sample(500, seed=1), method="sgs3", climbs=3, clean_up=True, seed=1).counters["climbs"]
    3

    A table of numbers, cut into states, and what its network says about a row of numbers:

    >>> patients = {"age": [31, 67, 45, 72] * 25, "pressure": [118.5, 151.0, 122.5, 160.5] * 25}
    >>> network = learn(patients, discretise={"age": "quantile", "pressure": Cuts((140,))}, seed=1).network()
    >>> network.query("pressure", {"age": 80}).most_probable
    '>140'
    """
    reading, options = split_reading(options)
    if certify is not None:
        number("certify", certify)
    asked = None if method == _AUTO else method if isinstance(method, Search) else search_named(method, _AUTO)
    _refuse_unknown(options, asked)
    clean_up = flag("clean_up", clean_up)
    checked_device(device)
    Budget(time_limit, evaluation_limit, watch=watch)  # refuses wrong ones before the data is read
    progress = somebody_watches() and watch is None if progress is None else flag("progress", progress)
    memory = int(0.9 * available_memory()) + held_bytes(data) if memory is None else count("memory", memory)
    cache_bytes = min(CACHE_BYTES, memory // 4)
    if interventions is not None:
        reading["interventions"] = interventions
    picked, reasons = {}, {}
    one_of("missing", missing, get_args(MissingValues))
    if isinstance(data, Dataset):
        table = learnable(data, missing, **reading)
    else:
        reading["memory"] = memory
        table = table_of_any_size(data, missing="keep" if missing in KEPT else missing, **reading)
        if isinstance(table, ShardedDataset):
            reasons["data"] = about_shards(table)
    if isinstance(table, ShardedDataset):
        reasons["shards"] = table.where
    by_em = table.has_gaps and (missing == "em" or getattr(asked, "name", None) == STRUCTURAL_EM)
    if by_em:
        from arcwise.structural_em import StructuralEM, score_before_em  # with all that fills gaps

        reasons["missing"] = f"{about_gaps(table)}: structural EM, whose score is that of what is there"
        certify = _refused_with_em(certify, clean_up=clean_up)
    elif table.has_gaps:
        reasons["missing"] = f"{about_gaps(table)}: each family is scored on the rows that have all of it"
    if isinstance(score, str) and score == _AUTO:
        score, picked["picked_score"] = planned_score(table)
    local_score: LocalScore = (
        score_before_em(table, score, cache_bytes=cache_bytes)
        if by_em
        else LocalScore(table, score, cache_bytes=cache_bytes, device=device)
    )
    if local_score.why_device is not None:
        reasons["device"] = local_score.why_device
    plan = Plan("", "", time_limit)
    constraints = instance("constraints", constraints, Constraints, default=Constraints)
    for_graphs = constraints.limits_degrees or constraints.limits_ancestors
    if asked is None:
        plan = planned(
            local_score,
            time_limit=time_limit,
            evaluation_limit=evaluation_limit,
            memory=memory,
            has_bound=certify is None,
            elsewhere=is_elsewhere(executor) and _suit(options, "islands"),
            method=WITH_DEGREES if for_graphs else earlier_method(checkpoint, resume, PLANNED),
        )
        plan = plan_of_rounds(plan, local_score) if by_em else plan
    elif asked is not method and "memory" in options_of(type(asked)):  # where the search was named, not given
        options = {"memory": memory, **options}
    if asked is None:
        _refuse_options_of_others(options, plan)
    search = with_options(asked or search_named(plan.method), {**plan.options, **options})
    if by_em and not isinstance(search, StructuralEM):
        search = StructuralEM(search)
    check_memory(search, local_score.data, memory, cache_bytes)
    reasons |= _target_of(search, local_score.names)
    problem = Problem(local_score, constraints, start)
    limits = RunLimits(plan.time_limit, evaluation_limit)
    journal = journal_of(checkpoint, resume, task_of(search, problem, seed, limits))
    with progress_line(search.name, about=_about(local_score.score, picked, plan), shown=progress) as shown:
        budget = Budget(plan.time_limit, evaluation_limit, watch=together(watch, shown), journal=journal)

        def finish(found: Result) -> Result:
            if clean_up:
                found = _cleaned_up(found, problem, budget, on_improvement)
            decided = {**reasons, **picked, **({"plan": plan.reason} if plan.reason else {})}
            return replace(found, decisions={**found.decisions, **decided})

        with workplace_of(executor) as place:
            result = run_journaled(
                search,
                problem,
                budget,
                workers=workers,
                executor=place,
                on_improvement=on_improvement,
                finish=finish,
            )
    if plan.has_bound:
        total = time_limit if time_limit is not None or evaluation_limit is not None else TIME_LIMIT
        certify = bound_seconds(budget.elapsed, total, is_users=time_limit is not None)
    if not certify or budget.is_interrupted:
        return result
    from arcwise.search.exact.front import certified  # which many runs do without

    with progress_line("bound", shown=progress) as shown:
        result = certified(
            result,
            problem,
            seconds=certify,
            workers=workers,
            memory=memory,
            watch=together(watch, shown),
        )
    budget.run(partial(journal.close, result))  # not lost to a late Ctrl-C either
    return result


def _suit(options: Mapping[str, Any], name: str) -> bool:
    """Return whether the search of this name has these options."""
    return not options or respelled(options).keys() <= set(options_of(type(search_named(name))))


def _refuse_unknown(options: Mapping[str, Any], search: Search | None) -> None:
    """Refuse what neither `learn` nor the data nor the method takes, before the data is read."""
    if not options:  # then none of the searches that may be planned has to be there
        return
    searches = [search] if search is not None else [search_named(name) for name in PLANNED]
    known = {option for each in searches for option in options_of(type(each))}
    unknown = next((name for name in respelled(options) if name not in known), None)
    if unknown is None:
        return
    own = [name for name in signature(learn).parameters if name not in ("data", "options")]
    read = sorted(set(ReadingOptions.__annotations__) - set(own))
    takes = f" takes {', '.join(own)}, for reading the data {', '.join(read)}"
    near = did_you_mean(unknown, {*own, *read, *known})
    hint: Text = InPython(near, did_you_mean(unknown, known))
    if unknown in signature(Constraints).parameters:
        hint = InPython(f"; write constraints=Constraints({unknown}=…)")
    if search is None:
        raise ParameterError(
            InPython(
                f"learn has no parameter {quoted(unknown)}; it{takes}, and the options of its method",
                f"no method that auto may pick has an option {quoted(unknown)}; they have {', '.join(sorted(known))}; "
                "name a method with --method for others",
            ),
            hint,
        )
    listed = f"its options are {', '.join(sorted(known))}" if known else "it has none"
    raise ParameterError(
        f"{search.name} has no option {quoted(unknown)}; {listed}", InPython(f"; learn itself{takes}"), hint
    )


def _refuse_options_of_others(options: Mapping[str, Any], plan: Plan) -> None:
    """Refuse options that the search has not which was picked, though others have them that might have been."""
    own = options_of(type(search_named(plan.method)))
    unknown = next((name for name in respelled(options) if name not in own), None)
    if unknown is None:
        return
    method = next(name for name in PLANNED if unknown in options_of(type(search_named(name))))
    raise ParameterError(
        f"{plan.method}, which auto has picked here, has no option {quoted(unknown)}; name a method that has it, such "
        "as ",
        Setting("method", method),
    )


def _target_of(search: Search, names: Sequence[str]) -> dict[str, str]:
    """Return the target of a search that has one: the last variable where the user has not named one."""
    if "target" not in options_of(type(search)):
        return {}
    from arcwise.search.targets.classifiers import target_index  # with searches that few runs need

    return {"target": names[target_index(search.target, tuple(names))]}  # type: ignore[attr-defined]


def _refused_with_em(certify: float | None, *, clean_up: bool) -> float:
    """Refuse what needs the score of a graph alone, which structural EM does not have; return 0 seconds for a bound."""
    if certify or clean_up:
        raise ParameterError(
            Name("certify") if certify else Name("clean_up"),
            " is not for ",
            Setting("missing", "em"),
            ", where a graph has a score only together with what is expected in the gaps; take ",
            Setting("missing", "pairwise"),
        )
    return 0.0


def _about(score: Score, picked: Mapping[str, str], plan: Plan) -> str:
    """Return what is said before a search: why this one, and why this score where it is not the usual one."""
    reasons = [*(picked.values() if not isinstance(score, BIC) else ()), plan.reason]
    return "\n".join(filter(None, reasons))


def _cleaned_up(
    result: Result,
    problem: Problem,
    budget: Budget,
    on_improvement: Callable[[Improvement], object] | None,
) -> Result:
    from arcwise.search.dags.clean_up import uncover_v_structures

    score, before = problem.score, problem.score.evaluations
    rules = problem.constraints
    dag = uncover_v_structures(score, result.dag, constraints=rules, is_over=lambda: budget.is_interrupted)
    total, made = score.total(dag), score.evaluations - before
    trace, is_worse = result.trace, total < result.score - score.rounding
    if total > trace[-1].score + score.rounding:
        trace = (*trace, Improvement(budget.elapsed, budget.evaluations + made, total))
        if on_improvement is not None:
            on_improvement(trace[-1])
    return replace(
        result,
        dag=dag,
        score=total,
        status=Status.LOCAL_OPTIMUM if is_worse and result.status is Status.OPTIMAL else result.status,
        seconds=budget.elapsed,
        provenance=replace(result.provenance, clean_up=True),
        counters={**result.counters, "evaluations": result.counters["evaluations"] + made},
        trace=trace,
        bound=None if result.bound is None else max(result.bound, total),  # its families may not be among the sets
    )
