"""The response store: what was answered, encoded, found or computed is kept once, in one SQLite file for all."""

from __future__ import annotations

import json
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Self

from metricsengine.claims import Claims
from metricsengine.database import Database
from metricsengine.keys import Entry
from metricsengine.model import Finding, ModelIdentity, OptionScore, Outcome, Response

_STEPS = (
    (
        """CREATE TABLE response (
            key BLOB PRIMARY KEY, request TEXT NOT NULL, outcome TEXT NOT NULL, response TEXT NOT NULL,
            created REAL NOT NULL
        )""",
        """CREATE TABLE vector (
            key BLOB PRIMARY KEY, dimension INTEGER NOT NULL, truncated INTEGER NOT NULL, data BLOB NOT NULL,
            CHECK (length(data) = 4 * dimension)
        )""",
    ),
    (
        """CREATE TABLE finding (
            key BLOB PRIMARY KEY, capability TEXT NOT NULL, holds INTEGER NOT NULL, detail TEXT NOT NULL,
            created REAL NOT NULL
        )""",
    ),
    ("CREATE TABLE claim (key BLOB PRIMARY KEY, owner TEXT NOT NULL) WITHOUT ROWID",),
    ("CREATE TABLE outcome (key BLOB PRIMARY KEY, name TEXT NOT NULL, value TEXT NOT NULL, created REAL NOT NULL)",),
)
"""What each schema version adds to the one before; a released step never changes."""

_COUNTS = "SELECT (SELECT count(*) FROM response), (SELECT count(*) FROM vector)"

_LATEST = """
    SELECT created, json_extract(response, '$.completion_tokens')
    FROM (SELECT * FROM response ORDER BY rowid DESC LIMIT 2000)
    WHERE json_extract(request, '$.adapter') = ? AND json_extract(request, '$.weights') = ? AND outcome <> 'error'
"""

_PAUSE, _ENOUGH = 60.0, 20
"""Seconds between two answers from which on nobody was asking, and the answers that tell a speed."""

SCHEMA_VERSION = len(_STEPS)

_PUT_RESPONSE = """INSERT INTO response (key, request, outcome, response, created) VALUES (?, ?, ?, ?, ?)
    ON CONFLICT (key) DO UPDATE SET request = excluded.request, outcome = excluded.outcome,
    response = excluded.response, created = excluded.created WHERE response.outcome = 'error'"""
_PUT_VECTOR = """INSERT INTO vector (key, dimension, truncated, data) VALUES (?, ?, ?, ?)
    ON CONFLICT (key) DO NOTHING"""
_END_CLAIM = "DELETE FROM claim WHERE key = ?"
_PUT_FINDING = "INSERT OR REPLACE INTO finding (key, capability, holds, detail, created) VALUES (?, ?, ?, ?, ?)"

_PUT_OUTCOME = "INSERT INTO outcome (key, name, value, created) VALUES (?, ?, ?, ?) ON CONFLICT (key) DO NOTHING"


@dataclass(frozen=True, slots=True)
class StoredVector:
    """A vector as the store keeps it.

    Attributes:
        data: Its components, little-endian float32.
        truncated: The text was longer than the encoder reads.
    """

    data: bytes
    truncated: bool


@dataclass(frozen=True)
class StoreFigures:
    """How much a store holds.

    Attributes:
        size: Bytes on disk, the write-ahead log included.
        responses: Number of responses, errors included.
        vectors: Number of vectors.
    """

    size: int
    responses: int
    vectors: int


