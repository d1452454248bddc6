"""Handing a command line to Hydra, and turning what comes back into one line and an exit status."""

from __future__ import annotations

import contextlib
import io
import os
import re
import secrets
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import hydra
from hydra._internal.utils import get_args_parser
from hydra.core.override_parser.overrides_parser import OverridesParser
from hydra.core.override_parser.types import ChoiceSweep
from hydra.errors import HydraException, OverrideParseException
from omegaconf import DictConfig, OmegaConf
from omegaconf.errors import OmegaConfBaseException
from rich.console import Console
from yaml import YAMLError

from metricsengine import jobs
from metricsengine.composing import explained, one_line, unexpected
from metricsengine.config import Configuration, application_conf
from metricsengine.errors import ConfigError
from metricsengine.host import Host, installed
from metricsengine.launched import Launch
from metricsengine.multirun.ended import finish, tell
from metricsengine.multirun.going import Multirun
from metricsengine.multirun.resumed import resumed
from metricsengine.multirun.watched import watching
from metricsengine.status import read_status

_PASSWORD = re.compile(r"://[^/@\s:]*:[^/@\s]+@")  # in a web address


def launch(words: Sequence[str], job: Callable[[DictConfig], None] = jobs.job, *, watch: bool = True) -> int:
    """Run the job or the jobs that the words describe.

    Args:
        words: Hydra's flags and overrides.
        job: What is done with each composed configuration.
        watch: Whether the jobs of a sweep are looked at before the first, and looked after when they have run.

    Returns:
        The worst exit status among them.

    Raises:
        ConfigError: The words cannot be composed into a configuration.
    """
    _check_flags(words)
    _refuse_secrets(words)
    words, resume = resumed(words)
    jobs.begun = started = Launch.now(words)
    jobs.resuming = resume
    jobs.finished.clear()
    OmegaConf.register_new_resolver("metricsengine_unique", lambda: secrets.token_hex(2), replace=True, use_cache=True)
    host = installed()
    _tell_problems(host)
    configuration = Configuration(host, _config_dir(words))
    multirun = Multirun(started, resume=resume)
    _refuse_params(words)
    _refuse_null(words, configuration)
    _refuse_several(words, configuration)
    words = [_emptied(word, configuration) for word in words]
    try:
        with _argv(words), _raising(), watching(multirun) if watch else contextlib.nullcontext():
            hydra.main(version_base="1.3", config_path=str(application_conf()), config_name="config")(job)()
    except OverrideParseException as error:
        hint = "a value with other signs is quoted twice, 'KEY=\"VALUE\"'; long texts belong into a file chosen by name"
        raise ConfigError(f"cannot read {error.override!r}: {one_line(error)}; {hint}") from error
    except AssertionError as error:
        raise ConfigError(unexpected(error)) from error
    except UnicodeDecodeError as error:
        raise ConfigError(f"{configuration.undecodable() or 'a file of the configuration'} is not UTF-8") from error
    except (HydraException, OmegaConfBaseException, ValueError) as error:
        raise ConfigError(explained(error, configuration) + host.broken_hint()) from error
    except YAMLError as error:
        raise ConfigError(f"not YAML: {one_line(error)}") from error
    except OSError as error:
        raise ConfigError(f"{error}; choose another folder: hydra.run.dir=DIR, or METRICSENGINE_OUTPUTS") from error
    finally:
        ended = finish(multirun)
        if ended:
            tell(ended, Console())
    return ended.code if ended else _exit_status()


def quoted(text: str) -> str:
    r"""A text as a quoted value of Hydra's override grammar, interpolations disarmed.

    Example:
        >>> quoted("it's ${x}")
        "'it\\'s \\${x}'"
    """
    inert = re.sub(r"(\\*)\$\{", r"\1\1\\${", text)
    # Only backslashes before a quote need doubling, the closing quote included.
    escaped = re.sub(r"(\\*)('|\Z)", lambda found: found[1] * 2 + ("\\'" if found[2] else ""), inert)
    return f"'{escaped}'"


