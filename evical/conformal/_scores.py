"""`ConformalScores`: calibration scores as plain data, for values that come without a classifier.

What a p-value needs is a nonconformity score and the calibration scores, not the classifier. So a
file of them serves wherever the values of the classifier are: in a table, or another program.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import check_random_state

from dstheory import MassFunction
from dstheory.checks.arguments import (
    as_array,
    as_floats,
    check_choice,
    check_count,
    check_flag,
    check_level,
    check_rows,
    shown,
)
from dstheory.kernels.rounding import sum_tolerance, unit_rows
from dstheory.notebook import ShownFields
from evical._typing import Floats, RandomState, Weights
from evical.beliefs.consonant import Consonant
from evical.calibrators.fields import SavedError
from evical.calibrators.saved import plain, restored_arrays, restored_classes
from evical.conformal.calibration import Calibration, ScoreSample, new_seed, random_shares, too_few
from evical.conformal.contour import least_strange, prediction_sets, to_contour
from evical.conformal.nonconformity import (
    SCORES,
    ScoreName,
    score_parameters,
    score_table,
    tied_score,
)
from evical.scores.checks import check_column_order, check_labels, check_weights, refuse

_Parts = tuple[NDArray[Any], str, dict[str, Any], str | None, Calibration, int | None, str]

FORMAT = "evical.conformal"
# Version 1 is that of models without random numbers, and with what ranks do not decide.
_LATEST = 2
_RANKED = ("aps", "raps")
_KEYS = ("classes", "nonconformity", "parameters", "conditional", "samples")
_MOST = 2.0**53  # of a sum of weights, see `check_weights`


@dataclass(frozen=True, eq=False, repr=False)
class ConformalScores(ShownFields):
    """Conformal p-values and beliefs from calibration scores of a classifier elsewhere.

    `from_samples` makes one, and `from_dict` reads one that was saved.

    Parameters
    ----------
    classes_ : (K,) array
        In the order of the columns of values.
    nonconformity : {"lac", "aps", "raps", "margin"}
        As in `ConformalClassifier`.
    parameters : dict
        Those of the score: ``penalty`` and ``n_free`` of "raps", none of the others.
    conditional : None or "class"
        Whether the guarantee holds for each class.
    calibration : Calibration
        The scores.
    seed : int, optional
        Of the random numbers that break ties in predictions; None if they are not `smoothed`.
    ties : {"ranks", "equal"}
        What decides between classes whose probabilities add up to the same in "aps" and "raps":
        their ranks; "equal", nothing, in models that were saved before ranks did.
    rows : (n,) array, optional
        Of the values to predict, see `at_rows`.

    See Also
    --------
    ConformalClassifier : with the classifier, and more ways to calibrate.

    Notes
    -----
    Equal to `ConformalClassifier` of a `FrozenEstimator` that gives these values. The guarantee is
    the same: the true class of a new sample has plausibility alpha or less with probability at most
    alpha. It holds if the classifier was not trained on the calibration samples, and these and the
    new ones are exchangeable.

    One score of two classes is a column (n,) of the second class. For "margin" it is a decision
    value s, with 0 between the classes, and the values are -s and s. All others need a probability
    p, and the values are 1 - p and p; for these "lac" and "margin" order samples alike.

    References
    ----------
    Vovk, Gammerman & Shafer (2005), Algorithmic Learning in a Random World. Cella & Martin (2022),
    Int. J. Approx. Reasoning 141, 110-130.

    Examples
    --------
    >>> values, y = [0.1, 0.2, 0.4, 0.6, 0.7, 0.9], ["no", "no", "yes", "no", "yes", "yes"]
    >>> scores = ConformalScores.from_samples(values, y)
    >>> scores
    ConformalScores(lac, 6 samples, 2 classes)
    >>> scores.predict_contour([0.55, 0.95]).round(3)
    array([[0.429, 1.   ],
           [0.143, 1.   ]])
    >>> scores.predict_set([0.55, 0.95], alpha=0.2)
    array([[ True,  True],
           [False,  True]])
    """

    classes_: NDArray[Any]
    nonconformity: str
    parameters: dict[str, Any]
    conditional: str | None
    calibration: Calibration
    seed: int | None = None
    ties: str = "ranks"
    rows: NDArray[np.intp] | None = None

    @classmethod
    def from_samples(
        cls,
        values: ArrayLike,
        y: ArrayLike,
        *,
        classes: ArrayLike | None = None,
        nonconformity: ScoreName = "lac",
        parameters: Mapping[str, Any] | None = None,
        conditional: str | None = None,
        sample_weight: Weights = None,
        smoothed: bool = False,
        random_state: RandomState = None,
    ) -> Self:
        """From the values of a classifier on samples that it was not trained on.

        Parameters
        ----------
        values : (n, K) or (n,) array
            One column a class; of two classes, one of the second class is enough. Probabilities
            for "lac", "aps" and "raps"; "margin" takes any values.
        y : (n,) array
            Labels.
        classes : (K,) array, optional
            Label of each column. Default: those of `y`, sorted.
        nonconformity : {"lac", "aps", "raps", "margin"}
        parameters : mapping, optional
            Of the score, see `raps_scores`.
        conditional : None or "class"
            "class": the promise holds for each class, compared with its own samples.
        sample_weight : (n,) array, optional
            Non-negative; a weight of 2 counts as two samples.
        smoothed : bool
            As in `ConformalClassifier`: random numbers break ties, which makes p-values uniform.
        random_state : int, RandomState instance or None
            For smoothing. Predictions repeat.

        Returns
        -------
        ConformalScores

        Raises
        ------
        TypeError, ValueError
            If a value is not a probability where one is needed, or not finite; if a label is not
            one of the classes; if a name, a parameter, a weight or a shape is wrong.
        """
        check_choice("conditional", conditional, (None, "class"))
        check_flag("smoothed", smoothed)
        known = score_parameters(nonconformity, parameters or {})
        check_rows(values=values, y=y, sample_weight=sample_weight)
        labels = check_labels(y)
        names = _names(labels, classes)
        table = _table(values, nonconformity, names)
        if len(table) != len(labels):
            raise ValueError(f"values have {len(table)} rows, but there are {len(labels)} labels")
        weight = check_weights(sample_weight, len(labels))
        if weight is not None and not weight.any():
            raise ValueError("all weights are zero; at least one sample must count")
        rng = check_random_state(random_state)
        u = rng.uniform(size=len(labels)) if smoothed else None
        calibration = Calibration.of(
            _scores(table, SCORES[nonconformity], known, u),
            _codes(labels, names),
            weight,
            by_class=conditional == "class",
            groups=None,
        )
        seed = new_seed(rng) if smoothed else None
        return cls(names, nonconformity, known, conditional, calibration, seed)

    def __repr__(self) -> str:
        options = "".join(f", {name}={value:g}" for name, value in self.parameters.items())
        options += ", smoothed" if self.smoothed else ""
        by_class = "" if self.conditional is None else ", by class"
        total = sum(self.n_calibration.values())
        return (
            f"ConformalScores({self.nonconformity}{options}{by_class}, {total:.12g} samples, "
            f"{len(self.classes_)} classes)"
        )

    @property
    def smoothed(self) -> bool:
        """Whether random numbers break ties."""
        return self.seed is not None

    def at_rows(self, rows: ArrayLike) -> Self:
        """The same for some rows of a table, which get the random numbers of the whole table.

        Parameters
        ----------
        rows : (n,) array
            Numbers of the rows of the next values, from 0.

        Returns
        -------
        ConformalScores
            For predictions of n values only.

        Raises
        ------
        TypeError, ValueError
            If they are not whole numbers from 0.

        Examples
        --------
        >>> values, y = [0.1, 0.2, 0.4, 0.6, 0.7, 0.9], [0, 0, 1, 0, 1, 1]
        >>> scores = ConformalScores.from_samples(values, y, smoothed=True, random_state=0)
        >>> part = scores.at_rows([3, 4]).predict_p(values[3:5])
        >>> bool((part == scores.predict_p(values)[3:5]).all())
        True
        """
        numbers = as_array(rows, "rows")
        if numbers.dtype.kind not in "iu" or numbers.ndim != 1:
            raise TypeError(f"rows are {shown(rows)}, expected whole numbers (n,)")
        if numbers.size and numbers.min() < 0:
            raise ValueError(f"rows hold {numbers.min()}, expected numbers from 0")
        return replace(self, rows=numbers.astype(np.intp))

    @property
    def n_calibration(self) -> dict[Any, float]:
        """Weight of the calibration samples of each class, or of all under None."""
        return self.calibration.totals(self.classes_)

    def too_few(self, alpha: float) -> str | None:
        """Reason why a level can reject nothing with so few samples, or None.

        Parameters
        ----------
        alpha : float
            In (0, 1).

        Returns
        -------
        str or None

        Raises
        ------
        ValueError
            If `alpha` is outside (0, 1).
        """
        check_level("alpha", alpha)
        return None if self.smoothed else too_few(self.n_calibration, alpha, self.conditional)

    def _p_and_scores(self, values: ArrayLike) -> tuple[Floats, Floats]:
        table = _table(values, self.nonconformity, self.classes_)
        name = self.nonconformity
        score = SCORES[name] if self.ties == "ranks" else tied_score(name)
        if self.seed is None:
            scores = _scores(table, score, self.parameters, None)
            return self.calibration.counts(scores, None, ties=False).p_values(), scores
        rows = np.arange(len(table)) if self.rows is None else self.rows
        if len(rows) != len(table):
            raise ValueError(f"values have {len(table)} rows, but at_rows named {len(rows)}")
        u, tau = random_shares(self.seed, rows)
        scores = _scores(table, score, self.parameters, u)
        counts = self.calibration.counts(scores, None, ties=True)
        return counts.p_values(tau=tau[:, np.newaxis]), scores

    def predict_p(self, values: ArrayLike) -> Floats:
        """P-value of each class, which small ones reject.

        Parameters
        ----------
        values : (n, K) array, or (n,) as for `from_samples`

        Returns
        -------
        (n, K) array
            As `evical.conformal.p_values` gives them; all may be small.
        """
        return self._p_and_scores(values)[0]

    def predict_contour(self, values: ArrayLike) -> Floats:
        """Return the plausibility of each class, with the largest p-value raised to 1.

        Of tied classes, the least nonconforming one gets plausibility 1.

        Parameters
        ----------
        values : (n, K) array, or (n,) as for `from_samples`

        Returns
        -------
        (n, K) array
        """
        return to_contour(*self._p_and_scores(values))

    def predict_mass(self, values: ArrayLike) -> MassFunction:
        """Belief about the class of each sample, consonant with the contour.

        Parameters
        ----------
        values : (n, K) array, or (n,) as for `from_samples`

        Returns
        -------
        MassFunction
            Batch (n,) on the frame `classes_`.
        """
        return Consonant(self.classes_, self.predict_contour(values)).mass()

    def predict_interval(self, values: ArrayLike) -> Floats:
        """Return belief and plausibility of each class, which do not bound its probability.

        Parameters
        ----------
        values : (n, K) array, or (n,) as for `from_samples`

        Returns
        -------
        (n, K, 2) array
        """
        return Consonant(self.classes_, self.predict_contour(values)).interval()

    def predict_proba(self, values: ArrayLike) -> Floats:
        """Return the pignistic probability of each class, which is not calibrated.

        Parameters
        ----------
        values : (n, K) array, or (n,) as for `from_samples`

        Returns
        -------
        (n, K) array
        """
        return Consonant(self.classes_, self.predict_contour(values)).betp()

    def predict(self, values: ArrayLike) -> NDArray[Any]:
        """Predict the class of plausibility 1, the least nonconforming one of several.

        Parameters
        ----------
        values : (n, K) array, or (n,) as for `from_samples`

        Returns
        -------
        (n,) array of labels
        """
        return np.asarray(self.classes_[least_strange(*self._p_and_scores(values))])

    def predict_set(self, values: ArrayLike, alpha: float) -> NDArray[np.bool_]:
        """Classes of plausibility above a level, of which there is at least one.

        Parameters
        ----------
        values : (n, K) array, or (n,) as for `from_samples`
        alpha : float
            In (0, 1). With `too_few` samples each set has all classes, or all of some.

        Returns
        -------
        (n, K) array of bool

        Raises
        ------
        ValueError
            If `alpha` is outside (0, 1).
        """
        return prediction_sets(self.predict_contour(values), alpha)

    def to_dict(self) -> dict[str, Any]:
        """The scores as plain data, ready for JSON.

        Returns
        -------
        dict
            Strings, numbers, lists and dicts only; `from_dict` reads it back.
        """
        return _saved(self)

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Self:
        """Restore the scores from the output of `to_dict`.

        Parameters
        ----------
        data : dict

        Returns
        -------
        ConformalScores

        Raises
        ------
        ValueError
            If the data are not saved scores, or damaged, or of a later version.
        """
        return cls(*_restored(data))


def _names(labels: NDArray[Any], classes: ArrayLike | None) -> NDArray[Any]:
    if classes is None:
        names = np.unique(labels)
        if len(names) < 2:
            raise ValueError(
                f"y has one class only (all {names.tolist()[0]!r}); name all columns with classes"
            )
        return names
    names = np.array(classes)
    if names.ndim != 1 or len(names) < 2 or len(set(names.tolist())) < len(names):
        raise ValueError(f"classes are {names.tolist()}, expected two or more different labels")
    return names


def _codes(labels: NDArray[Any], names: NDArray[Any]) -> NDArray[np.intp]:
    column = {name: k for k, name in enumerate(names.tolist())}
    found, inverse = np.unique(labels, return_inverse=True)
    for label in found.tolist():
        if label not in column:
            row = labels.tolist().index(label)
            raise ValueError(f"y[{row}] is {label!r}, none of the classes {names.tolist()}")
    return np.array([column[label] for label in found.tolist()], dtype=np.intp)[inverse]


def _table(values: ArrayLike, nonconformity: str, classes: NDArray[Any]) -> Floats:
    """Values (n, K), of one score those of both classes; checked, as far as scores do not."""
    check_column_order(values, classes, "values")
    n_classes = len(classes)
    table, dtype = as_floats(values, "values"), as_array(values, "values").dtype
    single = table.ndim == 1 or table.shape[1:] == (1,)
    if single and n_classes != 2:
        raise ValueError(f"values are one score, but there are {n_classes} classes, not two")
    if not single and (table.ndim != 2 or table.shape[1] != n_classes):
        raise ValueError(
            f"values have shape {table.shape}, expected (n, {n_classes}), a column for each class"
        )
    if nonconformity != "margin":
        _check_unit(table.reshape(len(table), -1), nonconformity, dtype)
    if not single:
        return table if nonconformity == "margin" else unit_rows(table, dtype)[0]
    score = table.reshape(-1)
    return np.stack([-score if nonconformity == "margin" else 1 - score, score], axis=1)


def _check_unit(table: Floats, nonconformity: str, dtype: np.dtype[Any]) -> None:
    most = 1 + sum_tolerance(dtype, table.shape[1])
    expected = f"a probability, in [0, 1], for {nonconformity!r}; 'margin' takes any values"
    refuse(table, ~((table >= 0) & (table <= most)), "values", expected)


def _scores(
    table: Floats, score: Callable[..., Any], parameters: Mapping[str, Any], u: Floats | None
) -> Floats:
    with np.errstate(over="ignore"):
        scores = score_table(partial(score, **parameters), table, u)
    refuse(table, ~np.isfinite(scores), "values", "a number whose margin is finite")
    return scores


def _saved(scores: Any) -> dict[str, Any]:
    """Describe `ConformalScores`."""
    ranked = scores.nonconformity in _RANKED and scores.ties == "ranks"
    more = {} if scores.seed is None else {"seed": scores.seed}
    return {
        "format": FORMAT,
        "version": _LATEST if ranked or more else 1,
        "classes": plain(scores.classes_),
        "nonconformity": scores.nonconformity,
        "parameters": dict(scores.parameters),
        "conditional": scores.conditional,
        "samples": [_of_sample(part) for part in scores.calibration.samples.values()],
        **more,
    }


def _restored(data: object) -> _Parts:
    """What `ConformalScores` is made of; raises ValueError for anything else."""
    if not isinstance(data, dict) or data.get("format") != FORMAT:
        raise ValueError(f"these are not saved conformal scores: the format is not {FORMAT!r}")
    if data.get("version") not in (1, _LATEST):
        raise ValueError(
            f"saved conformal scores have version {data.get('version')!r}, but this release reads "
            f"versions up to {_LATEST}; update the package or fit again"
        )
    missing = [name for name in _KEYS if name not in data]
    if missing:
        raise ValueError(f"saved conformal scores are damaged: {', '.join(missing)} missing")
    try:
        return _content(data)
    except (ArithmeticError, LookupError, TypeError, ValueError) as error:
        reason = error.args[0] if isinstance(error, SavedError) else error
        raise ValueError(f"saved conformal scores are damaged: {reason}") from error


def _content(data: dict[str, Any]) -> _Parts:
    classes = restored_classes(data["classes"])
    if len(classes) < 2:
        raise ValueError(f"classes are {data['classes']!r}, not two or more")
    name, conditional, given = data["nonconformity"], data["conditional"], data["parameters"]
    check_choice("conditional", conditional, (None, "class"))
    if not isinstance(given, dict):
        raise ValueError(f"parameters are {given!r}, not a dict")
    parameters = score_parameters(name, given)
    if parameters.keys() != given.keys():
        raise ValueError(f"parameters lack {', '.join(sorted(parameters.keys() - given.keys()))}")
    samples = _samples(data["samples"], len(classes) if conditional else 1)
    calibration = Calibration(
        "class" if conditional else "all",
        dict(zip(range(len(samples)) if conditional else [None], samples, strict=True)),
    )
    seed = data.get("seed")
    if seed is not None:
        check_count("seed", seed)
    ties = "equal" if name in _RANKED and data["version"] == 1 else "ranks"
    return classes, name, parameters, conditional, calibration, seed, ties


def _samples(parts: object, n: int) -> list[ScoreSample]:
    if not isinstance(parts, list) or len(parts) != n:
        raise ValueError(f"samples are not a list of {n}")
    samples = [_sample(part) for part in parts]
    if not any(len(sample.scores) for sample in samples):
        raise ValueError("samples hold no score")
    return samples


def _of_sample(sample: ScoreSample) -> dict[str, Any]:
    """Scores, and the weight from each one on, unless all weights are 1."""
    plain = np.array_equal(sample.tail, _plain_tail(len(sample.scores)))
    tail = None if plain else sample.tail.tolist()
    return {"scores": sample.scores.tolist(), "weight_from": tail}


def _sample(part: object) -> ScoreSample:
    if not isinstance(part, dict) or part.keys() != {"scores", "weight_from"}:
        raise ValueError("a sample is not one of scores and weight_from")
    scores = _listed(part["scores"], "scores")
    if (np.diff(scores) < 0).any():
        raise ValueError("scores are not in ascending order")
    if part["weight_from"] is None:
        return ScoreSample(scores, _plain_tail(len(scores)))
    tail = _listed(part["weight_from"], "weight_from")
    if len(tail) != len(scores) + 1:
        raise ValueError(f"weight_from has {len(tail)} numbers for {len(scores)} scores")
    if tail[-1] != 0 or (np.diff(tail) > 0).any() or not (tail[:-1] > 0).all() or tail[0] > _MOST:
        raise ValueError("weight_from does not fall from a weight to 0")
    return ScoreSample(scores, tail)


def _listed(value: object, name: str) -> Floats:
    array = restored_arrays(value, name) if isinstance(value, list) else None
    if array is None or array.ndim != 1:
        raise ValueError(f"{name} are not a list of numbers")
    return np.asarray(array, dtype=np.float64)


def _plain_tail(n: int) -> Floats:
    return np.arange(n, -1.0, -1.0)
