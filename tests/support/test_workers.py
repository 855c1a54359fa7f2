"""How many threads there are by default: as many as the process may really use."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

import arcwise.support.workers
from arcwise import ParameterError
from arcwise.support.workers import usable_cores, workers_or_default

MACHINE = 64


@pytest.fixture(autouse=True)
def _large_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(arcwise.support.workers, "_bound_cores", lambda: MACHINE)


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
        "from arcwise.support.workers import workers_or_default; print(workers_or_default(None))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "1\n"


def test_no_search_counts_the_cores_of_the_machine() -> None:
    sources = Path(arcwise.__file__).parent.rglob("*.py")
    assert [path.name for path in sources if "cpu_count" in path.read_text(encoding="utf-8")] == ["workers.py"]
