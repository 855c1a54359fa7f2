"""What control groups leave of the memory, in trees made up as the kernel writes them."""

from pathlib import Path

import pytest

from arcwise.support.memory import _left_in_container

NO_LIMIT = 9223372036854771712
"""What version 1 says: the largest signed number, in whole pages."""


def joined(root: Path, *lines: str) -> None:
    """Say in which groups the process is."""
    (root / "proc/self").mkdir(parents=True, exist_ok=True)
    (root / "proc/self/cgroup").write_text("".join(f"{line}\n" for line in lines))


def second(root: Path, path: str, limit: int | str, used: int, inactive: int = 0) -> None:
    """Make a group of version 2."""
    folder = root / "sys/fs/cgroup" / path.strip("/")
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "memory.max").write_text(f"{limit}\n")
    (folder / "memory.current").write_text(f"{used}\n")
    (folder / "memory.stat").write_text(f"anon {used - inactive}\ninactive_file {inactive}\nactive_file 0\n")


def first(root: Path, path: str, limit: int, used: int, inactive: int = 0) -> None:
    """Make a group of version 1, whose own numbers leave out those of the groups within."""
    folder = root / "sys/fs/cgroup/memory" / path.strip("/")
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "memory.limit_in_bytes").write_text(f"{limit}\n")
    (folder / "memory.usage_in_bytes").write_text(f"{used}\n")
    (folder / "memory.stat").write_text(f"cache 5\ninactive_file 3\ntotal_cache 9\ntotal_inactive_file {inactive}\n")


def test_files_that_were_read_leave_the_memory_of_a_container_free(tmp_path: Path) -> None:
    joined(tmp_path, "0::/")
    second(tmp_path, "/", 8_000_000_000, 7_900_000_000, inactive=7_000_000_000)
    assert _left_in_container(tmp_path) == [7_100_000_000]
    second(tmp_path, "/", "max", 7_900_000_000, inactive=7_000_000_000)
    assert _left_in_container(tmp_path) == []


def test_groups_around_have_limits_too(tmp_path: Path) -> None:
    joined(tmp_path, "0::/user.slice/job")
    second(tmp_path, "/user.slice/job", "max", 100)
    second(tmp_path, "/user.slice", 1000, 300)
    second(tmp_path, "/user.slice/another", 1, 1)
    assert _left_in_container(tmp_path) == [700]
    second(tmp_path, "/user.slice/job", 500, 100)
    assert _left_in_container(tmp_path) == [400, 700]


def test_version_1(tmp_path: Path) -> None:
    joined(tmp_path, "9:name=systemd:/", "8:pids:/", "4:cpu,memory:/jobs/this", "0::/")
    first(tmp_path, "/", NO_LIMIT, 10**12)
    first(tmp_path, "/jobs", 10_000, 6_000, inactive=1_000)
    first(tmp_path, "/jobs/this", 4_000, 5_000, inactive=500)
    assert _left_in_container(tmp_path) == [0, 5_000]
    first(tmp_path, "/jobs/this", NO_LIMIT, 5_000)
    assert _left_in_container(tmp_path) == [5_000]


def test_a_container_that_sees_its_own_group_as_the_outermost(tmp_path: Path) -> None:
    joined(tmp_path, "4:memory:/docker/0123456789abcdef", "0::/docker/0123456789abcdef")
    first(tmp_path, "/", 10_000, 1_000)
    assert _left_in_container(tmp_path) == [9_000]


def test_a_process_outside_what_it_sees(tmp_path: Path) -> None:
    joined(tmp_path, "0::/../../other")
    second(tmp_path, "/", 1000, 1)
    assert _left_in_container(tmp_path) == [999]


def test_without_a_list_of_groups_the_outermost_counts(tmp_path: Path) -> None:
    assert _left_in_container(tmp_path) == []
    first(tmp_path, "/", 10_000, 1_000)
    assert _left_in_container(tmp_path) == [9_000]


@pytest.mark.parametrize("content", ["", "much\n", "\xff"])
def test_other_words_are_not_limits(tmp_path: Path, content: str) -> None:
    joined(tmp_path, "0::/")
    second(tmp_path, "/", 1000, 1)
    (tmp_path / "sys/fs/cgroup/memory.max").write_text(content)
    assert _left_in_container(tmp_path) == []
