"""Ten classifiers of equal or very unequal shares: Xu et al. (2016), section 5.2 and table 2.

The fewer samples calibrate a classifier, the less its beliefs should commit to; probabilities
cannot say so. The paper shows one split a cell; here are many, with their standard errors, and
two simple ways beside the paper's.
"""

from examples.studies._beside import read_findings, read_prose
from examples.studies._study import McNemar, PublishedTable, Study
from examples.studies.parts.fusion_condition import SCENARIOS, FusionCondition
from examples.studies.parts.methods import Method
from examples.studies.parts.metrics import METRICS

__all__ = ["XU2016_TEN"]

SETTINGS = {
    "rbf": ("libsvm", "range"),
    "linear": ("linear_svm", "range"),
    "rbf, standardized": ("rbf_svm", "standard"),
}
"""Name to a classifier and a scaler."""

REFERENCE = "likelihood"
METHODS = {
    "bayesian": Method("logistic", "bayesian"),
    "inverse_pignistic": Method("logistic", "inverse_pignistic"),
    "likelihood": Method("logistic", "likelihood"),
    "largest alone": Method("logistic", "bayesian", "largest"),
    "weighted mean": Method("logistic", "bayesian", "size_mixture"),
}
_KEYS = tuple(METRICS)


def _condition(
    data: str, files: tuple[str, ...], n_train: int, scenario: str, setting: str
) -> FusionCondition:
    classifier, scaler = SETTINGS[setting]
    return FusionCondition(
        key=f"{data}-{scenario}-{setting.replace(', ', '-')}",
        datasets=files,
        # Of the data alone, so that all scenarios and settings see the same training samples.
        stream=data,
        scenario=scenario,
        n_train=n_train,
        classifier=classifier,
        scaler=scaler,
        methods=tuple(((data, scenario, setting, name), one) for name, one in METHODS.items()),
        measures=(*_KEYS, "only_this", "only_reference"),
        reference=METHODS[REFERENCE],
    )


_CONDITIONS = tuple(
    _condition(name, files, n_train, scenario, setting)
    for name, files, n_train in (
        ("adult_a9a", ("adult_a9a_train", "adult_a9a_test"), 600),
        ("australian", ("australian",), 300),
        ("diabetes", ("diabetes",), 300),
    )
    for setting in SETTINGS
    for scenario in SCENARIOS
)


_PRINTED = {
    "bayesian": (16.76, 17.30, 19.10, 14.87, 14.10, 14.10, 21.58, 22.86, 46.58),
    "inverse_pignistic": (16.68, 17.21, 18.98, 14.87, 14.10, 13.59, 21.37, 22.86, 45.30),
    "likelihood": (16.71, 16.97, 18.35, 14.87, 13.33, 11.54, 20.94, 22.65, 31.84),
}
_DATA = ("adult_a9a", "australian", "diabetes")
_COLUMNS = [(data, scenario) for data in _DATA for scenario in SCENARIOS]


TEXT = read_prose(__file__)
XU2016_TEN = Study(
    name="xu2016-ten",
    title="Ten classifiers of unequal size",
    source="Xu, Davoine, Zha & Denœux (2016), Evidential calibration of binary SVM classifiers, "
    "International Journal of Approximate Reasoning 72, 55-70, section 5.2 and table 2",
    labels=("data", "scenario", "setting", "method"),
    measures=(*_KEYS, "only_this", "only_likelihood"),
    conditions=_CONDITIONS,
    repeats=100,
    published=(
        PublishedTable(
            title="Table 2, error rate in %",
            measure="error_rate",
            rows=("method",),
            columns=("data", "scenario"),
            where={"setting": "rbf"},
            values={
                (method, *column): value
                for method, values in _PRINTED.items()
                for column, value in zip(_COLUMNS, values, strict=True)
            },
            scale=100,
            repeats=1,
        ),
    ),
    protocol=TEXT.protocol,
    comment=TEXT.comment,
    comparisons=read_findings(__file__),
    mcnemar=(
        McNemar(
            "method",
            REFERENCE,
            "only_this",
            "only_likelihood",
            by=("data", "scenario"),
            where={"setting": "rbf"},
        ),
    ),
    quick=tuple(
        condition.key
        for condition in _CONDITIONS
        if condition.classifier == "libsvm" and len(condition.datasets) == 1
    ),
)
"""Table 2 of the paper, over many splits."""
