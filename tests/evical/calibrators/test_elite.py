"""ELiTE: its average by hand, its criteria, its edges, and the thesis' simulated data."""

from pathlib import Path

import numpy as np
import pytest
from scipy.special import expit
from sklearn.metrics import roc_auc_score
from sklearn.svm import SVC

from evical.calibrators import ELiTECalibrator, IsotonicCalibrator
from evical.curves.trend_filtering import trend_filter_path
from evical.scores import ScoreCounts
from tests.evical.curves.of_arrays import fits_of
from tests.support.each import each, pairs

DATA = Path(__file__).parents[4] / "shared" / "data"


def samples(n=300, seed=0):
    """Scores in [0, 1] with ties and a probability that is not monotone."""
    rng = np.random.default_rng(seed)
    scores = rng.random(n).round(2)
    return scores, (rng.random(n) < 0.5 + 0.45 * np.sin(7 * scores)).astype(int)


def positive(calibrator, scores):
    return calibrator.predict_proba(scores)[:, 1]


# ---- definition


def averaged(scores, y, criterion, clip, at):
    """The average by its formulas, fit by fit and sample by sample."""
    counts = ScoreCounts.from_samples(scores, y)
    path = trend_filter_path(counts.scores, counts.positive / counts.total, counts.total)
    n, laplace = len(y), 1 / (len(y) + 2)
    sizes = []
    for fit, d in zip(fits_of(path, scores), path.degrees_of_freedom, strict=True):
        p = np.clip(fit, laplace, 1 - laplace)
        cost = -2 * np.log(np.where(y == 1, p, 1 - p)).sum()
        small = 2 * d * (d + 1) / (n - d - 1) if n > d + 1 else np.inf
        sizes.append(cost + {"aicc": 2 * d + small, "aic": 2 * d, "bic": d * np.log(n)}[criterion])
    weights = np.exp((min(sizes) - np.array(sizes)) / 2)
    clip = laplace if clip is None else clip
    return weights / weights.sum() @ np.clip(fits_of(path, at), clip, 1 - clip)


@pytest.mark.filterwarnings("ignore::evical.errors.WrongWayWarning")
@each(("n", "criterion", "clip"), pairs([20, 60, 300], ["aicc", "aic", "bic"], [None, 0.0, 0.1]))
def test_average_of_clipped_fits(n, criterion, clip):
    scores, y = samples(n)
    at = np.linspace(-0.1, 1.1, 1001)
    calibrator = ELiTECalibrator(criterion=criterion, clip=clip).fit(scores, y)
    np.testing.assert_allclose(
        positive(calibrator, at), averaged(scores, y, criterion, clip, at), atol=1e-12
    )
    assert calibrator.weights_.sum() == pytest.approx(1)
    assert calibrator.degrees_of_freedom_[0] == 2


# ---- laws


@pytest.mark.filterwarnings("ignore::evical.errors.WrongWayWarning")
def test_linear_between_scores_and_constant_outside():
    scores, y = samples(100)
    calibrator = ELiTECalibrator().fit(scores, y)
    # Knots are scores, or where a fit crosses the bounds of probabilities.
    inside = np.linspace(0, 1, 11)
    for left, right in zip(calibrator.knots_[:-1], calibrator.knots_[1:], strict=True):
        p = positive(calibrator, left + inside * (right - left))
        np.testing.assert_allclose(np.diff(p, 2), 0, atol=1e-12)
    ends = positive(calibrator, [scores.min(), scores.max()])
    np.testing.assert_array_equal(positive(calibrator, [-7, 7]), ends)


@pytest.mark.filterwarnings("ignore:scores look reversed")  # on purpose
def test_map_follows_what_is_not_monotone():
    scores, y = samples(5000)
    at = np.linspace(0, 1, 101)
    truth = 0.5 + 0.45 * np.sin(7 * at)
    assert np.abs(positive(ELiTECalibrator().fit(scores, y), at) - truth).max() < 0.1


def test_margins_are_read_through_the_sigmoid():
    rng = np.random.default_rng(0)
    margins = 3 * rng.normal(size=200)
    y = rng.random(200) < expit(margins)
    given = ELiTECalibrator(transform="sigmoid").fit(margins, y)
    named = ELiTECalibrator(transform=None).fit(expit(margins), y)
    np.testing.assert_array_equal(positive(given, margins), positive(named, expit(margins)))


def test_probabilities_keep_off_0_and_1_unless_asked():
    scores, y = np.arange(100) / 99, np.arange(100) > 49
    p = positive(ELiTECalibrator().fit(scores, y), scores)
    assert p.min() == pytest.approx(1 / 102)
    assert p.max() == pytest.approx(101 / 102)
    bare = positive(ELiTECalibrator(clip=0.0).fit(scores, y), scores)
    assert bare.min() == 0
    assert bare.max() == 1


# ---- edges


def test_too_few_samples_for_the_criterion_give_the_line():
    calibrator = ELiTECalibrator(n_lambdas=4).fit([0.0, 0.5, 1.0], [0, 1, 1])
    np.testing.assert_array_equal(calibrator.degrees_of_freedom_, [2, 3, 3, 3])
    np.testing.assert_array_equal(calibrator.weights_, [1, 0, 0, 0])
    p = positive(calibrator, [0.0, 0.5, 1.0])
    np.testing.assert_allclose(p, [1 / 5, 2 / 3, 4 / 5], atol=1e-12)


def test_two_samples_are_joined_by_a_line():
    p = positive(ELiTECalibrator().fit([0.2, 0.6], [0, 1]), [0.2, 0.4, 0.6])
    np.testing.assert_allclose(p, [1 / 4, 1 / 2, 3 / 4])


