"""The page in a headless Chromium: its numbers, its silence, its keyboard; and how it is made."""

import json
import re

import numpy as np
import pytest

from evical.calibrators import LogisticCalibrator
from evical.conformal.control import answered_promise
from evical.report import build_explorer
from tests.evical.report.browser import find_chromium
from tests.evical.report.explorer.states import assert_measures_equal, expected_thousand
from tests.evical.report.test_browser import CONTRAST, outside

CHROMIUM = find_chromium()


def in_browser(test):
    """Marks a test that needs a browser."""
    return pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium")(test)


SCRIPT = "</script><script>alert(1)</script>"


def samples(number=400, seed=0):
    rng = np.random.default_rng(seed)
    scores = rng.normal(size=number).round(2)
    return scores, rng.random(number) < 1 / (1 + np.exp(-2 * scores))


def fitted_page(**options):
    calibrator = LogisticCalibrator().fit(*samples())
    return calibrator, build_explorer(calibrator, *samples(1000, seed=1), **options)


def test_the_page_is_small_and_has_the_command():
    _, html = fitted_page(command="evical explore 'a<b>.json'")
    assert len(html.encode()) < 300_000
    assert "<code>evical explore &#x27;a&lt;b&gt;.json&#x27;</code>" in html
    many = samples(20_000)[1]
    scores = np.random.default_rng(0).normal(size=20_000)
    calibrator = LogisticCalibrator().fit(scores, many)
    html = build_explorer(calibrator, scores, many)
    assert len(html.encode()) < 300_000
    assert "The 20,000 distinct scores of the samples are merged into 1,200." in html
    assert build_explorer(calibrator, scores, many) == html


def test_the_page_opens_with_the_model_if_there_is_one():
    sections = ["question-title", "belief-title", "sources-title", "classifier-title"]
    for html, expected in (
        (fitted_page()[1], [sections[3], *sections[:3]]),
        (build_explorer(), sections),
    ):
        assert re.findall(r'<section[^>]* aria-labelledby="([\w-]+)"', html) == expected


def test_the_promise_of_a_model_is_where_the_page_begins():
    scores, y = samples(1000, seed=1)
    promise = answered_promise((scores > 0) != y, np.abs(scores) * -1.0, 0.2, 0.9)
    _, html = fitted_page(answers=promise)
    data = json.loads(html.partition('id="fitted">')[2].partition("</script>")[0])
    assert data["asking"] == {"bound": 0.2, "confidence": 0.9}
    assert data["promise"] == str(promise)
    assert "asking" not in fitted_page()[1].partition('id="fitted">')[2].partition("</script>")[0]


def test_the_page_begins_with_samples_of_the_user():
    calibrator, html = fitted_page()
    data = json.loads(html.partition('id="fitted">')[2].partition("</script>")[0])
    scores, y = samples(1000, seed=1)
    assert len(data["examples"]) == 5
    for name, example in data["examples"].items():
        row = int(name.removeprefix("sample")) - 1
        assert example["title"] == f"Sample {row + 1}, truly {y[row]}"
        assert example["labels"] == ["False", "True"]
        [mass] = calibrator.predict_mass(scores[[row]])
        assert example["masses"][0] == {str(k): mass.mass(mask=k) for k in (1, 2, 3)}


@pytest.mark.parametrize("transform", ["auto", None, "logit"])
def test_a_calibrator_alone_shows_where_beliefs_change(transform):
    scores, y = samples()
    if transform == "logit":
        scores = 1 / (1 + np.exp(-scores))
    calibrator = LogisticCalibrator(transform=transform).fit(scores, y)
    html = build_explorer(calibrator)
    data = json.loads(html.partition('id="fitted">')[2].partition("</script>")[0])
    curve = data["curve"]
    assert data["held"] is None
    assert curve["score"][0] >= (0 if transform == "logit" else -30)
    assert curve["bel"][0] < 0.05 < 0.95 < curve["pl"][-1]
    np.testing.assert_array_equal(
        np.transpose([curve["bel"], curve["pl"]]), calibrator.predict_interval(curve["score"])
    )


