from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import symbed
from symbed.distances.clustering import column_normalized
from symbed.workbench import BASE_GROUPS, equivalent_groups
from symbed_reproduction import Outcome, reproduce
from symbed_reproduction.clustering import experiment as clustering
from symbed_reproduction.clustering.claims import make_claims
from symbed_reproduction.clustering.measurements import (
    N_GROUPS,
    SPELLINGS,
    Setting,
    default_design,
    make_set,
    published_sampling,
    spelled,
    truth_of,
)
from symbed_reproduction.clustering.protocols import (
    AS_DISTANCES,
    BY_CN,
    CN,
    CN_ROWS,
    FROM_DISTANCES,
    LABELINGS,
    LOG,
    PLAIN_ROWS,
    SPACES,
    Space,
    judge,
    judge_by,
    label,
    nearest_share,
    place,
)
from symbed_reproduction.clustering.results import (
    FAMILIES,
    MATRICES,
    PROTOCOLS,
    PUBLISHED,
    ROWS,
    SCORES,
    SIZES,
    ClusteringResults,
    best_fits,
    misfit,
    spelling_of,
)
from symbed_reproduction.core.experiments import Arrays
from symbed_reproduction.core.journal import Journal

SMALL = SIZES["small"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("clustering")


@pytest.fixture(scope="module")
def outcome(folder: Path) -> Outcome:
    return reproduce("clustering", folder, workers=1, progress=False)


@pytest.fixture(scope="module")
def arrays(outcome: Outcome, folder: Path) -> Mapping[str, Arrays]:
    journal = Journal(folder / "clustering" / "units" / "small")
    found = {unit.name: journal.get(unit) for unit in clustering.plan("small")}
    return {name: finished.arrays for name, finished in found.items() if finished is not None}


@pytest.fixture(scope="module")
def results(arrays: Mapping[str, Arrays]) -> ClusteringResults:
    return ClusteringResults.gather(SMALL, arrays)


@pytest.fixture(scope="module")
def matrix() -> symbed.DistanceMatrix:
    return published_sampling(make_set(3, 0), 0)[0]


# Scores


def test_the_nearest_neighbor_is_never_the_expression_itself() -> None:
    distances = np.array([[0.0, 3.0, 1.0], [3.0, 0.0, 2.0], [1.0, 2.0, 0.0]])
    assert nearest_share(distances, np.array([0, 0, 1])) == 0.0
    assert nearest_share(distances, np.array([0, 1, 0])) == pytest.approx(2 / 3)


# Data sets


def test_a_data_set_is_the_workbenchs_groups() -> None:
    groups = equivalent_groups(4, seed=3)
    assert make_set(4, 3) == [member for group in groups for member in group.members]
    assert truth_of(4).tolist() == [k for k in range(N_GROUPS) for _ in range(4)]


def test_laws_taken_literally_change_the_number_of_parameters() -> None:
    def changed(literal: bool) -> int:
        members = make_set(8, 0, literal=literal)
        counts = np.array([len(one.parameters) for one in members]).reshape(N_GROUPS, 8)
        return int((counts != counts[:, :1]).sum())

    assert changed(literal=False) == 0
    assert changed(literal=True) > 0


def test_expressions_are_equivalent_on_the_ranges_asked_for() -> None:
    setting = Setting((10.0, 50.0), (-5.0, 5.0))
    (matrix,) = default_design(make_set(3, 1, setting), 1, setting, metrics=("relative",))
    blocks = np.asarray(matrix.values).reshape(N_GROUPS, 3, N_GROUPS, 3)
    within = np.array([blocks[k, :, k] for k in range(N_GROUPS)])
    assert within.max() < 1e-9


def test_the_published_sampling_draws_anew_for_each_spelling() -> None:
    both = [symbed.parse(text, ("X_0", "X_1")) for text in ("C*X_0", "X_0*C")]
    assert published_sampling(both, 0)[0].values[0, 1] > 0.01
    assert default_design(both, 0)[0].values[0, 1] == 0.0


@pytest.mark.parametrize("name", SPELLINGS)
def test_syntactic_matrices_are_symmetric_and_zero_on_the_diagonal(name: str) -> None:
    values = np.asarray(spelled(make_set(2, 0), name).values)
    assert np.array_equal(values, values.T)
    assert not values.diagonal().any()
    assert values.max() > 0


# Protocols


def test_the_space_of_bed_cn_is_that_of_the_library(matrix: symbed.DistanceMatrix) -> None:
    rows = column_normalized(np.asarray(matrix.values))
    expected = np.sqrt(((rows[:, None] - rows[None]) ** 2).sum(axis=2))
    np.testing.assert_allclose(place(np.asarray(matrix.values), CN), expected, atol=1e-12)


def test_scaled_columns_have_unit_length() -> None:
    distances = np.array([[0.0, 3.0], [4.0, 0.0]])
    placed = place(distances, Space("d", "columns of unit length"))
    assert placed[0, 1] == pytest.approx(math.sqrt(2))
    assert place(distances, Space(LOG, "distances"))[1, 0] == pytest.approx(math.log10(5))


def test_each_protocol_on_its_own_gives_what_all_together_give(
    matrix: symbed.DistanceMatrix,
) -> None:
    together = judge(matrix, truth_of(3))
    assert together.shape == (len(PROTOCOLS), len(SCORES)) == (2 * len(LABELINGS), 4)
    for protocol in (PLAIN_ROWS, CN_ROWS, *AS_DISTANCES.values(), *BY_CN.values()):
        alone = judge_by(matrix, truth_of(3), protocol)
        np.testing.assert_array_equal(alone, together[PROTOCOLS.index(protocol)])


@pytest.mark.parametrize("linkage", ["single", "average", "complete"])
def test_labels_are_those_of_scikit_learn(matrix: symbed.DistanceMatrix, linkage: str) -> None:
    metrics = pytest.importorskip("sklearn.metrics")
    sklearn = pytest.importorskip("sklearn.cluster")
    for labeling in (one for one in LABELINGS if one.linkage == linkage):
        placed = place(np.asarray(matrix.values), labeling.space)
        machine = sklearn.AgglomerativeClustering(7, metric="precomputed", linkage=linkage)
        expected = machine.fit_predict((placed + placed.T) / 2)
        assert metrics.adjusted_rand_score(expected, label(matrix, labeling, 7)) == 1.0


def test_all_spaces_are_tried_with_all_linkages_and_ward_where_there_are_features() -> None:
    assert len(LABELINGS) == 3 * len(SPACES) + 1
    assert [one.space for one in LABELINGS if one.linkage == "ward"] == [CN]


# Published numbers


def test_a_misfit_counts_printed_deviations_beyond_rounding() -> None:
    assert misfit("BED", 0, 0.2035) == 0.0
    assert misfit("BED", 0, 0.203 - 0.05 - 0.0005) == pytest.approx(2.0)
    assert misfit("BED-CN", 0, 0.999) == pytest.approx(1.0)  # a printed 0.000 may be 0.0005


def test_every_published_row_belongs_to_one_family_and_is_reproduced() -> None:
    members = [name for rows in FAMILIES.values() for name in rows]
    assert sorted(members) == sorted(PUBLISHED)
    assert {row.published for row in ROWS.values()} == set(PUBLISHED)
    assert all(row.matrix in MATRICES and row.protocol in PROTOCOLS for row in ROWS.values())
    assert {spelling_of(name, "infix", "string") for name in members} <= set(MATRICES)


def test_the_best_fit_is_found_where_the_numbers_are_planted(results: ClusteringResults) -> None:
    planted = results.judged.copy()
    for name in FAMILIES["plain"]:
        spot = MATRICES.index(spelling_of(name, "prefix", "string")), PROTOCOLS.index(PLAIN_ROWS)
        planted[:, *spot] = [mean for mean, _ in PUBLISHED[name]]
    fits = [
        fit for family, *_, fit in best_fits(replace(results, judged=planted)) if family == "plain"
    ]
    best = min(fits, key=lambda fit: fit.worst)
    assert (best.worst, best.protocol, best.notation, best.costs) == (
        0.0, PLAIN_ROWS, "prefix", "string",
    )  # fmt: skip


# The experiment


@pytest.mark.parametrize("scale", ["small", "paper"])
def test_the_plan_has_units_of_different_names_and_plain_arguments(scale) -> None:
    units = clustering.plan(scale)
    assert len({unit.name for unit in units}) == len(units)
    arguments = [np.asarray(one) for unit in units for one in unit.arguments]
    assert {one.dtype.kind for one in arguments} <= set("if")


def test_the_paper_scale_is_the_papers() -> None:
    size = SIZES["paper"]
    assert (size.n_sets, size.n_members, N_GROUPS) == (10, 10, 16)


def test_units_do_not_depend_on_what_was_computed_before(arrays: Mapping[str, Arrays]) -> None:
    for unit in reversed(clustering.plan("small")):
        if unit.name in ("literal-1", "far-0", "maps", "row-1"):
            again = unit.function(*unit.arguments)
            for name, array in again.items():
                np.testing.assert_array_equal(np.asarray(array), arrays[unit.name][name])


def test_tables_stand_beside_the_papers_and_have_no_gaps(outcome: Outcome) -> None:
    main, appendix = outcome.table("table_main"), outcome.table("table_appendix")
    assert [row[0] for row in main.rows] == ["edit", "tree edit", "Jaro", "BED", "BED-CN"]
    assert main.rows[3][2] == "0.203 (± 0.025)"
    assert len(appendix.rows) == 12
    assert len(outcome.table("scores").rows) == 4 * len(ROWS)
    assert len(outcome.table("sets").rows) == SMALL.n_sets
    assert "nan" not in "".join(table.csv() for table in outcome.tables).lower()


def test_our_default_design_separates_all_groups(
    results: ClusteringResults, outcome: Outcome
) -> None:
    assert results.fair[:, 1, :, :, 0].min() == 1.0
    assert results.row("BED-CN")[:, [0, 2, 3]].min() == 1.0
    assert results.row("BED")[:, 0].max() < 0.9
    perfect = outcome.claims[0]
    assert (perfect.verdict, perfect.ours) == ("confirmed", "smallest of all data sets 1.000")


def test_differences_are_ours_minus_the_papers(
    outcome: Outcome, results: ClusteringResults
) -> None:
    table = outcome.table("scores")
    for row in table.rows:
        cells = dict(zip(table.columns, row, strict=True))
        mean = results.row(str(row[0]))[:, SCORES.index(str(row[1]))].mean()
        assert cells["mean"] == pytest.approx(mean)
        assert cells["difference"] == pytest.approx(float(cells["mean"]) - float(cells["paper"]))


def test_numbers_of_the_small_scale_are_not_held_against_the_paper(outcome: Outcome) -> None:
    rows = [claim for claim in outcome.claims if claim.text.startswith("The row")]
    assert {claim.verdict for claim in rows} == {"not checked"}
    assert "How the matrices were clustered" not in outcome.notes


def with_row(results: ClusteringResults, name: str, means: list[float]) -> ClusteringResults:
    row = ROWS[name]
    judged = results.judged.copy()
    judged[:, MATRICES.index(row.matrix), PROTOCOLS.index(row.protocol)] = means
    return replace(results, judged=judged)


def verdicts(results: ClusteringResults) -> dict[str, str]:
    return {claim.text: claim.verdict for claim in make_claims("paper", results)}


@pytest.mark.parametrize(
    ("deviations", "verdict"), [(0.0, "confirmed"), (1.9, "confirmed"), (2.1, "differs")]
)
def test_a_row_is_confirmed_within_two_deviations(
    results: ClusteringResults, deviations, verdict
) -> None:
    means = [mean for mean, _ in PUBLISHED["BED"]]
    means[1] += deviations * PUBLISHED["BED"][1][1] + 0.0005
    found = verdicts(with_row(results, "BED", means))
    assert found["The row of BED: ARI, silhouette, V-measure, Fowlkes-Mallows (4.2)"] == verdict


def test_one_data_set_that_fails_is_enough_to_differ(results: ClusteringResults) -> None:
    row = ROWS["BED-CN"]
    judged = results.judged.copy()
    judged[1, MATRICES.index(row.matrix), PROTOCOLS.index(row.protocol), 0] = 0.99
    claims = make_claims("paper", replace(results, judged=judged))
    assert (claims[0].verdict, claims[0].why) == ("differs", "")


def test_a_label_that_does_not_fit_is_said(results: ClusteringResults) -> None:
    means = [mean for mean, _ in PUBLISHED["edit-CN"]]
    planted = with_row(results, "edit, rows as they are", means)
    claim = next(c for c in make_claims("paper", planted) if c.text.startswith("The row edit-CN"))
    assert claim.verdict == "differs"
    assert "not from the procedure of BED-CN" in claim.why


def test_scale_would_be_the_cause_if_draws_in_common_did_not_help(
    results: ClusteringResults,
) -> None:
    text = "Plain BED scores low because it depends on scale (4.2, discussion)"
    assert verdicts(results)[text] == "differs"
    fair = results.fair.copy()
    fair[:, 1, 0, :, 0] = 0.5
    assert verdicts(replace(results, fair=fair))[text] == "confirmed"


def test_every_source_of_a_claim_is_a_table(outcome: Outcome) -> None:
    files = {f"tables/{table.name}.csv" for table in outcome.tables}
    for claim in outcome.claims:
        assert set(claim.source.split(", ")) <= files


def test_figures_show_each_group_by_a_look_of_its_own(outcome: Outcome) -> None:
    pytest.importorskip("matplotlib")
    from symbed_reproduction.clustering.experiment import draw

    figures = dict(draw(outcome))
    assert list(figures) == ["mds_bed_tree", "mds_edit_jaro", "mds_bed_sampling", "draws"]
    left, right = figures["mds_bed_tree"]
    looks = {(line.get_color(), line.get_marker()) for line in left.lines}
    assert len(looks) == len(left.lines) == len(BASE_GROUPS)
    assert sum(len(line.get_xdata()) for line in right.lines) == N_GROUPS * SMALL.n_members
    assert right.get_title() == "tree edit distance"


def test_a_confirmed_row_says_that_its_silhouette_was_chosen_by_fit(
    results: ClusteringResults,
) -> None:
    claim = next(c for c in make_claims("paper", results) if c.text.startswith("The row of BED"))
    spot = MATRICES.index("BED"), PROTOCOLS.index(FROM_DISTANCES), 1
    assert "chosen because they fit" in claim.why
    assert f"from the distances it is {results.judged[:, *spot].mean():.3f}" in claim.why


def test_rows_of_other_seeds_are_counted_by_their_fit(results: ClusteringResults) -> None:
    repeated = results.repeated.copy()
    repeated[0, :, 0] = [mean for mean, _ in PUBLISHED["BED"]]
    repeated[1, :, 0] = 0.0
    claim = make_claims("paper", replace(results, repeated=repeated))[2]
    assert "1 of 2 such rows are within 2 deviations" in claim.why
