"""Bad inputs and the one line that each of them gets: tables, options, constraints, networks and outputs.

In the expected lines, … stands for any text. A command ends with the exit code 2, prints nothing on the standard
output and one line on the standard error, and leaves no file behind.
"""

import errno
import gzip
import os
import re
import shlex
from pathlib import Path

import pytest
from typer.testing import CliRunner

from arcwise.cli import app, choices

runner = CliRunner()

_VARIABLE = "network n { }\nvariable a { type discrete [ 2 ] { y, n }; }\n"

FILES: dict[str, str | bytes | None] = {
    # What is not a run.
    "graph.json": '{"format": "arcwise-graph", "version": 1, "nodes": ["a"], "arcs": []}',
    # Tables; None is a folder.
    "good.csv": "a,b,c\n" + "x,y,z\nw,y,v\nx,u,v\n" * 10,
    "folder": None,
    "folder.csv": None,
    "empty.csv": "",
    "header.csv": "a,b\n",
    "binary.csv": bytes(range(256)),
    "latin1.csv": "a,b\nhé,x\n".encode("latin-1"),
    "utf16.csv": "a,b\nx,y\n".encode("utf-16"),
    "cut.csv.gz": gzip.compress(b"a,b\n" + b"x,y\nz,y\n" * 1000)[:30],
    "plain.csv.gz": "a,b\nx,y\n",
    "long.csv": "a,b\nx,y\nx,y,z\n",
    "short.csv": "a,b\nx,y\nx\n",
    "twice.csv": "a,b,a\nx,y,z\nx,y,w\n",
    "unnamed.csv": "a,,c\nx,y,z\n",
    "quote.csv": 'a,b\n"x,y\nz,w\n',
    "gap.csv": "a,b\nx,y\n,y\nz,y\n",
    "nan.csv": "a,b\n1,y\nNaN,z\n",
    "real.csv": "a,b\n" + "".join(f"{0.37 * row},x\n" for row in range(200)),
    "infinite.csv": "a,b\n1.5,x\ninf,y\n2.5,x\n",
    "names.csv": "a,b\n" + "".join(f"name{row},{'xy'[row % 2]}\n" for row in range(150)),
    "table.xls": "a,b\nx,y\n",
    "table.rows": "a,b\nx,y\n",
    "sep.csv": "sep=;\na;b\n1;2\n",
    "noending": "a,b\nx,y\n",
    "bad.parquet": "PAR1 and then something else",
    # Constraints.
    "open.toml": 'required = [["a", "b"]\n',
    "key.toml": "requird = []\n",
    "cycle.toml": 'required = ["a -> b", "b -> a"]\n',
    "both.toml": 'required = ["a -> b"]\nforbidden = ["a -> b"]\n',
    "tiers.toml": 'tiers = [["a"], ["b"], ["a"]]\n',
    "back.toml": 'tiers = [["a"], ["b"]]\nrequired = ["b -> a"]\n',
    "unknown.toml": 'forbidden = ["a -> d"]\n',
    "near.toml": "max_parents = { cc = 2 }\n",
    "many.toml": 'required = ["a -> c", "b -> c"]\nmax_parents = 1\n',
    "negative.toml": "max_parents = -1\n",
    "word.toml": 'max_parents = "two"\n',
    "text.toml": 'required = "a -> b"\n',
    "arrow.toml": 'required = ["a b"]\n',
    "self.toml": 'required = ["a -> a"]\n',
    "number.toml": "tiers = [[1, 2]]\n",
    "bytes.toml": b"\xff\xfe",
    "star.toml": 'required = ["* -> b", "b -> *"]\n',
    "list.csv": "from,to\na,b\n",
    "kind.csv": "from,to,kind\na,b,forbiden\n",
    "columns.csv": "x,y\na,b\n",
    "fields.csv": "from,to,kind\na,b\n",
    "tier.csv": "variable,tier\na,first\n",
    "void.csv": "",
    "rules.yaml": "required: []\n",
    # Networks, graphs and parent sets.
    "missing.bif": _VARIABLE,
    "sum.bif": _VARIABLE + "probability ( a ) { table 0.5, 0.6; }\n",
    "minus.bif": _VARIABLE + "probability ( a ) { table -0.5, 1.5; }\n",
    "states.bif": _VARIABLE.replace("2", "3") + "probability ( a ) { table 0.5, 0.5; }\n",
    "syntax.bif": "network n {\nvariabl a { }\n",
    "open.json": "{",
    "open.xml": "<BIF>",
    "arcs.csv": "parent,child\na,b\n,c\n",
    "round.csv": "parent,child\na,b\nb,a\n",
    "loop.csv": "parent,child\na,a\n",
    "other.csv": "parent,child\na,d\n,b\n",
    "cut.jkl": "2\na 1\n",
}

