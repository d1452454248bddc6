"""What was chosen of the kinds that plugins opened, built for the study and the metrics that take it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from metricsengine.errors import ConfigError, PluginError
from metricsengine.host import Host
from metricsengine.metric import MetricSpec
from metricsengine.settings import Settings
from metricsengine.study import StudySpec


def build_parts(
    host: Host, study: StudySpec, metrics: Iterable[MetricSpec], settings: Settings
) -> dict[str, Mapping[str, Any]]:
    """The products by kind and name, each built once.

    Args:
        host: The loaded plugins.
        study: The study.
        metrics: Its metrics.
        settings: What was chosen.

    Raises:
        ConfigError: Nothing was chosen of a kind that one of them needs.
        PluginError: No plugin opens the kind, or an option builds something else.
    """
    takers = dict.fromkeys(study.parts, f"study {study.name!r}")
    for metric in metrics:
        takers |= {kind: f"metric {metric.name!r}" for kind in metric.parts if kind not in takers}
    return {kind: _build(host, kind, taker, settings) for kind, taker in takers.items()}


def _build(host: Host, kind: str, taker: str, settings: Settings) -> dict[str, Any]:
    if kind not in host.kinds:
        raise PluginError(f"{taker} needs a {kind}, a kind that no plugin opens" + host.broken_hint())
    chosen = settings.parts.get(kind, {})
    if not chosen:
        choice = f"{kind}=[NAME,...]" if host.kinds[kind].several else f"{kind}=NAME"
        known = ", ".join(sorted(host.specs(kind))) or "none"
        raise ConfigError(f"{taker} needs a {kind}: add {choice}. Known: {known}{host.broken_hint()}")
    return {name: _product(host, kind, name, options) for name, options in chosen.items()}


def _product(host: Host, kind: str, name: str, options: Any) -> Any:
    product, wanted = host.spec(kind, name).build(options), host.kinds[kind].product
    if not isinstance(product, wanted):
        raise PluginError(
            f"{host.owner(kind, name).origin} builds {product!r} as the {kind} {name!r}, which is no {wanted.__name__}"
        )
    return product
