"""Messages and exit statuses."""

from __future__ import annotations

import pytest

from metricsengine.errors import ConfigError, MetricsEngineError, ModelError, PluginError, RecordsError, unknown


@pytest.mark.parametrize(
    ("error", "status"),
    [(MetricsEngineError, 1), (ModelError, 1), (ConfigError, 2), (RecordsError, 2), (PluginError, 2)],
)
def test_exit_status(error: type[MetricsEngineError], status: int) -> None:
    assert error("why").exit_status == status


@pytest.mark.parametrize(
    ("name", "known", "message"),
    [
        (
            "exageration",
            ["individuation", "exaggeration"],
            "did you mean 'exaggeration'? Known: exaggeration, individuation",
        ),
        ("xyz", ["b", "a"], "Known: a, b"),
        ("xyz", [], "Known: none"),
    ],
)
def test_unknown_names(name: str, known: list[str], message: str) -> None:
    said = unknown("metric", name, known)
    assert said.startswith(f"unknown metric {name!r}")
    assert said.endswith(message)
