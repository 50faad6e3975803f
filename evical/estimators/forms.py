"""The form in which a fusion reads beliefs: all of them, or their pignistic probabilities."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dstheory import Frame, MassFunction
from dstheory.errors import CostLimitError
from evical._typing import Floats
from evical.estimators.calibrated import Calibrated
from evical.estimators.members import gather
from evical.estimators.partial import gather_products
from evical.estimators.rules import is_discounted, member_probabilities, plain
from evical.fusion import BaseFusion, Discounted
from evical.multiclass.products import ProductBeliefs
from evical.scores.silence import spoken_probabilities

__all__ = ["MASSES", "PROBABILITIES", "Form", "Parts", "fit_to_beliefs", "form_of"]

Rows = NDArray[np.intp]

Parts = list[tuple[Rows, Any]]
"""Numbers of rows, with beliefs about them in the form that a fusion reads."""


class Form(NamedTuple):
    """What a fusion reads of beliefs: all of them, or their pignistic probabilities.

    Parameters
    ----------
    predicted : callable
        From a fitted classifier and samples to beliefs.
    of_scores : callable
        From a `Calibrated` and scores to beliefs.
    gathered : callable
        From classes, the number of rows and parts to beliefs about all rows, silent elsewhere.
    of_masses : callable
        From mass functions to beliefs.
    """

    predicted: Callable[[Any, Any], Any]
    of_scores: Callable[[Calibrated, Floats], Any]
    gathered: Callable[[NDArray[Any], int, Parts], Any]
    of_masses: Callable[[MassFunction], Any]


def _masses(member: Any, X: Any) -> MassFunction:
    return member.predict_mass(X)  # type: ignore[no-any-return]  # a BeliefPredictor


def _masses_of_scores(part: Calibrated, scores: Floats) -> MassFunction:
    return part.mass_of(scores)


def _gathered_masses(classes: NDArray[Any], n: int, parts: Parts) -> MassFunction:
    return gather(Frame(classes.tolist()), n, parts)


def _probabilities_of_scores(part: Calibrated, scores: Floats) -> Floats:
    closed = part.closed_of(scores)
    return spoken_probabilities(part.mass_of(scores)) if closed is None else closed.betp()


def _gathered_probabilities(classes: NDArray[Any], n: int, parts: Parts) -> Floats:
    found = np.full((n, len(classes)), np.nan)
    for rows, p in parts:
        found[rows] = p
    return found


def _itself(m: MassFunction) -> MassFunction:
    return m


MASSES = Form(_masses, _masses_of_scores, _gathered_masses, _itself)
PROBABILITIES = Form(
    member_probabilities, _probabilities_of_scores, _gathered_probabilities, spoken_probabilities
)


def _products(member: Any, X: Any) -> ProductBeliefs:
    closed = plain(member)._closed(X)
    if closed is None:
        raise CostLimitError(
            f"beliefs of {type(plain(member)).__name__} about {len(member.classes_)} classes list "
            "all sets, so rates cannot be learned from them; take the fusion 'stacked'"
        )
    found: ProductBeliefs = closed.products()
    return found


def _products_of_scores(part: Calibrated, scores: Floats) -> ProductBeliefs:
    closed = part.closed_of(scores)
    assert closed is not None  # of so many classes, or refused before
    return closed.products()


def _gathered_products(classes: NDArray[Any], n: int, parts: Parts) -> ProductBeliefs:
    return gather_products(len(classes), n, parts)


PRODUCTS = Form(_products, _products_of_scores, _gathered_products, _itself)


def form_of(fusion: BaseFusion, n_classes: int) -> Form:
    """The form in which a fusion reads beliefs about so many classes.

    Parameters
    ----------
    fusion : BaseFusion
    n_classes : int

    Returns
    -------
    Form
    """
    if fusion.reads_probabilities:
        return PROBABILITIES
    many = is_discounted(fusion) and n_classes > Discounted.listed_classes
    return PRODUCTS if many else MASSES


def fit_to_beliefs(
    fusion: BaseFusion,
    beliefs: list[Any],
    y: NDArray[Any],
    classes: NDArray[Any],
    sizes: Any,
    weight: Floats | None,
) -> None:
    """Fit a fusion to beliefs in the form that it reads.

    Parameters
    ----------
    fusion : BaseFusion
        Is fitted.
    beliefs : list of (n, K) arrays or of MassFunction
        Of each source, see `beliefs_read`.
    y : (n,) array
    classes : (K,) array
    sizes : (S,) array
    weight : (n,) array or None
    """
    if not fusion.needs_beliefs:
        fusion.fit(sizes=sizes)
    elif isinstance(beliefs[0], ProductBeliefs):
        fusion._fit_products(beliefs, y, classes, sizes, weight)
    elif fusion.reads_probabilities:
        fusion.fit_probabilities(np.stack(beliefs), y, classes, sizes, sample_weight=weight)
    else:
        fusion.fit(beliefs, y, sizes, sample_weight=weight)
