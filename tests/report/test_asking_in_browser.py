"""Questions to a report in a real browser: its answers are those of enumeration, of hand computation and of pyAgrum."""

import math
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from playwright.sync_api import Locator, Page, expect

from arcwise import ConditionalGaussian, load_example
from arcwise.graph.dag import Dag
from arcwise.interop import to_pyagrum
from arcwise.network.network import BayesianNetwork
from arcwise.report.questions import questions_of
from arcwise.simulation.gaussian import random_gaussian_network
from arcwise.simulation.random import random_network
from browser import FAINT_TEXTS, Reports, overflow, selected
from report_contents import HOSTILE, chain, content_of

ASIA = load_example("asia")
Floats = npt.NDArray[np.float64]


def opened(reports: Reports, network: BayesianNetwork, **options: Any) -> Page:
    return reports.open(content_of(network, questions=questions_of(network)), **options)


def answer(page: Page, evidence: dict[str, int]) -> tuple[list[list[float] | None], float] | None:
    """What the page finds: the posterior of each node, and the logarithm of the probability of the evidence."""
    found = page.evaluate(
        """evidence => {
            const found = arcwiseReport.answer(evidence);
            return found && [found.posteriors.map(one => one && [...one]), found.logProbability];
        }""",
        list(map(list, evidence.items())),
    )
    return None if found is None else (found[0], found[1])


def enumerated(network: BayesianNetwork, evidence: dict[str, int]) -> tuple[list[Floats], float]:
    """The same by definition: the joint probability of all states of all nodes, and sums over it."""
    joint: Floats = np.ones(network.arities)
    for node, (parents, table) in enumerate(zip(network.dag.parent_indices, network.tables, strict=True)):
        family = [*parents, node]
        order = np.argsort(family)
        shape = [network.arities[v] if v in family else 1 for v in range(network.dag.n_nodes)]
        joint = joint * table.transpose(order).reshape(shape)
    for name, state in evidence.items():
        axis = network.names.index(name)
        joint = joint * (np.arange(network.arities[axis]) == state).reshape(
            [-1 if v == axis else 1 for v in range(joint.ndim)]
        )
    total = joint.sum()
    sums = [joint.sum(axis=tuple(u for u in range(joint.ndim) if u != v)) for v in range(joint.ndim)]
    return [one / total if total else one for one in sums], float(total)


@pytest.mark.parametrize("seed", range(6))
def test_answers_are_those_of_enumeration(reports: Reports, seed: int) -> None:
    # Graphs of several parts and of one, with nodes of a single state among the others, and skewed tables.
    network = random_network(8, 4 + 3 * seed, arities=range(1, 5), alpha=0.3, max_parents=4, seed=seed)
    page = opened(reports, network)
    rng = np.random.default_rng(seed)
    for n_known in (0, 1, 2, 4, 8):
        nodes = rng.choice(8, n_known, replace=False)
        evidence = {network.names[node]: int(rng.integers(network.arities[node])) for node in nodes}
        posteriors, probability = enumerated(network, evidence)
        found = answer(page, evidence)
        assert found is not None
        for one, other in zip(found[0], posteriors, strict=True):
            assert one == pytest.approx(other.tolist(), abs=1e-12)
        assert math.exp(found[1]) == pytest.approx(probability, rel=1e-9)


def test_answers_on_alarm_are_those_of_pyagrum(reports: Reports) -> None:
    pyagrum = pytest.importorskip("pyagrum")
    published = load_example("alarm")
    # Its tables sum to 1 up to their rounding only, about which pyAgrum does nothing.
    rows = [table / table.sum(axis=-1, keepdims=True) for table in published.tables]
    network = BayesianNetwork(published.dag, published.states, rows)
    page = opened(reports, network)
    inference = pyagrum.LazyPropagation(to_pyagrum(network))
    rng = np.random.default_rng(1)
    cases = network.sample(8, seed=1).codes
    for n_known, row in zip((0, 1, 2, 5, 10, 15, 25, 36), cases, strict=True):
        evidence = {network.names[node]: int(row[node]) for node in rng.choice(37, n_known, replace=False)}
        inference.setEvidence(evidence)
        inference.makeInference()
        found = answer(page, evidence)
        assert found is not None
        for name, one in zip(network.names, found[0], strict=True):
            assert one == pytest.approx(inference.posterior(name).tolist(), abs=1e-12)
        if evidence:
            assert math.exp(found[1]) == pytest.approx(inference.evidenceProbability(), rel=1e-9)


