"""Sources that come as mass functions, probabilities, scores or votes, checked."""

import warnings
from collections.abc import Container, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dstheory import Frame, MassFunction
from dstheory.checks.arguments import as_array, as_floats, check_rows, did_you_mean, shown
from dstheory.errors import FrameError
from dstheory.kernels.rounding import unit_rows
from dstheory.revise import refine
from evical._typing import Floats, SamplesLike
from evical.beliefs import Beliefs, as_beliefs
from evical.beliefs.bounded import Bayesian
from evical.beliefs.composed import Voted
from evical.estimators.predictor import BeliefPredictor
from evical.fusion.long_votes import LongVotes, Votes
from evical.scores.checks import as_column, check_column_order, check_sorted, missing
from evical.scores.scale import extent_of, warn_of_scale

_MANY = 30  # numbers in votes, above which they may be scores or counts


def named_sources(sources: Any, **others: object) -> dict[str, Any]:
    """Sources by name; ``source0``, ``source1`` and so on, if they have none.

    Parameters
    ----------
    sources : sequence of sources, mapping or data frame
    **others
        Of the same samples, such as labels.

    Returns
    -------
    dict of str to source

    Raises
    ------
    TypeError
        If it is none of these; a single source is no list of sources.
    ValueError
        If it is empty, or series have the same samples in another order.

    Examples
    --------
    >>> named_sources([[0.1, 2.0], [1.5, 0.3]])
    {'source0': [0.1, 2.0], 'source1': [1.5, 0.3]}
    """
    if isinstance(sources, LongVotes):
        sources = sources.sparse()
    if isinstance(sources, MassFunction) or not (
        isinstance(sources, Sequence | np.ndarray) or are_named(sources)
    ):
        raise TypeError(
            f"sources are {shown(sources)}, expected a list of sources, a dict from their names, "
            "or a data frame with a column of scores for each"
        )
    if isinstance(sources, np.ndarray) and sources.ndim == 2:
        raise ValueError(
            f"sources are an array of shape {sources.shape}, whose rows or columns may be the "
            "sources; give list(array.T) if they are its columns, list(array) if its rows, or "
            "[array] if it is one source with a column for each class"
        )
    if are_named(sources):
        names = getattr(sources, "column_names", getattr(sources, "columns", ()))  # Arrow, polars
        pairs = sources.items() if hasattr(sources, "items") else ((n, sources[n]) for n in names)
        named = {str(name): source for name, source in pairs}
    else:
        named = {f"source{number}": source for number, source in enumerate(sources)}
    if not named:
        raise ValueError("sources are empty; a fusion needs a source")
    check_rows(**{f"source {name!r}": source for name, source in named.items()}, **others)
    return named


def are_named(sources: object) -> bool:
    """Whether sources have names: those of a mapping, or columns of a frame that is not lazy."""
    table = hasattr(sources, "columns") and hasattr(sources, "__len__")
    return table or hasattr(sources, "items")


def known_classes(
    sources: dict[str, Any], y: NDArray[Any] | None, classes: Any, partly: bool = False
) -> NDArray[Any]:
    """All classes, sorted: those given, or of frames, labels and votes, or numbers of columns.

    Parameters
    ----------
    sources : dict of str to source
    y : (n,) array of labels, or None
    classes : (K,) array or None
    partly : bool
        Whether y has labels of some samples only; votes may then be for further classes.

    Returns
    -------
    (K,) array

    Raises
    ------
    ValueError
        If there are none, or a label is not among them.
    """
    frames = [m.frame.labels for m in sources.values() if isinstance(m, MassFunction)]
    if classes is not None:
        known = np.unique(np.asarray(classes))
        for name, source in sources.items():
            if not isinstance(source, MassFunction | Votes):
                check_sorted(classes, source, f"source {name!r}")
    elif frames:
        known = np.unique(np.asarray(frames[0]))
    elif y is not None:
        texts = partly and all(isinstance(label, str) for label in y.tolist())
        voting = [one for one in sources.values() if texts and _has_texts(one)]
        votes_for = [own.labels.tolist() for one in voting if (own := as_votes(one))]
        known = np.unique(np.array(sum(votes_for, y.tolist())) if votes_for else y)
    elif names := _column_names(sources):
        known = np.unique(np.array(names))
    elif votes := {n: vote for n, one in sources.items() if (vote := as_votes(one)) is not None}:
        _refuse_scores(votes)
        labels = [one.labels for one in votes.values() if len(one.labels)]
        known = np.unique(np.concatenate(labels)) if labels else np.empty(0)
        if len(known) < 2:
            raise ValueError(
                f"votes are for {known.tolist() or 'nothing'}, but a fusion needs two classes or "
                "more; name those without votes: EvidentialFusion(classes=[...])"
            )
        if known.dtype.kind in "iuf" and len(known) > _MANY:
            raise ValueError(
                f"sources have {len(known)} different numbers; if these are votes for classes, "
                "name them: EvidentialFusion(classes=[...]); scores are calibrated by labels, so "
                "give y, or give probabilities (n, K)"
            )
    else:
        raise ValueError(
            "sources do not name their classes, and there are no labels; give "
            "EvidentialFusion(classes=[...])"
        )
    strange = [] if y is None else np.setdiff1d(y, known).tolist()
    if strange:
        raise ValueError(
            f"y has label {strange[0]!r}, but the sources are about {known.tolist()}; drop its "
            "samples, or take sources that know it"
        )
    return known


