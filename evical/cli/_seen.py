"""Whether a model is judged on the samples that it was fitted to."""

from math import isclose

import numpy as np
from numpy.typing import NDArray

from evical.cli._model import ManyModel, Model, log_loss

__all__ = ["on_table"]

_SAME = 1e-9  # relative difference of two log losses that is rounding


def on_table(
    model: Model | ManyModel, table: str, codes: NDArray[np.integer], right: NDArray[np.float64]
) -> str:
    """Name of what is judged: a model on a table, and whether it was fitted to that table.

    A model file keeps no samples. They are taken for the same if there are as many of each class
    and the log loss is the same; this overlooks merged scores. `codes` (n,) are places of the true
    classes among the labels of the model, and `right` (n,) their probabilities.
    """
    name = f"{type(model.calibrator).__name__} on {table}"
    return f"{name}, which it was fitted to" if _seen(model, codes, right) else name


def _seen(model: Model | ManyModel, codes: NDArray[np.integer], right: NDArray[np.float64]) -> bool:
    if isinstance(model, ManyModel):
        weights = [model.training.weights.get(label, 0.0) for label in model.labels]
    else:
        weights = [model.training.negative, model.training.positive]
    if np.bincount(codes, minlength=len(weights)).tolist() != weights:
        return False
    found = log_loss(right, np.ones_like(right))
    known = model.training.log_loss
    return found is not None and known is not None and isclose(found, known, rel_tol=_SAME)
