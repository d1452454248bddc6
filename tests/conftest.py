"""Fixtures of the whole suite."""

import signal
from pathlib import Path

import pytest

# A shell may start the suite with interrupts ignored, which the processes that tests interrupt would inherit.
signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """Published figures and real responses that lie beside a development checkout."""
    folder = Path(__file__).resolve().parents[2] / "shared" / "data"
    if not folder.is_dir():
        pytest.skip("the reference data does not lie beside this checkout")
    return folder
