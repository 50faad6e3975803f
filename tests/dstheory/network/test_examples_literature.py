"""Networks of the literature: what the pages of docs/networks build has the known answers."""

import doctest
import json
from fractions import Fraction
from itertools import product
from math import comb, exp, prod

import networkx as nx
import numpy as np
import pytest
import sympy
from hypothesis import given, settings
from hypothesis import strategies as st

from dstheory import MassFunction, betp, dempster
from dstheory.argumentation import ArgumentationSystem
from dstheory.errors import CostLimitError
from dstheory.network import ValuationNetwork
from dstheory.product import Variable, equal, implies, observe, probability_table, relation
from tests.naive import examples as naive
from tests.naive import network as naive_network
from tests.support.each import each
from tests.support.public_objects import ROOT

FILE = ROOT / "tests" / "oracles" / "dst_oracles.json"
ORACLES = {o["id"]: o for o in json.loads(FILE.read_text(encoding="utf-8"))["oracles"]}


def names_of(page):
    """What the snippets of a page define: the models that users copy."""
    text = (ROOT / "docs" / "networks" / f"{page}.md").read_text(encoding="utf-8")
    names = {}
    for example in doctest.DocTestParser().get_examples(text):
        exec(compile(example.source, page, "exec"), names)
    return names


def fixture(page):
    return pytest.fixture(scope="module", name=page)(lambda: names_of(page))


captain, chest_clinic, crime_scene = map(fixture, ("captain", "chest_clinic", "crime_scene"))
burglary_alarm, zebra = fixture("burglary_alarm"), fixture("zebra")
machine, communication = fixture("machine"), fixture("communication")


def joint_of(network):
    """All valuations combined by brute force; the joint belief by frozensets of places."""
    sizes = [len(variable) for variable in network.variables]
    valuations = []
    for m in network.valuations.values():
        scope = tuple(map(network.names.index, m.frame.names))
        cells = list(product(*(range(sizes[v]) for v in scope)))
        focal = (
            frozenset(x for i, x in enumerate(cells) if mask >> i & 1) for mask in m.focal.tolist()
        )
        valuations.append((scope, dict(zip(focal, m.masses.tolist(), strict=True))))
    return naive_network.joint_belief(sizes, valuations)


def interval(joint, network, name, place):
    """Bel and Pl of a value, by brute force."""
    marginal = naive_network.marginal_belief(joint, [network.names.index(name)])
    masses = naive_network.normalized_belief(marginal)
    value = (place,)
    bel = sum(mass for focal, mass in masses.items() if focal == {value})
    return bel, sum(mass for focal, mass in masses.items() if value in focal)


def check_intervals(network):
    """All marginals of a network agree with brute force."""
    joint = joint_of(network)
    for variable in network.variables:
        m = network.marginal(variable.name)
        for place, value in enumerate(variable.values):
            expected = interval(joint, network, variable.name, place)
            assert (m.bel(value), m.pl(value)) == pytest.approx(expected, abs=1e-12)


# -- the captain's problem -------------------------------------------------------------------------


def days(key):
    return [int(day) for day in key.split(",")]


def test_captain_as_published(captain):
    oracle, delay = ORACLES["captain"], captain["net"].marginal("arrival")
    assert len(oracle["published_bel"]) == 28
    for key, bel in oracle["published_bel"].items():
        assert delay.bel(days(key)) == pytest.approx(bel, abs=1e-12)
    for key, pl in oracle["published_pl_singletons"].items():
        assert delay.pl(days(key)) == pytest.approx(pl, abs=1e-12)


def test_captain_masses(captain):
    expected = {tuple(days(k)): v["float"] for k, v in ORACLES["captain"]["expected"].items()}
    delay = captain["net"].marginal("arrival").prune(1e-15)
    assert delay.to_dict() == pytest.approx(expected, abs=1e-12)


def test_captain_with_the_numbers_of_the_text(captain):
    net, loading = captain["net"], captain["loading"]
    text = MassFunction.from_dict(loading.frame, {True: 0.5, False: 0.3, loading.frame: 0.2})
    delay = net.retract("about loading").add(text, on="loading").marginal("arrival").prune(1e-15)
    expected = ORACLES["captain-text-inputs"]["expected"]
    assert delay.to_dict() == pytest.approx(
        {tuple(days(k)): v["float"] for k, v in expected.items()}, abs=1e-12
    )


# -- the chest clinic ------------------------------------------------------------------------------


def as_dicts(tables):
    return [(table.names, dict(np.ndenumerate(table.values))) for table in tables.values()]


