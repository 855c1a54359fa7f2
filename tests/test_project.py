"""What the project's own files say about each other."""

import tomllib
from pathlib import Path

import pytest

PROJECT = Path(__file__).parents[1] / "pyproject.toml"


@pytest.mark.skipif(not PROJECT.exists(), reason="the sources are not here")
def test_the_group_build_has_what_the_build_system_requires() -> None:
    project = tomllib.loads(PROJECT.read_text(encoding="utf-8"))
    assert set(project["build-system"]["requires"]) <= set(project["dependency-groups"]["build"])
