"""The errors arcwise raises; all of them are `ArcwiseError`, and users see and import them from the top."""

from arcwise.support.quoting import shown_path


class ArcwiseError(Exception):
    """Root of every error that arcwise raises on purpose."""


class DataError(ArcwiseError, ValueError):
    """A table cannot be used as discrete data; says column, row and what to do."""


class ParameterError(ArcwiseError, ValueError):
    """An argument is outside what is allowed, or two arguments contradict each other."""


class GraphError(ArcwiseError, ValueError):
    """A graph is not what it must be: a cycle, an unknown node, no consistent extension."""


class FormatError(ArcwiseError, ValueError):
    """A file does not follow its format.

    Parameters
    ----------
    message
        What is wrong and what was expected.
    path
        The file, where it has a name.
    line
        The line, counted from 1, where it is known.
    """

    def __init__(self, message: str, *, path: str | None = None, line: int | None = None) -> None:
        place = ":".join(part for part in (path and shown_path(path), line and f"line {line}") if part)
        super().__init__(f"{place}: {message}" if place else message)
        self.path = path
        self.line = line


class MissingLibraryError(ArcwiseError, ImportError):
    """A library that is not part of the plain installation is needed; says how to install it."""


class ArcwiseWarning(UserWarning):
    """A choice was made for the user, or the data has a property worth knowing."""


for _error in (ArcwiseError, DataError, ParameterError, GraphError, FormatError, MissingLibraryError, ArcwiseWarning):
    _error.__module__ = "arcwise"
