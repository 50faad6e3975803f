"""The order of evidence never matters, not even where products leave the range of floats.

Each case has a right value by logarithms, from sums by hand. And no table is read by its places
whose columns say that another order is meant.
"""

import math
import pickle
from fractions import Fraction

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.dummy import DummyClassifier
from sklearn.frozen import FrozenEstimator

from dstheory import Frame, MassFunction, bayesian, consonant
from dstheory.combine import combine_axis, dempster, fixsen_mahler, tnorm_conjunctive
from dstheory.construct import from_probability_intervals, natural_extension, nested
from dstheory.decide import (
    CredalSet,
    maximin,
    minimax_regret,
    owa,
    set_utilities,
    utilities_from_costs,
    with_reject,
)
from dstheory.inference import (
    Opinion,
    linear_contour,
    multinomial,
    predict,
)
from dstheory.measure import distance
from dstheory.network import Table, ValuationNetwork
from dstheory.product import ProductFrame, Variable, probability_table
from dstheory.revise import generalized_bayes
from evical.conformal import ConformalScores, RiskControl
from evical.evaluation import CalibrationMonitor, ConformalEvaluation, Evaluation, compare
from evical.fused import EvidentialFusion
from evical.metrics import (
    aurc,
    brier_score,
    calibration_report,
    decision_cost,
    decision_profit,
    expected_calibration_error,
    ranked_probability_score,
    risk_coverage_curve,
    set_coverage,
    set_score,
)
from evical.multiclass import SoftmaxCalibrator
from evical.significance import (
    Results,
    corrected_t,
    friedman,
    mcnemar,
    relative_gain,
    wilcoxon,
)
from tests.joints.seeds import every_seed
from tests.support.each import each

X = Variable("x", ["a", "b"])
KINDS = ("belief", "probability", "possibility")


def valuation(kind, pair):
    """Numbers for a and b as a valuation on x: Bayesian masses, or a table."""
    if kind == "belief":
        return MassFunction(ProductFrame([X]), [1, 2], pair)
    return Table("x", np.array(pair) / (max(pair) if kind == "possibility" else 1))


def evidence(rng, count, final=0.25):
    """Pairs of numbers for a and b, hundreds of them for each, whose products are as 1 to 3.

    Each pair comes with its mirror image, and the odds of what is left are known.
    """
    shares = rng.beta(0.5, 0.5, count).clip(1e-12, 1 - 1e-12)
    pairs = [(p, 1 - p) for p in shares.tolist()]
    return [*pairs, *((q, p) for p, q in pairs), (final, 1 - final)]


def orders(pairs, rng):
    """All for one first, all for the other first, and by chance."""
    ascending = sorted(pairs)
    shuffled = [pairs[i] for i in rng.permutation(len(pairs))]
    return {"b first": ascending, "a first": ascending[::-1], "chance": shuffled}


@pytest.mark.parametrize("kind", KINDS)
@every_seed
def test_eight_hundred_valuations(kind, seed):
    rng = np.random.default_rng(seed)
    pairs = evidence(rng, 400)
    scales = [max(pair) if kind == "possibility" else 1 for pair in pairs]
    logs = [
        math.fsum(math.log(pair[i] / s) for pair, s in zip(pairs, scales, strict=True))
        for i in (0, 1)
    ]
    top = max(logs)
    total = top + math.log(math.fsum(math.exp(log - top) for log in logs))
    total = top if kind == "possibility" else total
    for name, listed in orders(pairs, rng).items():
        network = ValuationNetwork([X], [valuation(kind, pair) for pair in listed], kind=kind)
        found = network.marginal("x"), network.fuse("x")
        if kind == "belief":
            found = tuple(m.masses for m in found)
        wanted = np.exp(np.array(logs) - total)
        for values in found:
            np.testing.assert_allclose(values, wanted, rtol=1e-8, err_msg=name)
        assert network.log_normalization() == pytest.approx(total, rel=1e-12), name
        best = network.most_plausible()
        assert (best.values["x"], best.log_degree) == (
            "b",
            pytest.approx(top - total, abs=1e-8),
        ), name


