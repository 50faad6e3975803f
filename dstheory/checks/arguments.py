"""Checks of plain arguments: numbers, counts, choices and sequences.

Each error names the argument, its value and what was expected, before Python or NumPy fail
somewhere inside.
"""

from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence, Set
from decimal import Decimal
from difflib import get_close_matches
from math import log10
from numbers import Real
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

_LONGEST = 60
_MOST_COMPARED = 10_000  # names, in .4 s
_SHOWN = 20  # rows of an index in a message
_LONGEST_AXIS = 2**62


def shown(value: object) -> str:
    """A value for an error message, on one line and shortened.

    Examples
    --------
    >>> shown("a"), len(shown(list(range(100))))
    ("'a'", 70)
    """
    if isinstance(value, int) and abs(value) >= 10**20:  # Python may refuse to print it
        return f"about 10^{value.bit_length() * log10(2):.0f}"
    text = " ".join(repr(value).split())
    return text if len(text) <= _LONGEST + 10 else f"{text[: _LONGEST + 7]}..."


def as_array(values: object, name: str) -> NDArray[Any]:
    """An array of any kind; nested lists must have rows of one length.

    What a masked array masks is missing, as `without_mask` tells.

    Raises
    ------
    ValueError
        If rows differ in length.
    TypeError
        For a tensor with gradients, or in the memory of a device.

    Examples
    --------
    >>> as_array([[1], [1, 2]], "utilities")
    Traceback (most recent call last):
    ValueError: utilities are [[1], [1, 2]], whose rows differ in length; expected an array
    """
    if getattr(values, "requires_grad", False):
        raise TypeError(
            f"{name} are a tensor with gradients, which an array does not keep; pass "
            "tensor.detach(), or use dstheory.tensor, which keeps them"
        )
    try:
        return np.asarray(without_mask(values))
    except (TypeError, ValueError) as error:
        if hasattr(values, "float"):  # of torch: bfloat16, which NumPy lacks, or on a device
            return np.asarray(values.float())
        if hasattr(values, "dtype"):
            raise  # of CuPy, which says how to copy it
        raise ValueError(
            f"{name} are {shown(values)}, whose rows differ in length; expected an array"
        ) from error


def without_mask(values: object) -> Any:
    """A masked array with what it masks as missing; anything else as it is.

    Missing is NaN among real numbers, NaT among dates and None among others, so that whoever
    refuses these refuses masked values too, and never reads what lies under the mask.

    Examples
    --------
    >>> without_mask(np.ma.array([1, 2], mask=[False, True])).tolist()
    [1.0, nan]
    >>> without_mask(np.ma.array(["a", "b"], mask=[False, True])).tolist()
    ['a', None]
    """
    if not isinstance(values, np.ma.MaskedArray):
        return values
    mask = np.ma.getmaskarray(values)
    if not mask.any():
        return np.asarray(values)
    kind = values.dtype.kind
    if kind in "mM":
        return np.where(mask, np.array("NaT", dtype=values.dtype), np.asarray(values))
    if kind == "f":
        return np.where(mask, values.dtype.type(np.nan), np.asarray(values))
    if kind in "iub":
        return np.where(mask, np.nan, np.asarray(values, dtype=np.float64))
    data = np.array(values, dtype=object)
    data[mask] = None
    return data


def check_label_order(
    values: object,
    labels: Iterable[object],
    name: str,
    place: Literal["columns", "index"] | None = None,
    known: str = "the labels are",
) -> None:
    """Refuse a table whose columns, or a series whose index, are the labels in another order.

    Numbers are read by their places, so each would be taken for that of another label. Names may
    have a prefix in common, such as ``p_`` of files of predictions.

    Parameters
    ----------
    values : array, data frame or series
        Of arrays nothing is known.
    labels : iterable of labels
        In the order that is expected.
    name : str
        Of the values.
    place : {"columns", "index"}, optional
        Of the names, for tables whose rows are labels too.
    known : str
        What the labels are, in the error.

    Raises
    ------
    ValueError
        Both orders are named.

    Examples
    --------
    >>> import pandas as pd
    >>> check_label_order(pd.DataFrame({"b": [0.2], "a": [0.8]}), ["a", "b"], "scores")
    Traceback (most recent call last):
    ValueError: the columns of scores are ['b', 'a'], but the labels are ['a', 'b']; select them \
in that order
    """
    place = place or ("index" if getattr(values, "ndim", 2) == 1 else "columns")
    axes = _axes(values)
    given = _names(*(axes[:1] if place == "index" else axes[-1:]))
    what = f"the {place} of {name} {'are' if place == 'columns' else 'is'}"
    _refuse_other_order(given, labels, what, known)


