"""Networks and graphs in files, in the format that the end of the name says."""

import os
from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

from arcwise.graph.cpdag import Cpdag
from arcwise.graph.dag import Dag
from arcwise.io.arcs import read_arcs, write_arcs
from arcwise.io.bif import read_bif, write_bif
from arcwise.io.dot import write_dot
from arcwise.io.graphml import read_graphml, write_graphml
from arcwise.io.json_files import read_json, write_json
from arcwise.io.net import read_net, write_net
from arcwise.io.uai import read_uai, write_uai
from arcwise.io.xdsl import read_xdsl, write_xdsl
from arcwise.io.xmlbif import read_xmlbif, write_xmlbif
from arcwise.network.network import BayesianNetwork
from arcwise.support.errors import FormatError, ParameterError
from arcwise.support.files import SUFFIXES, endings
from arcwise.support.messages import InPython, type_of
from arcwise.support.names import nearest
from arcwise.support.quoting import quoted, shown_path

__all__ = ["GRAPH_FORMATS", "NETWORK_FORMATS", "read_graph", "read_network", "write_graph", "write_network"]

PathLike = str | os.PathLike[str]


class _Format(NamedTuple):
    """How one kind of file is read and written; None where it is not."""

    endings: tuple[str, ...]
    read: Callable[[PathLike], Any] | None
    write: Callable[[Any, PathLike], None] | None


_NETWORKS: Mapping[str, _Format] = {
    "bif": _Format((".bif",), read_bif, write_bif),
    "xmlbif": _Format((".xml", ".xmlbif", ".xbif", ".bifxml"), read_xmlbif, write_xmlbif),
    "net": _Format((".net",), read_net, write_net),
    "uai": _Format((".uai",), read_uai, write_uai),
    "xdsl": _Format((".xdsl",), read_xdsl, write_xdsl),
    "json": _Format((".json",), read_json, write_json),
}
_GRAPHS: Mapping[str, _Format] = {
    "csv": _Format((".csv",), read_arcs, write_arcs),
    "json": _Format((".json",), read_json, write_json),
    "graphml": _Format((".graphml",), read_graphml, write_graphml),
    "dot": _Format((".dot", ".gv"), None, write_dot),
}

_ALL = {**_GRAPHS, **_NETWORKS}
_READABLE = {name: form for name, form in _ALL.items() if form.read is not None}

# Why a known format is not possible in a function.
_UNREADABLE = {name: f"{name} is only written, not read; " for name in _ALL if name not in _READABLE}
_NO_NETWORKS = {name: f"{name} is for graphs, see read_graph and write_graph; " for name in _GRAPHS}
_NO_GRAPHS = {name: f"{name} is for networks, which have probabilities, see write_network; " for name in _NETWORKS}

NETWORK_FORMATS: Mapping[str, tuple[str, ...]] = {name: form.endings for name, form in _NETWORKS.items()}
"""Formats of networks with their tables, and how the names of their files end."""

GRAPH_FORMATS: Mapping[str, tuple[str, ...]] = {name: form.endings for name, form in _GRAPHS.items()}
"""Formats of graphs without tables, and how the names of their files end."""


def read_network(path: PathLike, format: str | None = None) -> BayesianNetwork:  # noqa: A002
    """Network in a file of one of `NETWORK_FORMATS`.

    Parameters
    ----------
    path
        The file. The end of its name says the format; after it .gz, .xz, .bz2 or .zst may say how it is compressed.
    format
        Name of the format, where the end of the file's name does not say it.

    Raises
    ------
    ParameterError
        If the format is unknown.
    FormatError
        If the content does not follow the format.
    OSError
        If the file cannot be read.

    Examples
    --------
    >>> from importlib.resources import files
    >>> read_network(files("arcwise.simulation") / "networks" / "asia.bif.gz")
    <BayesianNetwork: 8 nodes, 8 arcs, 18 parameters>
    >>> read_network("asia.biff")
    Traceback (most recent call last):
        ...
    arcwise.ParameterError: unknown ending '.biff' of 'asia.biff'; did you mean .bif? Allowed are .bif, ...
    """
    chosen = _chosen(path, format, _NETWORKS, _NO_NETWORKS)
    assert chosen.read is not None
    content: BayesianNetwork | Dag | Cpdag = chosen.read(path)
    if not isinstance(content, BayesianNetwork):
        remedy = InPython("; read it with read_graph, and fit them to data")
        raise FormatError(("the file holds a graph without probabilities", remedy), path=os.fspath(path))
    return content


