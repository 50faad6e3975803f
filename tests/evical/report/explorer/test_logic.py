"""The numbers of the page, computed by node, against `dstheory`."""

import json
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest
from scipy.special import expit
from scipy.stats import binom

import evical.report
from dstheory import Frame, MassFunction, combine, decide
from dstheory.plot import credal_vertices
from evical.conformal.control import answered_promise
from tests.evical.report.explorer.states import (
    CLOSE,
    RULES,
    assert_measures_equal,
    expected_thousand,
)

NODE = shutil.which("node")
pytestmark = pytest.mark.skipif(NODE is None, reason="node is not installed")

LOGIC = Path(evical.report.__file__).parent / "explorer" / "logic.mjs"
# Rules that keep the conjunctive masses, and share out the rest.
SHARING = (
    "conjunctive", "dempster", "yager", "dubois_prade", "inagaki", "pcr1", "pcr2", "pcr3", "pcr4",
    "pcr6",
)  # fmt: skip


def in_node(folder, body, data):
    """What a script returns that sees the module as `logic`, and the data as `data`."""
    (folder / "data.json").write_text(json.dumps(data), encoding="utf-8")
    script = f"""
        import {{ readFileSync }} from "node:fs";
        import * as logic from {json.dumps(LOGIC.as_uri())};
        const data = JSON.parse(readFileSync("data.json"));
        const answer = () => {{ {body} }};
        console.log(JSON.stringify(answer()));
    """
    (folder / "main.mjs").write_text(script, encoding="utf-8")
    done = subprocess.run(
        [NODE, "main.mjs"], cwd=folder, capture_output=True, text=True, check=True, timeout=120
    )
    return json.loads(done.stdout)


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    body = """return data.map(({ entered: [m1, m2], rule, k }) => {
        const joined = logic.combine(rule, m1, m2, k);
        return { first: logic.measures(m1), joined, received: logic.received(joined),
                 result: joined.masses && logic.measures(joined.masses) };
    });"""
    return in_node(
        tmp_path_factory.mktemp("node"), body, [one.as_json() for one, _ in expected_thousand()]
    )


def test_a_thousand_states_equal_the_package(found):
    refused = 0
    for (state, wanted), one in zip(expected_thousand(), found, strict=True):
        assert_measures_equal(one["first"], wanted["first"])
        np.testing.assert_allclose(one["joined"]["kappa"], wanted["kappa"], **CLOSE)
        assert (one["joined"]["masses"] is None) == (wanted["masses"] is None), state
        assert (one["joined"]["problem"] != "") == (wanted["masses"] is None)
        refused += wanted["masses"] is None
        if wanted["masses"] is not None:
            np.testing.assert_allclose(one["joined"]["masses"], wanted["masses"], **CLOSE)
            assert_measures_equal(one["result"], wanted["result"])
    assert 50 < refused < 250


def test_every_conflict_is_accounted_for(found):
    """All of each product goes somewhere, and the rest of the result is the agreement."""
    seen = set()
    for (state, _), one in zip(expected_thousand(), found, strict=True):
        joined = one["joined"]
        if joined["masses"] is None or state.rule not in SHARING:
            continue
        for pair in joined["conflicts"]:
            assert pair["a"] & pair["b"] == 0
            product = state.sources[0][pair["a"]] * state.sources[1][pair["b"]]
            assert pair["product"] == product
            assert sum(amount for _, amount in pair["to"]) == pytest.approx(product, abs=1e-12)
        total = sum(pair["product"] for pair in joined["conflicts"])
        assert total == pytest.approx(joined["kappa"], abs=1e-12)
        agreed = [part["agreed"] for part in one["received"]]
        np.testing.assert_allclose(agreed, joined["agreed"], **CLOSE)
        seen.add(state.rule)
    assert seen == set(SHARING)


def test_each_rule_of_the_menu_is_one_of_the_package(tmp_path):
    assert set(in_node(tmp_path, "return Object.keys(logic.RULES);", None)) == set(RULES)


