"""What plugins may register, and which kinds they may open."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

import pytest
from omegaconf import II

from metricsengine.errors import PluginError
from metricsengine.kinds import KINDS, Kind, PartSpec, check, check_kind
from metricsengine.sets import SetSpec


class Weather:
    pass


@dataclass
class Rain:
    millimetres: float = 1.0


@dataclass
class Season:
    days: int = II("study.days")


def part(name: str, config: type[Any] = Rain) -> PartSpec:
    return PartSpec(name, config, lambda conf: Weather())  # never built


class TestRegistered:
    @pytest.mark.parametrize("name", ["rain", "Deffuant-Weisbuch", "_x2"])
    def test_a_part_of_a_kind_that_a_plugin_opened(self, name: str) -> None:
        check("weather", part(name))

    def test_options_that_take_their_default_from_the_study(self) -> None:
        check("weather", part("season", Season))

    @pytest.mark.parametrize(
        ("kind", "spec", "message"),
        [
            ("weather", "rain", "registers 'rain' as a weather, which is no PartSpec"),
            ("comparison", part("gap"), "registers PartSpec.* as a comparison, which is no ComparisonSpec"),
            ("weather", part("drizzle.light"), "registers the weather 'drizzle.light': a name begins with a letter .*"),
            ("weather", part(3), "registers the weather 3: a name .*"),  # type: ignore[arg-type]  # a stranger's mistake
            ("weather", part("rain", dict), "the options of its weather 'rain' are no dataclass that Hydra knows: .*"),
            ("sets", SetSpec("probe", Rain), "registers the sets 'probe', which is another key of the configuration"),
            ("sets", SetSpec("class", Rain), "registers the sets 'class': a name .*"),
        ],
    )
    def test_what_is_refused(self, kind: str, spec: Any, message: str) -> None:
        with pytest.raises(PluginError) as error:
            check(kind, spec)
        assert re.fullmatch(message, str(error.value)), str(error.value)


class TestOpened:
    def test_a_kind(self) -> None:
        check_kind(Kind("weather", "metricsengine_weathers", Weather))

    @pytest.mark.parametrize("name", [*KINDS, "protocol", "seed", "probe", "fallback", "records", "card", "experiment"])
    def test_a_key_of_the_configuration_is_none(self, name: str) -> None:
        with pytest.raises(PluginError, match=f"opens the kind '{name}', which is another key of the configuration"):
            check_kind(Kind(name, "metricsengine_weathers", Weather))

    @pytest.mark.parametrize("name", ["two words", "a-b", "a.b", "", "lambda", None])
    def test_a_name_that_cannot_be_typed(self, name: Any) -> None:
        with pytest.raises(PluginError, match=f"opens the kind {re.escape(repr(name))}: a name begins with a letter"):
            check_kind(Kind(name, "metricsengine_weathers", Weather))

    def test_what_is_no_kind(self) -> None:
        with pytest.raises(PluginError, match="opens 'weather', which is no Kind"):
            check_kind("weather")

    def test_a_product_that_is_no_class(self) -> None:
        with pytest.raises(PluginError, match=r"opens the kind 'weather', whose product .* is no class"):
            check_kind(Kind("weather", "metricsengine_weathers", Weather()))  # type: ignore[arg-type]  # a mistake
