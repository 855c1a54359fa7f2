"""Each experiment has a quick mode, which is what it does without options; here it is run as it is."""

import os
from importlib import import_module
from pathlib import Path

import pytest

DATA_FOLDER = Path(os.environ.get("ARCWISE_DATA", Path(__file__).parents[3] / "shared" / "data"))
HAS_DATA = all((DATA_FOLDER / folder).is_dir() for folder in ("debd", "nielsen", "scores", "uci"))
needs_data = pytest.mark.skipif(not HAS_DATA, reason="needs the data folder, $ARCWISE_DATA or ../shared/data")

#: The experiment, whether it is given the data folder, and what it prints among other things.
COMMANDS = [
    pytest.param("ammar_leray_2011", False, ("Table 1", "Table 2", "Final networks from 200 rows", "MMPC, χ²")),
    pytest.param(
        "vandel_2012", False, (*(f"Table {number}" for number in range(2, 10)), "Figure 5", "not comparable", "Web50")
    ),
    pytest.param("nielsen_2003", False, ("Table 1", "Figure 1", "trap", "+154.3", "The paper's conclusions")),
    pytest.param("nielsen_2003", True, ("Table 1", "Figure 1", "coil", "+11.5", "all-cuts"), marks=needs_data),
    pytest.param(
        "perez_maua_2016",
        True,
        (
            "Reproduced to the last printed digit",
            "Table III: ",
            "Table V: ",
            "are not scores of such graphs",
            "all three",
        ),
        marks=needs_data,
    ),
    pytest.param("perez_maua_2016_climbs", True, ("| data | swaps, random |", "| nltcs | −13"), marks=needs_data),
    pytest.param(
        "lee_vanbeek_2017",
        True,
        (*(f"Table {number}" for number in range(1, 5)), "-5836.6", "What cannot be right"),
        marks=needs_data,
    ),
]


@pytest.mark.parametrize(("experiment", "is_given_data", "printed"), COMMANDS)
def test_the_quick_mode_prints_the_tables(
    experiment: str,
    is_given_data: bool,
    printed: tuple[str, ...],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.delenv("ARCWISE_DATA", raising=False)
    options = ["--data", str(DATA_FOLDER)] if is_given_data else []
    monkeypatch.setattr("sys.argv", [experiment, *options])
    import_module(f"experiments.{experiment}").main()
    output = capsys.readouterr().out
    for words in printed:
        assert words in output, words
