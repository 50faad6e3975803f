"""Write risk.json: risk-coverage areas of two packages, and thresholds of MAPIE's risk control.

Run ``python -m tests.oracles.make_risk`` where mapie, evtools-dst and torch-uncertainty are
installed. Probabilities are odd multiples of 2**-11, so that no threshold meets one.
"""

import importlib.util
import json
import sys
from importlib.metadata import distribution, version
from pathlib import Path
from typing import Any

import numpy as np
import pytest

# A collection of the tests, which reads this file for doctests, goes on without them.
mapie = pytest.importorskip("mapie.risk_control")
evtools = pytest.importorskip("evtools.metrics")
vectors = pytest.importorskip("evtools.dsvector")
torch = pytest.importorskip("torch")

_UNIT, CONFIDENCE = 1 << 11, 0.9


def torch_area(y: np.ndarray, p: np.ndarray) -> float:
    """From the file alone: the package imports more than it needs here."""
    path = distribution("torch-uncertainty").locate_file(
        "torch_uncertainty/metrics/classification/risk_coverage.py"
    )
    spec = importlib.util.spec_from_file_location("risk_coverage", str(path))
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    metric = module.AURC()
    metric.update(torch.tensor(p), torch.tensor(y))
    return float(metric.compute())


def curve(rng: np.random.Generator, n: int) -> dict[str, Any]:
    """Without ties, which both packages break by the order of the rows."""
    steps = rng.choice(np.arange(1, _UNIT // 2, 2), n, replace=False)
    p = np.where(rng.random(n) < 0.5, steps, _UNIT - steps) / _UNIT
    y = (rng.random(n) < p).astype(int)
    beliefs = [
        vectors.DSVector.from_sparse(["0", "1"], {frozenset({"0"}): 1 - one, frozenset({"1"}): one})
        for one in p
    ]
    labels = y.astype(str).tolist()
    return {
        "p": p.tolist(),
        "y": y.tolist(),
        "torch_uncertainty": torch_area(y, p),
        "evtools_curve": evtools.error_rejection_curve(beliefs, labels)[1].tolist(),
        "evtools": evtools.auerc(beliefs, labels),
    }


def controlled(rng: np.random.Generator, n: int) -> dict[str, Any]:
    p = rng.choice(np.arange(1, _UNIT, 2), n) / _UNIT
    y = (rng.random(n) < np.clip(1.2 * p - 0.1, 0, 1)).astype(int)
    found: dict[str, Any] = {"p": p.tolist(), "y": y.tolist(), "controls": []}
    selective = mapie.BinaryRisk(
        risk_occurrence=lambda y_true, y_pred: y_pred != y_true,
        risk_condition=lambda y_true, y_pred: ~np.isnan(y_pred.astype(float)),
        higher_is_better=False,
    )

    def answers(X: np.ndarray, limit: float) -> np.ndarray:
        q = X[:, 0]
        return np.where(np.maximum(q, 1 - q) >= limit, q > 0.5, np.nan)

    def proba(X: np.ndarray) -> np.ndarray:
        return np.hstack([1 - X, X])

    for risk, target, low, high in (
        ("precision", 0.85, 0.5, 0.95),
        ("negative_predictive_value", 0.85, 0.05, 0.5),
        ("error", 0.15, 0.5, 0.95),
    ):
        grid = np.linspace(low, high, 46)
        ways = ("bonferroni_holm",) if risk == "error" else ("bonferroni_holm", "fixed_sequence")
        for way in ways:
            controller = mapie.BinaryClassificationController(
                answers if risk == "error" else proba,
                risk=selective if risk == "error" else risk,
                target_level=target,
                confidence_level=CONFIDENCE,
                list_predict_params=grid[:, np.newaxis] if risk == "error" else grid,
                fwer_method=way,
                best_predict_param_choice=selective if risk == "error" else "recall",
            )
            controller.calibrate(p[:, np.newaxis], y)
            found["controls"].append(
                {
                    "risk": risk,
                    "target": target,
                    "way": way,
                    "grid": grid.tolist(),
                    "p_values": controller.p_values[:, 0].tolist(),
                    "valid": np.ravel(controller.valid_predict_params).tolist(),
                }
            )
    return found


def main() -> None:
    rng = np.random.default_rng(0)
    names = ("mapie", "evtools-dst", "torch-uncertainty", "torch", "numpy")
    found = {
        "about": (
            "Areas of torch_uncertainty.metrics.AURC, and error_rejection_curve and auerc of "
            "evtools; p-values and valid thresholds of MAPIE's BinaryClassificationController at "
            f"a confidence of {CONFIDENCE}; by python -m tests.oracles.make_risk"
        ),
        "versions": {name: version(name) for name in names} | {"python": sys.version.split()[0]},
        "curves": [curve(rng, n) for n in (2, 7, 60)],
        "controls": [controlled(rng, n) for n in (300, 1500)],
    }
    text = json.dumps(found).replace("], [", "],\n[").replace(', "', ',\n"')
    Path(__file__).with_name("risk.json").write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
