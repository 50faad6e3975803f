"""Errors of this package: one base class, and a subclass for each situation worth catching.

All are `ValueError`, so that code which knows nothing of belief functions still
catches them. A wrong kind of argument is a plain `TypeError`.
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
    """Root of all errors that this package raises about values.

    Examples
    --------
    >>> issubclass(TotalConflictError, DSTheoryError)
    True
    """


class ConvergenceError(DSTheoryError):
    """An optimizer used up its steps without a proof of optimality.

    A fit that is not proven optimal is never returned.

    Examples
    --------
    >>> issubclass(ConvergenceError, ValueError)
    True
    """


class CostLimitError(DSTheoryError):
    """A computation would exceed a limit; it has not started, and nothing is lost.

    Examples
    --------
    >>> from dstheory import Frame, vacuous
    >>> from dstheory.transform import mass_table
    >>> mass_table(vacuous(Frame(range(40))))
    Traceback (most recent call last):
    dstheory.errors.CostLimitError: a table on 40 labels has 2^40 entries per row, at most 2^26 \
are made; ask m.bel(event), m.pl(event), ... for single events
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
    """Masses are not a mass function: wrong sum, negative, not finite, or repeated sets.

    Examples
    --------
    >>> from dstheory import Frame, MassFunction
    >>> MassFunction.from_dict(Frame(["ant", "bee"]), {"ant": 0.8})
    Traceback (most recent call last):
    dstheory.errors.MassError: masses sum to 0.8, not 1; give the rest to the frame \
or divide by the sum
    """


class TotalConflictError(DSTheoryError):
    """All mass is on the empty set, so there is no normalized result.

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
