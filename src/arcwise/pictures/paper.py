"""What pictures are drawn on: a figure of their own, measured in points, or axes of the caller's."""

from dataclasses import dataclass
from typing import Any

from arcwise.pictures import style
from arcwise.support.errors import ParameterError
from arcwise.support.messages import type_of

__all__ = ["Paper", "checked_axes", "points_of", "whole_figure"]


@dataclass(frozen=True)
class Paper:
    """Axes whose coordinates are points, to the right and downwards.

    Attributes
    ----------
    axes
        Where to draw.
    scale
        How large a point is: letters and lines, which matplotlib measures by themselves, are this many times as large.
    """

    axes: Any
    scale: float = 1.0

    @classmethod
    def of(cls, width: float, height: float, ax: Any = None) -> "Paper":
        """Return paper of this size, or axes of the caller's in which all of it has room."""
        if ax is None:
            figure = style.matplotlib("figure").Figure(figsize=(width / 72, height / 72), facecolor=style.BACKGROUND)
            axes, scale = figure.add_axes((0, 0, 1, 1)), 1.0
        else:
            room = points_of(ax)
            axes, scale = ax, min(room[0] / width, room[1] / height)
            axes.set_aspect("equal", adjustable="box")
        axes.set_axis_off()
        axes.set_xlim(0, width)
        axes.set_ylim(height, 0)
        return cls(axes, scale)

    @property
    def figure(self) -> Any:
        """The whole figure."""
        return whole_figure(self.axes)


def checked_axes(ax: object) -> Any:
    """Return the axes, or None; a `ParameterError` for anything else."""
    if ax is not None and not isinstance(ax, style.matplotlib("axes").Axes):
        raise ParameterError.of("ax", "Axes of matplotlib or None", type_of(ax))
    return ax


def points_of(ax: Any) -> tuple[float, float]:
    """Return width and height of axes in points."""
    box, figure = ax.get_position(), ax.figure
    width, height = figure.bbox.width * 72 / figure.dpi, figure.bbox.height * 72 / figure.dpi
    return box.width * width, box.height * height


def whole_figure(ax: Any) -> Any:
    """Return the figure that axes are in, also where these are in a part of it."""
    return ax.figure.figure
