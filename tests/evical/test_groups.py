"""Groups of samples that no fold parts, with metadata routing and without."""

import re

import numpy as np
import pytest
from sklearn import config_context
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.model_selection import GridSearchCV, GroupKFold, LeaveOneGroupOut, TimeSeriesSplit
from sklearn.neighbors import KNeighborsClassifier

from evical import EvidentialClassifier, EvidentialEnsemble, cross_val_mass
from evical.calibrators import IsotonicCalibrator
from evical.fusion import Rule
from tests.support.each import each

RANDOM = np.random.default_rng(0)
GROUPS = np.repeat(np.arange(24), 5)
Y = np.repeat(np.tile(["no", "yes", "maybe"], 8), 5)
# The last column names the row.
X = np.column_stack([RANDOM.normal(size=120), np.arange(120)])
OPTIONS = {"calibrator": IsotonicCalibrator(model="laplace")}


class Keeper(ClassifierMixin, BaseEstimator):
    """Certain in the groups that it was trained on, and clueless elsewhere."""

    def fit(self, X, y):
        """Keep the groups."""
        self.classes_ = np.unique(y)
        self.seen_ = np.unique(GROUPS[X[:, 1].astype(int)])
        return self

    def predict_proba(self, X):
        """1 for the first class in a group that was seen."""
        seen = np.isin(GROUPS[X[:, 1].astype(int)], self.seen_)
        rest = np.full((len(X), len(self.classes_)), 1 / len(self.classes_))
        return np.where(seen[:, None], np.eye(len(self.classes_))[:1], rest)


class Recorder(Rule):
    """Keeps what it is given."""

    _by_source = ()
    needs = "labels"

    def _check_parameters(self):
        """Nothing to check."""

    def _learn(self, held_out, sizes):
        self.held_out_ = held_out

    def _fuse(self, masses):
        return masses[0]


def calibrators(estimator):
    """All calibrators of a fitted classifier."""
    return [c for pair in estimator.calibrated_classifiers_ for c in pair.calibrators]


@each(
    ("cv", "routing"),
    [
        *((cv, False) for cv in (None, 3, GroupKFold(4), LeaveOneGroupOut())),
        (GroupKFold(4), True),
    ],
)
@each("code", ["one_vs_rest", "all_pairs"])
def test_a_classifier_is_calibrated_on_groups_that_it_has_not_seen(cv, code, routing):
    clf = EvidentialClassifier(Keeper(), cv=cv, ensemble=False, code=code, **OPTIONS)
    with config_context(enable_metadata_routing=routing):
        clf.fit(X, Y, groups=GROUPS)
    # A score that betrays a seen group would be another one.
    assert all(len(c.counts_.scores) == 1 for c in calibrators(clf))
    parted = clone(clf).set_params(cv=3).fit(X, Y)
    assert any(len(c.counts_.scores) > 1 for c in calibrators(parted))


@each(("cv", "routing"), [(3, False), (GroupKFold(4), False), (GroupKFold(4), True)])
@each("rule", ["dempster", Recorder()])
def test_members_and_fusions_do_not_part_groups(rule, cv, routing):
    members = [
        EvidentialClassifier(Keeper(), cv=cv, ensemble=False, **OPTIONS),
        EvidentialClassifier(Keeper(), cv=GroupKFold(2), ensemble=False, **OPTIONS),
    ]
    with config_context(enable_metadata_routing=routing):
        ensemble = EvidentialEnsemble(members, rule=rule).fit(X, Y, groups=GROUPS)
    for member in ensemble.estimators_:
        assert all(len(c.counts_.scores) == 1 for c in calibrators(member))
    if isinstance(rule, Recorder):
        for m in ensemble.fusion_.held_out_.masses:  # of each copy one: nothing was known
            assert len(np.unique(m.masses.round(9), axis=0)) <= 5


@pytest.mark.parametrize("inner", [None, GroupKFold(3)])
def test_beliefs_about_groups_that_were_not_seen(inner):
    clf = EvidentialClassifier(Keeper(), cv=inner, ensemble=False, **OPTIONS)
    m = cross_val_mass(clf, X, Y, groups=GROUPS, cv=4)
    assert len(np.unique(m.masses.round(9), axis=0)) <= 4  # one belief a fold: nothing was known


@pytest.mark.filterwarnings("ignore:scores look reversed")  # on purpose
def test_searches_pass_groups_on_with_routing():
    clf = EvidentialClassifier(KNeighborsClassifier(), cv=GroupKFold(2), **OPTIONS)
    with config_context(enable_metadata_routing=True):
        search = GridSearchCV(clf, {"estimator__n_neighbors": [1, 3]}, cv=GroupKFold(2))
        assert search.fit(X, Y, groups=GROUPS).predict(X).shape == (120,)


def test_refusals():
    clf = EvidentialClassifier(Keeper())
    message = "groups have shape (3,), expected (120,), one for each sample"
    for fit in (clf.fit, EvidentialEnsemble([clf]).fit):
        with pytest.raises(ValueError, match=re.escape(message)):
            fit(X, Y, groups=[1, 2, 3])
        with pytest.raises(ValueError, match=r"groups\[2\] is nan; give each sample without a"):
            fit(X, Y, groups=np.where(np.arange(120) == 2, np.nan, GROUPS))
    with pytest.raises(
        ValueError, match="in 0 test parts, but each sample is scored once"
    ) as error:
        cross_val_mass(clf, X, Y, cv=TimeSeriesSplit(2))
    assert "ensemble" not in str(error.value)  # which cross_val_mass does not have
    few = np.where(Y == "maybe", 99, GROUPS)
    with pytest.raises(ValueError, match="class 'maybe' has 1 group, but each of 4"):
        clf.set_params(cv=4).fit(X, Y, groups=few)


@each("cv", [None, 3])
def test_groups_are_routed_to_the_folds_that_are_the_default(cv):
    plain = EvidentialClassifier(Keeper(), cv=cv, **OPTIONS).fit(X, Y, groups=GROUPS)
    with config_context(enable_metadata_routing=True):
        routed = EvidentialClassifier(Keeper(), cv=cv, **OPTIONS).fit(X, Y, groups=GROUPS)
        EvidentialEnsemble([("one", EvidentialClassifier(Keeper(), cv=cv, **OPTIONS))]).fit(
            X, Y, groups=GROUPS
        )
        cross_val_mass(EvidentialClassifier(Keeper(), cv=cv, **OPTIONS), X, Y, groups=GROUPS)
    assert routed.predict_proba(X).tolist() == plain.predict_proba(X).tolist()
