"""What must work beside exactly the versions of .ci/oldest.txt: the README, and every calibrator.

Run from the root of the source, with ``python -W error .ci/oldest.py``, so that a warning that our
code causes is an error too.
"""

import doctest
import sys
from importlib.metadata import version
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

from tests.protocols.calibrators_table import CALIBRATORS, samples  # noqa: E402


def main() -> None:
    """Check the versions, run the examples of the README, fit and ask every calibrator."""
    for line in (ROOT / ".ci" / "oldest.txt").read_text().splitlines():
        name, is_pinned, wanted = line.partition("==")
        if is_pinned and version(name) != wanted:
            sys.exit(f"{name} is {version(name)}, expected {wanted}; install -r .ci/oldest.txt")
    failed, tried = doctest.testfile(
        str(ROOT / "README.md"),
        module_relative=False,
        optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE,
    )
    if failed or not tried:
        sys.exit(f"{failed} of {tried} examples of README.md failed")
    scores, y = samples()
    for entry in CALIBRATORS:
        calibrator = entry().fit(scores, y)
        interval, p = calibrator.predict_interval(scores), calibrator.predict_proba(scores)[:, 1]
        if not (interval[:, 0] <= p + 1e-12).all() or not (p <= interval[:, 1] + 1e-12).all():
            sys.exit(f"{entry.id}: probabilities are outside of [Bel, Pl]")
    print(f"{tried} examples of README.md, {len(CALIBRATORS)} calibrators")


main()
