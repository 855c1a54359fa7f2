"""Files that are written whole or not at all."""

import errno
import os
import signal
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from arcwise.support.errors import ParameterError
from arcwise.support.files import replaced, write_text


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
        "import os, signal, sys; from arcwise.support.files import replaced\n"
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


def recorded_calls(monkeypatch: pytest.MonkeyPatch, folder: Path, *, fails: bool = False) -> list[str]:
    """List that grows with each file that is written out, each folder that is, and each renaming."""
    calls: list[str] = []
    fsync, replace = os.fsync, os.replace

    def recorded_fsync(descriptor: int) -> None:
        status = os.fstat(descriptor)
        is_folder = stat.S_ISDIR(status.st_mode)
        assert not is_folder or status.st_ino == folder.stat().st_ino
        calls.append("folder" if is_folder else "file")
        if is_folder and fails:
            raise OSError(errno.EINVAL, os.strerror(errno.EINVAL))
        fsync(descriptor)

    def recorded_replace(source: Path, target: Path) -> None:
        calls.append("rename")
        replace(source, target)

    monkeypatch.setattr(os, "fsync", recorded_fsync)
    monkeypatch.setattr(os, "replace", recorded_replace)
    return calls


@pytest.mark.parametrize("fails", [False, True], ids=["", "a folder that cannot be written out"])
def test_a_power_cut_after_writing_leaves_the_new_content(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fails: bool
) -> None:
    path = tmp_path / "x.txt"
    calls = recorded_calls(monkeypatch, tmp_path, fails=fails)
    with replaced(path) as file:
        file.write(b"new")
    assert calls == ["file", "rename", "folder"]
    assert path.read_text() == "new"
    assert list(tmp_path.iterdir()) == [path]


def test_a_folder_that_cannot_be_opened_is_not_a_reason_to_fail(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened = os.open

    def only_files(path: Path, *arguments: int) -> int:
        if Path(path).is_dir():
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))
        return opened(path, *arguments)

    monkeypatch.setattr(os, "open", only_files)
    with replaced(tmp_path / "x.txt") as file:
        file.write(b"new")
    assert (tmp_path / "x.txt").read_text() == "new"


def test_no_descriptor_is_left_open(tmp_path: Path) -> None:
    before = len(list(Path("/proc/self/fd").iterdir())) if Path("/proc/self/fd").exists() else 0
    for _ in range(5):
        with replaced(tmp_path / "x.txt") as file:
            file.write(b"new")
    assert not before or len(list(Path("/proc/self/fd").iterdir())) == before