def some_evidence(*names):
    """Each of some variables yes, no, or not observed."""
    for places in product((0, 1, None), repeat=len(names)):
        yield {name: p for name, p in zip(names, places, strict=True) if p is not None}


def check_probabilities(page, bayes, beliefs, *observed):
    """Both kinds of networks give the probabilities of the enumeration."""
    tables = as_dicts(page["tables"])
    for evidence in some_evidence(*observed):
        told = {name: ("yes", "no")[place] for name, place in evidence.items()}
        total = naive.probability(page["names"], tables, evidence)
        one, other = bayes.observe(told), beliefs.observe(told)
        assert exp(one.log_normalization()) == pytest.approx(total, rel=1e-12)
        assert exp(other.log_normalization()) == pytest.approx(total, rel=1e-12)
        for name in page["names"]:
            if name in evidence:
                continue
            yes = naive.probability(page["names"], tables, {**evidence, name: 0}) / total
            assert one.marginal(name)[0] == pytest.approx(yes, abs=1e-12)
            m = other.marginal(name)
            assert (m.bel("yes"), m.pl("yes")) == pytest.approx((yes, yes), abs=1e-12)


def test_chest_clinic_is_bayesian(chest_clinic):
    page = chest_clinic
    check_probabilities(page, page["bayes"], page["beliefs"], "asia", "dyspnoea", "xray")


def test_chest_clinic_as_published(chest_clinic):
    oracle, bayes = ORACLES["chest-clinic-prior"], chest_clinic["bayes"]
    short = dict(zip(oracle["variables"], chest_clinic["names"], strict=True))
    for name, yes in oracle["published"].items():
        assert bayes.marginal(short[name])[0] == pytest.approx(yes, abs=1e-12)
    # The package gRain, with this patient:
    patient = bayes.observe({"asia": "yes", "dyspnoea": "yes"})
    assert patient.marginal("cancer").round(8).tolist() == [0.09952515, 0.90047485]
    assert patient.marginal("bronchitis").round(7).tolist() == [0.8114021, 0.1885979]


def test_chest_clinic_with_unknown_roots(chest_clinic):
    oracle = ORACLES["chest-clinic-vacuous-roots"]
    short = dict(zip(oracle["variables"], chest_clinic["names"], strict=True))
    for name, expected in oracle["expected"].items():
        m = chest_clinic["unknown"].marginal(short[name])
        for key, number in expected.items():
            assert m.mass(key.split(",")) == pytest.approx(number["float"], abs=1e-12)


def test_chest_clinic_by_brute_force(chest_clinic):
    """A patient of unknown habits: belief is no bound of probability over all priors."""
    beliefs = chest_clinic["beliefs"].retract("smoker", "xray")
    patient = beliefs.observe(chest_clinic["patient"])
    check_intervals(patient)
    told = [patient.observe({"smoker": value}) for value in ("yes", "no")]
    least = min(net.marginal("tuberculosis").bel("yes") for net in told)
    assert patient.marginal("tuberculosis").pl("yes") < least


# -- the crime scene -------------------------------------------------------------------------------


def test_crime_scene_as_published(crime_scene):
    expected = {
        tuple(k.split(",")): v for k, v in ORACLES["cuzzolin-crime-scene"]["published"].items()
    }
    m = crime_scene["case"].marginal("murderer")
    assert m.to_dict() == pytest.approx(expected, abs=1e-12)


def test_reliability_as_a_variable_is_discounting(crime_scene):
    suspects = crime_scene["murderer"].frame
    by_hand = dempster(
        MassFunction.from_dict(suspects, {("Peter", "John"): 0.8, suspects: 0.2}),
        MassFunction.from_dict(suspects, {("John", "Mary"): 0.6, suspects: 0.4}),
    )
    assert crime_scene["case"].marginal("murderer").equals(by_hand)
    check_intervals(crime_scene["case"].observe({"murderer": ["Peter", "Mary"]}))


def test_three_witnesses_as_published(crime_scene):
    """The digits that the vignette of R dst prints."""
    trial, alibi = crime_scene["trial"], crime_scene["alibi"]
    m, n = trial.marginal("murderer"), alibi.marginal("murderer")
    printed = {"Peter": (0.55, 0.91), "John": (0, 0.45), "Mary": (0, 0.23)}
    assert {x: (round(m.bel(x), 2), round(m.pl(x), 2)) for x in printed} == printed
    assert (round(trial.kappa(), 2), round(alibi.kappa(), 2)) == (0.12, 0.6)
    assert n.to_dict() == pytest.approx({("John",): 0.5, ("John", "Mary"): 0.5})


# -- the burglary alarm ----------------------------------------------------------------------------