def axis_labels(values: object) -> tuple[list[Any], ...]:
    """Names of the rows and columns of a data frame, or of the index of a series.

    An axis of an array has none, and neither has one that only counts: an empty list.

    Examples
    --------
    >>> import pandas as pd
    >>> axis_labels(pd.DataFrame([[1, 2]], columns=["a", "b"])), axis_labels(np.ones(2))
    (([], ['a', 'b']), ())
    """
    return tuple(map(_names, _axes(values)))


def last_labels(values: object) -> list[Any]:
    """Names of the last axis alone, as there may be a million rows; see `axis_labels`.

    Examples
    --------
    >>> import pandas as pd
    >>> last_labels(pd.Series({"a": 1, "b": 2})), last_labels([1, 2])
    (['a', 'b'], [])
    """
    return _names(*_axes(values)[-1:])


def _axes(values: object) -> tuple[object, ...]:
    if isinstance(values, np.ndarray | list | tuple | Mapping):
        return ()
    columns = getattr(values, "column_names", getattr(values, "columns", None))  # of Arrow, others
    rows = getattr(values, "index", None)
    return (rows,) if getattr(values, "ndim", 2) == 1 else (rows, columns)


def _names(axis: object = ()) -> list[Any]:
    counted = (getattr(axis, "start", None), getattr(axis, "step", None)) == (0, 1)  # of pandas
    if counted or not isinstance(axis, Iterable):
        return []
    names = list(axis)
    places = [f"column_{place}" for place in range(len(names))]  # of polars, if not named
    return [] if list(map(type, names)) == [str] * len(names) and names == places else names


def check_rows(**values: object) -> None:
    """Refuse series and data frames with the same rows or columns in another order.

    They are read by places.

    Raises
    ------
    ValueError

    Examples
    --------
    >>> import pandas as pd
    >>> seen = pd.Series(["b", "a", "b"])
    >>> check_rows(successes=pd.Series({"a": 0, "b": 1}), trials=seen.value_counts())
    Traceback (most recent call last):
    ValueError: the index of trials is ['b', 'a'], but the index of successes is ['a', 'b']; bring \
both into one order, such as by reindex, or give arrays if their places belong together
    """
    for axis, word, read in (("index", "is", _index), ("columns", "are", _columns)):
        known: list[tuple[str, Any]] = []
        for name, value in values.items():
            index = read(value)
            if index is None or any(_same_names(index, rows) for _, rows in known):
                continue
            for first, rows in known:
                if _is_reordered(index, rows):
                    raise ValueError(
                        f"the {axis} of {name} {word} {shown(list(index[:_SHOWN]))}, but the "
                        f"{axis} of {first} {word} {shown(list(rows[:_SHOWN]))}; bring both into "
                        "one order, such as by reindex, or give arrays if their places belong "
                        "together"
                    )
            known.append((name, index))


def _index(value: object) -> Any:
    """Names of rows, of pandas."""
    index = getattr(value, "index", None)
    return index if hasattr(index, "equals") else None


def _columns(value: object) -> Any:
    """Names of columns, of any data frame."""
    return _names(*_axes(value)[1:]) or None


def _same_names(index: Sequence[Hashable], rows: Sequence[Hashable]) -> bool:
    return bool(getattr(index, "equals", index.__eq__)(rows))


