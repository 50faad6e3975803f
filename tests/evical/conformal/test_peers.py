"""P-values are those of crepes, and sets those of MAPIE, where their definitions are ours."""

import json
from pathlib import Path

import numpy as np
import pytest

from evical.conformal import lac_scores, p_values
from evical.conformal.contour import prediction_sets
from evical.conformal.nonconformity import aps_scores, margin_scores
from tests.evical.conformal.samples import class_p_values
from tests.support.each import each

PEERS = json.loads((Path(__file__).parents[2] / "oracles" / "conformal.json").read_text("utf-8"))
CASES = [{name: np.array(v) for name, v in c.items() if name in ("p", "y", "new")} for c in (
    PEERS["cases"]
)]  # fmt: skip
CREPES = [case["crepes"] for case in PEERS["cases"]]
MAPIE = [case["mapie"] for case in PEERS["cases"]]
SCORES = {"lac": lac_scores, "margin": margin_scores}
numbers = each("number", range(len(CASES)))


def scored(case, score, u=None, new_u=None):
    """Calibration scores (n,), and scores (m, K)."""
    options = ({}, {}) if u is None else ({"u": u}, {"u": new_u})
    seen, new = (score(case[name], **o) for name, o in zip(("p", "new"), options, strict=True))
    return seen[np.arange(len(case["y"])), case["y"]], new


@numbers
@each("name", SCORES)
def test_p_values_of_crepes(number, name):
    case, peer = CASES[number], CREPES[number]
    own, new = scored(case, SCORES[name])
    np.testing.assert_array_equal(p_values(own, new), peer[name])
    by_class = class_p_values(own, case["y"], new)
    np.testing.assert_array_equal(by_class, peer[f"{name}_by_class"])
    sets = prediction_sets(p_values(own, new), 0.12)
    np.testing.assert_array_equal(sets, np.array(peer[f"{name}_sets"], dtype=bool))


@numbers
def test_sets_of_mapie(number):
    own, new = scored(CASES[number], lac_scores)
    for i, alpha in enumerate(PEERS["alphas"]):
        wanted = np.array(MAPIE[number]["lac"], dtype=bool)[..., i]
        np.testing.assert_array_equal(prediction_sets(p_values(own, new), alpha), wanted)


@pytest.mark.parametrize("number", [1, 2])
def test_randomized_adaptive_sets_of_mapie(number):
    peer = MAPIE[number]
    own, new = scored(CASES[number], aps_scores, peer["u"], peer["new_u"])
    for i, alpha in enumerate(PEERS["alphas"]):
        wanted = np.array(peer["aps"], dtype=bool)[..., i]
        np.testing.assert_array_equal(prediction_sets(p_values(own, new), alpha), wanted)
