"""Couplings of answers from one end of the floating-point numbers to the other."""

import numpy as np

from evical.multiclass import code_matrix, hastie_tibshirani, least_squares
from evical.multiclass.coupling import coupling_divergence
from tests.support.each import each

ANSWERS = [0, 5e-324, 1e-300, 1e-150, 1e-80, 1e-20, 0.5, 1 - 1e-16, 1]


@each("weighted", [False, True])
@each("kind", ["one_vs_rest", "all_pairs", "sparse"])
def test_every_result_is_a_distribution(kind, weighted):
    rng = np.random.default_rng(0)
    code = code_matrix(kind, 5, random_state=0)
    r = rng.choice(ANSWERS, (200, code.shape[1]))
    weights = 10.0 ** rng.integers(-6, 7, code.shape[1]) if weighted else None
    results = [least_squares(r, code, weights)]
    for update in ("scoring", "minorize", "zadrozny"):
        results.append(hastie_tibshirani(r, code, weights, update=update, max_iter=40))
    for p in results:
        assert (p >= 0).all()
        np.testing.assert_allclose(p.sum(axis=1), 1, rtol=1e-12)
        assert not np.isnan(coupling_divergence(p, r, code, weights)).any()
