"""What a combination of classifiers gains, on new samples.

An `EnsembleEvaluation` keeps the belief functions of all members and of their combination next to
the true classes, and measures all of them, other rules, and the mean of the members' probabilities
as the plain alternative, on the same samples: differences are paired.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dstheory import Frame, MassFunction
from dstheory.checks.arguments import as_mapping, as_sequence, check_instance, check_rows, shown
from dstheory.notebook import ShownFields, html_table
from evical._typing import Floats, SamplesLike
from evical.beliefs import Beliefs
from evical.beliefs.composed import conflict as conflict_of
from evical.beliefs.listed import Listed
from evical.estimators.predictor import FusedPredictor
from evical.evaluation.estimate import Estimate
from evical.evaluation.other_rules import other_rules, rule_name
from evical.fusion.conflicts import excluding
from evical.metrics.beliefs import normal
from evical.metrics.inputs import class_codes
from evical.scores.checks import check_labels
from evical.significance import holm_adjusted, mcnemar

# The log loss of a probability of 0 would be infinite.
_CLIP = 1e-6


@dataclass(frozen=True)
class Contrast(ShownFields):
    """The combination against another way to predict, on the same samples.

    Parameters
    ----------
    other : str
    error_rate, brier_score, log_loss : Estimate
        Mean loss of the combination less that of the other way, with its standard error.
    pvalue : float
        McNemar's test of the decisions.
    adjusted : float
        The p-value by Holm's procedure for all other ways.
    """

    other: str
    error_rate: Estimate
    brier_score: Estimate
    log_loss: Estimate
    pvalue: float
    adjusted: float


@dataclass(frozen=True, eq=False, repr=False)
class EnsembleEvaluation:
    """Evaluation of the members of an ensemble and of their combination.

    Usually made by `from_estimator` or `from_masses`.

    Parameters
    ----------
    name : str
    members : tuple of S str
    rule : str
        How they were combined.
    class_names : tuple of K str
    y : (n,) array
        Positions of the true classes.
    beliefs : tuple of S Beliefs
        Of the members, about the same n samples.
    combined : Beliefs
    conflict : (n,) array
        Mass of the empty set under the conjunctive rule.
    undecided : (n,) array of bool
        Where the members are in total conflict.
    by_source : mapping of str to array
        What a fusion has learned of each member, such as weights (S,) or rates (S, K).
    others : mapping of str to Beliefs
        Those of the members, combined by other rules.
    """

    name: str
    members: tuple[str, ...]
    rule: str
    class_names: tuple[str, ...]
    y: NDArray[np.intp]
    beliefs: tuple[Beliefs, ...]
    combined: Beliefs
    conflict: Floats
    undecided: NDArray[np.bool_]
    by_source: Mapping[str, Floats]
    others: Mapping[str, Beliefs] = field(default_factory=dict)

    @classmethod
    def from_masses(
        cls,
        y: ArrayLike,
        masses: Sequence[MassFunction] | Sequence[Beliefs],
        combined: MassFunction | Beliefs,
        *,
        members: Sequence[str] | None = None,
        rule: str = "combination",
        name: str = "ensemble",
        by_source: Mapping[str, Floats] | None = None,
        others: Mapping[str, MassFunction] | Mapping[str, Beliefs] | None = None,
        conflict: ArrayLike | None = None,
    ) -> EnsembleEvaluation:
        """Evaluate beliefs from any source.

        Parameters
        ----------
        y : (n,) array
            True classes, of the frame.
        masses : sequence of MassFunction or of Beliefs
            Of each member, a batch (n,) on the frame of `combined`. `Beliefs` need not list their
            sets, for any number of classes.
        combined : MassFunction or Beliefs
            Batch (n,).
        members : sequence of str, optional
        rule, name : str
        by_source : mapping of str to array, optional
        others : mapping of str to MassFunction or Beliefs, optional
            Other combinations of the same members, to be judged beside, by name.
        conflict : (n,) array, optional
            Of the members, if it is known already.

        Returns
        -------
        EnsembleEvaluation

        Raises
        ------
        ValueError
            If there is no member or no sample, frames or numbers of samples differ, names repeat or
            are not as many as members, or a label is not in the frame.

        Examples
        --------
        >>> from dstheory import Frame
        >>> frame = Frame(["a", "b"])
        >>> one = MassFunction(frame, [1, 2, 3], [[0.5, 0, 0.5], [0, 0.5, 0.5]])
        >>> two = MassFunction(frame, [1, 2, 3], [[0.5, 0, 0.5], [0.5, 0, 0.5]])
        >>> made = EnsembleEvaluation.from_masses(["a", "b"], [one, two], one @ two)
        >>> made.conflict
        array([0.  , 0.25])
        """
        masses = as_sequence(masses, "masses", "a mass function for each member")
        check_instance("combined", combined, _KINDS, "a MassFunction")
        learned = {} if by_source is None else by_source
        ways = {} if others is None else others
        learned = as_mapping(learned, "by_source", "a mapping of names to arrays")
        ways = as_mapping(ways, "others", "a mapping of names to mass functions")
        labels = check_labels(y)
        names = _names(members, len(masses))
        _check_members(masses, names)
        fused = [("the combination", combined), *ways.items()]
        _check_beliefs([*zip(names, masses, strict=True), *fused], combined.frame, len(labels))
        given = [one if isinstance(one, Beliefs) else Listed.of(one) for one in masses]
        return cls(
            name=name,
            members=names,
            rule=rule,
            class_names=tuple(map(str, combined.frame.labels)),
            y=class_codes(labels, np.asarray(combined.frame.labels), "y"),
            beliefs=tuple(map(_as_normal, masses)),
            combined=_as_normal(combined),
            conflict=np.asarray(conflict_of(given) if conflict is None else conflict, np.float64),
            undecided=excluding(given),
            by_source=learned,
            others={name: _as_normal(one) for name, one in ways.items()},
        )

    @classmethod
    def from_estimator(
        cls, ensemble: Any, X: SamplesLike, y: ArrayLike, *, name: str = "ensemble"
    ) -> EnsembleEvaluation:
        """Evaluate a fitted ensemble on new samples, beside Dempster's rule and learned weights.

        Parameters
        ----------
        ensemble : fitted EvidentialEnsemble
        X : (n, n_features) array or data frame
        y : (n,) array
            True classes, of the ensemble.
        name : str

        Returns
        -------
        EnsembleEvaluation

        Raises
        ------
        ValueError
            As `from_masses`.
        TotalConflictError
            As the `predict_mass` of the ensemble.
        """
        if not isinstance(ensemble, FusedPredictor):
            raise TypeError(f"ensemble is {shown(ensemble)}, expected a fitted EvidentialEnsemble")
        check_rows(X=X, y=y)
        fusion: Any = getattr(ensemble, "fusion_", None) or ensemble.rule
        learned = fusion.by_source() if hasattr(fusion, "by_source") else {}
        made = cls.from_masses(
            y,
            ensemble._sources(X),
            ensemble.beliefs(X),
            members=list(ensemble.named_estimators_),
            rule=rule_name(fusion),
            name=name,
            by_source=learned,
        )
        return replace(made, others=other_rules(fusion, made.beliefs, check_labels(y)))

    @property
    def ways(self) -> tuple[str, ...]:
        """Names of the members, the combination, other rules and the mean of probabilities."""
        return (*self.members, "combined", *self.others, "mean of probabilities")

    @cached_property
    def probabilities(self) -> Floats:
        """Probabilities (W, n, K) of all `ways`: estimates, or pignistic where there are none."""
        alone = np.stack([one.probability() for one in self.beliefs])
        fused = [one.probability() for one in (self.combined, *self.others.values())]
        return np.concatenate([alone, fused, [alone.mean(axis=0)]])

    @cached_property
    def imprecision(self) -> Floats:
        """Mean of Pl - Bel over the classes (W - 1, n), of all `ways` but the last."""
        beliefs = (*self.beliefs, self.combined, *self.others.values())
        bounds = [one.interval() for one in beliefs]
        return np.stack([(b[..., 1] - b[..., 0]).mean(axis=1) for b in bounds])

    def losses(self) -> dict[str, Floats]:
        """Losses of each sample (W, n) by name, of all `ways`.

        Returns
        -------
        dict of str to array
            ``error_rate`` (each of several most probable classes counts its share), ``brier_score``
            and ``log_loss`` (probabilities clipped to 1e-6).
        """
        p = self.probabilities
        truth = np.eye(p.shape[2])[self.y]
        true = p[:, np.arange(len(self.y)), self.y]
        top = p >= p.max(axis=2, keepdims=True) - 1e-12
        right = (top & (truth == 1)).any(axis=2) / top.sum(axis=2)
        # Of two classes, that of one, as usual.
        squares = ((p - truth) ** 2).sum(axis=2) / (2 if p.shape[2] == 2 else 1)
        return {
            "error_rate": 1 - right,
            "brier_score": squares,
            "log_loss": -np.log(np.clip(true, _CLIP, 1)) + 0.0,
        }

    def contrasts(self) -> tuple[Contrast, ...]:
        """The combination against each other of the `ways`."""
        losses, decisions = self.losses(), self.probabilities.argmax(axis=2)
        own = len(self.members)
        others = [i for i in range(len(self.ways)) if i != own]
        pvalues = [mcnemar(self.y, decisions[own], decisions[i]).pvalue for i in others]
        adjusted = holm_adjusted(pvalues)
        return tuple(
            Contrast(
                self.ways[i],
                **{key: Estimate.of(values[own] - values[i]) for key, values in losses.items()},
                pvalue=pvalue,
                adjusted=float(level),
            )
            for i, pvalue, level in zip(others, pvalues, adjusted, strict=True)
        )

    def __repr__(self) -> str:
        return f"EnsembleEvaluation({self._head()})"

    def _repr_html_(self) -> str:
        losses = {name: values.mean(axis=1) for name, values in self.losses().items()}
        rows = [
            [way, *(f"{values[i]:.4f}" for values in losses.values())]
            for i, way in enumerate(self.ways)
        ]
        return html_table(self._head(), [["", *(name.replace("_", " ") for name in losses)], *rows])

    def _head(self) -> str:
        return f"{self.name}: {len(self.members)} members, {self.rule}, {len(self.y)} samples"

    def __str__(self) -> str:
        rates = self.losses()["error_rate"].mean(axis=1)
        width = max(map(len, self.ways))
        lines = [f"  {way:<{width}}  {r:.4f}" for way, r in zip(self.ways, rates, strict=True)]
        return "\n".join([self._head(), f"  {'':<{width}}  error rate", *lines])


_KINDS = (MassFunction, Beliefs)


def _as_normal(value: MassFunction | Beliefs) -> Beliefs:
    return value if isinstance(value, Beliefs) else Listed.of(normal(value))


def _names(members: Sequence[str] | None, count: int) -> tuple[str, ...]:
    if members is None:
        return tuple(f"member {i + 1}" for i in range(count))
    return tuple(map(str, as_sequence(members, "members", "a name for each member")))


def _check_members(masses: Sequence[object], names: tuple[str, ...]) -> None:
    if not masses:
        raise ValueError("masses is empty; an ensemble needs a member")
    if len(names) != len(masses) or len(set(names)) != len(names):
        raise ValueError(
            f"members are {list(names)}, expected {len(masses)} different names, one for each of "
            "the masses"
        )


def _check_beliefs(
    beliefs: Sequence[tuple[str, MassFunction | Beliefs]], frame: Frame, n: int
) -> None:
    for name, one in beliefs:
        check_instance(f"belief of {name}", one, _KINDS, "a MassFunction")
        if one.frame != frame:
            raise ValueError(f"{name} has the frame {one.frame}, not {frame}")
        shape = (len(one),) if isinstance(one, Beliefs) else one.batch_shape
        if shape != (n,):
            raise ValueError(f"{name} has beliefs of shape {shape}, expected ({n},)")
