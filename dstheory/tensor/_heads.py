"""Last layers of networks whose outputs are mass functions, as functions of their parameters.

Evidence of weight w for a class has the mass 1 - exp(-w) for it, and weights for the same class add
up (Shafer 1976, ch. 5). So masses of classes and the frame follow from K weights, in proportion to
exp(w) - 1 and to 1. Denoeux (2000, 2019); Sensoy, Kaplan & Kandemir (2018).
"""

from collections.abc import Mapping

import numpy as np

from dstheory.checks.arguments import as_array, check_count, check_rng, shown
from dstheory.tensor._arrays import (
    Namespace,
    Tensor,
    check_floating,
    check_labels,
    constant,
    holds,
    like,
    matmul,
    namespace,
)


def initial_prototypes(
    X: Tensor, y: Tensor, n_prototypes: int, *, rng: np.random.Generator
) -> dict[str, Tensor]:
    """Compute parameters of a prototype head from samples, to start training from.

    Parameters
    ----------
    X : (n, d) array
        Features, of any library.
    y : (n,) array of int
        Classes 0 ... K - 1, each with a sample.
    n_prototypes : int
        At least one per class; each class gets as many, up to a remainder.
    rng : numpy.random.Generator

    Returns
    -------
    dict
        Arrays of NumPy, of the type of `X`: "prototypes" (R, d), means of nearby samples of a
        class; "membership" (R, K), logits of the class; "reliability" (R,), logits of alpha; and
        "scale" (R,), roots of gamma.

    Raises
    ------
    TypeError
        If an argument is of a wrong kind.
    ValueError
        If shapes or values do not fit.

    References
    ----------
    Denoeux (2000), IEEE Transactions on Systems, Man, and Cybernetics A 30, 131-150.

    Examples
    --------
    >>> X, y = np.array([[0.0], [1.0], [5.0], [6.0]]), np.array([0, 0, 1, 1])
    >>> initial_prototypes(X, y, 2, rng=np.random.default_rng(0))["prototypes"].tolist()
    [[0.5], [5.5]]
    """
    check_rng(rng)
    samples, classes = as_array(X, "X"), as_array(y, "y")
    if samples.ndim != 2 or classes.shape != samples.shape[:1]:
        raise ValueError(
            f"X and y have shapes {samples.shape} and {classes.shape}, expected (n, d) and (n,)"
        )
    check_floating(namespace(samples), "features", samples)
    if not np.isfinite(samples).all():
        raise ValueError("X has NaN or infinite values, expected finite ones")
    n_classes = _count_classes(classes)
    check_count("n_prototypes", n_prototypes, least=n_classes, most=len(samples))
    centers, members = [], []
    for k in range(n_classes):
        n_own = n_prototypes // n_classes + (k < n_prototypes % n_classes)
        found = _means(samples[classes == k], n_own, rng)
        centers.append(found)
        members += [k] * len(found)
    prototypes = np.concatenate(centers)
    nearest = _squared(np, samples, prototypes).min(axis=1).mean()
    width = 1 / np.sqrt(2 * max(float(nearest), float(np.finfo(samples.dtype).tiny) ** 0.5))
    dtype, n = samples.dtype, len(prototypes)
    return {
        "prototypes": prototypes.astype(dtype),
        "membership": (4 * np.eye(n_classes)[members]).astype(dtype),
        "reliability": np.zeros(n, dtype),
        "scale": np.full(n, width, dtype),
    }


def _count_classes(classes: np.ndarray) -> int:
    present = np.unique(classes)
    if classes.dtype.kind not in "iu" or present.tolist() != list(range(len(present))):
        raise ValueError(f"y has the classes {shown(present.tolist())}, expected 0 ... K - 1")
    return len(present)


def _means(samples: np.ndarray, n: int, rng: np.random.Generator) -> np.ndarray:
    """Means of at most n groups, by ten steps of k-means."""
    centers = samples[rng.permutation(len(samples))[:n]]
    for _ in range(10):
        place = _squared(np, samples, centers).argmin(axis=1)
        centers = np.stack([samples[place == r].mean(axis=0) for r in np.unique(place)])
    return centers


