"""`BaseFusion`: a combination rule with parameters, some of them learned.

A fusion is a function of mass functions, like the rules of `dstheory.combine`, and an estimator:
`fit` learns from the beliefs of the sources about labeled samples. These samples must be new to the
sources; otherwise the most overconfident source seems best (stacking: Wolpert 1992, Stacked
generalization, Neural Networks 5, 241-259).
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, ClassVar, Self

from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from dstheory import Frame, MassFunction
from dstheory.errors import FrameError
from evical._fitting import all_or_nothing
from evical._typing import Floats
from evical.calibrators.fields import Field
from evical.fusion import _saved as saved
from evical.fusion._held_out import HeldOut, as_list, check_sizes, common_frame
from evical.multiclass.products import ProductBeliefs

__all__ = ["BaseFusion"]


class BaseFusion(BaseEstimator, ABC):  # type: ignore[misc]  # sklearn is untyped
    """Abstract combination rule with parameters.

    Attributes
    ----------
    n_sources_ : int
    frame_ : Frame or None
        Frame of the beliefs it was fitted to, if any.
    needs_beliefs : bool
        Whether `fit` uses beliefs and labels, or sizes only.
    reads_probabilities : bool
        Whether it uses nothing of the beliefs but their pignistic probabilities, for any number of
        classes.
    """

    reads_probabilities: ClassVar[bool] = False
    n_sources_: int
    frame_: Frame | None
    # Names in the saved state, with what each may hold; "s" is the number of sources.
    _state: ClassVar[dict[str, Field]]
    # Fitted attributes with one entry a source, for `by_source`.
    _by_source: ClassVar[tuple[str, ...]]

    @property
    @abstractmethod
    def needs_beliefs(self) -> bool:
        """Whether `fit` uses beliefs and labels, or sizes only."""

    @abstractmethod
    def _check_parameters(self) -> None:
        """Raise for a wrong parameter, before anything is learned."""

    @abstractmethod
    def _learn(self, held_out: HeldOut | None, sizes: Floats) -> None:
        """Set the fitted attributes; `held_out` is None if beliefs are not needed."""

    @abstractmethod
    def _fuse(self, masses: Sequence[MassFunction]) -> MassFunction:
        """Combine; there is one mass function a source."""

    @all_or_nothing
    def fit(
        self,
        masses: Sequence[MassFunction] | None = None,
        y: ArrayLike | None = None,
        sizes: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
    ) -> Self:
        """Learn how to combine the sources.

        Parameters
        ----------
        masses : sequence of MassFunction
            For each source, its beliefs about n samples, a batch (n,) on one frame. The source must
            not have been trained or calibrated on these samples. Use a vacuous row for a sample
            about which a source has no belief. If `needs_beliefs` is False, only their number
            matters, and `sizes` can replace them.
        y : (n,) array
            Labels of the samples, from the frame; at least two different ones. Ignored if
            `needs_beliefs` is False, like `sample_weight`.
        sizes : (S,) array, optional
            Number of samples behind each source; equal by default.
        sample_weight : (n,) array, optional
            Non-negative weights; a weight of 2 counts as two samples.

        Returns
        -------
        self

        Raises
        ------
        TypeError
            If `masses` are not mass functions.
        ValueError
            If there is no source or sample, numbers of samples differ, a label is not in the
            frame, all labels are the same, or a size, weight or parameter is not usable.
        """
        self._check_parameters()
        sources = as_list(masses) if masses is not None or self.needs_beliefs else None
        held_out = None
        if self.needs_beliefs:
            held_out = HeldOut.checked(masses, y, sample_weight)
        amounts = check_sizes(sizes, None if sources is None else len(sources))
        return self._fit(held_out, amounts, None if sources is None else common_frame(sources))

    @all_or_nothing
    def fit_probabilities(
        self,
        probabilities: ArrayLike,
        y: ArrayLike,
        classes: ArrayLike,
        sizes: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
    ) -> Self:
        """Learn from pignistic probabilities, where `reads_probabilities` says that they suffice.

        Parameters
        ----------
        probabilities : (S, n, K) array
            Of each source, about n samples that are new to it; NaN for all classes where it is
            silent.
        y : (n,) array
            Labels of the samples.
        classes : (K,) array
            All labels, in the order of the columns.
        sizes : (S,) array, optional
            As for `fit`.
        sample_weight : (n,) array, optional
            As for `fit`.

        Returns
        -------
        self

        Raises
        ------
        TypeError
            If the fusion needs mass functions.
        ValueError
            As `fit`.
        """
        self._check_parameters()
        if not self.reads_probabilities:
            raise TypeError(f"{self!r} learns from mass functions, not from probabilities; use fit")
        held_out = HeldOut.of_probabilities(probabilities, y, classes, sample_weight)
        return self._fit(held_out, check_sizes(sizes, len(held_out.probabilities)), held_out.frame)

    @all_or_nothing
    def _fit_products(
        self,
        products: Sequence[ProductBeliefs],
        y: ArrayLike,
        classes: ArrayLike,
        sizes: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
    ) -> Self:
        """`fit` for beliefs about many classes, which are not listed set by set."""
        self._check_parameters()
        held_out = HeldOut.of_products(products, y, classes, sample_weight)
        return self._fit(held_out, check_sizes(sizes, len(products)), held_out.frame)

    def _fit(self, held_out: HeldOut | None, sizes: Floats, frame: Frame | None) -> Self:
        self._learn(held_out, sizes)
        self.frame_, self.n_sources_ = frame, len(sizes)
        return self

    def __call__(self, *masses: MassFunction) -> MassFunction:
        sources = self._sources(masses)
        frame = common_frame(sources)
        if self.frame_ not in (None, frame):
            raise FrameError(
                f"sources are on {frame!r}, but the fusion was fitted to {self.frame_!r}"
            )
        return self._fuse(sources)

    def _sources(self, masses: Sequence[MassFunction]) -> list[MassFunction]:
        """Mass functions, as many as the fusion was fitted to."""
        check_is_fitted(self)
        sources = as_list(masses)
        if len(sources) != self.n_sources_:
            raise ValueError(
                f"there are {len(sources)} mass functions, but the fusion was fitted to "
                f"{self.n_sources_} sources"
            )
        return sources

    def prepared(self, masses: Sequence[MassFunction]) -> list[MassFunction]:
        """The sources as they are combined, such as discounted; by default as they are.

        Parameters
        ----------
        masses : sequence of MassFunction
            One for each source.

        Returns
        -------
        list of MassFunction
        """
        return as_list(masses)

    def check_sources(self, n_sources: int, n_classes: int) -> None:
        """Raise if it cannot learn from so many sources of so many classes.

        Parameters
        ----------
        n_sources, n_classes : int

        Raises
        ------
        CostLimitError
        """

    def by_source(self) -> dict[str, Floats]:
        """The learned attributes of each source.

        Returns
        -------
        dict of str to array
            From the name of a fitted attribute to its values, with the sources along the first
            axis.
        """
        check_is_fitted(self)
        return {name: getattr(self, name).copy() for name in self._by_source}

    def _get_state(self) -> dict[str, Any]:
        """Arrays and numbers from which combinations follow."""
        return {name: getattr(self, name) for name in self._state}

    def _parts(self) -> list["BaseFusion"]:
        """Fitted fusions that it uses in turn."""
        return []

    def _set_parts(self, parts: list["BaseFusion"]) -> None:
        """Take them back; `_check_state` judges them."""
        if parts:
            raise ValueError(f"saved fusion is damaged: {type(self).__name__} has no parts")

    def _set_state(self, state: dict[str, Any]) -> None:
        for name, value in state.items():
            setattr(self, name, value)

    def _check_state(self) -> None:
        """Raise for restored arrays that do not fit each other."""
        for name in self._by_source:
            if len(getattr(self, name)) != self.n_sources_:
                raise ValueError(
                    f"saved fusion is damaged: {name} are of {len(getattr(self, name))} sources, "
                    f"not {self.n_sources_}"
                )

    def to_dict(self) -> dict[str, Any]:
        """The fitted fusion as plain data, ready for JSON.

        Returns
        -------
        dict
            Of strings, numbers, lists and dicts only; `from_dict` reads it back.
        """
        check_is_fitted(self)
        return saved.to_dict(self)

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Self:
        """The fusion that `to_dict` described.

        Parameters
        ----------
        data : dict
            ``BaseFusion.from_dict`` takes any fusion of this package, a subclass takes its own
            kind only.

        Returns
        -------
        fitted fusion

        Raises
        ------
        ValueError
            If the data is no saved fusion, damaged, of a later version, or of another kind.
        """
        kinds = [cls, *cls.__subclasses__()]
        restored: Self = saved.from_dict(
            data, {kind.__name__: kind for kind in kinds if kind is not BaseFusion}
        )
        return restored

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "n_sources_")
