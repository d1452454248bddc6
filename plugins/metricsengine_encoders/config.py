"""Options of the encoders."""

from dataclasses import dataclass

LONG_TEXTS = ("truncate", "chunk_mean")


@dataclass
class EncoderConf:
    """Options that all encoders share.

    Attributes:
        path: Folder of a sentence-transformers model; empty for the encoder's own weights.
        device: ``auto``, or a torch device such as ``cpu`` or ``cuda:0``. ``auto`` takes a graphics card where there is
            one; vectors of two devices differ by rounding and share the cache.
        batch_size: Texts computed together, >= 1; larger is faster and takes more memory.
        long_texts: What becomes of a text that is longer than the encoder reads, counted either way. ``truncate``: its
            end is not read. ``chunk_mean``: it is cut into parts that fit, and its vector is their mean, each weighted
            by its tokens.
    """

    path: str = ""
    device: str = "auto"
    batch_size: int = 32
    long_texts: str = "truncate"

    def __post_init__(self) -> None:
        if self.batch_size < 1:
            raise ValueError(f"encoder.batch_size must be >= 1, got {self.batch_size}")
        if self.long_texts not in LONG_TEXTS:
            raise ValueError(f"encoder.long_texts must be one of {', '.join(LONG_TEXTS)}, got {self.long_texts!r}")


@dataclass
class MinilmConf(EncoderConf):
    """Options of ``encoder=minilm``."""


@dataclass
class HubEncoderConf(EncoderConf):
    """Options of an encoder whose weights lie in a folder or on the Hugging Face hub.

    Attributes:
        name: Repository on the hub, fetched once where ``path`` is empty.
        revision: Its branch, tag or commit; a commit makes sure that the weights never change.
    """

    name: str = ""
    revision: str = "main"


@dataclass
class MpnetConf(HubEncoderConf):
    """Options of ``encoder=mpnet``."""

    name: str = "sentence-transformers/all-mpnet-base-v2"


@dataclass
class DistilrobertaConf(HubEncoderConf):
    """Options of ``encoder=distilroberta``."""

    name: str = "sentence-transformers/all-distilroberta-v1"


@dataclass
class SentenceTransformerConf(HubEncoderConf):
    """Options of ``encoder=sentence_transformer``: give ``path`` or ``name``."""
