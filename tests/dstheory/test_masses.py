"""What is no mass function is refused alike by every function that asks for one."""

import numpy as np
import pytest

from dstheory import (
    Frame,
    MassFunction,
    combine,
    construct,
    decide,
    interchange,
    measure,
    transform,
)
from dstheory.errors import MassError
from dstheory.measure._distance import hausdorff, table_distance
from tests.support.each import each

UNARY = [
    *(
        getattr(transform, name)
        for name in transform.__all__
        if not name.startswith("from_")
        and name not in ("convert_table", "inverse_pignistic", "optimal_possibility")
    ),
    *(
        getattr(measure, name)
        for name in measure.__all__
        if name.endswith("entropy") or name in ("inconsistency", "information", "nonspecificity")
    ),
    *(getattr(interchange, name) for name in interchange.__all__ if name.startswith("to_")),
    decide.appriou,
    decide.expected_utility,
    decide.maximum_betp,
]


@each("function", UNARY, ids=lambda function: function.__name__)
@each("wrong", [None, {"a": 1}, [0.5, 0.5]])
def test_other_kinds_are_named(function, wrong):
    with pytest.raises(TypeError, match=r"m is .*, expected a MassFunction"):
        function(wrong)


def test_text_is_asked_for():
    with pytest.raises(TypeError, match="text is int, expected a string of CSV"):
        interchange.from_csv(3)


FRAME = Frame(list("abc"))
BATCH = MassFunction(FRAME, [7], np.ones((3, 1, 1)))


@each(
    ("wrong", "error", "message"),
    [
        (
            lambda: MassFunction(FRAME, None, [1]),
            TypeError,
            "focal is .*, expected a sequence of masks",
        ),
        (
            lambda: MassFunction(FRAME, 7, [1]),
            TypeError,
            "focal is .*, expected a sequence of masks",
        ),
        (
            lambda: MassFunction(FRAME, "a", [1]),
            TypeError,
            "focal is .*, expected a sequence of masks",
        ),
        (
            lambda: MassFunction(FRAME, [1, 7], [[0.5, 0.5], [1]]),
            MassError,
            "rows have different lengths",
        ),
        (
            lambda: MassFunction.from_dict(FRAME, {"a": [0, 1], FRAME: [1, 0, 0]}),
            MassError,
            r"shapes \(2,\), \(3,\) do not broadcast",
        ),
        (lambda: BATCH[3], IndexError, r"index 3 does not fit batch shape \(3, 1\)"),
        (lambda: BATCH[0, 0, 0], IndexError, r"does not fit batch shape \(3, 1\)"),
        (lambda: construct.bayesian(FRAME, [0.5, 0, 0]), MassError, "probabilities sum to 0.5"),
        (lambda: construct.consonant(FRAME, [0.5, 0, 0]), MassError, "0.5, not 1; divide"),
        (lambda: combine.mixing(BATCH, BATCH, weights="ab"), TypeError, "real numbers .* 'ab'"),
        (lambda: combine.inagaki(BATCH, BATCH, k="x"), TypeError, "real numbers .* 'x'"),
        (lambda: combine.lns(BATCH, BATCH, eta="x"), TypeError, "eta is 'x', expected a number"),
        (
            lambda: combine.tnorm_conjunctive(BATCH, BATCH, parameter=None),
            TypeError,
            "parameter is None, expected a number",
        ),
        (lambda: transform.dsmp(BATCH, "x"), TypeError, "epsilon is 'x', expected a number"),
        (
            lambda: table_distance(BATCH, BATCH, p="x"),
            TypeError,
            "p is 'x', expected a number",
        ),
        (
            lambda: hausdorff(BATCH, BATCH, scale=[1]),
            TypeError,
            "scale is .1., expected a finite number above 0",
        ),
        (
            lambda: decide.utilities_from_threshold("x"),
            TypeError,
            "threshold is 'x', expected a number",
        ),
        (lambda: decide.with_reject([[1]], None), TypeError, "cost is None, expected a number"),
        (
            lambda: construct.random(FRAME, np.random.default_rng(), n_focal=2.5),
            TypeError,
            "n_focal is 2.5, expected a whole number",
        ),
        (
            lambda: construct.from_judgments(FRAME, intervals={"a": 0.5}),
            TypeError,
            "interval of 'a' is 0.5, expected a pair",
        ),
        (
            lambda: construct.from_judgments(FRAME, intervals=[("a", (0, 1))]),
            TypeError,
            r"intervals are .*, expected a mapping",
        ),
        (
            lambda: construct.from_judgments(FRAME, preferences=["ab", ("a",)]),
            TypeError,
            "preference 0 is 'ab', expected a pair",
        ),
    ],
)
def test_what_is_wrong_is_said_in_the_terms_of_the_caller(wrong, error, message):
    with pytest.raises(error, match=message):
        wrong()
