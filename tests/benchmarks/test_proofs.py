"""The benchmark of proofs: one case, and results that survive an interruption."""

from pathlib import Path

import pytest

from benchmarks import proofs
from benchmarks.proofs import Case, Proof


def test_a_case_is_proven_written_and_not_run_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "proofs.jsonl"
    monkeypatch.setattr(
        proofs, "run_all", lambda cases, folder, workers, _: (proofs.prove(case, folder, workers) for case in cases)
    )
    proofs.main(["--quick", "--results", str(file)])
    (proof,) = proofs.read_proofs(file).values()
    assert (proof.case.name, proof.scope, proof.status, proof.gap) == ("sachs", "all graphs", "optimal", 0)
    assert "sachs" in capsys.readouterr().out
    with file.open("a") as more:
        more.write('{"case": {"name": "chi')  # a run that was killed while it wrote
    monkeypatch.setattr(proofs, "prove", lambda *_: pytest.fail("it was done before"))
    proofs.main(["--quick", "--results", str(file)])


def test_the_table_of_files_has_times_to_proof_or_gaps() -> None:
    ends = [
        Proof(Case("soybean_BIC", 0, "", 10, solver), -10.0, bound, "x", "y", 2.0, 2.0, 0)
        for solver, bound in ((True, -10.0), (False, -8.5))
    ]
    columns = [list(column.cells) for column in proofs.table_of_files(ends).columns]
    assert columns == [["soybean_BIC"], ["-10.00"], ["2.0"], ["gap 1.50"], ["88.9"]]
