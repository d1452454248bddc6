"""``metricsengine doctor``: what works here, what does not, and how to fix it."""

from __future__ import annotations

import os
import platform
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from metricsengine import __version__
from metricsengine.config import Configuration, application_conf, outputs_folder
from metricsengine.host import Host


@dataclass(frozen=True)
class Check:
    """One finding.

    Attributes:
        name: What was looked at.
        ok: Whether it works.
        message: What was found.
        remedy: What to do about it; empty where all is well.
    """

    name: str
    ok: bool
    message: str
    remedy: str = ""


def checked(name: str, look: Callable[[], str], remedy: str) -> Check:
    """A check that works where ``look`` returns a finding, and does not where it raises."""
    try:
        return Check(name, ok=True, message=look())
    except Exception as error:  # noqa: BLE001 - whatever is wrong is the finding
        return Check(name, ok=False, message=f"{type(error).__name__}: {' '.join(str(error).split())}", remedy=remedy)


def doctor() -> int:
    """Print the findings.

    Returns:
        Exit status: 1 where something does not work.
    """
    host = Host()
    checks = [*_own(host), *_plugins(host)]
    for check in checks:
        sys.stdout.write(f"{'ok  ' if check.ok else 'FAIL'} {check.name}: {check.message}\n")
        if not check.ok and check.remedy:
            sys.stdout.write(f"     -> {check.remedy}\n")
    wrong = sum(not check.ok for check in checks)
    sys.stdout.write(f"{len(checks) - wrong} of {len(checks)} checks passed\n")
    return 1 if wrong else 0


def _own(host: Host) -> Iterator[Check]:
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    yield Check("metricsengine", True, f"{__version__}, Python {platform.python_version()}, {cores} cores")
    yield checked("configuration", lambda: _configuration(host), "rename one of the two, or uninstall the plugin")
    yield checked("outputs", _outputs, "set METRICSENGINE_OUTPUTS to a folder that can be written")
    yield checked("response store", _store, "move the file away; a new one is made")


def _configuration(host: Host) -> str:
    sets = Configuration(host).sets
    return f"{application_conf()}, " + ", ".join(f"{len(files)} {group} sets" for group, files in sets.items())


def _outputs() -> str:
    folder = outputs_folder()
    folder.mkdir(parents=True, exist_ok=True)
    probe = folder / f".probe-{os.getpid()}"
    probe.write_text("")
    probe.unlink()
    return str(folder)


def _store() -> str:
    from metricsengine.preflight import STORE
    from metricsengine.store import ResponseStore

    with ResponseStore(outputs_folder() / STORE) as store:
        figures = store.figures()
    return f"{outputs_folder() / STORE}: {', '.join(f'{key}={value}' for key, value in vars(figures).items())}"


def _plugins(host: Host) -> Iterator[Check]:
    for info in host.plugins:
        if info.error:
            yield Check(info.origin, False, info.error, f"upgrade or uninstall {info.distribution}")
    for clash in host.collisions:
        yield Check("names", False, clash, "uninstall one of the two")
    checks, failures = host.call("metricsengine_checkup")
    yield from (check for found in checks for check in found)
    yield from (Check("checkup", False, failure, "report it to the plugin's author") for failure in failures)
