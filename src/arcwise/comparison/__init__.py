"""Methods compared on several datasets, and the tests of whether they differ."""

from arcwise.comparison.methods import MethodComparison, MethodRun, compare_methods
from arcwise.comparison.ranks import Ranks, ranks_of

__all__ = ["MethodComparison", "MethodRun", "Ranks", "compare_methods", "ranks_of"]
