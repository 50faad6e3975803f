"""What the `op` of an oracle means: a table from its text to functions of the package.

An operation is an expression, such as ``betp(dempster(m1,m2))`` or ``pcr5(pcr5(m1,m2),m3)``,
or one of the phrases in `PHRASES`. Whatever is neither raises `UnknownOperationError`.
"""

import re
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dstheory import (
    Frame,
    MassFunction,
    combine,
    construct,
    decide,
    inference,
    measure,
    revise,
    transform,
)
from dstheory.measure._entropy import (
    deng_entropy,
    jirousek_shenoy_entropy,
    pal_entropy,
    pignistic_entropy,
)
from tests.oracles import fuzzy as oracle_fuzzy
from tests.oracles import networks as oracle_networks

# Names of the rules in print, where they differ from ours.
RULES = {
    "smets": combine.conjunctive,
    "mean": combine.mixing,
    **{name: getattr(combine, name) for name in combine.__all__},
}
PROBABILITIES = {
    "betp": transform.betp,
    "plp": transform.plausibility_transform,
    "plausibility_transform": transform.plausibility_transform,
    "belief_transform": transform.belief_transform,
}
SCALARS = {
    "sum m log2|A|": measure.nonspecificity,
    "sum m log2(|A|/m)": pal_entropy,
    "deng_entropy": deng_entropy,
    "jousselme": measure.distance,
    "shannon2 betp": pignistic_entropy,
}


class UnknownOperationError(LookupError):
    """The operation of an oracle is none that this runner knows."""


class Case:
    """An oracle with its mass functions, on Fractions or on floats.

    Parameters
    ----------
    oracle : dict
    number : callable from text to number
    """

    def __init__(self, oracle: dict[str, Any], number: Callable[[str], Any]) -> None:
        self.oracle, self.number = oracle, number
        self.frame = Frame(oracle["frame"])
        self.sources = {
            name: MassFunction(
                self.frame,
                [self.mask(event) for event in masses],
                [number(str(value)) for value in masses.values()],
            )
            for name, masses in oracle["masses"].items()
        }
        self.sources["vacuous"] = MassFunction(self.frame, [self.frame.full], [number("1")])

    def event(self, text: str) -> list[str]:
        """Labels of ``a,b`` or ``{a,b}``."""
        return [label for label in text.strip("{} ").split(",") if label]

    def mask(self, text: str) -> int:
        return self.frame.mask(self.event(text))

    def probabilities(self, values: Any) -> dict[str, Any]:
        """A vector over the frame by label."""
        return dict(zip(self.frame.labels, values, strict=True))

    @property
    def only(self) -> MassFunction:
        """The mass function of an oracle that has just one."""
        (m,) = (m for name, m in self.sources.items() if name != "vacuous")
        return m

    def mass_function(self, text: str) -> MassFunction:
        """Value of an expression of rules and names."""
        if text in self.sources:
            return self.sources[text]
        found = re.fullmatch(r"(\w+)\((.*)\)", text)
        if not found or found[1] not in RULES:
            raise UnknownOperationError(text)
        return RULES[found[1]](*map(self.mass_function, arguments(found[2])))


def arguments(text: str) -> list[str]:
    """Parts between the commas that no parenthesis encloses."""
    parts, depth = [""], 0
    for letter in text:
        depth += (letter == "(") - (letter == ")")
        if letter == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += letter
    return [part.strip() for part in parts]


def of_events(case: Case, name: str, m: str) -> dict[str, Any]:
    function = getattr(case.mass_function(m), name)
    return {event: function(case.event(event)) for event in case.oracle["expected"]}


def probability(case: Case, name: str, m: str) -> dict[str, Any]:
    return case.probabilities(PROBABILITIES[name](case.mass_function(m)))


def scalar(case: Case, name: str, ms: str) -> Any:
    return SCALARS[name](*map(case.mass_function, arguments(ms)))


