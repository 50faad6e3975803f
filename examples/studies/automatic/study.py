"""`AutoCalibrator` against every other calibrator on every scale, on twenty simulated maps."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial

import numpy as np

from evical.datasets import Dataset
from examples.studies._beside import read_prose
from examples.studies._study import Record, Study, repeat_rng
from examples.studies.automatic._page import ratios_text
from examples.studies.automatic.maps import MAPS
from examples.studies.parts.quiet import fit_quietly
from examples.studies.quality.contenders import Contender, calibrator_contenders
from examples.studies.quality.peers import installed
from examples.studies.quality.study import expected_losses

__all__ = ["AUTOMATIC_CALIBRATION", "AutomaticCondition", "methods"]

SIZES = (20, 50, 200, 1000, 10_000, 100_000, 1_000_000)
_FEWER = {100_000: 2, 1_000_000: 1}  # draws of the largest samples, which vary least
# The scale of log-odds: margins are log-odds already.
_SCALES: dict[str, dict[bool, str | None]] = {
    "log-odds": {True: "logit", False: None},
    "ranks": {True: "rank", False: "rank"},
}
_ONE_SCALE = ("Auto", "Isotonic", "ENIR", "VennAbers")  # tries all itself, or uses the order alone
_NO_LOG_ODDS = ("Beta", "AssignmentValue")
_SLOW = ("SBB", "ABB", "ELiTE", "Beta", "KDE (model=likelihood)")
# Samples with which slow methods take part.
_LARGEST = {"DPM": 200, "ENIR": 100_000, "splinecalib": 10_000} | dict.fromkeys(_SLOW, 1000)
_LEFT_OUT = (
    "netcal"  # its BBQ and ENIR are of this package too, and its ENIR fails for rare classes
)


def methods(bounded: bool, n: int) -> tuple[Contender, ...]:
    """Every calibrator on every scale, and those of other packages where scores allow them.

    Parameters
    ----------
    bounded : bool
        Whether scores lie in [0, 1].
    n : int
        Size of the samples; slow methods sit out the largest.

    Returns
    -------
    tuple of Contender

    Examples
    --------
    >>> [one.name for one in methods(False, 50) if one.name.startswith("Spline")]
    ['Spline', 'Spline, log-odds', 'Spline, ranks']
    """
    found = []
    for one in calibrator_contenders():
        name = one.name.split(" ")[0]
        if "transform" in one.name or _sits_out(one.name, n):
            continue
        found.append(one)
        for scale, transforms in _SCALES.items():
            if name not in _ONE_SCALE and (scale == "ranks" or name not in _NO_LOG_ODDS):
                make = partial(one.make, transform=transforms[bounded])
                found.append(Contender(f"{one.name}, {scale}", make))
    peers = [one for one in installed() if not one.name.startswith(_LEFT_OUT)]
    peers = [one for one in peers if not _sits_out(one.name, n)]
    return (*found, *(peers if bounded else ()))


def _sits_out(method: str, n: int) -> bool:
    """Whether a method is too slow for samples of size n."""
    return n > _LARGEST.get(method, _LARGEST.get(method.split(" ")[0], n))


@dataclass(frozen=True)
class AutomaticCondition:
    """All methods on samples of one map and one size.

    Parameters
    ----------
    map_name : str
        In `MAPS`.
    n : int
        Size of the samples.
    contenders : tuple of Contender
    n_quantiles : int
        Nodes of the quadrature over scores.
    draws : int, optional
        Repeats from this number on measure nothing.
    """

    map_name: str
    n: int
    contenders: tuple[Contender, ...]
    n_quantiles: int = 4000
    draws: int | None = None

    @property
    def key(self) -> str:
        return "-".join([*re.findall(r"\w+", self.map_name), str(self.n)]).lower()

    @property
    def datasets(self) -> tuple[str, ...]:
        return ()

    def run_repeat(self, data: Mapping[str, Dataset], number: int, seed: int) -> list[Record]:
        names = [(self.map_name, str(self.n), one.name) for one in self.contenders]
        if self.draws is not None and number >= self.draws:
            return [(labels, (np.nan, np.nan)) for labels in names]
        simulated = MAPS[self.map_name]
        sample = simulated.draw(self.n, repeat_rng(self.key, number, seed))
        at = simulated.quantiles(self.n_quantiles)
        p = np.asarray(simulated.probability(at))
        least = expected_losses(p, p)["log_loss"]
        rows: list[Record] = []
        for labels, one in zip(names, self.contenders, strict=True):
            calibrator = one.make()
            fit_quietly(calibrator, *sample)  # few samples may point the wrong way
            losses = expected_losses(one.predictions(calibrator, at), p)
            rows.append((labels, (losses["log_loss"] - least, losses["squared_error"])))
        return rows


_PROSE = read_prose(__file__)

AUTOMATIC_CALIBRATION = Study(
    name="automatic_calibration",
    title="How near AutoCalibrator comes to the best method",
    source="A study of this package, on simulated scores whose probability is known",
    labels=("map", "n", "method"),
    measures=("log_loss", "brier"),
    conditions=tuple(
        AutomaticCondition(name, n, methods(one.bounded, n), draws=_FEWER.get(n))
        for name, one in MAPS.items()
        for n in SIZES
    ),
    repeats=10,
    protocol=_PROSE.protocol,
    comment=_PROSE.comment,
    quick=("sigmoid-50", "calibrated-50"),
    extra=ratios_text,
)
"""The default calibrator beside the best of all methods, on maps of many forms."""
