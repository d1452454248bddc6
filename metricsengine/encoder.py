"""The contract of an encoder: texts to vectors, each computed once and kept."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from metricsengine.errors import ConfigError

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Vectors = npt.NDArray[np.float32]


@dataclass(frozen=True)
class Encoded:
    """Vectors of some texts.

    Attributes:
        vectors: Shape (texts, dimensions), float32.
        truncated: Shape (texts,), whether the text was longer than the encoder reads.
    """

    vectors: Vectors
    truncated: npt.NDArray[np.bool_]


def no_vectors(texts: Sequence[str]) -> Encoded:
    """Stands in where no encoder was chosen.

    Raises:
        ConfigError: Always.
    """
    raise ConfigError(f"vectors of {len(texts)} texts are needed, but no encoder was chosen: add encoder=NAME")


class Encoder(ABC):
    """Turns texts into vectors. Construction is cheap: the weights load at the first ``encode``.

    Attributes:
        lasting: Whether the next job of this process may go on with it, its weights loaded, if its options and its
            ``fingerprint`` are the same.
    """

    lasting = False

    @property
    @abstractmethod
    def name(self) -> str:
        """What people call it; the ``encoder`` label of estimates."""

    @property
    @abstractmethod
    def fingerprint(self) -> str:
        """Changes whenever the same text would get another vector; part of the cache's key."""

    def check(self) -> None:  # noqa: B027 - most encoders have nothing to look for
        """Whether the encoder can be loaded; called before a model is asked.

        Raises:
            ModelError: It cannot; says what is missing.
        """

    @abstractmethod
    def encode(self, texts: Sequence[str]) -> Encoded:
        """Vectors of the texts, in their order.

        Raises:
            ModelError: The encoder cannot be loaded.
        """


@dataclass(frozen=True)
class EncoderSpec:
    """Registers an encoder.

    Attributes:
        name: Name of the encoder; ``encoder=NAME`` chooses it.
        config: Dataclass with its options and their defaults.
        build: Makes the encoder from an instance of ``config``; imports its backend at the first ``encode``.
        doc: One line for ``metricsengine plugins``.
    """

    name: str
    config: type[Any]
    build: Callable[[Any], Encoder]
    doc: str = ""
