"""Subjective logic: opinions, which are mass functions with base rates, and their fusion.

A mass m(frame) that supports nothing is the uncertainty of an opinion; base rates share it out. The
opinion of r(x) observations of each label gives it W / (W + sum r), which is the imprecise
Dirichlet model. Three of the fusions average masses with weights that depend on the uncertainties
(Josang 2016, Subjective Logic; van der Heijden, Kopp & Kargl 2018, Multi-source fusion operations
in subjective logic, FUSION).
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from fractions import Fraction
from math import comb
from typing import Any, Literal, final, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dstheory._masses import batch_of, check_mass, collect
from dstheory._typing import Numbers
from dstheory.checks.arguments import as_array, check_choice, check_instance, check_rows
from dstheory.checks.masses import side_by_side
from dstheory.combine import dempster
from dstheory.combine.sources import any_exact, refuse_subnormal
from dstheory.construct import bayesian
from dstheory.errors import MassError
from dstheory.frame import Frame, same_frame
from dstheory.inference.counts._multinomial import multinomial
from dstheory.inference.counts.checks import as_categories, as_strength
from dstheory.kernels import bits
from dstheory.kernels.batches import stretch
from dstheory.kernels.immutable import Immutable
from dstheory.kernels.limits import check_cost
from dstheory.kernels.rounding import ROUNDING
from dstheory.mass import MassFunction
from dstheory.notebook import ShownFields, brief
from dstheory.revise import discount

# A second in Python, for one row.
_MOST_UNIONS = 100_000

Fusion = Literal["cumulative", "averaging", "weighted", "compromise", "constraint"]


@final
class Opinion(ShownFields, Immutable):
    """Opinion of subjective logic, which is a mass function with a base rate for each label.

    Parameters
    ----------
    mass : MassFunction
        One or a batch, without mass on the empty set. Masses on single labels are beliefs (the
        belief and the disbelief of a binomial opinion), that of the frame is the uncertainty.
        Further focal sets make it a hyper-opinion.
    base_rate : (*batch, K) array, optional
        Probability of each label before any evidence. Default: 1 / K.

    Attributes
    ----------
    mass : MassFunction
    base_rate : (*batch, K) array
        Read-only.

    Raises
    ------
    TypeError
        If `mass` is not a mass function.
    MassError
        If the empty set has mass, or a row of base rates is not a probability on the labels.
    ValueError
        If base rates do not broadcast to the batch of opinions.

    References
    ----------
    Josang (2016), Subjective Logic: A Formalism for Reasoning Under Uncertainty, Springer.

    Examples
    --------
    The cumulative fusion of three sources (b, d, u):

    >>> first = Opinion.from_beliefs(["rain", "dry"], [0.1, 0.3], 0.6)
    >>> second = Opinion.from_beliefs(["rain", "dry"], [0.4, 0.2], 0.4)
    >>> third = Opinion.from_beliefs(["rain", "dry"], [0.7, 0.1], 0.2)
    >>> first.fuse(second, third).mass.masses.round(3)
    array([0.651, 0.209, 0.14 ])
    """

    _shown = ("mass", "base_rate")

    __slots__ = ("base_rate", "mass")

    mass: MassFunction
    base_rate: NDArray[Any]

    def __init__(self, mass: MassFunction, base_rate: Numbers | None = None) -> None:
        refuse_subnormal("an opinion", check_mass(mass, "mass"))
        size = len(mass.frame)
        if base_rate is None:
            base_rate = [Fraction(1, size) if any_exact([mass]) else 1 / size] * size
        rates = bayesian(mass.frame, base_rate).masses
        shape = (*mass.batch_shape, size)
        if np.broadcast_shapes(rates.shape, shape) != shape:
            raise ValueError(
                f"base rates have shape {rates.shape}, which does not fit opinions of shape {shape}"
            )
        self._keep(mass=mass, base_rate=np.broadcast_to(rates, shape).copy())

    @classmethod
    def from_beliefs(
        cls,
        frame: Frame | Sequence[Hashable],
        beliefs: Numbers,
        uncertainty: Numbers,
        *,
        base_rate: Numbers | None = None,
    ) -> Opinion:
        """Make the opinion (b, u), such as a binomial one ([b, d], u).

        Parameters
        ----------
        frame : Frame, or sequence of labels
            K labels, two or more.
        beliefs : (*batch, K) array
            Mass of each label.
        uncertainty : (*batch) array
            Mass of the frame; beliefs and uncertainty sum to 1.
        base_rate : (*batch, K) array, optional
            As of the class.

        Returns
        -------
        Opinion

        Raises
        ------
        MassError
            If beliefs and uncertainty are not K + 1 numbers that sum to 1.
        ValueError
            If tables have the same rows in different orders.

        Examples
        --------
        >>> Opinion.from_beliefs(["rain", "dry"], [0.4, 0.2], 0.4, base_rate=[0.75, 0.25])
        Opinion on {rain, dry} with base rates 0.75, 0.25
          {rain}       0.4
          {dry}        0.2
          {rain, dry}  0.4
        """
        check_rows(beliefs=beliefs, uncertainty=uncertainty, base_rate=base_rate)
        array = np.atleast_1d(as_array(beliefs, "beliefs"))
        columns = list(np.moveaxis(array, -1, 0))
        masses, _ = side_by_side([*columns, uncertainty])
        size = masses.shape[-1] - 1
        names = as_categories(frame, size, "beliefs", beliefs)
        return cls(
            MassFunction(names, [*(1 << i for i in range(size)), names.full], masses), base_rate
        )

    @classmethod
    def from_evidence(
        cls,
        counts: ArrayLike | Mapping[Any, ArrayLike],
        frame: Frame | Sequence[Hashable] | None = None,
        *,
        strength: float = 2,
        base_rate: Numbers | None = None,
    ) -> Opinion:
        """Make the opinion of Dirichlet evidence, such as counts of observations.

        Parameters
        ----------
        counts : (*batch, K) array
            Evidence r of each label; it may be non-integer.
        frame : Frame, or sequence of labels, optional
            By default the names of the counts, or 0, ..., K - 1; see `multinomial`.
        strength : float
            Weight W of the prior; 2 in subjective logic.
        base_rate : (*batch, K) array, optional
            As of the class. The Dirichlet distribution has the parameters r + W a.

        Returns
        -------
        Opinion
            Of beliefs r / (W + sum r): those of `multinomial` with the model `"idm"`.

        Raises
        ------
        ValueError, TypeError
            As `multinomial`.

        Examples
        --------
        >>> Opinion.from_evidence([5, 3]).mass.masses, Opinion.from_evidence([5, 3]).probability()
        (array([0.5, 0.3, 0.2]), array([0.6, 0.4]))
        """
        check_rows(counts=counts, base_rate=base_rate)
        return cls(multinomial(counts, frame, "idm", strength=strength), base_rate)

    def __repr__(self) -> str:
        rates = brief(self.base_rate)
        title, *lines = repr(self.mass).split("\n")
        return "\n".join(
            [title.replace("MassFunction", "Opinion", 1) + f" with base rates {rates}", *lines]
        )

    def __getitem__(self, index: Any) -> Opinion:
        return Opinion(self.mass[index], self.base_rate[index])

    @property
    def uncertainty(self) -> Any:
        """Mass of the frame, a number or an array of the batch shape."""
        return self.mass.mass(mask=self.mass.frame.full)

    def evidence(self, *, strength: float = 2) -> NDArray[Any]:
        """Compute the Dirichlet evidence r = W b / u of each label.

        Parameters
        ----------
        strength : float
            Weight W of the prior.

        Returns
        -------
        (*batch, K) array

        Raises
        ------
        ValueError
            If the strength is not a positive finite number.
        MassError
            If the uncertainty is 0, which needs infinite evidence, or other sets than single
            labels and the frame have mass.

        Examples
        --------
        >>> Opinion.from_beliefs(["rain", "dry"], [0.5, 0.25], 0.25).evidence()
        array([4., 2.])
        """
        beliefs = np.moveaxis(_beliefs(self), 0, -1)
        unsure = np.asarray(self.uncertainty)[..., np.newaxis]
        if not np.asarray(unsure != 0, dtype=bool).all():
            raise MassError(
                "the uncertainty is 0, which only infinite evidence gives; discount the opinion"
            )
        weight = as_strength(strength, exact=beliefs.dtype == object)
        return np.asarray(weight * beliefs / unsure)

    def probability(self) -> NDArray[Any]:
        """Compute the projected probability, in which base rates share the mass of each set.

        Returns
        -------
        (*batch, K) array
            b(x) + a(x) u where all sets are single labels or the frame. For equal base rates it is
            the pignistic probability, `betp`.

        Raises
        ------
        MassError
            If a set of several labels has mass, and each of its labels has the base rate 0.

        Examples
        --------
        >>> often = [0.75, 0.25]
        >>> Opinion.from_beliefs(["rain", "dry"], [0.4, 0.2], 0.4, base_rate=often).probability()
        array([0.7, 0.3])
        """
        m = self.mass
        inside = bits.members(m.focal, len(m.frame)).astype(int)  # (K, F)
        rates = self.base_rate[..., np.newaxis] * inside  # (*batch, K, F)
        total = rates.sum(axis=-2, keepdims=True)
        # The only label of a set gets all of its mass, whatever its base rate is.
        alone = inside.sum(axis=0) == 1
        lost = np.asarray(total == 0, dtype=bool) & ~alone
        if (lost[..., 0, :] & np.asarray(m.masses > 0, dtype=bool)).any():
            raise MassError(
                "a set has mass, but each of its labels has the base rate 0; give positive rates"
            )
        shares = np.where(alone, inside, rates / np.where(lost | alone, 1, total))
        return np.asarray((shares * m.masses[..., np.newaxis, :]).sum(axis=-1))

    def discount(self, trust: Numbers | Opinion) -> Opinion:
        """Discount the beliefs by the trust in their source.

        Parameters
        ----------
        trust : number, array, or Opinion
            Probability that the source is right, or an opinion on two labels of which the first
            says so; its projected probability counts.

        Returns
        -------
        Opinion
            With the same base rates.

        Raises
        ------
        MassError
            If the trust does not lie between 0 and 1.
        ValueError
            If an opinion about trust has not two labels.

        Examples
        --------
        >>> trust = Opinion.from_beliefs(["right", "wrong"], [0.5, 0.25], 0.25)
        >>> Opinion.from_beliefs(["rain", "dry"], [0.8, 0.0], 0.2).discount(trust).uncertainty
        0.5
        """
        if isinstance(trust, Opinion):
            if len(trust.mass.frame) != 2:
                raise ValueError(
                    f"trust is an opinion on {trust.mass.frame!r}; give one on two labels, the "
                    "first of which is that the source is right"
                )
            trust = trust.probability()[..., 0]
        return Opinion(discount(self.mass, reliability=trust), self.base_rate)

    def fuse(self, *more: Opinion, rule: Fusion = "cumulative") -> Opinion:
        """Fuse several opinions into one by a rule of subjective logic.

        Parameters
        ----------
        *more : Opinion
            On the same frame; batches broadcast.
        rule : str
            - `"cumulative"`: evidence adds up, of independent sources (aleatory CBF);
            - `"averaging"`: the mean of the evidence, of sources that saw the same (ABF);
            - `"weighted"`: the mean of the evidence, weighted by 1 - uncertainty (WBF);
            - `"compromise"`: what all believe stays, conflicting beliefs go to the union of their
              labels (consensus and compromise, CCF);
            - `"constraint"`: Dempster's rule (BCF).

        Returns
        -------
        Opinion
            `"compromise"` makes a hyper-opinion of three labels or more.

        Raises
        ------
        TypeError
            If a source is not an opinion.
        FrameError
            If the frames differ.
        ValueError
            If the rule is unknown, or batches do not broadcast.
        MassError
            If a source of `"compromise"` has mass on other sets than single labels and the frame.
        TotalConflictError
            If Dempster's rule has no result.
        CostLimitError
            If the compromise would have more than 100,000 sets of labels.

        Notes
        -----
        If sources without uncertainty exist, `"cumulative"`, `"averaging"` and `"weighted"` are
        the mean of these. Base rates are averaged with the weights of the evidence (1 - u) / u
        (`"cumulative"`), of the confidence 1 - u (`"weighted"`, `"constraint"`), or equally
        (Josang 2016, chapter 12).

        Examples
        --------
        >>> first = Opinion.from_beliefs(["rain", "dry"], [0.1, 0.3], 0.6)
        >>> second = Opinion.from_beliefs(["rain", "dry"], [0.4, 0.2], 0.4)
        >>> third = Opinion.from_beliefs(["rain", "dry"], [0.7, 0.1], 0.2)
        >>> for rule in ("averaging", "weighted", "constraint"):
        ...     print(first.fuse(second, third, rule=rule).mass.masses.round(3))
        [0.509 0.164 0.327]
        [0.562 0.146 0.292]
        [0.738 0.184 0.078]
        """
        check_choice("rule", rule, get_args(Fusion))
        for one in more:
            check_instance("more", one, Opinion, "opinions")
            same_frame(self.mass.frame, one.mass.frame)
        sources = (self, *more)
        masses = [one.mass for one in sources]
        batch = batch_of(*masses)
        unsure = np.stack([np.broadcast_to(one.uncertainty, batch) for one in sources])
        if any_exact(masses):  # also where all are 0, an integer
            unsure = unsure.astype(object)
        if rule == "constraint":
            fused = dempster(*masses) if more else self.mass
        elif rule == "compromise":
            fused = _compromise([stretch(_beliefs(one), batch) for one in sources], unsure, self)
        else:
            fused = _averaged(masses, unsure, rule)
        weights = _base_weights(unsure, rule)[..., np.newaxis]
        rates = np.stack(
            [np.broadcast_to(one.base_rate, (*batch, len(fused.frame))) for one in sources]
        )
        return Opinion(fused, (weights * rates).sum(axis=0) / weights.sum(axis=0))


def _beliefs(opinion: Opinion) -> NDArray[Any]:
    """Masses (K, *batch) of the labels; other sets than these and the frame have none."""
    m = opinion.mass
    size = len(m.frame)
    other = (bits.cardinality(m.focal) > 1) & (m.focal != m.frame.full)
    if np.asarray(m.store[other] != 0, dtype=bool).any():
        names = [m.frame.event(int(mask)) for mask in m.focal[other]]
        raise MassError(
            f"the opinion has mass on {names[0]!r}, but only single labels and the frame have "
            "evidence here; fuse hyper-opinions by another rule"
        )
    return np.stack([np.asarray(m.mass(mask=1 << i)) for i in range(size)])


def _averaged(masses: list[MassFunction], unsure: NDArray[Any], rule: str) -> MassFunction:
    """The mean, or the sum, of evidence b / u, turned into masses again.

    With factors c of the sources and their total C (1 for a sum), the evidence E = sum c b / (C u)
    has the masses E / (1 + sum E) and 1 / (1 + sum E); both are sums of the masses of the sources.
    """
    certain = _certain(unsure)
    one = _one(unsure)
    safe = np.where(certain, one, unsure)
    factors = np.full_like(unsure, one)
    if rule == "weighted":
        confident = 1 - unsure
        vacuous = np.asarray(confident.sum(axis=0) == 0, dtype=bool)
        factors = np.where(vacuous, one, confident)
    total = one if rule == "cumulative" else factors.sum(axis=0)
    whole = total + (factors * (1 - safe) / safe).sum(axis=0)
    any_certain = certain.any(axis=0)
    each = np.where(certain, one, 0 * one)
    mean = each / np.maximum(each.sum(axis=0), one)
    weights = np.where(any_certain, mean, factors / safe / whole)
    rest = np.where(any_certain, 0 * one, (total - factors.sum(axis=0)) / whole)
    frame = masses[0].frame
    parts = [(m.focal, m.store, weight) for m, weight in zip(masses, weights, strict=True)]
    top = bits.mask_array([frame.full], len(frame))
    return collect(frame, *parts, (top, rest[np.newaxis]))


def _compromise(beliefs: list[NDArray[Any]], unsure: NDArray[Any], one: Opinion) -> MassFunction:
    """Consensus, and beliefs beyond it that go to unions; van der Heijden et al. 2018, eqs. of CCF.

    Residues of the same label never meet: one source has none.
    """
    frame = one.mass.frame
    n_unions = sum(comb(len(frame), i) for i in range(len(beliefs) + 1))
    advice = "fuse fewer opinions at once, or by another rule"
    check_cost(n_unions, _MOST_UNIONS, "the compromise of opinions", "sets of labels", advice)
    consensus = np.minimum.reduce(beliefs)
    atol = 0 if consensus.dtype == object else ROUNDING
    residues = [np.where(b - consensus > atol, b - consensus, 0 * b) for b in beliefs]
    unions: dict[int, Any] = {0: unsure[0] * 0 + 1}
    for residue in residues:
        joined: dict[int, Any] = {}
        for mask, product in unions.items():
            for i, part in enumerate(residue):
                joined[mask | 1 << i] = joined.get(mask | 1 << i, 0) + product * part
        unions = joined
    for i, residue in enumerate(residues):
        others = np.prod(np.delete(unsure, i, axis=0), axis=0)
        for k, part in enumerate(residue):
            unions[1 << k] = unions.get(1 << k, 0) + part * others
    whole = frame.full
    together = sum(unions.values())
    nothing = np.asarray(together == 0, dtype=bool)
    agreed = consensus.sum(axis=0)
    scale = (1 - agreed - np.prod(unsure, axis=0)) / np.where(nothing, 1, together)
    sets = {mask: scale * value for mask, value in unions.items() if mask != whole}
    for k, part in enumerate(consensus):
        sets[1 << k] = sets.get(1 << k, 0) + part
    sets.pop(whole, None)  # of a frame of one label
    rest = np.asarray(unsure[0] * 0 + 1 - sum(sets.values()))
    sets[whole] = rest if rest.dtype == object else np.maximum(rest, 0)
    focal = bits.mask_array(sets, len(frame))
    return collect(frame, (focal, np.stack([np.asarray(value) for value in sets.values()]))).prune()


def _certain(unsure: NDArray[Any]) -> NDArray[np.bool_]:
    """Which uncertainties are 0, or so small that evidence overflows."""
    return np.asarray(unsure <= (0 if unsure.dtype == object else 1e-300), dtype=bool)


def _one(values: NDArray[Any]) -> NDArray[Any]:
    """1 as a number of that kind."""
    return np.array(Fraction(1) if values.dtype == object else 1.0, dtype=values.dtype)


def _base_weights(unsure: NDArray[Any], rule: str) -> NDArray[Any]:
    """Weights (S, *batch) of the base rates."""
    one = _one(unsure)
    weights = np.full_like(unsure, one)
    if rule in ("cumulative", "weighted", "constraint"):
        weights = 1 - unsure
    if rule == "cumulative":
        certain = _certain(unsure)
        odds = weights / np.where(certain, one, unsure)
        weights = np.where(certain.any(axis=0), np.where(certain, one, 0 * one), odds)
    return np.where(np.asarray(weights.sum(axis=0) == 0, dtype=bool), one, weights)
