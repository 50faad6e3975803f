"""Tests of significance: by definition, by Demsar's printed tables, by their level."""

from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from evical.significance import (
    Results,
    corrected_t,
    friedman,
    holm,
    holm_adjusted,
    mcnemar,
    nemenyi,
    wilcoxon,
)
from tests.naive import significance as naive
from tests.support.each import each

# Demsar (2006), Journal of Machine Learning Research 7, table 6: AUC of C4.5 with tuning of the
# minimal size of leaves (m), of the confidence (cf), and of both, on 14 data sets.
METHODS = ["C4.5", "C4.5+m", "C4.5+cf", "C4.5+m+cf"]
DEMSAR = [
    [0.763, 0.768, 0.771, 0.798],
    [0.599, 0.591, 0.590, 0.569],
    [0.954, 0.971, 0.968, 0.967],
    [0.628, 0.661, 0.654, 0.657],
    [0.882, 0.888, 0.886, 0.898],
    [0.936, 0.931, 0.916, 0.931],
    [0.661, 0.668, 0.609, 0.685],
    [0.583, 0.583, 0.563, 0.625],
    [0.775, 0.838, 0.866, 0.875],
    [1.000, 1.000, 1.000, 1.000],
    [0.940, 0.962, 0.965, 0.962],
    [0.619, 0.666, 0.614, 0.669],
    [0.972, 0.981, 0.97501, 0.975],  # ranks 2 and 3 are printed beside two values of 0.975
    [0.957, 0.978, 0.946, 0.970],
]
FRAME = pd.DataFrame(DEMSAR, columns=METHODS)

tables = st.integers(2, 5).flatmap(
    lambda k: st.lists(st.lists(st.integers(0, 4), min_size=k, max_size=k), min_size=2, max_size=8)
)


# ---- Friedman


@given(tables)
def test_friedman_by_definition(table):
    result = friedman(table)
    np.testing.assert_allclose(result.mean_ranks, [float(r) for r in naive.mean_ranks(table)])
    chi_square, statistic = naive.friedman_statistics(table)
    np.testing.assert_allclose(result.chi_square, float(chi_square), atol=1e-12)
    expected = np.inf if statistic is None else float(statistic)
    np.testing.assert_allclose(result.statistic, expected, rtol=1e-9, atol=1e-12)


def test_friedman_on_demsars_table():
    result = friedman(FRAME)
    assert result.methods == tuple(METHODS)
    np.testing.assert_allclose(result.mean_ranks, [3.143, 2.000, 2.893, 1.964], atol=5e-4)
    assert result.chi_square == pytest.approx(9.28, abs=5e-3)
    assert result.statistic == pytest.approx(3.69, abs=5e-3)
    # "The critical value of F(3, 39) for alpha = 0.05 is 2.85."
    assert stats.f.sf(2.85, 3, 39) == pytest.approx(0.05, abs=5e-4)
    assert result.pvalue < 0.05
    assert "F(3, 39) = 3.686, p = 0.02" in str(result)


def test_friedman_without_ties_is_scipys():
    table = np.random.default_rng(0).normal(size=(12, 5))
    result = friedman(table)
    theirs = stats.friedmanchisquare(*table.T)
    assert result.chi_square == pytest.approx(theirs.statistic)
    assert result.chi_square_pvalue == pytest.approx(theirs.pvalue)


def test_losses_rank_the_other_way():
    table = np.random.default_rng(1).normal(size=(6, 3))
    np.testing.assert_array_equal(
        friedman(table, greater_is_better=False).mean_ranks, friedman(-table).mean_ranks
    )
    own = Results(table, ["a", "b", "c"], greater_is_better=False)
    np.testing.assert_array_equal(friedman(own).mean_ranks, friedman(-table).mean_ranks)


def test_perfect_agreement_is_infinitely_significant():
    result = friedman([[3, 2, 1]] * 4)
    assert result.statistic == np.inf
    assert result.pvalue == 0


