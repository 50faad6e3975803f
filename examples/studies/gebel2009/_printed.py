"""Numbers of Gebel's tables of many classes, as printed.

Tables 6.10 to 6.13 hold some of the lines of tables A.1 to A.4, with the same numbers but three:
table 6.12 has CR .662 and Cal .684 of B3 for the normalized network, and CR .662 for its assignment
values. Source: Gebel (2009), appendix.
"""

from collections.abc import Iterator
from itertools import product

from examples.studies._study import PublishedTable

__all__ = ["NETWORK", "PRINTED", "SETS", "SVM", "TABLES", "printed_numbers"]

SVM, NETWORK = "SVM", "network"

SETS = ("B3", "Balance", "Ecoli", "Glass", "Iris", "Segment", "Vehicle", "Wine", "Zoo")

_LINES = (
    "original",
    "assignment value",
    "asymmetric Laplace",
    "isotonic",
    "logistic",
    "piecewise logistic",
    "Dirichlet geometric",
    "Dirichlet trimmed",
    "Dirichlet product",
)
_DIRECT = ("original", "Dirichlet direct")

# CR and Cal of each data set, a line for each calibration.
_TEXTS = {
    (SVM, "one_vs_rest"): """
.713 .569 .892 .551 .833 .727 .481 .625 .926 .560 .838 .666 .686 .563 .966 .524 .910 .737
.694 .590 .894 .754 .791 .784 .453 .632 .893 .739 .822 .755 .695 .635 .966 .786 .891 .831
.585 .523 .896 .774 .684 .686 .378 .607 .793 .625 .634 .706 .562 .617 .926 .662 .782 .815
.388 .568 .828 .837 .610 .720 .252 .573 .393 .550 .447 .735 .492 .630 .668 .692 .752 .808
.687 .558 .892 .831 .824 .736 .476 .583 .920 .673 .796 .723 .667 .581 .966 .710 .910 .791
.503 .557 .865 .865 .675 .693 .242 .534 .800 .614 .702 .720 .604 .577 .792 .779 .811 .819
.694 .708 .892 .795 .839 .856 .476 .647 .913 .815 .857 .870 .700 .717 .971 .850 .920 .878
.694 .708 .892 .795 .839 .856 .476 .647 .913 .815 .857 .870 .700 .717 .971 .850 .920 .878
.675 .679 .894 .796 .827 .830 .467 .677 .920 .790 .858 .861 .703 .706 .971 .811 .891 .892""",
    (SVM, "all_pairs"): """
.738 .531 .873 .514 .824 .646 .528 .599 .893 .524 .926 .603 .703 .561 .971 .476 .960 .622
.694 .672 .889 .781 .842 .808 .630 .686 .940 .734 .935 .833 .699 .676 .960 .787 .940 .808
.630 .666 .883 .813 .684 .729 .528 .687 .926 .837 .858 .863 .671 .702 .780 .711 .920 .898
.573 .581 .870 .853 .794 .759 .401 .614 .713 .647 .782 .825 .622 .653 .887 .834 .811 .846
.668 .652 .889 .853 .815 .799 .551 .674 .966 .726 .933 .879 .634 .660 .938 .749 .920 .740
.592 .612 .864 .732 .818 .807 .528 .651 .913 .860 .869 .865 .608 .649 .859 .818 .920 .890
.694 .696 .888 .741 .794 .724 .570 .676 .880 .690 .940 .822 .691 .673 .949 .745 .950 .825
.694 .696 .888 .741 .794 .724 .570 .676 .920 .707 .940 .822 .691 .673 .949 .745 .950 .825
.636 .617 .886 .837 .488 .725 .476 .662 .893 .847 .888 .843 .692 .696 .926 .850 .861 .907""",
    (NETWORK, "one_vs_rest"): """
.656 .687 .953 .638 .869 .794 .649 .678 .973 .810 .909 .725 .743 .632 .960 .788 .970 .898
.649 .683 .956 .895 .863 .868 .658 .710 .966 .948 .923 .896 .737 .745 .966 .932 .960 .941
.592 .672 .940 .910 .863 .874 .640 .715 .973 .959 .909 .915 .739 .754 .955 .943 .960 .945
.541 .660 .953 .924 .869 .867 .635 .720 .966 .956 .922 .902 .738 .750 .949 .936 .861 .903
.675 .696 .958 .898 .869 .874 .635 .709 .973 .940 .927 .900 .732 .751 .955 .927 .960 .908
.522 .609 .950 .924 .869 .878 .630 .718 .973 .949 .924 .897 .737 .750 .926 .924 .940 .908
.643 .663 .918 .853 .866 .875 .649 .709 .973 .958 .909 .934 .737 .744 .966 .949 .950 .949
.643 .663 .918 .853 .866 .875 .649 .709 .973 .958 .909 .934 .737 .744 .966 .949 .950 .949
.662 .687 .926 .876 .526 .713 .579 .692 .973 .934 .912 .934 .739 .741 .960 .929 .960 .814""",
    (NETWORK, "all_pairs"): """
.719 .700 .910 .558 .848 .705 .686 .659 .973 .780 .916 .701 .757 .585 .943 .781 .910 .786
.707 .736 .974 .932 .877 .884 .686 .733 .973 .945 .950 .942 .755 .769 .943 .929 .930 .919
.687 .691 .966 .929 .860 .871 .635 .717 .973 .964 .943 .944 .748 .769 .938 .912 .950 .922
.445 .527 .969 .939 .854 .886 .640 .716 .966 .951 .945 .947 .751 .777 .949 .926 .801 .804
.700 .729 .972 .937 .863 .853 .691 .720 .973 .907 .950 .940 .756 .770 .943 .920 .930 .764
.566 .626 .966 .938 .839 .860 .630 .720 .966 .946 .949 .944 .752 .772 .932 .910 .871 .860
.700 .695 .902 .741 .514 .650 .630 .700 .973 .817 .942 .801 .754 .759 .943 .826 .960 .719
.700 .695 .902 .741 .514 .650 .630 .700 .973 .817 .942 .801 .754 .759 .943 .826 .960 .719
.726 .729 .945 .889 .836 .885 .677 .730 .973 .941 .918 .938 .749 .727 .943 .923 .940 .919""",
    (NETWORK, "direct"): """
.700 .727 .982 .893 .860 .845 .598 .680 .966 .881 .654 .758 .695 .708 .887 .760 .950 .868
.700 .719 .982 .748 .854 .814 .574 .661 .966 .836 .637 .754 .679 .702 .893 .845 .950 .908""",
}

