"""Runs that were stopped resume from their checkpoints, and nothing else does."""

import json
import warnings
from collections.abc import Callable
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from arcwise import (
    Annealing,
    ArcwiseError,
    ArcwiseWarning,
    BDeu,
    Budget,
    Checkpoints,
    Constraints,
    Dag,
    Dataset,
    FormatError,
    Improvement,
    Iterated,
    LocalScore,
    Memetic,
    OrdersOnTable,
    ParameterError,
    ParentSets,
    Perturbation,
    Restarts,
    Result,
    Status,
    Stop,
    learn,
    load_example,
    read_run,
    select,
    write_run,
)
from arcwise.runs import checkpoints
from arcwise.runs.checkpoints import checksum, journal_of
from arcwise.runs.files import Run
from arcwise.runs.journal import Found, Used
from arcwise.runs.provenance import RunLimits, Task
from arcwise.search.orders import Strategy
from arcwise.search.orders.climber import ClimberState, StrategyState
from arcwise.search.orders.climbs import Optimum
from arcwise.search.orders.tables import SelectedOrders
from arcwise.search.registry import SEARCHES
from arcwise.search.search import Problem, options_of, run_journaled, run_search, task_of
from arcwise.support.fields import Fields
from json_damage import damaged
from short_searches import SHORT
from tables import dependent_table

SEVEN = (2, 3, 2, 3, 2, 2, 3)


def alarm() -> Dataset:
    return load_example("alarm").sample(300, seed=1)


def same(one: Result, other: Result) -> None:
    """What does not depend on the clock is the same, scores up to the rounding of sums in another order."""
    assert (one.dag, one.seed, one.status) == (other.dag, other.seed, other.status)
    assert one.score == pytest.approx(other.score, rel=1e-12)
    for counter in one.counters.keys() - {"evaluations", "cache_hits", "tests", "pairs"}:  # neighbours are found anew
        assert one.counters[counter] == other.counters[counter], counter
    assert [(found.dag, found.climbs) for found in one.optima] == [(found.dag, found.climbs) for found in other.optima]


# A run in two parts is the same as one in one part


WALKS = [
    ("greedy", {}),
    ("greedy", {"random_start": True}),
    ("greedy", {"kick": 3}),
    ("sgs3", {}),
    ("tabu", {"patience": 5}),
    ("kes", {"k": 0.3}),
    ("xges", {}),
    ("mmhc", {}),
]


@pytest.mark.parametrize(("method", "options"), WALKS)
def test_more_climbs_later_are_the_same_as_all_at_once(method: str, options: dict[str, Any], tmp_path: Path) -> None:
    data, path = alarm(), tmp_path / "run.json"
    options = {"method": method, "workers": 1, **options}  # several round differently, and ties are then broken anew
    learn(data, climbs=3, seed=1, checkpoint=path, **options)
    parts = learn(data, climbs=8, checkpoint=path, resume=True, **options)
    whole = learn(data, climbs=8, seed=1, **options)
    same(parts, whole)
    assert [point.score for point in parts.trace][-1] == pytest.approx(parts.score, rel=1e-12)


# What a part of a run counts from 0, to be added up; and what is true of the end alone. All else goes climb by climb.
WORK = {"evaluations", "cache_hits", "tests", "pairs", "rounds", "nodes", "solver_rows"}
STATE = {"sets", "sets_left", "edges", "groups", "bytes"}


