"""How the gallery runs its stories: warnings are errors, and pictures are taken when done."""

import builtins
import tomllib
import warnings
from pathlib import Path
from typing import Any

PROJECT = Path(__file__).parents[2] / "pyproject.toml"


def warnings_are_errors(gallery_conf: dict[str, Any], name: str) -> None:
    """Set the filters of the tests, before each story."""
    settings = tomllib.loads(PROJECT.read_text(encoding="utf-8"))
    for entry in settings["tool"]["pytest"]["ini_options"]["filterwarnings"]:
        action, _, category, module = (entry + ":::").split(":")[:4]
        warnings.filterwarnings(action, "", getattr(builtins, category or "Warning"), module)
    # The gallery takes the pictures; show() has no window to open.
    warnings.filterwarnings("ignore", "FigureCanvasAgg", UserWarning)


def finished_figures(block: Any, block_vars: dict[str, Any], gallery_conf: dict[str, Any]) -> str:
    """Take figures where a story shows them, however many pieces of code drew on them."""
    from sphinx_gallery.scrapers import matplotlib_scraper

    shown = "plt.show()" in block[1]
    return str(matplotlib_scraper(block, block_vars, gallery_conf)) if shown else ""