EXAMPLES = "asia, cancer, earthquake, survey, sachs, child, insurance, alarm, hailfinder, win95pts"
METHODS = ", ".join((*choices.METHODS[1:], *choices.CLASSIFIERS))

TABLES = [
    ("learn nothing.csv", f"there is no file 'nothing.csv'; give a table of data or an example: {EXAMPLES}"),
    ("learn god.csv good.csv", "got unexpected extra argument(s) (good.csv) (see arcwise learn --help)"),
    ("learn folder", "folder: this folder has no csv, tsv or parquet file; give one that has, or the files."),
    ("learn folder.csv", "folder.csv: this folder has no csv, tsv or parquet file; give one that has, or the files."),
    ("learn alarms", "there is no file 'alarms'; …; did you mean 'alarm'?"),
    ("learn", "missing argument 'FILE|EXAMPLE' (see arcwise learn --help)"),
    ("learn empty.csv", "empty.csv: the file is empty; it should hold a line of names and then rows."),
    ("learn header.csv", "header.csv: no rows follow the header; give at least one (or say --no-header)."),
    (
        "learn binary.csv",
        "binary.csv, line 2: byte 0x80 (at position 128 of the file) is not UTF-8; convert …",
    ),
    ("learn latin1.csv", "latin1.csv, line 2: byte 0xe9 (at position 5 of the file) is not UTF-8; convert the file …"),
    ("learn utf16.csv", "utf16.csv: this is UTF-16 text; convert it to UTF-8 first."),
    ("learn cut.csv.gz", "cut.csv.gz: this cannot be unpacked as .gz: Compressed file ended before …"),
    ("learn plain.csv.gz", "plain.csv.gz: this cannot be unpacked as .gz: Not a gzipped file (b'a,')"),
    ("learn long.csv", "long.csv, line 3: this line has 3 field(s), but line 1 has 2 (separated by ','); …"),
    ("learn short.csv", "short.csv, line 3: this line has 1 field(s), but line 1 has 2 … or give another --separator."),
    (
        "learn twice.csv",
        "twice.csv, line 1: the name 'a' stands for more than one column (…); names must differ. If …",
    ),
    ("learn sep.csv", "sep.csv, line 1: 'sep=' is a note for Excel; delete this line."),
    ("learn missing.bif", "missing.bif is a network, not data; give a table of rows."),
    ("learn unnamed.csv", "unnamed.csv, line 1: column 1 (counted from 0) has no name. Give it one, or leave it out …"),
    ("learn quote.csv", "quote.csv, line 2: a quote is not closed; close it, or double it within a quoted field."),
    (
        "learn gap.csv",
        "Column 'a', row 1 (rows count from 0): this value is missing; in all, 1 of 6 cells … --missing drop …",
    ),
    ("learn nan.csv", "Column 'a', row 1 (rows count from 0): this value is missing; … --missing state …"),
    (
        "learn real.csv --continuous none",
        "Column 'a' is continuous (200 distinct values, for example 0.0); … --discretise quantile, …",
    ),
    ("learn infinite.csv", "Column 'a', row 1 (rows count from 0): the value is infinite, … leave the row out."),
    ("learn real.csv --continuous b", "Column 'b' has type String; only numbers … Take it out of --continuous or …"),
    ("learn real.csv --continuous c", "--continuous has an entry for 'c', but the data has no such column."),
    (
        "learn real.csv --continuous all --discretise width",
        "--continuous all keeps all numeric columns as numbers, and --discretise cuts …; give one of the two.",
    ),
    ("learn real.csv --continuous ,", "--continuous must be auto, all or none, or names of columns …, not ','"),
    ("learn asia --continuous all", "--continuous works only with a file; asia is an example, …"),
    ("learn infinite.csv --discretise width", "Column 'a', row 1 …inf…"),
    (
        "learn names.csv",
        "Column 'a' has 150 states, more than --max-states 100. … leave the column out with --leave-out a; …",
    ),
    ("learn names.csv --leave-out c", "There is no column 'c' to be left out; there are 'a', 'b'."),
    (
        "learn names.csv --leave-out a --leave-out b",
        "--leave-out names all columns ('a', 'b'); at least one must stay.",
    ),
    ("learn asia --leave-out tub", "--leave-out works only with a file; asia is an example"),
    ("learn table.xls", "table.xls is a spreadsheet; save the sheet as .csv."),
    ("learn table.rows", "table.rows: the file type '.rows' is unknown; known are .csv and .tsv … and .parquet. …"),
    ("learn noending", "noending: the file type '' is unknown; … give the separator, as in --separator ','."),
    ("learn bad.parquet", "bad.parquet: this cannot be read as parquet (…"),
]

