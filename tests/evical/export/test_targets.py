"""Every calibrator, in all targets: what they give is what Python predicts.

All targets of a calibrator in one test, which compiles it once.
"""

import numpy as np

from evical.export._compile import compiled
from evical.export._dialects import DIALECTS
from evical.export._javascript import javascript_text
from evical.export._onnx import onnx_model
from evical.export._sql import sql_text
from tests.evical.export.exported import check, every_entry, scores_of
from tests.evical.export.test_javascript import NODE, in_node
from tests.evical.export.test_onnx import beliefs
from tests.evical.export.test_sql import ENGINES
from tests.protocols.calibrators_table import samples


@every_entry
def test_each_target_is_what_python_predicts(entry, tmp_path):
    calibrator = entry().fit(*samples())
    table = compiled(calibrator)
    scores = scores_of(table)
    for name, engine in ENGINES.items():
        form = DIALECTS[name]
        query = sql_text(table, entry.id, form.quoted("score"), form)
        check(engine(query, scores.tolist()), calibrator, table, scores)
    check(beliefs(onnx_model(table, entry.id), scores), calibrator, table, scores)
    module = javascript_text(table, entry.id, [0, 1])
    if NODE is not None:
        classes, found = in_node(tmp_path, {"m": module}, {"m": scores.tolist()})["m"]
        assert classes == [0, 1]
        check(np.array(found), calibrator, table, scores)