def test_impossible_evidence_is_told_from_improbable(reports: Reports) -> None:
    page = opened(reports, ASIA)
    # Who has lung cancer has tuberculosis or lung cancer.
    for evidence, possible in (({"lung": 0, "either": 1}, False), ({"lung": 0, "either": 0}, True)):
        assert (enumerated(ASIA, evidence)[1] > 0) == possible
        assert (answer(page, evidence) is not None) == possible


def test_hundreds_of_findings_that_contradict_each_other_do_not_vanish(reports: Reports) -> None:
    # Half of 600 findings are a thousand times as probable with one cause, half with the other: together they have a
    # probability of 10^-900, and say nothing.
    n = 600
    names = ["cause", *(f"finding {k}" for k in range(n))]
    dag = Dag(names, [("cause", name) for name in names[1:]])
    one, other = [[0.999, 0.001], [1e-6, 1 - 1e-6]], [[1e-6, 1 - 1e-6], [0.999, 0.001]]
    tables: list[npt.ArrayLike] = [[0.3, 0.7], *([one, other] * (n // 2))]
    page = opened(reports, BayesianNetwork(dag, [["a", "b"]] * (n + 1), tables))
    evidence = dict.fromkeys(names[1:], 0)
    found = answer(page, evidence)
    assert found is not None
    assert found[0][0] == pytest.approx([0.3, 0.7], rel=1e-9)
    assert found[1] == pytest.approx(n / 2 * math.log(0.999 * 1e-6), rel=1e-12)
    # All findings are for one cause, but it is known to be the other, which is possible all the same.
    evidence = {name: k % 2 for k, name in enumerate(names[1:])} | {"cause": 1}
    found = answer(page, evidence)
    assert found is not None
    assert found[0][0] == [0.0, 1.0]
    assert found[1] == pytest.approx(math.log(0.7) + n / 2 * (math.log(1e-6) + math.log(0.001)), rel=1e-9)


def bars_of(page: Page, node: str) -> Locator:
    return page.locator("#ask").get_by_role("group", name=f"States of {node}", exact=True).get_by_role("button")


def widths(bars: Locator) -> list[float]:
    return list(bars.evaluate_all("bars => bars.map(bar => parseFloat(bar.querySelector('i').style.width) / 100)"))


def marks(bars: Locator) -> list[float]:
    return list(bars.evaluate_all("bars => bars.map(bar => parseFloat(bar.querySelector('b').style.left) / 100)"))


def pressed(page: Page) -> list[str]:
    return page.locator("#ask .askable [aria-pressed=true] .state").all_text_contents()


def test_a_click_is_evidence_and_all_bars_follow(reports: Reports) -> None:
    page = opened(reports, ASIA)
    prior, _ = enumerated(ASIA, {})
    posteriors, probability = enumerated(ASIA, {"smoke": 0, "xray": 0})
    expect(page.locator("#ask .summary")).to_have_text("No evidence yet.")
    for node, name in enumerate(ASIA.names):
        assert widths(bars_of(page, name)) == pytest.approx(prior[node].tolist(), abs=1e-4)
    bars_of(page, "smoke").nth(0).click()
    bars_of(page, "xray").nth(0).click()
    for node, name in enumerate(ASIA.names):
        bars = bars_of(page, name)
        assert widths(bars) == pytest.approx(posteriors[node].tolist(), abs=1e-4)
        assert marks(bars) == pytest.approx(prior[node].tolist(), abs=1e-4)
        numbers = bars.locator(".number").all_text_contents()
        assert numbers == [f"{100 * share:.1f} %" for share in posteriors[node]]
    assert pressed(page) == ["yes", "yes"]
    assert page.locator("#ask .finding").all_text_contents() == ["smoke = yes ×", "xray = yes ×"]
    told = f"Probability of this evidence: {100 * probability:.2f} %, 1 in {1 / probability:.0f}"
    expect(page.locator("#ask .summary")).to_have_text(told)
    expect(page.locator("#announcer")).to_have_text(f"Evidence on 2 nodes. {told}")

    # Another state of the same node replaces the first, and a second click takes it back.
    bars_of(page, "smoke").nth(1).click()
    assert page.locator("#ask .finding").all_text_contents() == ["smoke = no ×", "xray = yes ×"]
    bars_of(page, "smoke").nth(1).click()
    assert page.locator("#ask .finding").all_text_contents() == ["xray = yes ×"]
    one, _ = enumerated(ASIA, {"xray": 0})
    assert widths(bars_of(page, "lung")) == pytest.approx(one[ASIA.names.index("lung")].tolist(), abs=1e-4)
    page.locator("#ask").get_by_role("button", name="Clear all").click()
    assert pressed(page) == []
    for node, name in enumerate(ASIA.names):
        assert widths(bars_of(page, name)) == pytest.approx(prior[node].tolist(), abs=1e-4)


def test_impossible_evidence_says_so_and_can_be_taken_back(reports: Reports) -> None:
    page = opened(reports, ASIA)
    bars_of(page, "lung").nth(0).click()
    bars_of(page, "either").nth(1).click()
    expect(page.locator("#ask .summary")).to_contain_text("This evidence is impossible")
    assert set(bars_of(page, "smoke").locator(".number").all_text_contents()) == {"–"}
    page.locator("#ask").get_by_role("button", name="Take away either = no").click()
    expect(page.locator("#ask .summary")).to_contain_text("Probability of this evidence")
    posteriors, _ = enumerated(ASIA, {"lung": 0})
    assert widths(bars_of(page, "smoke")) == pytest.approx(posteriors[ASIA.names.index("smoke")].tolist(), abs=1e-4)


def test_keys_do_what_clicks_do(reports: Reports) -> None:
    page = opened(reports, ASIA)
    page.get_by_label("Filter the nodes").focus()
    for _ in range(2):
        page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.id") == "ask-nodes"
    page.keyboard.press("Tab")  # the name of the first node
    page.keyboard.press("Tab")  # its first state
    page.keyboard.press("Space")
    assert page.locator("#ask .finding").all_text_contents() == [f"{ASIA.names[0]} = {ASIA.states[0][0]} ×"]
    page.keyboard.press("Enter")
    assert page.locator("#ask .finding").count() == 0
    # Where the evidence is taken back from its own list, the focus stays there.
    page.keyboard.press("Enter")
    bars_of(page, ASIA.names[3]).nth(0).focus()
    page.keyboard.press("Enter")
    page.locator("#ask .finding").first.focus()
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.getAttribute('aria-label')").startswith("Take away")


def test_the_panel_asks_too(reports: Reports) -> None:
    page = opened(reports, ASIA, hash="#node=smoke")
    page.locator("#node-ask .askable button").nth(0).click()
    assert pressed(page) == ["yes"]
    expect(page.locator(".legend")).to_contain_text("evidence")
    page.evaluate("arcwiseReport.select('lung')")
    posteriors, _ = enumerated(ASIA, {"smoke": 0})
    bars = page.locator("#node-ask .askable button")
    assert widths(bars) == pytest.approx(posteriors[ASIA.names.index("lung")].tolist(), abs=1e-4)
    bars_of(page, "dysp").nth(0).click()
    posteriors, _ = enumerated(ASIA, {"smoke": 0, "dysp": 0})
    assert widths(bars) == pytest.approx(posteriors[ASIA.names.index("lung")].tolist(), abs=1e-4)
    page.keyboard.press("Escape")
    assert selected(page) is None
    page.locator(".panel").get_by_role("button", name="Clear all").click()
    assert pressed(page) == []
    expect(page.locator(".legend")).not_to_contain_text("moves")


def shown(page: Page) -> list[str]:
    return page.locator("#ask .card-of-node a").all_text_contents()


def test_nodes_are_filtered_sorted_and_kept_near(reports: Reports) -> None:
    page = opened(reports, ASIA)
    assert shown(page) == list(ASIA.names)
    bars_of(page, "bronc").nth(1).click()
    page.get_by_label("Which nodes are shown").select_option("moved")
    prior, _ = enumerated(ASIA, {})
    posteriors, _ = enumerated(ASIA, {"bronc": 1})
    moved = {name: np.abs(posteriors[v] - prior[v]).sum() / 2 for v, name in enumerate(ASIA.names)}
    del moved["bronc"]
    far = [name for name in sorted(moved, key=lambda name: -moved[name]) if moved[name] > 1e-9]
    assert shown(page)[: 1 + len(far)] == ["bronc", *far]
    # Cards move, and the focus with them.
    bars_of(page, "asia").nth(0).click()
    assert shown(page)[:2] == ["asia", "bronc"] or shown(page)[:2] == ["bronc", "asia"]
    assert page.evaluate("document.activeElement.closest('.askable').ariaLabel") == "States of asia"

    page.get_by_label("Which nodes are shown").select_option("near")
    expect(page.locator("#ask")).to_contain_text("select a node in the network")
    page.evaluate("arcwiseReport.select('lung')")
    assert shown(page)[0] == "lung"
    assert set(shown(page)) == {"lung", "smoke", "either", "tub"}
    page.get_by_label("Which nodes are shown").select_option("all")
    page.get_by_label("Filter the nodes").fill("S")
    assert set(shown(page)) == {name for name in ASIA.names if "s" in name}
    page.locator("#ask .card-of-node a").first.click()
    assert selected(page) == shown(page)[0]


def test_hundreds_of_nodes_are_unfolded(reports: Reports) -> None:
    n = 300
    network = chain([f"v{k}" for k in range(n)], ["no", "yes"])
    page = opened(reports, network)
    assert len(shown(page)) == 60
    expect(page.locator("#ask")).to_contain_text("first 60 of 300 nodes")
    bars_of(page, "v0").nth(0).click()
    page.locator("#ask").get_by_role("button", name="Show more").click()
    assert len(shown(page)) == n
    # The chance of "yes" of the next node is 0.75 after "no" and 0.5 after "yes": from 0 towards 0.6 by -1/4 each time.
    for node in (1, 2, 3, 299):
        yes = 0.6 * (1 - (-0.25) ** node)
        assert widths(bars_of(page, f"v{node}")) == pytest.approx([1 - yes, yes], abs=1e-4)


def test_a_page_that_cannot_answer_says_why(reports: Reports) -> None:
    page = reports.open(content_of(ASIA, questions={"refusal": "This network is too dense. <b>"}))
    expect(page.locator("#ask-refusal")).to_have_text("This network is too dense. <b>")
    expect(page.locator("#ask input")).to_have_count(0)
    page.evaluate("arcwiseReport.select('lung')")
    expect(page.locator("#node-ask")).to_have_count(0)


def conditioned(network: BayesianNetwork, evidence: dict[str, float]) -> tuple[Floats, Floats, float]:
    """Means, deviations and Mahalanobis distance by the formulas of a normal distribution and its inverse matrices."""
    n = network.dag.n_nodes
    slopes, intercepts, noise = np.zeros((n, n)), np.zeros(n), np.zeros(n)
    for node, (parents, found) in enumerate(zip(network.dag.parent_indices, network.distributions, strict=True)):
        assert isinstance(found, ConditionalGaussian)
        slopes[node, list(parents)] = found.coefficients
        intercepts[node], noise[node] = found.intercepts, found.deviations**2
    spread = np.linalg.inv(np.eye(n) - slopes)
    means, covariances = spread @ intercepts, spread @ np.diag(noise) @ spread.T
    known = [network.names.index(name) for name in evidence]
    off = np.array(list(evidence.values())) - means[known]
    inverse = np.linalg.inv(covariances[np.ix_(known, known)])
    gain = covariances[:, known] @ inverse
    left = np.diag(covariances - gain @ covariances[known, :]).copy()
    left[known] = 0.0
    return means + gain @ off, np.sqrt(left), float(np.sqrt(off @ inverse @ off))


@pytest.mark.parametrize("seed", range(3))
def test_numbers_follow_from_numbers(reports: Reports, seed: int) -> None:
    network = random_gaussian_network(12, 20, seed=seed)
    page = opened(reports, network)
    rows, rng = network.sample(1, seed=seed), np.random.default_rng(seed)
    for n_known in (0, 1, 3, 6, 11):
        nodes = rng.choice(12, n_known, replace=False)
        evidence = {network.names[node]: float(rows.numbers_of(network.names[node])[0]) for node in nodes}
        means, deviations, distance = conditioned(network, evidence)
        found = page.evaluate("evidence => arcwiseReport.answer(evidence)", list(map(list, evidence.items())))
        assert [one["mean"] for one in found["posteriors"]] == pytest.approx(means.tolist(), rel=1e-9, abs=1e-9)
        assert [one["deviation"] for one in found["posteriors"]] == pytest.approx(deviations.tolist(), rel=1e-6)
        assert found["distance"] == pytest.approx(distance, rel=1e-9)


# Weight in kg rises by 0.8 with each cm: means of 170 and 70, deviations of 10 and 10, of which 8 come from height.
BODY = BayesianNetwork(
    Dag(["weight", "height"], [("height", "weight")]),
    [[], []],
    [ConditionalGaussian(-66.0, [0.8], 6.0), ConditionalGaussian(170.0, [], 10.0)],
)


def test_a_number_that_is_typed_is_evidence(reports: Reports) -> None:
    page = opened(reports, BODY)
    cards = page.locator("#ask .askable")
    texts = cards.locator(".number")
    assert texts.all_text_contents() == ["70.0 ± 10", "170 ± 10"]
    field = page.locator("#ask").get_by_label("Observed number of weight")
    field.fill("82.5")
    field.press("Enter")
    # The regression of height on weight: 170 + 0.8 * 12.5, with sqrt(1 - 0.8^2) * 10 left.
    assert texts.all_text_contents() == ["observed", "180.0 ± 6.0"]
    assert page.locator("#ask .finding span").all_text_contents() == ["weight = 82.5"]
    expect(page.locator("#ask .summary")).to_contain_text("1.3 standard deviations from what is expected")
    left, width = cards.nth(1).locator("i").evaluate("bar => [bar.style.left, bar.style.width].map(parseFloat)")
    assert [left, left + width] == pytest.approx([100 * (0.5 + (10 - s * 11.76) / 80) for s in (1, -1)], abs=0.02)
    page.evaluate("arcwiseReport.select('height')")
    expect(page.locator("#node-ask .number")).to_have_text("180.0 ± 6.0")
    for wrong in ("tall", "1,5", "1e999"):
        field.fill(wrong)
        field.press("Enter")
        expect(field).to_have_attribute("aria-invalid", "true")
        assert page.locator("#ask .finding span").all_text_contents() == ["weight = 82.5"]
    field.fill("")
    field.press("Enter")
    assert texts.all_text_contents() == ["70.0 ± 10", "170 ± 10"]
    assert page.locator("#ask .finding").count() == 0
    for scheme in ("light", "dark"):
        page = opened(reports, BODY, color_scheme=scheme, viewport={"width": 360, "height": 740}, hash="#node=height")
        page.locator("#node-ask input").fill("\u2212180")
        page.locator("#node-ask input").press("Enter")
        assert page.locator("#ask .finding span").all_text_contents() == ["height = -180"]
        assert page.evaluate(FAINT_TEXTS) == []
        assert overflow(page) <= 0


def test_discrete_nodes_are_asked_beside_continuous_ones(reports: Reports) -> None:
    dag = Dag(["height", "sex", "smoker"], [("sex", "height"), ("sex", "smoker")])
    height = ConditionalGaussian([164.0, 178.0], [], [6.5, 7.0])
    network = BayesianNetwork(dag, [[], ["f", "m"], ["no", "yes"]], [height, [0.5, 0.5], [[0.9, 0.1], [0.7, 0.3]]])
    page = opened(reports, network)
    expect(page.locator("#ask")).to_contain_text("Continuous variables are left out here: 1 of 3")
    assert shown(page) == ["sex", "smoker"]
    bars_of(page, "smoker").nth(1).click()
    assert widths(bars_of(page, "sex")) == pytest.approx([0.25, 0.75], abs=1e-4)
    page.evaluate("arcwiseReport.select('height')")
    expect(page.locator("#node-ask")).to_have_count(0)


def test_names_in_questions_are_text(reports: Reports) -> None:
    page = opened(reports, chain(HOSTILE, HOSTILE[:2]))
    for node in range(len(HOSTILE)):
        page.locator("#ask .askable").nth(node).get_by_role("button").nth(node % 2).click()
    page.evaluate("arcwiseReport.select('__proto__')")
    assert page.locator("#ask .finding").count() == len(HOSTILE)
    assert page.locator("#ask .finding span").first.text_content() == f"{HOSTILE[0]} = {HOSTILE[0]}"
    assert page.locator("img, iframe, object, embed, link, base").count() == 0
    assert page.locator("script").count() == 2
    assert overflow(page) <= 0


@pytest.mark.parametrize("width", [360, 1280])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_questions_can_be_read_everywhere(reports: Reports, width: int, scheme: str) -> None:
    names = ["a" * 200, "b " * 100, "c", "d"]
    network = chain(names, ["s" * 100, "t"])
    page = opened(reports, network, viewport={"width": width, "height": 740}, color_scheme=scheme, hash="#node=c")
    for node in (0, 2):
        page.locator("#ask .askable").nth(node).get_by_role("button").nth(0).click()
        assert overflow(page) <= 0
        assert page.evaluate(FAINT_TEXTS) == []


def test_impossible_evidence_can_be_read(reports: Reports) -> None:
    for scheme in ("light", "dark"):
        page = opened(reports, ASIA, color_scheme=scheme)
        bars_of(page, "lung").nth(0).click()
        bars_of(page, "either").nth(1).click()
        assert page.evaluate(FAINT_TEXTS) == []


def test_paper_has_questions_only_where_some_were_asked(reports: Reports, tmp_path: Path) -> None:
    page = opened(reports, ASIA)
    page.emulate_media(media="print")
    expect(page.locator("#ask")).to_be_hidden()
    page.emulate_media(media="screen")
    bars_of(page, "lung").nth(0).click()
    page.emulate_media(media="print")
    expect(page.locator("#ask")).to_be_visible()
    page.pdf(path=tmp_path / "asked.pdf")
    assert (tmp_path / "asked.pdf").read_bytes().startswith(b"%PDF")


def test_evidence_is_marked_in_the_picture(reports: Reports) -> None:
    page = opened(reports, ASIA)
    picture = "document.querySelector('canvas').toDataURL()"
    before = page.evaluate(picture)
    bars_of(page, "lung").nth(0).click()
    page.evaluate("new Promise(requestAnimationFrame)")
    marked = page.evaluate(picture)
    assert marked != before
    bars_of(page, "lung").nth(0).click()
    page.evaluate("new Promise(requestAnimationFrame)")
    assert page.evaluate(picture) == before