def test_rules_that_are_equal_for_two_sources_stand_in_one_line():
    """As their titles say: PCR5 and PCR6, with and without improvement, and Murphy and Deng."""
    masses = np.random.default_rng(0).dirichlet(np.full(7, 0.3), (2, 50))
    m1, m2 = (MassFunction(Frame(list("abc")), range(1, 8), one) for one in masses)
    for name, others in {"pcr6": ("pcr5", "pcr5_plus", "pcr6_plus"), "murphy": ("deng",)}.items():
        for other in others:
            assert getattr(combine, name)(m1, m2).equals(getattr(combine, other)(m1, m2))


def test_the_outline_is_that_of_the_credal_set(tmp_path):
    rng = np.random.default_rng(0)
    masses = rng.dirichlet(np.full(7, 0.5), 50)
    m = MassFunction(Frame(list("abc")), range(1, 8), masses)
    body = "return data.map((m) => logic.credalOutline([0, ...m]));"
    found = np.array(in_node(tmp_path, body, masses.tolist()))
    for one, other in zip(found, credal_vertices(m), strict=True):
        np.testing.assert_allclose(np.sort(one, axis=0), np.sort(other, axis=0), **CLOSE)
    # In the order of the outline: it turns one way only.
    x, y = np.moveaxis(np.roll(found, -1, axis=1) - found, -1, 0)[:2]
    turns = x * np.roll(y, -1, axis=1) - y * np.roll(x, -1, axis=1)
    assert ((turns > -1e-12).all(axis=1) | (turns < 1e-12).all(axis=1)).all()


@pytest.mark.parametrize(
    ("entered", "rest", "masses", "problem"),
    [
        ([0, 0.25, 0, 0.75], False, [0, 0.25, 0, 0.75], ""),
        ([0, 0.25, 0.25, 0], True, [0, 0.25, 0.25, 0.5], ""),
        ([0, 0.25, 0.25, 0], False, None, "The masses sum to less than 1"),
        ([0, 1, 0.25, 0], True, None, "The masses sum to more than 1"),
        ([0, -0.25, 1, 0.25], True, None, "A mass is a number from 0 to 1"),
    ],
)
def test_what_is_left_goes_to_the_frame_only_if_wanted(tmp_path, entered, rest, masses, problem):
    found = in_node(tmp_path, "return logic.resolve(data[0], data[1]);", [entered, rest])
    assert found["masses"] == masses
    assert found["problem"].startswith(problem)
    assert found["total"] == sum(entered)


def test_normalizing_divides_by_the_sum(tmp_path):
    body = "return [logic.normalized([0, 1, 0, 3]), logic.normalized([0, 0, 0, 0])];"
    assert in_node(tmp_path, body, None) == [[0, 0.25, 0, 0.75], None]


@pytest.mark.parametrize("criterion", ["maximize_expected_utility", "maximin", "maximax"])
def test_decisions_equal_the_package(tmp_path, criterion):
    rng = np.random.default_rng(0)
    bel, pl = np.sort(rng.random((2, 300)), axis=0)
    positive, negative = rng.integers(0, 9, (2, 300))
    policies = [
        {"falseAlarm": a, "miss": b, "reject": c, "criterion": criterion}
        for a, b, c in [(1, 1, None), (5, 1, 0.3), (0.1, 2, 0.08), (1, 3, None)]
    ]
    held = {"bel": bel, "pl": pl, "negative": negative, "positive": positive}
    data = [{name: values.tolist() for name, values in held.items()}, policies]
    found = in_node(tmp_path, "return data[1].map((p) => logic.tally(data[0], p));", data)
    m = MassFunction(Frame(["no", "yes"]), [1, 2, 3], np.stack([1 - pl, bel, pl - bel], axis=1))
    for policy, one in zip(policies, found, strict=True):
        costs = np.array([[0, policy["miss"]], [policy["falseAlarm"], 0]])
        utilities = decide.utilities_from_costs(costs)
        reject = policy["reject"]
        if reject is not None:
            utilities = decide.with_reject(utilities, reject)
        acts = getattr(decide, criterion)(m, utilities)
        confusion = np.zeros((3, 2))
        np.add.at(confusion, acts, np.stack([negative, positive], axis=1))
        np.testing.assert_array_equal(one["confusion"], confusion)
        paid = (confusion[:2] * costs).sum() + (reject or 0) * confusion[2].sum()
        assert one["meanCost"] == pytest.approx(paid / confusion.sum(), abs=1e-9)
        assert one["errorRate"] == pytest.approx(
            (confusion[0, 1] + confusion[1, 0]) / confusion[:2].sum(), abs=1e-9
        )
        assert one["rejectRate"] == pytest.approx(confusion[2].sum() / confusion.sum())


