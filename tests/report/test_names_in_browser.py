"""Names from data in a real browser: whatever they are they show as text, and nothing of them runs."""

from itertools import pairwise
from pathlib import Path

from playwright.sync_api import Browser

from arcwise import ConditionalGaussian, load_example
from arcwise.graph.dag import Dag
from arcwise.network.network import BayesianNetwork
from browser import Reports, position, selected
from report_contents import HOSTILE, chain, content_of, with_numbers


def test_whatever_a_name_is_it_is_text(reports: Reports) -> None:
    network = chain(HOSTILE, HOSTILE[:2])
    words = [[text, text] for text in HOSTILE]
    pairs = [[k, k + 1, 0.5, 0.1] for k in range(len(HOSTILE) - 1)]
    page = reports.open(
        content_of(network, title=HOSTILE[0], warnings=HOSTILE, summary=words, settings=words, versions=words)
        | {"command": HOSTILE[1], "data": {"rows": words}, "strengths": {"replicas": None, "pairs": pairs}}
    )
    page.locator("#arcs summary").click()
    assert page.title() == HOSTILE[0]
    assert page.locator("h1").text_content() == HOSTILE[0]
    assert page.locator("#command").text_content() == HOSTILE[1]
    assert page.locator("#warnings li").all_text_contents() == HOSTILE
    for name in HOSTILE:
        page.evaluate("name => arcwiseReport.select(name)", name)
        assert selected(page) == name
        shown = page.locator("#node-name").text_content() or ""
        assert shown.strip()
        if name.isprintable() and name.strip():
            assert shown == name
        page.mouse.move(*position(page, name))
    page.locator("#search").fill("<script>")
    assert page.locator("#suggestions li").all_text_contents() == [HOSTILE[0]]
    # Nothing of it became an element: no image, and no script but the page's two.
    assert page.locator("img, iframe, object, embed, link, base").count() == 0
    assert page.locator("script").count() == 2


def test_names_of_continuous_nodes_are_text_too(reports: Reports) -> None:
    dag = Dag(HOSTILE, pairwise(HOSTILE))
    first, rest = ConditionalGaussian(1.0, [], 1.0), ConditionalGaussian(1.0, [2.0], 1.0)
    network = BayesianNetwork(dag, [()] * len(HOSTILE), [first, *[rest] * (len(HOSTILE) - 1)])
    sample = network.sample(20, seed=1)
    page = reports.open(with_numbers(content_of(network, sample), sample))
    for parent, name in pairwise(HOSTILE):
        page.evaluate("name => arcwiseReport.select(name)", name)
        shown, caption = (page.locator(place).text_content() or "" for place in ("#node-equation", "figcaption"))
        if parent.isprintable() and parent.strip():
            assert caption == parent
            assert f"·\u00a0{parent}" in shown
    assert page.locator("img, iframe, object, embed, link, base").count() == 0
    assert page.locator("script").count() == 2


def test_names_that_look_alike_are_told_apart(reports: Reports) -> None:
    names = ["a", "a\u00ad", "a\u061c", "\u3164", "a\U000e0001", "👩\u200d👧", "❤\ufe0f"]
    page = reports.open(content_of(chain(names, ["0", "1"])))
    page.locator("#arcs summary").click()
    shown = page.locator("#arcs td:nth-child(2) a").all_text_contents()
    assert shown == [r"a\u00ad", r"a\u061c", r"\u3164", r"a\ue0001", *names[5:]]


def test_accents_are_found_however_they_are_written(reports: Reports) -> None:
    page = reports.open(content_of(chain(["caf\u00e9", "Cafe\u0301 noir"], ["0", "1"])))
    for sought in ("CAF\u00c9", "cafe\u0301"):
        page.locator("#search").fill(sought)
        assert page.locator("#suggestions li").all_text_contents() == ["caf\u00e9", "Cafe\u0301 noir"]


def test_names_from_links_and_addresses(reports: Reports) -> None:
    page = reports.open(content_of(chain(HOSTILE, ["0", "1"])), hash="#node=%3Cscript%3Ealert(1)%3C%2Fscript%3E")
    assert selected(page) == HOSTILE[0]
    for damaged in ("#node=%", "#node=nobody", "#<img src=x onerror=alert(1)>"):
        page.evaluate("hash => { location.hash = hash }", damaged)
        assert selected(page) == HOSTILE[0]
    page.evaluate("location.hash = '#node=%25'")
    page.wait_for_function("arcwiseReport.selected === '%'")


def test_injected_scripts_and_loads_are_refused(browser: Browser, tmp_path: Path) -> None:
    reports = Reports(browser, tmp_path)
    page = reports.open(content_of(load_example("asia")))
    failures: list[str | None] = []
    page.on("requestfailed", lambda request: failures.append(request.failure))
    page.evaluate("""() => {
        const script = document.createElement("script");
        script.textContent = "window.injected = true";
        document.body.append(script);
        const image = document.createElement("img");
        image.src = "https://example.org/x.png";
        document.body.append(image);
    }""")
    assert page.evaluate("window.injected") is None
    assert sum("Content Security Policy" in misdeed for misdeed in reports.misdeeds) == len(reports.misdeeds) == 2
    assert failures == ["csp"]
    page.context.close()
