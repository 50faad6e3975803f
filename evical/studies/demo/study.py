"""The demo as a study: scenario (c) of Xu et al. (2016), section 5.2, on data of two classes."""

from collections import Counter

import numpy as np

from evical.datasets import Dataset
from evical.studies._study import Study
from evical.studies.parts.fusion_condition import FusionCondition
from evical.studies.parts.methods import BIN_EDGES, BY_DEMPSTERS_RULE, Method
from evical.studies.parts.metrics import METRICS
from evical.studies.parts.shares import draw_training

__all__ = ["METHODS", "RECOMMENDED", "STACKED", "TITLE", "demo_study"]

TITLE = "Ten classifiers of very unequal size"

# The squares of a hundred million such values still have a finite sum.
_LARGEST = 1e150

RECOMMENDED = Method("automatic", "likelihood", "default")
"""`EvidentialEnsemble` as it comes: no sample wasted, and weights of evidence that are learned."""
STACKED = Method("logistic", "likelihood", "stacked")
"""Its fusion alone, of the same beliefs as Dempster's rule."""

METHODS = (
    *BY_DEMPSTERS_RULE,
    STACKED,
    RECOMMENDED,
    *(Method("logistic", "bayesian", fusion) for fusion in ("largest", "size_mixture")),
)
"""Rows of the table: those of the paper, stacking, the default, and two simple ways."""


def demo_study(dataset: Dataset, repeats: int = 50) -> Study:
    """Ten classifiers of very unequal size, calibrated and combined in eighteen ways.

    Parameters
    ----------
    dataset : Dataset
        Of two classes. Run the study with ``data={dataset.name: dataset}``.
    repeats : int
        Random splits.

    Returns
    -------
    Study

    Raises
    ------
    ValueError
        If the data set does not have two classes, or too few samples of one, or values whose
        variance is not a number.

    Examples
    --------
    >>> from evical.datasets import load_breast_cancer
    >>> demo_study(load_breast_cancer()).conditions[0].sizes
    [189, 57, 5, 5, 5, 5, 5, 5, 4, 4]
    """
    condition = FusionCondition(
        key="demo",
        datasets=(dataset.name,),
        stream="",
        scenario="c",
        n_train=min(300, len(dataset) // 2),
        classifier="rbf_svm",
        scaler="standard",
        methods=tuple(((one.calibrator, one.model, one.fusion), one) for one in METHODS),
        measures=tuple(metric.key for metric in METRICS),
    )
    _check(dataset, condition)
    return Study(
        name="demo",
        title=f"{TITLE}, combined: {dataset.name}",
        source="The protocol is scenario (c) of Xu, Davoine, Zha & Denœux (2016), Evidential "
        "calibration of binary SVM classifiers, International Journal of Approximate Reasoning "
        "72, 55-70, section 5.2, on other data and on a smaller scale",
        labels=("calibrator", "model", "fusion"),
        measures=condition.measures,
        conditions=(condition,),
        repeats=repeats,
        protocol=_protocol(dataset, condition.sizes, repeats),
    )


def _check(dataset: Dataset, condition: FusionCondition) -> None:
    """Find out whether the study can run, before anything is computed."""
    n_classes = len(dataset.class_names)
    if n_classes != 2:
        names = ", ".join(dataset.class_names[:5])
        raise ValueError(
            f"{dataset.name}: the target has {n_classes} class{'es' if n_classes > 1 else ''} "
            f"({names}{', ...' if n_classes > 5 else ''}), but this experiment takes two; "
            "choose another target or drop classes"
        )
    largest = np.abs(dataset.X).max(axis=0)
    if largest.max() > _LARGEST:
        column = int(np.argmax(largest))
        raise ValueError(
            f"{dataset.name}: feature {dataset.feature_names[column]!r} reaches "
            f"{largest[column]:.0e}, too large to be standardized (at most {_LARGEST:.0e}); "
            "rescale it"
        )
    try:
        # A dry run of the draw finds out whether both classes suffice.
        sizes = condition.sizes
        draw_training(dataset.y, sum(sizes), 2 * len(sizes), np.random.default_rng(0))
    except ValueError as error:
        raise ValueError(f"{dataset.name} has {len(dataset)} samples: {error}") from error


def _protocol(dataset: Dataset, sizes: list[int], repeats: int) -> tuple[str, ...]:
    shares = Counter(sizes).items()
    listed = ", ".join(
        f"{times} times {size}" if times > 1 else str(size) for size, times in shares
    )
    return (
        _data(dataset),
        f"In each of {repeats} repeats, {sum(sizes)} samples are drawn at random for training, in "
        f"the class proportions of the data but at least {2 * len(sizes)} of each class. The other "
        f"{len(dataset) - sum(sizes)} are the test set.",
        f"The training samples are shared out at random among {len(sizes)} classifiers: {listed}. "
        "One half of each share trains the classifier; the other half, with the odd sample, "
        "calibrates it. No sample is used twice. Each half first gets one sample of each class, "
        "because it needs both; the rest are dealt out blindly.",
        "The classifiers are support vector machines with a radial basis function kernel and "
        "scikit-learn's default parameters. Features are standardized by all training samples of "
        "the repeat. All rows of the table use the same shares.",
        "Each classifier is calibrated on its own, and believes something about each test sample. "
        f"Bins are one wide, with edges from {BIN_EDGES[0]:g} to {BIN_EDGES[-1]:g}; an empty bin "
        "is vacuous, or 1/2 in the Bayesian model. The confidence models have level 95 %. "
        "Dempster's rule combines the beliefs.",
        "The stacked fusion combines the same beliefs by weights of evidence. It learns the "
        "weights from the classifiers' beliefs about training samples that are new to them: those "
        "of other shares, and their own in five folds, by copies refitted without the fold.",
        "The default is EvidentialEnsemble as it comes: each classifier is trained on all samples "
        "of its share, and calibrated by AutoCalibrator on their scores out of fold; the fusion is "
        "stacked.",
        "For comparison: the classifier with the largest share alone, and the mean of all "
        "probabilities, weighted by the sizes of the shares.",
        "A repeat depends on the seed and its number only. Standard errors are those of the mean "
        "over random splits of this data set; they say nothing about other data.",
    )


def _data(dataset: Dataset) -> str:
    pairs = zip(dataset.class_names, dataset.class_counts, strict=True)
    counts = ", ".join(f"{name}: {count}" for name, count in pairs)
    n, p = dataset.X.shape
    text = (
        f"Data: {dataset.name}, {n} samples with {p} features; classes {counts}. "
        f"The positive class is {dataset.class_names[1]}."
    )
    if dataset.encoded:
        text += f" Columns of text are one-hot encoded: {', '.join(dataset.encoded)}."
    marked = [name.removesuffix("=missing") for name in dataset.feature_names]
    gaps = [name for name in marked if name in dataset.feature_names and marked.count(name) == 2]
    if gaps:
        text += (
            " Missing values are filled by medians, and marked in a feature of their own: "
            f"{', '.join(dict.fromkeys(gaps))}."
        )
    return text
