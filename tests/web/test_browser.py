"""A reader's way through the page, in headless Chromium (Debian's ``chromium`` package).

Skipped where there is no Chromium. Screenshots are left in pytest's temporary folder.
"""

from __future__ import annotations

import json
import re
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pytest

from tests.web.live import Explorer
from tests.web.reader import Reader, until


def shown(value: float) -> str:
    return f"{value:.5g}"


def color_at(page: Any, selector: str, x: float, y: float) -> list[int]:
    """The pixel of a canvas at a share of its width and height."""
    found = page.evaluate(
        """([selector, x, y]) => {
             const canvas = document.querySelector(selector);
             const at = [Math.round(x * (canvas.width - 1)), Math.round(y * (canvas.height - 1))];
             return Array.from(canvas.getContext("2d").getImageData(...at, 1, 1).data);
           }""",
        [selector, x, y],
    )
    return list(found)


def test_typed_formulas_are_read_drawn_and_measured(reader: Reader, tmp_path: Path) -> None:
    page = reader.enter()
    asked = {"formulas": ["a*x + b", "a*sin(x)"]}
    ranges = {"x": [1, 5], "a": [1, 2], "b": [0, 1]}
    first = reader.explorer.ask("compare", asked | {"ranges": ranges}).json()["result"]["distance"]
    before = reader.distance()
    assert before == shown(first)
    page.fill("#formula-1", "")
    page.locator("#formula-1").press_sequentially("a*x^2/(1 + b)", delay=5)
    page.locator("#told-1 mfrac").wait_for()
    assert page.text_content("#told-1 .meta") == "variable x · parameters a, b"
    after = reader.wait_for_distance(before)
    asked = {"formulas": ["a*x + b", "a*x^2/(1 + b)"], "ranges": ranges}
    assert after == shown(reader.explorer.ask("compare", asked).json()["result"]["distance"])
    assert len({tuple(color_at(page, "#density-0", 0.5, y / 20)) for y in range(20)}) > 3
    page.screenshot(path=tmp_path / "typed.png")
    assert "token" not in page.url


def test_x_is_dragged_and_moved_by_keys(reader: Reader) -> None:
    page = reader.enter()
    box = page.locator("#profile").bounding_box()
    at = lambda: float(page.get_attribute("#profile", "aria-valuenow"))  # noqa: E731
    cdf = page.locator("#cdf").screenshot()
    page.mouse.move(box["x"] + 0.5 * box["width"], box["y"] + 80)
    page.mouse.down()
    page.mouse.move(box["x"] + 0.9 * box["width"], box["y"] + 80, steps=6)
    dragged = at()
    page.mouse.move(box["x"] + 0.25 * box["width"], box["y"] + 80, steps=6)
    page.mouse.up()
    assert dragged > 4
    assert at() < 2.2
    assert page.locator("#cdf").screenshot() != cdf
    assert f"x = {shown(at())[:3]}" in page.text_content("#readout")
    page.mouse.move(box["x"] + 0.9 * box["width"], box["y"] + 80)
    left = at()
    page.locator("#density-1").focus()
    page.keyboard.press("ArrowRight")
    assert left < at() < left + 8 / 64
    page.keyboard.press("End")
    assert 5 - 4 / 64 < at() < 5
    until(page, f"location.hash.includes('at={at():.3g}')")


def test_an_error_is_shown_at_its_character_and_fixed(reader: Reader, tmp_path: Path) -> None:
    page = reader.enter()
    before = reader.distance()
    page.fill("#formula-0", "a*sn(x)")
    page.locator("#told-0 .error").wait_for()
    assert page.text_content("#told-0 .error") == "unknown function 'sn'; did you mean 'sin'?"
    assert page.text_content("#told-0 pre") == "a*sn(x)\n  ^"
    assert page.get_attribute("#formula-0", "aria-invalid") == "true"
    assert "wait for E" in page.text_content("#verdict")
    page.screenshot(path=tmp_path / "error.png")
    page.click("#told-0 pre")
    assert page.evaluate("document.activeElement.selectionStart") == 2
    page.keyboard.press("ArrowRight")
    page.keyboard.type("i")
    page.locator("#told-0 math").wait_for()
    assert page.input_value("#formula-0") == "a*sin(x)"
    assert page.get_attribute("#formula-0", "aria-invalid") == "false"
    assert reader.wait_for_distance(before) == "0"


