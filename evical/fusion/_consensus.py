"""`Consensus`: a fusion that learns without labels, from how far sources agree.

It lies between the mean of probabilities, which no source can mislead much, and their logarithmic
pool, which is as sharp as the evidence of several sources allows. Weights follow agreement with the
other sources. The sharpness of the pool makes it vary with each source as much as the truth is
expected to: if sources are calibrated, the expectation of the pooled probability given what one
source says is what that source says.

Which majority is wrong cannot be found without labels.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Sequence
from functools import cache, partial
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import brentq
from scipy.special import softmax
from sklearn.model_selection import StratifiedKFold

from dstheory import Frame, MassFunction
from dstheory.checks.arguments import check_choice, check_level
from evical._fitting import all_or_nothing
from evical._typing import Flags, Floats
from evical.beliefs import Beliefs
from evical.beliefs.bounded import Bounded
from evical.beliefs.composed import placed
from evical.calibrators.fields import Field, positive, shares
from evical.errors import WrongWayWarning
from evical.fusion._agreement import Z95, Agreement, Cast, KeptRows, Moments
from evical.fusion._ease import dependence_of, log_likelihoods
from evical.fusion._rule import HeldOut, Needs, Reads, Rule, of_sources, read
from evical.fusion._stacked import Stacked
from evical.fusion.described import Formula, Learned, learned_from

_FLOOR = 1e-4  # of a probability in the pool
_LEAST_PREVALENCE = 1e-3
_USUAL_DEPENDENCE = 0.5  # of classifiers of the same problem
_MOST_DEPENDENT = 1 - 2.0**-53  # the greatest number below 1
_BLUNTEST = -4.0  # logarithm of the least sharpness
_LEVEL = 2.58  # standard errors below 0 at which a source contradicts the others: one in 200
_LEAST = 1e-300
# Folds of labeled samples, labels for which the share of what they teach is usually a half, and how
# strongly it is drawn there. Chosen with the constants below.
_FOLDS, _USUAL_LABELS, _PULL = 5, 8.0, 5.0
_LEAST_LABELS, _SHOWN = 2, 5  # of a class; classes in a warning
_MODELS = ("likelihood", "confidence", "bayesian")
# Standard deviations of the log-odds: of their own; relative to the evidence, for the sharpness is
# known up to such a factor only; and of one sample. Chosen on data sets that do not evaluate them.
_OWN_ERROR, _SHARPNESS_ERROR, _SAMPLE_ERROR = 0.2, 0.3, 2.0


class Consensus(Rule):
    """Weights of sources by their agreement, learned without labels.

    Without labels nothing shows whether a majority is wrong together: if most sources share an
    error, so does their consensus. It is for sources of which most are better than chance.

    Parameters
    ----------
    dependence : "auto" or float
        How far agreement is due to common errors, from 0 to less than 1. "auto" learns it from
        votes, see the notes, and otherwise is 0.5, which is what classifiers of the same problem
        showed. 0 is for sources that err independently and makes the consensus sharper;
        annotators who work alone still find the same samples hard.
    model : {"likelihood", "confidence", "bayesian"}
        Kind of beliefs, as in `Stacked`.
    confidence : float
        Level of the intervals of the "confidence" model.

    Attributes
    ----------
    weights_ : (S,) array
        Share of each source, of sum 1.
    agreement_ : (S,) array
        Correlation of a source with the mean of the others.
    agreement_interval_ : (S, 2) array
        Its confidence interval of level 0.95, by Fisher's transformation.
    reliability_ : (S,) array
        Estimated correlation of a source with the truth: 0 is guessing, 1 is always right. That a
        source agrees with a copy of itself is hardly any evidence.
    reliability_interval_ : (S, 2) array
        Its interval of level 0.95, for dependences d from 0 to ``1 - (1 - d) ** 2``: without labels
        the dependence is known roughly at best. Sampling alone remains if it is 0.
    groups_ : (S,) array of int
        Sources that count as more than half a copy of each other, see the notes, share a number;
        agreement on samples about which all agree does not count.
    contradicts_ : (S,) array of bool
        Sources that go against the others beyond chance, by 2.58 standard errors; their weight is
        0, unless no source agrees with the others.
    dependence_ : float
        The dependence, from 0 to less than 1.
    prevalence_ : (K,) array
        Expected class frequencies.
    sharpness_ : float
        Factor of the pooled evidence. 1 is a weighted mean of log-probabilities, the number of
        sources of equal weight, at most, Dempster's rule.
    label_share_ : float
        Share of what labels taught in the result, from 0 to 1.

    See Also
    --------
    Stacked : learns from labels, and is better as soon as there are enough.

    Notes
    -----
    Let source s give probabilities p_s, with weights w_s by squared agreement, divided by the
    number of sources that count as one with s. With dependence d, the result is

        d sum_s w_s p_s + (1 - d) softmax(log pi + t sum_s w_s (log p_s - log pi))

    with prevalences pi and sharpness t. An unavailable source adds nothing to the evidence, and the
    mean is over the others. For the sharpness, ``sum_s w_s Cov(p_s, q)`` over the pooled
    probabilities q equals ``sum_s w_s c_s``, where c_s is the expected covariance of source s and
    the truth: its own variance, as if it were calibrated, or what correlations with the others
    allow, whichever is less. There, sources with reliabilities r_s and r_t are expected to have the
    correlation ``(r_s r_t) ** (1 - d)``, and a pair counts the less for them the higher its partial
    correlation is, and the more each of both is copied.

    Source s counts as c_st copies of source t:

        c_st = max((b_st - 0.8) / 0.2, 0),  b_st = (a_st - u_st) / (1 - u_st)

    a_st is their partial correlation given what all have in common, times m / (m + 2) if they
    differ from the mean of the others on m common samples (an effective number), and u_st the mean
    one between sources that are far from one of them. The correlation with what all have in common
    follows from triads, ``l_s ** 2 = r_st r_su / r_tu`` for sources t and u that are far from s and
    from each other, drawn towards 1 by the sampling errors of r_tu. So sources that agree nearly
    always count as copies only if the others are not such a camp themselves: which of two camps is
    right does not show.

    With labels of some samples, a `Stacked` learns from these, and the result is the geometric mean
    of both. Its share is chosen by samples that are left out; few labels leave it near
    ``n / (n + 8)``.

    Votes are probabilities of 0 and 1. If all sources with a weight vote, d follows from how the
    ease of samples varies. A source is taken to be right about a sample of ease u ~ N(0, 1) with
    log-odds ``b_s + sigma u``, and the votes have a likelihood for each sigma, to which copies
    contribute as one source. Independent sources have sigma = 0, which gives d = 0. Classifiers
    find the same samples easy and the same ones hard; 0.6 gives 0.45, and 3 gives 0.75. sigma below
    0.6 is taken to be ten times less likely before any vote, so hundreds of samples have to show
    it. d is the expectation, and intervals widen by its standard deviation.

    A single source is returned unchanged.

    Beliefs widen where sources disagree, are few, or lie far from the prevalence, since how sharp
    they may be is known only roughly.

    References
    ----------
    Parisi, Strino, Nadler & Kluger (2014), Ranking and combining multiple predictors without
    labeled data, PNAS 111(4), 1253-1258. Rasch (1960), Probabilistic Models for Some Intelligence
    and Attainment Tests. Dawid & Skene (1979), Maximum likelihood estimation of
    observer error-rates using the EM algorithm, Applied Statistics 28(1), 20-28. Genest & Zidek
    (1986), Combining probability distributions, Statistical Science 1(1), 114-135.

    Examples
    --------
    Two sources agree, the third is guessing:

    >>> from evical.beliefs import as_beliefs
    >>> rng = np.random.default_rng(0)
    >>> truth = rng.random(200) < 0.5
    >>> good = np.where(truth[:, np.newaxis], [0.2, 0.8], [0.7, 0.3])
    >>> noise = rng.random((200, 1)) * [1, -1] + [0, 1]
    >>> other = np.clip(good + rng.normal(0, 0.1, (200, 1)) * [1, -1], 0, 1)
    >>> sources = [as_beliefs(p, np.array(["a", "b"])) for p in (good, other, noise)]
    >>> rule = Consensus().fit(sources)
    >>> rule.weights_.round(2).tolist()
    [0.5, 0.5, 0.0]
    >>> rule.combine(sources).betp().shape
    (200, 2)
    """

    _by_source = ("weights_", "reliability_", "reliability_interval_", "groups_")
    _floor, _least = _FLOOR, _LEAST  # probabilities of the pool and of what is fused
    _state: ClassVar = {
        "joint": Field(("s", "s"), 0.0),
        "product": Field(("s", "s"), 0.0),
        "total": Field(("s", "k"), 0.0),
        "apart": Field(("s", "s"), 0.0),
        "dependence_": Field((), 0.0, _MOST_DEPENDENT),
        "prevalence_": shares("k"),
        "sharpness_": positive(),
        "sharpness_error": positive(),
        "label_share_": shares(),
    }

    def __init__(
        self,
        *,
        dependence: float | Literal["auto"] = "auto",
        model: str = "likelihood",
        confidence: float = 0.95,
    ) -> None:
        self.dependence = dependence
        self.model = model
        self.confidence = confidence

    @property
    def needs(self) -> Needs:
        """Beliefs, without labels."""
        return "beliefs"

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

    def learned(self) -> Learned:
        """Reliability of each source.

        Returns
        -------
        Learned
        """
        found = learned_from(self.by_source())
        assert found is not None
        return found

    def formula(self, n_classes: int, n_sources: int) -> Formula | None:
        """The formula of evidence with the shares of the sources.

        Parameters
        ----------
        n_classes, n_sources : int

        Returns
        -------
        Formula
        """
        alone = super().formula(n_classes, n_sources)
        return Formula("consensus", self.weights_) if alone is None else alone

    def _check_parameters(self) -> None:
        check_choice("model", self.model, _MODELS)
        check_level("confidence", self.confidence)
        given = self.dependence
        number = isinstance(given, int | float | np.number)
        if not (0 <= float(given) < 1 if number else given == "auto"):
            raise ValueError(
                f"dependence is {given!r}, expected 'auto' or a number from 0 to less than 1"
            )

    @all_or_nothing
    def fit(
        self,
        sources: Sequence[MassFunction] | Sequence[Beliefs] | None = None,
        y: ArrayLike | None = None,
        sizes: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
    ) -> Self:
        """Learn from the agreement of the sources, and from labels if there are some.

        Parameters
        ----------
        sources : sequence of MassFunction or of Beliefs
            For each source, its beliefs about n samples, vacuous where it is not available.
        y : (n,) array, optional
            Labels of some samples, None or NaN where there is none. As soon as each class has two,
            the result moves towards that of `Stacked`.
        sizes : ignored
        sample_weight : (n,) array, optional
            Non-negative weights; a weight of 2 counts as two samples.

        Returns
        -------
        self

        Warns
        -----
        WrongWayWarning
            If a source contradicts the others, or the 95 % interval of its agreement is below 0.
        UserWarning
            If there are labels, but fewer than two of a class.
        """
        self._fit(sources, y, None, sample_weight)
        self.warn_of_contradictions([f"source {n}" for n in range(1, self.n_sources_ + 1)])
        self.warn_of_few_labels()
        return self

    def _learn(self, held_out: HeldOut | None, sizes: Floats) -> None:
        assert held_out is not None  # beliefs are needed
        self._moments = _moments(held_out)
        self._rows: KeptRows | None = KeptRows.of(held_out.sources, held_out.weight)
        self._derive()
        self._stacked: Stacked | None = None
        self.label_share_, self._few_labels = 0.0, ""
        if (labeled := held_out.codes >= 0).any():
            self._learn_labels(held_out.rows(labeled))

    def _learn_labels(self, labeled: HeldOut) -> None:
        """A fusion that learns from the labels, and its share: by samples that are left out.

        Every class needs two labels. The share is drawn towards what it usually is for so many.
        """
        codes, k = labeled.codes, len(labeled.frame)
        counts = np.bincount(codes, minlength=k)
        fewest = int(counts.min())
        if fewest < _LEAST_LABELS:
            places = np.flatnonzero(counts < _LEAST_LABELS)
            few = [f"class {labeled.frame.labels[at]!r} has {counts[at]}" for at in places[:_SHOWN]]
            dots = ", ..." if len(places) > _SHOWN else ""
            self._few_labels = (
                f"labels are ignored: {_LEAST_LABELS} of each class are needed to learn from them, "
                f"but {', '.join(few)}{dots}"
            )
            return
        stacked = partial(_stacked, self.model, self.confidence)
        left_out = np.empty((len(codes), k))
        folds = StratifiedKFold(min(_FOLDS, fewest), shuffle=True, random_state=0)
        for seen, new in folds.split(codes, codes):
            part = labeled.rows(new)
            left_out[new] = stacked(labeled.rows(seen)).combine(part.sources).probability()
        own = self._point(labeled.probabilities, labeled.silent)[0]
        amount = labeled.weight.sum()
        usual = amount / (amount + _USUAL_LABELS)
        gap = np.log(np.maximum(left_out, _LEAST)) - np.log(np.maximum(own, _LEAST))
        right = gap[np.arange(len(codes)), codes]

        def slope(share: float) -> float:
            """Derivative of the log loss and of the pull, which rises."""
            expected = (_pooled(own, left_out, share) * gap).sum(axis=1)
            return float(labeled.weight @ (expected - right) + 2 * _PULL * (share - usual))

        if slope(0) < 0 < slope(1):
            self.label_share_ = float(brentq(slope, 0, 1, xtol=1e-12))
        else:
            self.label_share_ = float(slope(0) < 0)
        self._stacked = stacked(labeled)

    def partial_fit(
        self,
        sources: Sequence[MassFunction] | Sequence[Beliefs],
        *,
        sample_weight: ArrayLike | None = None,
    ) -> Self:
        """Learn from further samples without labels, as `fit` learns from all at once.

        Parameters
        ----------
        sources : sequence of MassFunction or of Beliefs
            As for `fit`. Sources beyond those known so far are new; they were not available before.
        sample_weight : (n,) array, optional

        Returns
        -------
        self

        Raises
        ------
        ValueError
            If there are fewer sources than before, or new ones after labels, or the rule was read
            from a file.
        FrameError
            If the classes are different ones.
        """
        if not self.__sklearn_is_fitted__():
            return self._fit(sources, sample_weight=sample_weight)
        if self._rows is None:
            raise ValueError(
                "this Consensus was read from a file, which has no samples; fit it to all samples"
            )
        known = of_sources(sources)
        self._check_frame(Frame(known[0].classes))
        if len(known) < self.n_sources_:
            raise ValueError(
                f"there are {len(known)} sources, but there were {self.n_sources_}; give a vacuous "
                "batch for a source that is not available"
            )
        if len(known) > self.n_sources_ and self._stacked is not None:
            raise ValueError(
                f"there are {len(known)} sources, but labels of {self.n_sources_} were learned "
                "from; fit it to all samples"
            )
        later = HeldOut.partly_labeled(known, None, sample_weight)
        moments, rows = _padded(self._moments, self._rows, len(known))
        self._moments = moments + _moments(later)
        self._rows = rows + KeptRows.of(later.sources, later.weight, rows.seen)
        self.n_sources_ = len(known)
        self._derive()
        return self

    def _derive(self) -> None:
        """Everything that follows from the moments, and what follows from the rows."""
        assert self._rows is not None
        self._apart = self._rows.apart
        self._describe()
        prevalence = np.maximum(self.weights_ @ self._moments.mean, _LEAST_PREVALENCE)
        self.prevalence_ = prevalence / prevalence.sum()
        self.dependence_, doubt = self._dependence()
        self._believe()
        self.sharpness_ = self._sharpness(self.dependence_)
        self._sharpness_error = _SHARPNESS_ERROR
        if doubt:
            sharper = self._sharpness(max(self.dependence_ - doubt, 0)) / self.sharpness_ - 1
            self._sharpness_error = math.hypot(_SHARPNESS_ERROR, sharper)

    def _describe(self) -> None:
        agreement = Agreement.of(self._moments, self._apart)
        self._agreement = agreement
        self.weights_, self.groups_ = agreement.weights, agreement.groups
        self.agreement_ = agreement.with_others
        error = 1 / np.sqrt(np.maximum(self._moments.joint.diagonal() - 3, 1))
        at = np.arctanh(np.clip(self.agreement_, -1 + 1e-12, 1 - 1e-12))
        reach = Z95 * error
        self.agreement_interval_ = np.tanh(np.stack([at - reach, at + reach], axis=1))
        self.contradicts_ = at < -_LEVEL * error

    def _dependence(self) -> tuple[float, float]:
        """As given, or from the sources with a weight if they vote; and its standard deviation."""
        rows, heard = self._rows, self.weights_ > 0
        assert rows is not None
        if self.dependence != "auto":
            return float(self.dependence), 0.0
        votes = rows.votes(heard)
        if votes is None:
            return _USUAL_DEPENDENCE, 0.0
        share = self._agreement.share[heard]
        p, silent, weight = votes.probabilities, votes.silent, votes.weight
        return dependence_of(log_likelihoods(p, silent, share, weight, self.prevalence_))

    def _believe(self) -> None:
        """Correlations (S,) with the truth, none above what a calibrated source has."""
        agreement, calibrated = self._agreement, self._calibrated
        low, high = agreement.loadings_between(self.agreement_interval_).T
        power = 1 / (1 - self.dependence_)
        known = np.minimum(agreement.loadings**power, calibrated)
        self.reliability_ = known
        ends = np.minimum(low ** (power**2), known), high
        self.reliability_interval_ = np.stack(ends, axis=1)

    @property
    def _calibrated(self) -> Floats:
        """Correlations (S,) with the truth that calibrated sources would have."""
        spread = np.sqrt(1 - self.prevalence_ @ self.prevalence_)
        return np.asarray(self._moments.deviation / spread)

    def _sharpness(self, dependence: float) -> float:
        rows, weights = self._rows, self.weights_
        assert rows is not None
        moments = self._moments
        spread = np.sqrt(1 - self.prevalence_ @ self.prevalence_)
        known = np.minimum(self._agreement.sharing(dependence), self._calibrated)
        expected = float(weights @ (known * moments.deviation) * spread)
        available = np.where(rows.silent, 0, rows.weight)
        total = available.sum(axis=1, keepdims=True)
        share = weights[:, np.newaxis] * np.divide(
            available, total, out=np.zeros_like(available), where=total > 0
        )
        mean = Moments.of(rows.probabilities, rows.silent, rows.weight).mean
        moved = np.einsum("sn,snk->nk", share, rows.probabilities) - share.T @ mean
        evidence, prior = self._evidence(rows.probabilities, rows.silent), np.log(self.prevalence_)

        def lack(log_sharpness: float) -> float:
            pooled = softmax(prior + np.exp(log_sharpness) * evidence, axis=1)
            return float((moved * pooled).sum()) - expected

        sharpest = -math.log(weights.max())  # no source counts for more than by Dempster's rule
        if lack(sharpest) <= 0 or not moved.any():
            return math.exp(sharpest) if moved.any() else 1.0
        if lack(_BLUNTEST) >= 0:
            return math.exp(_BLUNTEST)
        log_sharpness: Any = brentq(lack, _BLUNTEST, sharpest, xtol=1e-10)
        return math.exp(log_sharpness)

    def _evidence(self, probabilities: Floats, silent: Flags) -> Floats:
        """Weighted evidence (n, K) against the prevalences; none of what is silent."""
        weights = self.weights_
        found = np.zeros(probabilities.shape[1:])
        prior = np.log(self.prevalence_)
        for weight, p, out in zip(weights, probabilities, silent, strict=True):
            if weight:
                says = np.log(np.maximum(p, _FLOOR)) - prior
                says[out] = 0
                found += weight * says
        return found

    def contradictions(self, names: Sequence[str]) -> list[str]:
        """Sentences about sources that go against the others, certainly or probably.

        Parameters
        ----------
        names : sequence of str

        Returns
        -------
        list of str
        """
        none = "no source agrees with the others, so all weigh the same"
        found = []
        for at in np.flatnonzero(self.agreement_interval_[:, 1] < 0).tolist():
            low, high = self.agreement_interval_[at]
            how, range_ = "contradicts the other sources", ""
            if not self.contradicts_[at]:
                how = "agrees with the other sources less than by chance"
                range_ = f", with a 95 % interval from {low:.2f} to {high:.2f}"
            found.append(
                f"{names[at]} {how}: its correlation with them is {self.agreement_[at]:.2f}"
                f"{range_}; {none if self.weights_[at] else 'it has no weight'}. If its labels are "
                "swapped, correct them; otherwise leave it out"
            )
        return found

    def warn_of_contradictions(self, names: Sequence[str], stacklevel: int = 4) -> None:
        """Warn the caller of a decorated `fit` of sources that go against the others.

        Parameters
        ----------
        names : sequence of str
        stacklevel : int
            One more for each function between.
        """
        for text in self.contradictions(names):
            warnings.warn(text, WrongWayWarning, stacklevel=stacklevel)

    def warn_of_few_labels(self) -> None:
        """Warn the caller of a decorated `fit` if there are labels, but too few to learn from."""
        if self._few_labels:
            warnings.warn(self._few_labels, stacklevel=4)

    def _combine(self, sources: Sequence[Beliefs], total_conflict: str) -> Beliefs:
        if len(sources) == 1:
            return sources[0]
        classes, cast = sources[0].classes, Cast.of(sources)
        if cast is None:
            amount = self.weights_ @ ~np.stack([source.silent for source in sources])
        else:
            amount = cast.sums(self.weights_).sum(axis=1)
        heard = amount > 0
        if heard.all():
            return self._fused(classes, sources)
        if not heard.any():
            return placed(classes, len(heard), [])
        rows = np.flatnonzero(heard)
        return placed(
            classes, len(heard), [(rows, self._fused(classes, [one[rows] for one in sources]))]
        )

    def _fused(self, classes: NDArray[Any], sources: Sequence[Beliefs]) -> Beliefs:
        cast, dense = Cast.of(sources), cache(partial(read, sources))  # votes may do without
        fused, pooled = self._of_votes(cast) if cast else self._point(*dense())
        if self._stacked is not None:
            learned = self._stacked._by_choice(Stacked._point, *dense())
            fused = _pooled(fused, learned, self.label_share_)
        errors = partial(self._errors, cast, dense, pooled)
        return Bounded.normal(classes, fused, errors, self.model, self.confidence)

    def _point(self, p: Floats, silent: Flags) -> tuple[Floats, Floats]:
        """Probabilities (n, K) without labels, of the result and of its pool."""
        share = self.weights_[:, np.newaxis] * ~silent
        total = share.sum(axis=0)
        share = np.divide(share, total, out=np.full_like(share, 1 / len(share)), where=total > 0)
        return self._result(np.einsum("sn,snk->nk", share, p), self._evidence(p, silent))

    def _of_votes(self, cast: Cast) -> tuple[Floats, Floats]:
        """The same from the weight of the votes for each class, which is all that they say."""
        sums = cast.sums(self.weights_)
        total = sums.sum(axis=1, keepdims=True)
        least = math.log(_FLOOR)
        return self._result(sums / total, total * (least - np.log(self.prevalence_)) - least * sums)

    def _result(self, mean: Floats, evidence: Floats) -> tuple[Floats, Floats]:
        pooled = softmax(np.log(self.prevalence_) + self.sharpness_ * evidence, axis=1)
        return self.dependence_ * mean + (1 - self.dependence_) * pooled, pooled

    def _errors(
        self, cast: Cast | None, dense: Callable[[], tuple[Floats, Flags]], pooled: Floats
    ) -> Floats:
        """Standard errors (n, K) of the log-odds.

        The evidence for a class against the others varies over sources, as if these were drawn
        from many, and is known up to the sharpness. Votes for one class are one such source.
        """
        if cast is not None and pooled.shape[1] <= len(self.weights_):
            share, says = cast.sums(self.weights_).T, np.eye(pooled.shape[1])[:, np.newaxis]
            squares = cast.sums(self.weights_**2).sum(axis=1)
        else:
            says, silent = dense()
            share = self.weights_[:, np.newaxis] * ~silent
            squares = (share**2).sum(axis=0)
        total = share.sum(axis=0)
        effective = total**2 / squares
        prior = np.log(self.prevalence_)
        first, second = np.zeros_like(pooled), np.zeros_like(pooled)
        for own, p in zip(share, says, strict=True):
            log = np.log(np.maximum(p, _FLOOR)) - prior
            whole = (pooled * log).sum(axis=1, keepdims=True)
            against = log - (whole - pooled * log) / np.maximum(1 - pooled, 1e-12)
            first += own[:, np.newaxis] * against
            second += own[:, np.newaxis] * against**2
        mean = first / total[:, np.newaxis]
        spread = np.maximum(second / total[:, np.newaxis] - mean**2, 0)
        drawn = spread / np.maximum(effective - 1, 0.5)[:, np.newaxis]
        reach = self.sharpness_ * total[:, np.newaxis]
        variance = reach**2 * (drawn + (self._sharpness_error * mean) ** 2)
        error = np.sqrt(self._least_variance + variance)
        if self._stacked is None:
            return np.asarray(error)
        learned = self._stacked._by_choice(Stacked._errors, *dense())
        return np.asarray((1 - self.label_share_) * error + self.label_share_ * learned)

    @property
    def _least_variance(self) -> float:
        """Variance of the log-odds where all sources agree that there is no evidence."""
        learned_from = self._moments.joint.diagonal().max()
        return float(_OWN_ERROR**2 + _SAMPLE_ERROR**2 / learned_from)

    def _get_state(self) -> dict[str, Any]:
        moments = self._moments
        return {
            "joint": moments.joint,
            "product": moments.product,
            "total": moments.total,
            "apart": self._apart,
            "dependence_": self.dependence_,
            "prevalence_": self.prevalence_,
            "sharpness_": self.sharpness_,
            "sharpness_error": self._sharpness_error,
            "label_share_": self.label_share_,
        }

    def _parts(self) -> list[Rule]:
        return [] if self._stacked is None else [self._stacked]

    def _set_parts(self, parts: list[Rule]) -> None:
        learned = [part for part in parts if isinstance(part, Stacked)]
        fits = all((p.n_sources_, p.frame_) == (self.n_sources_, self.frame_) for p in learned)
        if learned != parts or len(parts) > 1 or not fits or len(parts) < (self.label_share_ > 0):
            raise ValueError(
                "saved fusion is damaged: a Consensus that learned from labels has one part, a "
                "Stacked of its sources"
            )
        self._stacked = learned[0] if learned else None

    def _set_state(self, state: dict[str, Any]) -> None:
        self._moments = Moments(state["joint"], state["product"], state["total"])
        self._rows, self._apart = None, state["apart"]
        self.dependence_ = float(state["dependence_"])
        self.prevalence_, self.sharpness_ = state["prevalence_"], float(state["sharpness_"])
        self._sharpness_error = float(state["sharpness_error"])
        self.label_share_ = float(state["label_share_"])
        self._describe()
        self._believe()

    def _fuse(self, masses: Sequence[MassFunction]) -> MassFunction:
        return self._fuse_beliefs(masses)


def _moments(held_out: HeldOut) -> Moments:
    cast = Cast.of(held_out.sources)
    if cast is not None:
        return Moments.of_votes(cast, held_out.weight)
    return Moments.of(*read(held_out.sources), held_out.weight)


def _stacked(model: str, confidence: float, labeled: HeldOut) -> Stacked:
    rule = Stacked(model=model, confidence=confidence)
    sizes = np.ones(len(labeled.sources))
    return rule._fit_held_out(labeled, sizes, np.asarray(labeled.frame.labels))


def _pooled(first: Floats, second: Floats, share: float) -> Floats:
    """Geometric mean of two tables of probabilities (n, K), with a share for the second."""
    logs = [np.log(np.maximum(p, _LEAST)) for p in (first, second)]
    return np.asarray(softmax((1 - share) * logs[0] + share * logs[1], axis=1))


def _padded(moments: Moments, rows: KeptRows, number: int) -> tuple[Moments, KeptRows]:
    """The same, with further sources that were not available."""
    s, n, k = rows.probabilities.shape
    new = number - s
    if not new:
        return moments, rows
    square = ((0, new), (0, new))
    wider = Moments(
        np.pad(moments.joint, square),
        np.pad(moments.product, square),
        np.pad(moments.total, (square[0], (0, 0))),
    )
    p = np.concatenate([rows.probabilities, np.full((new, n, k), 1 / k)])
    silent = np.concatenate([rows.silent, np.ones((new, n), dtype=bool)])
    return wider, KeptRows(rows.key, p, silent, rows.weight, rows.seen)
