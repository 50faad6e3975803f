"""Commands refuse model files with a damaged field by name, or work: a few damages of many."""

import numpy as np

from tests.fuzz.damaged_models import damages, faults, prepare

MODELS, SEED = ("two", "many", "fusion"), 5
LOSS = "training.log_loss []"  # which once was one


def test_damaged_models_end_in_no_traceback(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    prepare(MODELS)
    for name in MODELS:
        found = damages(name)
        chosen = np.random.default_rng(SEED).choice(len(found), 2, replace=False)
        chosen = [*chosen, *(i for i, (what, *_) in enumerate(found) if what == LOSS)]
        assert [text for i in chosen for text in faults(name, *found[i])] == []
