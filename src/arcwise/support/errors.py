"""The errors arcwise raises; all of them are `ArcwiseError`, and users see and import them from the top."""

from typing import Any, Self

from arcwise.support.messages import Name, Part, Setting, Text, Value, said
from arcwise.support.quoting import shown_path


class ArcwiseError(Exception):
    """Root of every error that arcwise raises on purpose.

    Parameters
    ----------
    *message
        What is wrong and what to do; arguments that it mentions are parts of their own (`arcwise.support.messages`), so
        that the command line can name its options instead.
    """

    def __init__(self, *message: Text) -> None:
        super().__init__(said(message))
        self.message: Text = message

    # Dask's workers send errors back by tblib, which cannot do it with Python's own way for errors of two kinds.
    def __reduce__(self) -> tuple[type["ArcwiseError"], tuple[Any, ...], dict[str, Any]]:
        return type(self), self.args, vars(self)


class DataError(ArcwiseError, ValueError):
    """A table cannot be used as data; says column, row and what to do."""


class ParameterError(ArcwiseError, ValueError):
    """An argument is outside what is allowed, or two arguments contradict each other.

    Its text says everything; its attributes say it again for programs, such as a form that marks the wrong field.

    Attributes
    ----------
    parameter : str or None
        The argument, where the error is about one.
    allowed : str or None
        What it takes, in words.
    got : object
        What came: the value itself if it is a text, a number, True, False or None, else its description. None also
        where the message does not show it.
    advice : str or None
        What to do.

    Examples
    --------
    >>> from arcwise import ParameterError, load_example
    >>> try:
    ...     load_example("asia").sample(0)
    ... except ParameterError as error:
    ...     print(error)
    ...     print([error.parameter, error.allowed, error.got])
    n_rows must be at least 1, not 0
    ['n_rows', 'at least 1', 0]
    """

    def __init__(self, *message: Text) -> None:
        super().__init__(*message)
        first = message[0] if message else ""
        self.parameter = first.parameter if isinstance(first, Name | Setting) else None
        self.allowed: str | None = None
        self.got: object = None
        self.advice: str | None = None

    @classmethod
    def of(
        cls, parameter: str, allowed: Text, got: object = ..., advice: Text = "", *, verb: str = "be", owner: str = ""
    ) -> Self:
        """Return the error that says "`parameter` must `verb` `allowed`, not `got`; `advice`".

        Parameters
        ----------
        parameter
            The argument.
        allowed
            What it takes.
        got
            What came instead: a value, its description (`Shown`), or `...` where there is nothing to show.
        advice
            What to do, where that does not go without saying.
        verb
            What the argument must do: be, have, hold.
        owner
            Whose parameter it is, where a reader would not know.
        """
        came = got if isinstance(got, Part) else Value(got)
        error = cls(
            Name(parameter, owner),
            (f" must {verb} ", allowed),
            () if got is ... else (", not ", came),
            ("; ", advice) if advice else (),
        )
        error.allowed = said(allowed)
        if got is not ...:
            error.got = came.value if isinstance(came, Value) and not isinstance(came.value, Part) else said(came)
        error.advice = said(advice) or None
        return error


class WorkersLostError(ArcwiseError):
    """Workers that kept rows have gone, and no others can keep them: a search ends with the best graph so far."""


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

    def __init__(self, message: Text, *, path: str | None = None, line: int | None = None) -> None:
        place = ":".join(part for part in (path and shown_path(path), line and f"line {line}") if part)
        super().__init__(f"{place}: " if place else "", message)
        self.path = path
        self.line = line


class MissingLibraryError(ArcwiseError, ImportError):
    """A library that is not part of the plain installation is needed; says how to install it."""


class TooWideError(ArcwiseError, MemoryError):
    """An exact answer would take more memory than there is; says how much, and what to do instead.

    Parameters
    ----------
    *message
        What is wrong and what to do.
    cells
        How many numbers the largest table would have.
    n_bytes
        How much memory all tables would take.
    """

    def __init__(self, *message: Text, cells: int = 0, n_bytes: int = 0) -> None:
        super().__init__(*message)
        self.cells = cells
        self.n_bytes = n_bytes


class ArcwiseWarning(UserWarning):
    """A choice was made for the user, or the data has a property worth knowing.

    Parameters
    ----------
    *message
        What is worth knowing, in words and parts as an `ArcwiseError` has them.
    """

    def __init__(self, *message: Text) -> None:
        super().__init__(said(message))
        self.message: Text = message


for _error in (
    ArcwiseError,
    DataError,
    ParameterError,
    GraphError,
    FormatError,
    MissingLibraryError,
    TooWideError,
    ArcwiseWarning,
):
    _error.__module__ = "arcwise"
