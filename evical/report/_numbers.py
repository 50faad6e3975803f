"""Numbers in sentences and cells, always with what is known about their error."""

from collections.abc import Iterable
from functools import partial

import numpy as np

from evical.metrics.goodness import pvalue_text
from evical.report.svg import shorten

# Words of function names with a spelling of their own.
_WORDS = {"roc": "ROC", "auc": "AUC", "kolmogorov": "Kolmogorov-", "brier": "Brier", "pl": "Pl"}
# Marks around a text that keeps its own direction, such as a name in Arabic.
_ISOLATED = "\N{FIRST STRONG ISOLATE}", "\N{POP DIRECTIONAL ISOLATE}"
_LONGEST_NAME = 80


def fixed(value: float, digits: int = 3, *, sign: bool = False) -> str:
    """A number with a fixed number of digits, or a dash where there is none.

    >>> fixed(0.12345), fixed(float("inf")), fixed(float("nan")), fixed(-0.0001, 2)
    ('0.123', 'inf', '–', '0.00')
    """
    if np.isnan(value):
        return "–"
    return f"{value:{'+' if sign else ''}z.{digits}f}"


def plus_minus(mean: float, error: float, digits: int = 4, *, sign: bool = False) -> str:
    """A mean and its standard error.

    >>> plus_minus(0.14213, 0.004, sign=True)
    '+0.1421 ± 0.0040'
    """
    return f"{fixed(mean, digits, sign=sign)} ± {fixed(error, digits)}"


def percent(value: float, digits: int = 1) -> str:
    """A share in percent.

    >>> percent(0.1234), percent(float("nan"))
    ('12.3%', '–')
    """
    return "–" if np.isnan(value) else f"{100 * value:z.{digits}f}%"


def count(value: float) -> str:
    """Write a number of samples, with decimals for effective ones.

    >>> count(12345), count(12.5)
    ('12,345', '12.5')
    """
    return f"{value:,.0f}" if abs(value - round(value)) < 1e-6 else f"{value:,.1f}"


fixed2, fixed4 = partial(fixed, digits=2), partial(fixed, digits=4)


def between(low: float, high: float, digits: int = 3) -> str:
    """Limits in words.

    >>> between(0.1, 0.25, 2)
    '0.10 to 0.25'
    """
    return f"{fixed(low, digits)} to {fixed(high, digits)}"


def p_cell(value: float) -> str:
    """A p-value in a table.

    >>> p_cell(0.0312), p_cell(1e-9)
    ('0.031', '< 0.0001')
    """
    return pvalue_text(value).removeprefix("p ").removeprefix("= ")


def named(text: str) -> str:
    """Write a name within a sentence, shortened and in its own direction of writing."""
    short = shorten(text, _LONGEST_NAME)
    return short if short.isascii() else short.join(_ISOLATED)


def metric_name(function: str) -> str:
    """The name of a metric in words.

    >>> metric_name("roc_auc"), metric_name("brier_score"), metric_name("kolmogorov_smirnov_test")
    ('ROC AUC', 'Brier score', 'Kolmogorov-Smirnov test')
    """
    text = " ".join(_WORDS.get(word, word) for word in function.split("_"))
    text = text.replace("- smirnov", "-Smirnov")
    return text[:1].upper() + text[1:]


def listed(names: Iterable[str]) -> str:
    """Names in a sentence.

    >>> listed(["a", "b", "c"]), listed(["a"])
    ('a, b and c', 'a')
    """
    *most, last = names
    return f"{', '.join(most)} and {last}" if most else last
