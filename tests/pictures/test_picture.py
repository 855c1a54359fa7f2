"""Pictures as files and in notebooks, whatever the names are."""

import subprocess
import sys
import warnings
from pathlib import Path

import matplotlib.text
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arcwise import ArcwiseWarning, Dag, ParameterError, Picture, load_example, plot_network
from arcwise.pictures.labels import one_line, shortened, width_of
from svg_parts import Parts

ODD = (
    "$x$",
    "$",
    "a_b^c",
    "<script>alert(1)</script>",
    "&amp;",
    "two\nlines",
    "😀",
    "",
    "  ",
    "\x00\x1b",
    "\u202eabc",
    "_hid",
)


@pytest.fixture(scope="module")
def asia() -> Picture:
    return plot_network(load_example("asia"))


@pytest.mark.parametrize(("ending", "begin"), [("svg", b"<?xml"), ("png", b"\x89PNG\r\n\x1a\n"), ("pdf", b"%PDF-1.")])
def test_file_is_of_its_kind_and_the_same_again(asia: Picture, tmp_path: Path, ending: str, begin: bytes) -> None:
    for name in (f"one.{ending}", f"other.{ending.upper()}"):
        asia.save(tmp_path / name)
    again = plot_network(load_example("asia")).content(ending)
    first, second = (path.read_bytes() for path in sorted(tmp_path.iterdir()))
    assert first.startswith(begin)
    assert first == second == again


def test_another_process_writes_the_same(asia: Picture) -> None:
    program = "import sys, arcwise; sys.stdout.write(arcwise.plot_network(arcwise.load_example('asia')).svg())"
    written = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout
    assert written == asia.svg()


def test_wrong_ending_is_refused_and_nothing_written(asia: Picture, tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match=r"must end in .svg, .png or .pdf; got 'asia.jpg'"):
        asia.save(tmp_path / "asia.jpg")
    with pytest.raises(ParameterError, match=r"got 'asia.pgn'; did you mean '.png'\?"):
        asia.save(tmp_path / "asia.pgn")
    with pytest.raises(ParameterError, match="path must be a path"):
        asia.save(3)  # type: ignore[arg-type]
    with pytest.raises(FileNotFoundError):
        asia.save(tmp_path / "nowhere" / "asia.svg")
    assert list(tmp_path.iterdir()) == []


def test_notebook_gets_svg_or_png_but_not_both(asia: Picture, monkeypatch: pytest.MonkeyPatch) -> None:
    text = asia._repr_svg_()
    assert text is not None
    assert text.startswith("<?xml")
    assert asia._repr_png_() is None
    monkeypatch.setattr("arcwise.pictures.picture._LARGEST_SVG", 100)
    assert asia._repr_svg_() is None
    png = asia._repr_png_()
    assert png is not None
    assert png.startswith(b"\x89PNG")


def test_settings_of_the_user_are_neither_used_nor_changed(asia: Picture) -> None:
    import matplotlib

    expected = asia.svg()
    with matplotlib.rc_context({"text.usetex": True, "font.size": 30, "svg.fonttype": "path", "axes.facecolor": "red"}):
        before = dict(matplotlib.rcParams)
        assert plot_network(load_example("asia")).svg() == expected
        assert dict(matplotlib.rcParams) == before


def test_pyplot_is_not_loaded() -> None:
    program = (
        "import sys, arcwise\npicture = arcwise.plot_network(arcwise.load_example('asia'))\npicture.content('png')\n"
        "print('matplotlib.pyplot' in sys.modules)"
    )
    assert (
        subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout == "False\n"
    )


def test_without_matplotlib_the_error_says_what_to_install() -> None:
    program = (
        "import sys\nsys.modules['matplotlib'] = None\nimport arcwise\nfrom arcwise import *\n"
        "try:\n    plot_network(load_example('asia'))\nexcept MissingLibraryError as error:\n    print(error)"
    )
    shown = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout
    assert "pip install 'arcwise[plot]'" in shown


@pytest.mark.filterwarnings("error")
def test_odd_names_are_text() -> None:
    dag = Dag(ODD, [(ODD[0], name) for name in ODD[1:]])
    picture = plot_network(dag, groups=dict.fromkeys(ODD, "$g$"), title="$t$ <b>")
    parts = Parts(picture)
    texts = parts.texts(r"node-\d+")
    assert {"$x$", "$", "a_b^c", "&amp;", r"two\nlines", "😀", "''", "'  '", r"\x00\x1b", r"\u202eabc", "_hid"} <= set(
        texts
    )
    assert len(texts) == len(ODD)
    assert parts.texts("title") == ["$t$ <b>"]
    assert b"<script" not in picture.content("svg")
    assert picture.content("png").startswith(b"\x89PNG")
    assert picture.content("pdf").startswith(b"%PDF")


@settings(max_examples=40, deadline=None)
@given(st.lists(st.text(max_size=12), min_size=1, max_size=5, unique=True))
def test_any_names_are_found_again_in_the_svg(names: list[str]) -> None:
    parts = Parts(plot_network(Dag(names)))
    texts = parts.texts(r"node-\d+")
    assert len(texts) == len(names)
    for text, name in zip(texts, names, strict=True):
        assert text == one_line(name) or ("…" in text and one_line(name) in parts.titles())


def test_sign_that_no_font_has_is_told_for_a_png() -> None:
    picture = plot_network(Dag(["\U0001fbff\U000e0100", "b"]))  # a symbol for old terminals
    picture.content("svg")
    with pytest.warns(ArcwiseWarning, match="no font of this machine has .* save the picture as .svg"):
        picture.content("png")


@pytest.mark.parametrize("kind", ["svg", "png"])
def test_signs_that_no_font_has_leave_the_settings_of_other_threads_alone(
    kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = "\U00013000 \U00013001 \u2801"  # the last one could be taken for another's stand-in
    before, during = list(warnings.filters), []
    picture = plot_network(Dag([name, "b"]))
    draw = picture.figure.savefig

    def watched(*arguments: object, **options: object) -> None:
        during.append(list(warnings.filters))
        with warnings.catch_warnings():
            warnings.simplefilter("error")  # matplotlib has nothing to warn of
            draw(*arguments, **options)

    monkeypatch.setattr(picture.figure, "savefig", watched)
    if kind == "svg":
        assert name in picture.svg()
    else:
        with warnings.catch_warnings(record=True) as caught:
            before = list(warnings.filters)
            picture.content(kind)
        assert "no font" in str(caught[0].message)
    assert during == [before]
    assert name in [text.get_text() for text in picture.figure.findobj(matplotlib.text.Text)]


def test_signs_that_no_font_has_are_measured_without_a_warning() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert width_of("\U00013000" * 3, 10.0) > width_of("\U00013000", 10.0) > 0


def test_long_name_is_cut_in_the_middle_and_whole_in_the_title() -> None:
    long = "a_name_that_is_" + "very_" * 30 + "long"
    parts = Parts(plot_network(Dag([long, "b"], [(long, "b")])))
    shown, _ = parts.texts(r"node-\d+")
    begin, end = shown.split("…")
    assert long.startswith(begin)
    assert long.endswith(end)
    assert parts.titles() == [long]


@given(st.text(min_size=1, max_size=400), st.floats(30.0, 200.0))
@settings(max_examples=60, deadline=None)
def test_shortened_text_fits(text: str, most: float) -> None:
    short = shortened(one_line(text), most, 9.0)
    assert width_of(short, 9.0) <= most or len(short) <= 3


def test_repr_says_what_it_is(asia: Picture) -> None:
    assert repr(asia).startswith("<Picture: network of 8 nodes, ")
