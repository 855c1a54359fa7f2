"""Reports in a real browser: they draw, can be searched and clicked, complain of nothing and reach out for nothing."""

from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from playwright.sync_api import Page, expect

from arcwise import ConditionalGaussian, Table, load_example
from arcwise.graph.dag import Dag
from arcwise.network.network import BayesianNetwork
from arcwise.simulation.random import random_network
from browser import FAINT_TEXTS, Reports, overflow, position, selected
from report_contents import content_of, with_numbers

ALARM = load_example("alarm")


def colours_on_canvas(page: Page) -> int:
    """How many different colours the picture of the network has."""
    return int(
        page.evaluate("""() => {
            const canvas = document.querySelector("canvas");
            const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
            return new Set(new Uint32Array(data.buffer)).size;
        }""")
    )


def names_in(page: Page, table: str) -> set[str]:
    return set(page.locator(f"#{table} a.node").all_text_contents())


def markov_blanket(dag: Dag, node: str) -> set[str]:
    """Parents, children, and the children's other parents."""
    blanket = {*dag.parents(node), *dag.children(node)}
    for child in dag.children(node):
        blanket |= set(dag.parents(child))
    return blanket - {node}


def strengths_of(network: BayesianNetwork) -> dict[str, Any]:
    place = {name: i for i, name in enumerate(network.names)}
    pairs: list[list[float]] = [[place[a], place[b], 0.6, 0.3] for a, b in network.dag.arcs]
    pairs += [
        [i, j, 0.05, 0.02] for i in range(37) for j in range(i) if not {(i, j), (j, i)} & {(p[0], p[1]) for p in pairs}
    ]
    return {"replicas": 100, "pairs": pairs}


def test_everything_is_there(reports: Reports) -> None:
    data = ALARM.sample(1000, seed=1)
    content = content_of(ALARM, data, strengths=strengths_of(ALARM), warnings=["HISTORY is nearly constant"])
    page = reports.open(content | {"title": "Alarm & co"})
    assert page.title() == "Alarm & co"
    assert colours_on_canvas(page) > 20
    for section in ("warnings", "summary", "network", "score", "strengths", "data", "reproduce"):
        expect(page.locator(f"#{section}")).to_be_visible()
    expect(page.locator("#warnings")).to_contain_text("HISTORY is nearly constant")
    expect(page.locator("#score svg path.steps")).to_be_attached()
    expect(page.locator("#score svg path.bound")).to_be_attached()
    assert page.evaluate("arcwiseReport.firstPaint") > 0
    page.locator("#arcs summary").click()
    expect(page.locator("#arcs tbody tr")).to_have_count(ALARM.dag.n_arcs)


def test_sections_without_content_are_left_out(reports: Reports) -> None:
    empty: dict[str, Any] = {
        "trace": [],
        "bounds": [],
        "bound": None,
        "data": None,
        "settings": [],
        "versions": [],
        "command": None,
    }
    page = reports.open(content_of(load_example("asia"), **empty))
    for section in ("warnings", "score", "strengths", "reference", "data", "reproduce"):
        expect(page.locator(f"#{section}")).to_be_hidden()
    assert page.locator("nav a").all_text_contents() == ["Network"]


def test_a_graph_without_arcs_and_without_anything_known_of_its_nodes(reports: Reports) -> None:
    names = ["alone"]
    content = content_of(BayesianNetwork(Dag(names), [["0", "1"]], [[0.5, 0.5]]))
    content["nodes"] |= {"states": None, "counts": None, "tables": None}
    page = reports.open(content)
    page.mouse.click(*position(page, "alone"))
    assert selected(page) == "alone"


