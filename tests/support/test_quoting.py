"""Messages stay short, whatever they quote."""

import pytest

from arcwise import Constraints, Dag, Dataset, learn
from arcwise.support.arguments import count
from arcwise.support.errors import ArcwiseError, FormatError, ParameterError
from arcwise.support.quoting import chained, cut, listed, quoted, shown_path


def test_short_values_are_as_python_writes_them() -> None:
    for value in ("a", "it's", 'two\n"lines"', 3, -1.5, None, [1, "a"], ("a", "b"), {"a": 1}, b"x"):
        assert quoted(value) == repr(value)


def test_long_values_are_cut() -> None:
    for value in ("a" * 10**6, "\0" * 10**6, "\U0001f600" * 10**4, list(range(10**5)), 10**10000, {"a": "b" * 10**5}):
        assert len(quoted(value)) <= 200
    assert quoted("a" * 100, most=3) == "'aaa…' (100 characters)"


def test_values_that_cannot_be_written_out_are_named_by_their_type() -> None:
    class Odd:
        def __repr__(self) -> str:
            raise RuntimeError

    nested: list[object] = []
    for _ in range(100_000):
        nested = [nested]
    assert quoted(Odd()) == "a value of type Odd"
    assert quoted(nested) == "a value of type list"
    assert quoted([10**5000]) == "a value of type list"


def test_lists_show_the_first_and_count_the_rest() -> None:
    assert listed(["a", "b", "c"]) == "'a', 'b', 'c'"
    assert listed([f"v{i}" for i in range(12)]).endswith("'v9' and 2 more")
    assert listed(["x" * 70] * 9) == ", ".join([repr("x" * 70)] * 4) + " and 5 more"
    assert listed([]) == ""


def test_chains_keep_both_ends() -> None:
    assert chained(["a", "b", "a"]) == "'a' -> 'b' -> 'a'"
    long = chained([*(f"n{i}" for i in range(1000)), "n0"])
    assert long.startswith("'n0' -> 'n1' -> ")
    assert long.endswith("more … -> 'n0'")
    assert len(long) < 500
    assert chained("abc", most=2) == "'a' -> … 1 more … -> 'c'"


def test_paths_lose_their_middle() -> None:
    assert shown_path("a/b.csv") == "a/b.csv"
    assert len(shown_path("/very" * 500 + "/long.csv")) == 300
    assert shown_path("/very" * 500 + "/long.csv").endswith("/long.csv")
    assert cut("x" * 10, 4) == "xxxx…"


LONG = "n" * 100_000
MANY = [f"variable_number_{i}" for i in range(5000)]


@pytest.mark.parametrize(
    "wrong",
    [
        lambda: Dag([LONG, LONG]),
        lambda: Dag([LONG], [(LONG, LONG)]),
        lambda: Dag(["a"]).parents(LONG),
        lambda: Dag(MANY).parents("none"),
        lambda: Dag(MANY, list(zip(MANY, [*MANY[1:], MANY[0]], strict=True))),
        lambda: Dag(MANY).is_d_separated(MANY, MANY),
        lambda: Constraints(required=list(zip(MANY, [*MANY[1:], MANY[0]], strict=True))),
        lambda: Constraints(required=[(name, "hub") for name in MANY]).checked_start(
            [*MANY, "hub"], Dag([*MANY, "hub"])
        ),
        lambda: Constraints(tiers=[[LONG], [LONG]]),
        lambda: Dataset.from_array([[0, 1]], names=[LONG, LONG]),
        lambda: Dataset.from_frame({LONG: [1.5, None]}),
        lambda: learn(Dataset.from_array([[0, 1], [1, 0]]), method=LONG),
        lambda: learn(Dataset.from_array([[0, 1], [1, 0]]), seed=LONG),  # type: ignore[arg-type]
        lambda: count("climbs", -(10**5000)),
        lambda: count("climbs", 10**5000),
        lambda: Dataset.from_file("none." + LONG[:200], separator=LONG),
    ],
)
def test_no_message_is_long(wrong, tmp_path, monkeypatch) -> None:  # type: ignore[no-untyped-def]
    monkeypatch.chdir(tmp_path)
    (tmp_path / ("none." + LONG[:200])).write_text("a,b\n")
    with pytest.raises(ArcwiseError) as caught:
        wrong()
    assert len(str(caught.value)) <= 1000


def test_an_error_keeps_its_whole_path() -> None:
    path = "/folder" * 200 + "/x.bif"
    error = FormatError("no", path=path, line=3)
    assert error.path == path
    assert len(str(error)) < 400
    assert issubclass(ParameterError, ArcwiseError)
