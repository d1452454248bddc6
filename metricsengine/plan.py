"""``metricsengine plan``: what one job, or every job of a sweep, will ask, before anything is asked."""

from __future__ import annotations

import argparse
import json as jsonlib
import shlex
import sys
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from hydra.core.hydra_config import HydraConfig
from omegaconf import DictConfig

from metricsengine.errors import ConfigError, MetricsEngineError
from metricsengine.forecast import CHARACTERS, Forecast, forecast
from metricsengine.model import ModelIdentity, Prices
from metricsengine.sweeping.labels import label_names

USAGE = "metricsengine plan [--json] [--tokens-per-second N] [-m] [overrides]"

_COLUMNS = ("requests", "stored", "calls", "prompt tokens", "reply tokens", "time", "cost")

_NAME, _BETWEEN = 12, 2
"""Width below which no word of a job's name is cut in two, and the space beside the text of a column."""

_REPLACED = ("hydra/launcher", "hydra.launcher", "hydra.run.dir", "hydra.sweep.dir", "hydra.sweep.subdir")


@dataclass(frozen=True)
class Planned:
    """One job of the plan.

    Attributes:
        name: What tells it from the other jobs: its overrides.
        forecast: What it will ask.
        model: Name of its model; empty where nothing is asked.
        speed: Tokens of replies a second; None where nobody has said and no answer of the model is in the store.
        prices: What the model costs, where that is known.
        error: Why it cannot be run; empty where it can.
    """

    name: str
    forecast: Forecast
    model: str = ""
    speed: float | None = None
    prices: Prices | None = None
    error: str = ""

    @property
    def hours(self) -> float | None:
        """How long the replies take, at most."""
        return self.forecast.completion_tokens / self.speed / 3600 if self.speed else None

    @property
    def cost(self) -> float | None:
        """What it costs, at most."""
        if self.prices is None:
            return None
        tokens = self.forecast.prompt_tokens, self.forecast.completion_tokens
        return (tokens[0] * self.prices.prompt + tokens[1] * self.prices.completion) / 1e6

    def to_json(self) -> dict[str, Any]:
        """As ``--json`` prints it."""
        row: dict[str, Any] = {"job": self.name, "model": self.model, **self.forecast.to_json()}
        row |= {"tokens_per_second": self.speed, "hours": self.hours, "cost": self.cost}
        row["currency"] = self.prices.currency if self.prices else None
        return row | ({"error": self.error} if self.error else {})


@dataclass(frozen=True)
class Options:
    """What the command takes beside overrides.

    Attributes:
        json: Whether the plan is printed as JSON.
        speed: Tokens of replies a second; None for what the last answers of the model took.
    """

    json: bool = False
    speed: float | None = None


def options(words: Sequence[str]) -> tuple[Options, list[str]]:
    """The command's own options, and the other words.

    Raises:
        ConfigError: An option is wrong.
    """
    parser = _Parser(usage=USAGE, add_help=False, allow_abbrev=False)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--tokens-per-second", type=float)
    given, rest = parser.parse_known_args(list(words))
    speed = given.tokens_per_second
    if speed is not None and not 0 < speed < float("inf"):
        raise ConfigError(f"--tokens-per-second must be a number above 0, got {speed}")
    return Options(given.json, speed), rest


def plan(given: Options, words: Sequence[str]) -> int:
    """Print the plan of the jobs that the words describe. No model is asked and no run is started.

    Returns:
        0, or 2 where a job cannot be run.

    Raises:
        ConfigError: The words cannot be composed into a configuration.
    """
    from metricsengine.launch import launch

    planned: list[Planned] = []
    with tempfile.TemporaryDirectory(prefix="metricsengine-plan-") as folder:
        launch(_redirected(words, folder), lambda tree: planned.append(_planned(tree, given.speed)))
    if given.json:
        sys.stdout.write(jsonlib.dumps(_to_json(planned), indent=1) + "\n")
    else:
        _print(planned)
    for job in planned:
        if job.error:
            sys.stderr.write(f"metricsengine: {job.name or 'the job'}: {job.error}\n")
    return 2 if any(job.error for job in planned) else 0


class _Parser(argparse.ArgumentParser):
    """Says what is wrong in one line."""

    def error(self, message: str) -> Any:  # never returns
        raise ConfigError(f"{message}; usage: {USAGE}")


def _redirected(words: Sequence[str], folder: str) -> list[str]:
    """The words, composed in this process one by one, with whatever Hydra writes in a folder that goes away."""
    kept = [word for word in words if word.partition("=")[0].lstrip("+") not in _REPLACED]
    sweeping = any(word in ("-m", "--multirun") for word in kept)
    return [
        *kept,
        *(["hydra/launcher=basic"] if sweeping else []),
        f"hydra.run.dir={folder}",
        f"hydra.sweep.dir={folder}",
        "~hydra.callbacks.sweep",
    ]


def _planned(tree: DictConfig, speed: float | None) -> Planned:
    from rich.console import Console

    from metricsengine.jobs import composed
    from metricsengine.preflight import prepare

    name = shlex.join(HydraConfig.get().overrides.task)
    try:
        host, run = composed(tree, Path(HydraConfig.get().runtime.output_dir))
        asks_nothing = replace(run, settings=replace(run.settings, probe="none", tracking=None))
        with ExitStack() as resources:
            job = prepare(host, Console(quiet=True), asks_nothing, resources)
            if job.adapter is None:
                return Planned(name, Forecast())
            identity: ModelIdentity = job.adapter.identity
            speed = speed or job.store.speed(identity)
            return Planned(name, forecast(job), identity.name, speed, job.adapter.prices)
    except MetricsEngineError as error:
        return Planned(name, Forecast(), error=str(error))