def test_ranges_sliders_and_roles_change_the_answer(reader: Reader) -> None:
    page = reader.enter()
    before = reader.distance()
    page.fill("#ranges-high-x", "9")
    before = reader.wait_for_distance(before)
    page.fill("#ranges-high-x", "0")
    page.locator("#range-problem").wait_for()
    assert "needs low < high" in page.text_content("#range-problem")
    assert page.get_attribute("#ranges-low-x", "aria-invalid") == "true"
    page.fill("#ranges-high-x", "5")
    page.locator("#range-problem").wait_for(state="hidden")
    before = reader.distance()
    page.focus("#p")
    page.keyboard.press("ArrowRight")
    reader.wait_for_distance(before)
    for name, key in (("points", "ArrowLeft"), ("draws", "End")):
        page.focus(f"#{name}")
        page.keyboard.press(key)
    until(page, "document.getElementById('timing').textContent.startsWith('32 points × 256')")
    assert [page.text_content(f"#{n}-told") for n in ("p", "points", "draws")] == ["2", "32", "256"]
    page.click("#ranges .role >> nth=1")
    until(page, "document.querySelector('#told-0 .meta').textContent.includes('variables a, x')")


def test_a_permalink_brings_back_the_same_view(reader: Reader) -> None:
    page = reader.enter()
    page.fill("#formula-0", "a*x*y + exp(-b)")
    page.fill("#formula-1", "a*cos(x - y)")
    page.locator("#look").wait_for()
    page.click("#axis button >> text=y")
    until(page, "document.getElementById('profile').getAttribute('aria-label') === 'y to look at'")
    page.focus("#held input")
    page.keyboard.press("Home")
    until(page, "location.hash.includes('held.x=1')")
    page.locator("#density-0").focus()
    page.keyboard.press("Home")
    until(page, "location.hash.includes('at=')")
    again = reader.open_page()
    again.goto(page.url)
    until(again, "document.getElementById('distance').textContent.trim()")
    assert again.input_value("#formula-0") == "a*x*y + exp(-b)"
    assert reader.distance(again) == reader.distance()
    assert again.text_content("#readout") == page.text_content("#readout")
    assert again.text_content("#title-0").endswith(", x = 1")


GPLEARN = "add(mul(X0, X1), 0.125)\ndiv(X0, X1)\nadd(0.375, mul(X1, X0))\nfoo(X0)\n"


def test_another_tools_file_is_read_in_its_language(
    browser: Any, explorer: Explorer, tmp_path: Path
) -> None:
    reader = Reader(browser, explorer)
    page = reader.enter()
    page.click("#tab-collection")
    page.focus("#file")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")  # opens the field for pasted formulas
    page.locator("#pasted").wait_for()
    page.fill("#pasted", GPLEARN)
    page.click("#take")
    page.locator("#skipped li").first.wait_for(state="attached")
    assert page.text_content("#language").startswith("Read as gplearn, judging by words and names.")
    assert page.text_content("#skipped pre") == "foo(X0)\n^"
    assert page.text_content("#skipped .amount") == "line 4"
    until(page, "document.getElementById('listed').textContent.includes('3 behaviors')")
    page.focus("#constants")
    page.keyboard.press("ArrowDown")  # lift
    page.locator("#formulas .fold").wait_for()
    assert "x0*x1 + C" in page.text_content("#formulas")
    assert page.locator("#collection-ranges-low-C").is_visible()
    page.focus("#dialect")
    page.keyboard.type("symbed")  # div is the plain division there
    until(page, "document.getElementById('language').textContent.startsWith('Read as symbed')")
    assert "X0*X1 + C" in page.text_content("#formulas")
    assert "dialect=infix&constants=lift" in page.url
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        for width in (1280, 390):
            page.set_viewport_size({"width": width, "height": 844})
            page.screenshot(path=tmp_path / f"language-{scheme}-{width}.png", full_page=True)
            assert page.evaluate("document.documentElement.scrollWidth") <= width
    again = reader.open_page()
    again.goto(page.url)
    until(again, "document.getElementById('dialect').value === 'infix'")
    assert again.input_value("#constants") == "lift"
    assert reader.wrong == []
    reader.context.close()


