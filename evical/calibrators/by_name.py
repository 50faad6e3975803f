"""Calibrators by the short names of commands and comparisons: `venn_abers`, `elite`."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from dstheory.checks.arguments import check_instance
from evical import calibrators
from evical.calibrators import BaseCalibrator
from evical.calibrators.options import parse_options, settable, suggestion

__all__ = ["by_name", "make_calibrator", "short_name"]

# Names in the literature, and what they are here.
_OTHER_NAMES = {
    "platt": "logistic:bayesian",
    "sigmoid": "logistic:bayesian",
    "histogram": "binning:bayesian",
    "histogram_binning": "binning:bayesian",
    "pav": "isotonic:bayesian",
    "pava": "isotonic:bayesian",
}


def by_name() -> dict[str, type[BaseCalibrator]]:
    """Classes of all calibrators by the words of their names, in lower case.

    >>> by_name()["venn_abers"].__name__, by_name()["elite"].__name__
    ('VennAbersCalibrator', 'ELiTECalibrator')
    """
    return {
        short_name(title): getattr(calibrators, title)
        for title in calibrators.__all__
        if title != "BaseCalibrator"
    }


def short_name(title: str) -> str:
    """The words of the name of a class, each begun by a capital between small letters.

    >>> short_name("MultinomialLogisticCalibrator")
    'multinomial_logistic'
    """
    words = title.removesuffix("Calibrator")
    return re.sub("(?<=[a-z])(?=[A-Z][a-z])", "_", words).lower()


def make_calibrator(
    text: str, options: Sequence[str] = (), known: Mapping[str, type[Any]] | None = None
) -> Any:
    """A calibrator, not yet fitted, by its name; after colons a model, or options `key=value`.

    Raises ValueError for an unknown name or option, or a wrong value.

    >>> make_calibrator("binning:bayesian:n_bins=15", ["strategy=quantile"])
    BinningCalibrator(model='bayesian', n_bins=15, strategy='quantile')
    """
    check_instance("text", text, str, "a method such as 'logistic:bayesian'")
    given, *own = (part.strip() for part in text.split(":"))
    name = given.lower().replace("-", "_")
    known = by_name() if known is None else known
    if name in _OTHER_NAMES:
        raise ValueError(f"there is no method {given!r}; its name here is {_OTHER_NAMES[name]}")
    if name not in known:
        raise ValueError(
            f"there is no method {given!r}{suggestion(name, known, 'methods', len(known))}"
        )
    parameters, owner = settable(known[name]), f"method {name!r}"
    options = [*(one if "=" in one else f"model={one}" for one in own), *options]
    if "model" not in parameters and any(one.startswith("model=") for one in options):
        raise ValueError(f"{owner} has no evidential models; leave out the model")
    calibrator = known[name](**parse_options(options, parameters, owner))
    try:
        calibrator._check_all_parameters()  # at once, and not as a method that could not be fitted
    except (TypeError, ValueError) as error:
        raise ValueError(f"{owner}: {error}") from error
    return calibrator
