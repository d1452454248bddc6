"""Fixtures of the whole suite."""

from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """Published figures and real responses that lie beside a development checkout."""
    folder = Path(__file__).resolve().parents[2] / "shared" / "data"
    if not folder.is_dir():
        pytest.skip("the reference data does not lie beside this checkout")
    return folder