def test_wrong_calls():
    calibrator, _ = fitted_page()
    with pytest.raises(ValueError, match="scores and y come together; give both or neither"):
        build_explorer(calibrator, [1.0])
    with pytest.raises(ValueError, match="scores and y are for a calibrator; give one"):
        build_explorer(None, [1.0], [1])
    with pytest.raises(ValueError, match=r"y\[1\] is 2, expected one of \[False, True\]"):
        build_explorer(calibrator, [1.0, 2.0], [1, 2])
    with pytest.raises(ValueError, match="scores has 2 rows, y has 1"):
        build_explorer(calibrator, [1.0, 2.0], [1])
    with pytest.raises(TypeError, match="calibrator is 3"):
        build_explorer(3)


@pytest.fixture
def quiet_page(open_page):
    """Opens a page, which stays silent and asks for nothing, whatever is done to it."""
    tabs = []

    def opened(html, **options):
        tabs.append(open_page(html, **options))
        return tabs[-1]

    yield opened
    for tab in tabs:
        assert tab.complaints() == []
        assert outside(tab) == ["file"]


SHOWN = """(id) => [...document.querySelectorAll(`#${id} tbody tr`)].map((row) =>
  [...row.querySelectorAll("td[data-value]")].map((cell) => Number(cell.dataset.value)))"""


@in_browser
def test_a_thousand_states_equal_the_package(quiet_page):
    """The numbers of all, and the cells of the tables of some, since drawing takes longer."""
    tab = quiet_page(build_explorer())
    states = expected_thousand()
    found = tab.run(f"""(() => {{
      const shown = {SHOWN};
      return {json.dumps([state.as_json() for state, _ in states])}.map((state, i) => {{
        if (i % 50) return evicalExplorer.results(state);
        evicalExplorer.set(state);
        return {{ ...evicalExplorer.results(), one: shown("belief"), both: shown("result") }};
      }});
    }})()""")
    for (state, wanted), one in zip(states, found, strict=True):
        first, masses, joined = wanted["first"], wanted["masses"], one["joined"]
        assert_measures_equal(one["measures"][0], first)
        assert joined["kappa"] == pytest.approx(wanted["kappa"], abs=1e-9)
        assert (joined["masses"] is None) == (masses is None)
        if masses is not None:
            np.testing.assert_allclose(joined["masses"], masses, rtol=0, atol=1e-9)
            assert_measures_equal(one["measures"][2], wanted["result"])
        if "one" in one:
            assert_table(one["one"], state.sources[0], first)
            assert bool(one["both"]) == (masses is not None)
        if "one" in one and masses is not None:
            assert_table(one["both"], masses, wanted["result"])


def assert_table(rows, masses, measures):
    """What stands in the cells; sets by size, the empty one last and only if it has mass."""
    sets = sorted(range(1, len(masses)), key=lambda mask: (mask.bit_count(), mask))
    sets += [0] if len(rows) == len(masses) else []
    if measures["betp"] is None:
        return
    columns = [masses, *(measures[n] for n in ("bel", "pl", "betp", "plausibility", "q"))]
    np.testing.assert_allclose(rows, np.transpose(columns)[sets], rtol=0, atol=1e-9)


@in_browser
@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_texts_have_contrast(quiet_page, dark):
    tab = quiet_page(fitted_page()[1], dark=dark)
    tab.run("document.getElementById('may-reject').click()")
    assert tab.run(CONTRAST) > 4.5


@in_browser
@pytest.mark.parametrize("width", [360, 400])
def test_a_narrow_screen_does_not_scroll_sideways(quiet_page, width):
    tab = quiet_page(fitted_page()[1], width=width, height=700)
    tab.run("document.querySelectorAll('#presets button')[5].click()")  # after five samples
    tab.run("evicalExplorer.set({ labels: ['n'.repeat(40), 'b', 'c'] })")
    assert tab.run("document.documentElement.scrollWidth") == width


@in_browser
def test_sliders_move_from_the_keyboard(quiet_page):
    tab = quiet_page(build_explorer())
    focus = "document.activeElement.getAttribute('aria-label')"
    for _ in range(30):
        tab.press("Tab")
        if tab.run(focus) == "mass of {ant}, Source 1":
            break
    line = "document.querySelector('#editor-one .sum').textContent"
    assert tab.run(line) == "Sum 1."
    tab.press("ArrowRight")
    assert tab.run(focus) == "mass of {ant}, Source 1"
    assert tab.run(line).startswith("Sum 1.0100. The masses sum to more than 1")
    assert tab.run("document.getElementById('outcome').textContent").startswith("There is no")
    # The button beside repairs it, when it is asked to.
    tab.run("document.querySelector('#editor-one button').focus()")
    tab.press("Enter")
    assert tab.run(line) == "Sum 1."
    assert tab.run("evicalExplorer.results().sources[0].masses[1]") == pytest.approx(0.01 / 1.01)


