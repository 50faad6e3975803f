"""Calibrators to export, and scores at which exports are compared with Python."""

import numpy as np
import pytest

from tests.protocols.calibrators_table import CALIBRATORS

# A calibrator each, and further models of those whose tables take other ways.
_MORE = (
    "Isotonic-band",
    "Isotonic-True",
    "Isotonic-band-(-1, 0, 0.5, 9)-rank",
    "Gaussian-likelihood",
    "Auto-rank-False",
    "KDE-boxcar-dempster-per_class-None",
    "KDE-epanechnikov-dempster-per_class-None",
    "Adaptive-bayesian-0.4",
    "ENIR-bayesian-0.0-rank",
)
_FIRST = {entry.name: entry for entry in reversed(CALIBRATORS)}
ENTRIES = [e for e in CALIBRATORS if e is _FIRST[e.name] or e.id in _MORE]
every_entry = pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry.id)


def expected(calibrator, scores):
    """[Bel, Pl, BetP] (n, 3) of the positive class, by Python."""
    ends = calibrator.predict_interval(scores)
    return np.column_stack([ends, calibrator.predict_proba(scores)[:, 1]])


def scores_of(table, n=400):
    """Random scores, near and far, and all boundaries of pieces with their neighbors."""
    rng = np.random.default_rng(7)
    edges = table.starts
    near, far = rng.normal(size=n) * 2, rng.normal(size=n // 4) * 10.0 ** rng.integers(1, 9, n // 4)
    sides = [np.nextafter(edges, -np.inf), edges, np.nextafter(edges, np.inf)]
    found = np.concatenate([near, far, *sides, [0.0, -1e300, 1e300]])
    return found[(found >= table.low) & (found <= table.high)]


def check(found, calibrator, table, scores):
    """The export is what Python says: steps exactly, curves to the error that it states."""
    wanted = expected(calibrator, scores)
    assert found.shape == wanted.shape
    if table.error == 0:
        np.testing.assert_array_equal(found, wanted)
    assert table.error <= 1e-7
    assert np.abs(found - wanted).max() <= 1e-7
    bel, pl, betp = found.T
    assert (bel >= 0).all()
    assert (bel <= betp + 1e-15).all()
    assert (betp <= pl + 1e-15).all()
    assert (pl <= 1).all()
