"""Where an encoder's weights lie, which of their files decide its vectors, and the fingerprint of these."""

from __future__ import annotations

import functools
import os
from collections.abc import Iterable
from dataclasses import dataclass
from hashlib import blake2b, file_digest
from itertools import chain
from pathlib import Path, PurePosixPath

from metricsengine.errors import ModelError

_FORMAT = 1  # raised when the same weights and text would come to mean another vector
_READ = {".bin", ".json", ".model", ".safetensors", ".txt"}
_OTHER_BACKENDS = {"onnx", "openvino"}
_HUB_TIMEOUT = 10.0  # seconds


def files_read(names: Iterable[str]) -> list[str]:
    """Those files of a model that decide its vectors: configuration, tokenizer, and the weights that get loaded.

    Example:
        >>> files_read(["README.md", "config.json", "model.safetensors", "pytorch_model.bin", "onnx/model.json"])
        ['config.json', 'model.safetensors']
    """
    paths = [PurePosixPath(name) for name in sorted(names)]
    safe = {path.parent for path in paths if path.suffix == ".safetensors"}
    return [
        str(path)
        for path in paths
        if path.suffix in _READ
        and not _OTHER_BACKENDS.intersection(path.parts)
        and not (path.suffix == ".bin" and path.parent in safe)
    ]


@dataclass(frozen=True)
class Weights:
    """Where an encoder's files lie.

    Attributes:
        folder: A folder that holds them; None where they lie on the hub.
        name: Repository on the hub.
        revision: Its branch, tag or commit.
    """

    folder: Path | None
    name: str = ""
    revision: str = "main"

    def local(self) -> Path | None:
        """The folder, or the hub's copy on this machine, if there is one; asks no network."""
        if self.folder:
            return self.folder
        no_telemetry()
        from huggingface_hub import try_to_load_from_cache

        try:
            modules = try_to_load_from_cache(self.name, "modules.json", revision=self.revision)
        except ValueError:  # not a name the hub could know; fetching it says so
            return None
        folder = Path(modules).parent if isinstance(modules, str) else None
        # A fetch that was cut short leaves a copy without weights.
        return folder if folder and any(chain(folder.rglob("*.safetensors"), folder.rglob("*.bin"))) else None

    def fetch(self, encoder: str) -> Path:
        """The folder, fetched from the hub where this machine holds no copy.

        Raises:
            ModelError: It cannot be fetched.
        """
        if local := self.local():
            return local
        from huggingface_hub import HfApi, snapshot_download

        try:
            # One question with a deadline: the libraries' own way to a missing model are minutes of retries.
            listing = HfApi().model_info(self.name, revision=self.revision, timeout=_HUB_TIMEOUT).siblings or []
            files = files_read(file.rfilename for file in listing)
            return Path(snapshot_download(self.name, revision=self.revision, allow_patterns=files))
        except Exception as error:
            # Any exception: the hub's HTTP library, and with it the errors it raises, differs between versions.
            raise ModelError(
                f"encoder {encoder}: {self.name} (revision {self.revision}) is not on this machine and cannot be "
                f"fetched ({first_line(error)}); set encoder.path to a folder that holds it, or choose encoder=minilm"
            ) from error


def model_folder(path: str) -> Path:
    """The folder that ``encoder.path`` names.

    Raises:
        ModelError: It holds no model.
    """
    folder = Path(path).expanduser().absolute()
    if not (folder / "modules.json").is_file():
        why = "it holds no modules.json" if folder.is_dir() else "there is no such folder"
        raise ModelError(f"encoder.path={path} is no sentence-transformers model: {why}")
    return folder


def fingerprint_of(folder: Path, long_texts: str) -> str:
    """Hash of the files that decide the vectors, and of ``long_texts``."""
    names = files_read(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())
    states = ((folder / name).stat() for name in names)
    return _digest(folder, long_texts, tuple(names), tuple((state.st_size, state.st_mtime_ns) for state in states))


@functools.lru_cache(maxsize=8)
def _digest(folder: Path, long_texts: str, names: tuple[str, ...], _states: tuple[tuple[int, int], ...]) -> str:
    whole = blake2b(f"{_FORMAT} {long_texts}".encode(), digest_size=16)
    for name in names:
        with (folder / name).open("rb") as file:
            whole.update(f"\n{name} {file_digest(file, 'blake2b').hexdigest()}".encode())
    return whole.hexdigest()


def no_telemetry() -> None:
    """Read by the hub's library when it is imported; a choice of the user's own stands."""
    os.environ.setdefault("HF_HUB_DISABLE_TELEMETRY", "1")


def first_line(error: BaseException) -> str:
    """An error on one line: its class, and the first line of what it says."""
    text = str(error).strip()
    return f"{type(error).__name__}: {text.splitlines()[0]}" if text else type(error).__name__