def test_a_continuous_node_has_numbers_instead_of_states(reports: Reports) -> None:
    content = content_of(BayesianNetwork(Dag(["alone"]), [["0", "1"]], [[0.5, 0.5]]))
    content["nodes"] |= {"states": [[]], "counts": [[]], "tables": None, "numbers": ["mean 23, from 20 to 26"]}
    page = reports.open(content)
    page.mouse.click(*position(page, "alone"))
    expect(page.locator("#node-numbers")).to_have_text("mean 23, from 20 to 26")
    expect(page.locator("#node-states")).to_have_count(0)
    expect(page.locator("#node-panel, aside").first).to_contain_text("continuous · 0 parents")


CLINIC = BayesianNetwork(
    Dag(
        ["sex", "dose", "weight", "pressure", "noise"],
        [("sex", "weight"), ("dose", "weight"), ("dose", "pressure"), ("weight", "pressure")],
    ),
    [["f", "m"], (), (), (), ()],
    [
        Table([0.5, 0.5]),
        ConditionalGaussian(12.5, [], 2.0),
        ConditionalGaussian([60.25, 72.0], [[-5.064], [0.0]], [3.0, 1e-7]),
        ConditionalGaussian(-1013.2537, [0.000012, -2.0], 0.0123),
        ConditionalGaussian(0.0, [], 12345678.0),
    ],
)


def test_a_continuous_node_is_an_equation(reports: Reports) -> None:
    page = reports.open(content_of(CLINIC), hash="#node=pressure")
    shown = page.locator("#node-equation")
    expect(shown).to_have_text("pressure = −1,013.254 + 0.000012 · dose − 2.00 · weight ± 0.0123")
    page.evaluate("arcwiseReport.select('dose')")
    expect(shown).to_have_text("dose = 12.5 ± 2.00")
    page.evaluate("arcwiseReport.select('noise')")
    expect(shown).to_have_text("noise = 0 ± 12300000")
    page.evaluate("arcwiseReport.select('sex')")
    expect(shown).to_have_count(0)
    expect(page.locator("#node-table td")).to_have_count(2)


def test_a_continuous_node_has_a_row_for_each_configuration_of_its_discrete_parents(reports: Reports) -> None:
    page = reports.open(content_of(CLINIC), hash="#node=weight")
    expect(page.locator("#node-equation")).to_have_count(0)
    assert page.locator("#node-table thead th").all_text_contents() == ["sex", "intercept", "· dose", "±"]
    assert page.locator("#node-table tbody th").all_text_contents() == ["f", "m"]
    cells = page.locator("#node-table td")
    assert cells.all_text_contents() == ["60.3", "−5.06", "3.00", "72.00000000", "0", "1e-7"]
    exact = cells.evaluate_all("cells => cells.map(cell => Number(cell.title))")
    assert exact == [60.25, -5.064, 3.0, 72.0, 0.0, 1e-7]
    page.get_by_role("button", name="Enlarge").click()
    expect(page.locator("dialog td")).to_have_count(6)


