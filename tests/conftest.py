"""Fixtures of the whole suite."""

import os
import signal
from pathlib import Path

import pytest

# A shell may start the suite with interrupts ignored, which the processes that tests interrupt would inherit; so does
# nohup for the end of the terminal.
signal.signal(signal.SIGINT, signal.default_int_handler)
signal.signal(signal.SIGHUP, signal.SIG_DFL)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what runs by `pytest -m nightly` only."""
    if "nightly" in config.option.markexpr:
        return
    nightly = [item for item in items if item.get_closest_marker("nightly")]
    items[:] = [item for item in items if item not in nightly]
    config.hook.pytest_deselected(items=nightly)


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """Published figures and real responses that lie beside a development checkout."""
    folder = Path(__file__).resolve().parents[2] / "shared" / "data"
    if not folder.is_dir():
        pytest.skip("the reference data does not lie beside this checkout")
    return folder


@pytest.fixture(scope="session")
def mpnet() -> Path:
    """The paper's encoder, in a folder."""
    return _given("METRICSENGINE_MPNET", "a folder with all-mpnet-base-v2")


@pytest.fixture(scope="session")
def base_gguf() -> Path:
    """A model that is not made for chats, with a beginning-of-text token."""
    return _given("METRICSENGINE_BASE_GGUF", "a GGUF file of Gemma 3 270M")


def _given(variable: str, what: str) -> Path:
    if variable not in os.environ:
        pytest.skip(f"{variable} does not name {what}")
    return Path(os.environ[variable])
