"""Training data of a fusion: beliefs about labeled samples, checked.

Probabilities are pignistic. These are linear in the masses, so the probability of a mixture is the
mixture of the probabilities.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dstheory import Frame, MassFunction
from dstheory.checks.arguments import as_array, as_floats, check_instance
from dstheory.errors import FrameError
from dstheory.kernels.rounding import unit_rows
from evical._typing import Floats
from evical.multiclass.products import ProductBeliefs
from evical.scores.checks import check_labels, check_weights
from evical.scores.silence import silences, spoken_probabilities

__all__ = ["HeldOut", "as_list", "check_probabilities", "check_sizes", "common_frame"]


@dataclass(frozen=True, eq=False)
class HeldOut:
    """Beliefs of S sources about n samples that were new to them, and the labels.

    Parameters
    ----------
    frame : Frame
        Of K classes.
    masses : tuple of MassFunction
        Batches (n,); none if only probabilities are known.
    probabilities : (S, n, K) array
        Pignistic.
    silent : (S, n) array of bool
        Where a source says nothing: its belief is vacuous.
    codes : (n,) array
        Positions of the labels in the frame.
    weight : (n,) array
        Positive.
    products : tuple of ProductBeliefs
        Batches (n,), instead of masses, where these would list too many sets.
    """

    frame: Frame
    masses: tuple[MassFunction, ...]
    probabilities: Floats
    silent: NDArray[np.bool_]
    codes: NDArray[np.intp]
    weight: Floats
    products: tuple[ProductBeliefs, ...] = ()

    @classmethod
    def checked(cls, masses: Any, y: Any, sample_weight: Any) -> "HeldOut":
        """Samples of positive weight, or an error that says what is wrong."""
        sources = as_list(masses)
        frame = common_frame(sources)
        labels = _labels(y)
        for number, m in enumerate(sources, start=1):
            if m.batch_shape != labels.shape:
                raise ValueError(
                    f"source {number} has batch shape {m.batch_shape}, but there are "
                    f"{len(labels)} labels"
                )
        codes, weight, kept = _samples(labels, frame, sample_weight)
        used = tuple(m[kept] for m in sources)
        p = np.stack([spoken_probabilities(m) for m in used])
        return cls(frame, used, *silences(p), codes, weight)

    @classmethod
    def of_probabilities(
        cls, probabilities: Any, y: Any, classes: Any, sample_weight: Any
    ) -> "HeldOut":
        """The same from pignistic probabilities (S, n, K) alone."""
        labels, frame = _labels(y), Frame(classes)
        p = check_probabilities(probabilities, len(frame))
        if p.shape[1] != len(labels):
            raise ValueError(
                f"probabilities have shape {p.shape}, of {p.shape[1]} samples, but there are "
                f"{len(labels)} labels"
            )
        codes, weight, kept = _samples(labels, frame, sample_weight)
        return cls(frame, (), *silences(p[:, kept]), codes, weight)

    @classmethod
    def of_products(
        cls,
        products: Sequence[ProductBeliefs],
        y: Any,
        classes: Any,
        sample_weight: Any,
    ) -> "HeldOut":
        """The same from beliefs of many classes that are not listed set by set."""
        frame = Frame(classes)
        codes, weight, kept = _samples(_labels(y), frame, sample_weight)
        used = tuple(beliefs[kept] for beliefs in products)
        p = np.stack([beliefs.betp() for beliefs in used])
        return cls(frame, (), p, np.zeros(p.shape[:2], dtype=bool), codes, weight, used)

    def part(self, sources: NDArray[np.bool_]) -> "HeldOut":
        """Probabilities of some sources (S,)."""
        p, silent = self.probabilities[sources], self.silent[sources]
        return HeldOut(self.frame, (), p, silent, self.codes, self.weight)

    @property
    def of_truth(self) -> Floats:
        """Pignistic probability (S, n) of the true label."""
        return np.asarray(self.probabilities[:, np.arange(len(self.codes)), self.codes])

    @property
    def targets(self) -> Floats:
        """Indicator (n, K) of the true label."""
        return np.equal.outer(self.codes, np.arange(len(self.frame))).astype(np.float64)


def check_probabilities(probabilities: Any, n_classes: int) -> Floats:
    """Pignistic probabilities (S, n, K), of sum 1, or an error that names the first wrong row.

    Parameters
    ----------
    probabilities : (S, n, K) array
        Rows of NaN are those of silent sources.
    n_classes : int

    Returns
    -------
    (S, n, K) array

    Raises
    ------
    ValueError

    Examples
    --------
    >>> check_probabilities([[[0.5, 0.5], [0.5, 0.6]]], 2)
    Traceback (most recent call last):
    ValueError: source 1, row 1 has probabilities [0.5, 0.6], expected numbers from 0 with sum \
