"""The log of the package, under the name "arcwise": it says when searches begin and end, to whoever listens.

Nothing is shown unless the program that uses arcwise asks for it, as ``logging.basicConfig(level="INFO")`` does. What a
user must know comes as a warning (`ArcwiseWarning`), not through here.
"""

import logging

__all__ = ["log"]

log = logging.getLogger("arcwise")
log.addHandler(logging.NullHandler())
