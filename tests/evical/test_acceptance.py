"""The paper's main claim, on the paper's data.

Scenario (c) of Xu et al. (2016), section 5.2: where classifiers rest on very different amounts
of data, the likelihood model makes fewer errors than the Bayesian one. The data are not part of
this repository; without them the test is skipped.
"""

import os
from dataclasses import replace
from pathlib import Path

import pytest

from evical.datasets import load_csv
from evical.studies import TEN_CLASSIFIERS, Method, paired_difference, run

pytestmark = pytest.mark.slow

DATA = Path(os.environ.get("EVICAL_DATA", Path(__file__).parents[3] / "shared" / "data"))
LIKELIHOOD, BAYESIAN = Method("logistic", "likelihood"), Method("logistic", "bayesian")


@pytest.mark.parametrize("name", ["australian", "diabetes"])
def test_likelihood_beats_bayesian_under_dempsters_rule(name):
    path = DATA / f"{name}.csv"
    if not path.exists():
        pytest.skip(f"{name}.csv is not there; set EVICAL_DATA to a folder that holds it")
    protocol = replace(TEN_CLASSIFIERS, methods=(LIKELIHOOD, BAYESIAN), repeats=50)
    results = run(protocol, load_csv(path, "target"))
    difference = paired_difference(results, LIKELIHOOD, BAYESIAN, "error_rate")
    assert difference.mean < -3 * difference.standard_error
