"""Cost: what takes too much is refused before it starts, in any order and container.

A job that only looks large, because sources share their intersections, runs.
"""

import os
import subprocess
import sys
from dataclasses import replace
from itertools import permutations
from pathlib import Path

import numpy as np
import pytest

from dstheory import Frame, MassFunction, categorical, stack, vacuous
from dstheory.combine import combine_axis, conjunctive
from dstheory.errors import CostLimitError, MassError
from tests.joints.seeds import every_seed
from tests.protocols.rules_table import RULES
from tests.support.each import each

ROOT = Path(__file__).parents[2]
FRAME = Frame(range(60))
# Those that take a source without mass on the frame, and one that is normalized.
OF_ANY = [rule for rule in RULES if rule.name not in ("cautious", "tnorm_conjunctive")]
OF_ANY = [rule for rule in OF_ANY if rule.takes == "any"]


def of_sixty(rule):
    """A rule of the table with options for 60 labels."""
    options = dict(rule.options)
    if "prior" in options:
        options["prior"] = np.full(60, 1 / 60)
    if isinstance(options.get("share"), MassFunction):
        options["share"] = vacuous(FRAME)
    return replace(rule, options=options)


def large(seed, count):
    """Random focal sets, and the frame."""
    sets = np.unique(np.random.default_rng(seed).integers(1, 1 << 60, count))
    return MassFunction(FRAME, [*sets, FRAME.full], np.full(len(sets) + 1, 1 / (len(sets) + 1)))


def verdict(call):
    """What a job gives: a mass function, or the refusal."""
    try:
        return call()
    except CostLimitError as error:
        return f"refused: {error}"


def same(found):
    """Whether all were refused, or all gave one result."""
    first, *others = found
    if isinstance(first, str):
        return all(isinstance(other, str) for other in others)
    return all(not isinstance(m, str) and m.equals(first, atol=1e-12) for m in others)


@each("rule", OF_ANY, ids=lambda rule: rule.id)
@every_seed
def test_neither_order_nor_container_decides_about_a_job(rule, seed):
    """Two large sources leave 2^26 pairs; after a certain one they leave few."""
    rule = of_sixty(rule)
    sources = [categorical(FRAME, [0, 1]), *(large(2 * seed + i, 1 << 13) for i in range(2))]
    orders = list(permutations(sources))[:: 2 if seed == 0 else 1]
    found = [verdict(lambda order=order: rule(*order)) for order in orders]
    assert same(found)
    batches = [MassFunction(FRAME, m.focal, m.masses[np.newaxis]) for m in sources]
    row = verdict(lambda: rule(*batches))
    assert same([found[0], row if isinstance(row, str) else row[0]])
    if rule.name not in ("deng", "murphy", "mixing"):  # which are the same for all focal sets
        assert same([found[0], verdict(lambda: combine_axis(stack(sources), rule))])


@each("rule", RULES, ids=lambda rule: rule.id)
def test_what_only_looks_large_runs(rule):
    """Sixty simple sources about single labels: 2^60 choices of focal sets, 61 intersections."""
    if rule.name.startswith("pcr") or rule.name in ("disjunctive", "exclusive_or", "florea"):
        return  # these list the choices, or unions
    rule = of_sixty(rule)
    simple = [MassFunction(FRAME, [1 << i, FRAME.full], [0.5, 0.5]) for i in range(60)]
    try:
        found = rule(*(~m if rule.takes == "subnormal" else m for m in simple))
    except MassError:
        pytest.fail("the sources are of the kind that the rule takes")
    assert len(found.focal) <= 62


@pytest.mark.skipif("SEEDS" not in os.environ, reason="5 s and 2 GB: on demand, by SEEDS=1")
def test_a_job_just_below_the_limit_runs():
    def sources(count):
        return [
            MassFunction(FRAME, [FRAME.full - (1 << i), FRAME.full], [0.5, 0.5])
            for i in range(count)
        ]

    assert len(conjunctive(*sources(23)).focal) == 1 << 23
    with pytest.raises(CostLimitError, match="16,777,216 focal sets at most, more than 8,388,608"):
        conjunctive(*sources(24))


EXPLOSIVE = """
import resource, sys

import numpy as np

from dstheory import MassFunction
from dstheory.errors import CostLimitError
from tests.joints.test_cost import FRAME, large, of_sixty
from tests.protocols.rules_table import RULES

# A rule that allocates first ends in a MemoryError, and one that works on is killed.
resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30))
resource.setrlimit(resource.RLIMIT_CPU, (60, 60))
# Each is what four simple sources give: a tenth of the steps until the limit is met.
many = [MassFunction(FRAME, [FRAME.full - (sets << at) for sets in range(16)], np.full(16, 1 / 16))
          for at in range(0, 40, 4)]
wide = [MassFunction(FRAME, [1, FRAME.full], np.full((*shape, 2), 0.5))
        for shape in ((70_000, 1), (1, 70_000))]
two = [large(seed, 1 << 14) for seed in range(2)]
for rule in map(of_sixty, RULES):
    for kind, sources in {"many": many, "large": two, "wide": wide}.items():
        if rule.name == "mixing" and kind != "wide":
            continue  # a mean lists no intersections
        united = rule.name == "disjunctive" and kind == "many"
        print(rule.id, kind, flush=True)
        try:
            rule(*(~m if rule.takes == "subnormal" or united else m for m in sources))
        except CostLimitError as error:
            if "approximate" not in str(error):
                sys.exit(f"no advice: {error}")
        else:
            sys.exit("not refused")
"""


def test_explosive_sources_are_refused_before_anything_is_allocated():
    """Ten sources of 16 sets: 2^40 intersections; two large ones: 2^28 pairs; a batch: 5e9 rows."""
    pytest.importorskip("resource")
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
    done = subprocess.run(
        [sys.executable, "-c", EXPLOSIVE],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, (done.stdout[-100:], done.stderr[-2000:])
