from pathlib import Path

from arcwise import Dataset
from benchmarks.cluster_rows import out_of_core, shards, write_table


def test_tables_of_rows(tmp_path: Path) -> None:
    write_table(tmp_path, 400, 2, n_variables=6)
    assert Dataset.of(tmp_path).n_rows == 400
    lines = list(shards(tmp_path, numbers=[2], most_processes=1))
    assert lines[-1].endswith("yes")
    assert [line.split()[0] for line in out_of_core(tmp_path)][-2:] == ["ges", "default"]
