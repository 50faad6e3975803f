"""Gradients equal finite differences, in JAX and torch alike, and are finite at masses 0 and 1."""

from functools import cache
from importlib.util import find_spec

import numpy as np
import pytest

from dstheory import tensor
from dstheory.tensor import dense
from tests.support.each import each
from tests.support.namespaces import array, floats, results

HAVE = [name for name in ("jax", "torch") if find_spec(name) is not None]
if not HAVE:
    pytest.skip("neither JAX nor torch is installed", allow_module_level=True)
RNG = np.random.default_rng(0)
PARAMETERS = {
    "prototypes": RNG.normal(size=(5, 4)),
    "membership": RNG.normal(size=(5, 3)),
    "reliability": RNG.normal(size=5),
    "scale": RNG.random(5),
}
LAYER = {
    "coef": RNG.normal(size=(4, 3)),
    "intercept": RNG.normal(size=3),
    "mean": RNG.normal(size=4),
}


def library_of(a):
    return next(name for name in ("jax.numpy", "torch", "numpy") if name[:3] in str(type(a)))


def with_parameters(function, parameters):
    def call(a, b):
        from dstheory.tensor import _arrays

        xp = _arrays.namespace(a)
        return function({name: _arrays.like(xp, v, a) for name, v in parameters.items()}, a + b)

    return call


def loss(function):
    """With class 1 as the true one of each row."""

    def call(a, b):
        from dstheory.tensor import _arrays

        xp = _arrays.namespace(a)
        return function(a, b, xp.ones_like(a[..., 0], dtype=xp.int32))[..., None]

    return call


# All for two sources of three classes, (..., 4): masses of classes and the frame, or tables of 2
# labels.
CALLS = {
    "pl": lambda a, b: tensor.pl(a),
    "betp": lambda a, b: tensor.betp(b),
    "plausibility transform": lambda a, b: tensor.plausibility_transform(a),
    "upper expectation": lambda a, b: tensor.expectations(a, [[1.0, 0.0, 0.5]])[1],
    "normalize": lambda a, b: tensor.normalize(a - b),
    "discount": lambda a, b: tensor.discount(a, rate=b[..., 0]),
    "contextual discount": lambda a, b: tensor.contextual_discount(a, rates=b[..., 1:]),
    "mean": lambda a, b: tensor.mean(a, b, weights=[0.25, 0.75]),
    "conjunctive": lambda a, b: tensor.conjunctive(a, b)[0],
    "conflict": lambda a, b: tensor.conjunctive(a, b)[1][..., None],
    "dempster": lambda a, b: tensor.dempster(a, b),
    "cautious": lambda a, b: tensor.cautious(a, b),
    "dense dempster": lambda a, b: dense.dempster(a, b),
    "dense disjunctive": lambda a, b: dense.disjunctive(a, b),
    "dense betp": lambda a, b: dense.betp(a),
    "prototype mass": with_parameters(tensor.prototype_mass, PARAMETERS),
    "dirichlet mass": lambda a, b: tensor.dirichlet_mass(a[..., :3]),
    "logit mass": with_parameters(tensor.logit_mass, LAYER),
    "logit bounds": with_parameters(lambda p, x: tensor.logit_bounds(p, x)[0], LAYER),
    "log loss": loss(lambda a, b, y: tensor.log_loss(tensor.betp(a), y)),
    "brier loss": loss(lambda a, b, y: tensor.brier_loss(tensor.betp(a), y)),
    "utility loss": loss(lambda a, b, y: tensor.utility_loss(a, y)),
}
WEIGHTS = np.array([0.3, -1.0, 0.7, 0.2, 0.4, -0.6, 0.1, 0.8])


def summed(call):
    """A number of both sources, whose gradient depends on all entries of the result."""

    def number(a, b):
        found = call(a, b)
        weights = array(library_of(a), WEIGHTS[: found.shape[-1]])
        return (found * weights).sum()

    return number


def sources(n=5):
    """Masses inside of (0, 1), for which finite differences exist."""
    return RNG.dirichlet(np.ones(4) * 3, (2, n))


@cache
def gradients_of_jax():
    """Of all calls, compiled in one piece and for one shape: that takes seconds."""
    import jax

    grads = {name: jax.grad(summed(call), argnums=(0, 1)) for name, call in CALLS.items()}
    return jax.jit(lambda a, b: {name: grad(a, b) for name, grad in grads.items()})


