"""Tables 1 and 4 of Lee & van Beek (2017, Canadian AI) as printed; `lee_vanbeek_2017` puts ours beside them.

The paper minimises, so its numbers are the negated scores of this package.
"""

from dataclasses import dataclass

__all__ = ["CHOICES", "METHODS", "PUBLISHED_CLIMBS", "PUBLISHED_SEARCHES", "PublishedClimbs", "PublishedSearches"]

CHOICES = ("best", "first", "hybrid")
METHODS = ("OBS", "ASOBS", "INOBS", "IINOBS", "MINOBS")

# Table 1: n, candidate sets, then seconds and cost, averages of 100 climbs, by best, first and hybrid selection.
_TABLE_1 = """
    segment_BIC    20     1053    0.01    15176.3    0.01    15175.9   0.00    15176.8
    autos_BIC      26     2391    0.02     1585.5    0.03     1586.4   0.01     1587.1
    soybean_BIC    36     5926    0.08     3155.9    0.08     3156.5   0.02     3158.4
    wdbc_BIC       31    14613    0.19     6623.0    0.16     6624.6   0.04     6627.0
    steel_BDeu     28   113118    2.09    18690.0    1.76    18674.8   0.59    18685.9
    baudio.ts     100   371117   23.76   194711.9   12.63   193795.5   3.03   194922.0
    jester.ts     100   531961   36.56    88098.9   19.86    87271.6   4.48    87871.1
    tretail.ts    134   435976   36.54   106864.0   16.59   106294.6   3.03   106879.2
    munin-5000   1041  1648338  847.08  1041284.5  961.39  1041219.6  17.97  1040638.6
"""

# Table 4: n, candidate sets, then cost by GOBNILP, OBS, ASOBS, INOBS with restarts, IINOBS and MINOBS, 12 hours each.
# A star: known to be optimal. OM: out of memory.
_TABLE_4 = """
    nltcs.test         16    48303   5836.6*     5903.4     5836.6*    5836.6*    5836.6*    5836.6*
    msnbc.test         17    16594 151624.7*   153291.6   151624.7*  151624.7*  151624.7*  151624.7*
    kdd.test           64   152873  57271.3     57556.2    57522.6    57218.0    57209.6*   57209.6*
    plants.test        69   520148  19337.8     16485.0    16681.4    14649.6    14539.7    14539.7
    bnetflix.test     100  1103968       OM     13033.3    12545.1    12282.4    12279.8    12279.8
    accidents.test    111  1425966       OM      3454.4     2119.9      855.9      828.3      828.3
    pumsb_star.test   163  1034955  11552.5      5626.9     3641.7     3068.5     3062.8     3062.8
    dna.test          180  2019003       OM     21783.0    19335.1    18455.1    18297.0    18287.8
    kosarek.test      190  1192386       OM     29283.4    26718.5    24816.5    24731.8    24745.9
    msweb.test        294  1597487       OM     28496.3    26061.6    25781.7    25743.5    25741.6
    book.test         500  2794588       OM     36133.0    33104.4    30614.2    30355.2    30345.0
    tmovie.test       500  2778556       OM      8547.6     6312.4     5008.5     4765.5     4763.8
    cwebkb.test       839  3409747       OM     34837.9    21948.7    17984.7    17564.7    17556.4
    cr52.test         889  3357042       OM     28187.2    16060.2    13374.3    13063.0    13013.9
    c20ng.test        910  3046445       OM    109950.7    79093.8    69832.9    69139.5    69024.0
    bbc.test         1058  3915071       OM     44663.6    30261.3    25263.5    24498.2    24403.9
    ad.test          1556  6791926       OM     10845.0     8745.2     7814.5     7610.4     7646.0
    diabetes-5000     413   754563       OM   2043150.9  1925441.6  1913319.6  1912286.3  1912670.9
    pigs-5000         441  1984359       OM   1010120.7   905538.2   802293.5   782105.9   775953.3
    link-5000         724  3203086       OM     85516.2    43072.1    37067.2    36758.9    36715.3
"""


@dataclass(frozen=True)
class PublishedClimbs:
    """A line of Table 1: the size of the instance, and average seconds and cost of a climb by choice of neighbour."""

    n_variables: int
    n_sets: int
    seconds: dict[str, float]
    costs: dict[str, float]


@dataclass(frozen=True)
class PublishedSearches:
    """A line of Table 4: the size of the instance, and the cost of the best graph by method.

    `gobnilp` is None where it ran out of memory; `optimal` has the methods whose cost is known to be optimal.
    """

    n_variables: int
    n_sets: int
    gobnilp: float | None
    costs: dict[str, float]
    optimal: frozenset[str]


def _climbs() -> dict[str, PublishedClimbs]:
    lines = {}
    for name, n_variables, n_sets, *cells in map(str.split, _TABLE_1.strip().splitlines()):
        numbers = [float(cell) for cell in cells]
        seconds, costs = (dict(zip(CHOICES, numbers[at::2], strict=True)) for at in (0, 1))
        lines[name] = PublishedClimbs(int(n_variables), int(n_sets), seconds, costs)
    return lines


def _searches() -> dict[str, PublishedSearches]:
    lines = {}
    for name, n_variables, n_sets, gobnilp, *cells in map(str.split, _TABLE_4.strip().splitlines()):
        by_method = dict(zip(METHODS, cells, strict=True))
        lines[name] = PublishedSearches(
            int(n_variables),
            int(n_sets),
            None if gobnilp == "OM" else float(gobnilp.rstrip("*")),
            {method: float(cell.rstrip("*")) for method, cell in by_method.items()},
            frozenset(method for method, cell in by_method.items() if cell.endswith("*")),
        )
    return lines


PUBLISHED_CLIMBS = _climbs()
PUBLISHED_SEARCHES = _searches()
