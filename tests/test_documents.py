"""The documentation keeps its word: its code runs and prints what the pages show, and every public name is described.

The code of a page runs from top to bottom, in one namespace and in a folder with the files of `sample_files`. What a
block is, its language says:

- ``python`` and ``sh`` are run. A ``text`` block right after one, with no words between, is what it has printed; as in
  a doctest, ``...`` stands for anything, such as seconds. A shell block that begins by making a virtual environment
  is a page's way to install arcwise, which ``.ci/run`` follows.
- ``toml`` and ``json`` are read by their parsers.
- Other ``text`` is to look at. ``{...}`` is for Sphinx, which knows by itself what it does not understand.
"""

import ast
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout
from dataclasses import dataclass
from doctest import ELLIPSIS, OutputChecker
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from markdown_it import MarkdownIt

import arcwise
from arcwise import BayesianNetwork, Dag, LocalScore
from programs import quick_arcwise

ROOT = Path(__file__).parents[1]
DOCUMENTS = sorted(
    path.relative_to(ROOT) for path in (ROOT / "README.md", ROOT / "CONTRIBUTING.md", *ROOT.glob("docs/**/*.md"))
)
OWN_PROGRAMS = Path(sys.executable).parent
SECONDS = 900
"""How long a block may take: a hundred times more than any does, for a machine that has other things to do."""


@dataclass(frozen=True)
class Block:
    """A block of code in a document: its first line there, and whether nothing stands between it and the one before."""

    language: str
    source: str
    line: int
    follows: bool


def blocks(markdown: str) -> Iterator[Block]:
    """Code of a document, from top to bottom."""
    before = ""
    for token in MarkdownIt().parse(markdown):
        if token.type in ("fence", "code_block") and token.map is not None:
            yield Block(token.info.strip(), token.content, token.map[0] + 2, follows=before == "fence")
        before = token.type


@contextmanager
def ends_in_time(where: str) -> Iterator[None]:
    """End what takes too long, also within a kernel, as searches end when they are interrupted."""

    def too_long(*_: object) -> None:
        raise TimeoutError(f"{where}: not done after {SECONDS} seconds; give the example a limit")

    before = signal.signal(signal.SIGALRM, too_long)
    signal.alarm(SECONDS)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


class Page:
    """A page that is read aloud: what its code has made so far, and what it has printed last."""

    def __init__(self, path: Path, programs: Path = OWN_PROGRAMS) -> None:
        self.path = path
        self.programs = programs
        self.names: dict[str, Any] = {"__name__": "__main__"}
        self.printed: str | None = None
        self.first_printed: str | None = None

    def read_all(self, markdown: str) -> None:
        """Run all code of a document."""
        for block in blocks(markdown):
            self.read(block)

    def read(self, block: Block) -> None:
        """Run a block, or hold it against what the one before has printed."""
        printed, self.printed = self.printed, None
        match block.language:
            case "python":
                self.printed = self.run_python(block)
            case "sh":
                self.printed = self.run_shell(block)
                self.first_printed = self.first_printed or self.printed
            case "text":
                if block.follows and printed is not None:
                    self.check_output(block, printed)
            case "json":
                json.loads(block.source)
            case "toml":
                tomllib.loads(block.source)
            case language if re.match(r"\{[a-z-]+\}", language):
                pass
            case language:
                pytest.fail(
                    f"{self.path}:{block.line}: a block of code is python, sh, text, toml or json, or a directive of "
                    f"Sphinx, not {language or 'without a language'}"
                )

    def run_python(self, block: Block) -> str:
        """Run code under its own file and lines, so that a traceback names and shows them."""
        code = compile("\n" * (block.line - 1) + block.source, ROOT / self.path, "exec", dont_inherit=True)
        with redirect_stdout(StringIO()) as printed, ends_in_time(f"{self.path}:{block.line}"):
            exec(code, self.names)
        return printed.getvalue()

    def run_shell(self, block: Block) -> str | None:
        """Run commands, with the programs of this environment before all others but those that stand for them."""
        if block.source.startswith("python3 -m venv"):
            return None
        programs = os.pathsep.join((str(self.programs), str(OWN_PROGRAMS), os.environ["PATH"]))
        done = subprocess.run(
            ["bash", "-euo", "pipefail", "-c", block.source],
            env={**os.environ, "PATH": programs, "COLUMNS": "80"},
            capture_output=True,
            encoding="utf-8",
            timeout=SECONDS,
        )
        assert done.returncode == 0, f"{self.path}:{block.line}: ended with {done.returncode}:\n{done.stderr}"
        return done.stdout

    def check_output(self, block: Block, printed: str) -> None:
        """Hold what a page shows against what its code has printed; blanks at ends of lines do not count."""
        shown = re.sub(r" +$", "", block.source, flags=re.MULTILINE)
        printed = re.sub(r" +$", "", printed, flags=re.MULTILINE)
        same = OutputChecker().check_output(shown, printed, ELLIPSIS)
        assert same, f"{self.path}:{block.line}: the page shows\n{shown}\nbut its code prints\n{printed}"