def test_a_typed_formula_has_a_language_of_its_own(reader: Reader) -> None:
    page = reader.enter("#e=div(X0,+X1)&f=X_0&written_e=gplearn&written_f=nobody")
    page.locator("#told-0 .meta").wait_for()
    assert page.text_content("#told-0 .meta").startswith("as gplearn means it · variables x0, x1")
    assert page.input_value("#dialect-1") == "infix"  # what the page does not have is dropped
    before = reader.distance()
    page.select_option("#dialect-1", "srtoolkit")
    until(page, "document.querySelector('#told-1 .meta').textContent.includes('variable x0')")
    reader.wait_for_distance(before)
    page.select_option("#dialect-0", "infix")
    until(page, "!location.hash.includes('written_e')")


def test_what_strangers_wrote_stays_text(reader: Reader, tmp_path: Path) -> None:
    page = reader.enter()
    markup = "<img src=x onerror=alert(1)>"
    page.fill("#formula-0", markup)
    page.locator("#told-0 .error").wait_for()
    assert markup in page.text_content("#told-0 pre")
    page.click("#tab-collection")
    path = tmp_path / "formulas.txt"
    path.write_text(f"x\n2*x\n{markup}\n<script>alert(1)</script>\n")
    page.set_input_files("#file", path)
    page.locator("#skipped li >> nth=1").wait_for(state="attached")
    assert markup in page.text_content("#skipped")
    page.fill("#query", markup)
    page.locator("#query-told .error").wait_for()
    assert page.locator("main img, main script").count() == 0


def test_the_picture_and_the_data_can_be_downloaded(reader: Reader, tmp_path: Path) -> None:
    page = reader.enter()
    saved = {}
    for kind in ("png", "json", "csv"):
        with page.expect_download() as coming:
            page.click(f"#download-{kind}")
        saved[kind] = tmp_path / coming.value.suggested_filename
        coming.value.save_as(saved[kind])
    assert saved["png"].read_bytes().startswith(b"\x89PNG")
    document = json.loads(saved["json"].read_text())
    assert shown(document["distance"]) == reader.distance()
    assert document["question"]["formulas"] == ["a*x + b", "a*sin(x)"]
    rows = saved["csv"].read_text().splitlines()
    assert rows[0].startswith("x,distance,E defined")
    mean = sum(float(row.split(",")[1]) for row in rows[1:]) / len(rows[1:])
    assert shown(mean) == reader.distance()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_fits_the_screen_in_both_schemes(
    browser: Any, explorer: Explorer, tmp_path: Path, scheme: str
) -> None:
    reader = Reader(browser, explorer, color_scheme=scheme)
    page = reader.enter()
    for width in (1280, 390):
        page.set_viewport_size({"width": width, "height": 844})
        page.screenshot(path=tmp_path / f"{scheme}-{width}.png", full_page=True)
        assert page.evaluate("document.documentElement.scrollWidth") <= width
    ground = page.evaluate("getComputedStyle(document.body).backgroundColor")
    brightness = sum(map(int, re.findall(r"\d+", ground)[:3])) / 3
    assert brightness > 200 if scheme == "light" else brightness < 60
    page.click("#theme")  # the reader's choice wins
    page.click("#theme")
    assert page.get_attribute("html", "data-theme") == "dark"
    assert reader.wrong == []
    reader.context.close()


