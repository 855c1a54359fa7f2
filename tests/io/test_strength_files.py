"""Files of arc strengths."""

from pathlib import Path

import pytest

from arcwise import FormatError, ParameterError, read_strengths

CSV = "from,to,strength,direction\na,b,0.8,0.75\nb,a,0.8,0.25\n"
JSON = """{"replicas": 20, "strengths": [
    {"from": "a", "to": "b", "strength": 0.8, "direction": 0.75},
    {"from": "b", "to": "a", "strength": 0.8, "direction": 0.25}]}"""


@pytest.mark.parametrize(
    ("name", "text"), [("s.csv", CSV), ("s.json", JSON), ("s.x.CSV", "\ufeff" + CSV.replace("\n", "\r\n"))]
)
def test_share_of_all_replicas_is_that_of_the_edge_times_that_of_the_direction(
    tmp_path: Path, name: str, text: str
) -> None:
    (tmp_path / name).write_text(text, newline="")
    found = read_strengths(tmp_path / name)
    assert isinstance(found, dict)
    assert found == {("a", "b"): pytest.approx(0.6), ("b", "a"): pytest.approx(0.2)}


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("s.csv", "", "line 1: the first line must be from,to,strength,direction, not ''"),
        ("s.csv", "from,to\na,b\n", "line 1: the first line must be from,to,strength,direction, not 'from,to'"),
        ("s.csv", CSV + "a,c,1\n", "line 4: the line must have 4 fields, not 3"),
        ("s.csv", CSV + "a,c,1.5,1\n", "line 4: strength and direction must be numbers from 0 to 1, not '1.5'"),
        ("s.csv", CSV + "a,c,nan,1\n", "line 4: .* not 'nan'"),
        ("s.csv", CSV + "a,c,x,1\n", "line 4: .* not 'x'"),
        ("s.csv", CSV + "a,b,1,1\n", "line 4: the arc 'a' -> 'b' is here twice"),
        ("s.csv", CSV + "c,c,1,1\n", "line 4: the arc 'c' -> 'c' starts and ends at the same node"),
        ("s.csv", CSV + '"c', "line 4: the line is not csv"),
        ("s.json", "[]", "the file must be an object"),
        ("s.json", "{}", "strengths is missing"),
        ("s.json", '{"strengths": [{"from": "a"}]}', r"strengths\[0\].to is missing"),
        ("s.json", '{"strengths": [{"from": "a", "to": "b", "strength": 2, "direction": 1}]}', "from 0 to 1, not 2"),
    ],
)
def test_other_content_is_refused_with_its_place(tmp_path: Path, name: str, text: str, message: str) -> None:
    (tmp_path / name).write_text(text)
    with pytest.raises(FormatError, match=message):
        read_strengths(tmp_path / name)


def test_other_names_are_refused() -> None:
    with pytest.raises(ParameterError, match=r"must end in .csv or .json; got 's.txt'"):
        read_strengths("s.txt")
    with pytest.raises(ParameterError, match="path must be a path"):
        read_strengths(3)  # type: ignore[arg-type]
