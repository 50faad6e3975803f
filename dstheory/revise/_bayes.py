"""The generalized Bayesian theorem, and its inverse, the disjunctive rule.

Beliefs about an observation under each hypothesis have two uses. Given an observation, the
generalized Bayesian theorem yields a belief about the hypotheses. Given a belief about the
hypotheses, the disjunctive rule of combination yields one about the observation. Smets 1993; each
conditional belief is a distinct piece of evidence, embedded by deconditioning.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dstheory._masses import batch_of, certain, check_mass, collect
from dstheory._typing import Numbers
from dstheory.checks import masses as checks
from dstheory.checks.arguments import check_flag, check_instance, check_rows, common_shape
from dstheory.checks.shares import as_share
from dstheory.construct.arguments import as_rows
from dstheory.errors import MassError, TotalConflictError
from dstheory.frame import Frame, same_frame
from dstheory.kernels import bits, pairwise, setwise
from dstheory.kernels.batches import stretch
from dstheory.kernels.limits import check_cost
from dstheory.kernels.rows import refuse_rows
from dstheory.mass import MassFunction
from dstheory.revise._arguments import match_numbers

# 2^26 doubles take half a gigabyte per row.
_MAX_SETS = 1 << 26


def generalized_bayes(
    frame: Frame,
    likelihoods: Numbers | Mapping[Any, Numbers],
    *,
    prior: MassFunction | None = None,
    normalize: bool = True,
) -> MassFunction:
    """Belief about hypotheses given an observation (generalized Bayesian theorem).

    Pl(A | x) = 1 - product over h in A of (1 - pl(x | h)), and q(A | x) = product over h
    in A of pl(x | h); a prior is combined conjunctively with this.

    Parameters
    ----------
    frame : Frame
        The K hypotheses.
    likelihoods : (*batch, K) array, or mapping of label to number or array
        pl(x | h), the plausibility of what was observed under each hypothesis, between 0
        and 1. Of mass functions about the observation under each hypothesis it is
        ``{h: m.pl(event) for h, m in conditionals.items()}``.
    prior : MassFunction, optional
        Prior belief about the hypotheses; batches broadcast. Default: vacuous.
    normalize : bool
        False keeps the conflict on the empty set (transferable belief model).

    Returns
    -------
    MassFunction
        On `frame`. Each hypothesis with a likelihood other than 0 and 1 may double the number of
        focal sets.

    Raises
    ------
    MassError
        If a likelihood does not lie between 0 and 1, or labels are missing.
    TotalConflictError
        If no hypothesis is possible in a row, and `normalize` is True.
    DSTheoryError
        If the result could have more than 2^26 focal sets.
    FrameError
        If a label is unknown, or the prior is on another frame.
    TypeError
        If an argument has the wrong type.

    See Also
    --------
    disjunctive_rule_of_combination : from hypotheses to observations.

    Notes
    -----
    With a Bayesian prior and likelihoods P(x | h), normalized, it is Bayes' theorem.

    References
    ----------
    Smets (1993), Belief functions: the disjunctive rule of combination and the generalized
    Bayesian theorem, International Journal of Approximate Reasoning 9.

    Examples
    --------
    >>> generalized_bayes(Frame(["ant", "bee"]), [1, 0.25]).to_dict()
    {('ant',): 0.75, ('ant', 'bee'): 0.25}
    >>> prior = MassFunction.from_dict(Frame(["ant", "bee"]), {"ant": 0.25, "bee": 0.75})
    >>> generalized_bayes(prior.frame, {"ant": 0.75, "bee": 0.25}, prior=prior).contour()
    array([0.5, 0.5])
    >>> sounds = Frame(["buzz", "silence"])
    >>> bee = MassFunction.from_dict(sounds, {"buzz": 0.75, sounds: 0.25})
    >>> ant = MassFunction.from_dict(sounds, {"silence": 1})
    >>> conditionals = {"ant": ant, "bee": bee}
    >>> silent = {h: m.pl("silence") for h, m in conditionals.items()}
    >>> generalized_bayes(Frame(["ant", "bee"]), silent).to_dict()
    {('ant',): 0.75, ('ant', 'bee'): 0.25}
    """
    check_flag("normalize", normalize)
    checks.as_frame(frame)
    pl = np.moveaxis(as_share(_as_rows(frame, likelihoods), "likelihood", 1), -1, 0)
    start = (
        certain(frame, frame.full, dtype=pl.dtype) if prior is None else check_mass(prior, "prior")
    )
    same_frame(frame, start.frame)
    batch = common_shape("prior and likelihoods", start.batch_shape, pl.shape[1:])
    pl = match_numbers(pl, start.store)
    _check_size(start, pl)
    sets, store = _products(pl, len(frame)) if prior is None else _with_prior(start, pl, batch)
    belief = MassFunction.from_store(frame, sets.copy(), np.array(store, order="C")).prune()
    if not normalize:
        return belief
    _refuse_impossible(belief, "" if prior is None else " that the prior allows")
    return belief.normalize()


def _refuse_impossible(belief: MassFunction, which: str) -> None:
    refuse_rows(
        setwise.nonempty_sum(belief.focal, belief.store) == 0,
        f"all likelihoods of hypotheses{which} are 0 (total conflict)",
        "none can explain the observation: add one that does, or use normalize=False",
        TotalConflictError,
    )


def _products(pl: NDArray[Any], size: int) -> tuple[NDArray[Any], NDArray[Any]]:
    """Masses without a prior: m(A) is a product over labels, built by doubling."""
    sets, store = bits.mask_array([0], size), np.ones((1, *pl.shape[1:]), dtype=pl.dtype)
    for label, likelihood in enumerate(pl):
        if bool(np.all(likelihood == 1)):
            sets = sets | 1 << label
        elif not bool(np.all(likelihood == 0)):
            sets = np.concatenate([sets, sets | 1 << label])
            store = np.concatenate([store * (1 - likelihood), store * likelihood])
    return sets, store


def _with_prior(
    prior: MassFunction, pl: NDArray[Any], batch: tuple[int, ...]
) -> tuple[NDArray[Any], NDArray[Any]]:
    """Combine hypothesis by hypothesis, so that a prior with small focal sets keeps few sets."""
    full, size = prior.frame.full, len(prior.frame)
    sets, store = prior.focal, stretch(prior.store, batch)
    for label, likelihood in enumerate(pl):
        if not bool(np.all(likelihood == 1)):
            # Deconditioned on hypothesis h, an implausible observation says "not h".
            focal = bits.mask_array([full ^ (1 << label), full], size)
            rest = np.asarray(1 - likelihood, dtype=pl.dtype)
            masses = np.stack([rest, np.asarray(likelihood)])
            sets, store = pairwise.combine_pairs(sets, store, focal, masses, np.bitwise_and)
            sets, store = _pruned(sets, store)
    return sets, store


def disjunctive_rule_of_combination(
    prior: MassFunction, conditionals: Mapping[Any, MassFunction]
) -> MassFunction:
    """Belief about observations, from belief about hypotheses (disjunctive rule).

    Given a set of hypotheses, the conditionals of its members are combined disjunctively,
    b(x | A) = product over h in A of b(x | h). The result is their average, weighted by the prior.

    Parameters
    ----------
    prior : MassFunction
        Belief about the hypotheses. Mass of the empty set stays on the empty set.
    conditionals : mapping of label to MassFunction
        Belief about the observation under each hypothesis; all on one frame. Only hypotheses in
        a focal set of the prior are needed. Batches broadcast with the prior's.

    Returns
    -------
    MassFunction
        On the frame of the conditionals.

    Raises
    ------
    MassError
        If a hypothesis in a focal set of the prior has no conditional, or none is given.
    FrameError
        If a label is unknown, or conditionals are on different frames.
    TypeError
        If an argument has the wrong type.

    See Also
    --------
    generalized_bayes : from an observation to the hypotheses.

    Notes
    -----
    With a Bayesian prior it is the law of total probability.

    References
    ----------
    Smets (1993), Belief functions: the disjunctive rule of combination and the generalized
    Bayesian theorem, International Journal of Approximate Reasoning 9.

    Examples
    --------
    >>> sounds = Frame(["buzz", "silence"])
    >>> bee = MassFunction.from_dict(sounds, {"buzz": 0.75, sounds: 0.25})
    >>> ant = MassFunction.from_dict(sounds, {"silence": 1})
    >>> prior = MassFunction.from_dict(Frame(["ant", "bee"]), {"ant": 0.5, "bee": 0.5})
    >>> disjunctive_rule_of_combination(prior, {"ant": ant, "bee": bee}).to_dict()
    {('buzz',): 0.375, ('silence',): 0.5, ('buzz', 'silence'): 0.125}
    """
    given = _conditionals(check_mass(prior, "prior").frame, conditionals)
    if not given:
        raise MassError("there is no conditional; give one for each hypothesis")
    _refuse_missing(prior.frame, given, int(np.bitwise_or.reduce(prior.focal)))
    space = next(iter(given.values())).frame

    known = {0: certain(space, 0, dtype=prior.store.dtype)}
    parts = [_union(int(mask), given, known) for mask in prior.focal]
    batch_of(prior, *parts)
    weighted = [
        (part.focal, part.store, mass) for part, mass in zip(parts, prior.store, strict=True)
    ]
    return collect(space, *weighted).prune()


def _union(
    mask: int, given: dict[int, MassFunction], known: dict[int, MassFunction]
) -> MassFunction:
    """Disjunctive combination over a set; focal sets share those of their lower labels."""
    lower, result = 0, known[0]
    for label in (i for i in range(mask.bit_length()) if mask >> i & 1):
        part = lower | 1 << label
        if part not in known:
            known[part] = result | given[label] if lower else given[label]
        lower, result = part, known[part]
    return result


def _as_rows(frame: Frame, likelihoods: Numbers | Mapping[Any, Numbers]) -> NDArray[Any]:
    """Likelihoods (*batch, K) from an array or a mapping."""
    if isinstance(likelihoods, Mapping):
        check_rows(**{f"the likelihood of {label!r}": one for label, one in likelihoods.items()})
        columns = _by_bit(frame, likelihoods)
        _refuse_missing(frame, columns, frame.full)
        shares = [checks.as_masses(columns[bit]) for bit in range(len(frame))]
        return np.stack(np.broadcast_arrays(*shares), axis=-1)
    return as_rows(likelihoods, frame, "likelihoods")


def _by_bit(frame: Frame, given: Mapping[Any, Any]) -> dict[int, Any]:
    """The given values by the position of their label."""
    return {frame.mask((label,)).bit_length() - 1: value for label, value in given.items()}


def _conditionals(frame: Frame, given: Mapping[Any, MassFunction]) -> dict[int, MassFunction]:
    """Conditional mass functions by the position of their label, all on one frame."""
    check_instance("conditionals", given, Mapping, "a mapping of labels to mass functions")
    found = _by_bit(frame, given)
    first = next(iter(found.values()), None)
    for label, m in given.items():
        same_frame(check_mass(first).frame, check_mass(m, f"conditional {label!r}").frame)
    return found


def _refuse_missing(frame: Frame, given: Mapping[int, Any], needed: int) -> None:
    missing = [label for i, label in enumerate(frame) if needed >> i & 1 and i not in given]
    if missing:
        raise MassError(f"nothing is given for {missing!r} of {frame!r}")


def _check_size(start: MassFunction, pl: NDArray[Any]) -> None:
    """Refuse a result whose focal sets could not be stored."""
    free = sum(1 << i for i, row in enumerate(pl) if not _certain(row))
    bound = sum(1 << (int(mask) & free).bit_count() for mask in start.focal)
    advice = "give a prior with small focal sets, or likelihoods of 0 and 1"
    check_cost(bound, _MAX_SETS, "the result", "focal sets", advice)


def _certain(row: NDArray[Any]) -> bool:
    values = np.asarray(row)
    return bool(np.all(values == 1) or np.all(values == 0))


def _pruned(focal: NDArray[Any], store: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
    kept = np.asarray(store != 0, dtype=bool).reshape(len(store), -1).any(axis=1)
    return (focal[kept], store[kept]) if store.size else (focal, store)
