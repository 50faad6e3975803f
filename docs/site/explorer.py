"""The page to play with, `explore.html`: that of `evical explore`, for a support vector machine."""

from pathlib import Path
from typing import Any

from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from evical import LogisticCalibrator
from evical.report import build_explorer


def page() -> str:
    """Two features of tumors: trained on a third, calibrated on sixty, judged on the rest."""
    data = load_breast_cancer()
    X, y = data.data[:, :2], data.target_names[data.target]
    X_train, X_rest, y_train, y_rest = train_test_split(X, y, test_size=2 / 3, random_state=0)
    svm = make_pipeline(StandardScaler(), SVC()).fit(X_train, y_train)
    scores = svm.decision_function(X_rest)
    calibrator = LogisticCalibrator().fit(scores[:60], y_rest[:60])
    return build_explorer(calibrator, scores[60:], y_rest[60:], score_name="score of the SVM")


def write(app: Any, exception: Exception | None) -> None:
    """After the build, beside the landing page."""
    if exception is None and app.builder.format == "html":
        back = '<p><a href="index.html">Back to the documentation</a></p>'
        title = "<h1>Explore beliefs</h1>"
        text = page().replace(title, back + title)
        Path(app.outdir, "explore.html").write_text(text, encoding="utf-8")


def setup(app: Any) -> dict[str, bool]:
    """Sphinx calls this."""
    app.connect("build-finished", write)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