def test_the_keyboard_reaches_everything(reader: Reader) -> None:
    page = reader.enter()
    page.focus("#tab-compare")
    reached = []
    for _ in range(40):
        page.keyboard.press("Tab")
        reached.append(page.evaluate("document.activeElement.id"))
    wanted = {"copy-link", "theme", "dialect-0", "formula-0", "dialect-1", "formula-1", "ranges-low-x", "points", "draws", "p",
              "seed", "another", "download-png", "download-csv", "density-0", "density-1", "profile"}  # fmt: skip
    assert wanted <= set(reached)
    page.focus("#tab-compare")
    page.keyboard.press("ArrowRight")
    assert page.is_visible("#panel-reading")
    assert "How E was read" in page.text_content("#reading-0")


def test_an_old_token_is_told_in_words(browser: Any, explorer: Explorer) -> None:
    reader = Reader(browser, explorer)
    page = reader.enter()
    page.evaluate("localStorage.setItem('symbed-token', 'old')")
    page.fill("#formula-0", "2*x")
    page.locator("#banner").wait_for()
    assert "another run" in page.text_content("#banner")
    reader.context.close()


def test_a_rebound_name_is_not_served(browser: Any, explorer: Explorer) -> None:
    context = browser.new_context()
    page = context.new_page()
    port, token = explorer.address.port, explorer.keys.token
    answer = page.goto(f"http://evil.example:{port}/?token={token}")
    assert answer.status == 421
    told = page.evaluate(
        """async (token) => (await fetch("/api/compare", {
             method: "POST", body: '{"formulas": ["x", "x"]}',
             headers: {"content-type": "application/json", "x-symbed-token": token},
           })).status""",
        token,
    )
    assert told == 421
    context.close()


class _Attacker(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("content-type", "text/html")
        self.end_headers()
        self.wfile.write(b"<!doctype html><title>another site</title>")

    def log_message(self, *words: object) -> None:
        pass


def test_another_site_in_the_same_browser_learns_nothing(browser: Any, explorer: Explorer) -> None:
    """The reader has the explorer open, and a hostile page that even knows the token."""
    server = HTTPServer(("127.0.0.1", 0), _Attacker)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    reader = Reader(browser, explorer)
    reader.enter()
    page = reader.context.new_page()
    page.goto(f"http://127.0.0.1:{server.server_port}/")
    told = page.evaluate(
        """async ([root, token]) => {
             const headers = {"content-type": "application/json", "x-symbed-token": token};
             const body = '{"formulas": ["x", "2*x"]}';
             const ways = [
               fetch(root + "/api/compare", {method: "POST", headers, body, credentials: "include"}),
               fetch(root + "/api/compare", {method: "POST", body, mode: "no-cors", credentials: "include"}),
               fetch(root + "/?token=" + token, {credentials: "include"}),
               fetch(root + "/static/main.js", {credentials: "include"}),
               import(root + "/static/main.js"),
             ];
             const found = await Promise.allSettled(ways);
             return found.map(({status, value}) => status === "rejected" ? "blocked" : `${value.type} ${value.status}`);
           }""",
        [explorer.origin, explorer.keys.token],
    )
    assert (
        told == ["blocked", "opaque 0", "blocked", "blocked", "blocked"] or told == ["blocked"] * 5
    )
    reader.context.close()
    server.shutdown()
    server.server_close()


class TestVerdicts:
    """The verdict stands beside the distance; a click on its witness goes there."""

    def test_a_witness_is_a_point_in_the_pictures(self, reader: Reader, tmp_path: Path) -> None:
        pytest.importorskip("flint")
        page = reader.enter("#e=ln(x^2)&f=2*ln(x)&range.x=-5:5")
        page.locator("#witness").wait_for()
        assert "Different" in page.text_content("#judgment")
        page.click("#witness")
        assert "x = \N{MINUS SIGN}" in page.text_content("#readout")
        page.screenshot(path=tmp_path / "witness.png")

    def test_a_relation_and_redundant_parameters_are_told(self, reader: Reader) -> None:
        pytest.importorskip("flint")
        page = reader.enter("#e=a*b*x&f=a*x+%2B+c&range.x=1:5")
        until(page, "document.getElementById('judgment').textContent.includes('special case')")
        assert "act only together" in page.text_content("#redundant-0")
        assert page.text_content("#redundant-1") == ""
