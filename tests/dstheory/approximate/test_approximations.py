from fractions import Fraction
from functools import partial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dstheory import Frame, MassFunction, betp
from dstheory.approximate import (
    cluster,
    consonant_approximation,
    d1,
    k_l_x,
    rank_level,
    summarize,
)
from dstheory.construct import random
from dstheory.errors import DSTheoryError, FrameError
from dstheory.measure import distance, is_included
from dstheory.testing import frames, masses
from tests.naive import approximate as naive_approximate
from tests.naive import mass as naive
from tests.naive.rules import as_sets
from tests.support.each import each

FRAME = Frame(list("abcd"))

inner_clusters = partial(cluster, kind="inner")
inner_consonant = partial(consonant_approximation, kind="inner")

# Every approximation at some size; "inner" and "outer" ones are bounds.
CASES = {
    "k_l_x": lambda m: k_l_x(m, 2, 3, 0.25),
    "summarize": lambda m: summarize(m, 3),
    "d1": lambda m: d1(m, 3),
    "cluster inner": lambda m: inner_clusters(m, 3),
    "cluster outer": lambda m: cluster(m, 3),
    "rank_level inner": lambda m: rank_level(m, 2),
    "rank_level outer": lambda m: rank_level(m, 2, kind="outer"),
    "consonant inner": inner_consonant,
    "consonant outer": consonant_approximation,
}
OUTER = ["summarize", "cluster outer", "rank_level outer", "consonant outer"]
INNER = ["cluster inner", "rank_level inner", "consonant inner"]
every_one = each("name", CASES)
beliefs = frames(1, 4).flatmap(lambda frame: masses(frame, empty=True, max_focal=8))
counts = st.integers(1, 5)


@given(m=beliefs, k=counts, more=st.integers(0, 3), loss=st.integers(0, 4))
def test_k_l_x_equals_its_definition(m, k, more, loss):
    loss = Fraction(loss, 4)
    expected = naive_approximate.k_l_x(as_sets(m), k, k + more, loss)
    assert as_sets(k_l_x(m, k, k + more, loss)) == expected


@every_one
def test_sums_of_tenths_are_approximated_like_fractions(name):
    """Rounding of sums breaks no tie, of costs or of plausibilities."""
    rng = np.random.default_rng(0)
    for _ in range(30):
        focal = np.sort(rng.choice(np.arange(1, 16), 6, replace=False))
        tenths = rng.multinomial(10, np.ones(6) / 6)
        exact = CASES[name](MassFunction(FRAME, focal, [Fraction(int(n), 10) for n in tenths]))
        found = CASES[name](MassFunction(FRAME, focal, tenths / 10))
        assert found.equals(exact, atol=1e-9)


@pytest.mark.parametrize("number", [Fraction, float])
def test_k_l_x_may_lose_all_that_is_allowed(number):
    """Sums of tenths are rounded."""
    m = MassFunction(FRAME, [1, 3, 5, 10], [number(Fraction(n, 10)) for n in (4, 3, 2, 1)])
    for loss in (Fraction(1, 10), 0.1):
        assert k_l_x(m, 1, 4, loss).focal.tolist() == [1, 3, 5]


@given(m=beliefs, n=counts)
def test_summarize_equals_its_definition(m, n):
    assert as_sets(summarize(m, n)) == naive_approximate.summarize(as_sets(m), n)


@given(m=beliefs, n=st.integers(2, 5))
def test_d1_equals_its_definition(m, n):
    found = as_sets(d1(m, n))
    assert found == naive_approximate.d1(as_sets(m), n, m.frame)
    assert len([a for a in found if a]) <= n


@given(m=beliefs, n=counts)
def test_clusters_equal_their_definition(m, n):
    for found, merge in [
        (cluster(m, n), frozenset.union),
        (inner_clusters(m, n), frozenset.intersection),
    ]:
        assert as_sets(found) == naive_approximate.cluster(as_sets(m), n, merge)
        assert len(found.focal) <= n


@given(m=beliefs, rank=st.integers(1, 4), kind=st.sampled_from(["inner", "outer"]))
def test_rank_level_equals_its_definition(m, rank, kind):
    expected = naive_approximate.rank_level(as_sets(m), rank, kind, m.frame)
    assert as_sets(rank_level(m, rank, kind=kind)) == expected


@given(data=st.data(), m=beliefs)
def test_outer_consonant_equals_its_definition(data, m):
    order = naive_approximate.falling_labels(as_sets(m), m.frame)
    assert as_sets(consonant_approximation(m)) == naive_approximate.outer_consonant(
        as_sets(m), order
    )
    order = data.draw(st.permutations(list(m.frame)))
    found = consonant_approximation(m, order=order)
    assert found.is_consonant
    assert as_sets(found) == naive_approximate.outer_consonant(as_sets(m), order)


@given(m=beliefs)
def test_inner_consonant_has_the_contour(m):
    found = inner_consonant(m)
    assert found.is_consonant
    for event in naive.subsets(m.frame):
        assert found.pl(event) == naive_approximate.highest_contour(as_sets(m), event)


@pytest.mark.parametrize("name", OUTER)
@given(m=beliefs)
def test_outer_approximations_bound_from_without(name, m):
    """Masses move to supersets: Bel falls, Pl and q rise (Dubois & Prade 1986)."""
    outer = CASES[name](m)
    for event in naive.subsets(m.frame):
        assert outer.b(event) <= m.b(event)
        assert outer.pl(event) >= m.pl(event)
        assert outer.q(event) >= m.q(event)
        if m.is_normalized:
            assert outer.bel(event) <= m.bel(event)


