"""What is nearly impossible is not impossible: only sources that never meet exclude each other."""

from itertools import permutations

import numpy as np
import pytest

from dstheory import Frame, MassFunction, combine
from dstheory.errors import TotalConflictError
from evical import EvidentialFusion
from evical.beliefs import as_beliefs
from evical.cli._rules import new_combiner
from evical.export._classifiers import _dempster
from evical.export._graph import DOUBLE, Graph
from evical.export._tensor import Tensor, joined
from tests.evical.export.test_onnx import in_onnxruntime

TINY = 1e-200
# Rules under which a source that excludes a class has a veto.
VETO = ("dempster", combine.dempster, combine.fixsen_mahler)


def sources(n_classes):
    """Two sources are nearly certain of class 0, the third of class 1; a second row is open."""
    table = np.full((3, 2, n_classes), 1 / n_classes)
    table[:, 0] = 0
    table[:2, 0, 0], table[:2, 0, 1], table[2, 0, 1] = 1, TINY, 1
    return list(table)


@pytest.mark.parametrize("total_conflict", ["error", "vacuous"])
def test_agreement_below_all_floats(total_conflict):
    for n_classes in (2, 3, 20):
        for rule in VETO if n_classes < 20 else VETO[:1]:
            for listed in permutations(sources(n_classes)):
                fusion = EvidentialFusion(
                    rule=rule, classes=list(range(n_classes)), total_conflict=total_conflict
                )
                proba = fusion.fit(listed).predict_proba(listed)
                wanted = np.full((2, n_classes), 1 / n_classes)
                wanted[0] = np.eye(n_classes)[1]
                np.testing.assert_allclose(
                    proba, wanted, atol=1e-12, err_msg=f"{rule} of {n_classes} classes"
                )


@pytest.mark.parametrize("n_classes", [2, 3])
def test_only_sources_that_never_meet_are_vacuous(n_classes):
    """A third row, in which the first and the last source exclude each other."""
    certain = np.eye(n_classes)
    rows = [certain[0], certain[0], certain[1]]
    listed = [np.vstack([table, row]) for table, row in zip(sources(n_classes), rows, strict=True)]
    options = {"rule": "dempster", "classes": list(range(n_classes))}
    vacuous = EvidentialFusion(**options, total_conflict="vacuous").fit(listed)
    m = vacuous.predict_mass(listed)
    assert m.is_vacuous.tolist() == [False, False, True]
    assert m[0].bel(1) == pytest.approx(1)
    with pytest.raises(TotalConflictError, match=r"in 1 of 3 rows \(first: row 2\)"):
        EvidentialFusion(**options).fit(listed).predict_proba(listed)


def test_the_command_combines_the_same():
    frame = Frame([0, 1])
    tables = [
        np.vstack([table, row]) for table, row in zip(sources(2), np.eye(2)[[0, 0, 1]], strict=True)
    ]
    masses = [MassFunction(frame, [1, 2], table) for table in tables]
    beliefs = [as_beliefs(m, np.array([0, 1])) for m in masses]
    for rule in ("dempster", "fixsen-mahler"):
        fused, conflict = new_combiner(rule, [], vacuous=True)(beliefs)
        np.testing.assert_allclose(fused.contour(), [[0, 1], [0.5, 0.5], [1, 1]], atol=1e-12)
        np.testing.assert_allclose(conflict, [1, 0.75, 1])


@pytest.mark.parametrize("total_conflict", ["error", "vacuous"])
def test_an_exported_graph_combines_the_same(total_conflict):
    pytest.importorskip("onnxruntime")
    names = ["a", "b", "c"]
    tables = [
        np.vstack([table, row])[:, 1:]
        for table, row in zip(sources(2), np.eye(2)[[0, 0, 1]], strict=True)
    ]
    graph = Graph()
    sides = joined([Tensor(graph, name) for name in names])
    fused = _dempster(sides, sides, np.ones(3), total_conflict)
    graph.add("Identity", [fused.bel.name], "found")
    shape = (DOUBLE, [None, 1])
    model = graph.model(dict.fromkeys(names, shape), {"found": shape}, "")
    found = in_onnxruntime(model, **dict(zip(names, tables, strict=True)))["found"].ravel()
    conflict = 0 if total_conflict == "vacuous" else np.nan
    np.testing.assert_allclose(found, [1, 0.5, conflict], atol=1e-12)


def test_an_exported_graph_takes_beliefs_beyond_their_bounds_by_rounding():
    pytest.importorskip("onnxruntime")
    graph = Graph()
    bel, pl = (joined([Tensor(graph, f"{side}{i}") for i in range(2)]) for side in ("bel", "pl"))
    found = _dempster(bel, pl, np.ones(2), "error")
    graph.add("Identity", [found.pl.name], "found")
    names = [name for i in range(2) for name in (f"bel{i}", f"pl{i}")]
    model = graph.model(
        dict.fromkeys(names, (DOUBLE, [None, 1])), {"found": (DOUBLE, [None, 1])}, ""
    )
    eps = np.finfo(float).eps
    first = {"bel0": [[1 + eps], [-eps], [0.5]], "pl0": [[1.0], [-eps], [0.5 - eps]]}
    second = {"bel1": [[0.25]] * 3, "pl1": [[0.75]] * 3}
    given = {name: np.array(values) for name, values in (first | second).items()}
    found = in_onnxruntime(model, **given)["found"].ravel()
    np.testing.assert_allclose(found, [1, 0, 0.5], atol=1e-12)
