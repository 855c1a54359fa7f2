"""Methods compared on several datasets, the tests of whether they differ, and cross-validation."""

from arcwise.comparison.methods import MethodComparison, MethodRun, compare_methods
from arcwise.comparison.ranks import Ranks, ranks_of
from arcwise.comparison.validation import Candidate, CrossValidation, cross_validate

__all__ = [
    "Candidate",
    "CrossValidation",
    "MethodComparison",
    "MethodRun",
    "Ranks",
    "compare_methods",
    "cross_validate",
    "ranks_of",
]
