"""What is counted as installed."""

from benchmarks.install import PROGRAMS, closure, installed_bytes


def test_what_is_required_comes_along_and_extras_do_not() -> None:
    brought = closure("arcwise")
    assert {"arcwise", "numpy", "highspy", "narwhals", "rich", "typer", "pygments"} <= brought
    assert not {"pytest", "matplotlib", "dask", "scikit-learn", "scipy", "polars"} & brought


def test_sizes_are_those_of_the_files() -> None:
    assert 1e6 < installed_bytes("arcwise") < 1e8
    assert installed_bytes("numpy") > installed_bytes("rich") > 0


def test_every_program_reads_the_file() -> None:
    assert all("PATH" in rest and "import" in front for front, rest in PROGRAMS.values())
