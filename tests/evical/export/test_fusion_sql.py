"""Several scores combined by Dempster's rule in one query: as Python combines their masses."""

import sqlite3
from contextlib import closing

import duckdb
import numpy as np
import pytest

from dstheory import dempster
from evical.calibrators import IsotonicCalibrator, LogisticCalibrator
from evical.export import fusion_to_sql

N = 200


@pytest.fixture(scope="module")
def scores():
    return np.random.default_rng(0).normal(size=(3, N))


@pytest.fixture(scope="module")
def calibrators(scores):
    y = (scores.sum(axis=0) > 0).astype(int)
    kinds = (IsotonicCalibrator(), LogisticCalibrator(), IsotonicCalibrator(model="dempster"))
    return {
        f'my "{i}"': kind.fit(s, y) for i, (kind, s) in enumerate(zip(kinds, scores, strict=True))
    }


def run(query, dialect, names, rows):
    connect = sqlite3.connect if dialect == "sqlite" else duckdb.connect
    quoted = ", ".join('"' + name.replace('"', '""') + '" DOUBLE' for name in names)
    marks = ", ".join("?" * (1 + len(names)))
    with closing(connect(":memory:")) as base:
        base.execute(f"CREATE TABLE scores (id INTEGER, {quoted})")
        base.executemany(f"INSERT INTO scores VALUES ({marks})", rows)
        return sorted(base.execute(query).fetchall())


@pytest.mark.parametrize("dialect", ["duckdb", "sqlite"])
def test_it_is_the_combination_of_the_masses(calibrators, scores, dialect):
    query = fusion_to_sql(calibrators, "scores", dialect, keep=["id"])
    rows = [(i, *values) for i, values in enumerate(scores.T.tolist())]
    found = np.array(run(query, dialect, list(calibrators), rows))
    masses = [c.predict_mass(s) for c, s in zip(calibrators.values(), scores, strict=True)]
    m = dempster(*masses)
    np.testing.assert_allclose(found[:, 1], m.bel(1), rtol=0, atol=1e-6)
    np.testing.assert_allclose(found[:, 2], m.pl(1), rtol=0, atol=1e-6)
    np.testing.assert_allclose(found[:, 3], (found[:, 1] + found[:, 2]) / 2, atol=1e-12)


@pytest.mark.parametrize("dialect", ["duckdb", "sqlite"])
def test_total_conflict_and_missing_scores_have_no_belief(dialect):
    sure = IsotonicCalibrator(model="bayesian").fit([0, 1], [0, 1])
    query = fusion_to_sql({"a": sure, "b": sure}, "scores", dialect, keep=["id"])
    rows = [(1, 0.0, 1.0), (2, 1.0, 1.0), (3, None, 1.0)]
    assert run(query, dialect, ["a", "b"], rows) == [
        (1, None, None, None),
        (2, 1.0, 1.0, 1.0),
        (3, None, None, None),
    ]


def test_wrong_input_is_refused(calibrators):
    one = next(iter(calibrators.values()))
    with pytest.raises(ValueError, match="there are 1 calibrators, expected two or more"):
        fusion_to_sql({"a": one}, "scores")
    with pytest.raises(TypeError, match="fitted is"):
        fusion_to_sql([one, one], "scores")
    other = IsotonicCalibrator().fit([0.0, 1.0], ["no", "yes"])
    with pytest.raises(ValueError, match=r"the classes of column 'b' are \['no', 'yes'\], but"):
        fusion_to_sql({"a": one, "b": other}, "scores")
    with pytest.raises(TypeError, match="keep"):
        fusion_to_sql({"a": one, "b": one}, "scores", keep=[1])
