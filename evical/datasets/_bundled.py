"""Data sets that come with scikit-learn, so that no file and no network is needed."""

from evical.datasets._dataset import Dataset

__all__ = ["load_breast_cancer"]


def load_breast_cancer() -> Dataset:
    """Wisconsin diagnostic breast cancer: 569 tumors, 30 features of their cell nuclei.

    Returns
    -------
    Dataset
        Classes ``malignant`` and ``benign``, as scikit-learn orders them.

    References
    ----------
    Street, Wolberg & Mangasarian (1993), Nuclear feature extraction for breast tumor
    diagnosis, SPIE 1905, 861-870; bundled with scikit-learn.

    Examples
    --------
    >>> load_breast_cancer()
    Dataset(Wisconsin breast cancer: 569 samples, 30 features, classes malignant 212, benign 357)
    """
    # Inside, because nothing else here needs scikit-learn's data loaders.
    from sklearn import datasets

    bunch = datasets.load_breast_cancer()
    return Dataset(
        name="Wisconsin breast cancer",
        X=bunch.data,
        y=bunch.target,
        feature_names=tuple(map(str, bunch.feature_names)),
        class_names=tuple(map(str, bunch.target_names)),
    )
