"""Container: the same values in another container give the same answer."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from dstheory import Frame
from dstheory.construct import bayesian
from evical import EvidentialFusion
from evical.calibrators import LogisticCalibrator
from evical.cli import main
from evical.metrics import brier_score
from tests.support.each import each
from tests.support.entrances import TABLE, P

TEXTS = ["no", "yes"] * (len(P) // 2)
NUMBERS = {
    "list": P.tolist(),
    "column": P[:, np.newaxis],
    "masked": np.ma.array(P),
    "objects": P.astype(object),
    "pandas": pd.Series(P, index=range(7, 7 + len(P))),
    "pandas nullable": pd.Series(P, dtype="Float64"),
    "polars": pl.Series(P),
    "pyarrow": pa.array(P),
}
LABELS = {
    "array": np.array(TEXTS),
    "objects": np.array(TEXTS, dtype=object),
    "masked": np.ma.array(TEXTS),
    "pandas": pd.Series(TEXTS, index=range(7, 7 + len(P))),
    "pandas category": pd.Series(TEXTS, dtype="category"),
    "polars": pl.Series(TEXTS),
    "polars category": pl.Series(TEXTS, dtype=pl.Categorical),
    "pyarrow": pa.array(TEXTS),
}


@each("kind", NUMBERS)
def test_scores_in_any_container(kind):
    plain = LogisticCalibrator().fit(P, TEXTS)
    found = LogisticCalibrator().fit(NUMBERS[kind], TEXTS)
    assert found.predict_interval(NUMBERS[kind]).tolist() == plain.predict_interval(P).tolist()


@each("kind", LABELS)
def test_labels_in_any_container(kind):
    plain = LogisticCalibrator().fit(P, TEXTS)
    found = LogisticCalibrator().fit(P, LABELS[kind])
    assert found.classes_.tolist() == ["no", "yes"]
    assert found.predict_proba(P).tolist() == plain.predict_proba(P).tolist()
    assert brier_score(LABELS[kind], P) == brier_score(TEXTS, P)


def test_arrays_of_probabilities_are_about_the_numbers_of_their_columns():
    for sources in ([TABLE], [TABLE.tolist()], {"one": TABLE}):
        fusion = EvidentialFusion("dempster").fit(sources)
        assert fusion.classes_.tolist() == [0, 1]
        np.testing.assert_allclose(fusion.predict_proba(sources), TABLE)
    masses = bayesian(Frame(["no", "yes"]), TABLE)
    assert EvidentialFusion("dempster").fit([masses, TABLE]).classes_.tolist() == ["no", "yes"]
    named = pd.DataFrame(TABLE, columns=["yes", "no"])
    for sources, message in (
        ([named], "the columns of source 'source0' are"),
        ([TABLE, named], "the columns of source 'source1' are"),
        ([TABLE, np.ones((len(P), 3)) / 3], "do not name their classes"),
    ):
        with pytest.raises(ValueError, match=message):
            EvidentialFusion("dempster").fit(sources)
    with pytest.raises(ValueError, match=r"has scores, such as .* but y is None"):
        EvidentialFusion("dempster").fit([P])


def test_views_of_texts_in_parquet(tmp_path, capsys):
    scores, y = np.tile(P, 5), ["yes" if p > 0.5 else "no" for p in np.tile(P, 5)]
    y[:6] = ["yes", "no"] * 3
    found = []
    for name, kind in (("string", pa.string()), ("view", pa.string_view())):
        (tmp_path / name).mkdir()
        file, model = tmp_path / name / "table.parquet", tmp_path / name / "model.json"
        columns = {"s": pa.array(map(str, scores), kind), "y": pa.array(y, kind)}
        try:
            pq.write_table(pa.table(columns), file)
        except pa.ArrowNotImplementedError as error:
            pytest.skip(f"pyarrow {pa.__version__}: {error}")
        options = ["--score", "s", "--target", "y", "--positive", "yes", "--method", "logistic"]
        code = main(["fit", str(file), *options, "--output", str(model)])
        assert code in (0, None), capsys.readouterr().err
        found.append(model.read_text())
    assert found[0] == found[1]
