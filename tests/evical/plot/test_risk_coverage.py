"""The risk-coverage curve, drawn: its numbers, its band, and several on shared axes."""

import numpy as np
import pytest
from matplotlib.figure import Figure

from evical import LogisticCalibrator
from evical.metrics import risk_coverage_curve
from evical.plot import RiskCoverageDisplay


@pytest.fixture(scope="module")
def sample():
    rng = np.random.default_rng(0)
    scores = rng.normal(0, 1.5, 300)
    y = (rng.random(300) < 1 / (1 + np.exp(-scores))).astype(int)
    return LogisticCalibrator().fit(scores[:100], y[:100]), scores[100:], y[100:]


def test_what_is_drawn_is_what_was_computed(sample):
    calibrator, scores, y = sample
    ax = Figure().subplots()
    for number, by in enumerate(("probability", "width", "plausibility")):
        options = {"by": by, "loss": [[0, 1], [0.2, 0]], "name": "$a$", "confidence": 0.8}
        options["sample_weight"] = np.linspace(0, 2, len(y))
        display = RiskCoverageDisplay.from_estimator(
            calibrator, scores, y, **options, ax=ax, band=number == 0
        )
        del options["name"]
        curve = risk_coverage_curve(y, calibrator.predict_mass(scores), **options)
        np.testing.assert_array_equal(display.line_.get_xdata(), curve.coverage)
        np.testing.assert_array_equal(display.line_.get_ydata(), curve.risk)
        assert (display.band_ is None) == (number > 0)
        if not number:
            edges = display.band_.get_paths()[0].vertices[1 : len(curve.risk) + 1, 1]
            np.testing.assert_allclose(np.sort(edges), np.sort(curve.lower), atol=1e-12)
    assert len({line.get_color() for line in ax.lines}) == 3
    texts = [text.get_text() for text in ax.get_legend().get_texts()]
    assert texts[2] == rf"\$a\$, AURC {curve.aurc:.3g}"
    top = max(line.get_ydata()[line.get_xdata() > 0.05].max() for line in ax.lines)
    assert top < ax.get_ylim()[1] < 1


def test_many_samples_are_a_line_of_few_points():
    rng = np.random.default_rng(1)
    p = rng.random(20_000)
    display = RiskCoverageDisplay.from_predictions(rng.random(20_000) < p, p)
    assert len(display.line_.get_xdata()) == 2000
    assert display.line_.get_ydata()[-1] == display.curve.risk[-1]


def test_bad_input(sample):
    calibrator, scores, y = sample
    with pytest.raises(TypeError, match="has no predict_proba"):
        RiskCoverageDisplay.from_estimator(RiskCoverageDisplay, scores, y)
    with pytest.raises(TypeError, match="band is 1"):
        RiskCoverageDisplay.from_estimator(calibrator, scores, y, band=1)
    with pytest.raises(TypeError, match="curve is"):
        RiskCoverageDisplay([1, 2]).plot()
