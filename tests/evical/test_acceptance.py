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
from evical.evaluation.estimate import Estimate
from evical.studies import demo_study, reproduce

DATA = Path(os.environ.get("EVICAL_DATA", Path(__file__).parents[3] / "shared" / "data"))
ROWS = ("logistic", "likelihood", "dempster"), ("logistic", "bayesian", "dempster")


def test_likelihood_beats_bayesian_under_dempsters_rule():
    path = DATA / "australian.csv"
    if not path.exists():
        pytest.skip(f"{path.name} is not there; set EVICAL_DATA to a folder that holds it")
    dataset = load_csv(path, "target")
    study = demo_study(dataset, repeats=10)
    (condition,) = study.conditions
    methods = tuple(pair for pair in condition.methods if pair[0] in ROWS)
    study = replace(study, conditions=(replace(condition, methods=methods),))
    outcome = reproduce(study, data={dataset.name: dataset})
    likelihood, bayesian = (outcome.values(row, "error_rate") for row in ROWS)
    difference = Estimate.of(likelihood - bayesian)
    assert difference.mean < -3 * difference.standard_error
