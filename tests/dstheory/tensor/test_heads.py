"""Heads equal combined evidence, and `latent_evidence`; they train, and fade far away."""

import pickle

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.linear_model import LogisticRegression

from dstheory import Frame, MassFunction, combine, tensor
from dstheory.errors import CostLimitError
from evical.learners import latent_evidence
from tests.support.each import each
from tests.support.namespaces import INSTALLED, TOLERANCE, array, floats, results

X, Y = load_iris(return_X_y=True)
RNG = np.random.default_rng(0)
PROTOTYPES = {
    "prototypes": X[::30] + 0.1,
    "membership": RNG.normal(size=(5, 3)),
    "reliability": RNG.normal(size=5),
    "scale": RNG.random(5),
}


def combined_prototypes(parameters, x):
    """Denoeux (2000): a mass function for each prototype, and Dempster's rule."""
    frame = Frame(range(3))
    alpha = 1 / (1 + np.exp(-parameters["reliability"]))
    share = np.exp(parameters["membership"])
    share /= share.sum(axis=1, keepdims=True)
    sources = []
    for i, p in enumerate(parameters["prototypes"]):
        distance = ((x - p) ** 2).sum(axis=1)
        certain = alpha[i] * np.exp(-(parameters["scale"][i] ** 2) * distance)
        masses = np.column_stack([certain[:, np.newaxis] * share[i], 1 - certain])
        sources.append(MassFunction(frame, [1, 2, 4, 7], masses))
    m = combine.dempster(*sources)
    return np.stack([m.mass(mask=mask) for mask in (1, 2, 4, 7)], axis=-1)


def layer_of(model, reference):
    """The parameters of a softmax layer."""
    mean = reference.mean(axis=0)
    return {"coef": model.coef_.T, "intercept": model.intercept_, "mean": mean}


@pytest.fixture(scope="module")
def model():
    return LogisticRegression(max_iter=1000).fit(X, Y)


@each("library", INSTALLED)
def test_heads_equal_their_oracles(library, model):
    layer = layer_of(model, X)
    evidence = latent_evidence(model, X[::9], reference=X)
    m = evidence.mass()
    calls = {
        "prototypes": lambda p, layer, x: tensor.prototype_mass(p, x),
        "table": lambda p, layer, x: tensor.logit_mass(layer, x),
        "bel": lambda p, layer, x: tensor.logit_bounds(layer, x)[0],
        "pl": lambda p, layer, x: tensor.logit_bounds(layer, x)[1],
    }
    wanted = {
        "prototypes": combined_prototypes(PROTOTYPES, X[::9]),
        "table": np.stack([m.mass(mask=mask) for mask in range(8)], axis=-1),
        "bel": evidence.interval()[..., 0],
        "pl": m.contour(),
    }
    for dtype in ("float64", "float32"):
        given = [
            {name: array(library, v, dtype) for name, v in parameters.items()}
            for parameters in (PROTOTYPES, layer)
        ]
        found = results(library, calls, *given, array(library, X[::9], dtype))
        for name, values in found.items():
            # The coefficients times features are up to 30, and are rounded before.
            scale = 1 if name == "prototypes" or dtype == "float64" else 20
            gap = np.abs(floats(values) - wanted[name]).max()
            assert gap <= scale * TOLERANCE[dtype], (dtype, name)


def test_many_classes_have_bounds_and_a_softmax():
    """Without evidence against classes and with; the contour is the softmax of the outputs."""
    layer = {
        "coef": RNG.normal(size=(7, 1000)) * RNG.integers(0, 2, (7, 1000)),
        "intercept": RNG.normal(size=1000),
        "mean": np.zeros(7),
    }
    features = RNG.normal(size=(3, 7))
    bel, pl = tensor.logit_bounds(layer, features)
    outputs = features @ layer["coef"] + layer["intercept"]
    softmax = tensor.normalize(outputs)
    np.testing.assert_allclose(pl / pl.sum(axis=1, keepdims=True), softmax, atol=1e-12)
    assert (bel >= 0).all()
    assert (bel <= pl).all()
    few = {**layer, "coef": layer["coef"][:, :10], "intercept": layer["intercept"][:10]}
    table, (bel, pl) = tensor.logit_mass(few, features), tensor.logit_bounds(few, features)
    np.testing.assert_allclose(bel, table[:, 2 ** np.arange(10)], atol=1e-14)
    np.testing.assert_allclose(pl.sum(axis=1), table @ [bin(s).count("1") for s in range(1024)])


