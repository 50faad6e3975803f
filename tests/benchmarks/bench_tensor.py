"""Dempster's rule on arrays beside `dstheory.dempster`, and on tensors of torch beside torchbelief.

Masses are of single classes and the frame, or of all sets; torch takes part where it is installed,
with one thread, in float32 and with gradients.
"""

import numpy as np
import pytest

import dstheory
from dstheory import Frame, MassFunction, tensor
from dstheory.tensor import dense

N_PAIRS = {4: 10**5, 1000: 10**4}


def sources(n_classes):
    size = (2, N_PAIRS[n_classes])
    return np.random.default_rng(0).dirichlet(np.ones(n_classes + 1), size)


def tables():
    """Of four labels; nothing on the empty set."""
    masses = np.random.default_rng(0).dirichlet(np.ones(15), (2, N_PAIRS[4]))
    return np.concatenate([np.zeros((2, N_PAIRS[4], 1)), masses], axis=-1)


def tensors(pair):
    torch = pytest.importorskip("torch")
    torch.set_num_threads(1)
    return [torch.tensor(m, dtype=torch.float32, requires_grad=True) for m in pair]


def forward_and_backward(rule, pair):
    for m in pair:
        m.grad = None
    rule(*pair)[..., 1].sum().backward()


@pytest.mark.benchmark(group="NumPy, K = 4: classes and the frame")
def test_numpy(benchmark):
    benchmark(tensor.dempster, *sources(4))


@pytest.mark.benchmark(group="NumPy, K = 4: classes and the frame")
def test_numpy_alternative(benchmark):
    pair = [MassFunction(Frame(range(4)), [1, 2, 4, 8, 15], m) for m in sources(4)]
    benchmark(dstheory.dempster, *pair)


@pytest.mark.benchmark(group="NumPy, K = 4: all sets")
def test_numpy_tables(benchmark):
    benchmark(dense.dempster, *tables())


@pytest.mark.benchmark(group="NumPy, K = 4: all sets")
def test_numpy_tables_alternative(benchmark):
    pair = [MassFunction(Frame(range(4)), range(16), m) for m in tables()]
    benchmark(dstheory.dempster, *pair)


@pytest.mark.benchmark(group="NumPy, K = 1,000")
@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_numpy_many_classes(benchmark, dtype):
    benchmark(tensor.dempster, *sources(1000).astype(dtype))


@pytest.mark.benchmark(group="torch, K = 4")
@pytest.mark.parametrize("rule", [tensor.dempster, dense.dempster], ids=["classes", "all sets"])
def test_torch(benchmark, rule):
    benchmark(rule, *tensors(sources(4) if rule is tensor.dempster else tables()))


@pytest.mark.benchmark(group="torch, K = 4")
def test_torch_alternative(benchmark):
    torchbelief = pytest.importorskip("torchbelief")
    frame = torchbelief.Frame(4)
    benchmark(lambda *pair: torchbelief.dempster(*pair, frame)[0], *tensors(tables()))


@pytest.mark.benchmark(group="torch, K = 4, with gradients")
@pytest.mark.parametrize("rule", [tensor.dempster, dense.dempster], ids=["classes", "all sets"])
def test_torch_gradients(benchmark, rule):
    pair = tensors(sources(4) if rule is tensor.dempster else tables())
    benchmark(forward_and_backward, rule, pair)


@pytest.mark.benchmark(group="torch, K = 4, with gradients")
def test_torch_gradients_alternative(benchmark):
    torchbelief = pytest.importorskip("torchbelief")
    frame = torchbelief.Frame(4)
    benchmark(
        forward_and_backward,
        lambda *pair: torchbelief.dempster(*pair, frame)[0],
        tensors(tables()),
    )


@pytest.mark.benchmark(group="torch, K = 1,000")
def test_torch_many_classes(benchmark):
    pair = [m.detach() for m in tensors(sources(1000))]
    benchmark(tensor.dempster, *pair)