@pytest.fixture(scope="module")
def quick_programs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Folder with an `arcwise` that does not import first what it needs; the commands of a page are many."""
    with quick_arcwise(tmp_path_factory.mktemp("programs")) as folder:
        yield folder


@pytest.fixture(scope="module")
def own_files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Folder with the files that pages call a user's own: eight variables of patients, and what is known of them."""
    folder = tmp_path_factory.mktemp("files")
    names = ["age", "sex", "smoking", "asbestos", "cancer", "cough", "xray", "fever"]
    arcs = [
        *[("age", "smoking"), ("sex", "smoking"), ("sex", "asbestos"), ("smoking", "cancer"), ("asbestos", "cancer")],
        *[("smoking", "cough"), ("cancer", "cough"), ("cancer", "xray"), ("fever", "cough")],
    ]
    states = [("old", "young"), ("f", "m"), *[("no", "yes")] * 4, ("clear", "shadow"), ("no", "yes")]
    risks = [0.5, 0.5, [[0.1, 0.3], [0.3, 0.6]], [0.05, 0.3], [[0.02, 0.2], [0.3, 0.7]]]
    risks += [[[[0.05, 0.6], [0.6, 0.8]], [[0.4, 0.8], [0.8, 0.95]]], [0.05, 0.9], 0.2]
    tables = [_with_complement(risk) for risk in risks]
    truth = BayesianNetwork(Dag(names, arcs), states, tables)
    data = truth.sample(2000, seed=1)
    data.to_frame().write_csv(folder / "patients.csv")
    data.to_frame().write_parquet(folder / "patients.parquet")
    arcwise.write_parent_sets(arcwise.select(LocalScore(data)).sets, folder / "patients.jkl")
    arcwise.write_network(truth, folder / "truth.bif")
    known = (
        'forbidden = ["* -> age", "* -> sex"]\ntiers = [["age", "sex"], ["smoking", "asbestos"], ["cancer", "cough"]]\n'
    )
    (folder / "known.toml").write_text(known, encoding="utf-8")
    believed = '[arcs]\n"smoking -> cancer" = 0.9\n[edges]\n"cough -- fever" = 0.05\n'
    (folder / "believed.toml").write_text(believed, encoding="utf-8")
    (folder / "believed.csv").write_text("from,to,probability\nsmoking,cancer,0.9\n", encoding="utf-8")
    (folder / "white.csv").write_text("from,to\nsmoking,cancer\n", encoding="utf-8")
    (folder / "black.csv").write_text("from,to\ncough,cancer\ncough,smoking\n", encoding="utf-8")
    return folder


@pytest.fixture
def sample_files(own_files: Path, tmp_path: Path) -> Path:
    """Folder with copies of these files, for one page."""
    shutil.copytree(own_files, tmp_path, dirs_exist_ok=True)
    return tmp_path


