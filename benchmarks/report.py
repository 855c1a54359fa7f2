"""How large reports are, how soon they show a picture, how smoothly they move, and how fast they answer questions.

Run ``python -m benchmarks.report --data ../shared/data --screenshots pictures``; it needs Chromium. Without data the
largest network is a random one of the size of that of the ad dataset.
"""

import argparse
import json
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from typing import Literal

from playwright.sync_api import Browser, Page, sync_playwright
from rich.console import Console
from rich.table import Table

from arcwise import BayesianNetwork, LocalScore, Provenance, Result, Status, learn, load_example, read_network, read_run
from arcwise.network.cliques import junction_tree
from arcwise.report.questions import questions_of
from arcwise.report.write import write_report
from arcwise.runs.files import Run
from arcwise.simulation.random import random_network
from benchmarks.machine import machine
from experiments.debd import load

LOADS = 5
FRAMES = 60
ZOOMS = ("whole", "middle", "near")
ARGUMENTS = ("--no-sandbox", "--disable-gpu", "--disable-background-networking", "--no-first-run")
# Without these a frame takes as long as the screen's.
UNLIMITED = ("--disable-frame-rate-limit", "--disable-gpu-vsync")

PAN = """async (frames) => {
    const canvas = document.querySelector("canvas");
    const { left, top, width, height } = canvas.getBoundingClientRect();
    canvas.setPointerCapture = () => {};
    const send = (type, x) => canvas.dispatchEvent(new PointerEvent(type, {
        pointerId: 1, button: 0, bubbles: true, clientX: left + width / 2 + x, clientY: top + height / 2,
    }));
    send("pointerdown", 0);
    const start = performance.now();
    for (let k = 0; k < frames; k++) {
        send("pointermove", 120 * Math.sin(k / 5));
        await new Promise(requestAnimationFrame);
    }
    send("pointercancel", 0);
    return (performance.now() - start) / frames;
}"""
CLICKS = """(clicks) => {
    const buttons = document.querySelectorAll("#ask .askable button");
    const times = [];
    for (let k = 0; k < clicks; k++) {
        const start = performance.now();
        buttons[(7 * k) % buttons.length].click();
        document.body.offsetHeight;
        times.push(performance.now() - start);
    }
    return times.sort((one, other) => one - other)[clicks >> 1];
}"""
ZOOM = """(times) => {
    for (let k = 0; k < times; k++) document.querySelector("[aria-label='Zoom in']").click();
}"""


def networks(folder: Path | None, run: Path | None) -> Iterator[tuple[str, Run]]:
    """Yield runs on 5, 37 and 1,556 variables with their names."""
    for name in ("cancer", "alarm"):
        data = load_example(name).sample(5000, seed=1)
        yield name, Run.of(learn(data, seed=1, time_limit=2), data)
    if run is not None:
        yield run.stem, read_run(run)
    elif folder is not None:
        data = load(folder, "ad")
        yield "ad", Run.of(learn(data, seed=1, time_limit=60), data)
    else:
        network = random_network(1556, 1973, max_parents=4, seed=1)
        data = network.sample(1000, seed=1)
        score = LocalScore(data, "bic").total(network.dag)
        yield "random", Run.of(Result(network.dag, score, Status.COMPLETE, Provenance("given", 1), 0.0), data)


def first_picture(browser: Browser, address: str) -> float:
    """Milliseconds from the start of the navigation until the network is drawn, the median of some loads."""
    paints = []
    for _ in range(LOADS):
        page = opened(browser, address)
        paints.append(float(page.evaluate("arcwiseReport.firstPaint")))
        page.context.close()
    return median(paints)


def frame_times(browser: Browser, address: str) -> list[float]:
    """Milliseconds of a frame while the network is dragged: all of it in sight, and closer by and by."""
    page = opened(browser, address)
    times = []
    for _ in ZOOMS:
        times.append(float(page.evaluate(PAN, FRAMES)))
        page.evaluate(ZOOM, 3)
    page.context.close()
    return times


def published(folder: Path | None) -> Iterator[tuple[str, BayesianNetwork]]:
    """Yield the networks that questions are asked of: all of the data folder, or the examples."""
    if folder is None:
        for name in ("asia", "child", "insurance", "alarm"):
            yield name, load_example(name)
        return
    for file in sorted((folder / "bif").glob("*.bif.gz")):
        yield file.name.removesuffix(".bif.gz"), read_network(file)


