"""`Rule`: a combination of beliefs, with parameters, some of them learned.

A rule is a function of mass functions, like those of `dstheory.combine`, and an estimator: `fit`
learns from the beliefs of the sources about labeled samples. These samples must be new to the
sources; otherwise the most overconfident source seems best (stacking: Wolpert 1992, Stacked
generalization, Neural Networks 5, 241-259). `combine` takes and gives `Beliefs`, of which it asks
for no more than it reads. Probabilities are those that the sources estimate, pignistic ones unless
Bel and Pl are the ends of an interval; the probability of a mixture is the mixture of these.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import prod
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from dstheory import Frame, MassFunction
from dstheory.checks.arguments import as_floats, check_instance, number_of
from dstheory.errors import CostLimitError, FrameError, TotalConflictError
from evical._fitting import all_or_nothing
from evical._typing import Flags, Floats, Indices
from evical.beliefs import Beliefs, as_beliefs
from evical.beliefs.composed import placed
from evical.beliefs.joined import MAX_PRODUCTS, have_products
from evical.beliefs.listed import Listed
from evical.beliefs.products import MAX_CLASSES, Products, bytes_listed
from evical.calibrators.fields import Field, SavedError, checked_fields
from evical.calibrators.saved import VERSION, check_saved, plain, restored_arrays, restored_classes
from evical.fusion.conflicts import exclusive
from evical.fusion.conflicts import total_conflict as in_total_conflict
from evical.fusion.described import Formula, Learned, learned_from
from evical.scores.checks import (
    as_column,
    check_labels,
    check_weights,
    missing,
    warn_of_little_weight,
)


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
        """Estimated probabilities (S, n, K), even where a source is silent."""
        return self._read[0]

    @property
    def silent(self) -> Flags:
        """Where the sources are silent, (S, n)."""
        return self._read[1]

    @classmethod
    def of(cls, sources: Any, y: Any, sample_weight: Any) -> HeldOut:
        """Samples of positive weight, or an error that says what is wrong."""
        known = of_sources(sources)
        if y is None:
            raise ValueError("y is None; the fusion learns from beliefs and labels")
        labels, frame = check_labels(y), Frame(known[0].classes)
        for number, source in enumerate(sources, start=1):
            shape = (len(source),) if isinstance(source, Beliefs) else source.batch_shape
            if shape != labels.shape:
                raise ValueError(
                    f"source {number} has batch shape {shape}, but there are {len(labels)} labels"
                )
        codes, weight, kept = _samples(labels, frame, sample_weight)
        used = tuple(source if kept.all() else source[kept] for source in known)
        return cls(frame, used, codes, weight)

    @classmethod
    def partly_labeled(cls, sources: list[Beliefs], y: Any, sample_weight: Any) -> HeldOut:
        """Samples of positive weight, with codes -1 where the label is None or NaN."""
        check_beliefs(sources)
        n, frame = len(sources[0]), Frame(sources[0].classes)
        if not n:
            raise ValueError("sources are about no samples; a fusion learns from one or more")
        weight = check_weights(sample_weight, n)
        weight = np.ones(n) if weight is None else weight
        kept = weight > 0
        if not kept.any():
            raise ValueError("all weights are zero; the fusion has nothing to learn from")
        used = tuple(source if kept.all() else source[kept] for source in sources)
        return cls(frame, used, partial_codes(y, frame, n)[kept], weight[kept])

    def rows(self, rows: Flags | Indices) -> HeldOut:
        """Some samples."""
        used = tuple(source[rows] for source in self.sources)
        return HeldOut(self.frame, used, self.codes[rows], self.weight[rows])

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

    def part(self, sources: Flags) -> HeldOut:
        """Some sources (S,)."""
        p = np.where(self.silent[..., np.newaxis], np.nan, self.probabilities)[sources]
        return replace(self, sources=tuple(as_beliefs(one, self.sources[0].classes) for one in p))

    @property
    def of_truth(self) -> Floats:
        """Estimated probability (S, n) of the true label."""
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
        Estimated; even where a source is silent.
    silent : (S, n) array of bool
    """
    silent = np.stack([source.silent for source in sources])
    # Columns stay contiguous: all passes are over samples, which are more than classes.
    p = np.stack([source.probability().T for source in sources]).transpose(0, 2, 1)
    if silent.any():
        p[silent] = 1 / p.shape[2]
    return p, silent