def test_dirichlet_evidence():
    """Sensoy et al. (2018), exactly; betp is the mean of the distribution."""
    evidence = np.array([[0.0, 0.0, 0.0], [9.0, 0.0, 0.0], [1e300, 1e300, 0.0]])
    m = tensor.dirichlet_mass(evidence)
    np.testing.assert_allclose(m[0], [0, 0, 0, 1])
    np.testing.assert_allclose(m[1], np.array([9, 0, 0, 3]) / 12)
    np.testing.assert_allclose(m[2], [0.5, 0.5, 0, 0], atol=1e-15)
    np.testing.assert_allclose(tensor.betp(m)[1], np.array([10, 1, 1]) / 12)


@each("library", INSTALLED)
def test_extreme_parameters_have_finite_gradients_in_float32(library):
    """At a prototype, far from all, and with prototypes that are certain."""
    parameters = {**PROTOTYPES, "reliability": np.array([0.0, 99.0, -99.0, 30.0, 1.0])}
    x = np.concatenate([parameters["prototypes"], X[:2] + 1e4])
    if library == "jax.numpy":
        import jax

        given = {name: array(library, v, "float32") for name, v in parameters.items()}

        def cost(given, x):
            return tensor.log_loss(tensor.betp(tensor.prototype_mass(given, x)), zeros).sum()

        zeros = jax.numpy.zeros(len(x), int)
        found = jax.jit(jax.grad(cost, argnums=(0, 1)))(given, array(library, x, "float32"))
        gradients = [*found[0].values(), found[1]]
    elif library == "torch":
        import torch

        head = tensor.PrototypeHead(parameters).float()
        leaf = torch.tensor(x, dtype=torch.float32, requires_grad=True)
        m = head(leaf)
        tensor.log_loss(tensor.betp(m), torch.zeros(len(x), dtype=torch.int64)).sum().backward()
        gradients = [leaf.grad, *(p.grad for p in head.parameters())]
        np.testing.assert_allclose(floats(m[-2:]), np.eye(4)[[3, 3]])
    else:
        m = tensor.prototype_mass(parameters, x)
        np.testing.assert_allclose(m.sum(axis=1), 1)
        gradients = []
    assert all(np.isfinite(floats(g)).all() for g in gradients)


def test_initial_prototypes_classify_iris():
    """Without any training."""
    parameters = tensor.initial_prototypes(X, Y, 6, rng=np.random.default_rng(0))
    m = tensor.prototype_mass(parameters, X)
    assert (m[:, :-1].argmax(axis=1) == Y).mean() > 0.85
    assert {name: v.shape for name, v in parameters.items()} == {
        "prototypes": (6, 4),
        "membership": (6, 3),
        "reliability": (6,),
        "scale": (6,),
    }
    single = tensor.initial_prototypes(X.astype("float32"), Y, 6, rng=np.random.default_rng(0))
    assert {v.dtype.name for v in single.values()} == {"float32"}
    same = tensor.initial_prototypes(np.ones((4, 1)), Y[:4], 2, rng=np.random.default_rng(0))
    assert np.isfinite(tensor.prototype_mass(same, np.ones((1, 1)))).all()


