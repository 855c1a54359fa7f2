"""How large a network is drawn: the size of its text, its boxes, and the room between them."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from arcwise.pictures import style
from arcwise.pictures.arrangement import Arrangement
from arcwise.pictures.detours import around_boxes
from arcwise.pictures.edges import Edge
from arcwise.pictures.labels import one_line, shortened, width_of
from arcwise.pictures.layout import ROOM
from arcwise.support.errors import ParameterError

__all__ = ["Boxes", "Drawn", "boxes_of", "drawn"]

Points = npt.NDArray[np.float64]

# Of a picture, which takes about a minute then; every node is there, and none can be read.
_MOST_NODES = 20_000

# Above this size in points, names are written smaller, as far as they can be read.
_WIDE, _HIGH = 1150.0, 820.0

# Sizes in multiples of the font's.
_PADDING, _BOX_HEIGHT, _BETWEEN_BOXES, _BETWEEN_ROWS = 1.1, 2.0, 1.3, 3.6
_NARROWEST, _WIDEST = 1.9, 14.0


@dataclass(frozen=True, eq=False)
class Drawn:
    """A network in points, from its upper left corner.

    Attributes
    ----------
    names, texts
        The nodes, and what their boxes say.
    centres, boxes
        The middle of each box, its width and height.
    unit, corner
        What a unit of the arrangement is, and where it begins.
    font
        Size of the names.
    size
        Width and height of the whole.
    """

    arrangement: Arrangement
    names: tuple[str, ...]
    texts: tuple[str, ...]
    centres: Points
    boxes: Points
    unit: Points
    corner: Points
    font: float
    size: tuple[float, float]

    def route(self, edge: Edge) -> Points:
        """Return the points of an edge."""
        return np.asarray(self.arrangement.route(edge) * self.unit + self.corner)

    @property
    def thinner(self) -> float:
        """How wide lines are, as a share of their width beside names of the usual size."""
        return max(0.6, self.font / style.FONT)

    @property
    def cut(self) -> dict[int, str]:
        """Full names of the nodes whose box says less."""
        whole = {place: one_line(name) for place, name in enumerate(self.names)}
        return {place: text for place, text in whole.items() if text != self.texts[place]}


@dataclass(frozen=True, eq=False)
class Boxes:
    """Sizes in multiples of the font's, before anything has its place.

    Attributes
    ----------
    lines
        The names, each on one line.
    widest
        Most that a box shows of a name.
    sizes
        Width and height of each box.
    unit
        A box and the room around it: that of the largest.
    """

    lines: tuple[str, ...]
    widest: float
    sizes: Points
    unit: Points

    @property
    def largest(self) -> Points:
        """Width and height that all boxes fit into."""
        return np.asarray(self.sizes.max(axis=0, initial=_BOX_HEIGHT))

    def aspect(self, wanted: float) -> float:
        """Return what to ask of a layout, which takes names of a usual length for granted, to get this aspect."""
        return float(wanted * ROOM * self.unit[1] / self.unit[0])


def boxes_of(names: Sequence[str]) -> Boxes:
    """Return the boxes that nodes need for their names.

    Raises
    ------
    ParameterError
        For more nodes than a picture has room for.
    """
    if len(names) > _MOST_NODES:
        raise ParameterError(
            f"a picture has room for {_MOST_NODES:,} nodes at most, not for {len(names):,}; write_report shows more, "
            "of which a browser draws what is in its window"
        )
    lines = tuple(one_line(name) for name in names)
    widths = np.array([width_of(line[:100], 1.0) for line in lines])
    # One long name must not tear the others apart.
    most = float(np.clip(2.2 * np.median(widths), 0.85 * _WIDEST, _WIDEST)) if lines else _WIDEST
    sizes = np.column_stack((np.clip(widths, _NARROWEST, most) + _PADDING, np.full(len(widths), _BOX_HEIGHT)))
    room = np.array([_BETWEEN_BOXES, _BETWEEN_ROWS])
    return Boxes(lines, most, sizes, sizes.max(axis=0, initial=_BOX_HEIGHT) + room)


def drawn(arrangement: Arrangement, boxes: Boxes, *, panels: int = 1) -> Drawn:
    """Choose the size of the text for a network, of which so many stand side by side."""
    names = tuple(arrangement.places)
    widths = dict(zip(names, boxes.sizes[:, 0] / boxes.unit[0], strict=True))
    arrangement = around_boxes(arrangement, widths, float(boxes.largest[1] / boxes.unit[1]))
    places = np.array([*arrangement.places.values()]).reshape(-1, 2)
    bends = np.concatenate([places, *arrangement.routes.values()]) if names else np.zeros((1, 2))
    origin, unit = bends.min(axis=0), boxes.unit
    whole = np.ptp(bends, axis=0) * unit + boxes.largest
    font = float(np.clip(min(_WIDE / panels / whole[0], _HIGH / whole[1]), style.SMALLEST_FONT, style.FONT))
    return Drawn(
        arrangement,
        names=names,
        texts=tuple(shortened(line, (boxes.widest + 0.01) * font, font) for line in boxes.lines),
        centres=((places - origin) * unit + boxes.largest / 2) * font,
        boxes=boxes.sizes * font,
        unit=unit * font,
        corner=(boxes.largest / 2 - origin * unit) * font,
        font=font,
        size=(float(whole[0] * font), float(whole[1] * font)),
    )