def warn_of_strange_labels(sources: dict[str, Any], y: NDArray[Any]) -> None:
    """Warn the caller of a decorated `fit` of labels that no source votes for, but nearly.

    Parameters
    ----------
    sources : dict of str to source
    y : (n,) array
        Labels, with None or NaN where there are none.
    """
    if not all(map(_has_texts, sources.values())):
        return
    votes = {
        label for one in sources.values() if (v := as_votes(one)) for label in v.labels.tolist()
    }
    for label in sorted(set(y[~missing(y)].tolist()) - votes, key=str):
        if meant := did_you_mean(label, votes):
            warnings.warn(
                f"y has label {label!r} in row {y.tolist().index(label)}, for which no source "
                f"votes{meant} If not, name it in EvidentialFusion(classes=[...])",
                stacklevel=4,
            )


def warn_of_minus_one(sources: dict[str, Any], classes: NDArray[Any]) -> None:
    """Warn the caller of a decorated `fit` of -1 beside 0 and 1, which often means no label.

    Parameters
    ----------
    sources : dict of str to source
    classes : (K,) array
        Found in votes and labels, sorted.
    """
    votes = all(
        isinstance(one, Votes) or (not isinstance(one, MassFunction) and np.ndim(one) < 2)
        for one in sources.values()
    )
    if votes and classes[:3].tolist() == [-1, 0, 1]:
        warnings.warn(
            "-1 is taken for a class, like 0 and 1; if it means that there is no vote or label, "
            "replace it by None, otherwise name it in EvidentialFusion(classes=[-1, 0, 1, ...])",
            stacklevel=4,
        )


def as_votes(source: Any) -> Votes | None:
    """Votes (n,) of a source that may consist of classes.

    Parameters
    ----------
    source : source

    Returns
    -------
    Votes or None
        None if it is a mass function or has another shape.

    Examples
    --------
    >>> votes = as_votes(["ant", None])
    >>> votes.labels.tolist(), votes.rows.tolist(), votes.n
    (['ant'], [0], 2)
    """
    if isinstance(source, Votes):
        return source
    if isinstance(source, MassFunction) or np.ndim(source) != 1:
        return None
    votes = as_column(source, "votes")
    silent = missing(votes)
    rows = np.flatnonzero(~silent)
    if votes.dtype.kind not in "TO":
        labels, codes = np.unique(votes[rows], return_inverse=True)
        return Votes(rows, codes, labels, len(votes))
    given = votes[rows].tolist()
    distinct = sorted(set(given))
    place = {label: code for code, label in enumerate(distinct)}
    codes = np.fromiter(map(place.__getitem__, given), np.intp, len(given))
    labels = np.array(distinct)
    labels = labels if labels.ndim == 1 else np.fromiter(distinct, object)  # of tuples
    return Votes(rows, codes, labels, len(votes))


def _refuse_scores(sources: dict[str, Votes]) -> None:
    """Raise for numbers (n,) that are not whole: they are no votes."""
    for name, votes in sources.items():
        if votes.labels.dtype.kind != "f":
            continue
        broken = votes.codes[(votes.labels % 1 > 0)[votes.codes]]
        if len(broken):
            score = votes.labels[broken[0]]
            raise ValueError(
                f"source {name!r} has scores, such as {score:g}, which are calibrated by "
                "labels, but y is None; give y, probabilities (n, K), or votes as texts"
            )