def _is_reordered(index: Sequence[Hashable], rows: Sequence[Hashable]) -> bool:
    """Whether one is the other in another order, and neither only counts places."""
    if len(index) != len(rows):
        return False
    other = (TypeError, ValueError, NotImplementedError)  # one has levels, or types of its own
    try:  # by pandas, ten times as fast as the last line
        if not np.all(getattr(index, "isin", bool)(rows)):
            return False
    except other:
        return False
    return not any(map(_counts_places, (index, rows))) and Counter(index) == Counter(rows)


def _counts_places(index: Sequence[Hashable]) -> bool:
    return all(isinstance(name, int) and name == place for place, name in enumerate(index))


def check_axes(
    axes: Iterable[list[Any]], labels: Mapping[str, Iterable[object]], name: str
) -> None:
    """Refuse a table of variables whose rows or columns name their values in another order.

    Parameters
    ----------
    axes : sequence of list
        From `axis_labels`.
    labels : mapping
        The values of each variable, in the order of the axes.
    name : str
        Of the table.

    Examples
    --------
    >>> check_axes([["no", "yes"]], {"rain": ["yes", "no"]}, "probabilities")
    Traceback (most recent call last):
    ValueError: the names of 'rain' in probabilities are ['no', 'yes'], but the labels are \
['yes', 'no']; select them in that order
    """
    for variable, given in zip(labels, axes, strict=False):
        own = {*map(str, labels[variable])}
        for other, values in labels.items():
            if given and {*map(str, given)} == {*map(str, values)} != own:
                raise ValueError(f"the names of {variable!r} in {name} are those of {other!r}")
        _refuse_other_order(given, labels[variable], f"the names of {variable!r} in {name} are")


def _refuse_other_order(
    given: list[Any], labels: Iterable[object], what: str, known: str = "the labels are"
) -> None:
    wanted = list(labels)
    if not given or len(given) != len(wanted):
        return
    names, expected = [*map(_text, given)], [*map(_text, wanted)]
    for found in (names, _without_prefix(names, expected)):
        if found == expected:
            return
        if sorted(found) == sorted(expected):
            raise ValueError(f"{what} {given}, but {known} {wanted}; select them in that order")


def _text(name: object) -> str:
    whole = isinstance(name, float) and name.is_integer()  # as files have whole numbers
    return str(int(name) if whole else name)  # type: ignore[call-overload]  # a float


def _without_prefix(names: list[str], labels: list[str]) -> list[str]:
    """Names less what all begin with, if labels are so much shorter.

    >>> _without_prefix(["p_no", "p_yes"], ["yes", "no"])
    ['no', 'yes']
    """
    extra, rest = divmod(sum(map(len, names)) - sum(map(len, labels)), len(names))
    if extra <= 0 or rest or len({name[:extra] for name in names}) > 1:
        return names
    return [name[extra:] for name in names]


def as_floats(values: object, name: str) -> NDArray[np.float64]:
    """Real numbers as float64; an array of float64 is not copied.

    Strings, dates and complex numbers are refused, not converted.

    Raises
    ------
    TypeError
        If a value is not a real number.
    ValueError
        If rows differ in length, or a number is too large for a float.

    Examples
    --------
    >>> as_floats([1, 2], "scores")
    array([1., 2.])
    >>> as_floats(["high", "low"], "scores")
    Traceback (most recent call last):
    TypeError: scores are ['high', 'low'], expected real numbers
    """
    array = as_array(values, name)
    short = array.dtype.kind == "V" and np.can_cast(array.dtype, np.float64)  # such as bfloat16
    if short or array.dtype.kind in "fiub":
        return array.astype(np.float64, copy=False)
    if array.dtype != object:
        raise TypeError(f"{name} are {shown(values)}, expected real numbers")
    types = getattr(values, "dtypes", "O") if array.ndim == 2 else "O"
    read = getattr(values, "to_numpy", None)  # of pandas, nullable columns like series
    if read is not None and {getattr(one, "kind", "O") for one in types} <= set("fiu"):
        return np.asarray(read(dtype=np.float64, na_value=np.nan))
    for value in array.ravel():
        if isinstance(value, complex) or not isinstance(value, Real | Decimal | np.bool_):
            raise TypeError(f"{name} hold {shown(value)}, expected real numbers")
    try:
        return array.astype(np.float64)
    except OverflowError as error:
        raise ValueError(f"{name} hold a number above 1.8e308, which is not a float") from error


