"""Numbers of pages, computed again from what went in, with nothing of the package."""

import re
from dataclasses import replace

import numpy as np
import pytest
from scipy import stats
from sklearn.metrics import brier_score_loss, log_loss, roc_auc_score

from evical.calibrators import LogisticCalibrator
from evical.conformal.control import answered_promise
from evical.evaluation import EnsembleEvaluation, Evaluation
from evical.report import build
from evical.report._comparison_page import _sentence, differences_table, ranking_table
from evical.report._data_sets_page import data_sets_page
from evical.report._ensemble_page import (
    conflict_table,
    contrasts_table,
    rows_table,
    ways_table,
)
from evical.report._evaluation_tables import (
    Answers,
    answers_table,
    coverage_table,
    measures_tables,
    reject_table,
    reliability_table,
    width_table,
)
from tests.evical.report.outline import check_page
from tests.evical.report.results import data_sets, ensemble, evaluation, methods, samples

N_TEST = 180


@pytest.fixture(scope="module")
def judged() -> Evaluation:
    return evaluation()


@pytest.fixture(scope="module")
def predicted():
    """Labels, belief and plausibility of the sample that `evaluation` judges."""
    scores, names = samples()
    y = (names == "sick").astype(int)
    fitted = LogisticCalibrator(model="likelihood").fit(scores[:60], names[:60])
    bel, pl = fitted.predict_interval(scores[60:]).T
    return y[60:], bel, pl, scores[60:]


def test_measures_of_an_evaluation(judged, predicted):
    y, bel, pl, _ = predicted
    p = (bel + pl) / 2
    shown = {row.head[0]: row.values[0] for table in measures_tables(judged) for row in table.rows}
    assert shown["Brier score"] == pytest.approx(brier_score_loss(y, p))
    assert shown["Log loss"] == pytest.approx(log_loss(y, p))
    assert shown["ROC AUC"] == pytest.approx(roc_auc_score(y, p))
    assert shown["Mean imprecision"] == pytest.approx((pl - bel).mean())


def test_the_lead_of_an_evaluation(judged, predicted):
    y, bel, pl, _ = predicted
    brier, share = brier_score_loss(y, (bel + pl) / 2), y.mean()
    text = check_page(build(judged)).text
    assert f"180 samples were evaluated, {y.sum()} of them ({share:.1%}) of the positive" in text
    assert f"would give {share * (1 - share):.3f}; the predictions save " in text
    assert f"{1 - brier / (share * (1 - share)):.1%} of that" in text


def test_bins_of_an_evaluation(judged, predicted):
    y, bel, pl, _ = predicted
    order = np.argsort((bel + pl) / 2)
    bins = np.split(order, 10)  # no ties, so that all have 18
    for rows, row in zip(bins, reliability_table(judged).rows, strict=True):
        size, mean, share, low, high, _ = row.values
        assert (size, mean) == (18, pytest.approx(((bel + pl) / 2)[rows].mean()))
        assert share == pytest.approx(y[rows].mean())
        exact = stats.binomtest(int(y[rows].sum()), 18).proportion_ci(0.95, method="exact")
        assert (low, high) == (pytest.approx(exact.low), pytest.approx(exact.high))
    for rows, row in zip(bins, coverage_table(judged).rows, strict=True):
        low, high, share = bel[rows].mean(), pl[rows].mean(), y[rows].mean()
        assert row.values[1:4] == pytest.approx((low, high, share))
        tails = [stats.binomtest(int(y[rows].sum()), 18, low, alternative="less").pvalue]
        tails.append(stats.binomtest(int(y[rows].sum()), 18, high, alternative="greater").pvalue)
        refuted = 1 - (1 - min(2 * min(tails), 1)) ** 10 < 0.05
        outside = "no" if refuted else "but for chance"
        assert row.cells[4] == ("yes" if low <= share <= high else outside)


def test_widths_and_rejects_of_an_evaluation(judged, predicted):
    y, bel, pl, scores = predicted
    rows = width_table(judged).rows
    assert sum(row.values[2] for row in rows) == N_TEST
    for row in rows:
        least, most, size, mean, top = row.values
        inside = (scores >= least) & (scores <= most)
        widths = (pl - bel)[inside]
        assert (size, mean, top) == pytest.approx((inside.sum(), widths.mean(), widths.max()))
    for row in reject_table(judged).rows:
        level = float(row.head[0])
        yes, no = bel >= level, 1 - pl >= level
        yes, no = yes & ~(no & (1 - pl > bel)), no & ~(yes & (bel > 1 - pl))
        decided, alarms, misses = yes | no, yes & (y == 0), no & (y == 1)
        assert row.values[:2] == (decided.sum(), pytest.approx(decided.mean()))
        assert row.values[3:6] == (alarms.sum(), misses.sum(), (alarms | misses).sum())


