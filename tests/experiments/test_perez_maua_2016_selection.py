"""The published numbers were typed in right, and the experiment runs from loading to the summary."""

from pathlib import Path
from statistics import mean

import numpy as np
import pytest

from arcwise import Limits
from debd_files import write_debd
from experiments.debd import DATASETS
from experiments.perez_maua_2016_published import PUBLISHED
from experiments.perez_maua_2016_selection import tables_1_and_2


@pytest.mark.parametrize(
    ("method", "score", "parents"),
    [("sequential", 0.3013, 2.9607), ("greedy", 0.3056, 3.3060), ("independence", 0.3071, 3.7355)],
)
def test_columns_have_the_averages_that_the_paper_prints(method: str, score: float, parents: float) -> None:
    published = [PUBLISHED[name].selections[method] for name in DATASETS]
    assert round(mean(row.relative_score for row in published), 4) == pytest.approx(score, abs=1.01e-4)
    assert round(mean(row.mean_parents for row in published), 4) == pytest.approx(parents, abs=1.01e-3)


def test_tables_are_measured_on_data_of_the_same_shape(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Random columns under the name of a dataset: H* is the empty graph, and nothing is reproduced."""
    write_debd(tmp_path, "nltcs", np.random.default_rng(0).integers(0, 2, (300, 16), dtype=np.uint8))
    limits = Limits(max_parents=2, time_per_variable=60)
    measured = tables_1_and_2(tmp_path, ["nltcs"], ["sequential", "balanced"], limits, workers=1)
    assert [line.method for line in measured] == ["sequential", "balanced"]
    for line in measured:
        assert line.is_exact
        assert line.relative_score < 0.01
        assert line.lead < 0
    assert "none of the graphs" in capsys.readouterr().out
