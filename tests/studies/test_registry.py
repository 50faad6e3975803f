"""Each study fits together, and its quick variant runs."""

import re

import pytest

from evical.datasets._known import known_sets
from examples.studies import STUDIES, reproduce
from examples.studies._tables import find_differences, published_cells
from examples.studies.parts.fusion_condition import SCENARIOS
from examples.studies.xu2016.ten import XU2016_TEN
from examples.studies.xu2016.three import CONDITIONS
from tests.support.data_folder import DATA, needs_data
from tests.support.each import each

ALL = each("study", STUDIES.values(), ids=STUDIES)


@ALL
def test_names_agree(study):
    assert STUDIES[study.name] is study
    keys = [condition.key for condition in study.conditions]
    assert len(set(keys)) == len(keys)
    for name in (study.name, *keys, *(curve.name for curve in study.curves)):
        assert re.fullmatch(r"[\w.-]+", name)
    assert set(study.quick) <= set(keys)
    assert study.protocol
    # A repeat of these is a whole cross-validation, as it is published.
    assert study.repeats > 1 or study.name.startswith("gebel2009")


@ALL
def test_tables_curves_findings_and_tests_name_what_there_is(study):
    labels, measures = set(study.labels), set(study.measures)
    for table in study.published:
        assert table.measure in measures
        assert sorted([*table.rows, *table.columns, *table.where]) == sorted(labels)
        assert {len(key) for key in table.values} == {len(table.rows) + len(table.columns)}
    for curve in study.curves:
        assert curve.measure in measures
        assert sorted([curve.x, curve.line, curve.panel, *curve.where]) == sorted(labels)
    for finding in study.comparisons:
        assert finding.measure in measures
        assert {finding.label, *finding.where, *finding.by} <= labels
        assert finding.label not in {*finding.where, *finding.by}
    for tests in study.mcnemar:
        assert {tests.only_this, tests.only_reference} <= measures
        assert {tests.label, *tests.by, *tests.where} == labels


@ALL
def test_what_is_said_over_data_sets_names_what_there_is(study):
    names = [one.name for one in study.rankings]
    assert len({*names, *(curve.name for curve in study.curves)}) == len(names) + len(study.curves)
    for one in (*study.rankings, *study.gains, *study.pairs):
        assert {one.data, one.label, *one.by, *one.where} == set(study.labels)
        assert set(one.measures) <= set(study.measures)
    for ranking in study.rankings:
        assert ranking.control in ranking.options
        assert set(ranking.drawn) <= set(ranking.measures)
        for printed in ranking.published.values():
            for measure, line in printed.items():
                assert len(line.split()) == len(ranking.taking_part(measure))
                assert ranking.n_published > 1


@ALL
def test_a_part_tells_its_settings_from_those_of_all_others(study):
    assert len({repr(condition) for condition in study.conditions}) == len(study.conditions)
    assert not any(re.search(r"0x[0-9a-f]{6}", repr(condition)) for condition in study.conditions)


def test_xu_has_the_sizes_of_table_1():
    test_sizes = [
        sum(known_sets()[condition.data].classes.values()) - condition.n_train
        for condition in CONDITIONS
    ]
    assert test_sizes == [400, 468, 70, 101, 95, 58]


def test_xu_has_the_shares_of_figure_12():
    assert all(sum(shares) == 1 and len(shares) == 10 for shares in SCENARIOS.values())
    (table,) = XU2016_TEN.published
    assert table.values["likelihood", "diabetes", "c"] == 31.84
    assert table.values["bayesian", "adult_a9a", "a"] == 16.76
    assert len(table.values) == 27


def check_error_rates(outcome):
    error = outcome.study.measures.index("error_rate")
    for values in outcome.rows.values():
        assert values.shape == (outcome.repeats, len(outcome.study.measures))
        assert ((values[:, error] > 0) & (values[:, error] < 0.8)).all()


@needs_data
def test_the_quick_variant_of_xu_three_runs(tmp_path):
    study = STUDIES["xu2016-three"]
    outcome = reproduce(study, tmp_path, repeats=2, quick=True, data=DATA)
    check_error_rates(outcome)
    assert len(outcome.rows) == 8 * 14
    assert any(find_differences(outcome, finding) for finding in study.comparisons)


@needs_data
def test_the_quick_variant_of_xu_ten_gives_each_printed_cell_of_its_data(tmp_path):
    outcome = reproduce(XU2016_TEN, tmp_path, repeats=1, quick=True, data=DATA)
    check_error_rates(outcome)
    cells = published_cells(outcome, XU2016_TEN.published[0])
    missing = {key[1] for key, cell in cells.items() if cell.ours is None}
    assert missing == {"adult_a9a"}
    # Discordant counts explain the difference of error rates.
    columns = [
        XU2016_TEN.measures.index(name) for name in ("error_rate", "only_this", "only_likelihood")
    ]
    for (data, scenario, setting, method), values in outcome.rows.items():
        error, this, reference = values[0, columns]
        other = outcome.rows[data, scenario, setting, "likelihood"][0, columns[0]]
        n_test = {"australian": 390, "diabetes": 468}[data]
        assert (error - other) * n_test == pytest.approx(reference - this, abs=1), method
