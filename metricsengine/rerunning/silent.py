"""Plugins and store of a repetition: nothing is asked, and no sink hears of it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

from metricsengine.errors import ModelError
from metricsengine.host import Host
from metricsengine.model import Batch, Capabilities, ModelAdapter, ModelIdentity, Prices, Request, Response
from metricsengine.store import ResponseStore


class SilentModel(ModelAdapter):
    """A model that renders prompts, so that its answers are found in the store, and answers nothing itself.

    Args:
        adapter: The model.
        capabilities: What the run found it able to do; None for what it declares.
    """

    def __init__(self, adapter: ModelAdapter, capabilities: Capabilities | None) -> None:
        self._adapter = adapter
        self._capabilities = capabilities or adapter.capabilities

    @property
    def identity(self) -> ModelIdentity:
        """As the model's."""
        return self._adapter.identity

    @property
    def capabilities(self) -> Capabilities:
        """What the run found, whatever would be found today."""
        return self._capabilities

    @property
    def surroundings(self) -> Mapping[str, str]:
        """As the model's."""
        return self._adapter.surroundings

    @property
    def prices(self) -> Prices | None:
        """As the model's."""
        return self._adapter.prices

    def render(self, request: Request) -> str:
        """As the model renders it."""
        return self._adapter.render(request)

    def answer(self, requests: Sequence[Request]) -> Iterator[Batch]:
        """Answer nothing.

        Raises:
            UnansweredError: Always.
        """
        raise UnansweredError(f"{len(requests)} answers are not in the store")

    def close(self) -> None:
        """Release what the model holds."""
        self._adapter.close()


class UnansweredError(ModelError):
    """A repetition met requests whose answers are not in the store."""


class SilentHost(Host):
    """The plugins of this environment, whose sinks hear nothing.

    Attributes:
        capabilities: What models can do, as a run found it; None for what they declare.
        asking: Whether models answer what is not in the store.
    """

    capabilities: Capabilities | None = None
    asking = False

    def call(self, hook: str, **arguments: Any) -> tuple[list[Any], list[str]]:
        """Call nobody."""
        return [], []

    def spec_of(self, kind: str, config: object) -> Any:
        """As the host's; a model that is built answers nothing."""
        spec = super().spec_of(kind, config)
        if kind != "model" or self.asking:
            return spec
        return replace(spec, build=lambda options: SilentModel(spec.build(options), self.capabilities))


class Archive(ResponseStore):
    """The response store as a run met it: a request that ended in an error did so, and is not asked again.

    Args:
        path: The file.
        errors: Whether errors count as answers.
    """

    def __init__(self, path: Path, *, errors: bool) -> None:
        super().__init__(path)
        self._errors = errors

    def get(self, keys: Iterable[bytes], *, errors: bool = False) -> dict[bytes, Response]:
        """The stored responses among those asked for."""
        return super().get(keys, errors=errors or self._errors)


def found_able(model: Mapping[str, Any] | None) -> Capabilities | None:
    """What a run found its model able to do, as its results tell it; None where no model was asked."""
    told = (model or {}).get("capabilities")
    known = {field.name for field in fields(Capabilities)}
    return Capabilities(**{name: value for name, value in told.items() if name in known}) if told else None
