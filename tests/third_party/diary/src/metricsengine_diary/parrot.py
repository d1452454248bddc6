"""A model adapter: repeats the last words of the prompt, as often as its replicate says."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from metricsengine.model import Batch, Capabilities, ModelAdapter, ModelIdentity, ModelSpec, Outcome, Request, Response


@dataclass
class ParrotConf:
    words: int = 3


class Parrot(ModelAdapter):
    def __init__(self, conf: ParrotConf) -> None:
        self._words = conf.words

    @property
    def identity(self) -> ModelIdentity:
        return ModelIdentity("parrot", "Parrot", weights=f"words={self._words}", format=1)

    @property
    def capabilities(self) -> Capabilities:
        return Capabilities(plain=True, exact_replay=True)

    def render(self, request: Request) -> str:
        return str(request.prompt)

    def answer(self, requests: Sequence[Request]) -> Iterator[Batch]:
        for i, request in enumerate(requests):
            said = self.render(request).split()[-self._words :]
            yield [(i, Response(Outcome.ANSWERED, " ".join(said * (request.replicate + 1)), finish_reason="stop"))]


PARROT = ModelSpec("parrot", ParrotConf, Parrot, doc="repeats the end of the prompt")
