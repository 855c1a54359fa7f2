from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import pytest

from arcwise import (
    Constraints,
    Dag,
    Dataset,
    Provenance,
    Result,
    Run,
    Scope,
    Status,
    learn,
    load_example,
    read_run,
    write_run,
)
from arcwise.report.content import content_of
from arcwise.runs.result import Improvement
from arcwise.runs.result_views import scope_of, seconds_of, time_of

HOSTILE = "<script>alert(1)</script>"


class Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.seen: list[str] = []
        self.text = ""

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.seen.append(tag)

    def handle_data(self, data: str) -> None:
        self.text += data


def test_text_says_what_there_is() -> None:
    result = learn(load_example("asia").sample(1000, seed=1), seed=3)
    lines = repr(result).splitlines()
    assert lines[0] == "Result"
    assert f"{result.dag.n_arcs} arcs over 8 variables" in lines[1]
    assert f"{result.score:,.3f}" in lines[2]
    assert any("at most 0.000" in line and "all graphs" in line for line in lines)
    assert any("seed" in line and "3" in line for line in lines)
    parent, child = result.dag.arcs[0]
    assert f"{parent} → {child}" in lines[-1]


@pytest.mark.parametrize(
    ("seconds", "shown"),
    [
        (0.0, "0 s"),
        (0.0000123, "0.0123 ms"),
        (0.0212, "21.2 ms"),
        (0.99949, "999 ms"),
        (0.9996, "1 s"),
        (1.0, "1 s"),
        (5.007, "5.01 s"),
        (59.96, "60 s"),
        (999.6, "1,000 s"),
        (36_000.4, "36,000 s"),
    ],
)
def test_times_have_three_digits_and_the_unit_that_suits_them(seconds: float, shown: str) -> None:
    assert seconds_of(seconds) == shown


def bounded(scope: Scope, sets: int, score: float = -100.0, bound: float = -99.0) -> Result:
    counters = {"evaluations": 7, "certified_sets": sets}
    provenance = Provenance("orders", 0)
    found = Result(Dag(["a"]), score, Status.LOCAL_OPTIMUM, provenance, 0.319, counters, bound=bound, bound_for=scope)
    return replace(found, bound_seconds=4.2)


@pytest.mark.parametrize(
    ("scope", "sets", "words"),
    [
        (Scope.ALL_SETS, 2976, "all graphs"),
        (Scope.at_most(2), 2976, "all graphs with at most 2 parents per node; 2,976 parent sets"),
        (Scope.at_most(1), 1, "all graphs with at most 1 parent per node; 1 parent set"),
        (Scope.CANDIDATE_SETS, 2976, "graphs of the 2,976 candidate parent sets"),
        (Scope.CANDIDATE_SETS, 1, "graphs of the 1 candidate parent set"),
    ],
)
def test_parent_sets_are_not_called_graphs(scope: Scope, sets: int, words: str) -> None:
    result = bounded(scope, sets)
    assert scope_of(result) == words
    assert f"at most 1.000, 1.000 % better  ({words})" in repr(result)


def test_search_and_bound_have_their_own_seconds() -> None:
    result = bounded(Scope.ALL_SETS, 1)
    assert "orders, local optimum after 319 ms, then 4.2 s for the bound" in repr(result)
    assert "local optimum after 319 ms, then 4.2 s for the bound" in str(content_of(Run(result), title="a")["summary"])
    assert time_of(replace(result, bound_seconds=0.0)) == "319 ms"


def test_names_do_not_steer_the_terminal() -> None:
    names = ["two\nlines", "\x1b[31mred\x07", "größe"]
    result = Result(
        Dag(names, [(names[0], names[1]), (names[1], names[2])]), -1.0, Status.COMPLETE, Provenance("by hand", 0), 0.1
    )
    last = repr(result).split("\n")[-1]
    assert last.isprintable()
    assert r"two\nlines → \x1b[31mred\x07, \x1b[31mred\x07 → größe" in last


def test_a_run_that_was_read_names_its_score(tmp_path: Path) -> None:
    result = learn(load_example("cancer").sample(100, seed=1), seed=1)
    write_run(result, tmp_path / "run.json")
    assert "(BIC)" in repr(read_run(tmp_path / "run.json").result)


def test_names_are_text_in_html() -> None:
    data = Dataset.from_codes([[0, 0], [1, 1]] * 50, names=[HOSTILE, "b&<i>"])
    result = learn(data, constraints=Constraints(required=[(HOSTILE, "b&<i>")]))
    tags = Tags()
    tags.feed(result._repr_html_())
    assert not {"script", "i"} & set(tags.seen)
    assert f"{HOSTILE} → b&<i>" in tags.text


def test_empty_graph_and_score_zero() -> None:
    result = Result(Dag(["a", "b"]), 0.0, Status.COMPLETE, Provenance("greedy", 1), 0.0, bound=0.0)
    assert "0 arcs over 2 variables" in repr(result)
    assert "arcs  " not in repr(result).splitlines()[-1]
    assert "0 arcs" in result._repr_html_()


def test_trace_is_drawn_where_it_has_two_points() -> None:
    one = Improvement(0.1, 5, -10.0)
    result = Result(Dag(["a"]), -9.0, Status.COMPLETE, Provenance("greedy", 1), 0.0, trace=(one,))
    assert "<svg" not in result._repr_html_()
    more = (one, Improvement(0.3, 9, -9.0))
    assert (
        "<polyline" in Result(Dag(["a"]), -9.0, Status.COMPLETE, Provenance("greedy", 1), 0.0, trace=more)._repr_html_()
    )


def test_long_times_are_whole_seconds() -> None:
    result = Result(Dag(["a", "b"]), -1.0, Status.TIME_LIMIT, Provenance("orders", 0), 36_000.25)
    for text in (str(result), repr(result), result._repr_html_(), *_cards(result)):
        assert "e+" not in text
    assert "time limit after 36,000 s" in repr(result)
    assert "time limit after 36,000 s" in _cards(result)


def _cards(result: Result) -> list[str]:
    return [note for *_, note in content_of(Run(result), title="")["summary"]]