def test_answers_of_an_evaluation(judged, predicted):
    y, bel, pl, _ = predicted
    p = judged.probability  # a sample may lie on a limit, to the last bit
    np.testing.assert_allclose(p, (bel + pl) / 2)
    wrong, doubt = ((p > 0.5) != y).astype(float), np.minimum(p, 1 - p)
    kept = 0
    for row, bound in zip(
        answers_table(Answers.of(judged)).rows, (0.01, 0.02, 0.05, 0.1, 0.2), strict=True
    ):
        found = answered_promise(wrong, doubt, bound, 0.95)
        answered = doubt < found.limit
        kept += found.kept
        assert row.values[0] == answered.sum()
        if found.kept:
            assert row.values[3] == wrong[answered].sum()
            assert stats.binom.cdf(wrong[answered].sum(), answered.sum(), bound) <= 0.05
        else:
            assert row.values[5] == found.n_needed
    assert 0 < kept < 5
    promised = answered_promise(wrong[:90], doubt[:90], 0.2, 0.95)
    assert promised.kept
    page = check_page(build(replace(judged, answers=promised))).text
    answered = doubt < promised.limit
    assert (
        f"The model guarantees: {promised}. Of these 180 samples it answers {answered.sum()}"
        in page
    )
    assert f"of which {int(wrong[answered].sum())} wrongly" in page
    assert "The data are compatible with it." in page
    refuted = replace(promised, bound=0.001, limit=np.inf)
    assert "The guarantee is violated." in check_page(build(replace(judged, answers=refuted))).text
    none = replace(promised, limit=-np.inf)
    assert "it answers none." in check_page(build(replace(judged, answers=none))).text
    assert "These predictions come without a guarantee" in check_page(build(judged)).text


def test_means_and_corrected_tests_of_a_comparison():
    made = methods()
    scores, names = samples()
    y = (names == "sick").astype(int)
    tried = {
        "logistic": LogisticCalibrator(),
        "bayesian": LogisticCalibrator(model="bayesian"),
        "poor": LogisticCalibrator(transform="rank"),
    }
    assert np.bincount(made.fold).tolist() == [80, 80, 80]
    measured = {name: [] for name in tried}
    for name, calibrator in tried.items():
        for fold in range(3):
            test = made.fold == fold
            fitted = calibrator.fit(scores[~test], names[~test])
            p, (bel, pl) = (
                fitted.predict_proba(scores[test])[:, 1],
                fitted.predict_interval(scores[test]).T,
            )
            measured[name].append(
                [
                    brier_score_loss(y[test], p),
                    log_loss(y[test], p),
                    roc_auc_score(y[test], p),
                    (pl - bel).mean(),
                ]
            )
    ranked = sorted(tried, key=lambda name: np.mean(measured[name], axis=0)[0])
    rows = ranking_table(made).rows
    assert [row.head[0].removesuffix(" (recommended)") for row in rows] == ranked
    for name, row in zip(ranked, rows, strict=True):
        means = np.mean(measured[name], axis=0)
        brier, log, _, area, width, _ = row.values
        assert (brier, log, area, width) == pytest.approx(tuple(means))
        error = np.sqrt((1 / 3 + 1 / 2) * np.var(measured[name], axis=0, ddof=1)[0])
        assert row.cells[0] == f"{means[0]:.4f} ± {error:.4f}"
    raw = []
    lines = differences_table(made).rows
    for name, row in zip(ranked[1:], lines, strict=True):
        gaps = np.subtract(measured[name], measured[ranked[0]])[:, 0]
        error = np.sqrt((1 / 3 + 1 / 2) * gaps.var(ddof=1))
        t = gaps.mean() / error
        raw.append(2 * stats.t.sf(abs(t), 2))
        low = gaps.mean() - stats.t.ppf(0.975, 2) * error
        assert row.head == (name,)
        assert row.values[:4] == pytest.approx((gaps.mean(), low, t, raw[-1]))
    # Holm's, of two.
    least, most = sorted(raw)
    adjusted = {least: min(2 * least, 1), most: max(min(2 * least, 1), most)}
    assert [row.values[4] for row in lines] == pytest.approx([adjusted[p] for p in raw])


