"""Plugins that live for one test, and the command line run inside this process."""

from __future__ import annotations

import copy
import json
import logging
import signal
import sys
import textwrap
import tomllib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import EntryPoint, distributions
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from hydra.core.config_store import ConfigStore
from hydra.core.global_hydra import GlobalHydra
from hydra.core.plugins import Plugins
from rich.console import Console

from metricsengine import hookimpl
from metricsengine.host import Host
from metricsengine.run import Run
from metricsengine.settings import Settings

DIARY = Path(__file__).parents[1] / "third_party" / "diary"


class Site:
    """A folder of installed distributions, each with one plugin; first on the path while the test runs."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir()

    def add(
        self,
        name: str,
        source: str = "",
        *,
        distribution: str = "",
        version: str = "1.0",
        files: Mapping[str, str] | None = None,
        module: str = "",
    ) -> None:
        """Install a plugin: its module's source, further files beside it, its entry point ``name``."""
        module = module or f"twin_{name.replace('-', '_')}"
        package = self.folder / module.partition(":")[0]
        for path, text in {"__init__.py": textwrap.dedent(source), **(files or {})}.items():
            (package / path).parent.mkdir(parents=True, exist_ok=True)
            (package / path).write_text(text, encoding="utf-8")
        self.declare(name, module, distribution or f"metricsengine-{name}", version)

    def declare(self, name: str, module: str, distribution: str, version: str) -> None:
        """Only the metadata of a distribution with one entry point."""
        info = self.folder / f"{distribution.replace('-', '_')}-{version}.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {distribution}\nVersion: {version}\n")
        (info / "entry_points.txt").write_text(f"[metricsengine]\n{name} = {module}\n")

    def add_live(self, name: str, **hooks: Any) -> None:
        """Install a plugin that is made of objects of the test: hooks by name, without their prefix.

        A function is the hook itself; anything else is what the hook returns.
        """
        module = ModuleType(f"live_{name}")
        for hook, answer in hooks.items():
            function = answer if callable(answer) else (lambda answer=answer: answer)
            setattr(module, f"metricsengine_{hook}", hookimpl(function))
        sys.modules[module.__name__] = module
        self.declare(name, module.__name__, f"metricsengine-{name}", "1.0")

    def add_diary(self) -> None:
        """Install the stranger's package from its source."""
        project = tomllib.loads((DIARY / "pyproject.toml").read_text(encoding="utf-8"))["project"]
        [(name, module)] = project["entry-points"]["metricsengine"].items()
        self.declare(name, module, project["name"], project["version"])

    def entries(self) -> list[EntryPoint]:
        """The entry points of what is installed here, and of nothing else."""
        return [entry for found in distributions(path=[str(self.folder)]) for entry in found.entry_points]

    def host(self) -> Host:
        """A host that knows the plugins of this folder only."""
        return Host(self.entries())


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Site]:
    """Where a test installs its plugins."""
    made = Site(tmp_path / "site")
    monkeypatch.syspath_prepend(str(DIARY / "src"))
    monkeypatch.syspath_prepend(str(made.folder))
    monkeypatch.setattr(sys, "dont_write_bytecode", True)  # the stranger's source is not ours to litter
    before = set(sys.modules)
    yield made
    for name in set(sys.modules) - before:
        if name.startswith(("twin_", "live_")):
            del sys.modules[name]


@pytest.fixture
def outputs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An outputs folder of the test's own."""
    monkeypatch.setenv("METRICSENGINE_OUTPUTS", str(tmp_path / "outputs"))
    return tmp_path / "outputs"


@pytest.fixture
def quiet() -> Console:
    """A console that shows nothing."""
    return Console(quiet=True)


@pytest.fixture
def make_run(tmp_path: Path, outputs: Path) -> Callable[..., Run]:
    """Makes a run of given settings in a folder of its own."""

    def make(settings: Settings, name: str = "run", **changes: Any) -> Run:
        row = {
            "folder": tmp_path / name,
            "name": name,
            "settings": settings,
            "plain": {"study": {}, "seed": settings.seed},
            "started": datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC),
            "command": "metricsengine study=scripted",
        }
        return Run(**{**row, **changes})

    return make


@dataclass(frozen=True)
class Ended:
    """How a command ended."""

    status: int
    out: str
    err: str

    @property
    def line(self) -> str:
        """The only line of standard error, without the program's name."""
        [line] = self.err.splitlines()
        assert line.startswith("metricsengine: ")
        return line.removeprefix("metricsengine: ")

    def named(self, label: str) -> list[Path]:
        """The paths that standard output names after a label, such as ``Run folder``."""
        lines = [line.removeprefix(f"{label}:").strip() for line in self.out.splitlines() if line.startswith(label)]
        return [Path(line) for line in lines]

    @property
    def folder(self) -> Path:
        """The run folder."""
        [folder] = self.named("Run folder")
        return folder

    @property
    def results(self) -> dict[str, Any]:
        """Content of ``results.json``."""
        content: dict[str, Any] = json.loads((self.folder / "results.json").read_text(encoding="utf-8"))
        return content


@pytest.fixture
def hydra_state() -> Iterator[None]:
    """What Hydra and the command line leave behind in a process is put back."""
    Plugins.instance()  # registers the options of Hydra's own launcher and sweeper, once in a process
    repository, handlers = copy.deepcopy(ConfigStore.instance().repo), logging.root.handlers[:]
    level, signals = logging.root.level, {n: signal.getsignal(n) for n in (signal.SIGTERM, signal.SIGHUP)}
    yield
    ConfigStore.instance().repo = repository
    GlobalHydra.instance().clear()
    for number, before in signals.items():
        signal.signal(number, before)
    for handler in set(logging.root.handlers) - set(handlers):
        handler.close()
    logging.root.handlers[:] = handlers
    logging.root.setLevel(level)


@pytest.fixture
def metricsengine(
    site: Site,
    outputs: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    hydra_state: None,
) -> Callable[..., Ended]:
    """Runs the command line in this process, in an empty folder, with the stranger's package installed."""
    from metricsengine.cli import main

    (tmp_path / "cwd").mkdir()
    monkeypatch.chdir(tmp_path / "cwd")
    monkeypatch.setenv("COLUMNS", "200")
    for name in ("METRICSENGINE_COMMAND", "METRICSENGINE_TRACEBACK", "HYDRA_FULL_ERROR"):
        monkeypatch.setenv(name, "")  # so that what the command sets is taken back
    site.add_diary()

    def run(*words: str) -> Ended:
        capsys.readouterr()
        status = main(words)
        said = capsys.readouterr()
        return Ended(status, said.out, said.err)

    return run


@pytest.fixture
def diary(metricsengine: Callable[..., Ended]) -> Callable[..., Ended]:
    """Runs the stranger's experiment, untracked, with further words."""

    def run(*words: str) -> Ended:
        return metricsengine("experiment=diary", "tracking=none", *words)

    return run


@pytest.fixture
def own_conf(tmp_path: Path) -> Callable[[Mapping[str, str | bytes]], None]:
    """Writes files into the user's own ``conf`` folder."""

    def write(files: Mapping[str, str | bytes]) -> None:
        for path, content in files.items():
            file = tmp_path / "cwd" / "conf" / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(content if isinstance(content, bytes) else content.encode())

    return write
