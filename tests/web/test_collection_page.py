"""A reader's way through the tab of collections: map, front and list, in headless Chromium."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.web.live import Explorer
from tests.web.reader import Reader, until

HALL_OF_FAME = Path(__file__).parents[2] / "examples" / "hall_of_fame.csv"
MAP = "import('/static/collection/map_view.js')"
MODEL = "import('/static/collection/model.js')"


def many(count: int) -> str:
    """A table of formulas, some of them equal, with a loss for each."""
    rows = [
        f"{3 + k % 20},{1 / (1 + k % 97):.4f},{1 + k % 7}*x0^{k % 3} + {k // 5 / 100}*sin({k % 11}*x1)"
        for k in range(count)
    ]
    return "complexity,loss,equation\n" + "\n".join(rows)


def open_file(page: Any, path: Path) -> None:
    """Open a file in the tab, and wait until everything about it is there."""
    page.click("#tab-collection")
    page.set_input_files("#file", path)
    until(page, "document.getElementById('listed').textContent.includes('behaviors')")


def drawn(page: Any, canvas: str) -> int:
    """How many colors a canvas shows."""
    return int(
        page.evaluate(
            """(id) => {
                 const canvas = document.getElementById(id), { width, height } = canvas;
                 const data = canvas.getContext("2d").getImageData(0, 0, width, height).data;
                 return new Set(new Uint32Array(data.buffer)).size;
               }""",
            canvas,
        )
    )


def chosen(page: Any) -> int | None:
    found = page.evaluate(f"{MODEL}.then(({{ model }}) => model.chosen)")
    return None if found is None else int(found)


def test_a_hall_of_fame_is_opened_grouped_and_searched(reader: Reader, tmp_path: Path) -> None:
    page = reader.enter()
    page.click("#tab-collection")
    page.screenshot(path=tmp_path / "empty.png")
    open_file(page, HALL_OF_FAME)
    told = page.text_content("#map-title")
    assert told.startswith(f"hall_of_fame.csv: {len(HALL_OF_FAME.read_text().splitlines()) - 1} ")
    page.select_option("#scope", "equals")
    page.locator("#formulas .fold").first.wait_for()
    for fold in page.locator("#formulas .fold").all():
        fold.click()
        if "cos(x1) + cos(x1)" in page.text_content("#formulas"):
            break
    texts = page.text_content("#formulas")
    assert "cos(x1) + cos(x1)" in texts
    assert "cos(x1) * 2.0" in texts
    page.select_option("#scope", "all")
    page.fill("#query", "x0^2 - x0 + 2*cos(x1)")
    until(page, "document.getElementById('sort').value === 'distance'")
    assert "cos(x1)" in page.text_content("#formulas li >> nth=0")
    assert page.input_value("#color") == "distance"
    page.locator("#map").focus()
    page.keyboard.press("ArrowRight")
    page.locator("#chosen >> text=Use as F").click()
    assert page.is_visible("#panel-compare")
    assert page.input_value("#formula-1") in HALL_OF_FAME.read_text()
    page.click("#tab-collection")
    page.screenshot(path=tmp_path / "collection.png", full_page=True)


def test_map_front_and_list_share_one_choice(reader: Reader, tmp_path: Path) -> None:
    page = reader.enter()
    path = tmp_path / "run.csv"
    path.write_text(many(1000))
    open_file(page, path)
    assert drawn(page, "map") > 10
    page.focus("#front")
    page.keyboard.press("End")
    best = chosen(page)
    assert best is not None
    assert page.get_attribute(f"#formulas [data-place='{best}']", "aria-current") == "true"
    page.locator("#chosen math").wait_for()
    page.click("#page-after")
    page.click("#formulas li >> nth=3 >> button.link")
    assert chosen(page) != best
    assert page.locator("#formulas .chosen-row").count() == 1
    before = chosen(page)
    page.focus("#map")
    page.keyboard.press("ArrowRight")
    assert chosen(page) != before
    assert page.locator("#formulas .chosen-row").count() == 1
    assert f"chosen={chosen(page)}" in page.url


def test_the_map_is_zoomed_moved_and_pointed_at(reader: Reader, tmp_path: Path) -> None:
    page = reader.enter()
    path = tmp_path / "run.csv"
    path.write_text(many(5000))
    open_file(page, path)
    box = page.locator("#map").bounding_box()
    whole = page.locator("#map").screenshot()
    zoom = f"{MAP}.then(({{ camera }}) => camera.zoom)"
    page.evaluate(f"{MAP}.then(({{ camera, drawNow }}) => {{ drawNow(); return camera.zoom; }})")
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.mouse.wheel(0, -200)
    until(page, "location.hash.includes('map=')")
    assert page.evaluate(zoom) > 1
    assert page.locator("#map").screenshot() != whole
    again = reader.open_page()
    again.goto(page.url)
    until(again, "document.getElementById('panel-collection').hidden === false")
    page.keyboard.press("Escape")
    page.click("#zoom-fit")
    assert page.evaluate(zoom) == 1
    page.focus("#map")
    page.keyboard.press("+")
    assert page.evaluate(zoom) == pytest.approx(1.25)
    page.keyboard.press("0")
    at = page.evaluate(
        """Promise.all([import('/static/collection/map_view.js'), import('/static/collection/model.js')])
             .then(([{ camera }, { model }]) => {
               const { width, height } = document.getElementById("map").getBoundingClientRect();
               const { ax, bx, ay, by } = camera.to({ width, height });
               return [ax * model.x[7] + bx, ay * model.y[7] + by];
             })"""
    )
    page.mouse.move(box["x"] + at[0], box["y"] + at[1])
    page.locator("#tip").wait_for()
    assert "loss" in page.text_content("#tip")


def test_the_list_is_searched_sorted_folded_and_paged(reader: Reader, tmp_path: Path) -> None:
    page = reader.enter()
    path = tmp_path / "run.csv"
    path.write_text("complexity,loss,equation\n5,0.5,x0 + x1\n7,0.25,x1 + x0\n2,3,sin(x0)\n")
    open_file(page, path)
    rows = page.locator("#formulas li")
    assert rows.count() == 2
    assert "x1 + x0" in rows.nth(0).text_content()  # the lower loss stands for both
    page.click("#formulas .fold")
    assert rows.count() == 3
    page.uncheck("#fold")
    until(page, "document.querySelectorAll('#formulas li').length === 3")
    page.select_option("#sort", "size")
    until(page, "document.querySelector('#formulas li').textContent.includes('sin')")
    page.fill("#find", "SIN")
    until(page, "document.querySelectorAll('#formulas li').length === 1")
    assert "find=SIN" in page.url
    page.fill("#find", "tan")
    until(page, "document.getElementById('formulas').textContent.includes('No formula')")


def test_changes_are_undone_and_done_again(reader: Reader, tmp_path: Path) -> None:
    page = reader.enter()
    before = reader.distance()
    assert page.is_disabled("#undo")
    page.fill("#formula-0", "a*x^3 + b")
    after = reader.wait_for_distance(before)
    until(page, "!document.getElementById('undo').disabled")
    page.click("#undo")
    assert page.input_value("#formula-0") == "a*x + b"
    assert reader.wait_for_distance(after) == before
    page.click("#redo")
    assert page.input_value("#formula-0") == "a*x^3 + b"
    page.focus("#profile")
    page.keyboard.press("Control+z")
    assert page.input_value("#formula-0") == "a*x + b"


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_thousand_formulas_are_at_most_three_screens(
    browser: Any, explorer: Explorer, tmp_path: Path, scheme: str
) -> None:
    reader = Reader(browser, explorer, color_scheme=scheme)
    page = reader.enter()
    path = tmp_path / "run.csv"
    path.write_text(many(1000))
    for width in (390, 1280):
        page.set_viewport_size({"width": width, "height": 844})
        open_file(page, path)
        page.screenshot(path=tmp_path / f"{scheme}-{width}.png", full_page=True)
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        assert page.evaluate("document.documentElement.scrollHeight") <= 3 * 844
    assert reader.wrong == []
    reader.context.close()


def test_slow_answers_are_announced(browser: Any) -> None:
    import time

    from symbed.web._app import Endpoint
    from symbed.web._json_fields import Fields
    from tests.web.live import running

    def slow(fields: Fields) -> dict[str, Any]:
        time.sleep(1.0)
        return {"opened": []}

    with running(endpoints={"opened": Endpoint(slow)}) as explorer:
        reader = Reader(browser, explorer)
        reader.page.goto(explorer.link)
        reader.page.locator("#working").wait_for()
        assert reader.page.get_attribute("main", "aria-busy") == "true"
        reader.page.locator("#working").wait_for(state="hidden")
        assert reader.wrong == []
        reader.context.close()


def test_data_give_a_loss_to_formulas_that_have_none(reader: Reader, tmp_path: Path) -> None:
    page = reader.enter()
    data, run = tmp_path / "data.csv", tmp_path / "run.txt"
    data.write_text("x0,y\n" + "\n".join(f"{k / 10},{k / 5}" for k in range(1, 50)))
    run.write_text("x0\n2*x0\nsin(x0)\n")
    page.set_input_files("#data-file", data)
    until(page, "document.getElementById('data-told').textContent.includes('49 rows')")
    open_file(page, run)
    until(page, "document.getElementById('front-title').textContent.includes('error down to 0')")
    assert page.input_value("#collection-ranges-high-x0") == "4.9"
    assert "error 0" in page.text_content("#formulas li >> nth=1")


def test_choosing_the_outermost_formula_moves_nothing_out_of_sight(
    reader: Reader, tmp_path: Path
) -> None:
    path = tmp_path / "run.csv"
    path.write_text("complexity,loss,equation\n1,0.5,x0\n3,0.3,x0 + 1\n")
    page = reader.enter()
    open_file(page, path)
    page.click("#formulas li >> nth=0 >> button.link")
    page.wait_for_timeout(100)
    middle = f"{MAP}.then(({{ camera }}) => camera.middle)"
    before = page.evaluate(middle)
    page.click("#zoom-fit")
    assert page.evaluate(middle) == before


def test_a_very_long_formula_that_is_chosen_leaves_the_list_in_reach(
    reader: Reader, tmp_path: Path
) -> None:
    path = tmp_path / "long.txt"
    path.write_text("+".join(f"sin({k}.123456789*x)*cos({k}*x)" for k in range(55)) + "\nx\n")
    page = reader.enter()
    open_file(page, path)
    page.click("#formulas li >> nth=0 >> button.link")
    until(page, "document.querySelector('#chosen .math math')")
    assert page.locator("#chosen").bounding_box()["height"] < 330
