"""Names of columns with beliefs, in which the class travels with the number.

Who writes beliefs into a table takes its names from here, and who reads one finds its classes here.
"""

import re
from collections.abc import Iterable, Sequence
from typing import Any

from dstheory.checks.arguments import check_instance

# Belief, plausibility and probability (pignistic) of the class that follows.
KINDS = ("bel", "pl", "p")
ENDS = ("lower", "upper")  # of the confidence interval of that probability


def belief_names(labels: Iterable[Any], prefix: str = "", *, intervals: bool = False) -> list[str]:
    """Names of the columns of all classes, three for each.

    Parameters
    ----------
    labels : iterable
        Classes; what stands in a name is their text.
    prefix : str
        Put before each name.
    intervals : bool
        Whether there are both ends of a confidence interval too, five columns for each.

    Returns
    -------
    list of str

    Raises
    ------
    TypeError
        If the prefix is no text.
    ValueError
        If two classes have the same text.

    Examples
    --------
    >>> belief_names(["no", "yes"])
    ['bel_no', 'pl_no', 'p_no', 'bel_yes', 'pl_yes', 'p_yes']
    >>> belief_names(["no"], intervals=True)[3:]
    ['lower_no', 'upper_no']
    >>> belief_names([1, "1"])
    Traceback (most recent call last):
    ValueError: classes 1 and '1' have the same text, so that their columns have the same names; \
rename one
    """
    check_instance("prefix", prefix, str, "a text")
    known: dict[str, Any] = {}
    for label in labels:
        text = str(label)
        if text in known:
            raise ValueError(
                f"classes {known[text]!r} and {label!r} have the same text, so that their columns "
                "have the same names; rename one"
            )
        known[text] = label
    kinds = (*KINDS, *ENDS) if intervals else KINDS
    return [f"{prefix}{kind}_{text}" for text in known for kind in kinds]


def classes_in_names(header: Sequence[str], prefix: str = "") -> list[str]:
    """Classes of which a table has belief and plausibility, in the order of the columns.

    Parameters
    ----------
    header : sequence of str
        Names of columns.
    prefix : str
        What stands before names of beliefs.

    Returns
    -------
    list of str

    Raises
    ------
    ValueError
        If one of the two columns of a class is missing.

    Examples
    --------
    >>> classes_in_names(["id", "bel_a_b", "pl_a_b", "bel_b", "pl_b", "p_b"])
    ['a_b', 'b']
    >>> classes_in_names(["bel_yes", "pl_no"])
    Traceback (most recent call last):
    ValueError: there is a column 'bel_yes', but no 'pl_yes'; a class needs both
    """
    starts = [f"{prefix}{kind}_" for kind in KINDS[:2]]
    found = [
        {name.removeprefix(start): None for name in header if name.startswith(start)}
        for start in starts
    ]
    for one, other in ((0, 1), (1, 0)):
        for label in found[one]:
            if label not in found[other]:
                raise ValueError(
                    f"there is a column {starts[one] + label!r}, but no {starts[other] + label!r}; "
                    "a class needs both"
                )
    return list(found[0])


def class_in_name(column: str, labels: Iterable[str]) -> str | None:
    """The class whose belief, plausibility or probability a column has by its name.

    Parameters
    ----------
    column : str
        With or without a prefix that ends in no letter or digit, such as "svm_".
    labels : iterable of str
        Classes that are possible.

    Returns
    -------
    str or None
        The longest class that fits.

    Examples
    --------
    >>> class_in_name("p_yes", ["no", "yes"]), class_in_name("svm_p_no", ["no", "yes"])
    ('yes', 'no')
    >>> class_in_name("score_yes", ["no", "yes"]) is None
    True
    """
    kinds = "|".join(KINDS)
    fitting = [
        label
        for label in labels
        if re.fullmatch(rf"(.*[\W_])?({kinds})_{re.escape(label)}", column, re.DOTALL)
    ]
    return max(fitting, key=len, default=None)


def check_cases(names: Iterable[str], engine: str, remedy: str, owner: str = "") -> None:
    """Raise if two columns differ in case only, which an engine of SQL does not tell apart.

    Examples
    --------
    >>> check_cases(["bel_a", "bel_A"], "DuckDB", "rename one", "scores.csv: ")
    Traceback (most recent call last):
    ValueError: scores.csv: columns 'bel_a' and 'bel_A' differ in case only, which DuckDB does not \
tell apart; rename one
    """
    known: dict[str, str] = {}
    for name in names:
        former = known.setdefault(name.lower(), name)
        if former != name:
            raise ValueError(
                f"{owner}columns {former!r} and {name!r} differ in case only, which {engine} does "
                f"not tell apart; {remedy}"
            )


def free_prefix(names: Iterable[str]) -> str:
    """A prefix with which none of the names begins, in any case.

    Examples
    --------
    >>> free_prefix(["score"]), free_prefix(["Evical_x"])
    ('evical_', '_evical_')
    """
    taken = [name.lower() for name in names]
    prefix = "evical_"
    while any(name.startswith(prefix) for name in taken):
        prefix = f"_{prefix}"
    return prefix