OPTIONS = [
    ("lern good.csv", "the command must be one of learn, parents, search, exact, …, not 'lern'; did you mean 'learn'?"),
    ("learn good.csv --methd k2", "there is no option --methd; did you mean '--method'? (see arcwise learn --help)"),
    ("learn good.csv -z", "there is no option -z (see arcwise learn --help)"),
    ("learn good.csv --method gredy", f"--method must be one of auto, {METHODS}, not 'gredy'; did you mean 'greedy'?"),
    ("learn good.csv --score bics", "--score must be one of bic, ebic, aic, …, not 'bics'; did you mean 'bic'?"),
    ("learn good.csv --ess 3", "--ess belongs to the scores bdeu and bds, not to auto"),
    ("learn good.csv --score bdeu --ess 0", "--ess must be a finite number above 0, not 0.0"),
    ("learn good.csv --score bdeu --ess nan", "--ess must be a finite number above 0, not nan"),
    ("learn good.csv --score bdeu --ess=x", "--ess must be a number, not 'x' (see arcwise learn --help)"),
    ("learn good.csv --seed -1", "--seed must be a whole number of at least 0, not -1"),
    ("learn good.csv --seed 1.5", "--seed must be a whole number, not '1.5' (see arcwise learn --help)"),
    ("learn good.csv --time -1", "--time-limit must be at least 0 seconds, not -1.0"),
    ("learn good.csv --time nan", "--time-limit must be at least 0 seconds, not nan"),
    ("learn good.csv --time soon", "--time must be a number, not 'soon' (see arcwise learn --help)"),
    ("learn good.csv --evaluations -5", "--evaluations must be at least 0, not -5"),
    ("learn good.csv --evaluations 1e6", "--evaluations must be a whole number, not '1e6' (see arcwise learn --help)"),
    (f"learn good.csv --evaluations {10**22}", f"--evaluations must be less than 2^64, not {10**22}"),
    ("learn good.csv --max-parents -1", "--max-parents must be at least 0, not -1"),
    ("learn good.csv --certify nan", "--certify must be a finite number of at least 0, not nan"),
    ("learn good.csv --require a", "an arc is written 'A->B', got 'a'"),
    ("learn good.csv --require 'a->b->c'", "an arc is written 'A->B', got 'a->b->c'"),
    ("learn good.csv --require 'a->d'", "required mentions 'd', which is not among the 3 names: 'a', 'b', 'c'"),
    (
        "learn good.csv --require 'a->b' --forbid 'a->b'",
        "the arc 'a' -> 'b' is both required and forbidden; …",
    ),
    ("learn good.csv --set climbs", "an option is written 'name=value', got 'climbs'"),
    ("learn good.csv --set seed=3", "--set is for options of the method alone, and 'seed' is not one"),
    ("learn good.csv --method greedy --set climb=3", "greedy has no option 'climb'; …; did you mean 'climbs'?"),
    ("learn good.csv --method greedy --set climbs=-3", "climbs must be at least 1, not -3"),
    ("learn good.csv --missing ignore", "--missing must be one of error, drop, state, pairwise, em, not 'ignore'"),
    ("score arcs.csv good.csv --missing em", "--missing must be one of error, … pairwise, not 'em'; … arcwise learn"),
    (
        "learn good.csv --discretise kmeans",
        "--discretise must be one of quantile, width, adaptive, mdlp, hartemink, not 'kmeans'",
    ),
    ("learn good.csv --max-states 0", "--max-states must be at least 1, not 0"),
    ("learn asia --rows 0", "--rows must be at least 1, not 0"),
    ("learn good.csv --rows 2", "--rows is for examples, from which rows are sampled; all rows of good.csv are used"),
    ("score arcs.csv good.csv --rows 2", "--rows is for examples, …; all rows of good.csv are used"),
    ("exact cut.jkl --score bdeu", "cut.jkl holds parent sets with their scores; --score, … are for tables of data …"),
    ("exact cut.jkl --missing drop", "cut.jkl holds parent sets with their scores; …"),
    ("learn asia --rows many", "--rows must be a whole number, not 'many' (see arcwise learn --help)"),
    ("parents good.csv --method exhaustiv", "--method must be one of balanced, …; did you mean 'exhaustive'?"),
    ("parents good.csv --workers 0", "--workers must be at least 1, not 0"),
    ("parents good.csv --keep 0", "--keep must be at least 1, not 0"),
    ("parents good.csv --scored -1", "--scored must be at least 0, not -1"),
    ("learn good.csv --memory inf", "--memory must be at least 0.002 (gigabytes), not inf"),
    ("parents good.csv --memory nan", "--memory must be at least 0.002 (gigabytes), not nan"),
    ("parents good.csv --time-per-variable nan", "--time-per-variable must be a finite number of at least 0, not nan"),
    ("bootstrap good.csv -m 0", "--replicas must be at least 1, not 0"),
    ("bootstrap good.csv --threshold 2", "--threshold must be a share from 0 to below 1, not 2.0"),
    ("bootstrap good.csv --method tabuu", f"--method must be one of {METHODS}, not 'tabuu'; did you mean 'tabu'?"),
    ("sample asia --rows -3", "--rows must be at least 1, not -3"),
    ("sample asia --json", "--json needs --output: without it the standard output holds the rows"),
    ("examples alarmm", f"there is no example 'alarmm'; the examples are {EXAMPLES}; did you mean 'alarm'?"),
]

