"""Training data of a fusion: beliefs about labeled samples, checked.

Probabilities are pignistic. These are linear in the masses, so the probability of a mixture is the
mixture of the probabilities.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dstheory import Frame, MassFunction
from dstheory.checks.arguments import as_floats, check_instance
from dstheory.errors import FrameError
from evical._typing import Flags, Floats, Indices
from evical.beliefs import Beliefs, as_beliefs
from evical.beliefs.joined import have_products
from evical.beliefs.listed import Listed
from evical.beliefs.products import Products
from evical.scores.checks import check_labels, check_weights

__all__ = ["HeldOut", "as_list", "check_sizes", "common_frame", "of_sources", "read"]


@dataclass(frozen=True, eq=False)
class HeldOut:
    """Beliefs of S sources about n samples that were new to them, and the labels.

    Parameters
    ----------
    frame : Frame
    sources : tuple of Beliefs
        Of the samples of positive weight.
    codes : (n,) array
        Place of each label in the frame.
    weight : (n,) array
        Positive.
    """

    frame: Frame
    sources: tuple[Beliefs, ...]
    codes: Indices
    weight: Floats

    @cached_property
    def _read(self) -> tuple[Floats, Flags]:
        return read(self.sources)

    @property
    def probabilities(self) -> Floats:
        """Pignistic probabilities (S, n, K), even where a source is silent."""
        return self._read[0]

    @property
    def silent(self) -> Flags:
        """Where the sources are silent, (S, n)."""
        return self._read[1]

    @classmethod
    def of(cls, sources: Any, y: Any, sample_weight: Any) -> "HeldOut":
        """Samples of positive weight, or an error that says what is wrong."""
        known = of_sources(sources)
        if y is None:
            raise ValueError("y is None; the fusion learns from beliefs and labels")
        labels, frame = check_labels(y), known[0].frame
        for number, source in enumerate(sources, start=1):
            shape = (len(source),) if isinstance(source, Beliefs) else source.batch_shape
            if shape != labels.shape:
                raise ValueError(
                    f"source {number} has batch shape {shape}, but there are {len(labels)} labels"
                )
        codes, weight, kept = _samples(labels, frame, sample_weight)
        used = tuple(source if kept.all() else source[kept] for source in known)
        return cls(frame, used, codes, weight)

    @cached_property
    def masses(self) -> list[MassFunction]:
        """Mass functions of the sources, batches (n,)."""
        return [source.mass() for source in self.sources]

    @property
    def products(self) -> list[Products]:
        """Products of the sources, if all have some."""
        if not have_products(self.sources):
            return []
        return [source.products() for source in self.sources]

    def part(self, sources: Flags) -> "HeldOut":
        """Some sources (S,)."""
        p = np.where(self.silent[..., np.newaxis], np.nan, self.probabilities)[sources]
        return replace(self, sources=tuple(as_beliefs(one, self.sources[0].classes) for one in p))

    @property
    def of_truth(self) -> Floats:
        """Pignistic probability (S, n) of the true label."""
        return np.asarray(self.probabilities[:, np.arange(len(self.codes)), self.codes])

    @property
    def targets(self) -> Floats:
        """Indicator (n, K) of the true label."""
        return np.equal.outer(self.codes, np.arange(len(self.frame))).astype(np.float64)


def read(sources: Sequence[Beliefs]) -> tuple[Floats, Flags]:
    """What rules read that need probabilities alone.

    Parameters
    ----------
    sources : sequence of Beliefs

    Returns
    -------
    probabilities : (S, n, K) array
        Pignistic; even where a source is silent.
    silent : (S, n) array of bool
    """
    silent = np.stack([source.silent for source in sources])
    p = np.stack([source.betp() for source in sources])
    return np.where(silent[..., np.newaxis], 1 / p.shape[2], p) if silent.any() else p, silent


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


def of_sources(sources: Any) -> list[Beliefs]:
    """Beliefs from beliefs or mass functions, at least one; mass functions on one frame.

    Parameters
    ----------
    sources : sequence of Beliefs or of MassFunction

    Returns
    -------
    list of Beliefs
    """
    if isinstance(sources, Sequence) and sources and isinstance(sources[0], Beliefs):
        for number, one in enumerate(sources, start=1):
            check_instance(f"source {number}", one, Beliefs, "Beliefs")
        return list(sources)
    masses = as_list(sources)
    common_frame(masses)
    return [Listed.of(m) for m in masses]


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
