"""Random argumentation systems, as the definitions and as the package see them."""

from fractions import Fraction

from hypothesis import strategies as st

from dstheory.argumentation import ArgumentationSystem

ASSUMPTIONS, PROPOSITIONS = ["a", "b", "c", "d"], ["x", "y", "z"]

literals = st.tuples(st.sampled_from(ASSUMPTIONS + PROPOSITIONS), st.booleans())
clauses = st.frozensets(literals, min_size=1, max_size=4)
numbers = st.fractions(Fraction(1, 10), Fraction(9, 10), max_denominator=10)


def text(clause):
    return " | ".join(name if truth else f"~{name}" for name, truth in sorted(clause))


@st.composite
def systems(draw, max_rules=7):
    """Clauses, probabilities of the assumptions that occur, propositions, and the system."""
    rules = draw(st.lists(clauses, min_size=1, max_size=max_rules))
    names = {name for clause in rules for name, _ in clause}
    probabilities = {name: draw(numbers) for name in ASSUMPTIONS if name in names}
    propositions = [name for name in PROPOSITIONS if name in names]
    system = ArgumentationSystem([text(clause) for clause in rules], probabilities)
    return rules, probabilities, propositions, system


@st.composite
def hypotheses(draw, names):
    """A disjunction of two literals, or a conjunction: its text, and its truth in a world."""
    chosen = draw(
        st.lists(st.tuples(st.sampled_from(names), st.booleans()), min_size=1, max_size=2)
    )
    sign, combined = draw(st.sampled_from([(" | ", any), (" & ", all)]))
    parts = [name if truth else f"~{name}" for name, truth in chosen]
    return sign.join(parts), lambda world: combined(world[n] == truth for n, truth in chosen)
