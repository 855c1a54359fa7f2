"""Benchmarks of many variables, on few: what they make, measure and tell."""

import json
import xml.etree.ElementTree as ET
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from arcwise import LocalScore, Result, learn, load_example
from benchmarks import anytime_curves, large, sizes
from benchmarks.apart import Measured
from benchmarks.large import METHODS, Anytime, Source, best_at, points_of, print_anytime, sized, tiled
from experiments.kept import Kept

NAME = "random 20"


@pytest.fixture
def here(monkeypatch: pytest.MonkeyPatch) -> None:
    """Searches are done in this process, and not one after the other in one of their own."""

    def measure(prepare: Callable[..., Callable[[], Result]], *arguments: Any, limit: float) -> Measured[Result]:
        assert limit > 0
        return Measured(prepare(*arguments)(), 1.0, 100.0)

    monkeypatch.setattr(large, "measure_apart", measure)


@pytest.fixture
def source(tmp_path: Path) -> Source:
    return Source(tmp_path / "no data here", tmp_path)


def test_copies_are_the_network_and_some_roots_have_a_parent_in_the_copy_before() -> None:
    asia = load_example("asia")
    network, n = tiled(asia, 4, seed=1), asia.dag.n_nodes
    assert network.dag.n_nodes == 4 * n
    for node, parents in enumerate(network.dag.parent_indices):
        copy, original = divmod(node, n)
        of_original = [n * copy + parent for parent in asia.dag.parent_indices[original]]
        if of_original or copy == 0:
            assert list(parents) == of_original
            assert (network.tables[node] == asia.tables[original]).all()
        else:
            assert len(parents) <= 1
            assert all(parent // n == copy - 1 for parent in parents)
    n_joined = network.dag.n_arcs - 4 * asia.dag.n_arcs
    assert n_joined == 3 * min(large.JOINED_ROOTS, sum(not row for row in asia.dag.parent_indices))


def test_the_widest_table_has_fewer_rows() -> None:
    assert list(sized([2000, 100_000], ["alarm"])) == [
        ("random 2,000", 5000),
        ("random 100,000", 1000),
        ("alarm × 100", 5000),
    ]


def test_a_case_keeps_its_table_and_the_graph_it_was_drawn_from(source: Source) -> None:
    case = source.case(NAME, 50)
    data = case.data()
    assert (data.n_rows, data.n_variables) == (50, 20)
    assert case.truth is not None
    assert case.truth.names == data.names
    assert case.truth.n_arcs == 30


def test_sizes_are_printed_with_what_was_found(source: Source, here: None, capsys: pytest.CaptureFixture[str]) -> None:
    large.print_sizes(source, [20], [], limit=0.0)
    *_, row = capsys.readouterr().out.splitlines()
    name, rows, score, method, seconds, megabytes, above, precision, recall = row.split(" | ")
    assert (name, rows, score, method, seconds, megabytes) == (NAME, "5,000", "BIC", "ges", "1.0", "100")
    case = source.case(NAME)
    found = learn(case.data(), method="ges", seed=1)
    assert case.truth is not None
    difference = found.score - LocalScore(case.data()).total(case.truth)
    assert float(above) == pytest.approx(difference / 20, abs=5e-4)
    assert 0 < float(precision) <= 1
    assert 0 < float(recall) <= 1


def test_a_search_that_does_not_end_is_told(
    source: Source, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(large, "measure_apart", lambda *_, limit: None)
    large.print_sizes(source, [20], [], limit=0.0)
    assert capsys.readouterr().out.splitlines()[-1] == f"{NAME} | 5,000 | ges: not done"
    with pytest.raises(RuntimeError, match="ges on random 20 was not done in time"):
        list(Anytime(source, [0.1], [1], Kept(None)).of(NAME))


def test_points_are_the_trace_and_its_end() -> None:
    result = learn(load_example("asia").sample(300, seed=1), method="greedy", seed=1)
    points = points_of(result)
    assert points[-1][1] == result.score
    assert [score for _, score in points] == sorted(score for _, score in points)
    assert best_at(points, np.inf) == result.score
    assert best_at(points, -1.0) == -np.inf
    assert best_at([(1.0, -9.0), (2.0, -5.0), (3.0, -4.0)], 2.5) == -5.0


def test_all_methods_run_and_are_kept(source: Source, here: None, tmp_path: Path) -> None:
    file = tmp_path / "runs.jsonl"
    (found,) = Anytime(source, [0.2], [1, 2], Kept(file)).of(NAME)
    assert found[0] == 0.2
    assert found[1].keys() == set(METHODS)
    lines = [json.loads(line)["part"] for line in file.read_text().splitlines()]
    of_default = [(line["method"], line["seed"]) for line in lines if line["method"] == "default"]
    assert of_default == [("default", 1), ("default", 2)]
    assert [line["seed"] for line in lines if line["method"] == "ges"] == [1]


def test_where_the_default_is_behind_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    class Given(Anytime):
        def of(self, name: str) -> Iterator[tuple[float, dict[str, float]]]:
            scores = dict(zip(METHODS, (-100.0, -101.0, -100.0, -99.0, -100.0 + 1e-8), strict=True))
            yield 2.0, scores

    given = Given(Source(Path(), Path()), [2.0], [1], Kept(None))
    print_anytime(given, ["plants"])
    *_, row, told, behind = capsys.readouterr().out.splitlines()
    assert row == "plants | 2 | -100.0 | 1.0 | 0.0 | -1.0 | -0.0"
    assert told == "behind in 1 of 4 comparisons"
    assert behind == "plants after 2 s: 1.00 behind greedy, 1.0000%"


@pytest.fixture
def results(tmp_path: Path) -> Path:
    file = tmp_path / "runs.jsonl"
    runs = [
        ({"table": "plants", "method": method, "seconds": seconds, "seed": seed}, [[0.1, -200.0], [seconds, last]])
        for place, method in enumerate(METHODS)
        for seconds, seed, last in ((2.0, 1, -150.0), (10.0, 2, -50.0), (10.0, 1, -100.0 - place))
    ]
    file.write_text("".join(json.dumps({"part": part, "found": found}) + "\n" for part, found in runs))
    return file


def test_curves_are_of_the_longest_run_with_the_first_seed(results: Path) -> None:
    runs = anytime_curves.runs_of(results)
    assert [tuple(point) for point in runs["plants"][METHODS[2]]] == [(0.1, -200.0), (10.0, -102.0)]


def test_thinned_points_are_apart_and_have_both_ends() -> None:
    points = [(1.0 + 0.01 * i, float(i)) for i in range(101)]
    shown = anytime_curves.thinned(points)
    assert (shown[0], shown[-1]) == (points[0], points[-1])
    assert all(later[0] > 1.1 * earlier[0] for earlier, later in pairwise(shown[:-1]))
    assert len(shown) < 12


def test_the_picture_has_a_panel_for_each_table(results: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    picture = tmp_path / "curves.svg"
    monkeypatch.setattr("sys.argv", ["curves", str(results), str(picture), "--tables", "plants"])
    anytime_curves.main()
    words = "".join(ET.parse(picture).getroot().itertext())
    assert "plants" in words
    assert all(method in words for method in METHODS)


def test_everything_around_a_search_works_on_few_nodes(tmp_path: Path) -> None:
    names = []
    for name, work in sizes.operations(20, tmp_path):
        work()
        names.append(name)
    assert len(set(names)) == len(names) == 13
    assert {path.suffix for path in tmp_path.iterdir()} == {".bif", ".csv", ".json", ".html"}


@pytest.mark.skipif(not Path("/proc/self/clear_refs").exists(), reason="memory is read from /proc")
def test_memory_is_what_the_work_takes_beyond_what_was_there() -> None:
    seconds, megabytes = sizes.measured(lambda: np.ones(8_000_000))
    assert seconds >= 0
    assert megabytes > 30  # 64, of which some may be memory that was free before
