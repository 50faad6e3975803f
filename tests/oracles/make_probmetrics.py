"""Write probmetrics.json: what calibrators of the package probmetrics predict for a few samples.

Run ``python -m tests.oracles.make_probmetrics`` where that package, numba and numpy are installed.
Probabilities are multiples of 2**-10, which its float32 holds exactly.
"""

import json
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import pytest

# A collection of the tests, which reads this file for doctests, goes on without it.
logistic = pytest.importorskip("probmetrics.calibrators.logistic")

_UNIT = 1 << 10


def table(rng: np.random.Generator, n: int, k: int, spread: float) -> np.ndarray:
    """Rows of probabilities, overconfident for a great spread; of two classes none is 0 or 1.

    There the definitions differ: the package cuts logarithms off, and ours the log-odds.
    """
    z = rng.normal(0.0, spread, (n, k))
    p = np.exp(z - z.max(axis=1, keepdims=True))
    whole = np.maximum(np.floor(_UNIT * p / p.sum(axis=1, keepdims=True)), 2 if k == 2 else 0)
    whole[np.arange(n), whole.argmax(axis=1)] += _UNIT - whole.sum(axis=1)
    return whole / _UNIT


def labels(rng: np.random.Generator, p: np.ndarray, shift: np.ndarray) -> np.ndarray:
    """Classes drawn from probabilities with other confidence and other shares."""
    q = np.maximum(p, 1e-3) ** 0.5 * np.exp(shift)
    q /= q.sum(axis=1, keepdims=True)
    return (rng.random((len(p), 1)) > q.cumsum(axis=1)).sum(axis=1)


def predicted(calibrator: Any, case: dict[str, Any], at: np.ndarray) -> list[Any]:
    fitted = calibrator.fit(np.array(case["p"]), np.array(case["y"]))
    return np.asarray(fitted.predict_proba(at), dtype=np.float64).tolist()


def binary(rng: np.random.Generator, n: int, spread: float) -> dict[str, Any]:
    p = table(rng, n, 2, spread)
    z = np.log(np.maximum(p[:, 1], 1e-3)) - np.log(np.maximum(p[:, 0], 1e-3))
    y = rng.random(n) < 1 / (1 + np.exp(-(0.5 + 0.6 * z - 0.1 * z * z)))
    case = {"p": p.tolist(), "y": y.astype(int).tolist()}
    at = table(rng, 12, 2, spread)
    found = predicted(logistic.BinaryLogisticCalibrator(type="quadratic"), case, at)
    return {**case, "at": at.tolist(), "quadratic": found}


def many(rng: np.random.Generator, n: int, k: int, spread: float, right: bool) -> dict[str, Any]:
    p = table(rng, n, k, spread)
    y = p.argmax(axis=1) if right else labels(rng, p, np.linspace(-0.5, 0.5, k))
    y[:k] = np.arange(k)  # each class
    if right:
        p[:k] = (np.eye(k) * 512 + np.eye(k)[::-1] * 256 + 0.0)[:k] / _UNIT
        p[np.arange(k), np.arange(k)] += 1 - p[:k].sum(axis=1)
    case = {"p": p.tolist(), "y": y.tolist()}
    at = table(rng, 8, k, spread)
    return {
        **case,
        "at": at.tolist(),
        "sms": predicted(logistic.SMSCalibrator(), case, at),
        "svs": predicted(logistic.SVSCalibrator(), case, at),
        "sms_weak": predicted(
            logistic.SMSCalibrator(
                lambda_intercept=0.1, lambda_diagonal=0.2, lambda_off_diagonal=0.3, rho=0.5, tau=0.9
            ),
            case,
            at,
        ),
    }


def main() -> None:
    rng = np.random.default_rng(0)
    found = {
        "about": (
            "Predictions at rows 'at' of BinaryLogisticCalibrator(type='quadratic'), "
            "SMSCalibrator(), SVSCalibrator() and, as sms_weak, SMSCalibrator(lambda_intercept="
            "0.1, lambda_diagonal=0.2, lambda_off_diagonal=0.3, rho=0.5, tau=0.9), each after "
            ".fit(p, y); by python -m tests.oracles.make_probmetrics"
        ),
        "versions": {
            name: version(name) for name in ("probmetrics", "torch", "scikit-learn", "numpy")
        },
        "binary": [binary(rng, n, spread) for n, spread in ((60, 1.0), (150, 2.5))],
        "many": [
            many(rng, *case)
            for case in ((90, 3, 2.0, False), (120, 5, 3.0, False), (40, 3, 2.0, True))
        ],
    }
    text = json.dumps(found).replace("], [", "],\n[").replace(', "', ',\n"')
    Path(__file__).with_name("probmetrics.json").write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
