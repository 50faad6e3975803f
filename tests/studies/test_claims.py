"""Claims of README, the paper and pages of `docs`: each number, from its file."""

import json
import re
from collections import defaultdict

import numpy as np
from scipy.stats import norm, t

from evical.demo.contest import METHODS
from examples.studies import STUDIES
from examples.studies.parts.fusion_condition import SCENARIOS
from examples.studies.xu2016.ten import XU2016_TEN
from tests.protocols.rules_table import RULES
from tests.support.claims import (
    CLAIMS,
    CLASSIFIERS,
    INDEX,
    NUMBER,
    PAIR,
    PAPER,
    README,
    close,
    differences,
    lines,
    losses,
    paired,
    table,
)
from tests.support.public_objects import ROOT


def test_one_classifier_beside_six_settings():
    rows = table("default_classifier")
    found = []
    for classes, best in (
        ("two", "sigmoid, ensemble=False"),
        ("more", "temperature, ensemble=True"),
    ):
        means = losses(rows, "method", classes=classes)
        settings = [name for name in means if "ensemble=" in name and "Evidential" not in name]
        assert len(settings) == 6
        overall = {name: np.mean(list(means[name].values())) for name in settings}
        assert min(overall, key=overall.get) == best
        ours = np.mean(list(means["EvidentialClassifier"].values()))
        assert ours < overall[best]
        found.append((ours, overall[best], *paired(means, "EvidentialClassifier", best)))
    (a, b, gap, error, n), (c, d, gap_more, error_more, n_more) = found
    assert (n, n_more) == (18, 14)
    expected = a, b, gap, error, c, d, gap_more, error_more
    said = [
        differences(
            README,
            rf"{NUMBER} versus {NUMBER} on 18 .*?difference {PAIR}\), and {NUMBER} versus "
            rf"{NUMBER} on 14 .*?\({PAIR}",
        ),
        differences(
            PAPER,
            rf"{NUMBER} against {NUMBER} at best .*?difference {PAIR}\), and {NUMBER} against "
            rf"{NUMBER} for more \({PAIR}",
        ),
        differences(
            CLAIMS,
            rf"{NUMBER} and at best {NUMBER} on 18 .*?difference {NUMBER} ± {NUMBER}\), {NUMBER} "
            rf"and at best {NUMBER} on 14 of more \({NUMBER} ± {NUMBER}",
        ),
        differences(
            CLASSIFIERS,
            rf"loss is {NUMBER}, and {NUMBER} with the best .*?difference {PAIR}\); on fourteen "
            rf".*? it is {NUMBER}, against {NUMBER} \({PAIR}\)",
        ),
    ]
    for numbers in said:
        assert all(map(close, numbers, expected)), (numbers, expected)


def test_an_ensemble_beside_other_fusions():
    rows = table("fusion_benchmark")
    two = losses(rows, "way", members="different", classes="two")
    more = losses(rows, "way", members="different", classes="more")
    rivals = "StackingClassifier", "soft vote", "super learner, log-odds"
    rivals = *rivals, "ridge regression of log-odds"
    numbers = differences(
        README,
        rf"loss of {NUMBER}, scikit-learn's `StackingClassifier` {NUMBER} \(paired difference "
        rf"{PAIR}\) and a soft vote {NUMBER} \({PAIR}\).*?37 data sets.*?reach {NUMBER} as well "
        rf"\({PAIR}; {PAIR};",
    )
    gaps = [paired(two, "Stacked", rival) for rival in rivals]
    assert {gap[2] for gap in gaps} == {37}
    mean = {way: np.mean(list(sets.values())) for way, sets in two.items()}
    assert close(numbers[7], mean["super learner, log-odds"])
    assert close(numbers[7], mean["ridge regression of log-odds"])
    expected = [mean["Stacked"], mean["StackingClassifier"], *gaps[0][:2], mean["soft vote"]]
    expected += [*gaps[1][:2], float(numbers[7]), *gaps[2][:2], *gaps[3][:2]]
    assert all(map(close, numbers, expected)), (numbers, expected)
    claimed = differences(
        CLAIMS,
        rf"paired, two classes: {NUMBER} ± {NUMBER} and {NUMBER} ± {NUMBER}; more: {NUMBER} ± "
        rf"{NUMBER} and {NUMBER} ± {NUMBER}\).*?log-odds \({NUMBER} ± {NUMBER}\)",
    )
    level = "greedy selection", "super learner, log-odds"
    parts = [paired(means, "Stacked", way)[:2] for means in (two, more) for way in level]
    expected = [*np.ravel(parts), *gaps[3][:2]]
    assert all(map(close, claimed, expected)), (claimed, expected)
    # "Level": within two standard errors. "Lower": not.
    assert all(abs(gap) < 2 * error for gap, error in parts)
    lower = "StackingClassifier", "soft vote", "soft vote by size"
    assert all(
        gap < -2 * error
        for means in (two, more)
        for gap, error, _ in (paired(means, "Stacked", way) for way in lower)
    )


