"""What control groups leave of memory and cores, in trees made up as the kernel writes them."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

import arcwise.support.machine
from arcwise import ParameterError
from arcwise.support.machine import _left_in_container, usable_cores, workers_or_default

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


MACHINE = 64


@pytest.fixture(autouse=True)
def _large_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(arcwise.support.machine, "_bound_cores", lambda: MACHINE)


def _tree(root: Path, groups: str, files: dict[str, str]) -> Path:
    """A folder with /proc/self/cgroup and files below /sys/fs/cgroup."""
    for name, content in {"proc/self/cgroup": groups, **{f"sys/fs/cgroup/{at}": files[at] for at in files}}.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(content)
    return root


@pytest.mark.parametrize(
    ("groups", "files", "cores"),
    [
        pytest.param("0::/\n", {"cpu.max": "200000 100000\n"}, 2, id="a container"),
        pytest.param("0::/\n", {"cpu.max": "250000 100000\n"}, 3, id="half a core counts"),
        pytest.param("0::/\n", {"cpu.max": "1000 100000\n"}, 1, id="never less than one"),
        pytest.param("0::/\n", {"cpu.max": "max 100000\n"}, MACHINE, id="no quota"),
        pytest.param("0::/\n", {"cpu.max": "9900000 100000\n"}, MACHINE, id="more than there are"),
        pytest.param("0::/\n", {}, MACHINE, id="the root group has no such file"),
        pytest.param("0::/a/b\n", {"a/b/cpu.max": "max 100000\n", "a/cpu.max": "400000 100000\n"}, 4, id="the outer"),
        pytest.param(
            "0::/a/b\n", {"a/b/cpu.max": "300000 100000\n", "a/cpu.max": "400000 100000\n"}, 3, id="the inner"
        ),
        pytest.param("0::/a\n", {"b/cpu.max": "100000 100000\n"}, MACHINE, id="another group"),
        pytest.param("0::/outside/name\n", {"cpu.max": "500000 100000\n"}, 5, id="mounted at its own group"),
        pytest.param(
            "4:cpu,cpuacct:/docker/1f\n0::/\n",
            {"cpu,cpuacct/docker/1f/cpu.cfs_quota_us": "600000", "cpu,cpuacct/docker/1f/cpu.cfs_period_us": "100000"},
            6,
            id="version 1",
        ),
        pytest.param(
            "4:cpuacct,cpu:/\n",
            {"cpu/cpu.cfs_quota_us": "700000\n", "cpu/cpu.cfs_period_us": "100000\n"},
            7,
            id="version 1 by its link",
        ),
        pytest.param(
            "1:cpu:/\n", {"cpu/cpu.cfs_quota_us": "-1\n", "cpu/cpu.cfs_period_us": "100000\n"}, MACHINE, id="-1"
        ),
        pytest.param("3:cpuset:/\n", {"cpuset/cpu.cfs_quota_us": "100000\n"}, MACHINE, id="cpuset is not cpu"),
        pytest.param("0::/\n", {"cpu.max": "what is this"}, MACHINE, id="nonsense"),
        pytest.param("0::/\n", {"cpu.max": "100000 0\n"}, MACHINE, id="a period of nothing"),
        pytest.param("no colons\n\n0::/../..\n", {}, MACHINE, id="odd lines"),
    ],
)
def test_quotas_of_control_groups_count(tmp_path: Path, groups: str, files: dict[str, str], cores: int) -> None:
    assert usable_cores(_tree(tmp_path, groups, files)) == cores


def test_a_system_without_control_groups_has_its_cores(tmp_path: Path) -> None:
    assert usable_cores(tmp_path) == MACHINE


@pytest.mark.parametrize("workers", [0, -1, 1.5, True, "2", 2**64])
def test_numbers_of_workers_are_checked(workers: object) -> None:
    with pytest.raises(ParameterError, match="workers must be"):
        workers_or_default(workers)  # type: ignore[arg-type]


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="this system binds no processes to cores")
def test_a_process_that_is_bound_to_a_core_has_one_worker() -> None:
    code = (
        "import os; os.sched_setaffinity(0, [min(os.sched_getaffinity(0))]); "
        "from arcwise.support.machine import workers_or_default; print(workers_or_default(None))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "1\n"


def test_no_search_counts_the_cores_of_the_machine() -> None:
    sources = Path(arcwise.__file__).parent.rglob("*.py")
    assert [path.name for path in sources if "cpu_count" in path.read_text(encoding="utf-8")] == ["machine.py"]