class ResponseStore:
    """Keeps responses, vectors, findings and outcomes in one SQLite file, which is created where it is missing.

    A file of an older version gets what it lacks; the older version no longer opens it then. Several threads may use
    one store, and several processes of one host one file (write-ahead logging does not work across hosts). What was put
    survives the process's death at any moment; a batch is there whole or not at all.

    Args:
        path: The file.

    Attributes:
        path: The file.
        claims: Which requests are being asked, and by whom.

    Raises:
        ConfigError: The path is a folder, holds something else, was written by a newer version, or cannot be used.
    """

    def __init__(self, path: Path) -> None:
        self._database = Database(path, _STEPS)
        self.path = path
        self.claims = Claims(self._database)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the file. The last process that does so folds the write-ahead log into it."""
        self.claims.close()
        self._database.close()

    def get(self, keys: Iterable[bytes], *, errors: bool = False) -> dict[bytes, Response]:
        """The stored responses among those asked for.

        Args:
            keys: Keys, in any number and order.
            errors: Whether responses with outcome ``error`` are returned too. They are no answers: to whoever wants to
                reuse what is there, they count as absent, and are asked again.
        """
        rows = self._database.select("SELECT key, outcome, response FROM response WHERE key IN", keys)
        found = {key_: _response(outcome, text) for key_, outcome, text in rows}
        return {key_: response for key_, response in found.items() if errors or response.outcome is not Outcome.ERROR}

    def put(self, entries: Sequence[Entry]) -> list[Response]:
        """Store responses in one transaction. An answer is never replaced; an error is, by whatever comes later.

        An error also ends the claim to its request: whoever waits for an answer asks by itself.

        Returns:
            What the store holds afterwards, in the order of the entries: another process may have been first. Two
            surrogates in a row that form a pair come back as the one character they stand for.

        Raises:
            ModelError: A response holds what JSON cannot, such as a score of NaN; nothing was stored.
            MetricsEngineError: The file cannot be written.
        """
        rows = [entry.row() for entry in entries]
        failed = [(entry.key,) for entry in entries if entry.response.outcome is Outcome.ERROR]
        with self._database.transaction() as connection:
            connection.executemany(_PUT_RESPONSE, rows)
            connection.executemany(_END_CLAIM, failed)
            held = self.get([entry.key for entry in entries], errors=True)
        return [held[entry.key] for entry in entries]

    def get_vectors(self, keys: Iterable[bytes]) -> dict[bytes, StoredVector]:
        """The stored vectors among those asked for."""
        rows = self._database.select("SELECT key, data, truncated FROM vector WHERE key IN", keys)
        return {key_: StoredVector(data, bool(truncated)) for key_, data, truncated in rows}

    def put_vectors(self, vectors: Mapping[bytes, StoredVector]) -> dict[bytes, StoredVector]:
        """Store vectors in one transaction; the first vector of a key stays.

        Returns:
            What the store holds afterwards.

        Raises:
            MetricsEngineError: The file cannot be written.
        """
        rows = [(key_, len(vector.data) // 4, vector.truncated, vector.data) for key_, vector in vectors.items()]
        with self._database.transaction() as connection:
            connection.executemany(_PUT_VECTOR, rows)
            return self.get_vectors(vectors)

    def get_findings(self, keys: Iterable[bytes]) -> dict[bytes, Finding]:
        """The stored findings among those asked for."""
        rows = self._database.select("SELECT key, capability, holds, detail FROM finding WHERE key IN", keys)
        return {key_: Finding(capability, bool(holds), detail) for key_, capability, holds, detail in rows}

    def put_findings(self, findings: Mapping[bytes, Finding]) -> None:
        """Store findings in one transaction; the last finding of a key stays.

        Raises:
            MetricsEngineError: The file cannot be written.
        """
        now = time.time()
        rows = [(key_, found.capability, found.holds, found.detail, now) for key_, found in findings.items()]
        with self._database.transaction() as connection:
            connection.executemany(_PUT_FINDING, rows)

    def get_outcomes(self, keys: Iterable[bytes]) -> dict[bytes, str]:
        """The stored outcomes of computations among those asked for, as JSON."""
        return dict(self._database.select("SELECT key, value FROM outcome WHERE key IN", keys))

    def put_outcomes(self, outcomes: Mapping[bytes, tuple[str, str]]) -> dict[bytes, str]:
        """Store outcomes of computations in one transaction; the first outcome of a key stays.

        Args:
            outcomes: What was computed, and its outcome as JSON, by key.

        Returns:
            What the store holds afterwards.

        Raises:
            MetricsEngineError: The file cannot be written.
        """
        rows = [(key_, name, value, time.time()) for key_, (name, value) in outcomes.items()]
        with self._database.transaction() as connection:
            connection.executemany(_PUT_OUTCOME, rows)
            return self.get_outcomes(outcomes)

    def figures(self) -> StoreFigures:
        """How much it holds."""
        [(responses, vectors)] = self._database.rows(_COUNTS)
        return StoreFigures(self._database.size, responses, vectors)

    def speed(self, identity: ModelIdentity) -> float | None:
        """Tokens of replies a second, as the model's latest written answers came in; None with too few to tell.

        Args:
            identity: The model.
        """
        rows = self._database.rows(_LATEST, (identity.adapter, identity.weights))
        arrivals = sorted((created, tokens) for created, tokens in rows if tokens)
        gaps = [(after - before, tokens) for (before, _), (after, tokens) in pairwise(arrivals)]
        seconds = sum(gap for gap, _ in gaps if gap < _PAUSE)
        tokens = sum(tokens for gap, tokens in gaps if gap < _PAUSE)
        return tokens / seconds if len(gaps) >= _ENOUGH and seconds > 0 else None


def _response(outcome: str, text: str) -> Response:
    content = json.loads(text)
    scores = tuple(OptionScore(**score | {"tokens": tuple(score["tokens"])}) for score in content.pop("scores"))
    notices = tuple(content.pop("notices", ()))
    return Response(outcome=Outcome(outcome), scores=scores, notices=notices, **content)
