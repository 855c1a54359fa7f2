"""Messages of the package in the words of the command that runs: ``--missing drop`` for ``missing='drop'``."""

from collections.abc import Iterable
from typing import Any

from arcwise.support.messages import Text, Vocabulary
from arcwise.support.quoting import quoted

__all__ = ["Options"]

_WORDS = {True: "true", False: "false", None: "none"}


class Options(Vocabulary):
    """Options of a command for the parameters of Python functions, whose names the command's own parameters have.

    What the command takes in another way, such as ``--set climbs=3``, or not at all, keeps its name.

    Parameters
    ----------
    parameters
        Those of the command, as click has them.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> from arcwise.support.messages import Name, Setting, said
    >>> limit = SimpleNamespace(name="evaluation_limit", opts=["--evaluations"], param_type_name="option")
    >>> said(("raise ", Name("evaluation_limit"), " or ", Name("climbs")), Options([limit]))
    'raise --evaluations or climbs'
    """

    def __init__(self, parameters: Iterable[Any] = ()) -> None:
        self._options = {parameter.name: parameter for parameter in parameters if parameter.param_type_name == "option"}

    def name(self, parameter: str, owner: str) -> str:
        """Return the option of a parameter; whose it is goes without saying there."""
        option = self._options.get(parameter)
        return super().name(parameter, owner) if option is None else str(option.opts[0])

    def setting(self, parameter: str, value: object) -> str:
        """Return the words to type."""
        option, name = self._options.get(parameter), self.name(parameter, "")
        if value is ... or (value is True and option is not None):
            return name
        if value is False and option is not None and option.secondary_opts:
            return str(option.secondary_opts[0])
        is_word = isinstance(value, str) and value.replace("-", "").isalnum()
        return f"{name} {value if is_word else self.value(value)}"

    def value(self, value: object) -> str:
        """Return a value as it may have been typed; texts have quotes."""
        return _WORDS[value] if value is None or isinstance(value, bool) else quoted(value)

    def choice(self, python: Text, otherwise: Text) -> Text:
        """Return what does not need Python."""
        return otherwise

    def keys(self) -> Vocabulary:
        """Return words in which no parameter is an option."""
        return Options()
