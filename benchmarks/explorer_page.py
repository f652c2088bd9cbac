"""Measure the explorer's page with large collections in Chromium: first picture, frames, height.

Run with ``python -m benchmarks.explorer_page``; it needs Playwright and Debian's ``chromium``,
which draws in software here. A server of its own runs in another process. Three things are
measured: the time from handing a file to the page until the frame that shows its map; the frames
of the browser while a wheel zooms in and out, with the time that our own drawing takes of each;
and how many screens tall the page is.
"""

from __future__ import annotations

import argparse
import json
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
from itertools import pairwise
from pathlib import Path
from typing import Any

from benchmarks.common import Goal, Report, Row, argument_parser, finish

SIZES = (1_000, 5_000, 100_000)
SCREENS = {"desktop": (1280, 960), "phone": (390, 844)}
OPERATORS = ("+", "-", "*", "/", "sin", "cos", "sqrt", "log", "exp")
WATCH = """
async () => {
  const { on } = await import("/static/collection/model.js");
  const watched = window.watched = { opened: 0, drawn: 0, grouped: 0 };
  const opened = () => { watched.opened = performance.now(); };
  document.getElementById("file").addEventListener("change", opened, true);
  const note = (name) => () => { watched[name] ||= performance.now(); };
  const shown = (name) => () => requestAnimationFrame(() => requestAnimationFrame(note(name)));
  on("formulas", shown("drawn"));
  on("equals", shown("grouped"));
}
"""
COUNT_FRAMES = """
() => {
  const frames = window.frames_ = [];
  const next = (time) => { frames.push(time); requestAnimationFrame(next); };
  requestAnimationFrame(next);
}
"""
DRAW = """
async (count) => {
  const { camera, drawNow, fit } = await import("/static/collection/map_view.js");
  const { width, height } = document.getElementById("map").getBoundingClientRect();
  const times = [];
  for (let k = 0; k < count; k++) {
    camera.zoomBy(k % 40 < 20 ? 1.12 : 1 / 1.12, width / 2, height / 2, { width, height });
    times.push(drawNow());
  }
  fit();
  return times;
}
"""


def main() -> int:
    """Measure, print, and tell by the exit code whether the goals were met."""
    arguments = _arguments()
    sizes = SIZES[:2] if arguments.quick else SIZES
    command = [sys.executable, "-m", "symbed", "explore", "--no-browser", "--port", "0", "--json"]
    with tempfile.TemporaryDirectory() as folder, _driver() as driver:
        server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        try:
            assert server.stdout is not None
            link = json.loads(server.stdout.readline())["url"]
            browser = driver.chromium.launch(
                executable_path=shutil.which("chromium"), args=["--no-sandbox", "--disable-gpu"]
            )
            reports = []
            for size in sizes:
                path = Path(folder) / f"{size}.csv"
                path.write_text(run_of(size))
                reports.append(_measure(browser, link, path, size, arguments))
            browser.close()
        finally:
            server.terminate()
            server.wait(10)
    return finish(reports, arguments.json)


def _measure(
    browser: Any, link: str, path: Path, size: int, arguments: argparse.Namespace
) -> Report:
    report = Report(f"{size:,} formulas of a random run, {path.stat().st_size / 1e6:.1f} MB")
    for screen, (width, height) in SCREENS.items():
        context = browser.new_context(viewport={"width": width, "height": height})
        context.set_default_timeout(300_000)
        page = context.new_page()
        page.goto(f"{link}#tab=collection")
        page.evaluate(WATCH)
        page.set_input_files("#file", path)
        times = _wait_for(page)
        tall = page.evaluate("document.documentElement.scrollHeight / window.innerHeight")
        report.goals.append(Goal(f"screens tall, {screen}", tall, 3.0, at_least=False))
        if screen == "desktop":
            first = (times["drawn"] - times["opened"]) / 1e3
            report.rows.append(Row("file to first picture", first))
            report.rows.append(
                Row("file to groups and front", (times["grouped"] - times["opened"]) / 1e3)
            )
            if size == 5_000:
                report.goals.append(
                    Goal("seconds to the first picture", first, 2.0, at_least=False)
                )
            _zoom(page, report, arguments)
        context.close()
    return report


def _wait_for(page: Any) -> dict[str, float]:
    while True:
        times: dict[str, float] = page.evaluate("window.watched")
        if times["grouped"]:
            return times
        page.wait_for_timeout(100)


def _zoom(page: Any, report: Report, arguments: argparse.Namespace) -> None:
    """Frames of the browser while the wheel turns, and what our drawing takes of them."""
    drawing = sorted(page.evaluate(DRAW, arguments.frames))
    late = drawing[int(0.95 * len(drawing))]
    report.rows.append(Row("drawing one frame, median", statistics.median(drawing) / 1e3))
    report.rows.append(Row("drawing one frame, 95 of 100", late / 1e3))
    box = page.locator("#map").bounding_box()
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.evaluate(COUNT_FRAMES)
    for step in range(arguments.frames):
        page.mouse.wheel(0, -24 if step % 40 < 20 else 24)
    frames = page.evaluate("window.frames_")
    rate = 1e3 * (len(frames) - 1) / (frames[-1] - frames[0])
    longest = max(b - a for a, b in pairwise(frames))
    report.facts.append(f"{len(frames)} frames while zooming, the longest {longest:.0f} ms")
    report.goals.append(Goal("frames a second while zooming", rate, 30.0))
    report.goals.append(
        Goal("milliseconds of drawing, 95 of 100 frames", late, 1e3 / 30, at_least=False)
    )


def run_of(size: int) -> str:
    """The table of a run that found so many formulas, the same for everybody."""
    numbers = random.Random(size)
    rows = ["complexity,loss,equation"]
    for _ in range(size):
        text = _formula(numbers, 4)
        loss = numbers.lognormvariate(0, 2) * 30 / len(text)
        rows.append(f"{max(1, len(text) // 3)},{loss:.5g},{text}")
    return "\n".join(rows)


def _formula(numbers: random.Random, depth: int) -> str:
    if depth == 0 or numbers.random() < 0.15:
        return numbers.choice(["x0", "x1", f"{numbers.uniform(-3, 3):.3f}"])
    operator = numbers.choice(OPERATORS)
    if len(operator) > 1:
        return f"{operator}({_formula(numbers, depth - 1)})"
    return f"({_formula(numbers, depth - 1)} {operator} {_formula(numbers, depth - 1)})"


def _driver() -> Any:
    from playwright.sync_api import sync_playwright

    return sync_playwright()


def _arguments() -> argparse.Namespace:
    parser = argument_parser(__doc__, "without 100,000 formulas")
    parser.add_argument("--frames", type=int, default=200, help="steps of the wheel")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