def _column_names(sources: dict[str, Any]) -> list[Any]:
    """Classes of tables of probabilities: names of columns, numbers where no table has names."""
    shapes: list[tuple[int, ...]] = [
        () if isinstance(one, Votes) else np.shape(one) for one in sources.values()
    ]
    if {len(shape) for shape in shapes} != {2} or len({shape[1:] for shape in shapes}) > 1:
        return []
    named = [[*one.columns] for one in sources.values() if hasattr(one, "columns")]
    first, *others = named or [[*range(shapes[0][-1])]]
    return first if all(sorted(map(str, one)) == sorted(map(str, first)) for one in others) else []


@dataclass(frozen=True, eq=False)
class Given:
    """Sources about the same samples.

    Parameters
    ----------
    classes : (K,) array
    beliefs : dict of str to MassFunction
        Batches (n,), vacuous where a source is silent.
    scores : dict of str to (n, 1) array
        NaN where it is silent.
    n : int
    votes : frozenset of str
        Names of the sources whose beliefs are votes.
    """

    classes: NDArray[Any]
    beliefs: dict[str, Beliefs]
    scores: dict[str, Floats]
    n: int
    votes: frozenset[str] = frozenset()

    @classmethod
    def checked(
        cls, sources: dict[str, Any], classes: NDArray[Any], labeled: bool = True
    ) -> "Given":
        """The sources, or an error that names the first wrong one.

        Numbers (n,) about two classes are scores if there are labels to calibrate them by.
        """
        beliefs, scores = dict[str, Beliefs](), dict[str, Floats]()
        sizes, voting = dict[str, int](), []
        for name, source in sources.items():
            if isinstance(source, MassFunction):
                beliefs[name] = _of_masses(name, source, classes)
                sizes[name] = len(beliefs[name])
                continue
            never_scores = not labeled or len(classes) > 2
            votes = as_votes(source) if never_scores or _has_texts(source) else None
            if votes is not None:
                beliefs[name] = _of_votes(name, votes, classes)
                sizes[name] = len(beliefs[name])
                voting.append(name)
                continue
            array = as_floats(source, f"source {name!r}")
            sizes[name] = len(array) if array.ndim else 0
            if array.ndim == 1 and len(classes) == 2:
                scores[name] = array[:, np.newaxis]
            else:
                check_column_order(source, classes, f"source {name!r}")
                beliefs[name] = _of_probabilities(
                    name, array, as_array(source, name).dtype, classes
                )
        first, n = next(iter(sizes.items()))
        for name, size in sizes.items():
            if size != n:
                raise ValueError(
                    f"source {name!r} is about {size} samples, but source {first!r} about {n}"
                )
        return cls(classes, beliefs, scores, n, frozenset(voting))

    def with_silent(self, names: Sequence[str], scored: Container[str]) -> "Given":
        """The same, and sources that are silent about all samples.

        Parameters
        ----------
        names : sequence of str
        scored : container of str
            Names of those that have scores.
        """
        if not names:
            return self
        nothing = np.empty(0, dtype=np.intp)
        silent = {
            n: Voted(self.classes, self.n, nothing, nothing) for n in names if n not in scored
        }
        scores = {n: np.full((self.n, 1), np.nan) for n in names if n in scored}
        return replace(self, beliefs={**self.beliefs, **silent}, scores={**self.scores, **scores})


def _of_masses(name: str, m: MassFunction, classes: NDArray[Any]) -> Beliefs:
    """Mass functions (n,) on the frame of the classes, in their order."""
    if len(m.batch_shape) != 1:
        raise ValueError(
            f"source {name!r} has batch shape {m.batch_shape}, expected (n,), one for each sample"
        )
    frame = Frame(classes)
    if m.frame == frame:
        return as_beliefs(m, classes)
    if set(m.frame.labels) != set(frame.labels):
        raise FrameError(
            f"source {name!r} is on {m.frame!r}, but the classes are {classes.tolist()}; carry its "
            "belief there by dstheory.revise.refine"
        )
    return as_beliefs(refine(m, frame, {label: label for label in frame}), classes)


