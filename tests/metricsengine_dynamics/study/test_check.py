"""What can be known to be wrong before anything is asked."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pytest
from simulated import Drawn, Known, edges, inputs

from metricsengine.errors import ConfigError, PluginError
from metricsengine.study import StudyInputs
from metricsengine_dynamics.models.hegselmann_krause import HegselmannKrause
from metricsengine_dynamics.networks.graph import Graph
from metricsengine_dynamics.networks.network import Network
from metricsengine_dynamics.study.config import OpinionConf
from metricsengine_dynamics.study.study import OpinionStudy

SIX = edges(6, (0, 1)).graph


@dataclass(frozen=True)
class Colours(HegselmannKrause):
    scalar: bool = False


def check(network: Network | None = None, given: StudyInputs | None = None, **options: object) -> OpinionStudy:
    conf = OpinionConf(**{"n_agents": 6, **options})
    study = OpinionStudy(conf, given or inputs(network))
    study.check()
    return study


class TestNumberOfAgents:
    @pytest.mark.parametrize(
        ("network", "options"),
        [
            (Known(SIX, sized=True), {"n_agents": 6}),
            (Known(SIX, sized=True), {"n_agents": 0}),
            (Drawn(), {"n_agents": 0, "opinions": [0.0] * 6}),
            (Known(SIX, sized=True), {"n_agents": 0, "opinions": [0.0] * 6}),
        ],
    )
    def test_it_is_told_in_any_way(self, network: Network, options: dict[str, object]) -> None:
        assert check(network, **options).labels["n_agents"] == "6"

    @pytest.mark.parametrize(
        ("network", "options", "message"),
        [
            (Drawn(), {"n_agents": 0}, "neither has one"),
            (Known(SIX, sized=True), {"n_agents": 20}, "study.n_agents has 20, the network has 6; study.n_agents=0"),
            (Drawn(), {"opinions": [0.5] * 4}, "study.n_agents has 6, study.opinions has 4"),
            (
                Known(SIX, sized=True),
                {"n_agents": 0, "opinions": [0.5]},
                "the network has 6, study.opinions has 1; give study.opinions 6 numbers, or none",
            ),
            (Known(SIX, sized=True), {"n_agents": 6, "opinions": [0.5]}, "give study.opinions 6 numbers, or none"),
            (Known(SIX), {"n_agents": 7}, "study.n_agents is 7, but the network has 6 agents"),
        ],
    )
    def test_or_the_places_that_disagree_are_named(
        self, network: Network, options: dict[str, object], message: str
    ) -> None:
        with pytest.raises(ConfigError, match=message):
            check(network, **options)


class TestInitialOpinions:
    def test_those_of_the_network(self) -> None:
        study = check(Known(replace(SIX, opinions=np.linspace(-1, 1, 6))))
        assert study._drawn(3).start.tolist() == np.linspace(-1, 1, 6).tolist()

    def test_those_of_the_study_go_before(self) -> None:
        study = check(Known(replace(SIX, opinions=np.zeros(6))), opinions=[0.1, -0.2, 0.3, 1, -1, 0])
        assert study._drawn(0).start.tolist() == [0.1, -0.2, 0.3, 1, -1, 0]

    @pytest.mark.parametrize("wild", [np.full(6, 1.5), np.full(6, np.nan), np.zeros(5)])
    def test_those_of_the_reference_are_in_range(self, wild: np.ndarray) -> None:
        class Wild(HegselmannKrause):
            def initial(self, graph: Graph, rng: np.random.Generator) -> np.ndarray:
                return wild

        with pytest.raises(PluginError, match=r"^reference=hegselmann_krause: initial gives "):
            check(given=inputs(reference=Wild(0.3)))

    @pytest.mark.parametrize(
        ("given", "got"),
        [
            (["a"], r"'a' in it"),
            ("abc", "'abc'"),
            (0.3, "0.3"),
            (None, "None"),
            ([True, None], "True in it"),
            ([0, 1.1], "1.1 in it"),
            ([float("nan")], "nan in it"),
        ],
    )
    def test_what_is_no_list_of_them_is_refused(self, given: object, got: str) -> None:
        with pytest.raises(ConfigError, match=rf"^study\.opinions must be a list of numbers in \[-1, 1\], got {got}$"):
            OpinionConf(opinions=given)

    def test_otherwise_each_run_draws_its_own_over_the_whole_scale(self) -> None:
        study = check(Drawn(), n_agents=500)
        first, second = study._drawn(0).start, study._drawn(1).start
        assert not np.array_equal(first, second)
        assert first.min() < -0.95
        assert first.max() > 0.95
        np.testing.assert_allclose(first.mean(), 0, atol=4 / np.sqrt(3 * 500))


class TestParts:
    def test_a_reference_without_opinions_is_refused(self) -> None:
        with pytest.raises(ConfigError, match="reference=hegselmann_krause has states other than one opinion"):
            check(given=inputs(reference=Colours(0.3)))

    @pytest.mark.parametrize("kind", ["reference", "network"])
    def test_none_was_chosen(self, kind: str) -> None:
        given = inputs()
        parts = {name: chosen for name, chosen in given.parts.items() if name != kind}
        with pytest.raises(ConfigError, match=f"no {kind} was chosen: add {kind}=NAME"):
            check(given=replace(given, parts=parts))

    @pytest.mark.parametrize("group", ["prompt", "debate", "agent_persona"])
    def test_sets_are_needed_where_a_model_is_asked(self, group: str) -> None:
        given = replace(inputs(), sets={name: chosen for name, chosen in inputs().sets.items() if name != group})
        with pytest.raises(ConfigError, match=f"add {group}="):
            check(given=given)
        check(given=replace(given, sets={}), agents=["zero", "random", "rounded"])

    def test_needs_follow_the_agents_and_the_format(self) -> None:
        assert check().needs == {"chat"}
        assert check(format="plain").needs == {"plain"}
        assert check(agents="zero", format="plain").needs == frozenset()

    def test_files_that_are_read(self, tmp_path: Path) -> None:
        study = check(prompts=["base", "newline"])
        assert [path.name for path in study.sources.values()] == ["newline.toml"]
        assert check(agents=["zero"], prompts=["newline"]).sources == {}

    def test_a_graph_that_cannot_be_drawn(self) -> None:
        class Impossible(Drawn):
            def draw(self, n: int, rng: np.random.Generator) -> Graph:
                raise ConfigError(f"network.m must be below {n}")

        with pytest.raises(ConfigError, match=r"network\.m must be below 6"):
            check(Impossible())
