"""Reports as files."""

import os

from arcwise.data.dataset import Dataset
from arcwise.graph.dag import Dag
from arcwise.network.network import BayesianNetwork
from arcwise.report.content import Strengths, content_of
from arcwise.report.html import page
from arcwise.runs.files import Run
from arcwise.runs.result import Result
from arcwise.support.errors import ParameterError
from arcwise.support.files import SUFFIXES, write_text
from arcwise.support.messages import type_of

__all__ = ["write_report"]

_ENDINGS = tuple(f"{ending}{packing}" for ending in (".html", ".htm") for packing in ("", *SUFFIXES))


def write_report(
    found: Result | Run,
    path: str | os.PathLike[str],
    *,
    strengths: Strengths | None = None,
    reference: Dag | BayesianNetwork | Result | None = None,
    title: str | None = None,
    data: Dataset | None = None,
) -> None:
    """Write a report as one HTML file, which any browser opens without a network connection.

    It shows the network, which you can pan, search and click (parents, children, Markov blanket, probabilities of
    each variable), the score by time with its bound, arc strengths where they are given, the data with what is doubtful
    in it, and how to make the run again. States can be clicked as evidence (numbers typed, where all variables are
    continuous), and the distributions of all other variables follow, where the network is small enough for a page to
    compute them. Names are text there, whatever is in them.

    Parameters
    ----------
    found
        A result, or a `Run`, which has warnings and the command besides; `read_run` gives one.
    path
        The file; it appears under its name when it is complete.
    strengths
        How often arcs were found, as `bootstrap` or `read_strengths` gives it.
    reference
        A network to compare with, such as the true one.
    title
        The heading.
    data
        The rows that a `Run` was learned from, of which some become pictures of continuous variables against their
        parents; a result that was not read from a file has them.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from arcwise import learn, load_example
    >>> truth = load_example("asia")
    >>> result = learn(truth.sample(1000, seed=1), seed=1)
    >>> with TemporaryDirectory() as folder:
    ...     file = Path(folder, "asia.html")
    ...     write_report(result, file, reference=truth)
    ...     file.read_text(encoding="utf-8")[:15]
    '<!doctype html>'
    """
    if not os.fspath(path).lower().endswith(_ENDINGS):
        raise ParameterError.of("path", "a name that ends in .html or .htm", os.fspath(path))
    if not isinstance(found, Result | Run):
        raise ParameterError.of("found", "a Result or a Run", type_of(found))
    if data is not None and not isinstance(data, Dataset):
        raise ParameterError.of("data", "a Dataset", type_of(data))
    rows = found.data if data is None and isinstance(found, Result) else data
    run = found if isinstance(found, Run) else Run.of(found, data)
    graph = reference.dag if isinstance(reference, BayesianNetwork | Result) else reference
    if graph is not None and not isinstance(graph, Dag):
        raise ParameterError.of(
            "reference",
            "a Dag, a BayesianNetwork or a Result",
            type_of(graph),
            "a Cpdag has a Dag in its consistent_extension()",
        )
    heading = f"A network of {run.result.dag.n_nodes:,} variables" if title is None else str(title)
    shown = rows if isinstance(rows, Dataset) else None
    write_text(path, page(content_of(run, title=heading, strengths=strengths, reference=graph, rows=shown)))
