"""The numbers that Perez & Mauá (2016, JIDM 7(2)) print, as they print them; `perez_maua_2016` puts ours beside them.

The columns of Table II have the averages that the paper gives in its last line. Those of Table I do not (sets: 42.8M,
34.6M and 3.6M, in the paper 42.6M, 30.6M and 3.2M), so its averages are left out here.
"""

from dataclasses import dataclass

__all__ = ["PAPER_METHODS", "PUBLISHED", "Published", "PublishedSelection"]

PAPER_METHODS = ("sequential", "greedy", "independence")

# Table I as printed: n, N, then candidate sets and largest in-degree by sequential, greedy and independence selection.
_TABLE_I = """
    Nltcs         16   21574  365.1K  6   13.6K  5  365.1K   6
    Msnbc         17  388434  712.0K  9   16.7K  6  243.2K  11
    Kdd           64  234954    4.8M  4    1.4M  5  593.0K   6
    Plants        69   23215   47.2M  4   11.9M  5    1.6M   7
    Baudio       100   20000   65.8M  4   17.1M  6    2.2M   6
    Bnetflix     100   20000   59.6M  4   16.3M  6    2.3M   6
    Jester       100   14116   74.3M  4   21.4M  5    3.8M   5
    Accidents    111   17009   47.0M  4   20.9M  7    3.4M   7
    Tretail      135   29387    1.9M  4    4.8M  7    1.2M   4
    Pumsb_star   163   16349   95.5M  3   38.8M  5    4.9M   6
    Dna          180    3186    9.0M  3   62.5M  4    7.1M   4
    Kosarek      190   44500   62.6M  3   14.2M  6    3.3M   6
    Msweb        294   37711    6.9M  3   14.0M  7    3.8M   8
    Book         500   11598   85.3M  3   71.1M  4    4.1M   4
    Tmovie       500    6117   96.2M  3   64.8M  5    4.8M   5
    Cwebkb       839    4199   43.6M  2   81.2M  5    5.9M   5
    Cr52         889    9100   40.3M  2   66.5M  5    6.6M   5
    C20ng        910   18821   99.0M  2   55.5M  5    8.3M   5
    Bbc         1058    2225   11.8M  2   50.4M  4    4.7M   4
    Ad          1556    3279    4.0M  2   78.6M  4    3.2M   4
"""

# Table II as printed: relative score and average in-degree of H* by sequential, greedy and independence selection.
_TABLE_II = """
    Nltcs       0.4515  4.750  0.4359  3.812  0.4515  4.750
    Msnbc       0.1660  8.412  0.0867  4.941  0.1752  9.235
    Kdd         0.1806  3.422  0.1759  3.672  0.1820  4.047
    Plants      0.6828  3.884  0.6685  3.971  0.6871  4.928
    Baudio      0.1877  3.590  0.1914  4.520  0.1978  4.940
    Bnetflix    0.1336  3.550  0.1343  4.420  0.1433  4.970
    Jester      0.1672  3.680  0.1690  4.490  0.1726  4.830
    Accidents   0.5761  3.126  0.6314  3.847  0.5285  3.739
    Tretail     0.0746  2.111  0.0793  2.081  0.0765  2.089
    Pumsb_star  0.8194  2.325  0.7890  2.528  0.7684  2.595
    Dna         0.4062  2.844  0.4004  2.806  0.4004  2.600
    Kosarek     0.2303  2.668  0.2332  2.979  0.2374  3.300
    Msweb       0.1852  2.031  0.1870  3.463  0.1888  3.367
    Book        0.1435  2.118  0.1513  2.790  0.1523  2.866
    Tmovie      0.3249  2.068  0.3610  2.954  0.3640  3.072
    Cwebkb      0.1471  1.896  0.1692  2.777  0.1702  2.900
    Cr52        0.1775  1.900  0.2139  2.955  0.2143  3.100
    C20ng       0.0843  1.902  0.1111  3.489  0.1118  3.680
    Bbc         0.0865  1.863  0.0979  2.403  0.0984  2.483
    Ad          0.8012  1.075  0.8251  1.223  0.8208  1.220
"""


@dataclass(frozen=True)
class PublishedSelection:
    """What the paper reports of one selection on one dataset.

    `sets` is the number of candidate sets as printed (365.1K), `max_parents` the largest and `mean_parents` the average
    in-degree of H*, `relative_score` its RC.
    """

    sets: str
    max_parents: int
    relative_score: float
    mean_parents: float


@dataclass(frozen=True)
class Published:
    """What the paper reports on one dataset: its size, and the three selections by name."""

    n_variables: int
    n_rows: int
    selections: dict[str, PublishedSelection]

    @property
    def best(self) -> float:
        """Best relative score of H* among the three selections."""
        return max(selection.relative_score for selection in self.selections.values())


def _published() -> dict[str, Published]:
    """Read the two tables, which list the datasets in the same order."""
    table = {}
    for line_1, line_2 in zip(_TABLE_I.strip().splitlines(), _TABLE_II.strip().splitlines(), strict=True):
        name, n_variables, n_rows, *counts = line_1.split()
        scores = line_2.split()[1:]
        selections = {
            method: PublishedSelection(counts[at], int(counts[at + 1]), float(scores[at]), float(scores[at + 1]))
            for method, at in zip(PAPER_METHODS, (0, 2, 4), strict=True)
        }
        table[name.lower()] = Published(int(n_variables), int(n_rows), selections)
    return table


PUBLISHED: dict[str, Published] = _published()