def test_friedman_holds_its_level():
    """Under the hypothesis F rejects in 5 % of all tables (1,000 of them, 20 x 5)."""
    rng = np.random.default_rng(2)
    rejected = np.mean([friedman(rng.normal(size=(20, 5))).pvalue <= 0.05 for _ in range(1000)])
    assert rejected == pytest.approx(0.05, abs=0.01)


# ---- after Friedman's test


def test_nemenyi_on_demsars_table():
    assert nemenyi(FRAME).critical_difference == pytest.approx(1.25, abs=5e-3)
    result = nemenyi(FRAME, alpha=0.10)
    assert result.critical_difference == pytest.approx(1.12, abs=5e-3)
    assert result.methods == ("C4.5+m+cf", "C4.5+m", "C4.5+cf", "C4.5")
    # "C4.5 is significantly worse than C4.5+m and C4.5+m+cf (3.143 - 2.000 = 1.143 > 1.12)"
    assert result.groups == [("C4.5+m+cf", "C4.5+m", "C4.5+cf"), ("C4.5+cf", "C4.5")]
    assert "not different: C4.5+cf, C4.5" in str(result)


def test_nemenyis_quantiles_are_demsars_table_5a():
    printed = {2: 1.960, 3: 2.343, 4: 2.569, 5: 2.728, 6: 2.850, 7: 2.949, 8: 3.031, 10: 3.164}
    for k, quantile in printed.items():
        table = np.arange(7 * k).reshape(7, k)
        difference = nemenyi(table).critical_difference
        assert difference / np.sqrt(k * (k + 1) / 42) == pytest.approx(quantile, abs=1.1e-3)


def test_nemenyis_pvalues_are_at_the_level_at_the_critical_difference():
    result = nemenyi(FRAME)
    apart = np.abs(result.mean_ranks[:, None] - result.mean_ranks)
    np.testing.assert_array_equal(result.pvalues <= 0.05, apart >= result.critical_difference)
    np.testing.assert_allclose(np.diag(result.pvalues), 1)


def test_holm_on_demsars_table():
    result = holm(FRAME, control="C4.5")
    assert result.methods == ("C4.5+m+cf", "C4.5+m", "C4.5+cf")
    # Demsar prints z of rounded ranks and error: (3.143 - 1.964) / 0.488.
    np.testing.assert_allclose(result.z, [-2.416, -2.342, -0.512], atol=6e-3)
    np.testing.assert_allclose(result.pvalues, [0.016, 0.019, 0.607], atol=2e-3)
    # "The first one is rejected as 0.016 < 0.017, the second since 0.019 < 0.025, the third is not"
    np.testing.assert_array_equal(result.rejected, [True, True, False])
    assert "better" in str(result)
    assert "not different" in str(result)


def test_the_best_method_is_the_control_by_default():
    assert holm(FRAME).control == "C4.5+m+cf"


@given(st.lists(st.integers(0, 100).map(lambda i: i / 100), min_size=1, max_size=8))
def test_holms_adjustment_rejects_what_his_procedure_does(pvalues):
    adjusted = holm_adjusted(pvalues)
    for alpha in (0.013, 0.05, 0.21):  # on no boundary
        exact = [Fraction(p).limit_denominator(100) for p in pvalues]
        expected = naive.holm_rejections(exact, Fraction(alpha))
        assert set(np.flatnonzero(adjusted <= alpha).tolist()) == expected


# ---- pairs


def test_wilcoxon_on_demsars_table():
    result = wilcoxon(FRAME["C4.5+m"], FRAME["C4.5"])
    assert result.statistic == 12  # "R+ = 93 and R- = 12"
    assert result.pvalue < 0.05
    assert result.difference > 0


@given(
    st.lists(st.integers(-9, 9), min_size=1, max_size=9, unique_by=abs).filter(lambda g: 0 not in g)
)
def test_wilcoxon_by_counting_signs(gaps):
    result = wilcoxon(gaps, np.zeros(len(gaps)))
    assert result.pvalue == pytest.approx(float(naive.wilcoxon_pvalue(gaps)))


def test_no_difference_at_all():
    assert wilcoxon([1, 2], [1, 2]).pvalue == 1
    assert corrected_t([1, 2], [1, 2], 0.1).pvalue == 1
    assert mcnemar([0, 1], [0, 0], [0, 0]).pvalue == 1
    assert mcnemar([0, 1], [0, 0], [0, 0], exact=False).pvalue == 1


