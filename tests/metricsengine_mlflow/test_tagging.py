from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import metricsengine_mlflow as plugin
from metricsengine.estimate import Estimate
from metricsengine.results import Results
from metricsengine.run import Run, RunEnd
from metricsengine.sets import NamedSet, SetFile
from metricsengine.settings import Settings
from metricsengine_mlflow import tagging
from metricsengine_mlflow.config import MlflowConf


def chosen(group: str, name: str) -> NamedSet:
    return NamedSet(SetFile(group, name, Path(f"{name}.toml"), "ab12"), {})


@pytest.fixture
def tagged(make_run: Callable[..., Run]) -> Run:
    settings = Settings(
        study=None, tracking=MlflowConf(), sets={"prompt": [chosen("prompt", "base"), chosen("prompt", "newline")]}
    )
    overrides = ("study.epsilon=0.3", "study.n_agents=20", "+study.job='7'", "~encoder")
    return replace(make_run(), settings=settings, overrides=overrides)


QUERIES = [
    "tags.persona = '2 personas'",
    "tags.topic = '2 topics'",
    "tags.context = 'forum'",
    "tags.protocol = 'paper'",
    "tags.prompt = 'base+newline'",
    "tags.prompt LIKE '%newline%'",
    "tags.epsilon = '0.3'",
    "tags.n_agents = '20'",
    "tags.encoder = 'minilm'",
    "params.`study.n` = '10' AND metrics.`exaggeration/mean` > 0.4",
]


def test_runs_are_found_by_what_was_set_and_by_what_they_simulated(
    client: Any, tagged: Run, results: Results, make_run: Callable[..., Run]
) -> None:
    other = make_run("other", tags={"study": "caricature", "protocol": "corrected"}, parameters={})
    for run, found in ((tagged, results), (other, None)):
        plugin.metricsengine_run_started(run)
        plugin.metricsengine_run_finished(run, RunEnd("finished"), found)
    experiments = [experiment.experiment_id for experiment in client.search_experiments()]
    for query in QUERIES:
        names = [run.info.run_name for run in client.search_runs(experiments, query)]
        assert names == ["caricature 0"], query


def test_a_setting_never_hides_what_the_run_tells_of_itself(tagged: Run) -> None:
    assert tagging.of_settings(tagged) == {
        "epsilon": "0.3", "n_agents": "20", "prompt": "base+newline", "study": "caricature", "protocol": "paper",
    }  # fmt: skip


def test_only_labels_that_hold_throughout_are_tags(results: Results) -> None:
    cells = [Estimate("distance", 0.5, 5, {"agent": agent, "epsilon": "0.3"}) for agent in ("zero", "random")]
    heard = Estimate("distance", 0.25, 5, {"agent": "zero", "epsilon": "0.3", "updates": "heard"})
    odd = Estimate("share", 0.5, 5, {"epsilon": "0.3", "folder": "mine"})
    assert tagging.of_results(replace(results, estimates=[*cells, heard, odd], compost={"topic": "wind"})) == {
        "epsilon": "0.3", "topic": "wind",
    }  # fmt: skip


def test_what_is_set_aside_of_the_simulation_is_no_tag(make_run: Callable[..., Run]) -> None:
    run = replace(
        make_run(), overrides=("objective.labels.agent=zero", "tracking.experiment=x", "resume=true"), tags={}
    )
    assert tagging.of_settings(run) == {}


def test_settings_of_one_last_part_keep_their_whole_keys() -> None:
    assert tagging.by_name({"study.epsilon": "1", "reference.epsilon": "2", "network.p": "3"}) == {
        "study.epsilon": "1", "reference.epsilon": "2", "p": "3",
    }  # fmt: skip


def test_a_sweep_is_found_by_every_value_of_its_jobs() -> None:
    jobs = [{"study": "opinion", "model": model, "persona": ""} for model in ("a", "b", "a")]
    assert tagging.of_jobs(jobs, {"epsilon": ["0.1", "0.3", "0.1"]}) == {
        "study": "opinion", "model": "a, b", "epsilon": "0.1, 0.3", "swept": "epsilon",
    }  # fmt: skip
    assert tagging.of_jobs([{"context": "9 agents, a ring"}, {"context": "forum"}], {}) == {
        "context": "9 agents, a ring; forum"
    }