def test_constant_scores_give_the_share():
    p = positive(ELiTECalibrator().fit(np.full(5, 0.3), [0, 1, 1, 1, 1]), [0.0, 0.3, 1.0])
    np.testing.assert_allclose(p, 0.8)


@pytest.mark.parametrize("row", [0, 50, 99])
def test_one_sample_of_a_class(row):
    scores, y = np.arange(100) / 99, np.arange(100) == row
    for labels in (y, ~y):
        p = positive(ELiTECalibrator().fit(scores, labels), scores)
        assert np.isfinite(p).all()
        assert np.abs(p - labels.mean()).mean() < 0.1


@pytest.mark.filterwarnings("ignore:scores look reversed")  # on purpose
def test_weights_of_a_billion():
    scores, y = samples(200)
    light = ELiTECalibrator().fit(scores, y, sample_weight=np.full(200, 1e9))
    assert np.isfinite(positive(light, scores)).all()
    mixed = 10 ** np.random.default_rng(0).uniform(0, 9, 200)
    for weights in (mixed, mixed**1.4, mixed**-1.6, mixed**3 * 1e-14):
        p = positive(ELiTECalibrator().fit(scores, y, sample_weight=weights), scores)
        assert ((p > 0) & (p < 1)).all()


@pytest.mark.filterwarnings("ignore:scores look reversed")  # on purpose
def test_scores_at_tiny_distances():
    rng = np.random.default_rng(0)
    scores = 0.5 + 1e-12 * rng.integers(0, 50, 200)
    y = rng.random(200) < 0.5 + 0.3 * np.sin((scores - 0.5) * 1e11)
    scores[0] = 0.0
    p = positive(ELiTECalibrator().fit(scores, y), scores)
    assert ((p > 0) & (p < 1)).all()


@each(
    "options",
    [
        {"n_lambdas": 0},
        {"min_ratio": 1},
        {"criterion": "cv"},
        {"clip": 0.5},
        {"clip": -0.1},
        {"clip": float("nan")},
    ],
    ids=str,
)
def test_wrong_parameters_are_refused(options):
    with pytest.raises(ValueError, match=f"{next(iter(options))} is "):
        ELiTECalibrator(**options).fit(*samples())


@pytest.mark.parametrize("options", [{"n_lambdas": True}, {"min_ratio": "0.1"}, {"clip": 0j}])
def test_parameters_of_a_wrong_kind_are_refused(options):
    with pytest.raises(TypeError, match=f"{next(iter(options))} is "):
        ELiTECalibrator(**options).fit(*samples())


@pytest.mark.parametrize(
    ("state", "message"),
    [
        ({"knots_": [0.5, 0.1]}, "knots_ is not in ascending order"),
        ({"knots_": [], "values_": []}, r"knots_ has shape \(0,\)"),
        ({"values_": [0.5, 1.5]}, "values_ holds 1.5, expected numbers from 0 to 1"),
        ({"values_": [0.5]}, r"values_ has shape \(1,\)"),
        ({"weights_": [0.5]}, r"weights_ has shape \(1,\)"),
    ],
    ids=str,
)
def test_damaged_data_are_refused(state, message):
    saved = ELiTECalibrator(clip=0.0).fit([0.2, 0.6], [0, 1]).to_dict()
    with pytest.raises(ValueError, match=message):
        ELiTECalibrator.from_dict({**saved, "state": {**saved["state"], **state}})


# ---- the thesis' data


def rows(name):
    path = DATA / f"{name}.csv"
    if not path.exists():
        pytest.skip(f"{name} is not here")
    return np.loadtxt(path, delimiter=",", skiprows=1)


def quality(calibrator, train, test):
    """AUC, root mean squared error, and the error of ten groups of equally many samples."""
    p, y = positive(calibrator.fit(*train), test[0]), test[1]
    order = np.argsort(p, kind="stable")
    groups = np.array_split(order, 10)
    error = sum(len(g) * abs(p[g].mean() - y[g].mean()) for g in groups) / len(y)
    return roc_auc_score(y, p), np.sqrt(np.mean((p - y) ** 2)), error


def test_circular_data_and_a_linear_machine():
    train, test = rows("bbq_circular_train"), rows("bbq_circular_test")
    machine = SVC(kernel="linear").fit(train[:, :2], train[:, 2])
    margins = [(machine.decision_function(part[:, :2]), part[:, 2]) for part in (train, test)]
    auc, rmse, error = quality(ELiTECalibrator(), *margins)
    assert auc > 0.85
    assert rmse < 0.385
    assert error < 0.05
    auc, rmse, error = quality(IsotonicCalibrator(model="bayesian"), *margins)
    assert auc < 0.7
    assert rmse > 0.44
    assert error > 0.2


def test_circular_data_and_a_quadratic_machine():
    train, test = rows("bbq_circular_train"), rows("bbq_circular_test")
    machine = SVC(kernel="poly", degree=2, coef0=1.0).fit(train[:, :2], train[:, 2])
    margins = [(machine.decision_function(part[:, :2]), part[:, 2]) for part in (train, test)]
    auc, rmse, error = quality(ELiTECalibrator(), *margins)
    assert auc > 0.999
    assert rmse < 0.08
    assert error < 0.01


def test_scores_of_the_authors_demonstration():
    parts = [rows(f"enir_scores_{part}").T for part in ("train", "test")]
    auc, rmse, error = quality(ELiTECalibrator(), *parts)
    assert auc > 0.999
    assert rmse < 0.07
    assert error < 0.01
