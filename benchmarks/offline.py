"""What `benchmarks.gpu` needs on a machine without a network, in one folder.

``python -m benchmarks.offline FOLDER --python python3.12`` builds the compiled module for that version of Python and
later ones, and puts it there with the sources and with those packages that arcwise requires and such machines lack.
There, ``python3 -m benchmarks.gpu`` runs in FOLDER. The CMake that is found first must be 3.26 or later.
"""

import argparse
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

ROOT = Path(__file__).parent.parent
PACKAGES = ("narwhals", "psutil", "backports.zstd")


def main() -> None:
    """Fill the folder."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--python", default=sys.executable, help="at least 3.12")
    parser.add_argument("--data", type=Path, help="a folder of datasets that comes along")
    arguments = parser.parse_args()
    folder: Path = arguments.folder.resolve()
    shutil.rmtree(folder, ignore_errors=True)
    version = subprocess.run([arguments.python, "-V"], check=True, capture_output=True, text=True).stdout.split()[1]
    wanted = ["--python-version", version, "--only-binary=:all:", "--no-deps", "--target", str(folder), *PACKAGES]
    subprocess.run([sys.executable, "-m", "pip", "install", "-q", *wanted], check=True)
    shutil.copytree(ROOT / "src" / "arcwise", folder / "arcwise", ignore=shutil.ignore_patterns("__pycache__", "*.so"))
    shutil.copytree(ROOT / "benchmarks", folder / "benchmarks", ignore=shutil.ignore_patterns("__pycache__"))
    if arguments.data is not None:
        shutil.copytree(arguments.data, folder / arguments.data.name)
    build = ROOT / "build" / "offline-module"
    nanobind = find_spec("nanobind")
    assert nanobind is not None
    assert nanobind.origin is not None
    options = {
        "CMAKE_BUILD_TYPE": "Release",
        "Python_EXECUTABLE": arguments.python,
        "SKBUILD_SABI_COMPONENT": "Development.SABIModule",
        "nanobind_DIR": Path(nanobind.origin).parent / "cmake",
    }
    said = [f"-D{name}={value}" for name, value in options.items()]
    subprocess.run(["cmake", "-S", ROOT, "-B", build, "-G", "Ninja", *said], check=True)
    subprocess.run(["cmake", "--build", build, "--target", "_core"], check=True)
    for module in build.glob("_core*.so"):
        shutil.copy(module, folder / "arcwise")


if __name__ == "__main__":
    main()