@in_browser
def test_what_is_left_is_shown_and_may_be_forbidden(quiet_page):
    tab = quiet_page(build_explorer())
    tab.run(
        "evicalExplorer.set({ entered: [[0, 0.25, 0, 0, 0, 0, 0, 0], [1, 0, 0, 0, 0, 0, 0, 0]] })"
    )
    line = "document.querySelector('#editor-left .sum').textContent"
    assert tab.run(line) == "Sum 0.2500. 0.7500 is left, and goes to {ant, bee, cat}."
    tab.run("document.querySelector('input[value=strict]').click()")
    assert "less than 1" in tab.run(line)
    assert tab.run("document.querySelector('#table-one table')") is None


@in_browser
def test_every_control_has_a_name(quiet_page):
    tab = quiet_page(fitted_page()[1])
    for role in ("slider", "spinbutton", "combobox", "textbox", "radio", "checkbox", "button"):
        names = tab.names(role)
        assert names
        assert all(names)
    assert all(tab.names("table"))
    assert all(tab.names("image"))


@in_browser
def test_presets_and_other_numbers_of_answers(quiet_page):
    tab = quiet_page(build_explorer())
    result = "evicalExplorer.results().joined.masses"
    tab.run("document.querySelectorAll('#presets button')[1].click()")  # Zadeh's
    assert tab.run(result)[4] == pytest.approx(1)
    tab.run("document.querySelectorAll('#presets button')[2].click()")  # Peter, Paul and Mary
    assert tab.run(result)[2] == tab.run(result)[4] == 0.5
    choose = "document.getElementById('size').value = {0};" + (
        "document.getElementById('size').dispatchEvent(new Event('change'))"
    )
    tab.run(choose.format(4))
    assert len(tab.run(result)) == 16
    tab.run(choose.format(2))
    assert len(tab.run(result)) == 4


@in_browser
def test_names_are_texts(quiet_page):
    scores, y = samples()
    labels = np.where(y, SCRIPT, "<!--")  # of which the second is greater
    calibrator = LogisticCalibrator().fit(scores, labels)
    tab = quiet_page(build_explorer(calibrator, scores, labels))
    assert SCRIPT in tab.run("document.getElementById('outcomes').textContent")
    assert tab.run("document.scripts.length") == 2
    field = "document.querySelector('#question input[type=text]')"
    tab.run(f"{field}.value = '<i>x'; {field}.dispatchEvent(new Event('change'))")
    assert "{<i>x}" in tab.run("document.getElementById('table-one').textContent")
    other = "document.querySelectorAll('#question input[type=text]')[1].value"
    tab.run(f"{field}.value = {other}; {field}.dispatchEvent(new Event('change'))")
    assert f"Two answers are called {SCRIPT}." in tab.run("document.body.innerText")


@in_browser
def test_decisions_on_held_out_samples(quiet_page):
    calibrator, html = fitted_page()
    tab = quiet_page(html)
    scores, y = samples(1000, seed=1)
    probability = calibrator.predict_proba(scores)[:, 1]
    for costs in ((1.0, 1.0), (4.0, 1.0)):
        tab.run(f"evicalExplorer.decide({{ falseAlarm: {costs[0]}, miss: {costs[1]} }})")
        positive = costs[0] * (1 - probability) < costs[1] * probability
        wanted = [[(~positive & ~y).sum(), (~positive & y).sum()],
                  [(positive & ~y).sum(), (positive & y).sum()]]  # fmt: skip
        rows = tab.run(f"({SHOWN})('tally')")
        assert [row[:2] for row in rows] == wanted
        mean = (costs[0] * wanted[1][0] + costs[1] * wanted[0][1]) / len(y)
        assert tab.run(f"({SHOWN})('summary')")[0][3] == pytest.approx(mean, abs=1e-9)
    tab.run("document.getElementById('may-reject').click()")
    assert len(tab.run(f"({SHOWN})('tally')")) == 3