def as_real(name: str, value: object, expected: str = "a number") -> float:
    """A real number as a float; infinite if it is too large for a float.

    Raises
    ------
    TypeError
        If it is not a real number; True and False are not.

    Examples
    --------
    >>> as_real("rho", 2), as_real("rho", -(10**400))
    (2.0, -inf)
    >>> as_real("rho", "2", "a number from 1")
    Traceback (most recent call last):
    TypeError: rho is '2', expected a number from 1
    """
    if isinstance(value, bool) or not isinstance(value, Real):
        raise TypeError(f"{name} is {shown(value)}, expected {expected}")
    number: Any = value
    try:
        return float(number)
    except OverflowError:
        return np.inf if number > 0 else -np.inf


def check_count(
    name: str, value: object, least: int | None = 0, most: int | None = None, bound: str = ""
) -> int:
    """An argument that must be a whole number from `least` (None: any) to `most`.

    `bound` says what the bound is that may be missed.

    Raises
    ------
    TypeError
        If it is not a whole number.
    ValueError
        If it is too small or too large.

    Examples
    --------
    >>> check_count("n_bins", 10, 1)
    10
    >>> check_count("n_bins", 0, 1)
    Traceback (most recent call last):
    ValueError: n_bins is 0, expected at least 1
    >>> check_count("max_size", 4, 1, 3, "the number of labels")
    Traceback (most recent call last):
    ValueError: max_size is 4, expected at most 3, the number of labels
    """
    meaning = f", {bound}" if bound else ""
    if isinstance(value, bool | np.bool_) or not isinstance(value, int | np.integer):
        raise TypeError(f"{name} is {shown(value)}, expected a whole number")
    if least is not None and value < least:
        raise ValueError(f"{name} is {shown(value)}, expected at least {least}{meaning}")
    if most is not None and value > most:
        raise ValueError(f"{name} is {shown(value)}, expected at most {most}{meaning}")
    return int(value)


def check_flag(name: str, value: object) -> None:
    """Raise TypeError unless an argument is True or False.

    Examples
    --------
    >>> check_flag("exact", "no")
    Traceback (most recent call last):
    TypeError: exact is 'no', expected True or False
    """
    if not isinstance(value, bool | np.bool_):
        raise TypeError(f"{name} is {shown(value)}, expected True or False")


def check_instance(name: str, value: object, kind: type | tuple[type, ...], expected: str) -> None:
    """Raise TypeError unless an argument is an instance of a class.

    Examples
    --------
    >>> check_instance("network", 3, dict, "a ValuationNetwork")
    Traceback (most recent call last):
    TypeError: network is 3, expected a ValuationNetwork
    """
    if not isinstance(value, kind):
        raise TypeError(f"{name} is {shown(value)}, expected {expected}")


def check_level(name: str, value: object) -> None:
    """Raise unless an argument is a number inside (0, 1).

    Raises
    ------
    TypeError
        If it is not a number.
    ValueError
        If it lies outside.

    Examples
    --------
    >>> check_level("confidence", 95)
    Traceback (most recent call last):
    ValueError: confidence is 95, expected a level inside (0, 1)
    """
    if not 0 < as_real(name, value, "a level inside (0, 1)") < 1:
        raise ValueError(f"{name} is {shown(value)}, expected a level inside (0, 1)")


def check_degree(name: str, value: object) -> None:
    """Raise unless an argument is a number from 0 to 1.

    Examples
    --------
    >>> check_degree("alpha", 2)
    Traceback (most recent call last):
    ValueError: alpha is 2, expected a number from 0 to 1
    """
    number: Any = value  # exact ones, and constants of SymPy, are compared as they are
    if isinstance(value, bool) or not (isinstance(value, Real) or _is_constant(value)):
        raise TypeError(f"{name} is {shown(value)}, expected a number from 0 to 1")
    if not 0 <= number <= 1:
        raise ValueError(f"{name} is {shown(value)}, expected a number from 0 to 1")