def _with_complement(risk: Any) -> Any:
    """Table of a variable with two states: the chance of the second one, with that of the first before it."""
    return [_with_complement(part) for part in risk] if isinstance(risk, list) else [1 - risk, risk]


@pytest.mark.parametrize("path", DOCUMENTS, ids=str)
def test_the_code_of_a_document_runs_and_prints_what_it_shows(
    path: Path, sample_files: Path, quick_programs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(sample_files)
    # The commands of README run as its readers run them: each imports what it needs, from the program's own file.
    page = Page(path) if path == Path("README.md") else Page(path, quick_programs)
    markdown = (ROOT / path).read_text(encoding="utf-8")
    page.read_all(markdown)
    if path == Path("README.md"):  # whose first command prints a table, with a time in it that nobody can foresee
        shown = next(block for block in blocks(markdown) if block.language == "text")
        assert page.first_printed is not None
        assert _rows(shown.source) == _rows(page.first_printed)
    for picture in re.findall(r"!\[[^]]*\]\((\S+\.svg)\)", markdown):
        if (drawn := sample_files / Path(picture).name).exists():
            assert _words(drawn) == _words((ROOT / path).parent / picture), (
                f"{path}: {picture} is not what its code draws"
            )


def _words(picture: Path) -> list[str]:
    """Texts in an svg; paths differ a little between versions of matplotlib."""
    return sorted(re.findall(r"<text[^>]*>([^<]+)<", picture.read_text(encoding="utf-8")))


def _rows(table: str) -> list[tuple[str, str]]:
    """Cells of a table, without the time and the gap, which depends on it."""
    rows: list[tuple[str, str]] = []
    for label, value in re.findall(r"^│ (.*?) +│ (.*?) +│$", table, re.MULTILINE):
        rows.append((label, value) if label.strip() else (rows[-1][0], f"{rows.pop()[1]} {value}"))
    return [row for row in rows if row[0] not in ("time", "gap")]


@pytest.mark.parametrize(
    ("markdown", "message"),
    [
        ("```\nx\n```", "page.md:2: a block of code is python, sh, text, toml or json, .* not without a language"),
        ("```yaml\nx\n```", "not yaml"),
        ("    indented", "not without a language"),
        ("```python\nprint(1)\n```\n\n```text\n2\n```", "page.md:6: the page shows"),
        ("```sh\necho 1\n```\n\n```text\n2\n```", "page.md:6: the page shows"),
        ("\n```sh\nfalse | true\n```", "page.md:3: ended with 1"),
        ("```python\nx = 1\n```\n\n```python\ny = x + z\n```", "name 'z' is not defined"),
        ("```json\n{]\n```", "Expecting"),
        ("```toml\na =\n```", "Invalid value"),
    ],
)
def test_code_that_does_not_keep_its_word_is_found(markdown: str, message: str) -> None:
    page = Page(Path("page.md"))
    with pytest.raises((AssertionError, NameError, ValueError, pytest.fail.Exception), match=message):
        page.read_all(markdown)


def test_text_is_held_against_what_the_code_right_before_it_prints() -> None:
    page = Page(Path("page.md"))
    shown = "```python\nprint('took 3.1 s')\n```\n\n```text\ntook ... s\n```\n\nIn words:\n\n```text\nanything\n```\n"
    page.read_all(shown)


def test_every_public_name_has_an_entry_in_the_reference() -> None:
    stub = ast.parse(Path(arcwise.__file__).with_suffix(".pyi").read_text(encoding="utf-8"))
    imports = [node for node in stub.body if isinstance(node, ast.ImportFrom) and node.module != "arcwise"]
    public = {alias.name for node in imports for alias in node.names}
    if not (ROOT / "docs").is_dir():
        pytest.skip("the documentation is not here")
    pages = "".join(path.read_text(encoding="utf-8") for path in ROOT.glob("docs/api/*.md"))
    described = re.findall(r"^\.\. auto(?:function|class|data|exception):: arcwise\.(\w+)$", pages, re.MULTILINE)
    assert sorted(described) == sorted(public)
