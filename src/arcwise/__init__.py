"""arcwise learns the structure of Bayesian networks from discrete data, by score and search.

The way the data goes: a table becomes a `Dataset`, a `LocalScore` judges families of variables on it, a search returns
a `Result` with a `Dag`, and with probabilities that becomes a `BayesianNetwork`. `learn` does all of it.
"""

from arcwise.budget import Budget
from arcwise.checkpoints import Checkpoints
from arcwise.constraints import Constraints
from arcwise.data.dataset import Dataset
from arcwise.data.discretise import Adaptive, Cuts, EqualWidth, Quantile
from arcwise.data.examples import EXAMPLES, load_example
from arcwise.errors import (
    ArcwiseError,
    ArcwiseWarning,
    DataError,
    FormatError,
    GraphError,
    MissingLibraryError,
    ParameterError,
)
from arcwise.graph import Comparison, Cpdag, Dag, compare
from arcwise.interop import (
    from_networkx,
    from_pgmpy,
    from_pyagrum,
    network_from_networkx,
    to_networkx,
    to_pgmpy,
    to_pyagrum,
)
from arcwise.io.bif import read_bif, write_bif
from arcwise.io.files import read_graph, read_network, write_graph, write_network
from arcwise.io.runs import Run, read_run, write_run
from arcwise.learn import learn
from arcwise.network.network import BayesianNetwork
from arcwise.network.tree_mixture import TreeMixture
from arcwise.parents import Limits, ParentSets, Selected, mmpc, mtmpc, score_filter, select
from arcwise.result import Improvement, LocalOptimum, Result, Scope, Status, Tightening
from arcwise.scores import AIC, BIC, FNML, K2, QNML, BDeu, BDs, LocalScore, LogLikelihood
from arcwise.search.classes import ClassNeighbour, ges, inclusion_boundary, kes, xges
from arcwise.search.dags import greedy, k2, look_ahead, mmhc, mtmhc, tabu, uncover_v_structures
from arcwise.search.exact import (
    BestNetworks,
    Bound,
    RankedNetwork,
    best_networks,
    certified,
    dynamic_programme,
    exact,
    integer_programme,
    tightened_bound,
)
from arcwise.search.orders import Descent, Iterated, Memetic, Restarts, Stop, orders, search_orders
from arcwise.search.trees import LearnedMixture, chow_liu, tree_mixture
from arcwise.strengths import ArcStrengths, bootstrap

__all__ = [
    "AIC",
    "BIC",
    "EXAMPLES",
    "FNML",
    "K2",
    "QNML",
    "Adaptive",
    "ArcStrengths",
    "ArcwiseError",
    "ArcwiseWarning",
    "BDeu",
    "BDs",
    "BayesianNetwork",
    "BestNetworks",
    "Bound",
    "Budget",
    "Checkpoints",
    "ClassNeighbour",
    "Comparison",
    "Constraints",
    "Cpdag",
    "Cuts",
    "Dag",
    "DataError",
    "Dataset",
    "Descent",
    "EqualWidth",
    "FormatError",
    "GraphError",
    "Improvement",
    "Iterated",
    "LearnedMixture",
    "Limits",
    "LocalOptimum",
    "LocalScore",
    "LogLikelihood",
    "Memetic",
    "MissingLibraryError",
    "ParameterError",
    "ParentSets",
    "Quantile",
    "RankedNetwork",
    "Restarts",
    "Result",
    "Run",
    "Scope",
    "Selected",
    "Status",
    "Stop",
    "Tightening",
    "TreeMixture",
    "best_networks",
    "bootstrap",
    "certified",
    "chow_liu",
    "compare",
    "dynamic_programme",
    "exact",
    "from_networkx",
    "from_pgmpy",
    "from_pyagrum",
    "ges",
    "greedy",
    "inclusion_boundary",
    "integer_programme",
    "k2",
    "kes",
    "learn",
    "load_example",
    "look_ahead",
    "mmhc",
    "mmpc",
    "mtmhc",
    "mtmpc",
    "network_from_networkx",
    "orders",
    "read_bif",
    "read_graph",
    "read_network",
    "read_run",
    "score_filter",
    "search_orders",
    "select",
    "tabu",
    "tightened_bound",
    "to_networkx",
    "to_pgmpy",
    "to_pyagrum",
    "tree_mixture",
    "uncover_v_structures",
    "write_bif",
    "write_graph",
    "write_network",
    "write_run",
    "xges",
]
