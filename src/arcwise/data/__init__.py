"""Tables become Datasets: reading, coding, discretising."""

from arcwise.data.dataset import Dataset
from arcwise.data.discretise import (
    Adaptive,
    Cuts,
    Discretisation,
    Discretiser,
    EqualWidth,
    Hartemink,
    Mdlp,
    Quantile,
)
from arcwise.data.readers import MISSING_TOKENS
from arcwise.data.steps import Bootstrap, DroppedRows, GroupedStates, LeftOut, MissingState, Step

__all__ = [
    "MISSING_TOKENS",
    "Adaptive",
    "Bootstrap",
    "Cuts",
    "Dataset",
    "Discretisation",
    "Discretiser",
    "DroppedRows",
    "EqualWidth",
    "GroupedStates",
    "Hartemink",
    "LeftOut",
    "Mdlp",
    "MissingState",
    "Quantile",
    "Step",
]
