"""Model files: read back to the last bit, and refused in one line whatever was done to them."""

import copy
import json

import numpy as np
import pytest

from evical.calibrators import LogisticCalibrator
from evical.cli._model import (
    Model,
    Training,
    checksum,
    load_model,
    log_loss,
    model_text,
)
from evical.multiclass import SoftmaxCalibrator
from tests.support.each import each

TRAINING = Training("t.csv", 4, 0, {"no": 2.0, "yes": 2.0}, 0.5, 4)


@pytest.fixture
def path(tmp_path):
    return tmp_path / "model.json"


@pytest.fixture
def model():
    calibrator = LogisticCalibrator().fit([0.0, 1, 2, 3], ["no", "yes", "no", "yes"])
    return Model({"yes": "s"}, "t", calibrator, TRAINING)


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


ONE = {
    "source": [None, 7, ["t.csv"], {}],
    "rows": [None, "4", 4.5, -1, True, [], {}, 10**39],
    "missing": [None, "0", 0.5, -1, False, []],
    "negative": [None, "2", -1.0, True, [], {}, [1.0], 10**39],
    "positive": [None, "2", -1.0, True, [], {}, [1.0], 1e300],
    "distinct_scores": [None, "4", 4.5, -1, True, []],
    "compressed": [None, 0, 1, "false", []],
    "log_loss": ["0.5", -1.0, True, [], {}, [1.0], 10**400],
}
MANY = {
    "weights": [None, 7, "a", [], [["a", 1.0]], {"other": 1.0}],
    **{f"weights.{label}": [None, "2", -1.0, True, [], {}] for label in "abc"},
}


def refusals(path, text, wrong):
    """What is said of a file in which a number of a training is another one."""
    for name, values in wrong.items():
        entry, _, label = name.partition(".")
        for value in values:
            data = json.loads(text)
            del data["checksum"]
            owner, key = (data["training"][entry], label) if label else (data["training"], entry)
            owner[key] = value
            data["checksum"] = checksum(data)
            path.write_text(json.dumps(data))
            with pytest.raises(ValueError, match=r"^model\.json is damaged: ") as caught:
                load_model(path)
            yield name, str(caught.value)


def test_each_entry_of_a_training_is_checked(path, model):
    for name, message in refusals(path, model_text(model), ONE):
        sides = dict(zip(("negative", "positive"), model.labels, strict=True))
        what = f"weight of {sides[name]}" if name in sides else name
        assert f"training {what} is" in message
        assert ", expected " in message
    calibrator = SoftmaxCalibrator().fit(np.eye(3).repeat(3, axis=0), list("aaabbbccc"))
    training = Training("t.csv", 9, 0, dict.fromkeys("abc", 3.0), None)
    many = Model(dict(zip("abc", "xyz", strict=True)), "t", calibrator, training)
    for name, message in refusals(path, model_text(many), MANY):
        assert name.replace("weights.", "the training weight of ") in message
        assert ", expected " in message


def test_a_loss_is_infinite_if_any_sample_was_held_impossible():
    probability = np.array([[1.0, 0.0], [0.5, 0.5]])
    assert log_loss(probability, np.array([[0.0, 1.0], [1.0, 0.0]])) is None
    assert log_loss(probability, np.array([[1.0, 0.0], [1.0, 0.0]])) == pytest.approx(np.log(2) / 2)
