"""Calibrators of two and of more classes by the same short names."""

from collections.abc import Sequence
from typing import Any, TypeAlias

from evical import multiclass
from evical._typing import CalibratorName, MulticlassCalibratorName
from evical.calibrators import AutoCalibrator, BaseCalibrator
from evical.calibrators.by_name import by_name, make_calibrator

CalibratorChoice: TypeAlias = (
    BaseCalibrator
    | multiclass.BaseMulticlassCalibrator
    | CalibratorName
    | MulticlassCalibratorName
    | str
    | None
)
"""A calibrator, or a name, after which a model or options may stand."""


def named_calibrator(
    text: str, options: Sequence[str] = (), *, together: bool, kind: str = "calibrator"
) -> Any:
    """A calibrator of one score or of many, not yet fitted, by its name.

    Parameters
    ----------
    text : str
        A name; after colons a model, or options ``key=value``.
    options : sequence of str
        More of them.
    together : bool
        Whether it may read the scores of more than two classes, so that "auto" is
        `AutoMulticlassCalibrator`.
    kind : str
        What messages call it.

    Returns
    -------
    calibrator

    Raises
    ------
    ValueError
        For an unknown name or option, or a wrong value.

    Examples
    --------
    >>> named_calibrator("auto:bayesian", together=True)
    AutoMulticlassCalibrator(model='bayesian')
    >>> named_calibrator("softmax", together=True), named_calibrator("auto", together=False)
    (SoftmaxCalibrator(), AutoCalibrator())
    """
    made = make_calibrator(text, options, {**by_name(), **by_name(multiclass)}, kind)
    plain = isinstance(made, AutoCalibrator) and made.transform is None and made.extrapolate
    if together and plain:
        return multiclass.AutoMulticlassCalibrator(model=made.model, confidence=made.confidence)
    return made


def many_calibrator(
    choice: str | BaseCalibrator, options: Sequence[str] = ()
) -> multiclass.BaseMulticlassCalibrator:
    """A calibrator of all scores together, or one of two classes for each class.

    Raises ValueError as `named_calibrator`.

    >>> many_calibrator("isotonic").calibrator
    IsotonicCalibrator()
    """
    made = choice
    if isinstance(choice, str):
        made = named_calibrator(choice, options, together=True, kind="method")
    if isinstance(made, multiclass.BaseMulticlassCalibrator):
        return made
    # Where columns exclude each other nothing is known, and no table stops for that.
    return multiclass.OneVsRestCalibrator(made, total_conflict="vacuous")