CONSTRAINTS = [
    ("none.toml", "there is no file 'none.toml'; give a file of constraints"),
    ("folder", "'folder' is a folder; give a file of constraints"),
    ("rules.yaml", "a file of constraints must end in .toml or .csv; got 'rules.yaml'"),
    ("open.toml", "open.toml: this is not TOML: …"),
    ("bytes.toml", "bytes.toml:line 1: the byte 0xff is not UTF-8; convert the file to UTF-8 first"),
    ("key.toml", "key.toml: requird is an unknown field; allowed are required, …; did you mean 'required'?"),
    ("cycle.toml", "cycle.toml: required arcs form a cycle: 'a' -> 'b' -> 'a'; a graph without cycles cannot have …"),
    ("star.toml", "star.toml: required arcs form a cycle: 'a' -> 'b' -> 'a'; a graph without cycles cannot have …"),
    ("both.toml", "both.toml: the arc 'a' -> 'b' is both required and forbidden; drop one of the two"),
    ("tiers.toml", "tiers.toml: 'a' is in tiers 0 and 2 (counted from 0); a variable is in one tier at most"),
    ("back.toml", "back.toml: the required arc 'b' -> 'a' leads from tier 1 back to tier 0 (counted from 0); …"),
    ("unknown.toml", "unknown.toml: forbidden mentions 'd', which is not among the 3 names: 'a', 'b', 'c'"),
    ("near.toml", "near.toml: max_parents mentions 'cc', which is not among the 3 names; did you mean 'c'?"),
    ("many.toml", "many.toml: 'c' has more required parents (2) than the limit on parents allows (1); …"),
    ("negative.toml", "negative.toml: max_parents must be at least 0, not -1"),
    ("word.toml", "word.toml: max_parents must be an integer, not 'two'"),
    ("text.toml", "text.toml: required must be a list, not 'a -> b'"),
    ("arrow.toml", 'arrow.toml: required must hold arcs, "A -> B" or ["A", "B"], not \'a b\''),
    ("self.toml", "self.toml: required must not hold the arc 'a' -> 'a' from a variable to itself"),
    ("number.toml", "number.toml: tiers must hold variable names, not 1 (in tier 0)"),
    ("list.csv", "list.csv: nothing says whether these arcs are required or forbidden: add a column 'kind', …"),
    ("kind.csv", "kind.csv:line 2: the kind must be one of …, not 'forbiden'; did you mean 'forbidden'?"),
    ("columns.csv", "columns.csv:line 1: the first line must be from,to,kind or from,to or variable,tier, not 'x,y'"),
    ("fields.csv", "fields.csv:line 2: the line must have 3 fields that are not empty"),
    ("tier.csv", "tier.csv:line 2: the tier must be a whole number, not 'first'"),
    ("void.csv", "void.csv:line 1: the first line must be from,to,kind or from,to or variable,tier, not ''"),
    (
        "required=key.toml",
        "key.toml: a .toml file says itself what is required and what forbidden; give its name alone",
    ),
]