def test_mean_ranks_of_data_sets():
    made = data_sets()
    page = data_sets_page(made, "")
    ranks_table, losses_table = page.sections[0].tables
    losses = np.array([row.values for row in losses_table.rows])
    names = losses_table.columns
    ranks = dict(zip(names, stats.rankdata(losses, axis=1).mean(axis=0).tolist(), strict=True))
    assert {row.head[0]: row.values[0] for row in ranks_table.rows} == pytest.approx(ranks)
    for row in ranks_table.rows:
        assert row.values[1] == pytest.approx(losses[:, names.index(row.head[0])].mean())
    p = stats.friedmanchisquare(*losses.T).pvalue
    shown = re.search(r"By Friedman's test, as Iman and .*? \(p = ([\d.]+)\)", " ".join(page.lead))
    # Iman and Davenport's form of the test.
    n, k = losses.shape
    chi2 = stats.chi2.isf(p, k - 1)
    statistic = (n - 1) * chi2 / (n * (k - 1) - chi2)
    exact = stats.f.sf(statistic, k - 1, (k - 1) * (n - 1))
    assert float(shown[1]) == pytest.approx(exact, rel=0.06)


@pytest.fixture(scope="module")
def combined() -> EnsembleEvaluation:
    return ensemble()


@pytest.fixture(scope="module")
def members():
    """Labels, and singleton masses (3, n, 3) of the members that `ensemble` combines."""
    rng = np.random.default_rng(0)
    y = rng.integers(3, size=120)
    p = []
    for skill in (1.0, 2.0, 0.5):
        logits = rng.normal(size=(120, 3)) + skill * np.eye(3)[y]
        p.append(np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True))
    return y, 0.8 * np.array(p)


def by_dempster(singletons):
    """Pignistic probability and conflict; each member leaves 0.2 to the whole frame."""
    tables, conflicts = [], []
    for masses in np.moveaxis(singletons, 1, 0):  # of a sample, (3 members, 3 classes)
        each = np.prod(masses + 0.2, axis=0) - 0.2**3  # all say k or the frame, not all the frame
        total = each.sum() + 0.2**3
        tables.append((each + 0.2**3 / 3) / total)
        conflicts.append(1 - total)
    return np.array(tables), np.array(conflicts)


def test_an_ensemble_by_hand(combined, members):
    y, singletons = members
    pignistic = singletons + 0.2 / 3
    fused, conflict = by_dempster(singletons)
    ways = [*pignistic, fused, pignistic.mean(axis=0)]
    losses = []
    for row, p in zip(ways_table(combined).rows, ways, strict=True):
        wrong = (p.argmax(axis=1) != y).astype(float)
        brier = ((p - np.eye(3)[y]) ** 2).sum(axis=1)
        log = -np.log(p[np.arange(120), y])
        losses.append((wrong, brier, log))
        assert row.values[:3] == pytest.approx((wrong.mean(), brier.mean(), log.mean()))
    for row, other in zip(contrasts_table(combined).rows, (*losses[:3], losses[4]), strict=True):
        gaps = [a - b for a, b in zip(losses[3], other, strict=True)]
        assert row.values[:3] == pytest.approx([gap.mean() for gap in gaps])
        error = gaps[1].std(ddof=1) / np.sqrt(120)
        assert row.cells[1].endswith(f" ± {error:.4f}")
        mine, theirs = ((losses[3][0] < other[0]).sum(), (losses[3][0] > other[0]).sum())
        if mine + theirs < 25:
            exact = stats.binomtest(int(mine), int(mine + theirs)).pvalue
            assert row.values[3] == pytest.approx(exact)
    groups = conflict_table(combined).rows
    assert sum(row.values[2] for row in groups) == 120
    for row in groups:
        least, most, size, rate, *_ = row.values
        inside = (conflict >= least - 1e-12) & (conflict <= most + 1e-12)
        assert (size, rate) == (inside.sum(), pytest.approx(losses[3][0][inside].mean()))
    top = rows_table(combined).rows
    worst = np.argsort(-conflict)[: len(top)]
    assert [int(row.head[0]) for row in top] == worst.tolist()
    names = np.array(["healthy", "sick", "odd"])
    for row, i in zip(top, worst, strict=True):
        assert row.values[0] == pytest.approx(conflict[i])
        chosen = [f"{names[p[i].argmax()]} ({p[i].max():.2f})" for p in (fused, *pignistic)]
        assert row.cells[1:] == (names[y[i]], *chosen)
    text = check_page(build(combined)).text
    assert f"combined by dempster err on {losses[3][0].mean():.1%} of 120 samples" in text
    assert f"The conflict is {conflict.mean():.3f} on average" in text


def test_sentences_keep_the_names_of_methods():
    assert _sentence("no difference is clear", ("beta",)) == "No difference is clear."
    assert _sentence("beta loses less!", ("beta",)) == "beta loses less!"
