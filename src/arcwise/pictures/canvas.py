"""A sheet of paper measured in points, on which boxes, arcs, texts and keys are drawn."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from arcwise.pictures import style
from arcwise.pictures.curves import curves
from arcwise.pictures.edges import Edge
from arcwise.pictures.labels import families, one_line, shortened, width_of
from arcwise.pictures.paper import Paper
from arcwise.pictures.sizes import Drawn

__all__ = ["Fill", "Key", "Sheet", "Stroke", "text_size"]

Points = npt.NDArray[np.float64]

_MARGIN = 14.0


@dataclass(frozen=True)
class Stroke:
    """How a line is drawn."""

    colour: str = style.LINE
    width: float = style.LINE_WIDTH
    dashed: bool = False


@dataclass(frozen=True)
class Fill:
    """How a box is drawn; one that is doubled has a second border within the first."""

    colour: str = style.BOX
    edge: str = style.BOX_EDGE
    line: Any = "solid"
    width: float = 0.7
    doubled: bool = False


@dataclass(frozen=True)
class Key:
    """What a colour or a width means: a line of the legend."""

    text: str
    sample: Stroke | Fill
    headed: bool = True


@dataclass
class Sheet:
    """A figure whose coordinates are points, to the right and downwards.

    Attributes
    ----------
    width
        Room for networks, without the margin.
    title
        Over everything.
    keys
        What stands under the networks.
    captions
        Whether there is a line over each network.
    ax
        Axes of the caller's to draw in, whatever their size; a figure of its own for None.
    """

    width: float
    height: float
    title: str | None = None
    keys: Sequence[Key] = ()
    captions: bool = False
    ax: Any = None
    paper: Paper = field(init=False)
    top: float = field(init=False)
    titles: dict[str, str] = field(init=False, default_factory=dict)

    def __post_init__(self) -> None:
        self.text = text_size(self.width, self.height)
        rows = self._rows()
        inner = max([self.width, *(_row_width(row, self.text) for row in rows)])
        heading = None if self.title is None else shortened(one_line(self.title), max(inner, 300.0), 1.3 * self.text)
        if heading is not None:
            inner = max(inner, width_of(heading, 1.3 * self.text, bold=True))
        self.left = _MARGIN + (inner - self.width) / 2
        self.top = _MARGIN + 2.4 * self.text * (heading is not None) + 3.6 * self.text * self.captions
        whole = inner + 2 * _MARGIN, self.top + self.height + _MARGIN + (len(rows) * 1.9 + 0.8) * self.text * bool(rows)
        self.paper = Paper.of(*whole, self.ax)
        if heading is not None:
            self.write(whole[0] / 2, _MARGIN + 0.7 * self.text, heading, 1.3 * self.text, weight="bold", gid="title")
        self._draw_keys(rows, self.top + self.height + 1.2 * self.text + 0.5 * _MARGIN, whole[0])

    @property
    def axes(self) -> Any:
        """The axes, whose coordinates are points."""
        return self.paper.axes

    @property
    def figure(self) -> Any:
        """The whole figure."""
        return self.paper.figure

    def write(self, x: float, y: float, text: str, size: float, *, align: str = "center", **options: Any) -> None:
        """Write a line of text, which is never read as a formula."""
        options = {"ha": align, "va": "center_baseline", "color": style.INK, **options}
        self.axes.text(x, y, text, size=self.paper.scale * size, family=families(text), parse_math=False, **options)

    def caption(self, x: float, label: str, counts: str) -> None:
        """Write a label and, under it, a line about the network whose middle is at `x`."""
        self.write(self.left + x, self.top - 3.0 * self.text, label, 1.1 * self.text, weight="bold", gid="label")
        self.write(self.left + x, self.top - 1.6 * self.text, counts, self.text, color=style.SOFT, gid="counts")

    def draw_nodes(self, drawn: Drawn, at: float, fills: Mapping[str, Fill], *, panel: str = "") -> None:
        """Draw the boxes with their names; `at` is the left side of the network."""
        path = style.matplotlib("path").Path
        kinds = [fills.get(name, Fill()) for name in drawn.names]
        corner = self._corner(at)
        boxes = [_box(path, centre + corner, size) for centre, size in zip(drawn.centres, drawn.boxes, strict=True)]
        self.axes.add_collection(
            style.matplotlib("collections").PathCollection(
                boxes,
                facecolors=[fill.colour for fill in kinds],
                edgecolors=[fill.edge for fill in kinds],
                linestyles=[fill.line for fill in kinds],
                linewidths=[self.paper.scale * fill.width for fill in kinds],
                gid=f"nodes{panel}",
                zorder=3,
            ),
            autolim=False,
        )
        self._draw_inner_borders(drawn, corner, kinds, panel)
        for place, ((x, y), text) in enumerate(zip(drawn.centres + corner, drawn.texts, strict=True)):
            self.write(x, y, text, drawn.font, gid=f"node{panel}-{place}", zorder=5)
        self.titles |= {f"node{panel}-{place}": name for place, name in drawn.cut.items()}

    def _draw_inner_borders(self, drawn: Drawn, corner: Points, kinds: Sequence[Fill], panel: str) -> None:
        doubled = [place for place, fill in enumerate(kinds) if fill.doubled]
        if not doubled:
            return
        path, within = style.matplotlib("path").Path, style.WITHIN * drawn.font
        self.axes.add_collection(
            style.matplotlib("collections").PathCollection(
                [_box(path, drawn.centres[place] + corner, drawn.boxes[place] - 2 * within) for place in doubled],
                facecolors="none",
                edgecolors=[kinds[place].edge for place in doubled],
                linewidths=self.paper.scale * Fill.width,
                gid=f"inner{panel}",
                zorder=3,
            ),
            autolim=False,
        )

    def draw_edges(
        self, drawn: Drawn, at: float, edges: Sequence[Edge], stroke: Callable[[Edge], Stroke], *, panel: str = ""
    ) -> None:
        """Draw the arcs, in the order of the list, each as `stroke` says."""
        index = {name: place for place, name in enumerate(drawn.names)}
        strokes = [replace(line, width=drawn.thinner * line.width) for line in map(stroke, edges)]
        corner = self._corner(at)
        lines = curves(
            [drawn.route(edge) + corner for edge in edges],
            [(index[edge.tail], index[edge.head]) for edge in edges],
            drawn.boxes,
            [
                _head_length(drawn.font, line.width) if edge.directed else 0.0
                for edge, line in zip(edges, strokes, strict=True)
            ],
            row=float(drawn.unit[1]),
        )
        path = style.matplotlib("path").Path
        collections = style.matplotlib("collections")
        # A line ends under its head; one that is dashed may end with a gap.
        self.axes.add_collection(
            collections.PathCollection(
                [path(line.points, _codes(path, len(line.points))) for line in lines],
                facecolors="none",
                edgecolors=[line.colour for line in strokes],
                linewidths=[self.paper.scale * line.width for line in strokes],
                linestyles=[_dashes(line) for line in strokes],
                capstyle="butt",
                alpha=None if drawn.font > 0.8 * style.FONT else 0.75,
                gid=f"arcs{panel}",
                zorder=2,
            ),
            autolim=False,
        )
        self.axes.add_collection(
            collections.PolyCollection(
                [line.head for line in lines if line.head is not None],
                facecolors=[made.colour for line, made in zip(lines, strokes, strict=True) if line.head is not None],
                linewidths=0,
                gid=f"heads{panel}",
                zorder=4,
            ),
            autolim=False,
        )

    def _corner(self, at: float) -> Points:
        return np.array([self.left + at, self.top])

    def _rows(self) -> list[list[Key]]:
        """Keys in rows that are about as wide as the network."""
        most = max(self.width, 330.0)
        rows: list[list[Key]] = []
        for key in self.keys:
            if rows and _row_width([*rows[-1], key], self.text) <= most:
                rows[-1].append(key)
            else:
                rows.append([key])
        return rows

    def _draw_keys(self, rows: list[list[Key]], y: float, width: float) -> None:
        for row in rows:
            x = (width - _row_width(row, self.text)) / 2
            for key in row:
                self._draw_sample(key, x, y)
                text = _key_text(key, self.text)
                self.write(x + 3.2 * self.text, y, text, self.text, align="left", gid="key")
                x += _key_width(key, self.text)
            y += 1.9 * self.text

    def _draw_sample(self, key: Key, x: float, y: float) -> None:
        patches, path = style.matplotlib("patches"), style.matplotlib("path").Path
        sample, size = key.sample, self.text
        if isinstance(sample, Fill):
            centre, shape = np.array([x + 1.3 * size, y]), np.array([2.2 * size, 1.2 * size])
            box = _box(path, centre, shape)
            looks = {"ec": sample.edge, "lw": self.paper.scale * sample.width}
            self.axes.add_patch(patches.PathPatch(box, fc=sample.colour, ls=sample.line, gid="key-box", **looks))
            if sample.doubled:
                box = _box(path, centre, shape - 2 * style.WITHIN * size)
                self.axes.add_patch(patches.PathPatch(box, fc="none", gid="key-inner", **looks))
            return
        length = _head_length(size, sample.width) if key.headed else 0.0
        line = path([(x, y), (x + 2.6 * size - length, y)])
        self.axes.add_patch(
            patches.PathPatch(
                *(line,),
                **{"fc": "none", "ec": sample.colour, "lw": self.paper.scale * sample.width, "ls": _dashes(sample)},
                **{"capstyle": "butt", "gid": "key-line"},
            )
        )
        if length:
            corners = [(0, 0), (-length, 0.38 * length), (-length, -0.38 * length)]
            tip = np.array([x + 2.6 * size, y])
            self.axes.add_patch(patches.Polygon(tip + np.array(corners), fc=sample.colour, lw=0, gid="key-head"))


def text_size(width: float, height: float) -> float:
    """Return how large text beside networks is, so that it can be read from where one sees the whole."""
    return float(np.clip(0.009 * max(width, height), style.FONT, 40.0))


def _key_text(key: Key, size: float) -> str:
    return shortened(one_line(key.text), 30 * size, size)


def _key_width(key: Key, size: float) -> float:
    return width_of(_key_text(key, size), size) + 5.2 * size


def _row_width(row: Sequence[Key], size: float) -> float:
    return sum(_key_width(key, size) for key in row) - 2.0 * size


def _head_length(font: float, width: float) -> float:
    return 0.5 * font + 1.3 * width


def _dashes(line: Stroke) -> Any:
    return (0, (3.5, 2.0)) if line.dashed else "solid"


def _codes(path: Any, n_points: int) -> list[int]:
    return [path.MOVETO] + [path.CURVE4] * (n_points - 1)


def _box(path: Any, centre: Points, size: Points) -> Any:
    """Return a rectangle with round corners."""
    (x, y), (w, h) = centre, size / 2
    r = 0.35 * h
    k = 0.45 * r  # about a quarter of a circle
    corners = [
        (x - w + r, y - h), (x + w - r, y - h), (x + w - k, y - h), (x + w, y - h + k), (x + w, y - h + r),
        (x + w, y + h - r), (x + w, y + h - k), (x + w - k, y + h), (x + w - r, y + h),
        (x - w + r, y + h), (x - w + k, y + h), (x - w, y + h - k), (x - w, y + h - r),
        (x - w, y - h + r), (x - w, y - h + k), (x - w + k, y - h), (x - w + r, y - h), (x - w + r, y - h),
    ]  # fmt: skip
    side = [path.LINETO, *[path.CURVE4] * 3]
    return path(corners, [path.MOVETO, *side * 4, path.CLOSEPOLY])
