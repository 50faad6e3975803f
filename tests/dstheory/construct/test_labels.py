"""Evidential labels from probabilities."""

from fractions import Fraction

import numpy as np
import pytest

from dstheory import Frame, MassFunction
from dstheory.construct import bayesian, evidential_labels
from dstheory.errors import MassError
from dstheory.transform import betp, inverse_pignistic, plausibility_transform

ABC = Frame(["a", "b", "c"])
P = [Fraction(1, 2), Fraction(1, 3), Fraction(1, 6)]


def test_models():
    assert evidential_labels(ABC, P, model="bayesian").equals(bayesian(ABC, P), 0)
    least = evidential_labels(ABC, P)
    assert least.equals(inverse_pignistic(ABC, P), 0)
    assert betp(least).tolist() == P
    contour = evidential_labels(ABC, P, model="contour")
    assert contour.is_consonant
    assert plausibility_transform(contour).tolist() == P


@pytest.mark.parametrize("model", ["bayesian", "inverse_pignistic", "contour"])
def test_reliability_is_shafers_discounting(model):
    rate = Fraction(3, 4)
    sure = evidential_labels(ABC, P, model=model)
    m = evidential_labels(ABC, P, model=model, reliability=rate)
    for mask in range(1, 7):
        assert m.bel(mask=mask) == rate * sure.bel(mask=mask)
    assert m.bel(ABC) == 1
    assert evidential_labels(ABC, P, model=model, reliability=0).is_vacuous


def test_each_row_has_its_reliability():
    p = np.array([[0.5, 0.25, 0.25], [0.25, 0.5, 0.25]])
    m = evidential_labels(ABC, p, model="bayesian", reliability=[1.0, 0.5])
    assert m.equals(
        MassFunction(ABC, [1, 2, 4, 7], [[0.5, 0.25, 0.25, 0], [0.125, 0.25, 0.125, 0.5]])
    )
    with pytest.raises(MassError, match=r"reliability and the batch of shapes \(3,\), \(2,\)"):
        evidential_labels(ABC, p, reliability=[1, 1, 1])


def test_wrong_values_are_refused():
    with pytest.raises(ValueError, match="model is 'soft', expected one of 'bayesian'"):
        evidential_labels(ABC, P, model="soft")
    for wrong in (None, np.array(["bayesian"] * 3)):
        with pytest.raises(ValueError, match=r"model is .*, expected one of 'bayesian'"):
            evidential_labels(ABC, P, model=wrong)
    with pytest.raises(MassError, match=r"reliability 1\.5 does not lie"):
        evidential_labels(ABC, P, reliability=1.5)
    with pytest.raises(MassError, match=r"sum to 0\.5"):
        evidential_labels(ABC, [0.5, 0, 0])
    with pytest.raises(MassError, match=r"reliability has shape"):
        evidential_labels(ABC, P, reliability=[0.5, 0.5])
