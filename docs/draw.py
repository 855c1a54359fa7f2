"""Draws the pictures of README and of the documentation again: ``python docs/draw.py`` (needs Chromium)."""

import shutil
import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright

from arcwise import arc_gains, learn, load_example, write_report

FOLDER = Path(__file__).parent / "_static"
SELECTED = "CATECHOL"


def main() -> None:
    """Learn Alarm, draw it, and take a picture of its report."""
    truth = load_example("alarm")
    data = truth.sample(5000, seed=1)
    result = learn(data, seed=1)
    result.plot(strengths=arc_gains(result.dag, data), reference=truth).save(FOLDER / "alarm.png")
    result.plot(reference=truth).save(FOLDER / "alarm.svg")
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as driver:
        report = Path(folder, "alarm.html")
        write_report(
            result,
            report,
            data=data,
            reference=truth,
            title="alarm, 5,000 rows",
            command="arcwise learn alarm --seed 1",
        )
        browser = driver.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": 1360, "height": 820})
        page.goto(report.as_uri())
        page.evaluate("arcwiseReport.ready")
        page.evaluate("name => arcwiseReport.select(name)", SELECTED)
        page.wait_for_timeout(800)  # until the view has moved
        page.screenshot(path=FOLDER / "report.png")
        browser.close()


if __name__ == "__main__":
    main()
