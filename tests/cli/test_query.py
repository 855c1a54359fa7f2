"""`arcwise query`, run as a user runs it."""

import json
from pathlib import Path

import polars as pl
import pytest
from typer.testing import CliRunner

from arcwise import BayesianNetwork, ConditionalGaussian, Cuts, Dag, Dataset, load_example, write_network
from arcwise.cli import app

runner = CliRunner()
pytestmark = pytest.mark.usefixtures("in_empty_folder")
ASIA = load_example("asia")


def answered(command: str) -> dict[str, object]:
    outcome = runner.invoke(app, ["query", *command.split(), "--json"])
    assert outcome.exit_code == 0, outcome.output
    found = json.loads(outcome.stdout)
    assert isinstance(found, dict)
    return found


def test_one_node_as_a_table() -> None:
    outcome = runner.invoke(app, ["query", "asia", "lung", "--given", "smoke=yes", "--given", "xray=yes"])
    assert outcome.exit_code == 0, outcome.output
    title, *table = outcome.stdout.splitlines()
    assert title == "asia given smoke=yes, xray=yes"
    # 0.1 of the smokers have it. A shadow has 0.98 with it, and with tuberculosis (0.0104), 0.05 otherwise.
    yes, no = 0.1 * 0.98, 0.9 * (0.0104 * 0.98 + 0.9896 * 0.05)
    cells = [line.strip("│").split("│") for line in table if "│" in line]
    assert [[cell.strip() for cell in row] for row in cells] == [
        ["lung", "yes", f"{yes / (yes + no):.4f}"],
        ["", "no", f"{no / (yes + no):.4f}"],
    ]


def test_json_has_what_python_says() -> None:
    found = answered("asia --given smoke=yes")
    assert found["given"] == {"smoke": "yes"}
    assert found["probability"] == pytest.approx(0.5)
    posteriors = found["posteriors"]
    assert isinstance(posteriors, dict)
    assert list(posteriors) == [name for name in ASIA.names if name != "smoke"]
    for node, answer in posteriors.items():
        assert answer == pytest.approx(dict(ASIA.query(node, {"smoke": "yes"})))


def test_what_is_set_is_not_what_is_seen() -> None:
    seen, made = (answered(f"asia smoke {option} lung=yes")["posteriors"] for option in ("--given", "--do"))
    assert seen == {"smoke": pytest.approx({"yes": 0.05 / 0.055, "no": 0.005 / 0.055})}
    assert made == {"smoke": pytest.approx({"yes": 0.5, "no": 0.5})}


def test_joint_and_most_probable() -> None:
    joint = answered("asia lung bronc --joint --given smoke=yes")["joint"]
    assert isinstance(joint, dict)
    assert joint["nodes"] == ["lung", "bronc"]
    shares = {tuple(each["states"]): each["probability"] for each in joint["probabilities"]}
    assert shares == pytest.approx({("yes", "yes"): 0.06, ("yes", "no"): 0.04, ("no", "yes"): 0.54, ("no", "no"): 0.36})
    best = answered("asia --most-probable --given xray=yes")["most_probable"]
    expected = ASIA.most_probable({"xray": "yes"})
    assert best == {"values": dict(expected), "probability": pytest.approx(expected.probability)}
    shown = runner.invoke(app, ["query", "asia", "--most-probable", "--given", "xray=yes"]).stdout
    assert "probability" in shown
    assert "xray=yes" in shown


