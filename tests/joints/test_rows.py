"""Series and tables of the same rows, in another order: refused wherever two are read together."""

import pandas as pd
import pytest

from dstheory import Frame, MassFunction
from dstheory.argumentation import ArgumentationSystem
from dstheory.inference import (
    GRFN,
    SampledInterval,
    binomial,
    linear_contour,
    logistic_contour,
    poisson_contour,
    predict,
)
from dstheory.revise import contextual_discount
from tests.support.each import each

FRAME = Frame(["Barbera", "Barolo", "Grignolino"])
BELIEF = MassFunction.from_dict(FRAME, {"Barbera": 0.6, ("Barolo", "Grignolino"): 0.4})

PLACES = ["x", "y", "z"]
ROWS = pd.Series([1, 2, 3], index=PLACES)
LINE = pd.DataFrame({"one": 1, "slope": [0, 1, 3]}, index=PLACES)
PAIRS = {
    "trials": lambda rows: binomial(ROWS, rows + 3),
    "exposure": lambda rows: poisson_contour(ROWS, rows),
    "response": lambda rows: linear_contour(LINE, rows**2, (0, 1)),
    "labels": lambda rows: logistic_contour(LINE, rows / 4, (0, 1)),
    "prediction": lambda rows: predict(LINE, rows**2, LINE),
    "ends": lambda rows: SampledInterval(ROWS, rows + 3),
    "weights": lambda rows: SampledInterval(ROWS, ROWS.to_numpy(), rows / 6),
    "fuzzy numbers": lambda rows: GRFN(ROWS, 1, rows),
    "rates": lambda rows: contextual_discount(
        BELIEF, rates={"Barbera": ROWS / 9, "Barolo": rows / 9}
    ),
    "arguments": lambda rows: ArgumentationSystem(
        ["a & b -> c"], {"a": ROWS / 9, "b": rows / 9}
    ).support("c"),
    "masses": lambda rows: MassFunction.from_dict(FRAME, {"Barolo": ROWS / 9, FRAME: 1 - rows / 9}),
}


@each("pair", PAIRS)
def test_rows_of_two_series_are_the_same(pair):
    """Sums by group come in the order of groups, value_counts in that of counts."""
    call = PAIRS[pair]
    call(ROWS)
    call(pd.Series(ROWS.to_numpy(), index=["X", "Y", "Z"]))  # other names say nothing
    with pytest.raises(ValueError, match=r"the index of .* is \['z', 'y', 'x'\], but that of"):
        call(ROWS[::-1])
