"""The command line: the first word may be a command; everything else is Hydra's."""

from __future__ import annotations

import os
import shlex
import sys
from collections import deque
from collections.abc import Callable, Sequence
from pathlib import Path

from metricsengine import __version__
from metricsengine.errors import ConfigError, MetricsEngineError, unknown
from metricsengine.inert import visible
from metricsengine.interrupts import raised
from metricsengine.run import INTERRUPTED
from metricsengine.streams import lost, unread_is_dropped

HELP = """\
metricsengine measures how faithfully a language model simulates people.

  metricsengine [overrides]              run one job; no arguments = the embedded quick start
  metricsengine -m [overrides]           sweep: KEY=A,B,C runs one job for each value
  metricsengine plan [-m] [overrides]    what it would ask and leave undefined: calls, tokens, hours, cost; --json
  metricsengine resume SWEEP_DIR         run what is missing or failed of a sweep (or: the same command, resume=true)
  metricsengine score FILE [overrides]   score recorded responses (CSV, JSONL, Parquet), no model
  metricsengine rerun RUN_DIR            the same estimates from the run folder and the store, or what changed
  metricsengine report RUN_OR_SWEEP_DIR  rebuild report.html and figures; --against OTHER_DIR, --figures png,pdf
  metricsengine plugins [--json]         what is installed
  metricsengine doctor                   what works here, what does not, how to fix it
  metricsengine ui [--host H] [--port P] browse the tracked runs

Overrides are KEY=VALUE, for example:
  experiment=NAME   a ready design (caricature, caricature_quick, twitter, ...)
  model=NAME        smollm2, llamacpp model.path=FILE.gguf, ...
  persona=NAME topic=NAME context=NAME    named sets; [A,B] takes several
  study.n=100 study.temperature=0.7 seed=1 protocol=paper|released encoder=NAME tracking=mlflow|none
  hydra.run.dir=DIR hydra.sweep.dir=DIR   where files are written

`metricsengine --cfg job [overrides]` prints the composed configuration; `metricsengine --info searchpath` where it
is looked for; `metricsengine --hydra-help` Hydra's own flags. Own sets, presets and experiments lie in ./conf or in a
folder named by --config-dir.
"""

_INFO_FLAGS = {"--info", "-i"}
_VALUE_FLAGS = {"--config-dir", "-cd", "--config-name", "-cn", "--config-path", "-cp", "--package", "-p", "--cfg", "-c"}


def main(arguments: Sequence[str] | None = None) -> int:
    """Entry point.

    Returns:
        Exit status: 0 done, 1 something failed, 2 usage or configuration, 130 interrupted.
    """
    words = list(sys.argv[1:] if arguments is None else arguments)
    unread_is_dropped()
    os.environ["METRICSENGINE_COMMAND"] = shlex.join(["metricsengine", *words])
    if os.environ.get("HYDRA_FULL_ERROR") == "1":
        os.environ["METRICSENGINE_TRACEBACK"] = "1"
    raised()
    code = _status(words)
    sys.stdout.flush()
    if lost:
        _say(f"not all of the output could be written: {lost[0].strerror}")
    return code or int(bool(lost))


def _status(words: list[str]) -> int:
    """Run the command; its exit status, whatever ended it told in one line."""
    try:
        return _dispatch(words)
    except KeyboardInterrupt as interrupt:
        _say(str(interrupt) or INTERRUPTED)
        return 130
    except MetricsEngineError as error:
        if os.environ.get("METRICSENGINE_TRACEBACK") == "1":
            raise
        _say(str(error))
        return error.exit_status


def _dispatch(words: list[str]) -> int:
    commands: dict[str, Callable[[list[str]], int]] = {
        "plan": _plan,
        "score": _score,
        "plugins": _plugins,
        "doctor": _doctor,
        "report": _report,
        "rerun": _rerun,
        "resume": _resume,
        "ui": _ui,
    }
    first = words[0] if words else ""
    if first in ("-h", "--help", "help"):
        sys.stdout.write(HELP)
        return 0
    if first in ("-V", "--version"):
        sys.stdout.write(f"metricsengine {__version__}\n")
        return 0
    if first in commands:
        return commands[first](words[1:])
    if first and "=" not in first and first[0].isalpha():
        raise ConfigError(unknown("command", first, commands))
    return _hydra(words)


def _hydra(words: list[str]) -> int:
    from metricsengine.launch import launch

    return launch(_prepared(words))


def _plan(words: list[str]) -> int:
    from metricsengine.plan import options, plan

    given, rest = options(words)
    return plan(given, _prepared(rest))


def _score(words: list[str]) -> int:
    if not words:
        raise ConfigError("usage: metricsengine score FILE [overrides]")
    from metricsengine.launch import launch, quoted

    file, *rest = words
    if not Path(file).is_file():
        raise ConfigError(f"{file}: no such file; usage: metricsengine score FILE [overrides]")
    ready = ["study=caricature"] if not _names(rest, "study", "experiment") else []
    return launch(_prepared([*ready, "~model", f"records.file={quoted(str(Path(file).absolute()))}", *rest]))


def _plugins(words: list[str]) -> int:
    from metricsengine.inspection import plugins

    return plugins(json="--json" in _only(words, "plugins", "--json"))


def _doctor(words: list[str]) -> int:
    from metricsengine.doctor import doctor

    _only(words, "doctor")
    return doctor()


def _report(words: list[str]) -> int:
    from metricsengine.rebuild import rebuild

    return rebuild(words)


def _resume(words: list[str]) -> int:
    from metricsengine.multirun.resumed import resume

    if len(words) != 1:
        raise ConfigError("usage: metricsengine resume SWEEP_DIR")
    return resume(Path(words[0]))


def _rerun(words: list[str]) -> int:
    from metricsengine.rerun import rerun

    return rerun(words)


def _ui(words: list[str]) -> int:
    from metricsengine.host import Host

    statuses, failures = Host().call("metricsengine_ui", arguments=words)
    if failures or not statuses:
        raise ConfigError("; ".join(failures) or "no plugin has a page to show; install one that tracks runs")
    return int(statuses[0])


def _only(words: list[str], command: str, *allowed: str) -> list[str]:
    strange = [word for word in words if word not in allowed]
    if strange:
        raise ConfigError(
            f"metricsengine {command} does not take {strange[0]!r}; usage: {' '.join([command, *allowed])}"
        )
    return words


def _prepared(words: list[str]) -> list[str]:
    """The words as Hydra wants them. A study that is named starts from its own defaults, not from the quick start."""
    bare = ["experiment=none"] if _names(words, "study") and not _names(words, "experiment") else []
    return _flags_first([*bare, *words])


def _names(words: list[str], *keys: str) -> bool:
    return any(word.partition("=")[0] in keys for word in words)


def _flags_first(words: list[str]) -> list[str]:
    """Hydra's parser wants its flags before the overrides."""
    flags: list[str] = []
    overrides: list[str] = []
    remaining = deque(words)
    while remaining:
        word = remaining.popleft()
        if not word.startswith("-"):
            overrides.append(word)
            continue
        flags.append(word)
        if word in _INFO_FLAGS:
            # The value is optional; without one, Hydra's parser would take the first override for it.
            flags.append(remaining.popleft() if remaining and "=" not in remaining[0] else "all")
        elif word in _VALUE_FLAGS:
            if not remaining:
                raise ConfigError(f"{word} needs a value")
            flags.append(remaining.popleft())
    return flags + overrides


def _say(message: str) -> None:
    sys.stderr.write(f"metricsengine: {visible(' '.join(message.split()))}\n")