def test_modules_of_torch_train_and_are_saved(model):
    torch = pytest.importorskip("torch")
    x, y = torch.tensor(X, dtype=torch.float32), torch.tensor(Y)
    start = tensor.initial_prototypes(X, Y, 6, rng=np.random.default_rng(0))
    head = tensor.PrototypeHead(start).float()
    layer = tensor.LogitHead(layer_of(model, X)).float()
    assert not layer.values["mean"].requires_grad

    def cost_of_head():
        return tensor.log_loss(tensor.betp(head(x)), y).mean()

    def cost_of_layer():
        _, pl = layer(x)
        return tensor.log_loss(pl / pl.sum(dim=-1, keepdim=True), y).mean()

    for module, cost in ((head, cost_of_head), (layer, cost_of_layer)):
        optimizer = torch.optim.Adam(module.parameters(), lr=0.05)
        costs = []
        for _ in range(25):
            optimizer.zero_grad()
            costs.append(cost())
            costs[-1].backward()
            optimizer.step()
        assert costs[-1] < 0.95 * costs[0]
        copied = pickle.loads(pickle.dumps(module))
        copied.load_state_dict(module.state_dict())
        torch.testing.assert_close(copied(x), module(x))
    np.testing.assert_allclose(floats(layer.mass(x))[:, [1, 2, 4]], floats(layer(x)[0]), atol=1e-5)


RNG_AGAIN = np.random.default_rng(0)
LAYER = {"coef": np.ones((4, 13)), "intercept": np.ones(13), "mean": np.ones(4)}
BAD = {
    "features": (
        lambda: tensor.prototype_mass(PROTOTYPES, X[:, :2]),
        ValueError,
        "prototypes has shape .5, 4., expected .R, d. with d = 2",
    ),
    "whole features": (lambda: tensor.prototype_mass(PROTOTYPES, Y), TypeError, "type int64"),
    "no parameter": (lambda: tensor.prototype_mass({}, X), ValueError, "lack prototypes, member"),
    "prototypes": (
        lambda: tensor.prototype_mass({**PROTOTYPES, "scale": np.ones(4)}, X),
        ValueError,
        "scale has shape .4,., expected .R. with d = 4, R = 5, K = 3",
    ),
    "13 classes": (lambda: tensor.logit_mass(LAYER, X), CostLimitError, "13 labels"),
    "layer": (lambda: tensor.logit_bounds(LAYER, X[:, :2]), ValueError, "mean has shape .4,"),
    "intercept": (
        lambda: tensor.logit_mass({**LAYER, "intercept": np.ones((1, 13))}, X),
        ValueError,
        "intercept has shape .1, 13., expected .K. with J = 4, K = 13",
    ),
    "negative": (
        lambda: tensor.dirichlet_mass(np.array([-1.0])),
        ValueError,
        "negative or not finite",
    ),
    "a class is missing": (
        lambda: tensor.initial_prototypes(X, Y + 1, 6, rng=RNG_AGAIN),
        ValueError,
        r"classes \[1, 2, 3\], expected 0",
    ),
    "text": (
        lambda: tensor.initial_prototypes(X, Y.astype(str), 6, rng=RNG_AGAIN),
        ValueError,
        "expected 0",
    ),
    "too few": (
        lambda: tensor.initial_prototypes(X, Y, 2, rng=RNG_AGAIN),
        ValueError,
        "at least 3",
    ),
    "shapes": (lambda: tensor.initial_prototypes(X[0], Y, 6, rng=RNG_AGAIN), ValueError, r"\(4,\)"),
    "NaN": (lambda: tensor.initial_prototypes(X * np.nan, Y, 6, rng=RNG_AGAIN), ValueError, "NaN"),
    "a seed": (lambda: tensor.initial_prototypes(X, Y, 6, rng=0), TypeError, "rng is 0"),
}


@each("name", list(BAD))
def test_bad_input(name):
    call, kind, message = BAD[name]
    with pytest.raises(kind, match=message):
        call()


def test_other_names_and_missing_libraries(monkeypatch):
    with pytest.raises(AttributeError, match=r"'dstheory\.tensor' has no attribute 'nothing'"):
        _ = tensor.nothing
    assert {"LogitHead", "PrototypeHead"} <= set(dir(tensor))
    monkeypatch.setattr("dstheory.optional.find_spec", lambda name: None)
    for package, ask in {
        "torch": lambda: tensor.PrototypeHead,
        "array_api_compat": lambda: tensor.betp(X),
    }.items():
        with pytest.raises(ModuleNotFoundError, match=f"needs {package}; install it with"):
            ask()
