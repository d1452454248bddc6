"""Vectors of texts, each computed once and kept in the response store."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from metricsengine.encoder import Encoded, Encoder
from metricsengine.errors import ModelError
from metricsengine.keys import digest
from metricsengine.store import ResponseStore, StoredVector

CHUNK = 256
"""Texts that are encoded in one call and stored in one transaction."""


class CachedEncoder(Encoder):
    """An encoder that remembers. Where nothing is missing, its weights are never loaded.

    A vector depends a little on the texts beside it in a batch. So batches are cut from the whole list, sorted, and a
    batch is stored whole: an interrupted run that goes on meets the same batches and gives the very vectors of an
    uninterrupted one.

    Args:
        encoder: Computes what is missing.
        store: Where vectors are kept, by text and the encoder's fingerprint.
        progress: Told how many distinct texts are done, of how many, after each batch.

    Attributes:
        hits: Distinct texts whose vector was there, summed over calls.
        misses: Distinct texts that were encoded.
    """

    def __init__(
        self, encoder: Encoder, store: ResponseStore, progress: Callable[[int, int], None] | None = None
    ) -> None:
        self._encoder = encoder
        self._store = store
        self._progress = progress
        self.hits = 0
        self.misses = 0

    @property
    def name(self) -> str:
        """Name of the encoder."""
        return self._encoder.name

    @property
    def fingerprint(self) -> str:
        """Fingerprint of the encoder."""
        return self._encoder.fingerprint

    def check(self) -> None:
        """Whether the encoder can be loaded."""
        self._encoder.check()

    def encode(self, texts: Sequence[str]) -> Encoded:
        """Vectors of the texts, in their order; equal texts share one.

        No texts give vectors of shape (0, 0): how many dimensions there would be only the weights know.

        Raises:
            ModelError: The encoder cannot be loaded, or broke its contract.
        """
        distinct = sorted(set(texts), key=lambda text: (len(text), text))
        found: dict[str, StoredVector] = {}
        for start in range(0, len(distinct), CHUNK):
            found |= self._chunk(distinct[start : start + CHUNK])
            if self._progress:
                self._progress(len(found), len(distinct))
        return _joined([found[text] for text in texts])

    def _chunk(self, texts: Sequence[str]) -> dict[str, StoredVector]:
        keys = self._keys(texts)
        stored = self._store.get_vectors(keys.values())
        found = {text: stored[key] for text, key in keys.items() if key in stored}
        missing = [text for text in texts if text not in found]
        self.hits += len(found)
        self.misses += len(missing)
        return found | self._compute(missing) if missing else found

    def _compute(self, texts: Sequence[str]) -> dict[str, StoredVector]:
        vectors = _split(self.name, texts, self._encoder.encode(texts))
        # Keys anew: weights that were fetched for this very call have their fingerprint only now.
        keys = self._keys(texts)
        stored = self._store.put_vectors({keys[text]: vector for text, vector in vectors.items()})
        return {text: stored[key] for text, key in keys.items()}

    def _keys(self, texts: Sequence[str]) -> dict[str, bytes]:
        fingerprint = self.fingerprint
        return {text: digest([fingerprint, text]) for text in texts}


def _split(encoder: str, texts: Sequence[str], encoded: Encoded) -> dict[str, StoredVector]:
    """One vector for each text; one that must not be kept is the encoder's fault, and an error."""
    import numpy as np

    vectors = np.asarray(encoded.vectors, dtype="<f4")
    if vectors.ndim != 2 or len(vectors) != len(texts) or len(encoded.truncated) != len(texts):
        raise ModelError(f"encoder {encoder} returned vectors of shape {vectors.shape} for {len(texts)} texts")
    if not np.isfinite(vectors).all():
        raise ModelError(f"encoder {encoder} returned a vector with components that are not finite numbers")
    rows = zip(texts, vectors, encoded.truncated, strict=True)
    return {text: StoredVector(vector.tobytes(), bool(truncated)) for text, vector, truncated in rows}


def _joined(vectors: Sequence[StoredVector]) -> Encoded:
    import numpy as np

    dimensions = len(vectors[0].data) // 4 if vectors else 0
    values = np.frombuffer(b"".join(vector.data for vector in vectors), dtype="<f4")
    return Encoded(
        vectors=values.reshape(len(vectors), dimensions).astype(np.float32),
        truncated=np.array([vector.truncated for vector in vectors], dtype=np.bool_),
    )
