"""Ways to fuse that an ensemble is judged beside: Dempster's rule, and the recommended fusion.

The recommended fusion learns its weights. Beliefs that come without one get weights from the very
samples that are judged, but out of fold: each sample is fused by weights from the other folds.
"""

from collections.abc import Sequence
from contextlib import suppress
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import StratifiedKFold

from dstheory.combine import dempster
from dstheory.errors import CostLimitError
from evical.beliefs import Beliefs
from evical.beliefs.composed import placed
from evical.fusion import Stacked, as_rule

Labels = NDArray[Any]

DEMPSTER, STACKED = "Dempster's rule", "stacked, cross-fitted"
"""Names of the ways."""

_FOLDS, _LEAST_FOLDS = 5, 2


def is_stacked(rule: object) -> bool:
    """Whether a rule, or the text that names it, is the recommended fusion.

    >>> is_stacked(Stacked(model="confidence")), is_stacked("stacked"), is_stacked("dempster")
    (True, True, False)
    """
    return rule_name(rule).lower().startswith("stacked")


def other_rules(rule: object, beliefs: Sequence[Beliefs], y: Labels) -> dict[str, Beliefs]:
    """Beliefs of several members, fused by those of the two ways that are not the rule.

    Parameters
    ----------
    rule : callable or str
        How they are combined already.
    beliefs : sequence of Beliefs
        Of each member, about n samples.
    y : (n,) array
        Labels of the frame.

    Returns
    -------
    dict of str to Beliefs
        `DEMPSTER`, vacuous in total conflict, unless it costs too much, and `STACKED`, where labels
        allow it: two samples of each class or more. Nothing for a single member.
    """
    sources = list(beliefs)
    if len(sources) < 2:
        return {}
    found = dict[str, Beliefs]()
    if rule_name(rule) != "dempster":
        with suppress(CostLimitError):
            found[DEMPSTER] = as_rule(dempster).combine(sources, "vacuous")
    if not is_stacked(rule):
        learned = _cross_fitted(sources, y)
        found |= {} if learned is None else {STACKED: learned}
    return found


def _cross_fitted(sources: list[Beliefs], y: Labels) -> Beliefs | None:
    """Each sample fused by weights that other samples taught; None without two of each class."""
    classes, counts = np.unique(y, return_counts=True)
    folds = min(_FOLDS, int(counts.min()))
    if len(classes) < len(sources[0].classes) or folds < _LEAST_FOLDS:
        return None
    parts = []
    splitter = StratifiedKFold(folds, shuffle=True, random_state=0)
    for known, new in splitter.split(np.zeros(len(y)), y):
        fusion = Stacked().fit([one[known] for one in sources], y[known])
        parts.append((new, fusion.combine([one[new] for one in sources])))
    return placed(sources[0].classes, len(y), parts)


def rule_name(rule: object) -> str:
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
