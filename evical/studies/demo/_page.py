"""The demo's page: what it comes to, the table, the pictures, and how it was done."""

from evical._versions import all_versions
from evical.report.page import Page, Picture, Section
from evical.studies.demo._findings import findings
from evical.studies.demo._tables import differences_table, results_table
from evical.studies.parts.description import describe
from evical.studies.parts.runner import Results

__all__ = ["demo_page"]

_SOURCE = (
    "The protocol is scenario (c) of Xu, Davoine, Zha & Denœux (2016), Evidential calibration "
    "of binary SVM classifiers, International Journal of Approximate Reasoning 72, 55-70, "
    "section 5.2, on other data and in small."
)


def demo_page(results: Results, pictures: list[Picture], command: str) -> Page:
    """The page of a demo run.

    Parameters
    ----------
    results : Results
    pictures : list of Picture
    command : str
        That makes this page again.

    Returns
    -------
    Page
    """
    protocol, dataset = results.protocol, results.dataset
    return Page(
        title=f"{protocol.name}, combined: {dataset.name}",
        lead=(_summary(results), *findings(results)),
        sections=(
            Section(
                "Results",
                tables=(results_table(results), differences_table(results)),
            ),
            Section("Pictures", pictures=tuple(pictures)),
            Section("Protocol", (_SOURCE,), items=tuple(describe(protocol, dataset))),
            Section(
                "Made by",
                (
                    f"Seed {protocol.seed}; {all_versions()}. "
                    "The same command gives the same numbers:",
                ),
                code=command,
            ),
        ),
    )


def _summary(results: Results) -> str:
    protocol = results.protocol
    return (
        f"{len(protocol.shares)} classifiers were trained on very unequal shares of "
        f"{results.dataset.name}, each was calibrated into beliefs about the class, and the "
        f"beliefs were combined in {len(protocol.methods)} ways, on {len(results.repeats)} random "
        f"split{'s' if len(results.repeats) > 1 else ''}."
    )
