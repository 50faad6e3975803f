"""Operations of oracles on Gaussian random fuzzy numbers, which have no finite frame."""

import re
from math import sqrt
from typing import Any

from dstheory.inference import GRFN, product_intersection

PARAMETERS = r"mu=([\d.-]+),sigma=([\d.]+),h=([\d.]+)"


def number(mu: str, sigma: str, h: str) -> GRFN:
    return GRFN(float(mu), float(sigma) ** 2, float(h))


def bounds(oracle: dict[str, Any], *parameters: str) -> dict[str, float]:
    """Bel and Pl of the intervals that the expected values name."""
    fuzzy, values = number(*parameters), {}
    for name in oracle["expected"]:
        kind, low, high = re.fullmatch(r"(Bel|Pl)\[([\d.-]+),([\d.-]+)\]", name).groups()
        values[name] = getattr(fuzzy, kind.lower())(float(low), float(high))
    return values


def combined(oracle: dict[str, Any], first: str, second: str) -> dict[str, float]:
    sources = [number(*text.split(",")) for text in (first, second)]
    values = {"soft conflict": GRFN.conflict(*sources)}
    for kind in ("soft", "hard"):
        fuzzy = product_intersection(*sources, normalization=kind)
        parts = {"mu": fuzzy.mu, "sigma": sqrt(fuzzy.sigma2), "h": fuzzy.h}
        values |= {f"{kind} {name}": float(value) for name, value in parts.items()}
    return values


OPERATIONS = {
    rf"GRFN\({PARAMETERS}\)": bounds,
    r"combination_GRFN\(\((.*?)\),\((.*?)\)\): soft and hard normalisation": combined,
}
