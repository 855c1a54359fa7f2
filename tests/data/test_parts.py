"""Tables in parts give what the table read at once gives."""

import gzip
import re
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

from arcwise import Dataset, LocalScore, learn, load_example
from arcwise.cli import app
from arcwise.data import codes as codes_module
from arcwise.data import parts, row_store, streamed
from arcwise.data.codes import may_merge
from arcwise.support.errors import ArcwiseError, DataError, ParameterError

quiet = pytest.mark.filterwarnings("ignore::arcwise.ArcwiseWarning")


@pytest.fixture
def small_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parts, "_MOST_ROWS_AT_ONCE", 7)
    monkeypatch.setattr(parts, "_BYTES_AT_ONCE", 50)


def frame(n_rows: int = 60, seed: int = 1, *, gaps: bool = False) -> pl.DataFrame:
    rng = np.random.default_rng(seed)
    columns = {
        "ward": rng.choice([10, 9, 11], n_rows),
        "id": rng.choice([-5, 70_000, 3], n_rows),
        "sex": rng.choice(["m", "f"], n_rows),
        "bmi": rng.normal(25, 4, n_rows).round(2),
        "old": rng.random(n_rows) < 0.3,
        "dose": rng.integers(2, 5, n_rows).astype(np.float64),
        "times": rng.integers(0, 4, n_rows),
    }
    table = pl.DataFrame(columns).with_columns(
        grade=pl.Series(rng.choice(["low", "high"], n_rows)).cast(pl.Enum(["low", "middle", "high"])),
        town=pl.Series(rng.choice(["Å", "b", "10"], n_rows)).cast(pl.Categorical),
    )
    if gaps:
        lacking = {name: pl.Series(rng.random(n_rows) < 0.1) for name in ("ward", "sex", "bmi", "old", "dose", "grade")}
        table = table.with_columns(pl.when(~mask).then(pl.col(name)).alias(name) for name, mask in lacking.items())
    return table


def in_files(folder: Path, table: pl.DataFrame, kind: str, cuts: tuple[int, ...] = (11, 12, 40)) -> Path:
    """Write the rows between cuts to files of their own, and the whole to another place."""
    inside = folder / "parts" / "deep"
    inside.mkdir(parents=True)
    for at, (begin, end) in enumerate(zip((0, *cuts), (*cuts, table.height), strict=True)):
        rows = table[begin:end]
        if kind == "parquet":
            rows.write_parquet(inside / f"{at}.parquet")
        elif kind == "csv.gz":
            (inside / f"{at}.csv.gz").write_bytes(gzip.compress(rows.write_csv().encode()))
        else:
            rows.write_csv(inside / f"{at}.{kind}", separator="\t" if kind == "tsv" else ",")
    (folder / "parts" / "_SUCCESS").write_text("what other programs leave")
    if kind == "parquet":
        table.write_parquet(folder / "whole.parquet")
    else:
        table.write_csv(folder / "whole.csv")
    return folder / "parts"


def read_at_once(folder: Path, kind: str, **options: Any) -> Dataset:
    return Dataset.from_file(folder / ("whole.parquet" if kind == "parquet" else "whole.csv"), **options)


OPTIONS: list[dict[str, Any]] = [
    {},
    {"weights": "times"},
    {"discretise": "quantile"},
    {"discretise": {"bmi": "width", "*": "adaptive"}, "max_states": 3},
    {"discretise": "quantile", "weights": "times"},
    {"states": {"sex": ["m", "x", "f"], "ward": ["11", "10", "9"]}},
    {"continuous": True},
    {"min_count": 18},
    {"min_count": {"sex": 20, "id": 25, "*": 24}, "weights": "times"},
    {"continuous": {"ward": True}, "max_states": 5},
    {"leave_out": ["id", "bmi"], "weights": "times"},
]


@quiet
@pytest.mark.usefixtures("small_pieces")
@pytest.mark.parametrize("kind", ["parquet", "csv"])
@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_parts_give_what_the_whole_gives(tmp_path: Path, kind: str, options: dict[str, Any]) -> None:
    folder = in_files(tmp_path, frame(), kind)
    whole = read_at_once(tmp_path, kind, **options)
    data = Dataset.of(folder, **options)
    assert data == whole
    assert data.steps == whole.steps
    assert data.codes.dtype == whole.codes.dtype