1, or nan for all classes where the source is silent
    """
    p = as_floats(probabilities, "probabilities")
    if p.ndim != 3 or not len(p) or p.shape[2] != n_classes:
        raise ValueError(
            f"probabilities have shape {p.shape}, expected (S, n, {n_classes}): sources, samples "
            "and classes"
        )
    p, wrong = unit_rows(p, as_array(probabilities, "probabilities").dtype)
    wrong &= ~np.isnan(p).all(axis=2)
    if wrong.any():
        source, row = np.argwhere(wrong)[0].tolist()
        raise ValueError(
            f"source {source + 1}, row {row} has probabilities {p[source, row].tolist()}, expected "
            "numbers from 0 with sum 1, or nan for all classes where the source is silent"
        )
    return p


def _labels(y: Any) -> NDArray[Any]:
    if y is None:
        raise ValueError("y is None; the fusion learns from beliefs and labels")
    return check_labels(y)


def _samples(
    labels: NDArray[Any], frame: Frame, sample_weight: Any
) -> tuple[NDArray[np.intp], Floats, NDArray[np.bool_]]:
    """Places in the frame and weights of the samples that have a weight, and which these are."""
    weight = check_weights(sample_weight, len(labels))
    weight = np.ones(len(labels)) if weight is None else weight
    codes, kept = _codes(labels, frame), weight > 0
    if not kept.any():
        raise ValueError("all weights are zero; the fusion has nothing to learn from")
    if len(np.unique(codes[kept])) < 2:
        raise ValueError(
            f"y has one class only (all {labels[kept][0]!r}); a fusion learns from two or more"
        )
    return codes[kept], weight[kept], kept


def as_list(masses: Any) -> list[MassFunction]:
    """Mass functions as a list, at least one.

    Parameters
    ----------
    masses : sequence of MassFunction

    Returns
    -------
    list of MassFunction

    Raises
    ------
    TypeError
        If it is not a sequence of mass functions; a single batch is not a list of sources.
    ValueError
        If it is empty.
    """
    if isinstance(masses, MassFunction) or not isinstance(masses, Sequence):
        raise TypeError(f"masses is a list of mass functions, one for each source, not {masses!r}")
    for number, m in enumerate(masses, start=1):
        check_instance(f"source {number}", m, MassFunction, "a MassFunction")
    if not masses:
        raise ValueError("masses is empty; a fusion needs a source")
    return list(masses)


def common_frame(masses: Sequence[MassFunction]) -> Frame:
    """The frame of all sources.

    Raises
    ------
    FrameError
        If they are on different ones.
    """
    frame = masses[0].frame
    for number, m in enumerate(masses, start=1):
        if m.frame != frame:
            raise FrameError(f"source {number} is on {m.frame!r}, but source 1 on {frame!r}")
    return frame


def check_sizes(sizes: Any, n_sources: int | None) -> Floats:
    """Sizes (S,) as positive numbers; equal ones if not given.

    Parameters
    ----------
    sizes : (S,) array or None
    n_sources : int or None
        None if it is not known otherwise.

    Returns
    -------
    (S,) array

    Raises
    ------
    ValueError
        If a size is not positive and finite, or there is not one for each source.

    Examples
    --------
    >>> check_sizes([10, 0], 2)
    Traceback (most recent call last):
    ValueError: sizes are [10.0, 0.0], expected positive finite numbers, one for each source
    """
    if sizes is None:
        if n_sources is None:
            raise ValueError("neither masses nor sizes are given; give one of them")
        return np.ones(n_sources)
    array = as_floats(sizes, "sizes")
    usable = array.ndim == 1 and len(array) and np.isfinite(array).all() and (array > 0).all()
    if not usable:
        raise ValueError(
            f"sizes are {array.tolist()}, expected positive finite numbers, one for each source"
        )
    if n_sources is not None and len(array) != n_sources:
        raise ValueError(f"there are {len(array)} sizes for {n_sources} sources")
    return array


def _codes(labels: NDArray[Any], frame: Frame) -> NDArray[np.intp]:
    """Positions of labels in the frame; each is looked up once."""
    distinct, inverse = np.unique(labels, return_inverse=True)
    places = [frame.mask((label,)).bit_length() - 1 for label in distinct.tolist()]
    return np.asarray(np.array(places, dtype=np.intp)[inverse])
