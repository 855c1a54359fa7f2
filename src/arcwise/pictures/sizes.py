"""How large a network is drawn: the size of its text, its boxes, and the room between them."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from arcwise.pictures import style
from arcwise.pictures.arrangement import Arrangement
from arcwise.pictures.edges import Edge
from arcwise.pictures.labels import one_line, shortened, width_of

__all__ = ["Drawn", "drawn"]

Points = npt.NDArray[np.float64]

# Above this size in points, names are written smaller, as far as they can be read.
_WIDE, _HIGH = 1150.0, 820.0

# Sizes in multiples of the font's.
_PADDING, _BOX_HEIGHT, _BETWEEN_BOXES, _BETWEEN_ROWS = 1.1, 2.0, 1.3, 3.6
_NARROWEST, _WIDEST = 1.9, 14.0


@dataclass(frozen=True)
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
    def cut(self) -> dict[int, str]:
        """Full names of the nodes whose box says less."""
        whole = {place: one_line(name) for place, name in enumerate(self.names)}
        return {place: text for place, text in whole.items() if text != self.texts[place]}


def drawn(arrangement: Arrangement, *, panels: int = 1) -> Drawn:
    """Choose the size of text and boxes for a network, of which so many stand side by side."""
    names = tuple(arrangement.places)
    places = np.array([*arrangement.places.values()]).reshape(-1, 2)
    bends = np.concatenate([places, *arrangement.routes.values()]) if names else np.zeros((1, 2))
    origin, extent = bends.min(axis=0), np.ptp(bends, axis=0)
    lines = [one_line(name) for name in names]
    widths = np.array([width_of(line[:100], 1.0) for line in lines])
    # One long name must not tear the others apart.
    most = float(np.clip(2.2 * np.median(widths), 0.85 * _WIDEST, _WIDEST)) if names else _WIDEST
    boxes = np.column_stack((np.clip(widths, _NARROWEST, most) + _PADDING, np.full(len(widths), _BOX_HEIGHT)))
    largest = boxes.max(axis=0, initial=_BOX_HEIGHT)
    unit = largest + np.array([_BETWEEN_BOXES, _BETWEEN_ROWS])
    whole = extent * unit + largest
    font = float(np.clip(min(_WIDE / panels / whole[0], _HIGH / whole[1]), style.SMALLEST_FONT, style.FONT))
    return Drawn(
        arrangement,
        names=names,
        texts=tuple(shortened(line, (most + 0.01) * font, font) for line in lines),
        centres=((places - origin) * unit + largest / 2) * font,
        boxes=boxes * font,
        unit=unit * font,
        corner=(largest / 2 - origin * unit) * font,
        font=font,
        size=(float(whole[0] * font), float(whole[1] * font)),
    )
