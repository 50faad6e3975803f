"""`Stacked`: a weighted sum of evidence, learned from held-out beliefs.

Dempster's rule adds up the evidence of independent reliable sources. `Stacked` uses weights that
calibrate the sum: a source that errs, or repeats others, gets less weight. Belief and plausibility
reflect how well held-out samples determine the result, so the fused belief is calibrated, not only
each source.

A source may be silent about some samples. One that speaks tells the share of its classes too.
Without it that must come from elsewhere, and other sources must count for more if they repeat it.
So each common choice of sources that speak has a fusion of its own (reduced models: Saar-Tsechansky
& Provost 2007, Handling missing values when applying classification models, Journal of Machine
Learning Research 8, 1623-1657). It learns from the samples about which all of them speak and, as
far as these favor that, from the others too, where a silent source has the evidence with which it
favors no class.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import block_diag

from dstheory import MassFunction
from dstheory.checks.arguments import check_choice, check_level, check_not_negative
from evical._typing import Flags, Floats, Indices
from evical.beliefs import Beliefs, as_beliefs
from evical.beliefs.bounded import Bounded
from evical.calibrators.fields import Field, log_odds, optional, positive, rising, shares
from evical.curves.automatic import automatic_curve
from evical.curves.candidates import AveragedCurve
from evical.fusion._log_pool import Labeled, LogPool, fit_pool
from evical.fusion._rule import HeldOut, Needs, Reads, Rule, read
from evical.fusion.described import Formula
from evical.scores.counts import ScoreCounts
from evical.scores.scale import between, interpolated, row_blocks, softmax

_FEWEST = 5  # samples of each class from which a choice of sources is learned
_SAME = 1e-9  # difference of log-probabilities that is rounding
_RARE = 0.01  # share of the samples below which a choice is not worth a fusion


def evidence(probabilities: Floats, least: float) -> Floats:
    """Log-probabilities (n, K, S), less their mean over the classes; 0 for even ones.

    Parameters
    ----------
    probabilities : (S, n, K) array
    least : float
        To which smaller ones are raised.

    Returns
    -------
    (n, K, S) array
        In memory as the probabilities.
    """
    logs = np.maximum(probabilities, least)
    np.log(logs, out=logs)
    logs -= logs.mean(axis=2, keepdims=True)
    return np.moveaxis(logs, 0, 2)


def usual_evidence(held_out: HeldOut, says: Floats) -> Floats:
    """Evidence (K, S) of a source that favors no class: the mean of its means in each class.

    For a calibrated source this is about how frequent the classes are; exactly, if its evidence is
    normal with the same variance in each of two classes. Each class has one sample more, about
    which a source says how frequent the classes are where it speaks.

    Parameters
    ----------
    held_out : HeldOut
    says : (n, K, S) array
        Evidence.

    Returns
    -------
    (K, S) array
        Of a source that never speaks, how frequent they are at all.
    """
    speaks = np.where(held_out.silent, 0.0, held_out.weight)
    counts = held_out.targets.T @ speaks.T
    at_all = held_out.weight @ held_out.targets
    frequent = np.where(held_out.silent.all(axis=1), at_all[:, np.newaxis], counts)
    logs = np.log(frequent + 0.5)
    logs -= logs.mean(axis=0)
    each = 1.0 / (counts + 1.0)  # weight of a sample in the mean of its class
    total = np.einsum("sn,nks->ks", speaks * each[held_out.codes].T, says)
    return np.asarray((total + logs * each.sum(axis=0)) / len(counts))


def informative(says: Floats) -> Flags:
    """Sources (S,) whose evidence (n, K, S) differs from sample to sample; all, if none does.

    Parameters
    ----------
    says : (n, K, S) array

    Returns
    -------
    (S,) array of bool
    """
    differs = np.ptp(says, axis=0).max(axis=0) > _SAME
    return np.asarray(differs if differs.any() else ~differs)


def among_all(pool: LogPool, heard: Flags) -> LogPool:
    """A pool of some sources as one of all, in which the others have no weight.

    Parameters
    ----------
    pool : LogPool
    heard : (S,) array of bool

    Returns
    -------
    LogPool
    """
    if heard.all():
        return pool
    k = len(pool.intercepts)
    own = np.append(heard, True)  # with the intercept of a class
    places = np.append(heard, np.ones(k, dtype=bool)) if pool.weights.ndim == 1 else np.tile(own, k)
    covariance = np.zeros((len(places), len(places)))
    covariance[np.ix_(places, places)] = pool.covariance
    weights = np.zeros((*pool.weights.shape[:-1], len(heard)))
    weights[..., heard] = pool.weights
    return replace(pool, weights=weights, covariance=covariance)


def among_classes(pool: LogPool, k: int, present: Indices) -> LogPool:
    """A pool of some classes as one of all, of which the others are as these are on average.

    How these differ, and how far each may be off, is what the coefficients of another class leave
    open.

    Parameters
    ----------
    pool : LogPool
    k : int
        Number of all classes.
    present : (m,) array of int
        Classes of the pool.

    Returns
    -------
    LogPool

    Examples
    --------
    >>> pool = LogPool(np.ones(1), np.array([0.0, 0.5]), np.diag([0.25, 1.0, 1.0]))
    >>> wider = among_classes(pool, 3, np.array([0, 2]))
    >>> wider.intercepts, wider.covariance.diagonal()  # 1/2 from both means, 1/8 between, 1
    (array([0.  , 0.25, 0.5 ]), array([0.25 , 1.   , 1.625, 1.   ]))
    """
    if len(present) == k:
        return pool
    shares = np.full((k, len(present)), 1 / len(present))
    shares[present] = np.eye(len(present))
    tied = pool.weights.ndim == 1
    common = len(pool.weights) if tied else 0
    own = 1 if tied else pool.weights.shape[1] + 1  # coefficients of a class alone
    mixed = block_diag(np.eye(common), np.kron(shares, np.eye(own)))
    table = pool.intercepts[:, np.newaxis]
    table = table if tied else np.hstack([pool.weights, table])
    blocks = pool.covariance[common:, common:].reshape(len(present), own, len(present), own)
    spread = np.cov(table.T).reshape(own, own) + np.einsum("kikj->ij", blocks) / len(present)
    covariance = mixed @ pool.covariance @ mixed.T
    for at in np.setdiff1d(np.arange(k), present):
        place = slice(common + own * at, common + own * (at + 1))
        covariance[place, place] += spread
    weights = pool.weights if tied else shares @ pool.weights
    return replace(
        pool, weights=weights, intercepts=shares @ pool.intercepts, covariance=covariance
    )


def learnable(held_out: HeldOut) -> Flags:
    """Choices (r, S) of sources that speak, each with enough samples to learn from.

    Parameters
    ----------
    held_out : HeldOut

    Returns
    -------
    (r, S) array of bool
        None if no source is ever silent.
    """
    speaks = ~held_out.silent.T
    if speaks.all():
        return np.empty((0, speaks.shape[1]), dtype=bool)
    choices, places = np.unique(speaks, axis=0, return_inverse=True)
    times = np.bincount(places.ravel(), held_out.weight)
    common = choices[times >= _RARE * held_out.weight.sum()]
    enough = [_has_enough(held_out, _all_of(speaks[:, choice])) for choice in common]
    return np.asarray(common[np.array(enough, dtype=bool)])


def _all_of(speaks: Flags) -> Flags:
    """Samples (n,) about which all sources speak, given by sample and source."""
    return np.asarray(speaks.all(axis=1))


def _has_enough(held_out: HeldOut, rows: Flags) -> bool:
    n_classes = len(held_out.frame)
    counts = np.bincount(held_out.codes[rows], held_out.weight[rows], minlength=n_classes)
    return bool(counts[np.unique(held_out.codes)].min() >= _FEWEST)


def complete(held_out: HeldOut) -> Flags:
    """Samples (n,) about which all sources speak; all samples, if these are too few to learn from.

    Parameters
    ----------
    held_out : HeldOut

    Returns
    -------
    (n,) array of bool
    """
    rows = _all_of(~held_out.silent.T)
    return rows if _has_enough(held_out, rows) else np.ones_like(rows)


def chosen_only(held_out: HeldOut, choice: Flags) -> HeldOut:
    """Held-out beliefs of the chosen sources (S,) alone.

    Parameters
    ----------
    held_out : HeldOut
    choice : (S,) array of bool
        If it is none, one source is left that says nothing.

    Returns
    -------
    HeldOut
    """
    if choice.any():
        return held_out.part(choice)
    n, k = len(held_out.codes), len(held_out.frame)
    even = as_beliefs(np.full((n, k), 1 / k), held_out.sources[0].classes)
    return replace(held_out, sources=(even,))


_MODELS = ("likelihood", "confidence", "bayesian")
# Probabilities below 1e-4, or a tenth of a sample, are more than samples could support.
_LEAST, _LEAST_COUNT = 1e-4, 0.1
_NEGLIGIBLE = 0.01  # weight of a sample that is not worth its time
_PENALTIES = (1e-9, 1e9)  # beyond, floats leave nothing of the prior, or of the samples


class Stacked(Rule):
    """Weighted sum of evidence, calibrated on held-out beliefs, the recommended fusion.

    Parameters
    ----------
    penalty : "learned" or float
        Precision, from 1e-9 to 1e9, of the normal prior that draws the weights to
        ``sizes / sum(sizes)``, as in a mean of log-probabilities. "learned": several precisions,
        averaged by the likelihood of samples that are left out; with more than two classes, also
        around the best weights from 0 with sum 1.
    model : {"likelihood", "confidence", "bayesian"}
        Meaning of the belief function about the fused probability: the likelihood-based belief
        function around it, whose pignistic probability it is; its interval at level `confidence`,
        with that mass; or the probability alone.
    confidence : float
        Level of the model "confidence".

    Attributes
    ----------
    weights_ : (S,) for two classes, else (S, K)
        Weights of evidence. A negative weight means that a source, given the others, contradicts
        its own prediction.
    intercept_ : float for two classes, else (K,) array
    standard_error_ : like `weights_`
        Posterior standard deviation of the weights.

    Notes
    -----
    The evidence of a source is the logarithm of its pignistic probabilities, less the mean over the
    classes; probabilities below 1e-4, or a tenth of a sample, are raised to that. The logit of
    class k is ``intercept[k] + sum(weights[:, k] * evidence[:, k])``. For Bayesian sources, weights
    of 1 without intercept are Dempster's rule; weights of sum 1 are a logarithmic opinion pool.
    Denoeux (2019) shows logistic regression to be Dempster's rule for weights of evidence.

    A source with the same belief about all samples has the weight 0, with standard error 0, unless
    all sources do, because samples do not show what another belief of it would be worth.

    With more than two classes, each class has weights of its own, drawn to common ones as strongly
    as left-out samples recommend. With hundreds of coefficients all classes share the weights.

    A source abstains on a sample if its belief is vacuous. Each combination of available sources
    that occurs in about 1 % of the samples has a pool of its own, if all of them are available for
    at least 5 samples of each class: for what one source leaves out, others like it must make up. A
    pool learns from these samples and, as far as they favor that, from the others, where an
    abstaining source has the evidence with which it favors no class: the mean of its means in each
    class. So it has in any other choice. `weights_` are those for samples for which all sources are
    available, if these are enough.

    For two classes the fused log-odds are calibrated as by `evical.calibrators.AutoCalibrator`, so
    that belief and plausibility hold even where frequencies do not follow a sigmoid. The variance
    of the log-odds is that of the calibration curve plus that of the weights.

    Bel and Pl are as far below as above the fused probability: half of the expected width of the
    level sets of a normal contour (Xu et al. 2016, eq. 22-23). Doubt goes to pairs of classes, so
    no list of all sets is needed: any number of classes will do.

    References
    ----------
    Wolpert (1992), Stacked generalization, Neural Networks 5, 241-259; van der Laan, Polley
    & Hubbard (2007), Super learner, Statistical Applications in Genetics and Molecular
    Biology 6(1), 25; Denoeux (2019), Logistic regression, neural networks and
    Dempster-Shafer theory: a new perspective, Knowledge-Based Systems 176, 54-67; Xu, Davoine,
    Zha & Denoeux (2016), Int. J. Approx. Reasoning 72, 55-70; Rad & Maleki (2020), A scalable
    estimate of the out-of-sample prediction error via approximate leave-one-out
    cross-validation, Journal of the Royal Statistical Society B 82, 965-996; Saar-Tsechansky &
    Provost (2007), Handling missing values when applying classification models, Journal of
    Machine Learning Research 8, 1623-1657.

    Examples
    --------
    The first source is right four times out of five, the second as often wrong as right:

    >>> from dstheory import Frame
    >>> frame = Frame(["a", "b"])
    >>> m1 = MassFunction(frame, [1, 2], [[0.8, 0.2], [0.2, 0.8]] * 50)
    >>> m2 = MassFunction(frame, [1, 2], [[0.8, 0.2]] * 50 + [[0.2, 0.8]] * 50)
    >>> fusion = Stacked().fit([m1, m2], ["a", "b"] * 40 + ["b", "a"] * 10)
    >>> fusion.weights_.round(1)
    array([0.9, 0.1])
    """

    _by_source = ("weights_", "standard_error_")
    _state: ClassVar = {
        "weights": Field(("w", "s")),
        "intercepts": Field(("k",)),
        "covariance": Field(("p", "p")),
        "least": positive(),
        "knots": optional(rising("t")),
        "probability": optional(shares("t")),
        "log_odds": optional(log_odds("t")),
        "error": optional(log_odds("t")),
        "usual": log_odds("k", "s"),
        "choices": optional(shares("r", "s")),
    }

    def __init__(
        self, *, penalty: Any = "learned", model: str = "likelihood", confidence: float = 0.95
    ) -> None:
        self.penalty = penalty
        self.model = model
        self.confidence = confidence

    @property
    def needs(self) -> Needs:
        """Beliefs about labeled samples."""
        return "labels"

    def reads(self, n_classes: int) -> Reads:
        """Probabilities alone.

        Parameters
        ----------
        n_classes : int

        Returns
        -------
        {"probabilities"}
        """
        return "probabilities"

    def formula(self, n_classes: int, n_sources: int) -> Formula:
        """A pool of log-odds, for any number of classes.

        Parameters
        ----------
        n_classes, n_sources : int

        Returns
        -------
        Formula
        """
        return Formula("stacked", self.weights_)

    def _check_parameters(self) -> None:
        check_choice("model", self.model, _MODELS)
        check_level("confidence", self.confidence)
        if isinstance(self.penalty, str):
            check_choice("penalty", self.penalty, ("learned",), "a positive number, or ")
            return
        check_not_negative(penalty=self.penalty)
        if self.penalty == 0:
            raise ValueError(
                "penalty is 0, expected a positive number: otherwise the weights of sources that "
                "agree are not determined"
            )
        if not _PENALTIES[0] <= self.penalty <= _PENALTIES[1]:
            raise ValueError(
                f"penalty is {self.penalty:g}, expected a number from {_PENALTIES[0]:g} to "
                f"{_PENALTIES[1]:g}, or 'learned'"
            )

    def _learn(self, held_out: HeldOut | None, sizes: Floats) -> None:
        assert held_out is not None  # beliefs are needed
        choices = learnable(held_out)
        self._choices = choices[~choices.all(axis=1)]
        self._reduced = [self._reduced_to(choice, held_out, sizes) for choice in self._choices]
        self._learn_pool(held_out, sizes)

    def _reduced_to(self, choice: NDArray[np.bool_], held_out: HeldOut, sizes: Floats) -> "Stacked":
        """The same fusion, of the chosen sources (S,) alone."""
        part = Stacked(**self.get_params())
        its_sizes = sizes[choice] if choice.any() else np.ones(1)
        part._choices, part._reduced = np.empty((0, len(its_sizes)), dtype=bool), []
        part._learn_pool(chosen_only(held_out, choice), its_sizes)
        part.frame_, part.n_sources_ = held_out.frame, len(its_sizes)
        return part

    def _learn_pool(self, held_out: HeldOut, sizes: Floats) -> None:
        self._least = min(_LEAST, _LEAST_COUNT / held_out.weight.sum())
        self._usual = usual_evidence(held_out, evidence(held_out.probabilities, self._least))
        says, spoken = self._evidence(held_out.probabilities, held_out.silent), complete(held_out)
        precision = None if isinstance(self.penalty, str) else float(self.penalty)
        heard = informative(says[spoken])
        shares = sizes[heard] / sizes[heard].sum()
        present, codes = np.unique(held_out.codes, return_inverse=True)
        sample = Labeled(
            np.ascontiguousarray(says[:, :, heard][:, present]), codes, held_out.weight
        )
        pool = fit_pool(sample, shares, precision, ~spoken)
        self._set_pool(among_classes(among_all(pool, heard), says.shape[1], present))
        self._curve: AveragedCurve | None = None
        if len(held_out.frame) == 2:
            used = spoken | (pool.filled > _NEGLIGIBLE)
            weight = np.where(spoken, 1.0, pool.filled) * held_out.weight
            scores = self._scores(says[used])
            self._curve = automatic_curve(
                ScoreCounts.from_samples(scores, held_out.codes[used], weight[used])
            )

    def _evidence(self, probabilities: Floats, silent: NDArray[np.bool_]) -> Floats:
        """Evidence (n, K, S); that of silent sources (S, n) is the usual one."""
        says = evidence(probabilities, self._least)
        return np.where(silent.T[:, np.newaxis], self._usual, says) if silent.any() else says

    def _set_pool(self, pool: LogPool) -> None:
        self._pool = pool
        k = len(pool.intercepts)
        if k == 2:
            self.weights_, self.standard_error_ = pool.weights, pool.standard_errors()
            self.intercept_: Any = float(pool.intercepts[1] - pool.intercepts[0])
            return
        self.weights_, self.standard_error_ = (
            np.array(np.broadcast_to(table, (k, pool.weights.shape[-1])).T)
            for table in (pool.weights, pool.standard_errors())
        )
        self.intercept_ = pool.intercepts.copy()

    def _get_state(self) -> dict[str, Any]:
        none = np.empty(0)
        curve = self._curve or _curve(none, none, none, none)
        return {
            "weights": np.atleast_2d(self._pool.weights),
            "intercepts": self._pool.intercepts,
            "covariance": self._pool.covariance,
            "least": self._least,
            "knots": curve.scores,
            "probability": curve.probability,
            "log_odds": curve.log_odds,
            "error": curve.error,
            "usual": self._usual,
            "choices": self._choices.astype(np.float64),
        }

    def _parts(self) -> list[Rule]:
        return list(self._reduced)

    def _set_parts(self, parts: list[Rule]) -> None:
        sources = [max(int(choice.sum()), 1) for choice in self._choices]
        kinds = [isinstance(part, Stacked) and part.frame_ == self.frame_ for part in parts]
        if [part.n_sources_ for part in parts] != sources or not all(kinds):
            raise ValueError("saved fusion is damaged: its parts are not those of its choices")
        self._reduced = [part for part in parts if isinstance(part, Stacked)]

    def _set_state(self, state: dict[str, Any]) -> None:
        weights, k = state["weights"], len(state["intercepts"])
        self._least, size = state["least"], len(state["covariance"])
        sizes = {1: weights.shape[1] + k, k: k * (weights.shape[1] + 1)}
        if sizes.get(len(weights)) != size:
            raise ValueError(
                f"saved fusion is damaged: weights of shape {weights.shape} and {k} intercepts do "
                f"not have a covariance of shape {(size, size)}"
            )
        shape = weights[0] if len(weights) == 1 else weights
        self._set_pool(LogPool(shape, state["intercepts"], state["covariance"]))
        names = ("knots", "probability", "log_odds", "error")
        self._curve = _curve(*(state[name] for name in names)) if state["knots"].size else None
        self._usual = state["usual"]
        self._choices = state["choices"].reshape(-1, weights.shape[1]).astype(bool)

    def _check_state(self) -> None:
        super()._check_state()
        expected = 0 if self.frame_ is None else len(self.frame_)
        if len(self._pool.intercepts) != expected or (self._curve is None) != (expected != 2):
            raise ValueError(f"saved fusion is damaged: it is not of {expected} classes")
        covariance = self._pool.covariance
        values = np.linalg.eigvalsh(covariance)
        symmetric = np.allclose(covariance, covariance.T, atol=1e-12)
        if not symmetric or values[0] < -1e-9 * abs(values[-1]):
            raise ValueError("saved fusion is damaged: its covariance is not a covariance matrix")

    def _combine(self, sources: Sequence[Beliefs], total_conflict: str) -> Beliefs:
        return self._fused(sources[0].classes, *read(sources))

    def _fused(self, classes: NDArray[Any], probabilities: Floats, silent: Flags) -> Beliefs:
        p, odds, errors = (
            partial(self._by_choice, answer, probabilities, silent)
            for answer in (Stacked._point, Stacked._odds, Stacked._errors)
        )
        return Bounded.normal(classes, p(), errors, self.model, self.confidence, odds)

    def _by_choice(
        self,
        answer: Callable[["Stacked", Floats, Flags], Floats],
        probabilities: Floats,
        silent: Flags,
    ) -> Floats:
        """What the fusion of those that speak answers to their evidence, (n, K)."""
        if not silent.any():
            return answer(self, probabilities, silent)
        parts = [
            (rows, answer(fusion, says, np.zeros(says.shape[:2], dtype=bool)))
            for rows, says, fusion in self._spoken(probabilities, silent)
        ]
        own = ~np.any([rows for rows, _ in parts], axis=0) if parts else slice(None)
        answers = answer(self, probabilities[:, own], silent[:, own])
        found = np.empty(probabilities.shape[1:])
        for rows, values in [*parts, (own, answers)]:
            found[rows] = values
        return found

    def _in_blocks(
        self, answer: Callable[[Floats], Floats], probabilities: Floats, silent: Flags
    ) -> Floats:
        """An answer to evidence (n, K, S), in blocks of samples whose temporaries stay in cache."""
        s, n, k = probabilities.shape
        found = np.empty(0)
        for rows in row_blocks(max(n, 1), s * k):
            part = answer(self._evidence(probabilities[:, rows], silent[:, rows]))
            if not rows.start:
                found = np.empty((n, *part.shape[1:]))
            found[rows] = part
        return found

    def _spoken(
        self, probabilities: Floats, silent: Flags
    ) -> Iterator[tuple[Flags, Floats, "Stacked"]]:
        """Samples of each choice of sources, what these say, and the fusion of the choice."""
        for choice, fusion in zip(self._choices, self._reduced, strict=True):
            rows = (choice != silent.T).all(axis=1)
            chosen = choice if choice.any() else np.arange(len(choice)) == 0  # one that is even
            yield rows, probabilities[chosen][:, rows], fusion

    def _point(self, probabilities: Floats, silent: Flags) -> Floats:
        """Probabilities (n, K)."""
        if self._curve is None:
            return self._in_blocks(
                lambda says: softmax(self._pool.logits(says)), probabilities, silent
            )
        scores = self._in_blocks(self._scores, probabilities, silent)
        p = _on_curve(self._curve, "probability", scores)
        return np.stack([1 - p, p], axis=1)

    def _odds(self, probabilities: Floats, silent: Flags) -> Floats:
        """Log-odds (n, K) of each class against the others."""
        if self._curve is None:
            return self._in_blocks(lambda says: self._pool.log_odds(says)[1], probabilities, silent)
        scores = self._in_blocks(self._scores, probabilities, silent)
        odds = _on_curve(self._curve, "log_odds", scores)
        return np.stack([-odds, odds], axis=1)

    def _scores(self, evidence: Floats) -> Floats:
        """Fused log-odds (n,) of the second of two classes, which the curve calibrates."""
        logits = self._pool.logits(evidence)
        return np.asarray(logits[:, 1] - logits[:, 0])

    def _errors(self, probabilities: Floats, silent: Flags) -> Floats:
        """Standard errors (n, K) of the log-odds."""
        errors = self._in_blocks(self._pool.errors, probabilities, silent)
        if self._curve is None:
            return errors
        scores, error = self._in_blocks(self._scores, probabilities, silent), errors[:, 1]
        ends = (_on_curve(self._curve, "log_odds", scores + sign * error) for sign in (1, -1))
        pulled = np.subtract(*ends) / 2
        own = interpolated(scores, self._curve.scores, self._curve.error)
        return np.repeat(np.hypot(own, pulled)[:, np.newaxis], 2, axis=1)

    def _fuse(self, masses: Sequence[MassFunction]) -> MassFunction:
        return self._fuse_beliefs(masses)


def _curve(knots: Floats, probability: Floats, log_odds: Floats, error: Floats) -> AveragedCurve:
    """A curve whose candidates do not matter any more."""
    return AveragedCurve(knots, probability, log_odds, error, (), np.empty(0))


def _on_curve(
    curve: AveragedCurve, quantity: Literal["probability", "log_odds"], scores: Floats
) -> Floats:
    """Probability of the second class, or its log-odds, (n,) for fused log-odds."""
    return np.asarray(between(curve.scores, getattr(curve, quantity)[np.newaxis], scores)[0])
