"""Saved calibrators with one damaged field predict valid beliefs or are refused, a few of many."""

import numpy as np
import pytest

from tests.fuzz.damaged_saves import cases, faults, nodes, things

pytestmark = pytest.mark.slow

SEED = 11
FIRST = {name.split("-")[0]: (data, load) for name, data, load in reversed(list(things()))}


def test_a_sound_save_has_no_faults():
    for data, load in FIRST.values():
        assert faults(data, load) == []


def test_every_field_is_damaged():
    data = {"state": {"edges_": [[0.0, 1.0], [2.0, 3.0]]}, "version": 1}
    paths = {".".join(map(str, path)) for path in nodes(data)}
    assert paths >= {"state", "state.edges_", "state.edges_.0", "state.edges_.1.1", "version"}
    described = [name for name, _ in cases(data)]
    assert {"version missing", "state.edges_ backward", "state.edges_.0.0 nan"} <= set(described)
    assert data == {"state": {"edges_": [[0.0, 1.0], [2.0, 3.0]]}, "version": 1}


@pytest.mark.parametrize("name", sorted(FIRST))
def test_damage_is_refused_or_harmless(name):
    data, load = FIRST[name]
    damages = list(cases(data))
    chosen = np.random.default_rng(SEED).choice(len(damages), 20, replace=False)
    wrong = {damages[i][0]: found for i in chosen if (found := faults(damages[i][1], load))}
    assert wrong == {}