@pytest.mark.parametrize("kind", KINDS)
def test_two_hundred_for_each(kind):
    """The case of the issue: certainty for whoever came first."""
    for_a, for_b = [(0.98, 0.02)] * 200, [(0.02, 0.98)] * 200
    share = 1 if kind == "possibility" else 0.5
    for listed in ([*for_a, *for_b], [*for_b, *for_a]):
        network = ValuationNetwork([X], [valuation(kind, pair) for pair in listed], kind=kind)
        for m in (network.marginal("x"), network.fuse("x")):
            values = m.masses if kind == "belief" else m
            np.testing.assert_allclose(values, [share, share], rtol=1e-10)
        assert network.most_plausible().log_degree == pytest.approx(math.log(share), abs=1e-10)
        scale = 0.98 if kind == "possibility" else 1
        wanted = 200 * math.log(0.98 * 0.02 / scale**2) - math.log(share)
        assert network.log_normalization() == pytest.approx(wanted, rel=1e-13)


@pytest.mark.parametrize("kind", KINDS)
@every_seed
def test_naive_bayes_of_four_hundred_children(kind, seed):
    """Half of the children speak for one class, half for the other; two routes and logarithms."""
    rng = np.random.default_rng(seed)
    children = [Variable(f"y{i}", ["t", "f"]) for i in range(400)]
    likely = rng.uniform(0.98, 0.995, 200)  # whose products are no floats
    likely = np.concatenate([likely, likely])
    valuations = {}
    for child, p in zip(children, likely.tolist(), strict=True):
        table = np.array([[p, 1 - p], [1 - p, p]])
        if kind == "belief":
            frame = ProductFrame([X, child])
            masks = [frame.mask(cell) for cell in frame]
            valuations[child.name] = MassFunction(frame, masks, (table / 2).ravel())
        else:
            valuations[child.name] = Table(["x", child.name], table)
    network = ValuationNetwork([X, *children], valuations, kind=kind)
    seen = {child.name: "t" if i < 200 else "f" for i, child in enumerate(children)}
    network = network.observe(seen).add(valuation(kind, (0.25, 0.75)))
    wanted = np.array([1, 3]) / (3 if kind == "possibility" else 4)
    for m in (network.marginal("x"), network.fuse("x")):
        np.testing.assert_allclose(m.masses if kind == "belief" else m, wanted, rtol=1e-9)


def test_exact_valuations_meet_floats():
    """Products of fractions may be smaller than all floats, and what they exclude is conflict."""
    tiny = Fraction(1, 10**400)
    conflict = {("a",): Fraction(1, 2), ("b",): Fraction(1, 4), (): Fraction(1, 4)}
    frame = ProductFrame([X])
    exact = [
        MassFunction(frame, [1, 2], [1 - tiny, tiny]),
        MassFunction(frame, [1, 2], [tiny, 1 - tiny]),
    ]
    half = MassFunction(frame, [1, 2], [0.25, 0.75])
    for listed in ([*exact, half], [half, *exact], [exact[0], half, exact[1]]):
        network = ValuationNetwork([X], listed)
        assert network.marginal("x").mass("b") == pytest.approx(0.75, rel=1e-9)
        assert network.log_normalization() == pytest.approx(-400 * math.log(10), rel=1e-12)
    tables = [Table("x", m.masses) for m in (*exact, half)]
    for listed in (tables, tables[::-1]):
        network = ValuationNetwork([X], listed, kind="probability")
        np.testing.assert_allclose(network.marginal("x"), [0.25, 0.75], rtol=1e-9)
    left = MassFunction.from_dict(ProductFrame([X]), conflict)
    network = ValuationNetwork([X], [left, half])
    assert network.log_normalization() == pytest.approx(math.log(5 / 16), rel=1e-12)
    assert network.kappa() == pytest.approx(11 / 16, rel=1e-12)


