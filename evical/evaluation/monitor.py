"""`CalibrationMonitor`: an alarm for predictions that stop being calibrated, sample by sample.

Gamblers bet against the predicted probabilities: one says that the class is likelier than
predicted, another that probabilities are too extreme, and so on. Under calibration their odds are
fair, so the capital exceeds C at any time with probability at most 1 / C (Ville's inequality).

At first all capital is a reserve. A part of it is put on all bets before each sample, ever less,
but without end: bets of yesterday may have lost all when the change comes, and the reserve has not.
"""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import logsumexp

from dstheory import MassFunction
from dstheory.checks.arguments import as_array, check_rows
from dstheory.kernels.batches import blocks
from evical._typing import Floats, Indices
from evical.calibrators.saved import plain, restored_classes
from evical.conformal.martingale import Capital
from evical.metrics.inputs import Predicted, class_sample
from evical.scores.checks import as_column, check_column_order

# What is added to the log-odds of a class, and what log-odds are multiplied by, of small errors
# and of large ones; `bench_monitor.py` has the delays of others.
_SHIFTS, _SCALES = (0.4, -0.4, 1.0, -1.0), (0.6, 1.6)
# Samples after which the reserve is still 1 / (1 + log 2).
_EARLY = 100
# A prediction of 0 counts as this, so that the capital stays finite if the class occurs.
_LEAST = 1e-12
_MOST_COLUMNS = 1 << 20
# Above it, what the richest bet says is chance.
_FEW = 0.1


