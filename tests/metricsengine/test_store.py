"""The response store: what is one request, what is kept, by many writers at once, and through a kill."""

import os
import sqlite3
import subprocess
import sys
import textwrap
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from hashlib import blake2b
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from metricsengine.errors import ConfigError, MetricsEngineError, ModelError
from metricsengine.keys import Entry, digest, key
from metricsengine.model import Finding, ModelIdentity, OptionScore, Outcome, Request, Response, Sampling
from metricsengine.store import SCHEMA_VERSION, ResponseStore, StoredVector

IDENTITY = ModelIdentity("scripted", "a model", "w0", 1)
ERROR = Response(Outcome.ERROR, reason="timeout")
NUMBERS = count()

TEXT = st.text(st.characters(exclude_categories=[]), max_size=20)
SAMPLINGS = st.builds(
    Sampling,
    temperature=st.floats(0, 5),
    top_p=st.floats(0, 1, exclude_min=True),
    top_k=st.integers(0, 1000),
    max_tokens=st.integers(1, 10_000),
    stop=st.lists(TEXT, max_size=3).map(tuple),
)
IDENTITIES = st.builds(ModelIdentity, adapter=TEXT, name=TEXT, weights=TEXT, format=st.integers(0, 9))
OPTIONS = st.lists(TEXT, min_size=1, max_size=4).map(tuple)
TEXT_REQUESTS = st.builds(
    Request, prompt=TEXT, sampling=SAMPLINGS, seed=st.integers(), replicate=st.integers(0, 100), example=TEXT
)
RESPONSES = st.builds(
    Response,
    outcome=st.sampled_from([outcome for outcome in Outcome if outcome is not Outcome.ERROR]),
    text=TEXT,
    reason=TEXT,
    finish_reason=TEXT,
    prompt_tokens=st.none() | st.integers(0, 10**6),
    completion_tokens=st.none() | st.integers(0, 10**6),
    scores=st.lists(
        st.builds(OptionScore, TEXT, st.floats(0, 1), st.lists(st.integers(0, 10**6)).map(tuple), st.booleans()),
        max_size=3,
    ).map(tuple),
)

Asked = tuple[ModelIdentity, str, Request]


@pytest.fixture
def store(tmp_path: Path) -> Iterator[ResponseStore]:
    with ResponseStore(tmp_path / "store.db") as opened:
        yield opened


@pytest.fixture(scope="module")
def shared_store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ResponseStore]:
    with ResponseStore(tmp_path_factory.mktemp("shared") / "store.db") as opened:
        yield opened


def entry(response: Response, request: Request | None = None) -> Entry:
    request = request or Request(f"question {next(NUMBERS)}")
    rendered = str(request.prompt)
    return Entry(key(IDENTITY, rendered, request), IDENTITY, rendered, request, response)


def answer(text: str) -> Response:
    return Response(Outcome.ANSWERED, text, finish_reason="stop")


# What is one request


def _in_identity(name: str) -> Callable[[Asked, Any], Asked]:
    return lambda asked, value: (replace(asked[0], **{name: value}), asked[1], asked[2])


def _in_request(name: str) -> Callable[[Asked, Any], Asked]:
    return lambda asked, value: (asked[0], asked[1], replace(asked[2], **{name: value}))


def _in_sampling(name: str) -> Callable[[Asked, Any], Asked]:
    return lambda asked, value: _in_request("sampling")(asked, replace(asked[2].sampling, **{name: value}))


ALWAYS: dict[str, tuple[Callable[[Asked, Any], Asked], st.SearchStrategy[Any]]] = {
    "adapter": (_in_identity("adapter"), TEXT),
    "weights": (_in_identity("weights"), TEXT),
    "format": (_in_identity("format"), st.integers(0, 9)),
    "rendered": (lambda asked, value: (asked[0], value, asked[2]), TEXT),
    "options": (_in_request("options"), OPTIONS),
}
DRAWN: dict[str, tuple[Callable[[Asked, Any], Asked], st.SearchStrategy[Any]]] = {
    "temperature": (_in_sampling("temperature"), st.floats(0, 5)),
    "top_p": (_in_sampling("top_p"), st.floats(0, 1, exclude_min=True)),
    "top_k": (_in_sampling("top_k"), st.integers(0, 1000)),
    "max_tokens": (_in_sampling("max_tokens"), st.integers(1, 10_000)),
    "stop": (_in_sampling("stop"), st.lists(TEXT, max_size=3).map(tuple)),
    "seed": (_in_request("seed"), st.integers()),
    "replicate": (_in_request("replicate"), st.integers(0, 100)),
}


