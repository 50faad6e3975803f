"""What is known about the data sets of the papers: sizes, classes, nominal codes.

A file with the right name and the wrong rows would silently give a wrong table, so size and class
counts are checked on loading. Columns of nominal codes are listed here, because their files do not
distinguish them from numbers.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class OpenML:
    """The entry of a data set on openml.org.

    Parameters
    ----------
    name : str
    version : int
    labels : mapping
        Its class labels to ours.
    """

    name: str
    version: int
    labels: Mapping[str, str]


@dataclass(frozen=True)
class Known:
    """A data set as it must be.

    Parameters
    ----------
    n_features : int
        Before encoding.
    classes : mapping
        Label to number of samples.
    nominal : mapping
        Column to its codes, which have no order and are one-hot encoded.
    incomplete : frozenset of str
        Nominal columns in which missing is a category of its own.
    bundled : str, optional
        Name of scikit-learn's own copy.
    openml : OpenML, optional
    """

    n_features: int
    classes: Mapping[str, int]
    nominal: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    incomplete: frozenset[str] = frozenset()
    bundled: str | None = None
    openml: OpenML | None = None


def _numbered(*counts: int) -> dict[str, int]:
    """Classes that are named by numbers from 0."""
    return {str(label): count for label, count in enumerate(counts)}


def _from_zero(counts: Mapping[str, int]) -> dict[str, tuple[int, ...]]:
    return {name: tuple(range(count)) for name, count in counts.items()}


# Columns of two codes and no missing value need no encoding, and are not listed.
_AUSTRALIAN = {
    "A4": (1, 2, 3),
    "A5": tuple(range(1, 15)),
    "A6": (1, 2, 3, 4, 5, 7, 8, 9),
    "A12": (1, 2, 3),
}
_ADULT = _from_zero(
    {
        "workclass": 8,
        "education": 16,
        "marital_status": 7,
        "occupation": 14,
        "relationship": 6,
        "race": 5,
        "native_country": 41,
    }
)
_ADULT_INCOMPLETE = frozenset({"workclass", "occupation", "native_country"})
_SOYBEAN = {
    **_from_zero(
        {
            "date": 7,
            "plant_stand": 2,
            "precip": 3,
            "temp": 3,
            "hail": 2,
            "crop_hist": 4,
            "area_damaged": 4,
            "severity": 3,
            "seed_tmt": 3,
            "germination": 3,
            "plant_growth": 2,
            "leafspots_halo": 3,
            "leafspots_marg": 3,
            "leafspot_size": 3,
            "leaf_shread": 2,
            "leaf_malf": 2,
            "leaf_mild": 3,
            "stem": 2,
            "lodging": 2,
            "stem_cankers": 4,
            "canker_lesion": 4,
            "fruiting_bodies": 2,
            "external_decay": 3,
            "mycelium": 2,
            "int_discolor": 3,
            "sclerotia": 2,
            "fruit_pods": 4,
            "seed": 2,
            "mold_growth": 2,
            "seed_discolor": 2,
            "seed_size": 2,
            "shriveling": 2,
            "roots": 3,
        }
    ),
    "fruit_spots": (0, 1, 2, 4),
}
# "Does not apply" and "not noted" are both "?" there, and tell diseases apart.
_SOYBEAN_INCOMPLETE = frozenset(_SOYBEAN)

KNOWN: dict[str, Known] = {
    "adult_a9a_test": Known(123, {"0": 12435, "1": 3846}),
    "adult_a9a_train": Known(123, {"0": 24720, "1": 7841}),
    "adult_test": Known(14, {"0": 12435, "1": 3846}, nominal=_ADULT, incomplete=_ADULT_INCOMPLETE),
    "adult_train": Known(14, {"0": 24720, "1": 7841}, nominal=_ADULT, incomplete=_ADULT_INCOMPLETE),
    "australian": Known(
        14,
        {"0": 383, "1": 307},
        nominal=_AUSTRALIAN,
        openml=OpenML("Australian", 4, {"0": "0", "1": "1"}),
    ),
    "b3_business_cycle": Known(13, {"1": 59, "2": 24, "3": 47, "4": 27}),
    "balance_scale": Known(
        4,
        {"0": 49, "1": 288, "2": 288},
        openml=OpenML("balance-scale", 1, {"B": "0", "L": "1", "R": "2"}),
    ),
    "banknote": Known(6, {"0": 100, "1": 100}),
    "bbq_circular_test": Known(2, {"0": 500, "1": 500}),
    "bbq_circular_train": Known(2, {"0": 500, "1": 500}),
    "breast_cancer": Known(30, {"malignant": 212, "benign": 357}, bundled="breast_cancer"),
    "breast_cancer_wisconsin": Known(9, {"0": 444, "1": 239}),
    "coil2000_test": Known(85, {"0": 3762, "1": 238}),
    "coil2000_train": Known(85, {"0": 5474, "1": 348}),
    "diabetes": Known(
        8,
        {"0": 500, "1": 268},
        openml=OpenML("diabetes", 1, {"tested_negative": "0", "tested_positive": "1"}),
    ),
    "digits": Known(
        64,
        _numbered(178, 182, 177, 183, 181, 182, 181, 179, 174, 180),
        bundled="digits",
    ),
    "ecoli": Known(7, _numbered(143, 77, 52, 35, 20, 5, 2, 2)),
    "enir_scores_test": Known(1, {"0": 500, "1": 500}),
    "enir_scores_train": Known(1, {"0": 500, "1": 500}),
    "fourclass": Known(2, {"0": 555, "1": 307}),
    "german_numeric": Known(24, {"0": 700, "1": 300}),
    "glass": Known(9, {"1": 70, "2": 76, "3": 17, "5": 13, "6": 9, "7": 29}),
    "haberman": Known(3, {"0": 225, "1": 81}, openml=OpenML("haberman", 1, {"1": "0", "2": "1"})),
    "heart": Known(
        13, {"0": 150, "1": 120}, openml=OpenML("heart-statlog", 1, {"absent": "0", "present": "1"})
    ),
    "heart_scale": Known(13, {"0": 150, "1": 120}),
    "ionosphere": Known(
        34, {"0": 126, "1": 225}, openml=OpenML("ionosphere", 1, {"b": "0", "g": "1"})
    ),
    "iris": Known(4, {"0": 50, "1": 50, "2": 50}, bundled="iris"),
    "liver_disorders": Known(6, {"1": 145, "2": 200}),
    "mammography": Known(
        6, {"0": 10923, "1": 260}, openml=OpenML("mammography", 1, {"-1": "0", "1": "1"})
    ),
    "newsgroups20_bow": Known(44066, {str(k): 997 if k == 15 else 1000 for k in range(20)}),
    "page_blocks": Known(10, {"1": 4913, "2": 329, "3": 28, "4": 88, "5": 115}),
    "pendigits_test": Known(16, _numbered(363, 364, 364, 336, 364, 335, 336, 364, 336, 336)),
    "pendigits_train": Known(16, _numbered(780, 779, 780, 719, 780, 720, 720, 778, 719, 719)),
    "satimage_test": Known(36, {"1": 461, "2": 224, "3": 397, "4": 211, "5": 237, "7": 470}),
    "satimage_train": Known(36, {"1": 1072, "2": 479, "3": 961, "4": 415, "5": 470, "7": 1038}),
    "segment": Known(19, {"1": 330, "2": 330, "3": 330, "4": 330, "5": 330, "6": 330, "7": 330}),
    "sonar": Known(60, {"0": 97, "1": 111}, openml=OpenML("sonar", 1, {"Rock": "0", "Mine": "1"})),
    "soybean_test": Known(
        35,
        _numbered(15, 51, 24, 10, 10, 52, 24, 10, 8, 9, 10, 10, 51, 4, 10, 48, 10, 10, 10),
        nominal=_SOYBEAN,
        incomplete=_SOYBEAN_INCOMPLETE,
    ),
    "soybean_train": Known(
        35,
        _numbered(1, 40, 20, 10, 10, 40, 20, 10, 6, 6, 10, 10, 40, 4, 10, 40, 10, 10, 10),
        nominal=_SOYBEAN,
        incomplete=_SOYBEAN_INCOMPLETE,
    ),
    "spect_test": Known(22, {"0": 15, "1": 172}),
    "spect_train": Known(22, {"0": 40, "1": 40}),
    "svmguide1_test": Known(4, {"0": 2000, "1": 2000}),
    "svmguide1_train": Known(4, {"0": 1089, "1": 2000}),
    "vehicle": Known(
        18,
        {"0": 218, "1": 212, "2": 217, "3": 199},
        openml=OpenML("vehicle", 1, {"bus": "0", "opel": "1", "saab": "2", "van": "3"}),
    ),
    "wine": Known(13, {"1": 59, "2": 71, "3": 48}, bundled="wine"),
    "zoo": Known(16, {"1": 41, "2": 20, "3": 5, "4": 13, "5": 4, "6": 8, "7": 10}),
}
"""Name of a file, without its ending, to what it must hold."""
