"""A `fit` that was refused leaves its estimator as it was: not fitted, or fitted as before."""

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar, cast

__all__ = ["all_or_nothing"]

F = TypeVar("F", bound=Callable[..., Any])


def all_or_nothing(fit: F) -> F:
    """Decorator of methods that set attributes, all of them or none.

    Attributes of an unfinished fit would look fitted, and mix with those of an earlier one.
    Attributes must be set anew, never changed in place.

    Parameters
    ----------
    fit : method

    Returns
    -------
    method
        The same; if it raises, the object keeps the attributes that it had.

    Examples
    --------
    >>> class Half:
    ...     @all_or_nothing
    ...     def fit(self):
    ...         self.classes_ = [0, 1]
    ...         raise ValueError("too few samples")
    >>> half = Half()
    >>> half.fit()
    Traceback (most recent call last):
    ValueError: too few samples
    >>> hasattr(half, "classes_")
    False
    """

    @wraps(fit)
    def whole(self: Any, *args: Any, **kwargs: Any) -> Any:
        before = dict(vars(self))
        try:
            return fit(self, *args, **kwargs)
        except BaseException:  # an interrupt too
            vars(self).clear()
            vars(self).update(before)
            raise

    return cast("F", whole)
