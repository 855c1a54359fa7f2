"""Messages of the package, in the words of the command line: `--missing drop` for ``missing='drop'``."""

import re

__all__ = ["as_options"]

_OPTIONS = {
    "certify": "--certify",
    "descent": "--descent",
    "discretise": "--discretise",
    "ess of bdeu": "--ess",
    "ess of bds": "--ess",
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
    "strategy": "--method",
    "time_limit": "--time-limit",
    "time_per_variable": "--time-per-variable",
    "workers": "--workers",
}
_FIRST = re.compile(rf"^({'|'.join(_OPTIONS)})(?= must )")
_CHANGES = (
    # What a command line cannot give.
    (r" or (an object such as|a search such as|Quantile\(k\)).*?(?=, not )", ""),
    (r" or None(?=, got)", ""),
    (r", discretise=\{[^}]*\}", ""),
    # What it gives in other words.
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


def as_options(message: str) -> str:
    """Message with arguments of Python functions named as the options that stand for them.

    Examples
    --------
    >>> as_options("seed must be a whole number of at least 0 or None, got -1")
    '--seed must be a whole number of at least 0, got -1'
    >>> as_options("Fill the values in, or use missing='drop' to leave such rows out")
    'Fill the values in, or use --missing drop to leave such rows out'
    """
    message = _FIRST.sub(lambda found: _OPTIONS[found[1]], message)
    for pattern, replacement in _CHANGES:
        message = re.sub(pattern, replacement, message)
    return message
