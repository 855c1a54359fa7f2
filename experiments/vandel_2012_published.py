"""What Vandel, Mangin & de Givry (2012, PGM) print, as they print it; `vandel_2012` puts ours beside it.

Figure 5 is a picture without numbers: only what the text says of it can be compared.
"""

from dataclasses import dataclass

__all__ = [
    "CLEANED_EXTRA",
    "COMPARISONS",
    "DISTANCES",
    "EDGE_ERRORS",
    "FILTERS",
    "GENE_COMPARISONS",
    "INITIAL_ARCS",
    "LONGEST_CHAIN",
    "MAX_DEGREE",
    "NETWORKS",
    "SINGLE_SEARCHES",
    "SIZES",
    "SUMMED",
    "USAGE",
    "EdgeErrors",
    "Filter",
    "NetworkProperties",
    "SingleSearch",
]

Pair = tuple[str, str]
Configuration = tuple[str, int]

SIZES = (500, 5000)

# Table 1: nodes, arcs, largest in-degree, least and most states, nodes on the longest directed path.
_TABLE_1 = """
    alarm        37   46  4  2   4  11
    insurance    27   52  3  2   5  10
    hailfinder   56   66  4  2  11  14
    pigs        441  592  2  3   3   6
"""

# Table 2: whether the first method is better (+), worse (-) or neither (~); 500 and 5,000 rows of each network.
_TABLE_2 = """
    SGS3 SGS1   + +   + +   ~ +   + +
    SGS3 SGS2   + +   + +   ~ +   + +
    SGS2 SGS1   + ~   ~ ~   ~ ~   ~ ~
    SGS3 GES    + +   + +   + +   + -
    SGS3 LAGD   + +   + +   ~ +   . .
    SGS2 GES    + ~   + +   + +   ~ -
    SGS2 LAGD   ~ ~   + +   ~ +   . .
    SGS1 GES    + ~   + +   + +   ~ -
    SGS1 LAGD   ~ ~   + +   ~ +   . .
    LAGD GES    + ~   + +   + +   . .
"""

# Table 3: signs of Table 2 added up over both sizes.
_TABLE_3 = """
    SGS3    8   8   5   4
    SGS2    0   2   2  -3
    SGS1   -2   2   2  -3
    LAGD   -1  -4  -1   .
    GES    -5  -8  -8   2
"""

# Table 4: extra and missing edges, rounded means of 100 samples; 500 and 5,000 rows of each network.
_TABLE_4 = """
    SGS3    8 3   6 2    4 20   2  8   17 24   16 13   32 0   41 0
    LAGD   11 4   8 2    4 20   5 11   21 26   20 19    . .    . .
    GES     6 5   4 2    2 23   3 12   15 24   11 22    2 7    0 0
"""

# Table 5: BDeu score, moves, distinct local scores and seconds of one search on one sample of Alarm, 500 rows.
_TABLE_5 = """
    SGS3  -5490.53  66  4543  3.2
    SGS2  -5513.89  58  4310  2.3
    SGS1  -5541.55  55  3305  1.5
    LAGD  -5544.61  35  4782  3.2
    GES   -5659.26  72  5531  2.4
"""

# Table 6: mean number of moves by operator of SGS1, SGS2 and SGS3, from the empty graph and from random graphs.
_TABLE_6 = """
    additions         53   53   52    53    9.5  11.5
    deletions        0.5  0.1  1.4    64   20    43
    reversals        0.9  1.1  0.7   5.3    3.4   1.9
    swaps              0  1.1  3.2     0   47    33
    longer_additions   0    0    2     0    0    14
    longer_swaps       0    0  1.6     0    0     9.5
"""

# Table 7: gene networks with 100, 300 and 999 rows.
_TABLE_7 = """
    SGS3 MMHC   + + +
    SGS3 GES    + + +
    MMHC GES    - ~ +
"""

# Table 8: rows, network, distance of (precision, recall) from the origin by SGS3, MMHC and GES.
_TABLE_8 = """
    100  1  0.170  0.218  0.196
    100  2  0.213  0.295  0.232
    100  3  0.214  0.266  0.236
    100  4  0.201  0.265  0.214
    100  5  0.206  0.247  0.243
    300  1  0.510  0.483  0.464
    300  2  0.342  0.337  0.385
    300  3  0.484  0.488  0.505
    300  4  0.453  0.478  0.498
    300  5  0.419  0.397  0.428
    999  1  0.578  0.537  0.549
    999  2  0.581  0.510  0.505
    999  3  0.454  0.441  0.484
    999  4  0.476  0.450  0.476
    999  5  0.479  0.471  0.458
"""

