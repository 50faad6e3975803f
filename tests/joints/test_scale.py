"""Scale: calibrators see scores in any unit, from any origin, and lose none of them."""

import json
import warnings

import numpy as np
import pytest
from scipy.special import expit
from sklearn.metrics import log_loss

from evical import calibrators
from evical.calibrators import (
    AutoCalibrator,
    BaseCalibrator,
    BetaCalibrator,
    KDECalibrator,
    LogisticCalibrator,
    TemperatureCalibrator,
)
from evical.cli import main
from evical.errors import WrongWayWarning
from evical.multiclass import DirichletCalibrator, OneVsRestCalibrator, SoftmaxCalibrator
from evical.scores import ScoreCounts
from evical.scores.scale import fit_scale
from tests.joints.seeds import every_seed
from tests.protocols.calibrators_table import CALIBRATORS

# What more than the order of scores and the ratios of their differences tells, as docstrings say.
FIXED = {
    "NormalizingCalibrator": {"unit", "origin"},  # learns neither
    "TemperatureCalibrator": {"origin"},  # 0 is even odds
    "AutoCalibrator": {"unit", "origin"},  # margins may be log-odds
    "PiecewiseLogisticCalibrator": {"unit"},  # of its penalty
}
SCALES = {
    "1e-9": (lambda s: s * 1e-9, {"unit"}),
    "1e9, shifted by 1e9": (lambda s: 1e9 * s + 1e9, {"unit", "origin"}),
    "credit scores": (lambda s: 575 + 40 * s, {"unit", "origin"}),
    "shifted by 1e9": (lambda s: s + 1e9, {"origin"}),
    "float32": (lambda s: s.astype(np.float32), set()),
}


def margins(n=53, seed=0):
    """Different scores of two overlapping classes, some far out; 1e9 + s keeps their digits."""
    rng = np.random.default_rng(seed)
    y = (np.arange(n) % 5 < 2).astype(int)
    s = rng.normal(size=n) + 1.5 * y - 0.4
    return np.round(np.where(np.arange(n) % 10 == 0, 5 * s, s) * 2**12) / 2**12, y


def auc(p, y):
    """Share of pairs of both classes in order, ties as halves; and the share of ties."""
    gaps = p[y == 1][:, None] - p[y == 0]
    return (gaps > 0).mean() + (gaps == 0).mean() / 2, (gaps == 0).mean()


def predictions(calibrator, scores):
    """Probabilities of the positive class, and belief and plausibility."""
    bounds = calibrator.predict_interval(scores)
    return np.column_stack([calibrator.predict_proba(scores)[:, 1], bounds])


def fitted(entry, scores, y):
    with warnings.catch_warnings(action="ignore", category=WrongWayWarning):
        return entry().fit(scores, y)


def leaves_the_scale(entry):
    """Whether no option names a scale, or numbers on it; models see what one of them sees."""
    usual = getattr(calibrators, entry.name)().transform
    named = ("n_bins", "grid", "bandwidth", "width")
    numbers = any(isinstance(entry.options.get(name), tuple | float) for name in named)
    return entry.options.get("transform", usual) in (usual, "auto", "rank") and not numbers


_TOLD = {
    (entry.name, *sorted((k, v) for k, v in entry.options.items() if k != "model")): entry
    for entry in reversed(CALIBRATORS)
    if leaves_the_scale(entry)
}


@pytest.mark.parametrize("entry", _TOLD.values(), ids=lambda entry: entry.id)
@every_seed
def test_units_and_origins_do_not_matter(entry, seed):
    s, y = margins(seed=seed)
    wanted = predictions(fitted(entry, s, y), s)
    fixed = FIXED.get(entry.name, set()) if entry.options.get("transform") is None else set()
    for name, (scale, moved) in SCALES.items():
        if not fixed & moved:
            found = predictions(fitted(entry, scale(s), y), scale(s))
            error = np.abs(found - wanted).max()
            assert error < 1e-5, f"{name}: predictions differ by {error}"
    order, ties = auc(wanted[:, 0], y)
    # Some methods rise and fall, as of normal scores with two variances.
    assert order >= auc(s, y)[0] - ties / 2 - 0.1


@every_seed
def test_scores_that_differ_still_do(seed):
    """On the scale of "auto": outliers of a million units, a third at one score, neighbors."""
    rng = np.random.default_rng(seed)
    y = np.arange(90) % 3 > 0
    bulk = rng.normal(size=90) + y
    samples = {
        "bulk": bulk,
        "outliers": np.where(np.arange(90) % 9 == 0, 1e6 * bulk, bulk),
        "ties": np.where(np.arange(90) % 5 < 3, -0.5, bulk),
        "neighbors": 1.0 + np.arange(90) * 1e-12 + 1.0,
    }
    for kind, s in samples.items():
        for name, (scale, _) in SCALES.items():
            counts = ScoreCounts.from_samples(scale(s), y)
            for transform in ("auto", "rank"):
                read = fit_scale(transform, counts).counts(counts)
                assert len(read) == len(counts), f"{kind}, {name}, {transform}"


