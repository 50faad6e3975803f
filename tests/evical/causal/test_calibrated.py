"""Calibrated edges: laws, the calibrators that they take, and bad input."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

from dstheory import MassFunction
from evical.causal import (
    EDGE_TYPES,
    BootstrappedEdges,
    CalibratedEdges,
    edge_types,
)
from evical.multiclass import (
    MultinomialLogisticCalibrator,
    OneVsRestCalibrator,
    ShallowNetCalibrator,
    SoftmaxCalibrator,
)
from examples.studies.naeini2016_causal.networks import random_network

NETWORK = random_network(12, 16, np.random.default_rng(2))


@pytest.fixture(scope="module")
def edges():
    X = NETWORK.sample(300, np.random.default_rng(1))
    return BootstrappedEdges(n_bootstraps=10, random_state=0).fit(X)


@pytest.fixture(scope="module")
def pairs(edges):
    return edges.all_pairs()


@pytest.fixture(scope="module")
def truth(pairs):
    names = NETWORK.names
    return edge_types(NETWORK.cpdag(), [(names[a], names[b]) for a, b in pairs])


@pytest.fixture(scope="module")
def fitted(edges, pairs, truth):
    return CalibratedEdges(edges).fit(pairs, truth)


def test_beliefs_on_the_frame_of_the_edge_types(fitted, pairs):
    m = fitted.predict_mass(pairs[:5])
    assert isinstance(m, MassFunction)
    assert m.frame.labels == EDGE_TYPES
    assert m.batch_shape == (5,)
    assert not m.is_bayesian.all()
    p, bounds = fitted.predict_proba(pairs[:5]), fitted.predict_interval(pairs[:5])
    assert p.shape == (5, 4)
    np.testing.assert_allclose(p.sum(axis=1), 1)
    assert (bounds[..., 0] <= p + 1e-12).all()
    assert (p <= bounds[..., 1] + 1e-12).all()
    assert fitted.classes_.tolist() == list(EDGE_TYPES)
    assert set(fitted.predict(pairs)) <= set(EDGE_TYPES)
    sets = fitted.predict_set(pairs)
    assert sets.shape == (len(pairs), 4)
    assert sets[np.arange(len(pairs)), fitted.predict_proba(pairs).argmax(axis=1)].all()


def test_calibration_is_better_than_shares_where_it_learned(edges, fitted, pairs, truth):
    right = truth[:, np.newaxis] == np.array(EDGE_TYPES)
    loss = [
        -np.log(np.maximum(p[right], 1e-3)).mean()
        for p in (fitted.predict_proba(pairs), edges.proportions(pairs))
    ]
    assert loss[0] < loss[1]


@pytest.mark.parametrize(
    "calibrator",
    [None, ShallowNetCalibrator(n_nets=2, random_state=0), OneVsRestCalibrator()],
    ids=["evidential", "net", "auto"],
)
def test_a_pair_and_its_reverse_have_reversed_beliefs(edges, pairs, truth, calibrator):
    fitted = CalibratedEdges(edges, calibrator=calibrator).fit(pairs, truth)
    there, back = (fitted.predict_interval(p) for p in (pairs, [(b, a) for a, b in pairs]))
    np.testing.assert_allclose(there, back[:, [0, 2, 1, 3]], atol=1e-9)


def test_in_both_directions_or_as_in_the_thesis(edges, pairs, truth):
    """Without symmetry, it is the calibrator alone, on shares; with it, that of both directions."""
    codes = np.array([EDGE_TYPES.index(kind) for kind in truth])
    shares = edges.proportions(pairs)
    plain = CalibratedEdges(edges, calibrator=SoftmaxCalibrator(), symmetric=False).fit(
        pairs, truth
    )
    alone = SoftmaxCalibrator().fit(shares, codes)
    np.testing.assert_allclose(plain.predict_proba(pairs), alone.predict_proba(shares), atol=1e-9)
    swapped = [0, 2, 1, 3]
    both = SoftmaxCalibrator().fit(
        np.concatenate([shares, shares[:, swapped]]),
        np.concatenate([codes, np.array(swapped)[codes]]),
        np.full(2 * len(codes), 0.5),
    )
    symmetric = CalibratedEdges(edges, calibrator=SoftmaxCalibrator()).fit(pairs, truth)
    np.testing.assert_allclose(
        symmetric.predict_proba(pairs), both.predict_proba(shares), atol=1e-5
    )


def test_only_proportions_of_weights_matter(edges, pairs, truth):
    weight = np.random.default_rng(0).uniform(1, 3, len(pairs))
    found = [
        CalibratedEdges(edges, calibrator=MultinomialLogisticCalibrator())
        .fit(pairs, truth, sample_weight=factor * weight)
        .predict_interval(pairs)
        for factor in (1, 1000)
    ]
    np.testing.assert_allclose(found[0], found[1], atol=1e-9)
    plain = CalibratedEdges(edges).fit(pairs, truth).predict_interval(pairs)
    assert np.abs(plain - found[0]).max() > 1e-3


def test_discounting_goes_to_unknown(edges, pairs, truth, fitted):
    far = CalibratedEdges(edges, discount_rate=0.3).fit(pairs, truth)
    near, doubted = fitted.predict_interval(pairs), far.predict_interval(pairs)
    np.testing.assert_allclose(doubted[..., 0], 0.7 * near[..., 0], atol=1e-12)
    np.testing.assert_allclose(doubted[..., 1], 0.7 * near[..., 1] + 0.3, atol=1e-12)
    assert (far.predict_set(pairs).sum(axis=1) >= fitted.predict_set(pairs).sum(axis=1)).all()


def test_fewer_labels_leave_more_open(edges, pairs, truth, fitted):
    rng = np.random.default_rng(0)
    few = np.concatenate(
        [rng.permutation(np.flatnonzero(truth == kind))[:3] for kind in EDGE_TYPES]
    )
    little = CalibratedEdges(edges).fit([pairs[i] for i in few], truth[few])
    width = [np.ptp(one.predict_interval(pairs), axis=2).mean() for one in (little, fitted)]
    assert width[0] > width[1]


def test_it_can_be_cloned_and_takes_lists(edges, pairs, truth, fitted):
    again = clone(CalibratedEdges(edges))
    assert not hasattr(again, "edges_")
    refit = CalibratedEdges(edges).fit(list(pairs), truth.tolist())
    np.testing.assert_array_equal(refit.predict_proba(pairs), fitted.predict_proba(pairs))


def test_labels_that_cannot_be_used(edges, pairs, truth):
    calibrated = CalibratedEdges(edges)
    wrong = truth.astype(object)
    wrong[3] = "->"
    with pytest.raises(ValueError, match=r"y\[3\] is '->', expected one of 'none', 'A->B', 'B->A'"):
        calibrated.fit(pairs, wrong)
    with pytest.raises(ValueError, match=r"X has .* y"):
        calibrated.fit(pairs[:-1], truth)
    some = truth != "A-B"
    kept = [pair for pair, keep in zip(pairs, some, strict=True) if keep]
    with pytest.raises(ValueError, match="no labeled pair with a positive weight is 'A-B'; label"):
        calibrated.fit(kept, truth[some])
    some = np.isin(truth, ["A-B", "none"])
    kept = [pair for pair, keep in zip(pairs, some, strict=True) if keep]
    with pytest.raises(ValueError, match=r"is 'A->B' \(or 'B->A'\); label pairs of each edge"):
        calibrated.fit(kept, truth[some])
    twice = [*pairs, pairs[0][::-1]]
    with pytest.raises(ValueError, match=r"pairs 0 and 66 are the same, \(1, 0\); label each pair"):
        calibrated.fit(twice, [*truth, truth[0]])
    with pytest.raises(ValueError, match="all sample weights are zero"):
        calibrated.fit(pairs, truth, sample_weight=np.zeros(len(pairs)))
    with pytest.raises(ValueError, match=r"pairs\[0\] is \(0, 77\), expected two different"):
        calibrated.fit([(0, 77), *pairs[1:]], truth)
    assert not hasattr(calibrated, "calibrator_")


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"edges": 3}, TypeError, "edges is 3, expected a fitted BootstrappedEdges"),
        ({"edges": BootstrappedEdges()}, NotFittedError, "not fitted"),
        (
            {"calibrator": 3},
            TypeError,
            "calibrator is 3, expected a calibrator of evical.multiclass",
        ),
        (
            {"calibrator": "isotonic"},
            ValueError,
            "there is no calibrator 'isotonic'; calibrators: dirichlet, multinomial_logistic",
        ),
        ({"symmetric": 1}, TypeError, "symmetric is 1"),
        ({"discount_rate": 2}, ValueError, "rate"),
    ],
)
def test_bad_options(edges, pairs, truth, options, error, message):
    with pytest.raises(error, match=message):
        CalibratedEdges(**{"edges": edges, **options}).fit(pairs, truth)


def test_a_calibrator_may_be_named(edges, pairs, truth):
    named, made = (
        CalibratedEdges(edges, calibrator=calibrator).fit(pairs, truth).predict_proba(pairs)
        for calibrator in ("softmax", SoftmaxCalibrator())
    )
    np.testing.assert_array_equal(named, made)


def test_before_fit(edges, pairs):
    with pytest.raises(NotFittedError):
        CalibratedEdges(edges).predict_mass(pairs)
