"""What each arc of a graph is worth."""

from typing import Any

from arcwise.data.dataset import Dataset
from arcwise.graph.dag import Dag
from arcwise.scores.definitions import Score
from arcwise.scores.local_score import LocalScore

__all__ = ["arc_gains"]


def arc_gains(dag: Dag, data: Any, score: str | Score = "bic") -> dict[tuple[str, str], float]:
    """Return for each arc by how much the score of the graph falls without it.

    Scores are natural logarithms, so that after its penalty an arc with a gain of 3 makes the data e³, 20 times as
    probable. A negative gain says that the score is better without the arc.

    Parameters
    ----------
    dag
        The graph.
    data
        A `Dataset` with the graph's variables, or anything `Dataset.of` takes.
    score
        A name, such as bic or bdeu(ess=10), or a score such as ``BDeu(ess=10)``.

    Examples
    --------
    >>> from arcwise import load_example
    >>> network = load_example("cancer")
    >>> gains = arc_gains(network.dag, network.sample(5000, seed=1))
    >>> max(gains, key=gains.get)
    ('Cancer', 'Xray')
    """
    local_score = LocalScore(Dataset.of(data), score)
    local_score.total(dag)  # refuses other variables
    gains = {}
    for child in dag.names:
        parents = dag.parents(child)
        if parents:
            score_with = local_score.local(child, parents)
            for parent, score_without in zip(parents, local_score.removals(child, parents).tolist(), strict=True):
                gains[parent, child] = score_with - score_without
    return gains
