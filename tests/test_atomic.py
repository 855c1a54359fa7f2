"""Files that are written whole or not at all."""

import os
import signal
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from arcwise.atomic import replaced
from arcwise.compression import write_text
from arcwise.errors import ParameterError


def test_an_error_leaves_the_old_content_and_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "x.txt"
    path.write_text("old")

    def write_a_part() -> None:
        with replaced(path) as file:
            file.write(b"new, but not all of it")
            raise RuntimeError

    with pytest.raises(RuntimeError):
        write_a_part()
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_a_kill_leaves_the_old_content(tmp_path: Path) -> None:
    path = tmp_path / "x.txt"
    path.write_text("old")
    code = (
        "import os, signal, sys; from arcwise.atomic import replaced\n"
        "with replaced(sys.argv[1]) as file:\n"
        "    file.write(b'new, but not all of it'); file.flush(); os.kill(os.getpid(), signal.SIGKILL)"
    )
    ended = subprocess.run([sys.executable, "-c", code, str(path)], check=False)
    assert ended.returncode == -signal.SIGKILL
    assert path.read_text() == "old"
    assert [left.suffix for left in tmp_path.iterdir() if left != path] == [".part"]


def test_the_old_content_is_there_until_the_end(tmp_path: Path) -> None:
    path = tmp_path / "x.txt"
    path.write_text("old")
    with replaced(path) as file:
        file.write(b"new")
        file.flush()
        assert path.read_text() == "old"
    assert path.read_text() == "new"


def test_permissions_are_those_of_any_new_file_or_of_the_old_one(tmp_path: Path) -> None:
    plain, written = tmp_path / "plain", tmp_path / "written"
    plain.write_bytes(b"")
    with replaced(written):
        pass
    assert written.stat().st_mode == plain.stat().st_mode
    written.chmod(0o640)
    with replaced(written):
        pass
    assert stat.S_IMODE(written.stat().st_mode) == 0o640


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    target, link = tmp_path / "folder" / "target", tmp_path / "link"
    link.symlink_to(target)
    write_text(link, "x")
    assert link.is_symlink()
    assert target.read_text() == "x"


def test_a_device_is_written_to(tmp_path: Path) -> None:
    write_text(os.devnull, "x")
    assert not Path(os.devnull).is_file()


def test_errors_name_the_file_that_was_asked_for(tmp_path: Path) -> None:
    with pytest.raises(IsADirectoryError, match=str(tmp_path)):
        write_text(tmp_path, "x")
    missing = tmp_path / "no such folder" / "x.txt"
    with pytest.raises(FileNotFoundError) as caught:
        write_text(missing, "x")
    assert caught.value.filename == str(missing)
    (tmp_path / "file").write_text("x")
    with pytest.raises(NotADirectoryError, match="below"):
        write_text(tmp_path / "file" / "below", "x")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anything")
def test_a_file_that_must_not_be_written_stays(tmp_path: Path) -> None:
    path = tmp_path / "x.txt"
    path.write_text("old")
    path.chmod(0o444)
    with pytest.raises(PermissionError):
        write_text(path, "new")
    assert path.read_text() == "old"


def test_half_a_surrogate_pair_is_refused_before_anything_is_written(tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match="surrogate"):
        write_text(tmp_path / "x.txt", "a\ud800b")
    assert not list(tmp_path.iterdir())