def _is_constant(value: object) -> bool:
    """Whether it is a real number of SymPy."""
    return bool(getattr(value, "is_number", False) and getattr(value, "is_real", False))


def check_not_negative(**values: object) -> None:
    """Raise unless all values are finite and not negative.

    Examples
    --------
    >>> check_not_negative(penalty=-1)
    Traceback (most recent call last):
    ValueError: penalty is -1, expected a finite number from 0
    """
    for name, value in values.items():
        if not 0 <= as_real(name, value, "a finite number from 0") < np.inf:
            raise ValueError(f"{name} is {shown(value)}, expected a finite number from 0")


def check_above_zero(**values: object) -> None:
    """Raise unless all values are finite and positive.

    Examples
    --------
    >>> check_above_zero(penalty=0)
    Traceback (most recent call last):
    ValueError: penalty is 0, expected a finite number above 0
    """
    for name, value in values.items():
        if not 0 < as_real(name, value, "a finite number above 0") < np.inf:
            raise ValueError(f"{name} is {shown(value)}, expected a finite number above 0")


def check_rng(rng: object) -> None:
    """Raise TypeError unless an argument is a NumPy generator.

    Examples
    --------
    >>> check_rng(0)
    Traceback (most recent call last):
    TypeError: rng is 0, expected a numpy.random.Generator such as numpy.random.default_rng(0)
    """
    expected = "a numpy.random.Generator such as numpy.random.default_rng(0)"
    check_instance("rng", rng, np.random.Generator, expected)


def check_atol(atol: object) -> None:
    """Raise unless a tolerance is a finite number that is not negative.

    Raises
    ------
    TypeError
        If it is not a number.
    ValueError
        If it is negative, infinite or NaN.

    Examples
    --------
    >>> check_atol(-1)
    Traceback (most recent call last):
    ValueError: atol is -1, expected a finite number from 0
    """
    check_not_negative(atol=atol)


def common_shape(
    names: str, *shapes: tuple[int, ...], error: type[ValueError] = ValueError
) -> tuple[int, ...]:
    """The shape to which all shapes broadcast.

    Examples
    --------
    >>> common_shape("mean and deviation", (2,), (3,))
    Traceback (most recent call last):
    ValueError: mean and deviation of shapes (2,), (3,) do not broadcast together
    """
    try:
        return np.broadcast_shapes(*shapes)
    except ValueError as cause:
        listed = ", ".join(map(str, shapes))
        raise error(f"{names} of shapes {listed} do not broadcast together") from cause


def as_shape(name: str, value: object) -> tuple[int, ...]:
    """A shape as a tuple; a whole number is the length of a single axis.

    Raises
    ------
    TypeError
        If a length is not a whole number.
    ValueError
        If one is negative.

    Examples
    --------
    >>> as_shape("batch_shape", 3), as_shape("batch_shape", (2, 1))
    ((3,), (2, 1))
    """
    if isinstance(value, int | np.integer):
        value = (value,)
    lengths = as_sequence(value, name, "a whole number, or several of them")
    return tuple(check_count(name, length, 0, _LONGEST_AXIS) for length in lengths)


def check_axis(axis: object, shape: tuple[int, ...]) -> int:
    """Place of an axis, which counts from the end if it is negative.

    Examples
    --------
    >>> check_axis(-1, (3, 2))
    1
    """
    place = check_count("axis", axis, None)
    if not -len(shape) <= place < len(shape):
        raise ValueError(f"axis {axis} is out of range for batch shape {shape}")
    return place % len(shape)


def check_callable(name: str, value: object, expected: str) -> None:
    """Raise TypeError unless an argument can be called.

    Examples
    --------
    >>> check_callable("rule", "dempster", "a function of mass functions")
    Traceback (most recent call last):
    TypeError: rule is 'dempster', expected a function of mass functions
    """
    if not callable(value):
        raise TypeError(f"{name} is {shown(value)}, expected {expected}")


