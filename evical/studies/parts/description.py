"""A protocol in plain sentences, made from the same data that the runner obeys."""

from collections import Counter

from evical.datasets import Dataset
from evical.studies.parts.protocol import Protocol
from evical.studies.parts.runner import check_dataset
from evical.studies.parts.sources import BIN_EDGES

__all__ = ["describe"]

_CLASSIFIER_TEXTS = {
    "rbf_svm": "support vector machines with a radial basis function kernel and scikit-learn's "
    "default parameters",
    "libsvm": "support vector machines with a radial basis function kernel and LibSVM's default "
    "parameters",
    "linear_svm": "linear support vector machines with scikit-learn's default parameters",
}


def describe(protocol: Protocol, dataset: Dataset) -> list[str]:
    """The protocol in words, one or two sentences for each item.

    Parameters
    ----------
    protocol : Protocol
    dataset : Dataset

    Returns
    -------
    list of str

    Raises
    ------
    ValueError
        If the protocol cannot run on the data set.
    """
    sizes = check_dataset(protocol, dataset)
    return [
        _data(dataset),
        f"In each of {protocol.repeats} repeats, {sum(sizes)} samples are drawn at random for "
        f"training, in the class proportions of the data but at least {2 * len(sizes)} of "
        f"each class; the other {len(dataset) - sum(sizes)} are the test set.",
        f"The training samples are shared out at random among {len(sizes)} classifiers: "
        f"{_sizes(sizes)}. Half of each share trains the classifier, the other half (with the "
        "odd sample) calibrates it; no sample is used twice. So that every half holds both "
        "classes, each is first given one sample of each class; the rest are dealt out "
        "blindly.",
        f"The classifiers are {_CLASSIFIER_TEXTS[protocol.classifier]}. Features are "
        "standardized by all training samples of the repeat. The classifiers of a repeat are "
        "trained once and serve all rows of the table.",
        "Each classifier is calibrated on its own and gives a belief about each test sample. "
        f"Binning uses bins one wide with edges from {BIN_EDGES[0]:g} to {BIN_EDGES[-1]:g}; an "
        "empty bin is vacuous, or 1/2 in the Bayesian model. The beliefs are combined by "
        "Dempster's rule. The confidence models have level 95 %.",
        "The stacked fusion combines the same beliefs by weights of evidence, learned from what "
        "each classifier believes about training samples that are new to it: those of other "
        "shares, and its own in five folds, each without it.",
        "For comparison: the classifier with the largest share alone, and the mean of all "
        "probabilities weighted by the sizes of the shares.",
        f"Repeat r draws from the seed {protocol.seed} and r only. Standard errors are those of "
        "the mean over random splits of this data set; they say nothing of other data.",
    ]


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


def _sizes(sizes: list[int]) -> str:
    """Sizes with repetitions counted, in their order."""
    parts = [f"{n} times {size}" if n > 1 else str(size) for size, n in Counter(sizes).items()]
    return ", ".join(parts)
