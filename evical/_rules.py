"""Rules that combine beliefs about many classes without a list of sets."""

from collections.abc import Sequence
from functools import partial
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.frozen import FrozenEstimator

from dstheory import Frame, MassFunction
from dstheory.combine import dempster, mixing
from dstheory.errors import CostLimitError, TotalConflictError
from evical._closed import ClosedForm
from evical._folds import n_folds
from evical._members import exclusive, vacuous_where
from evical._members import total_conflict as in_total_conflict
from evical.classifier import EvidentialClassifier
from evical.fusion import BaseFusion, Mixture
from evical.multiclass import MAX_CLASSES, BaseMulticlassCalibrator
from evical.multiclass._joined import MAX_PRODUCTS, JoinedBeliefs
from evical.multiclass._products import ProductBeliefs, bytes_listed

__all__ = ["check_predictable", "closed_form", "combined", "listed_mass", "product_conflict"]

Floats = NDArray[np.float64]

# Models of binary calibrators that leave something open.
_EVIDENTIAL = ("confidence", "dempster", "inverse_pignistic", "likelihood")


def closed_form(
    rule: Any, members: Sequence[Any], X: Any, total_conflict: str
) -> ClosedForm | None:
    """Combined beliefs of fitted classifiers, if they take less than a list of sets.

    Parameters
    ----------
    rule : callable
        The rule, fitted if it is a fusion.
    members : sequence of fitted classifiers with beliefs
    X : samples
    total_conflict : {"error", "vacuous"}

    Returns
    -------
    ClosedForm or None

    Raises
    ------
    TotalConflictError
    """
    weights = _mean_weights(rule, len(members))
    if weights is None and not _is_dempster(rule):
        return None
    sources = _sources(members, X)
    if sources is None:
        return None
    if weights is not None:
        return ProductBeliefs.mean(sources, weights)
    if len(sources) == 1:
        return sources[0]
    beliefs = JoinedBeliefs(_possible(sources, total_conflict))
    listed = len(sources[0].single) <= MAX_CLASSES
    return beliefs if beliefs.is_short or not listed else None


def listed_mass(
    rule: Any, members: Sequence[Any], X: Any, total_conflict: str
) -> MassFunction | None:
    """Dempster's rule of several classifiers, set by set; None for other rules and beliefs.

    Parameters
    ----------
    rule, members, X, total_conflict : as for `closed_form`

    Returns
    -------
    MassFunction or None

    Raises
    ------
    TotalConflictError
    """
    classes = members[0].classes_
    if not _is_dempster(rule) or len(members) == 1 or len(classes) > MAX_CLASSES:
        return None
    sources = _sources(members, X)
    if sources is None:
        return None
    return JoinedBeliefs(_possible(sources, total_conflict)).mass(Frame(classes))


def combined(rule: Any, masses: list[MassFunction], total_conflict: str) -> MassFunction:
    """Mass functions combined by a rule.

    Parameters
    ----------
    rule : callable
    masses : list of MassFunction
        Batches (n,) on one frame.
    total_conflict : {"error", "vacuous"}

    Returns
    -------
    MassFunction

    Raises
    ------
    TotalConflictError
    """
    if len(masses) == 1 and not isinstance(rule, BaseFusion):
        return masses[0]
    try:
        return rule(*masses)  # type: ignore[no-any-return]  # a rule of the user's
    except TotalConflictError as error:
        dead = in_total_conflict(rule.prepared(masses) if isinstance(rule, BaseFusion) else masses)
        if not dead.any():  # the rule's own, and not that of the classifiers
            raise
        if total_conflict == "vacuous":
            return vacuous_where(dead, rule, masses)
        raise exclusive(dead) from error


def product_conflict(members: Sequence[Any], X: Any) -> Floats | None:
    """Conflict (n,) of several classifiers, if it takes no list of sets.

    Parameters
    ----------
    members, X : as for `closed_form`

    Returns
    -------
    (n,) array or None
    """
    sources = _sources(members, X) if len(members) > 1 else None
    if sources is None or JoinedBeliefs(sources).n_terms > MAX_PRODUCTS:
        return None
    return JoinedBeliefs(sources).conflict()


def _sources(members: Sequence[Any], X: Any) -> list[ProductBeliefs] | None:
    """Belief of each about three or more classes, if all have closed forms."""
    found: list[ProductBeliefs] = []
    for member in members:
        closed = _plain(member)._closed(X)
        if closed is None:
            return None
        found.append(closed.products())
    return found


def _possible(sources: list[ProductBeliefs], total_conflict: str) -> list[ProductBeliefs]:
    """Sources that are vacuous where they exclude each other, if that is no error."""
    dead = JoinedBeliefs(sources).impossible()
    if dead.any() and total_conflict == "error":
        raise exclusive(dead)
    return [source.vacuous_where(dead) for source in sources]


def _is_dempster(rule: Any) -> bool:
    """Whether a rule is Dempster's, whatever the route of its arithmetic."""
    return (rule.func if isinstance(rule, partial) else rule) is dempster


