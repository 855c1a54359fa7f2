"""`arcwise plot`: pictures of networks, searches and arc strengths."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

import arcwise
from arcwise.cli import choices, networks
from arcwise.cli.app import app, examples
from arcwise.cli.choices import completing, completing_sources
from arcwise.cli.options import existing_file, is_example, still_free, target_file
from arcwise.cli.output import JsonOutput, Output, Quiet
from arcwise.support.errors import FormatError, ParameterError
from arcwise.support.names import one_of
from arcwise.support.quoting import quoted

if TYPE_CHECKING:
    from arcwise.pictures.picture import Picture

WHAT = ("network", "trace", "strengths")


@app.command(
    epilog=examples(
        "arcwise plot alarm -o alarm.svg",
        "arcwise plot learned.bif --reference alarm --strengths alarm-strengths.csv -o alarm.pdf",
        "arcwise plot truth.bif --beside learned.bif -o both.png",
        "arcwise plot run.json --what trace",
    )
)
def plot(
    source: Annotated[
        str,
        typer.Argument(
            metavar="FILE|EXAMPLE",
            help=f"File of a network, graph or run, or one of {', '.join(choices.EXAMPLES)}; for --what strengths, a "
            "file that bootstrap has written.",
            autocompletion=completing_sources,
        ),
    ],
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", help="Write the picture to this .svg, .png or .pdf file.", show_default="NAME.svg"
        ),
    ] = None,
    what: Annotated[
        str, typer.Option(help=f"What to draw: {choices.listed(WHAT)}.", autocompletion=completing(WHAT))
    ] = "network",
    reference: Annotated[
        str | None,
        typer.Option(metavar="FILE|EXAMPLE", help="Colour arcs by whether this network or graph has them."),
    ] = None,
    beside: Annotated[
        str | None,
        typer.Option(metavar="FILE|EXAMPLE", help="Draw another network or graph beside it; for --what trace, a run."),
    ] = None,
    strengths: Annotated[
        Path | None, typer.Option(help="Draw more certain arcs wider, using a file from arcwise bootstrap.")
    ] = None,
    groups: Annotated[
        Path | None, typer.Option(help="Colour groups of nodes, by a csv file with the columns name and group.")
    ] = None,
    title: Annotated[str | None, typer.Option(help="Title of the picture.")] = None,
    as_json: JsonOutput = False,
    quiet: Quiet = False,
) -> None:
    """Draw a network, a search or arc strengths.

    A network is drawn in layers, with arcs downwards; of a run, the network that was found. A trace is the best score
    of a run against time, with the bound where there is one; strengths are a heat map of how sure each arc is.
    """
    what = one_of("what", what, WHAT)
    options = {"--reference": reference, "--beside": beside, "--strengths": strengths, "--groups": groups}
    _refuse(what, {name for name, value in options.items() if value is not None})
    ending = f"-{what}.svg" if what != "network" else ".svg"
    target = target_file(output, source, default=ending, endings=choices.PICTURE_ENDINGS, packed=False)
    record: dict[str, object] = {"source": source, "what": what}
    if what == "strengths":
        found = arcwise.read_strengths(existing_file(source, wanted="a file that arcwise bootstrap has written"))
        picture = arcwise.plot_strengths(found, title=title)
        record |= {"nodes": len({end for arc in found for end in arc}), "arcs": len(found)}
    elif what == "trace":
        sources = [source] if beside is None else [source, beside]
        runs = [_run_of(name).result for name in sources]
        picture = arcwise.plot_trace(*runs, labels=_labels(sources) if beside else None, title=title)
        record |= {"nodes": runs[0].dag.n_nodes, "arcs": runs[0].dag.n_arcs}
    else:
        shown = _network_of(source)
        picture = _network(shown, source, reference, beside, strengths, groups, title)
        graph = shown.dag if isinstance(shown, arcwise.BayesianNetwork | arcwise.Result) else shown
        record |= {"nodes": len(graph.names), "arcs": _n_edges(graph)}
    target = still_free(target, output)
    picture.save(target)
    record["output"] = str(target)
    width, height = picture.figure.get_size_inches()
    table = [
        ("nodes", f"{record['nodes']:,}"),
        ("arcs", f"{record['arcs']:,}"),
        ("size", f"{2.54 * width:.3g} x {2.54 * height:.3g} cm"),
        ("written to", str(target)),
    ]
    Output(as_json, quiet).show(record, f"{source}: {what}", table)


def _refuse(what: str, given: set[str]) -> None:
    """Refuse options that say nothing about this kind of picture."""
    allowed = {"network": set(given), "trace": {"--beside"}, "strengths": set()}[what]
    for name in sorted(given - allowed):
        raise ParameterError(f"{name} is for --what network, not for --what {what}; leave it out")
    if what == "network" and "--beside" in given and len(given) > 1:
        other = sorted(given - {"--beside"})[0]
        raise ParameterError(f"--beside and {other} do not go together: two networks are coloured by their differences")


def _network(
    graph: Any,
    source: str,
    reference: str | None,
    beside: str | None,
    strengths: Path | None,
    groups: Path | None,
    title: str | None,
) -> "Picture":
    if beside is not None:
        return arcwise.plot_comparison(graph, _network_of(beside), labels=_labels([source, beside]), title=title)
    wanted = "a file that arcwise bootstrap has written"
    found = None if strengths is None else arcwise.read_strengths(existing_file(strengths, wanted=wanted))
    return arcwise.plot_network(
        graph,
        strengths=found,
        groups=None if groups is None else _groups_in(existing_file(groups, wanted="a csv file of groups")),
        reference=None if reference is None else _network_of(reference),
        title=title,
    )


def _n_edges(graph: Any) -> int:
    return len(graph.directed) + len(graph.undirected) if isinstance(graph, arcwise.Cpdag) else graph.n_arcs


def _labels(sources: Sequence[str]) -> list[str]:
    """Names of the files, with their folders where these alone tell them apart."""
    names = [Path(source).name for source in sources]
    return names if len(set(names)) == len(names) else list(sources)


def _network_of(source: str) -> "arcwise.Dag | arcwise.Cpdag | arcwise.BayesianNetwork | arcwise.Result":
    """Return the graph of a file, a run or an example, with what it knows of its nodes."""
    if is_example(source):
        return arcwise.load_example(source)
    path = existing_file(
        source, wanted=f"a file of a network, graph or run, or an example: {', '.join(choices.EXAMPLES)}"
    )
    if networks.ending(path) == ".json" and _is_run(path):
        return arcwise.read_run(path).result
    if networks.ending(path) in (".json", ".graphml"):  # which hold classes too
        from arcwise.io.graphml import read_graphml
        from arcwise.io.json_files import read_json

        return read_json(path) if networks.ending(path) == ".json" else read_graphml(path)
    if networks.ending(path) == ".net":  # which may have continuous nodes
        return networks.network_of(source)
    try:
        return networks.graph_of(source)
    except FormatError as error:
        if "not 'from,to,strength,direction'" in str(error):
            raise FormatError("the file holds strengths of arcs; draw it with --what strengths", path=source) from None
        raise


def _run_of(source: str) -> "arcwise.Run":
    path = existing_file(source, wanted="a run, such as learn --checkpoint or arcwise.write_run writes")
    return arcwise.read_run(path)


def _is_run(path: Path) -> bool:
    from arcwise.runs.files import FORMAT
    from arcwise.support.fields import parsed_json
    from arcwise.support.files import read_text

    try:
        content = parsed_json(read_text(path), path)
    except FormatError:
        return False  # the reader of graphs says where
    return isinstance(content, dict) and content.get("format") == FORMAT


def _groups_in(path: Path) -> dict[str, str]:
    """Return the group of each name in a csv file."""
    from arcwise.support.files import csv_rows, read_text

    rows = csv_rows(read_text(path), str(path))
    found: dict[str, str] = {}
    line, first = next(rows, (1, []))
    header = [field.strip().lower() for field in first]
    if header != ["name", "group"]:
        raise FormatError(
            f"the first line must be name,group, not {quoted(','.join(header))}", path=str(path), line=line
        )
    for line, row in rows:
        if len(row) != 2 or not row[1]:
            raise FormatError("the line must have a name and a group", path=str(path), line=line)
        if row[0] in found:
            raise FormatError(f"{quoted(row[0])} is here twice; keep one", path=str(path), line=line)
        found[row[0]] = row[1]
    return found
