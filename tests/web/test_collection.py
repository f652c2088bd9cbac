"""The third tab: files and atlases are opened, mapped, grouped and searched."""

from __future__ import annotations

import base64
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import symbed
from symbed.errors import DataError, LimitError
from symbed.limits import PAGE_FORMULAS, PAGE_TEXT
from symbed.web._collection import Collection, OpenCollections, open_collection, read_collection
from symbed.web._collection_view import (
    MAX_SCALED,
    MapRequest,
    chart,
    clusters,
    equals,
    neighbors,
    one_formula,
)
from symbed.web._json_fields import BadRequest, Fields
from symbed.web._open_files import OpenTables
from tests.web.live import Explorer, running

HALL_OF_FAME = """Complexity,Loss,Equation
1,5.2,"x0"
3,2.1,"x0 * 1.98"
5,0.9,"(x0 * 1.98) + 0.53"
6,0.9,"0.53 + (1.98 * x0)"
7,0.31,"square(x0) - 0.2"
8,0.31,"(x0 * x0) - 0.2"
9,0.2,"cos(x0) * x1"
11,0.1,"x1 * sin(x0"
"""


def open_text(text: str, opened: OpenCollections | None = None, **changes: Any) -> dict[str, Any]:
    return chart(
        MapRequest.of(Fields({"text": text, "name": "mine", **changes})),
        opened or OpenCollections(),
    )


def numbers(text: str, kind: str = "<f8") -> np.ndarray[Any, Any]:
    """An array of an answer, as the page decodes it."""
    return np.frombuffer(base64.b64decode(text), kind)


def groups_of(key: str, opened: OpenCollections, **changes: Any) -> list[set[int]]:
    """The places of formulas that behave the same, groups of several only."""
    answer = equals(Fields({"key": key, **changes}), opened, OpenTables())
    assert answer["problem"] is None
    labels = numbers(answer["groups"], "<i4")
    groups = [set(np.flatnonzero(labels == group).tolist()) for group in np.unique(labels)]
    return [group for group in groups if len(group) > 1]


class TestFiles:
    @pytest.mark.parametrize("text", ["", "\n\n", "# nothing", "Complexity,Loss,Equation\n"])
    def test_a_file_without_formulas_is_an_error(self, text: str) -> None:
        with pytest.raises(DataError, match="no formulas"):
            read_collection(text, "mine")

    def test_short_rows_are_passed_over_and_broken_tables_told(self) -> None:
        shown = open_text("loss,equation\n1\n2,x\n3,\n")
        assert (numbers(shown["line"], "<i4").tolist(), numbers(shown["loss"]).tolist()) == (
            [3],
            [2.0],
        )
        with pytest.raises(DataError, match="cannot be read"):
            read_collection("loss,equation\n1," + '"' + "x" * 200_000, "mine")

    def test_what_is_too_large_is_told_with_a_remedy(self) -> None:
        with pytest.raises(LimitError, match="symbed survey"):
            read_collection("x" * (PAGE_TEXT.maximum + 1), "big")
        with pytest.raises(LimitError, match="symbed survey"):
            read_collection("x\n" * (PAGE_FORMULAS.maximum + 1), "long")