def prototype_mass(parameters: Mapping[str, Tensor], x: Tensor) -> Tensor:
    """Compute masses from distances to prototypes, combined by Dempster's rule.

    Parameters
    ----------
    parameters : mapping
        As of `initial_prototypes`: "prototypes" (R, d), "membership" (R, K), "reliability" (R,),
        "scale" (R,).
    x : (..., d) array

    Returns
    -------
    (..., K + 1) array
        Prototype i gives the mass alpha exp(-gamma |x - p|^2) to the classes, in proportion to the
        softmax of its memberships, and the rest to the frame.

    Raises
    ------
    TypeError, ValueError
        If types or shapes do not fit.

    References
    ----------
    Denoeux (2000), IEEE Transactions on Systems, Man, and Cybernetics A 30, 131-150.

    Examples
    --------
    >>> X, y = np.array([[0.0], [1.0], [5.0], [6.0]]), np.array([0, 0, 1, 1])
    >>> parameters = initial_prototypes(X, y, 2, rng=np.random.default_rng(0))
    >>> prototype_mass(parameters, np.array([[0.5], [99.0]])).round(2)
    array([[0.49, 0.01, 0.5 ],
           [0.  , 0.  , 1.  ]])
    """
    shapes = {"prototypes": "Rd", "membership": "RK", "reliability": "R", "scale": "R"}
    xp, (prototypes, membership, reliability, scale) = _taken(parameters, shapes, x)
    log_alpha = -xp.logaddexp(xp.zeros_like(reliability), -reliability)
    exponent = log_alpha - scale**2 * _squared(xp, x, prototypes)
    exponent = xp.clip(exponent, max=-float(xp.finfo(x.dtype).eps))
    odds = xp.exp(exponent) / -xp.expm1(exponent)  # of the share that the prototype is certain of
    top = constant(xp, xp.max(membership, axis=-1, keepdims=True))
    share = xp.exp(membership - top)
    share = share / xp.sum(share, axis=-1, keepdims=True)
    return _mass_of_weights(xp, xp.sum(xp.log1p(odds[..., None] * share), axis=-2))


def dirichlet_mass(evidence: Tensor) -> Tensor:
    """Compute masses from evidence of classes, as parameters of a Dirichlet distribution.

    Parameters
    ----------
    evidence : (..., K) array
        0 or more, such as softplus or relu of the outputs of a network.

    Returns
    -------
    (..., K + 1) array
        evidence / S for each class and K / S for the frame, where S is the sum of evidence + 1.

    Raises
    ------
    TypeError, ValueError
        If the type does not fit or evidence is negative (unless traced).

    Notes
    -----
    `betp` of it is the mean of the Dirichlet distribution.

    References
    ----------
    Sensoy, Kaplan & Kandemir (2018), Evidential deep learning to quantify classification
    uncertainty, NeurIPS, section 3.

    Examples
    --------
    >>> dirichlet_mass(np.array([2.0, 0.0]))
    array([0.5, 0. , 0.5])
    """
    xp = namespace(evidence)
    check_floating(xp, "evidence values", evidence)
    values = constant(xp, evidence)
    if not holds(xp.all((values >= 0) & xp.isfinite(values))):
        raise ValueError("evidence is negative or not finite; apply softplus to outputs first")
    n_classes = evidence.shape[-1]
    frame = xp.full_like(evidence[..., :1], float(n_classes))
    # Divided first, so that sums of large evidence do not overflow.
    largest = constant(xp, xp.clip(xp.max(evidence, axis=-1, keepdims=True), min=1.0))
    masses = xp.concat([evidence / largest, frame / largest], axis=-1)
    return masses / xp.sum(masses, axis=-1, keepdims=True)


def logit_mass(parameters: Mapping[str, Tensor], features: Tensor) -> Tensor:
    """Compute the mass functions that the softmax layer of a network is.

    Parameters
    ----------
    parameters : mapping
        "coef" (J, K) and "intercept" (K,) of the layer, and "mean" (J,) of its features over the
        training samples.
    features : (..., J) array

    Returns
    -------
    (..., 2^K) array
        Table of masses, for at most 12 classes. Its normalized contour is the softmax of the
        outputs.

    Raises
    ------
    CostLimitError
        For more than 12 classes.
    TypeError, ValueError
        If types or shapes do not fit.

    See Also
    --------
    logit_bounds : Bel and Pl of each class, for any number of them.

    Notes
    -----
    Each feature is evidence for or against each class. Among the weights that give these outputs
    the least committed are taken: outputs are centered over classes, and features at their mean
    have only their share of the mean output.

    References
    ----------
    Denoeux (2019), Logistic regression, neural networks and Dempster-Shafer theory: a new
    perspective, Knowledge-Based Systems 176, 54-67.

    Examples
    --------
    >>> layer = {"coef": np.array([[0.0, 2.0]]), "intercept": np.zeros(2), "mean": np.zeros(1)}
    >>> logit_mass(layer, np.array([1.0])).round(2)
    array([0.  , 0.  , 0.86, 0.14])
    """
    xp, supporting, opposing = _weights(parameters, features)
    n_classes = supporting.shape[-1]
    check_labels(n_classes)
    alone, _, top = _scaled(xp, supporting, opposing)
    table = xp.exp(-top)
    for k in range(n_classes):  # class k is in the random set with probability exp(-opposing)
        inside = xp.exp(-opposing[..., k : k + 1])
        table = xp.concat([-table * xp.expm1(-opposing[..., k : k + 1]), table * inside], axis=-1)
    single = np.eye(2**n_classes)[2 ** np.arange(n_classes)]
    table = table + matmul(xp, alone, like(xp, single, table))
    table = xp.concat([xp.zeros_like(table[..., :1]), table[..., 1:]], axis=-1)
    return table / xp.sum(table, axis=-1, keepdims=True)


