"""Built-in encoders: the embedded MiniLM, those of the CoMPosT paper, and any other sentence-transformers model."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from metricsengine import hookimpl
from metricsengine.encoder import EncoderSpec
from metricsengine_encoders.config import DistilrobertaConf, MinilmConf, MpnetConf, SentenceTransformerConf
from metricsengine_encoders.sentence_transformers_encoder import any_model, from_hub, minilm

if TYPE_CHECKING:
    from metricsengine.doctor import Check


@hookimpl
def metricsengine_checkup() -> Sequence[Check]:
    """Whether the embedded encoder works."""
    from metricsengine_encoders import checkup

    return [checkup.embedded()]


@hookimpl
def metricsengine_encoders() -> Sequence[EncoderSpec]:
    """The encoders."""
    return [
        EncoderSpec("minilm", MinilmConf, minilm, "all-MiniLM-L6-v2, embedded: needs no network"),
        EncoderSpec("mpnet", MpnetConf, partial(from_hub, "mpnet"), "all-mpnet-base-v2, the CoMPosT paper's encoder"),
        EncoderSpec(
            "distilroberta",
            DistilrobertaConf,
            partial(from_hub, "distilroberta"),
            "all-distilroberta-v1, the CoMPosT paper's second encoder (Appendix B)",
        ),
        EncoderSpec("sentence_transformer", SentenceTransformerConf, any_model, "any sentence-transformers model"),
    ]
