"""Pages become notebooks with the same code, in the same order."""

import importlib.util
import json
import re
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[1] / "docs"


@pytest.mark.skipif(not DOCS.is_dir(), reason="the documentation is not here")
def test_notebooks_have_the_code_of_their_pages(tmp_path: Path) -> None:
    spec = importlib.util.spec_from_file_location("make_notebooks", DOCS / "make_notebooks.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    module.main(tmp_path)
    made = sorted(tmp_path.glob("*.ipynb"))
    assert len(made) == 12
    for path in made:
        notebook = json.loads(path.read_text(encoding="utf-8"))
        page = (DOCS / "notebooks" / f"{path.stem}.md").read_text(encoding="utf-8")
        code = ["".join(cell["source"]) for cell in notebook["cells"] if cell["cell_type"] == "code"]
        assert code == [block.strip("\n") for block in re.findall(r"```python\n(.*?)```", page, flags=re.DOTALL)]
        words = "".join("".join(cell["source"]) for cell in notebook["cells"] if cell["cell_type"] == "markdown")
        assert words.startswith("# ")
        assert "```" not in words
        assert len({cell["id"] for cell in notebook["cells"]}) == len(notebook["cells"])
    listed = re.findall(r"\((.*?)\.md\)", (DOCS / "notebooks" / "index.md").read_text(encoding="utf-8"))
    assert sorted(listed) == [path.stem for path in made]
