"""What is no mass function is refused alike by every function that asks for one."""

import pytest

from dstheory import decide, interchange, measure, transform

UNARY = [
    *(
        getattr(transform, name)
        for name in transform.__all__
        if not name.startswith("from_") and name not in ("convert_table", "inverse_pignistic")
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


@pytest.mark.parametrize("function", UNARY, ids=lambda function: function.__name__)
@pytest.mark.parametrize("wrong", [None, {"a": 1}, [0.5, 0.5]])
def test_other_kinds_are_named(function, wrong):
    with pytest.raises(TypeError, match=f"m is a MassFunction, not {type(wrong).__name__}"):
        function(wrong)


def test_text_is_asked_for():
    with pytest.raises(TypeError, match="text is a string of CSV, not int"):
        interchange.from_csv(3)