def asked(browser: Browser, folder: Path, network: BayesianNetwork) -> list[str]:
    """Return what questions to a network take in a page: its junction tree, the file, and a click on a state."""
    tree = junction_tree(network.dag.parent_indices, network.arities)
    assert tree is not None
    found = questions_of(network)
    sizes = [f"{network.dag.n_nodes:,}", f"{tree.width}", f"{tree.cells:,}", f"{tree.steps:,}"]
    if found["refusal"]:
        return [*sizes, "refused", ""]
    rows = network.sample(100, seed=1)
    score = LocalScore(rows, "bic").total(network.dag)
    file = folder / "asked.html"
    write_report(Run.of(Result(network.dag, score, Status.COMPLETE, Provenance("given", 1), 0.0), rows), file)
    page = opened(browser, file.as_uri())
    middle = float(page.evaluate(CLICKS, 21))
    page.context.close()
    return [*sizes, f"{len(json.dumps(found)) / 1000:,.0f}", f"{middle:.1f}"]


def opened(browser: Browser, address: str, *, scheme: Literal["light", "dark"] = "light") -> Page:
    """Return the report at an address when it is built."""
    context = browser.new_context(viewport={"width": 1440, "height": 900}, color_scheme=scheme, reduced_motion="reduce")
    page = context.new_page()
    page.goto(address)
    page.evaluate("arcwiseReport.ready")
    return page


def photograph(browser: Browser, address: str, name: str, folder: Path) -> None:
    """Save the report as it opens, as a whole, in the dark, and with the most connected node selected."""
    folder.mkdir(parents=True, exist_ok=True)
    page = opened(browser, address)
    page.screenshot(path=folder / f"{name}.png")
    page.screenshot(path=folder / f"{name}-whole.png", full_page=True)
    page.locator(".panel a.node").first.click()
    page.screenshot(path=folder / f"{name}-selected.png")
    page.context.close()
    dark = opened(browser, address, scheme="dark")
    dark.screenshot(path=folder / f"{name}-dark.png")
    dark.context.close()


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, help="the data folder, to learn from the ad dataset")
    parser.add_argument("--run", type=Path, help="the file of a run to take for the largest network")
    parser.add_argument("--screenshots", type=Path, help="a folder for pictures of the reports")
    parser.add_argument("--chromium", default="/usr/bin/chromium")
    arguments = parser.parse_args()
    console = Console(width=140)
    console.print(machine())
    table = Table(title=f"Reports in Chromium without a graphics card; ms of a frame at the {', '.join(ZOOMS)} zoom")
    for column in ("network", "nodes", "arcs", "kB", "s to write", "ms to first picture", "ms of a frame"):
        table.add_column(column, justify="right")
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as driver:
        usual = driver.chromium.launch(executable_path=arguments.chromium, args=ARGUMENTS)
        unlimited = driver.chromium.launch(executable_path=arguments.chromium, args=[*ARGUMENTS, *UNLIMITED])
        for name, run in networks(arguments.data, arguments.run):
            file = Path(folder, f"{name}.html")
            start = time.perf_counter()
            write_report(run, file, title=name)
            seconds = time.perf_counter() - start
            sizes = [f"{run.result.dag.n_nodes:,}", f"{run.result.dag.n_arcs:,}", f"{file.stat().st_size / 1000:,.0f}"]
            frames = ", ".join(f"{ms:.1f}" for ms in frame_times(unlimited, file.as_uri()))
            table.add_row(name, *sizes, f"{seconds:.2f}", f"{first_picture(usual, file.as_uri()):.0f}", frames)
            if arguments.screenshots is not None:
                photograph(usual, file.as_uri(), name, arguments.screenshots)
        questions = Table(title="Questions to reports: junction trees, and ms of a click until the bars are laid out")
        for column in ("network", "nodes", "width", "cells", "steps", "kB", "ms of a click"):
            questions.add_column(column, justify="right")
        for name, network in published(arguments.data):
            questions.add_row(name, *asked(usual, Path(folder), network))
        usual.close()
        unlimited.close()
    console.print(table)
    console.print(questions)


if __name__ == "__main__":
    main()
