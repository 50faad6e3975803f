"""What a notebook shows of a fitted calibrator: beliefs at a few scores, above its parameters."""

from typing import Any

import numpy as np

from dstheory.notebook import brief, html_table

__all__ = ["ShownCalibrator"]

# From the least to the greatest of the scores on which it was fitted.
_QUANTILES = (0, 0.25, 0.5, 0.75, 1)


class ShownCalibrator:
    """Adds a table of beliefs to the HTML of scikit-learn."""

    def _repr_html_inner(self) -> str:
        parent: Any = super()
        diagram: str = parent._repr_html_inner()
        return _beliefs(self) + diagram

    def _repr_mimebundle_(self, **options: Any) -> dict[str, str]:
        parent: Any = super()
        shown: dict[str, str] = parent._repr_mimebundle_(**options)
        if "text/html" in shown:
            shown["text/html"] = _beliefs(self) + shown["text/html"]
        return shown


def _beliefs(calibrator: Any) -> str:
    """Bel, BetP and Pl at quantiles of the distinct scores; nothing before `fit`, or if loaded."""
    counts = getattr(calibrator, "counts_", None)
    if counts is None:
        return ""
    last = len(counts) - 1
    scores = counts.scores[np.unique([round(share * last) for share in _QUANTILES])]
    rows = zip(
        scores,
        calibrator.predict_interval(scores),
        calibrator.predict_proba(scores)[:, 1],
        strict=True,
    )
    cells = [[brief(s), *(f"{v:.4f}" for v in (low, p, up))] for s, (low, up), p in rows]
    caption = f"Belief in class {calibrator.classes_[1]} at scores of the calibration sample"
    return html_table(caption, [["score", "Bel", "BetP", "Pl"], *cells])
