"""Curves of couplings are means of what the definitions say of each iterate."""

from itertools import islice

import numpy as np
import pytest
from matplotlib.figure import Figure

from evical.multiclass import code_matrix, hastie_tibshirani
from evical.multiclass.coupling import hastie_tibshirani_steps
from evical.plot import CouplingDisplay
from tests.naive import coupling as naive_coupling
from tests.support.each import each
from tests.support.images import picture

PAIRS = code_matrix("all_pairs", 4)
REST = code_matrix("one_vs_rest", 4)


def answers(code, n=12, noise=0.1):
    rng = np.random.default_rng(0)
    p = rng.dirichlet(np.ones(len(code)), n)
    exact = (p @ (code == 1)) / (p @ (code != 0))
    y = np.array([rng.choice(list("abcd"), p=row) for row in p])
    y[:4] = list("abcd")
    return np.clip(exact + noise * rng.normal(size=exact.shape), 0.02, 0.98), y


@pytest.fixture
def ax():
    return Figure().subplots()


@each("code", [PAIRS, REST])
@each("update", ["minorize", "zadrozny", "scoring"])
def test_divergences_are_those_of_the_iterates(ax, code, update):
    r, _ = answers(code)
    display = CouplingDisplay.from_predictions(
        r, code, measure="divergence", updates=[update], n_steps=5, ax=ax
    )
    steps = islice(hastie_tibshirani_steps(r, code, update=update), 6)
    ones = [1] * code.shape[1]
    expected = [
        np.mean([naive_coupling.divergence(step[i], r[i], code, ones) for i in range(len(r))])
        for step in steps
    ]
    np.testing.assert_allclose(display.lines_[update].get_ydata(), expected, rtol=1e-9)
    assert display.lines_[update].get_xdata().tolist() == list(range(6))
    assert (display.optimum <= np.array(expected)).all()
    assert display.optimum_.get_ydata()[0] == display.optimum


def test_gaps_go_to_zero_and_have_a_logarithmic_axis(ax):
    r, _ = answers(PAIRS)
    display = CouplingDisplay.from_predictions(r, PAIRS, updates=["minorize", "scoring"], ax=ax)
    assert ax.get_yscale() == "log"
    for values in display.values.values():
        assert (np.diff(values) <= 1e-12).all()
        assert (values > -1e-12).all()
    assert display.values["scoring"][-1] == pytest.approx(0, abs=1e-12)
    assert display.values["minorize"][-1] < display.values["minorize"][0] / 100
    assert display.optimum_ is None
    assert len({line.get_marker() for line in display.lines_.values()}) == 2


def test_squared_errors(ax):
    r, y = answers(PAIRS)
    display = CouplingDisplay.from_predictions(r, PAIRS, y, n_steps=4, ax=ax)
    truth = y[:, np.newaxis] == np.array(list("abcd"))
    steps = list(islice(hastie_tibshirani_steps(r, PAIRS), 5))
    expected = [((p - truth) ** 2).sum(axis=1).mean() for p in steps]
    np.testing.assert_allclose(display.values["minorize"], expected)
    best = hastie_tibshirani(r, PAIRS)
    assert display.optimum == pytest.approx(((best - truth) ** 2).sum(axis=1).mean(), abs=1e-6)
    assert ax.get_ylabel() == "Mean squared error"


def test_consistent_answers_converge(ax):
    r, _ = answers(REST, noise=0)
    display = CouplingDisplay.from_predictions(r, REST, n_steps=100, ax=ax)
    assert display.values["minorize"][-1] < 1e-6


def test_weights_are_taken(ax):
    r, _ = answers(PAIRS)
    weights = [1, 2, 3, 4, 5, 6]
    options = {"measure": "divergence", "n_steps": 2, "ax": ax}
    one = CouplingDisplay.from_predictions(r, PAIRS, **options)
    two = CouplingDisplay.from_predictions(r, PAIRS, weights=weights, **options)
    assert abs(one.optimum - two.optimum) > 1e-3


@each(
    ("options", "message"),
    [
        ({"measure": "kl"}, "measure is 'kl', expected one of 'gap', 'divergence', 'mse'"),
        ({"measure": "mse"}, "y_true is missing"),
        ({"updates": []}, "updates are"),
        ({"updates": ["newton"]}, "update is 'newton'"),
        ({"n_steps": 0}, "n_steps is 0"),
        ({"y_true": ["a", "b"]}, "y_true has 2 labels, but there are 4 columns"),
        ({"weights": [1]}, "weights have shape"),
    ],
)
def test_what_is_refused(options, message):
    r, _ = answers(PAIRS)
    with pytest.raises(ValueError, match=message):
        CouplingDisplay.from_predictions(r, PAIRS, **options)
    with pytest.raises(TypeError, match="updates is 'minorize', expected a list"):
        CouplingDisplay.from_predictions(r, PAIRS, updates="minorize")


def test_no_row():
    with pytest.raises(ValueError, match="r has no row"):
        CouplingDisplay.from_predictions(np.empty((0, 6)), PAIRS)


def test_picture_of_convergence():
    r, y = answers(REST)
    updates = ["minorize", "zadrozny", "scoring"]
    with picture("coupling", 4.8, 5.2) as figure:
        figure.subplots_adjust(bottom=0.1, hspace=0.6)
        upper, lower = figure.subplots(2, 1)
        CouplingDisplay.from_predictions(r, REST, updates=updates, ax=upper)
        upper.set_yticks(np.logspace(-10, -2, 5))  # versions of matplotlib choose other decades
        CouplingDisplay.from_predictions(r, REST, y, updates=updates[:1], ax=lower)
