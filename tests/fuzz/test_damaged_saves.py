"""Saved calibrators with one damaged field predict valid beliefs or are refused, a few of many."""

import numpy as np
import pytest

from tests.fuzz.damaged_saves import cases, damaged, faults, nodes, things

SEED = 11


@pytest.fixture(scope="module")
def first():
    """One save of each class, and how it is loaded."""
    return {name: (data, load) for name, data, load in things(once=True)}


def test_a_sound_save_has_no_faults(first):
    for data, load in first.values():
        assert faults(data, load) == []


def test_every_field_is_damaged():
    data = {"state": {"edges_": [[0.0, 1.0], [2.0, 3.0]]}, "version": 1}
    paths = {".".join(map(str, path)) for path in nodes(data)}
    assert paths >= {"state", "state.edges_", "state.edges_.0", "state.edges_.1.1", "version"}
    described = [name for name, _, _ in cases(data)]
    assert {"version missing", "state.edges_ backward", "state.edges_.0.0 nan"} <= set(described)
    assert damaged(data, ("state", "edges_", 1, 0), 9.0)["state"]["edges_"] == [[0, 1], [9, 3]]
    assert data == {"state": {"edges_": [[0.0, 1.0], [2.0, 3.0]]}, "version": 1}


def test_damage_is_refused_or_harmless(first):
    for name, (data, load) in sorted(first.items()):
        damages = list(cases(data))
        for i in np.random.default_rng(SEED).choice(len(damages), 8, replace=False):
            damage, path, other = damages[i]
            assert faults(damaged(data, path, other), load) == [], f"{name}: {damage}"
