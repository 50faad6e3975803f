"""Mass functions on products are shown in few words, whatever their size."""

import numpy as np

from dstheory import MassFunction
from dstheory.product import ProductFrame, Variable, implies, observe
from tests.support.each import each

RAIN, GRASS = Variable("rain", ["yes", "no"]), Variable("grass", ["wet", "damp", "dry"])
FRAME = ProductFrame([RAIN, GRASS])


@each(
    ("event", "text"),
    [
        ([], "{}"),
        (FRAME, "{all}"),
        ({"rain": "no"}, "{rain=no}"),
        ({"grass": ["wet", "dry"]}, "{grass=wet|dry}"),
        (("yes", "damp"), "{rain=yes, grass=damp}"),
        ([("yes", "wet"), ("no", "damp")], "{(yes, wet), (no, damp)}"),
        ([{"rain": "no"}, {"grass": "wet"}], "not {rain=yes, grass=damp|dry}"),
    ],
)
def test_events(event, text):
    m = MassFunction(FRAME, [FRAME.mask(event)], [1.0])
    assert repr(m) == f"MassFunction on rain × grass\n  {text}  1"
    assert text in m._repr_html_()


def test_titles():
    six = [Variable(f"v{i}", [0, 1]) for i in range(6)]
    assert repr(MassFunction(ProductFrame(six), [1], [1.0])).splitlines() == [
        "MassFunction on v0 × v1 × v2 × v3 × v4 × v5",
        "  {v0=0, v1=0, v2=0, v3=0, v4=0, v5=0}  1",
    ]
    many = [Variable(f"v{i}", [0, 1]) for i in range(12)]
    first = repr(implies({many[0]: 1}, {many[11]: 0}))
    assert first == "MassFunction on v0 × v11\n  not {v0=1, v11=1}  1"
    m = MassFunction(ProductFrame(many), [1], [1.0])
    assert repr(m).splitlines() == [
        "MassFunction on v0 × v1 × v2 × v3 × v4 × v5 × ... (12 variables)",
        "  {v0=0, v1=0, v2=0, v3=0, v4=0, v5=0, ... 12 variables}  1",
    ]


def test_large_sets_stay_short():
    frame = ProductFrame([Variable(name, range(40)) for name in "abc"])
    rng = np.random.default_rng(0)
    focal = [int.from_bytes(rng.bytes(8000), "little") for _ in range(3)]
    text = repr(MassFunction(frame, focal, [0.5, 0.25, 0.25]))
    assert "... 3" in text  # about half of 64,000 configurations
    assert "configurations}" in text
    assert len(text) < 400
    wide = observe({Variable("n", range(100)): range(50)})
    assert "{n=0|1|2|3|4|... 50 values}" in repr(wide)


def test_four_configurations_are_all_there_are():
    """The fifth is counted, not listed."""
    x, y = Variable("x", [0, 1, 2]), Variable("y", [0, 1, 2])
    frame = ProductFrame([x, y])
    cells = [(0, 0), (0, 1), (1, 1), (2, 2), (2, 0)]
    four, five = (repr(MassFunction(frame, [frame.mask(cells[:n])], [1.0])) for n in (4, 5))
    assert "{(0, 0), (0, 1), (1, 1), (2, 2)}" in four
    assert "..." not in four
    assert "{(0, 0), (0, 1), (1, 1), (2, 0), ... 5 configurations}" in five
