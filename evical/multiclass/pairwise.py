"""Belief about many classes from conditional beliefs given pairs of them.

The output of a classifier of classes i and j is conditional on the class being one of the two. The
belief about all classes is the one whose conditionals on the pairs are closest to these outputs
(Quost, Denoeux & Masson 2007, "Pairwise classifier combination using belief functions", Pattern
Recognition Letters 28). Unlike Dempster's rule, this does not assume independent pairs, although
many pairs are trained on the same samples.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dstheory import Frame, MassFunction
from dstheory.checks.arguments import as_floats, check_instance
from evical._typing import Floats
from evical.curves.newton import least_squares_on_simplex
from evical.multiclass.coded import checked_columns
from evical.multiclass.codes import code_matrix

# A sample of 4 classes takes 0.05 ms, of 8 classes 0.5 ms, of 10 classes 3.5 ms.
MAX_PAIRWISE = 10


def pairwise_belief(
    columns: NDArray[Any], frame: Frame, coverage: ArrayLike | None = None
) -> MassFunction:
    """Mass function whose conditionals on pairs of classes are closest to given ones.

    Parameters
    ----------
    columns : (3, B, *batch) array
        For each of the K (K - 1) / 2 pairs, in the order of ``code_matrix("all_pairs", K)``,
        the masses of its second class, of its first class, and of either.
    frame : Frame
        The K classes, at most 10.
    coverage : (B, *batch) array, optional
        Plausibility that the class is one of the pair, from a further classifier, such as a novelty
        detector; unknown by default.

    Returns
    -------
    MassFunction
        Over the 2^K - 1 non-empty sets of classes.

    Raises
    ------
    ValueError
        If there are too many classes, shapes differ, or a coverage is not in [0, 1].

    See Also
    --------
    code_beliefs : the combination of pairs as independent evidence.

    Notes
    -----
    With c(A) the mass of the sets whose classes of the pair are A, and pl the sum of c over the
    three non-empty A, so that c(A) / pl is the normalized conditional, the sum over all pairs
    and A of ``(pl m(A) - c(A))^2`` is minimized over all mass functions. With a coverage, which
    takes the place of the unknown pl, the difference of ``1 - coverage`` and the mass outside
    of the pair counts as a fourth A. Both are convex problems with an exact solution by
    non-negative least squares: a homogeneous one on the simplex has the direction of the
    unconstrained one with a further row, sum(m) = 1.

    The abstract of the paper leaves the criterion open; this one multiplies by pl rather than
    dividing. It makes coupling the Bayesian special case: for Bayesian columns, and among Bayesian
    mass functions, the criterion is twice that of Wu, Lin & Weng (2004), sec. 4.2. The criterion
    depends only on the plausibilities of classes and of pairs. With four or more classes, many mass
    functions may share these; the result is one with few focal sets. Which one, and hence the
    pignistic probabilities (by 0.02 in an example of four classes), may depend on the order of the
    classes; relative plausibilities do not.

    Examples
    --------
    Given a or b it is a; given b or c it is c; between a and c it is undecided.

    >>> columns = np.array([[0.0, 0.0, 1.0], [1.0, 0.5, 0.0], [0.0, 0.5, 0.0]])
    >>> pairwise_belief(columns, Frame(["a", "b", "c"])).prune(1e-9)
    MassFunction on {a, b, c}
      {a}     0.5
      {a, c}  0.5
    """
    check_instance("frame", frame, Frame, "a Frame")
    masses, _ = checked_columns(columns, _pairs(frame))
    known = _coverage(coverage, masses)
    n_sets = (1 << len(frame)) - 1
    inside = _conditioning(len(frame))
    batch = masses.shape[2:]
    store = np.empty((n_sets, int(np.prod(batch))))
    rows = masses.reshape(3, masses.shape[1], -1).astype(np.float64)
    for row in range(store.shape[1]):
        if known is None:
            differences = rows[:, :, row, np.newaxis] * inside.sum(axis=0) - inside
        else:
            differences = _covered(rows[..., row], known[:, row], inside)
        store[:, row] = least_squares_on_simplex(differences.reshape(-1, n_sets))
    return MassFunction.from_store(
        frame, np.arange(1, n_sets + 1), store.reshape(len(store), *batch)
    )


def _pairs(frame: Frame) -> NDArray[np.int8]:
    if len(frame) > MAX_PAIRWISE:
        raise ValueError(
            f"{len(frame)} classes have {(1 << len(frame)) - 1} sets, too many unknowns for a "
            f"least-squares problem per sample (at most {MAX_PAIRWISE} classes); use code_beliefs"
        )
    return code_matrix("all_pairs", len(frame))


def _coverage(coverage: ArrayLike | None, masses: NDArray[Any]) -> Floats | None:
    if coverage is None:
        return None
    values = as_floats(coverage, "coverage")
    if values.shape != masses.shape[1:]:
        raise ValueError(
            f"coverage has shape {values.shape}, expected {masses.shape[1:]}, as the columns"
        )
    if not ((values >= 0) & (values <= 1)).all():
        raise ValueError("coverage is a plausibility, expected numbers from 0 to 1")
    return values.reshape(len(values), -1)


def _conditioning(n_classes: int) -> Floats:
    """(3, B, 2^K - 1): whether a set has the second of a pair alone, the first, or both."""
    sets = np.arange(1, 1 << n_classes)
    first, second = np.triu_indices(n_classes, 1)
    has_first = (sets >> first[:, np.newaxis]) & 1
    has_second = (sets >> second[:, np.newaxis]) & 1
    parts = [(1 - has_first) * has_second, has_first * (1 - has_second), has_first * has_second]
    return np.stack(parts).astype(np.float64)


def _covered(masses: Floats, coverage: Floats, inside: Floats) -> Floats:
    """Coefficients (4, B, 2^K - 1); constants are multiples of the sum of all masses."""
    constants = np.concatenate([masses * coverage, 1 - coverage[np.newaxis]])
    outside = 1 - inside.sum(axis=0, keepdims=True)
    return np.asarray(constants[..., np.newaxis] - np.concatenate([inside, outside]))
