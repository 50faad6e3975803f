"""Conformal prediction as it is defined, on exact numbers."""

from fractions import Fraction
from itertools import combinations
from math import comb


def p_value(calibration, score, weights=None, new_weight=1, tau=None):
    """Share of the scores that are at least as great, the new one among them."""
    weights = [1] * len(calibration) if weights is None else weights
    pairs = list(zip(calibration, weights, strict=True))
    whole = new_weight + sum(w for _, w in pairs)
    if whole == 0:
        return Fraction(1)
    above = sum(w for s, w in pairs if s > score)
    equal = new_weight + sum(w for s, w in pairs if s == score)
    return Fraction(above + (1 if tau is None else tau) * equal) / whole


def class_p_values(calibration, y, scores, **options):
    """Each class against the calibration samples of it."""
    return [
        p_value([s for s, label in zip(calibration, y, strict=True) if label == k], score)
        for k, score in enumerate(scores)
    ]


def contour(p_values):
    """The greatest becomes 1."""
    return [Fraction(1) if p == max(p_values) else p for p in p_values]


def consonant(values):
    """Masses of the nested sets of a contour, by the set."""
    masses = {}
    for level, following in zip(
        steps := sorted({*values, 0}, reverse=True), steps[1:], strict=False
    ):
        focal = frozenset(k for k, value in enumerate(values) if value >= level)
        masses[focal] = level - following
    return masses


def interval(values, k):
    """Bel and Pl of one class."""
    masses = consonant(values)
    belief = sum(mass for focal, mass in masses.items() if focal <= {k})
    return belief, sum(mass for focal, mass in masses.items() if k in focal)


def betp(values):
    """Each set shares its mass equally."""
    masses = consonant(values)
    return [
        sum(Fraction(mass) / len(focal) for focal, mass in masses.items() if k in focal)
        for k in range(len(values))
    ]


def lower(values, utilities):
    """Expected utility if each set is the worst of its classes."""
    return sum(mass * min(utilities[k] for k in focal) for focal, mass in consonant(values).items())


def lac(row):
    """One minus the probability."""
    return [1 - p for p in row]


def margin(row):
    """Best rival minus the own value."""
    return [max(row[:k] + row[k + 1 :]) - p for k, p in enumerate(row)]


def ranks(row):
    """Number of classes that are no less likely."""
    return [sum(q >= p for q in row) for p in row]


def sums(row, u=1):
    """Probability of all likelier classes, and a share of the own one."""
    return [sum(q for q in row if q > p) + u * p for p in row]


def penalized(row, u, penalty, n_free):
    """The same with a penalty for ranks beyond the free ones."""
    pairs = zip(sums(row, u), ranks(row), strict=True)
    return [score + penalty * max(rank - n_free, 0) for score, rank in pairs]


def ordered(scores, row):
    """Scores in steps of 2^-30; within a step by rank, and then by probability."""
    step, size = Fraction(1, 2**30), 1
    while size < len(row):
        size *= 2
    return [
        round(score / step) * step + step / 2 * (rank - p) / size
        for score, rank, p in zip(scores, ranks(row), row, strict=True)
    ]


def aps(row, u=1):
    """Sums whose ties are broken."""
    return ordered(sums(row, u), row)


def raps(row, u, penalty, n_free):
    """Penalized sums whose ties are broken."""
    return ordered(penalized(row, u, penalty, n_free), row)


def cross_p_value(folds):
    """Scores of each fold beside the new score of the classifier that has not seen the fold."""
    counted = sum(s >= new for scores, new in folds for s in scores)
    return Fraction(1 + counted, 1 + sum(len(scores) for scores, _ in folds))


def online_p_value(scores, tau):
    """The last score among all so far, itself included."""
    last = scores[-1]
    above = sum(s > last for s in scores)
    return (above + tau * sum(s == last for s in scores)) / len(scores)