def test_numbers_are_drawn(reports: Reports) -> None:
    sample = CLINIC.sample(200, seed=1)
    content = with_numbers(content_of(CLINIC, sample), sample)
    page = reports.open(content, hash="#node=pressure")
    bars = page.locator("#node-histogram rect")
    counts = np.histogram(sample.numbers_of("pressure"), bins=8)[0]
    told = [text.split()[0] for text in page.locator("#node-histogram rect title").all_text_contents()]
    assert list(map(int, told)) == counts.tolist()
    heights = bars.evaluate_all("bars => bars.map(bar => Number(bar.getAttribute('height')))")
    assert heights == pytest.approx(heights[int(counts.argmax())] * counts / counts.max())
    assert page.locator("#node-scatters figcaption").all_text_contents() == ["dose", "weight"]
    expect(page.locator(".panel")).to_contain_text("pressure upwards; 200 of 2,000 rows of the data")
    dots = page.locator("#node-scatters figure").nth(1).locator("circle")
    across, up = np.array(
        dots.evaluate_all("dots => dots.map(dot => [dot.getAttribute('cx'), dot.getAttribute('cy')].map(Number))")
    ).T
    # Pressure falls with weight, and upwards is less in a picture.
    assert np.corrcoef(across, sample.numbers_of("weight"))[0, 1] == pytest.approx(1, abs=1e-3)
    assert np.corrcoef(up, sample.numbers_of("pressure"))[0, 1] == pytest.approx(-1, abs=1e-3)
    for node, drawn in (("weight", 1), ("dose", 0), ("sex", 0)):
        page.evaluate("name => arcwiseReport.select(name)", node)
        expect(page.locator("#node-scatters figure")).to_have_count(drawn)
        expect(page.locator("#node-histogram")).to_have_count(int(node != "sex"))


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_continuous_nodes_can_be_read_on_a_telephone(reports: Reports, scheme: str) -> None:
    long = {name: name * 40 for name in CLINIC.names}
    dag = Dag(list(long.values()), [(long[parent], long[child]) for parent, child in CLINIC.dag.arcs])
    network = BayesianNetwork(dag, CLINIC.states, CLINIC.distributions)
    sample = network.sample(50, seed=1)
    content = with_numbers(content_of(network, sample), sample)
    page = reports.open(content, viewport={"width": 360, "height": 740}, color_scheme=scheme)
    for name in dag.names:
        page.evaluate("name => arcwiseReport.select(name)", name)
        assert overflow(page) <= 0
        assert page.evaluate(FAINT_TEXTS) == []


@pytest.mark.parametrize("node", ["CATECHOL", "VENTLUNG", "HR", "LVFAILURE"])
def test_a_node_is_found_clicked_and_described(reports: Reports, node: str) -> None:
    data = ALARM.sample(1000, seed=1)
    page = reports.open(content_of(ALARM, data))
    page.keyboard.press("/")
    page.keyboard.type(node.lower()[1:])  # any part of the name will do
    page.locator("#suggestions li", has_text=node).first.click()
    assert selected(page) == node
    page.keyboard.press("Escape")
    assert selected(page) is None
    page.mouse.click(*position(page, node))
    assert selected(page) == node

    dag = ALARM.dag
    expect(page.locator("#node-name")).to_have_text(node)
    assert names_in(page, "node-parents") == set(dag.parents(node))
    assert names_in(page, "node-children") == set(dag.children(node))
    family = set(dag.parents(node)) | set(dag.children(node))
    assert names_in(page, "node-spouses") == markov_blanket(dag, node) - family

    index = dag.names.index(node)
    shown = page.locator("#node-table td").evaluate_all("cells => cells.map(cell => Number(cell.title))")
    assert shown == pytest.approx(ALARM.tables[index].ravel().tolist())
    counts = np.bincount(data.codes[:, index], minlength=len(ALARM.states[index]))
    assert page.locator("#node-states .count").all_text_contents()[::2] == [f"{count:,}" for count in counts]


def test_rows_of_a_table_name_the_states_of_the_parents(reports: Reports) -> None:
    page = reports.open(content_of(ALARM), hash="#node=CATECHOL")
    index = ALARM.names.index("CATECHOL")
    parents = ALARM.dag.parent_indices[index]
    heads = page.locator("#node-table thead th").all_text_contents()
    assert heads == [ALARM.names[parent] for parent in parents] + list(ALARM.states[index])
    rows = page.locator("#node-table tbody tr")
    for row, configuration in enumerate(np.ndindex(*ALARM.tables[index].shape[:-1])):
        states = [ALARM.states[parent][state] for parent, state in zip(parents, configuration, strict=True)]
        if row % 20 == 7:
            assert rows.nth(row).locator("th").all_text_contents() == states
            cells = [f"{p:.3f}" for p in ALARM.tables[index][configuration]]
            assert rows.nth(row).locator("td").all_text_contents() == cells