def test_burglary_as_published(burglary_alarm):
    both = burglary_alarm["bayes"].observe({"John": "yes", "Mary": "yes"})
    assert both.marginal("burglary").round(3).tolist() == [0.284, 0.716]


def test_burglary_is_bayesian(burglary_alarm):
    page = burglary_alarm
    check_probabilities(page, page["bayes"], page["net"], "John", "Mary", "earthquake")


@pytest.mark.parametrize("missing", [["burglary"], ["earthquake"], ["burglary", "earthquake"]])
def test_burglary_without_priors(burglary_alarm, missing):
    calls = burglary_alarm["calls"]
    check_intervals(burglary_alarm["net"].retract(*missing).observe(calls))


def test_burglary_of_a_vague_prior(burglary_alarm):
    net = burglary_alarm["net"].retract("burglary").add(burglary_alarm["vague"], on="burglary")
    check_intervals(net.observe(burglary_alarm["calls"]))


def test_holmes(burglary_alarm):
    """Closed forms: an alarm has a cause; other causes are out of the way or not."""
    works, other = Fraction(19, 20), Fraction(1, 100)
    holmes = burglary_alarm["holmes"]
    bel = works * (1 - other) / (1 - (1 - works) * (1 - other))
    m = holmes.observe({"alarm": "yes"}).marginal("burglary")
    assert (m.bel("yes"), m.pl("yes")) == pytest.approx((float(bel), 1), abs=1e-12)
    assert burglary_alarm["system"].support("burglary") == pytest.approx(float(bel), abs=1e-12)
    assert holmes.observe({"alarm": "no"}).marginal("burglary").bel("no") == pytest.approx(0.95)


def test_rules_without_their_converse_prove_nothing(burglary_alarm):
    page = burglary_alarm
    works, alarm = page["works"], page["alarm"]
    rule = implies({page["burglary"]: "yes", works: True}, {alarm: "yes"})
    net = ValuationNetwork([page["burglary"], works, alarm], [rule, observe({works: True}, 0.95)])
    assert net.observe({"alarm": "yes"}).marginal("burglary").is_vacuous


# -- the zebra puzzle ------------------------------------------------------------------------------


def test_zebra_has_one_solution(zebra):
    (expected,) = naive.zebra_solutions(range(14))
    assert zebra["solution"] == expected
    assert expected["water"] == expected["Norwegian"]
    assert expected["zebra"] == expected["Japanese"]


@each("dropped", range(14))
def test_zebra_without_a_clue(zebra, dropped):
    """What remains possible is what some solution has; every clue is needed."""
    keys = [*range(12), ("observed", "milk"), ("observed", "Norwegian")]
    solutions = list(naive.zebra_solutions(set(range(14)) - {dropped}))
    assert len(solutions) > 1
    for name, m in zebra["net"].retract(keys[dropped]).marginals().items():
        possible = {solution[name] for solution in solutions}
        assert m.frame.event(int(m.focal[-1])) == tuple(sorted(possible))
        assert m.is_categorical


def test_zebra_with_doubtful_clues(zebra):
    """Masses are those of all choices of clues that hold."""
    masses = {}
    for holds in product((False, True), repeat=2):
        clues = {*range(2, 14), *(i for i, h in enumerate(holds) if h)}
        houses = tuple(sorted({s["zebra"] for s in naive.zebra_solutions(clues)}))
        masses[houses] = masses.get(houses, 0) + prod(0.9 if h else 0.1 for h in holds)
    doubtful = zebra["doubtful"].retract(*range(2, 12))
    for key in range(2, 12):
        doubtful = doubtful.add(zebra["clues"][key])
    assert doubtful.marginal("zebra").to_dict() == pytest.approx(masses, abs=1e-12)


def test_zebra_by_permutations_is_refused(zebra):
    with pytest.raises(CostLimitError, match="207360000 configurations"):
        zebra["few"].marginal(zebra["orders"][0].name)


# -- the machine -----------------------------------------------------------------------------------


def machine_works(state):
    power, a, b, *sensors = state
    return power and (a or b) and sum(sensors) >= 2


def test_machine_in_closed_form(machine):
    m, beliefs = machine["net"].marginal("machine"), machine["beliefs"]
    low = naive.reliability(machine_works, [b.bel(1) for b in beliefs])
    high = naive.reliability(machine_works, [b.pl(1) for b in beliefs])
    assert (m.bel(1), m.pl(1)) == pytest.approx((low, high), abs=1e-12)


def test_machine_diagnosis(machine):
    check_intervals(machine["down"])
    check_intervals(machine["pumps_run"])


