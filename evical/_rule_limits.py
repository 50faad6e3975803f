"""Whether a rule can combine what classifiers believe.

The cost for many classes is checked before a classifier is trained. After `fit`, rules on canonical
weights, which not all beliefs have, are tried on training rows.
"""

from collections.abc import Callable, Sequence
from math import prod
from types import NoneType
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.frozen import FrozenEstimator
from sklearn.utils import _safe_indexing
from sklearn.utils.validation import _num_samples

from dstheory.combine import bold, cautious, lns
from dstheory.errors import CostLimitError, MassError, TotalConflictError
from evical.classifier import EvidentialClassifier
from evical.estimators.folds import n_folds
from evical.estimators.rules import is_dempster, is_discounted, mean_weights, plain
from evical.fusion import BaseFusion
from evical.multiclass import MAX_CLASSES, BaseMulticlassCalibrator, OneVsRestCalibrator
from evical.multiclass.joined import MAX_PRODUCTS
from evical.multiclass.products import bytes_listed
from evical.source import EvidentialSource

__all__ = ["check_predictable", "check_rule"]

# These ask for sources that are not dogmatic, subnormal, or separable.
_CONDITIONED: tuple[Callable[..., Any], ...] = (bold, cautious, lns)
_ROWS = 50  # on which they are tried
# Models of binary calibrators that leave something open.
_EVIDENTIAL = ("confidence", "dempster", "inverse_pignistic", "likelihood")


def check_predictable(
    members: dict[str, Any], rule: Any, X: Any, y: NDArray[Any], groups: NDArray[Any] | None
) -> None:
    """Refuse, before training, an ensemble that could not predict because of too many classes.

    Parameters
    ----------
    members : dict
        Classifiers with beliefs, not fitted (or frozen), by name.
    rule : callable
    X, y : samples and labels
    groups : (n,) array or None
        Groups of samples that no fold splits.

    Raises
    ------
    CostLimitError
        With the cost of a sample, the limit, and what has no limit.
    """
    n_classes = len(np.unique(y))
    if isinstance(rule, BaseFusion):
        rule.check_sources(len(members), n_classes)
    if n_classes <= MAX_CLASSES:
        return
    reads = isinstance(rule, BaseFusion) and rule.reads_probabilities and rule.needs_beliefs
    inner = {name: plain(member) for name, member in members.items()}
    for name, member in inner.items():
        if isinstance(member, EvidentialSource):
            _check_merged(name, member, y, reads=reads)
            inner[name] = plain(member._classifier())
    known = {name: m for name, m in inner.items() if isinstance(m, EvidentialClassifier)}
    if reads:
        for name, member in known.items():
            _check_closed(name, member, n_classes)
        return
    learns = isinstance(rule, BaseFusion) and rule.needs_beliefs
    means = mean_weights(rule, len(members)) is not None
    weakened = is_discounted(rule)
    if not weakened and (learns or not (means or is_dempster(rule))):
        for name, member in known.items():
            _check_few_sets(name, member, rule, n_classes)
        return
    for name, member in known.items():
        _check_closed(name, member, n_classes)
    if not means:
        numbers = {
            name: _n_products(m, X, y, groups) * _n_terms(m, n_classes)
            + _is_partial(members[name])
            + weakened
            for name, m in known.items()
        }
        _check_products(numbers, n_classes)


def _check_closed(name: str, member: EvidentialClassifier, n_classes: int) -> None:
    if not _is_closed(member):
        raise CostLimitError(
            f"{name!r} has code {member.code!r}, under which beliefs about {n_classes} classes "
            f"list all sets (at most {MAX_CLASSES} classes), so they cannot be combined; take "
            "code='one_vs_rest', or a coupling"
        )


def _check_merged(name: str, source: EvidentialSource, y: NDArray[Any], *, reads: bool) -> None:
    """Refuse merged classes where their sets would have to be listed."""
    if source.coarsening is None:
        return
    classes = np.unique(y).tolist()
    n_merged = len({source.coarsening.get(label, label) for label in classes})
    if reads and n_merged <= MAX_CLASSES:
        return
    advice = f"merge them to {MAX_CLASSES} or fewer" if reads else "take rule='stacked'"
    raise CostLimitError(
        f"{name!r} merges {len(classes)} classes to {n_merged}; the sets of merged classes are "
        f"listed, which this rule can do for up to {MAX_CLASSES} classes; {advice}"
    )


