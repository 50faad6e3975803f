"""Prose and findings in files beside the module of a study."""

import pytest

from examples.studies import Finding
from examples.studies._beside import read_findings, read_prose

PROSE = """# What is done

The first paragraph
goes over two lines.

The second.

# What follows

* One
  item.
"""
FINDINGS = """[defaults]
measure = "error"
label = "method"
by = ["data"]

[[finding]]
text = "b errs more"
first = "b"
second = "a"
expected = "higher"
where.size = ["1", "2"]

[[finding]]
text = "size matters"
label = "size"
first = "1"
second = "2"
by = []
"""


def test_prose_is_paragraphs_of_one_line_and_a_comment_as_it_is(tmp_path):
    (tmp_path / "study.md").write_text(PROSE, encoding="utf-8")
    prose = read_prose(str(tmp_path / "study.py"))
    assert prose.protocol == ("The first paragraph goes over two lines.", "The second.")
    assert prose.comment == "* One\n  item."
    assert read_prose(str(tmp_path / "other.py"), "study.md") == prose


def test_findings_have_the_defaults_that_they_do_not_change(tmp_path):
    (tmp_path / "study.toml").write_text(FINDINGS, encoding="utf-8")
    assert read_findings(str(tmp_path / "study.py")) == (
        Finding(
            *("b errs more", "error", "method", "b", "a"),
            where={"size": ("1", "2")},
            by=("data",),
            expected="higher",
        ),
        Finding("size matters", "error", "size", "1", "2"),
    )


def test_a_field_that_no_finding_has_is_refused(tmp_path):
    (tmp_path / "study.toml").write_text(FINDINGS + 'margins = "1"\n', encoding="utf-8")
    with pytest.raises(TypeError, match="margins"):
        read_findings(str(tmp_path / "study.py"))