def test_long_tables_say_what_they_leave_out(reports: Reports) -> None:
    names = [*(f"p{k}" for k in range(9)), "child"]
    dag = Dag(names, [(parent, "child") for parent in names[:-1]])
    tables: list[npt.ArrayLike] = [*([0.5, 0.5],) * 9, np.full((2,) * 10, 0.5)]
    page = reports.open(content_of(BayesianNetwork(dag, [["no", "yes"]] * 10, tables)), hash="#node=child")
    expect(page.locator(".panel")).to_contain_text("first 200 of 512 rows")
    assert page.locator("#node-table tbody tr").count() == 200


def test_links_in_the_panel_lead_on(reports: Reports) -> None:
    page = reports.open(content_of(ALARM), hash="#node=CATECHOL")
    page.locator("#node-children a").first.click()
    assert selected(page) == "HR"
    assert page.url.endswith("#node=HR")
    expect(page.locator("#announcer")).to_contain_text("Selected HR")
    page.locator(".panel .close").click()
    assert selected(page) is None
    assert "#" not in page.url


def test_keys_choose_among_suggestions_and_neighbours(reports: Reports) -> None:
    names = ["alpha one", "alpha two", "beta", "prefix-alpha"]
    tables: list[npt.ArrayLike] = [[0.5, 0.5], [0.5, 0.5], [[0.5, 0.5], [0.5, 0.5]], [0.5, 0.5]]
    network = BayesianNetwork(Dag(names, [("alpha one", "beta")]), [["0", "1"]] * 4, tables)
    page = reports.open(content_of(network))
    page.keyboard.press("/")
    page.keyboard.type("ALPHA")
    assert page.locator("#suggestions [role=option]").all_text_contents() == ["alpha one", "alpha two", "prefix-alpha"]
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    assert selected(page) == "alpha two"
    page.locator("canvas").focus()
    page.keyboard.press("Shift+ArrowLeft")
    assert selected(page) == "alpha one"
    page.keyboard.press("Shift+ArrowDown")
    assert selected(page) == "beta"
    page.keyboard.press("Escape")
    assert selected(page) is None
    page.keyboard.press("/")
    page.keyboard.type("gamma")
    expect(page.locator("#suggestions")).to_contain_text("No node")


def test_the_wheel_zooms_unless_the_page_is_being_scrolled(reports: Reports) -> None:
    page = reports.open(content_of(load_example("asia")))
    page.wait_for_timeout(400)
    turn = """scrolling => {
        if (scrolling) window.dispatchEvent(new Event("scroll"));
        const wheel = new WheelEvent("wheel", { deltaY: -200, cancelable: true });
        document.querySelector("canvas").dispatchEvent(wheel);
        return wheel.defaultPrevented;
    }"""
    assert page.evaluate(turn, False)
    assert not page.evaluate(turn, True)


def test_wheel_buttons_keys_and_drags_move_the_network(reports: Reports) -> None:
    page = reports.open(content_of(ALARM))
    frame = page.locator("canvas").bounding_box()
    assert frame is not None
    x, y = round(frame["x"] + frame["width"] / 2), round(frame["y"] + frame["height"] / 2)

    def span() -> float:
        (left, top), (right, bottom) = position(page, "HISTORY"), position(page, "VENTLUNG")
        return float(np.hypot(right - left, bottom - top))

    page.mouse.move(x, y)
    fitted, before = span(), position(page, "HR")
    page.mouse.wheel(0, -200)
    page.wait_for_function("before => arcwiseReport.positionOf('HR').x !== before", arg=before[0])
    zoomed, after = span(), position(page, "HR")
    assert zoomed > 1.2 * fitted
    # What was under the pointer stays there: everything else moves away from it by one factor.
    assert (after[0] - x) / (before[0] - x) == pytest.approx(zoomed / fitted)
    assert (after[1] - y) / (before[1] - y) == pytest.approx(zoomed / fitted)

    page.mouse.down()
    page.mouse.move(x + 50, y + 30, steps=5)
    page.mouse.up()
    dragged = position(page, "HR")
    assert dragged[0] - after[0] == pytest.approx(50, abs=5)
    assert dragged[1] - after[1] == pytest.approx(30, abs=5)
    assert selected(page) is None

    page.get_by_role("button", name="Zoom out").click()
    assert span() < zoomed
    page.locator("canvas").focus()
    here = position(page, "HR")
    page.keyboard.press("ArrowRight")
    assert position(page, "HR")[0] < here[0]
    page.keyboard.press("f")
    assert span() == pytest.approx(fitted)


