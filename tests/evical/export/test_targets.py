"""Every calibrator, in all targets: what they give is what Python predicts.

All targets of a calibrator in one test, which compiles it once for all texts.
"""

import numpy as np

from evical.calibrators import AutoCalibrator
from evical.export import to_onnx
from evical.export._compile import compiled
from evical.export._dialects import DIALECTS
from evical.export._graph import DEGREE
from evical.export._javascript import javascript_text
from evical.export._onnx import onnx_model
from evical.export._sql import sql_text
from tests.evical.export.exported import check, every_entry, scores_of
from tests.evical.export.test_javascript import beliefs_in_node
from tests.evical.export.test_onnx import beliefs
from tests.evical.export.test_sql import ENGINES
from tests.protocols.calibrators_table import fitted
from tests.support.node import NODE


def test_sizes_of_the_default_calibrator():
    rng = np.random.default_rng(0)
    scores = rng.normal(size=100_000)
    calibrator = AutoCalibrator().fit(scores, rng.random(100_000) < 1 / (1 + np.exp(-2 * scores)))
    table = compiled(calibrator)
    for form in DIALECTS.values():
        assert len(sql_text(table, "", form.quoted("score"), form)) < 200_000
    assert len(javascript_text(table, "", [0, 1])) < 200_000
    assert to_onnx(calibrator).ByteSize() < 200_000


@every_entry
def test_each_target_is_what_python_predicts(entry, tmp_path):
    calibrator = fitted(entry)
    table = compiled(calibrator)
    scores = scores_of(table)
    for name, engine in ENGINES.items():
        form = DIALECTS[name]
        query = sql_text(table, entry.id, form.quoted("score"), form)
        check(engine(query, scores.tolist()), calibrator, table, scores)
    table_of_graph = compiled(calibrator, DEGREE, lines=True)
    more = np.concatenate([scores, scores_of(table_of_graph, 40)])
    graph = onnx_model(table_of_graph, entry.id)
    check(beliefs(graph, more), calibrator, table_of_graph, more)
    module = javascript_text(table, entry.id, [0, 1])
    if NODE is not None:
        classes, found = beliefs_in_node(tmp_path, {"m": module}, {"m": scores.tolist()})["m"]
        assert classes == [0, 1]
        check(np.array(found), calibrator, table, scores)
