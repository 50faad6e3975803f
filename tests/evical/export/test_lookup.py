"""Columns that look up a piece: as `to_sql`, at all boundaries and outside of them."""

import duckdb
import numpy as np
import pytest

from evical.calibrators.by_name import make_calibrator
from evical.export import to_sql
from evical.export._compile import compiled
from evical.export._table import previous_float
from evical.export.lookup import lookup_steps


@pytest.mark.parametrize("name", ["isotonic", "venn_abers", "logistic"])
def test_looked_up_pieces_are_those_of_the_expressions(name):
    rng = np.random.default_rng(0)
    scores = rng.random(200)
    calibrator = make_calibrator(name, ()).fit(scores, rng.random(200) < scores)
    starts = compiled(calibrator).starts
    far = [-1e308, -1.0, 0.0, -0.0, 5e-324, 1.0, 2.0, 1.7e308, np.inf, -np.inf, np.nan]
    at = np.concatenate([starts, previous_float(starts), rng.random(1000), far])
    steps = lookup_steps(calibrator, "score", "p_")
    with duckdb.connect() as base:
        base.execute("CREATE TABLE given (n INTEGER, score DOUBLE)")
        rows = [[*range(len(at) + 1)], [*at.tolist(), None]]
        base.execute("INSERT INTO given SELECT unnest($1), unnest($2)", rows)
        query = "given"
        for step in steps:
            query = f"(SELECT *, {step} FROM {query})"
        found = base.execute(
            f"SELECT p_bel, p_pl, bel, pl FROM (SELECT *, {to_sql(calibrator, 'score')} "
            f"FROM {query}) ORDER BY n"
        ).fetchnumpy()
    for name in ("bel", "pl"):
        looked_up, expected = (np.ma.filled(found[key], np.nan) for key in (f"p_{name}", name))
        np.testing.assert_allclose(looked_up, expected, rtol=0, atol=1e-9)
        assert np.isnan(looked_up[-4:]).all()