@quiet
@pytest.mark.usefixtures("small_pieces")
@pytest.mark.parametrize("kind", ["parquet", "csv", "tsv", "csv.gz"])
@pytest.mark.parametrize("missing", ["drop", "state", "keep"])
def test_missing_values(tmp_path: Path, kind: str, missing: Any) -> None:
    table = frame(gaps=True)
    table = table.drop("bmi") if missing == "state" else table
    folder = in_files(tmp_path, table, kind)
    whole = read_at_once(tmp_path, kind, missing=missing)
    data = Dataset.of(folder, missing=missing)
    assert data == whole
    assert data.steps == whole.steps


@pytest.mark.usefixtures("small_pieces")
@pytest.mark.parametrize("kind", ["parquet", "csv"])
def test_missing_values_are_refused_in_the_same_words(tmp_path: Path, kind: str) -> None:
    folder = in_files(tmp_path, frame(gaps=True), kind)
    with pytest.raises(DataError) as at_once:
        read_at_once(tmp_path, kind)
    with pytest.raises(DataError) as in_parts:
        Dataset.of(folder)
    assert str(in_parts.value) == str(at_once.value)


@pytest.mark.usefixtures("small_pieces")
def test_all_ways_to_name_parts(tmp_path: Path) -> None:
    table = frame().drop("times")
    folder = in_files(tmp_path, table, "parquet")
    whole = Dataset.of(table)
    files = sorted(folder.rglob("*.parquet"))
    assert Dataset.of(str(folder)) == whole
    assert Dataset.of(str(folder / "*" / "*.parquet")) == whole
    assert Dataset.of(str(folder / "**" / "?.parquet")) == whole
    assert Dataset.of(files) == whole
    assert Dataset.of([str(file) for file in files]) == whole
    assert Dataset.of(table.lazy()) == whole
    assert Dataset.of([table[:9].lazy(), table[9:].lazy()]) == whole
    assert Dataset.of(pl.scan_parquet(files)) == whole
    assert Dataset.of(files, like=whole) == whole


@pytest.mark.usefixtures("small_pieces")
def test_columns_in_another_order_and_of_other_widths(tmp_path: Path) -> None:
    pl.DataFrame({"a": [1, 2], "b": ["x", "y"]}).write_parquet(tmp_path / "1.parquet")
    pl.DataFrame({"b": ["x", "z"], "a": pl.Series([3.0, 1.0])}).write_parquet(tmp_path / "2.parquet")
    data = Dataset.of(tmp_path)
    assert data.states == (("1", "2", "3"), ("x", "y", "z"))
    assert data.codes.tolist() == [[0, 0], [1, 1], [2, 0], [0, 2]]


def test_types_of_text_are_those_of_all_parts(tmp_path: Path) -> None:
    (tmp_path / "1.csv").write_text("a,b,c\n1,1,1\n2,2,2\n")
    (tmp_path / "2.csv").write_text("a,b,c\n007,1.0,99999999999999999999\n1,10,1\n")
    data = Dataset.of(tmp_path)
    assert data.states == (("007", "1", "2"), ("1", "2", "10"), ("1", "2", "99999999999999999999"))


@pytest.mark.parametrize(
    ("files", "words"),
    [
        ({"1.csv": "a,b\n1,2\n", "2.csv": "a,c\n1,2\n"}, "2.csv lacks the column 'b'"),
        ({"1.csv": "a\n1\n", "2.csv": "a,c\n1,2\n"}, "2.csv has the column 'c' besides"),
        ({"1.csv": "a,b\n1,2\n1\n"}, "1.csv, line 3: this line has 1 field"),
        ({"1.csv": "a,b\n1,2\n", "2.csv": ""}, "2.csv: the file is empty"),
        ({"1.txt": "a,b\n1,2\n"}, "this folder has no csv, tsv or parquet file"),
        ({"1.csv": "a,b\n1,inf\n", "2.csv": "a,b\n1,0.5\n"}, "Column 'b' holds an infinite value"),
        (
            {"1.csv": "a,b\n1,\n", "2.csv": "a,b\n2,\n"},
            "in all, 2 of 4 cells in 1 of 2 columns are missing",
        ),
    ],
    ids=lambda value: "" if isinstance(value, dict) else value,
)
@quiet
def test_what_is_wrong_is_said(tmp_path: Path, files: dict[str, str], words: str) -> None:
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    with pytest.raises(DataError, match=re.escape(words)):
        Dataset.of(tmp_path)


