"""Parameters of an estimator whose `estimators` are classifiers, with or without names.

scikit-learn's compositions need a name for each part. Parts given without names are called
``classifier0``, ``classifier1`` and so on, and the given list is not changed.
"""

from typing import Any, Self

from sklearn.utils.metaestimators import _BaseComposition

__all__ = ["Composition", "is_dropped", "named_members"]


def named_members(estimators: Any) -> list[tuple[str, Any]]:
    """Pairs of names and classifiers, from a list of either.

    Parameters
    ----------
    estimators : list of classifiers, or of (name, classifier) pairs
        "drop" in place of a classifier leaves it out.

    Returns
    -------
    list of (str, classifier or "drop")
        Without names, ``classifier0``, ``classifier1`` and so on.

    Raises
    ------
    TypeError
        If it is no list of these, or mixes them.
    ValueError
        If it is empty.

    Examples
    --------
    >>> from sklearn.svm import SVC
    >>> named_members([SVC(), SVC(C=10)])
    [('classifier0', SVC()), ('classifier1', SVC(C=10))]
    """
    if not isinstance(estimators, list | tuple):
        raise TypeError(
            "estimators is a list of classifiers or of (name, classifier) pairs, "
            f"not {estimators!r}"
        )
    if len(estimators) == 0:
        raise ValueError("estimators is empty; an ensemble needs a classifier")
    paired = any(isinstance(item, tuple | list) for item in estimators)
    pairs = (
        list(estimators) if paired else [(f"classifier{i}", c) for i, c in enumerate(estimators)]
    )
    for position, pair in enumerate(pairs):
        if not _is_pair(pair):
            raise TypeError(
                f"estimators[{position}] is {estimators[position]!r}, expected "
                f"{'a (name, classifier) pair' if paired else 'a classifier'}"
            )
    return [(name, classifier) for name, classifier in pairs]


def _is_pair(pair: Any) -> bool:
    if not isinstance(pair, tuple | list) or len(pair) != 2:
        return False
    name, classifier = pair
    fits = hasattr(classifier, "fit") and not isinstance(classifier, type)
    return isinstance(name, str) and (fits or is_dropped(classifier))


def is_dropped(classifier: Any) -> bool:
    """Whether "drop" stands in place of a classifier, as in scikit-learn's compositions.

    Parameters
    ----------
    classifier : classifier or "drop"

    Returns
    -------
    bool

    Examples
    --------
    >>> is_dropped("drop"), is_dropped("svm")
    (True, False)
    """
    return isinstance(classifier, str) and classifier == "drop"


class Composition(_BaseComposition):  # type: ignore[misc]  # untyped base
    """An estimator made of `estimators`, reached by their names; abstract."""

    estimators: Any

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Parameters of the ensemble and, by ``name__parameter``, of its classifiers.

        Parameters
        ----------
        deep : bool
            Whether to include the classifiers' own.

        Returns
        -------
        dict
        """
        return dict(self._get_params("_pairs", deep=deep))

    def set_params(self, **params: Any) -> Self:
        """Set parameters of the ensemble, a classifier by its name, or its parameters.

        Parameters
        ----------
        **params
            Such as ``rule=conjunctive``, ``svm=SVC()`` or ``svm__C=10``; ``svm="drop"`` leaves that
            classifier out.

        Returns
        -------
        self
        """
        if "estimators" in params:  # first, because other names may be of the new ones
            self.estimators = params.pop("estimators")
        self._set_params("_pairs", **params)
        return self

    @property
    def _pairs(self) -> list[tuple[str, Any]]:
        """`estimators` with names; an assignment does not add names to a list without them."""
        try:
            return named_members(self.estimators)
        except (TypeError, ValueError):
            return []  # refused by fit, with the reason

    @_pairs.setter
    def _pairs(self, pairs: list[tuple[str, Any]]) -> None:
        has_names = isinstance(self.estimators[0], tuple | list)
        self.estimators = pairs if has_names else [classifier for _, classifier in pairs]

    @property
    def _used_pairs(self) -> list[tuple[str, Any]]:
        """Those that are not dropped."""
        return [(name, one) for name, one in self._pairs if not is_dropped(one)]