@pytest.mark.parametrize("method", [*SEARCHES, "integer programming"])
def test_counters_are_those_of_all_parts(method: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if method == "integer programming":
        monkeypatch.setattr("arcwise.search.exact.front._QUICK_BYTES", 0)
        method = "exact"
    data, path = load_example("child").sample(200, seed=1), Checkpoints(tmp_path / "run.json", every=0.0)
    limits = {"climbs": 4, "stop": Stop(climbs=15)}
    taken = options_of(type(SEARCHES[method]))
    options: dict[str, Any] = {"workers": 1, **{name: limit for name, limit in limits.items() if name in taken}}
    whole = learn(data, method=method, seed=1, **options)
    last: list[Result] = []

    def noted(*arguments: Any, **keywords: Any) -> Result:
        last.append(run_search(*arguments, **keywords))
        return last[-1]

    monkeypatch.setattr(import_module("arcwise.search.search"), "run_search", noted)
    half = whole.counters["evaluations"] // 2
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # tests of independence that were cut short
        parts = [learn(data, method=method, seed=1, evaluation_limit=half, checkpoint=path, **options)]
    parts += [learn(data, method=method, checkpoint=path, resume=True, **options) for _ in range(2)]
    assert len(last) == 3
    for counter in {name for part in last for name in part.counters}:
        alone = [part.counters.get(counter, 0) for part in last]
        for number, part in enumerate(parts):
            if counter in WORK:
                assert part.counters[counter] == sum(alone[: number + 1]), counter
            elif counter in STATE:
                assert part.counters[counter] == alone[number], counter
            elif number > 0:
                assert part.counters[counter] == whole.counters[counter], counter


def test_counters_outlive_a_kill_in_the_second_part(tmp_path: Path) -> None:
    """A part that is killed has no result; what its checkpoint says of the parts before must stay."""
    data, path = alarm(), Checkpoints(tmp_path / "run.json", every=0.0)
    first = learn(data, method="mmhc", seed=1, climbs=2, workers=1, checkpoint=path)

    journal = journal_of(path, True, Task(data, LocalScore(data).total, first.provenance))
    found = Found(first.dag.parent_indices, first.score)
    journal.note("greedy", found, lambda: None, Used(first.seconds + 1, first.counters["evaluations"] + 10))
    killed = read_run(path.path).result
    assert killed.status is Status.INTERRUPTED
    assert killed.counters["evaluations"] == first.counters["evaluations"] + 10
    assert killed.counters["tests"] == first.counters["tests"] > 0
    assert killed.counters["cache_hits"] == first.counters["cache_hits"]


@pytest.fixture(scope="module")
def table() -> ParentSets:
    return select(LocalScore(load_example("child").sample(500, seed=1), "bic"), method="greedy").sets


def search(
    table: ParentSets,
    path: Path | None,
    strategy: Strategy,
    *,
    resume: bool = False,
    workers: int | None = None,
    on_improvement: Callable[[Improvement], object] | None = None,
    **options: Any,
) -> Result:
    searched, problem = OrdersOnTable(strategy, **options), Problem(table)
    journal = journal_of(path and Checkpoints(path, every=0.0), resume, task_of(searched, problem, 1, RunLimits()))
    return run_journaled(searched, problem, Budget(journal=journal), workers=workers, on_improvement=on_improvement)


Whole = Callable[[Strategy, int], Result]


@pytest.fixture(scope="module")
def whole(table: ParentSets) -> Whole:
    """Searches in one part, by strategy and number of climbs: each is made once."""
    known: dict[tuple[str, int], Result] = {}

    def made(strategy: Strategy, climbs: int) -> Result:
        if (strategy.name, climbs) not in known:
            known[strategy.name, climbs] = search(table, None, strategy, stop=Stop(climbs=climbs))
        return known[strategy.name, climbs]

    return made


SMALL = Memetic(population=5, crossovers=4, mutations=3, look_back=3, least_change=2.0, kept=1, reunion=2)
STRATEGIES = [
    Restarts(batch=5),
    Iterated(chains=3, patience=2, steps=4),
    SMALL,
    Annealing(chains=3, steps=4),
    Perturbation(chains=3, steps=4),
]


@pytest.mark.parametrize("strategy", STRATEGIES, ids=lambda strategy: strategy.name)
@pytest.mark.parametrize("climbs", [1, 20, 57])
def test_order_search_in_parts_is_the_same_as_in_one(
    strategy: Strategy, climbs: int, table: ParentSets, whole: Whole, tmp_path: Path
) -> None:
    path = tmp_path / "run.json"
    search(table, path, strategy, stop=Stop(climbs=climbs))
    search(table, path, strategy, stop=Stop(climbs=climbs + 9), resume=True)
    parts = search(table, path, strategy, stop=Stop(climbs=90), resume=True)
    same(parts, whole(strategy, 90))


@pytest.mark.parametrize("strategy", STRATEGIES, ids=lambda strategy: strategy.name)
def test_order_search_that_was_interrupted_anywhere_ends_the_same(
    strategy: Strategy, table: ParentSets, tmp_path: Path
) -> None:
    whole = search(table, None, strategy, stop=Stop(climbs=80))
    path = tmp_path / "run.json"
    cut = search(table, path, strategy, stop=Stop(climbs=80), on_improvement=lambda point: True)
    assert cut.status is Status.INTERRUPTED
    resumed = search(table, path, strategy, stop=Stop(climbs=80), resume=True)
    assert resumed.score >= cut.score
    assert resumed.score >= whole.score
    assert resumed.counters["climbs"] == whole.counters["climbs"]


@pytest.mark.parametrize("strategy", STRATEGIES, ids=lambda strategy: strategy.name)
def test_file_of_any_moment_is_enough_to_end_the_same(
    strategy: Strategy, table: ParentSets, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every file that was ever written is what a kill at that moment would have left."""
    path, files = tmp_path / "run.json", []

    def kept(*arguments: Any) -> None:
        write_run(*arguments)
        files.append(path.read_bytes())

    monkeypatch.setattr("arcwise.runs.checkpoints.write_run", kept)
    whole = search(table, path, strategy, stop=Stop(climbs=40), workers=2)
    moments = list(files)
    assert len(moments) > 40
    for moment in moments[::10]:
        path.write_bytes(moment)
        same(search(table, path, strategy, stop=Stop(climbs=40), resume=True), whole)


# What every method keeps


@pytest.mark.parametrize("method", list(SEARCHES))
def test_every_method_leaves_a_run_that_can_be_read_and_resumed(method: str, tmp_path: Path) -> None:
    data, path = dependent_table(arities=SEVEN), tmp_path / "run.json"
    first = learn(data, method=SHORT[method], seed=1, checkpoint=path)
    run = read_run(path)
    assert (run.result.dag, run.result.score, run.result.status) == (first.dag, first.score, first.status)
    assert run.data is not None
    assert (run.data.n_rows, run.data.arities) == (data.n_rows, SEVEN)
    second = learn(data, method=SHORT[method], checkpoint=path, resume=True)
    assert second.score >= first.score
    assert second.seed == 1
    assert second.seconds >= first.seconds
    assert second.counters["evaluations"] >= first.counters["evaluations"]
    scores = [point.score for point in second.trace]
    assert scores == sorted(set(scores))
    assert [point.score for point in first.trace] == scores[: len(first.trace)]
    assert scores[-1] == pytest.approx(second.score)


def test_time_that_was_used_counts(tmp_path: Path) -> None:
    data, path = alarm(), tmp_path / "run.json"
    first = learn(data, method="orders", stop=Stop(climbs=30), seed=1, checkpoint=path)
    content = json.loads(path.read_text())
    content["checkpoint"]["used"]["seconds"] = 5000.0  # as if it had taken so long
    content["checkpoint"]["checksum"] = checksum(content["checkpoint"])
    path.write_text(json.dumps(content))
    again = learn(data, method="orders", time_limit=5000.0, checkpoint=path, resume=True)
    assert again.status is Status.TIME_LIMIT
    assert again.counters["climbs"] <= first.counters["climbs"] + 100  # those of a batch, which was cut short at once
    path.write_text(json.dumps(content))
    stop = Stop(climbs=90)
    longer = learn(data, method="orders", stop=stop, time_limit=9000.0, checkpoint=path, resume=True)
    assert (longer.status, longer.counters["climbs"]) == (Status.LOCAL_OPTIMUM, 90)
    assert 5000 < longer.seconds < 9000
    assert longer.score >= first.score
    assert all(point.seconds > 5000 for point in longer.trace[len(first.trace) :])


def test_evaluations_that_were_used_count(tmp_path: Path) -> None:
    data, path = alarm(), tmp_path / "run.json"
    first = learn(data, method="greedy", evaluation_limit=700, seed=1, checkpoint=path)
    assert first.status is Status.EVALUATION_LIMIT
    again = learn(data, method="greedy", evaluation_limit=700, checkpoint=path, resume=True)
    assert again.status is Status.EVALUATION_LIMIT
    assert again.score >= first.score


@pytest.mark.parametrize("method", [name for name, search in SEARCHES.items() if isinstance(search, SelectedOrders)])
def test_search_on_selected_sets_resumes_where_fewer_sets_are_selected(method: str, tmp_path: Path) -> None:
    file = tmp_path / "run.json"
    first = learn(alarm(), method=method, evaluation_limit=3000, stop=Stop(climbs=30), seed=1, checkpoint=file)
    both = learn(alarm(), method=method, evaluation_limit=3300, stop=Stop(climbs=60), checkpoint=file, resume=True)
    assert both.counters["climbs"] == 60
    assert both.score >= first.score
    assert both.bound is not None
    assert both.bound >= both.score
    assert both.score == pytest.approx(LocalScore(alarm()).total(both.dag), rel=1e-12)


def test_planned_run_resumes_with_its_plan_whatever_the_limits(tmp_path: Path) -> None:
    file, data = tmp_path / "run.json", load_example("asia").sample(300, seed=1)
    first = learn(data, evaluation_limit=50, seed=1, checkpoint=file)
    both = learn(data, checkpoint=file, resume=True)  # more than enough for another plan
    assert both.method == first.method
    assert both.score == pytest.approx(learn(data, method="exact").score)


@pytest.mark.parametrize("name", ["asia", "alarm"])  # by dynamic and by integer programming
def test_exact_search_writes_its_graph_before_the_end(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file, data = tmp_path / "run.json", load_example(name).sample(300, seed=1)
    seen: list[Result] = []

    def write(run: Run, path: Path) -> None:
        write_run(run, path)
        seen.append(run.result)

    monkeypatch.setattr(checkpoints, "write_run", write)
    options: dict[str, Any] = {"method": "exact", "evaluation_limit": 20_000, "seed": 1}
    first = learn(data, checkpoint=Checkpoints(file, every=0.0), **options)
    assert seen[0].status is Status.INTERRUPTED
    assert all(result.score == pytest.approx(LocalScore(data).total(result.dag)) for result in seen)
    options["evaluation_limit"] = 20_100  # too few for the same sets
    both = learn(data, checkpoint=file, resume=True, **options)
    assert both.score >= first.score
    assert both.bound is not None
    assert both.bound >= both.score


def test_best_graph_of_a_climb_that_was_cut_short_is_not_lost(tmp_path: Path) -> None:
    data, path = alarm(), tmp_path / "run.json"
    first = learn(data, method="greedy", evaluation_limit=3000, seed=1, checkpoint=path)
    assert first.status is Status.EVALUATION_LIMIT
    again = learn(data, method="greedy", evaluation_limit=1, checkpoint=path, resume=True)
    assert again.score >= first.score
    assert LocalScore(data, "bic").total(again.dag) == pytest.approx(again.score)


def test_clean_up_and_bound_are_in_the_last_file(tmp_path: Path) -> None:
    data, path = dependent_table(), tmp_path / "run.json"
    result = learn(data, method="greedy", seed=1, checkpoint=path, clean_up=True, certify=5.0)
    read = read_run(path).result
    assert result.bound is not None
    assert (read.dag, read.bound, read.bound_for) == (result.dag, result.bound, result.bound_for)
    assert learn(data, method="greedy", checkpoint=path, resume=True).score >= result.score


def test_resume_without_a_file_begins_with_a_warning(tmp_path: Path) -> None:
    path = tmp_path / "run.json"
    with pytest.warns(ArcwiseWarning, match="there is no checkpoint"):
        learn(dependent_table(), method="greedy", seed=1, checkpoint=path, resume=True)
    assert path.exists()


def test_checkpoint_changes_nothing_about_the_result(tmp_path: Path) -> None:
    data = alarm()
    options = {"stop": Stop(climbs=100), "seed": 1, "certify": 0}  # a bound has what its time allows
    kept = learn(data, checkpoint=Checkpoints(tmp_path / "run.json", every=0.0), **options)  # type: ignore[arg-type]
    same(kept, learn(data, **options))  # type: ignore[arg-type]


# What is refused, with the file left as it is


@pytest.fixture
def checkpoint(tmp_path: Path) -> Path:
    """A checkpoint of a greedy search."""
    path = tmp_path / "run.json"
    learn(dependent_table(), method="greedy", climbs=2, seed=1, checkpoint=path)
    return path


def weighted(data: Dataset) -> Dataset:
    return Dataset.from_codes(data.codes, names=data.names, states=data.states, weights=[2] * data.n_rows)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"resume": False}, "is there already; resume it (resume=True) or give another name"),
        ({"data": dependent_table(seed=5)}, "is of other data (300 rows of 5 variables; now 300 rows of 5 variables)"),
        ({"data": dependent_table(n_rows=20)}, "now 20 rows of 5 variables"),
        ({"data": weighted(dependent_table())}, "is of other data"),
        ({"score": "bdeu"}, "has the score BIC, not BDeu(ess=1)"),
        ({"score": BDeu(ess=10)}, "has the score BIC, not BDeu(ess=10"),
        ({"method": "tabu"}, "has the method greedy, not tabu"),
        ({"method": "orders", "stop": Stop(climbs=5)}, "has the method greedy, not orders"),
        ({"seed": 2}, "has the seed 1, not 2"),
        (
            {"constraints": Constraints(max_parents=1)},
            "has the constraints none, not at most 1 parents",
        ),
        ({"start": Dag(dependent_table().names)}, "has the start none, not the graph without arcs"),
        ({"kick": 2}, "has the option kick 0, not 2"),
        ({"resume": "yes"}, "resume must be True or False"),
    ],
)
def test_checkpoint_of_another_run_is_refused(change: dict[str, Any], words: str, checkpoint: Path) -> None:
    before = checkpoint.read_bytes()
    options = {"data": dependent_table(), "method": "greedy", "checkpoint": checkpoint, "resume": True, **change}
    with pytest.raises(ParameterError) as caught:
        learn(**options)
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)
    assert checkpoint.read_bytes() == before
    assert [path.name for path in checkpoint.parent.iterdir()] == ["run.json"]


def cut(content: bytes) -> bytes:
    return content[: len(content) // 2]


def newer(content: bytes) -> bytes:
    return content.replace(b'"version": 1', b'"version": 2', 1)


def edited(content: bytes) -> bytes:
    whole = json.loads(content)
    whole["checkpoint"]["used"]["evaluations"] += 1
    return json.dumps(whole).encode()


def boastful(content: bytes) -> bytes:
    whole = json.loads(content)
    whole["checkpoint"]["best"]["score"] += 100.0
    whole["checkpoint"]["checksum"] = checksum(whole["checkpoint"])
    return json.dumps(whole).encode()


@pytest.mark.parametrize(
    ("damage", "words"),
    [
        (cut, "not JSON, or it was cut off"),
        (lambda content: b"", "not JSON, or it was cut off"),
        (lambda content: b"a,b\n0,1\n", "not JSON"),
        (lambda content: b"\x89PNG\xff", "not UTF-8"),
        (lambda content: b'{"nodes": []}', "not a run of arcwise"),
        (newer, "version 2, this arcwise reads 1"),
        (edited, "checksum"),
        (boastful, "but its graph scores"),
    ],
)
def test_damaged_and_foreign_files_are_refused(damage: Callable[[bytes], bytes], words: str, checkpoint: Path) -> None:
    checkpoint.write_bytes(damage(checkpoint.read_bytes()))
    before = checkpoint.read_bytes()
    with pytest.raises(FormatError) as caught:
        learn(dependent_table(), method="greedy", checkpoint=checkpoint, resume=True)
    message = str(caught.value)
    assert words in message
    assert message.startswith(str(checkpoint))
    assert message.endswith("the file stays as it is, give another name for a new checkpoint")
    assert caught.value.path == str(checkpoint)
    assert checkpoint.read_bytes() == before


def test_a_run_without_a_checkpoint_cannot_be_resumed(tmp_path: Path) -> None:
    data = dependent_table()
    write_run(learn(data, method="greedy", seed=1), tmp_path / "run.json")
    with pytest.raises(ParameterError, match="without a checkpoint"):
        learn(data, method="greedy", checkpoint=tmp_path / "run.json", resume=True)


KINDS: list[tuple[str, dict[str, Any], dict[str, Any]]] = [
    ("orders", {"strategy": SMALL, "stop": Stop(climbs=16)}, {"strategy": SMALL, "stop": Stop(climbs=30)}),
    ("kes", {"climbs": 3}, {"climbs": 4}),
]


@pytest.mark.parametrize(("method", "first", "second"), KINDS)
def test_any_damage_is_refused_or_harmless_even_with_a_new_checksum(
    method: str, first: dict[str, Any], second: dict[str, Any], tmp_path: Path
) -> None:
    data, path = dependent_table(n_rows=50), tmp_path / "run.json"
    learn(data, method=method, seed=1, checkpoint=path, **first)
    whole = json.loads(path.read_text())
    refused = 0
    for number, (_, content) in enumerate(damaged(whole["checkpoint"], items=1)):
        if number % 3:  # one in three is enough for a test
            continue
        content["checksum"] = checksum(content)
        path.write_text(json.dumps({**whole, "checkpoint": content}))
        before = path.read_bytes()
        try:
            learn(data, method=method, checkpoint=path, resume=True, **second)
        except ArcwiseError:
            refused += path.read_bytes() == before
        else:
            assert read_run(path).result.dag.n_nodes == data.n_variables
    assert refused > 100


# Where files cannot be written


@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("missing/run.json", "the folder of the checkpoint missing/run.json does not exist; make it first"),
        ("/proc/run.json", "cannot be written"),
        (".", "is a folder; give the name of a file"),
        ("", "checkpoint must be the name of a file"),
        (3, "checkpoint must be the name of a file or a Checkpoints, not 3"),
    ],
)
@pytest.mark.usefixtures("in_empty_folder")
def test_places_for_no_file_are_refused_before_the_start(path: Any, words: str) -> None:
    with pytest.raises(ParameterError) as caught:
        learn(dependent_table(), checkpoint=path, on_improvement=lambda point: pytest.fail("the search has begun"))
    assert words in str(caught.value)


def test_resume_needs_a_checkpoint() -> None:
    with pytest.raises(ParameterError, match="resume needs a checkpoint"):
        learn(dependent_table(), resume=True)


@pytest.mark.parametrize("every", [-1.0, float("nan"), "often"])
def test_wrong_intervals_are_refused(every: Any) -> None:
    with pytest.raises(ParameterError, match="every"):
        Checkpoints("run.json", every=every)


def test_full_disk_warns_once_and_the_run_continues(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    data, path = alarm(), tmp_path / "run.json"
    tried = []

    def full(*arguments: object) -> None:
        tried.append(arguments)
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched, warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        patched.setattr("arcwise.runs.checkpoints.write_run", full)
        kept = learn(data, stop=Stop(climbs=60), certify=0, seed=1, checkpoint=Checkpoints(path, every=0.0))
    assert len(tried) > 10
    assert [str(warning.message) for warning in caught if warning.category is ArcwiseWarning] == [
        f"the checkpoint {path} could not be written ([Errno 28] No space left on device); the run continues"
    ]
    same(kept, learn(data, stop=Stop(climbs=60), certify=0, seed=1))
    assert list(tmp_path.iterdir()) == []


def test_errors_of_a_callback_leave_the_last_checkpoint(tmp_path: Path) -> None:
    data, path = alarm(), tmp_path / "run.json"
    heard = []

    def fail(point: object) -> None:
        heard.append(point)
        if len(heard) == 5:
            raise RuntimeError("out of ideas")

    with pytest.raises(RuntimeError, match="out of ideas"):
        learn(data, seed=1, checkpoint=Checkpoints(path, every=0.0), on_improvement=fail, workers=1)
    if path.exists():
        best = read_run(path).result
        assert learn(data, stop=Stop(climbs=30), checkpoint=path, resume=True).score >= best.score


def test_what_an_order_search_remembers_comes_back_as_it_was() -> None:
    rng = np.random.default_rng(3)
    rng.integers(10, size=7, dtype=np.uint32)  # leaves half of a drawn number for the next one
    optimum = Optimum(np.array([2, 0, 1]), [[2], [0, 2], []], -1.5, float("-inf"), 4, True)
    state = StrategyState({"population": [optimum]}, {"averages": (-1.1, float("-inf"))})
    noted = ClimberState(5, 6, 7, optimum, rng.bit_generator.state, state)
    back = ClimberState.of_json(Fields(json.loads(json.dumps(noted.as_json()))), 3)
    assert replace(back, best=None, strategy=None) == replace(noted, best=None, strategy=None)
    assert back.strategy is not None
    assert back.strategy.numbers == state.numbers
    for one in (back.best, back.strategy.optima["population"][0]):
        assert one is not None
        assert one.order.tolist() == [2, 0, 1]
        assert (one.parents, one.score, one.start_score, one.moves, one.is_feasible) == (
            [[2], [0, 2], []],
            -1.5,
            float("-inf"),
            4,
            True,
        )
    other = np.random.default_rng(0)
    other.bit_generator.state = back.rng
    assert (
        other.integers(2**32, size=9, dtype=np.uint32).tolist() == rng.integers(2**32, size=9, dtype=np.uint32).tolist()
    )