def test_machine_of_known_parts(machine):
    """The Bayesian special case, exactly: P(part is down | machine is down)."""
    net, shares = machine["net"], [Fraction(k + 1, n + 2) for k, n in machine["tests"].values()]
    net = net.retract(*(f"tests of {name}" for name in machine["tests"]))
    for share, part in zip(shares, machine["part"].values(), strict=True):
        net = net.add(probability_table(part, [], [1 - share, share]))
    down = net.observe({"machine": 0})
    fails = 1 - naive.reliability(machine_works, shares)
    for i, name in enumerate(machine["tests"]):
        both = naive.reliability(lambda s, i=i: not machine_works(s) and not s[i], shares)
        assert down.marginal(name).bel(0) == both / fails


@given(st.integers(1, 6), st.data())
def test_k_of_n(n, data):
    k, share = data.draw(st.integers(1, n)), Fraction(data.draw(st.integers(1, 9)), 10)
    parts = [Variable(f"part {i}", [0, 1]) for i in range(n)]
    system = Variable("system", [0, 1])
    works = relation([system, *parts], lambda up, *states: up == (sum(states) >= k))
    net = ValuationNetwork([system, *parts], [works, *(observe({v: 1}, share) for v in parts)])
    expected = sum(comb(n, j) * share**j * (1 - share) ** (n - j) for j in range(k, n + 1))
    m = net.marginal("system")
    assert (m.bel(1), m.pl(1)) == (expected, 1)


# -- communication ---------------------------------------------------------------------------------


def test_bridge_polynomials(communication):
    p, net = communication["p"], communication["symbolic"]
    two = net.marginal("t").bel(1)
    assert sympy.expand(two - (2 * p**2 + 2 * p**3 - 5 * p**4 + 2 * p**5)) == 0
    everywhere = sympy.expand(net.marginal(list("sabt")).bel((1, 1, 1, 1)))
    bridge = nx.Graph(communication["links"].values())
    assert everywhere.coeff(p, 3) == round(nx.number_of_spanning_trees(bridge)) == 8
    exact = communication["network"](Fraction(9, 10)).marginal("t").bel(1)
    assert exact == two.subs(p, sympy.Rational(9, 10)) == Fraction(12231, 12500)


@settings(max_examples=25, deadline=None)
@given(st.data())
def test_random_networks_by_enumeration_and_by_arguments(data):
    pairs = st.tuples(st.integers(0, 4), st.integers(0, 4)).filter(lambda pair: pair[0] != pair[1])
    edges = data.draw(st.lists(pairs, min_size=1, max_size=7))
    shares = [Fraction(data.draw(st.integers(1, 9)), 10) for _ in edges]
    directed = data.draw(st.booleans())
    expected = naive.reliability(naive.arrives(0, 4, edges, directed), shares)

    node = [Variable(f"n{i}", [0, 1]) for i in range(5)]
    ways = [
        implies({node[a]: 1}, {node[b]: 1}, p) if directed else equal([node[a], node[b]], p)
        for (a, b), p in zip(edges, shares, strict=True)
    ]
    m = ValuationNetwork(node, ways).observe({"n0": 1}).marginal("n4")
    assert (m.bel(1), m.pl(1)) == (expected, 1)

    arrow = "->" if directed else "<->"
    rules = [f"e{i} -> (n{a} {arrow} n{b})" for i, (a, b) in enumerate(edges)]
    if any(4 in edge for edge in edges):  # else there is no such proposition
        shares_of = {f"e{i}": p for i, p in enumerate(shares)}
        assert ArgumentationSystem(["n0", *rules], shares_of).support("n4") == expected


def test_ladder_by_recursion(communication):
    """From rung to rung: the signal is at both ends of it, at the left or the right one only."""
    p, q = 0.9, 0.1
    both, left, right = p, q, 0.0
    for _ in range(39):
        alone = both * p * q * q
        both = both * (p**2 + 2 * p * q * p) + (left + right) * p**2
        left, right = alone + left * p * q, alone + right * p * q
    found = communication["wide"].marginal("r39")
    assert (found.bel(1), found.pl(1)) == pytest.approx((both + right, 1), abs=1e-12)


def test_links_known_by_their_tests(communication):
    works = naive.arrives("s", "t", list(communication["links"].values()))
    watched = communication["watched"]
    low = naive.reliability(works, [k / (n + 1) for k, n in communication["tests"].values()])
    m = watched.marginal("t")
    assert (m.bel(1), m.pl(1)) == pytest.approx((low, 1), abs=1e-12)
    assert betp(m)[1] == pytest.approx((1 + low) / 2, abs=1e-12)
    check_intervals(communication["silent"])
