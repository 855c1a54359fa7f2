"""The ten commonest tasks in arcwise and its peers: lines of code, seconds, and whether it works.

Run ``python -m benchmarks.tasks`` (``--quick`` for arcwise alone). Every line of a program counts, imports too; tables
are files, as people have them. Each program runs in a process of its own, whose imports are loaded before the clock
starts. A dash says that a package has no such thing. bnlearn (R) is in docs/benchmarks.md, and is not run here.
"""

import argparse
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.table import Table

__all__ = ["PROGRAMS", "TASKS", "Tried", "main", "tried", "write_files"]

#: What people want, from a file to an answer.
TASKS = {
    "learn": "learn a structure from a csv file",
    "ask": "learn a network, and ask it about one variable",
    "known": "learn with an arc that is required and one that is forbidden",
    "numbers": "learn from continuous columns",
    "cut": "cut numbers into states, and learn",
    "gaps": "learn from a table with missing values",
    "sure": "say how sure each arc is, by 20 bootstrap replicas",
    "classify": "cross-validate a naive Bayes classifier",
    "sample": "read a network from a file, and draw 1,000 rows",
    "compare": "compare a learned graph with a known one",
}

_ARCWISE = {
    "learn": """
import arcwise
answer = arcwise.learn("asia.csv").dag
""",
    "ask": """
import arcwise
answer = arcwise.learn("asia.csv").network().query("lung", {"xray": "yes"})
""",
    "known": """
import arcwise
rules = arcwise.Constraints(required=[("smoke", "lung")], forbidden=[("xray", "lung")])
answer = arcwise.learn("asia.csv", constraints=rules).dag
""",
    "numbers": """
import arcwise
answer = arcwise.learn("numbers.csv").dag
""",
    "cut": """
import arcwise
answer = arcwise.learn("numbers.csv", discretise="quantile").dag
""",
    "gaps": """
import arcwise
answer = arcwise.learn("gaps.csv", missing="em").dag
""",
    "sure": """
import arcwise
answer = arcwise.bootstrap("asia.csv", m=20).adjacent()
""",
    "classify": """
import arcwise, pandas, sklearn.model_selection
frame = pandas.read_csv("wine.csv")
model = arcwise.BayesianNetworkClassifier(method="naive-bayes")
answer = sklearn.model_selection.cross_val_score(model, frame.drop(columns="target"), frame["target"])
""",
    "sample": """
import arcwise
answer = arcwise.read_network("asia.bif").sample(1000)
""",
    "compare": """
import arcwise
answer = arcwise.compare(arcwise.read_network("asia.bif").dag, arcwise.learn("asia.csv").dag)
""",
}

_PYAGRUM = {
    "learn": """
import pyagrum
answer = pyagrum.BNLearner("asia.csv").learnDAG()
""",
    "ask": """
import pyagrum
network = pyagrum.BNLearner("asia.csv").learnBN()
answer = pyagrum.getPosterior(network, target="lung", evs={"xray": "yes"})
""",
    "known": """
import pyagrum
learner = pyagrum.BNLearner("asia.csv")
learner.addMandatoryArc("smoke", "lung")
learner.addForbiddenArc("xray", "lung")
answer = learner.learnDAG()
""",
    "cut": """
import pyagrum
from pyagrum.lib.discreteTypeProcessor import DiscreteTypeProcessor
processor = DiscreteTypeProcessor(defaultDiscretizationMethod="quantile", defaultNumberOfBins=3)
answer = pyagrum.BNLearner("numbers.csv", processor.discretizedTemplate("numbers.csv")).learnDAG()
""",
    "sure": """
import collections, pandas, pyagrum
frame = pandas.read_csv("asia.csv")
seen = collections.Counter()
for seed in range(20):
    network = pyagrum.BNLearner(frame.sample(frac=1, replace=True, random_state=seed)).learnBN()
    seen.update((network.variable(tail).name(), network.variable(head).name()) for tail, head in network.arcs())
answer = {arc: times / 20 for arc, times in seen.items()}
""",
    "classify": """
import pandas, sklearn.model_selection
from pyagrum.lib.discreteTypeProcessor import DiscreteTypeProcessor
from pyagrum.skbn import BNClassifier
frame = pandas.read_csv("wine.csv")
cuts = DiscreteTypeProcessor(defaultDiscretizationMethod="quantile", defaultNumberOfBins=3)
model = BNClassifier(type_processor=cuts, learningMethod="NaiveBayes")
answer = sklearn.model_selection.cross_val_score(model, frame.drop(columns="target"), frame["target"])
""",
    "sample": """
import pyagrum
answer, _ = pyagrum.generateSample(pyagrum.loadBN("asia.bif"), 1000)
""",
    "compare": """
import pyagrum
from pyagrum.lib.bn_vs_bn import GraphicalBNComparator
learned = pyagrum.BNLearner("asia.csv").learnBN()
answer = GraphicalBNComparator(pyagrum.loadBN("asia.bif"), learned).hamming()
""",
}