def test_the_command_is_shown_and_copied_as_it_is(reports: Reports) -> None:
    command = """arcwise learn 'my "data".csv' --required 'a -> b' && echo "$HOME" \\\n  --seed 1 """
    page = reports.open(
        content_of(load_example("asia"), command=command), permissions=["clipboard-read", "clipboard-write"]
    )
    assert page.locator("#command").text_content() == command
    page.get_by_role("button", name="Copy").click()
    expect(page.get_by_role("button", name="Copied")).to_be_visible()
    assert page.evaluate("navigator.clipboard.readText()") == command


def test_the_command_is_selected_where_the_clipboard_is_closed(reports: Reports) -> None:
    page = reports.open(content_of(load_example("asia"), command="arcwise learn asia"))
    page.evaluate(
        "() => { navigator.clipboard.writeText = () => Promise.reject(); document.execCommand = () => false; }"
    )
    page.get_by_role("button", name="Copy").click()
    expect(page.get_by_role("button", name="Selected")).to_be_visible()
    assert page.evaluate("getSelection().toString()").strip() == "arcwise learn asia"


def test_differences_to_a_reference(reports: Reports) -> None:
    asia = load_example("asia")
    status = ["same"] * asia.dag.n_arcs
    status[0], status[1] = "reversed", "extra"
    reference = {"rows": [["missing", "1"]], "status": status, "missing": [[0, asia.names.index("dysp")]]}
    page = reports.open(content_of(asia, reference=reference), hash="#node=dysp")
    legend = page.locator(".legend")
    for text in (
        f"as in the reference ({asia.dag.n_arcs - 2})",
        "reversed (1)",
        "not in the reference (1)",
        "missing (1)",
    ):
        expect(legend).to_contain_text(text)
    assert names_in(page, "node-missing") == {asia.names[0]}
    expect(page.locator("#reference")).to_be_visible()


def test_strengths_sort_filter_and_unfold(reports: Reports) -> None:
    strengths = strengths_of(ALARM)
    page = reports.open(content_of(ALARM, strengths=strengths))
    rows = page.locator("#strengths tbody tr")
    assert rows.count() == 200
    assert page.locator("#strengths svg rect").count() >= 2
    page.get_by_role("button", name="Show more").click()
    assert rows.count() == len(strengths["pairs"])
    assert page.locator("#strengths tr.absent").count() == len(strengths["pairs"]) - ALARM.dag.n_arcs
    page.get_by_role("button", name="Either way").click()
    expect(rows.first).to_contain_text("7.0 %")
    page.get_by_role("button", name="Either way").click()
    expect(rows.first).to_contain_text("90.0 %")
    page.locator("#strengths input").fill("catechol")
    assert rows.count() == 36


@pytest.mark.parametrize("width", [360, 768])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_no_page_is_wider_than_its_window(reports: Reports, width: int, scheme: str) -> None:
    content = content_of(ALARM, ALARM.sample(100, seed=1), strengths=strengths_of(ALARM), warnings=["w" * 500])
    content |= {"title": "t" * 300, "command": "c" * 500, "settings": [["s" * 100, "v" * 500]]}
    page = reports.open(content, viewport={"width": width, "height": 740}, color_scheme=scheme, hash="#node=CATECHOL")
    page.locator("#arcs summary").click()
    assert overflow(page) <= 0
    style = "getComputedStyle(document.body)"
    paper, ink = page.evaluate(f"[{style}.backgroundColor, {style}.color]")
    brightness = [sum(map(int, colour[4:-1].split(","))) for colour in (paper, ink)]
    assert (brightness[0] > brightness[1]) == (scheme == "light")
    assert colours_on_canvas(page) > 20


