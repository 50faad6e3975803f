"""The one table of all combination rules, what each promises, and sources to check it on."""

from dataclasses import dataclass, field
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np

from dstheory import Frame, MassFunction, combine
from tests.naive import mass as naive
from tests.naive import rules as naive_rules
from tests.support.each import each

LABELS = list("abc")
FRAME = Frame(LABELS)


@dataclass(frozen=True)
class Entry:
    """A rule and what it promises."""

    name: str
    options: dict[str, Any] = field(default_factory=dict)
    takes: str = "any"  # or "separable", "subnormal": the sources for which it is defined
    symbolic: bool = True  # or False: the rule compares masses, which symbols do not allow
    total_conflict: str = "result"  # or the error for sources that exclude each other
    empty: str = "set"  # or "conflict", "refused", "needed": what m(empty) of a source is

    def __call__(self, *sources: MassFunction) -> MassFunction:
        return getattr(combine, self.name)(*sources, **self.options)

    @property
    def id(self) -> str:
        """The same in every process: no function is shown with its address."""
        shown = (getattr(value, "__name__", str(value)) for value in self.options.values())
        return "-".join([self.name, *shown])

    def sources(self, **options: Any) -> list[MassFunction]:
        made = batches(SEPARABLE if self.takes == "separable" else GENERAL, **options)
        return [~m for m in made] if self.takes == "subnormal" else made


GENERAL = [[1, 3, 6, 7], [2, 3, 4, 5, 7], [1, 2, 4, 7]]
SEPARABLE = [[1, 3, 7], [2, 6, 7], [5, 7]]  # nested sets
VACUOUS = MassFunction.from_dict(FRAME, {FRAME: Fraction(1)})
PRIOR = [Fraction(1, 4), Fraction(1, 4), Fraction(1, 2)]

RULES = [
    Entry("bold", symbolic=False, takes="subnormal", total_conflict="normalized", empty="needed"),
    Entry("cautious", symbolic=False, total_conflict="dogmatic"),
    Entry("conjunctive", empty="conflict"),
    Entry("dempster", total_conflict="total conflict", empty="conflict"),
    Entry("dempster", {"log": True}, total_conflict="total conflict", empty="conflict"),
    Entry("deng"),
    Entry("disjunctive"),
    Entry("dubois_prade"),
    Entry("exclusive_or"),
    Entry("fixsen_mahler", total_conflict="total conflict", empty="refused"),
    Entry("fixsen_mahler", {"prior": PRIOR}, total_conflict="total conflict", empty="refused"),
    Entry("florea", empty="refused"),
    Entry("inagaki", {"k": 0}, empty="conflict"),
    Entry("inagaki", {"k": Fraction(1, 2)}, empty="conflict"),
    Entry("lefevre", {"share": VACUOUS}, empty="conflict"),
    Entry("lefevre", {"share": combine.mixing}, empty="conflict"),
    Entry("lns", takes="separable"),
    Entry("lns", {"eta": 1, "approximate": True}, takes="separable", empty="eta"),
    Entry("mixing"),
    Entry("murphy"),
    Entry("pcr1", empty="refused"),
    Entry("pcr2", empty="refused"),
    Entry("pcr3", empty="refused"),
    Entry("pcr4", empty="refused"),
    Entry("pcr5", empty="refused"),
    Entry("pcr5_plus", empty="refused"),
    Entry("pcr6", empty="refused"),
    Entry("pcr6_plus", empty="refused"),
    Entry("tnorm_conjunctive", {"parameter": 0.25}, symbolic=False, total_conflict="dogmatic"),
    Entry(
        "tnorm_conjunctive",
        {"family": "sugeno_weber", "parameter": 2},
        symbolic=False,
        total_conflict="dogmatic",
    ),
    Entry(
        "tnorm_disjunctive",
        {"family": "dubois_prade", "parameter": 0.5},
        takes="subnormal",
        symbolic=False,
        total_conflict="normalized",
        empty="needed",
    ),
    Entry("yager", empty="conflict"),
]
# Options of the rules that need one, with which the guide shows what they give.
IN_THE_GUIDE = {
    "inagaki": {"k": 1},
    "lefevre": {"share": combine.mixing},
    "tnorm_conjunctive": {"parameter": 0.5},
}
NOT_RULES = {"combine_axis", "decombine", "learn_tnorm"}

# Sources in total conflict, for the rules that have an option for it; all other rules have a
# result. Łukasiewicz' norm makes a weight of 0 of two weights of 1/2.
HALVES = {(): 0.25, "a": 0.25, "b": 0.25, FRAME: 0.25}
LUKASIEWICZ = {"family": "sugeno_weber", "parameter": 0, "normalize": True}
IN_TOTAL_CONFLICT = [
    (Entry("dempster"), [{"a": 1}, {"b": 1}]),
    (Entry("dempster", {"log": True}), [{"a": 1}, {"b": 1}]),
    (Entry("deng"), [{(): 1}, {(): 1}]),
    (Entry("fixsen_mahler"), [{"a": 1}, {"b": 1}]),
    (Entry("murphy"), [{(): 1}, {(): 1}]),
    (Entry("tnorm_conjunctive", LUKASIEWICZ), [HALVES, HALVES]),
]

# The definitions, for sources that give mass to the empty set.
DEFINITIONS = {
    "cautious": partial(naive_rules.by_weights, LABELS, operation=min),
    "conjunctive": naive.conjunctive,
    "dempster": naive.dempster,
    "deng": naive_rules.deng,
    "disjunctive": naive.disjunctive,
    "dubois_prade": naive_rules.dubois_prade,
    "exclusive_or": naive_rules.exclusive_or,
    "inagaki-0": partial(naive_rules.inagaki, LABELS, k=0),
    "inagaki-1/2": partial(naive_rules.inagaki, LABELS, k=Fraction(1, 2)),
    "lefevre-mixing": lambda *ms: naive_rules.lefevre(*ms, share=mean(*ms)),
    "lns": partial(naive_rules.lns, LABELS),
    "mixing": lambda *ms: mean(*ms),
    "murphy": naive_rules.murphy,
    "yager": partial(naive_rules.yager, LABELS),
}

every_rule = each("rule", RULES, ids=lambda rule: rule.id)


def mean(*sources):
    return naive_rules.mixing(*sources, weights=[Fraction(1, len(sources))] * len(sources))


def batches(focals, n_sources=3, shape=(4,), seed=0):
    rng = np.random.default_rng(seed)
    return [
        MassFunction(FRAME, focal, rng.dirichlet(np.ones(len(focal)), shape))
        for focal in focals[:n_sources]
    ]


def exact(m):
    """The same single mass function with rational masses."""
    counts = [max(1, round(100 * mass)) for mass in m.masses]
    return MassFunction(m.frame, m.focal, [Fraction(c, sum(counts)) for c in counts])