TABLES = {
    (SVM, "one_vs_rest"): "6.10 and A.1",
    (SVM, "all_pairs"): "6.11 and A.2",
    (NETWORK, "one_vs_rest"): "6.12 and A.3",
    (NETWORK, "all_pairs"): "6.13 and A.4",
    (NETWORK, "direct"): "6.12 and 6.13",
}
"""Classifier and reduction to the numbers of their tables."""

_MEASURES = {"correctness": "CR", "product": "Cal"}


def printed_numbers(classifier: str, reduction: str, measure: str) -> dict[tuple[str, ...], float]:
    """The numbers of one measure.

    Parameters
    ----------
    classifier, reduction : str
        In `TABLES`.
    measure : {"correctness", "product"}

    Returns
    -------
    dict
        Calibration and data set to the number.
    """
    at = list(_MEASURES).index(measure)
    names = _DIRECT if reduction == "direct" else _LINES
    lines = _TEXTS[classifier, reduction].strip().splitlines()
    return {
        (name, data): float(number)
        for name, line in zip(names, lines, strict=True)
        for data, number in zip(SETS, line.split()[at::2], strict=True)
    }


def _tables() -> Iterator[PublishedTable]:
    sources = {"training": "training scores", "cross_fit": "cross-fitted scores"}
    for (pair, number), (measure, short), (source, words) in product(
        TABLES.items(), _MEASURES.items(), sources.items()
    ):
        classifier, reduction = pair
        yield PublishedTable(
            title=f"Tables {number}: {short}, {classifier}, {reduction}, {words}",
            measure=measure,
            rows=("method",),
            columns=("data",),
            where={"classifier": classifier, "reduction": reduction, "source": source},
            values=printed_numbers(classifier, reduction, measure),
            digits=3,
            repeats=1,
        )


PRINTED = tuple(_tables())
"""Each table beside training scores, and again beside cross-fitted ones."""
