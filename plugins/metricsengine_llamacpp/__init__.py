"""Runs GGUF models on this machine with llama.cpp: many samples of a prompt at once, and scores of given options."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from metricsengine import hookimpl
from metricsengine.errors import ModelError
from metricsengine.model import ModelSpec
from metricsengine_llamacpp.config import LlamaCppConf

if TYPE_CHECKING:
    from metricsengine.doctor import Check
    from metricsengine_llamacpp.adapter import LlamaCpp


@hookimpl
def metricsengine_models() -> Sequence[ModelSpec]:
    """The adapter."""
    return [ModelSpec("llamacpp", LlamaCppConf, _build, "a GGUF file, in this process (llama.cpp)")]


@hookimpl
def metricsengine_config() -> Sequence[str]:
    """Presets of the group ``model``."""
    return ["metricsengine_llamacpp.conf"]


@hookimpl
def metricsengine_checkup() -> Iterable[Check]:
    """The library on this machine, and the embedded model."""
    from metricsengine_llamacpp import checkup

    return checkup.checks()


def _build(conf: LlamaCppConf) -> LlamaCpp:
    try:
        import metricsengine_llamacpp.bindings  # noqa: F401 - alone, so that only its failure is caught
    except (ImportError, OSError, RuntimeError) as error:
        raise ModelError(
            f"the llama.cpp library cannot be loaded ({error}): "
            "build it anew with `pip install --force-reinstall --no-cache-dir llama-cpp-python`"
        ) from error
    from metricsengine_llamacpp.adapter import LlamaCpp

    return LlamaCpp(conf)
