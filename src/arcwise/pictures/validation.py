"""What methods and scores are worth on rows that they have not seen, with standard errors."""

from arcwise.comparison.validation import CrossValidation
from arcwise.pictures import style
from arcwise.pictures.labels import families, one_line, shortened, width_of
from arcwise.pictures.network import checked_title
from arcwise.pictures.picture import Picture
from arcwise.support.arguments import instance
from arcwise.support.errors import ParameterError

__all__ = ["plot_validation"]

# In points.
_AXIS, _MARGIN, _STEP, _LONGEST_NAME = 300.0, 14.0, 18.0, 190.0


def plot_validation(validation: CrossValidation, *, title: str | None = None) -> Picture:
    """Picture of a cross-validation: for each candidate its held-out log-likelihood, and two standard errors around it.

    The best candidate is on top, and a line goes down from it. Standard errors over folds are a rough guide: folds
    share most of what they learn from.

    Parameters
    ----------
    validation
        What `cross_validate` gives.
    title
        A line over the picture.

    Examples
    --------
    >>> from arcwise import cross_validate, load_example
    >>> data = load_example("cancer").sample(200, seed=1)
    >>> plot_validation(cross_validate(data, "greedy", ["bic", "aic"], folds=3, seed=1))
    <Picture: cross-validation of 2 candidates, ... inches>
    """
    candidates = instance("validation", validation, CrossValidation).candidates
    title = checked_title(title)
    if not candidates:
        raise ParameterError("no fold has been finished; there is nothing to draw")
    names = [one_line(f"{each.method}, {each.definition}") for each in candidates]
    texts = [shortened(name, _LONGEST_NAME, style.FONT) for name in names]
    with style.drawing():
        side = _MARGIN + max(width_of(text, style.FONT) for text in texts) + 12.0
        top, height = _MARGIN + 22.0 * (title is not None), _STEP * len(candidates)
        width, total = side + _AXIS + _MARGIN, top + height + 44.0
        figure = style.matplotlib("figure").Figure(figsize=(width / 72, total / 72), facecolor=style.BACKGROUND)
        axes = figure.add_axes((side / width, 44.0 / total, _AXIS / width, height / total))
        axes.set_ylim(len(candidates) - 0.5, -0.5)
        axes.axvline(candidates[0].held_out, color=style.RULE, lw=style.LINE_WIDTH, zorder=0)
        for at, each in enumerate(candidates):
            spread = 2 * each.standard_error
            ends = [each.held_out - spread, each.held_out + spread]
            axes.plot(ends, [at, at], color=style.SERIES[0], lw=2.0, solid_capstyle="butt", gid=f"spread-{at}")
            axes.plot([each.held_out], [at], "o", color=style.SERIES[0], ms=5.0, gid=f"mean-{at}")
        axes.set_yticks([])
        for at, text in enumerate(texts):
            place = {"transform": axes.get_yaxis_transform(), "ha": "right", "va": "center"}
            axes.text(
                -0.02, at, text, size=style.FONT, family=families(text), parse_math=False, gid=f"name-{at}", **place
            )
        axes.tick_params(labelsize=style.FONT)
        axes.set_xlabel("log-likelihood of a row that was held out", fontsize=style.FONT)
        for border in ("left", "right", "top"):
            axes.spines[border].set_visible(False)
        if title is not None:
            shown = shortened(one_line(title), 0.85 * (width - 2 * _MARGIN), 11.0)
            figure.text(
                0.5, 1 - (_MARGIN + 4.0) / total, shown, ha="center", va="center", size=11.0, weight="bold",
                family=families(shown), parse_math=False, gid="title",
            )  # fmt: skip
    titles = {f"name-{at}": name for at, (name, text) in enumerate(zip(names, texts, strict=True)) if name != text}
    return Picture(figure, what=f"cross-validation of {len(candidates)} candidates", titles=titles)