@given(st.integers(0, 12), st.integers(0, 12), st.integers(0, 3))
def test_mcnemar_by_counting(only1, only2, both):
    n = only1 + only2 + both
    if n == 0:
        return
    wrong1 = np.repeat([1, 0, 1], [only1, only2, both])
    wrong2 = np.repeat([0, 1, 1], [only1, only2, both])
    result = mcnemar(np.zeros(n), wrong1, wrong2)
    assert result.pvalue == pytest.approx(float(naive.mcnemar_pvalue(only1, only2)))
    assert result.difference == pytest.approx((only1 - only2) / n)


def test_mcnemar_with_many_disagreements():
    """By hand: (|40 - 20| - 1)^2 / 60 = 361 / 60."""
    wrong = np.repeat([1, 0], [40, 20])
    result = mcnemar(np.zeros(60), wrong, 1 - wrong)
    assert result.name == "McNemar, chi-square"
    assert result.statistic == pytest.approx(361 / 60)
    assert result.pvalue == pytest.approx(stats.chi2.sf(361 / 60, 1))


def test_corrected_t_without_overlap_is_the_paired_t_test():
    rng = np.random.default_rng(3)
    one, two = rng.normal(size=(2, 9))
    ours, theirs = corrected_t(one, two, 1e-300), stats.ttest_rel(one, two)
    assert ours.statistic == pytest.approx(theirs.statistic)
    assert ours.pvalue == pytest.approx(theirs.pvalue)
    assert corrected_t(one, two, 1 / 9).pvalue > ours.pvalue


# ---- up to rounding


def test_differences_that_are_equal_on_paper_tie():
    tenths = np.array([[3, 2, 9, 8], [2, 1, 8, 9]])
    found, exact = wilcoxon(*tenths / 10), wilcoxon(*tenths)
    assert (found.statistic, found.pvalue) == (exact.statistic, exact.pvalue)


def test_rounding_is_no_difference():
    one, two = [0.1 + 0.2] * 6, [0.3] * 6
    assert one != two
    assert wilcoxon(one, two).pvalue == 1
    assert corrected_t(one, two, 0.1).pvalue == 1
    assert friedman(np.transpose([one, two])).pvalue == 1


@given(tables, st.sampled_from([1e-9, 0.1, 1e6]))
def test_ranks_do_not_depend_on_the_unit(table, unit):
    """Numbers that differ by more than rounding remain different."""
    ranks = friedman(table).mean_ranks
    np.testing.assert_array_equal(friedman(np.array(table) * unit).mean_ranks, ranks)


# ---- two methods only


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=2, max_size=12))
def test_two_methods_are_compared_by_signs(table):
    n, gaps = len(table), [a - b for a, b in table]
    won, lost = sum(g > 0 for g in gaps), sum(g < 0 for g in gaps)
    assert friedman(table).chi_square == pytest.approx((won - lost) ** 2 / n)
    pvalue = 2 * stats.norm.sf(abs(won - lost) / np.sqrt(n))
    assert holm(table, control="method 0").pvalues[0] == pytest.approx(pvalue)
    assert nemenyi(table).pvalues[0, 1] == pytest.approx(pvalue, abs=1e-9)
    assert nemenyi(table).critical_difference == pytest.approx(stats.norm.ppf(0.975) / np.sqrt(n))


@given(tables, st.sampled_from([0.01, 0.05, 0.1, 0.5]))
def test_nemenyis_groups_are_all_longest_runs(table, alpha):
    result = nemenyi(table, alpha=alpha)
    k, ranks = len(result.methods), result.mean_ranks
    alike = [
        (i, j)
        for i in range(k)
        for j in range(i + 1, k)
        if ranks[j] - ranks[i] < result.critical_difference
    ]
    longest = [
        (i, j)
        for i, j in alike
        if not any(a <= i and j <= b and (a, b) != (i, j) for a, b in alike)
    ]
    assert result.groups == [result.methods[i : j + 1] for i, j in longest]