def as_mapping(values: object, name: str, expected: str) -> dict[Any, Any]:
    """A copy of a mapping.

    Raises
    ------
    TypeError

    Examples
    --------
    >>> as_mapping([1], "rates", "a mapping of events to rates")
    Traceback (most recent call last):
    TypeError: rates is [1], expected a mapping of events to rates
    """
    if not isinstance(values, Mapping):
        raise TypeError(f"{name} is {shown(values)}, expected {expected}")
    return dict(values)


def as_collection(values: object, name: str, expected: str) -> list[Any]:
    """The entries of a collection: keys for a mapping; sets are allowed, strings are not.

    Raises
    ------
    TypeError

    Examples
    --------
    >>> as_collection({3}, "events", "several events"), as_collection((1, 2), "events", "")
    ([3], [1, 2])
    """
    if isinstance(values, np.ndarray):
        values = values.tolist()
    if isinstance(values, str | bytes | type) or not isinstance(values, Iterable):
        raise TypeError(f"{name} is {shown(values)}, expected {expected}")
    return list(values)


def as_sequence(values: object, name: str, expected: str) -> list[Any]:
    """The entries of an ordered collection: keys for a mapping; no sets or strings.

    Raises
    ------
    TypeError

    Examples
    --------
    >>> as_sequence("ab", "order", "the labels in some order")
    Traceback (most recent call last):
    TypeError: order is 'ab', expected the labels in some order
    """
    if isinstance(values, Set):  # a set has no order
        raise TypeError(f"{name} is {shown(values)}, expected {expected}")
    return as_collection(values, name, expected)


def check_choice(name: str, value: object, choices: Iterable[Any], expected: str = "") -> None:
    """Raise ValueError unless an argument is one of the choices: strings, True, False or None.

    `expected` describes other allowed values, and precedes the choices in the message.

    Examples
    --------
    >>> check_choice("ensemble", "yes", (True, False))
    Traceback (most recent call last):
    ValueError: ensemble is 'yes', expected one of True, False
    >>> check_choice("strategy", "quantil", ("uniform", "quantile", "corp"))
    Traceback (most recent call last):
    ValueError: strategy is 'quantil', expected one of 'uniform', 'quantile', 'corp'; did you \
mean 'quantile'?
    """
    allowed = tuple(choices)
    # Check the type too: 1 is not True, and arrays do not compare.
    plain = value is None or isinstance(value, str | bool | np.bool_)
    if not plain or value not in allowed:
        listed, hint = ", ".join(map(repr, allowed)), did_you_mean(value, allowed)
        raise ValueError(f"{name} is {shown(value)}, expected {expected}one of {listed}{hint}")


def number_of(n: int, noun: str) -> str:
    """Write a number with its noun in the singular or plural.

    >>> number_of(1, "sample"), number_of(1200, "row")
    ('1 sample', '1200 rows')
    """
    return f"{n} {noun}" if n == 1 else f"{n} {noun}s"


def did_you_mean(value: object, choices: Iterable[Any]) -> str:
    """End of an error message that suggests the closest name, if any.

    Examples
    --------
    >>> did_you_mean("Dempstr", ["conjunctive", "dempster"])
    "; did you mean 'dempster'?"
    >>> did_you_mean(7, ["dempster"])
    ''
    """
    if not isinstance(value, str):
        return ""
    plain = {choice.lower(): choice for choice in choices if isinstance(choice, str)}
    if len(plain) > _MOST_COMPARED:
        return ""
    wanted = value.strip().lower().replace("-", "_").replace(" ", "_")
    near = get_close_matches(wanted, plain, n=1, cutoff=0.6)
    return f"; did you mean {plain[near[0]]!r}?" if near else ""


def suggestion(name: str, known: Iterable[str], kind: str, shown: int = 12) -> str:
    """The end of a message about an unknown name: what was probably meant, and what is there.

    >>> suggestion("scroe", ["id", "score"], "columns")
    "; did you mean 'score'? columns: id, score"
    """
    names = list(known)
    meant = did_you_mean(name, names) or ";"
    more = ", ..." if len(names) > shown else ""
    return f"{meant} {kind}: {', '.join(names[:shown])}{more}"