class CalibrationMonitor(Capital):
    """Bets against the calibration of predictions, whose capital is evidence at any time.

    Parameters
    ----------
    model : fitted classifier or calibrator, optional
        Its `classes_` are the labels of the columns. Default: labels 0, 1, ..., K - 1.

    Attributes
    ----------
    log_values : (n,) array
        Natural logarithm of the capital after each sample.
    value : float
        The capital.
    p_value : float
        Probability that calibrated predictions give this capital or more at some time.
    finding : str
        Findings of the winning bets.

    See Also
    --------
    evical.plot.MartingaleDisplay : its picture.
    evical.conformal.ExchangeabilityTest : whether samples change, not whether predictions are
        wrong; it needs no calibration, and sees nothing that was there from the start.

    Notes
    -----
    The odds of a bet are q(y) / p(y), with the predicted probability p of the class y that was
    seen, and q of the bet: p with the log-odds of a class shifted by 0.4 or 1 up or down, or with
    all logarithms multiplied by 0.6 or 1.6. The mean of q(y) / p(y) under p is 1, whatever was seen
    before, so the capital is a test martingale if each class has the probability that was predicted
    for it, given all that was known. The part of the reserve that is not yet bet after t samples is
    1 / (1 + log(1 + t / 100)), so a change after t samples is seen later by log t only.

    It sees what these bets see: errors to one side and probabilities that are too extreme or too
    moderate, in the mean over samples. Errors that cancel, such as those of a wave, it misses.

    References
    ----------
    Ramdas, Gruenwald, Vovk & Shafer (2023), Game-theoretic statistics and safe anytime-valid
    inference, Statistical Science 38, 576-601. Arnold, Henzi & Ziegel (2023), Sequentially valid
    tests for forecast calibration, Annals of Applied Statistics 17, 1909-1935.

    Examples
    --------
    >>> monitor = CalibrationMonitor().update([0.5] * 40, [0, 1] * 20)
    >>> monitor.p_value > 0.5
    True
    >>> monitor.update([0.5] * 40, [1] * 40).p_value < 0.01, monitor.finding
    (True, 'class 1 is likelier than predicted')
    """

    _shown = ("value", "p_value", "finding")

    def __init__(self, model: object = None) -> None:
        self.classes_ = None if model is None else np.asarray(_classes(model))
        super().__init__(np.ones(1), np.zeros((1, 1)))

    def __repr__(self) -> str:
        return f"CalibrationMonitor: capital {self.value:.3g} after {self._n}; {self.finding}"

    def update(self, p: Predicted, y: ArrayLike) -> Self:
        """Bet on the next samples.

        Parameters
        ----------
        p : (n,) or (n, K) array, or MassFunction
            Predicted probabilities, of two classes those of the second, in the order of time; of a
            mass function the pignistic ones.
        y : (n,) array
            Classes that were seen then. One class alone is one sample.

        Returns
        -------
        self

        Raises
        ------
        ValueError
            As `evical.metrics.brier_score`, if the number of classes changes, or for labels that
            are not numbers of classes if there is no model. Nothing is then bet.
        """
        labels = as_column(y if np.ndim(y) else [y])
        if not len(labels):
            return self
        check_rows(p=p, y=y)
        given = p if isinstance(p, MassFunction) else as_array(p, "p")
        if isinstance(given, np.ndarray) and np.ndim(y) == 0 and given.ndim < 2:
            given = given[np.newaxis]
        known = self.classes_
        if known is None and isinstance(given, np.ndarray):
            known = np.arange(max(2, given.shape[-1] if given.ndim > 1 else 2))
            other = set(labels.tolist()) - set(known.tolist())
            if other:
                raise ValueError(
                    f"y holds {other.pop()!r}, but without a model the classes are numbers from 0 "
                    f"to {known[-1]}; give CalibrationMonitor(model) to name the classes"
                )
        if known is not None:
            check_column_order(p, known, "p")
        sample = class_sample(labels, given, known, None)
        k = sample.p.shape[1]
        if self.classes_ is None or len(self._shares) == 1:
            self.classes_ = np.asarray(sample.labels)
            self._shares, self._transfers = _reserve(n_bets(k))
        for rows in blocks(len(sample.codes), _MOST_COLUMNS // (k * n_bets(k))):
            odds = bet_odds(sample.p[rows], sample.codes[rows])
            self._add(self._bets(odds, _rates(self._n + np.arange(len(odds)))))
        return self

    def to_dict(self) -> dict[str, Any]:
        """Return what is needed to go on as plain data, without the capital of earlier samples.

        Returns
        -------
        dict
            Strings, numbers and lists only; `from_dict` reads it back.
        """
        return {
            "classes": plain(self.classes_),
            "shares": self._shares.tolist(),
            "log_capital": self._log_capital,
            "largest": self._best,
            "n_samples": self._n,
        }

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Self:
        """Go on from the output of `to_dict`.

        Parameters
        ----------
        data : dict

        Returns
        -------
        CalibrationMonitor
            Its `log_values` begin with the next sample.

        Raises
        ------
        ValueError
            If the data are not those of a monitor.
        """
        made = cls()
        try:
            shares = np.array(data["shares"], dtype=np.float64)
            labels, n = data["classes"], int(data["n_samples"])
            made.classes_ = None if labels is None else restored_classes(labels)
            made._log_capital, made._best = float(data["log_capital"]), float(data["largest"])
        except (KeyError, TypeError, ValueError) as error:
            raise ValueError(f"this is not a saved monitor: {error!r}") from error
        bets = 0 if labels is None or n == 0 else n_bets(len(labels))
        if shares.shape != (1 + bets,) or not (np.isfinite(shares) & (shares >= 0)).all() or n < 0:
            raise ValueError(f"a saved monitor of {labels} is damaged: shares are {shares}")
        made._n = n
        if bets:
            made._shares, made._transfers = shares, _reserve(bets)[1]
        return made

    @property
    def finding(self) -> str:
        """The finding of the richest bet, in words."""
        best = int(np.argmax(self._shares[1:])) if len(self._shares) > 1 else -1
        if best < 0 or self.p_value > _FEW or self.classes_ is None:
            return "no evidence against calibration"
        if best < len(_SCALES):
            return f"probabilities are too {('extreme', 'moderate')[best]}"
        which, shift = divmod(best - len(_SCALES), len(_SHIFTS))
        label = self.classes_[which if len(self.classes_) > 2 else 1]
        return f"class {label} is {'likelier' if _SHIFTS[shift] > 0 else 'rarer'} than predicted"


def _classes(model: object) -> Any:
    found = getattr(model, "classes_", None)
    if found is None or isinstance(model, type):
        raise TypeError(f"model is {model!r}, expected a fitted classifier or calibrator, or None")
    return found


def n_bets(n_classes: int) -> int:
    """Number of bets: both scales, and the shifts of each class; of two classes, of the second."""
    return len(_SCALES) + len(_SHIFTS) * (n_classes if n_classes > 2 else 1)


def _reserve(bets: int) -> tuple[Floats, Floats]:
    """All capital in the reserve, and transfers from it to all bets alike."""
    shares, transfers = np.zeros(1 + bets), np.zeros((1 + bets, 1 + bets))
    shares[0] = 1
    transfers[0] = [-1, *[1 / bets] * bets]
    return shares, transfers


def _rates(n: Indices) -> Floats:
    """Part of the reserve that is put on bets after n samples."""
    kept = 1 / (1 + np.log1p(np.stack([n, n + 1]) / _EARLY))
    return np.asarray(1 - kept[1] / kept[0])


def bet_odds(p: Floats, codes: Indices) -> Floats:
    """Odds (n, 1 + bets) of the reserve, which are 1, and of the bets, from p (n, K) and classes.

    >>> odds = bet_odds(np.array([[0.5, 0.5]] * 2), np.array([0, 1]))
    >>> odds.mean(axis=0).round(12)
    array([1., 1., 1., 1., 1., 1., 1.])
    """
    rows, k = np.arange(len(p)), p.shape[1]
    logs = np.log(np.maximum(p, _LEAST))
    own = logs[rows, codes]
    found = [np.zeros(len(p))]
    found += [b * own - logsumexp(b * logs, axis=1) - own for b in _SCALES]
    for which in range(k) if k > 2 else (1,):
        hit, chance = codes == which, np.minimum(p[:, which], 1)
        found += [a * hit - np.log1p(chance * np.expm1(a)) for a in _SHIFTS]
    return np.exp(np.stack(found, axis=1))