def _is_partial(member: Any) -> bool:
    """Whether a belief may be vacuous, which is one product more."""
    return (
        isinstance(plain(member), EvidentialSource) and plain(member).silent_if_missing is not None
    )


def _check_few_sets(name: str, member: EvidentialClassifier, rule: Any, n_classes: int) -> None:
    if not _lists_all_sets(member):
        return
    shown = getattr(rule, "__name__", rule)
    raise CostLimitError(
        f"{n_classes} classes have 2^{n_classes} sets, {bytes_listed(n_classes)} of masses a "
        f"sample, and the rule {shown} takes them all from {name!r} (at most {MAX_CLASSES} "
        "classes), so nothing could be predicted; take rule='stacked', which learns for any number "
        "of classes, 'dempster', 'mixing', 'size_mixture' or 'likelihood_mixture', or "
        "classifiers that give probabilities: EvidentialClassifier(..., coupling='normalize')"
    )


def _check_products(numbers: dict[str, int], n_classes: int) -> None:
    total = prod(max(number, 1) for number in numbers.values())
    if total > MAX_PRODUCTS:
        listed = " x ".join(str(number) for number in numbers.values())
        raise CostLimitError(
            f"Dempster's rule for {n_classes} classes takes a product for each choice of a fold, "
            f"or a set, of each classifier, {listed} = {total} a sample (at most "
            f"{MAX_PRODUCTS}), so that nothing could be predicted; calibrate classifiers once, "
            "EvidentialClassifier(..., ensemble=False, calibrator=AutoCalibrator()), take fewer "
            "folds, or rule='mixing'"
        )


def _is_closed(member: EvidentialClassifier) -> bool:
    """Whether beliefs about three or more classes have a closed form."""
    if member.coupling is not None:
        return bool(member.coupling != "pairwise_belief")
    return isinstance(member.code, str) and member.code == "one_vs_rest"


def _lists_all_sets(member: EvidentialClassifier) -> bool:
    """Whether the masses, once fitted, are sure to be on all sets of classes."""
    together = isinstance(member.calibrator, BaseMulticlassCalibrator)
    default = member.calibrator is None
    model = "likelihood" if default else getattr(member.calibrator, "model", None)
    return member.coupling is None and not together and model in _EVIDENTIAL


def _n_products(
    member: EvidentialClassifier, X: Any, y: NDArray[Any], groups: NDArray[Any] | None
) -> int:
    """Number of products over the classes in a belief: one for each fold."""
    if hasattr(member, "calibrated_classifiers_"):
        return len(member.calibrated_classifiers_)
    frozen = isinstance(member.estimator, FrozenEstimator)
    ensemble = not frozen if isinstance(member.ensemble, str) else member.ensemble
    return n_folds(member.cv, X, y, groups) if ensemble and member.coupling is None else 1


def _n_terms(member: EvidentialClassifier, n_classes: int) -> int:
    """Number of products in the belief of one fold: one, or of calibrators of all classes a set."""
    if member.coupling is not None or not _calibrates_together(member):
        return 1
    return 1 if getattr(member.calibrator, "model", "likelihood") == "bayesian" else n_classes + 1


def _calibrates_together(member: EvidentialClassifier) -> bool:
    """Whether three or more classes have one calibrator, as they have by default."""
    kinds = (BaseMulticlassCalibrator, NoneType)
    return isinstance(member.calibrator, kinds) and not isinstance(
        member.calibrator, OneVsRestCalibrator
    )


def check_rule(rule: Callable[..., Any], members: Sequence[Any], X: Any) -> None:
    """Raise if the rule refuses the classifiers' beliefs about the first rows of `X`."""
    if rule not in _CONDITIONED or len(members) < 2:
        return
    rows = _safe_indexing(X, np.arange(min(_ROWS, _num_samples(X))))
    try:
        rule(*(member.predict_mass(rows) for member in members))
    except TotalConflictError:
        return  # of some rows; predictions report it
    except MassError as error:
        raise ValueError(
            f"the rule {rule.__name__!r} cannot combine what these classifiers believe: {error}; "
            "take rule='dempster', or 'learned_tnorm', which discounts where it must"
        ) from error