def _to_json(planned: Sequence[Planned]) -> Mapping[str, Any]:
    return {"jobs": [job.to_json() for job in planned], "total": _total(planned).to_json()}


def _total(planned: Sequence[Planned]) -> Planned:
    """All jobs together; a sum that lacks a part is not known."""
    jobs = [job for job in planned if not job.error]
    speeds = {job.speed for job in jobs if job.forecast.calls}
    prices = {job.prices for job in jobs if job.forecast.calls}
    return Planned(
        "total",
        sum((job.forecast for job in jobs), Forecast()),
        ", ".join(dict.fromkeys(job.model for job in jobs if job.model)),
        speeds.pop() if len(speeds) == 1 else None,
        prices.pop() if len(prices) == 1 else None,
    )


def _print(planned: Sequence[Planned]) -> None:
    from rich.console import Console

    from metricsengine.inert import for_terminal

    console, total = Console(), _total(planned)
    if len(planned) == 1:
        for what, figure in zip(("job", *_COLUMNS), (planned[0].name or "the job", *_figures(planned[0])), strict=True):
            console.print(for_terminal(f"{what:<15}{figure}".rstrip()), soft_wrap=True)
        console.print()
    else:
        names, common = _told_apart(planned)
        _print_table([*zip(names, planned, strict=True), (total.name, total)])
        if common:
            console.print(for_terminal(f"All jobs: {common}"), soft_wrap=True)
    for remark in _remarks(planned, total):
        console.print(remark, soft_wrap=True)


def _told_apart(planned: Sequence[Planned]) -> tuple[list[str], str]:
    """What each of several jobs sets that not all of them set, by the shortest clear keys, and what all of them set."""
    words = [shlex.split(job.name) for job in planned]
    common = [word for word in (words[0] if words else ()) if all(word in others for others in words)]
    apart = [[word.partition("=") for word in job if word not in common] for job in words]
    short = label_names(list(dict.fromkeys(key for job in apart for key, _, _ in job)), ())
    names = [" ".join(f"{short[key]}{sign}{value}" for key, sign, value in job) for job in apart]
    return [name or f"job {i}" for i, name in enumerate(names)], shlex.join(common)


def _print_table(rows: Sequence[tuple[str, Planned]]) -> None:
    """A table of jobs, the last of them their total; names wrap, numbers do not, however narrow the terminal."""
    from rich import box
    from rich.console import Console
    from rich.table import Table

    from metricsengine.inert import for_terminal

    figures = [_figures(job) for _, job in rows]
    widths = [max(map(len, (*what.split(), *column))) for what, *column in zip(_COLUMNS, *figures, strict=True)]
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, collapse_padding=True)
    room = min(_NAME, max(len(word) for name, _ in rows for word in name.split()))
    table.add_column("job", overflow="fold", min_width=room)
    for what, width in zip(_COLUMNS, widths, strict=True):
        table.add_column(what, justify="right", width=width)
    for i, ((name, _), told) in enumerate(zip(rows, figures, strict=True), 2 - len(rows)):
        table.add_row(for_terminal(name), *map(for_terminal, told), end_section=i == 0)
    needed = room + sum(widths) + _BETWEEN * (len(widths) + 1)
    Console(width=max(Console().width, needed)).print(table)


def _figures(job: Planned) -> tuple[str, ...]:
    asked = job.forecast
    if job.error:
        return ("not runnable", *[""] * (len(_COLUMNS) - 1))
    most = "" if asked.exact else "≤ "
    return (
        f"{most}{asked.requests:,}",
        f"{asked.stored:,}",
        f"{most}{asked.calls:,}",
        f"~ {asked.prompt_tokens:,}",
        f"≤ {asked.completion_tokens:,}",
        "?" if job.hours is None and asked.calls else _duration(job.hours or 0.0),
        "?" if job.cost is None else f"≤ {job.cost:,.2f} {job.prices.currency if job.prices else ''}",
    )


def _duration(hours: float) -> str:
    """A duration as people say it.

    Example:
        >>> _duration(0.01), _duration(0.5), _duration(3.25), _duration(100)
        ('36 s', '30 min', '3.2 h', '100 h')
    """
    if hours < 1 / 60:
        return f"{hours * 3600:.0f} s"
    if hours < 1:
        return f"{hours * 60:.0f} min"
    return f"{hours:.1f} h" if hours < 10 else f"{hours:,.0f} h"


def _remarks(planned: Sequence[Planned], total: Planned) -> list[str]:
    remarks = [f"Tokens are estimated: {CHARACTERS} characters of a prompt each, replies as long as they may become."]
    if not total.forecast.exact:
        remarks.append("≤: what is asked later depends on answers that are not there yet.")
    speeds = sorted({job.speed for job in planned if job.speed})
    if speeds:
        rates = " and ".join(f"{speed:,.0f}" for speed in speeds)
        remarks.append(f"Time: at {rates} reply tokens a second, as told, or as the last answers of the model came.")
    elif total.forecast.calls:
        remarks.append("Time: unknown, as no answer of the model is in the store; give --tokens-per-second N.")
    return remarks
