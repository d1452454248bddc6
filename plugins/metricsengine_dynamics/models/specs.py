"""The reference models that the plugin registers."""

from __future__ import annotations

from metricsengine.kinds import PartSpec
from metricsengine_dynamics.models.config import (
    DeffuantWeisbuchConf,
    DeGrootConf,
    FriedkinJohnsenConf,
    HegselmannKrauseConf,
)
from metricsengine_dynamics.models.reference import Reference


def _degroot(conf: DeGrootConf) -> Reference:
    from metricsengine_dynamics.models.degroot import DeGroot

    return DeGroot(**vars(conf))


def _hegselmann_krause(conf: HegselmannKrauseConf) -> Reference:
    from metricsengine_dynamics.models.hegselmann_krause import HegselmannKrause

    return HegselmannKrause(**vars(conf))


def _deffuant_weisbuch(conf: DeffuantWeisbuchConf) -> Reference:
    from metricsengine_dynamics.models.deffuant_weisbuch import DeffuantWeisbuch

    return DeffuantWeisbuch(**vars(conf))


def _friedkin_johnsen(conf: FriedkinJohnsenConf) -> Reference:
    from metricsengine_dynamics.models.friedkin_johnsen import FriedkinJohnsen

    return FriedkinJohnsen(**vars(conf))


REFERENCES = (
    PartSpec("degroot", DeGrootConf, _degroot, "the mean of all neighbours' opinions"),
    PartSpec("hegselmann_krause", HegselmannKrauseConf, _hegselmann_krause, "the mean of neighbours within epsilon"),
    PartSpec("deffuant_weisbuch", DeffuantWeisbuchConf, _deffuant_weisbuch, "pairs within epsilon move together"),
    PartSpec("friedkin_johnsen", FriedkinJohnsenConf, _friedkin_johnsen, "neighbours' mean, tied to the first opinion"),
)