def test_what_cannot_be_in_parts_is_refused(tmp_path: Path) -> None:
    pl.DataFrame({"a": [1, 2], "d": ["x", "y"]}).write_parquet(tmp_path / "1.parquet")
    pl.DataFrame({"a": ["1", "2"], "d": ["x", "y"]}).write_parquet(tmp_path / "2.parquet")
    with pytest.raises(DataError, match=r"'a' holds strings in .*2.parquet, and numbers in a part before it"):
        Dataset.of(tmp_path)
    with pytest.raises(ParameterError, match="interventions is not for a table in parts"):
        Dataset.of(tmp_path, interventions={"a": [0]})
    with pytest.raises(ParameterError, match="weights is not for a table in parts, unless it is the name"):
        Dataset.of(tmp_path, weights=[1, 2])
    with pytest.raises(DataError, match="There is no column 'times'; there are 'a', 'd'"):
        Dataset.of(tmp_path, weights="times")
    with pytest.raises(DataError, match=r"has type Date, which has no states"):
        Dataset.of(pl.LazyFrame({"day": ["2020-01-01"]}).with_columns(pl.col("day").str.to_date()))
    with pytest.raises(DataError, match="'a' holds '2', which is none of the given states"):
        Dataset.of([tmp_path / "2.parquet"], states={"a": ["1"]})
    with pytest.raises(FileNotFoundError, match=re.escape("There is no file 'no-*.csv'")):
        Dataset.of("no-*.csv")


def test_a_table_that_changes_between_the_passes_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    passes = iter([["x", "y"], ["x", "z"]])
    source = parts.LazyPart(pl.LazyFrame({"a": ["x", "y"]}))
    monkeypatch.setattr(
        parts.LazyPart, "chunks", lambda *_: iter([parts.Chunk.of_frame(pl.DataFrame({"a": next(passes)}))])
    )
    with pytest.raises(DataError, match="'a' holds 'z', which it did not before; the table has changed"):
        Dataset.of(source.frame)


FIELD = st.text(alphabet='ab,"\n\r0.é ', max_size=5)


@quiet
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.tuples(FIELD, FIELD), min_size=1, max_size=12), st.integers(1, 40), st.booleans())
@example([("a\n", '"'), ('5"', "a"), ("", "b")], 3, True)
def test_text_is_the_same_in_pieces_of_any_size(
    tmp_path: Path, rows: list[tuple[str, str]], n_bytes: int, is_quoted: bool
) -> None:
    def field(text: str) -> str:
        return '"' + text.replace('"', '""') + '"' if is_quoted else text

    path = tmp_path / "table.csv"
    path.write_text("u,v\n" + "".join(f"{field(a)},{field(b)}\n" for a, b in rows), newline="")

    def outcome(read: Any) -> Dataset | str:
        try:
            found: Dataset = read()
            return found
        except ArcwiseError as error:
            return str(error)

    options: dict[str, Any] = {"missing": "keep", "states": None}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(parts, "_BYTES_AT_ONCE", n_bytes)
        in_pieces = outcome(lambda: Dataset.from_parts(path, **options))
    at_once = outcome(lambda: Dataset.from_file(path, **options))
    if isinstance(at_once, str) or isinstance(in_pieces, str):  # what comes first in the file is told first
        assert isinstance(at_once, str) == isinstance(in_pieces, str)
        return
    assert in_pieces == at_once


@pytest.mark.parametrize("has_weights", [False, True])
def test_equal_rows_are_merged_while_reading(monkeypatch: pytest.MonkeyPatch, *, has_weights: bool) -> None:
    monkeypatch.setattr(row_store, "_LEAST_TO_MERGE", 100)
    monkeypatch.setattr(parts, "_MOST_ROWS_AT_ONCE", 64)
    table = load_example("asia").sample(2000, seed=1).to_frame().cast(pl.String)
    table = table.with_columns(times=pl.Series(np.random.default_rng(2).integers(0, 3, 2000)))
    if not has_weights:
        table = table.drop("times")
    how: dict[str, Any] = {"weights": "times"} if has_weights else {}
    data, whole = Dataset.of(table.lazy(), **how), Dataset.of(table, **how)
    assert data == whole.merged()
    assert data.n_rows < 100
    in_parts, at_once = LocalScore(data, "bdeu"), LocalScore(whole, "bdeu")
    for child in whole.names:
        others = [name for name in whole.names if name != child]
        for k in range(4):
            assert in_parts.local(child, others[:k]) == at_once.local(child, others[:k])


