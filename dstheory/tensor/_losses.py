"""Losses of one sample each, by which networks are trained: their mean is the cost."""

from dstheory.checks.arguments import check_choice
from dstheory.tensor._arrays import (
    Namespace,
    Tensor,
    check_floating,
    checked,
    constant,
    device,
    holds,
    namespace,
)

_GAIN = {"discounted": 0.0, "u65": 0.6, "u80": 1.2}
"""Value of caution: the utility of a set of n classes is (1 + gain) / n - gain / n^2."""


def log_loss(p: Tensor, y: Tensor) -> Tensor:
    """Compute minus the logarithm of the probability of the true class.

    Parameters
    ----------
    p : (..., K) array
        Probabilities, such as `betp(m)` or `plausibility_transform(m)`.
    y : (...) array of int
        True classes, 0 ... K - 1.

    Returns
    -------
    (...) array
        Probabilities below the smallest normal number count as that number.

    Raises
    ------
    TypeError, ValueError
        If types or shapes do not fit, or a class is out of range (unless traced).

    References
    ----------
    Good (1952), Rational decisions, Journal of the Royal Statistical Society B 14, 107-114. Of
    pignistic probabilities: Tong, Xu & Denoeux (2021), An evidential classifier based on
    Dempster-Shafer theory and deep learning, Neurocomputing 450, 275-293; of plausibilities:
    Denoeux (2019), Knowledge-Based Systems 176, 54-67.

    Examples
    --------
    >>> import numpy as np
    >>> log_loss(np.array([[0.5, 0.5]]), np.array([1])).round(3)
    array([0.693])
    """
    xp = namespace(p)
    chosen = xp.sum(p * _one_hot(xp, p, y), axis=-1)
    return -xp.log(xp.clip(chosen, min=float(xp.finfo(p.dtype).smallest_normal)))


def brier_loss(p: Tensor, y: Tensor) -> Tensor:
    """Compute the squared distance of probabilities from the true class.

    Parameters
    ----------
    p : (..., K) array
        Probabilities, such as `betp(m)` or `plausibility_transform(m)`.
    y : (...) array of int
        True classes, 0 ... K - 1.

    Returns
    -------
    (...) array
        From 0 to 2.

    Raises
    ------
    TypeError, ValueError
        If types or shapes do not fit, or a class is out of range (unless traced).

    References
    ----------
    Brier (1950), Verification of forecasts expressed in terms of probability, Monthly Weather
    Review 78, 1-3; of pignistic probabilities: Denoeux (2000), IEEE Transactions on Systems, Man,
    and Cybernetics A 30, 131-150.

    Examples
    --------
    >>> import numpy as np
    >>> brier_loss(np.array([[0.5, 0.5]]), np.array([1]))
    array([0.5])
    """
    xp = namespace(p)
    return xp.sum((p - _one_hot(xp, p, y)) ** 2, axis=-1)


def utility_loss(m: Tensor, y: Tensor, kind: str = "u65") -> Tensor:
    """Compute 1 minus the expected utility if a focal set is predicted with its mass.

    Parameters
    ----------
    m : (..., K + 1) array
        Masses of the classes, and last of the frame.
    y : (...) array of int
        True classes, 0 ... K - 1.
    kind : {"u65", "u80", "discounted"}
        Utility of a set of n classes that contains the true one: 1.6/n - 0.6/n^2, 2.2/n - 1.2/n^2,
        or 1/n.

    Returns
    -------
    (...) array
        From 0 to 1, linear in the masses.

    Raises
    ------
    MassError
        If masses are negative or do not sum to 1 (unless traced).
    TypeError, ValueError
        If types or shapes do not fit, or a class is out of range (unless traced).

    References
    ----------
    Zaffalon, Corani & Maua (2012), Evaluating credal classifiers by utility-discounted predictive
    accuracy, International Journal of Approximate Reasoning 53, 1282-1301.

    Examples
    --------
    >>> import numpy as np
    >>> utility_loss(np.array([[0.5, 0.25, 0.25]]), np.array([0])).round(4)
    array([0.3375])
    """
    check_choice("kind", kind, _GAIN)
    xp = checked(m)
    n_classes, gain = m.shape[-1] - 1, _GAIN[kind]
    of_frame = (1 + gain) / n_classes - gain / n_classes**2
    single = m[..., :-1]
    return 1 - xp.sum(single * _one_hot(xp, single, y), axis=-1) - of_frame * m[..., -1]


def _one_hot(xp: Namespace, p: Tensor, y: Tensor) -> Tensor:
    """1 for the true class and 0 for others, of the type of the probabilities."""
    namespace(p, y)
    check_floating(xp, "probabilities", p)
    if not xp.isdtype(y.dtype, "integral") or tuple(y.shape) != tuple(p.shape[:-1]):
        raise ValueError(
            f"y has type {y.dtype} and shape {tuple(y.shape)}, expected whole numbers of shape "
            f"{tuple(p.shape[:-1])}"
        )
    n_classes = p.shape[-1]
    values = constant(xp, y)
    if not holds(xp.all((values >= 0) & (values < n_classes))):
        raise ValueError(f"y has classes outside 0 ... {n_classes - 1}")
    every = xp.arange(n_classes, dtype=y.dtype, device=device(y))
    return xp.astype(y[..., None] == every, p.dtype)