def test_mass_of_the_empty_set_may_become_belief():
    """Implicability counts it before and after; belief only after."""
    m = MassFunction(Frame(list("ab")), [0, 1, 2], [0.25, 0.25, 0.5])
    for outer in (cluster(m, 2), summarize(m, 2)):
        assert outer.bel("a") == 0.5 > m.bel("a")
        assert outer.b("a") == m.b("a")


@pytest.mark.parametrize("name", INNER)
@given(m=beliefs)
def test_inner_approximations_bound_from_within(name, m):
    """Bel_inner >= Bel >= Bel_outer in terms of implicability: the conflict counts as well."""
    inner = CASES[name](m)
    for event in naive.subsets(m.frame):
        assert inner.b(event) >= m.b(event)
        assert inner.pl(event) <= m.pl(event)


@given(m=beliefs)
def test_clusters_are_specializations(m):
    assert is_included(inner_clusters(m, 2), m)
    assert is_included(m, cluster(m, 2))


@given(m=frames(1, 4).flatmap(masses), rank=st.integers(1, 4))
def test_rank_level_keeps_the_pignistic_probability(m, rank):
    assert (betp(rank_level(m, rank)) == betp(m)).all()
    assert (rank_level(m, 1).masses == betp(m)[betp(m) != 0]).all()


@given(m=frames(1, 4).flatmap(masses))
def test_nothing_is_lost_where_nothing_is_dropped(m):
    n = max(2, len(m.focal))
    for same in (
        k_l_x(m, n, n),
        k_l_x(m, 1, n),
        summarize(m, n),
        d1(m, n),
        inner_clusters(m, n),
        cluster(m, n),
        rank_level(m, len(m.frame)),
    ):
        assert same == m
        assert distance(m, same) == 0


@every_one
def test_each_row_of_a_batch_is_its_single_result(name):
    m = random(FRAME, np.random.default_rng(0), n_focal=9, size=6)
    m = MassFunction(FRAME, m.focal, m.masses.reshape(2, 3, -1))
    found = CASES[name](m)
    assert found.batch_shape == (2, 3)
    for row in np.ndindex(2, 3):
        assert found[row].prune().equals(CASES[name](m[row]))
    assert CASES[name](m[:0]).batch_shape == (0, 3)


@every_one
def test_results_are_valid_mass_functions(name):
    rng = np.random.default_rng(1)
    m = MassFunction(FRAME, range(16), rng.dirichlet(np.ones(16), 5))
    before = m.store.copy()
    found = CASES[name](m)
    assert MassFunction(FRAME, found.focal, found.masses) == found
    assert found.store.flags.c_contiguous
    np.testing.assert_array_equal(m.store, before)
    error = distance(m, found)
    assert error.shape == (5,)
    assert ((error > 0) & (error < 1)).all()


@every_one
def test_exact_masses_stay_exact(name):
    m = MassFunction(FRAME, range(1, 11), [Fraction(k, 55) for k in range(1, 11)])
    found = CASES[name](m)
    assert all(isinstance(mass, Fraction | int) for mass in found.masses)
    assert sum(found.masses) == 1


@every_one
def test_large_frames(name):
    frame = Frame(range(100))
    sets = [{0, 1}, {1, 99}, {0, 1, 2, 50}, {98, 99}]
    m = MassFunction(frame, [frame.mask(a) for a in sets], [0.4, 0.3, 0.2, 0.1])
    assert CASES[name](m).masses.sum() == pytest.approx(1)


@every_one
def test_other_kinds_are_refused(name):
    with pytest.raises(TypeError, match=r"m is .*, expected a MassFunction"):
        CASES[name]({"a": 1})


@pytest.mark.parametrize("approximate", [summarize, d1, inner_clusters, cluster, rank_level])
def test_wrong_sizes_are_refused(approximate):
    m = MassFunction(FRAME, [15], [1.0])
    with pytest.raises(ValueError, match="is 0, expected at least"):
        approximate(m, 0)
    for wrong in (1.5, True, None):
        with pytest.raises(TypeError, match="expected a whole number"):
            approximate(m, wrong)


def test_wrong_arguments_are_refused():
    m = MassFunction(FRAME, [15], [1.0])
    with pytest.raises(ValueError, match="n_max is 1, expected at least 2, n_min"):
        k_l_x(m, 2, 1)
    for loss in (-0.1, 1.1, np.nan):
        with pytest.raises(ValueError, match="loss is"):
            k_l_x(m, 1, 1, loss)
    for of in (partial(rank_level, m, 1), partial(cluster, m, 1), partial(inner_consonant, m)):
        with pytest.raises(ValueError, match="kind is 'middle'"):
            of(kind="middle")
    with pytest.raises(ValueError, match="order belongs to the kind 'outer'"):
        inner_consonant(m, order=list("abcd"))
    with pytest.raises(ValueError, match="each label"):
        consonant_approximation(m, order=list("abc"))
    with pytest.raises(FrameError, match="'z'"):
        consonant_approximation(m, order=list("abcz"))
    big = Frame(range(60))
    with pytest.raises(DSTheoryError, match="sets of 20 labels"):
        rank_level(MassFunction(big, [big.full], [1.0]), 20)