def gradients(library, calls, a, b):
    """Name to both gradients of the summed result, of sources (5, 4)."""
    if library == "jax":
        found = gradients_of_jax()(array("jax.numpy", a), array("jax.numpy", b))
        return {name: [floats(g) for g in found[name]] for name in calls}
    import torch

    found = {}
    for name, call in calls.items():
        leaves = [torch.tensor(m, requires_grad=True) for m in (a, b)]
        summed(call)(*leaves).backward()
        found[name] = [np.zeros(a.shape) if m.grad is None else floats(m.grad) for m in leaves]
    return found


def finite_differences(call, a, b, step=1e-6):
    """Along directions in which masses keep their sum, by which the gradient is multiplied."""
    rows, found = [], []
    for side, place in np.ndindex(2, 3):
        direction = np.zeros((2, 1, 4))
        direction[side, 0, place + 1 - side], direction[side, 0, place - side] = 1, -1
        ahead, behind = (call(*(np.stack([a, b]) + s * direction)) for s in (step, -step))
        weights = WEIGHTS[: ahead.shape[-1]]
        found.append(((ahead - behind) * weights).sum(axis=-1) / (2 * step))
        rows.append(direction)
    return rows, np.array(found)


@each("library", HAVE)
def test_gradients_equal_finite_differences(library):
    a, b = sources()
    for name, found in gradients(library, CALLS, a, b).items():
        for direction, slope in zip(*finite_differences(CALLS[name], a, b), strict=True):
            along = (np.stack(found) * direction).sum(axis=(0, -1))
            np.testing.assert_allclose(along, slope, atol=1e-6, rtol=1e-6, err_msg=name)


def test_jax_and_torch_agree():
    if len(HAVE) < 2:
        pytest.skip("JAX and torch are not both installed")
    a, b = sources()
    one, other = (gradients(library, CALLS, a, b) for library in HAVE)
    for name, found in one.items():
        np.testing.assert_allclose(found, other[name], atol=1e-12, err_msg=name)


EDGES = {
    "closed": (
        [[1.0, 0, 0, 0], [0.0, 1, 0, 0], [0.0, 0, 0, 1], [0.0, 0, 0.5, 0.5], [1.0, 0, 0, 0]],
        [[0.5, 0, 0, 0.5], [0.0, 0, 0, 1], [0.0, 0, 0, 1], [0.5, 0, 0, 0.5], [0.5, 0, 0, 0.5]],
    ),
    "tables": (
        [[0.0, 1, 0, 0], [0.0, 0, 1, 0], [0.0, 0, 0, 1], [0.0, 0, 0.5, 0.5], [0.0, 1, 0, 0]],
        [[0.0, 0.5, 0, 0.5], [0.0, 0, 0, 1], [0.0, 0, 0, 1], [0.0, 0.5, 0, 0.5], [0.0, 0, 0, 1]],
    ),
}


@each("library", HAVE)
def test_gradients_are_finite_at_masses_0_and_1(library):
    for group, edges in EDGES.items():
        is_table = group == "tables"
        calls = {name: call for name, call in CALLS.items() if name.startswith("dense") == is_table}
        for name, found in gradients(library, calls, *map(np.array, edges)).items():
            assert np.isfinite(found).all(), name


@each("library", HAVE)
def test_vmap_equals_a_batch(library):
    a, b = sources(4)
    if library == "jax":
        import jax

        mapped = {name: jax.vmap(call) for name, call in CALLS.items()}
        found = results("jax.numpy", mapped, array("jax.numpy", a), array("jax.numpy", b))
    else:
        import torch

        pair = torch.tensor(a), torch.tensor(b)
        found = {name: torch.vmap(call)(*pair) for name, call in CALLS.items()}
    for name, values in found.items():
        np.testing.assert_allclose(floats(values), CALLS[name](a, b), atol=1e-12, err_msg=name)


def test_torch_compiles_in_one_piece():
    torch = pytest.importorskip("torch")
    a, b = map(torch.tensor, sources())
    for name in ("dempster", "log loss", "dense dempster"):
        call = CALLS[name]
        compiled = torch.compile(call, fullgraph=True, backend="eager")
        np.testing.assert_allclose(floats(compiled(a, b)), floats(call(a, b)), err_msg=name)


def test_values_are_not_checked_while_they_are_traced():
    """Total conflict is NaN then, as documented, and masses of any sum pass."""
    jax = pytest.importorskip("jax")
    from jax import numpy as jnp

    sure, other = jnp.asarray([1.0, 0.0, 0.0]), jnp.asarray([0.0, 1.0, 0.0])
    assert np.isnan(jax.jit(tensor.dempster)(sure, other)).all()
    assert jax.jit(tensor.betp)(2 * sure).tolist() == [2, 0]
    with pytest.raises(ValueError, match="lengths 3, 2"):
        jax.jit(tensor.dempster)(sure, other[:2])