# Table 9: candidates kept and percentage of the true edges among them, first network of 100, 300 and 999 rows.
_TABLE_9 = """
    BDeu  2670  9   2430 18   5984 35
    MMPC  2568  5   3064 12   3842 23
"""

#: Arcs of the random graphs that searches on Alarm start from (section 4.2).
INITIAL_ARCS = 71

#: How many adjacent nodes GES may give a node (section 4.1).
MAX_DEGREE = {"hailfinder": 7, "pigs": 10}

#: The most operators of one move of SGS3, from the empty graph and from random ones (footnote 11).
LONGEST_CHAIN = {"empty": 4, "random": 5}

#: Extra edges of SGS3 on Pigs after the clean-up (section 4.1); no edge is missing, other networks stay the same.
CLEANED_EXTRA = {("pigs", 500): 1.0, ("pigs", 5000): 2.0}


@dataclass(frozen=True)
class NetworkProperties:
    """A column of Table 1."""

    nodes: int
    arcs: int
    max_in_degree: int
    min_states: int
    max_states: int
    longest_path: int


@dataclass(frozen=True)
class EdgeErrors:
    """Mean numbers of edges too many and of edges missing, whatever their direction."""

    extra: float
    missing: float


@dataclass(frozen=True)
class SingleSearch:
    """A line of Table 5."""

    score: float
    moves: float
    evaluations: float
    seconds: float


@dataclass(frozen=True)
class Filter:
    """How many candidate parents a filter keeps, and which part of the true edges they have."""

    size: int
    recall: float


def _lines(table: str) -> list[list[str]]:
    return [line.split() for line in table.strip().splitlines()]


NETWORKS: dict[str, NetworkProperties] = {
    name: NetworkProperties(*map(int, cells)) for name, *cells in _lines(_TABLE_1)
}
CONFIGURATIONS: tuple[Configuration, ...] = tuple((name, rows) for name in NETWORKS for rows in SIZES)

#: Table 2 by pair of methods and configuration, in the paper's order; nothing for LAGD on Pigs.
COMPARISONS: dict[Pair, dict[Configuration, str]] = {
    (first, second): {at: sign for at, sign in zip(CONFIGURATIONS, signs, strict=True) if sign != "."}
    for first, second, *signs in _lines(_TABLE_2)
}

#: Table 3 by method and network.
SUMMED: dict[str, dict[str, int]] = {
    method: {name: int(cell) for name, cell in zip(NETWORKS, cells, strict=True) if cell != "."}
    for method, *cells in _lines(_TABLE_3)
}

#: Table 4 by method and configuration.
EDGE_ERRORS: dict[str, dict[Configuration, EdgeErrors]] = {
    method: {
        at: EdgeErrors(float(extra), float(missing))
        for at, extra, missing in zip(CONFIGURATIONS, cells[::2], cells[1::2], strict=True)
        if extra != "."
    }
    for method, *cells in _lines(_TABLE_4)
}

#: Table 5 by method.
SINGLE_SEARCHES: dict[str, SingleSearch] = {
    method: SingleSearch(*map(float, cells)) for method, *cells in _lines(_TABLE_5)
}

#: Table 6 by method and start (empty, random), then by operator.
USAGE: dict[Pair, dict[str, float]] = {
    (method, start): {operator: float(cells[at]) for operator, *cells in _lines(_TABLE_6)}
    for at, (start, method) in enumerate((s, m) for s in ("empty", "random") for m in ("SGS1", "SGS2", "SGS3"))
}

GENE_SIZES = (100, 300, 999)

#: Table 7 by pair of methods and number of rows.
GENE_COMPARISONS: dict[Pair, dict[int, str]] = {
    (first, second): dict(zip(GENE_SIZES, signs, strict=True)) for first, second, *signs in _lines(_TABLE_7)
}

#: Table 8 by number of rows and number of the network, then by method.
DISTANCES: dict[tuple[int, int], dict[str, float]] = {
    (int(rows), int(number)): dict(zip(("SGS3", "MMHC", "GES"), map(float, cells), strict=True))
    for rows, number, *cells in _lines(_TABLE_8)
}

#: Table 9 by filter and number of rows.
FILTERS: dict[str, dict[int, Filter]] = {
    name: {
        rows: Filter(int(size), float(recall) / 100)
        for rows, size, recall in zip(GENE_SIZES, cells[::2], cells[1::2], strict=True)
    }
    for name, *cells in _lines(_TABLE_9)
}