@pytest.mark.parametrize("name", [*ALWAYS, *DRAWN])
@settings(deadline=None, max_examples=50)
@given(identity=IDENTITIES, rendered=TEXT, request_=TEXT_REQUESTS, data=st.data())
def test_each_field_of_a_text_request_is_in_its_key(
    name: str, identity: ModelIdentity, rendered: str, request_: Request, data: st.DataObject
) -> None:
    change, values = (ALWAYS | DRAWN)[name]
    asked = (identity, rendered, request_)
    changed = change(asked, data.draw(values))
    assume(changed != asked)
    assert key(*changed) != key(*asked)


@pytest.mark.parametrize("name", [*ALWAYS, *DRAWN])
@settings(deadline=None, max_examples=50)
@given(identity=IDENTITIES, rendered=TEXT, request_=TEXT_REQUESTS, options=OPTIONS, data=st.data())
def test_option_scores_do_not_depend_on_how_text_is_drawn(
    name: str, identity: ModelIdentity, rendered: str, request_: Request, options: tuple[str, ...], data: st.DataObject
) -> None:
    change, values = (ALWAYS | DRAWN)[name]
    asked = (identity, rendered, replace(request_, options=options))
    changed = change(asked, data.draw(values))
    assume(changed != asked)
    assert (key(*changed) == key(*asked)) == (name in DRAWN and name != "replicate")


def test_every_field_is_accounted_for() -> None:
    fields = {*ModelIdentity.__slots__, *Request.__slots__, *Sampling.__slots__}
    left_out = {"name", "details", "example", "meanings"}  # what people call it, a dry run takes, a reading may take
    elsewhere = {"prompt", "sampling"}  # as rendered; field by field
    assert fields - left_out - elsewhere == {*ALWAYS, *DRAWN} - {"rendered"}


@settings(deadline=None)
@given(identity=IDENTITIES, rendered=TEXT, request_=TEXT_REQUESTS, other=TEXT)
def test_names_details_and_examples_are_not_in_the_key(
    identity: ModelIdentity, rendered: str, request_: Request, other: str
) -> None:
    renamed = replace(identity, name=other, details={"quantisation": other})
    assert key(renamed, rendered, replace(request_, example=other)) == key(identity, rendered, request_)


@pytest.mark.parametrize(
    ("left", "right"),
    [
        (Request("q", Sampling(temperature=1)), Request("q", Sampling(temperature=1.0))),
        (Request("q", Sampling(top_p=1)), Request("q", Sampling(top_p=1.0))),
        (Request("q", Sampling(temperature=0.0)), Request("q", Sampling(temperature=-0.0))),
        (Request("q", Sampling(stop=["."])), Request("q", Sampling(stop=(".",)))),  # type: ignore[arg-type]  # as a configuration gives it
        (Request("q", seed=True), Request("q", seed=1)),
        (Request("q", options=["A"]), Request("q", options=("A",))),  # type: ignore[arg-type]  # as a file gives it
    ],
)
def test_equal_requests_have_one_key(left: Request, right: Request) -> None:
    assert key(IDENTITY, "q", left) == key(IDENTITY, "q", right)


@pytest.mark.parametrize(
    ("left", "right"),
    [("\ud800", "\\ud800"), ("\ud83d\ude00", "😀"), ("é", "e\u0301"), ("", " "), ("a\x00", "a"), ('"', '\\"')],
)
def test_texts_that_look_alike_have_different_keys(left: str, right: str) -> None:
    assert key(IDENTITY, left, Request("")) != key(IDENTITY, right, Request(""))


def test_stop_strings_keep_their_bounds() -> None:
    joined, apart = Request("q", Sampling(stop=("a,b",))), Request("q", Sampling(stop=("a", "b")))
    assert key(IDENTITY, "q", joined) != key(IDENTITY, "q", apart)


