"""Chains that are resumed with other data or other options: honoured, or refused in words."""

import json
import warnings
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from arcwise import (
    ArcPosterior,
    ArcwiseWarning,
    Budget,
    Constraints,
    Dataset,
    FormatError,
    ParameterError,
    Status,
    posterior,
)
from arcwise.posteriors.files import ChainFile
from tables import dependent_table


def table(seed: int = 1) -> Dataset:
    return dependent_table(100, (2, 3, 2, 2, 2), seed)


def chains_of(data: Dataset, **options: object) -> ArcPosterior:
    asked: dict[str, object] = {"method": "partition", "seed": 5, "precision": 0.1} | options
    return posterior(data, **asked)  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def part() -> ArcPosterior:
    return chains_of(table())


def with_about(source: Path, target: Path, **changes: object) -> Path:
    """A copy of a file of chains that says something else of itself; None leaves a key out."""
    with np.load(source) as arrays:
        about = json.loads(str(arrays["about"])) | changes
        rest = {name: arrays[name] for name in ("last", "means", "draws")}
    about = {key: value for key, value in about.items() if value is not None}
    np.savez(target, about=np.array(json.dumps(about)), **rest)
    return target


def test_other_data_is_refused(part: ArcPosterior) -> None:
    """Data of the same names, states and number of rows, and of the same rows with other weights."""
    weighted = table().with_weights([2, *[1] * 99])
    for data in (table(2), weighted):
        with pytest.raises(ParameterError, match="is of other data; give the same again, or begin anew"):
            posterior(data, resume=part)
    same = Dataset.from_codes(np.array(table().codes), arities=list(table().arities))
    assert posterior(same, resume=part, precision=0.09).error <= 0.09


def test_a_result_that_does_not_say_of_which_data_is_refused(part: ArcPosterior) -> None:
    assert part.chains is not None
    old = replace(part, chains=replace(part.chains, fingerprint=""))
    with pytest.raises(ParameterError, match="earlier version, which does not say of what data; begin anew"):
        posterior(table(), resume=old)


def test_files_say_of_which_data_they_are(tmp_path: Path) -> None:
    path = tmp_path / "chains.npz"
    chains_of(table(), checkpoint=path)
    assert ChainFile.seed_in(path) == 5
    weighted = table().with_weights([2, *[1] * 99])
    for data in (table(2), weighted):
        with pytest.raises(ParameterError, match="are of other data; give the same again"):
            posterior(data, resume=path)
    old = with_about(path, tmp_path / "old.npz", fingerprint=None)
    resumed = posterior(table(), resume=old, precision=0.09)
    assert resumed.error <= 0.09
    assert resumed.chains is not None
    assert resumed.chains.fingerprint == table().summary().fingerprint
    with pytest.raises(ParameterError, match="are of other data"):
        posterior(table(2), resume=old)


def test_a_file_of_another_format_is_refused_in_words(tmp_path: Path) -> None:
    path = tmp_path / "chains.npz"
    chains_of(table(), checkpoint=path)
    with pytest.raises(FormatError, match="it is of the format 'arcwise chains 9', not 'arcwise chains 1'"):
        posterior(table(), resume=with_about(path, tmp_path / "new.npz", format="arcwise chains 9"))
    with pytest.raises(FormatError, match="it does not say what it is about"):
        posterior(table(), resume=with_about(path, tmp_path / "odd.npz", rows=None))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"chains": 8}, "chains must be 4, as many as are resumed, or not given, not 8; begin anew with others"),
        ({"chains": 2}, "chains must be 4"),
        ({"draws": 10_000}, "draws must be at most 1024, .* not 10000; begin anew with more"),
        ({"candidates": 2}, "candidates must be 4, as in the chains to resume, or not given, not 2; begin anew"),
        ({"method": "exact"}, "only chains can be resumed, by method='partition'; for exact sums drop resume"),
        ({"prior": "orders"}, "only chains can be resumed, and they are for prior='graphs'; drop resume"),
        ({"memory": 1}, "chains with 4 candidate parents for each of 5 variables .*; give more memory"),
        ({"seed": 4}, "seed must be 5, that of the chains to resume, or not given, not 4"),
        ({"constraints": Constraints(max_parents=2)}, "of other constraints; give the same again, or begin anew"),
        ({"score": "k2"}, "of another score; give the same again, or begin anew"),
    ],
)
def test_what_cannot_be_honoured_is_refused(
    part: ArcPosterior, tmp_path: Path, options: dict[str, object], message: str
) -> None:
    path = tmp_path / "chains.npz"
    chains_of(table(), checkpoint=path)
    for earlier in (part, path):
        with pytest.raises(ParameterError, match=message):
            posterior(table(), resume=earlier, **options)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "options", [{"chains": 4}, {"draws": 100}, {"draws": 1024}, {"candidates": 4}, {"candidates": 20}, {"seed": 5}]
)
def test_what_can_be_honoured_changes_nothing_else(part: ArcPosterior, options: dict[str, int]) -> None:
    """Of five variables, each may have four candidates, however many are allowed."""
    found = posterior(table(), resume=part, precision=0.05, **options)  # type: ignore[arg-type]
    plain = posterior(table(), resume=part, precision=0.05)
    np.testing.assert_array_equal(found.arcs.toarray(), plain.arcs.toarray())
    assert list(found.graphs) == list(plain.graphs)
    assert len(found.graphs) >= options.get("draws", 1000)


def test_many_draws_are_kept_when_they_are_resumed() -> None:
    data = table()
    first = chains_of(data, draws=3000, chains=2)
    found = posterior(data, resume=first, draws=3000, precision=0.08)
    assert len(first.graphs) >= 3000
    assert len(found.graphs) >= 3000


def test_chains_without_a_batch_can_be_resumed() -> None:
    """Their first result is none, but they are there: what they give is as if they had not ended."""
    data = table()
    whole = chains_of(data, draws=100)
    assert whole.chains is not None
    begun = replace(
        whole.chains,
        means=whole.chains.means[:, :0],
        draws=whole.chains.draws[:, :0],
        rounds=0,
    )
    stopped = posterior(data, resume=replace(whole, chains=begun), budget=Budget(time_limit=0))
    assert stopped.status == Status.TIME_LIMIT
    assert posterior(data, resume=replace(whole, chains=begun), precision=0.1, draws=100).error <= 0.1


def test_arcs_from_outside_the_candidates_are_warned_of() -> None:
    """Each of four coins makes one more side of a die: without all of them as candidates, some parents are missing."""
    rng = np.random.default_rng(1)
    coins = rng.integers(2, size=(400, 4))
    data = Dataset.from_codes(np.column_stack([coins, coins.sum(axis=1)]).astype(np.uint8))
    with pytest.warns(ArcwiseWarning, match=r"a probability of up to 0\.\d+|1\.00") as caught:
        found = posterior(data, method="partition", candidates=1, precision=0.3, seed=1)
    ours = [one for one in caught if "outside the candidate parents" in str(one.message)]
    assert len(ours) == 1
    assert ours[0].filename == __file__
    assert str(ours[0].message).endswith("give more candidates than 1")
    assert found.diagnostics is not None
    assert found.diagnostics.outside > 0.05
    with pytest.warns(ArcwiseWarning, match="begin anew with more candidates than 1"):
        posterior(data, resume=found, precision=0.25)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert posterior(data, method="partition", precision=0.3, seed=1).diagnostics is not None
