"""Ways to fuse that an ensemble is judged beside: Dempster's rule, and the recommended fusion.

The recommended fusion learns its weights. Beliefs that come without one get weights from the very
samples that are judged, but out of fold: each sample is fused by weights from the other folds.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import StratifiedKFold

from dstheory import MassFunction
from dstheory.combine import dempster
from dstheory.construct import concatenate
from evical.beliefs import as_beliefs
from evical.fusion import Stacked, as_rule
from evical.metrics.beliefs import normal

Labels = NDArray[Any]

DEMPSTER, STACKED = "Dempster's rule", "stacked, cross-fitted"
"""Names of the ways."""

_FOLDS, _LEAST_FOLDS = 5, 2


def is_stacked(rule: Any) -> bool:
    """Whether a rule, or the text that names it, is the recommended fusion.

    >>> is_stacked(Stacked(model="confidence")), is_stacked("stacked"), is_stacked("dempster")
    (True, True, False)
    """
    return rule_name(rule).lower().startswith("stacked")


def other_rules(rule: Any, masses: Sequence[MassFunction], y: Labels) -> dict[str, MassFunction]:
    """Beliefs of several members, fused by those of the two ways that are not the rule.

    Parameters
    ----------
    rule : callable or str
        How they are combined already.
    masses : sequence of MassFunction
        Of each member, a batch (n,) on one frame.
    y : (n,) array
        Labels of the frame.

    Returns
    -------
    dict of str to MassFunction
        `DEMPSTER`, vacuous in total conflict, and `STACKED`, where labels allow it: two samples of
        each class or more. Nothing for a single member.
    """
    sources = list(masses)
    if len(sources) < 2:
        return {}
    found = {}
    if rule_name(rule) != "dempster":
        classes = np.array(sources[0].frame.labels)
        beliefs = [as_beliefs(normal(m), classes) for m in sources]
        found[DEMPSTER] = as_rule(dempster).combine(beliefs, "vacuous").mass()
    if not is_stacked(rule):
        learned = _cross_fitted(sources, y)
        found |= {} if learned is None else {STACKED: learned}
    return found


def _cross_fitted(masses: list[MassFunction], y: Labels) -> MassFunction | None:
    """Each sample fused by weights that other samples taught; None without two of each class."""
    classes, counts = np.unique(y, return_counts=True)
    folds = min(_FOLDS, int(counts.min()))
    if len(classes) < len(masses[0].frame) or folds < _LEAST_FOLDS:
        return None
    beliefs = [normal(m) for m in masses]
    parts, places = [], []
    splitter = StratifiedKFold(folds, shuffle=True, random_state=0)
    for known, new in splitter.split(np.zeros(len(y)), y):
        fusion = Stacked().fit([m[known] for m in beliefs], y[known])
        parts.append(fusion(*(m[new] for m in beliefs)))
        places.append(new)
    return concatenate(parts)[np.argsort(np.concatenate(places))]


def rule_name(rule: Any) -> str:
    """Name of a rule, or the text that names it.

    Parameters
    ----------
    rule : Rule, callable or str

    Returns
    -------
    str
    """
    if not callable(rule) or isinstance(rule, type):
        return str(rule)
    return as_rule(rule).name