def _of_probabilities(name: str, p: Floats, dtype: np.dtype[Any], classes: NDArray[Any]) -> Beliefs:
    """Probabilities (n, K), vacuous in rows of NaN."""
    if p.ndim != 2 or p.shape[1] != len(classes):
        scores = " or (n,), scores" if len(classes) == 2 else ""
        raise ValueError(
            f"source {name!r} has shape {p.shape}, expected (n, {len(classes)}), probabilities of "
            f"the classes {classes.tolist()}{scores}, or a MassFunction"
        )
    rows, wrong = unit_rows(p, dtype)
    wrong[wrong] = ~np.isnan(p[wrong]).all(axis=1)  # where it is silent
    if wrong.any():
        row = int(np.argmax(wrong))
        raise ValueError(
            f"source {name!r} has probabilities {p[row].tolist()} in row {row}, with sum "
            f"{p[row].sum():.6g}, expected numbers from 0 with sum 1, or nan for all classes where "
            "it is silent; scores of more than two classes are calibrated first, by "
            "AutoMulticlassCalibrator"
        )
    return as_beliefs(rows / np.einsum("nk->n", rows)[:, np.newaxis], classes)


def _has_texts(source: Any) -> bool:
    """Whether a source consists of texts or objects, which are no scores."""
    if isinstance(source, Votes):
        return True
    own = getattr(source, "dtype", None)
    kinds = {getattr(one, "kind", "") for one in (as_array(source, "votes").dtype, own)}
    if np.ndim(source) != 1 or kinds & set("fiu"):  # scores, some of which may be missing
        return False
    return as_column(source, "votes").dtype.kind in "OSUTM"


def _of_votes(name: str, votes: Votes, classes: NDArray[Any]) -> Beliefs:
    """Certain beliefs in votes (n,), vacuous where there are none."""
    labels, listed = votes.labels, classes.tolist()
    place = {label: code for code, label in enumerate(listed)}
    code = np.array([place.get(label, -1) for label in labels.tolist()], dtype=np.intp)
    strange = code[votes.codes] < 0 if (code < 0).any() else np.zeros(1, dtype=bool)
    if strange.any():
        first = int(np.argmax(strange))
        row, vote = votes.rows[first], labels[votes.codes[first]]
        if labels.dtype.kind == "f":
            raise ValueError(
                f"source {name!r} has {vote:g} in row {row}, which is none of the classes "
                f"{listed}; give probabilities (n, {len(classes)}), or labels y to calibrate "
                "scores of two classes"
            )
        vote = vote.item() if isinstance(vote, np.generic) else vote
        raise ValueError(
            f"source {name!r} votes for {shown(vote)} in row {row}, which is none of the classes "
            f"{listed}{did_you_mean(vote, listed)}"
        )
    return Voted(classes, votes.n, votes.rows, code[votes.codes])


class GivenBeliefs(BeliefPredictor):
    """A source whose beliefs are what it is given.

    Parameters
    ----------
    name : str
    classes_ : (K,) array
    votes : bool
        Whether these were votes in `fit`.
    """

    def __init__(self, name: str, classes_: NDArray[Any], votes: bool) -> None:
        self.name, self.classes_, self.votes = name, classes_, votes

    def beliefs(self, X: Given) -> Beliefs:
        """What is given about n samples."""
        return X.beliefs[self.name]


class Uncalibrated(BeliefPredictor):
    """A fitted classifier whose beliefs are its probabilities.

    Parameters
    ----------
    estimator : fitted classifier with `predict_proba`
    """

    def __init__(self, estimator: Any) -> None:
        self.estimator, self._order = estimator, np.argsort(estimator.classes_, kind="stable")
        self.classes_ = np.asarray(estimator.classes_)[self._order]
        self._take_features(estimator)

    def beliefs(self, X: SamplesLike) -> Beliefs:
        """Its probabilities about n samples."""
        return Bayesian(
            self.classes_, as_array(self.estimator.predict_proba(X), "scores")[:, self._order]
        )


class OfSource(BeliefPredictor):
    """A fitted member that reads the scores of one source.

    Parameters
    ----------
    name : str
    member : fitted BeliefPredictor
    scores : (n, 1) array
        Of `fit`; NaN where the source is silent.
    """

    def __init__(self, name: str, member: Any, scores: Floats) -> None:
        self.name, self.member, self.classes_ = name, member, member.classes_
        self._extent = extent_of(np.unique(scores[~np.isnan(scores)]))

    def beliefs(self, X: Given) -> Beliefs:
        """Its calibrated belief about n samples."""
        scores = X.scores[self.name]
        if self._extent is not None:
            heard = scores[~np.isnan(scores)]
            warn_of_scale(heard, self._extent, f"scores of source {self.name!r}")
        found: Beliefs = self.member.beliefs(scores)
        return found

    def _wrong_ways(self) -> list[Any]:
        return list(self.member._wrong_ways())
