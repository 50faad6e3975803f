"""Heads of prototypes on scikit-learn's digits: ours, torchbelief's, and prototypes of pixels.

Run with ``python -m tests.benchmarks.bench_tensor_digits`` from the repository, with torch (one
thread). Each row has the mean share of correct classifications on the other half of the images,
over five splits, its standard error, and the median seconds of a fit. All heads of torch read the
pixels and are trained by Adam in 200 steps on all samples, with the log loss of betp.
"""

import time
from importlib.util import find_spec

import numpy as np
import torch
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split

from dstheory import tensor
from evical.learners import EvidentialNeuralClassifier

N_PROTOTYPES = 30
N_SPLITS = 5


def trained(head, probabilities, X, y, steps=200):
    """A head of torch after training, as a function from images to classes."""
    x, target = torch.tensor(X), torch.tensor(y)
    optimizer = torch.optim.Adam(head.parameters(), lr=0.02)
    for _ in range(steps):
        optimizer.zero_grad()
        tensor.log_loss(probabilities(head(x)), target).mean().backward()
        optimizer.step()
    with torch.no_grad():
        return lambda new: probabilities(head(torch.tensor(new))).argmax(dim=-1).numpy()


def start(X, y, seed):
    return tensor.initial_prototypes(X, y, N_PROTOTYPES, rng=np.random.default_rng(seed))


def ours(X, y, seed):
    return trained(tensor.PrototypeHead(start(X, y, seed)), tensor.betp, X, y)


def network(X, y, seed):
    """A layer of 16 units before the head."""
    torch.manual_seed(seed)
    layer = torch.nn.Sequential(torch.nn.Linear(64, 16), torch.nn.Tanh())
    with torch.no_grad():
        features = layer(torch.tensor(X)).numpy()
    model = torch.nn.Sequential(*layer, tensor.PrototypeHead(start(features, y, seed)))
    return trained(model, tensor.betp, X, y)


def torchbelief(X, y, seed, from_data=False):
    import torchbelief

    torch.manual_seed(seed)
    frame = torchbelief.Frame(10)
    init = torch.tensor(start(X, y, seed)["prototypes"]) if from_data else None
    head = torchbelief.PrototypeHead(64, frame, N_PROTOTYPES, init)
    return trained(head, lambda m: torchbelief.pignistic(m, frame), X, y)


def pixels(X, y, seed):
    return (
        EvidentialNeuralClassifier(n_prototypes=N_PROTOTYPES, random_state=seed).fit(X, y).predict
    )


def main():
    torch.set_num_threads(1)
    images, labels = load_digits(return_X_y=True)
    images = np.float32(images / 16)
    fits = {
        "EvidentialNeuralClassifier": pixels,
        "tensor.PrototypeHead": ours,
        "a layer of 16 units and tensor.PrototypeHead": network,
    }
    if find_spec("torchbelief") is not None:
        fits["torchbelief.PrototypeHead"] = torchbelief
        fits["torchbelief.PrototypeHead, our prototypes"] = lambda *a: torchbelief(*a, True)
    for name, fit in fits.items():
        shares, seconds = [], []
        for seed in range(N_SPLITS):
            X, X_new, y, y_new = train_test_split(images, labels, test_size=0.5, random_state=seed)
            began = time.perf_counter()
            predict = fit(X, y, seed)
            seconds.append(time.perf_counter() - began)
            shares.append((predict(X_new) == y_new).mean())
        error = np.std(shares, ddof=1) / np.sqrt(N_SPLITS)
        print(f"{name:<48} {np.mean(shares):.3f} ± {error:.3f}  {np.median(seconds):.2f} s")


if __name__ == "__main__":
    main()
