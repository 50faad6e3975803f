"""scikit-learn's checks of estimators, all of them in one case."""

from collections.abc import Mapping

import sklearn
from sklearn.base import BaseEstimator
from sklearn.utils import get_tags
from sklearn.utils.estimator_checks import check_estimator
from sklearn.utils.fixes import parse_version

__all__ = ["check_contract"]

# scikit-learn 1.6 makes two classes of three by the first label, which in its check of weights is
# another one for the repeated samples than for the weighted ones.
OLD = parse_version(sklearn.__version__) < parse_version("1.7")
LABELS_DIFFER = {
    "check_sample_weight_equivalence_on_dense_data": "scikit-learn 1.6 compares other labels"
}


def check_contract(estimator: BaseEstimator, expected: Mapping[str, str] | None = None) -> None:
    """Run scikit-learn's checks; those that cannot hold are named with the reason, and fail."""
    wrong = dict(expected or {})
    classifier = get_tags(estimator).classifier_tags
    if OLD and classifier is not None and not classifier.multi_class:
        wrong |= LABELS_DIFFER
    results = check_estimator(
        estimator, on_skip=None, on_fail="raise", expected_failed_checks=wrong
    )
    failed, passed = (
        {str(result["check_name"]) for result in results if result["status"] == status}
        for status in ("xfail", "passed")
    )
    # A check of one name runs several times, and may hold once; or not at all, as on sparse data.
    # An old scikit-learn lets some pass that it could not run.
    assert OLD or not (passed - failed) & set(wrong), "what cannot hold holds"
