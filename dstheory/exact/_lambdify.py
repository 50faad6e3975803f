"""Fast functions from formulas: NumPy evaluates a derived formula on arrays.

Common subexpressions are computed once (sympy's `lambdify` with ``cse=True``). Arguments are passed
by name and broadcast as usual in NumPy.
"""

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
import sympy
from numpy.typing import NDArray

from dstheory.checks.arguments import as_sequence
from dstheory.errors import DSTheoryError
from dstheory.exact._symbols import as_formulas, symbols_of
from dstheory.kernels.batches import scalar
from dstheory.kernels.rows import in_row
from dstheory.mass import MassFunction


def as_function(formula: object, arguments: Iterable[Any] | None = None) -> Callable[..., Any]:
    """Vectorized NumPy function of the symbols of a formula.

    Parameters
    ----------
    formula : sympy expression, array of expressions, or a single MassFunction
        For example ``m.bel(event)``, ``betp(m)`` or ``m``.
    arguments : iterable of str or symbols, optional
        Arguments of the function; some may have dropped out of the formula. Default: the symbols of
        the formula.

    Returns
    -------
    callable
        Takes one keyword argument for each symbol, numbers or arrays that broadcast to a batch;
        its attribute `arguments` has the names. It returns an array (*batch, *shape of the
        formula), a float for numbers, or a MassFunction with that batch, which is validated.

    Raises
    ------
    DSTheoryError
        If a batch of mass functions is given. The function raises it, with the row, where a formula
        is undefined, and MassError where the values are not masses.
    ValueError
        If `arguments` lack a symbol of the formula.
    TypeError
        Raised by the function if an argument is missing or unknown.

    Examples
    --------
    >>> from dstheory import Frame
    >>> from dstheory.exact import symbolic
    >>> frame = Frame(["ant", "bee"])
    >>> m = symbolic(frame, ["ant", frame], ["s"])
    >>> as_function(m.bel("ant") ** 2)(s=[0.5, 1])
    array([0.25, 1.  ])
    >>> as_function(m)(s=[0.5, 1]).batch_shape
    (2,)
    """
    if isinstance(formula, MassFunction) and formula.batch_shape:
        raise DSTheoryError(
            f"batch shape is {formula.batch_shape}; give one symbolic mass function, "
            "its function returns batches"
        )
    formulas = as_formulas(formula)
    symbols = symbols_of(formula)
    names = _names(symbols, arguments)
    # Symbols may have names that Python does not allow for arguments: \alpha, lambda.
    inner = {name: sympy.Dummy() for name in names}
    replaced = {symbol: inner[str(symbol)] for symbol in symbols}
    entries = [entry.subs(replaced) for entry in formulas.ravel()]
    evaluate = sympy.lambdify(list(inner.values()), entries, modules="numpy", cse=True)

    def function(**values: Any) -> Any:
        points, batch = _points(names, values)
        with np.errstate(divide="ignore", invalid="ignore"):  # checked below
            results = evaluate(*points)
        columns = [np.broadcast_to(np.asarray(r, np.float64), batch) for r in results]
        stacked = np.stack(columns, axis=-1) if formulas.ndim else np.array(columns[0])
        array = stacked.reshape((*batch, *formulas.shape))
        _refuse_undefined(array, batch, dict(zip(names, points, strict=True)))
        if isinstance(formula, MassFunction):
            return MassFunction(formula.frame, formula.focal, array)
        return scalar(array)

    function.arguments = names  # type: ignore[attr-defined]  # functions take attributes
    return function


def _names(symbols: tuple[Any, ...], arguments: Iterable[Any] | None) -> tuple[str, ...]:
    found = tuple(str(symbol) for symbol in symbols)
    if arguments is None:
        return found
    given = [arguments] if isinstance(arguments, str) else arguments
    listed = as_sequence(given, "arguments", "names in order")
    names = tuple(dict.fromkeys(map(str, listed)))
    missing = [name for name in found if name not in names]
    if missing:
        raise ValueError(f"the formula has the symbol {missing[0]}, which is not in arguments")
    return names


def _points(
    names: tuple[str, ...], values: dict[str, Any]
) -> tuple[list[NDArray[np.float64]], tuple[int, ...]]:
    """Arguments in order, as floats, and the shape to which they broadcast."""
    expected = f"the arguments are {', '.join(names) or 'none'}"
    missing = [name for name in names if name not in values]
    unknown = [name for name in values if name not in names]
    if missing or unknown:
        fault = f"argument {missing[0]!r} is missing" if missing else f"no argument {unknown[0]!r}"
        raise TypeError(f"{fault}; {expected}")
    arrays = [np.asarray(values[name], dtype=np.float64) for name in names]
    return arrays, np.broadcast_shapes(*(array.shape for array in arrays))


def _refuse_undefined(
    array: NDArray[np.float64], batch: tuple[int, ...], arguments: dict[str, NDArray[np.float64]]
) -> None:
    bad = np.argwhere(~np.isfinite(array))
    if not len(bad):
        return
    row = tuple(int(i) for i in bad[0][: len(batch)])
    point = ", ".join(f"{n} = {np.broadcast_to(a, batch)[row]:g}" for n, a in arguments.items())
    raise DSTheoryError(
        f"the formula is undefined at {point}{in_row(row)}: a denominator is zero there, "
        "as in Dempster's rule when sources exclude each other"
    )
