"""One reader under atheris: ``python -m fuzz.one_reader KIND`` and options of libFuzzer; `fuzz.run` calls it.

What correct files of a kind are, how they are read and what counts as a fault is said in
``tests/io/test_mutated_files.py`` and ``tests/mutations.py``. Here coverage of arcwise's Python guides the damage.
"""

import sys
import tempfile
import warnings
from pathlib import Path
from types import FunctionType

import atheris

sys.path[:0] = [str(Path(__file__).parents[1] / "tests"), str(Path(__file__).parents[1] / "tests" / "io")]

from test_mutated_files import KINDS  # noqa: E402

from mutations import fault_of  # noqa: E402

# The parts of arcwise that see what is in a file before it is a table, a graph or a network.
READING = ("arcwise.io", "arcwise.data", "arcwise.parents", "arcwise.constraints", "arcwise.runs", "arcwise.network")


def instrument() -> None:
    """Let atheris see which lines of the readers are run."""
    for name, module in list(sys.modules.items()):
        if name.startswith(READING):
            for function in vars(module).values():
                if isinstance(function, FunctionType) and function.__module__ == name:
                    atheris.instrument_func(function)


def main(kind: str, options: list[str]) -> None:
    """Read one input after another, until the options of libFuzzer end it or a fault is found."""
    ending, make, read, _ = KINDS[kind]
    with tempfile.TemporaryDirectory() as folder:
        corpus = Path(folder, "corpus")
        corpus.mkdir()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            make(corpus / f"correct{ending}")
        damaged = Path(folder, f"damaged{ending}")

        def one_input(content: bytes) -> None:
            damaged.write_bytes(content)
            fault = fault_of(read, damaged)
            if fault is not None:
                raise AssertionError(fault)

        fault_of(read, corpus / f"correct{ending}")  # imports what the reader needs
        instrument()
        atheris.Setup([sys.argv[0], *options, str(corpus)], one_input)
        atheris.Fuzz()


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