@every_seed
def test_simple_sources_by_dempster_and_by_weights(seed):
    """600 sources that support a or b partly; of the frame nothing is left but a trace."""
    rng = np.random.default_rng(seed)
    frame = Frame(["a", "b"])
    shares = rng.uniform(0.5, 0.97, 300)  # nothing is left, by any float
    masses = np.zeros((600, 3))
    masses[:300, 0] = masses[300:, 1] = shares
    masses[:, 2] = 1 - masses.sum(axis=1)
    wanted = np.array([0.5, 0.5, 0])
    for order in (np.arange(600), np.arange(600)[::-1], rng.permutation(600)):
        batch = MassFunction(frame, [1, 2, 3], masses[order])
        for m in (
            combine_axis(batch, dempster),
            tnorm_conjunctive(*batch, family="dubois_prade", parameter=1, normalize=True),
            ValuationNetwork(
                [X], [MassFunction(ProductFrame([X]), [1, 2, 3], row) for row in masses[order]]
            ).marginal("x"),
        ):
            np.testing.assert_allclose([m.mass(mask=k) for k in (1, 2, 3)], wanted, atol=1e-9)


CLASSES = ["Barbera", "Barolo", "Grignolino"]
WINES = np.repeat(CLASSES, 8)
TABLE = pd.DataFrame(np.eye(3)[np.arange(24) // 8] * 0.4 + 0.2, columns=CLASSES)
TABLE.iloc[::5] = TABLE.iloc[::5].to_numpy()[:, ::-1]
FRAME = Frame(CLASSES)
BELIEF = MassFunction.from_dict(FRAME, {"Barbera": 0.6, ("Barolo", "Grignolino"): 0.4})
WINE, COLOR = Variable("wine", CLASSES), Variable("color", ["red", "white"])
SCORES = ConformalScores.from_samples(TABLE, WINES)
SCALED = SoftmaxCalibrator().fit(TABLE, WINES)
FUSION = EvidentialFusion().fit([TABLE, TABLE])
READERS = {
    "metric": lambda table: brier_score(WINES, table),
    "report": lambda table: calibration_report(WINES, table),
    "curve": lambda table: risk_coverage_curve(WINES, table),
    "comparison": lambda table: compare(table, WINES, ["softmax"], cv=2),
    "conformal": lambda table: ConformalScores.from_samples(table, WINES),
    "conformal prediction": SCORES.predict_p,
    "calibrator": lambda table: SoftmaxCalibrator().fit(table, WINES),
    "calibrated": SCALED.predict_proba,
    "fusion": lambda table: EvidentialFusion(classes=CLASSES).fit([table, table]),
    "fusion with labels": lambda table: EvidentialFusion().fit([table, table], WINES),
    "fused": lambda table: FUSION.predict([TABLE, table]),
    "utilities": lambda table: maximin(BELIEF, table),
    "set of acts": lambda table: FUSION.predict_set([TABLE, TABLE], table),
    "losses": lambda table: RiskControl(
        FrozenEstimator(DummyClassifier(strategy="prior").fit(TABLE, WINES)),
        loss=table.iloc[:3],
        bound=0.9,
    ).fit(TABLE, WINES),
    "probabilities": lambda table: bayesian(FRAME, table),
    "one": lambda table: bayesian(FRAME, table.iloc[0]),
    "contour": lambda table: consonant(FRAME, table.iloc[1] / table.iloc[1].max()),
    "bounds": lambda table: from_probability_intervals(FRAME, table.iloc[0], table.iloc[0]),
    "likelihoods": lambda table: generalized_bayes(FRAME, table.iloc[0]),
    "masses": lambda table: MassFunction(FRAME, [1, 2, 4], table),
    "nested masses": lambda table: nested(FRAME, [0, 1, 2], table.iloc[0]),
    "positions": lambda table: distance(BELIEF, BELIEF, "hausdorff", positions=table.iloc[0]),
    "counts": lambda table: multinomial(table * 9, CLASSES, model="dempster"),
    "evidence": lambda table: Opinion.from_evidence(table.iloc[0] * 9, CLASSES),
    "opinion": lambda table: Opinion.from_beliefs(CLASSES, table.iloc[0] / 2, 0.5),
    "intervals": lambda table: CredalSet.from_intervals(FRAME, table / 2, table),
    "two bounds": lambda table: natural_extension(TABLE.iloc[0] / 4, table.iloc[0]),
    "costs": lambda table: maximin(BELIEF, utilities_from_costs(with_reject(table, 0.2))),
    "conditional table": lambda table: probability_table(WINE, COLOR, table.iloc[:2]),
    "prior": lambda table: ValuationNetwork([WINE], kind="probability").add(
        table.iloc[0], on="wine"
    ),
    "table": lambda table: ValuationNetwork(
        [COLOR, WINE], [Table(["color", "wine"], table.iloc[:2])], kind="probability"
    ),
    "weights": lambda table: linear_contour(TABLE, range(24), table.iloc[0]),
    "new design": lambda table: predict(TABLE, range(24), table),
    "sets": lambda table: set_coverage(WINES, table > 0.5),
    "worth of sets": lambda table: set_score(WINES, table > 0.5),
    "profit": lambda table: decision_profit(WINES, TABLE, table),
    "cost": lambda table: decision_cost(WINES, TABLE, table),
    "losses of a curve": lambda table: aurc(WINES, TABLE, loss=table.iloc[:3]),
    "losses by row": lambda table: aurc(WINES, TABLE, loss=table.iloc[:3].T),
    "bounds of errors": lambda table: RiskControl(
        FrozenEstimator(SCALED), loss="by_class", bound=0.9 + table.iloc[1] / 20
    ).fit(TABLE, WINES),
    "p-values": lambda table: ConformalEvaluation.from_p_values(WINES, table),
    "contours": lambda table: ConformalEvaluation.from_p_values(WINES, TABLE, contour=table),
    "alarm": lambda table: CalibrationMonitor(SCALED).update(table, WINES),
}


@each("reader", READERS)
def test_named_columns_in_another_order_are_refused(reader):
    read = READERS[reader]
    read(TABLE)
    turned = TABLE[CLASSES[::-1]]
    for named in (turned, turned.add_prefix("p_")):
        with pytest.raises(
            ValueError,
            match=r"the (columns|index|names) of .* but (the labels|the columns of|in fit)",
        ):
            read(named)
    read(turned.rename(columns=str.upper))  # names that are not the classes say nothing


def test_the_second_of_two_columns_is_the_positive_class():
    y = np.where(WINES == "Barolo", "yes", "no")
    table = pd.DataFrame({"no": 0.25, "yes": 0.75}, index=range(24))
    expected_calibration_error(y, table, pos_label="yes")
    Evaluation.from_predictions(y, table, pos_label="no", n_resamples=1)
    with pytest.raises(ValueError, match="the columns of probability are"):
        Evaluation.from_predictions(y, table[["yes", "no"]], pos_label="yes")
    for wrong, positive in ((table[["yes", "no"]], "yes"), (table, "no")):
        with pytest.raises(ValueError, match="the columns of y_prob are"):
            expected_calibration_error(y, wrong, pos_label=positive)


def test_columns_of_frames_name_the_classes():
    assert FUSION.classes_.tolist() == CLASSES
    assert EvidentialFusion().fit([TABLE.to_numpy(), TABLE]).classes_.tolist() == CLASSES
    with pytest.raises(ValueError, match="sources do not name their classes"):
        EvidentialFusion().fit([TABLE, TABLE.rename(columns=str.upper)])


def test_names_of_counts_are_their_categories():
    """Numbers by their places were labels 0, 1, 2, and those of classes 2, 0, 1 among them."""
    seen = pd.Series([2, 2, 2, 0, 0, 1])
    for counts in (seen.value_counts(), seen.value_counts().to_frame().T):
        m = multinomial(counts, model="bayesian")
        assert [float(np.ravel(m.bel(k))[0]) for k in (2, 0, 1)] == [3 / 6, 2 / 6, 1 / 6]
        assert Opinion.from_evidence(counts).mass.frame.labels == (2, 0, 1)
    assert multinomial([3, 2, 1]).frame.labels == (0, 1, 2)
    with pytest.raises(ValueError, match="the index of counts is"):
        multinomial(seen.value_counts(), range(3))


def test_masses_of_nested_sets_are_named_in_their_order():
    """The one right order was refused, as it is not that of the frame."""
    masses = pd.Series([0.2, 0.3, 0.5], index=CLASSES[::-1])
    assert nested(FRAME, [2, 1, 0], masses).mass(CLASSES[2]) == 0.2
    with pytest.raises(ValueError, match="the index of masses is"):
        nested(FRAME, [2, 1, 0], masses[::-1])


def test_names_of_acts_and_gambles():
    """Bounds of one gamble were those of another, and acts had each other's names."""
    gambles = pd.DataFrame([[1, 0, 0], [0, 1, 1]], index=["first", "second"], columns=CLASSES)
    bounds = pd.Series({"first": 0.25, "second": 0.5})
    assert CredalSet(FRAME, gambles, lower=bounds).lower.tolist() == [0.25, 0.5]
    assert maximin(BELIEF, gambles, acts=["first", "second"]) == "first"
    with pytest.raises(ValueError, match="the index of lower is"):
        CredalSet(FRAME, gambles, lower=bounds[::-1])
    with pytest.raises(ValueError, match="the index of upper is"):
        CredalSet(FRAME, gambles.to_numpy(), lower=bounds, upper=bounds[::-1] + 0.5)
    for acts in (["second", "first"], pd.Index(["second", "first"])):
        with pytest.raises(ValueError, match="the index of utilities is"):
            maximin(BELIEF, gambles, acts=acts)
    assert utilities_from_costs(gambles.set_axis([7, 8])).index.tolist() == [7, 8]


def test_tables_of_variables_are_read_by_the_names_of_both_axes():
    rain, grass = Variable("rain", ["yes", "no"]), Variable("grass", ["wet", "dry"])
    table = pd.DataFrame([[0.9, 0.1], [0.2, 0.8]], index=["yes", "no"], columns=["wet", "dry"])

    def read(given):
        yield lambda: probability_table(grass, rain, given)
        pickled = pickle.loads(pickle.dumps(Table(["rain", "grass"], given)))
        yield lambda: ValuationNetwork([grass, rain], [pickled], kind="probability")

    for call in read(table):
        call()
    for wrong in (table[["dry", "wet"]], table.loc[["no", "yes"]], table.T):
        for call in read(wrong):
            with pytest.raises(ValueError, match="the names of"):
                call()


def test_columns_of_the_same_text_are_refused():
    """One of them overwrote the other."""
    m = MassFunction(Frame([1, "1"]), [1, 2], [0.5, 0.5])
    for kind in ("sets", "labels"):
        with pytest.raises(ValueError, match="two columns would have the name"):
            m.to_frame(kind)


def test_columns_in_another_order_than_in_fit_are_refused():
    """Also if they are not named like the classes."""
    table = TABLE.set_axis(["u", "v", "w"], axis=1)
    fitted = SoftmaxCalibrator().fit(table, WINES)
    readers = (
        fitted.predict_proba,
        SoftmaxCalibrator.from_dict(fitted.to_dict()).predict_proba,
        lambda found: EvidentialFusion().fit({"x": table}, WINES).predict({"x": found}),
        lambda found: EvidentialFusion(classes=CLASSES).fit({"x": table}).predict({"x": found}),
    )
    for read in readers:
        read(table)
        read(table.to_numpy())
        read(pa.Table.from_pandas(table))
        with pytest.raises(ValueError, match=r"but in fit they were .* select them"):
            read(table[["v", "u", "w"]])
    SoftmaxCalibrator().fit(pa.Table.from_pandas(table), WINES).predict(table)


def test_rows_of_a_series_are_no_labels():
    """Of two samples in another order, the numbers of the rows are the classes turned."""
    p = pd.Series([0.3, 0.8], index=[1, 0])
    assert brier_score([0, 1], p) == brier_score([0, 1], p.to_numpy())
    assert ConformalScores.from_samples(p, [0, 1]).predict(p).tolist() == [0, 1]
    Evaluation.from_predictions([0, 1], p, n_resamples=1)


def test_what_names_no_labels_is_read_by_places():
    frame = Frame([1, 0])
    for places in (pd.DataFrame([[0.25, 0.75]]), pd.Series([0.25, 0.75])):
        assert np.ravel(bayesian(frame, places).mass(1)).tolist() == [0.25]
    frame = Frame(["columns", "rows"])
    assert bayesian(frame, pd.Series({"columns": 0.25, "rows": 0.75})).mass("rows") == 0.75
    for named in (
        pa.table({"b": [0.25], "a": [0.75]}),
        pd.DataFrame([[0.25, 0.75]], columns=pd.Index([2.0, 1.0])),
    ):
        with pytest.raises(ValueError, match="the columns of probabilities are"):
            bayesian(Frame([1, 2] if isinstance(named, pd.DataFrame) else ["a", "b"]), named)
    with pytest.raises(ValueError, match="the index of prior probabilities is"):
        fixsen_mahler(BELIEF, BELIEF, prior=pd.Series([0.2, 0.3, 0.5], index=CLASSES[::-1]))


def test_names_with_a_prefix_in_the_order_of_the_classes_are_read():
    assert brier_score(WINES, TABLE.add_prefix("p_")) == brier_score(WINES, TABLE)


def test_rows_of_utilities_name_the_acts():
    utilities = pd.DataFrame([*np.eye(3), [0.5] * 3], columns=CLASSES, index=[*CLASSES, "ask"])
    for criterion in (maximin, owa, minimax_regret):
        assert criterion(BELIEF, utilities) == criterion(BELIEF, utilities, acts=utilities.index)
        assert criterion(BELIEF, utilities.iloc[3:]) == "ask"
        assert criterion(BELIEF, utilities.reset_index(drop=True).iloc[3:]) == 0
        assert criterion(BELIEF, utilities.to_numpy().tolist()) in range(4)


def test_probabilities_and_sets_are_no_p_values():
    rows = np.random.default_rng(0).dirichlet([1, 1, 1], len(WINES))
    with pytest.raises(ValueError, match="all 24 rows of p_values sum to 1, as probabilities do"):
        ConformalEvaluation.from_p_values(WINES, rows)
    with pytest.raises(TypeError, match="p_values hold bool values"):
        ConformalEvaluation.from_p_values(WINES, rows > 0.2)


def test_paired_results_in_another_order_are_refused():
    """Of data sets, of samples, and of methods."""
    one = pd.Series({"iris": 0.1, "wine": 0.2, "digits": 0.4})
    other = one[["wine", "iris", "digits"]] / 2
    for test in (wilcoxon, relative_gain, lambda a, b: corrected_t(a, b, test_share=0.5)):
        test(one, other.to_numpy())
        test(one.rename(str.upper), other)
        with pytest.raises(ValueError, match=r"the index of values2 is .* but the index"):
            test(one, other)
    y = pd.Series([0, 1, 1], index=[7, 5, 6])
    mcnemar(y, [0, 0, 1], y)
    with pytest.raises(ValueError, match="the index of y_pred2 is"):
        mcnemar(y, [0, 0, 1], y.sort_index())
    with pytest.raises(ValueError, match=r"y_pred1\[1\] is 0.3, but labels of y_true are whole"):
        mcnemar(y, [0, 0.3, 1], y)
    methods = pd.DataFrame(np.eye(3), columns=["b", "a", "c"])
    for table in (pl.from_pandas(methods), pl.from_pandas(methods).to_arrow()):
        assert friedman(table).methods == ("b", "a", "c")
    with pytest.raises(ValueError, match=r"the columns of results are .* but methods are"):
        Results(methods, ["a", "b", "c"])


def test_categories_in_an_order_are_ranked_so():
    """Sorted, "high" would come before "low" and "medium"."""
    order = ["low", "medium", "high"]
    y = pd.Series(pd.Categorical(["low", "high"], order, ordered=True))
    p = [[1.0, 0, 0], [0, 1, 0]]
    assert ranked_probability_score(y, p, labels=order) == 0.25
    for other in (sorted(order), order[::-1]):
        with pytest.raises(ValueError, match=r"the order of y_true is .'low', 'medium', 'high'"):
            ranked_probability_score(y, p, labels=other)


def test_utilities_keep_the_names_of_a_frame():
    """A frame turned into another matrix of utilities is still checked against the classes."""
    costs = pd.DataFrame(1 - np.eye(3), columns=CLASSES, index=["x", "y", "z"])
    made = (utilities_from_costs, lambda table: with_reject(table, 0.2), set_utilities)
    for make in made:
        plain = make(costs.to_numpy())
        assert isinstance(plain, np.ndarray)
        np.testing.assert_array_equal(make(costs), plain)
        maximin(BELIEF, make(costs))
        with pytest.raises(ValueError, match="the columns of utilities are"):
            maximin(BELIEF, make(costs[CLASSES[::-1]]))
    assert maximin(BELIEF, with_reject(utilities_from_costs(costs), 0.2)) == "reject"
    assert maximin(BELIEF, with_reject(np.eye(3), 0.2)) == 3