def test_numbers(in_empty_folder: Path) -> None:
    height, weight = ConditionalGaussian([164.0, 178.0], [], [6.5, 7.0]), ConditionalGaussian(-60.0, [0.75], 11.0)
    dag = Dag(["sex", "height", "weight"], [("sex", "height"), ("height", "weight")])
    write_network(BayesianNetwork(dag, [["f", "m"], [], []], [[0.5, 0.5], height, weight]), "body.json")
    found = answered("body.json weight sex --given height=180")["posteriors"]
    assert isinstance(found, dict)
    assert found["weight"] == pytest.approx({"mean": 75.0, "deviation": 11.0})
    assert list(found) == ["weight", "sex"]
    assert "standard deviation" in runner.invoke(app, ["query", "body.json", "height"]).stdout
    joint = answered("body.json height weight --joint --given sex=f")["joint"]
    assert joint == {
        "nodes": ["height", "weight"],
        "means": pytest.approx([164.0, 63.0]),
        "covariance": [pytest.approx([42.25, 31.6875]), pytest.approx([31.6875, 121 + 23.765625])],
    }
    assert answered("body.json weight --do height=100")["posteriors"] == {
        "weight": pytest.approx({"mean": 15.0, "deviation": 11.0})
    }
    assert "covariance" in runner.invoke(app, ["query", "body.json", "height", "weight", "--joint"]).stdout


def test_numbers_that_were_cut_into_states(in_empty_folder: Path) -> None:
    data = Dataset.of(
        {"age": [31, 45, 67, 72] * 9, "ill": ["no", "no", "yes", "yes"] * 9}, discretise={"age": Cuts((50,))}
    )
    write_network(BayesianNetwork.fit(Dag(["age", "ill"], [("age", "ill")]), data), "net.json")
    for given, ill in (("99.5", 1), ("50", 0), ("-3e2", 0), (">50", 1)):
        posteriors = answered(f"net.json ill --given age={given}")["posteriors"]
        assert posteriors == {"ill": {"no": pytest.approx(1 - ill), "yes": pytest.approx(ill)}}
    outcome = runner.invoke(app, ["query", "net.json", "ill", "--given", "age=old"])
    assert outcome.exit_code != 0
    assert "'age' has no state 'old'" in outcome.output


def test_a_table_of_cases(in_empty_folder: Path) -> None:
    Path("cases.csv").write_text("smoke,xray\nyes,yes\n,no\nno,\n")
    outcome = runner.invoke(app, ["query", "asia", "lung", "--cases", "cases.csv"])
    assert outcome.exit_code == 0, outcome.output
    lines = outcome.stdout.splitlines()
    assert lines[0] == "lung=yes,lung=no"
    rows = [{"smoke": "yes", "xray": "yes"}, {"xray": "no"}, {"smoke": "no"}]
    for line, row in zip(lines[1:], rows, strict=True):
        assert [float(cell) for cell in line.split(",")] == pytest.approx(list(ASIA.query("lung", row).values()))
    shown = answered("asia lung --cases cases.csv -o answers.tsv --do tub=yes")
    assert (shown["rows"], shown["output"], shown["do"]) == (3, "answers.tsv", {"tub": "yes"})
    assert Path("answers.tsv").read_text().startswith("lung=yes\tlung=no\n")


def test_a_table_of_cases_is_written(in_empty_folder: Path) -> None:
    Path("cases.csv").write_text("smoke,xray\nyes,yes\n,no\n")
    shown = answered("asia --most-probable --cases cases.csv -o answers.csv")
    assert shown["rows"] == 2
    written = pl.read_csv("answers.csv")
    assert written.columns == ["smoke", "xray", "asia", "tub", "lung", "bronc", "either", "dysp", "probability"]
    assert written["smoke"].to_list()[0] == "yes"


def test_names_with_signs_of_equality() -> None:
    dag = Dag(["a=b", "c"], [("a=b", "c")])
    write_network(BayesianNetwork(dag, [["x", "y=z"], ["0", "1"]], [[0.5, 0.5], [[0.9, 0.1], [0.2, 0.8]]]), "odd.json")
    assert answered("odd.json c --given a=b=y=z")["posteriors"] == {"c": pytest.approx({"0": 0.2, "1": 0.8})}


