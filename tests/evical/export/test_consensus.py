"""Fusions of sources as ONNX and SQL, executed: as Python fuses them, silent sources too."""

import sqlite3
from contextlib import closing
from itertools import chain

import duckdb
import numpy as np
import pytest
from sklearn.base import clone
from sklearn.frozen import FrozenEstimator
from sklearn.naive_bayes import GaussianNB

from evical import EvidentialClassifier, EvidentialEnsemble, EvidentialFusion, EvidentialSource
from evical.export import fusion_to_sql, to_onnx
from evical.fusion import Consensus
from tests.evical.export.test_ensembles import CLASSES, DATA, MEMBERS, ROWS, X, Y
from tests.evical.export.test_ensembles import check as check_ensemble
from tests.evical.export.test_onnx import in_onnxruntime

N = 300
LABELS = {2: np.array(["no", "yes"]), 3: np.array([3, 5, 9])}


def sources_of(k, seed=0):
    """Three sources of probabilities and two of votes about K classes, and the truth."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, k, N)
    found = {}
    for name, sharp in {"soft": 1.0, "sharp": 3.0, "wild": 0.0}.items():
        p = rng.dirichlet(np.ones(k), N) * np.exp(sharp * np.equal.outer(truth, np.arange(k)))
        found[name] = p / p.sum(axis=1, keepdims=True)
        found[name][rng.random(N) < 0.2] = np.nan
    for name in ("vote", "other"):
        right = rng.random(N) < 0.8
        votes = LABELS[k][np.where(right, truth, rng.integers(0, k, N))].astype(object)
        votes[rng.random(N) < 0.3] = None
        found[name] = votes
    for name, source in found.items():
        source[:3] = None if source.ndim == 1 else np.nan  # nobody is there
        if name != "wild":
            source[3:6] = source[:3]  # nobody but one without a weight
    return found, LABELS[k][truth]


def given(sources, k):
    """Sources as a graph reads them: what is no label is no vote."""
    none = "" if k == 2 else -1
    return {
        name: source
        if source.ndim == 2
        else np.array([none if vote is None else vote for vote in source.tolist()])
        for name, source in sources.items()
    }


def rules(k):
    yield Consensus(dependence=0, model="bayesian") if k == 3 else Consensus()
    if k == 2:
        yield Consensus(dependence=0.3, model="confidence", confidence=0.9)


def expected(fusion, sources):
    """[Bel, Pl, BetP] (n, K, 3)."""
    beliefs = fusion.beliefs(sources)
    return np.concatenate([beliefs.interval(), beliefs.probability()[..., np.newaxis]], axis=2)


@pytest.mark.parametrize("k", [2, 3])
def test_onnx_fuses_as_python_does(k):
    every, y = sources_of(k)
    few = {name: every[name] for name in ("soft", "sharp", "vote")}  # labels ask for many fits
    some = y.astype(object)
    some[40:] = None
    votes = {name: every[name] for name in ("vote", "other")}
    cases = [(rule, None, every) for rule in rules(k)] + [(Consensus(), some, few)]
    cases += [(Consensus(), None, votes)]
    cases += [("stacked", y, few)] if k == 3 else []
    for rule, labels, sources in cases:
        fusion = EvidentialFusion(rule, classes=LABELS[k]).fit(sources, labels)
        found = in_onnxruntime(to_onnx(fusion), **given(sources, k))
        wanted = expected(fusion, sources)
        beliefs = found["beliefs"] if k > 2 else found["beliefs"][:, np.newaxis]
        assert np.abs(beliefs - (wanted if k > 2 else wanted[:, 1:])).max() < 1e-9
        assert np.abs(found["probabilities"] - wanted[..., 2]).max() < 1e-9
        clear = np.abs(np.diff(np.sort(wanted[..., 2]), axis=1)[:, -1]) > 1e-9
        assert clear.mean() > (0.8 if sources is votes else 0.9)  # two votes may tie
        assert found["label"][clear].tolist() == fusion.predict(sources)[clear].tolist()


def test_onnx_calibrates_scores_as_python_does():
    rng = np.random.default_rng(1)
    sources, y = sources_of(2)
    sources = {"soft": sources["soft"], "score": (y == "yes") + rng.normal(size=N)}
    sources["score"][::7] = np.nan
    fusion = EvidentialFusion().fit(sources, y)
    found = in_onnxruntime(to_onnx(fusion), **sources)
    assert np.abs(found["beliefs"] - expected(fusion, sources)[:, 1]).max() < 1e-9


def test_onnx_of_ensembles():
    members = [FrozenEstimator(EvidentialClassifier(m, ensemble=False).fit(X, Y)) for m in MEMBERS]
    ensemble = EvidentialEnsemble(members[:2], rule="consensus").fit(X[:150], Y[:150])
    check_ensemble(to_onnx(ensemble), ensemble, ROWS)
    fitted = [FrozenEstimator(clone(one).fit(X, Y)) for one in (MEMBERS[0], GaussianNB())]
    trusted = EvidentialEnsemble(fitted, rule="consensus").fit(X)
    check_ensemble(to_onnx(trusted), trusted, ROWS)
    gaps = np.where(np.random.default_rng(0).random(X.shape) < 0.2, np.nan, X)
    parts = [
        EvidentialSource(MEMBERS[0], columns=columns, silent_if_missing="any")
        for columns in ([0, 1], slice(2, 5))
    ]
    sparse = EvidentialEnsemble(parts, rule="consensus", cv=2).fit(gaps, CLASSES[: len(gaps)])
    check_ensemble(to_onnx(sparse), sparse, np.where(np.isnan(gaps), gaps, DATA[: len(gaps), :5]))


def test_what_cannot_be_exported_is_named():
    sources, _ = sources_of(2)
    with pytest.raises(ValueError, match="of 5 sources has the rule dempster, and an export of"):
        to_onnx(EvidentialFusion("dempster", classes=LABELS[2]).fit(sources))
    with pytest.raises(ValueError, match="a source is named 'label', like an output; rename it"):
        to_onnx(EvidentialFusion().fit({"label": sources["vote"], "b": sources["other"]}))


def in_database(dialect, sources, query):
    """Rows of the new columns, by the database."""
    columns = {}
    for name, source in sources.items():
        if source.ndim == 1:
            columns[name] = source.tolist()
        else:
            k = source.shape[1]
            columns |= {
                f"{name}_p_{label}": [None if np.isnan(x) else x for x in column]
                for label, column in zip(LABELS[k].tolist(), source.T.tolist(), strict=True)
            }
    kinds = {int: "INTEGER", float: "DOUBLE", str: "VARCHAR"}
    first = [next(type(x) for x in column if x is not None) for column in columns.values()]
    header = ", ".join(f'"{n}" {kinds[kind]}' for n, kind in zip(columns, first, strict=True))
    connect = sqlite3.connect if dialect == "sqlite" else duckdb.connect
    with closing(connect(":memory:")) as base:
        base.execute(f"CREATE TABLE t (id INTEGER, {header})")
        rows = list(zip(range(N), *columns.values(), strict=True))
        row = f"({', '.join('?' * len(rows[0]))})"  # one at a time takes DuckDB ten times as long
        base.execute(f"INSERT INTO t VALUES {', '.join([row] * N)}", list(chain(*rows)))
        found = sorted(base.execute(query).fetchall())
    return np.array(found, dtype=float)[:, 1:]


@pytest.mark.parametrize("dialect", ["duckdb", "sqlite"])
def test_sql_fuses_as_python_does(dialect):
    if dialect == "sqlite" and not has_functions():
        pytest.skip("this SQLite has no mathematical functions")
    for k in (2, 3):
        sources, _ = sources_of(k)
        for rule in rules(k):
            fusion = EvidentialFusion(rule, classes=LABELS[k]).fit(sources)
            query = fusion_to_sql(fusion, "t", dialect, keep=["id"], class_columns=True)
            found = in_database(dialect, sources, query).reshape(N, k, 3)
            assert np.abs(found - expected(fusion, sources)).max() < 1e-9


def has_functions():
    with closing(sqlite3.connect(":memory:")) as base:
        return base.execute(
            "SELECT count(*) FROM pragma_function_list WHERE name = 'tanh'"
        ).fetchone()[0]


def test_sql_of_the_positive_class_and_labels_that_need_quotes():
    votes = {"a": ["it's", "no", None], "b": ["it's", "no", "no"], "c": ["no", "no", "it's"]}
    fusion = EvidentialFusion().fit(votes)
    sources = {name: np.array(source, dtype=object) for name, source in votes.items()}
    query = fusion_to_sql(fusion, "t", "duckdb", keep=["id"])
    with closing(duckdb.connect(":memory:")) as base:
        base.execute("CREATE TABLE t (id INTEGER, a VARCHAR, b VARCHAR, c VARCHAR)")
        rows = list(zip(range(3), *votes.values(), strict=True))
        base.executemany("INSERT INTO t VALUES (?, ?, ?, ?)", rows)
        table = base.execute(query)
        assert [column[0] for column in table.description] == ["id", "bel", "pl", "betp"]
        found = np.array(sorted(table.fetchall()))[:, 1:]
    assert np.abs(found - expected(fusion, sources)[:, 1]).max() < 1e-9


def test_what_sql_cannot_say_is_named():
    sources, y = sources_of(2)
    some = y.astype(object)
    some[40:] = None
    few = {name: sources[name] for name in ("soft", "vote")}
    scores = {"soft": sources["soft"], "score": np.arange(N) * 1.0}
    labels = {"classes": LABELS[2]}
    for fusion, message in [
        (
            EvidentialFusion().fit(few, y),
            "the rule Stacked.*, and SQL takes 'consensus' of two",
        ),
        (EvidentialFusion(**labels).fit(few, some), "has learned from labels"),
        (EvidentialFusion("consensus").fit(scores, y), "source 'score' has scores, and SQL takes"),
        (EvidentialFusion().fit({"a": sources["vote"]}), "the fusion of 1 sources has the rule"),
    ]:
        with pytest.raises(ValueError, match=message):
            fusion_to_sql(fusion, "t")
    three, _ = sources_of(3)
    confident = EvidentialFusion(Consensus(model="confidence"), classes=LABELS[3]).fit(three)
    with pytest.raises(ValueError, match="beliefs about 3 classes have no closed form"):
        fusion_to_sql(confident, "t")
