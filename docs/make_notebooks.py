"""Write the pages of docs/notebooks as notebooks: ``python docs/make_notebooks.py FOLDER``."""

import json
import re
import sys
from pathlib import Path
from typing import Any

PAGES = Path(__file__).parent / "notebooks"


def notebook_of(markdown: str) -> dict[str, Any]:
    """Return a page as a notebook: its Python in cells of code, its words in others, and no output."""
    cells = []
    without_output = re.sub(r"(```python\n.*?```\n)\n```text\n.*?```\n", r"\1", markdown, flags=re.DOTALL)
    for place, part in enumerate(re.split(r"```python\n(.*?)```\n", without_output, flags=re.DOTALL)):
        if not part.strip():
            continue
        source = part.strip("\n").splitlines(keepends=True)
        cell: dict[str, Any] = {"cell_type": "markdown", "id": f"cell-{place}", "metadata": {}, "source": source}
        if place % 2:
            cell |= {"cell_type": "code", "execution_count": None, "outputs": []}
        cells.append(cell)
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    return {"cells": cells, "metadata": {"kernelspec": kernel}, "nbformat": 4, "nbformat_minor": 5}


def main(folder: Path) -> None:
    """Write all of them."""
    folder.mkdir(parents=True, exist_ok=True)
    for page in sorted(PAGES.glob("*.md")):
        if page.stem != "index":
            content = json.dumps(notebook_of(page.read_text(encoding="utf-8")), indent=1, ensure_ascii=False)
            (folder / f"{page.stem}.ipynb").write_text(content + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
