"""Sphinx builds the site from these pages: ``sphinx-build -W --keep-going -n docs build/site``.

The pages are Markdown and are tests too; `docs/site/` has the few extensions of our own.
"""

import sys
from pathlib import Path

from sphinx_gallery.sorting import ExplicitOrder

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "docs" / "site")]

import evical  # noqa: E402 - of this source, whatever is installed

project = "evical"
author = "The evical developers"
project_copyright = author
version = release = evical.__version__

extensions = [
    "sphinx.ext.autodoc",
    "sphinx.ext.viewcode",
    "numpydoc",
    "myst_parser",
    "sphinx_copybutton",
    "sphinx_design",
    "sphinx_gallery.gen_gallery",
    "public_api",
    "references",
    "mathml",
    "llms",
    "explorer",
    "check_links",
]
exclude_patterns = ["**/repeats/**", "gallery/**/*.ipynb", "gallery/**/*.py"]
nitpicky = True
suppress_warnings = [
    "config.cache",  # the gallery's options hold functions
    "toc.empty_glob",  # a folder of pages may be empty
]

# Markdown. Examples are doctests: what one copies has neither prompts nor results.
myst_enable_extensions = ["colon_fence", "dollarmath"]
myst_dmath_double_inline = True
myst_heading_anchors = 4
copybutton_prompt_text = r">>> |\.\.\. "
copybutton_prompt_is_regexp = True
html_math_renderer = "mathml"

# Docstrings. Types stand in their sections of parameters, in words.
autodoc_typehints = "none"
autodoc_member_order = "bysource"
numpydoc_show_class_members = False
numpydoc_validation_checks = set()
default_role = "public"
smartquotes = False  # quotes in docstrings are those of code
add_module_names = False
toc_object_entries_show_parents = "hide"
python_maximum_signature_line_length = 88
viewcode_line_numbers = True

sphinx_gallery_conf = {
    "examples_dirs": "../examples",
    "gallery_dirs": "gallery",
    "filename_pattern": r"\.py$",
    "subsection_order": ExplicitOrder(
        [f"../examples/{name}" for name in ("one_classifier", "several", "evidence", "imprecise")]
        + ["*"]
    ),
    "within_subsection_order": "FileNameSortKey",
    "reset_modules": ("matplotlib", "stories.warnings_are_errors"),
    "backreferences_dir": "gallery/backreferences",
    "doc_module": ("dstheory", "evical"),
    "image_scrapers": ("stories.finished_figures",),
    "image_srcset": ["2x"],
    "remove_config_comments": True,
    "show_signature": False,
    "download_all_examples": False,
    "write_computation_times": False,
    "capture_repr": (),
    "parallel": 2,
}

html_theme = "pydata_sphinx_theme"
html_title = "evical and dstheory"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_favicon = "_static/favicon.svg"
html_show_sourcelink = False
html_copy_source = False
html_theme_options = {
    "logo": {"text": "evical · dstheory"},
    "header_links_before_dropdown": 6,
    "navbar_align": "left",
    "navbar_end": ["version-switcher", "theme-switcher"],
    "switcher": {"json_url": "_static/switcher.json", "version_match": release},
    "navigation_depth": 3,
    "collapse_navigation": True,
    "show_toc_level": 2,
    "footer_start": ["copyright"],
    "footer_end": [],
    "secondary_sidebar_items": ["page-toc"],
}
html_sidebars = {"index": [], "choose": []}