class TestChart:
    def test_a_hall_of_fame_is_mapped_grouped_and_searched(self) -> None:
        opened = OpenCollections()
        shown = open_text(HALL_OF_FAME, opened)
        assert (shown["problem"], shown["n_formulas"]) == (None, 7)
        assert [(row["line"], row["position"]) for row in shown["skipped"]] == [(9, 5)]
        assert shown["texts"][6] == "cos(x0) * x1"
        assert numbers(shown["line"], "<i4")[6] == 8
        assert numbers(shown["loss"])[6] == 0.2
        assert len(numbers(shown["x"], "<f4")) == len(numbers(shown["y"], "<f4")) == 7
        assert groups_of(shown["key"], opened) == [{2, 3}, {4, 5}]
        found = neighbors(Fields({"key": shown["key"], "formula": "x0*2", "k": 2}), opened)
        assert next(row["text"] for row in found["neighbors"]) == "x0 * 1.98"
        assert int(np.argmin(numbers(found["distances"]))) == found["neighbors"][0]["place"] == 1
        assert found["reading"]["variables"] == ["x0"]

    def test_the_front_has_what_nothing_beats_and_a_group_its_best_member(self) -> None:
        opened = OpenCollections()
        key = open_text(HALL_OF_FAME, opened)["key"]
        answer = equals(Fields({"key": key}), opened, OpenTables())
        assert answer["front"] == [0, 1, 2, 4, 6]
        assert numbers(answer["kept"], "<u1").tolist() == [1, 1, 1, 0, 1, 0, 1]
        assert (answer["measured"], numbers(answer["complexity"])[6]) == ("complexity", 9.0)
        bare = open_text("x + x\nx*2\nsin(x)", opened)["key"]
        answer = equals(Fields({"key": bare}), opened, OpenTables())
        assert (answer["front"], answer["measured"]) == ([], "nodes")

    def test_clusters_are_around_formulas_of_the_collection(self) -> None:
        opened = OpenCollections()
        key = open_text("x\nx + 0.1\nx^3\nx^3 + 0.1", opened)["key"]
        answer = clusters(Fields({"key": key, "clusters": 2}), opened)
        labels = numbers(answer["labels"], "<u1")
        assert labels.tolist() == [0, 0, 1, 1]
        assert labels[answer["medoids"]].tolist() == [0, 1]
        assert answer["sizes"] == [2, 2]

    def test_one_formula_is_told_with_all_its_columns(self) -> None:
        opened = OpenCollections()
        text = "loss,equation,tool\n0.5,x0,A\n0.25,square(x0),B\n"
        key = open_text(text, opened, dialect="pysr")["key"]
        told = one_formula(Fields({"key": key, "place": 1}), opened)
        assert (told["line"], told["columns"]["tool"], told["size"]) == (3, "B", 2)
        assert "<msup>" in told["mathml"]
        with pytest.raises(BadRequest):
            one_formula(Fields({"key": key, "place": 2}), opened)

    def test_places_on_the_map_are_as_far_apart_as_the_formulas(self) -> None:
        shown = open_text("x\nx + 3\nx + 7", metric="wasserstein", ranges={"x": [0, 1]})
        x = np.stack([numbers(shown["x"], "<f4"), numbers(shown["y"], "<f4")], axis=1)
        assert np.hypot(*(x[0] - x[2])) == pytest.approx(7, rel=1e-3)
        assert (shown["layout"], shown["stress"] < 1e-3) == ("scaling", True)

    def test_ranges_are_shown_and_can_be_changed(self) -> None:
        shown = open_text("a*x\nb*x", ranges={"x": [0, 2]}, fallback=[3, 4])
        assert [(row["name"], row["range"]) for row in shown["names"]] == [
            ("x", [0.0, 2.0]), ("a", [3.0, 4.0]), ("b", [3.0, 4.0]),
        ]  # fmt: skip
        shown = open_text("a*x", ranges={"x": [2, 0]})
        assert shown["problem"]["field"] == "range:x"

    def test_an_opened_collection_is_asked_again_by_its_key(self) -> None:
        opened = OpenCollections()
        key = open_text("x\n2*x\n3*x", opened)["key"]
        again = chart(MapRequest.of(Fields({"key": key, "points": 8})), opened)
        assert (again["key"], again["n_points"], again["texts"]) == (key, 8, ["x", "2*x", "3*x"])

    def test_a_threshold_widens_the_groups(self) -> None:
        opened = OpenCollections()
        key = open_text("x\nx + 0.1\nx + 9", opened)["key"]
        assert groups_of(key, opened) == []
        assert groups_of(key, opened, within=0.2, metric="wasserstein") == [{0, 1}]

    def test_nothing_readable_is_told_with_the_first_reason(self) -> None:
        shown = open_text("sn(x)\nx +")
        assert "line 1: unknown function 'sn'" in shown["problem"]["message"]

    def test_infinite_distances_are_told_with_a_remedy(self) -> None:
        shown = open_text("x\nlog(x - 2)\nx^2", metric="wasserstein")
        assert "relative" in shown["problem"]["message"]
        assert open_text("x\nlog(x - 2)\nx^2")["problem"] is None

    def test_large_collections_are_laid_out_by_components(self) -> None:
        text = "\n".join(f"x + {k}" for k in range(MAX_SCALED + 50))
        shown = open_text(text, points=8, draws=2, ranges={"x": [0, 1]})
        assert (len(shown["texts"]), shown["layout"]) == (MAX_SCALED + 50, "components")
        x = numbers(shown["x"], "<f4")
        assert (np.diff(x) >= 0).all() or (np.diff(x) <= 0).all()

    def test_atlases_larger_than_a_map_are_thinned_evenly(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(
            "symbed.web._collection.PAGE_FORMULAS", PAGE_FORMULAS._replace(maximum=4)
        )
        atlas = symbed.survey([f"x + {k}" for k in range(8)], symbed.Probe({"x": (0, 1)}))
        opened = OpenCollections([Collection("mine", atlas=atlas)])
        key = opened.offered[0]["key"]
        shown = chart(MapRequest.of(Fields({"key": key})), opened)
        assert (shown["texts"], shown["n_formulas"]) == (["x + 0", "x + 2", "x + 4", "x + 6"], 8)
        found = neighbors(Fields({"key": key, "formula": "x + 4"}), opened)
        assert int(np.argmin(numbers(found["distances"]))) == 2
        assert [row["place"] for row in found["neighbors"][:3]] in ([2, None, None], [2, 1, None])
        assert equals(Fields({"key": key}), opened, OpenTables())["n_groups"] == 8

    def test_too_much_work_is_refused_in_words(self) -> None:
        text = "\n".join(["+".join(["x"] * 200)] * 2000)
        assert "too long" in open_text(text, points=512, draws=256)["problem"]["message"]


class TestLanguages:
    """Whose formulas a file holds: told by the reader, by its columns, or by the formulas."""

    GPLEARN = "# a run\nadd(mul(X0, X1), 0.125)\ndiv(X0, X1)\nfoo(X0)\nadd(0.125, mul(X1, X0))"

    def test_a_guess_is_named_with_its_reason(self) -> None:
        opened = OpenCollections()
        shown = open_text(self.GPLEARN, opened)
        assert (shown["language"]["name"], shown["language"]["title"]) == ("gplearn", "gplearn")
        assert "words and names" in shown["language"]["reason"]
        assert "three decimals" in shown["language"]["notes"][0]
        row = one_formula(Fields({"key": shown["key"], "place": 1}), opened)
        assert (row["text"], row["written"], row["line"]) == ("pdiv(x0, x1)", "div(X0, X1)", 3)
        assert groups_of(shown["key"], opened) == [{0, 2}]

    def test_lines_that_cannot_be_read_are_told_at_their_character(self) -> None:
        (line,) = open_text(self.GPLEARN)["skipped"]
        assert (line["line"], line["text"], line["position"]) == (4, "foo(X0)", 0)
        assert "unknown function 'foo'" in line["error"]

    def test_a_hall_of_fame_is_pysrs(self) -> None:
        text = 'Complexity,Loss,Equation\n3,0.5,"greater(x1, x2)"\n4,0.3,"log(speed)"\n'
        shown = open_text(text)
        assert (shown["language"]["name"], shown["n_skipped"]) == ("pysr", 0)
        assert "PySR's columns" in shown["language"]["reason"]
        assert {row["name"]: row["role"] for row in shown["names"]}["speed"] == "variable"

    def test_the_readers_choice_wins(self) -> None:
        text = "log(X_0)\nX_0"
        assert "say whose" in open_text(text)["problem"]["message"]
        for dialect, own in (("srtoolkit", "log10(x0)"), ("proged", "ln(x0)")):
            shown = open_text(text, dialect=dialect)
            assert shown["texts"][0] == own
            assert shown["language"]["reason"] == ""

    def test_numbers_that_may_count_from_0_or_1_keep_their_names(self) -> None:
        shown = open_text("x1 + x2\nx1*x2")
        assert shown["problem"] is None
        assert shown["language"]["name"] == "infix"
        assert "names stay as written" in shown["language"]["reason"]
        assert open_text("x1 + x2", dialect="srjl")["texts"][0] == "x0 + x1"

    def test_lifted_constants_are_parameters_with_a_range(self) -> None:
        text = "1.5*x0 + 2\n2.5*x0 + 2"
        opened = OpenCollections()
        assert groups_of(open_text(text, opened, dialect="pysr")["key"], opened) == []
        shown = open_text(text, opened, dialect="pysr", constants="lift", ranges={"C": [0, 1]})
        assert shown["texts"] == ["C*x0 + 2"] * 2
        assert groups_of(shown["key"], opened) == [{0, 1}]
        assert [(row["name"], row["range"]) for row in shown["names"]] == [
            ("x0", [1.0, 5.0]), ("C", [0.0, 1.0]),
        ]  # fmt: skip

    def test_an_open_collection_is_read_again_in_another_language(self) -> None:
        opened = OpenCollections()
        key = open_text("log(X_0)\nX_0", opened, dialect="srtoolkit")["key"]
        again = chart(MapRequest.of(Fields({"key": key, "dialect": "bingo"})), opened)
        assert again["texts"][0] == "ln(abs(x0))"

    def test_a_language_that_the_page_does_not_offer_is_refused(self) -> None:
        for changes in ({"dialect": "excel"}, {"dialect": 3}, {"constants": "drop"}):
            with pytest.raises(BadRequest):
                open_text("x", **changes)

    def test_nothing_readable_is_told_with_the_language(self) -> None:
        shown = open_text("x +\nfoo(x)", dialect="gplearn")
        assert shown["problem"]["message"].startswith(
            "no formula could be read as gplearn writes them; line 1: "
        )
        assert shown["key"]

    def test_the_page_lists_the_table_of_dialects(self, explorer: Explorer) -> None:
        page = explorer.send("GET", "/", explorer.own_headers()).body.decode()
        assert page.count('<option value="srjl">SymbolicRegression.jl</option>') == 3
        assert "<!--languages-->" not in page
        assert 'value="excel"' not in page


class TestNeighbors:
    def test_an_error_in_the_query_points_at_the_character(self) -> None:
        opened = OpenCollections()
        key = open_text("x\n2*x", opened)["key"]
        found = neighbors(Fields({"key": key, "formula": "2*sn(x)"}), opened)
        assert found["reading"]["error"]["position"] == 2
        assert found["neighbors"] == []

    def test_a_parameter_without_a_range_is_told(self) -> None:
        opened = OpenCollections()
        key = open_text("x\n2*x", opened)["key"]
        found = neighbors(Fields({"key": key, "formula": "a*x"}), opened)
        assert "free parameter" in found["problem"]["message"]

    def test_an_unknown_key_is_told(self) -> None:
        found = neighbors(Fields({"key": "nobody", "formula": "x"}), OpenCollections())
        assert "open the file again" in found["problem"]["message"]

    def test_a_collection_that_was_not_yet_observed_is_told(self) -> None:
        opened = OpenCollections()
        key = opened.put(read_collection("x", "mine"))
        found = neighbors(Fields({"key": key, "formula": "x"}), opened)
        assert "no probe" in found["problem"]["message"]


class TestOpenCollections:
    def test_the_oldest_upload_is_forgotten_and_the_command_line_is_not(self) -> None:
        opened = OpenCollections([Collection("given")])
        keys = [opened.put(Collection(str(k))) for k in range(OpenCollections.most_uploads + 1)]
        with pytest.raises(DataError, match="no longer kept"):
            opened.get(keys[0])
        assert opened.get(keys[-1]).name == str(OpenCollections.most_uploads)
        assert opened.get(opened.offered[0]["key"]).name == "given"

    def test_a_request_names_a_text_or_a_key(self) -> None:
        for document in ({}, {"text": "x", "key": "y"}):
            with pytest.raises(BadRequest, match="text of a file"):
                MapRequest.of(Fields(document))


class TestPaths:
    def test_a_folder_is_an_atlas_with_its_own_probe(self, tmp_path: Path) -> None:
        probe = symbed.Probe({"x": (1, 5)}, {"a": (1, 2)}, n_points=16, n_draws=8)
        symbed.survey(["a*x", "x*a", "sin(x)"], probe).save(tmp_path / "my.atlas")
        with running([open_collection(str(tmp_path / "my.atlas"))]) as explorer:
            (offered,) = explorer.ask("opened", {}).json()["opened"]
            assert offered["name"] == "my.atlas"
            shown = explorer.ask("collection", {"key": offered["key"]}).json()
            assert (shown["n_formulas"], shown["n_distinct"], shown["n_points"]) == (3, 2, 16)
            assert [row["law"] for row in shown["names"]] == ["(1, 5)", "(1, 2)"]
            found = explorer.ask("nearest", {"key": offered["key"], "formula": "a*x"}).json()
            assert found["neighbors"][0]["distance"] == 0

    def test_a_file_is_read_when_the_explorer_starts(self, tmp_path: Path) -> None:
        path = tmp_path / "formulas.txt"
        path.write_text("a*x\nsin(x)\n")
        assert open_collection(str(path)).listing.formulas == ("a*x", "sin(x)")

    def test_a_path_in_a_request_is_only_a_text(self, explorer: Explorer) -> None:
        shown = explorer.ask("collection", {"text": "/etc/passwd", "name": "/etc/passwd"}).json()
        assert "root" not in str(shown)
        assert shown["problem"] is not None


def test_one_loss_that_is_a_word_leaves_the_others_numbers() -> None:
    opened = OpenCollections()
    table = "equation,loss\nx,0.5\nx^2,oops\nx^3,inf\nx^4,nan\nx^5,\n"
    key = chart(MapRequest.of(Fields({"text": table})), opened)["key"]
    answer = equals(Fields({"key": key}), opened, OpenTables())
    losses = np.frombuffer(base64.b64decode(answer["loss"]))
    np.testing.assert_array_equal(losses, [0.5, np.nan, np.inf, np.nan, np.nan])
    assert answer["front"] == [0]
    told = [one_formula(Fields({"key": key, "place": k}), opened)["columns"] for k in range(3)]
    assert [columns["loss"] for columns in told] == ["0.5", "oops", "inf"]
