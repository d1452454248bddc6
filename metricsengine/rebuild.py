"""Rebuilding the report of a finished run from its folder alone."""

from __future__ import annotations

import sys
from pathlib import Path

from omegaconf import DictConfig, OmegaConf
from omegaconf.errors import OmegaConfBaseException
from yaml import YAMLError

from metricsengine.config import StoredRun
from metricsengine.errors import ConfigError
from metricsengine.host import Host
from metricsengine.report import write_report
from metricsengine.results import Results
from metricsengine.study import StudyInputs, exhibits_of


def rebuild(folder: Path) -> int:
    """Write ``report.html`` and the figures anew.

    Returns:
        Exit status: 1 where a figure could not be drawn.

    Raises:
        ConfigError: The folder is not that of a finished run, or its study is not installed.
    """
    results = Results.load(folder)
    try:
        tree = OmegaConf.load(folder / "config.yaml")
    except (OSError, UnicodeDecodeError, YAMLError, OmegaConfBaseException) as error:
        raise ConfigError(f"{folder / 'config.yaml'}: {error}") from error
    if not isinstance(tree, DictConfig) or "study" not in tree:
        raise ConfigError(f"{folder / 'config.yaml'} is not the configuration of a run")
    stored = StoredRun(Host(), tree, folder)
    study = stored.study_spec(results.study).build(
        stored.study(results.study), StudyInputs(stored.sets(), results.seed)
    )
    report = write_report(results, exhibits_of(study, results), folder)
    for failure in report.failures:
        sys.stderr.write(f"metricsengine: {failure}\n")
    sys.stdout.write(f"Report: {report.path}\n")
    return 1 if report.failures else 0
