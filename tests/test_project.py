"""What the project's own files say about each other."""

import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PROJECT = ROOT / "pyproject.toml"
RECIPE = ROOT / "conda" / "recipe.yaml"

pytestmark = pytest.mark.skipif(not PROJECT.exists(), reason="the sources are not here")


def bounds(requirements: list[str]) -> dict[str, str]:
    """Names of requirements with their bounds, without conditions."""
    plain = [re.match(r"([A-Za-z0-9.-]+)(?:\[.*\])?\s*([^;]*)", each) for each in requirements]
    return {each[1].lower(): each[2].strip() for each in plain if each is not None}


def recipe_part(name: str) -> dict[str, str]:
    """What a part of the recipe requires: its list, up to the next part."""
    text = RECIPE.read_text(encoding="utf-8")
    part = re.search(rf"^  {name}:\n((?:    .*\n)*)", text, re.MULTILINE)
    assert part is not None
    return bounds(re.findall(r"(?:- |then: )([a-z][\w.-]* ?[<>=][^\n]*)", part[1]))


def test_the_group_build_has_what_the_build_system_requires() -> None:
    project = tomllib.loads(PROJECT.read_text(encoding="utf-8"))
    assert set(project["build-system"]["requires"]) <= set(project["dependency-groups"]["build"])


@pytest.mark.skipif(not RECIPE.exists(), reason="the recipe is not here")
def test_the_conda_recipe_requires_what_the_project_does() -> None:
    project = tomllib.loads(PROJECT.read_text(encoding="utf-8"))
    assert recipe_part("run") == bounds(project["project"]["dependencies"])
    assert recipe_part("host") == bounds(project["build-system"]["requires"])