def test_a_threshold_keeps_the_sum_of_the_costs(tmp_path):
    body = "return logic.withThreshold({ falseAlarm: 1, miss: 3, reject: null }, 0.75);"
    assert in_node(tmp_path, body, None) == {"falseAlarm": 3, "miss": 1, "reject": None}


def test_promises_equal_the_package(tmp_path):
    rng = np.random.default_rng(0)
    cases = []
    for n, scale in ((40, 2), (300, 3), (1500, 4)):
        p = np.unique(expit(rng.normal(0, scale, n)).round(3))
        size = rng.integers(1, 4, len(p))
        positive = rng.binomial(size, p)
        held = {"bel": p * 0.9, "pl": p * 0.9 + 0.1 * p, "negative": size - positive}
        cases.append({name: one.tolist() for name, one in held.items()} | {"positive": positive})
    cases = [case | {"positive": case["positive"].tolist()} for case in cases]
    wanted = [(bound, level) for bound in (0.01, 0.05, 0.2) for level in (0.8, 0.95)]
    body = "return data[0].map((held) => data[1].map(([b, c]) => logic.answerable(held, b, c)));"
    found = in_node(tmp_path, body, [cases, wanted])
    kept = 0
    for held, each_found in zip(cases, found, strict=True):
        arrays = {name: np.array(one) for name, one in held.items()}
        p = (arrays["bel"] + arrays["pl"]) / 2
        for side in ("negative", "positive"):
            arrays[side] = np.repeat(p, arrays[side])
        p = np.r_[arrays["negative"], arrays["positive"]]
        y = np.arange(len(p)) >= len(arrays["negative"])
        wrong, doubt = ((p > 0.5) != y).astype(float), np.minimum(p, 1 - p)
        for (bound, level), one in zip(wanted, each_found, strict=True):
            promise = answered_promise(wrong, doubt, bound, level)
            assert (one is not None) == promise.kept
            if one is None:
                continue
            kept += 1
            assert (one["answered"], one["total"]) == (promise.n_answered, promise.n_samples)
            assert one["errors"] == round(promise.risk * promise.n_answered)
            assert (one["doubt"] is None) == (promise.limit == np.inf)  # infinite in JSON
    assert 3 < kept < 18
    body = "return data.map(([k, n, p]) => logic.binomialTail(k, n, p));"
    tails = [[0, 10, 0.1], [3, 50, 0.02], [40, 1000, 0.05], [900, 20_000, 0.05], [7, 7, 0.3]]
    expected = [binom.cdf(*one) for one in tails]
    np.testing.assert_allclose(in_node(tmp_path, body, tails), expected, rtol=1e-7)


def test_decisions_of_three_classes_and_their_cost(tmp_path):
    rng = np.random.default_rng(0)
    p, truth = rng.dirichlet([1, 1, 1], 50), rng.integers(0, 3, 50)
    found = in_node(
        tmp_path,
        "return logic.tallyRows(data, 0.4);",
        {"betp": p.tolist(), "truth": truth.tolist()},
    )
    act = np.where(1 - p.max(axis=1) > 0.4, 3, p.argmax(axis=1))
    counts = [[int(np.sum((act == a) & (truth == k))) for k in range(3)] for a in range(4)]
    assert found["counts"] == counts
    assert found["meanCost"] == pytest.approx(np.where(act == 3, 0.4, act != truth).mean())
    tie = {"betp": [[0.2, 0.1, 0.7]], "truth": [2]}  # where 1 - 0.7 > 0.3 by rounding
    assert in_node(tmp_path, "return logic.tallyRows(data, 0.3);", tie)["meanCost"] == 0