@pytest.mark.parametrize("n_states", [30, 200])
def test_rows_that_differ_are_kept_as_they_are(monkeypatch: pytest.MonkeyPatch, n_states: int) -> None:
    monkeypatch.setattr(row_store, "_LEAST_TO_MERGE", 100)
    monkeypatch.setattr(parts, "_MOST_ROWS_AT_ONCE", 64)
    codes = np.random.default_rng(3).integers(0, n_states, (1000, 2))  # 30 × 30: some rows are equal
    table = pl.DataFrame({"a": codes[:, 0], "b": codes[:, 1]})
    data, whole = Dataset.of(table.lazy(), max_states=500), Dataset.of(table, max_states=500)
    assert data.weights is None
    assert data.merged() == whole.merged()


def test_memory_is_told_before_and_kept_to(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(streamed, "BYTES_OF_A_CHUNK", 0)
    monkeypatch.setattr(row_store, "_LEAST_TO_MERGE", 100)
    monkeypatch.setattr(parts, "_MOST_ROWS_AT_ONCE", 100)
    rng = np.random.default_rng(4)
    numbers = pl.LazyFrame({"x": rng.normal(size=1000), "y": rng.normal(size=1000)})
    with pytest.raises(ParameterError, match=r"1,000 rows of 2 variables take 1.8e-05 GB as codes and numbers"):
        Dataset.of(numbers, memory=17_999)
    assert Dataset.of(numbers, memory=18_000).n_rows == 1000
    distinct = pl.LazyFrame({f"v{i}": rng.integers(0, 9, 1000) for i in range(20)})
    with pytest.raises(ParameterError, match=r"take 2e-05 GB .*too few of them are equal to be merged"):
        Dataset.of(distinct, memory=19_999)
    equal = pl.LazyFrame({f"v{i}": rng.integers(0, 2, 1000) for i in range(3)})
    assert Dataset.of(equal, memory=400).n_rows == 8  # 3,000 bytes as they are


@pytest.mark.usefixtures("small_pieces")
def test_learn_takes_tables_in_parts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    table = load_example("cancer").sample(300, seed=1).to_frame().cast(pl.String)
    folder = in_files(tmp_path, table, "csv", cuts=(100,))
    result, whole = learn(folder, seed=1), learn(table, seed=1)
    assert (result.dag, result.score) == (whole.dag, whole.score)
    assert learn(table.lazy(), seed=1, method="ges").score == learn(table, seed=1, method="ges").score
    for source in (folder, folder / "*" / "*.csv"):
        done = CliRunner().invoke(app, ["learn", str(source), "--seed", "1", "--json"])
        assert done.exit_code == 0, done.output
    assert sorted(path.name for path in tmp_path.glob("*.bif")) == ["parts-learned.bif", "table-learned.bif"]


def test_large_files_are_read_in_pieces(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    table = frame().drop("times")
    table.write_parquet(tmp_path / "whole.parquet")
    table.write_csv(tmp_path / "whole.csv")
    at_once = [Dataset.of(tmp_path / "whole.parquet"), Dataset.of(tmp_path / "whole.csv")]
    monkeypatch.setattr(parts, "_MANY_CELLS", 10)
    monkeypatch.setattr(parts, "_MANY_BYTES", 10)
    monkeypatch.setattr("arcwise.data.dataset.table_of_file", None)
    assert [Dataset.of(tmp_path / "whole.parquet"), Dataset.of(tmp_path / "whole.csv")] == at_once


def test_a_sample_tells_whether_merging_can_pay(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(codes_module, "_SAMPLED_ROWS", 500)
    rng = np.random.default_rng(5)
    few = np.asfortranarray(np.repeat(rng.integers(0, 256, (400, 3), dtype=np.uint8), 10, axis=0))  # sorted, 10 each
    many = np.asfortranarray(rng.integers(0, 256, (4000, 3), dtype=np.uint8))
    assert may_merge(few, 4)
    assert not may_merge(many, 4)
    assert may_merge(many[:1999], 4)  # a small table is merged to see