NETWORKS = [
    ("score missing.bif good.csv", "missing.bif:line 2: variable 'a' has no probability block"),
    (
        "score sum.bif good.csv",
        "sum.bif:line 3: the probabilities of 'a' must … sum to 1 …; 0.5, 0.6 sum to 1.1",
    ),
    ("score minus.bif good.csv", "minus.bif:line 3: the probabilities of 'a' must not be negative and must sum to 1 …"),
    ("score states.bif good.csv", "states.bif:line 2: variable 'a' declares 3 states and lists 2"),
    ("score syntax.bif good.csv", "syntax.bif:line 2: expected 'property' or '}', not 'variabl'"),
    (
        "score round.csv good.csv",
        "round.csv: the arcs form a cycle: 'a' -> 'b' -> 'a'; leave out or reverse one of them",
    ),
    ("score loop.csv good.csv", "loop.csv:line 2: the arc 'a' -> 'a' starts and ends at the same node"),
    ("score other.csv good.csv", "the graph and the data must have the same nodes; only in the graph: 'd'; …: 'c'"),
    ("score good.csv good.csv", "good.csv:line 1: the first line of a file of arcs must be one of parent,child, …"),
    ("compare asia cancer", "truth and learned must have the same nodes; only in truth: 'asia', …"),
    (
        "compare asi asia",
        "there is no file 'asi'; give a file of a network …; did you mean 'asia'?",
    ),
    ("compare open.json asia", "open.json:line 1: this is not JSON, or it was cut off: …"),
    ("compare open.xml asia", "open.xml:line 1: this is not XML: …"),
    ("sample arcs.csv", "'arcs.csv' is not a file of a network with its tables; such files end in .bif, …"),
    (
        "convert arcs.csv x.bif",
        "cannot write 'x.bif': 'arcs.csv' is a graph without probabilities; …",
    ),
    ("search cut.jkl", "cut.jkl:line 2: …it may have been cut short"),
    ("search good.csv", "'good.csv' does not say the format of its scores; names end in .jkl, …"),
    ("exact none.jkl", "there is no file 'none.jkl'; give a file of parent sets, such as arcwise parents makes"),
]