@pytest.mark.parametrize("make", [LogisticCalibrator, BetaCalibrator, TemperatureCalibrator])
@every_seed
def test_injective_methods_keep_all_pairs_in_order(make, seed):
    s, y = margins(seed=seed)
    for name, (scale, moved) in SCALES.items():
        if make is TemperatureCalibrator and "origin" in moved:
            continue
        for x in (scale(s), expit(s), 1e-9 * expit(s)):
            p = make(model="bayesian").fit(x, y).predict_proba(x)[:, 1]
            distinct = len(np.unique(x))
            assert len(np.unique(p)) == distinct, name
            assert auc(p, y) == auc(x, y), name


# ---- what is read as what


@pytest.mark.filterwarnings("ignore::evical.errors.WrongWayWarning")
def test_probabilities_have_a_temperature_by_their_log_odds():
    s, y = margins(200)
    p = expit(3 * s)
    given, log_odds = TemperatureCalibrator().fit(p, y), TemperatureCalibrator().fit(3 * s, y)
    named = TemperatureCalibrator(transform="logit").fit(p, y)
    np.testing.assert_array_equal(given.predict_interval(p), named.predict_interval(p))
    np.testing.assert_allclose(given.predict_proba(p), log_odds.predict_proba(3 * s), atol=1e-5)
    assert log_loss(y, given.predict_proba(p)[:, 1]) < 0.6
    for refused in (given, OneVsRestCalibrator(TemperatureCalibrator())):
        if refused is not given:
            refused.fit(np.stack([p, 1 - p, 0.5 * p], axis=1), np.arange(200) % 3)
        scores = 3 * s if refused is given else np.stack([3 * s] * 3, axis=1)
        with pytest.raises(
            ValueError, match=r"a number in \[0, 1\], as in training, where scores were"
        ):
            refused.predict_proba(scores)
    later = TemperatureCalibrator().partial_fit(p, y).partial_fit(-3 * np.abs(s), y)
    assert later.predict_proba([2.0]).shape == (1, 2)  # one score outside: margins


def test_the_command_reads_probabilities_for_a_temperature(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    s, y = margins(200)
    lines = [f"{p!r},{label}" for p, label in zip(expit(3 * s).tolist(), y.tolist(), strict=True)]
    (tmp_path / "p.csv").write_text("\n".join(["p,y", *lines]) + "\n")
    fit = "fit p.csv --score p --target y --method temperature -o t.json"
    assert main(fit.split()) == 0
    data = json.loads((tmp_path / "t.json").read_text())
    assert data["training"]["log_loss"] < 0.6


def test_what_was_saved_is_read_as_it_was():
    """Models of "auto" from before scores were standardized have the plain sigmoid."""
    s, y = margins()
    old = KDECalibrator(transform="sigmoid").fit(40 * s, y)
    data = json.loads(json.dumps(old.to_dict()))
    assert data["scale"].keys() == {"kind", "knots", "levels"}
    data["parameters"]["transform"] = "auto"
    read = BaseCalibrator.from_dict(data)
    np.testing.assert_array_equal(read.predict_interval(40 * s), old.predict_interval(40 * s))
    new = KDECalibrator().fit(40 * s, y)
    again = KDECalibrator.from_dict(json.loads(json.dumps(new.to_dict())))
    np.testing.assert_array_equal(again.predict_interval(40 * s), new.predict_interval(40 * s))
    for key, value in (("unit", 0.0), ("unit", "x"), ("center", float("nan"))):
        damaged = new.to_dict()
        damaged["scale"][key] = value
        with pytest.raises(ValueError, match="saved calibrator is damaged: scale"):
            KDECalibrator.from_dict(damaged)


def test_the_default_says_how_it_reads_scores():
    s, y = margins(300)
    readings = {}
    for name, scores in (("margins", s), ("probabilities", expit(s)), ("credit", 575 + 40 * s)):
        calibrator = AutoCalibrator().fit(scores, y)
        read = AutoCalibrator.from_dict(calibrator.to_dict()).candidates_
        assert read == calibrator.candidates_
        readings[name] = {one for one in read if one.startswith("as ")}
    assert readings == {
        "margins": {"as log-odds"},
        "probabilities": {"as probabilities"},
        "credit": set(),
    }


def test_a_calibration_that_lost_its_input_says_so():
    """Gebel's, of sure classifiers: 0.9998 and 0.0001 become the same."""
    rng = np.random.default_rng(0)
    y = np.arange(150) % 3
    guess = np.where(rng.random(150) < 0.1, (y + 1) % 3, y)
    samples = {"votes": np.eye(3)[guess], "sure": 0.0001 + 0.9997 * np.eye(3)[guess]}
    for name, table in samples.items():
        with pytest.warns(UserWarning, match="DirichletCalibrator lost information") as found:
            calibrator = DirichletCalibrator(factor=300).fit(table, y)
        assert "take SoftmaxCalibrator(transform='log')" in str(found[0].message), name
        assert calibrator.predict_proba(table).max() < 0.45, name
        kept = SoftmaxCalibrator(transform="log").fit(table, y)
        assert (kept.predict(table) == guess).all(), name
    # Scores that are less sure, and scores that know nothing, are no reason to warn.
    unsure = (rng.dirichlet(np.ones(3), 150) + np.eye(3)[guess]) / 2
    DirichletCalibrator(smallest_factor=1).fit(unsure, y)
    DirichletCalibrator(smallest_factor=1).fit(rng.dirichlet(np.ones(3), 150), y)
