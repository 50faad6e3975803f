"""Combination along a batch axis: the sources are the entries of that axis.

Ensembles store their classifiers this way, with one axis for the members and one for the samples.
The rule gets all entries at once, as rules that are not associative require.
"""

from collections.abc import Callable

from dstheory.checks.arguments import check_axis, check_callable, check_instance
from dstheory.errors import CostLimitError
from dstheory.mass import MassFunction


def combine_axis(m: MassFunction, rule: Callable[..., MassFunction], axis: int = 0) -> MassFunction:
    """Combine the entries of one batch axis by a rule.

    Parameters
    ----------
    m : MassFunction
        A batch; the entries along `axis` are the sources. ``dstheory.stack`` makes one batch
        of several mass functions.
    rule : callable
        Any rule of this package, or a function of two or more mass functions; called once,
        with all sources. Bind options with `functools.partial`.
    axis : int
        Axis of the batch shape; negative ones count from the end.

    Returns
    -------
    MassFunction
        Its batch shape lacks `axis`. A single source is returned unchanged.

    Raises
    ------
    ValueError
        If the batch has no such axis, or the axis is empty.
    TypeError
        If `m` is not a mass function or `rule` is not callable.

    Examples
    --------
    >>> from dstheory import Frame
    >>> from dstheory.combine import dempster
    >>> frame = Frame(["a", "b"])
    >>> batch = MassFunction(frame, [1, 3], [[0.5, 0.5], [0.5, 0.5], [0.0, 1.0]])
    >>> combine_axis(batch, dempster)
    MassFunction on {a, b}
      {a}     0.75
      {a, b}  0.25
    """
    check_instance("m", m, MassFunction, "a MassFunction with a batch axis")
    check_callable("rule", rule, "a function of mass functions")
    place = check_axis(axis, m.batch_shape)
    before = (slice(None),) * place
    sources = [m[(*before, i)] for i in range(m.batch_shape[place])]
    if not sources:
        raise ValueError(f"axis {axis} of batch shape {m.batch_shape} holds no source to combine")
    if len(sources) == 1:
        return sources[0]
    try:
        return rule(*sources)
    except CostLimitError:
        # Each entry lists the focal sets of all, of which it may use few.
        own = [source.prune(0) for source in sources]
        if all(len(one.focal) == len(m.focal) for one in own):
            raise
        return rule(*own)