def logit_bounds(parameters: Mapping[str, Tensor], features: Tensor) -> tuple[Tensor, Tensor]:
    """Compute belief and plausibility of each class from the softmax layer of a network.

    Parameters
    ----------
    parameters, features
        As of `logit_mass`, for any number of classes.

    Returns
    -------
    bel, pl : (..., K) arrays
        Those of `logit_mass`, in O(J K).

    Raises
    ------
    TypeError, ValueError
        If types or shapes do not fit.

    References
    ----------
    Denoeux (2019), Knowledge-Based Systems 176, 54-67.

    Examples
    --------
    >>> layer = {"coef": np.array([[0.0, 2.0]]), "intercept": np.zeros(2), "mean": np.zeros(1)}
    >>> bel, pl = logit_bounds(layer, np.array([1.0]))
    >>> bel.round(2), pl.round(2)
    (array([0.  , 0.86]), array([0.14, 1.  ]))
    """
    xp, supporting, opposing = _weights(parameters, features)
    alone, possible, top = _scaled(xp, supporting, opposing)
    inside, outside = xp.exp(-opposing - top), -xp.expm1(-opposing)
    before = _products_before(xp, outside)
    after = xp.flip(_products_before(xp, xp.flip(outside, axis=-1)), axis=-1)
    # Sets that are not empty, by their first class.
    total = xp.sum(alone + inside * before, axis=-1, keepdims=True)
    return (alone + inside * before * after) / total, possible / total


def _taken(
    parameters: Mapping[str, Tensor], shapes: Mapping[str, str], features: Tensor
) -> tuple[Namespace, list[Tensor]]:
    """Parameters in the order of their shapes, of which a letter is a length.

    The last length of the first of them is that of the features.
    """
    if not hasattr(parameters, "keys"):  # torch has mappings of its own
        raise TypeError(
            f"parameters are {shown(parameters)}, expected a mapping of names to arrays"
        )
    missing = [name for name in shapes if name not in parameters]
    if missing:
        raise ValueError(f"parameters lack {', '.join(missing)}; expected {', '.join(shapes)}")
    found = [parameters[name] for name in shapes]
    xp = namespace(features, *found)
    check_floating(xp, "features", features)
    lengths = {next(iter(shapes.values()))[-1]: int(features.shape[-1])}
    for (name, letters), value in zip(shapes.items(), found, strict=True):
        wanted = tuple(
            lengths.setdefault(letter, int(length))
            for letter, length in zip(letters, value.shape, strict=False)
        )
        if tuple(value.shape) != wanted or len(wanted) != len(letters):
            raise ValueError(
                f"{name} has shape {tuple(value.shape)}, expected ({', '.join(letters)}) with "
                f"{', '.join(f'{letter} = {length}' for letter, length in lengths.items())}"
            )
    return xp, found


def _weights(
    parameters: Mapping[str, Tensor], features: Tensor
) -> tuple[Namespace, Tensor, Tensor]:
    """Weights of all evidence for and against each class, (..., K)."""
    shapes = {"mean": "J", "coef": "JK", "intercept": "K"}
    xp, (mean, coef, intercept) = _taken(parameters, shapes, features)
    coef = coef - xp.mean(coef, axis=-1, keepdims=True)
    intercept = intercept - xp.mean(intercept)
    share = (intercept + matmul(xp, mean[None, :], coef)[0, :]) / coef.shape[0]
    weights = (features - mean)[..., None] * coef + share
    return (
        xp,
        xp.sum(xp.clip(weights, min=0.0), axis=-2),
        xp.sum(xp.clip(-weights, min=0.0), axis=-2),
    )


def _scaled(xp: Namespace, supporting: Tensor, opposing: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Mass from supporting evidence alone, and plausibility, over the largest exponent."""
    exponent = supporting - opposing  # centered, so the largest is 0 or more
    top = constant(xp, xp.max(exponent, axis=-1, keepdims=True))
    possible = xp.exp(exponent - top)
    return -possible * xp.expm1(-supporting), possible, top


def _products_before(xp: Namespace, x: Tensor) -> Tensor:
    """Products of all entries before each one, without a division: entries may be 0."""
    n = x.shape[-1]
    x = xp.concat([xp.ones_like(x[..., :1]), x[..., :-1]], axis=-1)
    step = 1
    while step < n:
        x = x * xp.concat([xp.ones_like(x[..., :step]), x[..., :-step]], axis=-1)
        step *= 2
    return x


def _mass_of_weights(xp: Namespace, weights: Tensor) -> Tensor:
    """Masses in proportion to exp(weight) - 1 for each class, and 1 for the frame."""
    top = constant(xp, xp.max(weights, axis=-1, keepdims=True))
    single = -xp.exp(weights - top) * xp.expm1(-weights)
    masses = xp.concat([single, xp.exp(-top)], axis=-1)
    return masses / xp.sum(masses, axis=-1, keepdims=True)


def _squared(xp: Namespace, x: Tensor, prototypes: Tensor) -> Tensor:
    """Squared distances (..., R), after a shift that keeps their digits."""
    origin = constant(xp, xp.mean(prototypes, axis=0))
    x, prototypes = x - origin, prototypes - origin
    lengths = xp.sum(x**2, axis=-1, keepdims=True) + xp.sum(prototypes**2, axis=-1)
    return xp.clip(lengths - 2 * matmul(xp, x, prototypes.T), min=0.0)
