"""Messages of the package, in the words of the command line: `--missing drop` for ``missing='drop'``."""

import re
from collections.abc import Callable, Collection

from arcwise.cli import choices

__all__ = ["as_options"]

_OPTIONS = {
    "certify": "--certify",
    "climbs": "--climbs",
    "climb": "--climb",
    "discretise": "--discretise",
    **{f"ess of {name}": "--ess" for name in choices.SIZED_SCORES},
    "evaluation_limit": "--evaluations",
    "initial": "--initial",
    "kept_per_variable": "--keep",
    "max_parents": "--max-parents",
    "max_states": "--max-states",
    "method": "--method",
    "missing": "--missing",
    "score": "--score",
    "scored_per_variable": "--scored",
    "seed": "--seed",
    "separator": "--separator",
    "strategy": "--method",
    "time_limit": "--time-limit",
    "time_per_variable": "--time-per-variable",
    "workers": "--workers",
}
_FIRST = re.compile(rf"^({'|'.join(_OPTIONS)})(?= must )")
_CHANGES: tuple[tuple[str, str | Callable[[re.Match[str]], str]], ...] = (
    # What a command line cannot give.
    (r" or (an object such as|a search such as|Quantile\(k\)|an OrderClimb).*?(?=, not )", ""),
    (r", or an object with a name and a method search(?=, not )", ""),
    (r"; read it with read_graph, and fit them to data", ""),
    (r"; give its graph as start instead", ""),
    (r" \(in Python, kind=\)", ""),
    (r" or None(?=, got)", ""),
    (r", discretise=\{[^}]*\}", ""),
    # What it gives in other words.
    (r"(?<= must be )True or False\b", "true or false"),
    (r"(?<=, not )(None|True|False)$", lambda found: found[0].lower()),
    (r"\(resume=True\)", "(--resume)"),
    (r"^resume needs a checkpoint; give checkpoint\b", "--resume needs --checkpoint"),
    (r"\bwith max_parents\b", "with --max-parents"),
    (r"\b(raise|more than) memory\b", r"\1 --memory"),
    (r"discretise=\{[^}]*: '(\w+)'\}", r"--discretise \1"),
    (r"\b(missing|discretise)='(\w+)'", r"--\1 \2"),
    (r"--discretise (\w+), '(\w+)' or '(\w+)'", r"--discretise \1, \2 or \3"),
    (r"\bmemory=(?=[,;]|$)", "--memory"),
    (r"\bmethod='([\w-]+)'", r"--method \1"),
    (r"\bheader=True", "--header"),
    (r"\bheader=False", "--no-header"),
    (r"\bseparator='(.)'", r"--separator '\1'"),
    (r"\bseparator=", "--separator"),
    (r"\bmax_states=(\d+)", r"--max-states \1"),
    (r"\bmax_states\b", "--max-states"),
)


def as_options(message: str, options: Collection[str] | None = None) -> str:
    """Message with arguments of Python functions named as the options that stand for them.

    Parameters
    ----------
    message
        What the package says.
    options
        The options that the command has; all when None. What a command takes by another way, such as ``--set``, keeps
        its name.

    Examples
    --------
    >>> as_options("seed must be a whole number of at least 0 or None, got -1")
    '--seed must be a whole number of at least 0, got -1'
    >>> as_options("Fill the values in, or use missing='drop' to leave such rows out")
    'Fill the values in, or use --missing drop to leave such rows out'
    """

    def option(found: re.Match[str]) -> str:
        name = _OPTIONS[found[1]]
        has_it = options is None or (name in options and (found[1] != "strategy" or "--climb" in options))
        return name if has_it else found[1]  # the method of learn is not a strategy, that of search is

    message = _FIRST.sub(option, message)
    for pattern, replacement in _CHANGES:
        message = re.sub(pattern, replacement, message)
    return message
