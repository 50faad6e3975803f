"""Write docs/calibrator_quality.md and .csv: how far each calibrator is from the truth.

Run ``python -m docs.make_quality``; peers take part if they are installed. Every calibrator
in ``evical.calibrators.__all__`` is found by itself.
"""

import argparse
import csv
import platform
from importlib.metadata import version
from itertools import product
from pathlib import Path

from docs.calibration_peers import installed
from evical.evaluation import Estimate
from evical.studies import Quality, calibrator_contenders, optimum, quality_study

PAGE = Path(__file__).with_name("calibrator_quality.md")
KINDS = ("monotone", "nonmonotone", "overconfident")
SIZES = (200, 1000, 10_000)
# Methods of quadratic cost (a fit of 10,000 takes 5 and 14 s) only take part up to these sizes.
LARGEST = {"SBB": 1000, "ABB": 1000}
LOSSES = ("log_loss", "brier", "squared_error", "extreme", "width")

HEAD = """# How far calibrators are from the truth

Written by `docs/make_quality.py`; all numbers are in
[calibrator_quality.csv](calibrator_quality.csv).

    python -m docs.make_quality --draws {draws} --seed {seed} --quantiles {quantiles}

{versions}.

Scores are simulated, so that the true P(y = 1 | s) is known (`evical.datasets.simulated_scores`).
All methods learn from the same {draws} samples of each size. Losses are expectations over
scores and labels, computed over {quantiles} quantiles of the scores, not sampled:

* **log loss**, with probabilities clipped to [1e-6, 1 - 1e-6], as a 0 or 1 would cost infinity;
* **Brier** score, which is its optimum plus E(q - p)^2;
* **E(q - p)^2**, in thousandths: what is lost against knowing the truth;
* **0 or 1**, the share of predictions that are exactly that;
* **width**, the mean of Pl - Bel; 0 for probabilities. Calibrators with belief functions are
  judged by their pignistic probabilities.

`±` is the standard error over the samples. In each table methods stand in the order of
E(q - p)^2; bold are those within two standard errors of the least. Names in parentheses are
options that differ from the defaults; names with a version are other packages. SBB and ABB,
whose cost is quadratic, take part in the largest samples only with `--all`. `--only` runs some
methods again and keeps the other rows; rows of packages that are not installed are kept too.
"""


def main() -> None:
    """Run the study and write the page and the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--draws", type=int, default=10)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--quantiles", type=int, default=20_000)
    parser.add_argument("--all", action="store_true", help="slow methods on large samples too")
    parser.add_argument("--only", nargs="*", help="run methods whose names begin so; keep the rest")
    parser.add_argument("--kinds", nargs="*", default=KINDS, help="run these maps; keep the rest")
    options = parser.parse_args()
    chosen = [*calibrator_contenders(), *installed()]
    known = {contender.name for contender in chosen}
    if options.only is not None:
        chosen = [c for c in chosen if c.name.startswith(tuple(options.only))]
    rows: list[Quality] = []
    for n, kind in product(SIZES, options.kinds):
        able = [c for c in chosen if options.all or n <= LARGEST.get(c.name, n)]
        rows += quality_study(
            able, [kind], [n], options.draws, options.seed, n_quantiles=options.quantiles
        )
        print(f"{kind}, {n} samples: done", flush=True)
    table = PAGE.with_suffix(".csv")
    rows = merged(rows, read_csv(table) if table.exists() else [], known)
    PAGE.write_text(
        page(rows, options.draws, options.seed, options.quantiles), encoding="utf-8", newline="\n"
    )
    write_csv(rows, table)


def merged(new: list[Quality], old: list[Quality], known: set[str]) -> list[Quality]:
    """New rows, and old ones that were not run again: all have the same samples.

    Of methods that are no longer there, only those of other packages are kept.
    """
    done = {(row.kind, row.n, row.contender) for row in new}
    kept = [
        row
        for row in old
        if (row.kind, row.n, row.contender) not in done
        and (row.contender in known or ": " in row.contender)
    ]
    return sorted([*new, *kept], key=lambda row: (row.kind, row.n, row.contender))


def page(rows: list[Quality], draws: int, seed: int, quantiles: int) -> str:
    """The whole page."""
    packages = ", ".join(f"{name} {version(name)}" for name in ("numpy", "scipy", "scikit-learn"))
    versions = f"Python {platform.python_version()}, {packages}"
    parts = [HEAD.format(draws=draws, seed=seed, quantiles=quantiles, versions=versions)]
    for kind in dict.fromkeys(row.kind for row in rows):
        best = optimum(kind, quantiles)
        parts.append(
            f"## {kind.capitalize()} map\n\nThe true probability has log loss "
            f"{best['log_loss']:.4f} and Brier score {best['brier']:.5f}.\n"
        )
        for n in dict.fromkeys(row.n for row in rows):
            parts.append(table([row for row in rows if row.kind == kind and row.n == n]))
    return "\n".join(parts)


def table(rows: list[Quality]) -> str:
    """One kind of scores and one size."""
    ranked = sorted(rows, key=lambda row: row.squared_error.mean)
    least = ranked[0].squared_error
    lines = [
        f"### {ranked[0].n:,} samples",
        "",
        "| method | log loss | Brier | 1000 E(q - p)^2 | 0 or 1 | width |",
        "|---|---|---|---|---|---|",
    ]
    for row in ranked:
        error = row.squared_error
        near = (
            error.mean - least.mean
            <= 2 * (error.standard_error**2 + least.standard_error**2) ** 0.5
        )
        cells = [
            f"**{row.contender}**" if near or row is ranked[0] else row.contender,
            shown(row.log_loss, 4),
            shown(row.brier, 5),
            shown(Estimate(1e3 * error.mean, 1e3 * error.standard_error), 2),
            f"{100 * row.extreme.mean:.1f} %" if row.extreme.mean else "0",
            f"{row.width.mean:.3f}" if row.width.mean > 1e-9 else "0",
        ]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join([*lines, ""])


def shown(value: Estimate, digits: int) -> str:
    """Mean and standard error; one draw has none."""
    if value.standard_error != value.standard_error:
        return f"{value.mean:.{digits}f}"
    return f"{value.mean:.{digits}f} ± {value.standard_error:.{digits}f}"


def write_csv(rows: list[Quality], path: Path) -> None:
    """All numbers, a line for each kind, size and method."""
    names = [f"{loss}{part}" for loss in LOSSES for part in ("", "_error")]
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["kind", "n", "method", *names])
        for row in rows:
            estimates = [getattr(row, loss) for loss in LOSSES]
            numbers = [f"{x:.6g}" for e in estimates for x in (e.mean, e.standard_error)]
            writer.writerow([row.kind, row.n, row.contender, *numbers])


def read_csv(path: Path) -> list[Quality]:
    """Rows that `write_csv` wrote; the time of fitting is not among them."""
    with path.open(encoding="utf-8", newline="") as file:
        return [
            Quality(
                row["method"],
                row["kind"],
                int(row["n"]),
                seconds=float("nan"),
                **{
                    loss: Estimate(float(row[loss]), float(row[f"{loss}_error"])) for loss in LOSSES
                },
            )
            for row in csv.DictReader(file)
        ]


if __name__ == "__main__":
    main()
