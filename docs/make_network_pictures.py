"""Write the pictures of docs/networks: each is drawn from the network that its page builds.

Run ``python -m docs.make_network_pictures``. The snippets of a page run first, so that a picture
shows the model beside it.
"""

import doctest
from pathlib import Path
from typing import Any

import matplotlib
from matplotlib.figure import Figure

from dstheory.plot import NetworkDisplay

DOCS = Path(__file__).parent
# Page and picture: the network, as an expression in the names of the page, and inches.
PICTURES = {
    "captain": ("net", (7.5, 5.0)),
    "chest_clinic": ("bayes", (7.5, 4.5)),
    "crime_scene": ("case", (6.0, 2.6)),
    "burglary_alarm": ("bayes", (6.0, 3.6)),
    "machine": ("net", (8.0, 5.0)),
    "communication": ("network(0.9)", (5.0, 3.2)),
}
# Names of elements are hashed with a salt instead of a random number, and no date is written.
STYLE = {"svg.hashsalt": "evical", "font.family": "DejaVu Sans", "font.size": 10}


def names_of(page: Path) -> dict[str, Any]:
    """What the snippets of a page define."""
    names: dict[str, Any] = {}
    for example in doctest.DocTestParser().get_examples(page.read_text(encoding="utf-8")):
        exec(compile(example.source, page.name, "exec"), names)
    return names


def draw(name: str) -> Path:
    """Draw the picture of one page."""
    network, size = PICTURES[name]
    names = names_of(DOCS / "networks" / f"{name}.md")
    path = DOCS / "images" / f"{name}.svg"
    with matplotlib.rc_context(STYLE):
        figure = Figure(figsize=size, layout="constrained")
        NetworkDisplay.from_network(eval(network, names), ax=figure.subplots())
        figure.savefig(path, metadata={"Date": None, "Creator": None})
    return path


if __name__ == "__main__":
    for picture in PICTURES:
        draw(picture)
