"""The paper's main claim, on the paper's data.

Scenario (c) of Xu et al. (2016), section 5.2: where classifiers rest on very different amounts
of data, the likelihood model makes fewer errors than the Bayesian one. The data are not part of
this repository; without them the test is skipped.
"""

import os
from pathlib import Path

import pytest

from evical.datasets.csv import load_csv
from evical.demo.contest import Method, run_contest

DATA = Path(os.environ.get("EVICAL_DATA", Path(__file__).parents[3] / "shared" / "data"))
LIKELIHOOD, BAYESIAN = Method("logistic", "likelihood"), Method("logistic", "bayesian")


def test_likelihood_beats_bayesian_under_dempsters_rule():
    path = DATA / "australian.csv"
    if not path.exists():
        pytest.skip(f"{path.name} is not there; set EVICAL_DATA to a folder that holds it")
    contest = run_contest(load_csv(path, "target"), 10, 0, (LIKELIHOOD, BAYESIAN))
    difference = contest.difference(LIKELIHOOD, BAYESIAN, "error_rate")
    assert difference.mean < -3 * difference.standard_error
