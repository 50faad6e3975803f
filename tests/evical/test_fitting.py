"""A long fit tells of its steps if it is asked to, and is silent otherwise."""

import re
from dataclasses import fields, is_dataclass

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.naive_bayes import GaussianNB

from evical import EvidentialClassifier, EvidentialEnsemble
from evical._fitting import declared_types
from evical.calibrators import IsotonicCalibrator
from tests.support.each import each
from tests.support.public_objects import callables

ESTIMATORS = [one for one in callables() if hasattr(one.value, "get_params")]
X, Y = load_iris(return_X_y=True)
OPTIONS = {"cv": 2, "calibrator": IsotonicCalibrator(model="laplace")}
NB = [("one", GaussianNB()), ("two", GaussianNB(var_smoothing=0.1))]
APART = [(name, EvidentialClassifier(nb, ensemble=True, **OPTIONS)) for name, nb in NB]
COPIES = [f"{name}, copy {number}" for name in ("one", "two") for number in range(1, 6)]


def told(text):
    """Estimator, number, total and name of each step."""
    line = r"\[(\w+)\] \.* ?\((\d+) of (\d+)\) Processing (.*), total= +\d+\.\ds"
    return [re.fullmatch(line, one).groups() for one in text.splitlines()]


@pytest.mark.parametrize(
    ("estimator", "steps"),
    [
        (EvidentialClassifier(GaussianNB(), ensemble=True, **OPTIONS), [["fold 1", "fold 2"]]),
        (
            EvidentialClassifier(GaussianNB(), ensemble=False, **OPTIONS),
            [["fold 1", "fold 2", "all samples"]],
        ),
        (
            EvidentialClassifier(GaussianNB(), code="all_pairs", **OPTIONS),
            [["column 1", "column 2", "column 3"]],
        ),
        (EvidentialEnsemble(NB, **OPTIONS), [["one", "two"]]),
        (EvidentialEnsemble(NB, rule="discounted", **OPTIONS), [["one", "two"]]),
        (EvidentialEnsemble(APART, rule="discounted"), [["one", "two"], COPIES]),
    ],
)
def test_a_line_for_each_step(estimator, steps, capsys):
    silent = clone(estimator).fit(X, Y).predict_proba(X)
    assert capsys.readouterr().out == ""
    np.testing.assert_array_equal(
        estimator.set_params(verbose=1).fit(X, Y).predict_proba(X), silent
    )
    expected = [
        (type(estimator).__name__, str(number), str(len(part)), name)
        for part in steps
        for number, name in enumerate(part, start=1)
    ]
    assert told(capsys.readouterr().out) == expected


def test_a_second_level_tells_of_folds(capsys):
    EvidentialEnsemble(NB, verbose=2, **OPTIONS).fit(X, Y)
    names = [name for *_, name in told(capsys.readouterr().out)]
    folds = ["fold 1", "fold 2"]  # of "two", they differ too much to train it again on everything
    assert names == [*folds, "all samples", "one", *folds, "two"]


@pytest.mark.parametrize("verbose", [None, "yes", -1, 0.5])
def test_other_levels_are_refused(verbose):
    message = f"verbose is {verbose!r}, expected False, True or a whole number of at least 0"
    for estimator in (
        EvidentialClassifier(verbose=verbose),
        EvidentialEnsemble(NB, verbose=verbose),
    ):
        with pytest.raises((TypeError, ValueError), match=re.escape(message)):
            estimator.fit(X, Y)


def test_jobs_tell_the_same():
    one, two = (EvidentialEnsemble(NB, rule="stacked", n_jobs=n, **OPTIONS) for n in (None, 2))
    np.testing.assert_array_equal(one.fit(X, Y).predict_proba(X), two.fit(X, Y).predict_proba(X))


@each("public", ESTIMATORS, ids=str)
def test_types_of_parameters_are_known(public):
    """Flags and choices are checked by them: what `check_declared` cannot read, it lets pass."""
    types = declared_types(public.value)
    for field in fields(public.value) if is_dataclass(public.value) else ():
        assert not isinstance(types[field.name], str), field.name


def test_types_for_type_checkers_alone_hide_only_those_of_their_class():
    class Own(IsotonicCalibrator):
        shown: "Nowhere" = None  # noqa: F821  # that is the case

    assert "shown" not in declared_types(Own)
    with pytest.raises(ValueError, match="model is 'bayes', expected one of 'likelihood'"):
        Own(model="bayes").fit([0.1, 0.2, 0.6, 0.9], [0, 1, 0, 1])
