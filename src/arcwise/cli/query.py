"""`arcwise query`: what a network says about some nodes, given what is known of others."""

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

import arcwise
from arcwise.cli.app import app, examples
from arcwise.cli.networks import ending, network_argument, network_of
from arcwise.cli.options import Seed, existing_file, target_file
from arcwise.cli.output import JsonOutput, Output, Quiet
from arcwise.support.errors import ParameterError

ENDINGS = [".csv", ".tsv"]


def _completing_nodes(ctx: typer.Context, incomplete: str) -> list[str]:
    """Nodes of the network that was named, which begin like this."""
    network = _named(ctx)
    return [] if network is None else [name for name in network.names if name.startswith(incomplete)]


def _completing_states(ctx: typer.Context, incomplete: str) -> list[str]:
    """Nodes with an equals sign, and after that their states."""
    network = _named(ctx)
    if network is None:
        return []
    words = [
        f"{name}={state}"
        for name, states in zip(network.names, network.states, strict=True)
        if incomplete.startswith(f"{name}=")
        for state in states
    ]
    return [word for word in words or [f"{name}=" for name in network.names] if word.startswith(incomplete)]


def _named(ctx: typer.Context) -> "arcwise.BayesianNetwork | None":
    # While the value of an option is typed, the arguments before it have not been given their names.
    source = ctx.params.get("network") or next(iter(ctx.args), "")
    try:
        return network_of(source)
    except Exception:  # while somebody types there is nobody to tell
        return None


@app.command(
    epilog=examples(
        "arcwise query asia lung --given smoke=yes --given xray=yes",
        "arcwise query patients.bif --given Smoker=yes",
        "arcwise query patients.bif Recovery --do Drug=on",
        "arcwise query asia lung bronc --joint --given dysp=yes --json",
        "arcwise query asia --most-probable --given xray=yes",
        "arcwise query asia lung --cases patients.csv -o risks.csv",
    )
)
def query(
    network: Annotated[str, network_argument("NETWORK")],
    targets: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[NODE]...",
            help="Nodes to ask about.",
            show_default="all that are not given",
            autocompletion=_completing_nodes,
        ),
    ] = None,
    given: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NODE=STATE",
            help="What is known of a node: its state, or its number. Can be repeated.",
            autocompletion=_completing_states,
        ),
    ] = None,
    values: Annotated[
        list[str] | None,
        typer.Option(
            "--do",
            metavar="NODE=STATE",
            help="Set a node from outside: the arcs into it are cut. Can be repeated.",
            autocompletion=_completing_states,
        ),
    ] = None,
    joint: Annotated[bool, typer.Option("--joint", help="Ask for the nodes together, not one by one.")] = False,
    most_probable: Annotated[
        bool, typer.Option("--most-probable", help="Ask for the most probable states of all nodes together.")
    ] = False,
    approximate: Annotated[
        bool, typer.Option("--approximate", help="Estimate by 10,000 draws what takes too much memory to be exact.")
    ] = False,
    cases: Annotated[
        Path | None,
        typer.Option(help="Table (csv, tsv or parquet) of what is known. One case per row; empty cells are unknown."),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            help=f"Write the answers about --cases to this file: {', '.join(ENDINGS)}.",
            show_default="csv, to stdout",
        ),
    ] = None,
    seed: Seed = None,
    as_json: JsonOutput = False,
    quiet: Quiet = False,
) -> None:
    """Ask a network for probabilities, given what is known.

    Shows the probability of each state of a node, or the mean and the standard deviation of a continuous one.
    Answers are exact unless --approximate is given, which shows their standard errors.
    """
    from arcwise.support.arguments import recorded_seed

    seed = recorded_seed(seed)
    question = _Question(targets or None, joint, most_probable, seed if approximate else None)
    _refuse_both(given, cases, output, as_json)
    asked = network_of(network)
    known, made = _assigned("given", given, asked), _assigned("values", values, asked)
    _refuse_other_states(known, made)
    if made:
        asked = asked.do(made)
    record: dict[str, object] = {"network": network, "given": known, "do": made, **_NOTHING}
    if cases is None:
        answers, table = _answers(question.answered(asked, known))
        if not approximate:  # which is for what takes too much to be exact
            record["probability"] = asked.probability(known)
        record |= {**answers, "seed": question.draw_seed}
        Output(as_json, quiet).show(record, _title(network, known, made), table)
        return
    target = None if output is None else target_file(output, str(cases), default="", endings=ENDINGS)
    answered = question.answered(asked, _table(cases))
    if target is None:
        from arcwise.data.writers import text_of_frame

        sys.stdout.write(text_of_frame(answered))
        return
    _write(answered, target)
    record |= {"seed": question.draw_seed, "rows": len(answered), "output": str(target)}
    table = [("rows", f"{len(answered):,}"), ("columns", ", ".join(answered.columns)), ("written to", str(target))]
    Output(as_json, quiet).show(record, _title(network, known, made), table)


_NOTHING = dict.fromkeys(("probability", "posteriors", "errors", "joint", "most_probable", "seed", "rows", "output"))


@dataclass(frozen=True)
class _Question:
    """What is asked."""

    targets: list[str] | None
    joint: bool
    most_probable: bool
    draw_seed: int | None

    def __post_init__(self) -> None:
        if self.most_probable and (self.joint or self.targets):
            raise ParameterError("--most-probable is about all nodes; leave out --joint and the nodes")
        if self.draw_seed is not None and self.most_probable:
            raise ParameterError("--approximate is about each node by itself; leave out --most-probable")

    def answered(self, network: "arcwise.BayesianNetwork", known: Any) -> Any:
        """Return the answer, given what is known: in one case, or in the rows of a frame."""
        if self.most_probable:
            return network.most_probable(known)
        approximate = self.draw_seed is not None
        return network.query(self.targets, known, joint=self.joint, approximate=approximate, seed=self.draw_seed)


