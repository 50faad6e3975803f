"""A cluster of processes, one of which is killed, counts and predicts as one process does."""

import os
import signal
from functools import partial

import numpy as np
import pandas as pd

from evical.calibrators import IsotonicCalibrator
from evical.export import predict_table
from evical.scores import fit_table

RNG = np.random.default_rng(3)
SCORES = RNG.normal(size=400).round(2)
FRAME = pd.DataFrame({"score": SCORES, "y": (RNG.normal(size=400) < SCORES).astype(int)})


def killed_once(part, folder):
    """The part; but who first reads the one with row 200 is killed, and then no more."""
    done = os.path.join(folder, "killed")
    if 200 in part.index and not os.path.exists(done):
        with open(done, "w"):
            os.kill(os.getpid(), signal.SIGKILL)
    return part


def test_a_killed_worker_changes_nothing(tmp_path):
    import dask.dataframe  # two seconds, and no other test needs them
    from dask.distributed import Client, LocalCluster

    # One process imports all, and workers are copies of it, the one in place of the killed too.
    copies = dask.config.set({"distributed.worker.multiprocessing-method": "forkserver"})
    table = dask.dataframe.from_pandas(FRAME, npartitions=20)
    expected = IsotonicCalibrator().fit(SCORES, FRAME["y"])
    options = {"threads_per_worker": 1, "dashboard_address": None, "silence_logs": 50}
    with copies, LocalCluster(2, **options) as cluster, Client(cluster):
        doomed = partial(killed_once, folder=str(tmp_path))
        risky = table.map_partitions(doomed, meta=table._meta)
        fitted = fit_table(IsotonicCalibrator(), risky, "score", "y")
        assert (tmp_path / "killed").exists()
        made = predict_table(fitted, table, "score").compute()
    np.testing.assert_array_equal(fitted.predict_proba(SCORES), expected.predict_proba(SCORES))
    np.testing.assert_array_equal(made["p_1"], expected.predict_proba(SCORES)[:, 1])