def test_the_automatic_calibrator_beside_the_best():
    cells = defaultdict(dict)
    for row in table("automatic_calibration"):
        if row["log_loss"]:
            cells[row["map"], int(row["n"])][row["method"]] = float(row["log_loss"])
        assert int(row["repeats"]) <= 4
    logs, sizes = defaultdict(list), {}
    for (_, n), methods in cells.items():
        rivals = [value for name, value in methods.items() if name != "Auto"]
        logs[n].append(np.log(methods["Auto"] / min(rivals)))
        sizes.setdefault(n, set()).add(len(rivals))
    every = np.concatenate(list(logs.values()))
    few = np.concatenate([values for n, values in logs.items() if n <= 10_000])
    numbers = differences(
        CLAIMS,
        r"best of (\d+) others in (\d+) of (\d+) .*?has (\d\.\d+) times that up to 10,000 scores, "
        r"and (\d\.\d+) and (\d\.\d+) times for 100,000 and 1,000,000, where (\d+) to (\d+) others "
        r".*?; (\d+\.\d) times in the worst",
    )
    names = {name for methods in cells.values() for name in methods} - {"Auto"}
    large = sizes[100_000] | sizes[1_000_000]
    expected = [len(names), np.sum(every <= np.log(1.15)), len(every), np.exp(few.mean())]
    expected += [np.exp(np.mean(logs[n])) for n in (100_000, 1_000_000)]
    expected += [min(large), max(large), np.exp(every.max())]
    assert all(map(close, numbers, expected)), (numbers, expected)


def test_sums_without_labels():
    page = (ROOT / "docs" / "reproductions" / "label_free.md").read_text(encoding="utf-8")
    (ratio,) = re.findall(r"least log loss of all rules\*\*, (0\.\d+) ±", page)
    (dempster,) = re.findall(r"rule has (1\.\d) times the log loss of the mean\*\*", page)
    for text in (README, CLAIMS, INDEX):
        (said,) = set(re.findall(r"\[?(0\.8\d) times the log loss\]?", text))
        assert close(said, float(ratio))
    (said,) = re.findall(r"Dempster's rule has (1\.\d+) times", README)
    assert round(float(said), 1) == float(dempster)
    assert f"Dempster's rule has {dempster} times" in CLAIMS


AUTO = "AutoCalibrator, level 95 %"


def test_coverage_of_intervals():
    found = defaultdict(list)
    for row in table("interval_coverage"):
        sizes = [row[f"coverage_{n}"] for n in (50, 200, 1000, 10_000)]
        if all(sizes):
            found[row["model"], row["map"]] += [100 * float(size) for size in sizes]
    maps = [values for (model, _), values in found.items() if model == AUTO]
    assert len(maps) == 6
    ours = np.concatenate(maps)
    low, high = differences(CLAIMS, r"at 95 % cover (\d+) to (\d+) % of the prob")
    assert (round(min(ours)), round(max(ours))) == (int(low), int(high))
    assert f"of {low} to {high} % at 95 %" in INDEX
    sigmoid = found["logistic, likelihood", "sigmoid"]
    low, high = differences(CLAIMS, r"logistic curve covers (\d+) to (\d+) % for a sigmoid")
    assert (round(min(sigmoid)), round(max(sigmoid))) == (int(low), int(high))


def test_studies_of_the_five_works_are_counted():
    ours = [study for study in STUDIES.values() if study.source.startswith("A study of this")]
    # One study is there, but its data are not.
    (waiting,) = (name for name in STUDIES if f"examples.studies {name}` | not run" in INDEX)
    assert waiting == "kdd98"
    assert len(STUDIES) - len(ours) - 1 == 20
    assert "five works [@xu2016; @naeini2016; @gebel2009; @zadrozny2001; @zadrozny2002]" in PAPER
    assert " in twenty studies, each repeated by one command" in PAPER


def test_worked_examples_are_counted():
    oracles = json.loads((ROOT / "tests" / "oracles" / "dst_oracles.json").read_text())
    (examples, traps) = len(oracles["oracles"]), len(oracles["traps"])
    assert f"| {examples} worked examples" in CLAIMS
    assert f"; {traps} tests name results" in CLAIMS
    assert f"with {examples} worked examples" in PAPER
    naive = [path.read_text(encoding="utf-8") for path in (ROOT / "tests" / "naive").glob("*.py")]
    exact = sum("Fraction" in text for text in naive)
    assert exact > len(naive) / 2  # "most"


