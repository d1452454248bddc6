"""The native library: its log, its objects, and how a model file is opened."""

from __future__ import annotations

import ctypes
import functools
import weakref
from collections import deque
from collections.abc import Callable
from pathlib import Path
from typing import Any

from metricsengine.errors import ModelError
from metricsengine_llamacpp import interrupts
from metricsengine_llamacpp.bindings import lib

_ERROR = 4  # GGML_LOG_LEVEL_ERROR
_errors: deque[str] = deque(maxlen=8)


class Native:
    """A native object that is freed once: by ``close``, or with the last reference to it.

    Args:
        pointer: The object.
        free: Releases it.
        parent: Another that must outlive this one.
    """

    def __init__(self, pointer: Any, free: Callable[[Any], object], parent: Native | None = None) -> None:
        self._pointer = pointer
        self._finalizer = weakref.finalize(self, _release, free, pointer, parent)

    @property
    def pointer(self) -> Any:
        """The object, for calls of the library, as long as this is kept.

        Raises:
            ModelError: It was closed.
        """
        if not self._finalizer.alive:
            raise ModelError("the model was closed")
        return self._pointer

    def close(self) -> None:
        """Free it, unless that was done."""
        self._finalizer()


def _release(free: Callable[[Any], object], pointer: Any, _parent: Native | None) -> None:
    free(pointer)


def load(path: Path, *, vocab_only: bool = False, n_gpu_layers: int = 0) -> Native:
    """Open a GGUF file.

    Args:
        path: The file; of a split model its first part.
        vocab_only: Read the header and the vocabulary, and leave the weights.
        n_gpu_layers: As in :class:`~metricsengine_llamacpp.config.LlamaCppConf`.

    Raises:
        ModelError: llama.cpp cannot read it.
    """
    _start()
    _errors.clear()
    with interrupts.held():
        pointer = lib.llama_model_load_from_file(bytes(path), _model_params(vocab_only, n_gpu_layers))
    if not pointer:
        raise ModelError(
            f"{path}: llama.cpp cannot load it ({complaint()}): fetch the file again, "
            "or update llama-cpp-python where the model is newer than it"
        )
    return Native(pointer, lib.llama_model_free)


def complaint() -> str:
    """What llama.cpp complained of since this was last asked: the first thing, which is the most particular."""
    found = _errors[0] if _errors else "it gives no reason"
    _errors.clear()
    return found


def _model_params(vocab_only: bool, n_gpu_layers: int) -> lib.llama_model_params:
    params: lib.llama_model_params = lib.llama_model_default_params()
    params.vocab_only = vocab_only
    params.n_gpu_layers = n_gpu_layers
    # Repacked weights go through AMX kernels where processor and build have them, and those end in a segmentation
    # fault on guests (ggml-org/llama.cpp#20824). The other kernels are as fast on the models that are run here.
    params.use_extra_bufts = False
    return params


@functools.cache
def _start() -> None:
    lib.llama_log_set(_keep_errors, ctypes.c_void_p(0))
    lib.llama_backend_init()


@lib.llama_log_callback  # type: ignore[untyped-decorator] # a ctypes function type
def _keep_errors(level: int, text: bytes, _data: object) -> None:
    if level == _ERROR:
        _errors.append(text.decode("utf-8", errors="replace").strip())