_PGMPY_LEARNED = """
frame = pandas.read_csv("asia.csv")
dag = HillClimbSearch(scoring_method="bic-d", return_type="dag", show_progress=False).fit(frame).causal_graph_
"""

_PGMPY = {
    "learn": """
import pandas
from pgmpy.causal_discovery import HillClimbSearch
frame = pandas.read_csv("asia.csv")
answer = HillClimbSearch(scoring_method="bic-d", return_type="dag", show_progress=False).fit(frame).causal_graph_
""",
    "ask": f"""
import pandas
from pgmpy.causal_discovery import HillClimbSearch
from pgmpy.inference import VariableElimination
from pgmpy.models import DiscreteBayesianNetwork{_PGMPY_LEARNED}network = DiscreteBayesianNetwork(dag.edges())
network.add_nodes_from(frame.columns)
answer = VariableElimination(network.fit(frame)).query(["lung"], {{"xray": "yes"}})
""",
    "known": """
import pandas
from pgmpy.causal_discovery import ExpertKnowledge, HillClimbSearch
frame = pandas.read_csv("asia.csv")
rules = ExpertKnowledge(required_edges=[("smoke", "lung")], forbidden_edges=[("xray", "lung")])
search = HillClimbSearch(scoring_method="bic-d", return_type="dag", expert_knowledge=rules, show_progress=False)
answer = search.fit(frame).causal_graph_
""",
    "numbers": """
import pandas
from pgmpy.causal_discovery import HillClimbSearch
frame = pandas.read_csv("numbers.csv")
answer = HillClimbSearch(scoring_method="bic-g", return_type="dag", show_progress=False).fit(frame).causal_graph_
""",
    "cut": """
import pandas
from pgmpy.causal_discovery import HillClimbSearch
frame = pandas.read_csv("numbers.csv").apply(lambda column: pandas.qcut(column, 3).astype(str))
answer = HillClimbSearch(scoring_method="bic-d", return_type="dag", show_progress=False).fit(frame).causal_graph_
""",
    "sure": """
import collections, pandas
from pgmpy.causal_discovery import HillClimbSearch
frame = pandas.read_csv("asia.csv")
seen = collections.Counter()
for seed in range(20):
    replica = frame.sample(frac=1, replace=True, random_state=seed)
    search = HillClimbSearch(scoring_method="bic-d", return_type="dag", show_progress=False)
    seen.update(list(search.fit(replica).causal_graph_.edges()))
answer = {arc: times / 20 for arc, times in seen.items()}
""",
    "classify": """
import pandas, sklearn.model_selection
from pgmpy.models import DiscreteBayesianNetwork
frame = pandas.read_csv("wine.csv")
cut = frame.apply(lambda column: column if column.name == "target" else pandas.qcut(column, 3).cat.codes)
right = []
for train, test in sklearn.model_selection.StratifiedKFold(5).split(cut, cut["target"]):
    model = DiscreteBayesianNetwork([("target", name) for name in cut.columns[:-1]])
    model.fit(cut.iloc[train])
    found = model.predict(cut.iloc[test].drop(columns="target"))
    right.append((found["target"].to_numpy() == cut["target"].iloc[test].to_numpy()).mean())
answer = right
""",
    "sample": """
from pgmpy.readwrite import BIFReader
answer = BIFReader("asia.bif").get_model().simulate(1000, show_progress=False)
""",
    "compare": f"""
import pandas
from pgmpy.causal_discovery import HillClimbSearch
from pgmpy.metrics import SHD
from pgmpy.readwrite import BIFReader{_PGMPY_LEARNED}answer = SHD()(BIFReader("asia.bif").get_model(), dag)
""",
}

