"""Draws the pictures of README and of the documentation again: ``python docs/draw.py [--large RUN]`` (needs Chromium).

RUN is the file of a run on many variables, such as ``arcwise learn ad.csv --run RUN`` writes.
"""

import argparse
import shutil
import tempfile
from pathlib import Path

from PIL import Image
from playwright.sync_api import Browser, sync_playwright

from arcwise import Run, arc_gains, learn, load_example, read_run, write_report

FOLDER = Path(__file__).parent / "_static"


def main() -> None:
    """Learn Alarm, draw it, and take pictures of reports."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--large", type=Path, metavar="RUN", help="also draw report-large.png, of this run")
    large = parser.parse_args().large
    truth = load_example("alarm")
    data = truth.sample(5000, seed=1)
    result = learn(data, seed=1)
    result.plot(strengths=arc_gains(result.dag, data), reference=truth).save(FOLDER / "alarm.png")
    result.plot(reference=truth).save(FOLDER / "alarm.svg")
    run = Run.of(result, data, command="arcwise learn alarm --seed 1 --report alarm.html")
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        report = Path(folder, "report.html")
        write_report(run, report, reference=truth, title="alarm, 5,000 rows")
        photograph(browser, report, FOLDER / "report.png", selected="CATECHOL")
        photograph_questions(browser, report, FOLDER / "report-asked.png")
        if large is not None:
            write_report(read_run(large), report, title=large.stem)
            photograph(browser, report, FOLDER / "report-large.png")
        browser.close()
    for picture in FOLDER.glob("*.png"):
        with Image.open(picture) as image:  # a third of the size, and nobody sees it
            image.convert("RGB").quantize(96, dither=Image.Dither.NONE).save(picture, optimize=True)


def photograph(browser: Browser, report: Path, picture: Path, selected: str | None = None) -> None:
    """Open a report and write what is seen first, with a node selected or not."""
    page = browser.new_page(viewport={"width": 1360, "height": 820})
    page.goto(report.as_uri())
    page.evaluate("arcwiseReport.ready")
    if selected is not None:
        page.evaluate("name => arcwiseReport.select(name)", selected)
        page.wait_for_timeout(800)  # until the view has moved
    page.screenshot(path=picture)
    page.close()


def photograph_questions(browser: Browser, report: Path, picture: Path) -> None:
    """Open a report, take two states as observed, and write the section of what follows from them."""
    page = browser.new_page(viewport={"width": 1360, "height": 820}, reduced_motion="reduce")
    page.goto(report.as_uri())
    page.evaluate("arcwiseReport.ready")
    for node, state in (("BP", "LOW"), ("CVP", "HIGH")):
        page.get_by_role("group", name=f"States of {node}", exact=True).get_by_role("button", name=state).click()
    page.get_by_label("Which nodes are shown").select_option("moved")
    page.mouse.move(0, 0)
    page.locator("#ask-nodes").evaluate("nodes => { nodes.style.maxHeight = '26rem' }")
    page.locator("#ask").screenshot(path=picture)
    page.close()


if __name__ == "__main__":
    main()