def test_speed_is_that_of_the_comparison():
    page = (ROOT / "docs" / "comparison.md").read_text(encoding="utf-8")
    rows = re.findall(r"\| ([\d.]+) ms \| ([\d.]+) ms(.*?) \|", page.split("## ")[1])
    assert len(rows) == 7
    ratios = [float(theirs) / float(ours) for ours, theirs, name in rows if "NumPy" not in name]
    low, high = differences(CLAIMS, r"transforms: (\d+) to (\d+) times as fast as the fastest")
    assert (round(min(ratios)), round(max(ratios))) == (int(low), int(high))
    assert f"{low} to {high} times as fast" in PAPER
    (sums,) = (float(theirs) / float(ours) for ours, theirs, name in rows if "NumPy" in name)
    for text in (CLAIMS, PAPER):
        assert close(differences(text, r"(\d\.\d) times as fast as NumPy"), sums)
    ours, theirs = differences(README, r"2,000 sets each takes (\d+) ms, .*?packages (\d+) ms")
    assert (ours, theirs, "") in rows


def test_shares_of_cells_near_the_best():
    """The guide's shares are those of the pages, rounded."""
    page = lines("docs/reproductions/default_classifier.md")
    rows = re.findall(r"\| EvidentialClassifier \|.*?\| (\d+) \| (\d+) \|\n", page)
    said = differences(
        CLASSIFIERS,
        r"in (\d+) % of the cases, and with more in (\d+) %.*?in (\d+) and (\d+) % of the cases",
    )
    assert said == (rows[0][0], rows[1][0], rows[0][1], rows[1][1])
    page = lines("docs/reproductions/calarena_small.md")
    (found,) = re.findall(
        r"not reached: ([\d.]+)% of (\d+), and ([\d.]+)% by .*? ([\d.]+)%\.", page
    )
    n, former, rule, truth = differences(
        " ".join(lines("docs/guide/comparing.md").split()),
        r"In (\d+) experiments on 37 .*? in (\d+) % of cases, and this rule in (\d+) % "
        r".*? be within noise in (\d+) % of cases",
    )
    assert n == found[1]
    # The pages round as well, so a digit may differ by one half.
    for short, long in ((rule, found[0]), (former, found[2]), (truth, found[3])):
        assert abs(float(short) - float(long)) <= 0.55


def test_penalties_of_causal_searches():
    found = defaultdict(lambda: defaultdict(dict))
    for row in table("causal_penalty"):
        setting = row["variables"], row["edges"], row["rows"]
        errors = float(row["errors"])
        found[row["columns"], row["method"]][row["penalty"]]["-".join(setting)] = errors
    discrete, once = found["discrete", "CalibratedEdges"], found["continuous", "one search"]
    numbers = differences(
        " ".join(lines("docs/guide/causal.md").split()),
        rf"columns have {NUMBER} wrong pairs .*?and {NUMBER} more with 2 \(paired, standard error "
        rf"{NUMBER}\)\. .*? has {NUMBER} with 2, and {NUMBER} more with 1 \({NUMBER}\)",
    )
    expected = [np.mean(list(discrete["1"].values())), *paired(discrete, "2", "1")[:2]]
    expected += [np.mean(list(once["2"].values())), *paired(once, "1", "2")[:2]]
    assert len(discrete["1"]) == 9
    assert all(map(close, numbers, expected)), (numbers, expected)


def test_every_claim_with_a_number_has_a_command_or_a_page():
    claimed = lines("docs/claims.md").splitlines()
    claims = [line.split(" | ") for line in claimed if line.startswith("| ")]
    for claim in claims:
        assert claim[1].startswith(("command", "`", "[`")), claim
    bullets = re.split(r" \* ", README.split("## Measured")[1].split("## Cite")[0])[1:]
    assert len(bullets) == 4
    assert all(re.search(r"\(docs/[\w/]+\.md\)", bullet) for bullet in bullets)


