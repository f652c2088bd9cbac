"""A reader's way through the tab that compares: data, poles, many names, long formulas."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest

from tests.web.reader import Reader, until

MANY = "+".join(f"a{k}*x{k % 8}^{1 + k % 3}" for k in range(20)) + " + b*sin(x1*x2)"


def is_inked(page: Any, canvas: str, color: str, x: float) -> bool:
    """Whether a color of the scheme is seen near a place of the axis, in the middle of a canvas."""
    found = page.evaluate(
        """async ([id, name, x]) => {
             const { placeOnPicture } = await import("/static/compare/compare.js");
             const canvas = document.getElementById(id), ratio = window.devicePixelRatio;
             const hex = getComputedStyle(document.documentElement).getPropertyValue(name).trim();
             const want = [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16));
             const box = [ratio * placeOnPicture(id, x) - 5, 0.4 * canvas.height, 10, 0.15 * canvas.height];
             const data = canvas.getContext("2d").getImageData(...box.map(Math.round)).data;
             for (let at = 0; at < data.length; at += 4) {
               if (want.every((value, part) => Math.abs(data[at + part] - value) < 24)) return true;
             }
             return false;
           }""",
        [canvas, color, x],
    )
    return bool(found)


def test_a_data_file_sets_ranges_and_is_drawn(reader: Reader, tmp_path: Path) -> None:
    page = reader.enter("#e=A*exp(-g*t)&f=2*exp(-0.3*t)&range.A=1:3&range.g=0.1:0.5")
    empty = page.locator("#density-1").screenshot()
    path = tmp_path / "decay.csv"
    path.write_text("t,y\n" + "\n".join(f"{k / 10},{2 - k / 50}" for k in range(81)))
    before = reader.distance()
    page.set_input_files("#data-file", path)
    reader.wait_for_distance(before)
    assert page.input_value("#ranges-high-t") == "8"
    assert page.input_value("#data-target") == "y"
    assert "81 rows" in page.text_content("#data-told")
    assert page.locator("#density-1").screenshot() != empty
    assert "range.t=0%3A8" in page.url
    page.click("#data-away")
    assert page.is_hidden("#data-shown")
    broken = tmp_path / "broken.csv"
    broken.write_text("t,y\n1,two\n")
    page.set_input_files("#data-file", broken)
    until(page, "document.getElementById('data-told').className === 'problem'")
    assert "needs numbers, got 'two'" in page.text_content("#data-told")


@pytest.mark.parametrize(
    "broken", ["1/(x - 2)", "tan(x - 2 + pi/2)", "floor(x) - 1.5", "1/(x - 2)^3"]
)
def test_poles_and_jumps_are_no_vertical_lines(reader: Reader, broken: str) -> None:
    page = reader.enter("#" + urlencode({"e": broken, "f": "0*x", "range.x": "1.5:2.5", "at": 1.6}))
    assert not is_inked(page, "density-0", "--e", 2)
    steep = {"e": "tanh(1000*(x - 2))", "f": "0*x", "range.x": "1.5:2.5", "at": 1.6}
    before = reader.distance()
    page.goto(f"{reader.explorer.origin}/#{urlencode(steep)}")
    reader.wait_for_distance(before)
    assert is_inked(page, "density-0", "--e", 2)


def test_pictures_stay_in_view_with_many_names(reader: Reader, tmp_path: Path) -> None:
    fragment = urlencode({"e": MANY, "f": "x0*x1 + x2*x3 + x4*x5 + x6*x7"})
    page = reader.enter(f"#{fragment}")
    assert page.locator("#ranges .name").count() == 8 + 21
    page.evaluate("window.scrollTo(0, document.documentElement.scrollHeight)")
    for canvas in ("density-0", "profile"):
        box = page.locator(f"#{canvas}").bounding_box()
        assert box["y"] >= 0
        assert box["y"] + box["height"] <= 960
    page.screenshot(path=tmp_path / "many.png")
    before = reader.distance()
    page.fill("#ranges-high-all", "2")
    reader.wait_for_distance(before)
    assert page.input_value("#ranges-high-a7") == "2"
    assert page.input_value("#ranges-high-x7") == "5"
    page.set_viewport_size({"width": 390, "height": 844})
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    page.reload()  # on a phone many ranges are folded at first
    until(page, "document.getElementById('ranges-count').textContent.startsWith('of ')")
    tall = page.evaluate("document.documentElement.scrollHeight") / 844
    assert tall <= 3.7, tall
    page.click("#ranges-card summary")
    assert page.locator("#ranges-high-a7").is_visible()


def test_long_formulas_wrap(reader: Reader) -> None:
    page = reader.enter(f"#{urlencode({'e': MANY, 'f': 'x1'})}")
    sizes = page.evaluate(
        """["formula-0", "told-0"].map((id) => {
             const { clientWidth, scrollWidth, clientHeight } = document.getElementById(id);
             return [scrollWidth - clientWidth, clientHeight];
           })"""
    )
    assert [over for over, _ in sizes] == [0, 0]
    assert all(height > 60 for _, height in sizes)
    page.focus("#formula-1")
    page.keyboard.press("Enter")
    assert page.input_value("#formula-1") == "x1"
    overflow = page.evaluate(
        "(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)(document.querySelector('#told-0 .math'))"
    )
    assert overflow <= 0


def test_a_click_on_the_witness_in_a_picture_goes_there(reader: Reader) -> None:
    pytest.importorskip("flint")
    page = reader.enter("#e=x*y&f=x*abs(y)&range.x=1:2&range.y=-3:3&held.y=2")
    page.locator("#witness").wait_for()
    place = page.evaluate(
        """import('/static/compare/compare.js').then(({ current }) => current.view.witness)"""
    )
    assert place["y"] < 0
    page.evaluate("document.getElementById('profile').scrollIntoView()")
    at = page.evaluate(
        """import('/static/compare/compare.js').then((m) => m.placeOnPicture("profile", m.current.view.witness.x))"""
    )
    box = page.locator("#profile").bounding_box()
    page.mouse.click(box["x"] + at, box["y"] + box["height"] / 2)
    until(page, f"location.hash.includes('held.y={place['y']:g}')")


def test_outputs_too_large_for_short_floats_are_not_called_undefined(reader: Reader) -> None:
    page = reader.enter("#e=exp(exp(x))&f=exp(50*x)&range.x=1:6&at=3.5")
    until(page, "document.getElementById('readout').textContent.includes('e76')")
    assert "undefined" not in page.text_content("#readout")
    assert "∞" not in page.text_content("#readout")


def test_very_long_formulas_and_names_leave_room_for_the_ranges(reader: Reader) -> None:
    long = "+".join(f"sin({k}.123456*x)*exp(-x/{k + 1})" for k in range(40))
    page = reader.enter(
        "#" + urlencode({"e": long, "f": "a_parameter_with_a_very_long_name_of_its_own*x"})
    )
    until(
        page, "document.getElementById('judgment').textContent.includes('Too long for a verdict')"
    )
    field = page.locator("#ranges-low-a_parameter_with_a_very_long_name_of_its_own")
    assert field.bounding_box()["width"] > 45
    assert page.locator("#formula-0").bounding_box()["height"] < 200
    assert page.evaluate("document.documentElement.scrollHeight / innerHeight") < 2


def test_names_are_listed_as_people_count(reader: Reader) -> None:
    page = reader.enter("#" + urlencode({"e": "x10*a2 + x2*a10", "f": "x1"}))
    titles = "[...document.querySelectorAll('#ranges .name')].map((one) => one.title).join()"
    until(page, f"{titles} === 'x1,x2,x10,a2,a10'")


def test_the_pictures_fit_on_the_screen_however_much_is_said(reader: Reader) -> None:
    page = reader.enter("#e=ln(x-2)*a&f=sqrt(3-x)*b&range.x=-5:5")
    until(page, "document.querySelector('.evidence')")
    assert page.evaluate("results.scrollHeight <= results.clientHeight + 1")


def test_without_an_answer_there_is_nothing_to_download(reader: Reader) -> None:
    page = reader.enter("#e=x^2&f=x")
    page.fill("#formula-0", "sin(x")
    until(page, "document.getElementById('download-png').disabled")
    page.fill("#formula-0", "sin(x)")
    until(page, "!document.getElementById('download-png').disabled")


@pytest.mark.parametrize(
    "broken",
    [
        "points=1e9&draws=-5&p=9",
        "seed=1e99&clusters=99&page=-3",
        "points=abc&at=nan",
        "axis=zzz&tab=zz",
    ],
)
def test_a_link_with_numbers_that_cannot_be_shows_the_page_all_the_same(
    reader: Reader, broken: str
) -> None:
    page = reader.enter(f"#e=a*x&f=a*x^2&{broken}")
    assert page.is_hidden("#banner")
    assert page.text_content("#distance").strip()