def write_network(network: BayesianNetwork, path: PathLike, format: str | None = None) -> None:  # noqa: A002
    """Write a network to a file of one of `NETWORK_FORMATS`; parameters as in `read_network`.

    The file appears when it is complete: an error leaves what was there before.

    Raises
    ------
    ParameterError
        If the format is unknown, or cannot express a name of the network.
    OSError
        If the file cannot be written.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> coin = BayesianNetwork(Dag(["coin"]), [["heads", "tails"]], [[0.5, 0.5]])
    >>> with TemporaryDirectory() as folder:
    ...     write_network(coin, Path(folder, "coin.bif"))
    ...     read_network(Path(folder, "coin.bif")) == coin
    True
    """
    if not isinstance(network, BayesianNetwork):
        hint = "write_graph writes graphs" if isinstance(network, Dag | Cpdag) else ""
        raise ParameterError.of("network", "a BayesianNetwork", type_of(network), hint)
    chosen = _chosen(path, format, _NETWORKS, _NO_NETWORKS)
    assert chosen.write is not None
    chosen.write(network, path)


def read_graph(path: PathLike, format: str | None = None) -> Dag:  # noqa: A002
    """Graph in a file of one of `GRAPH_FORMATS`, or of a network of one of `NETWORK_FORMATS`.

    Parameters and errors are those of `read_network`.

    Examples
    --------
    >>> from importlib.resources import files
    >>> read_graph(files("arcwise.simulation") / "networks" / "asia.bif.gz")
    <Dag: 8 nodes, 8 arcs>
    """
    chosen = _chosen(path, format, _READABLE, _UNREADABLE)
    assert chosen.read is not None
    content: BayesianNetwork | Dag | Cpdag = chosen.read(path)
    if isinstance(content, Cpdag):
        edge = " - ".join(map(quoted, content.undirected[0]))
        message = f"the graph has undirected edges, such as {edge}; a DAG has directed ones only"
        raise FormatError(message, path=os.fspath(path))
    return content.dag if isinstance(content, BayesianNetwork) else content


def write_graph(graph: Dag | Cpdag | BayesianNetwork, path: PathLike, format: str | None = None) -> None:  # noqa: A002
    """Write a graph, or that of a network, to a file of one of `GRAPH_FORMATS`.

    Parameters and errors are those of `write_network`.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> dag = Dag(["rain", "wet"], [("rain", "wet")])
    >>> with TemporaryDirectory() as folder:
    ...     write_graph(dag, Path(folder, "arcs.csv"))
    ...     read_graph(Path(folder, "arcs.csv")) == dag
    True
    """
    if not isinstance(graph, Dag | Cpdag | BayesianNetwork):
        raise ParameterError.of("graph", "a Dag, a Cpdag or a BayesianNetwork", type_of(graph))
    chosen = _chosen(path, format, _GRAPHS, _NO_GRAPHS)
    assert chosen.write is not None
    with_states = chosen.write is write_graphml  # which keeps them beside the nodes
    chosen.write(graph.dag if isinstance(graph, BayesianNetwork) and not with_states else graph, path)


def _chosen(path: PathLike, name: str | None, formats: Mapping[str, _Format], others: Mapping[str, str]) -> _Format:
    """The format that was asked for by name, or that the end of the file's name says.

    `others` has the formats that are known and not possible here, with the reason.
    """
    if not isinstance(path, str | os.PathLike):
        raise ParameterError.of("path", "a path", path)
    if name is not None:
        if name not in formats:
            hint = others.get(name) or _nearest(name, formats)
            raise ParameterError(
                f"the format {quoted(name)} is not possible here; {_allowed(hint)} {', '.join(formats)}"
            )
        return formats[name]
    ending, _ = endings(path)
    by_ending = {known: form for form in formats.values() for known in form.endings}
    if ending not in by_ending:
        other = next((key for key in others if ending in _ALL[key].endings), None)
        hint = _nearest(ending, by_ending) if other is None else others[other]
        raise ParameterError(
            f"unknown ending {quoted(ending)} of {shown_path(path)!r}; {_allowed(hint)} {', '.join(by_ending)}, "
            f"optionally followed by {', '.join(SUFFIXES)}; or give the format by its name"
        )
    return by_ending[ending]


def _nearest(word: str, allowed: Iterable[str]) -> str:
    near = nearest(word, allowed)
    return "" if near is None else f"did you mean {near}? "


def _allowed(hint: str) -> str:
    """Return a hint, which may be a sentence, and the words before what is allowed."""
    return f"{hint}Allowed are" if hint.endswith("? ") else f"{hint}allowed are"
