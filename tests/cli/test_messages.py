"""Messages of the command line speak its own language: options such as --resume, and nothing of Python."""

import re
import shlex
from pathlib import Path

import pytest
from typer.testing import CliRunner

from arcwise import Dag, ParentSets, write_graph
from arcwise.cli import app
from arcwise.parents.files import write_parent_sets

runner = CliRunner()

PYTHON = re.compile(
    r"=True|=False|=None|\b(None|True|False)\b|\['|\b[a-z_]+=(?=[\s,;.)'\"{]|$)|`|\*\*|\w\(\)|Error:.*Error|<class|<built-in|"
    r"\b(Budget|Constraints|Cpdag|Cuts|Dag|Dataset|OrderClimb|Limits|LocalScore|Memetic|ParentSets|Quantile|Result|Stop)\b|"
    r"\barcwise\.[a-z]|\b(read|write)_[a-z]+"
)

ROWS = 300
FILES = {
    "table.csv": "a,b,c\n" + "x,y,z\nu,v,z\nx,v,w\n" * 20,
    "gaps.csv": "a,b\nx,y\n,y\nx,z\nw,z\n",
    "allgaps.csv": "a,b\n,y\nx,\n",
    "missing.csv": "a,b\nmissing,1\n,2\nx,1\n",
    "real.csv": "a,b\n" + "\n".join(f"{row * 0.37},{row % 2}" for row in range(ROWS)),
    "ints.csv": "a,b\n" + "\n".join(f"{row},{row % 2}" for row in range(ROWS)),
    "ids.csv": "a,b\n" + "\n".join(f"id{row},{row % 2}" for row in range(ROWS)),
    "states.csv": "a,b\n" + "\n".join(f"{row},{row % 3}" for row in range(ROWS // 2)),
    "nohead.csv": "1,2\n0,1\n1,1\n",
    "onlyhead.csv": "a,b\n",
    "empty.csv": "",
    "ragged.csv": "a,b\n1,2\n1,2,3\n",
    "same.csv": "a,a\n1,2\n",
    "noname.csv": ",b\n0,x\n1,y\n2,x\n",
    "semi.csv": "a;b\n1;2\n2;3\n",
    "star.csv": "a,b\n?,y\nx,y\nNA,z\n",
    "arcs.csv": "parent,child\na,b\n",
    "odd.csv": "from\na\n",
    "bad.toml": "required = 3\n",
    "bad2.toml": "max_parents = -1\n[tiers\n",
    "t.toml": 'tiers = [["a"], ["zz"]]\n',
    "k.toml": "nonsense = 1\n",
    "mp.toml": 'max_parents = {a = "x"}\n',
    "mp2.toml": "max_parents = -2\n",
    "tiers.toml": 'tiers = ["a", "b"]\n',
    "req.toml": 'required = ["a"]\n',
    "lim.toml": "max_parents = true\n",
    "bad.bif": "network x {\n",
    "bad.json": "{}",
    "bad.jkl": "3\n",
    "sets.txt": "x",
}

COMMANDS = r"""
learn gaps.csv
learn gaps.csv --missing drop
learn allgaps.csv --missing drop
learn missing.csv --missing state
learn gaps.csv --missing fill
learn real.csv --continuous none
learn real.csv --continuous ,
learn real.csv --continuous all --discretise width
learn real.csv --continuous zz
learn real.csv --discretise best
learn ids.csv --discretise quantile
learn ids.csv
learn ids.csv --max-states 10
learn ints.csv --continuous none
learn ints.csv --max-states 0
learn states.csv --continuous none
learn nohead.csv
learn nohead.csv --header
learn onlyhead.csv
learn onlyhead.csv --no-header
learn empty.csv
learn ragged.csv
learn same.csv
learn noname.csv
learn semi.csv --separator ,
learn semi.csv --separator ;;
learn table.csv --separator ""
learn table.csv --max-states x
learn star.csv
learn star.csv --missing drop
learn table.csv --score best
learn table.csv --score bdeu --ess 0
learn table.csv --score bdeu --ess nan
learn table.csv --ess 3
learn table.csv --method magic
learn table.csv --method ges --score k2
learn table.csv --method chow-liu --max-parents 2
learn table.csv --method chow-liu --require a->b --require b->c --require c->a
learn table.csv --method chow-liu --require a->c --require b->c
learn table.csv --method xges --score fnml
learn table.csv --method kes --score k2
learn table.csv --method chow-liu --score fnml
learn table.csv --seed -1
learn table.csv --seed 1.5
learn table.csv --seed 99999999999999999999999999
learn table.csv --time -1
learn table.csv --time nan
learn table.csv --evaluations -1
learn table.csv --evaluations 1e3
learn table.csv --workers 0
learn table.csv --workers 99999999999999999999999
learn table.csv --max-parents -1
learn table.csv --max-parents 99999999999999999999999
learn table.csv --require a
learn table.csv --require a->z
learn table.csv --require a->b --forbid a->b
learn table.csv --require a->b --require b->a
learn table.csv --require a->a
learn table.csv --require a->b --require c->b --max-parents 1
learn table.csv --forbid zz->a
learn table.csv --constraints none.toml
learn table.csv --constraints bad.toml
learn table.csv --constraints bad2.toml
learn table.csv --constraints t.toml
learn table.csv --constraints k.toml
learn table.csv --constraints mp.toml
learn table.csv --constraints mp2.toml
learn table.csv --constraints tiers.toml
learn table.csv --constraints req.toml
learn table.csv --constraints lim.toml
learn table.csv --constraints arcs.csv
learn table.csv --constraints required=odd.csv
learn table.csv --constraints odd.csv
learn table.csv --constraints table.csv
learn table.csv --constraints required=arcs.csv --constraints forbidden=arcs.csv
learn table.csv --constraints g.json
learn table.csv --certify -1
learn table.csv --certify nan
learn table.csv --memory 0
learn table.csv --memory 0.01
learn table.csv --memory 0.01 --method greedy
learn table.csv --memory nan
learn table.csv --set climbs
learn table.csv --set score=aic
learn table.csv --method greedy --set climb=3
learn table.csv --method greedy --set climbs=0
learn table.csv --method greedy --set climbs=none
learn table.csv --method greedy --set climbs=1.5
learn table.csv --method greedy --set climbs=true
learn table.csv --method greedy --set random_start=3
learn table.csv --method greedy --set random_start=yes
learn table.csv --method greedy --set kick=-1
learn table.csv --method greedy --set kick=2 --set random_start=true
learn table.csv --method greedy --set moves=xyz
learn table.csv --method greedy --set moves=3
learn table.csv --method greedy --set neighbourhood=a
learn table.csv --method greedy --set neighbourhood=3
learn table.csv --method greedy --set workers=0
learn table.csv --method orders --set strategy=x
learn table.csv --method orders --set stop=3
learn table.csv --method minobs --set limits=3
learn table.csv --method minobs --set selection=x
learn table.csv --method minobs --set climb=x
learn table.csv --method minobs --set initial=x
learn table.csv --method minobs --set strategy=3
learn table.csv --method k2 --set order=abc
learn table.csv --method k2 --set order=3
learn table.csv --method tabu --set length=-1
learn table.csv --method tabu --set patience=0
learn table.csv --method lagd --set steps=0
learn table.csv --method mmhc --set alpha=2
learn table.csv --method mmhc --set alpha=x
learn table.csv --method mmhc --set independence=2
learn table.csv --method mtmhc --set trees=0
learn table.csv --method mtmhc --set bagging=0
learn table.csv --method ges --set by_phases=3
learn table.csv --method ges --set reversing=x
learn table.csv --method kes --set k=2
learn table.csv --method kes --set k=x
learn table.csv --method xges --set extended=1
learn table.csv --method exact --set memory=3
learn table.csv --method exact --set nothing=3
learn table.csv --resume
learn table.csv --checkpoint cp.json
learn table.csv --checkpoint cp.json --resume
learn table.csv --checkpoint cp.json --resume --method greedy --seed 2
learn table.csv --checkpoint cp.json --resume --method greedy --score aic
learn table.csv --checkpoint cp.json --resume --method greedy --set moves=adrs
learn table.csv --checkpoint cp.json --resume --method greedy --max-parents 1
learn table.csv --checkpoint cp.json --resume --method greedy --require a->b
learn asia --rows 100 --checkpoint cp.json --resume --method greedy
learn table.csv --checkpoint run.json --resume
learn table.csv --checkpoint damaged.json --resume --method greedy
learn table.csv --checkpoint bad.json --resume
learn table.csv --checkpoint new.json --resume
learn table.csv --checkpoint none/x.json
learn table.csv --checkpoint .
learn table.csv -o x.docx
learn table.csv -o none/x.bif
learn table.csv --run x.txt
learn table.csv --report x.pdf
learn table.csv --run x.json -o x.json
learn none.csv
learn asai
learn .
learn asia --rows 0
learn table.csv --rows 10
learn table.csv --nothing
learn
lern asia
learn g.json
learn n.bif
learn run.json
parents table.csv --method x
parents table.csv --max-parents -1
parents table.csv --time-per-variable -1
parents table.csv --time-per-variable nan
parents table.csv --scored -1
parents table.csv --keep 0
parents table.csv --memory 0
parents table.csv --memory 0.0011
parents table.csv --workers 0
parents table.csv -o x.csv
parents insurance --rows 50 --method exhaustive
parents asia --rows 50 --method exhaustive --score k2
parents asia --rows 50 --method exhaustive --memory 0.001
parents asia --rows 50 --time -2
parents gaps.csv
search none.jkl
search bad.jkl
search table.csv
search sets.jkl --method x
search sets.jkl --climb x
search sets.jkl --initial x
search sets.jkl --climbs 0
search sets.jkl --workers -1
search sets.jkl --seed -1
search sets.jkl --time -1
search sets.jkl --require a->z
search sets.jkl --require c->a
search sets.jkl --checkpoint cps.json
search sets.jkl --checkpoint cps.json --resume --climb obs
search sets.jkl --checkpoint cps.json --resume --method restarts
search sets.jkl --checkpoint cps.json --resume --seed 5
search cyc.jkl --checkpoint cps.json --resume
search cyc.jkl --climbs 3
search sets.jkl --resume
search sets.jkl --checkpoint cp.json --resume
search sets.jkl --checkpoint new2.json --resume
search sets.txt
exact sets.jkl --score aic
exact sets.jkl --rows 10
exact none.jkl
exact cyc.jkl
exact sets.jkl --require c->a
exact table.csv --workers 0
exact table.csv --time x
exact gaps.csv
exact table.csv --seed -1
score g.json table.csv
score g.json table.csv --score x
score g.json table.csv --score bdeu --ess -1
score abc.json gaps.csv
score none.json table.csv
score bad.json table.csv
score g.json none.csv
compare g.json h.json
compare g.json none.json
compare g.json bad.bif
compare g.json
sample asia --rows 0
sample asia --rows x
sample g.json --rows 10
sample asia --rows 10 -o x.bif
sample asia --seed -1
bootstrap table.csv -m 0
bootstrap table.csv --threshold 1
bootstrap table.csv --threshold nan
bootstrap table.csv --method auto
bootstrap table.csv --method x
bootstrap table.csv --method ges --score k2
bootstrap table.csv --workers 0
bootstrap table.csv --time -1
bootstrap table.csv --averaged x.docx
bootstrap table.csv --time 0
bootstrap gaps.csv
plot none.json
plot g.json --what x
plot run.json --what nothing
plot g.json -o x.txt
plot asia --reference g.json
plot asia --groups table.csv
plot asia --strengths table.csv
plot g.json --nothing
report run.json -o x.pdf
report none.json
report g.json
report run.json --reference h.json -o rep2.html
convert asia x.docx
convert g.json x.bif
convert asia x.uai
convert none x.bif
convert bad.bif x.bif
examples nothing
examples asia -o x.docx
""".strip().splitlines()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with tables, graphs, runs and checkpoints, most of them wrong in some way."""
    folder = tmp_path_factory.mktemp("messages")
    for name, content in FILES.items():
        (folder / name).write_text(content)
    small = [[(-3.0, []), (-1.0, ["b"])], [(-3.0, []), (-2.0, ["a"])], [(-4.0, []), (-1.0, ["a", "b"])]]
    write_parent_sets(ParentSets.from_lists(["a", "b", "c"], small), folder / "sets.jkl")
    write_parent_sets(ParentSets.from_lists(["a", "b"], [[(-1.0, ["b"])], [(-1.0, ["a"])]]), folder / "cyc.jkl")
    write_graph(Dag(["a", "b"], [("a", "b")]), folder / "g.json")
    write_graph(Dag(["a", "q"], [("a", "q")]), folder / "h.json")
    write_graph(Dag(["a", "b", "c"]), folder / "abc.json")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        for command in (
            "learn table.csv --seed 1 --run run.json -o n.bif",
            "learn table.csv --seed 1 --method greedy --checkpoint cp.json -o n2.bif",
            "search sets.jkl --seed 1 --climbs 9 --checkpoint cps.json -o n3.csv",
        ):
            assert runner.invoke(app, command.split()).exit_code == 0
    kept = (folder / "cp.json").read_text()
    (folder / "damaged.json").write_text(re.sub(r'"climbed": ?1', '"climbed":2', kept))
    return folder


@pytest.mark.parametrize("command", COMMANDS)
def test_messages_have_no_python_in_them(folder: Path, monkeypatch: pytest.MonkeyPatch, command: str) -> None:
    monkeypatch.chdir(folder)
    words = shlex.split(command)
    if words[0] in ("learn", "search", "exact") and not {"--time", "--evaluations", "--checkpoint", "--climbs"} & {
        *words
    }:
        words += ["--time", "1"]  # for those that are not refused
    outcome = runner.invoke(app, words)
    assert outcome.exit_code in (0, 2), outcome.output
    if outcome.exit_code == 2:
        (line,) = (line for line in outcome.stderr.splitlines() if not line.startswith("Warning: "))
        assert line.startswith("Error: ")
    for line in outcome.stderr.splitlines():
        assert not PYTHON.search(line), line


@pytest.mark.parametrize(
    ("command", "message"),
    [
        ("learn table.csv --resume", "--resume needs --checkpoint, the name of its file"),
        (
            "learn table.csv --checkpoint cp.json",
            "the checkpoint cp.json is there already; resume it (--resume) or give another name",
        ),
        ("search sets.jkl --climbs 0", "--climbs must be at least 1, not 0"),
        ("learn table.csv --method greedy --set climbs=0", "climbs must be at least 1, not 0"),
        ("learn table.csv --method greedy --set random_start=3", "random_start must be true or false, not 3"),
        (
            "learn table.csv --method minobs --set selection=x",
            "selection must be one of balanced, sequential, greedy, independence, exhaustive, not 'x'",
        ),
        (
            "learn table.csv --method minobs --set strategy=x",
            "strategy must be one of restarts, annealing, perturbation, iterated, memetic, not 'x'",
        ),
        (
            "learn table.csv --method k2 --set order=abc",
            "--set cannot give order, which is not a number, a word, true or false; use Python",
        ),
        (
            "learn table.csv --checkpoint cp.json --resume --method greedy --require a->b --max-parents 2",
            "the checkpoint cp.json has the constraints none, not required a -> b, at most 2 parents; give the same "
            "again, or another name for a new checkpoint",
        ),
        (
            "learn table.csv --checkpoint cp.json --resume --method greedy --score aic",
            "the checkpoint cp.json has the score BIC, not AIC; give the same again, or another name for a new "
            "checkpoint",
        ),
        ("learn table.csv --method exact --set hops=3", "exact has no option 'hops'; its options are memory"),
    ],
)
def test_messages_name_what_the_user_has_typed(
    folder: Path, monkeypatch: pytest.MonkeyPatch, command: str, message: str
) -> None:
    monkeypatch.chdir(folder)
    outcome = runner.invoke(app, command.split())
    assert (outcome.exit_code, outcome.stderr) == (2, f"Error: {message}\n")