def _mean_weights(rule: Any, n_sources: int) -> Any:
    """Weights (S,) of a rule that is a mean of mass functions; None if it is another one."""
    if isinstance(rule, Mixture):
        return getattr(rule, "weights_", np.full(n_sources, 1 / n_sources))
    inner = rule.func if isinstance(rule, partial) else rule
    if inner is not mixing:
        return None
    weights = rule.keywords.get("weights") if isinstance(rule, partial) else None
    return np.full(n_sources, 1 / n_sources) if weights is None else _shares(weights, n_sources)


def _shares(weights: Any, n_sources: int) -> Any:
    """Weights as an array; None if `mixing` is to refuse them, or to take them a row."""
    array = np.asarray(weights)
    if array.shape != (n_sources,) or array.dtype.kind not in "fiu" or not (array >= 0).all():
        return None
    return array if abs(array.sum() - 1) <= 1e-9 else None


def check_predictable(
    members: dict[str, Any], rule: Any, X: Any, y: NDArray[Any], groups: NDArray[Any] | None
) -> None:
    """Refuse before training what could not predict, because classes have too many sets.

    Parameters
    ----------
    members : dict
        Classifiers with beliefs, not fitted (or frozen), by name.
    rule : callable
    X, y : samples and labels
    groups : (n,) array or None
        Groups of samples that no fold parts.

    Raises
    ------
    CostLimitError
        With what a sample would take, the limit, and what has none.
    """
    n_classes = len(np.unique(y))
    if isinstance(rule, BaseFusion):
        rule.check_classes(n_classes)
    if n_classes <= MAX_CLASSES:
        return
    inner = {name: _plain(member) for name, member in members.items()}
    known = {name: m for name, m in inner.items() if isinstance(m, EvidentialClassifier)}
    learns = isinstance(rule, BaseFusion) and rule.needs_beliefs
    means = _mean_weights(rule, len(members)) is not None
    if learns or not (means or _is_dempster(rule)):
        for name, member in known.items():
            _check_few_sets(name, member, rule, n_classes)
        return
    for name, member in known.items():
        if not _is_closed(member):
            raise CostLimitError(
                f"{name!r} has code {member.code!r}, under which beliefs about {n_classes} classes "
                f"list their sets (at most {MAX_CLASSES} classes), so that they could not be "
                "combined; take code='one_vs_rest', or a coupling"
            )
    if not means:
        numbers = {name: _n_products(m, X, y, groups) for name, m in known.items()}
        _check_products(numbers, n_classes)


def _plain(member: Any) -> Any:
    return member.estimator if isinstance(member, FrozenEstimator) else member


def _check_few_sets(name: str, member: EvidentialClassifier, rule: Any, n_classes: int) -> None:
    if not _lists_all_sets(member):
        return
    shown = getattr(rule, "__name__", rule)
    raise CostLimitError(
        f"{n_classes} classes have 2^{n_classes} sets, {bytes_listed(n_classes)} of masses a "
        f"sample, and the rule {shown} takes them all from {name!r} (at most {MAX_CLASSES} "
        "classes), so that nothing could be predicted; take rule='dempster', "
        "'mixing' or 'size_mixture', or "
        "classifiers that give probabilities: EvidentialClassifier(..., coupling='normalize')"
    )


def _check_products(numbers: dict[str, int], n_classes: int) -> None:
    total = prod(max(number, 1) for number in numbers.values())
    if total > MAX_PRODUCTS:
        listed = " x ".join(str(number) for number in numbers.values())
        raise CostLimitError(
            f"Dempster's rule for {n_classes} classes takes a product for each choice of a fold of "
            f"each classifier, {listed} = {total} a sample (at most {MAX_PRODUCTS}), so that "
            "nothing could be predicted; calibrate classifiers once, EvidentialClassifier(..., "
            "ensemble=False), take fewer folds, or rule='mixing'"
        )


def _is_closed(member: EvidentialClassifier) -> bool:
    """Whether beliefs about three or more classes have a closed form."""
    if member.coupling is not None:
        return bool(member.coupling != "pairwise_belief")
    return isinstance(member.code, str) and member.code == "one_vs_rest"


def _lists_all_sets(member: EvidentialClassifier) -> bool:
    """Whether masses are on all sets of classes for sure, before it is fitted."""
    together = isinstance(member.calibrator, BaseMulticlassCalibrator)
    default = member.calibrator is None
    model = "likelihood" if default else getattr(member.calibrator, "model", None)
    return member.coupling is None and not together and model in _EVIDENTIAL


def _n_products(
    member: EvidentialClassifier, X: Any, y: NDArray[Any], groups: NDArray[Any] | None
) -> int:
    """How many products over the classes a belief will have: one a fold."""
    if hasattr(member, "calibrated_classifiers_"):
        return len(member.calibrated_classifiers_)
    frozen = isinstance(member.estimator, FrozenEstimator)
    ensemble = not frozen if member.ensemble == "auto" else member.ensemble
    return n_folds(member.cv, X, y, groups) if ensemble and member.coupling is None else 1