def conditioned(case: Case, m: str, event: str, unnormalized: str | None) -> MassFunction:
    return revise.condition(
        case.mass_function(m), case.event(event), normalize=unnormalized is None
    )


def discounted(case: Case, m: str, reliability: str) -> MassFunction:
    return revise.discount(case.mass_function(m), reliability=case.number(reliability))


def contextually_discounted(case: Case, m: str, reliabilities: str) -> MassFunction:
    betas = dict(pair.split(":") for pair in reliabilities.split())
    kept = {label: case.number(beta) for label, beta in betas.items()}
    return revise.contextual_discount(case.mass_function(m), reliabilities=kept)


def with_prior(case: Case, ms: str, prior: str) -> MassFunction:
    words = prior.split()
    shares = dict(zip(words[::2], map(case.number, words[1::2]), strict=True))
    sources = map(case.mass_function, arguments(ms))
    return combine.fixsen_mahler(*sources, prior=[shares[label] for label in case.frame])


def dsmp(case: Case, epsilon: str, m: str) -> dict[str, Any]:
    values = transform.dsmp(case.mass_function(m), case.number(epsilon))
    return case.probabilities(values)


def isopignistic(case: Case, shares: str) -> MassFunction:
    p = construct.bayesian(case.frame, [case.number(share) for share in shares.split(",")])
    return transform.inverse_pignistic(case.frame, transform.betp(p))


def weights(case: Case) -> dict[str, Any]:
    table = transform.conjunctive_weights(case.only)
    return {event: table[case.mask(event)] for event in case.oracle["expected"]}


def both_disjunctive_weights(case: Case) -> dict[str, Any]:
    tables = {f"v{i}": transform.disjunctive_weights(case.sources[f"m{i}"]) for i in (1, 2)}
    return {
        f"{name} {canonical(event)}": tables[name][case.mask(event)]
        for name, values in case.oracle["expected"].items()
        for event in values
    }


def generalized_bayes(case: Case) -> dict[str, Any]:
    given = case.oracle["inputs"]["pl"]
    likelihoods = {label: case.number(str(value)) for label, value in given.items()}
    return case.probabilities(transform.betp(revise.generalized_bayes(case.frame, likelihoods)))


def random_walk(case: Case, apart: str, stay: str) -> MassFunction:
    steps = [int(label) for label in case.frame]
    conditionals = {
        str(s): MassFunction.from_dict(
            case.frame,
            {(str(s - 1), str(s + 1)): case.number(apart), str(s): case.number(stay)},
        )
        for s in steps
        if s - 1 in steps and s + 1 in steps
    }
    return revise.disjunctive_rule_of_combination(case.sources["prior"], conditionals)


def jirousek_shenoy(case: Case) -> dict[str, Any]:
    m = case.only
    nonspecificity, whole = measure.nonspecificity(m), jirousek_shenoy_entropy(m)
    return {
        "shannon_plp": whole - nonspecificity,
        "nonspecificity": nonspecificity,
        "H_JS": whole,
        "deng": deng_entropy(m),
    }


def growing_sets(case: Case) -> dict[str, Any]:
    """Jousselme et al. 2001: the distance of {1..5} from evidence with a growing set."""
    n = case.number
    sure = MassFunction.from_dict(case.frame, {tuple("12345"): n("1")})
    results = {}
    for size in range(1, 21):
        grown = [str(i) for i in range(1, size + 1)]
        parts = [(["2", "3", "4"], "0.05"), (["7"], "0.05"), (case.frame, "0.1"), (grown, "0.8")]
        masses: dict[int, Any] = {}
        for event, share in parts:  # the grown set may be one of the others
            mask = case.frame.mask(event)
            masses[mask] = masses.get(mask, 0) + n(share)
        m = MassFunction(case.frame, masses, list(masses.values()))
        results[f"A=1..{size}"] = measure.distance(m, sure)
    return results


