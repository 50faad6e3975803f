"""Check after `fit` that a rule can combine the beliefs of the classifiers.

Some rules of `dstheory.combine` work on canonical weights, which not all beliefs have. The check
tries such a rule on training rows.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from sklearn.utils import _safe_indexing
from sklearn.utils.validation import _num_samples

from dstheory.combine import bold, cautious, lns
from dstheory.errors import MassError, TotalConflictError

__all__ = ["check_rule"]

# These ask for sources that are not dogmatic, subnormal, or separable.
CONDITIONED: tuple[Callable[..., Any], ...] = (bold, cautious, lns)
ROWS = 50


def check_rule(rule: Callable[..., Any], members: Sequence[Any], X: Any) -> None:
    """Raise if the rule refuses the classifiers' beliefs about the first rows of `X`."""
    if rule not in CONDITIONED or len(members) < 2:
        return
    rows = _safe_indexing(X, np.arange(min(ROWS, _num_samples(X))))
    try:
        rule(*(member.predict_mass(rows) for member in members))
    except TotalConflictError:
        return  # of some rows, which the predictions answer for
    except MassError as error:
        raise ValueError(
            f"the rule {rule.__name__!r} cannot combine what these classifiers believe: {error}; "
            "take rule='dempster', or 'learned_tnorm', which discounts where it must"
        ) from error
