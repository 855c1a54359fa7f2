"""Table 1 of Nielsen, Kočka & Peña (2003, UAI) as printed; `nielsen_2003` puts ours beside it.

The scores are decimal logarithms, although the paper does not say so: in natural ones no graph could score more than
minus 20,000 times the entropy of a row, which is -526,000 for Trap, where -227,932 is printed.
"""

from dataclasses import dataclass
from math import log

__all__ = ["DEGREES", "FIGURE_DEGREES", "PUBLISHED", "RUNS", "Published"]

#: The values of k in Table 1, and those in Figure 1; 0 is SES, 1 is GES.
DEGREES = (0.0, 0.4, 0.8, 1.0)
FIGURE_DEGREES = (0.0, 0.005, 0.02, 0.1, 0.4, 0.8, 1.0)

#: Independent runs of each.
RUNS = 1000

# Data, k, best score, runs better than GES (distinct models among their ends), runs worse than GES (distinct models).
_TABLE_1 = """
    Alarm   0     -95207      0    0   1000 1000
    Alarm   0.4   -94288      0    0    918  477
    Alarm   0.8   -94288      0    0    565   69
    Alarm   1     -94288      -    -      -    -
    Trap    0    -227932   1000  840      0    0
    Trap    0.4  -227955    857  343     88    3
    Trap    0.8  -227977    275   39    276    3
    Trap    1    -227999      -    -      -    -
    ALL     0    -130154      0    0   1000 1000
    ALL     0.4  -126856    222  222    774  774
    ALL     0.8  -126873    656  606    324  316
    ALL     1    -127010      -    -      -    -
    AML     0     -74503      0    0   1000 1000
    AML     0.4   -73956     32   32    968  968
    AML     0.8   -73952    227  131    719  524
    AML     1     -73998      -    -      -    -
    CoIL    0     -10964     11   11    989  983
    CoIL    0.4   -10964    114   43    879  674
    CoIL    0.8   -10967    221   19    740  126
    CoIL    1     -10969      -    -      -    -
"""


@dataclass(frozen=True)
class Published:
    """A line of Table 1, of 1,000 runs; the counts are None for GES itself.

    Attributes
    ----------
    best
        The highest score, in natural logarithms.
    over_ges
        How much that is above the score of GES.
    better, worse
        The runs that ended with a higher, and with a lower, score than GES.
    better_models, worse_models
        How many different equivalence classes those runs ended in.
    """

    best: float
    over_ges: float
    better: int | None
    better_models: int | None
    worse: int | None
    worse_models: int | None


def _published() -> dict[str, dict[float, Published]]:
    cells = [line.split() for line in _TABLE_1.strip().splitlines()]
    ges = {name: float(best) for name, k, best, *_ in cells if k == "1"}
    lines: dict[str, dict[float, Published]] = {}
    for name, k, best, *counts in cells:
        numbers = [None if cell == "-" else int(cell) for cell in counts]
        printed = float(best)
        line = Published(printed * log(10), (printed - ges[name]) * log(10), *numbers)
        lines.setdefault(name, {})[float(k)] = line
    return lines


PUBLISHED = _published()
