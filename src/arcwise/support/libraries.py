"""Libraries that are loaded when they are needed."""

from importlib import import_module
from typing import Any

from arcwise.support.errors import MissingLibraryError

__all__ = ["library"]


def library(name: str, *, called: str, package: str, extra: str | None = "interop") -> Any:
    """Module of an optional library.

    Parameters
    ----------
    name
        The module.
    called
        How the library writes its name.
    package
        What pip calls it.
    extra
        The extra of arcwise that brings it; None where none does.

    Raises
    ------
    MissingLibraryError
        If it is not installed, with the command that installs it.
    """
    try:
        return import_module(name)
    except ModuleNotFoundError as error:
        install = package if extra is None else f"'arcwise[{extra}]', or {package} alone"
        raise MissingLibraryError(
            f"this needs {called}, which is not installed ({error}); pip install {install}"
        ) from error
    except ImportError as error:
        raise MissingLibraryError(f"{called} is installed, but cannot be loaded: {error}") from error