_CAUSAL_LEARN = {
    "learn": """
import pandas
from causallearn.search.ScoreBased.GES import ges
codes = pandas.read_csv("asia.csv").apply(lambda column: column.astype("category").cat.codes)
answer = ges(codes.to_numpy(), "local_score_BDeu", node_names=list(codes))["G"]
""",
    "known": """
import pandas
from causallearn.search.ConstraintBased.PC import pc
from causallearn.utils.PCUtils.BackgroundKnowledge import BackgroundKnowledge
codes = pandas.read_csv("asia.csv").apply(lambda column: column.astype("category").cat.codes)
rules = BackgroundKnowledge().add_required_by_pattern("smoke", "lung").add_forbidden_by_pattern("xray", "lung")
answer = pc(codes.to_numpy(), 0.05, "gsq", background_knowledge=rules, node_names=list(codes), show_progress=False).G
""",
    "numbers": """
import pandas
from causallearn.search.ScoreBased.GES import ges
frame = pandas.read_csv("numbers.csv")
answer = ges(frame.to_numpy(), "local_score_BIC", node_names=list(frame))["G"]
""",
    "cut": """
import pandas
from causallearn.search.ScoreBased.GES import ges
codes = pandas.read_csv("numbers.csv").apply(lambda column: pandas.qcut(column, 3).cat.codes)
answer = ges(codes.to_numpy(), "local_score_BDeu", node_names=list(codes))["G"]
""",
    "sure": """
import collections, pandas
from causallearn.search.ScoreBased.GES import ges
codes = pandas.read_csv("asia.csv").apply(lambda column: column.astype("category").cat.codes)
seen = collections.Counter()
for seed in range(20):
    replica = codes.sample(frac=1, replace=True, random_state=seed)
    found = ges(replica.to_numpy(), "local_score_BDeu", node_names=list(codes))["G"]
    seen.update(str(edge) for edge in found.get_graph_edges())
answer = {edge: times / 20 for edge, times in seen.items()}
""",
}

PROGRAMS: Mapping[str, Mapping[str, str]] = {
    "arcwise": _ARCWISE,
    "pyAgrum": _PYAGRUM,
    "pgmpy": _PGMPY,
    "causal-learn": _CAUSAL_LEARN,
}

_HARNESS = """
import logging, sys, time, warnings
warnings.simplefilter("ignore")
logging.disable(logging.CRITICAL)
lines = sys.argv[1].strip().splitlines()
imports = [line for line in lines if line.startswith(("import ", "from "))]
space = {}
exec("\\n".join(imports), space)
if "arcwise" in space:  # whose names are imported when they are used
    [getattr(space["arcwise"], name) for name in dir(space["arcwise"]) if "arcwise." + name in sys.argv[1]]
begin = time.perf_counter()
exec("\\n".join(lines), space)
assert space["answer"] is not None
print("seconds", time.perf_counter() - begin)
"""


@dataclass(frozen=True)
class Tried:
    """What came of a program: how many lines it has, and how long it took, or why it failed."""

    lines: int
    seconds: float | None
    failure: str = ""

    def __str__(self) -> str:
        return f"{self.lines}, fails" if self.seconds is None else f"{self.lines}, {self.seconds:.2f} s"


def write_files(folder: Path) -> None:
    """Write the tables and the network that the programs read."""
    from sklearn.datasets import load_wine

    from arcwise import load_example, write_network

    truth = load_example("asia")
    frame = truth.sample(2000, seed=1).to_frame("pandas").astype(str)
    frame.to_csv(folder / "asia.csv", index=False)
    write_network(truth, folder / "asia.bif")
    lacks = np.random.default_rng(1).random(frame.shape) < 0.05
    frame.mask(lacks, "?").to_csv(folder / "gaps.csv", index=False)
    wine = load_wine(as_frame=True).frame.rename(columns=lambda name: name.replace("/", "_"))
    wine.to_csv(folder / "wine.csv", index=False)
    wine.drop(columns="target").to_csv(folder / "numbers.csv", index=False)


def tried(program: str, folder: Path) -> Tried:
    """Run a program in a folder."""
    text = program.strip()
    ran = subprocess.run(
        [sys.executable, "-c", _HARNESS, text], cwd=folder, capture_output=True, text=True, timeout=600, check=False
    )
    n_lines = len(text.splitlines())
    if ran.returncode:
        said = [line for line in ran.stderr.splitlines() if "Error" in line]
        return Tried(n_lines, None, (said or ["no message"])[-1])
    return Tried(n_lines, float(ran.stdout.strip().splitlines()[-1].split()[1]))


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="arcwise alone")
    names = ["arcwise"] if parser.parse_args().quick else list(PROGRAMS)
    table = Table(title="Lines of code and seconds; a dash where a package has no such thing")
    for column in ("task", *names):
        table.add_column(column, justify="left" if column == "task" else "right")
    failures = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_files(folder)
        for task, words in TASKS.items():
            row = [words]
            for peer in names:
                program = PROGRAMS[peer].get(task)
                found = None if program is None else tried(program, folder)
                row.append("-" if found is None else str(found))
                if found is not None and found.failure:
                    failures.append(f"{peer}, {task}: {found.failure}")
            table.add_row(*row)
    Console(width=140).print(table)
    for failure in failures:
        print(failure)


if __name__ == "__main__":
    main()