def jumper(p_values, jump, slopes=(-1, 0, 1)):
    """Capital of a gambler who splits it among bets 1 + slope (p - 1/2), and moves a share."""
    capital = [Fraction(1, len(slopes))] * len(slopes)
    path = []
    for p in p_values:
        total = sum(capital)
        moved = [(1 - jump) * own + jump * total / len(slopes) for own in capital]
        capital = [
            own * (1 + slope * (p - Fraction(1, 2)))
            for own, slope in zip(moved, slopes, strict=True)
        ]
        path.append(sum(capital))
    return path


def reserve(odds, kept):
    """Capital of a reserve that is put on bets: in equal parts before each sample, `kept` is left.

    Whatever is bet at a time is multiplied by the odds (a row of bets) of all samples from then on.
    """
    path, bets = [], len(odds[0])
    for now in range(1, len(odds) + 1):
        won = 0
        for bet in range(bets):
            for begun in range(now):
                grown = Fraction(kept(begun) - kept(begun + 1), 1) / bets
                for row in odds[begun:now]:
                    grown *= row[bet]
                won += grown
        path.append(kept(now) + won)
    return path


def _arrangements(n, m):
    """Ranks of m new scores among n old ones, 1 for the strangest, for all orders of both."""
    for places in combinations(range(n + m), m):
        yield [place - i + 1 for i, place in enumerate(places)]


def misses_tail(n, m, level, k):
    """Probability that k or more of m new scores are among the first `level` ranks."""
    found = [sum(r <= level for r in ranks) >= k for ranks in _arrangements(n, m)]
    return Fraction(sum(found), len(found))


def excess(ranks, n):
    """Greatest excess of the share of new scores over that of old ones, from the strangest on."""
    m = len(ranks)
    return max(Fraction(sum(r <= j + 1 for r in ranks), m) - Fraction(j, n) for j in range(n + 1))


def excess_tail(n, ranks):
    """Probability of an excess as great as that of these ranks, or greater."""
    m, seen = len(ranks), excess(ranks, n)
    found = [excess(other, n) >= seen for other in _arrangements(n, m)]
    return Fraction(sum(found), len(found))


def binomial_tail(errors, n, bound):
    """Probability of so few errors or fewer, if each of n answers is wrong with this one."""
    return sum(comb(n, k) * bound**k * (1 - bound) ** (n - k) for k in range(errors + 1))


def fewest(bound, error):
    """Number of right answers that are improbable enough if the bound is kept from below."""
    n = 1
    while (1 - bound) ** n > error:
        n += 1
    return n


def shares(n, bound, error):
    """Numbers of answers at which tests begin, each with its share of the level."""
    first = fewest(bound, error * Fraction(4, 5))
    sizes = []
    while 3 * first * 4 ** len(sizes) < 2 * n:
        sizes.append(first * 4 ** len(sizes))
    if not sizes:
        return [(fewest(bound, error), error)]
    rest = [(size, error / 5 / len(sizes)) for size in [*sizes[1:], n]]
    return [(first, error * Fraction(4, 5)), *rest]


def answered_limit(losses, doubts, bound, error):
    """Largest accepted limit of doubt (None: of nothing), for losses of 0 and 1."""
    begins, handed, accepted = shares(len(doubts), bound, error), 0, []
    for limit in [*sorted(set(doubts)), float("inf")]:
        answered = [loss for loss, doubt in zip(losses, doubts, strict=True) if doubt < limit]
        level = handed + sum(own for size, own in begins if size <= len(answered))
        begins = [(size, own) for size, own in begins if size > len(answered)]
        kept = level and binomial_tail(sum(answered), len(answered), bound) <= level
        handed = level if kept else 0
        accepted += [limit] if kept else []
    return max(accepted, default=None)


def mean_limit(answered, asked, doubts, bound, most):
    """Conformal risk control: the largest limit that keeps the bound with one more worst sample."""
    kept = []
    for limit in [*sorted(set(doubts)), float("inf")]:
        losses = [
            a if doubt < limit else b for a, b, doubt in zip(answered, asked, doubts, strict=True)
        ]
        if Fraction(sum(losses) + most) / (len(losses) + 1) <= bound:
            kept.append(limit)
    return max(kept, default=None)
