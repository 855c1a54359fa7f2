"""Tables 1 and 4: the published numbers were typed in right, and the experiment measures what it says."""

from pathlib import Path

import numpy as np
import pytest

from arcwise import Dag, Dataset, LocalScore, ParentSets
from arcwise.support.errors import DataError
from debd_files import chain_rows, write_debd
from experiments import lee_vanbeek_2017
from experiments.debd import DATASETS
from experiments.lee_vanbeek_2017 import table_1, table_4
from experiments.lee_vanbeek_2017_climbs import climbs
from experiments.lee_vanbeek_2017_instances import (
    CLIMBED,
    SEARCHED,
    Instance,
    impossible_costs,
    instance,
    least_cost,
    paper_name,
    size_in_paper,
)
from experiments.lee_vanbeek_2017_published import METHODS, PUBLISHED_CLIMBS, PUBLISHED_SEARCHES
from experiments.lee_vanbeek_2017_searches import Settings, search
from experiments.perez_maua_2016_published import PUBLISHED

# By hand: with the order b, a, c, b has no parents, -3, a has b, -1, and c has both, -1; no other order has more.
SMALL = ParentSets.from_lists(
    ["a", "b", "c"], [[(-3, []), (-1, ["b"])], [(-3, []), (-2, ["a"])], [(-4, []), (-1, ["a", "b"])]]
)


def test_table_4_is_what_the_paper_says_of_it() -> None:
    """Experiment 3: MINOBS is no worse than IINOBS on 17 of 20 instances, seven of them ties."""
    costs = [line.costs for line in PUBLISHED_SEARCHES.values()]
    assert len(costs) == 20
    assert sum(line["MINOBS"] <= line["IINOBS"] for line in costs) == 17
    assert sum(line["MINOBS"] == line["IINOBS"] for line in costs) == 7
    assert all(line["IINOBS"] <= line["INOBS"] <= min(line["OBS"], line["ASOBS"]) for line in costs)
    assert sum(line.gobnilp is None for line in PUBLISHED_SEARCHES.values()) == 15
    for line in PUBLISHED_SEARCHES.values():
        assert all(line.costs[method] == min(line.costs.values()) for method in line.optimal)


def test_table_1_is_what_the_paper_says_of_it() -> None:
    """Experiment 1: hybrid takes the least time, on the largest instance about a fiftieth."""
    for line in PUBLISHED_CLIMBS.values():
        assert line.seconds["hybrid"] == min(line.seconds.values())
    largest = PUBLISHED_CLIMBS["munin-5000"].seconds
    assert 45 < largest["best"] / largest["hybrid"] < 50 < largest["first"] / largest["hybrid"] < 55


def test_instances_have_the_variables_of_the_datasets() -> None:
    """As Perez & Mauá 2016 print them; only tretail.ts has one less."""
    for name in (*CLIMBED, *SEARCHED):
        if name in DATASETS:
            assert size_in_paper(name)[0] == PUBLISHED[name].n_variables - (paper_name(name) == "tretail.ts")


def test_no_network_costs_less_than_the_entropy_of_the_rows() -> None:
    """The complete graph, which can represent any distribution, reaches the bound without a penalty."""
    data = Dataset.from_codes(np.random.default_rng(3).integers(0, 2, (50, 4), dtype=np.uint8), arities=[2] * 4)
    complete = Dag.from_parents(data.names, [range(v) for v in range(4)])
    assert least_cost(data) == pytest.approx(-LocalScore(data, "loglik").total(complete))
    distinct = Dataset.from_codes(np.eye(4, dtype=np.uint8))
    assert least_cost(distinct) == pytest.approx(4 * np.log(4))


def test_costs_below_the_bound_are_found(tmp_path: Path) -> None:
    """With 2,551 different test rows no network costs less than 2551 ln 2551 = 20,011; printed are 828.3."""
    numbers = np.arange(4 * 2551) % 2551
    rows = ((numbers[:, None] >> np.arange(12)) & 1).astype(np.uint8)
    write_debd(tmp_path, "accidents", rows)
    ((name, (printed, bound)),) = impossible_costs(tmp_path).items()
    assert name == "accidents.test"
    assert printed == 828.3
    assert bound == pytest.approx(2551 * np.log(2551))


def test_climbs_by_every_choice_end_in_the_optimum_of_a_small_table() -> None:
    climbed = climbs(Instance("soybean_BIC", SMALL), runs=4, seed=1)
    assert [line.choice for line in climbed] == ["best", "first", "hybrid"]
    for line in climbed:
        assert line.score == -5
        assert line.error == 0
        assert line.seconds > 0


def test_all_methods_find_the_optimum_of_a_small_table() -> None:
    """Acyclic selection makes no moves, but among the six orders there is one from which it gets there."""
    searched = search(Instance("pigs-5000", SMALL), Settings(seconds=0.05, runs=1, workers=2))
    assert searched.scores == dict.fromkeys(METHODS, -5.0)
    assert searched.single_climb == -5


def test_an_absent_file_of_scores_is_named(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="soybean_BIC"):
        instance(tmp_path, "soybean_BIC", 1.0, workers=1)


def test_tables_are_measured(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """On a chain all searches on the table, and that without one, find the same score."""
    write_debd(tmp_path, "tretail", chain_rows())
    write_debd(tmp_path, "nltcs", chain_rows())
    climbed = table_1(tmp_path, ["tretail"], 60.0, runs=3, workers=1)
    assert len(climbed) == 3
    settings = Settings(seconds=0.1, runs=1, workers=2)
    (searched,) = table_4(tmp_path, ["nltcs"], 60.0, settings)
    assert set(searched.scores) == {*METHODS, "orders"}
    assert searched.scores["MINOBS"] == pytest.approx(searched.scores["orders"])
    assert searched.scores["MINOBS"] >= max(searched.scores[method] for method in METHODS) - 1e-9
    output = capsys.readouterr().out
    assert "absolute values do not compare" in output
    assert "-5836.6" in output
    assert "level on 1" in output


def test_a_table_of_the_papers_own_size_is_compared_with_it(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("experiments.lee_vanbeek_2017_climbs.size_in_paper", lambda _: (3, 6))
    monkeypatch.setattr(lee_vanbeek_2017, "instance", lambda *_: Instance("soybean_BIC", SMALL))
    table_1(Path(), ["soybean_BIC"], 1.0, runs=2, workers=1)
    assert "soybean_BIC is the paper's own table" in capsys.readouterr().out


def test_the_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    write_debd(tmp_path, "nltcs", chain_rows())
    options = ["--data", str(tmp_path), "--tables", "4", "--instances", "nltcs", "--seconds", "0.02", "--workers", "1"]
    monkeypatch.setattr("sys.argv", ["lee", *options])
    lee_vanbeek_2017.main()
    assert "What cannot be right" in capsys.readouterr().out
    monkeypatch.setattr("sys.argv", ["lee", *options, "--runs", "0"])
    with pytest.raises(SystemExit, match="--runs must be at least 1"):
        lee_vanbeek_2017.main()
