"""How far calibrators are from the truth, on simulated scores whose probability is known.

Each contender learns from the same samples. Its losses are expectations over the true distribution
of scores and labels, by quadrature and without a test sample. Chance is left in the draw of the
training samples alone.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np

from dstheory.checks.arguments import as_sequence, check_choice, check_count, check_instance
from evical._typing import Floats
from evical.datasets import Dataset
from evical.datasets.simulated import (
    SIMULATIONS,
    simulated_probability,
    simulated_quantiles,
    simulated_scores,
)
from evical.metrics.inputs import MOST_REPEATS
from examples.studies._beside import read_prose
from examples.studies._study import Overview, Record, Study
from examples.studies.quality.contenders import Contender, calibrator_contenders
from examples.studies.quality.peers import installed

__all__ = ["CALIBRATOR_QUALITY", "QualityCondition", "expected_losses", "optimum", "quality_study"]


CLIP = 1e-6  # the log loss of a probability of 0 would be infinite
KINDS = ("monotone", "nonmonotone", "overconfident")
SIZES = (200, 1000, 10_000)
N_QUANTILES = 20_000
MEASURES = ("log_loss", "brier", "squared_error", "extreme", "width")
# Methods of quadratic cost (a fit of 10,000 takes 5 and 14 s) take part up to these sizes.
LARGEST = {"SBB": 1000, "ABB": 1000}


@dataclass(frozen=True)
class QualityCondition:
    """A contender on one kind of scores, with samples of one size.

    Parameters
    ----------
    contender : Contender
    kind : str
        Of `evical.datasets.simulated_scores`.
    n : int
        Size of the training samples.
    n_quantiles : int
        Nodes of the quadrature over scores.
    """

    contender: Contender
    kind: str
    n: int
    n_quantiles: int = N_QUANTILES

    @property
    def key(self) -> str:
        words = re.findall(r"[\w.]+", self.contender.name)
        return "-".join([self.kind, str(self.n), *words]).lower()

    @property
    def datasets(self) -> tuple[str, ...]:
        return ()

    def run_repeat(self, data: Mapping[str, Dataset], number: int, seed: int) -> list[Record]:
        # The seed of a draw depends on its size alone: all kinds and contenders get the same.
        scores, y, _ = simulated_scores(
            self.kind, self.n, np.random.default_rng([seed, self.n, number])
        )
        calibrator = self.contender.make()
        calibrator.fit(scores, y)
        at = simulated_quantiles(self.kind, self.n_quantiles)
        q = self.contender.predictions(calibrator, at)
        values = expected_losses(q, simulated_probability(self.kind, at)) | {"width": 0.0}
        if hasattr(calibrator, "predict_interval"):
            values["width"] = float(np.diff(calibrator.predict_interval(at)).mean())
        labels = (self.kind, str(self.n), self.contender.name)
        return [(labels, tuple(values[name] for name in MEASURES))]


def expected_losses(q: Floats, p: Floats) -> dict[str, float]:
    """Expectations over scores, and over labels given scores.

    Parameters
    ----------
    q, p : (n,) arrays
        Predicted and true probabilities at quantiles of the scores.

    Returns
    -------
    dict
        ``log_loss``, ``brier``, ``squared_error`` and ``extreme``, as in `quality_study`.

    Examples
    --------
    >>> round(expected_losses(np.array([0.5]), np.array([0.9]))["squared_error"], 2)
    0.16
    """
    clipped = np.clip(q, CLIP, 1 - CLIP)
    log_loss = -(p * np.log(clipped) + (1 - p) * np.log1p(-clipped))
    squared = (q - p) ** 2
    return {
        "log_loss": float(log_loss.mean()),
        "brier": float((squared + p * (1 - p)).mean()),
        "squared_error": float(squared.mean()),
        "extreme": float(((q == 0) | (q == 1)).mean()),
    }


def optimum(kind: str, n_quantiles: int = 20_000) -> dict[str, float]:
    """Expected losses of the true probability: what no calibrator can beat.

    Parameters
    ----------
    kind : str
        Of `evical.datasets.simulated_scores`.
    n_quantiles : int
        Nodes of the quadrature.

    Returns
    -------
    dict
        ``log_loss`` and ``brier``.

    Examples
    --------
    >>> round(optimum("monotone")["brier"], 4)
    0.1799
    """
    p = simulated_probability(kind, simulated_quantiles(kind, n_quantiles))
    losses = expected_losses(p, p)
    return {name: losses[name] for name in ("log_loss", "brier")}


def quality_study(
    contenders: Iterable[Contender] | None = None,
    kinds: Sequence[str] = KINDS,
    sizes: Sequence[int] = SIZES,
    repeats: int = 10,
    n_quantiles: int = N_QUANTILES,
) -> Study:
    """Compare calibrators by their expected losses on scores of known probability.

    Parameters
    ----------
    contenders : iterable of Contender, optional
        By default all calibrators of this package, and those of other packages that are
        installed.
    kinds : sequence of str
        Of `evical.datasets.simulated_scores`.
    sizes : sequence of int
        Sizes of the training samples.
    repeats : int
        Training samples of each kind and size; all contenders get the same.
    n_quantiles : int
        Nodes of the quadrature over scores.

    Returns
    -------
    Study
        Its measures are ``log_loss``, ``brier``, ``squared_error`` E(q - p)^2 between prediction
        and truth, ``extreme``, the share of predictions that are exactly 0 or 1, and ``width``, the
        mean of Pl - Bel.

    Examples
    --------
    >>> from examples.studies import reproduce
    >>> few = [c for c in calibrator_contenders() if c.name == "Logistic"]
    >>> study = quality_study(few, kinds=["monotone"], sizes=[100], n_quantiles=100)
    >>> brier = reproduce(study, repeats=2).values(("monotone", "100", "Logistic"), "brier")
    >>> (brier > optimum("monotone", 100)["brier"]).tolist()
    [True, True]
    """
    chosen = as_sequence(
        [*calibrator_contenders(), *installed()] if contenders is None else contenders,
        "contenders",
        "Contenders",
    )
    for one in chosen:
        check_instance("a contender", one, Contender, "a Contender")
    for kind in as_sequence(kinds, "kinds", f"kinds out of {', '.join(SIMULATIONS)}"):
        check_choice("a kind", kind, SIMULATIONS)
    for n in as_sequence(sizes, "sizes", "numbers of samples"):
        check_count("a size", n, 1, MOST_REPEATS)
    return Study(
        name="calibrator_quality",
        title="How far calibrators are from the truth",
        source="A study of this package, on simulated scores whose probability is known "
        "(`evical.datasets.simulated_scores`)",
        labels=("kind", "n", "method"),
        measures=MEASURES,
        conditions=tuple(
            QualityCondition(one, kind, n, n_quantiles)
            for kind, n, one in product(kinds, sizes, chosen)
            if n <= LARGEST.get(one.name, n)
        ),
        repeats=check_count("repeats", repeats, 1, MOST_REPEATS),
        protocol=read_prose(__file__).protocol,
        overviews=(
            Overview(
                "Methods by their distance from the truth",
                "method",
                {
                    "log_loss": ("log loss", 1, 4),
                    "brier": ("Brier", 1, 5),
                    "squared_error": ("1000 E(q - p)^2", 1000, 2),
                    "extreme": ("0 or 1, %", 100, 1),
                    "width": ("width", 1, 3),
                },
                by=("kind", "n"),
                order="squared_error",
            ),
        ),
        quick=("monotone-200-logistic", "monotone-200-isotonic"),
    )


CALIBRATOR_QUALITY = quality_study()
"""Every calibrator on three kinds of scores, with samples of three sizes."""
