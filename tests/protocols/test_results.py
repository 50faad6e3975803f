"""Arrays that functions and methods return belong to the caller: to write, without a trace."""

import inspect

import numpy as np
import pytest
from sklearn.datasets import load_wine
from sklearn.naive_bayes import GaussianNB
from sklearn.semi_supervised import SelfTrainingClassifier

from dstheory import Frame, MassFunction
from evical import EvidentialClassifier, EvidentialEnsemble, metrics
from evical.conformal import ConformalClassifier
from tests.protocols.calibrators_table import PROBES, every, fitted
from tests.protocols.multiclass_table import MULTICLASS
from tests.support.each import each
from tests.support.public_objects import public_objects

METHODS = ("predict", "predict_proba", "predict_interval", "predict_set", "conflict")
X, Y = load_wine(return_X_y=True)
NB = [GaussianNB(), GaussianNB(var_smoothing=0.1)]
ESTIMATORS = [
    *(EvidentialClassifier(NB[0], cv=2, **options) for options in (
        {},
        {"ensemble": False},
        {"code": "all_pairs"},
        {"code": "all_pairs", "coupling": "wu_lin_weng"},
        {"coupling": "normalize", "probability": "plausibility"},
    )),
    *(EvidentialEnsemble(NB, cv=2, rule=rule) for rule in ("dempster", "stacked", "size_mixture")),
    EvidentialEnsemble(NB[:1], cv=2),
    ConformalClassifier(NB[0], random_state=0),
]  # fmt: skip


def arrays(value):
    """All arrays in a result."""
    if isinstance(value, np.ndarray):
        return [value]
    parts = value.values() if isinstance(value, dict) else value
    return [a for part in parts for a in arrays(part)] if isinstance(value, dict | tuple) else []


def check_results_are_the_callers(fitted, X):
    """Overwrite what each method returns; it must return the same again."""
    called = 0
    for name in METHODS:
        if hasattr(fitted, name):
            called += 1
            result = getattr(fitted, name)(X)
            before = result.copy()
            result[...] = np.roll(result, 1, axis=0)
            result[0] = result[-1]
            np.testing.assert_array_equal(getattr(fitted, name)(X), before)
    assert called >= 3


@every
def test_calibrators(entry):
    check_results_are_the_callers(fitted(entry), PROBES)


@each("entry", MULTICLASS, ids=lambda entry: entry.id)
def test_multiclass_calibrators(entry):
    check_results_are_the_callers(entry().fit(*entry.samples()), entry.probes)


@each("estimator", ESTIMATORS)
@each("n_classes", [2, 3])
def test_estimators(estimator, n_classes):
    rows = np.isin(Y, range(n_classes))
    check_results_are_the_callers(estimator.fit(X[rows], Y[rows]), X[rows])


@pytest.mark.parametrize("estimator", [ESTIMATORS[0], ESTIMATORS[5]])
def test_self_training_takes_them(estimator):
    y = Y.copy()
    y[::3] = -1
    trained = SelfTrainingClassifier(estimator, max_iter=2).fit(X, y)
    assert (trained.predict(X) == Y).mean() > 0.9


@pytest.mark.parametrize("rule", ["stacked", "size_mixture", "discounted"])
def test_what_fusions_tell_of_their_sources(rule):
    fusion = EvidentialEnsemble(NB, cv=2, rule=rule).fit(X, Y).fusion_
    told = fusion.by_source()
    before = {name: values.copy() for name, values in told.items()}
    for values in told.values():
        values[...] = 0
    for name, values in fusion.by_source().items():
        np.testing.assert_array_equal(values, before[name])


METHODS_OF_EVENTS = ("mass", "bel", "pl", "q", "b")
FRAME = Frame(["a", "b", "c"])
MASSES = [
    MassFunction(FRAME, focal, np.random.default_rng(0).dirichlet(np.ones(len(focal)), size=batch))
    for focal in ([1, 2, 4], [1, 3, 7], [0, 1, 7], [7], [1], list(range(8)))
    for batch in ((), (4,), (2, 3))
]


def check_own(results, *inputs):
    """Each array of the results can be written, and is not part of the inputs."""
    for array in results:
        assert array.flags.writeable
        assert not any(np.shares_memory(array, part) for part in inputs)


def required(function):
    """Names of the arguments that must be given."""
    parameters = inspect.signature(function).parameters.values()
    return [p.name for p in parameters if p.default is p.empty and p.kind != p.VAR_POSITIONAL]


def shares(function):
    """One share of trust, where the function takes some; it must be given by name."""
    given = {"rate": 0.25, "rates": {"a": 0.25}}
    parameters = inspect.signature(function).parameters
    return {name: value for name, value in given.items() if name in parameters}


def of_masses():
    """Functions of one or two mass functions, with the arrays that they return."""
    for public in public_objects():
        if not public.module.startswith("dstheory") or not inspect.isfunction(public.value):
            continue
        if public.module.startswith("dstheory.tensor"):  # of arrays
            continue
        needed = required(public.value)
        if needed in (["m"], ["m1"], ["m1", "m2"]):
            yield pytest.param(public.value, len(needed), id=public.path)


@each(("function", "n_masses"), list(of_masses()))
def test_functions_of_mass_functions(function, n_masses):
    taken = 0
    for m in MASSES:
        try:
            result = function(*[m] * n_masses, **shares(function))
        except ValueError:  # made for another kind of belief
            continue
        taken += 1
        check_own(arrays(result), m.store, m.focal)
    assert taken


@each("m", MASSES)
def test_methods_of_mass_functions(m):
    events = [getattr(m, name)(mask=mask) for name in METHODS_OF_EVENTS for mask in (1, 7)]
    check_own(arrays((m.contour(), m.to_dict(), *events)), m.store, m.focal)


def of_samples():
    """Metrics of labels and probabilities."""
    for name in metrics.__all__:
        metric = getattr(metrics, name)
        if inspect.isfunction(metric) and required(metric) == ["y_true", "y_prob"]:
            yield pytest.param(metric, id=name)


@each("metric", list(of_samples()))
def test_metrics(metric):
    y = np.random.default_rng(0).integers(0, 2, 40).astype(np.float64)
    p = np.random.default_rng(1).uniform(size=40)
    result = metric(y, p)
    fields = vars(result) if hasattr(result, "__dict__") else result
    check_own(arrays(fields), y, p)