def expectations(case: Case) -> dict[str, Any]:
    """Acts are the labels, and a rejection that is worth 1/2 in any case."""
    m, half = case.only, case.number("0.5")
    one = case.number("1")
    utilities = [[one * (i == j) for j in range(3)] for i in range(3)] + [[half] * 3]
    results = {}
    for bound in ("lower", "upper"):
        values = getattr(decide, f"{bound}_expected_utility")(m, utilities)
        names = [f"{bound} {act}" for act in ("act1", "act2", "act3", "reject")]
        results |= dict(zip(names, values, strict=True))
    named = case.probabilities(transform.betp(m))
    return results | {f"betp {label}": value for label, value in named.items()}


def gambles(case: Case, criterion: str, m: str) -> dict[str, Any]:
    rows = [[case.number(str(value)) for value in row] for row in case.oracle["gambles"]]
    names = [f"g{i + 1}" for i in range(len(rows))]
    if criterion == "maximality":
        chosen = decide.maximality(case.sources[m], rows)
        return {name: int(kept) for name, kept in zip(names, chosen, strict=True)}
    best = decide.maximin(case.sources[m], rows, acts=names)
    return {name: int(name == best) for name in names}


def lower_expectations(case: Case, listed: str, m: str) -> dict[str, Any]:
    names = re.findall(r"\([^)]*\)", listed)
    rows = [[case.number(value) for value in name.strip("()").split(",")] for name in names]
    return dict(zip(names, decide.lower_expected_utility(case.sources[m], rows), strict=True))


def learned_rates(case: Case, kind: str, labels: str) -> dict[str, Any]:
    truth = re.findall(r"'(\w+)'", labels)
    masks = sorted({int(mask) for m in case.sources.values() for mask in m.focal})
    rows = [
        [case.sources[f"m{i + 1}"].mass(mask=mask) for mask in masks] for i in range(len(truth))
    ]
    correction = {"CD": "discount", "CN": "negate", "CR": "reinforce"}[kind]
    learned = revise.learn_contextual_rates(
        MassFunction(case.frame, masks, rows), truth, correction
    )
    results = {"E_pl": learned.error}
    for context, rate in learned.rates.items():
        mask = case.frame.mask(context)
        label_mask = mask if kind == "CD" else case.frame.full - mask
        (label,) = case.frame.event(label_mask)
        results[f"beta_{label}"] = 1 - rate
    return results


def bounds_and_betp(case: Case) -> dict[str, Any]:
    m, betp = case.only, case.probabilities(transform.betp(case.only))
    results = {f"{name} {x}": getattr(m, name)(x) for name in ("bel", "pl") for x in case.frame}
    return results | {f"betp {label}": value for label, value in betp.items()}


def counted(case: Case, counts: str) -> NDArray[Any]:
    return np.array([case.number(count) for count in counts.split(",")])


def imprecise_dirichlet(case: Case, strength: str, counts: str) -> MassFunction:
    return inference.multinomial(
        counted(case, counts), case.frame, "dempster", strength=int(strength)
    )


def below_goodman(case: Case, counts: str, alpha: str) -> MassFunction:
    level = 1 - float(alpha)
    return inference.multinomial(
        counted(case, counts), case.frame, "goodman", confidence=level, ordered=True
    )


def four_sources(case: Case) -> MassFunction:
    """Dezert et al. 2021, example 3, whose m2 = m1 and m3({B}) = 1 the file leaves out."""
    certain = MassFunction.from_dict(case.frame, {"B": case.number("1")})
    m1, m4 = case.sources["m1"], case.sources["m4"]
    return combine.pcr6(m1, m1, certain, m4)


