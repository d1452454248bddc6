"""The cache of vectors: each text once, batches that do not depend on what was there, nothing mixed up."""

from collections.abc import Iterator, Sequence
from itertools import chain
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metricsengine.encoder import Encoded, Encoder
from metricsengine.errors import ModelError
from metricsengine.store import ResponseStore
from metricsengine.vectors import CHUNK, CachedEncoder

TEXTS = st.lists(st.text(st.characters(exclude_categories=[]), max_size=4), max_size=30)


class CountingEncoder(Encoder):
    """Notes what it is asked. Its vectors, like a real encoder's, hold a trace of the texts beside them."""

    def __init__(self, fingerprint: str = "f", scale: float = 1.0) -> None:
        self.calls: list[list[str]] = []
        self.scale = scale
        self._fingerprint = fingerprint

    @property
    def name(self) -> str:
        return "counting"

    @property
    def fingerprint(self) -> str:
        return self._fingerprint

    def encode(self, texts: Sequence[str]) -> Encoded:
        self.calls.append(list(texts))
        beside = len(texts) / 1e3 + sum(map(len, texts)) / 1e6
        rows = [[len(text), sum(map(ord, text)) * self.scale, beside] for text in texts]
        return Encoded(np.array(rows, np.float32), np.array([len(text) > 3 for text in texts], np.bool_))


class Failing(CountingEncoder):
    """Stops at the given call, as a killed run does."""

    def __init__(self, at: int) -> None:
        super().__init__()
        self.at = at

    def encode(self, texts: Sequence[str]) -> Encoded:
        if len(self.calls) == self.at:
            raise KeyboardInterrupt
        return super().encode(texts)


class Broken(CountingEncoder):
    """Returns what it was given, whatever is asked."""

    def __init__(self, vectors: object, truncated: object) -> None:
        super().__init__()
        self.encoded = Encoded(np.asarray(vectors, np.float32), np.asarray(truncated, np.bool_))

    def encode(self, texts: Sequence[str]) -> Encoded:
        return self.encoded


@pytest.fixture
def store(tmp_path: Path) -> Iterator[ResponseStore]:
    with ResponseStore(tmp_path / "store.db") as opened:
        yield opened


def test_texts_keep_their_order_and_equal_ones_are_encoded_once(store: ResponseStore) -> None:
    encoder = CountingEncoder()
    encoded = CachedEncoder(encoder, store).encode(["ccc", "a", "ccc", "bb", "a", "dddd"])
    assert encoder.calls == [["a", "bb", "ccc", "dddd"]]
    expected = [[3, 297], [1, 97], [3, 297], [2, 196], [1, 97], [4, 400]]
    np.testing.assert_array_equal(encoded.vectors[:, :2], expected)
    np.testing.assert_array_equal(encoded.truncated, [False, False, False, False, False, True])
    assert (encoded.vectors.dtype, encoded.truncated.dtype) == (np.float32, np.bool_)
    encoded.vectors[0, 0] = 7  # a caller may write to what it was given


def test_the_second_time_the_encoder_is_not_called(store: ResponseStore) -> None:
    texts = [f"text {i}" for i in range(CHUNK + 10)]
    first = CachedEncoder(CountingEncoder(), store).encode(texts)
    encoder = CountingEncoder()
    again = CachedEncoder(encoder, store)
    second = again.encode(texts[::-1])
    assert encoder.calls == []
    assert (again.hits, again.misses) == (CHUNK + 10, 0)
    np.testing.assert_array_equal(second.vectors, first.vectors[::-1])
    np.testing.assert_array_equal(second.truncated, first.truncated[::-1])


def test_no_texts_give_no_vectors_and_no_call(store: ResponseStore) -> None:
    encoder = CountingEncoder()
    encoded = CachedEncoder(encoder, store).encode([])
    assert (encoded.vectors.shape, encoded.truncated.shape, encoder.calls) == ((0, 0), (0,), [])
    assert encoded.vectors.dtype == np.float32


def test_batches_are_cut_from_the_sorted_list(store: ResponseStore) -> None:
    texts = [f"{i:x}" for i in range(2 * CHUNK + 88)]
    encoder = CountingEncoder()
    cached = CachedEncoder(encoder, store)
    cached.encode(texts[::-1] + texts)
    assert [len(call) for call in encoder.calls] == [CHUNK, CHUNK, 88]
    assert list(chain(*encoder.calls)) == sorted(texts, key=lambda text: (len(text), text))
    assert (cached.hits, cached.misses) == (0, 600)


