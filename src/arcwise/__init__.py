"""arcwise learns the structure of Bayesian networks from data, by score and search.

The way the data goes: a table becomes a `Dataset`, a `LocalScore` judges families of variables on it, a search returns
a `Result` with a `Dag`, and with probabilities that becomes a `BayesianNetwork`. `learn` does all of it.

The public names are listed in ``__init__.pyi``. Importing arcwise loads none of them: each is imported when it is first
used, so that a program that needs one of them, or only ``arcwise --help``, does not wait for all.
"""

import ast
import sys
from importlib import import_module
from pathlib import Path
from types import ModuleType


def _homes() -> dict[str, str]:
    """Module of each public name; the package itself for a module."""
    stub = ast.parse(Path(__file__).with_suffix(".pyi").read_text(encoding="utf-8"))
    imports = [node for node in stub.body if isinstance(node, ast.ImportFrom)]
    return {alias.name: str(node.module) for node in imports for alias in node.names}


_HOMES = _homes()

# Not what needs a library that comes as an extra: `from arcwise import *` imports all of these.
__all__ = sorted(
    name for name, home in _HOMES.items() if home != __name__ and not home.startswith("arcwise.estimator.")
)


def __getattr__(name: str) -> object:
    if name == "__version__":
        value: object = import_module("importlib.metadata").version(__name__)
    elif name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}", name=name, obj=sys.modules[__name__])
    elif _HOMES[name] == __name__:
        value = import_module(f"{__name__}.{name}")
    else:
        value = getattr(import_module(_HOMES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOMES, "__version__"})


class _Package(ModuleType):
    """The package itself: importing a module that is named like a public function leaves the function in its place."""

    def __setattr__(self, name: str, value: object) -> None:
        # Whoever imports arcwise.learn first, Python sets `arcwise.learn` to that module when it is loaded.
        if isinstance(value, ModuleType) and _HOMES.get(name) == value.__name__:
            value = getattr(value, name)
        super().__setattr__(name, value)


sys.modules[__name__].__class__ = _Package
