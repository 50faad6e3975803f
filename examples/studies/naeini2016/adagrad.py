"""Naeini's shallow nets after 200 and 1,000 steps of Adagrad, beside nets that are trained on.

Source: Naeini (2016), section 6.1.1.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace

from examples.studies._beside import read_prose
from examples.studies._over_data import Gains, Labels, Ranking
from examples.studies.naeini2016.classes import NAEINI2016_CLASSES, SETS
from examples.studies.parts.classes_validated import ADAGRAD, ClassesValidated
from examples.studies.parts.cross_validated import TRAINING

__all__ = ["NAEINI2016_ADAGRAD"]

_RIVALS = ("isotonic", "Platt", "Softmax")
_NETS = ("SNN", *ADAGRAD)
# What the thesis calls LR may be either.
_FORMS = {"LR": ("LR", "LR, one against rest"), "SVM": ("SVM",), "NB": ("NB",)}


def _of_net(printed: Ranking, net: str) -> Iterator[Ranking]:
    """The printed ranks beside those of one kind of nets."""
    (((classifier, _), lines),) = printed.published.items()
    for i, form in enumerate(_FORMS[classifier]):
        yield replace(
            printed,
            name=f"{printed.name}-{i}-{_NETS.index(net)}",
            title=printed.title.replace("SNN beside", f"{net}, beside"),
            options=(*_RIVALS, net),
            control=net,
            where={"classifier": form},
            published={(form, TRAINING): lines},
        )


def _gains(printed: Gains, least: tuple[str, str, float] | None) -> Gains:
    found: dict[Labels, Mapping[str, tuple[float, float]]] = {
        (form, TRAINING, net): lines
        for (classifier, _, option), lines in printed.published.items()
        if option == "SNN"
        for form in _FORMS[classifier]
        for net in _NETS
    }
    words = "" if least else ", on all data sets"
    title = f"{printed.title}{words}"
    return replace(printed, title=title, options=_NETS, published=found, least=least)


(_GAINED,) = NAEINI2016_CLASSES.gains

TEXT = read_prose(__file__)
NAEINI2016_ADAGRAD = replace(
    NAEINI2016_CLASSES,
    name="naeini2016-adagrad",
    title="Shallow nets of many classes, stopped early",
    conditions=tuple(
        ClassesValidated(name, dataset, form, (*_RIVALS, *_NETS), (TRAINING,), most=1000)
        for name, dataset in SETS.items()
        for forms in _FORMS.values()
        for form in forms
    ),
    comment_repeats=1,
    protocol=TEXT.protocol,
    comment=TEXT.comment,
    rankings=tuple(
        ranking
        for one in NAEINI2016_CLASSES.rankings
        if one.name.startswith("table") and one.least is None
        for net in _NETS
        for ranking in _of_net(one, net)
    ),
    gains=(_gains(_GAINED, _GAINED.least), _gains(_GAINED, None)),
)
