"""Model files: read back to the last bit, and refused in one line whatever was done to them."""

import copy
import json

import numpy as np
import pytest

from evical.calibrators import LogisticCalibrator
from evical.cli._model import Model, Training, checksum, load_model, log_loss, model_text
from tests.support.each import each

TRAINING = Training("t.csv", 4, 0, 2.0, 2.0, 4, False, 0.5)


@pytest.fixture
def path(tmp_path):
    return tmp_path / "model.json"


@pytest.fixture
def model():
    calibrator = LogisticCalibrator().fit([0.0, 1, 2, 3], ["no", "yes", "no", "yes"])
    return Model("s", "t", calibrator, TRAINING)


def test_what_was_written_is_read(path, model):
    path.write_text(model_text(model))
    read = load_model(path)
    assert (read.score, read.target, read.training) == ("s", "t", TRAINING)
    assert read.labels == ("no", "yes")
    np.testing.assert_array_equal(
        read.calibrator.predict_interval([0.7]), model.calibrator.predict_interval([0.7])
    )


def test_the_layout_does_not_matter(path, model):
    path.write_text(json.dumps(json.loads(model_text(model))))
    assert load_model(path).labels == ("no", "yes")


WRONG_TEXTS = [
    ("", "is not a model file, or truncated: it is not JSON"),
    ("a,b\n1,2\n", "is not a model file, or truncated: it is not JSON"),
    ("[" * 100_000, "is not a model file, or truncated"),
    ("[1, 2]", "is not a model file of evical: it names no format, not 'evical.model'"),
    ("null", "is not a model file of evical"),
    ('{"format": "evical.calibrator"}', "its format is 'evical.calibrator', not 'evical.model'"),
    ('{"format": "evical.model"}', "is damaged: its version is None"),
    ('{"format": "evical.model", "version": 2}', "has version 2 of the format, but this evical"),
    ('{"format": "evical.model", "version": "1"}', "is damaged: its version is '1'"),
    ('{"format": "evical.model", "version": 1}', "damaged or changed by hand"),
    ('{"format": "evical.model", "version": 1, "x": NaN}', "it is not JSON (NaN is not a number)"),
]


@each(("text", "message"), WRONG_TEXTS)
def test_what_is_no_model_is_refused(path, text, message):
    path.write_text(text)
    with pytest.raises(ValueError, match=r"^model\.json ") as caught:
        load_model(path)
    assert message in str(caught.value)


def test_bytes_that_are_no_text_and_half_a_file_are_refused(path, model):
    path.write_bytes(b"\x89PNG\xff")
    with pytest.raises(ValueError, match="not JSON"):
        load_model(path)
    path.write_text(model_text(model)[:-100])
    with pytest.raises(ValueError, match="truncated"):
        load_model(path)


def places(value, path=()):
    """Paths to what stands in nested dicts and lists; of a list, to its first part only."""
    items = value.items() if isinstance(value, dict) else enumerate(value[:1])
    for key, item in items:
        yield (*path, key)
        if isinstance(item, dict | list):
            yield from places(item, (*path, key))


def test_any_change_by_hand_is_noticed(path, model):
    data = json.loads(model_text(model))
    for place in places(data):
        changed = copy.deepcopy(data)
        owner = changed
        for key in place[:-1]:
            owner = owner[key]
        owner[place[-1]] = 7
        path.write_text(json.dumps(changed))
        with pytest.raises(ValueError, match=r"^model\.json (is|has version 7)"):
            load_model(path)


@each("value", [None, "x", -1, [], {}, [[1.0]], 1e308])
def test_content_that_makes_no_sense_is_refused_though_thechecksum_is_right(path, model, value):
    data = json.loads(model_text(model))
    del data["checksum"]
    messages = []
    for place in places(data):
        changed = copy.deepcopy(data)
        owner = changed
        for key in place[:-1]:
            owner = owner[key]
        owner[place[-1]] = value
        changed["checksum"] = checksum(changed)
        path.write_text(json.dumps(changed))
        try:
            load_model(path)
        except ValueError as error:
            messages.append(str(error))
    assert len(messages) > 10
    assert [text for text in messages if not text.startswith("model.json ")] == []


def test_a_loss_is_infinite_if_any_sample_was_held_impossible():
    probability = np.array([[1.0, 0.0], [0.5, 0.5]])
    assert log_loss(probability, np.array([[0.0, 1.0], [1.0, 0.0]])) is None
    assert log_loss(probability, np.array([[1.0, 0.0], [1.0, 0.0]])) == pytest.approx(np.log(2) / 2)