def test_keys_never_change_between_releases() -> None:
    request = Request("q", Sampling(0.7, 0.9, 40, 64, ("\n",)), seed=3, replicate=2)
    assert key(IDENTITY, "q", request).hex() == "3dccf391c3a4fc66f300f62b7a02e659"
    scored = replace(request, options=("A", "B"), replicate=0)
    assert key(IDENTITY, "q", scored).hex() == "dd21a0b3689aa585a8abbfe48ed0f69c"


def test_a_key_is_the_hash_of_canonical_json() -> None:
    assert digest({"b": (1, 2.0), "a": "é"}) == blake2b('{"a":"é","b":[1,2.0]}'.encode(), digest_size=16).digest()
    with pytest.raises(ValueError, match="not JSON compliant"):
        digest([float("nan")])


# What is kept


def _paired(text: str) -> str:
    """The text with surrogates that form a pair as the character they stand for."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")


def _as_kept(response: Response) -> Response:
    scores = tuple(replace(score, option=_paired(score.option)) for score in response.scores)
    texts = {name: _paired(getattr(response, name)) for name in ("text", "reason", "finish_reason")}
    return replace(response, scores=scores, **texts)


@settings(deadline=None)
@given(responses=st.lists(RESPONSES, max_size=5))
def test_responses_come_back_as_they_were(shared_store: ResponseStore, responses: list[Response]) -> None:
    entries = [entry(response) for response in responses]
    expected = [_as_kept(response) for response in responses]
    assert shared_store.put(entries) == expected
    assert shared_store.get(e.key for e in entries) == {e.key: r for e, r in zip(entries, expected, strict=True)}


@pytest.mark.parametrize(
    "text",
    ["", "\ud800", "\udfff x", "a\x00b", "\x1b[0m\r\n", "NULL", "é e\u0301 漢 🙂", '{"a": "\\ud800"}', "x" * 10**6],
)
def test_odd_texts_come_back_as_they_were(store: ResponseStore, text: str) -> None:
    asked = entry(answer(text), Request(text))
    store.put([asked])
    assert store.get([asked.key]) == {asked.key: answer(text)}


def test_nothing_is_found_in_an_empty_store(store: ResponseStore) -> None:
    assert store.get([digest(1)]) == {}
    assert store.get([]) == {}
    assert store.put([]) == []


def test_ten_samples_stay_ten_and_come_again(store: ResponseStore) -> None:
    entries = [entry(answer(f"sample {i}"), Request("q", replicate=i)) for i in range(10)]
    store.put(entries)
    with ResponseStore(store.path) as again:
        found = again.get(e.key for e in entries)
    assert [found[e.key].text for e in entries] == [f"sample {i}" for i in range(10)]


def test_an_error_counts_as_absent_unless_asked_for(store: ResponseStore) -> None:
    failed = entry(ERROR)
    assert store.put([failed]) == [ERROR]
    assert store.get([failed.key]) == {}
    assert store.get([failed.key], errors=True) == {failed.key: ERROR}


def test_an_error_is_replaced_and_an_answer_never(store: ResponseStore) -> None:
    failed = entry(ERROR)
    store.put([failed])
    later = Response(Outcome.ERROR, reason="quota")
    assert store.put([replace(failed, response=later)]) == [later]
    assert store.put([replace(failed, response=answer("first"))]) == [answer("first")]
    assert store.put([replace(failed, response=answer("second"))]) == [answer("first")]
    assert store.put([failed]) == [answer("first")]


@pytest.mark.parametrize("outcome", [outcome for outcome in Outcome if outcome is not Outcome.ERROR])
def test_refusals_and_the_like_are_answers(store: ResponseStore, outcome: Outcome) -> None:
    asked = entry(Response(outcome))
    store.put([asked])
    assert store.put([replace(asked, response=answer("later"))]) == [Response(outcome)]


def test_within_one_batch_the_first_answer_stays(store: ResponseStore) -> None:
    failed = entry(ERROR)
    batch = [failed, replace(failed, response=answer("a")), replace(failed, response=answer("b")), failed]
    assert store.put(batch) == [answer("a")] * 4


def test_a_response_that_cannot_be_stored_names_the_model_and_stores_nothing(store: ResponseStore) -> None:
    bad = Response(Outcome.ANSWERED, scores=(OptionScore("A", float("nan")),))
    with pytest.raises(ModelError, match="model a model returned what cannot be stored"):
        store.put([entry(answer("good")), entry(bad)])
    assert store.figures().responses == 0


def test_what_was_asked_can_be_read_with_any_sqlite_tool(store: ResponseStore) -> None:
    request = Request("raw", Sampling(0.5, 0.9, 40, 64, ("\n",)), seed=3, replicate=2, options=("A", "é"))
    store.put([Entry(digest(0), IDENTITY, "<user>raw\ud800", request, answer("A"))])
    columns = """json_extract(request, '$.prompt') LIKE '<user>raw%', json_extract(request, '$.temperature'),
        json_extract(request, '$.top_p'), json_extract(request, '$.top_k'), json_extract(request, '$.max_tokens'),
        json_extract(request, '$.stop[0]'), json_extract(request, '$.seed'), json_extract(request, '$.replicate'),
        json_extract(request, '$.options[1]'), json_extract(request, '$.adapter'), json_extract(request, '$.weights'),
        json_extract(request, '$.model'), outcome, json_extract(response, '$.text'), created"""
    row = _rows(store.path, f"SELECT {columns} FROM response")[0]
    assert row[:-1] == (1, 0.5, 0.9, 40, 64, "\n", 3, 2, "é", "scripted", "w0", "a model", "answered", "A")
    assert abs(time.time() - row[-1]) < 3600


def test_ten_thousand_keys_are_found_in_one_call(store: ResponseStore) -> None:
    entries = [entry(answer(str(i))) for i in range(10_000)]
    store.put(entries)
    keys = [e.key for e in entries]
    found = store.get([*keys, *keys, digest("absent")])
    assert [found[k].text for k in keys] == [str(i) for i in range(10_000)]
    assert len(found) == 10_000


def test_figures_count_rows_and_bytes(store: ResponseStore) -> None:
    empty = store.figures()
    assert (empty.responses, empty.vectors) == (0, 0)
    store.put([entry(answer("x" * 100_000)), entry(ERROR)])
    store.put_vectors({digest(0): StoredVector(bytes(8), False)})
    filled = store.figures()
    assert (filled.responses, filled.vectors) == (2, 1)
    assert filled.size - empty.size > 100_000
    log = store.path.with_name("store.db-wal")
    assert filled.size == store.path.stat().st_size + log.stat().st_size


# Vectors


def test_vectors_come_back_and_the_first_stays(store: ResponseStore) -> None:
    first = {digest(0): StoredVector(b"\x00\x00\x80\x3f" * 3, True), digest(1): StoredVector(bytes(12), False)}
    assert store.put_vectors(first) == first
    assert store.put_vectors(dict.fromkeys(first, StoredVector(bytes(4), False))) == first
    assert store.get_vectors([*first, digest(2)]) == first
    assert _rows(store.path, "SELECT DISTINCT dimension FROM vector") == [(3,)]


def test_findings_come_back_and_the_last_stays(store: ResponseStore) -> None:
    first, second = Finding("seed", True, "the same"), Finding("seed", False, "another")
    store.put_findings({b"a": first, b"b": first})
    store.put_findings({b"b": second})
    assert store.get_findings([b"a", b"b", b"c"]) == {b"a": first, b"b": second}


def test_outcomes_come_back_and_the_first_stays(store: ResponseStore) -> None:
    assert store.put_outcomes({b"a": ("sum", "[1]"), b"b": ("sum", "2")}) == {b"a": "[1]", b"b": "2"}
    assert store.put_outcomes({b"b": ("sum", "3"), b"c": ("sum", "4")}) == {b"b": "2", b"c": "4"}
    assert store.get_outcomes([b"a", b"b", b"c", b"d"]) == {b"a": "[1]", b"b": "2", b"c": "4"}


def test_half_a_vector_is_refused(store: ResponseStore) -> None:
    with pytest.raises(MetricsEngineError, match="CHECK constraint"):
        store.put_vectors({digest(0): StoredVector(bytes(8), False), digest(1): StoredVector(bytes(7), False)})
    assert store.figures().vectors == 0


# Files


def test_the_folder_is_made_and_the_log_folded_in_on_close(tmp_path: Path) -> None:
    path = tmp_path / "a" / "b #?%" / "store.db"
    with ResponseStore(path) as store:
        store.put([entry(answer("x"))])
        assert path.with_name("store.db-wal").stat().st_size > 0
    assert [file.name for file in path.parent.iterdir()] == ["store.db"]
    assert _rows(path, "PRAGMA journal_mode") == [("wal",)]
    store.close()  # a second time does no harm


def test_a_log_that_grows_too_long_is_folded_in(store: ResponseStore, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store._database, "_fold_at", 100_000)
    monkeypatch.setattr("metricsengine.database._LONGEST_LOG", 100_000)
    log = store.path.with_name("store.db-wal")
    sizes = []
    for _ in range(30):
        store.put([entry(answer("x" * 20_000))])
        sizes.append(log.stat().st_size)
    assert max(sizes) < 200_000
    assert sizes.count(0) >= 4


def test_a_reader_that_never_ends_does_not_stop_writers(store: ResponseStore, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store._database, "_fold_at", 0)
    store._database._connection.execute("PRAGMA busy_timeout=100")
    stuck = sqlite3.connect(store.path, isolation_level=None)
    store.put([entry(answer("before"))])
    stuck.execute("BEGIN")
    stuck.execute("SELECT count(*) FROM response").fetchone()
    monkeypatch.setattr(store._database, "_fold_at", 0)
    asked = [entry(answer(f"while {i}")) for i in range(5)]
    for one in asked:
        store.put([one])
    stuck.close()
    assert len(store.get(e.key for e in asked)) == 5


def _refusal(path: Path) -> str:
    with pytest.raises(ConfigError) as caught:
        ResponseStore(path)
    message = str(caught.value)
    assert "\n" not in message
    return message


def test_a_folder_is_refused(tmp_path: Path) -> None:
    assert _refusal(tmp_path) == f"response store {tmp_path}: it is a folder; name a file"


def test_a_file_in_the_way_of_the_folder_is_named(tmp_path: Path) -> None:
    (tmp_path / "outputs").write_text("")
    assert str(tmp_path / "outputs") in _refusal(tmp_path / "outputs" / "store.db")


def test_a_file_that_is_no_database_is_refused_and_kept(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    path.write_text("notes, not a database\n" * 100)
    assert "it is not an SQLite database" in _refusal(path)
    assert path.read_text() == "notes, not a database\n" * 100


def test_another_database_is_refused_and_kept(tmp_path: Path) -> None:
    path = tmp_path / "mlflow.db"
    _rows(path, "CREATE TABLE runs (id)")
    before = path.read_bytes()
    assert "it is a database of something else" in _refusal(path)
    assert path.read_bytes() == before


def test_a_newer_schema_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    ResponseStore(path).close()
    _rows(path, f"PRAGMA user_version={SCHEMA_VERSION + 1}")
    assert f"schema {SCHEMA_VERSION + 1}, this one knows {SCHEMA_VERSION}" in _refusal(path)


FIRST_SCHEMA = (
    """CREATE TABLE response (
        key BLOB PRIMARY KEY, request TEXT NOT NULL, outcome TEXT NOT NULL, response TEXT NOT NULL,
        created REAL NOT NULL
    )""",
    """CREATE TABLE vector (
        key BLOB PRIMARY KEY, dimension INTEGER NOT NULL, truncated INTEGER NOT NULL, data BLOB NOT NULL,
        CHECK (length(data) = 4 * dimension)
    )""",
    "PRAGMA user_version=1",
)
OLD_RESPONSE = """{"text": "fine", "reason": "", "finish_reason": "stop", "prompt_tokens": 3, "completion_tokens": 1,
    "scores": []}"""


def test_a_store_of_the_first_version_keeps_what_it_holds_and_takes_findings(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    _rows(path, "PRAGMA journal_mode=WAL", *FIRST_SCHEMA)
    _rows(path, f"INSERT INTO response VALUES (x'00', '{{}}', 'answered', '{OLD_RESPONSE}', 0)")
    for _ in range(2):
        with ResponseStore(path) as opened:
            assert opened.get([b"\0"]) == {b"\0": Response(Outcome.ANSWERED, "fine", "", "stop", 3, 1)}
            opened.put_findings({b"f": Finding("seed", True, "seen")})
            assert opened.get_findings([b"f"]) == {b"f": Finding("seed", True, "seen")}
    assert _rows(path, "PRAGMA user_version") == [(SCHEMA_VERSION,)]


def test_a_store_of_the_second_version_takes_claims(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    findings = "CREATE TABLE finding (key BLOB PRIMARY KEY, capability TEXT, holds INTEGER, detail TEXT, created REAL)"
    _rows(path, "PRAGMA journal_mode=WAL", *FIRST_SCHEMA[:2], findings, "PRAGMA user_version=2")
    _rows(path, f"INSERT INTO response VALUES (x'00', '{{}}', 'answered', '{OLD_RESPONSE}', 0)")
    for _ in range(2):
        with ResponseStore(path) as opened, opened.claims.held([b"\0", b"\1"]) as mine:
            assert mine == [b"\1"]
            assert opened.get([b"\0"]) == {b"\0": Response(Outcome.ANSWERED, "fine", "", "stop", 3, 1)}
    assert _rows(path, "PRAGMA user_version") == [(SCHEMA_VERSION,)]


def test_a_store_of_the_third_version_takes_outcomes(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    claims = "CREATE TABLE claim (key BLOB PRIMARY KEY, owner TEXT NOT NULL) WITHOUT ROWID"
    findings = "CREATE TABLE finding (key BLOB PRIMARY KEY, capability TEXT, holds INTEGER, detail TEXT, created REAL)"
    _rows(path, "PRAGMA journal_mode=WAL", *FIRST_SCHEMA[:2], findings, claims, "PRAGMA user_version=3")
    _rows(path, "INSERT INTO finding VALUES (x'00', 'seed', 1, 'seen', 0)")
    for _ in range(2):
        with ResponseStore(path) as opened:
            assert opened.put_outcomes({b"o": ("sum", "1")}) == {b"o": "1"}
            assert opened.get_findings([b"\0"]) == {b"\0": Finding("seed", True, "seen")}
    assert _rows(path, "PRAGMA user_version") == [(SCHEMA_VERSION,)]


def test_a_store_of_the_first_version_may_be_opened_by_all_at_once(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    _rows(path, *FIRST_SCHEMA)
    together, failures = threading.Barrier(8), []

    def work() -> None:
        together.wait()
        try:
            ResponseStore(path).close()
        except MetricsEngineError as error:
            failures.append(error)

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures
    assert _rows(path, "PRAGMA user_version") == [(SCHEMA_VERSION,)]


@pytest.mark.skipif(sys.platform != "linux", reason="/proc is Linux's")
def test_an_unwritable_place_is_refused() -> None:
    assert "/proc/metricsengine" in _refusal(Path("/proc/metricsengine/store.db"))


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write everywhere")
def test_an_unwritable_folder_and_file_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    tmp_path.chmod(0o500)
    assert "permissions" in _refusal(path)
    tmp_path.chmod(0o700)


def test_a_full_disk_loses_the_batch_whole_and_says_so(store: ResponseStore) -> None:
    kept = entry(answer("kept"))
    store.put([kept])
    (pages,) = store._database._connection.execute("PRAGMA page_count").fetchone()
    store._database._connection.execute(f"PRAGMA max_page_count={pages + 5}")
    lost = [entry(answer("x" * 10_000)) for _ in range(20)]
    with pytest.raises(MetricsEngineError, match="the disk is full") as caught:
        store.put(lost)
    assert not isinstance(caught.value, ConfigError)
    assert store.get([kept.key, *(e.key for e in lost)]) == {kept.key: answer("kept")}
    store._database._connection.execute("PRAGMA max_page_count=1000000")
    assert len(store.put(lost)) == 20


def test_an_interruption_inside_a_transaction_undoes_it(store: ResponseStore, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    asked = entry(answer("x"))
    with monkeypatch.context() as patch:
        patch.setattr(store, "get", interrupted)
        with pytest.raises(KeyboardInterrupt):
            store.put([asked])
    assert store.get([asked.key]) == {}
    assert store.put([asked]) == [answer("x")]


# Many at once

WRITER = textwrap.dedent(
    """
    import sys, time
    from pathlib import Path
    from metricsengine.model import ModelIdentity, Outcome, Request, Response
    from metricsengine.keys import Entry, key
    from metricsengine.store import ResponseStore

    path, writer, batches, size = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
    identity = ModelIdentity("scripted", "a model", "w0", 1)
    print("ready", flush=True)
    sys.stdin.readline()
    with ResponseStore(path) as store:
        for batch in range(batches):
            shared = Request(f"asked by all {batch}")
            own = [Request(f"{writer} {batch}", replicate=i) for i in range(size - 1)]
            answer = Response(Outcome.ANSWERED, f"{writer}: " + "x" * 500)
            entries = [Entry(key(identity, r.prompt, r), identity, r.prompt, r, answer) for r in [shared, *own]]
            stored = store.put(entries)
            found = store.get(entry.key for entry in entries)
            assert [found[entry.key] for entry in entries] == stored
            assert all(response.text.startswith(writer) for response in stored[1:])
            print(batch, flush=True)
    """
)


def _writer(path: Path, name: str, batches: int, size: int) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", WRITER, str(path), name, str(batches), str(size)],
        env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )


def _go(*writers: subprocess.Popen[str]) -> None:
    for writer in writers:
        assert writer.stdout is not None
        assert writer.stdout.readline() == "ready\n"
    for writer in writers:
        assert writer.stdin is not None
        writer.stdin.write("\n")
        writer.stdin.flush()


def _rows(path: Path, *queries: str) -> list[tuple[Any, ...]]:
    connection = sqlite3.connect(path)
    try:
        for query in queries:
            rows = connection.execute(query).fetchall()
        connection.commit()
        return rows
    finally:
        connection.close()


def test_four_processes_write_and_read_one_fresh_file(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    writers = [_writer(path, f"w{i}", 40, 10) for i in range(4)]
    _go(*writers)
    done = [writer.communicate()[0].split() for writer in writers]
    assert [writer.returncode for writer in writers] == [0] * 4
    assert done == [[str(batch) for batch in range(40)]] * 4
    assert _rows(path, "SELECT count(*), count(DISTINCT key) FROM response") == [(4 * 40 * 9 + 40,) * 2]
    assert _rows(path, "PRAGMA integrity_check") == [("ok",)]


@pytest.mark.slow
def test_a_fresh_file_can_be_opened_by_all_at_once(tmp_path: Path) -> None:
    for attempt in range(10):
        path = tmp_path / f"{attempt}.db"
        writers = [_writer(path, f"w{i}", 1, 2) for i in range(6)]
        _go(*writers)
        for writer in writers:
            writer.communicate()
        assert [writer.returncode for writer in writers] == [0] * 6


@pytest.mark.slow
def test_killed_writers_leave_whole_batches(tmp_path: Path) -> None:
    path, size = tmp_path / "store.db", 50
    for attempt in range(6):
        writers = [_writer(path, f"a{attempt}w{i}", 10**6, size) for i in range(2)]
        _go(*writers)
        time.sleep(0.1 + 0.13 * attempt)
        for writer in writers:
            writer.kill()
        acknowledged = [writer.communicate()[0].split() for writer in writers]
        assert _rows(path, "PRAGMA integrity_check") == [("ok",)]
        prompts = "SELECT json_extract(request, '$.prompt') AS prompt FROM response"
        batches = dict(
            _rows(path, f"SELECT prompt, count(*) FROM ({prompts}) WHERE prompt LIKE 'a{attempt}%' GROUP BY prompt")
        )
        assert set(batches.values()) <= {size - 1}
        told = {f"a{attempt}w{i} {batch}" for i in range(2) for batch in acknowledged[i]}
        assert told <= set(batches)
    with ResponseStore(path) as store:
        assert store.put([entry(answer("after"))]) == [answer("after")]


def test_threads_share_one_store(store: ResponseStore) -> None:
    per_thread = [[entry(answer(f"{t} {i}")) for i in range(50)] for t in range(8)]
    wrong: list[str] = []

    def work(entries: list[Entry]) -> None:
        wrong.extend(
            one.response.text
            for one in entries
            if store.put([one]) != [one.response] or store.get([one.key]) != {one.key: one.response}
        )

    threads = [threading.Thread(target=work, args=(entries,)) for entries in per_thread]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []
    assert store.figures().responses == 400


def test_another_process_may_have_been_first(store: ResponseStore) -> None:
    asked = entry(answer("mine"))
    with ResponseStore(store.path) as other:
        other.put([replace(asked, response=answer("theirs"))])
        assert store.put([asked]) == [answer("theirs")]
