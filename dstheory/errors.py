"""Errors of this package: a base class, and a subclass for each situation worth catching.

All are `ValueError`, so code that knows nothing about belief functions still catches them. An
argument of the wrong type raises a plain `TypeError`.
"""

__all__ = [
    "ConvergenceError",
    "CostLimitError",
    "DSTheoryError",
    "FrameError",
    "MassError",
    "TotalConflictError",
]


class DSTheoryError(ValueError):
    """Base class of all errors about values in this package.

    Examples
    --------
    >>> issubclass(TotalConflictError, DSTheoryError)
    True
    """


class ConvergenceError(DSTheoryError):
    """A solver found no optimum that is proven: it ran out of steps, or there is none.

    Fits that are not proven optimal are never returned.

    Examples
    --------
    >>> issubclass(ConvergenceError, ValueError)
    True
    """


class CostLimitError(DSTheoryError):
    """A computation would exceed a limit. It has not started, so nothing is lost.

    Examples
    --------
    >>> from dstheory import Frame, vacuous
    >>> from dstheory.transform import table
    >>> table(vacuous(Frame(range(40))))
    Traceback (most recent call last):
    dstheory.errors.CostLimitError: a table on 40 labels has 2^40 entries per row, more than \
2^26; use m.bel(event), m.pl(event), ... for single events
    """


class FrameError(DSTheoryError):
    """A label, event or mask does not fit the frame, or two frames differ.

    Examples
    --------
    >>> from dstheory import Frame
    >>> Frame(["ant", "bee"]).mask("dog")
    Traceback (most recent call last):
    dstheory.errors.FrameError: 'dog' is not a label of Frame(['ant', 'bee'])
    """


class MassError(DSTheoryError):
    """Masses do not form a mass function.

    Their sum is wrong, one is negative or not finite, or a set is repeated.

    Examples
    --------
    >>> from dstheory import Frame, MassFunction
    >>> MassFunction.from_dict(Frame(["ant", "bee"]), {"ant": 0.8})
    Traceback (most recent call last):
    dstheory.errors.MassError: masses sum to 0.8, not 1; give the rest to the frame \
or divide by the sum
    """


class TotalConflictError(DSTheoryError):
    """All mass is on the empty set, so the result cannot be normalized.

    Examples
    --------
    >>> from dstheory import Frame, MassFunction
    >>> frame = Frame(["ant", "bee"])
    >>> ant = MassFunction.from_dict(frame, {"ant": 1})
    >>> bee = MassFunction.from_dict(frame, {"bee": 1})
    >>> ant @ bee
    Traceback (most recent call last):
    dstheory.errors.TotalConflictError: total conflict (kappa = 1): the sources exclude \
each other; discount a source or use a rule that keeps the conflict
    """