def _refuse_other_states(known: Mapping[str, object], made: Mapping[str, object]) -> None:
    """Refuse nodes that are set to one state and known to be in another."""
    for name in known.keys() & made.keys():
        if known[name] != made[name]:
            raise ParameterError(f"--do sets {name} to {made[name]}, so --given {name}={known[name]} is impossible")


def _refuse_both(given: list[str] | None, cases: Path | None, output: Path | None, as_json: bool) -> None:
    if cases is not None and given:
        raise ParameterError("give --given or --cases, not both; what is known in all rows can be a column")
    if cases is None and output is not None:
        raise ParameterError("--output is for the answers about --cases; --json prints those of one case")
    if cases is not None and as_json and output is None:
        raise ParameterError("--json needs --output: without it the standard output holds the answers about --cases")


def _assigned(parameter: str, words: list[str] | None, network: "arcwise.BayesianNetwork") -> dict[str, str | float]:
    """States and numbers of nodes that were given as NODE=STATE; a number may be one that was cut into states."""
    from arcwise.data.discretise import Discretisation

    found: dict[str, str | float] = {}
    states = dict(zip(network.names, network.states, strict=True))
    cut = {step.column for step in network.steps if isinstance(step, Discretisation)}
    for word in words or ():
        ends = [at for at, sign in enumerate(word) if sign == "="]
        if not ends:
            raise ParameterError.of(parameter, "NODE=STATE", word)
        end = next((at for at in ends if word[:at] in network.names), ends[0])  # names may have such a sign
        name, value = word[:end], word[end + 1 :]
        if found.setdefault(name, value) != value:
            raise ParameterError.of(parameter, f"one state for {name}", f"{found[name]} and {value}", verb="have")
        if name in network.continuous or (name in cut and value not in states[name]):
            found[name] = _number(value)
    return found


def _number(text: str) -> str | float:
    try:
        return float(text)
    except ValueError:
        return text  # the network says what is wrong with it


def _answers(found: Any) -> tuple[dict[str, object], list[Sequence[str]]]:
    """Answer about one case, as a record and as a table."""
    if isinstance(found, arcwise.Explanation):
        rows = [[node, _shown(value)] for node, value in found.items()]
        record = {"values": dict(found), "probability": found.probability}
        return {"most_probable": record}, [*rows, ["probability", _shown(found.probability)]]
    if not isinstance(found, arcwise.Posteriors):
        return _joint_answer(found)
    posteriors: dict[str, object] = {}
    errors: dict[str, object] = {}
    table: list[Sequence[str]] = []
    for node, answer in found.items():
        if isinstance(answer, arcwise.ContinuousPosterior):
            posteriors[node], errors[node] = {"mean": answer.mean, "deviation": answer.deviation}, answer.error
            spreads = [] if answer.error is None else [f"± {_shown(answer.error)}"]
            table.append([node, "mean", _shown(answer.mean), *spreads])
            table.append(["", "standard deviation", _shown(answer.deviation), *[""] * len(spreads)])
        else:
            posteriors[node], errors[node] = dict(answer), answer.errors
            for head, (state, each) in zip([node, *[""] * (len(answer) - 1)], answer.items(), strict=True):
                spreads = [] if answer.errors is None else [f"± {_shown(answer.errors[state])}"]
                table.append([head, state, _shown(each), *spreads])
    is_exact = all(error is None for error in errors.values())
    return {"posteriors": posteriors, "errors": None if is_exact else errors}, table


def _joint_answer(found: Any) -> tuple[dict[str, object], list[Sequence[str]]]:
    nodes = list(found.nodes)
    if isinstance(found, arcwise.JointContinuousPosterior):
        record = {"nodes": nodes, "means": found.means.tolist(), "covariance": found.covariance.tolist()}
        rows = zip(nodes, found.means.tolist(), found.deviations.tolist(), found.covariance.tolist(), strict=True)
        head = ["", "mean", "standard deviation", *(f"covariance with {node}" for node in nodes)]
        table = [[node, _shown(mean), _shown(spread), *map(_shown, row)] for node, mean, spread, row in rows]
        return {"joint": record}, [head, *table]
    each = [{"states": list(states), "probability": probability} for states, probability in found.items()]
    table = [[*states, _shown(probability)] for states, probability in found.items()]
    return {"joint": {"nodes": nodes, "probabilities": each}}, [[*nodes, "probability"], *table]


def _shown(value: str | float) -> str:
    if isinstance(value, str):
        return value
    return f"{value:.4f}" if not 0 < abs(value) < 5e-4 else f"{value:.3g}"


def _title(network: str, known: Mapping[str, object], made: Mapping[str, object]) -> str:
    parts = {"given": known, "after setting": made}
    words = [
        f"{word} {', '.join(f'{name}={value}' for name, value in found.items())}"
        for word, found in parts.items()
        if found
    ]
    return " ".join([network, *words])


def _table(path: Path) -> Any:
    """Rows of a file, in which what is missing is not known."""
    from arcwise.data.readers import table_of_file

    return table_of_file(existing_file(path, wanted="a table of what is known"))


def _write(frame: Any, path: Path) -> None:
    from arcwise.data.writers import text_of_frame
    from arcwise.support.files import write_text

    write_text(path, text_of_frame(frame, "\t" if ending(path) == ".tsv" else ","))