def test_numbers_of_benchmarks_are_those_of_their_pages():
    """What needs hours, a package or a database is measured once, and said once."""
    asking, drift, tables, comparison = (
        " ".join(lines(f"docs/{name}.md").split())
        for name in ("guide/asking", "guide/drift", "guide/tables", "comparison")
    )
    most, low, high = differences(CLAIMS, r"at most (\d\.\d) % of the hold-outs .*? (\d+) to (\d+)")
    assert f"and {most} % for a single data set. {low} % and {high} % of the samples" in asking
    alarms, first, last = differences(CLAIMS, r"in (\d+ of 500 streams) .*? alarm (\d+) to (\d+) s")
    row = re.findall(r"\| \+ 1 \| (\d+) \| \d+ \| \d+ \| (\d+) \|", drift)
    assert row == [(first, last)]
    assert f"| none: false alarms | {alarms} |" in drift
    fit, predict, combined, memory = differences(
        CLAIMS, r"rows fitted in (\d+) s, predicted in (\d+) s, .*? in (\d+) s, within (\d\.\d) GB"
    )
    rows = re.findall(r"\| `evical [^|]*\| (\d+) \| \d+ \| (\d\.\d) GB \|", tables)
    assert [seconds for seconds, _ in rows] == [fit, predict, combined]
    assert max(memory for _, memory in rows) == memory
    (seconds,) = re.findall(r"masses in (\d\.\d) s", CLAIMS)
    assert f"a million scores into mass functions in {seconds} s" in comparison
    agreed, compared = differences(CLAIMS, r"`ges` on (1,000) random samples; (\d+) of them")
    causal = " ".join(lines("docs/guide/causal.md").split())
    assert f"({agreed} of {agreed} random Gaussian samples" in causal
    cases = json.loads(lines("tests/oracles/ges.json"))["cases"]
    assert len(cases) == int(compared)


def test_settings_and_data_sets_are_counted():
    """Of the studies that claims name."""
    settings = defaultdict(set)
    for row in table("which_fusion", "docs"):
        if row["scenario"] in "abc" and row["calibrator"] != "automatic":
            key = row["data"], row["scenario"], row["kernel"], row["calibrator"]
            settings[key].add(row["fusion"])
    assert {len(ways) for ways in settings.values()} == {13}
    assert f"thirteen ways to fuse ten classifiers, in {len(settings)} settings" in CLAIMS
    assert all(len(sizes) == 10 for sizes in SCENARIOS.values())
    assert len({row["data"] for row in table("learners")}) == 12
    assert "calibrated, on twelve data sets" in CLAIMS
    assert len({row["data"] for row in table("fusion_benchmark")}) == 52
    assert "On 52 data sets it has a lower mean" in PAPER
    assert "thirteen ways on 52 data sets" in README
    rows = table("default_classifier")
    assert len({row["data"] for row in rows}) == 32
    assert len({row["classifier"] for row in rows}) == 10
    assert "On 32 data sets and ten classifiers" in PAPER
    methods = [method for method in METHODS if method.fusion == METHODS[0].fusion]
    assert f"calibrated by {len(methods)} methods and combined by Dempster's rule" in README
    rules = {rule.name for rule in RULES}
    assert len(rules) > 21
    assert "Dempster's rule and more than twenty others" in PAPER


def test_goals_that_are_not_reached():
    shares = []
    for classes in ("two", "more"):
        ours = [
            float(row["within"])
            for row in table("default_classifier")
            if (row["classes"], row["method"]) == (classes, "EvidentialClassifier")
        ]
        shares.append(100 * np.mean(ours))
    said = differences(CLAIMS, r"in (\d+) % of cells for two classes and (\d+) % for more")
    assert all(map(close, said, shares))
    assert "In about a third of the cases some other way" in PAPER
    assert all(25 < 100 - share < 40 for share in shares)
    near, cells = differences(CLAIMS, r"others in (\d+) of (\d+) simulated cells")
    assert int(near) < int(cells) / 2
    assert "1.15 times the best method in fewer than half of the cells" in CLAIMS


def test_dempster_rule_on_unequal_shares():
    """Points that the likelihood model gains, in the setting that the paper's table has."""
    (printed,) = XU2016_TEN.published
    gained = defaultdict(dict)
    for row in table("xu2016-ten"):
        if all(row[label] == value for label, value in printed.where.items()):
            gained[row["scenario"], row["data"]][row["method"]] = float(row["error_rate"])
    points = {key: 100 * (rates["bayesian"] - rates["likelihood"]) for key, rates in gained.items()}
    most = max(value for (scenario, _), value in points.items() if scenario == "c")
    for text in (PAPER, INDEX):
        (said,) = re.findall(r"up to \[?(\d+) points", text)
        assert int(said) == round(most)
    equal = [value for (scenario, _), value in points.items() if scenario != "c"]
    assert max(map(abs, equal)) < 1.05  # "hardly matter", "up to a point"


def test_conformal_beliefs_reject_as_rarely_as_they_promise():
    """No mean over splits is above alpha by three standard errors, but for Dempster's rule."""
    rows = table("conformal_validity")
    assert "kept in [all data sets and levels]" in INDEX
    broken = set()
    for row in rows:
        limit = t.ppf(norm.cdf(3), int(row["repeats"]) - 1)  # more if splits are few
        if float(row["missed"]) - float(row["alpha"]) > limit * float(row["missed_se"]):
            broken.add(row["way"])
    assert broken == {"Dempster's rule"}
    assert "Dempster's rule of conformal beliefs breaks it" in INDEX