PHRASES: dict[str, Callable[..., Any]] = {
    r"(bel|pl|q|b)\((\w+)\)(?:\[A\])?": of_events,
    r"(betp|plp|plausibility_transform|belief_transform)\((?!GBT)(.*)\)": probability,
    r"(jousselme|deng_entropy)\((\w+(?:,\s*\w+)*)\)": scalar,
    r"(sum m log2\(\|A\|/m\)|sum m log2\|A\|) ?\((\w+)\)": scalar,
    r"shannon2\(betp\((\w+)\)\)": lambda case, m: scalar(case, "shannon2 betp", m),
    r"deng_entropy \(log2\) of the uniform mass on \d+ sets": (
        lambda case: deng_entropy(case.only)
    ),
    r"DSmP_eps=([\d.]+)\((\w+)\)": dsmp,
    r"H_JS\(m1\), parts": jirousek_shenoy,
    r"least committed isopignistic of p=\((.*)\)": isopignistic,
    r"conjunctive weights w\(A\), A != frame": weights,
    r"disjunctive weights v1\(A\), v2\(A\)": both_disjunctive_weights,
    r"betp\(GBT\(pl\)\)": generalized_bayes,
    r"prediction of prior through conditional masses m\[s\]: \{s-1,s\+1\}:([\d.]+), "
    r"\{s\}:([\d.]+) combined disjunctively over s": random_walk,
    r"(?:dempster_)?condition\((\w+), ?(\{.*\})\)( unnormalised)?": conditioned,
    r"(.*\)) conditioned on (\{.*\})(, unnormalised)?": conditioned,
    r"discount\((\w+), reliability ([\d.]+)\)": discounted,
    r"contextual_discount\((\w+), (.*)\)": contextually_discounted,
    r"fixsen_mahler\((.*); prior (.*)\)": with_prior,
    r"argmin_beta E_pl for (CD|CN|CR) \(labels (\[.*\])\).*": learned_rates,
    r"lower and upper expected utility of 4 acts; betp .*": expectations,
    r"(maximality|gamma-maximin) of \d+ gambles under (\w+)\b.*": gambles,
    r"lower expectation of gambles (.*) under (\w+)": lower_expectations,
    r"jousselme\(m1\(A\), m2\), m1: .* A = \{1\.\.s\}": growing_sets,
    r"bel, pl, betp": bounds_and_betp,
    r"IDM s=(\d+), counts \((.*)\): .*": imprecise_dirichlet,
    r"most committed belief function on ordered categories below the Goodman lower "
    r"probability, counts \((.*)\), alpha=([\d.]+)": below_goodman,
    r"pcr6\(m1\.\.m4\)": four_sources,
}
# Remarks behind an expression that do not change its value.
REMARKS = r"(?: unnormalised| \(=\w+\)| three sources| = posterior)*"


def compute(oracle: dict[str, Any], number: Callable[[str], Any]) -> Any:
    """Value of an oracle's operation: a mass function, a dict of numbers, or a number."""
    if "potentials" in oracle:
        return oracle_networks.solve(oracle, number)
    operation = oracle.get("op")
    if not isinstance(operation, str):
        raise UnknownOperationError(f"{oracle.get('id')}: an oracle without op")
    for pattern, function in oracle_fuzzy.OPERATIONS.items():
        found = re.fullmatch(pattern, operation)
        if found:
            return function(oracle, *found.groups())
    for pattern, function in PHRASES.items():
        found = re.fullmatch(pattern, operation)
        if found:
            return partial(function, Case(oracle, number))(*found.groups())
    expression = re.fullmatch(rf"(\w+\(.*?\)){REMARKS}", operation)
    if not expression:
        raise UnknownOperationError(operation)
    return Case(oracle, number).mass_function(expression[1])


def canonical(name: str) -> str:
    """The same name for the same set, whatever the order of its labels."""
    return ",".join(sorted(name.split(",")))


def as_numbers(result: Any) -> dict[str, Any]:
    """A result by the names that oracles use: ``a,b`` for sets, '' for the empty one."""
    if isinstance(result, MassFunction):
        return {canonical(",".join(e)): mass for e, mass in result.prune().to_dict().items()}
    if isinstance(result, dict):
        return {canonical(name): value for name, value in result.items()}
    return {"": np.asarray(result).item()}