# ---- as data frames


def test_reports_are_tidy_frames():
    ranks = friedman(FRAME).to_frame()
    assert ranks.index.tolist() == ["C4.5+m+cf", "C4.5+m", "C4.5+cf", "C4.5"]
    against = holm(FRAME, control="C4.5").to_frame()
    assert against.loc["C4.5+m", "rejected"]
    assert against["adjusted_pvalue"].is_monotonic_increasing
    numbered = pd.DataFrame(DEMSAR)
    assert holm(numbered, control=0).control == "0"
    pairs = nemenyi(FRAME).to_frame()
    assert pairs.loc["C4.5", "C4.5+m"] == pairs.loc["C4.5+m", "C4.5"]


# ---- what is refused


@each(
    ("call", "message"),
    [
        (lambda: friedman([[1, 2]]), r"shape \(1, 2\)"),
        (lambda: friedman([[1, 2], [np.nan, 1]]), "'method 0' in row 1 is nan"),
        (lambda: Results([[1, 2], [2, 1]], ["a", "a"]), r"\['a', 'a'\], expected 2 different"),
        (lambda: holm(FRAME, control="C5"), "control is 'C5', expected one of 'C4.5'"),
        (lambda: nemenyi(FRAME, alpha=5), "alpha is 5"),
        (lambda: holm_adjusted([0.5, 2]), r"pvalues\[1\] is 2.0"),
        (lambda: mcnemar([1, np.nan], [1, 0], [1, 0]), r"y_true\[1\] is nan"),
        (lambda: mcnemar([1, 0], [1], [1, 0]), r"shapes \(2,\), \(1,\) and \(2,\)"),
        (lambda: wilcoxon([1, np.inf], [1, 2]), r"values1\[1\] is inf"),
        (lambda: corrected_t([1], [2], 0.1), "only one split"),
        (lambda: corrected_t([1, 2], [2, 2], 0), "test_share is 0"),
    ],
)
def test_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()


@each(
    ("call", "message"),
    [
        (lambda: friedman([["a", "b"], ["c", "d"]]), "results are .*, expected real numbers"),
        (lambda: wilcoxon(["a"], [1]), "values1 are .*, expected real numbers"),
        (lambda: holm_adjusted(["a"]), "pvalues are .*, expected real numbers"),
        (lambda: wilcoxon([1j], [1]), "values1 are .*, expected real numbers"),
        (lambda: corrected_t([1, 2], [2, 4], test_share="1/3"), "test_share is '1/3'"),
        (lambda: mcnemar([1], [1], [1], exact="yes"), "exact is 'yes', expected True or False"),
        (
            lambda: mcnemar(np.array(["1"], dtype=object), [1], [1]),
            "y_pred2, but not in y_true",
        ),
    ],
)
def test_what_is_no_number(call, message):
    with pytest.raises(TypeError, match=message):
        call()


def test_rows_of_unequal_length_and_numbers_beyond_a_float_are_refused():
    with pytest.raises(ValueError, match=r"results are .*, whose rows differ in length"):
        Results([[1, 2], [3]], ["a", "b"])
    with pytest.raises(ValueError, match=r"y_true are .*, whose rows differ in length"):
        mcnemar([[1], [1, 2]], [1], [1])
    with pytest.raises(ValueError, match="values1 hold a number above"):
        wilcoxon([10**400], [1])


def test_objects_are_read_as_what_they_are():
    assert friedman(FRAME.astype(object)).chi_square == friedman(FRAME).chi_square
    y, p = [1, 0, 1, 1], [1, 1, 0, 0]
    assert mcnemar(np.array(y, dtype=object), y, p) == mcnemar(y, y, p)
    for broken, message in ((None, "is None"), (pd.NA, "is <NA>|is nan")):
        with pytest.raises(ValueError, match=rf"y_true\[1\] {message}, expected a label"):
            mcnemar(["a", broken], ["a", "b"], ["a", "b"])


def test_a_column_of_names_is_refused():
    with pytest.raises(TypeError, match="column 'set' does not hold numbers"):
        friedman(FRAME.assign(set="x"))
