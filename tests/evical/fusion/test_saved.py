"""Saved fusions: JSON and back gives the same combinations, and damage is refused."""

import json

import numpy as np
import pytest

from dstheory import Frame, MassFunction
from evical.fusion import Discounted, Mixture, Rule, Stacked, TNorm
from tests.support.each import each

FITTED = [
    Stacked(),
    Stacked(penalty=2.0),
    Discounted(),
    Discounted(contextual=True),
    Mixture(weights="likelihood"),
    Mixture(weights="size"),
    TNorm(),
    TNorm(family="dubois_prade", parameter=0.5),
]


def sources(labels, n=60, seed=0):
    """Three sources of belief about labels that they mostly know, and the labels."""
    rng = np.random.default_rng(seed)
    frame, k = Frame(labels), len(labels)
    codes = rng.permutation(np.arange(n) % k)
    made = []
    for skill in (3.0, 1.0, 0.2):
        single = rng.dirichlet(np.ones(k), size=n) + skill * np.eye(k)[codes]
        masses = np.hstack([single, rng.uniform(0.5, 1.5, (n, 1))])
        focal = [*(1 << i for i in range(k)), 2**k - 1]
        made.append(MassFunction(frame, focal, masses / masses.sum(axis=1, keepdims=True)))
    return made, np.array(labels)[codes]


@each("fusion", FITTED, ids=str)
@each("labels", [["no", "yes"], ["a", "b", "c"], [1, 2, 7]], ids=str)
def test_there_and_back(fusion, labels):
    masses, y = sources(labels)
    fitted = fusion.fit(masses, y, sizes=[3, 2, 1])
    data = json.loads(json.dumps(fitted.to_dict()))
    for kind in (Rule, type(fusion)):
        again = kind.from_dict(data)
        assert again.get_params() == fitted.get_params()
        new, _ = sources(labels, seed=1)
        assert again(*new).equals(fitted(*new), atol=0)
        for name, values in fitted.by_source().items():
            np.testing.assert_array_equal(again.by_source()[name], values)


def test_another_kind_is_refused():
    data = Mixture().fit(sizes=[1, 2]).to_dict()
    with pytest.raises(ValueError, match="saved fusion is a 'Mixture', expected Stacked"):
        Stacked.from_dict(data)
    assert Mixture.from_dict(data).frame_ is None


@each(
    ("change", "message"),
    [
        ({"format": "evical.calibrator"}, "its format is not 'evical.fusion'"),
        ({"version": 2}, "version 2"),
        ({"n_sources": 2}, "not 2|calls for"),
        ({"n_sources": True}, "it has True sources"),
        ({"classes": ["a"]}, "pools|classes"),
        ({"parameters": {"penalty": -1}}, "penalty is -1"),
        ({"parameters": {"other": 1}}, "other"),
        ({"state": {}}, "missing"),
    ],
)
def test_damage_is_refused(change, message):
    data = Stacked().fit(*sources(["no", "yes"])).to_dict()
    with pytest.raises(ValueError, match=message):
        Rule.from_dict({**data, **change})


@each(
    ("name", "value"),
    [
        ("weights", [[1.0, 2.0]]),
        ("weights", [[1.0, 2.0, 3.0]] * 2),
        ("intercepts", [0.0, 0.0, 0.0]),
        ("least", 0.0),
        ("knots", [0.0]),
        ("knots", []),
        ("error", ["x"]),
        ("error", [float("nan")]),
        ("covariance", (-np.eye(5)).tolist()),
        ("covariance", np.triu(np.ones((5, 5))).tolist()),
    ],
)
def test_a_damaged_state_is_refused(name, value):
    data = Stacked().fit(*sources(["no", "yes"])).to_dict()
    data["state"][name] = value
    with pytest.raises(ValueError, match="saved fusion is damaged"):
        Rule.from_dict(data)


@pytest.mark.parametrize(
    ("fusion", "name", "value"),
    [
        (Discounted(), "rates_", [[2.0], [0.0], [0.0]]),
        (Discounted(), "rates_", [[0.0, 0.0]] * 3),
        (Mixture(weights="likelihood"), "weights_", [0.9, 0.9, 0.9]),
        (Mixture(weights="likelihood"), "weights_", [0.5, 0.5]),
        (TNorm(), "parameter_", -1.0),
    ],
)
def test_rates_and_weights_are_shares(fusion, name, value):
    data = fusion.fit(*sources(["no", "yes"])).to_dict()
    data["state"][name] = value
    with pytest.raises(ValueError, match=r"saved fusion is damaged|the parameter of frank"):
        Rule.from_dict(data)
