"""Going on with a sweep or a run that did not come to its end."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from metricsengine import launched
from metricsengine.config import outputs_folder
from metricsengine.errors import ConfigError, unknown
from metricsengine.launched import COMMAND, Launch, latest, read_launch
from metricsengine.multirun import manifest

_MULTIRUN = ("-m", "--multirun")
_FOLDERS = ("hydra.run.dir", "hydra.sweep.dir")


def resumed(words: Sequence[str]) -> tuple[list[str], bool]:
    """The words without ``resume=true``, and whether it was among them; then they name the folder to go on in.

    Raises:
        ConfigError: There is nothing to go on with.
    """
    said = [word.partition("=")[2] for word in words if word.partition("=")[0] == "resume"]
    rest = [word for word in words if word.partition("=")[0] != "resume"]
    if strange := [value for value in said if value not in ("true", "false")]:
        raise ConfigError(unknown("resume", strange[0], ("true", "false")))
    if not said or said[-1] == "false":
        return rest, False
    sweeping = any(flag in rest for flag in _MULTIRUN)
    key = _FOLDERS[sweeping]
    if any(word.partition("=")[0] == key for word in rest):
        return rest, True
    file = f"sweeps/*/*/{manifest.FILE}" if sweeping else f"runs/*/*/{launched.FILE}"
    folder = latest(rest, sorted(outputs_folder().glob(file)))
    if folder is None:
        what = "sweep" if sweeping else "run"
        raise ConfigError(
            f"nothing to resume: no {what} below {outputs_folder()} was started here by these words; "
            f"name it: metricsengine resume FOLDER, or {key}=FOLDER"
        )
    return list(Launch.now(rest).at(key, folder).words), True


def resume(folder: Path) -> int:
    """Go on with the sweep or the run of a folder, by the words and from the directory that started it.

    Returns:
        Exit status, as of the command that started it.

    Raises:
        ConfigError: The folder is of no sweep and no run, or its directory is gone.
    """
    from metricsengine.launch import launch

    folder = folder.absolute()
    of_sweep = (folder / manifest.FILE).is_file()
    started = read_launch(folder / (manifest.FILE if of_sweep else launched.FILE))
    if not folder.is_dir():
        raise ConfigError(f"{folder} does not exist")
    if (folder.parent / manifest.FILE).is_file():
        raise ConfigError(f"{folder} is a job of a sweep: metricsengine resume {folder.parent}")
    if started is None:
        raise ConfigError(
            f"{folder} is the folder of no sweep and no run that could be resumed: "
            f"it holds neither {manifest.FILE} nor {launched.FILE}"
        )
    try:
        os.chdir(started.directory)
    except OSError as error:
        raise ConfigError(
            f"{folder} was started in {started.directory}, which cannot be entered ({error.strerror}): "
            "relative paths count from there"
        ) from error
    os.environ["METRICSENGINE_OUTPUTS"] = started.outputs
    os.environ[COMMAND] = started.command
    return launch([*started.at(_FOLDERS[of_sweep], folder).words, "resume=true"])
