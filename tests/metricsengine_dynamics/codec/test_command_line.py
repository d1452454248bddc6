"""The codec trials from the command line, with the embedded model."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest


@pytest.mark.slow
def test_the_quick_experiment_runs_with_the_embedded_model(tmp_path: Path) -> None:
    small = ["study.opinions=[-5,5]", "study.encodings=discrete", "study.n=1", "study.max_tokens=16"]
    ended = subprocess.run(
        [sys.executable, "-m", "metricsengine", "experiment=opinion_codec_quick", "tracking=none", *small],
        cwd=tmp_path,
        env=os.environ | {"METRICSENGINE_OUTPUTS": str(tmp_path / "out"), "PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        text=True,
    )
    assert ended.returncode == 0, ended.stderr
    [path] = (tmp_path / "out").rglob("results.json")
    told = json.loads(path.read_text(encoding="utf-8"))
    assert (told["study"], told["counts"]["rows.CodecTrials"], told["failures"]) == ("opinion_codec", 2, [])
    assert {e["metric"] for e in told["estimates"]} == {"codec_error", "codec_error.bias", "codec_error.undecodable"}
    assert (path.parent / "figures" / "codec.svg").is_file()
