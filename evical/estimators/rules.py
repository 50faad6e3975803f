"""Rules that combine beliefs about many classes without a list of sets."""

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
from sklearn.frozen import FrozenEstimator

from dstheory import Frame, MassFunction
from dstheory.combine import dempster, mixing
from dstheory.errors import TotalConflictError
from evical._typing import Floats
from evical.estimators.closed_beliefs import ClosedForm
from evical.estimators.members import exclusive, vacuous_where
from evical.estimators.members import total_conflict as in_total_conflict
from evical.fusion import BaseFusion, Discounted, Mixture, Stacked
from evical.multiclass import MAX_CLASSES
from evical.multiclass.joined import MAX_PRODUCTS, JoinedBeliefs
from evical.multiclass.products import ProductBeliefs
from evical.scores.silence import spoken_probabilities

__all__ = [
    "closed_form",
    "combined",
    "is_dempster",
    "is_discounted",
    "listed_mass",
    "mean_weights",
    "member_probabilities",
    "plain",
    "product_conflict",
]


def closed_form(
    rule: Any, members: Sequence[Any], X: Any, total_conflict: str
) -> ClosedForm | None:
    """Combined beliefs of fitted classifiers, if a closed form is shorter than a list of sets.

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
    if isinstance(rule, Stacked):
        if len(members[0].classes_) == 2:
            return None
        return rule.fuse_probabilities(np.stack([member_probabilities(m, X) for m in members]))
    weights = mean_weights(rule, len(members))
    weakened = is_discounted(rule) and len(members[0].classes_) > rule.listed_classes
    if weights is None and not is_dempster(rule) and not weakened:
        return None
    sources = _sources(members, X)
    if sources is None:
        return None
    if weakened:
        pairs = zip(sources, rule.rates_.tolist(), strict=True)
        sources = [source.discounted(rate) for source, rate in pairs]
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
    if not is_dempster(rule) or len(members) == 1 or not 2 < len(classes) <= MAX_CLASSES:
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
        if not dead.any():  # not a conflict of the classifiers
            raise
        if total_conflict == "vacuous":
            return vacuous_where(dead, rule, masses)
        raise exclusive(dead) from error


def product_conflict(members: Sequence[Any], X: Any) -> Floats | None:
    """Conflict (n,) of several classifiers, if it needs no list of sets.

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


def member_probabilities(member: Any, X: Any) -> Floats:
    """Pignistic probabilities (n, K) of a fitted classifier; NaN where it is silent."""
    closed = plain(member)._closed(X)
    p = spoken_probabilities(member.predict_mass(X)) if closed is None else closed.betp()
    silent = plain(member)._silent(X)
    return p if silent is None else np.where(silent[:, np.newaxis], np.nan, p)


def _sources(members: Sequence[Any], X: Any) -> list[ProductBeliefs] | None:
    """Beliefs of the members about three or more classes, if all have closed forms."""
    found: list[ProductBeliefs] = []
    for member in members:
        closed = plain(member)._closed(X)
        if closed is None:
            return None
        found.append(closed.products())
    return found


def _possible(sources: list[ProductBeliefs], total_conflict: str) -> list[ProductBeliefs]:
    """Sources, vacuous in rows where they exclude each other, or an error."""
    dead = JoinedBeliefs(sources).impossible()
    if dead.any() and total_conflict == "error":
        raise exclusive(dead)
    return [source.vacuous_where(dead) for source in sources]


def is_dempster(rule: Any) -> bool:
    """Whether a rule is Dempster's, with or without options."""
    return (rule.func if isinstance(rule, partial) else rule) is dempster


def is_discounted(rule: Any) -> bool:
    """Whether a rule is Dempster's of sources that are discounted as a whole."""
    return isinstance(rule, Discounted) and not rule.contextual


def mean_weights(rule: Any, n_sources: int) -> Any:
    """Weights (S,) of a rule that is a mean of mass functions; None if it is another one."""
    if isinstance(rule, Mixture):
        return getattr(rule, "weights_", np.full(n_sources, 1 / n_sources))
    inner = rule.func if isinstance(rule, partial) else rule
    if inner is not mixing:
        return None
    weights = rule.keywords.get("weights") if isinstance(rule, partial) else None
    return np.full(n_sources, 1 / n_sources) if weights is None else _shares(weights, n_sources)


def _shares(weights: Any, n_sources: int) -> Any:
    """Weights as an array; None if `mixing` refuses them, or they differ from row to row."""
    array = np.asarray(weights)
    if array.shape != (n_sources,) or array.dtype.kind not in "fiu" or not (array >= 0).all():
        return None
    return array if abs(array.sum() - 1) <= 1e-9 else None


def plain(member: Any) -> Any:
    return member.estimator if isinstance(member, FrozenEstimator) else member