def _exit_status() -> int:
    """The exit status of a single run, its error told."""
    codes = []
    for folder in jobs.finished:
        end, code = read_status(folder)
        codes.append(code)
        if code and end.error:
            sys.stderr.write(f"metricsengine: {end.error}\n")
    return next((code for code in (130, 2, 1) if code in codes), 0)


def _tell_problems(host: Host) -> None:
    for info in host.broken:
        sys.stderr.write(f"metricsengine: {info.origin} was not loaded: {info.error}\n")
    for clash in host.collisions:
        sys.stderr.write(f"metricsengine: {clash}\n")


def _check_flags(words: Sequence[str]) -> None:
    """Hydra's parser prints a page where a line is enough."""
    said = io.StringIO()
    try:
        with contextlib.redirect_stderr(said):
            get_args_parser().parse_args(words)
    except SystemExit as end:
        if not end.code:
            raise
        reason = said.getvalue().strip().rpartition("error: ")[2]
        raise ConfigError(f"{reason}; `metricsengine --hydra-help` lists the flags") from end


def _refuse_secrets(words: Sequence[str]) -> None:
    """What is typed is written into the run's folder and the tracking store."""
    for word in words:
        key, _, value = word.partition("=")
        if _PASSWORD.search(value):
            raise ConfigError(
                f"{key} holds a password, which would be written down with the run's configuration: "
                "leave it out and give it in the environment (README.md says in which variable)"
            )


def _refuse_params(words: Sequence[str]) -> None:
    """Hydra reads them from files, and cannot merge them into nothing."""
    for word in words:
        if f"{word.partition('=')[0].lstrip('+')}.".startswith("hydra.sweeper.params."):
            raise ConfigError(f"{word} belongs into a file: on the command line a sweep is typed as KEY=A,B,C")


def _refuse_null(words: Sequence[str], configuration: Configuration) -> None:
    for word in words:
        group, _, option = word.partition("=")
        if option == "null" and configuration.options(group):
            raise ConfigError(f"{word} chooses nothing: to do without, write ~{group}")


def _refuse_several(words: Sequence[str], configuration: Configuration) -> None:
    """Hydra would merge several options of a group into one, or fail to."""
    for word in words:
        if "=[" not in word and ",[" not in word:
            continue
        try:
            override = OverridesParser.create().parse_override(word)
        except HydraException:
            continue  # which Hydra says better when it comes to this word
        value = override.value()
        for chosen in value.list if isinstance(value, ChoiceSweep) else [value]:
            if isinstance(chosen, list):
                configuration.only_one(override.key_or_group, [str(name) for name in chosen])


def _emptied(word: str, configuration: Configuration) -> str:
    """The word; ``~GROUP`` as Hydra knows it, where several options of the group may be chosen."""
    group = word.removeprefix("~")
    return f"{group}=[]" if word != group and configuration.several(group) else word


def _config_dir(words: Sequence[str]) -> Path | None:
    for i, word in enumerate(words):
        flag, _, value = word.partition("=")
        if flag in ("--config-dir", "-cd"):
            return Path(value or words[i + 1]).absolute() if value or i + 1 < len(words) else None
    return None


@contextlib.contextmanager
def _argv(words: Sequence[str]) -> Iterator[None]:
    """Hydra reads ``sys.argv``."""
    before = sys.argv
    sys.argv = ["metricsengine", *words]
    try:
        yield
    finally:
        sys.argv = before


@contextlib.contextmanager
def _raising() -> Iterator[None]:
    """With HYDRA_FULL_ERROR Hydra raises instead of printing and exiting; the user's own wish is kept."""
    before = os.environ.get("HYDRA_FULL_ERROR")
    os.environ["HYDRA_FULL_ERROR"] = "1"
    try:
        yield
    finally:
        if before is None:
            del os.environ["HYDRA_FULL_ERROR"]
        else:
            os.environ["HYDRA_FULL_ERROR"] = before
