"""What takes longer to load than many programs run: libraries and modules that the first use of their names imports."""

import sys
from importlib import import_module
from types import ModuleType

__all__ = ["later", "names_later"]


class _Later(ModuleType):
    """A module that is imported when it is first asked for a name."""

    def __getattr__(self, name: str) -> object:
        return getattr(import_module(self.__name__), name)


def later(library: str) -> ModuleType:
    """Library that is imported when one of its names is first used.

    Type checkers must see the import itself, and annotations that need the library are strings::

        if TYPE_CHECKING:
            import polars as pl
        else:
            pl = later("polars")

    Parameters
    ----------
    library
        Its name.

    Examples
    --------
    >>> numbers = later("fractions")
    >>> numbers.Fraction(2, 4)
    Fraction(1, 2)
    """
    return _Later(library)


class _Package(ModuleType):
    """A package whose names are imported from its modules when they are first used."""

    def __getattr__(self, name: str) -> object:
        homes = self.__dict__["_HOMES"]
        if name not in homes:
            raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}", name=name, obj=self)
        value = getattr(import_module(f"{self.__name__}.{homes[name]}"), name)
        setattr(self, name, value)
        return value

    def __setattr__(self, name: str, value: object) -> None:
        # Python sets the name of a module that was imported; a function or class of the same name comes first.
        if isinstance(value, ModuleType) and self.__dict__["_HOMES"].get(name) == name:
            value = getattr(value, name)
        super().__setattr__(name, value)

    def __dir__(self) -> list[str]:
        return sorted({*self.__dict__, *self.__dict__["_HOMES"]})


def names_later(package: str, homes: dict[str, str]) -> None:
    """Let a package import each of its names from the module that has it, when the name is first used.

    Parameters
    ----------
    package
        The package that calls this, its ``__name__``.
    homes
        The names of each module, with spaces between them.

    Examples
    --------
    >>> import arcwise.search.dags
    >>> arcwise.search.dags.greedy.__name__  # the function, not the module
    'greedy'
    """
    module = sys.modules[package]
    module.__dict__["_HOMES"] = {name: home for home, names in homes.items() for name in names.split()}
    module.__class__ = _Package
