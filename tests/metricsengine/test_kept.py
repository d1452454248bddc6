"""Weights that stay loaded: for the next job with the same options and weights, and for no other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from metricsengine import kept
from metricsengine.encoder import Encoded, Encoder
from metricsengine.model import Batch, Capabilities, ModelAdapter, ModelIdentity, Request


@dataclass
class Conf:
    path: str = "weights"
    threads: int = 1


@dataclass
class OtherConf(Conf):
    pass


class Adapter(ModelAdapter):
    def __init__(self, weights: str = "w", *, lasting: bool = True) -> None:
        self.lasting = lasting
        self._weights = weights
        self.closed = 0

    @property
    def identity(self) -> ModelIdentity:
        return ModelIdentity("scripted", "scripted", self._weights, 1)

    @property
    def capabilities(self) -> Capabilities:
        return Capabilities()

    def render(self, request: Request) -> str:
        return str(request.prompt)

    def answer(self, requests: Sequence[Request]) -> Iterator[Batch]:
        yield from ()

    def close(self) -> None:
        self.closed += 1


class Vectors(Encoder):
    def __init__(self, fingerprint: str = "f", *, lasting: bool = True) -> None:
        self.lasting = lasting
        self._fingerprint = fingerprint

    @property
    def name(self) -> str:
        return "vectors"

    @property
    def fingerprint(self) -> str:
        return self._fingerprint

    def encode(self, texts: Sequence[str]) -> Encoded:
        return Encoded(np.zeros((len(texts), 2), np.float32), np.zeros(len(texts), np.bool_))


@pytest.fixture(autouse=True)
def nothing_kept() -> Iterator[None]:
    kept.release()
    yield
    kept.release()


def job(fresh: ModelAdapter, options: Any) -> ModelAdapter:
    """What one job gets, up to its end."""
    with ExitStack() as resources:
        return kept.adapter(fresh, options, resources)


def test_the_next_job_goes_on_with_the_same_adapter() -> None:
    first = Adapter()
    assert job(first, Conf()) is first
    assert job(Adapter(), Conf()) is first
    assert first.closed == 0


@pytest.mark.parametrize(
    ("fresh", "options"),
    [(Adapter(), Conf(threads=2)), (Adapter(), OtherConf()), (Adapter("changed on disk"), Conf())],
    ids=["other options", "options of another kind", "other weights"],
)
def test_one_that_differs_replaces_it(fresh: Adapter, options: Conf) -> None:
    first = Adapter()
    job(first, Conf())
    assert job(fresh, options) is fresh
    assert first.closed == 1
    assert job(Adapter(), Conf()) is not first


def test_one_that_does_not_last_ends_with_its_job() -> None:
    first = Adapter(lasting=False)
    assert job(first, Conf()) is first
    assert first.closed == 1
    second = Adapter(lasting=False)
    assert job(second, Conf()) is second


def test_all_is_let_go_of_at_once() -> None:
    first = Adapter()
    job(first, Conf())
    kept.release()
    kept.release()
    assert first.closed == 1
    assert job(Adapter(), Conf()) is not first


def test_encoders_are_kept_by_options_and_fingerprint() -> None:
    first = Vectors()
    assert kept.encoder(first, Conf()) is first
    assert kept.encoder(Vectors(), Conf()) is first
    assert kept.encoder(Vectors("g"), Conf()) is not first
    passing = Vectors("g", lasting=False)
    assert kept.encoder(passing, Conf()) is passing


@pytest.mark.slow
def test_a_sweep_loads_the_weights_once_and_finds_the_same(metricsengine: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    from metricsengine.results import Results
    from metricsengine_llamacpp import native

    loads: list[str] = []
    load = native.load
    monkeypatch.setattr(
        native, "load", lambda *given: (loads.append(given[0].name) if given[1:] else None, load(*given))[1]
    )
    words = ["experiment=opinion_quick", "tracking=none", "study.runs=1", "study.steps=1", "study.n_agents=2"]
    sweep = metricsengine("-m", *words, "seed=1,2,3")
    assert sweep.status == 0, sweep.err
    assert len(loads) == 1
    [folder] = sweep.named("Sweep folder")
    kept.release()
    monkeypatch.setenv("METRICSENGINE_OUTPUTS", str(folder.parents[3] / "fresh"))
    alone = metricsengine(*words, "seed=3")
    assert len(loads) == 2
    assert Results.load(folder / "2").estimates == Results.load(alone.folder).estimates
