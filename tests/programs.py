"""The program `arcwise` in processes that are forked from one which has imported all that its commands need.

A command of milliseconds otherwise takes half a second of the processor, for its imports. What a forked process does is
what one that was started by itself does, but for the imports; that each module imports what it needs, whichever comes
first, is for `tests/test_imports.py` to show, and that the program starts by itself for `tests/cli/test_program.py`.
"""

import gc
import json
import os
import socket
import subprocess
import sys
import traceback
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout, suppress
from importlib import import_module
from io import StringIO
from pathlib import Path
from pkgutil import walk_packages
from select import select

import arcwise
from arcwise.cli import app

__all__ = ["quick_arcwise"]

LIBRARIES = ("matplotlib.backends.backend_svg", "matplotlib.figure", "polars", "scipy.optimize", "scipy.sparse.csgraph")
"""What commands import when they first need it, beside modules of arcwise."""

# What stands for the program: it hands over its arguments, folder, environment and streams, and ends as that ends.
STAND_IN = """#!{python} -IS
import json, os, socket, sys

with socket.socket(socket.AF_UNIX) as place:
    place.connect({address!r})
    order = json.dumps([sys.argv, os.getcwd(), dict(os.environ)]).encode()
    socket.send_fds(place, [len(order).to_bytes(4, "big")], [0, 1, 2])
    place.sendall(order)
    ended = place.recv(1)
sys.exit(ended[0] if ended else "the process that stood for arcwise has died")
"""


@contextmanager
def quick_arcwise(folder: Path) -> Iterator[Path]:
    """Give a folder with a program `arcwise` that works, as quick as its work is, until the end of the block."""
    address, program = folder / "socket", folder / "arcwise"
    program.write_text(STAND_IN.format(python=sys.executable, address=str(address)), encoding="utf-8")
    program.chmod(0o755)
    with socket.socket(socket.AF_UNIX) as place:
        place.bind(str(address))
        place.listen()
        arguments = [sys.executable, str(Path(__file__)), str(place.fileno())]
        server = subprocess.Popen(arguments, pass_fds=[place.fileno()], stdin=subprocess.PIPE)
    try:
        yield folder
    finally:
        server.communicate()


def serve(place: socket.socket) -> None:
    """Fork a process for each order, until nobody can give one any more."""
    while sys.stdin not in select([place, sys.stdin], [], [])[0]:
        order, _ = place.accept()
        with order:
            if os.fork() == 0:
                work(order)
        with suppress(ChildProcessError):
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass


def work(order: socket.socket) -> None:
    """Become the program that is asked for, and tell how it has ended."""
    size, streams, _, _ = socket.recv_fds(order, 4, 3)
    with order.makefile("rb") as rest:
        sys.argv, folder, environment = json.loads(rest.read(int.from_bytes(size, "big")))
    for stream, given in enumerate(streams):
        os.dup2(given, stream)
        os.close(given)
    os.environ.clear()
    os.environ.update(environment)
    os.chdir(folder)
    ended = 1
    try:
        app()
    except SystemExit as end:
        ended = end.code if isinstance(end.code, int) else int(end.code is not None)
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        order.sendall(bytes([ended]))
        os._exit(ended)


if __name__ == "__main__":
    for library in LIBRARIES:
        import_module(library)
    for module in walk_packages(arcwise.__path__, "arcwise."):
        if not module.name.startswith(("arcwise.estimator", "arcwise.__main__")):
            import_module(module.name)
    with redirect_stdout(StringIO()), suppress(SystemExit):
        app(["examples"])  # what the program itself imports when it first works
    gc.collect()
    gc.freeze()  # what is there already is not looked through again, and stays in pages that all processes share
    serve(socket.socket(fileno=int(sys.argv[1])))
