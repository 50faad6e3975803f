"""Errors: one root, caught as ValueError, and able to travel between processes."""

import inspect
import pickle

from dstheory import errors
from tests.support.each import each

KINDS = [getattr(errors, name) for name in errors.__all__]


@each("kind", KINDS)
def test_each_is_a_value_error_of_one_root(kind):
    assert issubclass(kind, errors.DSTheoryError)
    assert issubclass(kind, ValueError)


def test_all_are_listed():
    defined = [k for _, k in inspect.getmembers(errors, inspect.isclass)]
    assert {k for k in defined if issubclass(k, Exception)} == set(KINDS)


@each("kind", KINDS)
def test_each_survives_pickling(kind):
    again = pickle.loads(pickle.dumps(kind("row 3")))
    assert type(again) is kind
    assert str(again) == "row 3"
