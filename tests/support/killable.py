"""The command in a process that a test may kill, and a slow model that notes what it was asked.

from killable import SLOW, Place, until

site.add("slow", SLOW)
place = Place(tmp_path, site.folder)
child = place.start("experiment=diary", "model=slow", "probe=none")
until(lambda: len(place.noted("stored")) > 3, child)
child.kill()
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

DIARY = Path(__file__).parents[1] / "third_party" / "diary" / "src"

SLOW = """
import os, time
from dataclasses import dataclass
from metricsengine import hookimpl
from metricsengine.errors import ModelError
from metricsengine.model import Capabilities, ModelAdapter, ModelIdentity, ModelSpec, Outcome, Response

@dataclass
class Conf:
    seconds: float = 0.02
    moody_at: int = -1

class Slow(ModelAdapter):
    identity = ModelIdentity("slow", "Slow", "1", 1)
    capabilities = Capabilities(exact_replay=True)

    def __init__(self, conf):
        self._conf = conf

    def render(self, request):
        return request.prompt

    def answer(self, requests):
        with open(os.environ["SLOW_LOG"], "a", encoding="utf-8", buffering=1) as log:
            for i, request in enumerate(requests):
                if request.seed == self._conf.moody_at:
                    raise ModelError("the model is in a mood")
                name = f"{request.seed} {request.prompt!r} {request.replicate}"
                log.write(f"asked {name} {os.getpid()}\\n")
                time.sleep(self._conf.seconds)
                yield [(i, Response(Outcome.ANSWERED, "well " * (1 + (7 * request.replicate) % 5)))]
                log.write(f"stored {name} {os.getpid()}\\n")

@hookimpl
def metricsengine_models():
    return [ModelSpec("slow", Conf, Slow)]
"""
"""A plugin with a model that takes its time, and will not answer where the seed is ``moody_at``."""


class Place:
    """A folder with outputs of its own, in which the command runs.

    Args:
        folder: The folder, which must exist.
        site: Where the tests' plugins are installed.
    """

    def __init__(self, folder: Path, site: Path) -> None:
        self.folder, self.outputs = folder, folder / "outputs"
        self._log, self._said = folder / "log.txt", folder / "said.txt"
        self._environment = {
            **os.environ,
            "METRICSENGINE_OUTPUTS": str(self.outputs),
            "PYTHONDONTWRITEBYTECODE": "1",
            "PYTHONPATH": os.pathsep.join([str(site), str(DIARY)]),
            "SLOW_LOG": str(self._log),
        }

    def start(self, *words: str, **options: Any) -> subprocess.Popen[str]:
        """Start the command; unless told otherwise it speaks to a file, which workers that outlive it may keep open."""
        command = Path(sys.executable).with_name("metricsengine")
        with self._said.open("w") as said:
            told = {"cwd": self.folder, "env": self._environment, "stdout": said, "stderr": said, **options}
            return subprocess.Popen([command, *words], text=True, **told)

    def said(self) -> str:
        """What the last command said."""
        return self._said.read_text(encoding="utf-8")

    def noted(self, kind: str) -> list[tuple[str, int]]:
        """The requests that were ``asked``, or ``stored``, each with the process that did it."""
        text = self._log.read_text(encoding="utf-8") if self._log.exists() else ""
        rows = [line.partition(" ")[2].rpartition(" ") for line in text.splitlines() if line.startswith(f"{kind} ")]
        return [(name, int(process)) for name, _, process in rows]

    def names(self, kind: str) -> list[str]:
        """The requests alone."""
        return [name for name, _ in self.noted(kind)]


def until(holds: Callable[[], bool], child: subprocess.Popen[str], seconds: float = 120) -> None:
    """Wait until something holds, or the process has ended."""
    deadline = time.monotonic() + seconds
    while not holds() and child.poll() is None and time.monotonic() < deadline:
        time.sleep(0.01)
