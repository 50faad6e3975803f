"""Naeini's comparisons of calibrators on real data sets of two classes.

Source: Naeini (2016), sections 4.2.2.2, 4.2.3, 4.2.4, 4.3.2, 4.4 and 4.5.
"""

from collections.abc import Mapping
from itertools import product

from examples.studies._beside import read_prose
from examples.studies._over_data import Gains, Labels, Pairs, Ranking
from examples.studies._study import Overview, Study
from examples.studies.naeini2016._published_real import (
    ABB,
    BBQ_FIGURES,
    ELITE_FIGURES,
    ELITE_TABLES,
    ENIR_TABLES,
    GAINS,
)
from examples.studies.parts.calibration_condition import CUBE_ROOT, Calibration
from examples.studies.parts.cross_validated import (
    OF_FOLDS,
    POOLED,
    TRAINING,
    CrossValidated,
    RealSet,
)

__all__ = ["NAEINI2016_REAL"]

LARGE, SMALL = "ten folds", "five folds"

SETS = (
    RealSet("spect", "spect"),
    RealSet("breast", "breast_cancer"),
    RealSet("adult", "adult"),
    RealSet("pageblocks", "page_blocks", "1"),
    RealSet("pendigits", "pendigits", "5"),
    RealSet("mamography", "mammography"),
    RealSet("satimage", "satimage", "4"),
    RealSet("australian", "australian"),
    RealSet("diabetes", "diabetes"),
    RealSet("fourclass", "fourclass"),
    RealSet("german numer", "german_numeric"),
    RealSet("heart", "heart"),
    RealSet("ionosphere", "ionosphere"),
    RealSet("liver disorders", "liver_disorders"),
    RealSet("sonar", "sonar"),
    RealSet("svmguide1", "svmguide1"),
    RealSet("coil2000", "coil2000"),
    RealSet("balance", "balance_scale", "0"),
    RealSet("breast cancer", "breast_cancer_wisconsin"),
)
# Of section 4.2.3: the larger sets are drawn from, as there.
_SMALL_SETS = (
    "spect",
    "breast",
    "mamography",
    "australian",
    "diabetes",
    "fourclass",
    "german numer",
    "heart",
    "ionosphere",
    "liver disorders",
    "sonar",
    "balance",
    "breast cancer",
)
_MOST = 1499

NONE = Calibration("none")
HISTOGRAM = Calibration.of(
    "histogram", "BinningCalibrator", n_bins=CUBE_ROOT, strategy="quantile", model="bayesian"
)
PLATT = Calibration.of("Platt", "LogisticCalibrator", model="bayesian")
ISOTONIC = Calibration.of("isotonic", "IsotonicCalibrator", model="bayesian")
KDE = Calibration.of("KDE", "KDECalibrator", kernel="boxcar", bandwidth="shared")
DPM = Calibration.of("DPM", "DPMCalibrator")
BBQ = Calibration.of("BBQ", "BBQCalibrator")
ENIR = Calibration.of("ENIR", "ENIRCalibrator")
ELITE = Calibration.of("ELiTE", "ELiTECalibrator")
AUTO = Calibration.of("Auto", "AutoCalibrator", model="bayesian")

ALL = (NONE, HISTOGRAM, PLATT, ISOTONIC, KDE, DPM, BBQ, ENIR, ELITE, AUTO)
BINNINGS = tuple(
    Calibration.of(f"{name}, {words}", f"{name}Calibrator", criterion=criterion)
    for name, (words, criterion) in product(("BBQ", "ABB"), (("K2", "k2"), ("BDeu", "bdeu")))
)
CLASSIFIERS = ("LR", "SVM", "NB")

CONDITIONS = (
    *(
        CrossValidated(LARGE, source, classifier, ALL)
        for source, classifier in product(SETS, CLASSIFIERS)
    ),
    *(
        CrossValidated(SMALL, source, classifier, BINNINGS, 5, _MOST)
        for source, classifier in product(SETS, CLASSIFIERS)
        if source.name in _SMALL_SETS
    ),
)

_PRINTED = {
    "auc": ("AUC", True),
    "accuracy": ("ACC", True),
    "rmse": ("RMSE", False),
    "ece_released": ("ECE", False),
    "mce_released": ("MCE", False),
}
_RANKED = {
    **_PRINTED,
    "ece": ("ECE, ties together", False),
    "ece_pooled": ("ECE, folds pooled", False),
    "log_loss": ("log loss", False),
}
_BY = ("classifier", "scores")


