"""Local scores of families, and the score definitions."""

from arcwise.scores.definitions import (
    AIC,
    BIC,
    FNML,
    HQC,
    K2,
    QNML,
    SCORES,
    BDeu,
    BDs,
    LogLikelihood,
    Score,
    score_named,
)
from arcwise.scores.local_score import LocalScore

__all__ = [
    "AIC",
    "BIC",
    "FNML",
    "HQC",
    "K2",
    "QNML",
    "SCORES",
    "BDeu",
    "BDs",
    "LocalScore",
    "LogLikelihood",
    "Score",
    "score_named",
]