def test_estimates() -> None:
    found = answered("asia lung --given smoke=yes --approximate --seed 1")
    posteriors, errors = found["posteriors"], found["errors"]
    assert isinstance(posteriors, dict)
    assert isinstance(errors, dict)
    assert abs(posteriors["lung"]["yes"] - 0.1) < 6 * errors["lung"]["yes"]
    assert (found["seed"], found["probability"]) == (1, None)
    shown = runner.invoke(app, ["query", "asia", "lung", "--approximate", "--seed", "1"]).stdout
    assert "± 0.00" in shown


def test_ctrl_c_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    def press(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(BayesianNetwork, "query", press)
    outcome = runner.invoke(app, ["query", "asia", "lung"])
    assert (outcome.exit_code, outcome.stderr) == (130, "Interrupted\n")


@pytest.mark.parametrize(
    ("command", "message"),
    [
        ("asia lungs", "there is no node 'lungs'; did you mean 'lung'?"),
        ("asia lung --given smoke", "--given must be NODE=STATE, not 'smoke'"),
        ("asia lung --do smoke", "--do must be NODE=STATE, not 'smoke'"),
        ("asia lung --given smok=yes", "there is no node 'smok'; did you mean 'smoke'?"),
        ("asia lung --given smoke=yess", "'smoke' has no state 'yess'; did you mean 'yes'?"),
        ("asia lung --given smoke=yes --given smoke=no", "--given must have one state for smoke, not 'yes and no'"),
        ("asia lung --given lung=yes", "'lung' is asked for and given; leave it out of one of the two"),
        (
            "asia lung --given tub=yes --given either=no",
            "what is given is impossible: 'either' = 'no' has …",
        ),
        ("asia lung --do tub=yes --given tub=no", "--do sets tub to yes, so --given tub=no is impossible"),
        ("asia lung --most-probable", "--most-probable is about all nodes; leave out --joint and the nodes"),
        ("asia --most-probable --joint", "--most-probable is about all nodes; leave out --joint and the nodes"),
        ("asia --most-probable --approximate", "--approximate is about each node by itself; leave out --most-probable"),
        ("asia lung tub --joint --approximate", "--approximate is about each target by itself; leave out --joint"),
        ("asia lung --cases none.csv", "there is no file 'none.csv'; give a table of what is known"),
        ("asia lung -o x.csv", "--output is for the answers about --cases; --json prints those of one case"),
        ("asia lung --cases c.csv --json", "--json needs --output: …"),
        ("asia lung --cases c.csv --given smoke=yes", "give --given or --cases, not both; …"),
        ("asia lung --cases c.csv -o x.parquet", "--output must end in .csv or .tsv…; got 'x.parquet'"),
        ("asia lung --cases c.csv -o c.csv", "--output c.csv is the file that is read; give another name"),
        ("asia lung --cases c.csv", "the columns 'smokes' are not nodes of the graph; …; did you mean 'smoke'?"),
        ("nothing lung", "there is no file 'nothing'; …"),
    ],
)
def test_what_is_wrong_is_one_line(command: str, message: str) -> None:
    Path("c.csv").write_text("smokes\nyes\n")
    outcome = runner.invoke(app, ["query", *command.split()])
    assert outcome.exit_code == 2, outcome.output
    (line,) = outcome.stderr.splitlines()
    begin, _, end = f"Error: {message}".partition("…")
    assert line.startswith(begin)
    assert line.endswith(end.rpartition("…")[2])
    assert outcome.stdout == ""
    assert [path.name for path in Path().iterdir()] == ["c.csv"]


def test_a_node_is_not_set_to_one_state_and_known_in_another() -> None:
    both = ["query", "asia", "lung", "--do", "smoke=yes", "--given"]
    outcome = runner.invoke(app, [*both, "smoke=no"])
    assert outcome.exit_code == 2
    assert "--do sets smoke to yes, so --given smoke=no is impossible" in outcome.output
    assert runner.invoke(app, [*both, "smoke=yes"]).exit_code == 0