def _samples(
    labels: NDArray[Any], frame: Frame, sample_weight: ArrayLike | None
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
        check_beliefs(sources)
        return list(sources)
    masses = as_list(sources)
    common_frame(masses)
    return [Listed.of(m) for m in masses]


def check_beliefs(sources: Sequence[Beliefs]) -> None:
    """Raise unless all are beliefs about as many samples, on the same classes.

    Parameters
    ----------
    sources : sequence of Beliefs

    Raises
    ------
    TypeError
        If one is something else.
    ValueError
        If numbers of samples differ, or classes (`FrameError`).
    """
    for number, one in enumerate(sources, start=1):
        if not isinstance(one, Beliefs):
            check_instance(f"source {number}", one, Beliefs, "Beliefs")
        first = sources[0]
        if not np.array_equal(one.classes, first.classes):
            raise FrameError(
                f"source {number} is on {one.frame!r}, but source 1 on {first.frame!r}"
            )
        if len(one) != len(first):
            raise ValueError(
                f"source {number} is about {number_of(len(one), 'sample')}, but source 1 about "
                f"{len(first)}"
            )


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
    known = {label: place for place, label in enumerate(frame.labels)}
    places = [
        known[label] if label in known else frame.mask((label,)).bit_length() - 1
        for label in distinct  # not as Python values, which equal dates but have other hashes
    ]
    return np.asarray(np.array(places, dtype=np.intp)[inverse])


def partial_codes(y: Any, frame: Frame, n: int) -> Indices:
    """Places (n,) of labels in the frame, -1 where there is none.

    Parameters
    ----------
    y : (n,) array, or None
        None, NaN or pandas' NA where a label is not known.
    frame : Frame
    n : int

    Returns
    -------
    (n,) array of int

    Raises
    ------
    ValueError
        If there are not n labels, or one is not in the frame.

    Examples
    --------
    >>> partial_codes(["bee", None], Frame(["ant", "bee"]), 2)
    array([ 1, -1])
    """
    codes = np.full(n, -1, dtype=np.intp)
    if y is None:
        return codes
    labels = as_column(y, warn=True)
    unknown = missing(labels)
    if len(labels) != n:
        raise ValueError(f"sources are about {n} samples, but there are {len(labels)} labels")
    if not unknown.all():
        given = labels[~unknown]
        given = np.asarray(given.tolist()) if given.dtype == object else given  # of their own type
        codes[~unknown] = _codes(check_labels(given), frame)
    return codes


Reads = Literal["masses", "products", "probabilities"]
"""What a rule asks of beliefs: all sets, products over the classes, or pignistic probabilities."""

Needs = Literal["nothing", "sizes", "beliefs", "labels"]
"""What `fit` learns from: nothing, sizes of the sources, or beliefs, about labeled samples."""

FORMAT = "evical.fusion"
_KEYS = ("format", "version", "class", "parameters", "n_sources", "classes", "state", "parts")


class Rule(BaseEstimator, ABC):  # type: ignore[misc]  # sklearn is untyped
    """Abstract combination of beliefs, with parameters.

    Attributes
    ----------
    n_sources_ : int
    frame_ : Frame or None
        Frame of the beliefs it was fitted to, if any.
    name : str
        In messages.
    needs : {"nothing", "sizes", "beliefs", "labels"}
        What `fit` learns from.
    """

    n_sources_: int
    frame_: Frame | None
    # Names in the saved state, with what each may hold; "s" is the number of sources.
    _state: ClassVar[dict[str, Field]]
    # Whether products over the classes meet, so that their numbers multiply.
    _joins: ClassVar[bool] = False
    # Fitted attributes with one entry a source, for `by_source`.
    _by_source: ClassVar[tuple[str, ...]] = ()

    @property
    def name(self) -> str:
        """What messages call it."""
        return repr(self)

    @property
    @abstractmethod
    def needs(self) -> Needs:
        """What `fit` learns from."""

    @property
    def learns(self) -> bool:
        """Whether `fit` learns from beliefs."""
        return self.needs in ("beliefs", "labels")

    def reads(self, n_classes: int) -> Reads:
        """What it asks of beliefs about so many classes.

        Parameters
        ----------
        n_classes : int

        Returns
        -------
        {"masses", "products", "probabilities"}
        """
        return "masses"

    @abstractmethod
    def _check_parameters(self) -> None:
        """Raise for a wrong parameter, before anything is learned."""

    @abstractmethod
    def _learn(self, held_out: HeldOut | None, sizes: Floats) -> None:
        """Set the fitted attributes; `held_out` is None if beliefs are not needed."""

    @abstractmethod
    def _fuse(self, masses: Sequence[MassFunction]) -> MassFunction:
        """Combine; there is one mass function a source."""

    def _fuse_beliefs(self, masses: Sequence[MassFunction]) -> MassFunction:
        """Combine through beliefs, for rules that read no masses; any batch shapes."""
        shapes = [m.batch_shape for m in masses]
        whole = np.broadcast_shapes(*shapes)
        sources = [Listed.of(m.reshape(prod(m.batch_shape))) for m in masses]
        if any(shape != whole for shape in shapes):
            each = (np.arange(prod(shape)).reshape(shape) for shape in shapes)
            rows = (np.broadcast_to(own, whole).ravel() for own in each)
            sources = [source[row] for source, row in zip(sources, rows, strict=True)]
        return self._combine(sources, "error").mass().reshape(*whole)

    @all_or_nothing
    def fit(
        self,
        sources: Sequence[MassFunction] | Sequence[Beliefs] | None = None,
        y: ArrayLike | None = None,
        sizes: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
    ) -> Self:
        """Learn how to combine the sources.

        Parameters
        ----------
        sources : sequence of MassFunction or of Beliefs
            For each source, its beliefs about n samples, mass functions as a batch (n,) on one
            frame. The source must not have been trained or calibrated on these samples. Use a
            vacuous row for a sample about which a source has no belief. If `needs` is not "labels",
            only their number matters, and `sizes` can replace them.
        y : (n,) array
            Labels of the samples, from the frame; at least two different ones. Ignored if `needs`
            is not "labels", like `sample_weight`.
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
            If `sources` are not beliefs.
        ValueError
            If there is no source or sample, numbers of samples differ, a label is not in the
            frame, all labels are the same, or a size, weight or parameter is not usable.
        """
        self._fit(sources, y, sizes, sample_weight)
        warn_of_little_weight(sample_weight if self.needs == "labels" else None)
        return self

    def _fit(
        self, sources: Any, y: Any = None, sizes: Any = None, sample_weight: Any = None
    ) -> Self:
        """Fit without warnings."""
        self._check_parameters()
        known = of_sources(sources) if sources is not None or self.learns else None
        held_out = None
        if known is not None and self.needs == "labels":
            held_out = HeldOut.of(known, y, sample_weight)
        elif known is not None and self.learns:
            held_out = HeldOut.partly_labeled(known, y, sample_weight)
        amounts = check_sizes(sizes, None if known is None else len(known))
        return self._fit_held_out(held_out, amounts, None if known is None else known[0].classes)

    def _fit_held_out(
        self, held_out: HeldOut | None, sizes: Floats, classes: NDArray[Any] | None
    ) -> Self:
        self._learn(held_out, sizes)
        self.frame_, self.n_sources_ = None if classes is None else Frame(classes), len(sizes)
        return self

    def combine(self, sources: Sequence[Beliefs], total_conflict: str = "error") -> Beliefs:
        """Combined beliefs about the same samples.

        Parameters
        ----------
        sources : sequence of Beliefs
            As many as it was fitted to, on the same classes.
        total_conflict : {"error", "vacuous"}
            What to do with rows in which the sources exclude each other.

        Returns
        -------
        Beliefs

        Raises
        ------
        TotalConflictError
            With the number of such rows and the first one.
        CostLimitError
            If sets of too many classes would have to be listed.
        """
        self._check_number(len(sources), "beliefs")
        check_beliefs(sources)
        self._check_frame(Frame(sources[0].classes))
        return self._combine(sources, total_conflict)

    def _combine(self, sources: Sequence[Beliefs], total_conflict: str) -> Beliefs:
        """The same, through mass functions."""
        classes = sources[0].classes
        masses = [source.mass() for source in sources]
        try:
            return Listed.of(self(*masses), classes)
        except TotalConflictError as error:
            dead = in_total_conflict(self._prepared(masses))
            if not dead.any():  # not a conflict of the sources
                raise
            if total_conflict != "vacuous":
                raise exclusive(dead) from error
        alive = np.flatnonzero(~dead)
        if not len(alive):
            return placed(classes, len(dead), [])
        known = Listed.of(self(*(m[alive] for m in masses)), classes)
        return placed(classes, len(dead), [(alive, known)])

    def __call__(self, *masses: MassFunction) -> MassFunction:
        sources = as_list(masses)
        self._check_number(len(sources), "mass functions")
        self._check_frame(common_frame(sources))
        return self._fuse(sources)

    def _check_frame(self, frame: Frame) -> None:
        known = getattr(self, "frame_", None)
        if known not in (None, frame):
            raise FrameError(f"sources are on {frame!r}, but the fusion was fitted to {known!r}")

    def _check_number(self, number: int, what: str) -> None:
        if not self.__sklearn_is_fitted__():
            check_is_fitted(self)
        if number != self.n_sources_:
            raise ValueError(
                f"there are {number} {what}, but the fusion was fitted to {self.n_sources_} sources"
            )

    def _prepared(self, masses: Sequence[MassFunction]) -> list[MassFunction]:
        """The sources as they are combined, such as discounted; by default as they are."""
        return list(masses)

    def cost(self, n_classes: int, n_sources: int, products: Sequence[int] = ()) -> int:
        """Count the numbers that a combined sample takes, of sets, products or probabilities.

        Parameters
        ----------
        n_classes, n_sources : int
        products : sequence of int
            Numbers of products in the beliefs of the sources, as far as they are known.

        Returns
        -------
        int
            Under Dempster's rule, products for each choice of one from each source.
        """
        if self.reads(n_classes) == "masses":
            return 1 << n_classes
        if self._joins:
            return prod(max(self._terms(number), 1) for number in products)
        return n_classes * n_sources

    def _terms(self, number: int) -> int:
        """Number of products of a source as it is combined, such as discounted."""
        return number

    def check_cost(self, n_classes: int, n_sources: int, products: Mapping[str, int]) -> None:
        """Raise before training if it cannot learn from, or combine, so much.

        Parameters
        ----------
        n_classes, n_sources : int
        products : dict of str to int
            As for `cost`, by the names of the sources.

        Raises
        ------
        CostLimitError
            With the cost of a sample, the limit, and what has no limit.
        """
        joins = self._joins and self.reads(n_classes) == "products"
        total = self.cost(n_classes, n_sources, list(products.values()))
        if joins and total > MAX_PRODUCTS:
            listed = " x ".join(str(self._terms(number)) for number in products.values())
            raise CostLimitError(
                f"Dempster's rule for {n_classes} classes takes a product for each choice of a "
                f"fold, or a set, of each classifier, {listed} = {total} a sample (at most "
                f"{MAX_PRODUCTS}), so that nothing could be predicted; calibrate classifiers once, "
                "EvidentialClassifier(..., ensemble=False, calibrator=AutoCalibrator()), take "
                "fewer folds, or rule='mixing'"
            )

    def all_sets(self, name: str, n_classes: int) -> CostLimitError:
        """The error for a source whose beliefs have masses on all sets of too many classes.

        Parameters
        ----------
        name : str
            Of the source.
        n_classes : int

        Returns
        -------
        CostLimitError
        """
        return CostLimitError(
            f"{n_classes} classes have 2^{n_classes} sets, {bytes_listed(n_classes)} of masses a "
            f"sample, and the rule {self.name} takes them all from {name!r} (at most {MAX_CLASSES} "
            "classes), so nothing could be predicted; take rule='stacked', which learns for any "
            "number of classes, 'dempster', 'mixing', 'size_mixture' or 'likelihood_mixture', or "
            "classifiers that give probabilities: EvidentialClassifier(..., coupling='normalize')"
        )

    def check(self, masses: Callable[[], Sequence[MassFunction]]) -> None:
        """Raise if it refuses mass functions for what they are.

        Parameters
        ----------
        masses : callable
            Returns some of the mass functions that it is to combine; called if it is needed.

        Raises
        ------
        ValueError
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

    def learned(self) -> Learned | None:
        """What it has learned about each source, to be shown.

        Returns
        -------
        Learned or None
            None if it has nothing for each source.
        """
        return learned_from(self.by_source())

    def formula(self, n_classes: int, n_sources: int) -> Formula | None:
        """The fitted rule as a closed formula.

        Parameters
        ----------
        n_classes, n_sources : int

        Returns
        -------
        Formula or None
            None if it has none for so many classes. A single source is its own mean.
        """
        return Formula("mean", np.ones(1)) if n_sources == 1 else None

    def _get_state(self) -> dict[str, Any]:
        """Arrays and numbers from which combinations follow."""
        return {name: getattr(self, name) for name in self._state}

    def _parts(self) -> list[Rule]:
        """Fitted rules that it uses in turn."""
        return []

    def _set_parts(self, parts: list[Rule]) -> None:
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
        """The fitted rule as plain data, ready for JSON.

        Returns
        -------
        dict
            Of strings, numbers, lists and dicts only; `from_dict` reads it back.
        """
        check_is_fitted(self)
        return {
            "format": FORMAT,
            "version": VERSION,
            "class": type(self).__name__,
            "parameters": {k: plain(v) for k, v in self.get_params(deep=False).items()},
            "n_sources": self.n_sources_,
            "classes": None if self.frame_ is None else plain(self.frame_.labels),
            "state": plain(self._get_state()),
            "parts": [part.to_dict() for part in self._parts()],
        }

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Self:
        """The rule that `to_dict` described.

        Parameters
        ----------
        data : dict
            ``Rule.from_dict`` takes any rule of this package that is saved, a subclass takes its
            own kind only.

        Returns
        -------
        fitted rule

        Raises
        ------
        ValueError
            If the data is no saved fusion, damaged, of a later version, or of another kind.
        """
        kinds = [kind for kind in [cls, *cls.__subclasses__()] if hasattr(kind, "_state")]
        try:
            restored: Self = _restored(data, {kind.__name__: kind for kind in kinds})
        except SavedError as error:
            error.kind = "fusion"
            raise
        except TypeError as error:
            raise ValueError(str(error)) from error
        return restored

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "n_sources_")


def _restored(data: Any, known: dict[str, Any]) -> Any:
    """The rule; `known` holds the classes that may come out."""
    check_saved(data, known, FORMAT, _KEYS, "fusion")
    rule = known[data["class"]](**data["parameters"])
    rule._check_parameters()
    n_sources, labels, parts = data["n_sources"], data["classes"], data["parts"]
    if type(n_sources) is not int or n_sources < 1:
        raise ValueError(f"saved fusion is damaged: it has {n_sources!r} sources")
    if labels is not None and (not isinstance(labels, list) or len(labels) < 2):
        raise ValueError(f"saved fusion is damaged: classes are {labels!r}")
    if not isinstance(parts, list):
        raise ValueError(f"saved fusion is damaged: parts are {parts!r}, not a list")
    rule.n_sources_ = n_sources
    rule.frame_ = None if labels is None else Frame(restored_classes(labels))
    state = {name: restored_arrays(data["state"][name], name) for name in rule._state}
    rule._set_state(checked_fields(state, rule._state))
    rule._set_parts([_restored(part, known) for part in parts])
    rule._check_state()
    return rule