@pytest.mark.parametrize("at", [0, 1, 2])
def test_an_interrupted_run_goes_on_to_the_vectors_of_an_uninterrupted_one(
    store: ResponseStore, tmp_path: Path, at: int
) -> None:
    texts = [f"text {i}" for i in range(3 * CHUNK)]
    with ResponseStore(tmp_path / "other.db") as other:
        whole = CachedEncoder(CountingEncoder(), other).encode(texts)
    with pytest.raises(KeyboardInterrupt):
        CachedEncoder(Failing(at), store).encode(texts)
    assert store.figures().vectors == at * CHUNK
    rest = CountingEncoder()
    continued = CachedEncoder(rest, store).encode(texts)
    assert len(rest.calls) == 3 - at
    np.testing.assert_array_equal(continued.vectors, whole.vectors)


def test_only_what_is_missing_is_encoded(store: ResponseStore) -> None:
    encoder = CountingEncoder()
    cached = CachedEncoder(encoder, store)
    cached.encode(["a", "c"])
    cached.encode(["a", "b", "c", "d"])
    assert encoder.calls == [["a", "c"], ["b", "d"]]
    assert (cached.hits, cached.misses) == (2, 4)


def test_two_encoders_do_not_share_vectors(store: ResponseStore) -> None:
    one, two = (CachedEncoder(CountingEncoder(name, scale), store) for name, scale in (("f1", 1.0), ("f2", 2.0)))
    for _ in range(2):
        assert one.encode(["b"]).vectors[0, 1] == 98
        assert two.encode(["b"]).vectors[0, 1] == 196


def test_fingerprint_and_text_are_not_joined(store: ResponseStore) -> None:
    CachedEncoder(CountingEncoder("fa"), store).encode(["b"])
    other = CountingEncoder("f")
    CachedEncoder(other, store).encode(["ab"])
    assert other.calls == [["ab"]]


def test_a_fingerprint_known_only_after_encoding_is_the_one_stored(store: ResponseStore) -> None:
    class Fetching(CountingEncoder):
        def encode(self, texts: Sequence[str]) -> Encoded:
            self._fingerprint = "hash of what was fetched"
            return super().encode(texts)

    CachedEncoder(Fetching("name@main"), store).encode(["a", "b"])
    later = CountingEncoder("hash of what was fetched")
    CachedEncoder(later, store).encode(["a", "b"])
    assert later.calls == []


def test_the_vector_that_was_stored_first_counts(store: ResponseStore) -> None:
    class Beaten(CountingEncoder):
        """Another process stores the same texts while this one computes."""

        def encode(self, texts: Sequence[str]) -> Encoded:
            with ResponseStore(store.path) as other:
                CachedEncoder(CountingEncoder(scale=10.0), other).encode(texts)
            return super().encode(texts)

    assert CachedEncoder(Beaten(), store).encode(["b"]).vectors[0, 1] == 980


def test_progress_is_told_after_each_batch(store: ResponseStore) -> None:
    told: list[tuple[int, int]] = []
    texts = [f"{i}" for i in range(CHUNK + 1)]
    CachedEncoder(CountingEncoder(), store, lambda done, total: told.append((done, total))).encode(texts * 2)
    assert told == [(CHUNK, CHUNK + 1), (CHUNK + 1, CHUNK + 1)]


def test_name_and_fingerprint_are_the_encoder_s_own(store: ResponseStore) -> None:
    cached = CachedEncoder(CountingEncoder("f7"), store)
    assert (cached.name, cached.fingerprint) == ("counting", "f7")


@pytest.mark.parametrize(
    ("vectors", "truncated", "message"),
    [
        ([[1.0]], [False], r"vectors of shape \(1, 1\) for 2 texts"),
        ([1.0, 2.0], [False, False], r"vectors of shape \(2,\) for 2 texts"),
        ([[1.0], [2.0]], [False], "for 2 texts"),
        ([[1.0], [float("nan")]], [False, False], "not finite"),
        ([[1.0], [float("inf")]], [False, False], "not finite"),
    ],
)
def test_vectors_that_break_the_contract_are_not_kept(
    store: ResponseStore, vectors: object, truncated: object, message: str
) -> None:
    with pytest.raises(ModelError, match=f"encoder counting returned .*{message}"):
        CachedEncoder(Broken(vectors, truncated), store).encode(["a", "b"])
    assert store.figures().vectors == 0


@settings(deadline=None, max_examples=40)
@given(first=TEXTS, second=TEXTS)
def test_whatever_was_there_each_text_gets_its_own_vector(
    tmp_path_factory: pytest.TempPathFactory, first: list[str], second: list[str]
) -> None:
    with ResponseStore(tmp_path_factory.mktemp("store") / "store.db") as store:
        encoder = CountingEncoder()
        cached = CachedEncoder(encoder, store)
        for texts in (first, second):
            encoded = cached.encode(texts)
            expected = np.array([[len(text), sum(map(ord, text))] for text in texts]).reshape(-1, 2)
            np.testing.assert_array_equal(encoded.vectors[:, :2] if texts else np.empty((0, 2)), expected)
        asked = list(chain(*encoder.calls))
        assert sorted(asked) == sorted({*first, *second})
        assert (cached.hits, cached.misses) == (len({*first} & {*second}), len(asked))
