"""scikit-learn's checks of estimators, all of them in one case."""

from collections.abc import Mapping

from sklearn.base import BaseEstimator
from sklearn.utils.estimator_checks import check_estimator

__all__ = ["check_contract"]


def check_contract(estimator: BaseEstimator, expected: Mapping[str, str] | None = None) -> None:
    """Run scikit-learn's checks; those that cannot hold are named with the reason, and fail."""
    results = check_estimator(
        estimator, on_skip=None, on_fail="raise", expected_failed_checks=dict(expected or {})
    )
    failed, passed = (
        {str(result["check_name"]) for result in results if result["status"] == status}
        for status in ("xfail", "passed")
    )
    # A check of one name runs several times, and may hold once; or not at all, as on sparse data.
    assert not (passed - failed) & set(expected or {}), "what cannot hold holds"
