"""Vacuous extension and marginalization: the same belief on more or on fewer variables.

Extension turns a set of configurations into its cylinder, which says nothing about the new
variables. Projection keeps the values of some variables. Shafer, Shenoy & Mellouli 1987; Shenoy &
Shafer 1990, Axioms for probability and belief-function propagation.
"""

from collections.abc import Iterable
from typing import Any

from dstheory._masses import certain, check_mass
from dstheory._typing import Event
from dstheory.checks.arguments import as_sequence, check_instance
from dstheory.errors import FrameError
from dstheory.frame import Frame
from dstheory.kernels import bitsets
from dstheory.mass import MassFunction
from dstheory.product._frame import ProductFrame
from dstheory.product._variable import Variable
from dstheory.revise.transfer import transfer

Name = str | Variable


def extend(m: MassFunction, onto: ProductFrame) -> MassFunction:
    """Extend a belief to more variables without information on the new ones.

    Parameters
    ----------
    m : MassFunction
        One or a batch, on a product.
    onto : ProductFrame
        Contains the variables of `m`, in any order.

    Returns
    -------
    MassFunction
        On `onto`, with as many focal sets as `m`.

    Raises
    ------
    FrameError
        If a variable of `m` is missing from `onto`, or has other values there.
    TypeError
        If `m` is not a mass function on a product, or `onto` is not a product.

    See Also
    --------
    marginalize : the inverse.

    Notes
    -----
    Time and memory are of the order of F times the configurations of `onto`, at an eighth of a byte
    each.

    References
    ----------
    Shafer, G., Shenoy, P. P. & Mellouli, K. (1987). Propagating belief functions in
    qualitative Markov trees. International Journal of Approximate Reasoning 1, 349-400.

    Examples
    --------
    >>> rain = Variable("rain", ["yes", "no"])
    >>> grass = Variable("grass", ["wet", "dry"])
    >>> m = MassFunction.from_dict(ProductFrame([rain]), {"yes": 0.75, ("yes", "no"): 0.25})
    >>> extend(m, ProductFrame([grass, rain]))
    MassFunction on grass × rain
      {rain=yes}  0.75
      {all}       0.25
    """
    frame = product_of(m)
    check_instance("onto", onto, ProductFrame, "a ProductFrame")
    if frame == onto:
        return m
    axes = [onto.axis(variable) for variable in frame.variables]
    return transfer(m, bitsets.extend_masks(m.focal, axes, onto.shape), onto)


def marginalize(m: MassFunction, names: Name | Iterable[Name]) -> MassFunction:
    """Reduce a belief to some of the variables by projecting its focal sets.

    Parameters
    ----------
    m : MassFunction
        One or a batch, on a product.
    names : str or Variable, or iterable of these
        Variables to keep, in the order wanted. A single one gives a mass function on the
        plain frame of its values, an iterable one on a product.

    Returns
    -------
    MassFunction
        Its beliefs and plausibilities are those that `m` gives to the same events.

    Raises
    ------
    FrameError
        If a name is unknown or occurs twice, or there is none.
    TypeError
        If `m` is not a mass function on a product.

    See Also
    --------
    extend : the inverse; ``marginalize(extend(m, onto), m.frame.names)`` is `m`.

    Notes
    -----
    Time is of the order of F times the configurations of ``m.frame``; memory is a byte for each, in
    blocks of a few MiB.

    References
    ----------
    Shafer, Shenoy & Mellouli (1987), Propagating belief functions in qualitative Markov trees.

    Examples
    --------
    >>> frame = ProductFrame([Variable("rain", ["yes", "no"]), Variable("grass", ["wet", "dry"])])
    >>> m = MassFunction.from_dict(frame, {("yes", "wet"): 0.75, frame: 0.25})
    >>> marginalize(m, "rain")
    MassFunction on {yes, no}
      {yes}      0.75
      {yes, no}  0.25
    >>> marginalize(m, ["grass", "rain"])
    MassFunction on grass × rain
      {grass=wet, rain=yes}  0.75
      {all}                  0.25
    """
    frame = product_of(m)
    if isinstance(names, str | Variable):
        kept = [frame.variable(names)]
        part = kept[0].frame
    else:
        listed = as_sequence(names, "names", "a name or a sequence of names")
        kept = [frame.variable(name) for name in listed]
        part = ProductFrame(kept)
    if part == frame:
        return m
    axes = [frame.axis(variable) for variable in kept]
    return transfer(m, bitsets.project_masks(m.focal, frame.shape, axes), part)


def project(frame: ProductFrame, event: Event, names: Name | Iterable[Name]) -> tuple[Any, ...]:
    """The projection of an event to some of the variables.

    Parameters
    ----------
    frame : ProductFrame
    event : any event of `frame`
    names : str or Variable, or iterable of these
        Variables to keep, as in `marginalize`.

    Returns
    -------
    tuple
        Values of the variable for a single name, else configurations of the variables.

    Raises
    ------
    FrameError
        If the event does not fit the frame, or a name is unknown or occurs twice.
    TypeError
        If `frame` is not a product.

    Examples
    --------
    >>> frame = ProductFrame([Variable("rain", ["yes", "no"]), Variable("grass", ["wet", "dry"])])
    >>> project(frame, [("yes", "wet"), ("no", "wet")], "grass")
    ('wet',)
    """
    check_instance("frame", frame, ProductFrame, "a ProductFrame")
    m = marginalize(certain(frame, frame.mask(event)), names)
    return m.frame.event(int(m.focal[0]))


def on(variables: Variable | Iterable[Variable], m: MassFunction) -> MassFunction:
    """A mass function on a plain frame, as one on a product of variables.

    Parameters
    ----------
    variables : Variable, or sequence of Variable
    m : MassFunction
        One or a batch: on the frame of the variable, or on a frame whose labels are the
        configurations of the variables, in their order.

    Returns
    -------
    MassFunction
        The same masses on the product.

    Raises
    ------
    FrameError
        If `m` is on another frame.
    TypeError
        If an argument has the wrong type.

    See Also
    --------
    marginalize : the inverse, with a single name.

    Examples
    --------
    >>> rain = Variable("rain", ["yes", "no"])
    >>> on(rain, MassFunction.from_dict(rain.frame, {"yes": 0.75, rain.frame: 0.25}))
    MassFunction on rain
      {rain=yes}  0.75
      {all}       0.25
    """
    listed = [variables] if isinstance(variables, Variable) else variables
    frame = ProductFrame(listed)
    if check_mass(m).frame == frame:
        return m
    single = len(frame.variables) == 1 and m.frame == frame.variables[0].frame
    if not single and (type(m.frame) is not Frame or m.frame.labels != frame.labels):
        advice = ""
        if type(m.frame) is not Frame:
            advice = "; marginalize(m, names) changes the order of its variables"
        elif set(m.frame) in (set(frame), set(frame.variables[0].values)):
            advice = "; MassFunction.from_dict(Frame(values), m.to_dict()) changes their order"
        raise FrameError(
            f"the mass function is on {m.frame!r}, expected the values of {frame!r} in their "
            f"order{advice}"
        )
    return MassFunction.from_store(frame, m.focal, m.store)


def product_of(m: MassFunction, name: str = "m") -> ProductFrame:
    """The product frame of a mass function."""
    frame = check_mass(m, name).frame
    if not isinstance(frame, ProductFrame):
        raise TypeError(
            f"{name} is on {frame!r}, not on a product of variables; lift it with on(variable, m)"
        )
    return frame