def test_prints(reports: Reports, tmp_path: Path) -> None:
    page = reports.open(content_of(ALARM), color_scheme="dark")
    page.pdf(path=tmp_path / "report.pdf")
    assert (tmp_path / "report.pdf").read_bytes().startswith(b"%PDF")
    page.emulate_media(media="print")
    expect(page.locator("nav")).to_be_hidden()
    expect(page.locator("canvas")).to_be_visible()
    assert not page.evaluate("document.documentElement.classList.contains('printing')")


@pytest.mark.parametrize(("n_nodes", "n_arcs"), [(1500, 2000), (10_000, 15_000)])
def test_thousands_of_nodes(reports: Reports, n_nodes: int, n_arcs: int) -> None:
    network = random_network(n_nodes, n_arcs, max_parents=4, seed=1)
    page = reports.open(content_of(network))
    assert colours_on_canvas(page) > 20
    page.keyboard.press("/")
    page.keyboard.type(network.names[1234])
    page.keyboard.press("Enter")
    assert selected(page) == network.names[1234]
    x, y = position(page, network.names[1234])
    page.keyboard.press("Escape")
    page.mouse.click(x, y)
    assert selected(page) == network.names[1234]
    assert names_in(page, "node-parents") == set(network.dag.parents(network.names[1234]))


@pytest.mark.parametrize("score", [-1e8, -12_345.678, -5.0])
def test_scores_that_differ_by_rounding_only_are_drawn(reports: Reports, score: float) -> None:
    above = float(np.nextafter(score, 0.0))
    trace = [[0.1, score - 100], [0.2, float(np.nextafter(score, -np.inf))], [0.3, score]]
    page = reports.open(content_of(load_example("asia"), trace=trace, bounds=[], bound=above, score=score))
    page.get_by_label("close-up of the end").check()
    ticks = page.locator("#score svg text[text-anchor=end]").all_text_contents()[:-1]
    assert 2 <= len(ticks) == len(set(ticks)) < 20


def test_a_score_found_at_the_very_end_is_marked(reports: Reports) -> None:
    page = reports.open(content_of(load_example("asia"), trace=[[2.5, -7.0]], bounds=[[2.5, -7.0]], bound=-7.0))
    expect(page.locator("#score p")).to_have_text(
        "Best score -7.000 by 1 improvement in 2.5 s; the bound is 0.000 above it."
    )
    box = page.locator("#score svg > circle.point").bounding_box()
    assert box is not None
    assert box["width"] >= 8


def test_no_improvements_are_told_where_none_are_known(reports: Reports) -> None:
    page = reports.open(content_of(load_example("asia"), trace=[], bounds=[], bound=-7.0, score=-7.0, seconds=0.0))
    expect(page.locator("#score p")).to_have_text("Best score -7.000 in 0 s; the bound is 0.000 above it.")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_all_texts_have_contrast(reports: Reports, scheme: str) -> None:
    status = ["same", "reversed", "extra"] * ALARM.dag.n_arcs
    reference = {"rows": [["missing", "1"]], "status": status[: ALARM.dag.n_arcs], "missing": [[0, 5]]}
    content = content_of(ALARM, ALARM.sample(100, seed=1), strengths=strengths_of(ALARM), reference=reference)
    page = reports.open(content | {"warnings": ["careful"]}, color_scheme=scheme)
    page.locator("#arcs summary").click()
    seen = set()
    for node in ("VENTLUNG", "CATECHOL", ALARM.names[0]):
        page.evaluate("name => arcwiseReport.select(name)", node)
        seen |= set(page.locator(".badge").all_text_contents())
        assert page.evaluate(FAINT_TEXTS) == []
    assert seen == {"reversed", "not in the reference", "missing child"}