OUTPUTS = [
    ("learn good.csv -o nowhere/x.bif", "the folder of --output nowhere/x.bif does not exist; make it first"),
    ("learn good.csv -o folder.csv", "--output folder.csv is a folder; give the name of a file"),
    ("learn good.csv -o x.docx", "--output must end in .bif, …; got 'x.docx'"),
    ("learn good.csv -o x", "--output must end in .bif, …; got 'x'"),
    ("parents good.csv -o x.bif", "--output must end in .jkl or .pss, with or without one of …; got 'x.bif'"),
    ("exact good.csv -o x.csv.gz", "--output must end in .csv; got 'x.csv.gz'"),
    ("sample asia -o x.xlsx", "--output must end in .csv, .tsv or .parquet, …; got 'x.xlsx'"),
    ("bootstrap good.csv -o x.txt", "--output must end in .csv or .json, …; got 'x.txt'"),
    ("bootstrap good.csv --averaged x.doc", "--averaged must end in .bif, …; got 'x.doc'"),
    ("convert asia x.docx", "OUTPUT must end in .bif, …; got 'x.docx'"),
    ("learn good.csv -o good.csv", "--output good.csv is the file that is read; give another name"),
    ("bootstrap good.csv -o x.csv --averaged x.csv", "--output and --averaged are both x.csv; give two names"),
    ("learn good.csv -o x.json --checkpoint ./x.json", "--output and --checkpoint are both x.json; give two names"),
    ("learn good.csv --checkpoint good-learned.bif", "--output and --checkpoint are both good-learned.bif; …"),
    ("search cut.jkl --checkpoint cut-arcs.csv", "--output and --checkpoint are both cut-arcs.csv; give two names"),
    ("learn good.csv --report x.pdf", "--report must end in .html or .htm; got 'x.pdf'"),
    ("learn good.csv --run x.txt", "--run must end in .json, …; got 'x.txt'"),
    ("learn good.csv --run x.json --checkpoint x.json", "--checkpoint and --run are both x.json; give two names"),
    ("report good.csv", "good.csv:line 1: this is not JSON, or it was cut off: …"),
    ("report none.json", "there is no file 'none.json'; give the file of a run, as arcwise learn --run writes it"),
    ("report graph.json", "graph.json: the file is not a run of arcwise: its format must be 'arcwise-run'"),
    ("examples -o x.bif", f"--output needs the name of an example: {EXAMPLES}"),
]

COMMANDS = [
    *TABLES,
    *OPTIONS,
    *((f"learn good.csv --constraints {file}", message) for file, message in CONSTRAINTS),
    *NETWORKS,
    *OUTPUTS,
]


def matches(message: str) -> re.Pattern[str]:
    return re.compile(re.escape(message).replace("…", ".*"))


def write_files_of(command: str, folder: Path) -> None:
    for word in shlex.split(command):
        name = word.removeprefix("required=")
        content = FILES.get(name, "")
        if name in FILES and content is None:
            (folder / name).mkdir()
        elif name in FILES:
            (folder / name).write_bytes(content.encode() if isinstance(content, str) else content or b"")


@pytest.mark.parametrize(("command", "message"), COMMANDS, ids=[command for command, _ in COMMANDS])
def test_command_says_what_is_wrong(in_empty_folder: Path, command: str, message: str) -> None:
    write_files_of(command, in_empty_folder)
    before = sorted(in_empty_folder.rglob("*"))
    outcome = runner.invoke(app, shlex.split(command))
    assert outcome.exit_code == 2, outcome.output
    assert outcome.stdout == ""
    (line,) = outcome.stderr.splitlines()
    assert matches(f"Error: {message}").fullmatch(line), line
    assert sorted(in_empty_folder.rglob("*")) == before


def test_full_disk_is_one_line(in_empty_folder: Path) -> None:
    device = Path("/dev/full")
    if not device.exists():
        pytest.skip("there is no device that is always full")
    (in_empty_folder / "x.bif").symlink_to(device)
    outcome = runner.invoke(app, ["examples", "asia", "-o", "x.bif"])
    assert outcome.exit_code == 2
    (line,) = outcome.stderr.splitlines()
    assert os.strerror(errno.ENOSPC) in line


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="the superuser may write everywhere")
def test_file_without_permission_is_one_line(in_empty_folder: Path) -> None:
    write_files_of("good.csv", in_empty_folder)
    (in_empty_folder / "good.csv").chmod(0)
    outcome = runner.invoke(app, ["learn", "good.csv"])
    assert outcome.exit_code == 2
    assert matches("Error: …good.csv…ermission denied…").fullmatch(outcome.stderr.strip())


def test_the_list_is_long_enough() -> None:
    assert len(COMMANDS) >= 120
