"""Checkpoints of chains."""

from pathlib import Path

import numpy as np
import pytest

from arcwise import ArcPosterior, Budget, Constraints, FormatError, ParameterError, Status, posterior
from arcwise.posteriors import finding
from arcwise.posteriors.files import ChainFile
from arcwise.search.search import Problem
from tables import dependent_table


def some(path: Path, precision: float = 0.1, seed: int | None = 5, **options: object) -> ArcPosterior:
    data = dependent_table(100, (2, 3, 2, 2, 2), 1)
    return posterior(
        data,
        method="partition",
        seed=seed,
        precision=precision,
        checkpoint=path,
        **options,  # type: ignore[arg-type]
    )


def test_chains_are_resumed_from_a_file_as_if_they_had_not_ended(tmp_path: Path) -> None:
    whole = some(tmp_path / "whole.npz", 0.03)
    path = tmp_path / "part.npz"
    part = some(path)
    assert part.error > whole.error
    resumed = some(path, 0.03, seed=None, resume=path)
    np.testing.assert_array_equal(resumed.arcs.toarray(), whole.arcs.toarray())
    assert list(resumed.graphs) == list(whole.graphs)
    assert resumed.seed == 5
    assert path.read_bytes() != b""


def test_a_file_is_written_while_chains_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What a kill leaves: the file of a batch in the middle."""
    monkeypatch.setattr(finding, "_SECONDS_BETWEEN_CHECKPOINTS", 0.0)
    path, copies = tmp_path / "chains.npz", list[bytes]()
    real = ChainFile.write

    def write(kept: ChainFile, target: Path, problem: Problem) -> None:
        real(kept, target, problem)
        copies.append(Path(target).read_bytes())

    monkeypatch.setattr(ChainFile, "write", write)
    whole = some(path, 0.05)
    assert len(copies) > 3
    half = tmp_path / "half.npz"
    half.write_bytes(copies[len(copies) // 2])
    resumed = some(half, 0.05, seed=None, resume=half)
    np.testing.assert_array_equal(resumed.arcs.toarray(), whole.arcs.toarray())


def test_what_is_something_else_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "chains.npz"
    some(path)
    with pytest.raises(ParameterError, match="is there already"):
        some(path)
    with pytest.raises(ParameterError, match="folder that is there"):
        some(tmp_path / "none" / "chains.npz")
    with pytest.raises(ParameterError, match="drop checkpoint"):
        posterior(dependent_table(), method="exact", checkpoint=tmp_path / "x.npz")
    with pytest.raises(ParameterError, match="of other data"):
        posterior(dependent_table(100, (2, 3, 2, 2, 2), 2), resume=path)
    with pytest.raises(ParameterError, match="of another score"):
        posterior(dependent_table(100, (2, 3, 2, 2, 2), 1), "bic", resume=path)
    with pytest.raises(ParameterError, match="of other constraints"):
        posterior(dependent_table(100, (2, 3, 2, 2, 2), 1), constraints=Constraints(max_parents=1), resume=path)
    with pytest.raises(ParameterError, match="of other variables"):
        posterior(dependent_table(100, (2, 3, 2, 2), 1), resume=path)
    whole = path.read_bytes()
    for damaged in (b"", b"chains", whole[: len(whole) // 2]):
        path.write_bytes(damaged)
        with pytest.raises(FormatError, match="not a whole file of chains"):
            posterior(dependent_table(100, (2, 3, 2, 2, 2), 1), resume=path)


def test_a_limit_of_nothing_leaves_the_file_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "chains.npz"
    some(path)
    before = path.read_bytes()
    found = some(path, seed=None, resume=path, budget=Budget(evaluation_limit=0))
    assert found.status == Status.EVALUATION_LIMIT
    assert path.read_bytes() == before