def _ranking(
    name: str,
    title: str,
    options: Labels,
    n_published: int = 0,
    published: Mapping[Labels, Mapping[str, str]] | None = None,
    drawn: Labels = (),
) -> Ranking:
    """The last option is what the others are compared with."""
    return Ranking(
        name=name,
        title=title,
        data="data",
        label="method",
        options=options,
        control=options[-1],
        measures=_RANKED,
        by=_BY,
        where={"part": LARGE},
        # By a monotone map of the scores, Platt's method has the area of the classifier.
        left_out={"auc": ("Platt",)} if "Platt" in options else {},
        published=published or {},
        n_published=n_published,
        drawn=drawn,
    )


_RANKINGS = (
    _ranking(
        "bbq",
        "BBQ beside histogram binning, Platt's method and isotonic regression (figures 6 to 10)",
        ("none", "histogram", "Platt", "isotonic", "BBQ"),
        30,
        BBQ_FIGURES,
        tuple(_PRINTED),
    ),
    _ranking(
        "enir",
        "ENIR beside isotonic regression and BBQ (tables 17 to 19)",
        ("isotonic", "BBQ", "ENIR"),
        40,
        ENIR_TABLES,
    ),
    _ranking(
        "elite",
        "ELiTE beside BBQ and those before (figures 11 to 15)",
        ("none", "histogram", "Platt", "isotonic", "BBQ", "ELiTE"),
        35,
        ELITE_FIGURES,
        tuple(_PRINTED),
    ),
    _ranking(
        "elite-others",
        "ELiTE beside KDE, DPM and ENIR (tables 23 to 25)",
        ("KDE", "DPM", "ENIR", "ELiTE"),
        35,
        ELITE_TABLES,
    ),
    _ranking(
        "all",
        "AutoCalibrator beside all of them (not in the thesis)",
        tuple(one.name for one in ALL),
    ),
)

_GAINED = Gains(
    title="Gains over the classifier (tables 20 and 22)",
    data="data",
    label="method",
    options=("ENIR", "ELiTE", "Auto"),
    reference="none",
    measures=_RANKED,
    by=_BY,
    where={"part": LARGE},
    published=GAINS,
)

_PAIRED = Pairs(
    title="ABB beside BBQ, and K2 beside BDeu (tables 8 to 13)",
    data="data",
    label="method",
    pairs=(
        ("BBQ, K2", "ABB, K2"),
        ("BBQ, BDeu", "ABB, BDeu"),
        ("BBQ, K2", "BBQ, BDeu"),
        ("ABB, K2", "ABB, BDeu"),
    ),
    measures={
        "auc": ("AUC", True),
        "accuracy": ("ACC", True),
        "brier": ("Brier", False),
        "ece_released": ("ECE", False),
        "mce_released": ("MCE", False),
        "ece_pooled": ("ECE, folds pooled", False),
        "log_loss": ("log loss", False),
    },
    by=_BY,
    where={"part": SMALL},
    published=ABB,
    # By the texts of sections 4.2.3 and 4.2.4.
    significant={
        ("LR", TRAINING): {"accuracy": (0, 1), "ece_released": (1,), "mce_released": (0, 2)},
        ("SVM", TRAINING): {"ece_released": (1, 3), "mce_released": (3,)},
        ("NB", TRAINING): {"accuracy": (0,)},
    },
)

_SPEED = Overview(
    title="Seconds of CPU time for the ten folds of a data set (last lines of tables 23 to 25)",
    label="method",
    columns={"seconds": ("mean over data sets", 1, 2)},
    by=("scores",),
    where={"part": (LARGE,)},
)

TEXT = read_prose(__file__)
NAEINI2016_REAL = Study(
    name="naeini2016-real",
    title="Calibrators of two classes, on real data",
    source="Naeini (2016), Obtaining accurate probabilities using classifier calibration, "
    "sections 4.2.2.2, 4.2.3, 4.2.4, 4.3.2, 4.4 and 4.5; tables 8 to 13, 17 to 20, 22 to 25; "
    "figures 6 to 15",
    labels=("part", "data", "classifier", "scores", "method"),
    measures=(*OF_FOLDS, *POOLED, "seconds"),
    conditions=CONDITIONS,
    repeats=10,
    protocol=TEXT.protocol,
    comment=TEXT.comment,
    rankings=_RANKINGS,
    gains=(_GAINED,),
    pairs=(_PAIRED,),
    overviews=(_SPEED,),
    quick=("five_folds-heart-lr", "five_folds-spect-lr"),
)
